//! successPolicy.

use serde_json::{Value, json};

use crate::objects::{condition, conditions, index, job};
use crate::server::Server;

checks![
    one_index_is_enough,
    a_count_is_enough,
    a_count_of_some_indexes,
    the_rule_is_named,
    all_indexes_complete_it_too,
    a_failure_may_come_before,
];

fn with(completions: i64, rules: Value) -> Value {
    json!({
        "completionMode": "Indexed", "completions": completions, "parallelism": completions,
        "successPolicy": {"rules": rules},
    })
}

async fn succeed(s: &Server, count: usize, indexes: &[&str]) {
    let pods = s.live_pods("a", count).await;
    for wanted in indexes {
        let (pod, _) = pods.iter().find(|(_, p)| index(p) == *wanted).unwrap();
        s.succeeds(pod).await;
    }
}

async fn one_index_is_enough(s: &Server) {
    s.make_job(job("a", with(3, json!([{"succeededIndexes": "1"}]))))
        .await;
    succeed(s, 3, &["1"]).await;
    let end = s.ended_job("a").await;
    s.equal(
        "conditions",
        conditions(&end).join(" "),
        "SuccessCriteriaMet=True Complete=True".to_owned(),
    );
    for kind in ["SuccessCriteriaMet", "Complete"] {
        s.like(
            &condition(&end, kind),
            json!({"reason": "SuccessPolicy", "message": "Matched rules at index 0"}),
        );
    }
    s.like(
        &end,
        json!({"status": {"succeeded": 1, "completedIndexes": "1", "active": null, "completionTime": "*"}}),
    );
    s.until("the others are gone", &s.pods(""), &[], |all| {
        all.len() == 1
    })
    .await;
}

async fn a_count_is_enough(s: &Server) {
    s.make_job(job("a", with(3, json!([{"succeededCount": 2}]))))
        .await;
    succeed(s, 3, &["0"]).await;
    let now = s
        .until_job("one", "a", |j| j["status"]["succeeded"] == 1)
        .await;
    s.like(&now, json!({"status": {"conditions": null}}));
    succeed(s, 2, &["2"]).await;
    let end = s.ended_job("a").await;
    s.like(
        &condition(&end, "Complete"),
        json!({"reason": "SuccessPolicy", "message": "Matched rules at index 0"}),
    );
    s.like(&end, json!({"status": {"completedIndexes": "0,2"}}));
}

async fn a_count_of_some_indexes(s: &Server) {
    let rule = json!({"succeededIndexes": "0,2-3", "succeededCount": 2});
    s.make_job(job("a", with(5, json!([rule])))).await;
    succeed(s, 5, &["1", "4", "0"]).await;
    let now = s
        .until_job("three", "a", |j| j["status"]["succeeded"] == 3)
        .await;
    s.like(&now, json!({"status": {"conditions": null}}));
    succeed(s, 2, &["3"]).await;
    let end = s.ended_job("a").await;
    s.like(
        &condition(&end, "Complete"),
        json!({"reason": "SuccessPolicy"}),
    );
    s.like(&end, json!({"status": {"completedIndexes": "0,1,3,4"}}));
}

async fn the_rule_is_named(s: &Server) {
    let rules = json!([{"succeededIndexes": "0"}, {"succeededIndexes": "1-2"}]);
    s.make_job(job("a", with(3, rules))).await;
    succeed(s, 3, &["1", "2"]).await;
    let end = s.ended_job("a").await;
    s.like(
        &condition(&end, "SuccessCriteriaMet"),
        json!({"message": "Matched rules at index 1"}),
    );
}

async fn all_indexes_complete_it_too(s: &Server) {
    s.make_job(job("a", with(1, json!([{"succeededIndexes": "0"}]))))
        .await;
    succeed(s, 1, &["0"]).await;
    let end = s.ended_job("a").await;
    // The policy is looked at first.
    s.like(
        &condition(&end, "Complete"),
        json!({"reason": "SuccessPolicy"}),
    );
}

async fn a_failure_may_come_before(s: &Server) {
    let mut spec = with(2, json!([{"succeededIndexes": "0"}]));
    spec["backoffLimitPerIndex"] = json!(0);
    s.make_job(job("a", spec)).await;
    let pods = s.live_pods("a", 2).await;
    let (one, _) = pods.iter().find(|(_, p)| index(p) == "1").unwrap();
    s.exits(one, 1).await;
    s.until_job("index 1 failed", "a", |j| {
        j["status"]["failedIndexes"] == "1"
    })
    .await;
    succeed(s, 1, &["0"]).await;
    let end = s.ended_job("a").await;
    // Nothing is left to wait for, and one has failed.
    s.like(
        &end,
        json!({"status": {"completedIndexes": "0", "failedIndexes": "1", "succeeded": 1, "failed": 1}}),
    );
    s.like(
        &condition(&end, "Failed"),
        json!({"reason": "FailedIndexes"}),
    );
}
