//! The Job controller and the garbage collector, as far as the recorded cases need them.

use k8s_openapi::jiff::{SignedDuration, Timestamp};
use kubectl_jobset::engine::Observation;
use kubectl_jobset::engine::input::{JobEnd, PodPhase};

use super::job::{Counts, Job};
use super::pod::Pod;
use super::verdict::{self, PodVerdict};
use super::world::{Due, World};

/// First back-off of the Job controller after a failed pod; it doubles with each.
const BACKOFF: SignedDuration = SignedDuration::from_secs(10);
/// Largest exponent of the back-off: 10 s doubled six times is past its 10 minutes.
const BACKOFF_DOUBLINGS: u32 = 6;
/// The controller's own next look at a Job that it has just changed.
const NEXT_LOOK: SignedDuration = SignedDuration::from_millis(50);
/// Between two attempts to create pods that admission refuses.
const RETRY: SignedDuration = SignedDuration::from_secs(10);

impl World {
    /// One look of the Job controller at a Job.
    pub(crate) fn sync_job(&mut self, uid: &str) {
        let Some(name) = self
            .jobs
            .values()
            .find(|j| j.uid == uid)
            .map(|j| j.name.clone())
        else {
            return;
        };
        let mut job = self.jobs.remove(&name).unwrap();
        let before = job.seen();
        if job.deleting_since.is_none() && !job.ended() && !job.foreign {
            self.sync_live(&mut job);
        }
        let changed = job.seen() != before;
        self.jobs.insert(name.clone(), job);
        if changed {
            self.tell_job(&name);
        }
    }

    fn sync_live(&mut self, job: &mut Job) {
        let new_failure = self.count_ends(job);
        if !job.ending() {
            if !job.suspend {
                self.start(job);
            }
            self.judge(job, new_failure);
        }
        if job.ending() {
            self.delete_running(job, false);
            self.end(job);
        } else if job.suspend {
            job.suspended = true;
            self.delete_running(job, true);
        } else {
            self.create_pods(job);
        }
        let counts = self.running_counts(job);
        job.counts = Counts {
            succeeded: job.counts.succeeded,
            failed: job.counts.failed,
            ..counts
        };
    }

    /// Decides the Job's end, if it is time; also of a suspended one, whose pods had ended before.
    fn judge(&mut self, job: &mut Job, new_failure: bool) {
        let now = self.now;
        let restarts = self.pods_of(job).map(|p| p.restarts).sum();
        let running = u32::try_from(self.pods_of(job).filter(|p| !p.ended()).count()).unwrap();
        job.failure_target = verdict::failure(job, new_failure, restarts, now);
        if job.failure_target.is_none() {
            job.success_criteria = verdict::success(job, running, now);
        }
    }

    /// Complete or Failed, when the pods have ended; not in the look that decided it.
    fn end(&mut self, job: &mut Job) {
        let now = self.now;
        let decided = job
            .failure_target
            .as_ref()
            .or(job.success_criteria.as_ref());
        if decided.is_some_and(|e| e.at == now) {
            self.after(NEXT_LOOK, Due::Sync(job.uid.clone()));
            return;
        }
        if !self.pods_of(job).all(Pod::ended) {
            return;
        }
        job.failed_condition = job.failure_target.clone().map(|e| JobEnd { at: now, ..e });
        job.complete = job
            .success_criteria
            .clone()
            .map(|e| JobEnd { at: now, ..e });
        let label = job.label();
        let ends = [
            ("failed", &job.failed_condition),
            ("complete", &job.complete),
        ];
        for (word, end) in ends
            .into_iter()
            .filter_map(|(w, e)| e.as_ref().map(|e| (w, e)))
        {
            self.history
                .push(format!("(job {word} {label} reason={})", end.reason));
        }
    }

    /// Sets `startTime` on the first look and on the first after a suspension.
    fn start(&mut self, job: &mut Job) {
        if job.started.is_none() || job.suspended {
            job.started = Some(self.now);
            job.suspended = false;
            if let Some(s) = job.spec.active_deadline_s {
                self.after(SignedDuration::from_secs(s), Due::Sync(job.uid.clone()));
            }
        }
    }

    /// Counts pods that have ended since the last look. True: one of them as a failure.
    fn count_ends(&mut self, job: &mut Job) -> bool {
        let mut failure = false;
        let (namespace, uid) = (self.namespace.clone(), job.uid.clone());
        for pod in self
            .pods
            .values_mut()
            .filter(|p| p.job_uid == uid && !p.counted)
        {
            let terminating =
                pod.deleting.is_some() && !job.spec.replace_only_failed && !pod.by_suspend;
            if pod.phase == PodPhase::Succeeded {
                pod.counted = true;
                match pod.index.filter(|_| job.spec.indexed) {
                    Some(i) => {
                        job.succeeded_indexes.insert(i);
                        job.counts.succeeded = u32::try_from(job.succeeded_indexes.len()).unwrap();
                    }
                    None => job.counts.succeeded += 1,
                }
            } else if pod.phase == PodPhase::Failed || terminating {
                pod.counted = true;
                let verdict = verdict::of_pod(job, pod, &namespace);
                if verdict != PodVerdict::Ignore {
                    failure = true;
                    job.counts.failed += 1;
                }
                if !job.ending() {
                    count_failure(job, pod, verdict, self.now);
                }
            }
        }
        failure
    }

    fn pods_of(&self, job: &Job) -> impl Iterator<Item = &Pod> {
        self.pods.values().filter(|p| p.job_uid == job.uid)
    }

    fn running_counts(&self, job: &Job) -> Counts {
        let mut counts = Counts::default();
        for pod in self.pods_of(job).filter(|p| !p.ended()) {
            if pod.deleting.is_some() {
                counts.terminating += 1;
            } else {
                counts.active += 1;
                counts.ready += u32::from(pod.ready);
            }
        }
        counts
    }

    fn delete_running(&mut self, job: &Job, by_suspend: bool) {
        let running: Vec<String> = self
            .pods_of(job)
            .filter(|p| p.live())
            .map(|p| p.uid.clone())
            .collect();
        for uid in running {
            self.delete_pod(&uid, by_suspend);
        }
    }

    fn create_pods(&mut self, job: &mut Job) {
        let standing: Vec<&Pod> = self
            .pods_of(job)
            .filter(|p| !p.ended() && (p.deleting.is_none() || job.spec.replace_only_failed))
            .collect();
        let room = usize::try_from(job.spec.parallelism)
            .unwrap()
            .saturating_sub(standing.len());
        let indexes: Vec<Option<u32>> = if job.spec.indexed {
            (0..job.spec.completions.unwrap_or(0))
                .filter(|i| !job.succeeded_indexes.contains(i) && !job.failed_indexes.contains(i))
                .filter(|i| standing.iter().all(|p| p.index != Some(*i)))
                .map(Some)
                .collect()
        } else {
            let wanted = match job.spec.completions {
                Some(n) => usize::try_from(n.saturating_sub(job.counts.succeeded))
                    .unwrap()
                    .saturating_sub(standing.len()),
                None if job.counts.succeeded > 0 => 0,
                None => room,
            };
            vec![None; wanted]
        };
        let missing: Vec<Option<u32>> = indexes.into_iter().take(room).collect();
        if missing.is_empty() {
            return;
        }
        if let Some(at) = job.next_pod_at.filter(|t| *t > self.now) {
            self.after(at.duration_since(self.now), Due::Sync(job.uid.clone()));
            return;
        }
        if let Some(message) = self.rules.quota.clone() {
            let (object, reason, at) = (job.name.clone(), "FailedCreate".to_owned(), self.now);
            self.other_watch.push(
                at + self.pace.watch,
                Observation::Notice {
                    object,
                    reason,
                    message,
                    at,
                },
            );
            self.after(RETRY, Due::Sync(job.uid.clone()));
            return;
        }
        for index in missing {
            let serial = self.serial();
            let mut pod = Pod::new(job, index, serial, self.now);
            if let Some(change) = &self.rules.new_pods {
                pod.change(change, self.now);
            }
            let uid = pod.uid.clone();
            self.pods.insert(uid.clone(), pod);
            self.tell_pod(&uid);
        }
    }

    /// The kubelet has ended a deleted pod: it is gone unless something holds it, and with the last
    /// pod of a Job that is being deleted goes the Job.
    pub(crate) fn pod_ends(&mut self, uid: &str) {
        let held = self
            .pods
            .get(uid)
            .and_then(|p| p.deleting)
            .is_some_and(|d| d.held_by_finalizer);
        if held {
            return;
        }
        let Some(pod) = self.pods.remove(uid) else {
            return;
        };
        let due = self.now + self.pace.watch;
        self.pod_watch.push(
            due,
            Observation::PodGone {
                name: pod.name.clone(),
                uid: uid.to_owned(),
            },
        );
        self.after(NEXT_LOOK, Due::Sync(pod.job_uid.clone()));
        self.collect(&pod.job_uid);
    }

    /// The garbage collector: pods of a Job in foreground deletion first, then the Job.
    pub(crate) fn collect(&mut self, job_uid: &str) {
        let Some(name) = self
            .jobs
            .values()
            .find(|j| j.uid == job_uid && j.deleting_since.is_some())
            .map(|j| j.name.clone())
        else {
            return;
        };
        let pods: Vec<String> = self
            .pods
            .values()
            .filter(|p| p.job_uid == job_uid)
            .map(|p| p.uid.clone())
            .collect();
        for uid in &pods {
            self.delete_pod(uid, false);
        }
        if pods.is_empty() {
            let job = self.jobs.remove(&name).unwrap();
            self.history.push(format!("job gone {}", job.label()));
            let due = self.now + self.pace.watch;
            self.job_watch.push(
                due,
                Observation::JobGone {
                    name,
                    uid: job_uid.to_owned(),
                },
            );
        }
    }
}

/// What one failed pod means for its Job, beyond the count.
fn count_failure(job: &mut Job, pod: &Pod, verdict: PodVerdict, now: Timestamp) {
    match verdict {
        PodVerdict::FailJob(message) => {
            if job.failure_target.is_none() {
                let reason = "PodFailurePolicy".to_owned();
                job.failure_target = Some(JobEnd {
                    at: now,
                    reason,
                    message,
                });
            }
        }
        PodVerdict::FailIndex => {
            job.failed_indexes.extend(pod.index);
        }
        PodVerdict::Ignore => {}
        PodVerdict::Count => {
            if let Some((limit, index)) = job.spec.backoff_limit_per_index.zip(pod.index) {
                let failures = job.failures_by_index.entry(index).or_default();
                *failures += 1;
                if *failures > limit {
                    job.failed_indexes.insert(index);
                }
            }
            if pod.phase == PodPhase::Failed {
                let doublings = job.counts.failed.saturating_sub(1).min(BACKOFF_DOUBLINGS);
                job.next_pod_at = Some(now + BACKOFF * i32::try_from(1u32 << doublings).unwrap());
            }
        }
    }
}
