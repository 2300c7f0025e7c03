//! What is shown when: which display a process uses, and which events get a line in it. Pure
//! decisions; their truth tables are the tests.

use crate::engine::EventKind;
use crate::report::printer::Level;

/// `--progress`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Progress {
    /// By the terminal.
    #[default]
    Auto,
    /// Live display, also where `CI` is set; still not without a terminal.
    Tty,
    /// One line per change.
    Plain,
    /// Event stream on stderr.
    Json,
    /// Verdict and errors only.
    Quiet,
}

/// How a run is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Lines for a person at a terminal.
    Tty {
        /// With the live display under them.
        live: bool,
    },
    /// `TIME SCOPE: SENTENCE` lines.
    Plain,
    /// `jobset.events/v1`, no talk.
    Json {
        /// On stdout (`-o json`); else on stderr (`--progress=json`), where log lines are not part of it.
        on_stdout: bool,
    },
    /// Verdict and errors.
    Quiet,
}

/// What [`mode`] depends on.
#[derive(Clone, Copy, Debug, Default)]
pub struct ModeInputs {
    /// `--progress`.
    pub progress: Progress,
    /// `-o json`.
    pub json: bool,
    /// `-q`, `-v`.
    pub level: Level,
    /// stderr is a terminal.
    pub stderr_terminal: bool,
    /// `TERM=dumb`.
    pub dumb: bool,
    /// The variable `CI` is set.
    pub ci: bool,
}

/// How a run is told (plugin-conventions C.7): `-o json` and `-q` win over `--progress`; the live
/// display needs a terminal that isn't dumb and no `-v`, and with `auto` no `CI`.
#[must_use]
pub fn mode(i: &ModeInputs) -> Mode {
    if i.json {
        return Mode::Json { on_stdout: true };
    }
    if i.progress == Progress::Json {
        return Mode::Json { on_stdout: false };
    }
    if i.level == Level::Quiet || i.progress == Progress::Quiet {
        return Mode::Quiet;
    }
    let for_a_person = match i.progress {
        Progress::Auto => i.stderr_terminal && !i.ci,
        Progress::Tty => i.stderr_terminal,
        Progress::Plain | Progress::Json | Progress::Quiet => false,
    };
    if for_a_person {
        Mode::Tty {
            live: !i.dumb && i.level < Level::Verbose,
        }
    } else {
        Mode::Plain
    }
}

/// How important an event's line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// Never a line of its own: payload, markers, heartbeats.
    None,
    /// Details and decisions: with `-v`.
    Detail,
    /// A change that the live display shows in place.
    LiveChange,
    /// A change.
    Change,
    /// What became of the run: always.
    Verdict,
}

/// The weight of an event. `terminal`: told to a person at a terminal.
#[must_use]
pub fn weight(kind: &EventKind, terminal: bool) -> Weight {
    use EventKind as E;
    match kind {
        E::Log { .. } | E::StreamLive | E::Heartbeat { .. } => Weight::None,
        E::RunFinished { .. } | E::RunDetached { .. } | E::RunDriverLost { .. } => Weight::Verdict,
        E::RoleReady { .. } | E::RoleCompleted { .. } | E::PodPending { .. } => Weight::LiveChange,
        E::JobSucceeded { .. } => Weight::LiveChange,
        E::RoleWaiting { .. }
        | E::RoleCreated { .. }
        | E::StartupDecided { .. }
        | E::JobCreated { .. }
        | E::JobReady { .. }
        | E::PodRunning { .. }
        | E::JobDeleted {
            by_someone: false, ..
        }
        | E::SuccessDecided { stopped: 0, .. } => Weight::Detail,
        E::PodEvidence { .. } if !terminal => Weight::Detail,
        // The end follows at once and says it better.
        E::PolicyDecided {
            action,
            limit_reached,
            ..
        } if !terminal => {
            if *limit_reached || action == "FailJobSet" {
                Weight::Detail
            } else {
                Weight::Change
            }
        }
        E::RunCreated { .. }
        | E::RunAttached { .. }
        | E::RunRunning { .. }
        | E::RunSuspended
        | E::RunResumed
        | E::RunRestarting { .. }
        | E::RunStopping { .. }
        | E::JobFailed { .. }
        | E::JobDeleted { .. }
        | E::JobStuck { .. }
        | E::PodFailed { .. }
        | E::PodEvidence { .. }
        | E::PolicyDecided { .. }
        | E::SuccessDecided { .. }
        | E::ClusterUnreachable { .. }
        | E::ClusterBack { .. }
        | E::Warning { .. } => Weight::Change,
    }
}

/// Whether a line of that weight is printed.
#[must_use]
pub fn is_shown(weight: Weight, mode: Mode, level: Level) -> bool {
    match (weight, mode) {
        (Weight::None, _) | (_, Mode::Json { .. }) => false,
        (Weight::Verdict, _) => true,
        (_, Mode::Quiet) => false,
        (Weight::Change, _) => true,
        (Weight::LiveChange, Mode::Tty { live }) => !live,
        (Weight::LiveChange, Mode::Plain) => true,
        (Weight::Detail, _) => level >= Level::Verbose,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All 5 × 2 × 3 × 2 × 2 × 2 cases against the sentence of plugin-conventions C.7.
    #[test]
    fn live_display_truth_table() {
        let progresses = [
            Progress::Auto,
            Progress::Tty,
            Progress::Plain,
            Progress::Json,
            Progress::Quiet,
        ];
        let mut live_cases = 0;
        for progress in progresses {
            for bits in 0..16_u8 {
                for level in [Level::Quiet, Level::Normal, Level::Verbose] {
                    let i = ModeInputs {
                        progress,
                        json: bits & 1 != 0,
                        level,
                        stderr_terminal: bits & 2 != 0,
                        dumb: bits & 4 != 0,
                        ci: bits & 8 != 0,
                    };
                    let got = mode(&i) == Mode::Tty { live: true };
                    let want = i.stderr_terminal
                        && !i.dumb
                        && matches!(progress, Progress::Auto | Progress::Tty)
                        && level == Level::Normal
                        && !(progress == Progress::Auto && i.ci)
                        && !i.json;
                    assert_eq!(got, want, "{i:?}");
                    live_cases += u32::from(got);
                }
            }
        }
        assert_eq!(live_cases, 3, "auto without CI, tty with and without");
    }

    #[test]
    fn modes_without_live_display() {
        let base = ModeInputs::default();
        assert_eq!(mode(&base), Mode::Plain);
        let json = ModeInputs {
            progress: Progress::Json,
            ..base
        };
        assert_eq!(mode(&json), Mode::Json { on_stdout: false });
        assert_eq!(
            mode(&ModeInputs {
                json: true,
                level: Level::Quiet,
                ..base
            }),
            Mode::Json { on_stdout: true }
        );
        assert_eq!(
            mode(&ModeInputs {
                level: Level::Quiet,
                stderr_terminal: true,
                ..base
            }),
            Mode::Quiet
        );
        assert_eq!(
            mode(&ModeInputs {
                level: Level::Verbose,
                stderr_terminal: true,
                ..base
            }),
            Mode::Tty { live: false }
        );
        assert_eq!(
            mode(&ModeInputs {
                progress: Progress::Tty,
                ..base
            }),
            Mode::Plain
        );
        assert_eq!(
            mode(&ModeInputs {
                ci: true,
                stderr_terminal: true,
                ..base
            }),
            Mode::Plain
        );
    }

    #[test]
    fn what_is_shown() {
        let live = Mode::Tty { live: true };
        let lines = Mode::Tty { live: false };
        // weight; live display, terminal lines, plain, plain -v, json, quiet
        let table = [
            (Weight::None, [false, false, false, false, false, false]),
            (Weight::Detail, [false, false, false, true, false, false]),
            (Weight::LiveChange, [false, true, true, true, false, false]),
            (Weight::Change, [true, true, true, true, false, false]),
            (Weight::Verdict, [true, true, true, true, false, true]),
        ];
        for (weight, want) in table {
            let got = [
                is_shown(weight, live, Level::Normal),
                is_shown(weight, lines, Level::Normal),
                is_shown(weight, Mode::Plain, Level::Normal),
                is_shown(weight, Mode::Plain, Level::Verbose),
                is_shown(weight, Mode::Json { on_stdout: true }, Level::Normal),
                is_shown(weight, Mode::Quiet, Level::Quiet),
            ];
            assert_eq!(got, want, "{weight:?}");
        }
    }
}
