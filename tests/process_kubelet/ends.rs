//! How containers end, and what is told of it.

use std::time::Duration;

use serde_json::json;

use crate::support::{Place, condition, sh, sh_with, terminated};

#[tokio::test]
async fn exit_codes_and_signals_are_told_as_a_kubelet_does() {
    let place = Place::new().await;
    // Kubernetes makes one dollar sign of two.
    for (script, phase, code, reason) in [
        ("exit 0", "Succeeded", 0, "Completed"),
        ("exit 3", "Failed", 3, "Error"),
        ("kill -9 $$$$", "Failed", 137, "Error"),
        ("kill -TERM $$$$", "Failed", 143, "Error"),
    ] {
        let ended = place.script(script).await;
        let end = terminated(&ended.status, "main");
        assert_eq!(ended.status.phase.as_deref(), Some(phase), "{script}");
        assert_eq!((end.exit_code, end.reason.as_deref()), (code, Some(reason)));
        assert!(end.started_at <= end.finished_at && end.container_id.is_some());
        assert_eq!(condition(&ended.status, "Ready"), "False");
        assert_eq!(condition(&ended.status, "PodScheduled"), "True");
    }
}

#[tokio::test]
async fn a_program_that_is_not_there_is_a_start_error() {
    let place = Place::new().await;
    let pod =
        json!({"containers": [{"name": "main", "image": "i", "command": ["no-such-program"]}]});
    let ended = place.finish(place.start("p", pod)).await;
    let end = terminated(&ended.status, "main");
    assert_eq!(
        (end.exit_code, end.reason.as_deref()),
        (128, Some("StartError"))
    );
    assert_eq!(
        end.message.as_deref(),
        Some("exec: \"no-such-program\": executable file not found in $PATH")
    );
    assert_eq!(ended.status.phase.as_deref(), Some("Failed"));
}

#[tokio::test]
async fn a_container_without_a_command_fails_at_once() {
    let place = Place::new().await;
    let pod = json!({"containers": [{"name": "main", "image": "pytorch", "args": ["x"]}]});
    let ended = place.finish(place.start("p", pod)).await;
    let message = terminated(&ended.status, "main").message.unwrap();
    assert!(
        message.contains("no command specified: image \"pytorch\" is not pulled"),
        "{message}"
    );
}

#[tokio::test]
async fn a_pod_that_is_stopped_may_end_by_itself() {
    let place = Place::new().await;
    let script = "trap 'exit 7' TERM; echo up > $READY; while :; do sleep 0.05; done";
    let pod = json!({"terminationGracePeriodSeconds": 30, "containers": [sh_with("main", script, json!({
        "env": [{"name": "READY", "value": place.folder.path().join("ready")}],
        "readinessProbe": {"periodSeconds": 1, "exec": {"command": ["test", "-e", place.folder.path().join("ready")]}}
    }))]});
    let mut running = place.start("p", pod);
    running.until(crate::support::is_ready).await;
    running.handle.stop(None);
    running.end().await;
    let end = terminated(&running.status, "main");
    assert_eq!((end.exit_code, end.reason.as_deref()), (7, Some("Error")));
    assert_eq!(running.status.phase.as_deref(), Some("Failed"));
}

#[tokio::test]
async fn who_does_not_end_is_killed_after_the_grace_period() {
    let place = Place::new().await;
    let up = place.folder.path().join("up");
    // The child is in the same group and ignores the signal too.
    let script = format!(
        "trap '' TERM; sleep 1000 & touch {}; wait; wait",
        up.display()
    );
    let container = sh_with(
        "main",
        &script,
        json!({
            "readinessProbe": {"periodSeconds": 1, "exec": {"command": ["test", "-e", up]}}
        }),
    );
    let mut running = place.start(
        "p",
        json!({"terminationGracePeriodSeconds": 1, "containers": [container]}),
    );
    running.until(crate::support::is_ready).await;
    running.handle.stop(None);
    running.end().await;
    assert_eq!(terminated(&running.status, "main").exit_code, 137);
    assert!(
        running
            .events
            .iter()
            .any(|(reason, _)| *reason == "Killing")
    );
}

#[tokio::test]
async fn a_pod_stopped_without_grace_is_killed() {
    let place = Place::new().await;
    let mut running = place.start("p", json!({"containers": [sh("main", "sleep 1000")]}));
    running.until_running().await;
    running.handle.stop(Some(Duration::ZERO));
    running.end().await;
    assert_eq!(terminated(&running.status, "main").exit_code, 137);
}

#[tokio::test]
async fn a_pre_stop_hook_runs_before_the_signal() {
    let place = Place::new().await;
    let file = place.folder.path().join("order");
    let script = format!(
        "trap 'echo term >> {0}; exit 0' TERM; while :; do sleep 0.05; done",
        file.display()
    );
    let hook = format!("echo hook >> {}", file.display());
    let pod = json!({"containers": [sh_with("main", &script, json!({
        "lifecycle": {"preStop": {"exec": {"command": ["sh", "-c", hook]}}}
    }))]});
    let mut running = place.start("p", pod);
    running.until_running().await;
    running.handle.stop(None);
    running.end().await;
    assert!(
        std::fs::read_to_string(&file)
            .unwrap()
            .starts_with("hook\n")
    );
}

#[tokio::test]
async fn a_pod_that_lives_too_long_has_exceeded_its_deadline() {
    let place = Place::new().await;
    let pod = json!({"activeDeadlineSeconds": 1, "containers": [sh("main", "sleep 1000")]});
    let ended = place.finish(place.start("p", pod)).await;
    assert_eq!(ended.status.phase.as_deref(), Some("Failed"));
    assert_eq!(ended.status.reason.as_deref(), Some("DeadlineExceeded"));
    assert_eq!(terminated(&ended.status, "main").exit_code, 143);
}

#[tokio::test]
async fn last_words_are_in_the_status() {
    let place = Place::new().await;
    if place.node.not_isolated().is_none() {
        let ended = place
            .script("echo why > /dev/termination-log; exit 1")
            .await;
        assert_eq!(
            terminated(&ended.status, "main").message.as_deref(),
            Some("why\n")
        );
    }
    let fallback = json!({"terminationMessagePolicy": "FallbackToLogsOnError"});
    let pod = json!({"containers": [sh_with("main", "echo one; echo two >&2; exit 1", fallback)]});
    let ended = place.finish(place.start("q", pod)).await;
    let message = terminated(&ended.status, "main").message.unwrap();
    let mut lines: Vec<&str> = message.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["one", "two"]);
}

#[tokio::test]
async fn too_much_memory_is_an_oom_kill_and_a_plain_kill_is_not() {
    let place = Place::new().await;
    let limit = json!({"resources": {"limits": {"memory": "48Mi"}}});
    // One process that holds 200 MB until it is killed.
    let script = "x=$(head -c 200000000 /dev/zero | tr '\\0' a); sleep 1000; echo $x";
    let pod = json!({"containers": [sh_with("main", script, limit.clone())]});
    let ended = place.finish(place.start("p", pod)).await;
    let end = terminated(&ended.status, "main");
    assert_eq!(
        (end.exit_code, end.reason.as_deref()),
        (137, Some("OOMKilled"))
    );

    let pod = json!({"containers": [sh_with("main", "kill -9 $$$$", limit)]});
    let ended = place.finish(place.start("q", pod)).await;
    let end = terminated(&ended.status, "main");
    assert_eq!((end.exit_code, end.reason.as_deref()), (137, Some("Error")));
}
