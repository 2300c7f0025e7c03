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
/// about this run is dropped here. Without the right to read events, that is said once.
fn events(conn: &Connection, scope: &Scope) -> LocalBoxStream<'static, Seen> {
    let target = Target {
        resource: Resource::Events,
        namespace: scope.namespace.clone(),
        selector: ("fieldSelector", "type=Warning".to_owned()),
        start: Start::Any,
    };
    let (prefix, since) = (format!("{}-", scope.jobset), scope.since);
    feed::<slim::Event>(conn, target)
        .scan(false, move |refused, change| {
            let seen = match change {
                _ if *refused => None,
                Change::Refused(failure) => {
                    *refused = true;
                    Some(Some(Seen::Warning(format!(
                        "events can't be read, so refused pods are not explained ({})",
                        failure.message
                    ))))
                }
                Change::Applied(event) if event.involved_object.name.starts_with(&prefix) => Some(
                    convert::notice(event)
                        .filter(|n| is_recent(n, since))
                        .map(Seen::Fact),
                ),
                _ => Some(None),
            };
            std::future::ready(seen)
        })
        .filter_map(std::future::ready)
        .boxed_local()
}

fn is_recent(notice: &Observation, since: Timestamp) -> bool {
    matches!(notice, Observation::Notice { at, .. } if *at >= since)
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
