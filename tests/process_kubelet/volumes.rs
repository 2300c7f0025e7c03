//! Volumes where the spec wants them, on a machine that has no such directories.

use serde_json::json;

use crate::support::{Place, World, sh_with, terminated};

fn world() -> World {
    let mut world = World::default();
    world.config_maps.insert(
        "cm".to_owned(),
        json!({"data": {"app.conf": "answer = 42\n", "other": "x"}}),
    );
    world
        .secrets
        .insert("s".to_owned(), json!({"data": {"token": "aGlkZGVu"}}));
    world
}

#[tokio::test]
async fn an_empty_dir_is_shared_by_the_containers_of_a_pod_alone() {
    let Some(place) = Place::isolated(World::default()).await else {
        return;
    };
    let mount = json!({"volumeMounts": [{"name": "scratch", "mountPath": "/data/of/pod"}]});
    let pod = json!({
        "volumes": [{"name": "scratch", "emptyDir": {}}],
        "initContainers": [sh_with("first", "echo made > /data/of/pod/file", mount.clone())],
        "containers": [sh_with("main", "ls /data/of/pod; cat /data/of/pod/file", mount)]
    });
    for name in ["p", "q"] {
        let ended = place.finish(place.start(name, pod.clone())).await;
        assert_eq!(ended.log, "file\nmade\n");
    }
    assert!(!std::path::Path::new("/data/of").exists());
}

#[tokio::test]
async fn config_maps_secrets_and_fields_are_files_that_cannot_be_changed() {
    let Some(place) = Place::isolated(world()).await else {
        return;
    };
    let pod = json!({
        "volumes": [
            {"name": "conf", "configMap": {"name": "cm", "items": [{"key": "app.conf", "path": "sub/app.conf"}]}},
            {"name": "all", "projected": {"sources": [
                {"secret": {"name": "s"}},
                {"downwardAPI": {"items": [{"path": "name", "fieldRef": {"fieldPath": "metadata.name"}}]}}
            ]}}
        ],
        "containers": [sh_with(
            "main",
            "cat /etc/app/sub/app.conf; cat /secrets/token /secrets/name; echo; \
             touch /etc/app/new 2>/dev/null || echo read-only; cat /one-file",
            json!({"volumeMounts": [
                {"name": "conf", "mountPath": "/etc/app"},
                {"name": "all", "mountPath": "/secrets"},
                {"name": "conf", "mountPath": "/one-file", "subPath": "sub/app.conf"}
            ]})
        )]
    });
    let ended = place.finish(place.start("p", pod)).await;
    assert_eq!(ended.log, "answer = 42\nhiddenp\nread-only\nanswer = 42\n");
}

#[tokio::test]
async fn a_host_path_is_the_machines_own() {
    let Some(place) = Place::isolated(World::default()).await else {
        return;
    };
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("in"), "given\n").unwrap();
    let pod = json!({
        "volumes": [{"name": "host", "hostPath": {"path": outside.path(), "type": "Directory"}}],
        "containers": [sh_with("main", "cat /mnt-of-pod/in; echo back > /mnt-of-pod/out",
            json!({"volumeMounts": [{"name": "host", "mountPath": "/mnt-of-pod"}]}))]
    });
    let ended = place.finish(place.start("p", pod)).await;
    assert_eq!(ended.log, "given\n");
    assert_eq!(
        std::fs::read_to_string(outside.path().join("out")).unwrap(),
        "back\n"
    );
}

#[tokio::test]
async fn a_volume_that_needs_a_cluster_fails_the_pod_at_once() {
    let place = Place::new().await;
    let pod = json!({
        "volumes": [{"name": "far", "nfs": {"server": "s", "path": "/"}}],
        "containers": [sh_with("main", "true", json!({"volumeMounts": [{"name": "far", "mountPath": "/far"}]}))]
    });
    let ended = place.finish(place.start("p", pod)).await;
    assert_eq!(ended.status.phase.as_deref(), Some("Failed"));
    assert_eq!(ended.status.reason.as_deref(), Some("FailedMount"));
    assert!(ended.status.message.unwrap().contains("volume \"far\""));
}

#[tokio::test]
async fn without_namespaces_a_mount_is_refused_with_its_reason() {
    let place = Place::bare().await;
    let pod = json!({
        "volumes": [{"name": "scratch", "emptyDir": {}}],
        "containers": [sh_with("main", "true", json!({"volumeMounts": [{"name": "scratch", "mountPath": "/data"}]}))]
    });
    let ended = place.finish(place.start("p", pod)).await;
    let end = terminated(&ended.status, "main");
    assert_eq!(
        (end.exit_code, end.reason.as_deref()),
        (128, Some("StartError"))
    );
    assert!(end.message.unwrap().contains("at \"/data\""));
}
