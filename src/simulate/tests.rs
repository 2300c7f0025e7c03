//! Whole simulations: what the specification says must come of them.

use serde_json::json;

use crate::api::JobSet;
use crate::simulate::{Detail, End, Expectation, Story, Wishes, document, lines, play};

/// A leader, and workers that start when it is ready: the JobSet of the mock-ups.
fn train() -> JobSet {
    let job = |parallelism: u32, policy: serde_json::Value, gpus: u32| {
        json!({"spec": {
            "backoffLimit": 0, "parallelism": parallelism, "completions": parallelism,
            "completionMode": "Indexed", "podFailurePolicy": policy,
            "template": {"spec": {"restartPolicy": "Never", "containers": [
                {"name": "main", "image": "x", "resources": {"limits": {"nvidia.com/gpu": gpus.to_string()}}}]}},
        }})
    };
    let disruption = json!({"action": "FailJob",
        "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]});
    let killed = json!({"action": "FailJob",
        "onExitCodes": {"containerName": "main", "operator": "In", "values": [137]}});
    serde_json::from_value(json!({
        "apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "train"},
        "spec": {
            "failurePolicy": {"maxRestarts": 3, "rules": [
                {"name": "evict", "action": "RestartJobSetAndIgnoreMaxRestarts",
                    "onJobFailureReasons": ["PodFailurePolicy"],
                    "onJobFailureMessagePatterns": ["DisruptionTarget"]},
                {"name": "oom", "action": "RestartJobSet", "onJobFailureReasons": ["PodFailurePolicy"]},
                {"name": "late", "action": "FailJobSet", "onJobFailureReasons": ["DeadlineExceeded"]},
            ]},
            "replicatedJobs": [
                {"name": "leader", "replicas": 1, "template": job(1, json!(null), 0)},
                {"name": "worker", "replicas": 2, "dependsOn": [{"name": "leader", "status": "Ready"}],
                    "template": job(2, json!({"rules": [disruption, killed]}), 2)},
            ],
        },
    }))
    .unwrap()
}

fn wishes() -> Wishes {
    Wishes::none("720h".parse().unwrap())
}

fn story(wishes: &Wishes) -> Story {
    play(&train(), "ml", wishes).unwrap()
}

fn text(story: &Story, detail: Detail) -> String {
    lines(story, None, detail).join("\n")
}

#[test]
fn without_wishes_it_completes() {
    let story = story(&wishes());
    assert_eq!(story.end, End::Completed);
    assert_eq!(story.attempts.len(), 1);
    let only = &story.attempts[0];
    // One leader, two workers of two pods with two GPUs each, an hour and half a minute at least.
    assert_eq!(only.cost.pods, 5);
    let hours = only.cost.time.as_secs() / 5;
    assert!((3_630..3_640).contains(&hours), "{hours}");
    let gpus = only.cost.devices["nvidia.com/gpu"].as_secs() / 8;
    assert!((3_630..3_640).contains(&gpus), "{gpus}");
    // The worker waits for the leader to be ready: half a minute each.
    let ready = only.ready.unwrap().as_secs();
    assert!((60..66).contains(&ready), "{ready}");
    assert!(text(&story, Detail::default()).contains("never looked at, no Job has failed"));
}

#[test]
fn the_limit_is_reached_by_the_failure_after_the_last_restart() {
    let mut wishes = wishes();
    wishes.fails = vec!["worker/1/1:exit=137@10m*4".parse().unwrap()];
    let story = story(&wishes);
    let reached: Expectation = "failed:ReachedMaxRestarts".parse().unwrap();
    assert!(reached.is_met(&story), "{:?}", story.end);
    assert_eq!(story.attempts.len(), 4);
    assert_eq!(
        story.first_failure.as_ref().unwrap().job_name,
        "train-worker-1"
    );
    assert_eq!(story.first_failure.as_ref().unwrap().exit_code, Some(137));
    let uses: Vec<_> = story
        .rules
        .iter()
        .map(|r| (r.looked_at, r.matched))
        .collect();
    assert_eq!(uses, [(4, 0), (4, 4), (0, 0)]);
    let text = text(&story, Detail::default());
    for part in [
        "worker/1/1 fails: exit code 137",
        "(you asked for it, 1 of 4)",
        "(you asked for it, 4 of 4)",
        "rule 2 \"oom\" matches worker/1 -> RestartJobSet, counts 1/3",
        "rule 2 \"oom\" matches worker/1 -> limit 3 reached",
        "Failed, ReachedMaxRestarts, first failed job train-worker-1",
        "result: failed after 44m",
        "note: rule 1 \"evict\" was looked at 4 times and never matched: no pattern matches the message",
        "note: rule 3 \"late\" was never looked at, rule 2 always came first",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn three_failures_are_within_the_limit_of_three() {
    let mut wishes = wishes();
    wishes.fails = vec!["worker/1/1:signal=9@10m*3".parse().unwrap()];
    let story = story(&wishes);
    assert_eq!(story.end, End::Completed);
    assert_eq!(story.attempts.len(), 4);
    assert!(text(&story, Detail::default()).contains("pod-hours lost to restarts"));
}

#[test]
fn evictions_do_not_count_by_their_rule() {
    let mut wishes = wishes();
    wishes.evicts = vec!["worker/0/0@5m*5".parse().unwrap()];
    let story = story(&wishes);
    assert_eq!(story.end, End::Completed);
    assert_eq!(story.attempts.len(), 6);
    assert_eq!((story.rules[0].matched, story.rules[1].looked_at), (5, 0));
    let text = text(&story, Detail::default());
    assert!(text.contains("doesn't count (0/3)"), "{text}");
}

#[test]
fn a_job_that_its_controller_gives_up() {
    let mut wishes = wishes();
    wishes.fails = vec!["worker/0:reason=DeadlineExceeded@1m".parse().unwrap()];
    let story = story(&wishes);
    let expected: Expectation = "failed:FailJobSetFailurePolicyAction".parse().unwrap();
    assert!(expected.is_met(&story), "{:?}", story.end);
    let detail = Detail {
        all: true,
        ..Detail::default()
    };
    let text = text(&story, detail);
    for part in [
        "worker/0 fails: DeadlineExceeded",
        "rule 1 \"evict\" passes over worker/0: the reason is DeadlineExceeded",
        "rule 3 \"late\" matches worker/0 -> FailJobSet",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn who_is_never_ready_is_waited_for() {
    let mut wishes = wishes();
    wishes.never_ready = vec!["leader".parse().unwrap()];
    wishes.until = "30m".parse().unwrap();
    let story = story(&wishes);
    assert!(matches!(story.end, End::Unfinished { stuck: false, .. }));
    assert_eq!(story.after.as_secs(), 30 * 60);
    let text = text(&story, Detail::default());
    assert!(
        text.contains("waiting: worker waits for leader to be ready"),
        "{text}"
    );
    assert!(!text.contains("worker created"), "{text}");
}

#[test]
fn nodes_that_do_not_hold_everything() {
    let mut wishes = wishes();
    wishes.nodes = vec!["1:nvidia.com/gpu=6".parse().unwrap()];
    let told = text(&story(&wishes), Detail::default());
    // The fourth pod gets its two GPUs when the others have ended.
    assert!(told.contains("nvidia.com/gpu"), "{told}");
    assert!(told.contains("completed after 2h"), "{told}");
    wishes.nodes = vec!["2:nvidia.com/gpu=1".parse().unwrap()];
    let none = story(&wishes);
    assert!(matches!(none.end, End::Unfinished { .. }), "{:?}", none.end);
}

#[test]
fn the_same_seed_tells_the_same_story() {
    let mut wishes = wishes();
    wishes.fails = vec!["worker:exit=1@1m*2".parse().unwrap()];
    let tell = |wishes: &Wishes| document(&story(wishes), None).to_string();
    let first = tell(&wishes);
    assert_eq!(first, tell(&wishes));
    wishes.seed = 1;
    assert_ne!(first, tell(&wishes));
}

#[test]
fn the_document_says_what_the_text_says() {
    let mut wishes = wishes();
    wishes.fails = vec!["worker/1/1:exit=137@10m".parse().unwrap()];
    let expected: Expectation = "failed".parse().unwrap();
    let document = document(&story(&wishes), Some(&expected));
    assert_eq!(document["schema"], "jobset.simulation/v1");
    assert_eq!(document["result"]["state"], "Completed");
    assert_eq!(document["expected"], json!({"end": "failed", "met": false}));
    assert_eq!(document["attempts"].as_array().unwrap().len(), 2);
    assert_eq!(document["rules"][1]["matched"], 1);
    let timeline = document["timeline"].as_array().unwrap();
    let of = |type_: &str| timeline.iter().filter(|m| m["type"] == type_).count();
    assert_eq!(
        (of("wish"), of("policy.decided"), of("run.finished")),
        (1, 1, 1)
    );
}
