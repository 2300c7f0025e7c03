//! The Lease `<name>-run`: who drives a run and when it last said so. A courtesy: it keeps people from
//! taking the seat by accident and lets `status` say that nobody drives. What keeps two drivers from
//! doing harm is the epoch in the record ([`crate::driver::record::Seat`]).
//!
//! Times in it are the server's, as far as we know them (the `Date` of its answers), so that drivers on
//! machines whose clocks differ agree on when a Lease has run out (trap D.9.5).

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use k8s_openapi::jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::api::names;
use crate::driver::clock;
use crate::driver::kube::client::lock;
use crate::driver::kube::retry::{BUSY, Backoff};
use crate::driver::kube::slim::Meta;
use crate::driver::kube::{Call, Connection, Failure, Resource, Trouble, list};
use crate::driver::port::LeaseAnswer;
use crate::driver::record::configmap;
use crate::engine::build::OwnerRef;
use crate::error::{Error, Kind, Result};

/// A driver that has not renewed for that long may be replaced: three renewals.
pub const DURATION_S: i64 = 30;
/// The server's clock is read in whole seconds, both when a Lease is written and when it is judged.
const SLACK: SignedDuration = SignedDuration::from_secs(2);
/// No holder that lives is silent for longer, whatever its clock says.
pub const LONGEST_SILENCE: SignedDuration = SignedDuration::from_secs(DURATION_S + SLACK.as_secs());
/// Pause between two looks at a Lease that is waited for.
const LOOK_AGAIN: Duration = Duration::from_secs(2);

/// A Lease as read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeaseSeen {
    /// Namespace.
    pub namespace: String,
    /// JobSet name.
    pub jobset: String,
    /// Who drives; none: given back.
    pub holder: Option<String>,
    /// When it last said so, by the server's clock.
    pub renewed: Option<Timestamp>,
    /// Whether the holder is to be taken as alive at the time of reading.
    pub live: bool,
    /// Time left until it counts as dead; zero if it does.
    pub expires_in: SignedDuration,
}

/// How a try to take the Lease went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Acquired {
    /// It is ours. `previous`: who had it before and did not give it back.
    Held {
        /// The holder before.
        previous: Option<LeaseSeen>,
    },
    /// Somebody drives.
    HeldBy(LeaseSeen),
}

/// How the wait for a holder's silence ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Silence {
    /// The Lease is not there, was given back, or has run out: it can be had.
    Free,
    /// Nothing was heard for a whole duration, though the Lease's own times say otherwise: it has to be
    /// taken over.
    Kept,
    /// It was renewed: somebody drives.
    Broken(LeaseSeen),
}

/// The Leases of a namespace.
#[derive(Debug)]
pub struct Leases {
    conn: Connection,
    namespace: String,
    /// Versions of the Leases that are ours: a renewal is one guarded write.
    versions: Mutex<BTreeMap<String, String>>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Lease {
    metadata: Meta,
    spec: Spec,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Spec {
    holder_identity: Option<String>,
    renew_time: Option<Timestamp>,
    lease_duration_seconds: Option<i64>,
    lease_transitions: Option<u64>,
}

/// The object to create.
#[must_use]
pub fn body(
    jobset: &str,
    namespace: &str,
    holder: &str,
    owner: &OwnerRef,
    now: Timestamp,
) -> Value {
    json!({
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {
            "name": names::record_name(jobset),
            "namespace": namespace,
            "labels": configmap::labels(jobset),
            "ownerReferences": [owner.to_json()],
        },
        "spec": {
            "holderIdentity": holder,
            "leaseDurationSeconds": DURATION_S,
            "acquireTime": micro(now),
            "renewTime": micro(now),
            "leaseTransitions": 0,
        },
    })
}

/// As the API wants it: exactly six digits.
fn micro(time: Timestamp) -> String {
    format!("{time:.6}")
}

impl Leases {
    /// The Leases of that namespace; calls are as patient as the connection.
    #[must_use]
    pub fn new(conn: &Connection, namespace: &str) -> Self {
        Self {
            conn: conn.clone(),
            namespace: namespace.to_owned(),
            versions: Mutex::default(),
        }
    }

    /// The Lease of that JobSet.
    ///
    /// # Errors
    ///
    /// No contact, no right.
    pub async fn read(&self, jobset: &str) -> Result<Option<LeaseSeen>> {
        let lease = self.get(jobset).await.map_err(|f| self.error(&f, jobset))?;
        Ok(lease.map(|lease| self.judge(&lease)))
    }

    /// All Leases of runs, of this or all namespaces.
    ///
    /// # Errors
    ///
    /// No contact, no right.
    pub async fn list(&self, all_namespaces: bool) -> Result<Vec<LeaseSeen>> {
        let namespace = (!all_namespaces).then_some(self.namespace.as_str());
        let call =
            Call::list(Resource::Leases, namespace).query("labelSelector", names::RECORD_LABEL);
        let listed = list::all::<Lease>(&self.conn, &call)
            .await
            .map_err(|failure| self.conn.error(&failure, "leases can't be listed"))?;
        Ok(listed.items.iter().map(|lease| self.judge(lease)).collect())
    }

    /// Takes the Lease if it is free: not there, given back, run out, or ours. `take_over`: even if it
    /// isn't.
    ///
    /// # Errors
    ///
    /// A Lease of that name that is no run's (kind `InTheWay`), no contact, no right.
    pub async fn acquire(
        &self,
        jobset: &str,
        holder: &str,
        owner: &OwnerRef,
        take_over: bool,
    ) -> Result<Acquired> {
        let mut backoff = Backoff::new(self.conn.patience);
        loop {
            let failure = match self.create(jobset, holder, owner).await {
                Ok(()) => return Ok(Acquired::Held { previous: None }),
                Err(failure) => failure,
            };
            let there = match failure.trouble {
                trouble if trouble == Trouble::AlreadyExists || trouble.unclear() => {
                    self.get(jobset).await.map_err(|f| self.error(&f, jobset))?
                }
                _ => None,
            };
            if let Some(lease) = there {
                if lease.metadata.labels.record.is_none() {
                    return Err(self.foreign(&lease));
                }
                let seen = self.judge(&lease);
                let ours = seen.holder.as_deref() == Some(holder);
                if seen.live && !ours && !take_over {
                    return Ok(Acquired::HeldBy(seen));
                }
                if self.take(jobset, holder, owner, &lease).await? {
                    let previous = Some(seen).filter(|s| s.holder.is_some() && !ours);
                    return Ok(Acquired::Held { previous });
                }
            }
            let again = match failure.trouble {
                Trouble::AlreadyExists | Trouble::Garbled => BUSY,
                other => other,
            };
            if !backoff.wait(again).await {
                return Err(self.error(&failure, jobset));
            }
        }
    }

    /// Waits until nobody can be driving, or somebody turns out to be: at most one duration. `waiting` is
    /// called once, if there is anything to wait for. Takes nothing, so it may be broken off at any time.
    ///
    /// Where clocks differ so much that the Lease doesn't say when it runs out, the wait itself is the judge.
    ///
    /// # Errors
    ///
    /// As [`Self::acquire`].
    pub async fn silence(&self, jobset: &str, waiting: impl FnOnce(&LeaseSeen)) -> Result<Silence> {
        let Some(first) = self.live_driver(jobset).await? else {
            return Ok(Silence::Free);
        };
        waiting(&first);
        let start = clock::instant();
        loop {
            clock::sleep_until(clock::instant().after(LOOK_AGAIN)).await;
            let Some(seen) = self.live_driver(jobset).await? else {
                return Ok(Silence::Free);
            };
            if (&first.holder, first.renewed) != (&seen.holder, seen.renewed) {
                return Ok(Silence::Broken(seen));
            }
            let waited = SignedDuration::try_from(start.elapsed()).unwrap_or(SignedDuration::MAX);
            if waited > LONGEST_SILENCE {
                return Ok(Silence::Kept);
            }
        }
    }

    /// The Lease, if somebody is to be taken as driving.
    async fn live_driver(&self, jobset: &str) -> Result<Option<LeaseSeen>> {
        let lease = self.get(jobset).await.map_err(|f| self.error(&f, jobset))?;
        let Some(lease) = lease else { return Ok(None) };
        if lease.metadata.labels.record.is_none() {
            return Err(self.foreign(&lease));
        }
        Ok(Some(self.judge(&lease)).filter(|seen| seen.live))
    }

    /// Says that we are still there. A Lease that has vanished is made again.
    pub async fn renew(&self, jobset: &str, holder: &str, owner: &OwnerRef) -> LeaseAnswer {
        let mut backoff = Backoff::new(self.conn.patience);
        loop {
            let version = lock(&self.versions).get(jobset).cloned();
            if let Some(version) = version {
                let spec = json!({"renewTime": micro(self.now())});
                match self.patch(jobset, &version, &json!({}), &spec).await {
                    Ok(()) => return LeaseAnswer::Held,
                    Err(failure) if failure.trouble == Trouble::Conflict => {}
                    Err(failure) if failure.trouble == Trouble::NotFound => {}
                    Err(failure) => {
                        if failure.trouble.unclear() {
                            lock(&self.versions).remove(jobset);
                        }
                        if backoff.wait(failure.trouble).await {
                            continue;
                        }
                        // Refused (a right was taken away): as for a Lease that can't be had, below.
                        return LeaseAnswer::HeldBy("<unknown>".to_owned());
                    }
                }
                lock(&self.versions).remove(jobset);
            }
            match self.acquire(jobset, holder, owner, false).await {
                Ok(Acquired::Held { .. }) => return LeaseAnswer::Held,
                Ok(Acquired::HeldBy(seen)) => {
                    return LeaseAnswer::HeldBy(seen.holder.unwrap_or_default());
                }
                // A Lease that can't be had (no right, a foreign one) is no reason to stop: the record
                // is asked instead.
                Err(_) => return LeaseAnswer::HeldBy("<unknown>".to_owned()),
            }
        }
    }

    /// Gives the Lease back, if it is ours. One try.
    pub async fn release(&self, jobset: &str, holder: &str) {
        let known = lock(&self.versions).remove(jobset);
        let version = match known {
            Some(version) => version,
            None => match self.get(jobset).await {
                Ok(Some(lease)) if lease.spec.holder_identity.as_deref() == Some(holder) => {
                    lease.metadata.resource_version
                }
                _ => return,
            },
        };
        let spec = json!({"holderIdentity": null, "renewTime": micro(self.now())});
        // If this fails, the Lease runs out by itself.
        self.patch(jobset, &version, &json!({}), &spec)
            .await
            .unwrap_or_default();
        lock(&self.versions).remove(jobset);
    }

    async fn create(
        &self,
        jobset: &str,
        holder: &str,
        owner: &OwnerRef,
    ) -> std::result::Result<(), Failure> {
        let body = body(jobset, &self.namespace, holder, owner, self.now());
        let name = names::record_name(jobset);
        let call = Call::create(Resource::Leases, Some(&self.namespace), Some(&name), &body);
        let made: Lease = self.conn.send_once(&call).await?.json()?;
        self.remember(jobset, made);
        Ok(())
    }

    /// False: somebody was quicker.
    async fn take(
        &self,
        jobset: &str,
        holder: &str,
        owner: &OwnerRef,
        lease: &Lease,
    ) -> Result<bool> {
        let now = micro(self.now());
        let metadata =
            json!({"labels": configmap::labels(jobset), "ownerReferences": [owner.to_json()]});
        let spec = json!({
            "holderIdentity": holder,
            "leaseDurationSeconds": DURATION_S,
            "acquireTime": now,
            "renewTime": now,
            "leaseTransitions": lease.spec.lease_transitions.unwrap_or(0) + 1,
        });
        match self
            .patch(jobset, &lease.metadata.resource_version, &metadata, &spec)
            .await
        {
            Ok(()) => Ok(true),
            Err(failure)
                if failure.trouble.passes()
                    || matches!(failure.trouble, Trouble::Conflict | Trouble::NotFound) =>
            {
                Ok(false)
            }
            Err(failure) => Err(self.error(&failure, jobset)),
        }
    }

    async fn patch(
        &self,
        jobset: &str,
        version: &str,
        metadata: &Value,
        spec: &Value,
    ) -> std::result::Result<(), Failure> {
        let mut metadata = metadata.clone();
        metadata["resourceVersion"] = version.into();
        let patch = json!({"metadata": metadata, "spec": spec});
        let name = names::record_name(jobset);
        let call = Call::patch(Resource::Leases, &self.namespace, &name, &patch);
        let lease: Lease = self.conn.send_once(&call).await?.json()?;
        self.remember(jobset, lease);
        Ok(())
    }

    fn remember(&self, jobset: &str, lease: Lease) {
        lock(&self.versions).insert(jobset.to_owned(), lease.metadata.resource_version);
    }

    async fn get(&self, jobset: &str) -> std::result::Result<Option<Lease>, Failure> {
        let name = names::record_name(jobset);
        match self
            .conn
            .send(&Call::get(Resource::Leases, &self.namespace, &name))
            .await
        {
            Ok(answer) => answer.json().map(Some),
            Err(failure) if failure.trouble == Trouble::NotFound => Ok(None),
            Err(failure) => Err(failure),
        }
    }

    fn now(&self) -> Timestamp {
        self.conn.server_now().unwrap_or_else(clock::now)
    }

    fn judge(&self, lease: &Lease) -> LeaseSeen {
        let holder = lease.spec.holder_identity.clone().filter(|h| !h.is_empty());
        let renewed = lease.spec.renew_time;
        let duration = lease.spec.lease_duration_seconds.unwrap_or(DURATION_S);
        let left = match (&holder, renewed) {
            (Some(_), Some(renewed)) => {
                SignedDuration::from_secs(duration) + SLACK - self.now().duration_since(renewed)
            }
            _ => SignedDuration::ZERO,
        };
        let expires_in = left.max(SignedDuration::ZERO);
        LeaseSeen {
            namespace: lease.metadata.namespace.clone(),
            jobset: lease
                .metadata
                .labels
                .jobset_name
                .clone()
                .unwrap_or_default(),
            live: !expires_in.is_zero(),
            holder,
            renewed,
            expires_in,
        }
    }

    fn foreign(&self, lease: &Lease) -> Error {
        let owner = lease
            .metadata
            .controller()
            .map(|o| format!(", its owner is {o}"));
        Error::new(
            Kind::InTheWay,
            format!(
                "lease/{} in namespace {} is not one of a run{}",
                lease.metadata.name,
                self.namespace,
                owner.unwrap_or_default()
            ),
        )
    }

    fn error(&self, failure: &Failure, jobset: &str) -> Error {
        let lease = names::record_name(jobset);
        self.conn
            .error(failure, &format!("lease/{lease} can't be used"))
    }
}

#[cfg(test)]
#[path = "lease_tests.rs"]
mod tests;
