//! Probes by programs, connections and HTTP; the servers are this test's.

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::support::{Place, is_ready, sh_with};

#[tokio::test]
async fn a_pod_is_ready_when_its_probe_says_so_and_as_long() {
    let place = Place::new().await;
    let file = place.folder.path().join("ready");
    let probe = json!({"readinessProbe": {"periodSeconds": 1, "failureThreshold": 1,
        "exec": {"command": ["test", "-e", &file]}}});
    let mut running = place.start(
        "p",
        json!({"containers": [sh_with("main", "sleep 1000", probe)]}),
    );
    running.until_running().await;
    running.until_event("Unhealthy").await;
    assert!(!is_ready(&running.status));
    std::fs::write(&file, "").unwrap();
    running.until(is_ready).await;
    std::fs::remove_file(&file).unwrap();
    running.until(|s| !is_ready(s)).await;
}

#[tokio::test]
async fn a_container_that_fails_its_liveness_probe_is_started_again() {
    let place = Place::new().await;
    let probe = json!({"livenessProbe": {"periodSeconds": 1, "failureThreshold": 2, "exec": {"command": ["false"]}}});
    let pod =
        json!({"restartPolicy": "OnFailure", "containers": [sh_with("main", "sleep 1000", probe)]});
    let mut running = place.start("p", pod);
    running
        .until(|s| {
            s.container_statuses
                .as_ref()
                .is_some_and(|c| c[0].restart_count == 1)
        })
        .await;
    let killing = running
        .events
        .iter()
        .find(|(reason, _)| *reason == "Killing")
        .unwrap();
    assert_eq!(
        killing.1,
        "Container main failed liveness probe, will be restarted"
    );
    let status = &running.status.container_statuses.as_ref().unwrap()[0];
    let last = status
        .last_state
        .as_ref()
        .unwrap()
        .terminated
        .as_ref()
        .unwrap();
    assert_eq!(last.exit_code, 143);
}

#[tokio::test]
async fn liveness_waits_for_startup() {
    let place = Place::new().await;
    let file = place.folder.path().join("up");
    let probes = json!({
        "startupProbe": {"periodSeconds": 1, "failureThreshold": 100, "exec": {"command": ["test", "-e", &file]}},
        "livenessProbe": {"periodSeconds": 1, "failureThreshold": 1, "exec": {"command": ["test", "-e", &file]}}
    });
    let pod = json!({"containers": [sh_with("main", "sleep 1000", probes)]});
    let mut running = place.start("p", pod);
    let failed = running.until_event("Unhealthy").await;
    assert!(failed.starts_with("Startup probe failed"), "{failed}");
    std::fs::write(&file, "").unwrap();
    running.until(is_ready).await;
    assert!(
        running
            .events
            .iter()
            .all(|(_, text)| !text.starts_with("Liveness"))
    );
}

#[tokio::test]
async fn http_and_tcp_probes_ask_the_server() {
    let place = Place::new().await;
    let server = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = server.local_addr().unwrap().port();
    // Refuses once, then agrees.
    tokio::spawn(async move {
        for answer in ["500 No", "200 OK"]
            .into_iter()
            .chain(std::iter::repeat("200 OK"))
        {
            let (mut stream, _) = server.accept().await.unwrap();
            let mut request = [0; 1024];
            let read = stream.read(&mut request).await.unwrap();
            assert!(request[..read].starts_with(b"GET /healthy HTTP/1.1\r\n"));
            let text = format!("HTTP/1.1 {answer}\r\ncontent-length: 0\r\n\r\n");
            stream.write_all(text.as_bytes()).await.unwrap();
        }
    });
    let probe = json!({"ports": [{"name": "web", "containerPort": port}],
        "readinessProbe": {"periodSeconds": 1, "httpGet": {"host": "127.0.0.1", "port": "web", "path": "/healthy"}}});
    let mut running = place.start(
        "p",
        json!({"containers": [sh_with("main", "sleep 1000", probe)]}),
    );
    let failed = running.until_event("Unhealthy").await;
    assert_eq!(
        failed,
        "Readiness probe failed: HTTP probe failed with statuscode: 500"
    );
    running.until(is_ready).await;

    let server = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = server.local_addr().unwrap().port();
    let probe = json!({"readinessProbe": {"periodSeconds": 1, "tcpSocket": {"host": "127.0.0.1", "port": port}}});
    let mut running = place.start(
        "q",
        json!({"containers": [sh_with("main", "sleep 1000", probe)]}),
    );
    running.until(is_ready).await;
}
