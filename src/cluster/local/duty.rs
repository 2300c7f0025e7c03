//! What a pod wants of the machine it is bound to: to be started, stopped, killed, or taken away. Pure.

use k8s_openapi::api::core::v1::Pod;

/// What is known of a pod's processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// There are none.
    Nothing,
    /// They were started.
    Started,
    /// They were told to end.
    Stopping,
}

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duty {
    /// Nothing.
    Leave,
    /// Start it.
    Start,
    /// End it in good order, within that many seconds.
    Stop {
        /// Grace.
        grace_s: i64,
    },
    /// End it at once: nobody drives its run any more.
    Kill,
    /// It was running under a host that is dead: it has failed.
    Lost,
    /// It was deleted and has no processes: it can go.
    Remove,
}

/// What `pod` wants of the machine `node`; `open`: its run may have processes.
#[must_use]
pub fn duty(pod: &Pod, node: &str, known: Known, open: bool) -> Duty {
    let bound = pod.spec.as_ref().and_then(|s| s.node_name.as_deref());
    if bound != Some(node) {
        return Duty::Leave;
    }
    let phase = pod.status.as_ref().and_then(|s| s.phase.as_deref());
    let ended = matches!(phase, Some("Succeeded" | "Failed"));
    if pod.metadata.deletion_timestamp.is_some() {
        return match known {
            Known::Nothing => Duty::Remove,
            Known::Started if open => Duty::Stop {
                grace_s: pod.metadata.deletion_grace_period_seconds.unwrap_or(0),
            },
            Known::Started => Duty::Kill,
            Known::Stopping => Duty::Leave,
        };
    }
    match known {
        _ if ended => Duty::Leave,
        Known::Nothing if phase == Some("Running") => Duty::Lost,
        Known::Nothing if open => Duty::Start,
        Known::Started if !open => Duty::Kill,
        Known::Nothing | Known::Started | Known::Stopping => Duty::Leave,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn pod(node: &str, phase: &str, deleting: bool) -> Pod {
        let mut value = json!({
            "metadata": {"name": "p"},
            "spec": {"containers": [], "nodeName": node},
            "status": {"phase": phase},
        });
        if deleting {
            value["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
            value["metadata"]["deletionGracePeriodSeconds"] = json!(7);
        }
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn the_table() {
        use Known::{Nothing, Started, Stopping};
        let stop = Duty::Stop { grace_s: 7 };
        for (node, phase, deleting, known, open, want) in [
            ("other", "Pending", false, Nothing, true, Duty::Leave),
            ("", "Pending", false, Nothing, true, Duty::Leave),
            ("here", "Pending", false, Nothing, true, Duty::Start),
            ("here", "Pending", false, Nothing, false, Duty::Leave),
            ("here", "Pending", false, Started, true, Duty::Leave),
            ("here", "Running", false, Started, true, Duty::Leave),
            ("here", "Running", false, Started, false, Duty::Kill),
            ("here", "Running", false, Stopping, false, Duty::Leave),
            ("here", "Running", false, Nothing, true, Duty::Lost),
            ("here", "Running", false, Nothing, false, Duty::Lost),
            ("here", "Succeeded", false, Nothing, true, Duty::Leave),
            ("here", "Failed", false, Started, false, Duty::Leave),
            ("here", "Running", true, Started, true, stop),
            ("here", "Running", true, Started, false, Duty::Kill),
            ("here", "Running", true, Stopping, true, Duty::Leave),
            ("here", "Pending", true, Nothing, true, Duty::Remove),
            ("here", "Running", true, Nothing, true, Duty::Remove),
            ("here", "Failed", true, Nothing, false, Duty::Remove),
        ] {
            let pod = pod(node, phase, deleting);
            assert_eq!(
                duty(&pod, "here", known, open),
                want,
                "{node} {phase} deleting={deleting} {known:?} open={open}"
            );
        }
    }
}
