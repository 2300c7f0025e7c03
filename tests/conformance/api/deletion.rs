//! Deleting one object: preconditions, finalizers, and what is answered.

use serde_json::{Value, json};

use crate::objects::{config_map, idle_job, lease};
use crate::reply::text;
use crate::server::{MERGE, Server};
use crate::watching::brief;

checks![
    a_delete_answers_with_a_status,
    a_uid_must_match,
    a_version_must_match,
    a_finalizer_keeps_it,
    a_deleted_object_gets_no_new_finalizers,
    a_deleted_object_can_be_changed,
    a_second_delete_changes_nothing,
    the_last_finalizer_lets_it_go,
    a_policy_that_is_none,
    two_policies,
    a_policy_as_a_parameter,
    a_name_can_be_used_again,
    a_put_without_finalizers_lets_it_go,
    deletion_is_one_event_after_the_other,
];

async fn a_delete_answers_with_a_status(s: &Server) {
    let made = s.post(&s.maps(""), config_map("a", json!({}))).await.ok();
    s.delete(&s.maps("/a"), Value::Null)
        .await
        .is(200)
        .same(json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success",
            "details": {"name": "a", "kind": "configmaps", "uid": made.at("/metadata/uid")},
        }));
    s.get(&s.maps("/a")).await.is(404);
    let made = s.make_job(idle_job("a")).await;
    s.delete(&s.jobs("/a"), json!({"propagationPolicy": "Background"}))
        .await
        .is(200)
        .warns(&[])
        .same(json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success",
            "details": {
                "name": "a", "group": "batch", "kind": "jobs", "uid": made.at("/metadata/uid"),
            },
        }));
}

async fn a_uid_must_match(s: &Server) {
    let made = s.post(&s.maps(""), config_map("a", json!({}))).await.ok();
    let uid = made.at("/metadata/uid");
    s.delete(&s.maps("/a"), json!({"preconditions": {"uid": "x"}}))
        .await
        .fails(
            409,
            "Conflict",
            &format!(
                "Operation cannot be fulfilled on ConfigMap \"a\": the UID in the precondition (x) does \
                 not match the UID in record ({uid}). The object might have been deleted and then \
                 recreated"
            ),
            json!({"name": "a", "kind": "ConfigMap"}),
        );
    s.get(&s.maps("/a")).await.is(200);
    s.delete(&s.maps("/a"), json!({"preconditions": {"uid": uid}}))
        .await
        .is(200);
    let job = s.make_job(idle_job("a")).await.at("/metadata/uid");
    s.delete(&s.jobs("/a"), json!({"preconditions": {"uid": "x"}, "propagationPolicy": "Background"}))
        .await
        .fails(
            409,
            "Conflict",
            &format!(
                "Operation cannot be fulfilled on Job.batch \"a\": the UID in the precondition (x) does \
                 not match the UID in record ({job}). The object might have been deleted and then \
                 recreated"
            ),
            json!({"name": "a", "group": "batch", "kind": "Job"}),
        );
    s.delete(
        &s.jobs("/a"),
        json!({"preconditions": {"uid": job}, "propagationPolicy": "Background"}),
    )
    .await
    .is(200);
}

async fn a_version_must_match(s: &Server) {
    s.post(&s.maps(""), config_map("a", json!({}))).await.ok();
    let made = s.change(&s.maps("/a"), json!({"data": {"k": "1"}})).await;
    let version = made.at("/metadata/resourceVersion");
    s.delete(&s.maps("/a"), json!({"preconditions": {"resourceVersion": "1"}}))
        .await
        .fails(
            409,
            "Conflict",
            &format!(
                "Operation cannot be fulfilled on ConfigMap \"a\": the ResourceVersion in the \
                 precondition (1) does not match the ResourceVersion in record ({version}). The object \
                 might have been modified"
            ),
            json!({"name": "a", "kind": "ConfigMap"}),
        );
    s.delete(
        &s.maps("/a"),
        json!({"preconditions": {"resourceVersion": version}}),
    )
    .await
    .is(200);
    s.get(&s.maps("/a")).await.is(404);
}

async fn finalized(s: &Server) -> String {
    let mut map = config_map("a", json!({"k": "1"}));
    map["metadata"]["finalizers"] = json!(["test.io/a"]);
    let made = s.post(&s.maps(""), map).await.ok();
    s.delete(&s.maps("/a"), Value::Null).await.is(200);
    made.at("/metadata/resourceVersion")
}

async fn a_finalizer_keeps_it(s: &Server) {
    let mut map = config_map("a", json!({}));
    map["metadata"]["finalizers"] = json!(["test.io/a", "test.io/b"]);
    let made = s.post(&s.maps(""), map).await.ok();
    let reply = s.delete(&s.maps("/a"), Value::Null).await;
    // The object, not a Status.
    reply.is(200).like(json!({
        "kind": "ConfigMap",
        "metadata": {
            "uid": made.at("/metadata/uid"),
            "deletionTimestamp": "*",
            "deletionGracePeriodSeconds": 0,
            "finalizers": ["test.io/a", "test.io/b"],
        },
    }));
    s.get(&s.maps("/a"))
        .await
        .is(200)
        .like(json!({"metadata": {"deletionTimestamp": reply.at("/metadata/deletionTimestamp")}}));
    s.holds(
        "the delete is a change",
        reply.at("/metadata/resourceVersion") != made.at("/metadata/resourceVersion"),
    );
    s.post(&s.maps(""), config_map("a", json!({}))).await.fails(
        409,
        "AlreadyExists",
        "object is being deleted: configmaps \"a\" already exists",
        json!({"name": "a", "kind": "configmaps"}),
    );
    s.change(
        &s.maps("/a"),
        json!({"metadata": {"finalizers": ["test.io/b"]}}),
    )
    .await;
    s.get(&s.maps("/a")).await.is(200);
    s.change(&s.maps("/a"), json!({"metadata": {"finalizers": []}}))
        .await;
    s.get(&s.maps("/a")).await.is(404);
}

async fn a_deleted_object_gets_no_new_finalizers(s: &Server) {
    finalized(s).await;
    s.patch(
        &s.maps("/a"),
        MERGE,
        json!({"metadata": {"finalizers": ["test.io/a", "test.io/more"]}}),
    )
    .await
    .invalid(
        "ConfigMap",
        "a",
        &[(
            "FieldValueForbidden",
            "Forbidden: no new finalizers can be added if the object is being deleted, found new \
             finalizers []string{\"test.io/more\"}",
            "metadata.finalizers",
        )],
    );
}

async fn a_deleted_object_can_be_changed(s: &Server) {
    finalized(s).await;
    s.patch(
        &s.maps("/a"),
        MERGE,
        json!({"data": {"k": "2"}, "metadata": {"labels": {"x": "y"}, "deletionTimestamp": null}}),
    )
    .await
    .is(200)
    .like(
        json!({"data": {"k": "2"}, "metadata": {"labels": {"x": "y"}, "deletionTimestamp": "*"}}),
    );
}

async fn a_second_delete_changes_nothing(s: &Server) {
    finalized(s).await;
    let first = s.get(&s.maps("/a")).await;
    s.delete(&s.maps("/a"), Value::Null).await.is(200);
    s.get(&s.maps("/a")).await.same(first.body.clone());
}

async fn the_last_finalizer_lets_it_go(s: &Server) {
    finalized(s).await;
    let gone = s
        .patch(
            &s.maps("/a"),
            MERGE,
            json!({"metadata": {"finalizers": null}}),
        )
        .await;
    gone.is(200)
        .like(json!({"kind": "ConfigMap", "metadata": {"finalizers": null}}));
    s.get(&s.maps("/a")).await.is(404);
}

async fn a_policy_that_is_none(s: &Server) {
    s.post(&s.maps(""), config_map("a", json!({}))).await.ok();
    s.delete(&s.maps("/a"), json!({"propagationPolicy": "Odd"}))
        .await
        .invalid(
            "DeleteOptions.meta.k8s.io",
            "",
            &[(
                "FieldValueNotSupported",
                "Unsupported value: \"Odd\": supported values: \"Foreground\", \"Background\", \
                 \"Orphan\", \"nil\"",
                "propagationPolicy",
            )],
        );
    s.get(&s.maps("/a")).await.is(200);
}

async fn two_policies(s: &Server) {
    s.post(&s.maps(""), config_map("a", json!({}))).await.ok();
    s.delete(
        &s.maps("/a"),
        json!({"propagationPolicy": "Background", "orphanDependents": true}),
    )
    .await
    .invalid(
        "DeleteOptions.meta.k8s.io",
        "",
        &[(
            "FieldValueInvalid",
            "Invalid value: \"Background\": orphanDependents and deletionPropagation cannot be both set",
            "propagationPolicy",
        )],
    );
}

async fn a_policy_as_a_parameter(s: &Server) {
    s.make_job(idle_job("a")).await;
    s.delete(&s.jobs("/a?propagationPolicy=Background"), Value::Null)
        .await
        .is(200)
        .warns(&[])
        .like(json!({"kind": "Status", "status": "Success"}));
    s.get(&s.jobs("/a")).await.is(404);
}

async fn a_name_can_be_used_again(s: &Server) {
    let first = s.post(&s.maps(""), config_map("a", json!({}))).await.ok();
    s.delete(&s.maps("/a"), Value::Null).await.is(200);
    let second = s.post(&s.maps(""), config_map("a", json!({}))).await;
    s.holds(
        "another uid",
        second.is(201).at("/metadata/uid") != first.at("/metadata/uid"),
    );
    let old = json!({"preconditions": {"uid": first.at("/metadata/uid")}});
    s.delete(&s.maps("/a"), old).await.is(409);
}

async fn a_put_without_finalizers_lets_it_go(s: &Server) {
    finalized(s).await;
    s.put(&s.maps("/a"), config_map("a", json!({})))
        .await
        .is(200);
    s.get(&s.maps("/a")).await.is(404);
}

async fn deletion_is_one_event_after_the_other(s: &Server) {
    let mut one = lease("a");
    one["metadata"]["finalizers"] = json!(["test.io/a"]);
    let from = s
        .post(&s.leases(""), one)
        .await
        .ok()
        .at("/metadata/resourceVersion");
    s.delete(&s.leases("/a"), Value::Null).await.is(200);
    s.change(&s.leases("/a"), json!({"metadata": {"finalizers": null}}))
        .await;
    let mut watch = s.watch(&s.leases(""), &[("resourceVersion", &from)]).await;
    let seen = watch.take(2).await;
    s.equal(
        "events",
        brief(&seen).join(", "),
        "MODIFIED a, DELETED a".to_owned(),
    );
    s.holds(
        "first with a finalizer",
        !text(&seen[0].object, "/metadata/deletionTimestamp").is_empty(),
    );
    // The state before its end.
    s.like(
        &seen[1].object,
        json!({"metadata": {"deletionTimestamp": "*", "finalizers": ["test.io/a"]}}),
    );
}
