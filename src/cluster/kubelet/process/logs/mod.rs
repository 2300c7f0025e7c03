//! Output of containers: a file for each time that a container ran, in the form that container runtimes write and the
//! kubelet reads (`2026-12-01T09:00:00.123456789Z stdout F line`), and the reader that answers a pod's `/log`.

mod line;
mod read;
mod write;

pub use line::Stream;
pub use read::{LogOptions, LogReader, which};
pub(super) use read::{last, path};
pub(super) use write::LogWriter;
