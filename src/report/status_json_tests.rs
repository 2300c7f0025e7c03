use std::collections::BTreeSet;

use serde_json::Value;

use super::*;
use crate::report::testing::running;

fn keys(value: &Value) -> BTreeSet<&str> {
    value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

/// cli.md 9 names these; no run may lack one of them.
#[test]
fn every_field_is_there_even_if_empty() {
    let mut bare = running();
    bare.state = crate::engine::RunState::default();
    bare.snapshot.max_restarts = None;
    bare.snapshot.started = None;
    bare.driver = crate::report::view::DriverView::default();
    for run in [running(), bare] {
        let value: Value = serde_json::from_str(&one(&run).unwrap()).unwrap();
        let want = BTreeSet::from([
            "schema",
            "namespace",
            "name",
            "uid",
            "record",
            "created",
            "started",
            "finished",
            "state",
            "reason",
            "attempt",
            "restarts",
            "restartsCounted",
            "maxRestarts",
            "podsReplaced",
            "driver",
            "roles",
            "attempts",
            "attemptsDropped",
            "firstFailure",
        ]);
        assert_eq!(keys(&value), want);
        assert_eq!(
            keys(&value["driver"]),
            BTreeSet::from(["holder", "renewed", "live"])
        );
        assert_eq!(
            keys(&value["roles"][0]),
            BTreeSet::from([
                "name",
                "replicas",
                "ready",
                "starting",
                "failing",
                "succeeded",
                "failed",
                "suspended",
                "waiting",
                "terminating",
                "pods",
                "podsWanted",
                "podsTerminating",
                "waitsFor",
                "notes",
            ])
        );
    }
}

#[test]
fn values_are_the_runs() {
    let mut run = running();
    run.snapshot.roles[1].notes = crate::report::testing::snapshot().roles[1].notes.clone();
    let value: Value = serde_json::from_str(&one(&run).unwrap()).unwrap();
    assert_eq!(value["schema"], "jobset.status/v1");
    assert_eq!(value["state"], "Running");
    assert_eq!(value["restartsCounted"], 1);
    assert_eq!(value["maxRestarts"], 3);
    assert_eq!(value["created"], "2026-12-01T09:14:02Z");
    assert_eq!(value["driver"]["holder"], "ada@laptop");
    assert_eq!(value["driver"]["live"], true);
    assert_eq!(value["roles"][2]["waitsFor"], "worker complete");
    assert_eq!(value["roles"][1]["notes"][1]["target"], "worker/1");
    assert_eq!(value["attempts"][0]["cause"]["how"], "OOMKilled");
    assert_eq!(value["attempts"][1]["kind"], "restart");
    assert_eq!(value["firstFailure"]["exitCode"], 137);
    assert_eq!(value["finished"], Value::Null);
}

#[test]
fn a_list_has_items() {
    let value: Value = serde_json::from_str(&list(&[running()]).unwrap()).unwrap();
    assert_eq!(value["schema"], "jobset.status/v1");
    assert_eq!(value["items"][0]["name"], "train");
    let empty: Value = serde_json::from_str(&list(&[]).unwrap()).unwrap();
    assert_eq!(empty["items"], serde_json::json!([]));
}
