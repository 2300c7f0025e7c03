//! What a pod does: the script of one run of it, put together from its annotations or from rules.

use std::sync::Arc;

use k8s_openapi::jiff::SignedDuration;

/// Exit code of a container that ends by SIGTERM.
pub(super) const TERMINATED: i32 = 143;
/// Exit code of a container that is killed.
pub(super) const KILLED: i32 = 137;
/// What a death by signal adds to the signal's number.
const BY_SIGNAL: i32 = 128;

/// How a container ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exit {
    /// Exit code.
    pub code: i32,
    /// The signal that ended it; the code is to be 128 more.
    pub signal: Option<i32>,
    /// `Error`, `OOMKilled`, …; none: what a kubelet says of the code.
    pub reason: Option<String>,
    /// Termination message.
    pub message: Option<String>,
}

impl Exit {
    /// With a code.
    #[must_use]
    pub fn code(code: i32) -> Self {
        Self {
            code,
            signal: None,
            reason: None,
            message: None,
        }
    }

    /// By a signal.
    #[must_use]
    pub fn signal(signal: i32) -> Self {
        Self {
            signal: Some(signal),
            ..Self::code(BY_SIGNAL + signal)
        }
    }

    /// Out of memory.
    #[must_use]
    pub fn out_of_memory() -> Self {
        Self {
            reason: Some("OOMKilled".to_owned()),
            ..Self::code(KILLED)
        }
    }

    /// With another reason.
    #[must_use]
    pub fn reason(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }

    /// With a termination message.
    #[must_use]
    pub fn message(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }
}

/// A container ends some time after its start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// After its start.
    pub after: SignedDuration,
    /// How.
    pub exit: Exit,
    /// Which container; none: the first one, and the others end well at the same time. May be an init
    /// container.
    pub container: Option<String>,
}

/// When the containers of a deleted pod have ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terminate {
    /// After so long; the grace period cuts it short.
    After(SignedDuration),
    /// After so long, whatever the grace period.
    Stubborn(SignedDuration),
    /// Not until somebody forces it.
    Never,
}

/// An image that can't be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImageTrouble {
    /// `ErrImagePull`, then `ImagePullBackOff`: with the words of the registry.
    Pull(String),
    /// `InvalidImageName`
    InvalidName,
    /// `ErrImageNeverPull`
    NeverPull,
}

/// What a pod does; what is none is left to whoever is asked next, and at last to the pace of the world.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Play {
    /// From being bound to running.
    pub start_after: Option<SignedDuration>,
    /// How long each init container runs.
    pub init_for: Option<SignedDuration>,
    /// From running to ready.
    pub ready_after: Option<SignedDuration>,
    /// It runs, and is never ready.
    pub never_ready: Option<bool>,
    /// How it ends; none: it runs until it is deleted.
    pub end: Option<End>,
    /// The kubelet evicts it that long after its start.
    pub evict_after: Option<SignedDuration>,
    /// Its image can't be had.
    pub image: Option<ImageTrouble>,
    /// How long it takes to go once it is deleted.
    pub terminate: Option<Terminate>,
    /// What each container prints.
    pub lines: Option<Arc<[String]>>,
    /// Time between two lines; none: all at the start.
    pub line_every: Option<SignedDuration>,
    /// A container that ended is not started again, whatever the restart policy.
    pub no_restarts: bool,
    /// Left alone until it is deleted.
    pub manual: bool,
    /// Rules that count once this happens.
    pub(super) counts: Counts,
}

/// Places in the list of rules, for rules that hold a number of times only.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) start: Vec<usize>,
    pub(super) end: Option<usize>,
    pub(super) evict: Option<usize>,
}
