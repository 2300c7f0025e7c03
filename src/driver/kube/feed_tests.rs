use futures::StreamExt as _;
use serde_json::{Value, json};

use super::*;
use crate::driver::kube::fake::{Calls, Reply, server};
use crate::driver::kube::slim::Job;

fn target(start: Start) -> Target {
    Target {
        resource: Resource::Jobs,
        namespace: "ml".to_owned(),
        selector: ("labelSelector", "a=b".to_owned()),
        start,
    }
}

fn object(name: &str, version: &str) -> Value {
    json!({"metadata": {"name": name, "uid": name, "resourceVersion": version}})
}

fn list(version: &str, names: &[&str]) -> Reply {
    let items: Vec<_> = names.iter().map(|name| object(name, "1")).collect();
    Reply::ok(json!({"metadata": {"resourceVersion": version}, "items": items}))
}

fn line(type_: &str, name: &str, version: &str) -> Value {
    json!({"type": type_, "object": object(name, version)})
}

fn open(lines: Vec<Value>) -> Reply {
    Reply::Lines { lines, open: true }
}

fn closed(lines: Vec<Value>) -> Reply {
    Reply::Lines { lines, open: false }
}

/// The next changes as text: `list a,b`, `+a`, `-a`, `refused`, `allowed`.
async fn changes(
    count: usize,
    start: Start,
    answer: impl Fn(usize) -> Reply + Send + Sync + 'static,
) -> (Vec<String>, Calls) {
    let (conn, calls) = server(move |n, _| answer(n));
    let seen = feed::<Job>(&conn, target(start))
        .take(count)
        .map(|change| match change {
            Change::Listed(all) => {
                let names: Vec<_> = all.into_iter().map(|o| o.metadata.name).collect();
                format!("list {}", names.join(","))
            }
            Change::Applied(o) => format!("+{}", o.metadata.name),
            Change::Deleted(o) => format!("-{}", o.metadata.name),
            Change::Refused(_) => "refused".to_owned(),
            Change::Allowed => "allowed".to_owned(),
        })
        .collect()
        .await;
    (seen, calls)
}

fn versions(calls: &Calls) -> Vec<String> {
    calls
        .all()
        .iter()
        .filter(|c| c.query.contains_key("watch"))
        .map(|c| c.query.get("resourceVersion").cloned().unwrap_or_default())
        .collect()
}

#[tokio::test(start_paused = true)]
async fn a_list_then_changes() {
    let (seen, calls) = changes(4, Start::List, |n| match n {
        0 => list("10", &["a"]),
        _ => open(vec![
            line("ADDED", "b", "11"),
            line("MODIFIED", "a", "12"),
            line("BOOKMARK", "", "13"),
            line("DELETED", "b", "14"),
        ]),
    })
    .await;
    assert_eq!(seen, ["list a", "+b", "+a", "-b"]);
    let calls = calls.all();
    assert_eq!(calls[0].query["limit"], "500");
    assert_eq!(calls[1].query["resourceVersion"], "10");
    assert_eq!(calls[1].query["allowWatchBookmarks"], "true");
    assert_eq!(calls[1].query["labelSelector"], "a=b");
}

#[tokio::test(start_paused = true)]
async fn long_lists_come_in_pages() {
    let (seen, calls) = changes(1, Start::List, |n| match n {
        0 => Reply::ok(json!({
            "metadata": {"resourceVersion": "10", "continue": "more"}, "items": [object("a", "1")],
        })),
        _ => list("10", &["b"]),
    })
    .await;
    assert_eq!(seen, ["list a,b"]);
    assert_eq!(calls.all()[1].query["continue"], "more");
}

/// A continue token that has run out: the list begins anew, nothing of the first half is kept.
#[tokio::test(start_paused = true)]
async fn a_list_whose_token_ran_out_begins_anew() {
    let (seen, _) = changes(1, Start::List, |n| match n {
        0 => Reply::ok(json!({
            "metadata": {"resourceVersion": "10", "continue": "more"}, "items": [object("a", "1")],
        })),
        1 => Reply::status(410, "Expired"),
        _ => list("20", &["b", "c"]),
    })
    .await;
    assert_eq!(seen, ["list b,c"]);
}

/// A watch that ends goes on from the last version it told, bookmarks included, without a list.
#[tokio::test(start_paused = true)]
async fn a_dropped_watch_goes_on_where_it_was() {
    let (seen, calls) = changes(3, Start::List, |n| match n {
        0 => list("10", &[]),
        1 => closed(vec![line("ADDED", "a", "11"), line("BOOKMARK", "", "15")]),
        2 => Reply::Broken,
        3 => Reply::status(429, "TooManyRequests").header("retry-after", 2),
        4 => Reply::status(500, "InternalError"),
        _ => open(vec![line("DELETED", "a", "16")]),
    })
    .await;
    assert_eq!(seen, ["list ", "+a", "-a"]);
    assert_eq!(versions(&calls), ["10", "15", "15", "15", "15"]);
}

/// Trap D.9.3: too old a version is answered by a complete list, in which what is missing is gone.
#[tokio::test(start_paused = true)]
async fn a_version_that_is_too_old_is_answered_by_a_list() {
    let gone = json!({"type": "ERROR", "object": {
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "code": 410,
        "reason": "Expired", "message": "too old resource version: 10 (49)",
    }});
    for on_connect in [true, false] {
        let gone = gone.clone();
        let (seen, calls) = changes(3, Start::List, move |n| match n {
            0 => list("10", &["a"]),
            1 if on_connect => Reply::status(410, "Expired"),
            1 => open(vec![gone.clone()]),
            2 => list("50", &["b"]),
            _ => open(vec![line("ADDED", "c", "51")]),
        })
        .await;
        assert_eq!(seen, ["list a", "list b", "+c"]);
        assert_eq!(versions(&calls), ["10", "50"]);
    }
}

/// Nothing for two minutes, not even a bookmark: the connection is dead.
#[tokio::test(start_paused = true)]
async fn silence_is_answered_by_another_watch() {
    let (seen, calls) = changes(2, Start::List, |n| match n {
        0 => list("10", &[]),
        1 => open(Vec::new()),
        _ => open(vec![line("ADDED", "a", "11")]),
    })
    .await;
    assert_eq!(seen, ["list ", "+a"]);
    assert_eq!(versions(&calls), ["10", "10"]);
}

#[tokio::test(start_paused = true)]
async fn half_a_line_is_not_a_change() {
    let (seen, calls) = changes(2, Start::List, |n| match n {
        0 => list("10", &[]),
        1 => Reply::Text("{\"type\":\"ADDED\",\"object\":{\"meta\n".to_owned()),
        _ => open(vec![line("ADDED", "a", "11")]),
    })
    .await;
    assert_eq!(seen, ["list ", "+a"]);
    assert_eq!(versions(&calls), ["10", "10"]);
}

#[tokio::test(start_paused = true)]
async fn a_known_version_needs_no_list() {
    let (seen, calls) = changes(1, Start::After("7".to_owned()), |_| {
        open(vec![line("ADDED", "a", "8")])
    })
    .await;
    assert_eq!(seen, ["+a"]);
    assert_eq!(calls.short(), ["WATCH jobs"]);
    let (seen, _) = changes(1, Start::After("7".to_owned()), |n| match n {
        0 => Reply::status(410, "Expired"),
        _ => list("20", &["a"]),
    })
    .await;
    assert_eq!(seen, ["list a"]);
}

#[tokio::test(start_paused = true)]
async fn a_feed_without_a_list_never_lists() {
    let (seen, calls) = changes(2, Start::Any, |n| match n {
        0 => closed(vec![line("ADDED", "a", "8")]),
        1 => Reply::status(410, "Expired"),
        _ => open(vec![line("ADDED", "b", "9")]),
    })
    .await;
    assert_eq!(seen, ["+a", "+b"]);
    assert_eq!(versions(&calls), ["", "8", ""]);
}

/// Nothing can be there yet: the empty list costs no call, and is told once the watch is open.
#[tokio::test(start_paused = true)]
async fn what_is_new_needs_no_list() {
    let (seen, calls) = changes(3, Start::New, |n| match n {
        0 => closed(vec![line("ADDED", "a", "8")]),
        _ => open(vec![line("DELETED", "a", "9")]),
    })
    .await;
    assert_eq!(seen, ["list ", "+a", "-a"]);
    assert_eq!(calls.short(), ["WATCH jobs", "WATCH jobs"]);
    assert_eq!(versions(&calls), ["", "8"]);
}

/// A first watch that fails, or ends without a word, may have missed what came and went.
#[tokio::test(start_paused = true)]
async fn a_first_watch_that_told_nothing_is_answered_by_a_list() {
    let (seen, _) = changes(2, Start::New, |n| match n {
        0 => Reply::Broken,
        1 => list("10", &["a"]),
        _ => open(vec![line("ADDED", "b", "11")]),
    })
    .await;
    assert_eq!(seen, ["list a", "+b"]);
    let (seen, calls) = changes(3, Start::New, |n| match n {
        0 => closed(Vec::new()),
        1 => list("10", &["a"]),
        _ => open(vec![line("ADDED", "b", "11")]),
    })
    .await;
    assert_eq!(seen, ["list ", "list a", "+b"]);
    assert_eq!(versions(&calls), ["", "10"]);
    let (seen, _) = changes(2, Start::New, |n| match n {
        0 | 1 => Reply::status(403, "Forbidden"),
        2 => list("10", &["a"]),
        _ => open(vec![line("ADDED", "b", "11")]),
    })
    .await;
    assert_eq!(seen, ["refused", "list a"]);
}

/// A right that was taken away is told once, and so is its return.
#[tokio::test(start_paused = true)]
async fn a_refusal_is_told_once_and_asked_about_again() {
    let (seen, _) = changes(4, Start::List, |n| match n {
        0..4 => Reply::status(403, "Forbidden"),
        4 => list("10", &["a"]),
        _ => open(vec![line("ADDED", "b", "11")]),
    })
    .await;
    assert_eq!(seen, ["refused", "list a", "allowed", "+b"]);
}

/// After contact was lost, watches don't wait for the end of a dead connection.
#[tokio::test(start_paused = true)]
async fn contact_that_is_back_makes_a_new_watch() {
    let (conn, calls) = server(|n, got| match n {
        0 => list("10", &[]),
        _ if got.short() == "GET jobs/x" => Reply::status(404, "NotFound"),
        1 => open(Vec::new()),
        _ => open(vec![line("ADDED", "a", "11")]),
    });
    let mut feed = Box::pin(feed::<Job>(&conn, target(Start::List)));
    feed.next().await;
    let start = clock::instant();
    let trouble = async {
        clock::sleep_until(clock::instant().after(Duration::from_secs(5))).await;
        conn.shared.contact.failed("no route", clock::instant());
        clock::sleep_until(clock::instant().after(Duration::from_secs(5))).await;
        conn.shared.contact.failed("no route", clock::instant());
        let call = Call::get(Resource::Jobs, "ml", "x");
        conn.send_once(&call).await.unwrap_err()
    };
    let (change, _) = futures::join!(feed.next(), trouble);
    assert!(matches!(change, Some(Change::Applied(_))));
    assert!(start.elapsed() < SILENCE);
    assert_eq!(versions(&calls), ["10", "10"]);
}
