//! The log engine: the logs of a whole run, across pods, containers, restarts and attempts (cli.md 7).
//!
//! Pure parts: [`line`] cuts and parts lines, [`resume`] knows where a stream was left, [`order`] sorts
//! by time, [`select`] says what is wanted, [`pod`] what there is to read,
//! [`plan`] which logs that makes for a run as it stands, [`kept`] the lines that the record kept,
//! [`format`] how a line is printed.
//!
//! Shell parts: [`source`] is what bytes come from (and the API server behind it), [`read`] reads one
//! log to its end, [`stream`] follows one container, [`pod_streams`] those of a pod, [`follow`] all, [`dump`] prints what is
//! there.
//!
//! It refuses to decide anything about the run, and to print: lines come out as [`LogLine`].

pub mod dump;
pub mod follow;
pub mod format;
pub mod kept;
pub mod line;
pub mod order;
pub mod origin;
pub mod plan;
pub mod pod;
pub mod pod_streams;
pub mod read;
pub mod resume;
pub mod select;
pub mod source;
pub mod stream;

pub use follow::{LogStreams, Options};
pub use origin::{Item, LogLine, Note, Origin};
pub use select::{Containers, Selection};
pub use source::{KubeSource, LogSource, OpenError, OpenLog, Since};

#[cfg(test)]
pub(crate) mod fake;
