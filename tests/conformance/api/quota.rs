//! ResourceQuotas, in namespaces.

use serde_json::{Value, json};

use crate::objects::{idle_job, job, lease, pod};
use crate::server::Server;

checks![
    objects_are_counted,
    pods_are_counted,
    requests_are_summed_up,
    requests_must_be_given,
    what_goes_is_free_again,
    jobs_are_counted,
    a_job_whose_pods_are_refused,
    pods_that_have_ended_do_not_count,
    two_limits_at_once,
];

/// A quota that the server has taken notice of: it is asked of in a cache that lags behind.
async fn quota(s: &Server, mut hard: Value) {
    hard["count/configmaps"] = json!("0");
    s.post(
        &s.core("resourcequotas"),
        json!({"metadata": {"name": "q"}, "spec": {"hard": hard}}),
    )
    .await
    .is(201);
    s.until_one("counted", &s.core("resourcequotas"), "q", |q| {
        q["status"]["used"].is_object()
    })
    .await;
    for _ in 0..1000 {
        let probe = json!({"metadata": {"generateName": "probe-"}});
        if s.post(&s.maps(""), probe).await.code == 403 {
            return;
        }
    }
    panic!("the quota is not asked");
}

async fn used(s: &Server, what: &str, count: &str) -> Value {
    s.until_one("used", &s.core("resourcequotas"), "q", |q| {
        q["status"]["used"][what] == count
    })
    .await
}

async fn objects_are_counted(s: &Server) {
    s.post(&s.leases(""), lease("before")).await.ok();
    quota(s, json!({"count/leases.coordination.k8s.io": "2"})).await;
    s.post(&s.leases(""), lease("a")).await.is(201);
    s.post(&s.leases(""), lease("b")).await.fails(
        403,
        "Forbidden",
        "leases.coordination.k8s.io \"b\" is forbidden: exceeded quota: q, requested: \
         count/leases.coordination.k8s.io=1, used: count/leases.coordination.k8s.io=2, limited: \
         count/leases.coordination.k8s.io=2",
        json!({"name": "b", "group": "coordination.k8s.io", "kind": "leases"}),
    );
    let now = used(s, "count/leases.coordination.k8s.io", "2").await;
    s.like(
        &now,
        json!({"status": {"hard": {"count/leases.coordination.k8s.io": "2"}}}),
    );
}

async fn pods_are_counted(s: &Server) {
    quota(s, json!({"pods": "1"})).await;
    s.post(&s.pods(""), pod("a")).await.is(201);
    s.post(&s.pods(""), pod("b")).await.fails(
        403,
        "Forbidden",
        "pods \"b\" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1",
        json!({"name": "b", "kind": "pods"}),
    );
}

fn asking(name: &str, cpu: &str) -> Value {
    let mut one = pod(name);
    one["spec"]["containers"][0]["resources"] = json!({"requests": {"cpu": cpu}});
    one
}

async fn requests_are_summed_up(s: &Server) {
    quota(s, json!({"requests.cpu": "1"})).await;
    s.post(&s.pods(""), asking("a", "600m")).await.is(201);
    s.post(&s.pods(""), asking("b", "500m")).await.fails(
        403,
        "Forbidden",
        "pods \"b\" is forbidden: exceeded quota: q, requested: requests.cpu=500m, used: \
         requests.cpu=600m, limited: requests.cpu=1",
        json!({"name": "b", "kind": "pods"}),
    );
    s.post(&s.pods(""), asking("c", "400m")).await.is(201);
    used(s, "requests.cpu", "1").await;
}

async fn requests_must_be_given(s: &Server) {
    quota(s, json!({"requests.cpu": "1", "requests.memory": "1Gi"})).await;
    s.post(&s.pods(""), pod("a")).await.fails(
        403,
        "Forbidden",
        "pods \"a\" is forbidden: failed quota: q: must specify requests.cpu for: main; requests.memory \
         for: main",
        json!({"name": "a", "kind": "pods"}),
    );
}

async fn what_goes_is_free_again(s: &Server) {
    quota(s, json!({"count/leases.coordination.k8s.io": "1"})).await;
    s.post(&s.leases(""), lease("a")).await.is(201);
    s.post(&s.leases(""), lease("b")).await.is(403);
    s.delete(&s.leases("/a"), Value::Null).await.is(200);
    used(s, "count/leases.coordination.k8s.io", "0").await;
    s.post(&s.leases(""), lease("b")).await.is(201);
}

async fn jobs_are_counted(s: &Server) {
    quota(s, json!({"count/jobs.batch": "1"})).await;
    s.post(&s.jobs(""), idle_job("a")).await.is(201);
    s.post(&s.jobs(""), idle_job("b")).await.fails(
        403,
        "Forbidden",
        "jobs.batch \"b\" is forbidden: exceeded quota: q, requested: count/jobs.batch=1, used: \
         count/jobs.batch=1, limited: count/jobs.batch=1",
        json!({"name": "b", "group": "batch", "kind": "jobs"}),
    );
}

async fn a_job_whose_pods_are_refused(s: &Server) {
    quota(s, json!({"pods": "1"})).await;
    let made = s
        .make_job(job("a", json!({"parallelism": 2, "completions": 2})))
        .await;
    let uid = format!(
        "involvedObject.uid={},reason=FailedCreate",
        made.at("/metadata/uid")
    );
    let events = s
        .until(
            "an event",
            &s.core("events"),
            &[("fieldSelector", &uid)],
            |all| !all.is_empty(),
        )
        .await;
    let event = events.values().next().unwrap();
    s.like(
        event,
        json!({"type": "Warning", "source": {"component": "job-controller"}}),
    );
    let message = crate::reply::text(event, "/message");
    s.holds(&message, message.starts_with("Error creating: pods \"a-"));
    s.holds(
        &message,
        message.ends_with(
            "\" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1",
        ),
    );
    let pods = s.live_pods("a", 1).await;
    s.equal("one pod", pods.len(), 1);
}

async fn pods_that_have_ended_do_not_count(s: &Server) {
    quota(s, json!({"pods": "1"})).await;
    s.post(&s.pods(""), pod("a")).await.is(201);
    s.until_one("bound", &s.pods(""), "a", |p| {
        !p["spec"]["nodeName"].is_null()
    })
    .await;
    s.succeeds("a").await;
    used(s, "pods", "0").await;
    s.post(&s.pods(""), pod("b")).await.is(201);
}

async fn two_limits_at_once(s: &Server) {
    quota(s, json!({"pods": "0", "count/pods": "0"})).await;
    s.post(&s.pods(""), pod("a")).await.fails(
        403,
        "Forbidden",
        "pods \"a\" is forbidden: exceeded quota: q, requested: count/pods=1,pods=1, used: \
         count/pods=0,pods=0, limited: count/pods=0,pods=0",
        json!({"name": "a", "kind": "pods"}),
    );
}
