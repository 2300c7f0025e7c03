//! Which logs a run has to show as it stands: of pods that are there, and of what the record kept.
//! Pure.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::cli::settings::Attempts;
use crate::engine::RunState;
use crate::logs::kept::{Kept, kept};
use crate::logs::origin::Origin;
use crate::logs::pod::{ContainerNow, PodNow, State};
use crate::logs::select::Selection;

/// A log that can be read now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pick {
    /// Where its lines come from.
    pub from: Arc<Origin>,
    /// UID of the pod.
    pub pod_uid: String,
    /// The instance before the newest one.
    pub previous: bool,
}

/// What there is to show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Kept lines, shown first.
    pub kept: Vec<Kept>,
    /// Logs to read.
    pub picks: Vec<Pick>,
    /// Attempts that were asked for and have nothing: headings.
    pub empty: Vec<String>,
    /// Pods that were meant but have written nothing yet: target and why.
    pub not_started: Vec<(String, String)>,
    /// UIDs of pods that were looked at and aren't wanted: an older pod of an index, another attempt.
    /// Who follows on needn't look at them again.
    pub skipped: BTreeSet<String>,
}

/// Pods by role, Job and index, oldest first. A pod of a NonIndexed Job stands for itself, by its UID.
type Places<'a> = BTreeMap<(&'a str, u32, Result<u32, &'a str>), Vec<&'a PodNow>>;

/// The plan. `pods`: all pods of the run; `state`: its record; `jobset`: its name; `tail`: last lines
/// of kept evidence.
#[must_use]
pub fn plan(
    selection: &Selection,
    pods: &[PodNow],
    state: &RunState,
    jobset: &str,
    tail: Option<usize>,
) -> Plan {
    let mut plan = Plan::default();
    let current = state.status.restarts;
    let mut wanted: Vec<&PodNow> = pods
        .iter()
        .filter(|p| selection.wants(&p.place()))
        .collect();
    wanted.sort_by(|a, b| order(a).cmp(&order(b)));
    let there: BTreeSet<&str> = pods.iter().map(|p| p.uid.as_str()).collect();
    let mut kept = kept(selection, state, jobset, tail);
    kept.retain(|k| !there.contains(k.pod_uid.as_str()));

    let mut places: Places<'_> = BTreeMap::new();
    for pod in &wanted {
        let index = pod.index.ok_or(pod.uid.as_str());
        places
            .entry((&pod.role, pod.job, index))
            .or_default()
            .push(pod);
    }

    match selection.attempts {
        Attempts::All | Attempts::Number(_) => {
            let number = match selection.attempts {
                Attempts::Number(number) => Some(number),
                _ => None,
            };
            for pod in wanted {
                if number.is_some_and(|number| pod.attempt != number) {
                    plan.skipped.insert(pod.uid.clone());
                } else {
                    plan.add(selection, pod, true);
                }
            }
            plan.kept = kept;
            plan.name_empty(selection, number, current);
        }
        Attempts::Current => {
            for pods in places.into_values() {
                for (age, pod) in pods.iter().rev().enumerate() {
                    if age == 0 && pod.attempt == current {
                        plan.add(selection, pod, false);
                    } else {
                        plan.skipped.insert(pod.uid.clone());
                    }
                }
            }
            // Where the Job controller has removed the pods of a failed Job, what was kept is all
            // there is.
            let shown: BTreeSet<(String, u32)> = plan
                .picks
                .iter()
                .map(|p| (p.from.role.clone(), p.from.job))
                .collect();
            kept.retain(|k| {
                k.from.attempt == current && !shown.contains(&(k.from.role.clone(), k.from.job))
            });
            plan.kept = kept;
            if selection.failed {
                plan.name_empty(selection, Some(current), current);
            }
        }
        Attempts::Previous => plan.previous(selection, places, kept, current),
    }
    plan
}

/// By role, Job, index; then oldest first.
fn order(pod: &PodNow) -> impl Ord + '_ {
    (&pod.role, pod.job, pod.index, pod.rank())
}

impl Plan {
    /// Adds the wanted containers of a pod. `earlier`: also the instance before the newest one.
    fn add(&mut self, selection: &Selection, pod: &PodNow, earlier: bool) {
        let names = selection.containers(pod);
        let several = !selection.failed && names.len() > 1;
        for name in names {
            let Some(container) = pod.container(name) else {
                continue;
            };
            let before = container.has_previous();
            let before_failed = before && container.last_exit.is_some_and(|code| code != 0);
            if (earlier && before && !selection.failed) || (before_failed && selection.failed) {
                self.pick(selection, pod, container, several, true);
            }
            if container.readable() {
                if !selection.failed || container.failed() {
                    self.pick(selection, pod, container, several, false);
                }
            } else if !selection.failed
                && let State::Waiting(reason) = &container.state
            {
                let target = origin(pod, container, several).target();
                if self
                    .not_started
                    .last()
                    .is_none_or(|(last, _)| *last != target)
                {
                    self.not_started.push((target, reason.clone()));
                }
            }
        }
    }

    fn pick(
        &mut self,
        selection: &Selection,
        pod: &PodNow,
        container: &ContainerNow,
        several: bool,
        previous: bool,
    ) {
        // Failed containers are named where they are not the one that is read by default.
        let other = selection.failed && container.name != pod.default_container;
        self.picks.push(Pick {
            from: Arc::new(origin(pod, container, several || other)),
            pod_uid: pod.uid.clone(),
            previous,
        });
    }

    /// One step back for each index.
    fn previous(
        &mut self,
        selection: &Selection,
        places: Places<'_>,
        mut kept: Vec<Kept>,
        current: u32,
    ) {
        let mut shown = BTreeSet::new();
        for (place, pods) in places {
            let Some(newest) = pods.last() else { continue };
            let names = selection.containers(newest);
            let several = names.len() > 1;
            let before: Vec<&ContainerNow> = names
                .into_iter()
                .filter_map(|name| newest.container(name))
                .filter(|c| c.last_exit.is_some())
                .filter(|c| !selection.failed || c.last_exit != Some(0))
                .collect();
            let had_previous = !before.is_empty();
            for container in before {
                self.pick(selection, newest, container, several, true);
            }
            // Before the first pod of the attempt that runs, its pods are the ones before.
            let older = if newest.attempt < current {
                Some(newest)
            } else {
                pods.iter().rev().nth(1)
            };
            if had_previous {
                shown.insert((place.0.to_owned(), place.1, place.2.ok()));
            } else if let Some(older) = older {
                self.add(selection, older, false);
                shown.insert((place.0.to_owned(), place.1, place.2.ok()));
            }
        }
        // Else what was kept of the attempt before, or of an earlier life of a Job in this one.
        kept.retain(|k| {
            let place = (k.from.role.clone(), k.from.job, k.from.index);
            let before = k.from.attempt == current || k.from.attempt + 1 == current;
            before && !shown.contains(&place)
        });
        self.kept = kept;
    }

    /// Says which attempts have nothing to show.
    fn name_empty(&mut self, selection: &Selection, only: Option<u32>, current: u32) {
        let attempts = match only {
            Some(number) => number..=number,
            None => 0..=current,
        };
        for number in attempts {
            let any = self.kept.iter().any(|k| k.from.attempt == number)
                || self.picks.iter().any(|p| p.from.attempt == number);
            if any {
                continue;
            }
            self.empty
                .push(match (number == current, selection.failed) {
                    (true, true) => format!("attempt {number}, none failed so far"),
                    (true, false) => format!("attempt {number}, nothing written so far"),
                    (false, _) => format!("attempt {number}, nothing kept"),
                });
        }
    }
}

/// The origin of a container's lines.
#[must_use]
pub fn origin(pod: &PodNow, container: &ContainerNow, several: bool) -> Origin {
    Origin {
        role: pod.role.clone(),
        job: pod.job,
        job_name: pod.job_name.clone(),
        index: pod.index,
        attempt: pod.attempt,
        job_restarts: pod.job_restarts,
        pod: pod.name.clone(),
        container: container.name.clone(),
        several,
        kept: false,
    }
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
