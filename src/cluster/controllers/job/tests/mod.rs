//! Small worlds under virtual time.

mod deadlines;
mod deletion;
mod ends;
mod failure_policy;
mod per_index;
mod queues;
mod suspend;
