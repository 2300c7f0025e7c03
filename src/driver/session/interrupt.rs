//! Signals and the answers typed after Ctrl-C: one state machine, a table (cli.md 5). It decides what
//! is to be done; the session does it. It holds no clock: the session says when the prompt ran out.

/// What the process was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// SIGINT.
    Int,
    /// SIGTERM.
    Term,
    /// SIGHUP.
    Hup,
    /// SIGTSTP.
    Tstp,
    /// `d` and Enter, typed at the prompt.
    TypedDetach,
    /// Enter alone, or anything else, typed at the prompt.
    TypedEnter,
    /// Nobody answered the prompt for [`PROMPT_S`] seconds.
    PromptTimeout,
}

/// Seconds the prompt after Ctrl-C waits before the run simply goes on.
pub const PROMPT_S: i64 = 10;

/// Seconds a detach may take: a CI runner kills soon after SIGTERM.
pub const DETACH_S: i64 = 5;

/// `--on-interrupt`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnInterrupt {
    /// With a terminal: show the choices; without: detach.
    #[default]
    Ask,
    /// Leave, the run goes on without a driver.
    Detach,
    /// End the run, keep record and logs.
    Stop,
    /// Delete everything.
    Delete,
}

/// How far the session is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Nothing exists in the cluster yet.
    BeforeCreate,
    /// Record, Service and first Jobs are being made, or the run is being watched.
    Attached,
}

/// What the session must do now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Decision {
    /// Nothing.
    Nothing,
    /// Leave: nothing was created. The exit code is that of the signal.
    LeaveNothingCreated(Signal),
    /// Print the state and the choices, wait for an answer.
    Prompt,
    /// The prompt is over, the run goes on.
    GoOn,
    /// Flush the record, release the lease, leave. By a signal: its exit code; typed: 20.
    Detach(Signal),
    /// Stop the run in good order, stay until it has stopped.
    Stop(Signal),
    /// Delete the run, stay until it is gone.
    Delete(Signal),
    /// Leave at once with the signal's code; say what may be half done.
    LeaveNow(Signal),
    /// Let the process be suspended by the shell as usual.
    SuspendProcess,
}

/// Where the conversation stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Idle,
    Prompting,
    Leaving,
}

/// The machine.
#[derive(Debug)]
pub struct Interrupts {
    on_interrupt: OnInterrupt,
    terminal: bool,
    state: State,
}

impl Interrupts {
    /// `terminal`: a person can be asked (stdin and stderr are terminals).
    #[must_use]
    pub fn new(on_interrupt: OnInterrupt, terminal: bool) -> Self {
        Self {
            on_interrupt,
            terminal,
            state: State::Idle,
        }
    }

    /// A prompt is open.
    #[must_use]
    pub fn prompting(&self) -> bool {
        self.state == State::Prompting
    }

    /// The one table.
    pub fn handle(&mut self, phase: Phase, signal: Signal) -> Decision {
        use Signal::{Hup, Int, PromptTimeout, Term, Tstp, TypedDetach, TypedEnter};
        let real = matches!(signal, Int | Term | Hup);
        let (next, decision) = match (self.state, signal) {
            (State::Leaving, _) if real => (State::Leaving, Decision::LeaveNow(signal)),
            (State::Leaving, Tstp) => (State::Leaving, Decision::SuspendProcess),
            (State::Leaving, _) => (State::Leaving, Decision::Nothing),
            (_, _) if real && phase == Phase::BeforeCreate => {
                (State::Leaving, Decision::LeaveNothingCreated(signal))
            }
            (State::Prompting, Int) => (State::Leaving, Decision::Stop(Int)),
            (State::Prompting, Tstp | TypedDetach) => {
                (State::Leaving, Decision::Detach(TypedDetach))
            }
            (State::Prompting, TypedEnter | PromptTimeout) => (State::Idle, Decision::GoOn),
            (State::Idle, Tstp) => (State::Idle, Decision::SuspendProcess),
            (State::Idle, TypedDetach | TypedEnter | PromptTimeout) => {
                (State::Idle, Decision::Nothing)
            }
            (_, Int | Term | Hup) => match self.on_interrupt {
                OnInterrupt::Stop => (State::Leaving, Decision::Stop(signal)),
                OnInterrupt::Delete => (State::Leaving, Decision::Delete(signal)),
                OnInterrupt::Ask if signal == Int && self.terminal => {
                    (State::Prompting, Decision::Prompt)
                }
                OnInterrupt::Ask | OnInterrupt::Detach => {
                    (State::Leaving, Decision::Detach(signal))
                }
            },
        };
        self.state = next;
        decision
    }
}

#[cfg(test)]
mod tests {
    use super::Decision as D;
    use super::Signal::{Hup, Int, PromptTimeout, Term, Tstp, TypedDetach, TypedEnter};
    use super::*;

    fn play(on: OnInterrupt, terminal: bool, phase: Phase, signals: &[Signal]) -> Vec<Decision> {
        let mut machine = Interrupts::new(on, terminal);
        signals.iter().map(|s| machine.handle(phase, *s)).collect()
    }

    /// cli.md 5, line by line: (on-interrupt, terminal, phase, signals, decisions).
    #[test]
    #[expect(
        clippy::type_complexity,
        reason = "a table with its columns named above"
    )]
    fn the_table() {
        use OnInterrupt::{Ask, Delete, Detach, Stop};
        use Phase::{Attached, BeforeCreate};
        let table: &[(OnInterrupt, bool, Phase, &[Signal], &[Decision])] = &[
            (
                Ask,
                true,
                BeforeCreate,
                &[Int],
                &[D::LeaveNothingCreated(Int)],
            ),
            (
                Stop,
                false,
                BeforeCreate,
                &[Term],
                &[D::LeaveNothingCreated(Term)],
            ),
            (
                Ask,
                true,
                Attached,
                &[Int, Int, Int],
                &[D::Prompt, D::Stop(Int), D::LeaveNow(Int)],
            ),
            (
                Ask,
                true,
                Attached,
                &[Int, Tstp],
                &[D::Prompt, D::Detach(TypedDetach)],
            ),
            (
                Ask,
                true,
                Attached,
                &[Int, TypedDetach],
                &[D::Prompt, D::Detach(TypedDetach)],
            ),
            (
                Ask,
                true,
                Attached,
                &[Int, TypedEnter, Int],
                &[D::Prompt, D::GoOn, D::Prompt],
            ),
            (
                Ask,
                true,
                Attached,
                &[Int, PromptTimeout],
                &[D::Prompt, D::GoOn],
            ),
            (
                Ask,
                true,
                Attached,
                &[Int, Term],
                &[D::Prompt, D::Detach(Term)],
            ),
            (
                Ask,
                false,
                Attached,
                &[Int, Int],
                &[D::Detach(Int), D::LeaveNow(Int)],
            ),
            (
                Ask,
                false,
                Attached,
                &[Term, Term],
                &[D::Detach(Term), D::LeaveNow(Term)],
            ),
            (Ask, true, Attached, &[Term], &[D::Detach(Term)]),
            (Ask, true, Attached, &[Hup], &[D::Detach(Hup)]),
            (Detach, true, Attached, &[Int], &[D::Detach(Int)]),
            (
                Stop,
                true,
                Attached,
                &[Int, Int],
                &[D::Stop(Int), D::LeaveNow(Int)],
            ),
            (Stop, false, Attached, &[Term], &[D::Stop(Term)]),
            (
                Delete,
                false,
                Attached,
                &[Hup, Hup],
                &[D::Delete(Hup), D::LeaveNow(Hup)],
            ),
            (Ask, true, Attached, &[Tstp], &[D::SuspendProcess]),
            (
                Ask,
                true,
                Attached,
                &[TypedEnter, TypedDetach],
                &[D::Nothing, D::Nothing],
            ),
        ];
        for (on, terminal, phase, signals, want) in table {
            assert_eq!(
                &play(*on, *terminal, *phase, signals),
                want,
                "{on:?} terminal={terminal} {phase:?} {signals:?}"
            );
        }
    }

    /// Nobody can be trapped: whatever came before, three real signals in a row leave at once.
    #[test]
    fn three_signals_always_leave() {
        let all = [Int, Term, Hup, Tstp, TypedDetach, TypedEnter, PromptTimeout];
        for on in [
            OnInterrupt::Ask,
            OnInterrupt::Detach,
            OnInterrupt::Stop,
            OnInterrupt::Delete,
        ] {
            for before in all {
                let mut machine = Interrupts::new(on, true);
                let _ = machine.handle(Phase::Attached, before);
                let decisions: Vec<Decision> = (0..3)
                    .map(|_| machine.handle(Phase::Attached, Int))
                    .collect();
                assert_eq!(decisions[2], D::LeaveNow(Int), "{on:?} after {before:?}");
            }
        }
    }
}
