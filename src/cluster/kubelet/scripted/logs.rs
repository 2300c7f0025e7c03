//! Reading what scripted pods have printed, as a pod's `/log` answers.

use k8s_openapi::jiff::Timestamp;

use super::log::Log;
use super::state::{Held, Run, Stage};
use crate::cluster::api::Status;
use crate::cluster::object::Kind;
use crate::cluster::store::Key;
use crate::cluster::world::World;

/// The parameters of `/log`; `sinceSeconds` as a time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogOptions {
    /// The run of the container before this one.
    pub previous: bool,
    /// The last lines only.
    pub tail: Option<usize>,
    /// Lines of that time and later.
    pub since: Option<Timestamp>,
    /// Each line begins with its time.
    pub timestamps: bool,
    /// That many bytes at most.
    pub limit: Option<usize>,
    /// Go on behind what was read before: `tail` and `previous` are of no account then, `limit` is what is
    /// left of it.
    pub after: Option<LogCursor>,
}

/// How far somebody has read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogCursor {
    pod: String,
    container: String,
    run: i32,
    lines: usize,
}

/// A piece of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogPage {
    /// Text; each line ends with a line feed, but for the limit.
    pub text: String,
    /// Where the next piece begins.
    pub cursor: LogCursor,
    /// The container has ended: nothing more will come.
    pub complete: bool,
    /// When the next line comes, if that is known.
    pub next: Option<Timestamp>,
}

impl World {
    /// Whether a pod is played by a script here.
    #[must_use]
    pub fn is_scripted(&self, namespace: &str, pod: &str) -> bool {
        let key = Key::new(Kind::Pod, namespace, pod);
        let object = self.store.get(&key);
        object.is_some_and(|o| self.kubelets.pods.contains_key(o.uid()))
    }

    /// What a container of a scripted pod has printed; without a name, its only one.
    ///
    /// # Errors
    /// There is no such pod, container or run of it, in the words of the API.
    pub fn logs(
        &self,
        namespace: &str,
        pod: &str,
        container: Option<&str>,
        options: &LogOptions,
    ) -> Result<LogPage, Status> {
        let object = self
            .store
            .get(&Key::new(Kind::Pod, namespace, pod))
            .ok_or_else(|| Status::not_found(Kind::Pod, pod))?;
        let uid = object.uid();
        let run = self.kubelets.pods.get(uid);
        let name = match container {
            Some(name) => name.to_owned(),
            None => only_container(object.as_pod(), pod)?,
        };
        let waits = |reason: &str| {
            Status::bad_request(format!(
                "container \"{name}\" in pod \"{pod}\" is waiting to start: {reason}"
            ))
        };
        let known = object
            .as_pod()
            .and_then(|p| p.spec.as_ref())
            .is_some_and(|spec| {
                let init = spec.init_containers.iter().flatten();
                spec.containers.iter().chain(init).any(|c| c.name == name)
            });
        if !known {
            return Err(Status::bad_request(format!(
                "container {name} is not valid for pod {pod}"
            )));
        }
        let Some(held) = run.and_then(|run| find(run, &name)) else {
            return Err(waits("ContainerCreating"));
        };
        if let Some(cursor) = &options.after {
            return Ok(self.go_on(held, cursor, options));
        }
        let (log, number) = choose(held, options.previous).map_err(|none| match none {
            None => Status::bad_request(format!(
                "previous terminated container \"{name}\" in pod \"{pod}\" not found"
            )),
            Some(reason) => waits(&reason),
        })?;
        let start = LogCursor {
            pod: uid.to_owned(),
            container: name.clone(),
            run: number,
            lines: 0,
        };
        let there = log.printed(self.now()).len();
        let from = options.tail.map_or(0, |tail| there.saturating_sub(tail));
        Ok(self.page(
            log,
            LogCursor {
                lines: from,
                ..start
            },
            options,
        ))
    }

    fn go_on(&self, held: &Held, cursor: &LogCursor, options: &LogOptions) -> LogPage {
        let current = held.log.as_ref().filter(|_| cursor.run == held.restarts);
        let previous = held
            .previous_log
            .as_ref()
            .filter(|_| cursor.run + 1 == held.restarts);
        match current.or(previous) {
            Some(log) => self.page(log, cursor.clone(), options),
            // That run is long gone.
            None => LogPage {
                text: String::new(),
                cursor: cursor.clone(),
                complete: true,
                next: None,
            },
        }
    }

    fn page(&self, log: &Log, from: LogCursor, options: &LogOptions) -> LogPage {
        let now = self.now();
        let printed = log.printed(now);
        let lines = printed.len();
        let mut text = String::new();
        for (at, line) in printed.skip(from.lines) {
            if options.since.is_some_and(|since| at < since) {
                continue;
            }
            if options.timestamps {
                text.push_str(&format!("{at:.9} "));
            }
            text.push_str(line);
            text.push('\n');
        }
        let full = options.limit.is_some_and(|limit| text.len() >= limit);
        if let Some(limit) = options.limit.filter(|limit| text.len() > *limit) {
            let mut end = limit;
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            text.truncate(end);
        }
        LogPage {
            text,
            complete: log.complete() || full,
            next: if full { None } else { log.next(now) },
            cursor: LogCursor { lines, ..from },
        }
    }
}

fn find<'a>(run: &'a Run, name: &str) -> Option<&'a Held> {
    run.all().find(|c| c.name == name)
}

/// The log that is meant and the number of its run; else why it waits, or nothing where no earlier run is.
fn choose(held: &Held, previous: bool) -> Result<(&Log, i32), Option<String>> {
    let waiting = match &held.stage {
        Stage::Waiting { reason, .. } => Some(reason),
        _ => None,
    };
    let log = match (waiting, previous) {
        // While it waits to be started again, the run that has ended is the current and the previous one.
        (Some(_), _) if held.last.is_some() => held.log.as_ref().map(|log| (log, held.restarts)),
        (_, true) => held
            .previous_log
            .as_ref()
            .map(|log| (log, held.restarts - 1)),
        (None, false) => held.log.as_ref().map(|log| (log, held.restarts)),
        (Some(reason), false) => return Err(Some(reason.clone())),
    };
    log.ok_or(None)
}

fn only_container(
    pod: Option<&k8s_openapi::api::core::v1::Pod>,
    name: &str,
) -> Result<String, Status> {
    let containers = pod
        .and_then(|p| p.spec.as_ref())
        .map(|s| s.containers.as_slice())
        .unwrap_or_default();
    if let [only] = containers {
        return Ok(only.name.clone());
    }
    let names: Vec<&str> = containers.iter().map(|c| c.name.as_str()).collect();
    Err(Status::bad_request(format!(
        "a container name must be specified for pod {name}, choose one of: [{}]",
        names.join(" ")
    )))
}
