use serde_json::{Value, json};

use super::*;
use crate::api::{JobSet, JobSetSpec, Metadata, names};
use crate::driver::kube::fake::{Calls, Reply, server};
use crate::driver::record::{Seat, Settings};
use crate::engine::RunState;

fn jobset() -> JobSet {
    JobSet {
        api_version: names::API_VERSION.to_owned(),
        kind: names::KIND.to_owned(),
        metadata: Metadata {
            name: "train".to_owned(),
            ..Metadata::default()
        },
        spec: JobSetSpec::default(),
    }
}

fn new() -> NewRecord {
    NewRecord {
        namespace: "ml".to_owned(),
        jobset: jobset(),
        source: None,
        state: RunState::default(),
        seat: Seat {
            holder: "ada".to_owned(),
            epoch: 1,
        },
        settings: Settings::default(),
    }
}

/// The ConfigMap of [`new`] as the server has it, at that version.
fn there(version: &str) -> Value {
    let mut map = configmap::encode(&new());
    map["metadata"]["uid"] = json!("run");
    map["metadata"]["resourceVersion"] = json!(version);
    map["metadata"]["creationTimestamp"] = json!("2026-12-01T09:00:00Z");
    map
}

fn record(version: &str) -> Record {
    decode(serde_json::from_value(there(version)).unwrap()).unwrap()
}

fn with(version: &str, key: &str, part: &Value) -> Value {
    let mut map = there(version);
    map["data"][key] = json!(part.to_string());
    map
}

fn store(answer: impl Fn(usize) -> Reply + Send + Sync + 'static) -> (Records, Calls) {
    let (conn, calls) = server(move |n, _| answer(n));
    (Records::new(&conn.patient(), "ml"), calls)
}

#[test]
fn what_is_written_is_what_is_read() {
    let mut new = new();
    new.state.seq = 7;
    new.settings.evidence_lines = 3;
    new.settings.fail_at = crate::engine::FailAt::Failed;
    let mut map = configmap::encode(&new);
    map["metadata"]["uid"] = json!("run");
    map["metadata"]["creationTimestamp"] = json!("2026-12-01T09:00:00Z");
    let read = decode(serde_json::from_value(map.clone()).unwrap()).unwrap();
    assert_eq!(read.jobset, new.jobset);
    assert_eq!(read.state, new.state);
    assert_eq!(read.settings, new.settings);
    assert_eq!(read.seat, new.seat);
    assert_eq!(read.control, crate::driver::record::Control::default());
    assert_eq!(map["metadata"]["name"], "train-run");
    assert_eq!(map["metadata"]["labels"][names::RECORD_LABEL], "1");
    assert_eq!(map["metadata"]["labels"][names::JOBSET_NAME], "train");
}

fn refusal(change: impl Fn(&mut Value)) -> Error {
    let mut map = there("1");
    change(&mut map);
    decode(serde_json::from_value(map).unwrap()).unwrap_err()
}

#[test]
fn what_is_no_record_is_named() {
    let foreign = refusal(|m| m["metadata"]["labels"] = json!({}));
    assert_eq!(foreign.kind(), Kind::InTheWay);
    assert!(
        foreign.message().contains("configmap/train-run"),
        "{foreign}"
    );
    let newer = refusal(|m| m["data"]["format"] = json!("2"));
    assert!(newer.message().contains("format 2"), "{newer}");
    for broken in [
        refusal(|m| m["data"]["format"] = json!("x")),
        refusal(|m| m["data"]["state.json"] = json!("{")),
        refusal(|m| m["data"]["jobset.json"] = Value::Null.to_string().into()),
        refusal(|m| m["data"]["driver.json"] = json!("[]")),
        refusal(|m| m["metadata"]["labels"][names::JOBSET_NAME] = json!("other")),
    ] {
        assert_eq!(broken.kind(), Kind::Other);
        assert!(broken.message().contains("configmap/train-run"), "{broken}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_write_is_guarded_and_leaves_the_wishes_of_others_alone() {
    let (store, calls) = store(|_| Reply::ok(there("8")));
    let written = store.replace(&record("7")).await.unwrap();
    assert_eq!(written.resource_version, "8");
    let call = calls.all().remove(0);
    assert_eq!(call.short(), "PATCH configmaps/train-run");
    assert_eq!(
        call.body["metadata"],
        json!({"uid": "run", "resourceVersion": "7"})
    );
    let keys: Vec<_> = call.body["data"].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["driver.json", "state.json"]);
}

#[tokio::test(start_paused = true)]
async fn a_conflict_is_the_callers() {
    let (store, calls) = store(|n| match n {
        0 => Reply::status(409, "Conflict"),
        _ => Reply::ok(there("9")),
    });
    assert!(matches!(
        store.replace(&record("7")).await,
        Err(WriteError::Conflict)
    ));
    assert_eq!(
        calls.short(),
        ["PATCH configmaps/train-run", "GET configmaps/train-run"]
    );
}

/// The first try was carried out, its answer lost: the second meets our own write.
#[tokio::test(start_paused = true)]
async fn our_own_lost_write_is_no_conflict() {
    let (store, _) = store(|n| match n {
        0 => Reply::Broken,
        1 => Reply::status(409, "Conflict"),
        _ => Reply::ok(there("8")),
    });
    assert_eq!(
        store.replace(&record("7")).await.unwrap().resource_version,
        "8"
    );
}

/// The same, but it was another driver that wrote meanwhile.
#[tokio::test(start_paused = true)]
async fn a_lost_answer_does_not_hide_another_driver() {
    let (store, _) = store(|n| match n {
        0 => Reply::status(504, "Timeout"),
        1 => Reply::status(409, "Conflict"),
        _ => Reply::ok(with(
            "8",
            "driver.json",
            &json!({"seat": {"holder": "bob", "epoch": 2}, "settings": Settings::default()}),
        )),
    });
    assert!(matches!(
        store.replace(&record("7")).await,
        Err(WriteError::Conflict)
    ));
}

#[tokio::test(start_paused = true)]
async fn a_record_that_is_gone_or_another_is_gone() {
    let (first, _) = store(|_| Reply::status(404, "NotFound"));
    assert!(matches!(
        first.replace(&record("7")).await,
        Err(WriteError::Gone)
    ));
    for code in [(409, "Conflict"), (422, "Invalid")] {
        let (other, _) = store(move |n| match n {
            0 => Reply::status(code.0, code.1),
            _ => {
                let mut map = there("9");
                map["metadata"]["uid"] = json!("another");
                Reply::ok(map)
            }
        });
        assert!(matches!(
            other.replace(&record("7")).await,
            Err(WriteError::Gone)
        ));
    }
}

/// Without a version a write would not be guarded, so it is not sent.
#[tokio::test(start_paused = true)]
async fn an_unguarded_write_is_never_sent() {
    let (store, calls) = store(|_| Reply::ok(there("8")));
    assert!(matches!(
        store.replace(&record("")).await,
        Err(WriteError::Conflict)
    ));
    assert!(calls.all().is_empty());
}

#[tokio::test(start_paused = true)]
async fn trouble_that_passes_is_sat_out() {
    let (store, calls) = store(|n| match n {
        0..9 => Reply::Broken,
        9 => Reply::status(429, "TooManyRequests").header("retry-after", 1),
        10 => Reply::status(401, "Unauthorized"),
        _ => Reply::ok(there("8")),
    });
    assert_eq!(
        store.replace(&record("7")).await.unwrap().resource_version,
        "8"
    );
    assert_eq!(calls.all().len(), 12);
}

#[tokio::test(start_paused = true)]
async fn an_unclear_create_is_looked_up() {
    let (ours, calls) = store(|n| match n {
        0 => Reply::Broken,
        _ => Reply::ok(there("1")),
    });
    assert_eq!(ours.create(&new()).await.unwrap().uid, "run");
    assert_eq!(
        calls.short(),
        ["POST configmaps", "GET configmaps/train-run"]
    );
    let (theirs, _) = store(|n| match n {
        0 => Reply::Broken,
        _ => Reply::ok(with(
            "1",
            "driver.json",
            &json!({"seat": {"holder": "bob", "epoch": 1}, "settings": Settings::default()}),
        )),
    });
    assert!(matches!(
        theirs.create(&new()).await,
        Err(CreateError::Exists)
    ));
    let (taken, calls) = store(|_| Reply::status(409, "AlreadyExists"));
    assert!(matches!(
        taken.create(&new()).await,
        Err(CreateError::Exists)
    ));
    assert_eq!(calls.short(), ["POST configmaps"]);
}

/// Two people at once: the second wish is written on top of the first, none is lost.
#[tokio::test(start_paused = true)]
async fn wishes_are_read_changed_and_written_until_it_fits() {
    let stopped = json!({"stop": "ada"});
    let (store, calls) = store(move |n| match n {
        0 => Reply::ok(there("7")),
        1 => Reply::status(409, "Conflict"),
        2 | 3 => Reply::ok(with("8", "control.json", &stopped)),
        _ => Reply::ok(with(
            "9",
            "control.json",
            &json!({"stop": "ada", "delete": "bob"}),
        )),
    });
    let record = store.request_delete("train", "bob").await.unwrap();
    assert_eq!(record.control.delete.as_deref(), Some("bob"));
    let last = calls.all().pop().unwrap();
    assert_eq!(last.body["metadata"]["resourceVersion"], "8");
    let data = last.body["data"].as_object().unwrap();
    assert_eq!(data.len(), 1);
    let control: Value = serde_json::from_str(data["control.json"].as_str().unwrap()).unwrap();
    assert_eq!(control, json!({"stop": "ada", "delete": "bob"}));
}

#[tokio::test(start_paused = true)]
async fn a_wish_that_stands_is_not_written_again() {
    let (store, calls) = store(|_| Reply::ok(with("8", "control.json", &json!({"stop": "ada"}))));
    let record = store.request_stop("train", "bob").await.unwrap();
    assert_eq!(record.control.stop.as_deref(), Some("ada"));
    assert_eq!(calls.short(), ["GET configmaps/train-run"]);
}

#[tokio::test(start_paused = true)]
async fn suspending_writes_the_jobset_only() {
    let (store, calls) = store(|n| match n {
        0 => Reply::ok(there("7")),
        _ => Reply::ok(there("8")),
    });
    store.set_suspend("train", true).await.unwrap();
    let data = calls.all().pop().unwrap().body["data"].clone();
    let keys: Vec<_> = data.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["jobset.json"]);
    assert!(
        data["jobset.json"]
            .as_str()
            .unwrap()
            .contains("\"suspend\":true")
    );
}

#[tokio::test(start_paused = true)]
async fn no_such_run_is_said() {
    let (store, _) = store(|_| Reply::status(404, "NotFound"));
    assert_eq!(store.get("train").await.unwrap(), None);
    assert_eq!(
        store.request_stop("train", "bob").await.unwrap_err().kind(),
        Kind::NoSuchRun
    );
}

#[tokio::test(start_paused = true)]
async fn deleting_is_bound_to_the_uid() {
    let (store, calls) = store(|_| Reply::ok(json!({"kind": "Status"})));
    store
        .delete(&record("7"), Propagation::Background)
        .await
        .unwrap();
    let call = calls.all().remove(0);
    assert_eq!(call.short(), "DELETE configmaps/train-run");
    assert_eq!(call.body["preconditions"], json!({"uid": "run"}));
    assert_eq!(call.body["propagationPolicy"], "Background");
}

/// One broken record doesn't hide the others.
#[tokio::test(start_paused = true)]
async fn a_broken_record_in_a_list_is_a_warning() {
    let mut broken = there("1");
    broken["data"]["state.json"] = json!("{");
    let items = json!([broken, there("2")]);
    let (conn, _) = server(move |_, _| {
        Reply::ok(json!({"metadata": {"resourceVersion": "5"}, "items": items}))
    });
    let records = Records::new(&conn, "ml").list(true).await.unwrap();
    assert_eq!(records.len(), 1);
    let warnings = conn.take_warnings();
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].contains("configmap/train-run"), "{warnings:?}");
}

#[tokio::test(start_paused = true)]
async fn a_watch_tells_what_is_and_what_becomes() {
    let (conn, _) = server(|n, _| match n {
        0 => Reply::ok(json!({"metadata": {"resourceVersion": "5"}, "items": [there("4")]})),
        _ => Reply::Lines {
            lines: vec![
                json!({"type": "MODIFIED", "object": with("6", "control.json", &json!({"stop": "bob"}))}),
                json!({"type": "DELETED", "object": there("7")}),
            ],
            open: true,
        },
    });
    let events: Vec<_> = Records::new(&conn, "ml")
        .watch("train")
        .take(3)
        .collect()
        .await;
    let [
        RecordEvent::Seen(first),
        RecordEvent::Seen(second),
        RecordEvent::Gone,
    ] = &events[..]
    else {
        panic!("{events:?}");
    };
    assert_eq!(first.control.stop, None);
    assert_eq!(second.control.stop.as_deref(), Some("bob"));
}
