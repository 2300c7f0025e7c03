//! A scripted source of logs, for tests: containers that write, end, restart and go away at given
//! moments of the runtime's (paused) clock, streams that break, servers that refuse.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use futures::io::{AsyncBufRead, AsyncRead};
use k8s_openapi::jiff::Timestamp;
use tokio::sync::watch;

use crate::logs::pod::{ContainerNow, PodNow, State};
use crate::logs::source::{LogSource, OpenError, OpenLog, Since};

/// A cluster of one namespace. Clones share it.
#[derive(Clone)]
pub(crate) struct Fake(Rc<RefCell<World>>);

struct World {
    pods: BTreeMap<String, PodNow>,
    /// Log per pod, container, instance: stamp and line (with its line end, or not).
    logs: BTreeMap<(String, String, u32), Vec<(Timestamp, String)>>,
    /// Answers of the next opens, in place of the logs.
    refusals: VecDeque<OpenError>,
    /// What is said in place of the log of a pod.
    gone: BTreeMap<String, String>,
    /// Cuts open streams.
    breaks: u64,
    /// How a cut looks: a clean end, or an error.
    clean: bool,
    pub(crate) opened: Vec<OpenLog>,
    changed: watch::Sender<u64>,
}

impl Fake {
    pub(crate) fn new() -> Self {
        Self(Rc::new(RefCell::new(World {
            pods: BTreeMap::new(),
            logs: BTreeMap::new(),
            refusals: VecDeque::new(),
            gone: BTreeMap::new(),
            breaks: 0,
            clean: false,
            opened: Vec::new(),
            changed: watch::channel(0).0,
        })))
    }

    fn change(&self, f: impl FnOnce(&mut World)) {
        let mut world = self.0.borrow_mut();
        f(&mut world);
        world.changed.send_modify(|n| *n += 1);
    }

    /// A pod is made; its container `main` waits.
    pub(crate) fn make(&self, pod: PodNow) {
        self.change(|w| {
            w.pods.insert(pod.name.clone(), pod);
        });
    }
    pub(crate) fn remove(&self, pod: &str) {
        self.change(|w| {
            w.pods.remove(pod);
        });
    }
    /// Changes the container `main`.
    pub(crate) fn main(&self, pod: &str, f: impl FnOnce(&mut ContainerNow)) {
        self.change(|w| f(&mut w.pods.get_mut(pod).unwrap().containers[0]));
    }
    pub(crate) fn runs(&self, pod: &str) {
        self.main(pod, |c| c.state = State::Running);
    }
    /// It ended for good.
    pub(crate) fn ends(&self, pod: &str, code: i32) {
        self.main(pod, |c| {
            c.state = State::Ended(code);
            c.over = true;
        });
    }
    /// It ended and was started again.
    pub(crate) fn restarts(&self, pod: &str, code: i32) {
        self.main(pod, |c| {
            c.instance += 1;
            c.last_exit = Some(code);
            c.state = State::Running;
        });
    }
    /// It writes `text` with its line end, stamped `second.nanos`.
    pub(crate) fn writes(&self, pod: &str, stamp: (i64, i32), text: &str) {
        self.writes_raw(pod, stamp, &format!("{text}\n"));
    }
    pub(crate) fn writes_raw(&self, pod: &str, (second, nanos): (i64, i32), text: &str) {
        self.change(|w| {
            let instance = w.pods[pod].containers[0].instance;
            w.logs
                .entry((pod.to_owned(), "main".to_owned(), instance))
                .or_default()
                .push((Timestamp::new(second, nanos).unwrap(), text.to_owned()));
        });
    }
    /// The kubelet rotates the file: what was written is not served any more.
    pub(crate) fn rotates(&self, pod: &str) {
        self.change(|w| {
            let instance = w.pods[pod].containers[0].instance;
            w.logs
                .remove(&(pod.to_owned(), "main".to_owned(), instance));
        });
    }
    /// The runtime removes the log; the kubelet says so in its place.
    pub(crate) fn removes_log(&self, pod: &str, sentence: &str) {
        self.change(|w| {
            w.gone.insert(pod.to_owned(), sentence.to_owned());
        });
    }
    /// All open streams are cut: by an error, or with a proper end.
    pub(crate) fn cuts(&self, clean: bool) {
        self.change(|w| {
            w.breaks += 1;
            w.clean = clean;
        });
    }
    /// The next open is refused.
    pub(crate) fn refuses(&self, error: OpenError) {
        self.change(|w| w.refusals.push_back(error));
    }
    pub(crate) fn opened(&self) -> Vec<OpenLog> {
        self.0.borrow().opened.clone()
    }
}

impl LogSource for Fake {
    type Reader = FakeReader;

    async fn open(&self, log: &OpenLog) -> Result<FakeReader, OpenError> {
        let mut world = self.0.borrow_mut();
        world.opened.push(log.clone());
        if let Some(error) = world.refusals.pop_front() {
            return Err(error);
        }
        let Some(pod) = world.pods.get(&log.pod) else {
            return Err(OpenError::Gone);
        };
        let container = &pod.containers[0];
        let instance = if log.previous {
            if container.last_exit.is_none() {
                return Err(OpenError::NotStarted("no previous".to_owned()));
            }
            container.instance - 1
        } else if container.readable() {
            container.instance
        } else {
            return Err(OpenError::NotStarted("waiting to start".to_owned()));
        };
        let key = (log.pod.clone(), log.container.clone(), instance);
        let lines = world.logs.get(&key).map_or(0, Vec::len);
        // As the kubelet: the tail is counted first, then lines are left out by their time.
        let tail = log.tail.map(|n| usize::try_from(n).unwrap());
        let begin = tail.map_or(0, |tail| lines.saturating_sub(tail));
        Ok(FakeReader {
            world: Rc::clone(&self.0),
            key,
            uid: world.pods[&log.pod].uid.clone(),
            at: begin,
            since: match log.since {
                Some(Since::Time(time)) => Timestamp::from_second(time.as_second()).unwrap(),
                _ => Timestamp::MIN,
            },
            follow: log.follow && !log.previous,
            breaks: world.breaks,
            buffer: Vec::new(),
            gone: world.gone.get(&log.pod).cloned(),
            changes: Box::pin(changes(world.changed.subscribe())),
        })
    }

    async fn pod(&self, name: &str) -> Result<Option<PodNow>, OpenError> {
        Ok(self.0.borrow().pods.get(name).cloned())
    }
}

async fn changes(mut receiver: watch::Receiver<u64>) -> watch::Receiver<u64> {
    let _ = receiver.changed().await;
    receiver
}

/// An open stream.
pub(crate) struct FakeReader {
    world: Rc<RefCell<World>>,
    key: (String, String, u32),
    uid: String,
    at: usize,
    since: Timestamp,
    follow: bool,
    breaks: u64,
    buffer: Vec<u8>,
    gone: Option<String>,
    changes: Pin<Box<dyn Future<Output = watch::Receiver<u64>>>>,
}

impl AsyncBufRead for FakeReader {
    fn poll_fill_buf(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
        let this = self.get_mut();
        loop {
            if !this.buffer.is_empty() {
                return Poll::Ready(Ok(&this.buffer));
            }
            if let Some(sentence) = this.gone.take() {
                this.buffer = sentence.into_bytes();
                this.at = usize::MAX;
                this.follow = false;
                continue;
            }
            let world = this.world.borrow();
            let lines = world.logs.get(&this.key).map_or(&[][..], Vec::as_slice);
            if world.breaks != this.breaks {
                return Poll::Ready(if world.clean {
                    Ok(&[])
                } else {
                    Err(io::ErrorKind::ConnectionReset.into())
                });
            }
            if let Some((time, text)) = lines.get(this.at) {
                this.at += 1;
                if *time >= this.since {
                    this.buffer = format!("{time} {text}").into_bytes();
                }
                continue;
            }
            let there = world.pods.get(&this.key.0).is_some_and(|pod| {
                pod.uid == this.uid && {
                    let c = &pod.containers[0];
                    c.state == State::Running && c.instance == this.key.2
                }
            });
            if !this.follow || !there {
                return Poll::Ready(Ok(&[]));
            }
            drop(world);
            match this.changes.as_mut().poll(cx) {
                Poll::Ready(receiver) => this.changes = Box::pin(changes(receiver)),
                Poll::Pending => return Poll::Pending,
            }
        }
    }

    fn consume(self: Pin<&mut Self>, amt: usize) {
        self.get_mut().buffer.drain(..amt);
    }
}

impl AsyncRead for FakeReader {
    fn poll_read(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        _: &mut [u8],
    ) -> Poll<io::Result<usize>> {
        Poll::Ready(Err(io::ErrorKind::Unsupported.into()))
    }
}
