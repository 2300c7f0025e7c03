//! The log engine as the logs of a session (`--logs` of `run` and `attach`).

use crate::driver::port::LogTap;
use crate::engine::{EventKind, PodSeen};
use crate::logs::{Item, KubeSource, LogStreams};

/// Log streams, or none.
pub(super) struct Tap(Option<LogStreams<KubeSource>>);

impl Tap {
    /// `None`: no logs were asked for.
    pub(super) fn new(streams: Option<LogStreams<KubeSource>>) -> Self {
        Self(streams)
    }
}

impl LogTap for Tap {
    fn pod_seen(&mut self, pod: &PodSeen) {
        if let Some(streams) = &mut self.0 {
            streams.pod_seen(pod);
        }
    }

    fn run_ended(&mut self) {
        if let Some(streams) = &mut self.0 {
            streams.run_ended();
        }
    }

    async fn next(&mut self) -> Option<EventKind> {
        Some(match self.0.as_mut()?.next().await? {
            Item::Line(line) => EventKind::Log {
                role: line.from.role.clone(),
                job: line.from.job,
                index: line.from.index,
                attempt: line.from.attempt,
                pod: line.from.pod.clone(),
                container: line.from.container.clone(),
                line: String::from_utf8_lossy(&line.text).into_owned(),
            },
            Item::Note(note) => EventKind::Warning {
                message: note.to_string(),
            },
        })
    }
}
