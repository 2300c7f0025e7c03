//! The scheduler: pods that have no node get the one that has the fewest pods among those that they fit.
//!
//! - `notice`: what changes mean; `state`: what is remembered
//! - `cycle`: one look at all that wait; `fit`: the filters and their words; `events`
//! - `nodes`, `resources`, `labels`, `groups`: what the filters look at
//!
//! What it does not do: priorities and preemption, preferred affinity, topology spread constraints, ports,
//! volumes, resource claims. A pod's failure is told as an event when its reason changes, not at each try.

mod cycle;
mod events;
mod fit;
mod groups;
mod labels;
mod nodes;
mod notice;
mod resources;
mod state;
#[cfg(test)]
mod tests;

pub(in crate::cluster) use nodes::bears;
pub(in crate::cluster) use state::State;

use crate::cluster::store::Change;
use crate::cluster::world::World;

/// What it has to do at a moment.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::cluster) enum Due {
    /// Look at pods that have no node.
    Look,
}

/// An object has changed.
pub(in crate::cluster) fn notice(world: &mut World, change: &Change) {
    notice::change(world, change);
}

/// Something is due.
pub(in crate::cluster) fn run(world: &mut World, due: Due) {
    match due {
        Due::Look => cycle::run(world),
    }
}
