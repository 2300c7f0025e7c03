//! Who may ask what.

use serde_json::{Value, json};

use crate::server::Server;

checks![
    an_administrator_may_do_all,
    a_review_is_not_stored,
    a_review_without_a_question,
    a_review_with_two_questions,
    a_wrong_token_is_refused,
];

const REVIEWS: &str = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";

async fn an_administrator_may_do_all(s: &Server) {
    for (verb, group, resource, sub) in [
        ("create", "batch", "jobs", ""),
        ("delete", "", "pods", ""),
        ("get", "", "pods", "log"),
        ("*", "*", "*", ""),
        ("patch", "coordination.k8s.io", "leases", ""),
    ] {
        let attributes = json!({
            "namespace": s.ns, "verb": verb, "group": group, "resource": resource, "subresource": sub,
        });
        s.post(REVIEWS, json!({"spec": {"resourceAttributes": attributes}}))
            .await
            .is(201)
            .like(json!({
                "kind": "SelfSubjectAccessReview",
                "apiVersion": "authorization.k8s.io/v1",
                "metadata": {"uid": null, "creationTimestamp": null},
                "spec": {"resourceAttributes": {"verb": verb, "resource": resource}},
                "status": {"allowed": true, "denied": null},
            }));
    }
    let path = json!({"spec": {"nonResourceAttributes": {"path": "/version", "verb": "get"}}});
    s.post(REVIEWS, path)
        .await
        .is(201)
        .like(json!({"status": {"allowed": true}}));
}

async fn a_review_is_not_stored(s: &Server) {
    s.get(REVIEWS).await.fails(
        405,
        "MethodNotAllowed",
        "the server does not allow this method on the requested resource",
        json!({}),
    );
}

async fn a_review_without_a_question(s: &Server) {
    // Of a kind without a name, as nobody names it there.
    s.post(REVIEWS, json!({"spec": {}})).await.is(422).like(json!({
        "message": ".authorization.k8s.io \"\" is invalid: spec: Invalid value: null: exactly one of \
                    nonResourceAttributes or resourceAttributes must be specified",
        "reason": "Invalid",
        "details": {"group": "authorization.k8s.io", "causes": [{
            "reason": "FieldValueInvalid",
            "message": "Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes \
                        must be specified",
            "field": "spec",
        }]},
    }));
}

async fn a_review_with_two_questions(s: &Server) {
    let spec = json!({
        "resourceAttributes": {"verb": "get", "resource": "pods"},
        "nonResourceAttributes": {"verb": "get", "path": "/version"},
    });
    s.post(REVIEWS, json!({"spec": spec}))
        .await
        .is(422)
        .like(json!({"reason": "Invalid"}));
}

async fn a_wrong_token_is_refused(s: &Server) {
    let stranger = Server {
        clients: s.clients.stranger(),
        ns: s.ns.clone(),
        seen: s.seen.clone(),
    };
    stranger
        .get(&s.pods(""))
        .await
        .fails(401, "Unauthorized", "Unauthorized", Value::Null);
}
