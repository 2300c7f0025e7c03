//! Scripts as annotations of a pod, with the meaning that `tests/cluster/README.md` gives them: the same
//! tests run on fake nodes of a real control plane.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::jiff::SignedDuration;

use super::play::{End, Exit, Play, Terminate};
use crate::api::names;

const PREFIX: &str = "kubectl-jobset.test/";

/// Annotations with a list of values of a label: the exit code is meant for pods in all of them.
const ONLY: [(&str, &str); 3] = [
    ("fail-attempts", names::RESTART_ATTEMPT),
    ("fail-jobs", names::JOB_INDEX),
    ("fail-indexes", names::COMPLETION_INDEX),
];

/// The script, if the pod has any of these annotations.
pub(super) fn read(pod: &Pod) -> Option<Play> {
    let all = pod.metadata.annotations.as_ref()?;
    let notes: BTreeMap<&str, &str> = all
        .range(PREFIX.to_owned()..)
        .map_while(|(key, value)| Some((key.strip_prefix(PREFIX)?, value.as_str())))
        .collect();
    if notes.is_empty() {
        return None;
    }
    let span = |key: &str| notes.get(key).and_then(|text| seconds(text));
    let flag = |key: &str| notes.get(key).map(|text| *text == "true");
    let ends = notes.contains_key("run-for") || notes.contains_key("exit-code");
    let end = ends.then(|| End {
        after: span("run-for").unwrap_or_default(),
        exit: exit(pod, &notes),
        container: None,
    });
    let terminate = match notes.get("terminate-after") {
        Some(&"never") => Some(Terminate::Never),
        Some(text) => seconds(text).map(Terminate::Stubborn),
        None => None,
    };
    Some(Play {
        // At once, as the table says, whatever the pace.
        start_after: Some(span("start-after").unwrap_or_default()),
        ready_after: span("ready-after"),
        never_ready: flag("never-ready"),
        end,
        terminate,
        lines: notes.get("log").map(|text| {
            text.trim_end_matches('\n')
                .split('\n')
                .map(str::to_owned)
                .collect()
        }),
        line_every: span("log-every"),
        no_restarts: true,
        manual: flag("manual") == Some(true),
        ..Play::default()
    })
}

fn exit(pod: &Pod, notes: &BTreeMap<&str, &str>) -> Exit {
    let code = notes
        .get("exit-code")
        .and_then(|text| text.trim().parse().ok())
        .unwrap_or(0);
    let label = |key: &str| pod.metadata.labels.as_ref()?.get(key).map(String::as_str);
    let meant = ONLY.iter().all(|(note, key)| {
        notes.get(note).is_none_or(|list| {
            list.split(',')
                .any(|value| Some(value.trim()) == label(key))
        })
    });
    let code = if meant { code } else { 0 };
    let own = |key: &str| notes.get(key).map(|text| (*text).to_owned());
    Exit {
        reason: if code == 0 { None } else { own("exit-reason") },
        message: own("exit-message"),
        ..Exit::code(code)
    }
}

fn seconds(text: &str) -> Option<SignedDuration> {
    let number: f64 = text.trim().parse().ok()?;
    SignedDuration::try_from_secs_f64(number).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn play(annotations: serde_json::Value, labels: serde_json::Value) -> Option<Play> {
        let pod = json!({"metadata": {"annotations": annotations, "labels": labels}});
        read(&serde_json::from_value(pod).unwrap())
    }

    #[test]
    fn lists_are_all_required() {
        let notes = json!({"kubectl-jobset.test/exit-code": "3", "kubectl-jobset.test/fail-attempts": "0,1",
            "kubectl-jobset.test/fail-jobs": "1"});
        for (attempt, job, code) in [("0", "1", 3), ("1", "1", 3), ("2", "1", 0), ("0", "0", 0)] {
            let labels = json!({names::RESTART_ATTEMPT: attempt, names::JOB_INDEX: job});
            let end = play(notes.clone(), labels).unwrap().end.unwrap();
            assert_eq!(end.exit.code, code, "attempt {attempt} job {job}");
            assert!(end.after.is_zero());
        }
    }

    #[test]
    fn other_annotations_are_no_script() {
        assert_eq!(play(json!({"a": "b", "z/z": "1"}), json!({})), None);
        let log = play(json!({"kubectl-jobset.test/log": "a\nb\n"}), json!({})).unwrap();
        assert_eq!(
            log.lines.as_deref(),
            Some(&["a".to_owned(), "b".to_owned()][..])
        );
        let fractions = play(json!({"kubectl-jobset.test/run-for": "2.5"}), json!({})).unwrap();
        assert_eq!(fractions.end.unwrap().after.as_millis(), 2500);
    }
}
