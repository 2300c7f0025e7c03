//! Arguments and environment resolved into one plain struct per verb: flag before environment before
//! default (plugin-conventions C.5). Verbs see these and never the command line.

mod common;
mod logs;
mod pocket;
mod run;
mod simulate;
mod verbs;

pub use common::{ManifestSettings, Source, Talk, connection};
pub use logs::{Attempts, LogsSettings, MAX_LOG_REQUESTS};
pub use pocket::{Nodes, PocketSettings};
pub use run::{AttachSettings, HEARTBEAT, LogChoice, RunSettings, StaySettings};
pub use simulate::SimulateSettings;
pub use verbs::{
    ChangeSettings, CompletionSettings, DeleteSettings, RenderSettings, StatusSettings,
    ValidateSettings, VersionSettings,
};

#[cfg(test)]
mod tests;
