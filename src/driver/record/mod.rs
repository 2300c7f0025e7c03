//! What of a run must outlive the process: the record. Here it is a ConfigMap in the user's namespace,
//! which owns everything that the run makes.
//!
//! [`types`] is what is in it, [`configmap`] how it is written down, [`size`] keeps it within its
//! bounds, [`store`] reads, writes and watches it. Another kind of record is another `configmap` and
//! `store`; nobody else knows how it is stored.

pub mod configmap;
pub mod size;
pub mod store;
pub mod types;

pub use store::{CreateError, Propagation, Records};
pub use types::{Control, NewRecord, Record, RecordEvent, Seat, Settings, Source, WriteError};
