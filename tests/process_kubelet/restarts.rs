//! Containers that are started again.

use serde_json::json;

use crate::support::{Place, sh, terminated};

#[tokio::test]
async fn on_failure_a_container_is_started_again_until_it_succeeds() {
    let place = Place::new().await;
    let mark = place.folder.path().join("mark");
    let script = format!(
        "if test -e {0}; then exit 0; fi; touch {0}; exit 5",
        mark.display()
    );
    let pod = json!({"restartPolicy": "OnFailure", "containers": [sh("main", &script)]});
    let ended = place.finish(place.start("p", pod)).await;
    assert_eq!(ended.status.phase.as_deref(), Some("Succeeded"));
    assert_eq!(terminated(&ended.status, "main").exit_code, 0);
    let status = &ended.status.container_statuses.as_ref().unwrap()[0];
    assert_eq!(status.restart_count, 1);
    let last = status
        .last_state
        .as_ref()
        .unwrap()
        .terminated
        .as_ref()
        .unwrap();
    assert_eq!(last.exit_code, 5);
}

#[tokio::test]
async fn the_second_restart_backs_off() {
    let place = Place::new().await;
    let pod = json!({"restartPolicy": "Always", "containers": [sh("main", "exit 1")]});
    let mut running = place.start("p", pod);
    let waiting = |s: &k8s_openapi::api::core::v1::PodStatus| {
        let container = s.container_statuses.as_ref()?.first()?;
        container.state.as_ref()?.waiting.clone()
    };
    running
        .until(|s| waiting(s).is_some_and(|w| w.reason.as_deref() == Some("CrashLoopBackOff")))
        .await;
    assert_eq!(
        waiting(&running.status).unwrap().message.as_deref(),
        Some("back-off 10s restarting failed container=main pod=p_ns(uid-p)")
    );
    let status = &running.status.container_statuses.as_ref().unwrap()[0];
    assert_eq!(status.restart_count, 1);
    assert_eq!(running.status.phase.as_deref(), Some("Running"));
    running.handle.stop(None);
    running.end().await;
    assert_eq!(terminated(&running.status, "main").exit_code, 1);
    assert_eq!(running.status.phase.as_deref(), Some("Failed"));
}
