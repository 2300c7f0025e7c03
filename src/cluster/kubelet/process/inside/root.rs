//! The file system that a container sees: the machine's, with the volumes where they belong. It is a new root of
//! directories in memory, onto which everything of the machine's root is bound; so a mount point that the machine
//! doesn't have can be made without touching the machine.
//!
//! A directory of the machine that gets a new mount point is taken apart: its entries are bound one by one into one in
//! memory. What the container writes into such a directory itself is gone with it, as in any container.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{StatVfsMountFlags, statvfs};
use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind, mount_bind_recursive,
    mount_change, mount_remount, unmount,
};
use rustix::process::pivot_root;

use super::protocol::Root;

/// Entries of one directory that is taken apart; each costs a mount.
const MOST_ENTRIES: usize = 4096;

/// Files in `/dev` that no container has a use for, by how their names begin; there are hundreds.
const NOT_IN_DEV: [&str; 9] = [
    "tty", "vcs", "loop", "ram", "nbd", "vd", "sd", "mqueue", "shm",
];

/// The one of them that programs open.
const TERMINAL: &str = "tty";

/// A mount with its paths as the machine resolves them.
struct Placed {
    source: PathBuf,
    target: PathBuf,
    read_only: bool,
    directory: bool,
}

/// Builds the root in this mount namespace and makes it ours.
pub(super) fn enter(root: &Root) -> Result<(), String> {
    let staging = Path::new(&root.staging);
    let placed = place(root)?;
    let directories: Vec<PathBuf> = root
        .directories
        .iter()
        .map(|d| resolve(Path::new(d)))
        .collect();
    let apart = taken_apart(&placed, &directories);

    let shown = |e: rustix::io::Errno| format!("the root of the container can't be made: {e}");
    mount(
        "tmpfs",
        staging,
        "tmpfs",
        MountFlags::NODEV,
        Some(c"mode=755"),
    )
    .map_err(shown)?;
    // Else binding a directory that holds the new root would bind all that is in there again.
    mount_change(staging, MountPropagationFlags::UNBINDABLE).map_err(shown)?;
    let replaced: BTreeSet<&Path> = placed.iter().map(|m| m.target.as_path()).collect();
    fill(Path::new("/"), staging, &apart, &replaced)?;
    shared_memory(staging).map_err(shown)?;
    for mount in &placed {
        attach(mount, staging)?;
    }
    for directory in &directories {
        fs::create_dir_all(below(staging, directory))
            .map_err(|e| format!("{} can't be made: {e}", directory.display()))?;
    }

    std::env::set_current_dir(staging).map_err(|e| e.to_string())?;
    pivot_root(".", ".").map_err(shown)?;
    unmount(".", UnmountFlags::DETACH).map_err(shown)?;
    std::env::set_current_dir("/").map_err(|e| e.to_string())
}

/// Mounts in the order in which they have to be made.
fn place(root: &Root) -> Result<Vec<Placed>, String> {
    let mut placed = Vec::new();
    for mount in &root.mounts {
        let target = resolve(Path::new(&mount.target));
        let refused = |why: &dyn std::fmt::Display| {
            format!(
                "error mounting \"{}\" to rootfs at \"{}\": {why}",
                mount.source, mount.target
            )
        };
        if target == Path::new("/") {
            return Err(refused(&"nothing can be mounted over the root directory"));
        }
        let kind = match fs::metadata(&mount.source) {
            Ok(kind) => kind,
            Err(_) if mount.optional => continue,
            Err(e) => return Err(refused(&e)),
        };
        placed.push(Placed {
            source: PathBuf::from(&mount.source),
            target,
            read_only: mount.read_only,
            directory: kind.is_dir(),
        });
    }
    placed.sort_by(|a, b| a.target.cmp(&b.target));
    Ok(placed)
}

/// Without `.`, `..` and the symbolic links of the machine, as far as the path exists.
fn resolve(path: &Path) -> PathBuf {
    let mut clean = PathBuf::from("/");
    for part in path.components() {
        match part {
            Component::Normal(name) => {
                clean.push(name);
                if let Ok(real) = fs::canonicalize(&clean) {
                    clean = real;
                }
            }
            Component::ParentDir => {
                clean.pop();
            }
            _ => {}
        }
    }
    clean
}

/// Directories of the machine that get a mount point or directory that they don't have.
fn taken_apart(placed: &[Placed], directories: &[PathBuf]) -> BTreeSet<PathBuf> {
    let mut apart = BTreeSet::from([PathBuf::from("/"), PathBuf::from("/dev")]);
    let wanted = placed
        .iter()
        .map(|m| (&m.target, m.directory))
        .chain(directories.iter().map(|d| (d, true)));
    for (target, directory) in wanted {
        let there = fs::metadata(target).is_ok_and(|m| m.is_dir() == directory);
        // What lies in a volume is made in the volume.
        let in_volume = placed
            .iter()
            .any(|m| m.target != *target && target.starts_with(&m.target));
        if there || in_volume {
            continue;
        }
        apart.extend(
            target
                .ancestors()
                .skip(1)
                .filter(|a| a.is_dir())
                .map(Path::to_path_buf),
        );
    }
    apart
}

fn below(staging: &Path, path: &Path) -> PathBuf {
    staging.join(path.strip_prefix("/").unwrap_or(path))
}

/// Binds the entries of a directory of the machine into one in memory.
fn fill(
    from: &Path,
    staging: &Path,
    apart: &BTreeSet<PathBuf>,
    replaced: &BTreeSet<&Path>,
) -> Result<(), String> {
    let to = below(staging, from);
    // A directory that we may not read looks empty, and so it is in the container.
    let entries: Vec<_> = fs::read_dir(from).into_iter().flatten().flatten().collect();
    if entries.len() > MOST_ENTRIES {
        return Err(format!(
            "{} has {} entries, too many to add a mount point beside them",
            from.display(),
            entries.len()
        ));
    }
    for entry in entries {
        let path = entry.path();
        let name = entry.file_name();
        let new = to.join(&name);
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if from == Path::new("/dev") && hidden(&name.to_string_lossy()) {
            continue;
        }
        if apart.contains(&path) {
            fs::create_dir(&new).map_err(|e| format!("{}: {e}", path.display()))?;
            fill(&path, staging, apart, replaced)?;
            continue;
        }
        if replaced.contains(path.as_path()) {
            continue;
        }
        // An entry that can't be bound (just removed, or not ours to see) is not there.
        let _ = if kind.is_symlink() {
            fs::read_link(&path).and_then(|link| symlink(link, &new))
        } else if kind.is_dir() {
            fs::create_dir(&new).and_then(|()| Ok(mount_bind_recursive(&path, &new)?))
        } else {
            File::create(&new).and_then(|_| Ok(mount_bind(&path, &new)?))
        };
    }
    Ok(())
}

/// The container's own `/dev/shm`, as a runtime makes it.
fn shared_memory(staging: &Path) -> rustix::io::Result<()> {
    let point = staging.join("dev/shm");
    rustix::fs::mkdir(&point, rustix::fs::Mode::RWXU)?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("shm", &point, "tmpfs", flags, Some(c"mode=1777"))
}

fn hidden(name: &str) -> bool {
    name != TERMINAL && NOT_IN_DEV.iter().any(|start| name.starts_with(start))
}

fn attach(mount: &Placed, staging: &Path) -> Result<(), String> {
    let refused = |why: &dyn std::fmt::Display| {
        format!(
            "error mounting \"{}\" to rootfs at \"{}\": {why}",
            mount.source.display(),
            mount.target.display()
        )
    };
    let point = below(staging, &mount.target);
    if mount.directory {
        fs::create_dir_all(&point).map_err(|e| refused(&e))?;
    } else {
        if let Some(parent) = point.parent() {
            fs::create_dir_all(parent).map_err(|e| refused(&e))?;
        }
        if !point.exists() {
            File::create(&point).map_err(|e| refused(&e))?;
        }
    }
    mount_bind_recursive(&mount.source, &point).map_err(|e| refused(&e))?;
    if mount.read_only {
        // What the machine forbids on this file system stays forbidden, or the kernel refuses.
        let flags = statvfs(&point).map_err(|e| refused(&e))?.f_flag;
        let mut kept = MountFlags::BIND | MountFlags::RDONLY;
        for (set, keep) in [
            (StatVfsMountFlags::NOSUID, MountFlags::NOSUID),
            (StatVfsMountFlags::NODEV, MountFlags::NODEV),
            (StatVfsMountFlags::NOEXEC, MountFlags::NOEXEC),
            (StatVfsMountFlags::NOATIME, MountFlags::NOATIME),
            (StatVfsMountFlags::NODIRATIME, MountFlags::NODIRATIME),
            (StatVfsMountFlags::RELATIME, MountFlags::RELATIME),
        ] {
            if flags.contains(set) {
                kept |= keep;
            }
        }
        mount_remount(&point, kept, "").map_err(|e| refused(&e))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consoles_and_disks_are_hidden_but_not_the_terminal() {
        assert!(hidden("tty1") && hidden("vcsa") && hidden("loop0"));
        assert!(!hidden("tty") && !hidden("null") && !hidden("nvidia0"));
    }

    #[test]
    fn a_path_is_resolved_as_far_as_it_exists() {
        assert_eq!(
            resolve(Path::new("/nowhere/./a/../b")),
            Path::new("/nowhere/b")
        );
    }

    #[test]
    fn only_what_lacks_a_mount_point_is_taken_apart() {
        let at = |target: &str| Placed {
            source: PathBuf::from("/"),
            target: PathBuf::from(target),
            read_only: false,
            directory: true,
        };
        let apart = taken_apart(&[at("/usr"), at("/nowhere"), at("/nowhere/deeper")], &[]);
        assert_eq!(
            apart,
            BTreeSet::from([PathBuf::from("/"), PathBuf::from("/dev")])
        );
        let apart = taken_apart(&[at("/usr/nowhere/at/all")], &[]);
        assert!(apart.contains(Path::new("/usr")) && !apart.contains(Path::new("/usr/nowhere")));
    }
}
