//! Nodes: how they come (`shape`).

mod shape;

pub use shape::NodeShape;

/// What is remembered of nodes.
#[derive(Debug, Default)]
pub(in crate::cluster) struct State {
    /// Nodes that have come so far.
    came: u32,
}
