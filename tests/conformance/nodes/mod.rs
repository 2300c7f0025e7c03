//! The scheduler, and nodes as objects.

mod changes;
mod messages;

use crate::suite::{Check, Nodes};

pub(crate) fn checks() -> Vec<Check> {
    let changes = changes::checks().into_iter().map(|check| Check {
        nodes: Nodes::Changes,
        ..check
    });
    let messages = messages::checks().into_iter().map(|check| Check {
        nodes: Nodes::Counts,
        ..check
    });
    changes.chain(messages).collect()
}
