//! Everything that is seen of one run: its Jobs, pods and Service, Warning events about them, contact.

use futures::StreamExt as _;
use futures::stream::{self, LocalBoxStream};
use k8s_openapi::jiff::Timestamp;

use crate::api::names;
use crate::driver::kube::client::Connection;
use crate::driver::kube::contact;
use crate::driver::kube::convert;
use crate::driver::kube::feed::{Change, Start, Target, feed};
use crate::driver::kube::resource::Resource;
use crate::driver::kube::slim::{self, Meta};
use crate::driver::port::Seen;
use crate::engine::input::Observation;

/// Which run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// Namespace.
    pub namespace: String,
    /// JobSet name.
    pub jobset: String,
    /// UID of its record.
    pub uid: String,
    /// When the record was made: older events are about another run of that name.
    pub since: Timestamp,
    /// Name of the headless Service, if the run has one.
    pub service: Option<String>,
    /// The record has just been made, and nothing of the run yet.
    pub new: bool,
}

/// Watches a run: first a complete list of Jobs and one of pods (of a new run the empty one, without
/// asking for it), then each change; after a gap a complete list again. Endless.
pub fn watch_run(conn: &Connection, scope: &Scope) -> LocalBoxStream<'static, Seen> {
    let mut all = vec![
        jobs(conn, scope),
        pods(conn, scope),
        events(conn, scope),
        told(conn),
    ];
    if let Some(service) = &scope.service {
        all.push(services(conn, scope, service));
    }
    stream::select_all(all).boxed_local()
}

fn by_run(scope: &Scope, resource: Resource) -> Target {
    let selector = (
        "labelSelector",
        format!("{}={}", names::JOBSET_UID, scope.uid),
    );
    let namespace = scope.namespace.clone();
    Target {
        resource,
        namespace,
        selector,
        start: start(scope),
    }
}

/// Where a feed of the run's own objects begins.
fn start(scope: &Scope) -> Start {
    if scope.new { Start::New } else { Start::List }
}

/// What refusals and their end look like; `None` for a change that carries objects.
fn refusal<T>(change: &Change<T>) -> Option<Seen> {
    match change {
        Change::Refused(failure) => Some(Seen::Lost(failure.to_string())),
        Change::Allowed => Some(Seen::Back),
        Change::Listed(_) | Change::Applied(_) | Change::Deleted(_) => None,
    }
}

fn jobs(conn: &Connection, scope: &Scope) -> LocalBoxStream<'static, Seen> {
    feed::<slim::Job>(conn, by_run(scope, Resource::Jobs))
        .filter_map(|change| async {
            if let Some(seen) = refusal(&change) {
                return Some(seen);
            }
            Some(Seen::Fact(match change {
                Change::Listed(all) => {
                    Observation::JobsListed(all.into_iter().filter_map(convert::job).collect())
                }
                Change::Applied(job) => Observation::Job(convert::job(job)?),
                Change::Deleted(job) => {
                    let (name, uid) = key(job.metadata);
                    Observation::JobGone { name, uid }
                }
                Change::Refused(_) | Change::Allowed => return None,
            }))
        })
        .boxed_local()
}

fn pods(conn: &Connection, scope: &Scope) -> LocalBoxStream<'static, Seen> {
    feed::<slim::Pod>(conn, by_run(scope, Resource::Pods))
        .filter_map(|change| async {
            if let Some(seen) = refusal(&change) {
                return Some(seen);
            }
            Some(Seen::Fact(match change {
                Change::Listed(all) => {
                    Observation::PodsListed(all.into_iter().filter_map(convert::pod).collect())
                }
                Change::Applied(pod) => Observation::Pod(convert::pod(pod)?),
                Change::Deleted(pod) => {
                    let (name, uid) = key(pod.metadata);
                    Observation::PodGone { name, uid }
                }
                Change::Refused(_) | Change::Allowed => return None,
            }))
        })
        .boxed_local()
}

fn key(meta: Meta) -> (String, String) {
    (meta.name, meta.uid)
}

/// Warnings of the whole namespace, as events can't be selected by a prefix of a name. What isn't
/// about this run is dropped here. Without the right to read events, that is said once; it is asked for
/// again, since a server that has just started refuses what it allows a moment later.
fn events(conn: &Connection, scope: &Scope) -> LocalBoxStream<'static, Seen> {
    let target = Target {
        resource: Resource::Events,
        namespace: scope.namespace.clone(),
        selector: ("fieldSelector", "type=Warning".to_owned()),
        start: Start::Any,
    };
    let (jobset, since) = (scope.jobset.clone(), scope.since);
    let mut told = Told::Nothing;
    feed::<slim::Event>(conn, target)
        .filter_map(move |change| {
            let seen = match change {
                Change::Refused(failure) if told == Told::Nothing => {
                    told = Told::Refused;
                    Some(Seen::Warning(format!(
                        "events can't be read, so refused pods are not explained ({})",
                        failure.message
                    )))
                }
                Change::Allowed if told == Told::Refused => {
                    told = Told::Allowed;
                    Some(Seen::Warning("events can be read again".to_owned()))
                }
                Change::Applied(event) => {
                    convert::notice_of_run(event, &jobset, since).map(Seen::Fact)
                }
                _ => None,
            };
            std::future::ready(seen)
        })
        .boxed_local()
}

/// What has been said about the right to read events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    Nothing,
    Refused,
    Allowed,
}

fn services(conn: &Connection, scope: &Scope, name: &str) -> LocalBoxStream<'static, Seen> {
    let target = Target {
        resource: Resource::Services,
        namespace: scope.namespace.clone(),
        selector: ("fieldSelector", format!("metadata.name={name}")),
        // Another one of that name may be on its way out: as none is ours, that is none.
        start: start(scope),
    };
    let uid = scope.uid.clone();
    feed::<slim::Bare>(conn, target)
        .filter_map(move |change| {
            let ours = |o: &slim::Bare| o.metadata.owner_references.iter().any(|r| r.uid == uid);
            let seen = refusal(&change).or_else(|| {
                let present = match &change {
                    Change::Listed(all) => all.iter().any(ours),
                    Change::Applied(service) => ours(service),
                    Change::Deleted(_) => false,
                    Change::Refused(_) | Change::Allowed => return None,
                };
                Some(Seen::Fact(Observation::Service { present }))
            });
            std::future::ready(seen)
        })
        .boxed_local()
}

/// Changes of contact, and warnings of the API server.
fn told(conn: &Connection) -> LocalBoxStream<'static, Seen> {
    let contact = conn.shared.contact.subscribe();
    stream::unfold(
        (conn.clone(), contact, Vec::new()),
        |(conn, mut contact, mut texts)| async {
            loop {
                if let Some(text) = texts.pop() {
                    return Some((Seen::Warning(text), (conn, contact, texts)));
                }
                tokio::select! {
                    biased;
                    changed = contact.changed() => changed.ok()?,
                    () = conn.shared.warned.notified() => {
                        texts = conn.take_warnings();
                        texts.reverse();
                        continue;
                    }
                }
                let state = contact.borrow_and_update().clone();
                let seen = match state {
                    contact::State::There => Seen::Back,
                    contact::State::Lost(message) => Seen::Lost(message),
                };
                return Some((seen, (conn, contact, texts)));
            }
        },
    )
    .boxed_local()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::driver::kube::fake::{Reply, server};

    fn scope() -> Scope {
        Scope {
            namespace: "ml".to_owned(),
            jobset: "train".to_owned(),
            uid: "run".to_owned(),
            since: "2026-12-01T09:00:00Z".parse().unwrap(),
            service: None,
            new: false,
        }
    }

    /// A server that has just started answers 403 for a moment. Without the right at all nothing more
    /// than the one warning is said.
    #[tokio::test(start_paused = true)]
    async fn a_refusal_of_events_is_told_once_and_asked_about_again() {
        let event = json!({"type": "ADDED", "object": {
            "metadata": {"name": "e", "resourceVersion": "7"},
            "involvedObject": {"kind": "Job", "name": "train-worker-0"},
            "type": "Warning", "reason": "FailedCreate", "message": "exceeded quota",
            "lastTimestamp": "2026-12-01T09:10:00Z",
        }});
        let (conn, calls) = server(move |n, _| match n {
            0..3 => Reply::status(403, "Forbidden"),
            3 => Reply::Lines {
                lines: vec![event.clone()],
                open: false,
            },
            4..6 => Reply::status(403, "Forbidden"),
            _ => Reply::Lines {
                lines: vec![event.clone()],
                open: true,
            },
        });
        let seen: Vec<_> = events(&conn, &scope()).take(4).collect().await;
        let kind = |seen: &Seen| match seen {
            Seen::Warning(text) => text.split(" (").next().unwrap_or_default().to_owned(),
            Seen::Fact(Observation::Notice { reason, .. }) => reason.clone(),
            other => panic!("{other:?}"),
        };
        assert_eq!(
            seen.iter().map(kind).collect::<Vec<_>>(),
            [
                "events can't be read, so refused pods are not explained",
                "events can be read again",
                "FailedCreate",
                "FailedCreate",
            ]
        );
        assert_eq!(calls.all().len(), 7);
    }
}
