//! Scripts: commands and expectations as text, for `simulate --script` and for the scenario tests.
//!
//! - `read`: the file; `steps`: its commands; `expect`: its expectations; `lines`: what is told of it
//! - `play`: all of it on a world; `stage`: whose pods do what they are told

pub mod expect;
pub mod lines;
mod play;
mod read;
mod stage;
mod steps;

pub use play::Told;
pub use read::Script;
pub use stage::Stage;
