//! Scripts given in code: rules say which pods do what. Of each thing the first rule that names it holds; of
//! several ends the earliest does.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;

use super::notes;
use super::play::Play;
use super::state::State;
use crate::api::names;
use crate::cluster::world::World;

type Test = Arc<dyn Fn(&Pod) -> bool + Send + Sync>;

/// Which pods; what is none is not asked for.
#[derive(Clone, Default)]
pub struct Which {
    role: Option<String>,
    job: Option<u32>,
    index: Option<u32>,
    attempt: Option<u32>,
    test: Option<Test>,
}

impl fmt::Debug for Which {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Which")
            .field("role", &self.role)
            .field("job", &self.job)
            .field("index", &self.index)
            .field("attempt", &self.attempt)
            .field("test", &self.test.is_some())
            .finish()
    }
}

impl Which {
    /// All pods.
    #[must_use]
    pub fn all() -> Self {
        Self::default()
    }
    /// Of a role (a replicated Job).
    #[must_use]
    pub fn role(mut self, role: impl Into<String>) -> Self {
        self.role = Some(role.into());
        self
    }
    /// Of a Job of its role.
    #[must_use]
    pub fn job(mut self, job: u32) -> Self {
        self.job = Some(job);
        self
    }
    /// With a completion index.
    #[must_use]
    pub fn index(mut self, index: u32) -> Self {
        self.index = Some(index);
        self
    }
    /// Of a restart attempt.
    #[must_use]
    pub fn attempt(mut self, attempt: u32) -> Self {
        self.attempt = Some(attempt);
        self
    }
    /// For which this holds as well.
    #[must_use]
    pub fn and(mut self, test: impl Fn(&Pod) -> bool + Send + Sync + 'static) -> Self {
        self.test = Some(Arc::new(test));
        self
    }

    fn takes(&self, pod: &Pod) -> bool {
        let label = |key: &str| pod.metadata.labels.as_ref()?.get(key).map(String::as_str);
        let number = |key: &str, want: Option<u32>| {
            want.is_none_or(|want| label(key).and_then(|v| v.parse().ok()) == Some(want))
        };
        self.role
            .as_deref()
            .is_none_or(|role| label(names::REPLICATED_JOB_NAME) == Some(role))
            && number(names::JOB_INDEX, self.job)
            && number(names::COMPLETION_INDEX, self.index)
            && number(names::RESTART_ATTEMPT, self.attempt)
            && self.test.as_ref().is_none_or(|test| test(pod))
    }
}

/// Some pods do something.
#[derive(Clone, Debug, Default)]
pub struct Rule {
    /// Which.
    pub which: Which,
    /// What.
    pub play: Play,
    /// Only the first so many times at each place (role, Job and index); none: always. An end or an eviction
    /// counts when it happens, everything else when the pod starts.
    pub times: Option<u32>,
}

/// The rules, and how often each has held where.
#[derive(Debug, Default)]
pub(super) struct Rules {
    list: Vec<Rule>,
    used: BTreeMap<(usize, String), u32>,
}

impl World {
    /// Adds a rule for scripted pods, after those that are there.
    pub fn script(&mut self, rule: Rule) {
        self.kubelets.rules.list.push(rule);
    }

    /// How often a rule has held, at each place; rules are counted in the order of their coming.
    #[must_use]
    pub fn rule_uses(&self, rule: usize) -> BTreeMap<String, u32> {
        let used = &self.kubelets.rules.used;
        used.range((rule, String::new())..(rule + 1, String::new()))
            .map(|((_, place), n)| (place.clone(), *n))
            .collect()
    }
}

impl State {
    /// What a pod does now.
    pub(super) fn play(&self, pod: &Pod) -> Play {
        if let Some(play) = notes::read(pod) {
            return play;
        }
        let mut play = Play::default();
        if self.rules.list.is_empty() {
            return play;
        }
        let place = place(pod);
        for (number, rule) in self.rules.list.iter().enumerate() {
            let used = || self.rules.used.get(&(number, place.clone())).copied();
            let used_up = rule
                .times
                .is_some_and(|times| used().unwrap_or_default() >= times);
            if !used_up && rule.which.takes(pod) {
                take(&mut play, number, &rule.play);
            }
        }
        play
    }

    /// A rule has held for a pod.
    pub(super) fn count(&mut self, rule: usize, pod: &Pod) {
        *self.rules.used.entry((rule, place(pod))).or_default() += 1;
    }
}

fn take(play: &mut Play, number: usize, more: &Play) {
    let mut counted = false;
    macro_rules! first {
        ($($field:ident),*) => {$(
            if play.$field.is_none() && more.$field.is_some() {
                play.$field.clone_from(&more.$field);
                counted = true;
            }
        )*};
    }
    first!(
        start_after,
        init_for,
        ready_after,
        never_ready,
        image,
        terminate,
        lines,
        line_every
    );
    if counted {
        play.counts.start.push(number);
    }
    if let Some(end) = &more.end
        && play
            .end
            .as_ref()
            .is_none_or(|there| end.after < there.after)
    {
        play.end = Some(end.clone());
        play.counts.end = Some(number);
    }
    if let Some(after) = more.evict_after
        && play.evict_after.is_none_or(|there| after < there)
    {
        play.evict_after = Some(after);
        play.counts.evict = Some(number);
    }
    play.no_restarts |= more.no_restarts;
    play.manual |= more.manual;
}

/// `worker/2/1`; pods of no role are places of their own.
fn place(pod: &Pod) -> String {
    let label = |key: &str| pod.metadata.labels.as_ref()?.get(key).map(String::as_str);
    let (Some(role), Some(job)) = (label(names::REPLICATED_JOB_NAME), label(names::JOB_INDEX))
    else {
        return pod.metadata.name.clone().unwrap_or_default();
    };
    match label(names::COMPLETION_INDEX) {
        Some(index) => format!("{role}/{job}/{index}"),
        None => format!("{role}/{job}"),
    }
}
