//! An observer beside both clients: when the Jobs of a namespace were seen to go, and when Job 0 was
//! seen to fail. It costs both the same.

use std::sync::{Arc, Mutex};

use futures::stream::{self, Stream};
use futures::{StreamExt as _, TryStreamExt as _};
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::jiff::Timestamp;
use kube::Client;
use kube::api::{Api, ListParams, WatchEvent, WatchParams};

use crate::Res;

#[derive(Clone, Debug, Default)]
struct Sight {
    gone: usize,
    last_gone: Option<Timestamp>,
    failed: Option<Timestamp>,
}

#[derive(Debug)]
pub(crate) struct Eyes {
    sight: Arc<Mutex<Sight>>,
    changed: Arc<tokio::sync::Notify>,
    tasks: Vec<tokio::task::JoinHandle<()>>,
}

impl Drop for Eyes {
    fn drop(&mut self) {
        self.tasks.iter().for_each(tokio::task::JoinHandle::abort);
    }
}

impl Eyes {
    /// Opens them; what happens from now on is seen.
    pub(crate) async fn open(client: &Client, namespace: &str) -> Res<Self> {
        let jobs: Api<Job> = Api::namespaced(client.clone(), namespace);
        let sight = Arc::new(Mutex::new(Sight::default()));
        let changed = Arc::new(tokio::sync::Notify::new());
        let now = jobs.list_metadata(&ListParams::default().limit(1)).await?;
        let version = now.metadata.resource_version.unwrap_or_default();

        let (seen, bell) = (Arc::clone(&sight), Arc::clone(&changed));
        let all = follow(jobs.clone(), WatchParams::default(), version.clone()).await?;
        let going = tokio::spawn(all.for_each(move |event| {
            if matches!(event, WatchEvent::Deleted(_)) {
                let mut sight = seen.lock().expect("nobody panics with it");
                sight.gone += 1;
                sight.last_gone = Some(Timestamp::now());
                bell.notify_one();
            }
            std::future::ready(())
        }));

        let one = WatchParams::default().fields("metadata.name=b-w-0");
        let seen = Arc::clone(&sight);
        let first = follow(jobs, one, version).await?;
        let failing = tokio::spawn(first.for_each(move |event| {
            if let WatchEvent::Modified(job) = event
                && has_failed(&job)
            {
                let mut sight = seen.lock().expect("nobody panics with it");
                sight.failed.get_or_insert_with(Timestamp::now);
            }
            std::future::ready(())
        }));
        Ok(Self {
            sight,
            changed,
            tasks: vec![going, failing],
        })
    }

    /// Forgets what was seen.
    pub(crate) fn blink(&self) {
        *self.sight.lock().expect("nobody panics with it") = Sight::default();
    }

    fn sight(&self) -> Sight {
        self.sight.lock().expect("nobody panics with it").clone()
    }

    /// Waits until so many Jobs have gone; gives when the last of them went.
    pub(crate) async fn gone(&self, n: usize) -> Res<Timestamp> {
        while self.sight().gone < n {
            self.changed.notified().await;
        }
        Ok(self.sight().last_gone.ok_or("nothing has gone")?)
    }

    /// When Job 0 was seen with the condition FailureTarget.
    pub(crate) fn failed(&self) -> Option<Timestamp> {
        self.sight().failed
    }
}

/// What happens to Jobs from that version on. A server that is in a hurry ends the watch of whoever does
/// not keep up: it goes on where it was. The first one is open when this returns.
async fn follow(
    jobs: Api<Job>,
    params: WatchParams,
    version: String,
) -> Res<impl Stream<Item = WatchEvent<Job>>> {
    let open = jobs.watch(&params, &version).await?.boxed();
    let state = (jobs, params, version, Some(open));
    Ok(stream::unfold(
        state,
        |(jobs, params, mut version, mut open)| async move {
            loop {
                let mut events = match open.take() {
                    Some(events) => events,
                    None => jobs.watch(&params, &version).await.ok()?.boxed(),
                };
                let Ok(Some(event)) = events.try_next().await else {
                    continue;
                };
                match &event {
                    WatchEvent::Added(job)
                    | WatchEvent::Modified(job)
                    | WatchEvent::Deleted(job) => {
                        version = job.metadata.resource_version.clone().unwrap_or_default();
                    }
                    WatchEvent::Bookmark(mark) => {
                        version.clone_from(&mark.metadata.resource_version);
                    }
                    WatchEvent::Error(_) => return None,
                }
                return Some((event, (jobs, params, version, Some(events))));
            }
        },
    ))
}

fn has_failed(job: &Job) -> bool {
    let conditions = job.status.as_ref().and_then(|s| s.conditions.as_ref());
    conditions
        .into_iter()
        .flatten()
        .any(|c| c.type_ == "FailureTarget" && c.status == "True")
}
