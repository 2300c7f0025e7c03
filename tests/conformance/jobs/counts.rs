//! Parallelism, completions and the counters of a Job's status.

use serde_json::{Value, json};

use crate::objects::{conditions, index, is_live, job, live, of_job};
use crate::reply::text;
use crate::server::Server;

checks![
    no_more_pods_than_completions_are_left,
    successes_are_counted,
    ready_pods_are_counted,
    indexes_that_are_done,
    indexes_are_told_in_ranges,
    a_pod_may_be_done_before_it_ran,
    no_parallelism,
    no_completions,
    more_parallelism,
    less_parallelism,
    an_indexed_job_grows,
    an_indexed_job_shrinks,
    tracking_finalizers_go,
    pods_of_the_end_are_kept,
    uncounted_pods_are_named,
    a_pod_is_counted_once,
    a_job_of_another_manager_is_left_alone,
];

fn indexed(completions: i64, parallelism: i64) -> Value {
    json!({"completionMode": "Indexed", "completions": completions, "parallelism": parallelism})
}

async fn no_more_pods_than_completions_are_left(s: &Server) {
    s.make_job(job("a", json!({"completions": 3, "parallelism": 2})))
        .await;
    let first = s.live_pods("a", 2).await;
    for pod in first.keys() {
        s.succeeds(pod).await;
    }
    let second = s.live_pods("a", 1).await;
    let now = s
        .until_job("two done", "a", |j| {
            j["status"]["succeeded"] == 2 && j["status"]["active"] == 1
        })
        .await;
    s.like(
        &now,
        json!({"status": {"conditions": null, "completionTime": null}}),
    );
    for pod in second.keys() {
        s.succeeds(pod).await;
    }
    let end = s.ended_job("a").await;
    s.like(
        &end,
        json!({"status": {"succeeded": 3, "active": null, "failed": null}}),
    );
}

async fn successes_are_counted(s: &Server) {
    s.make_job(job("a", json!({}))).await;
    let pods = s.live_pods("a", 1).await;
    let pod = pods.keys().next().unwrap();
    s.runs(pod, true).await;
    s.succeeds(pod).await;
    let end = s.ended_job("a").await;
    s.like(
        &end,
        json!({"status": {
            "succeeded": 1,
            "active": null,
            "failed": null,
            "ready": 0,
            "terminating": 0,
            "uncountedTerminatedPods": {},
            "startTime": "*",
            "completionTime": "*",
            "completedIndexes": null,
        }}),
    );
    s.same(&end["status"]["uncountedTerminatedPods"], json!({}));
    s.holds(
        "in order",
        text(&end, "/status/completionTime") >= text(&end, "/status/startTime"),
    );
}

async fn ready_pods_are_counted(s: &Server) {
    s.make_job(job("a", json!({"completions": 3, "parallelism": 3})))
        .await;
    let pods: Vec<String> = s.live_pods("a", 3).await.into_keys().collect();
    s.runs(&pods[0], true).await;
    s.runs(&pods[1], false).await;
    s.until_job("one ready", "a", |j| j["status"]["ready"] == 1)
        .await;
    s.runs(&pods[1], true).await;
    s.runs(&pods[2], true).await;
    s.until_job("three ready", "a", |j| j["status"]["ready"] == 3)
        .await;
    s.runs(&pods[0], false).await;
    let now = s
        .until_job("two ready", "a", |j| j["status"]["ready"] == 2)
        .await;
    s.like(&now, json!({"status": {"active": 3}}));
}

/// The pod of an index among the live ones.
async fn of_index(s: &Server, count: usize, wanted: &str) -> String {
    let pods = s.live_pods("a", count).await;
    pods.iter()
        .find(|(_, p)| index(p) == wanted)
        .map(|(name, _)| name.clone())
        .unwrap()
}

async fn indexes_that_are_done(s: &Server) {
    s.make_job(job("a", indexed(3, 2))).await;
    let one = of_index(s, 2, "1").await;
    s.succeeds(&one).await;
    // The next index, not the same again.
    let pods = s
        .until(
            "index 2 starts",
            &s.pods(""),
            &[("labelSelector", &of_job("a"))],
            |pods| pods.values().any(|p| index(p) == "2"),
        )
        .await;
    let mut now: Vec<String> = live(&pods).iter().map(|p| index(p)).collect();
    now.sort();
    s.equal("live", now.join(" "), "0 2".to_owned());
    let now = s
        .until_job("one done", "a", |j| j["status"]["completedIndexes"] == "1")
        .await;
    s.like(
        &now,
        json!({"status": {"succeeded": 1, "failedIndexes": null}}),
    );
    for pod in live(&pods) {
        s.succeeds(&text(pod, "/metadata/name")).await;
    }
    let end = s.ended_job("a").await;
    s.like(
        &end,
        json!({"status": {"completedIndexes": "0-2", "succeeded": 3}}),
    );
}

async fn indexes_are_told_in_ranges(s: &Server) {
    s.make_job(job("a", indexed(8, 8))).await;
    let pods = s.live_pods("a", 8).await;
    for pod in pods.values() {
        if matches!(index(pod).as_str(), "0" | "1" | "2" | "4" | "6" | "7") {
            s.succeeds(&text(pod, "/metadata/name")).await;
        }
    }
    let now = s
        .until_job("six done", "a", |j| j["status"]["succeeded"] == 6)
        .await;
    s.like(
        &now,
        json!({"status": {"completedIndexes": "0-2,4,6,7", "active": 2}}),
    );
}

async fn a_pod_may_be_done_before_it_ran(s: &Server) {
    s.make_job(job("a", json!({}))).await;
    let pods = s.live_pods("a", 1).await;
    s.pod_status(pods.keys().next().unwrap(), json!({"phase": "Succeeded"}))
        .await;
    let end = s.ended_job("a").await;
    s.like(&end, json!({"status": {"succeeded": 1}}));
}

async fn no_parallelism(s: &Server) {
    s.make_job(job("a", json!({"parallelism": 0}))).await;
    let now = s
        .until_job("looked at", "a", |j| !j["status"]["startTime"].is_null())
        .await;
    s.like(
        &now,
        json!({"status": {"active": null, "conditions": null}}),
    );
    s.change(&s.jobs("/a"), json!({"spec": {"parallelism": 1}}))
        .await;
    let pods = s.live_pods("a", 1).await;
    s.equal("one pod", pods.len(), 1);
}

async fn no_completions(s: &Server) {
    s.make_job(job("a", json!({"completions": 0}))).await;
    let end = s.ended_job("a").await;
    s.like(
        &end,
        json!({"status": {"succeeded": null, "completionTime": "*"}}),
    );
    s.equal(
        "conditions",
        conditions(&end).join(" "),
        "SuccessCriteriaMet=True Complete=True".to_owned(),
    );
    s.equal("no pods", s.get(&s.pods("")).await.names().len(), 0);
}

async fn more_parallelism(s: &Server) {
    s.make_job(job("a", json!({"parallelism": 1, "completions": 5})))
        .await;
    s.live_pods("a", 1).await;
    s.change(&s.jobs("/a"), json!({"spec": {"parallelism": 3}}))
        .await;
    s.live_pods("a", 3).await;
    let now = s
        .until_job("three", "a", |j| j["status"]["active"] == 3)
        .await;
    s.like(&now, json!({"metadata": {"generation": 2}}));
}

async fn less_parallelism(s: &Server) {
    s.make_job(job("a", json!({"parallelism": 3, "completions": 5})))
        .await;
    let pods: Vec<String> = s.live_pods("a", 3).await.into_keys().collect();
    s.runs(&pods[0], true).await;
    s.until_job("one ready", "a", |j| j["status"]["ready"] == 1)
        .await;
    s.change(&s.jobs("/a"), json!({"spec": {"parallelism": 1}}))
        .await;
    let left = s.live_pods("a", 1).await;
    // Those that got least far go.
    s.holds("the ready one stays", left.contains_key(&pods[0]));
    let now = s
        .until_job("one", "a", |j| j["status"]["active"] == 1)
        .await;
    // Who was asked to go did not fail.
    s.like(&now, json!({"status": {"succeeded": null}}));
}

async fn an_indexed_job_grows(s: &Server) {
    s.make_job(job("a", indexed(1, 1))).await;
    s.live_pods("a", 1).await;
    s.change(
        &s.jobs("/a"),
        json!({"spec": {"completions": 3, "parallelism": 3}}),
    )
    .await;
    let pods = s.live_pods("a", 3).await;
    let mut all: Vec<String> = pods.values().map(index).collect();
    all.sort();
    s.equal("indexes", all.join(" "), "0 1 2".to_owned());
}

async fn an_indexed_job_shrinks(s: &Server) {
    s.make_job(job("a", indexed(3, 3))).await;
    let two = of_index(s, 3, "2").await;
    s.succeeds(&two).await;
    s.until_job("one done", "a", |j| j["status"]["completedIndexes"] == "2")
        .await;
    s.change(
        &s.jobs("/a"),
        json!({"spec": {"completions": 1, "parallelism": 1}}),
    )
    .await;
    let pods = s.live_pods("a", 1).await;
    s.equal(
        "the first stays",
        index(pods.values().next().unwrap()),
        "0".to_owned(),
    );
    s.until_job("2 does not count any more", "a", |j| {
        j["status"]["completedIndexes"].is_null() && j["status"]["active"] == 1
    })
    .await;
    s.succeeds(pods.keys().next().unwrap()).await;
    let end = s.ended_job("a").await;
    s.like(
        &end,
        json!({"status": {"completedIndexes": "0", "succeeded": 1}}),
    );
}

async fn tracking_finalizers_go(s: &Server) {
    s.make_job(job("a", json!({"completions": 2, "parallelism": 1})))
        .await;
    let pods = s.live_pods("a", 1).await;
    let pod = pods.keys().next().unwrap();
    s.like(
        &pods[pod],
        json!({"metadata": {"finalizers": ["batch.kubernetes.io/job-tracking"]}}),
    );
    s.succeeds(pod).await;
    let done = s
        .until_one("counted", &s.pods(""), pod, |p| {
            p["metadata"]["finalizers"].is_null()
        })
        .await;
    s.like(
        &done,
        json!({"status": {"phase": "Succeeded"}, "metadata": {"ownerReferences": ["*"]}}),
    );
    let end = s
        .until_job("nothing uncounted", "a", |j| {
            j["status"]["succeeded"] == 1 && j["status"]["uncountedTerminatedPods"] == json!({})
        })
        .await;
    s.like(&end, json!({"status": {"succeeded": 1}}));
}

async fn pods_of_the_end_are_kept(s: &Server) {
    s.make_job(job("a", json!({}))).await;
    let pods = s.live_pods("a", 1).await;
    let pod = pods.keys().next().unwrap();
    s.succeeds(pod).await;
    s.ended_job("a").await;
    s.get(&s.pods(&format!("/{pod}")))
        .await
        .is(200)
        .like(json!({"metadata": {"deletionTimestamp": null, "finalizers": null}}));
    // Gone later, they are not replaced and still count.
    s.delete(&s.pods(&format!("/{pod}")), Value::Null)
        .await
        .is(200);
    s.until_gone(&s.pods(""), pod).await;
    s.get(&s.jobs("/a"))
        .await
        .like(json!({"status": {"succeeded": 1, "active": null}}));
}

async fn uncounted_pods_are_named(s: &Server) {
    let made = s
        .make_job(job("a", json!({"completions": 2, "parallelism": 2})))
        .await;
    let from = made.at("/metadata/resourceVersion");
    let pods = s.live_pods("a", 2).await;
    for pod in pods.keys() {
        s.succeeds(pod).await;
    }
    s.ended_job("a").await;
    let mut watch = s.watch(&s.jobs(""), &[("resourceVersion", &from)]).await;
    let seen = watch
        .until(|e| crate::objects::is_true(&e.object, "Complete"))
        .await;
    let mut named: Vec<&str> = seen
        .iter()
        .filter_map(|e| e.object["status"]["uncountedTerminatedPods"]["succeeded"].as_array())
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    named.sort_unstable();
    named.dedup();
    let mut uids: Vec<&str> = pods
        .values()
        .filter_map(|p| p["metadata"]["uid"].as_str())
        .collect();
    uids.sort_unstable();
    s.equal("each pod was named", named, uids);
    let counts: Vec<i64> = seen
        .iter()
        .map(|e| e.object["status"]["succeeded"].as_i64().unwrap_or(0))
        .collect();
    s.holds("never less", counts.windows(2).all(|w| w[0] <= w[1]));
}

async fn a_pod_is_counted_once(s: &Server) {
    s.make_job(job("a", json!({"completions": 2, "parallelism": 1})))
        .await;
    let first = s.live_pods("a", 1).await;
    let pod = first.keys().next().unwrap();
    s.succeeds(pod).await;
    let second = s.live_pods("a", 1).await;
    s.holds("another", !second.contains_key(pod));
    // A counted pod may go.
    s.until_one("counted", &s.pods(""), pod, |p| {
        p["metadata"]["finalizers"].is_null()
    })
    .await;
    s.delete(&s.pods(&format!("/{pod}")), Value::Null)
        .await
        .is(200);
    s.until_gone(&s.pods(""), pod).await;
    s.succeeds(second.keys().next().unwrap()).await;
    let end = s.ended_job("a").await;
    s.like(&end, json!({"status": {"succeeded": 2, "failed": null}}));
    s.holds(
        "the other is kept",
        s.get(&s.pods("")).await.items().iter().all(|p| !is_live(p)),
    );
}

async fn a_job_of_another_manager_is_left_alone(s: &Server) {
    s.make_job(job("theirs", json!({"managedBy": "acme.io/foo"})))
        .await;
    s.make_job(job(
        "ours",
        json!({"managedBy": "kubernetes.io/job-controller"}),
    ))
    .await;
    s.live_pods("ours", 1).await;
    let theirs = s.get(&s.jobs("/theirs")).await;
    s.same(&theirs.body["status"], json!({}));
    let with = of_job("theirs");
    let path = crate::server::query(&s.pods(""), &[("labelSelector", &with)]);
    s.equal("no pods", s.get(&path).await.names().len(), 0);
    // They may end it as they see fit.
    s.patch(
        &s.jobs("/theirs/status"),
        crate::server::MERGE,
        json!({"status": {"startTime": "2026-01-01T00:00:00Z", "active": 3}}),
    )
    .await
    .is(200)
    .like(json!({"status": {"active": 3}}));
}
