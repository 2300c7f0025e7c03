//! Pods find each other.

use serde_json::json;

use crate::support::{Place, World, is_ready, sh};

#[tokio::test]
async fn every_name_of_a_pod_leads_to_it() {
    let Some(place) = Place::isolated(World::default()).await else {
        return;
    };
    let spec = json!({"hostname": "js-w-0-0", "subdomain": "js", "containers": [sh("main", "sleep 1000")]});
    let mut peer = place.start("js-w-0-0-abcde", spec);
    peer.until(is_ready).await;
    let address = peer.status.pod_ip.clone().unwrap();
    let names = [
        "js-w-0-0.js",
        "js-w-0-0.js.ns.svc",
        "js-w-0-0.js.ns.svc.cluster.local",
        "js",
        "js.ns.svc.cluster.local",
    ];
    let script = names
        .map(|n| format!("getent hosts {n} | cut -d' ' -f1; "))
        .concat();
    let ended = place.script(&script).await;
    assert_eq!(ended.log, format!("{address}\n").repeat(names.len()));
}

#[tokio::test]
async fn a_process_that_runs_sees_pods_that_come_later() {
    let Some(place) = Place::isolated(World::default()).await else {
        return;
    };
    let wait = "until getent hosts late-0.net; do sleep 0.05; done";
    let mut early = place.start("early", json!({"containers": [sh("main", wait)]}));
    early.until_running().await;
    let spec =
        json!({"hostname": "late-0", "subdomain": "net", "containers": [sh("main", "sleep 1000")]});
    let mut late = place.start("late", spec);
    late.until_running().await;
    let ended = place.finish(early).await;
    assert!(
        ended
            .log
            .starts_with(late.status.pod_ip.as_deref().unwrap()),
        "{}",
        ended.log
    );
}

#[tokio::test]
async fn a_pod_knows_its_own_short_name() {
    let Some(place) = Place::isolated(World::default()).await else {
        return;
    };
    let spec = json!({"hostname": "me-0", "subdomain": "net", "containers": [sh("main", "getent hosts $(hostname) | cut -d' ' -f1")]});
    let ended = place.finish(place.start("me", spec)).await;
    assert_eq!(ended.log.trim_end(), ended.status.pod_ip.unwrap());
}
