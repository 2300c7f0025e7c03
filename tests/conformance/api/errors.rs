//! Refusals that concern no field of an object: not there, already there, changed meanwhile, unknown,
//! unreadable. Whole bodies, as clients decide by them.

use http::Method;
use serde_json::{Value, json};

use crate::objects::{config_map, idle_job};
use crate::server::{MERGE, Server};

checks![
    not_found_names_what_is_missing,
    not_found_for_every_verb,
    already_exists,
    a_version_that_is_old_conflicts,
    a_uid_that_is_another_conflicts,
    a_put_without_a_version_overwrites,
    a_put_needs_its_name,
    a_put_may_not_create_jobs,
    an_unknown_resource_is_not_found,
    an_unknown_group_is_a_plain_page,
    an_unknown_namespace_lists_nothing,
    create_in_an_unknown_namespace,
    methods_that_a_resource_does_not_have,
    bodies_of_another_kind,
    bodies_that_are_no_json,
    bodies_of_another_media_type,
    patches_of_another_media_type,
    answers_that_nobody_can_read,
    yaml_is_read,
    names_that_are_no_names,
];

async fn not_found_names_what_is_missing(s: &Server) {
    let details = |group: &str, kind: &str| match group {
        "" => json!({"name": "gone", "kind": kind}),
        group => json!({"name": "gone", "group": group, "kind": kind}),
    };
    s.get(&s.jobs("/gone")).await.fails(
        404,
        "NotFound",
        "jobs.batch \"gone\" not found",
        details("batch", "jobs"),
    );
    for kind in [
        "pods",
        "configmaps",
        "services",
        "events",
        "persistentvolumeclaims",
    ] {
        s.get(&s.core(&format!("{kind}/gone"))).await.fails(
            404,
            "NotFound",
            &format!("{kind} \"gone\" not found"),
            details("", kind),
        );
    }
    let lease = format!(
        "/apis/coordination.k8s.io/v1/namespaces/{}/leases/gone",
        s.ns
    );
    s.get(&lease).await.fails(
        404,
        "NotFound",
        "leases.coordination.k8s.io \"gone\" not found",
        details("coordination.k8s.io", "leases"),
    );
    s.get("/api/v1/nodes/gone").await.fails(
        404,
        "NotFound",
        "nodes \"gone\" not found",
        details("", "nodes"),
    );
    s.get("/api/v1/namespaces/gone").await.fails(
        404,
        "NotFound",
        "namespaces \"gone\" not found",
        details("", "namespaces"),
    );
}

async fn not_found_for_every_verb(s: &Server) {
    let details = json!({"name": "gone", "kind": "configmaps"});
    let message = "configmaps \"gone\" not found";
    let path = s.maps("/gone");
    s.patch(&path, MERGE, json!({"data": {}})).await.fails(
        404,
        "NotFound",
        message,
        details.clone(),
    );
    s.delete(&path, Value::Null)
        .await
        .fails(404, "NotFound", message, details.clone());
    let mut map = config_map("gone", json!({}));
    map["metadata"]["resourceVersion"] = json!("1");
    s.put(&path, map)
        .await
        .fails(404, "NotFound", message, details);
    let details = json!({"name": "gone", "group": "batch", "kind": "jobs"});
    s.patch(&s.jobs("/gone/status"), MERGE, json!({"status": {}}))
        .await
        .fails(404, "NotFound", "jobs.batch \"gone\" not found", details);
}

async fn already_exists(s: &Server) {
    s.post(&s.maps(""), config_map("a", json!({})))
        .await
        .is(201);
    s.post(&s.maps(""), config_map("a", json!({}))).await.fails(
        409,
        "AlreadyExists",
        "configmaps \"a\" already exists",
        json!({"name": "a", "kind": "configmaps"}),
    );
    s.make_job(idle_job("a")).await;
    s.post(&s.jobs(""), idle_job("a")).await.fails(
        409,
        "AlreadyExists",
        "jobs.batch \"a\" already exists",
        json!({"name": "a", "group": "batch", "kind": "jobs"}),
    );
}

async fn a_version_that_is_old_conflicts(s: &Server) {
    let old = s
        .post(&s.maps(""), config_map("a", json!({"k": "1"})))
        .await
        .ok();
    s.change(&s.maps("/a"), json!({"data": {"k": "2"}})).await;
    let message = "Operation cannot be fulfilled on configmaps \"a\": the object has been modified; \
                   please apply your changes to the latest version and try again";
    let details = json!({"name": "a", "kind": "configmaps"});
    let mut put = old.body.clone();
    put["data"]["k"] = json!("3");
    s.put(&s.maps("/a"), put)
        .await
        .fails(409, "Conflict", message, details.clone());
    let version = old.at("/metadata/resourceVersion");
    let patch = json!({"metadata": {"resourceVersion": version}, "data": {"k": "3"}});
    s.patch(&s.maps("/a"), MERGE, patch)
        .await
        .fails(409, "Conflict", message, details);
    let now = s.get(&s.maps("/a")).await;
    now.like(json!({"data": {"k": "2"}}));
    let patch = json!({
        "metadata": {"resourceVersion": now.at("/metadata/resourceVersion")},
        "data": {"k": "3"},
    });
    s.patch(&s.maps("/a"), MERGE, patch)
        .await
        .is(200)
        .like(json!({"data": {"k": "3"}}));
    s.make_job(idle_job("j")).await;
    s.patch(
        &s.jobs("/j"),
        MERGE,
        json!({"metadata": {"resourceVersion": "1", "labels": {"x": "y"}}}),
    )
    .await
    .fails(
        409,
        "Conflict",
        "Operation cannot be fulfilled on jobs.batch \"j\": the object has been modified; please \
         apply your changes to the latest version and try again",
        json!({"name": "j", "group": "batch", "kind": "jobs"}),
    );
}

async fn a_uid_that_is_another_conflicts(s: &Server) {
    let made = s.post(&s.maps(""), config_map("a", json!({}))).await.ok();
    let uid = made.at("/metadata/uid");
    let mut put = made.body.clone();
    put["metadata"]["uid"] = json!("11111111-2222-4333-8444-555555555555");
    let reply = s.put(&s.maps("/a"), put).await;
    reply.is(409).like(json!({
        "reason": "Conflict",
        "details": {"name": "a", "kind": "configmaps"},
    }));
    // What stands before it names the store's own key.
    let end = format!(
        "Precondition failed: UID in precondition: 11111111-2222-4333-8444-555555555555, UID in \
         object meta: {uid}"
    );
    s.holds(&reply.text, reply.at("/message").ends_with(&end));
}

async fn a_put_without_a_version_overwrites(s: &Server) {
    s.post(&s.maps(""), config_map("a", json!({"k": "1"})))
        .await
        .ok();
    s.put(&s.maps("/a"), config_map("a", json!({"l": "2"})))
        .await
        .is(200)
        .like(json!({"data": {"k": null, "l": "2"}}));
}

async fn a_put_needs_its_name(s: &Server) {
    s.post(&s.maps(""), config_map("a", json!({}))).await.ok();
    s.put(&s.maps("/a"), config_map("b", json!({})))
        .await
        .fails(
            400,
            "BadRequest",
            "the name of the object (b) does not match the name on the URL (a)",
            Value::Null,
        );
}

async fn a_put_may_not_create_jobs(s: &Server) {
    s.put(&s.jobs("/a"), idle_job("a")).await.fails(
        404,
        "NotFound",
        "jobs.batch \"a\" not found",
        json!({"name": "a", "group": "batch", "kind": "jobs"}),
    );
}

async fn an_unknown_resource_is_not_found(s: &Server) {
    let message = "the server could not find the requested resource";
    for path in [
        "/api/v1/things".to_owned(),
        "/apis/batch/v1/things".to_owned(),
        "/apis/batch/v7".to_owned(),
        "/apis/batch/v7/jobs".to_owned(),
        "/api/v2".to_owned(),
        s.core("things"),
        s.core("things/a"),
        s.core("pods/a/things"),
        s.jobs("/a/things"),
    ] {
        s.get(&path)
            .await
            .fails(404, "NotFound", message, json!({}));
    }
}

async fn an_unknown_group_is_a_plain_page(s: &Server) {
    for path in [
        "/apis/things.test/v1",
        "/apis/things.test/v1/namespaces/default/things",
        "/nowhere",
    ] {
        let reply = s.get(path).await;
        reply.is(404);
        s.equal("text", reply.text.as_str(), "404 page not found\n");
        s.equal(
            "type",
            reply.header("content-type"),
            "text/plain; charset=utf-8",
        );
    }
}

async fn an_unknown_namespace_lists_nothing(s: &Server) {
    s.get("/api/v1/namespaces/gone-and-forgotten/pods")
        .await
        .is(200)
        .like(json!({"kind": "PodList", "items": []}));
}

async fn create_in_an_unknown_namespace(s: &Server) {
    s.post(
        "/api/v1/namespaces/gone-and-forgotten/configmaps",
        config_map("a", json!({})),
    )
    .await
    .fails(
        404,
        "NotFound",
        "namespaces \"gone-and-forgotten\" not found",
        json!({"name": "gone-and-forgotten", "kind": "namespaces"}),
    );
    s.post(
        "/apis/batch/v1/namespaces/gone-and-forgotten/jobs",
        idle_job("a"),
    )
    .await
    .is(404);
}

async fn methods_that_a_resource_does_not_have(s: &Server) {
    let message = "the server does not allow this method on the requested resource";
    for (method, path) in [
        (Method::PUT, s.jobs("")),
        (Method::PATCH, s.jobs("")),
        (Method::POST, s.jobs("/a")),
        (Method::DELETE, s.jobs("/a/status")),
        (Method::POST, s.pods("/a/status")),
    ] {
        s.call(
            method,
            &path,
            &[("content-type", "application/json")],
            json!({}),
        )
        .await
        .fails(405, "MethodNotAllowed", message, json!({}));
    }
}

async fn bodies_of_another_kind(s: &Server) {
    s.post(&s.pods(""), config_map("a", json!({}))).await.fails(
        400,
        "BadRequest",
        "ConfigMap in version \"v1\" cannot be handled as a Pod: converting (v1.ConfigMap) to \
         (core.Pod): unknown conversion",
        Value::Null,
    );
}

async fn bodies_that_are_no_json(s: &Server) {
    let reply = s.post(&s.maps(""), json!("{\"metadata\": ")).await;
    reply.is(400).like(json!({"reason": "BadRequest"}));
    let reply = s.post(&s.maps(""), json!({"metadata": {"name": 7}})).await;
    reply.fails(
        400,
        "BadRequest",
        "ConfigMap in version \"v1\" cannot be handled as a ConfigMap: json: cannot unmarshal number \
         into Go struct field ObjectMeta.metadata.name of type string",
        Value::Null,
    );
    let reply = s
        .post(
            &s.jobs(""),
            json!({"metadata": {"name": "a"}, "spec": {"parallelism": "two"}}),
        )
        .await;
    reply.fails(
        400,
        "BadRequest",
        "Job in version \"v1\" cannot be handled as a Job: json: cannot unmarshal string into Go \
         struct field JobSpec.spec.parallelism of type int32",
        Value::Null,
    );
}

async fn bodies_of_another_media_type(s: &Server) {
    s.call(
        Method::POST,
        &s.maps(""),
        &[("content-type", "application/xml")],
        json!("<a/>"),
    )
    .await
    .fails(
        415,
        "UnsupportedMediaType",
        "the body of the request was in an unknown format - accepted media types include: \
         application/json, application/yaml, application/vnd.kubernetes.protobuf",
        Value::Null,
    );
}

async fn patches_of_another_media_type(s: &Server) {
    s.post(&s.maps(""), config_map("a", json!({}))).await.ok();
    for media in ["application/json", "text/plain", "application/xml"] {
        s.patch(&s.maps("/a"), media, json!({})).await.fails(
            415,
            "UnsupportedMediaType",
            "415: Unsupported Media Type",
            json!({}),
        );
    }
}

async fn answers_that_nobody_can_read(s: &Server) {
    s.get_as(&s.maps(""), "application/xml").await.fails(
        406,
        "NotAcceptable",
        "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, \
         application/vnd.kubernetes.protobuf, application/json;stream=watch, \
         application/vnd.kubernetes.protobuf;stream=watch",
        json!({}),
    );
    let reply = s.get_as(&s.maps(""), "application/xml, */*;q=0.1").await;
    reply.is(200).like(json!({"kind": "ConfigMapList"}));
    s.equal("type", reply.header("content-type"), "application/json");
}

async fn yaml_is_read(s: &Server) {
    let text = "metadata:\n  name: a\ndata:\n  k: v\n";
    s.call(
        Method::POST,
        &s.maps(""),
        &[("content-type", "application/yaml")],
        json!(text),
    )
    .await
    .is(201)
    .like(json!({"metadata": {"name": "a"}, "data": {"k": "v"}}));
}

async fn names_that_are_no_names(s: &Server) {
    let rule = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' \
                or '.', and must start and end with an alphanumeric character (e.g. 'example.com', \
                regex used for validation is \
                '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
    for name in ["A", "a_b", "-a", "a-"] {
        s.post(&s.maps(""), config_map(name, json!({})))
            .await
            .invalid(
                "ConfigMap",
                name,
                &[(
                    "FieldValueInvalid",
                    &format!("Invalid value: \"{name}\": {rule}"),
                    "metadata.name",
                )],
            );
    }
    s.post(&s.maps(""), json!({"data": {}})).await.invalid(
        "ConfigMap",
        "",
        &[(
            "FieldValueRequired",
            "Required value: name or generateName is required",
            "metadata.name",
        )],
    );
    let long = "a".repeat(254);
    s.post(&s.maps(""), config_map(&long, json!({})))
        .await
        .invalid(
            "ConfigMap",
            &long,
            &[(
                "FieldValueInvalid",
                &format!("Invalid value: \"{long}\": must be no more than 253 characters"),
                "metadata.name",
            )],
        );
}
