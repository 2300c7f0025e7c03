//! The Job controller. The checks play the kubelet: pods of their Jobs do nothing by themselves.

mod backoff;
mod counts;
mod deadline;
mod defaults;
mod deletion;
mod ending;
mod events;
mod failure_policy;
mod per_index;
mod queue;
mod replacement;
mod success_policy;
mod suspend;

use crate::suite::Check;

/// Slow ones first.
pub(crate) fn checks() -> Vec<Check> {
    [
        backoff::checks(),
        per_index::checks(),
        deadline::checks(),
        failure_policy::checks(),
        replacement::checks(),
        suspend::checks(),
        success_policy::checks(),
        ending::checks(),
        counts::checks(),
        defaults::checks(),
        deletion::checks(),
        events::checks(),
        queue::checks(),
    ]
    .concat()
}
