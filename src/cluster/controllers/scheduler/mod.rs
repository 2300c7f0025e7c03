//! The scheduler.

use crate::cluster::store::Change;
use crate::cluster::world::World;

/// What it has to do at a moment.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::cluster) enum Due {}

/// What it remembers.
#[derive(Debug, Default)]
pub(in crate::cluster) struct State {}

/// An object has changed.
pub(in crate::cluster) fn notice(_world: &mut World, _change: &Change) {}

/// Something is due.
pub(in crate::cluster) fn run(_world: &mut World, due: Due) {
    match due {}
}
