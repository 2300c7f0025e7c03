//! The folder of local runs: all that they write is below it, readable for its owner alone. And where the
//! host is to be found, while there is one.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::cluster::local::holds::RunName;

/// Where a host listens, on loopback.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Address {
    /// Port for drivers to say that they are there.
    pub tether: u16,
    /// Token that it asks for.
    pub token: String,
    /// Process ID, for people.
    pub pid: u32,
}

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    dir: PathBuf,
}

/// Held by a host for its whole life; the system lets go of it however the host ends.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Place {
    /// The folder need not exist.
    #[must_use]
    pub fn new(dir: impl Into<PathBuf>) -> Self {
        Self { dir: dir.into() }
    }

    /// The folder.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The world on disk.
    #[must_use]
    pub fn journal(&self) -> PathBuf {
        self.dir.join("world.jsonl")
    }

    /// What the host has to say to nobody in particular.
    #[must_use]
    pub fn host_log(&self) -> PathBuf {
        self.dir.join("host.log")
    }

    /// The kubeconfig of the host: any kubectl can look on.
    #[must_use]
    pub fn kubeconfig(&self) -> PathBuf {
        self.dir.join("kubeconfig")
    }

    /// Folder of a run: logs and volumes of its pods, the file of their names.
    #[must_use]
    pub fn run(&self, run: &RunName) -> PathBuf {
        self.dir.join("runs").join(&run.0).join(&run.1)
    }

    /// Where the processes of a run start: where its driver was started first.
    #[must_use]
    pub fn directory(&self, run: &RunName) -> PathBuf {
        let path = std::fs::read_to_string(self.run(run).join("directory")).map(PathBuf::from);
        path.ok()
            .filter(|path| path.is_dir())
            .unwrap_or_else(|| self.run(run))
    }

    /// Keeps where the driver of a run was started, unless that is known.
    ///
    /// # Errors
    /// The folder can't be written.
    pub fn keep_directory(&self, run: &RunName, directory: &str) -> io::Result<()> {
        let file = self.run(run).join("directory");
        if file.exists() {
            return Ok(());
        }
        std::fs::create_dir_all(self.run(run))?;
        std::fs::write(file, directory)
    }

    /// Runs that have a folder.
    #[must_use]
    pub fn runs(&self) -> Vec<RunName> {
        let names = |path: &Path| -> Vec<String> {
            let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
            entries
                .filter_map(|entry| entry.file_name().into_string().ok())
                .collect()
        };
        let root = self.dir.join("runs");
        let mut all = Vec::new();
        for namespace in names(&root) {
            for name in names(&root.join(&namespace)) {
                all.push((namespace.clone(), name));
            }
        }
        all
    }

    /// Removes the folder of a run that was deleted.
    pub fn forget(&self, run: &RunName) {
        // What can't be removed is in nobody's way: a new run of that name makes its own files.
        let _ = std::fs::remove_dir_all(self.run(run)).ok();
    }

    fn address_file(&self) -> PathBuf {
        self.dir.join("host.json")
    }

    /// Makes the folder, for its owner alone.
    ///
    /// # Errors
    /// It can't be made, or is somebody else's.
    pub fn make(&self) -> io::Result<()> {
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&self.dir)?;
        #[cfg(unix)]
        {
            let owner = std::os::unix::fs::MetadataExt::uid(&std::fs::metadata(&self.dir)?);
            if owner != rustix::process::geteuid().as_raw() {
                let why = "it belongs to another user";
                return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
            }
        }
        Ok(())
    }

    fn lock_file(&self) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true);
        options.open(self.dir.join("host.lock"))
    }

    /// Becomes the one host of this folder. None: there is one.
    ///
    /// # Errors
    /// The folder can't be written.
    pub fn lock(&self) -> io::Result<Option<Lock>> {
        let file = self.lock_file()?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Lock { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Where the host is. None: there is none, or it isn't ready.
    ///
    /// # Errors
    /// The folder can't be read.
    pub fn address(&self) -> io::Result<Option<Address>> {
        match self.lock() {
            // A dead host's address may still be there.
            Ok(Some(_)) => return Ok(None),
            Ok(None) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        }
        match std::fs::read(self.address_file()) {
            Ok(text) => Ok(serde_json::from_slice(&text).ok()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Says where the host is. Readers see the old file or the new one, never a part.
    ///
    /// # Errors
    /// The folder can't be written.
    pub fn announce(&self, address: &Address) -> io::Result<()> {
        replace(&self.address_file(), &serde_json::to_vec(address)?)
    }

    /// Writes the kubeconfig, for its owner alone.
    ///
    /// # Errors
    /// The folder can't be written.
    pub fn write_kubeconfig(&self, text: &str) -> io::Result<()> {
        replace(&self.kubeconfig(), text.as_bytes())
    }

    /// Takes the announcement back; a dead host's is left, and known to be dead by its lock.
    pub fn withdraw(&self) {
        // It may be gone already: the folder was removed.
        let _ = std::fs::remove_file(self.address_file()).ok();
    }
}

/// Readers see the old file or the new one, never a part; nobody but the owner sees either.
fn replace(path: &Path, text: &[u8]) -> io::Result<()> {
    let new = path.with_extension("new");
    let mut options = OpenOptions::new();
    options.create(true).truncate(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&new)?;
    io::Write::write_all(&mut file, text)?;
    std::fs::rename(new, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_believed_while_its_host_lives() {
        let dir = tempfile::tempdir().unwrap();
        let place = Place::new(dir.path().join("a/b"));
        assert_eq!(place.address().unwrap(), None);
        place.make().unwrap();
        let lock = place.lock().unwrap().unwrap();
        assert!(place.lock().unwrap().is_none(), "only one");
        assert_eq!(place.address().unwrap(), None, "not announced yet");
        let address = Address {
            tether: 2,
            token: "t".to_owned(),
            pid: 3,
        };
        place.announce(&address).unwrap();
        assert_eq!(place.address().unwrap(), Some(address));
        drop(lock);
        assert_eq!(place.address().unwrap(), None, "its host is dead");
    }
}
