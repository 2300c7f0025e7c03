//! What a simulation has shown, as data: the moments, the decisions with the rules that were passed over,
//! the cost of each attempt, the end. `text` and `json` tell it. Pure.

use std::collections::BTreeMap;

use k8s_openapi::jiff::{SignedDuration, Timestamp};

use crate::api::{FailureRule, JobSet};
use crate::engine::state::{Attempt, AttemptKind};
use crate::engine::{Event, EventKind, FirstFailure, Mismatch, RunState, Snapshot, mismatch};
use crate::simulate::entry::{Entry, What};
use crate::simulate::usage::Cost;

/// See the module.
#[derive(Clone, Debug)]
pub struct Story {
    /// Name of the JobSet.
    pub name: String,
    /// What decided names, UIDs and jitter.
    pub seed: u64,
    /// What was taken for granted, as fragments.
    pub assumptions: Vec<String>,
    /// What happened, in order.
    pub moments: Vec<Moment>,
    /// The failure policy's rules, and what became of them.
    pub rules: Vec<RuleUse>,
    /// There is a failure policy.
    pub has_policy: bool,
    /// Each attempt.
    pub attempts: Vec<AttemptCost>,
    /// How it ended.
    pub end: End,
    /// How long it took.
    pub after: SignedDuration,
    /// Who failed first in the attempt that ended it.
    pub first_failure: Option<FirstFailure>,
    /// At the end: why pods were not running, `worker/1: no node with 2 free gpus`.
    pub notes: Vec<String>,
}

/// Something happened.
#[derive(Clone, Debug)]
pub struct Moment {
    /// Since the start.
    pub at: SignedDuration,
    /// What.
    pub what: Happening,
}

/// What happened.
#[derive(Clone, Debug)]
pub enum Happening {
    /// The engine told this.
    Event(Event),
    /// The failure policy decided.
    Decided(Decision),
    /// A wish was carried out.
    Wish {
        /// As it was typed.
        text: String,
        /// On whom.
        place: String,
        /// How many times by now.
        nth: u32,
        /// How many times were wanted.
        of: u32,
    },
}

/// A decision of the failure policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Role of the Job that caused it.
    pub role: String,
    /// Its index.
    pub job: u32,
    /// Rule that matched.
    pub rule: Option<usize>,
    /// What was asked for.
    pub action: String,
    /// It counts.
    pub counts: bool,
    /// Restarts used after it.
    pub restarts: u32,
    /// The limit; none without a policy.
    pub max_restarts: Option<u32>,
    /// The limit was used up, so the set fails.
    pub limit_reached: bool,
    /// Rules that were looked at before and did not match, and why, as a fragment.
    pub passed: Vec<(usize, String)>,
}

/// A rule and what became of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleUse {
    /// Name.
    pub name: String,
    /// Action.
    pub action: String,
    /// Decisions in which it was looked at.
    pub looked_at: u32,
    /// Decisions that it made.
    pub matched: u32,
    /// The last reason for which it did not match.
    pub why_not: Option<String>,
}

/// An attempt and its cost.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AttemptCost {
    /// Number.
    pub number: u32,
    /// Since the start.
    pub started: SignedDuration,
    /// Until everything was ready, if it ever was.
    pub ready: Option<SignedDuration>,
    /// How long it lasted.
    pub lasted: SignedDuration,
    /// Restarts of single Jobs in it.
    pub job_restarts: u32,
    /// What it held.
    pub cost: Cost,
    /// What ended it.
    pub cause: Option<FirstFailure>,
}

/// How it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The success policy was met.
    Completed,
    /// The set has failed.
    Failed {
        /// Reason of the condition.
        reason: String,
        /// Message of the condition.
        message: String,
    },
    /// It has not ended.
    Unfinished {
        /// Nothing would ever happen any more; else the time was up.
        stuck: bool,
        /// State word.
        state: String,
    },
}

/// Makes a story of what happened.
#[derive(Debug)]
pub(super) struct Teller<'a> {
    start: Timestamp,
    rules: &'a [FailureRule],
    has_policy: bool,
    wishes: Vec<(String, u32)>,
    moments: Vec<Moment>,
    uses: Vec<RuleUse>,
    /// Reason and message of Jobs that failed last.
    failed: BTreeMap<(String, u32), (String, String)>,
}

impl<'a> Teller<'a> {
    /// `wishes`: as typed, and how many times each is wanted.
    pub(super) fn new(jobset: &'a JobSet, start: Timestamp, wishes: Vec<(String, u32)>) -> Self {
        let policy = jobset.spec.failure_policy.as_ref();
        let rules = policy.map_or(&[][..], |p| &p.rules);
        Self {
            start,
            rules,
            has_policy: policy.is_some(),
            wishes,
            moments: Vec::new(),
            uses: rules
                .iter()
                .map(|rule| RuleUse {
                    name: rule.name.clone(),
                    action: rule.action.as_str().to_owned(),
                    ..RuleUse::default()
                })
                .collect(),
            failed: BTreeMap::new(),
        }
    }

    /// Takes in what has happened.
    pub(super) fn hear(&mut self, entries: impl IntoIterator<Item = Entry>) {
        for entry in entries {
            let what = match entry.what {
                What::Event(event) => self.of_event(event),
                What::Fault { wish, place, times } => {
                    let (text, of) = self.wishes[wish].clone();
                    Happening::Wish {
                        text,
                        place,
                        nth: times,
                        of,
                    }
                }
                _ => continue,
            };
            self.moments.push(Moment {
                at: entry.at.duration_since(self.start),
                what,
            });
        }
    }

    fn of_event(&mut self, event: Event) -> Happening {
        match &event.kind {
            EventKind::JobFailed {
                role,
                job,
                reason,
                message,
                ..
            } => {
                self.failed
                    .insert((role.clone(), *job), (reason.clone(), message.clone()));
            }
            EventKind::PolicyDecided {
                rule_index,
                action,
                counts,
                restarts,
                max_restarts,
                limit_reached,
                role,
                job,
                ..
            } => {
                let rule = rule_index.and_then(|i| usize::try_from(i).ok());
                let decision = Decision {
                    passed: self.passed(role, *job, rule),
                    role: role.clone(),
                    job: *job,
                    rule,
                    action: action.clone(),
                    counts: *counts,
                    restarts: *restarts,
                    max_restarts: *max_restarts,
                    limit_reached: *limit_reached,
                };
                return Happening::Decided(decision);
            }
            _ => {}
        }
        Happening::Event(event)
    }

    /// Rules are tried one after the other; counts what each was used for.
    fn passed(&mut self, role: &str, job: u32, matched: Option<usize>) -> Vec<(usize, String)> {
        let none = (String::new(), String::new());
        let (reason, message) = self
            .failed
            .get(&(role.to_owned(), job))
            .unwrap_or(&none)
            .clone();
        let mut passed = Vec::new();
        for (at, rule) in self.rules.iter().enumerate() {
            let entry = &mut self.uses[at];
            entry.looked_at += 1;
            if matched == Some(at) {
                entry.matched += 1;
                break;
            }
            let why = match mismatch(rule, role, &reason, &message) {
                Some(Mismatch::Reason) => format!("the reason is {reason}"),
                Some(Mismatch::Role) => format!("{role} is not among its roles"),
                Some(Mismatch::Message) => "no pattern matches the message".to_owned(),
                // It matches this Job and did not decide: another Job's failure came first.
                None => "it was not asked about this Job".to_owned(),
            };
            entry.why_not = Some(why.clone());
            passed.push((at, why));
        }
        passed
    }

    /// The whole story.
    pub(super) fn end(self, facts: Facts<'_>) -> Story {
        let state = facts.state;
        let since = |at: Timestamp| at.duration_since(self.start);
        let end = facts.end;
        Story {
            name: facts.name,
            seed: facts.seed,
            assumptions: facts.assumptions,
            attempts: attempts(state, &facts.costs, self.start, facts.now),
            moments: self.moments,
            rules: self.uses,
            has_policy: self.has_policy,
            end,
            after: since(state.finished.unwrap_or(facts.now)),
            first_failure: state.first_failure.clone(),
            notes: notes(facts.snapshot),
        }
    }
}

/// What is known at the end.
#[derive(Debug)]
pub(super) struct Facts<'a> {
    pub(super) name: String,
    pub(super) seed: u64,
    pub(super) assumptions: Vec<String>,
    pub(super) state: &'a RunState,
    pub(super) snapshot: &'a Snapshot,
    pub(super) costs: BTreeMap<u32, Cost>,
    pub(super) now: Timestamp,
    pub(super) end: End,
}

/// One entry for each number: a restart of a single Job belongs to the attempt that it happens in.
fn attempts(
    state: &RunState,
    costs: &BTreeMap<u32, Cost>,
    start: Timestamp,
    now: Timestamp,
) -> Vec<AttemptCost> {
    let mut by_number: BTreeMap<u32, Vec<&Attempt>> = BTreeMap::new();
    for attempt in &state.attempts {
        by_number.entry(attempt.number).or_default().push(attempt);
    }
    let finished = state.finished.unwrap_or(now);
    by_number
        .into_iter()
        .map(|(number, parts)| {
            let from = parts
                .iter()
                .filter_map(|a| a.started)
                .min()
                .unwrap_or(start);
            let to = parts.last().and_then(|last| last.ended).unwrap_or(finished);
            let single = parts.iter().filter(|a| a.kind == AttemptKind::RestartJob);
            AttemptCost {
                number,
                started: from.duration_since(start),
                ready: parts
                    .iter()
                    .filter_map(|a| a.ready)
                    .min()
                    .map(|ready| ready.duration_since(from)),
                lasted: to.duration_since(from),
                job_restarts: u32::try_from(single.count()).unwrap_or(u32::MAX),
                cost: costs.get(&number).cloned().unwrap_or_default(),
                cause: parts
                    .last()
                    .and_then(|last| last.cause.clone())
                    .or_else(|| {
                        let last = state.attempts.last()?.number == number;
                        state.first_failure.clone().filter(|_| last)
                    }),
            }
        })
        .collect()
}

fn notes(snapshot: &Snapshot) -> Vec<String> {
    let mut out = Vec::new();
    for role in &snapshot.roles {
        if let Some(what) = &role.waits_for {
            out.push(format!(
                "{} waits for {}",
                role.name,
                crate::report::words::waits_phrase(what)
            ));
        }
        for note in &role.notes {
            let more = match note.and_more {
                0 => String::new(),
                n => format!(" (and {n} more)"),
            };
            out.push(format!("{}: {}{more}", note.target, note.message));
        }
        if role.starting > 0 && role.notes.is_empty() {
            out.push(format!(
                "{}: {} of {} Jobs ready",
                role.name,
                role.ready + role.succeeded,
                role.replicas
            ));
        }
    }
    out
}

#[cfg(test)]
impl Story {
    /// Nothing has happened.
    pub(super) fn empty() -> Self {
        Self {
            name: "train".to_owned(),
            seed: 0,
            assumptions: Vec::new(),
            moments: Vec::new(),
            rules: Vec::new(),
            has_policy: false,
            attempts: Vec::new(),
            end: End::Completed,
            after: SignedDuration::ZERO,
            first_failure: None,
            notes: Vec::new(),
        }
    }
}
