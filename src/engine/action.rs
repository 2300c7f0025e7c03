//! What the engine wants done, as data. The driver carries actions out in any order it likes with
//! bounded concurrency, and answers each with `Observation::Done`.

use k8s_openapi::jiff::Timestamp;
use serde_json::Value;

use crate::engine::event::Event;
use crate::engine::outcome::Outcome;

/// Identifies an action within one engine; grows by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ActionId(pub u64);

/// An effect on the cluster.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Create the headless Service (`engine::build::service`).
    CreateService,
    /// Create a Job (`engine::build::job`).
    CreateJob {
        /// Position of the role in the spec.
        role: usize,
        /// Job index.
        index: u32,
        /// `status.restarts` it belongs to.
        restarts: u32,
        /// Restarts of this Job by itself.
        job_restarts: u32,
        /// Create it suspended.
        suspend: bool,
    },
    /// Delete a Job with its pods, bound to that UID; never a plain delete (trap D.1.1).
    DeleteJob {
        /// Name.
        name: String,
        /// UID precondition.
        uid: String,
        /// Attempt it belongs to, for the selector of a collection delete.
        restart_attempt: u32,
    },
    /// Set `spec.suspend: true`.
    SuspendJob {
        /// Name.
        name: String,
        /// UID precondition.
        uid: String,
    },
    /// Set `spec.suspend: false`; first clear `status.startTime` if asked, then merge `template`
    /// (pod-template labels, annotations, nodeSelector, tolerations, schedulingGates; spec 10).
    ResumeJob {
        /// Name.
        name: String,
        /// UID precondition.
        uid: String,
        /// `status.startTime` is set and must go before the template can change (trap D.7.2).
        clear_start_time: bool,
        /// Merge patch for `spec.template`, if it differs.
        template: Option<Value>,
    },
    /// Read the last lines of a failed container, answer with `Observation::Evidence` and `Done`.
    KeepEvidence {
        /// Pod name.
        pod: String,
        /// Pod UID.
        pod_uid: String,
        /// Container.
        container: String,
        /// Read the previous instance (`previous=true`): it has been restarted since.
        previous: bool,
        /// Lines at most.
        lines: u32,
    },
}

/// How soon a state must be durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Urgency {
    /// Facts that can be found out again: within some seconds, and before detaching.
    Soon,
    /// A decision whose actions wait for it.
    Now,
}

/// The state (`Engine::state`) must be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Write {
    /// Grows with each change of the state; acknowledge the newest that was written.
    pub version: u64,
    /// How soon.
    pub urgency: Urgency,
}

/// The answer of `Engine::step`.
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use]
pub struct Step {
    /// The state is newer than what was last acknowledged or handed out.
    pub write: Option<Write>,
    /// To be carried out, each exactly once.
    pub actions: Vec<(ActionId, Action)>,
    /// For the reporters, in order.
    pub events: Vec<Event>,
    /// Call `step` again by then even if nothing is observed.
    pub wake_at: Option<Timestamp>,
    /// The end: given once, when it is durable and what it needs has been done (active Jobs deleted).
    pub outcome: Option<Outcome>,
}
