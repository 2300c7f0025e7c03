//! Wire types and names of JobSet `v1alpha2`: what is in the file, what is in the record, what is on
//! the objects. No behaviour beyond reading a field; defaults and checks are in `manifest`.

pub mod jobset;
pub mod names;
pub mod status;

pub use jobset::{
    Coordinator, DependsOn, DependsOnStatus, FailureAction, FailurePolicy, FailureRule, JobSet,
    JobSetSpec, JobTemplate, Metadata, Network, Operator, ReplicatedJob, RestartStrategy,
    StartupOrder, StartupPolicy, SuccessPolicy,
};
pub use status::{Condition, JobSetStatus, ReplicatedJobStatus};
