use serde_json::json;

use super::*;
use crate::driver::kube::fake::{Calls, Got, Reply, server};

/// A world in which everything is allowed and nothing stands in the way, but for what `change` says.
async fn check_with(
    jobs: u32,
    change: impl Fn(&Got) -> Option<Reply> + Send + Sync + 'static,
) -> (Result<Checked>, Calls) {
    let (conn, calls) = server(move |_, got| {
        change(got).unwrap_or_else(|| match got.short().as_str() {
            "POST selfsubjectrulesreviews" => rules(&["*"], &["*"], &["*"]),
            "GET jobs" => Reply::ok(json!({"metadata": {"resourceVersion": "1"}, "items": []})),
            call if call.starts_with("GET ") => Reply::status(404, "NotFound"),
            _ => Reply::created(json!({})),
        })
    });
    let object = |name: &str| json!({"metadata": {"name": name}});
    let jobs_of = [
        ("leader".to_owned(), object("train-leader-0")),
        ("worker".to_owned(), object("train-worker-0")),
    ];
    let names: Vec<_> = (0..jobs).map(|n| format!("train-worker-{n}")).collect();
    let objects = Objects {
        record: &object("train-run"),
        lease: &object("train-run"),
        service: Some(&object("train")),
        jobs: &jobs_of,
        job_names: &names,
    };
    (
        check(&conn, "ml", &objects, FieldValidation::Strict).await,
        calls,
    )
}

fn clear(result: Result<Checked>) -> Preflight {
    match result.unwrap() {
        Checked::Clear(preflight) => preflight,
        Checked::RecordStands => panic!("the record stands"),
    }
}

fn rules(groups: &[&str], resources: &[&str], verbs: &[&str]) -> Reply {
    Reply::created(
        json!({"status": {"incomplete": false, "nonResourceRules": [], "resourceRules": [
            {"apiGroups": groups, "resources": resources, "verbs": verbs},
        ]}}),
    )
}

#[tokio::test(start_paused = true)]
async fn all_is_well_with_few_requests_whatever_the_size() {
    let (result, calls) = check_with(1000, |_| None).await;
    let wanted = Preflight {
        notes: Vec::new(),
        logs: true,
        events: true,
        jobset_served: false,
    };
    assert_eq!(clear(result), wanted);
    let mut short = calls.short();
    short.sort();
    assert_eq!(
        short,
        [
            "GET jobs",
            "GET jobset.x-k8s.io",
            "POST configmaps",
            "POST jobs",
            "POST jobs",
            "POST leases",
            "POST selfsubjectrulesreviews",
            "POST services",
        ]
    );
}

/// Nothing that stays: every create but the reviews is a dry run, with strict fields.
#[tokio::test(start_paused = true)]
async fn creates_are_dry_runs() {
    let (_, calls) = check_with(3, |_| None).await;
    for call in calls.all() {
        if call.method == "POST" && !call.path.contains("selfsubject") {
            assert_eq!(call.query["dryRun"], "All", "{}", call.short());
            assert_eq!(call.query["fieldValidation"], "Strict", "{}", call.short());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn every_missing_right_is_named_in_one_error() {
    let (result, _) = check_with(3, |got| match got.short().as_str() {
        // All but Jobs' deletion and Leases are in the rules; the rest is asked for.
        "POST selfsubjectrulesreviews" => Some(rules(
            &["", "batch"],
            &[
                "jobs",
                "jobs/status",
                "pods",
                "pods/log",
                "services",
                "configmaps",
                "events",
            ],
            &["get", "list", "watch", "create", "patch"],
        )),
        "POST selfsubjectaccessreviews" => Some(Reply::created(
            json!({"status": {"allowed": got.body["spec"]
                ["resourceAttributes"]["resource"] == "configmaps"}}),
        )),
        _ => None,
    })
    .await;
    let error = result.unwrap_err();
    assert_eq!(error.kind(), Kind::NotAllowed);
    assert_eq!(
        error.message(),
        "not allowed in namespace ml: delete jobs.batch; delete services; \
         get, list, create, patch, delete leases.coordination.k8s.io"
    );
}

/// An authorizer that can't list its rules: each right is asked for by itself.
#[tokio::test(start_paused = true)]
async fn rules_that_are_not_told_are_asked_for() {
    let (result, calls) = check_with(3, |got| match got.short().as_str() {
        "POST selfsubjectrulesreviews" => Some(Reply::created(
            json!({"status": {"incomplete": true, "resourceRules": null}}),
        )),
        "POST selfsubjectaccessreviews" => {
            Some(Reply::created(json!({"status": {"allowed": true}})))
        }
        _ => None,
    })
    .await;
    assert!(result.is_ok());
    let needed: usize = NEEDS.iter().map(|need| need.verbs.len()).sum();
    let asked = calls
        .short()
        .iter()
        .filter(|c| c.contains("accessreviews"))
        .count();
    assert_eq!(asked, needed);
    let logs = calls
        .all()
        .into_iter()
        .find(|c| c.body["spec"]["resourceAttributes"]["subresource"] == "log");
    assert_eq!(
        logs.unwrap().body["spec"]["resourceAttributes"],
        json!({"namespace": "ml", "verb": "get", "group": "", "resource": "pods", "subresource": "log"})
    );
}

#[tokio::test(start_paused = true)]
async fn logs_and_events_are_no_must() {
    let (result, _) = check_with(3, |got| match got.short().as_str() {
        "POST selfsubjectrulesreviews" => Some(rules(
            &["*"],
            &[
                "jobs",
                "jobs/status",
                "pods",
                "services",
                "configmaps",
                "leases",
            ],
            &["*"],
        )),
        "POST selfsubjectaccessreviews" => {
            Some(Reply::created(json!({"status": {"allowed": false}})))
        }
        _ => None,
    })
    .await;
    let preflight = clear(result);
    assert!(!preflight.logs && !preflight.events);
    assert_eq!(
        preflight.notes,
        [
            "no right to get pods/log: logs are neither shown nor kept",
            "no right to list events: pods that are refused are not explained",
            "no right to watch events: pods that are refused are not explained",
        ]
    );
}

fn standing(name: &str, owner: Option<&str>) -> serde_json::Value {
    let owners = owner.map(|name| json!({"kind": "CronJob", "name": name, "controller": true}));
    json!({"metadata": {"name": name, "uid": "u",
        "ownerReferences": owners.into_iter().collect::<Vec<_>>()}})
}

#[tokio::test(start_paused = true)]
async fn what_is_in_the_way_is_named_with_its_owner() {
    let (result, _) = check_with(3, |got| match got.short().as_str() {
        "POST services" => Some(Reply::status(409, "AlreadyExists")),
        "GET services/train" => Some(Reply::ok(standing("train", None))),
        "GET jobs/train-worker-1" => Some(Reply::ok(standing("train-worker-1", Some("nightly")))),
        _ => None,
    })
    .await;
    let error = result.unwrap_err();
    assert_eq!(error.kind(), Kind::InTheWay);
    assert_eq!(
        error.message(),
        "in the way in namespace ml: job/train-worker-1 (owner cronjob/nightly), \
         service/train (no owner)"
    );
}

/// A run of that name comes before everything else that may be said: its own children are in the way of
/// a second one, and a quota may hide it from the dry run.
#[tokio::test(start_paused = true)]
async fn a_record_that_stands_is_told_alone() {
    for (code, reason) in [(409, "AlreadyExists"), (403, "Forbidden")] {
        let (result, _) = check_with(3, move |got| match got.short().as_str() {
            "POST configmaps" | "POST services" | "POST leases" => {
                Some(Reply::status(code, reason))
            }
            "GET configmaps/train-run" => Some(Reply::ok(standing("train-run", None))),
            "GET jobs/train-worker-1" => Some(Reply::ok(standing("train-worker-1", None))),
            _ => None,
        })
        .await;
        assert_eq!(result.unwrap(), Checked::RecordStands);
    }
}

/// The same with many Jobs, which are found in the list of the namespace.
#[tokio::test(start_paused = true)]
async fn many_names_are_found_in_one_list() {
    let (result, calls) = check_with(100, |got| match got.short().as_str() {
        "GET jobs" => Some(Reply::ok(
            json!({"metadata": {"resourceVersion": "1"}, "items": [
                standing("other", None), standing("train-worker-77", Some("nightly")),
            ]}),
        )),
        _ => None,
    })
    .await;
    assert!(
        result
            .unwrap_err()
            .message()
            .contains("job/train-worker-77 (owner cronjob/nightly)")
    );
    let list = calls
        .all()
        .into_iter()
        .find(|c| c.short() == "GET jobs")
        .unwrap();
    assert!(list.accept.contains("PartialObjectMetadataList"));
}

/// What is being deleted is waited for, not complained of.
#[tokio::test(start_paused = true)]
async fn what_is_on_its_way_out_is_not_in_the_way() {
    let (result, _) = check_with(3, |got| match got.short().as_str() {
        "GET jobs/train-worker-1" => {
            let mut job = standing("train-worker-1", None);
            job["metadata"]["deletionTimestamp"] = json!("2026-12-01T09:00:00Z");
            Some(Reply::ok(job))
        }
        _ => None,
    })
    .await;
    assert_eq!(
        clear(result).notes,
        ["job/train-worker-1 and what else is being deleted under our names is waited for"]
    );
}

#[tokio::test(start_paused = true)]
async fn what_the_server_refuses_is_told_by_role_in_its_words() {
    let (result, _) = check_with(3, |got| {
        (got.short() == "POST jobs" && got.body["metadata"]["name"] == "train-worker-0")
            .then(|| Reply::status(422, "Invalid"))
    })
    .await;
    let error = result.unwrap_err();
    assert_eq!(error.kind(), Kind::Manifest);
    assert_eq!(
        error.render(),
        "error: the server refuses role worker (job/train-worker-0)\n  caused by: Invalid it is"
    );
}

/// A quota or a policy says no although the right is there.
#[tokio::test(start_paused = true)]
async fn a_refusal_by_admission_is_not_the_manifests() {
    let (result, _) = check_with(3, |got| {
        (got.short() == "POST jobs").then(|| Reply::status(403, "Forbidden"))
    })
    .await;
    let error = result.unwrap_err();
    assert_eq!(error.kind(), Kind::NotAllowed);
    assert!(
        error
            .render()
            .contains("role leader (job/train-leader-0): Forbidden it is")
    );
}

#[tokio::test(start_paused = true)]
async fn a_webhook_that_takes_no_dry_run_is_a_note() {
    let (result, _) = check_with(3, |got| {
        (got.short() == "POST services").then(|| {
            Reply::Json(
                400,
                Vec::new(),
                json!({"code": 400, "reason": "BadRequest",
                    "message": "admission webhook \"x\" does not support dry run"}),
            )
        })
    })
    .await;
    assert_eq!(clear(result).notes.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn without_contact_nothing_is_said_about_rights() {
    let (result, _) = check_with(3, |_| Some(Reply::Broken)).await;
    assert_eq!(result.unwrap_err().kind(), Kind::NotReached);
}

#[tokio::test(start_paused = true)]
async fn an_installed_controller_is_a_note() {
    let (result, _) = check_with(3, |got| {
        (got.short() == "GET jobset.x-k8s.io").then(|| Reply::ok(json!({"kind": "APIGroup"})))
    })
    .await;
    let preflight = clear(result);
    assert!(preflight.jobset_served);
    assert_eq!(preflight.notes.len(), 1);
}
