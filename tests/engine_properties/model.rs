//! The failure policy, the success policy and the startup order once more: slow, from a plain list of
//! Jobs, straight from spec 7-9. The property tests hold it against the engine.

use std::collections::{BTreeMap, BTreeSet};

use kubectl_jobset::api::{FailureAction, JobSet, Operator, RestartStrategy, StartupOrder};
use kubectl_jobset::engine::input::JobEnd;
use kubectl_jobset::engine::{FailAt, JobSeen, RunState};

use crate::support::template::ranges;

/// A role's position and a Job's index.
pub(crate) type JobKey = (usize, u32);

/// What a decision of the failure policy must say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) action: FailureAction,
    pub(crate) rule: Option<u32>,
    pub(crate) limit_reached: bool,
    pub(crate) job: JobKey,
}

impl Verdict {
    /// Its action is of the kind that uses up some of the limit.
    pub(crate) fn counts(&self) -> bool {
        matches!(
            self.action,
            FailureAction::RestartJobSet | FailureAction::RestartJob
        )
    }
}

/// Counters, and what was seen.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    jobset: JobSet,
    fail_at: FailAt,
    pub(crate) restarts: u32,
    pub(crate) counted: u32,
    pub(crate) job_restarts: BTreeMap<JobKey, u32>,
    pub(crate) job_counted: BTreeMap<JobKey, u32>,
    pub(crate) failed: bool,
    /// By name, as last told.
    pub(crate) jobs: BTreeMap<String, JobSeen>,
    /// Jobs of the current attempt that were seen Complete.
    pub(crate) succeeded: BTreeSet<JobKey>,
}

impl Model {
    /// What a new driver can know: the counters of the record.
    pub(crate) fn new(jobset: &JobSet, fail_at: FailAt, state: &RunState) -> Self {
        let status = &state.status;
        let mut model = Self {
            jobset: jobset.clone(),
            fail_at,
            restarts: status.restarts,
            counted: status.restarts_count_towards_max,
            job_restarts: BTreeMap::new(),
            job_counted: BTreeMap::new(),
            failed: status.terminal_state.is_some(),
            jobs: BTreeMap::new(),
            succeeded: BTreeSet::new(),
        };
        for (name, indexes) in &state.succeeded {
            let r = model.role(name);
            model
                .succeeded
                .extend(ranges(indexes).into_iter().map(|i| (r, i)));
        }
        for role in &status.replicated_jobs_status {
            let r = model.role(&role.name);
            model
                .job_restarts
                .extend((0..).map(|i| (r, i)).zip(role.job_restarts.iter().copied()));
            model.job_counted.extend(
                (0..)
                    .map(|i| (r, i))
                    .zip(role.job_restarts_count_towards_max.iter().copied()),
            );
        }
        model
    }

    fn role(&self, name: &str) -> usize {
        self.jobset
            .spec
            .replicated_jobs
            .iter()
            .position(|r| r.name == name)
            .unwrap()
    }

    /// The Job's role and index.
    pub(crate) fn key(&self, job: &JobSeen) -> JobKey {
        (self.role(&job.role), job.index)
    }

    /// Restarts that have been used of the limit (spec 7).
    pub(crate) fn used(&self) -> u32 {
        self.counted + self.job_counted.values().sum::<u32>()
    }

    /// The limit; none without a policy.
    pub(crate) fn max(&self) -> Option<u32> {
        let policy = self.jobset.spec.failure_policy.as_ref()?;
        Some(policy.max_restarts.unwrap_or(0).unsigned_abs())
    }

    /// Restarts by itself that a Job must carry to belong to the present.
    pub(crate) fn target(&self, key: JobKey) -> u32 {
        self.job_restarts.get(&key).copied().unwrap_or(0)
    }

    /// Not an earlier attempt's (spec 5.1).
    pub(crate) fn current(&self, job: &JobSeen) -> bool {
        job.restart_attempt >= self.restarts
            && job.job_restart_attempt >= self.target(self.key(job))
    }

    /// A Job as it is now; remembers its success.
    pub(crate) fn see(&mut self, job: JobSeen) {
        if job.complete.is_some() && self.current(&job) {
            let key = self.key(&job);
            self.succeeded.insert(key);
        }
        self.jobs.insert(job.name.clone(), job);
    }

    fn failure<'a>(&self, job: &'a JobSeen) -> Option<&'a JobEnd> {
        match self.fail_at {
            FailAt::Failed => job.failed_condition.as_ref(),
            FailAt::FailureTarget => job
                .failure_target
                .as_ref()
                .or(job.failed_condition.as_ref()),
        }
    }

    /// What must be decided now (spec 7), if anything.
    pub(crate) fn verdict(&self) -> Option<Verdict> {
        if self.failed {
            return None;
        }
        let mut failed: Vec<(&JobEnd, &JobSeen)> = self
            .jobs
            .values()
            .filter(|j| self.current(j))
            .filter_map(|j| self.failure(j).map(|end| (end, j)))
            .collect();
        failed.sort_by_key(|(end, job)| (end.at, job.name.clone()));
        let (_, first) = failed.first()?;
        let Some(policy) = &self.jobset.spec.failure_policy else {
            return Some(Verdict {
                action: FailureAction::FailJobSet,
                rule: None,
                limit_reached: false,
                job: self.key(first),
            });
        };
        for (i, rule) in policy.rules.iter().enumerate() {
            let reason = |end: &JobEnd| {
                rule.on_job_failure_reasons.is_empty()
                    || rule.on_job_failure_reasons.contains(&end.reason)
            };
            let pattern = |end: &JobEnd| {
                let patterns = &rule.on_job_failure_message_patterns;
                patterns.is_empty() || patterns.iter().any(|p| end.message.contains(p))
            };
            let target = |job: &JobSeen| {
                rule.target_replicated_jobs.is_empty()
                    || rule.target_replicated_jobs.contains(&job.role)
            };
            if let Some((_, job)) = failed
                .iter()
                .find(|(end, job)| reason(end) && pattern(end) && target(job))
            {
                return Some(self.limited(
                    rule.action,
                    Some(u32::try_from(i).unwrap()),
                    self.key(job),
                ));
            }
        }
        Some(self.limited(FailureAction::RestartJobSet, None, self.key(first)))
    }

    fn limited(&self, action: FailureAction, rule: Option<u32>, job: JobKey) -> Verdict {
        let counts = matches!(
            action,
            FailureAction::RestartJobSet | FailureAction::RestartJob
        );
        let limit_reached = counts && self.used() >= self.max().unwrap_or(0);
        Verdict {
            action,
            rule,
            limit_reached,
            job,
        }
    }

    /// Carries a verdict out on the counters.
    pub(crate) fn apply(&mut self, verdict: &Verdict) {
        let counts = u32::from(verdict.counts());
        match verdict.action {
            _ if verdict.limit_reached => self.failed = true,
            FailureAction::FailJobSet => self.failed = true,
            FailureAction::RestartJobSet | FailureAction::RestartJobSetAndIgnoreMaxRestarts => {
                self.restarts += 1;
                self.counted += counts;
                self.succeeded.clear();
            }
            FailureAction::RestartJob | FailureAction::RestartJobAndIgnoreMaxRestarts => {
                *self.job_restarts.entry(verdict.job).or_default() += 1;
                *self.job_counted.entry(verdict.job).or_default() += counts;
                self.succeeded.remove(&verdict.job);
            }
        }
    }

    /// The success policy is met by the Jobs seen Complete (spec 8).
    pub(crate) fn success(&self) -> bool {
        let policy = self.jobset.spec.success_policy.as_ref();
        let targets = policy
            .map(|p| p.target_replicated_jobs.clone())
            .unwrap_or_default();
        let roles = self.jobset.spec.replicated_jobs.iter().enumerate();
        let mut counting = roles.filter(|(_, r)| targets.is_empty() || targets.contains(&r.name));
        match policy.map_or(Operator::All, |p| p.operator) {
            Operator::Any => counting.any(|(r, _)| self.succeeded.iter().any(|(s, _)| *s == r)),
            Operator::All => {
                !self.succeeded.is_empty()
                    && counting.all(|(r, role)| {
                        (0..role.replicas()).all(|i| self.succeeded.contains(&(r, i)))
                    })
            }
        }
    }

    /// All Jobs of a role are ready, succeeded or failed (spec 9).
    pub(crate) fn started(&self, role: usize) -> bool {
        let spec = &self.jobset.spec.replicated_jobs[role];
        (0..spec.replicas()).all(|i| {
            self.succeeded.contains(&(role, i))
                || self.jobs.values().any(|j| {
                    let ready = i64::from(j.ready) + i64::from(j.succeeded)
                        >= spec.template.pods_expected();
                    let done = j.complete.is_some()
                        || j.failed_condition.is_some()
                        || j.failure_target.is_some();
                    self.key(j) == (role, i) && self.current(j) && ((ready && !j.suspend) || done)
                })
        })
    }

    /// All Jobs of a role have succeeded.
    pub(crate) fn completed(&self, role: usize) -> bool {
        (0..self.jobset.spec.replicated_jobs[role].replicas())
            .all(|i| self.succeeded.contains(&(role, i)))
    }

    /// Roles that must have started before this one may run; with `true`, must have completed.
    pub(crate) fn waits_for(&self, role: usize) -> Vec<(usize, bool)> {
        use kubectl_jobset::api::DependsOnStatus::Complete;
        let mut out: Vec<(usize, bool)> = self.jobset.spec.replicated_jobs[role]
            .depends_on
            .iter()
            .map(|d| (self.role(&d.name), d.status == Complete))
            .collect();
        if self.in_order() {
            out.extend((0..role).map(|r| (r, false)));
        }
        out
    }

    /// `startupPolicyOrder: InOrder`.
    pub(crate) fn in_order(&self) -> bool {
        self.jobset.startup_order() == StartupOrder::InOrder
    }

    /// `restartStrategy: BlockingRecreate`.
    pub(crate) fn blocking(&self) -> bool {
        let policy = self.jobset.spec.failure_policy.as_ref();
        policy.and_then(|p| p.restart_strategy) == Some(RestartStrategy::BlockingRecreate)
    }
}
