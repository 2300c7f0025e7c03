//! Server-side dry run: everything but the store.

use serde_json::{Value, json};

use crate::objects::{config_map, idle_job, job, lease, pod};
use crate::server::{MERGE, Server, query};

checks![
    a_create_is_defaulted_and_not_stored,
    a_create_of_what_exists_fails,
    a_create_that_is_invalid_fails,
    a_change_is_shown_and_not_stored,
    a_delete_does_nothing,
    a_deletecollection_does_nothing,
    a_delete_may_say_so_in_its_body,
    nobody_watching_hears_of_it,
    an_unknown_dry_run_is_refused,
    a_generated_name_is_shown,
];

async fn a_create_is_defaulted_and_not_stored(s: &Server) {
    let made = s.post(&s.jobs("?dryRun=All"), job("a", json!({}))).await;
    made.is(201).like(json!({
        "metadata": {
            "name": "a",
            "uid": "*",
            "resourceVersion": null,
            "creationTimestamp": "*",
            "generation": 1,
        },
        "spec": {"completions": 1, "parallelism": 1, "selector": {"matchLabels": {
            "batch.kubernetes.io/controller-uid": "*",
        }}},
        "status": {},
    }));
    s.get(&s.jobs("/a")).await.is(404);
    s.get(&s.jobs("")).await.like(json!({"items": []}));
}

async fn a_create_of_what_exists_fails(s: &Server) {
    s.post(&s.maps(""), config_map("a", json!({}))).await.ok();
    s.post(&s.maps("?dryRun=All"), config_map("a", json!({})))
        .await
        .fails(
            409,
            "AlreadyExists",
            "configmaps \"a\" already exists",
            json!({"name": "a", "kind": "configmaps"}),
        );
}

async fn a_create_that_is_invalid_fails(s: &Server) {
    s.post(&s.jobs("?dryRun=All"), job("a", json!({"parallelism": -1})))
        .await
        .is(422)
        .like(json!({"details": {"causes": [{"field": "spec.parallelism"}]}}));
}

async fn a_change_is_shown_and_not_stored(s: &Server) {
    let made = s
        .post(&s.maps(""), config_map("a", json!({"k": "1"})))
        .await
        .ok();
    let version = made.at("/metadata/resourceVersion");
    s.patch(&s.maps("/a?dryRun=All"), MERGE, json!({"data": {"k": "2"}}))
        .await
        .is(200)
        .like(json!({"data": {"k": "2"}, "metadata": {"resourceVersion": version}}));
    let mut put = made.body.clone();
    put["data"]["k"] = json!("3");
    s.put(&s.maps("/a?dryRun=All"), put)
        .await
        .is(200)
        .like(json!({"data": {"k": "3"}, "metadata": {"resourceVersion": version}}));
    s.get(&s.maps("/a")).await.same(made.body.clone());
    s.make_job(idle_job("j")).await;
    s.patch(
        &s.jobs("/j?dryRun=All"),
        MERGE,
        json!({"spec": {"parallelism": 3}}),
    )
    .await
    .is(200)
    .like(json!({"metadata": {"generation": 2}, "spec": {"parallelism": 3}}));
}

async fn a_delete_does_nothing(s: &Server) {
    let made = s.post(&s.maps(""), config_map("a", json!({}))).await.ok();
    s.delete(&s.maps("/a?dryRun=All"), Value::Null)
        .await
        .is(200)
        .same(json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success",
            "details": {"name": "a", "kind": "configmaps", "uid": made.at("/metadata/uid")},
        }));
    s.get(&s.maps("/a")).await.is(200).same(made.body.clone());
    s.post(&s.pods(""), pod("p")).await.ok();
    s.delete(&s.pods("/p?dryRun=All"), Value::Null)
        .await
        .is(200)
        .like(json!({"kind": "Pod"}));
    s.get(&s.pods("/p"))
        .await
        .is(200)
        .like(json!({"metadata": {"deletionTimestamp": null}}));
}

async fn a_deletecollection_does_nothing(s: &Server) {
    for name in ["a", "b"] {
        s.post(&s.leases(""), lease(name)).await.ok();
    }
    s.delete(&s.leases("?dryRun=All"), Value::Null)
        .await
        .is(200);
    s.equal("both", s.get(&s.leases("")).await.names().len(), 2);
}

async fn a_delete_may_say_so_in_its_body(s: &Server) {
    s.post(&s.maps(""), config_map("a", json!({}))).await.ok();
    s.delete(&s.maps("/a"), json!({"dryRun": ["All"]}))
        .await
        .is(200);
    s.get(&s.maps("/a")).await.is(200);
}

async fn nobody_watching_hears_of_it(s: &Server) {
    let from = s.get(&s.leases("")).await.at("/metadata/resourceVersion");
    s.post(&s.leases("?dryRun=All"), lease("a")).await.is(201);
    s.post(&s.leases(""), lease("b")).await.is(201);
    s.patch(
        &s.leases("/b?dryRun=All"),
        MERGE,
        json!({"spec": {"holderIdentity": "x"}}),
    )
    .await
    .is(200);
    s.delete(&s.leases("/b"), Value::Null).await.is(200);
    let mut watch = s.watch(&s.leases(""), &[("resourceVersion", &from)]).await;
    let seen = crate::watching::brief(&watch.take(2).await);
    s.equal("events", seen.join(", "), "ADDED b, DELETED b".to_owned());
}

async fn an_unknown_dry_run_is_refused(s: &Server) {
    let causes = [(
        "FieldValueNotSupported",
        "Unsupported value: [\"Some\"]: supported values: \"All\"",
        "dryRun",
    )];
    s.post(&s.maps("?dryRun=Some"), config_map("a", json!({})))
        .await
        .invalid("CreateOptions.meta.k8s.io", "", &causes);
    s.patch(&s.maps("/a?dryRun=Some"), MERGE, json!({}))
        .await
        .invalid("PatchOptions.meta.k8s.io", "", &causes);
    s.delete(&s.maps("/a?dryRun=Some"), Value::Null)
        .await
        .invalid("DeleteOptions.meta.k8s.io", "", &causes);
}

async fn a_generated_name_is_shown(s: &Server) {
    let path = query(&s.maps(""), &[("dryRun", "All")]);
    let made = s
        .post(&path, json!({"metadata": {"generateName": "made-"}}))
        .await;
    s.equal("length", made.is(201).at("/metadata/name").len(), 10);
}
