//! Label and field selectors of lists.

use serde_json::{Value, json};

use crate::objects::{idle_job, lease, pod};
use crate::server::{Server, query};

checks![
    labels_equal_and_unequal,
    labels_in_and_not_in,
    labels_that_exist,
    several_requirements_are_all_required,
    label_selectors_that_cannot_be_read,
    fields_of_metadata,
    fields_of_pods,
    fields_of_events,
    fields_of_jobs,
    fields_that_are_not_supported,
    field_selectors_that_cannot_be_read,
    all_namespaces,
];

async fn selected(s: &Server, selector: &str) -> Vec<String> {
    let reply = s
        .get(&query(&s.leases(""), &[("labelSelector", selector)]))
        .await;
    reply.is(200);
    reply.names()
}

/// `a` x=1, `b` x=2 y, `c` x=3, `d` no labels.
async fn four(s: &Server) {
    for (name, labels) in [
        ("a", json!({"x": "1"})),
        ("b", json!({"x": "2", "y": ""})),
        ("c", json!({"x": "3", "test.io/z": "q"})),
        ("d", json!({})),
    ] {
        let mut lease = lease(name);
        lease["metadata"]["labels"] = labels;
        s.post(&s.leases(""), lease).await.ok();
    }
}

async fn all_of(s: &Server, expected: &[(&str, &[&str])]) {
    for (selector, names) in expected {
        let names: Vec<String> = names.iter().map(|n| (*n).to_owned()).collect();
        s.equal(selector, selected(s, selector).await, names);
    }
}

async fn labels_equal_and_unequal(s: &Server) {
    four(s).await;
    all_of(
        s,
        &[
            ("x=1", &["a"]),
            ("x==2", &["b"]),
            ("x!=1", &["b", "c", "d"]),
            ("x=", &[]),
            ("y=", &["b"]),
            ("test.io/z=q", &["c"]),
            ("x = 1", &["a"]),
            ("x=9", &[]),
            ("", &["a", "b", "c", "d"]),
        ],
    )
    .await;
}

async fn labels_in_and_not_in(s: &Server) {
    four(s).await;
    all_of(
        s,
        &[
            ("x in (1,3)", &["a", "c"]),
            ("x in ( 1 )", &["a"]),
            ("x notin (1,3)", &["b", "d"]),
            ("y in ()", &["b"]),
            ("x in (1,2,9)", &["a", "b"]),
        ],
    )
    .await;
}

async fn labels_that_exist(s: &Server) {
    four(s).await;
    all_of(
        s,
        &[
            ("x", &["a", "b", "c"]),
            ("!x", &["d"]),
            ("y", &["b"]),
            ("!y", &["a", "c", "d"]),
            ("! test.io/z", &["a", "b", "d"]),
        ],
    )
    .await;
}

async fn several_requirements_are_all_required(s: &Server) {
    four(s).await;
    all_of(
        s,
        &[
            ("x,y", &["b"]),
            ("x,!y", &["a", "c"]),
            ("x in (1,2),x!=2", &["a"]),
            ("x notin (1),x notin (2)", &["c", "d"]),
        ],
    )
    .await;
    // Greater and less are integers.
    all_of(s, &[("x>1", &["b", "c"]), ("x<2", &["a"])]).await;
}

async fn label_selectors_that_cannot_be_read(s: &Server) {
    for (selector, why) in [
        (
            "x in",
            "unable to parse requirement: found '' expected: '('",
        ),
        ("x=1,,y", "found ',', expected: identifier after ','"),
        (
            "=x",
            "found '=', expected: !, identifier, or 'end of string'",
        ),
        (
            "x=a_b_",
            "unable to parse requirement: values[0][x]: Invalid value: \"a_b_\": a valid label must be \
             an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and \
             end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex \
             used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
        ),
    ] {
        s.get(&query(&s.leases(""), &[("labelSelector", selector)]))
            .await
            .fails(400, "BadRequest", why, Value::Null);
    }
}

async fn by_field(s: &Server, path: &str, selector: &str) -> Vec<String> {
    let reply = s.get(&query(path, &[("fieldSelector", selector)])).await;
    reply.is(200);
    reply.names()
}

async fn fields_of_metadata(s: &Server) {
    four(s).await;
    for (selector, names) in [
        ("metadata.name=a", vec!["a"]),
        ("metadata.name!=a", vec!["b", "c", "d"]),
        ("metadata.name==b", vec!["b"]),
        ("metadata.name=none", vec![]),
        ("metadata.name=a,metadata.name=b", vec![]),
    ] {
        s.equal(
            selector,
            by_field(s, &s.leases(""), selector).await,
            owned(&names),
        );
    }
    let here = format!("metadata.namespace={}", s.ns);
    s.equal("here", by_field(s, &s.leases(""), &here).await.len(), 4);
    let there = by_field(s, &s.leases(""), "metadata.namespace=other").await;
    s.equal("there", there.len(), 0);
    let both = query(
        &s.leases(""),
        &[
            ("fieldSelector", "metadata.name!=a"),
            ("labelSelector", "x"),
        ],
    );
    s.equal("both", s.get(&both).await.names(), owned(&["b", "c"]));
}

async fn fields_of_pods(s: &Server) {
    for name in ["a", "b"] {
        s.post(&s.pods(""), pod(name)).await.ok();
    }
    let mut never = pod("c");
    never["spec"]["nodeSelector"] = json!({"conformance.test/none": "here"});
    never["spec"]["restartPolicy"] = json!("Never");
    s.post(&s.pods(""), never).await.ok();
    let bound = s
        .until("two pods are bound", &s.pods(""), &[], |pods| {
            pods.values()
                .filter(|p| !p["spec"]["nodeName"].is_null())
                .count()
                == 2
        })
        .await;
    s.runs("a", true).await;
    let node = crate::reply::text(&bound["a"], "/spec/nodeName");
    let all = [
        ("status.phase=Running".to_owned(), vec!["a"]),
        ("status.phase!=Running".to_owned(), vec!["b", "c"]),
        ("status.phase=Pending,spec.nodeName=".to_owned(), vec!["c"]),
        (format!("spec.nodeName={node},metadata.name=a"), vec!["a"]),
        ("spec.nodeName=".to_owned(), vec!["c"]),
        ("spec.nodeName!=".to_owned(), vec!["a", "b"]),
        ("spec.restartPolicy=Never".to_owned(), vec!["c"]),
        (
            "spec.schedulerName=default-scheduler".to_owned(),
            vec!["a", "b", "c"],
        ),
    ];
    for (selector, names) in all {
        s.equal(
            &selector,
            by_field(s, &s.pods(""), &selector).await,
            owned(&names),
        );
    }
}

async fn fields_of_events(s: &Server) {
    for (name, kind, of, reason, sort) in [
        ("e1", "Pod", "a", "Started", "Normal"),
        ("e2", "Pod", "b", "Failed", "Warning"),
        ("e3", "Job", "a", "Failed", "Warning"),
    ] {
        let event = json!({
            "metadata": {"name": name},
            "involvedObject": {"kind": kind, "name": of, "namespace": s.ns, "uid": format!("u-{name}")},
            "reason": reason,
            "message": "m",
            "type": sort,
        });
        s.post(&s.core("events"), event).await.is(201);
    }
    for (selector, names) in [
        ("involvedObject.name=a", vec!["e1", "e3"]),
        ("involvedObject.name=a,involvedObject.kind=Job", vec!["e3"]),
        ("involvedObject.uid=u-e2", vec!["e2"]),
        ("involvedObject.kind!=Pod", vec!["e3"]),
        ("reason=Failed", vec!["e2", "e3"]),
        ("type=Normal", vec!["e1"]),
        ("type!=Normal,involvedObject.kind=Pod", vec!["e2"]),
    ] {
        let found = by_field(s, &s.core("events"), selector).await;
        s.equal(selector, found, owned(&names));
    }
}

async fn fields_of_jobs(s: &Server) {
    s.make_job(idle_job("a")).await;
    s.make_job(idle_job("b")).await;
    s.equal(
        "by name",
        by_field(s, &s.jobs(""), "metadata.name=b").await,
        owned(&["b"]),
    );
    s.equal(
        "by success",
        by_field(s, &s.jobs(""), "status.successful=0").await,
        owned(&["a", "b"]),
    );
    s.equal(
        "by success of others",
        by_field(s, &s.jobs(""), "status.successful=1").await,
        owned(&[]),
    );
}

async fn fields_that_are_not_supported(s: &Server) {
    for (path, selector, message) in [
        (
            s.leases(""),
            "spec.holderIdentity=v",
            "\"spec.holderIdentity\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"",
        ),
        (
            s.pods(""),
            "spec.hostname=a",
            "field label not supported: spec.hostname",
        ),
        (
            s.jobs(""),
            "status.active=1",
            "field label \"status.active\" not supported for Job",
        ),
        (
            s.core("services"),
            "status.phase=a",
            "field label not supported: status.phase",
        ),
    ] {
        s.get(&query(&path, &[("fieldSelector", selector)]))
            .await
            .fails(400, "BadRequest", message, Value::Null);
    }
}

async fn field_selectors_that_cannot_be_read(s: &Server) {
    s.get(&query(&s.leases(""), &[("fieldSelector", "metadata.name")]))
        .await
        .fails(
            400,
            "BadRequest",
            "invalid selector: 'metadata.name'; can't understand 'metadata.name'",
            Value::Null,
        );
}

async fn all_namespaces(s: &Server) {
    let mut lease = lease("a");
    lease["metadata"]["labels"] = json!({"of": s.ns});
    s.post(&s.leases(""), lease).await.ok();
    let of = format!("of={}", s.ns);
    let path = query(
        "/apis/coordination.k8s.io/v1/leases",
        &[("labelSelector", &of)],
    );
    let list = s.get(&path).await;
    list.is(200);
    s.like(
        &json!(list.items()),
        json!([{"metadata": {"name": "a", "namespace": s.ns}}]),
    );
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|n| (*n).to_owned()).collect()
}
