//! How a driver says that it is there: a connection that stays open. When it breaks without a word of
//! farewell, the driver was killed, and its run is closed.
//!
//! A line each way: `TOKEN hold NAMESPACE NAME DIRECTORY`, answered with `held NOTE`, the note being what people
//! should know of this machine; later `release`, answered
//! with `released`. The directory is where the driver was started: processes start there.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, mpsc, oneshot};

use crate::cluster::local::holds::{Holds, RunName};
use crate::cluster::local::place::{Address, Place};
use crate::error::{Error, Result};

/// A run that is to be made ready before its driver goes on; the answer is what the driver should say.
pub type Wanted = (RunName, oneshot::Sender<Option<String>>);

/// What drivers hold, and who wants to know of changes.
#[derive(Clone, Debug)]
pub struct Tethers {
    holds: Arc<Mutex<Holds>>,
    changed: Arc<Notify>,
    wanted: mpsc::UnboundedSender<Wanted>,
}

impl Tethers {
    /// Nobody holds anything. Each run that is held is asked for first, through the receiver.
    #[must_use]
    pub fn new() -> (Self, mpsc::UnboundedReceiver<Wanted>) {
        let (wanted, asked) = mpsc::unbounded_channel();
        let tethers = Self {
            holds: Arc::default(),
            changed: Arc::default(),
            wanted,
        };
        (tethers, asked)
    }

    /// Looks or changes.
    pub fn with<T>(&self, f: impl FnOnce(&mut Holds) -> T) -> T {
        f(&mut self.holds.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Something was held, released or lost since the last call. For one listener.
    pub async fn changed(&self) {
        self.changed.notified().await;
    }

    /// Takes connections for ever.
    pub async fn serve(&self, listener: TcpListener, token: &str, place: &Place) {
        loop {
            match listener.accept().await {
                Ok((stream, _)) => {
                    let (this, token, place) = (self.clone(), token.to_owned(), place.clone());
                    tokio::spawn(async move { this.talk(stream, &token, &place).await });
                }
                // Out of descriptors, say: others may be given back.
                Err(_) => tokio::task::yield_now().await,
            }
        }
    }

    async fn talk(&self, stream: TcpStream, token: &str, place: &Place) {
        let (read, mut write) = stream.into_split();
        let mut lines = BufReader::new(read).lines();
        let Ok(Some(line)) = lines.next_line().await else {
            return;
        };
        let Some((run, directory)) = greeting(&line, token) else {
            return;
        };
        if place.keep_directory(&run, directory).is_err() {
            return;
        }
        self.with(|holds| holds.hold(&run));
        self.changed.notify_one();
        let (answer, note) = oneshot::channel();
        // A host that is ending answers nothing.
        let _ = self.wanted.send((run.clone(), answer)).ok();
        let note = note.await.ok().flatten().unwrap_or_default();
        let held = format!("held {}", note.replace('\n', " "));
        let told = write
            .write_all(format!("{}\n", held.trim_end()).as_bytes())
            .await;
        let farewell = match told {
            Ok(()) => lines.next_line().await,
            Err(error) => Err(error),
        };
        let orderly = matches!(farewell.as_ref().map(Option::as_deref), Ok(Some("release")));
        self.with(|holds| {
            if orderly {
                holds.release(&run);
            } else {
                let _closed = holds.lost(&run);
            }
        });
        self.changed.notify_one();
        if orderly {
            // It may not wait for the answer; nothing hangs on it.
            let _ = write.write_all(b"released\n").await.ok();
        }
    }
}

fn greeting<'a>(line: &'a str, token: &str) -> Option<(RunName, &'a str)> {
    let mut words = line.splitn(5, ' ');
    let (given, verb, namespace, name, directory) = (
        words.next()?,
        words.next()?,
        words.next()?,
        words.next()?,
        words.next()?,
    );
    (given == token && verb == "hold").then(|| ((namespace.to_owned(), name.to_owned()), directory))
}

/// A driver's end of it.
#[derive(Debug)]
pub struct Tether {
    stream: BufReader<TcpStream>,
    /// What people should know of this machine.
    pub note: Option<String>,
}

impl Tether {
    /// Says that a driver of that run is there.
    ///
    /// # Errors
    /// The host is gone or doesn't know the token.
    pub async fn hold(
        address: &Address,
        namespace: &str,
        name: &str,
        directory: &Path,
    ) -> Result<Self> {
        let open = async {
            let stream = TcpStream::connect(("127.0.0.1", address.tether)).await?;
            let mut stream = BufReader::new(stream);
            let directory = directory.display();
            let line = format!("{} hold {namespace} {name} {directory}\n", address.token);
            stream.write_all(line.as_bytes()).await?;
            let mut answer = String::new();
            stream.read_line(&mut answer).await?;
            let words = answer
                .strip_suffix('\n')
                .and_then(|a| a.strip_prefix("held"));
            let note = words
                .ok_or_else(|| std::io::Error::other("refused"))?
                .trim();
            Ok(Self {
                stream,
                note: Some(note.to_owned()).filter(|note| !note.is_empty()),
            })
        };
        open.await
            .map_err(|e: std::io::Error| Error::other("the local cluster is gone").caused_by(e))
    }

    /// Leaves in good order: the run's processes go on.
    pub async fn release(mut self) {
        let farewell = async {
            self.stream.write_all(b"release\n").await?;
            let mut answer = String::new();
            self.stream.read_line(&mut answer).await
        };
        // A host that is gone has ended the processes; there is nobody to tell.
        let _ = farewell.await.ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn served() -> (Tethers, Address, tempfile::TempDir) {
        let dir = tempfile::tempdir().unwrap();
        let place = Place::new(dir.path());
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = Address {
            tether: listener.local_addr().unwrap().port(),
            token: "secret".to_owned(),
            pid: 0,
        };
        let (tethers, mut wanted) = Tethers::new();
        tokio::spawn(async move {
            while let Some((_, answer)) = wanted.recv().await {
                answer.send(Some("no names".to_owned())).unwrap();
            }
        });
        let server = tethers.clone();
        tokio::spawn(async move { server.serve(listener, "secret", &place).await });
        (tethers, address, dir)
    }

    fn run() -> RunName {
        ("default".to_owned(), "a".to_owned())
    }

    #[tokio::test]
    async fn a_released_run_stays_open() {
        let (tethers, address, dir) = served().await;
        let tether = Tether::hold(&address, "default", "a", dir.path())
            .await
            .unwrap();
        assert!(tethers.with(|h| h.any_held()));
        assert_eq!(tether.note.as_deref(), Some("no names"));
        tether.release().await;
        assert!(tethers.with(|h| !h.any_held() && h.is_open(&run())));
    }

    #[tokio::test]
    async fn a_driver_that_dies_closes_its_run() {
        let (tethers, address, dir) = served().await;
        let tether = Tether::hold(&address, "default", "a", dir.path())
            .await
            .unwrap();
        tethers.changed().await;
        drop(tether);
        tethers.changed().await;
        assert!(tethers.with(|h| !h.is_open(&run())));
    }

    #[tokio::test]
    async fn a_wrong_token_holds_nothing() {
        let (tethers, mut address, dir) = served().await;
        address.token = "guess".to_owned();
        assert!(
            Tether::hold(&address, "default", "a", dir.path())
                .await
                .is_err()
        );
        assert!(tethers.with(|h| !h.any_held()));
    }
}
