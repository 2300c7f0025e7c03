//! Watches, event by event.

use std::collections::VecDeque;
use std::time::Duration;

use http::Request;
use http_body_util::BodyExt as _;
use kube::client::Body;
use serde_json::Value;

use crate::reply::text;
use crate::server::{Server, query};

/// Longest wait for anything: what takes longer does not come. The longest that a controller takes
/// by design in these checks are back-offs of 10 s, on a machine that does other things as well.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// One line of a watch.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) kind: String,
    pub(crate) object: Value,
}

impl Event {
    pub(crate) fn name(&self) -> String {
        text(&self.object, "/metadata/name")
    }

    /// `ADDED a`.
    pub(crate) fn brief(&self) -> String {
        format!("{} {}", self.kind, self.name())
    }
}

/// An open watch.
pub(crate) struct Watch {
    pub(crate) code: u16,
    body: Body,
    bytes: Vec<u8>,
    ready: VecDeque<Event>,
    path: String,
}

impl Server {
    /// Opens a watch on a collection.
    pub(crate) async fn watch(&self, path: &str, parameters: &[(&str, &str)]) -> Watch {
        let mut all = vec![("watch", "true")];
        all.extend(parameters);
        let path = query(path, &all);
        let request = Request::get(&path)
            .header("accept-encoding", "identity")
            .body(Body::empty())
            .unwrap();
        let response = self.clients.used.send(request).await.unwrap();
        Watch {
            code: response.status().as_u16(),
            body: response.into_body(),
            bytes: Vec::new(),
            ready: VecDeque::new(),
            path,
        }
    }
}

impl Watch {
    /// The next event; none when the server has ended the watch.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            let frame = tokio::time::timeout(PATIENCE, self.body.frame())
                .await
                .unwrap_or_else(|_| panic!("nothing more from {}", self.path))?;
            if let Ok(data) = frame.unwrap().into_data() {
                self.bytes.extend_from_slice(&data);
                self.split();
            }
        }
    }

    fn split(&mut self) {
        while let Some(end) = self.bytes.iter().position(|b| *b == b'\n') {
            let line: Vec<u8> = self.bytes.drain(..=end).collect();
            let mut value: Value = serde_json::from_slice(&line).unwrap();
            self.ready.push_back(Event {
                kind: text(&value, "/type"),
                object: value["object"].take(),
            });
        }
    }

    /// Events up to and with the first of which `last` is true.
    pub(crate) async fn until(&mut self, last: impl Fn(&Event) -> bool) -> Vec<Event> {
        let mut seen = Vec::new();
        loop {
            let Some(event) = self.next().await else {
                panic!("{} ended before its time: {seen:#?}", self.path);
            };
            let done = last(&event);
            seen.push(event);
            if done {
                return seen;
            }
        }
    }

    /// The next so many events.
    pub(crate) async fn take(&mut self, count: usize) -> Vec<Event> {
        let mut seen = Vec::new();
        while seen.len() < count {
            let Some(event) = self.next().await else {
                break;
            };
            seen.push(event);
        }
        seen
    }

    /// All events until the server ends the watch.
    pub(crate) async fn rest(&mut self) -> Vec<Event> {
        self.take(usize::MAX).await
    }
}

/// Events as `TYPE name`.
pub(crate) fn brief(events: &[Event]) -> Vec<String> {
    events.iter().map(Event::brief).collect()
}
