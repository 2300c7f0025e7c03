//! Deleted Jobs and deleted pods of Jobs.

use serde_json::{Value, json};

use crate::objects::{job, of_job};
use crate::server::{Server, query};
use crate::waiting::Objects;

checks![a_deleted_pod_is_replaced, a_plain_delete_leaves_the_pods];

async fn a_deleted_pod_is_replaced(s: &Server) {
    s.make_job(job("a", json!({}))).await;
    let first = s.live_pods("a", 1).await;
    let old = first.keys().next().unwrap();
    s.delete(&s.pods(&format!("/{old}")), Value::Null)
        .await
        .is(200);
    s.until(
        "another pod",
        &s.pods(""),
        &[("labelSelector", &of_job("a"))],
        |pods| pods.len() == 1 && !pods.contains_key(old),
    )
    .await;
    let job = s
        .until_job("counted", "a", |job| {
            job["status"]["failed"] == 1 && job["status"]["active"] == 1
        })
        .await;
    s.like(&job, json!({"status": {"conditions": null}}));
}

async fn a_plain_delete_leaves_the_pods(s: &Server) {
    s.make_job(job("a", json!({"parallelism": 2}))).await;
    s.live_pods("a", 2).await;
    s.delete(&s.jobs("/a"), Value::Null).await.is(200).warns(&[
        "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to \
         remove them or set propagationPolicy=Orphan to suppress this warning",
    ]);
    s.until_gone(&s.jobs(""), "a").await;
    let orphans = |pods: &Objects| {
        pods.values().all(|p| {
            p["metadata"]["ownerReferences"].is_null() && p["metadata"]["finalizers"].is_null()
        })
    };
    let with = [("labelSelector", of_job("a"))];
    let with: Vec<(&str, &str)> = with.iter().map(|(k, v)| (*k, v.as_str())).collect();
    let left = s.until("orphans", &s.pods(""), &with, orphans).await;
    s.equal("all left", left.len(), 2);
    s.get(&query(&s.pods(""), &with)).await.is(200);
}
