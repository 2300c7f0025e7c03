//! Bookmarks, and lists that are streamed by a watch.

use serde_json::{Value, json};

use crate::objects::lease;
use crate::reply::text;
use crate::server::{Server, query};
use crate::watching::brief;

checks![
    initial_events_end_with_a_bookmark,
    initial_events_of_a_selection,
    initial_events_without_bookmarks,
    no_initial_events,
    initial_events_need_a_match,
    initial_events_are_for_watches,
    a_bookmark_before_the_end,
    bookmarks_only_for_who_allows_them,
];

const MATCH: (&str, &str) = ("resourceVersionMatch", "NotOlderThan");
const INITIAL: (&str, &str) = ("sendInitialEvents", "true");
const BOOKMARKS: (&str, &str) = ("allowWatchBookmarks", "true");

async fn make(s: &Server, name: &str) -> String {
    let made = s.post(&s.leases(""), lease(name)).await.ok();
    made.at("/metadata/resourceVersion")
}

fn words(expected: &[&str]) -> Vec<String> {
    expected.iter().map(|w| (*w).to_owned()).collect()
}

async fn initial_events_end_with_a_bookmark(s: &Server) {
    make(s, "a").await;
    let last = make(s, "b").await;
    let mut watch = s.watch(&s.leases(""), &[INITIAL, BOOKMARKS, MATCH]).await;
    let seen = watch.take(3).await;
    s.equal(
        "events",
        brief(&seen),
        words(&["ADDED a", "ADDED b", "BOOKMARK "]),
    );
    s.like(
        &seen[2].object,
        json!({
            "kind": "Lease",
            "apiVersion": "coordination.k8s.io/v1",
            "metadata": {
                "resourceVersion": "*",
                "annotations": {"k8s.io/initial-events-end": "true"},
            },
        }),
    );
    let at: u64 = text(&seen[2].object, "/metadata/resourceVersion")
        .parse()
        .unwrap();
    s.holds("as new as the last object", at >= last.parse().unwrap());
    make(s, "c").await;
    let next = watch.until(|e| e.kind != "BOOKMARK").await;
    s.equal("then", next.last().unwrap().brief(), "ADDED c".to_owned());
}

async fn initial_events_of_a_selection(s: &Server) {
    make(s, "a").await;
    make(s, "b").await;
    let mut watch = s
        .watch(
            &s.leases(""),
            &[
                INITIAL,
                BOOKMARKS,
                MATCH,
                ("fieldSelector", "metadata.name=b"),
            ],
        )
        .await;
    s.equal(
        "events",
        brief(&watch.take(2).await),
        words(&["ADDED b", "BOOKMARK "]),
    );
}

async fn initial_events_without_bookmarks(s: &Server) {
    make(s, "a").await;
    let mut watch = s
        .watch(&s.leases(""), &[INITIAL, MATCH, ("timeoutSeconds", "1")])
        .await;
    s.equal("events", brief(&watch.rest().await), words(&["ADDED a"]));
}

async fn no_initial_events(s: &Server) {
    make(s, "a").await;
    let mut watch = s
        .watch(&s.leases(""), &[("sendInitialEvents", "false"), MATCH])
        .await;
    // From now on: "now" is when the watch was answered.
    make(s, "b").await;
    s.equal("events", brief(&watch.take(1).await), words(&["ADDED b"]));
}

async fn initial_events_need_a_match(s: &Server) {
    let path = query(&s.leases(""), &[("watch", "true"), INITIAL]);
    s.get(&path).await.invalid(
        "ListOptions.meta.k8s.io",
        "",
        &[(
            "FieldValueForbidden",
            "Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
            "resourceVersionMatch",
        )],
    );
    let path = query(
        &s.leases(""),
        &[("watch", "true"), MATCH, ("resourceVersion", "1")],
    );
    s.get(&path).await.invalid(
        "ListOptions.meta.k8s.io",
        "",
        &[(
            "FieldValueForbidden",
            "Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
            "resourceVersionMatch",
        )],
    );
}

async fn initial_events_are_for_watches(s: &Server) {
    s.get(&query(&s.leases(""), &[INITIAL])).await.invalid(
        "ListOptions.meta.k8s.io",
        "",
        &[(
            "FieldValueForbidden",
            "Forbidden: sendInitialEvents is forbidden for list",
            "sendInitialEvents",
        )],
    );
}

async fn a_bookmark_before_the_end(s: &Server) {
    let from = make(s, "a").await;
    let mut watch = s
        .watch(
            &s.leases(""),
            &[
                BOOKMARKS,
                ("resourceVersion", &from),
                ("timeoutSeconds", "4"),
            ],
        )
        .await;
    let seen = watch.rest().await;
    s.holds("at least one", !seen.is_empty());
    for event in &seen {
        s.equal("kind", event.kind.as_str(), "BOOKMARK");
        s.like(
            &event.object,
            json!({
                "kind": "Lease",
                "apiVersion": "coordination.k8s.io/v1",
                "metadata": {"resourceVersion": "*"},
            }),
        );
        let at: u64 = text(&event.object, "/metadata/resourceVersion")
            .parse()
            .unwrap();
        s.holds("not before the start", at >= from.parse().unwrap());
    }
}

async fn bookmarks_only_for_who_allows_them(s: &Server) {
    let from = make(s, "a").await;
    let mut watch = s
        .watch(
            &s.leases(""),
            &[("resourceVersion", &from), ("timeoutSeconds", "4")],
        )
        .await;
    let seen = watch.rest().await;
    s.like(&json!(seen.len()), json!(0));
    s.delete(&s.leases("/a"), Value::Null).await.is(200);
}
