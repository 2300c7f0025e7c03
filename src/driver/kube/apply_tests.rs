use k8s_openapi::jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::*;
use crate::driver::clock;
use crate::driver::kube::fake::{Calls, Reply, server};

fn job(uid: Option<&str>, attempt: &str) -> Value {
    json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": "train-w-0",
            "uid": uid,
            "labels": {
                "jobset.sigs.k8s.io/jobset-uid": "run",
                "jobset.sigs.k8s.io/restart-attempt": attempt,
                "jobset.sigs.k8s.io/job-restart-attempt": "0",
            },
            "ownerReferences": [{"kind": "ConfigMap", "name": "train-run", "uid": "run", "controller": true}],
        },
    })
}

fn body() -> Value {
    let mut job = job(None, "1");
    job["metadata"].as_object_mut().unwrap().remove("uid");
    job
}

fn made() -> Reply {
    Reply::created(job(Some("new"), "1"))
}

async fn create(
    answer: impl Fn(usize, &str) -> Reply + Send + Sync + 'static,
) -> (ActionResult, Calls) {
    let (conn, calls) = server(move |n, got| answer(n, &got.short()));
    let result = Applier::new(&conn, "ml").create_job(&body(), || true).await;
    (result, calls)
}

fn ok(uid: &str) -> ActionResult {
    ActionResult::Ok {
        uid: Some(uid.to_owned()),
    }
}

#[tokio::test(start_paused = true)]
async fn a_create_is_one_call_and_sends_what_was_built() {
    let (result, calls) = create(|_, _| made()).await;
    assert_eq!(result, ok("new"));
    let calls = calls.all();
    assert_eq!(calls.len(), 1);
    assert_eq!(calls[0].body, body());
    assert_eq!(calls[0].path, "/apis/batch/v1/namespaces/ml/jobs");
    assert_eq!(calls[0].query["fieldManager"], "kubectl-jobset");
}

/// The heart of trap D.9.4: after an answer that says nothing, look first.
#[tokio::test(start_paused = true)]
async fn after_an_unclear_answer_the_job_is_looked_up_and_found() {
    for unclear in ["broken", "silence", "500", "503", "504", "garbled"] {
        let (result, calls) = create(move |n, _| match (n, unclear) {
            (0, "broken") => Reply::Broken,
            (0, "silence") => Reply::Silence,
            (0, "garbled") => Reply::Text("<html>".to_owned()),
            (0, code) => Reply::status(code.parse().unwrap(), ""),
            _ => Reply::ok(job(Some("first"), "1")),
        })
        .await;
        let exists = ActionResult::Exists {
            ours: true,
            uid: "first".to_owned(),
            deleting: false,
        };
        assert_eq!(result, exists, "{unclear}");
        assert_eq!(
            calls.short(),
            ["POST jobs", "GET jobs/train-w-0"],
            "{unclear}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn only_if_it_is_not_there_it_is_sent_again() {
    let (result, calls) = create(|n, _| match n {
        0 => Reply::Broken,
        1 => Reply::status(404, "NotFound"),
        _ => made(),
    })
    .await;
    assert_eq!(result, ok("new"));
    assert_eq!(
        calls.short(),
        ["POST jobs", "GET jobs/train-w-0", "POST jobs"]
    );
}

/// A restart that is written while a create waits for another try ends the tries.
#[tokio::test(start_paused = true)]
async fn what_is_no_longer_wanted_is_not_sent_again() {
    for (answers, sent) in [
        (vec![Reply::Broken, Reply::status(404, "NotFound")], 2),
        (vec![Reply::status(429, "TooManyRequests")], 1),
        (vec![], 0),
    ] {
        let asked = std::cell::Cell::new(0);
        let (conn, calls) = server(move |n, _| answers.get(n).cloned().unwrap_or_else(made));
        let tries = usize::from(sent > 0);
        let wanted = || asked.replace(asked.get() + 1) < tries;
        let result = Applier::new(&conn, "ml").create_job(&body(), wanted).await;
        assert_eq!(result, ActionResult::NotFound);
        assert_eq!(calls.all().len(), sent);
    }
}

/// A laptop that slept between two tries: neither a create nor a delete or patch goes out before the seat is
/// known to be ours (trap D.9.2).
#[tokio::test(start_paused = true)]
async fn nothing_is_tried_again_while_the_seat_is_in_doubt() {
    clock::simulate("2026-12-01T09:00:00Z".parse().unwrap());
    let start = clock::now();
    for action in 0..4 {
        let (conn, calls) = server(|n, _| match n {
            0 => Reply::status(429, "TooManyRequests"),
            _ => made(),
        });
        let applier = Applier::new(&conn, "ml");
        let work = async {
            match action {
                0 => applier.create_job(&body(), || true).await,
                1 => applier.delete_job("train-w-0", "old").await,
                2 => applier.suspend_job("train-w-0", "old").await,
                _ => applier.resume_job("train-w-0", "old", true, None).await,
            }
        };
        let slept = async {
            tokio::task::yield_now().await;
            applier.fence.open_until(start);
            clock::sleep(SignedDuration::from_secs(120)).await;
            assert_eq!(calls.all().len(), 1, "{action}");
            applier.fence.open_until(Timestamp::MAX);
        };
        let (result, ()) = tokio::join!(work, slept);
        assert!(matches!(result, ActionResult::Ok { .. }), "{result:?}");
        assert!(calls.all().len() > 1);
    }
}

/// Looking may fail as well; no create goes out before it has succeeded.
#[tokio::test(start_paused = true)]
async fn a_network_that_is_away_for_minutes_costs_nothing_but_time() {
    let start = clock::instant();
    let (result, calls) = create(move |n, _| match n {
        0..40 => Reply::Broken,
        40 => Reply::status(404, "NotFound"),
        _ => made(),
    })
    .await;
    assert_eq!(result, ok("new"));
    assert!(start.elapsed().as_secs() > 120);
    let posts = calls.short().iter().filter(|c| *c == "POST jobs").count();
    assert_eq!(posts, 2);
}

#[tokio::test(start_paused = true)]
async fn a_429_was_not_carried_out_and_its_wait_is_kept() {
    let start = clock::instant();
    let (result, calls) = create(|n, _| match n {
        0 | 1 => Reply::status(429, "TooManyRequests").header("retry-after", 7),
        _ => made(),
    })
    .await;
    assert_eq!(result, ok("new"));
    assert!(start.elapsed().as_secs() >= 14);
    assert_eq!(calls.short(), ["POST jobs", "POST jobs", "POST jobs"]);
}

#[tokio::test(start_paused = true)]
async fn a_name_that_is_taken_is_told_with_what_stands_there() {
    for (attempt, ours) in [("1", true), ("0", false)] {
        let (result, calls) = create(move |n, _| match n {
            0 => Reply::status(409, "AlreadyExists"),
            _ => {
                let mut there = job(Some("old"), attempt);
                there["metadata"]["deletionTimestamp"] = json!("2026-12-01T09:00:00Z");
                Reply::ok(there)
            }
        })
        .await;
        assert_eq!(
            result,
            ActionResult::Exists {
                ours,
                uid: "old".to_owned(),
                deleting: true
            }
        );
        assert_eq!(calls.short(), ["POST jobs", "GET jobs/train-w-0"]);
    }
}

/// A Job of another run, or of nobody, is not ours even if its labels are copied.
#[tokio::test(start_paused = true)]
async fn a_foreign_job_is_not_ours() {
    let (result, _) = create(|n, _| match n {
        0 => Reply::status(409, "AlreadyExists"),
        _ => {
            let mut there = job(Some("foreign"), "1");
            there["metadata"]["ownerReferences"] = json!([]);
            Reply::ok(there)
        }
    })
    .await;
    let exists = ActionResult::Exists {
        ours: false,
        uid: "foreign".to_owned(),
        deleting: false,
    };
    assert_eq!(result, exists);
}

/// Taken, and free again before we look.
#[tokio::test(start_paused = true)]
async fn a_name_that_becomes_free_meanwhile_is_tried_again() {
    let (result, calls) = create(|n, _| match n {
        0 => Reply::status(409, "AlreadyExists"),
        1 => Reply::status(404, "NotFound"),
        _ => made(),
    })
    .await;
    assert_eq!(result, ok("new"));
    assert_eq!(
        calls.short(),
        ["POST jobs", "GET jobs/train-w-0", "POST jobs"]
    );
}

/// A quota that is written by many at once answers with Conflict; nothing was created.
#[tokio::test(start_paused = true)]
async fn a_conflict_of_a_quota_passes() {
    let (result, calls) = create(|n, _| match n {
        0 => Reply::status(409, "Conflict"),
        _ => made(),
    })
    .await;
    assert_eq!(result, ok("new"));
    assert_eq!(calls.short(), ["POST jobs", "POST jobs"]);
}

#[tokio::test(start_paused = true)]
async fn refusals_are_final() {
    for (code, reason) in [
        (403, "Forbidden"),
        (404, "NotFound"),
        (422, "Invalid"),
        (400, "BadRequest"),
    ] {
        let (result, calls) = create(move |_, _| Reply::status(code, reason)).await;
        let refused = ActionResult::Refused {
            code,
            reason: reason.to_owned(),
            message: format!("{reason} it is"),
        };
        assert_eq!(result, refused);
        assert_eq!(calls.short(), ["POST jobs"]);
    }
}

/// A 401 is a call that was not carried out: a login that can't be renewed is waited for.
#[tokio::test(start_paused = true)]
async fn a_lost_login_is_waited_for() {
    let (result, calls) = create(|n, _| match n {
        0..5 => Reply::status(401, "Unauthorized"),
        _ => made(),
    })
    .await;
    assert_eq!(result, ok("new"));
    assert!(calls.short().iter().all(|c| c == "POST jobs"));
}

async fn delete(answer: impl Fn(usize) -> Reply + Send + Sync + 'static) -> (ActionResult, Calls) {
    let (conn, calls) = server(move |n, _| answer(n));
    (
        Applier::new(&conn, "ml")
            .delete_job("train-w-0", "old")
            .await,
        calls,
    )
}

/// Trap D.1.1: never a plain delete, always that UID.
#[tokio::test(start_paused = true)]
async fn a_delete_is_in_the_foreground_and_bound_to_the_uid() {
    let (result, calls) = delete(|_| Reply::ok(job(Some("old"), "0"))).await;
    assert_eq!(result, ActionResult::Ok { uid: None });
    let calls = calls.all();
    assert_eq!(calls[0].short(), "DELETE jobs/train-w-0");
    assert_eq!(calls[0].body["propagationPolicy"], "Foreground");
    assert_eq!(calls[0].body["preconditions"], json!({"uid": "old"}));
}

#[tokio::test(start_paused = true)]
async fn deletes_are_repeated_through_trouble() {
    let (result, calls) = delete(|n| match n {
        0 => Reply::Broken,
        1 => Reply::status(503, "ServiceUnavailable"),
        2 => Reply::status(429, "TooManyRequests").header("retry-after", 1),
        _ => Reply::ok(json!({"kind": "Status"})),
    })
    .await;
    assert_eq!(result, ActionResult::Ok { uid: None });
    for call in calls.all() {
        assert_eq!(call.body["preconditions"]["uid"], "old");
        assert_eq!(call.body["propagationPolicy"], "Foreground");
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_gone_or_another_is_not_found() {
    let (result, _) = delete(|_| Reply::status(404, "NotFound")).await;
    assert_eq!(result, ActionResult::NotFound);
    let (result, calls) = delete(|n| match n {
        0 => Reply::status(409, "Conflict"),
        _ => Reply::ok(job(Some("new"), "1")),
    })
    .await;
    assert_eq!(result, ActionResult::NotFound);
    assert_eq!(
        calls.short(),
        ["DELETE jobs/train-w-0", "GET jobs/train-w-0"]
    );
}

#[tokio::test(start_paused = true)]
async fn suspend_and_resume_are_bound_to_the_uid() {
    let (conn, calls) = server(|_, _| Reply::ok(job(Some("old"), "0")));
    let applier = Applier::new(&conn, "ml");
    let template = json!({"spec": {"nodeSelector": {"zone": "a"}}});
    applier.suspend_job("train-w-0", "old").await;
    applier
        .resume_job("train-w-0", "old", true, Some(&template))
        .await;
    let calls = calls.all();
    let sent: Vec<_> = calls.iter().map(|c| (c.short(), c.body.clone())).collect();
    let uid = json!({"uid": "old"});
    assert_eq!(
        sent,
        [
            (
                "PATCH jobs/train-w-0".to_owned(),
                json!({"metadata": uid, "spec": {"suspend": true}})
            ),
            (
                "PATCH jobs/train-w-0/status".to_owned(),
                json!({"metadata": uid, "status": {"startTime": null}})
            ),
            (
                "PATCH jobs/train-w-0".to_owned(),
                json!({"metadata": uid, "spec": {"suspend": false, "template": template}})
            ),
        ]
    );
}

/// A changed UID in a patch is answered with 422; so is a template that may not change (trap D.7.4).
#[tokio::test(start_paused = true)]
async fn a_422_of_a_patch_is_another_job_or_a_refusal() {
    for (there, wanted) in [("new", ActionResult::NotFound), ("old", refused_422())] {
        let (conn, _) = server(move |n, _| match n {
            0 => Reply::status(422, "Invalid"),
            _ => Reply::ok(job(Some(there), "0")),
        });
        let result = Applier::new(&conn, "ml")
            .resume_job("train-w-0", "old", false, None)
            .await;
        assert_eq!(result, wanted);
    }
}

fn refused_422() -> ActionResult {
    ActionResult::Refused {
        code: 422,
        reason: "Invalid".to_owned(),
        message: "Invalid it is".to_owned(),
    }
}

/// Not more than the gate lets through, however many are asked for.
#[tokio::test(start_paused = true)]
async fn creates_in_flight_are_bounded() {
    use crate::driver::kube::retry::IN_FLIGHT;

    let (conn, calls) = server(|_, _| Reply::Silence);
    let applier = Applier::new(&conn, "ml");
    let body = body();
    let all = futures::future::join_all((0..200).map(|_| applier.create_job(&body, || true)));
    let second = std::time::Duration::from_secs(1);
    assert!(tokio::time::timeout(second, all).await.is_err());
    assert_eq!(calls.all().len(), IN_FLIGHT);
}
