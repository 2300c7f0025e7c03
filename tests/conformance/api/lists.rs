//! Lists: pages, versions, and what cannot be asked.

use serde_json::{Value, json};

use crate::objects::lease;
use crate::reply::Reply;
use crate::server::{Server, query};

checks![
    an_empty_list_has_items,
    a_list_is_sorted_by_name,
    pages_are_of_one_moment,
    the_last_page_has_no_token,
    a_page_of_a_selection_does_not_count_the_rest,
    pages_with_a_version_are_refused,
    tokens_that_cannot_be_read,
    a_list_of_an_exact_version,
    a_list_not_older_than,
    a_list_of_the_future_times_out,
    versions_that_cannot_be_read,
    a_match_without_a_version_is_refused,
    a_limit_that_is_no_number,
    one_object_needs_no_version,
];

async fn make(s: &Server, names: &[&str]) {
    for name in names {
        s.post(&s.leases(""), lease(name)).await.ok();
    }
}

async fn page(s: &Server, parameters: &[(&str, &str)]) -> Reply {
    let reply = s.get(&query(&s.leases(""), parameters)).await;
    reply.is(200);
    reply
}

async fn an_empty_list_has_items(s: &Server) {
    s.get(&s.leases("")).await.is(200).same(json!({
        "kind": "LeaseList",
        "apiVersion": "coordination.k8s.io/v1",
        "metadata": {"resourceVersion": "*"},
        "items": [],
    }));
}

async fn a_list_is_sorted_by_name(s: &Server) {
    make(s, &["b", "a-2", "a", "a.1", "c"]).await;
    s.equal(
        "order",
        page(s, &[]).await.names(),
        ["a", "a-2", "a.1", "b", "c"].map(str::to_owned).to_vec(),
    );
}

async fn pages_are_of_one_moment(s: &Server) {
    make(s, &["a", "b", "c", "d", "e"]).await;
    let first = page(s, &[("limit", "2")]).await;
    first.like(json!({"metadata": {"continue": "*", "remainingItemCount": 3}}));
    s.equal("first", first.names().join(" "), "a b".to_owned());
    // What happens now is not in the other pages.
    make(s, &["bb", "f"]).await;
    s.delete(&s.leases("/d"), Value::Null).await.is(200);
    let token = first.at("/metadata/continue");
    let second = page(s, &[("limit", "2"), ("continue", &token)]).await;
    s.equal("second", second.names().join(" "), "c d".to_owned());
    second.like(json!({"metadata": {
        "continue": "*",
        "remainingItemCount": 1,
        "resourceVersion": first.at("/metadata/resourceVersion"),
    }}));
    let token = second.at("/metadata/continue");
    let third = page(s, &[("limit", "2"), ("continue", &token)]).await;
    s.equal("third", third.names().join(" "), "e".to_owned());
    third.like(json!({"metadata": {"continue": null, "remainingItemCount": null}}));
    // Again from a token, now without a limit.
    let token = first.at("/metadata/continue");
    let rest = page(s, &[("continue", &token)]).await;
    s.equal("rest", rest.names().join(" "), "c d e".to_owned());
}

async fn the_last_page_has_no_token(s: &Server) {
    make(s, &["a", "b"]).await;
    for limit in ["2", "3", "0", "500"] {
        page(s, &[("limit", limit)]).await.like(json!({
            "metadata": {"continue": null, "remainingItemCount": null},
            "items": ["*", "*"],
        }));
    }
}

async fn a_page_of_a_selection_does_not_count_the_rest(s: &Server) {
    for name in ["a", "b", "c", "d"] {
        let mut one = lease(name);
        one["metadata"]["labels"] = json!({"odd": (name == "a" || name == "c").to_string()});
        s.post(&s.leases(""), one).await.ok();
    }
    let first = page(s, &[("limit", "1"), ("labelSelector", "odd=true")]).await;
    first.like(json!({"metadata": {"continue": "*", "remainingItemCount": null}}));
    s.equal("first", first.names().join(" "), "a".to_owned());
    let token = first.at("/metadata/continue");
    let second = page(
        s,
        &[
            ("limit", "5"),
            ("continue", &token),
            ("labelSelector", "odd=true"),
        ],
    )
    .await;
    s.equal("second", second.names().join(" "), "c".to_owned());
    second.like(json!({"metadata": {"continue": null}}));
}

async fn pages_with_a_version_are_refused(s: &Server) {
    make(s, &["a", "b"]).await;
    let token = page(s, &[("limit", "1")]).await.at("/metadata/continue");
    s.get(&query(
        &s.leases(""),
        &[("continue", &token), ("resourceVersion", "1")],
    ))
    .await
    .fails(
        400,
        "BadRequest",
        "specifying resource version is not allowed when using continue",
        Value::Null,
    );
}

async fn tokens_that_cannot_be_read(s: &Server) {
    for token in ["nonsense", "bm9uc2Vuc2U", "%"] {
        let reply = s.get(&query(&s.leases(""), &[("continue", token)])).await;
        reply.is(400).like(json!({"reason": "BadRequest"}));
        s.holds(
            &reply.text,
            reply
                .at("/message")
                .starts_with("invalid continue token: continue key is not valid: "),
        );
    }
}

async fn a_list_of_an_exact_version(s: &Server) {
    make(s, &["a"]).await;
    let then = page(s, &[]).await.at("/metadata/resourceVersion");
    make(s, &["b"]).await;
    let exact = page(
        s,
        &[
            ("resourceVersion", &then),
            ("resourceVersionMatch", "Exact"),
        ],
    )
    .await;
    s.equal("names", exact.names().join(" "), "a".to_owned());
    exact.like(json!({"metadata": {"resourceVersion": then}}));
    s.equal(
        "now",
        page(s, &[]).await.names().join(" "),
        "a b".to_owned(),
    );
}

async fn a_list_not_older_than(s: &Server) {
    make(s, &["a"]).await;
    let made = s.post(&s.leases(""), lease("b")).await.ok();
    let version = made.at("/metadata/resourceVersion");
    for parameters in [
        vec![("resourceVersion", version.as_str())],
        vec![
            ("resourceVersion", version.as_str()),
            ("resourceVersionMatch", "NotOlderThan"),
        ],
        vec![],
    ] {
        let list = page(s, &parameters).await;
        s.equal("names", list.names().join(" "), "a b".to_owned());
    }
    // Any version will do; it comes from a cache that lags behind, so no more is said of it.
    page(s, &[("resourceVersion", "0")])
        .await
        .like(json!({"kind": "LeaseList", "items": "*"}));
}

async fn a_list_of_the_future_times_out(s: &Server) {
    let path = query(&s.leases(""), &[("resourceVersion", "999999999999")]);
    let reply = s.get(&path).await;
    reply.is(504).like(json!({
        "reason": "Timeout",
        "details": {
            "causes": [{
                "reason": "ResourceVersionTooLarge",
                "message": "Too large resource version",
            }],
            "retryAfterSeconds": 1,
        },
    }));
    s.holds(
        &reply.text,
        reply
            .at("/message")
            .starts_with("Timeout: Too large resource version: 999999999999, current: "),
    );
    s.equal("Retry-After", reply.header("retry-after"), "1");
}

async fn versions_that_cannot_be_read(s: &Server) {
    s.get(&query(&s.leases(""), &[("resourceVersion", "abc")]))
        .await
        .fails(
            400,
            "BadRequest",
            "invalid resource version: resourceVersion: Invalid value: \"abc\": strconv.ParseUint: \
             parsing \"abc\": invalid syntax",
            Value::Null,
        );
}

async fn a_match_without_a_version_is_refused(s: &Server) {
    let invalid = |parameters: Vec<(&'static str, &'static str)>| {
        let path = query(&s.leases(""), &parameters);
        async move { s.get(&path).await }
    };
    invalid(vec![("resourceVersionMatch", "Exact")])
        .await
        .invalid(
            "ListOptions.meta.k8s.io",
            "",
            &[(
                "FieldValueForbidden",
                "Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided",
                "resourceVersionMatch",
            )],
        );
    invalid(vec![
        ("resourceVersionMatch", "Exact"),
        ("resourceVersion", "0"),
    ])
    .await
    .invalid(
        "ListOptions.meta.k8s.io",
        "",
        &[(
            "FieldValueForbidden",
            "Forbidden: resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"",
            "resourceVersionMatch",
        )],
    );
    invalid(vec![
        ("resourceVersionMatch", "Maybe"),
        ("resourceVersion", "1"),
    ])
    .await
    .invalid(
        "ListOptions.meta.k8s.io",
        "",
        &[(
            "FieldValueNotSupported",
            "Unsupported value: \"Maybe\": supported values: \"Exact\", \"NotOlderThan\", \"\"",
            "resourceVersionMatch",
        )],
    );
}

async fn a_limit_that_is_no_number(s: &Server) {
    s.get(&query(&s.leases(""), &[("limit", "x")])).await.fails(
        400,
        "BadRequest",
        "strconv.ParseInt: parsing \"x\": invalid syntax",
        Value::Null,
    );
}

async fn one_object_needs_no_version(s: &Server) {
    let made = s.post(&s.leases(""), lease("a")).await.ok();
    let version = made.at("/metadata/resourceVersion");
    for version in ["0", version.as_str()] {
        let path = query(&s.leases("/a"), &[("resourceVersion", version)]);
        // Version 0 may come from a cache that does not have it yet.
        let reply = s.get(&path).await;
        s.holds(
            &reply.text,
            reply.code == 200 || (version == "0" && reply.code == 404),
        );
    }
}
