//! Watches.

use super::*;
use crate::cluster::api::{Watch, WatchEvent};
use crate::cluster::store::ChangeKind;

fn told(watch: &mut Watch, world: &World) -> Vec<String> {
    let events = watch.poll(world).unwrap();
    events
        .iter()
        .map(|event| match event {
            WatchEvent::Change(kind, object) => {
                let version = object
                    .meta()
                    .resource_version
                    .as_deref()
                    .unwrap_or_default();
                assert!(!version.is_empty());
                format!("{kind:?} {}", object.name())
            }
            WatchEvent::Bookmark { initial, .. } => format!("Bookmark {initial}"),
        })
        .collect()
}

fn watch(world: &World, options: &ListOptions) -> Watch {
    world.watch(Kind::ConfigMap, Some(NS), options).unwrap()
}

fn labelled(name: &str, value: &str) -> Value {
    json!({"metadata": {"name": name, "labels": {"x": value}}})
}

#[test]
fn selectors_turn_changes_into_comings_and_goings() {
    let mut world = world();
    let w = &mut world;
    let options = ListOptions {
        labels: "x=1".to_owned(),
        version: Some(w.version().to_string()),
        ..ListOptions::default()
    };
    let mut watch = watch(w, &options);
    create(w, Kind::ConfigMap, labelled("a", "2")).unwrap();
    assert!(told(&mut watch, w).is_empty());
    patch(w, Kind::ConfigMap, "a", labelled("a", "1")).unwrap();
    patch(w, Kind::ConfigMap, "a", json!({"data": {"k": "v"}})).unwrap();
    assert_eq!(told(&mut watch, w), ["Added a", "Modified a"]);
    patch(w, Kind::ConfigMap, "a", labelled("a", "2")).unwrap();
    let events = watch.poll(w).unwrap();
    let [WatchEvent::Change(ChangeKind::Deleted, object)] = events.as_slice() else {
        panic!("{events:?}");
    };
    assert_eq!(object.label("x"), Some("1"));
    assert_eq!(
        object.meta().resource_version.as_deref(),
        Some(w.version().to_string().as_str())
    );
    delete(w, Kind::ConfigMap, "a", DeleteOptions::default()).unwrap();
    assert!(told(&mut watch, w).is_empty());
}

#[test]
fn without_a_version_it_begins_with_what_is_there() {
    let mut world = world();
    let w = &mut world;
    create(w, Kind::ConfigMap, labelled("a", "1")).unwrap();
    let mut plain = watch(w, &ListOptions::default());
    let mut ended = watch(
        w,
        &ListOptions {
            initial_events: Some(true),
            version_match: Some("NotOlderThan".to_owned()),
            bookmarks: true,
            ..ListOptions::default()
        },
    );
    delete(w, Kind::ConfigMap, "a", DeleteOptions::default()).unwrap();
    assert_eq!(told(&mut plain, w), ["Added a", "Deleted a"]);
    assert_eq!(
        told(&mut ended, w),
        ["Added a", "Bookmark true", "Deleted a"]
    );
}

#[test]
fn bookmarks_tell_that_nothing_happens() {
    let mut world = world();
    let w = &mut world;
    let mut watch = watch(
        w,
        &ListOptions {
            bookmarks: true,
            ..ListOptions::default()
        },
    );
    create(w, Kind::Secret, labelled("a", "1")).unwrap();
    assert!(told(&mut watch, w).is_empty());
    w.advance(Timestamp::from_second(61).unwrap());
    assert_eq!(told(&mut watch, w), ["Bookmark false"]);
    assert_eq!(watch.version(), w.version());
    assert!(told(&mut watch, w).is_empty());
}

#[test]
fn history_ends() {
    let mut world = world();
    let w = &mut world;
    create(w, Kind::ConfigMap, labelled("a", "1")).unwrap();
    let old = ListOptions {
        version: Some("1".to_owned()),
        ..ListOptions::default()
    };
    let mut late = watch(w, &ListOptions::default());
    let mut early = watch(w, &old);
    assert_eq!(told(&mut early, w), ["Added a"]);
    w.store.compact(Kind::ConfigMap);
    assert_eq!(told(&mut late, w), ["Added a"]);
    let gone = w.watch(Kind::ConfigMap, Some(NS), &old).unwrap_err();
    assert_eq!((gone.code, gone.reason), (410, "Expired"));
    assert!(
        gone.message.starts_with("too old resource version: 1 ("),
        "{}",
        gone.message
    );
}
