//! What a server writes into the metadata of an object.

use serde_json::{Value, json};

use crate::objects::{config_map, idle_job, lease, pod};
use crate::server::{MERGE, Server};

checks![
    create_fills_in_metadata,
    metadata_of_a_client_is_overwritten,
    resource_version_grows_with_every_change,
    a_change_of_nothing_keeps_the_version,
    generation_counts_changes_of_the_spec_only,
    config_maps_have_no_generation,
    pods_have_a_generation,
    a_name_is_generated,
    a_name_wins_over_generate_name,
    generated_names_are_cut,
    kind_and_version_are_told_in_objects_but_not_in_items,
    the_namespace_comes_from_the_path,
    self_link_is_gone,
];

async fn create_fills_in_metadata(s: &Server) {
    let made = s
        .post(&s.maps(""), config_map("a", json!({"k": "v"})))
        .await;
    made.is(201).like(json!({
        "kind": "ConfigMap",
        "apiVersion": "v1",
        "metadata": {
            "name": "a",
            "namespace": s.ns,
            "uid": "*",
            "resourceVersion": "*",
            "creationTimestamp": "*",
            "deletionTimestamp": null,
            "finalizers": null,
            "labels": null,
            "annotations": null,
            "ownerReferences": null,
            "generateName": null,
        },
        "data": {"k": "v"},
    }));
    let uid = made.at("/metadata/uid");
    s.equal("length of a uid", uid.len(), 36);
    s.holds("a uid of version 4", uid.as_bytes()[14] == b'4');
    let time = made.at("/metadata/creationTimestamp");
    s.equal(
        "whole seconds, UTC",
        (time.len(), time.ends_with('Z')),
        (20, true),
    );
    let version: u64 = made.at("/metadata/resourceVersion").parse().unwrap();
    s.holds("a version above zero", version > 0);
    let read = s.get(&s.maps("/a")).await;
    read.is(200).same(made.body.clone());
    let other = s.post(&s.maps(""), config_map("b", json!({}))).await.ok();
    s.holds("uids differ", other.at("/metadata/uid") != uid);
}

async fn metadata_of_a_client_is_overwritten(s: &Server) {
    let mut map = config_map("a", json!({}));
    map["metadata"]["uid"] = json!("11111111-2222-4333-8444-555555555555");
    map["metadata"]["creationTimestamp"] = json!("2001-01-01T00:00:00Z");
    map["metadata"]["deletionTimestamp"] = json!("2001-01-01T00:00:00Z");
    map["metadata"]["selfLink"] = json!("/somewhere");
    map["metadata"]["generation"] = json!(7);
    let made = s.post(&s.maps(""), map).await;
    made.is(201)
        .like(json!({"metadata": {"deletionTimestamp": null, "selfLink": null}}));
    s.holds(
        "a uid of the server's",
        !made.at("/metadata/uid").starts_with("1111"),
    );
    s.holds(
        "a time of the server's",
        !made.at("/metadata/creationTimestamp").starts_with("2001"),
    );
    let mut map = config_map("b", json!({}));
    map["metadata"]["resourceVersion"] = json!("1");
    s.post(&s.maps(""), map).await.is(500).same(json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "code": 500,
        "message": "resourceVersion should not be set on objects to be created",
    }));
}

async fn resource_version_grows_with_every_change(s: &Server) {
    let version = |reply: &crate::reply::Reply| -> u64 {
        reply.at("/metadata/resourceVersion").parse().unwrap()
    };
    let made = s
        .post(&s.maps(""), config_map("a", json!({"k": "1"})))
        .await
        .ok();
    let changed = s.change(&s.maps("/a"), json!({"data": {"k": "2"}})).await;
    s.holds("grows", version(&changed) > version(&made));
    changed.like(json!({"metadata": {
        "uid": made.at("/metadata/uid"),
        "creationTimestamp": made.at("/metadata/creationTimestamp"),
    }}));
    let other = s.post(&s.maps(""), config_map("b", json!({}))).await.ok();
    s.holds(
        "one count for all objects",
        version(&other) > version(&changed),
    );
    let list = s.get(&s.maps("")).await;
    s.holds(
        "a list is as new as its items",
        version(&list) >= version(&other),
    );
}

async fn a_change_of_nothing_keeps_the_version(s: &Server) {
    let made = s
        .post(&s.maps(""), config_map("a", json!({"k": "1"})))
        .await
        .ok();
    let version = json!({"metadata": {"resourceVersion": made.at("/metadata/resourceVersion")}});
    s.patch(&s.maps("/a"), MERGE, json!({"data": {"k": "1"}}))
        .await
        .is(200)
        .like(version.clone());
    s.put(&s.maps("/a"), made.body.clone())
        .await
        .is(200)
        .like(version);
}

async fn generation_counts_changes_of_the_spec_only(s: &Server) {
    let made = s.make_job(idle_job("a")).await;
    made.like(json!({"metadata": {"generation": 1}}));
    let labelled = json!({"metadata": {"labels": {"a": "b"}, "annotations": {"c": "d"}}});
    s.change(&s.jobs("/a"), labelled)
        .await
        .like(json!({"metadata": {"generation": 1, "labels": {"a": "b"}}}));
    s.change(&s.jobs("/a"), json!({"spec": {"parallelism": 3}}))
        .await
        .like(json!({"metadata": {"generation": 2}}));
    s.change(&s.jobs("/a"), json!({"spec": {"parallelism": 3}}))
        .await
        .like(json!({"metadata": {"generation": 2}}));
    let suspended = s
        .until_job("suspended", "a", |job| {
            crate::objects::is_true(job, "Suspended")
        })
        .await;
    s.like(&suspended, json!({"metadata": {"generation": 2}}));
    // A client can't count for the server.
    s.change(&s.jobs("/a"), json!({"metadata": {"generation": 9}}))
        .await
        .like(json!({"metadata": {"generation": 2}}));
}

async fn config_maps_have_no_generation(s: &Server) {
    s.post(&s.maps(""), config_map("a", json!({})))
        .await
        .is(201)
        .like(json!({"metadata": {"generation": null}}));
}

async fn pods_have_a_generation(s: &Server) {
    s.post(&s.pods(""), pod("a"))
        .await
        .is(201)
        .like(json!({"metadata": {"generation": 1}, "status": {"phase": "Pending"}}));
}

async fn a_name_is_generated(s: &Server) {
    let map = json!({"metadata": {"generateName": "made-"}, "data": {}});
    let one = s.post(&s.maps(""), map.clone()).await;
    let two = s.post(&s.maps(""), map).await;
    let name = one.is(201).at("/metadata/name");
    one.like(json!({"metadata": {"generateName": "made-"}}));
    s.holds("prefix", name.starts_with("made-"));
    s.equal("five more characters", name.len(), 10);
    // No vowels, and nothing that looks like another character.
    let alphabet = "bcdfghjklmnpqrstvwxz2456789";
    s.holds(
        "of the alphabet",
        name[5..].chars().all(|c| alphabet.contains(c)),
    );
    s.holds(
        "another each time",
        two.is(201).at("/metadata/name") != name,
    );
}

async fn a_name_wins_over_generate_name(s: &Server) {
    let map = json!({"metadata": {"name": "a", "generateName": "made-"}});
    s.post(&s.maps(""), map)
        .await
        .is(201)
        .like(json!({"metadata": {"name": "a", "generateName": "made-"}}));
}

async fn generated_names_are_cut(s: &Server) {
    let base = "x".repeat(250);
    let made = s
        .post(&s.maps(""), json!({"metadata": {"generateName": base}}))
        .await;
    s.equal("length", made.is(201).at("/metadata/name").len(), 63);
}

async fn kind_and_version_are_told_in_objects_but_not_in_items(s: &Server) {
    s.post(&s.leases(""), lease("a")).await.ok();
    s.get(&s.leases("")).await.is(200).like(json!({
        "kind": "LeaseList",
        "apiVersion": "coordination.k8s.io/v1",
        "items": [{"kind": null, "apiVersion": null, "metadata": {"name": "a"}}],
    }));
    s.get(&s.leases("/a"))
        .await
        .like(json!({"kind": "Lease", "apiVersion": "coordination.k8s.io/v1"}));
    let watched = s
        .watch(&s.leases(""), &[("resourceVersion", "0")])
        .await
        .take(1)
        .await;
    s.like(
        &watched[0].object,
        json!({"kind": "Lease", "apiVersion": "coordination.k8s.io/v1"}),
    );
    // A body need not name what the path says.
    s.post(&s.maps(""), json!({"metadata": {"name": "b"}}))
        .await
        .is(201)
        .like(json!({"kind": "ConfigMap", "apiVersion": "v1"}));
}

async fn the_namespace_comes_from_the_path(s: &Server) {
    let mut map = config_map("a", json!({}));
    map["metadata"]["namespace"] = json!("elsewhere");
    s.post(&s.maps(""), map).await.fails(
        400,
        "BadRequest",
        "the namespace of the provided object does not match the namespace sent on the request",
        Value::Null,
    );
    let mut map = config_map("a", json!({}));
    map["metadata"]["namespace"] = json!(s.ns);
    s.post(&s.maps(""), map).await.is(201);
}

async fn self_link_is_gone(s: &Server) {
    s.get(&s.maps(""))
        .await
        .like(json!({"metadata": {"selfLink": null}}));
}
