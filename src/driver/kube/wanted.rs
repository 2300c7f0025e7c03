//! Which Jobs a run still wants. A create may wait for its turn, or for another try after an unclear answer,
//! while a restart, a suspension or the end of the run is being written: it is not sent any more then, as the
//! Job would only be made to be deleted or suspended again (traps D.4.5, D.9.4).

use crate::engine::state::RunState;

/// What counts of the newest state that was given to be written.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    over: bool,
    suspended: bool,
    restarts: u32,
    /// Per role and Job.
    job_restarts: Vec<Vec<u32>>,
}

impl Wanted {
    /// Of a run in that state, and to be suspended or not.
    pub(super) fn of(state: &RunState, suspended: bool) -> Self {
        let roles = &state.status.replicated_jobs_status;
        Self {
            over: state.outcome.is_some(),
            suspended,
            restarts: state.status.restarts,
            job_restarts: roles.iter().map(|r| r.job_restarts.clone()).collect(),
        }
    }

    /// Whether the Job of that role, index and attempt, to be made suspended or not, is one of now.
    pub(super) fn job(
        &self,
        (role, index): (usize, u32),
        (restarts, job_restarts): (u32, u32),
        suspend: bool,
    ) -> bool {
        let own = self.job_restarts.get(role);
        let own = own.and_then(|jobs| jobs.get(usize::try_from(index).ok()?));
        let suspended = suspend || !self.suspended;
        !self.over
            && suspended
            && restarts >= self.restarts
            && own.is_none_or(|own| job_restarts >= *own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{JobSetStatus, ReplicatedJobStatus};
    use crate::engine::outcome::Outcome;

    #[test]
    fn jobs_of_the_past_and_of_an_ended_or_suspended_run_are_not_wanted() {
        let role = ReplicatedJobStatus {
            job_restarts: vec![0, 2],
            ..ReplicatedJobStatus::default()
        };
        let mut state = RunState {
            status: JobSetStatus {
                restarts: 1,
                replicated_jobs_status: vec![role],
                ..JobSetStatus::default()
            },
            ..RunState::default()
        };
        let wanted = Wanted::of(&state, false);
        for (place, attempt, is) in [
            ((0, 0), (1, 0), true),
            ((0, 0), (0, 0), false),
            ((0, 0), (2, 0), true),
            ((0, 1), (1, 2), true),
            ((0, 1), (1, 1), false),
            ((0, 7), (1, 0), true),
            ((3, 0), (1, 0), true),
        ] {
            assert_eq!(
                wanted.job(place, attempt, false),
                is,
                "{place:?} {attempt:?}"
            );
        }
        let wanted = Wanted::of(&state, true);
        assert!(!wanted.job((0, 0), (1, 0), false), "it would run");
        assert!(wanted.job((0, 0), (1, 0), true));
        state.outcome = Some(Outcome::Completed);
        assert!(!Wanted::of(&state, true).job((0, 0), (1, 0), true));
    }
}
