//! Deletions, as far as the API alone carries them out.

use super::*;
use crate::cluster::api::Propagation;

fn finalized(name: &str) -> Value {
    json!({"metadata": {"name": name, "finalizers": ["test.io/held"]}})
}

#[test]
fn finalizers_hold() {
    let mut world = world();
    let w = &mut world;
    create(w, Kind::ConfigMap, finalized("a")).unwrap();
    let deleted = delete(w, Kind::ConfigMap, "a", DeleteOptions::default()).unwrap();
    assert_eq!(
        deleted["metadata"]["deletionTimestamp"],
        "1970-01-01T00:00:00Z"
    );
    assert_eq!(deleted["metadata"]["deletionGracePeriodSeconds"], 0);
    let again = delete(w, Kind::ConfigMap, "a", DeleteOptions::default()).unwrap();
    assert_eq!(again, deleted);
    assert_eq!(
        refusal(create(w, Kind::ConfigMap, finalized("a"))),
        "409 object is being deleted: configmaps \"a\" already exists"
    );
    assert_eq!(
        refusal(patch(
            w,
            Kind::ConfigMap,
            "a",
            json!({"metadata": {"finalizers": ["test.io/held", "b.io/c"]}})
        )),
        "422 ConfigMap \"a\" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{\"b.io/c\"}"
    );
    patch(
        w,
        Kind::ConfigMap,
        "a",
        json!({"metadata": {"finalizers": null}}),
    )
    .unwrap();
    assert_eq!(
        refusal(get(w, Kind::ConfigMap, "a")),
        "404 configmaps \"a\" not found"
    );
}

#[test]
fn preconditions() {
    let mut world = world();
    let w = &mut world;
    let made = create(w, Kind::Job, job("a")).unwrap();
    let uid = made["metadata"]["uid"].as_str().unwrap();
    let wrong = DeleteOptions {
        uid: Some("x".to_owned()),
        ..DeleteOptions::default()
    };
    assert_eq!(
        refusal(delete(w, Kind::Job, "a", wrong)),
        format!(
            "409 Operation cannot be fulfilled on Job.batch \"a\": the UID in the precondition (x) does not match the UID in record ({uid}). The object might have been deleted and then recreated"
        )
    );
    let old = DeleteOptions {
        version: Some("1".to_owned()),
        ..DeleteOptions::default()
    };
    assert_eq!(delete(w, Kind::Job, "a", old).unwrap_err().code, 409);
    let right = DeleteOptions {
        uid: Some(uid.to_owned()),
        propagation: Some(Propagation::Background),
        ..DeleteOptions::default()
    };
    let status = delete(w, Kind::Job, "a", right).unwrap();
    assert_eq!(
        status["details"],
        json!({"name": "a", "group": "batch", "kind": "jobs", "uid": uid})
    );
    assert_eq!(status["status"], "Success");
}

#[test]
fn how_dependents_go() {
    for (propagation, finalizers) in [
        (None, json!(["orphan"])),
        (Some(Propagation::Orphan), json!(["orphan"])),
        (Some(Propagation::Foreground), json!(["foregroundDeletion"])),
        (Some(Propagation::Background), Value::Null),
    ] {
        let mut world = world();
        create(&mut world, Kind::Job, job("a")).unwrap();
        let options = DeleteOptions {
            propagation,
            ..DeleteOptions::default()
        };
        let deleted = delete(&mut world, Kind::Job, "a", options).unwrap();
        assert_eq!(deleted["metadata"]["finalizers"], finalizers);
        let there = get(&mut world, Kind::Job, "a").is_ok();
        assert_eq!(there, !finalizers.is_null());
    }
}

fn bound(world: &mut World, name: &str) {
    create(world, Kind::Pod, pod(name)).unwrap();
    let binding = json!({"metadata": {"name": name}, "target": {"kind": "Node", "name": "n"}});
    let path = format!("{name}/binding");
    ask(world, Kind::Pod, &path, Verb::Create(strict(), binding)).unwrap();
}

#[test]
fn pods_end_gracefully() {
    let mut world = world();
    let w = &mut world;
    bound(w, "a");
    let deleted = delete(w, Kind::Pod, "a", DeleteOptions::default()).unwrap();
    assert_eq!(
        deleted["metadata"]["deletionTimestamp"],
        "1970-01-01T00:00:30Z"
    );
    assert_eq!(deleted["metadata"]["deletionGracePeriodSeconds"], 30);
    assert_eq!(deleted["metadata"]["generation"], 2);
    let sooner = DeleteOptions {
        grace: Some(10),
        ..DeleteOptions::default()
    };
    let deleted = delete(w, Kind::Pod, "a", sooner).unwrap();
    assert_eq!(
        deleted["metadata"]["deletionTimestamp"],
        "1970-01-01T00:00:10Z"
    );
    let later = DeleteOptions {
        grace: Some(20),
        ..DeleteOptions::default()
    };
    assert_eq!(delete(w, Kind::Pod, "a", later).unwrap(), deleted);
    let now = DeleteOptions {
        grace: Some(0),
        ..DeleteOptions::default()
    };
    delete(w, Kind::Pod, "a", now).unwrap();
    assert!(get(w, Kind::Pod, "a").is_err());
}

#[test]
fn pods_that_do_not_run_go_at_once() {
    let mut world = world();
    let w = &mut world;
    create(w, Kind::Pod, pod("a")).unwrap();
    delete(w, Kind::Pod, "a", DeleteOptions::default()).unwrap();
    assert!(get(w, Kind::Pod, "a").is_err());
    bound(w, "b");
    patch(
        w,
        Kind::Pod,
        "b/status",
        json!({"status": {"phase": "Succeeded"}}),
    )
    .unwrap();
    delete(w, Kind::Pod, "b", DeleteOptions::default()).unwrap();
    assert!(get(w, Kind::Pod, "b").is_err());
}

#[test]
fn many_at_once() {
    let mut world = world();
    let w = &mut world;
    for name in ["a", "b", "c"] {
        let mut map = map(name, json!({}));
        map["metadata"]["labels"] = json!({"x": name});
        create(w, Kind::ConfigMap, map).unwrap();
    }
    let which = ListOptions {
        labels: "x!=b".to_owned(),
        ..ListOptions::default()
    };
    let verb = Verb::DeleteCollection(DeleteOptions::default(), which);
    let answer = ask(w, Kind::ConfigMap, "", verb).unwrap();
    assert_eq!(value_of(answer), json!(["a", "c"]));
    let left = list(w, Kind::ConfigMap, ListOptions::default()).unwrap();
    assert_eq!(names(&left.items), ["b"]);
}

#[test]
fn evictions_mark_and_delete() {
    let mut world = world();
    let w = &mut world;
    bound(w, "a");
    patch(
        w,
        Kind::Pod,
        "a/status",
        json!({"status": {"phase": "Running"}}),
    )
    .unwrap();
    let eviction = json!({"metadata": {"name": "a"}});
    ask(w, Kind::Pod, "a/eviction", Verb::Create(strict(), eviction)).unwrap();
    let pod = get(w, Kind::Pod, "a").unwrap();
    assert_eq!(pod["metadata"]["deletionGracePeriodSeconds"], 30);
    let conditions = pod["status"]["conditions"].as_array().unwrap();
    let target = conditions
        .iter()
        .find(|c| c["type"] == "DisruptionTarget")
        .unwrap();
    assert_eq!(target["reason"], "EvictionByEvictionAPI");
}
