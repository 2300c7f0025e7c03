//! The controllers of the world: each looks at changes, notes what is due, and does it when its time comes.

pub mod gc;
pub mod job;
pub mod node;
pub mod podgc;
pub mod quota;
pub mod scheduler;
