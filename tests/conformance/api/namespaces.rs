//! Namespaces come and go with what is in them.

use serde_json::{Value, json};

use crate::objects::{config_map, job, of_job};
use crate::server::Server;

checks![
    a_namespace_is_active,
    a_name_that_is_no_label,
    some_namespaces_stay,
    a_namespace_takes_all_with_it,
    nothing_new_in_a_namespace_that_ends,
    a_finalizer_holds_a_namespace,
];

fn namespace(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
}

async fn a_namespace_is_active(s: &Server) {
    let name = format!("{}-a", s.ns);
    s.post("/api/v1/namespaces", namespace(&name))
        .await
        .is(201)
        .like(json!({
            "metadata": {"name": name, "namespace": null, "labels": {"kubernetes.io/metadata.name": name}},
            "spec": {"finalizers": ["kubernetes"]},
            "status": {"phase": "Active"},
        }));
    s.post("/api/v1/namespaces", namespace(&name)).await.fails(
        409,
        "AlreadyExists",
        &format!("namespaces \"{name}\" already exists"),
        json!({"name": name, "kind": "namespaces"}),
    );
    let path = format!("/api/v1/namespaces/{name}");
    s.delete(&path, Value::Null).await.is(200).like(json!({
        "kind": "Namespace",
        "metadata": {"deletionTimestamp": "*"},
        "status": {"phase": "Terminating"},
    }));
    s.until_gone("/api/v1/namespaces", &name).await;
}

async fn a_name_that_is_no_label(s: &Server) {
    let rule = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and \
                must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex \
                used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
    for (name, why) in [("a.b", "must not contain dots"), ("a_b", rule)] {
        s.post("/api/v1/namespaces", namespace(name)).await.invalid(
            "Namespace",
            name,
            &[(
                "FieldValueInvalid",
                &format!("Invalid value: \"{name}\": {why}"),
                "metadata.name",
            )],
        );
    }
}

async fn some_namespaces_stay(s: &Server) {
    for name in ["default", "kube-system"] {
        let path = format!("/api/v1/namespaces/{name}");
        s.delete(&path, Value::Null).await.fails(
            403,
            "Forbidden",
            &format!("namespaces \"{name}\" is forbidden: this namespace may not be deleted"),
            json!({"name": name, "kind": "namespaces"}),
        );
    }
}

async fn a_namespace_takes_all_with_it(s: &Server) {
    s.make_job(job("a", json!({"parallelism": 2}))).await;
    s.live_pods("a", 2).await;
    s.post(&s.maps(""), config_map("a", json!({}))).await.ok();
    s.delete(&format!("/api/v1/namespaces/{}", s.ns), Value::Null)
        .await
        .is(200);
    s.until_gone("/api/v1/namespaces", &s.ns).await;
    for collection in [s.jobs(""), s.pods(""), s.maps("")] {
        s.get(&collection).await.is(200).like(json!({"items": []}));
    }
    let path = format!(
        "/api/v1/pods?labelSelector={}",
        of_job("a").replace('/', "%2F")
    );
    let here = s.get(&path).await;
    s.holds(
        "none of ours",
        here.items()
            .iter()
            .all(|p| p["metadata"]["namespace"] != s.ns.as_str()),
    );
}

async fn nothing_new_in_a_namespace_that_ends(s: &Server) {
    let mut map = config_map("held", json!({}));
    map["metadata"]["finalizers"] = json!(["test.io/a"]);
    s.post(&s.maps(""), map).await.ok();
    s.delete(&format!("/api/v1/namespaces/{}", s.ns), Value::Null)
        .await
        .is(200);
    s.post(&s.maps(""), config_map("a", json!({}))).await.fails(
        403,
        "Forbidden",
        &format!(
            "configmaps \"a\" is forbidden: unable to create new content in namespace {} because it is \
             being terminated",
            s.ns
        ),
        json!({
            "name": "a",
            "kind": "configmaps",
            "causes": [{
                "reason": "NamespaceTerminating",
                "message": format!("namespace {} is being terminated", s.ns),
                "field": "metadata.namespace",
            }],
        }),
    );
    // What is there can still change.
    s.change(&s.maps("/held"), json!({"metadata": {"finalizers": null}}))
        .await;
    s.until_gone("/api/v1/namespaces", &s.ns).await;
}

async fn a_finalizer_holds_a_namespace(s: &Server) {
    let mut map = config_map("held", json!({}));
    map["metadata"]["finalizers"] = json!(["test.io/a"]);
    s.post(&s.maps(""), map).await.ok();
    s.delete(&format!("/api/v1/namespaces/{}", s.ns), Value::Null)
        .await
        .is(200);
    s.until_one("being deleted", &s.maps(""), "held", |map| {
        !map["metadata"]["deletionTimestamp"].is_null()
    })
    .await;
    s.get(&format!("/api/v1/namespaces/{}", s.ns))
        .await
        .is(200)
        .like(json!({"status": {"phase": "Terminating"}}));
    s.change(&s.maps("/held"), json!({"metadata": {"finalizers": null}}))
        .await;
    s.until_gone("/api/v1/namespaces", &s.ns).await;
}
