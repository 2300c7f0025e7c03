//! Owners and what is left when they go: background, foreground, orphan.

use serde_json::{Value, json};

use crate::objects::{config_map, held_job, idle_job, job, lease, live, of_job};
use crate::reply::text;
use crate::server::Server;
use crate::waiting::Objects;

checks![
    background_takes_the_owner_first,
    foreground_takes_dependents_first,
    foreground_waits_for_who_blocks_only,
    orphans_lose_their_owner,
    an_owner_that_never_was,
    one_of_two_owners,
    an_owner_of_the_same_name_is_another,
    chains_of_owners,
    a_job_in_the_foreground,
    owner_references_are_checked,
    two_controllers,
];

fn owner(reply: &Value, blocks: bool) -> Value {
    json!({
        "apiVersion": reply["apiVersion"],
        "kind": reply["kind"],
        "name": reply["metadata"]["name"],
        "uid": reply["metadata"]["uid"],
        "blockOwnerDeletion": blocks,
    })
}

/// A Lease with these owners.
async fn owned(s: &Server, name: &str, owners: Value) -> Value {
    let mut one = lease(name);
    one["metadata"]["ownerReferences"] = owners;
    s.post(&s.leases(""), one).await.ok().body
}

async fn map(s: &Server, name: &str) -> Value {
    s.post(&s.maps(""), config_map(name, json!({})))
        .await
        .ok()
        .body
}

async fn background_takes_the_owner_first(s: &Server) {
    let top = map(s, "top").await;
    let mut held = lease("held");
    held["metadata"]["ownerReferences"] = json!([owner(&top, true)]);
    held["metadata"]["finalizers"] = json!(["test.io/a"]);
    s.post(&s.leases(""), held).await.ok();
    owned(s, "free", json!([owner(&top, false)])).await;
    s.delete(&s.maps("/top"), json!({"propagationPolicy": "Background"}))
        .await
        .is(200)
        .like(json!({"kind": "Status", "status": "Success"}));
    s.get(&s.maps("/top")).await.is(404);
    let left = s
        .until("one left", &s.leases(""), &[], |all| {
            all.len() == 1
                && all
                    .values()
                    .all(|l| !l["metadata"]["deletionTimestamp"].is_null())
        })
        .await;
    s.like(
        &left["held"],
        json!({"metadata": {"ownerReferences": ["*"]}}),
    );
    s.change(
        &s.leases("/held"),
        json!({"metadata": {"finalizers": null}}),
    )
    .await;
    s.get(&s.leases("/held")).await.is(404);
}

async fn foreground_takes_dependents_first(s: &Server) {
    let top = map(s, "top").await;
    let mut held = lease("held");
    held["metadata"]["ownerReferences"] = json!([owner(&top, true)]);
    held["metadata"]["finalizers"] = json!(["test.io/a"]);
    s.post(&s.leases(""), held).await.ok();
    s.delete(&s.maps("/top"), json!({"propagationPolicy": "Foreground"}))
        .await
        .is(200)
        .like(json!({
            "kind": "ConfigMap",
            "metadata": {"deletionTimestamp": "*", "finalizers": ["foregroundDeletion"]},
        }));
    s.until_one("asked to go", &s.leases(""), "held", |l| {
        !l["metadata"]["deletionTimestamp"].is_null()
    })
    .await;
    s.get(&s.maps("/top"))
        .await
        .is(200)
        .like(json!({"metadata": {"finalizers": ["foregroundDeletion"]}}));
    let from = s.get(&s.maps("")).await.at("/metadata/resourceVersion");
    let gone = s
        .change(
            &s.leases("/held"),
            json!({"metadata": {"finalizers": null}}),
        )
        .await;
    s.until_gone(&s.leases(""), "held").await;
    s.until_gone(&s.maps(""), "top").await;
    let mut watch = s
        .watch(
            &s.maps(""),
            &[
                ("resourceVersion", &from),
                ("fieldSelector", "metadata.name=top"),
            ],
        )
        .await;
    let seen = watch.until(|e| e.kind == "DELETED").await;
    let at: u64 = text(&seen.last().unwrap().object, "/metadata/resourceVersion")
        .parse()
        .unwrap();
    let before: u64 = gone.at("/metadata/resourceVersion").parse().unwrap();
    s.holds("the owner goes last", at > before);
}

async fn foreground_waits_for_who_blocks_only(s: &Server) {
    let top = map(s, "top").await;
    let mut held = lease("held");
    held["metadata"]["ownerReferences"] = json!([owner(&top, false)]);
    held["metadata"]["finalizers"] = json!(["test.io/a"]);
    s.post(&s.leases(""), held).await.ok();
    s.delete(&s.maps("/top"), json!({"propagationPolicy": "Foreground"}))
        .await
        .is(200);
    s.until_gone(&s.maps(""), "top").await;
    s.until_one("asked to go", &s.leases(""), "held", |l| {
        !l["metadata"]["deletionTimestamp"].is_null()
    })
    .await;
    s.change(
        &s.leases("/held"),
        json!({"metadata": {"finalizers": null}}),
    )
    .await
    .is(200);
}

async fn orphans_lose_their_owner(s: &Server) {
    let top = map(s, "top").await;
    let other = map(s, "other").await;
    owned(s, "a", json!([owner(&top, true)])).await;
    owned(s, "b", json!([owner(&top, false), owner(&other, false)])).await;
    s.delete(&s.maps("/top"), json!({"propagationPolicy": "Orphan"}))
        .await
        .is(200)
        .like(json!({"metadata": {"deletionTimestamp": "*", "finalizers": ["orphan"]}}));
    s.until_gone(&s.maps(""), "top").await;
    let left = s.get(&s.leases("")).await;
    s.like(
        &json!(left.items()),
        json!([
            {"metadata": {"name": "a", "ownerReferences": null, "deletionTimestamp": null}},
            {"metadata": {"name": "b", "ownerReferences": [{"name": "other"}]}},
        ]),
    );
}

async fn an_owner_that_never_was(s: &Server) {
    let nobody = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "name": "nobody",
        "uid": "11111111-2222-4333-8444-555555555555",
    });
    owned(s, "a", json!([nobody])).await;
    s.until("collected", &s.leases(""), &[], Objects::is_empty)
        .await;
    s.equal("none", s.get(&s.leases("")).await.names().len(), 0);
}

async fn one_of_two_owners(s: &Server) {
    let (one, two) = (map(s, "one").await, map(s, "two").await);
    owned(s, "a", json!([owner(&one, false), owner(&two, false)])).await;
    s.delete(&s.maps("/one"), json!({"propagationPolicy": "Background"}))
        .await
        .is(200);
    let left = s
        .until_one("one owner left", &s.leases(""), "a", |l| {
            l["metadata"]["ownerReferences"]
                .as_array()
                .is_some_and(|o| o.len() == 1)
        })
        .await;
    s.like(
        &left,
        json!({"metadata": {"ownerReferences": [{"name": "two"}], "deletionTimestamp": null}}),
    );
    s.delete(&s.maps("/two"), json!({"propagationPolicy": "Background"}))
        .await
        .is(200);
    s.until_gone(&s.leases(""), "a").await;
}

async fn an_owner_of_the_same_name_is_another(s: &Server) {
    let first = map(s, "top").await;
    s.delete(&s.maps("/top"), Value::Null).await.is(200);
    map(s, "top").await;
    owned(s, "a", json!([owner(&first, false)])).await;
    s.until_gone(&s.leases(""), "a").await;
    s.get(&s.maps("/top")).await.is(200);
}

async fn chains_of_owners(s: &Server) {
    let top = map(s, "top").await;
    let middle = owned(s, "middle", json!([owner(&top, true)])).await;
    owned(s, "bottom", json!([owner(&middle, true)])).await;
    s.delete(&s.maps("/top"), json!({"propagationPolicy": "Foreground"}))
        .await
        .is(200);
    s.until_gone(&s.maps(""), "top").await;
    s.until_gone(&s.leases(""), "middle").await;
    s.until_gone(&s.leases(""), "bottom").await;
    s.equal("none", s.get(&s.leases("")).await.names().len(), 0);
}

async fn a_job_in_the_foreground(s: &Server) {
    s.make_job(held_job("a", json!({}))).await;
    let pods = s.live_pods("a", 1).await;
    let pod = pods.keys().next().unwrap();
    s.runs(pod, true).await;
    s.delete(&s.jobs("/a"), json!({"propagationPolicy": "Foreground"}))
        .await
        .is(200)
        .warns(&[])
        .like(json!({"metadata": {"finalizers": ["foregroundDeletion"]}}));
    let with = of_job("a");
    let going = s
        .until(
            "the pod is asked to go",
            &s.pods(""),
            &[("labelSelector", &with)],
            |pods| live(pods).is_empty(),
        )
        .await;
    s.like(
        &going[pod],
        json!({"metadata": {"deletionTimestamp": "*", "ownerReferences": [{"blockOwnerDeletion": true}]}}),
    );
    s.get(&s.jobs("/a")).await.is(200);
    s.force_away(pod).await;
    s.until_gone(&s.jobs(""), "a").await;
    s.equal(
        "no pods, no replacement",
        s.get(&s.pods("")).await.names().len(),
        0,
    );
}

async fn owner_references_are_checked(s: &Server) {
    let mut one = lease("a");
    one["metadata"]["ownerReferences"] = json!([{"name": "x"}]);
    s.post(&s.leases(""), one).await.invalid(
        "Lease.coordination.k8s.io",
        "a",
        &[
            (
                "FieldValueRequired",
                "Required value: must not be empty",
                "metadata.ownerReferences[0].apiVersion",
            ),
            (
                "FieldValueRequired",
                "Required value: must not be empty",
                "metadata.ownerReferences[0].kind",
            ),
            (
                "FieldValueRequired",
                "Required value: must not be empty",
                "metadata.ownerReferences[0].uid",
            ),
        ],
    );
}

async fn two_controllers(s: &Server) {
    let controller = |name: &str| json!({"apiVersion": "v1", "kind": "ConfigMap", "name": name, "uid": name, "controller": true});
    let mut one = idle_job("a");
    one["metadata"]["ownerReferences"] = json!([controller("x"), controller("y")]);
    let reply = s.post(&s.jobs(""), one).await;
    reply.is(422).like(json!({
        "details": {"causes": [{"reason": "FieldValueInvalid", "field": "metadata.ownerReferences"}]},
    }));
    s.holds(
        &reply.text,
        reply.at("/message").ends_with(
            "Only one reference can have Controller set to true. Found \"true\" in references for \
             ConfigMap/x and ConfigMap/y",
        ),
    );
    s.make_job(job("b", json!({"suspend": true}))).await.is(201);
}
