//! Output on disk.

use std::collections::BTreeSet;

use kubectl_jobset::cluster::kubelet::process::logs::{LogOptions, LogReader, which};
use serde_json::json;

use crate::support::{Place, sh};

#[tokio::test]
async fn each_run_of_a_container_has_its_own_log() {
    let place = Place::new().await;
    let mark = place.folder.path().join("mark");
    let script = format!(
        "if test -e {0}; then echo again; exit 0; fi; touch {0}; echo first; echo wrong >&2; exit 5",
        mark.display()
    );
    let pod = json!({"restartPolicy": "OnFailure", "containers": [sh("main", &script)]});
    let mut running = place.start("p", pod);
    running.end().await;
    let status = &running.status.container_statuses.as_ref().unwrap()[0];
    assert_eq!(which("p", status, false), Ok(1));
    assert_eq!(which("p", status, true), Ok(0));
    assert_eq!(place.log(&running.pod, "main", 1).await, "again\n");
    let first = place.log(&running.pod, "main", 0).await;
    assert_eq!(
        first.lines().collect::<BTreeSet<_>>(),
        BTreeSet::from(["first", "wrong"])
    );
    let path = place.node.logs(&running.pod, "main").join("0.log");
    let text = std::fs::read_to_string(path).unwrap();
    assert!(
        text.lines().any(|line| line.ends_with(" stderr F wrong")),
        "{text}"
    );
}

#[tokio::test]
async fn a_log_can_be_followed_to_its_end() {
    let place = Place::new().await;
    let go = place.folder.path().join("go");
    let script = format!(
        "echo one; until test -e {}; do sleep 0.05; done; echo two",
        go.display()
    );
    let mut running = place.start("p", json!({"containers": [sh("main", &script)]}));
    running.until_running().await;
    let options = LogOptions {
        follow: true,
        ..LogOptions::default()
    };
    let folder = place.node.logs(&running.pod, "main");
    let mut reader = LogReader::open(&folder, 0, options).unwrap();
    assert_eq!(reader.next().await.unwrap().unwrap(), b"one\n");
    std::fs::write(go, "").unwrap();
    assert_eq!(reader.next().await.unwrap().unwrap(), b"two\n");
    assert_eq!(reader.next().await.unwrap(), None);
}

#[tokio::test]
async fn output_is_complete_when_the_end_is_told() {
    let place = Place::new().await;
    let ended = place
        .script("i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done")
        .await;
    assert_eq!(ended.log.lines().count(), 20000);
    assert_eq!(ended.log.lines().last(), Some("line 19999"));
}
