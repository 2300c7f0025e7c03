//! What a container is given and sees.

use serde_json::json;

use crate::support::{Place, World, sh, sh_with};

#[tokio::test]
async fn the_environment_is_the_one_of_the_spec() {
    let mut world = World::default();
    world
        .config_maps
        .insert("cm".to_owned(), json!({"data": {"KEY": "from a map"}}));
    // "hidden" in base64.
    world
        .secrets
        .insert("s".to_owned(), json!({"data": {"KEY": "aGlkZGVu"}}));
    let place = Place::with(world).await;
    let pod = json!({
        "hostname": "w-0",
        "containers": [{
            "name": "main", "image": "i",
            "command": ["sh", "-c", "echo \"$1|$A|$MAP|$SECRET|$NAME|$IP|$MEM|$HOSTNAME\"", "sh"],
            "args": ["$(A)-$(NOT)-$$(A)"],
            "resources": {"limits": {"memory": "64Mi"}},
            "env": [
                {"name": "A", "value": "1"},
                {"name": "MAP", "valueFrom": {"configMapKeyRef": {"name": "cm", "key": "KEY"}}},
                {"name": "SECRET", "valueFrom": {"secretKeyRef": {"name": "s", "key": "KEY"}}},
                {"name": "NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
                {"name": "IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
                {"name": "MEM", "valueFrom": {"resourceFieldRef": {"resource": "limits.memory", "divisor": "1Mi"}}}
            ]
        }]
    });
    let ended = place.finish(place.start("p", pod)).await;
    let ip = ended.status.pod_ip.unwrap();
    assert_eq!(
        ended.log,
        format!("1-$(NOT)-$(A)|1|from a map|hidden|p|{ip}|64|w-0\n")
    );
    assert!(ip.starts_with("127."), "{ip}");
}

#[tokio::test]
async fn what_is_missing_holds_the_container_back_with_a_reason() {
    let place = Place::new().await;
    let pod = json!({"containers": [sh_with("main", "true", json!({
        "envFrom": [{"configMapRef": {"name": "none"}}]
    }))]});
    let mut running = place.start("p", pod);
    running
        .until(|s| {
            s.container_statuses.as_ref().is_some_and(|c| {
                let waiting = c[0].state.as_ref().and_then(|s| s.waiting.as_ref());
                waiting.is_some_and(|w| {
                    w.reason.as_deref() == Some("CreateContainerConfigError")
                        && w.message.as_deref() == Some("configmap \"none\" not found")
                })
            })
        })
        .await;
    assert_eq!(running.status.phase.as_deref(), Some("Pending"));
}

#[tokio::test]
async fn a_container_starts_in_its_directory() {
    let place = Place::new().await;
    let ended = place.script("pwd -P").await;
    let here = place.folder.path().canonicalize().unwrap();
    assert_eq!(ended.log.trim_end(), here.to_string_lossy());
    let pod = json!({"containers": [sh_with("main", "pwd", json!({"workingDir": "/usr"}))]});
    let ended = place.finish(place.start("q", pod)).await;
    assert_eq!(ended.log, "/usr\n");
}

#[tokio::test]
async fn a_pod_has_its_own_names_processes_and_temporary_folder() {
    let Some(place) = Place::isolated(World::default()).await else {
        return;
    };
    let script = "hostname; cat /etc/hostname; echo $PPID; ls -A /tmp | grep -v '^\\.tmp'; touch /tmp/mark; \
                  test -c /dev/null && test -d /dev/shm && touch /dev/shm/x && echo fine";
    let pod = json!({"hostname": "w-3", "containers": [sh("main", script)]});
    let ended = place.finish(place.start("p", pod.clone())).await;
    assert_eq!(ended.log, "w-3\nw-3\n1\nfine\n");
    assert!(!std::path::Path::new("/tmp/mark").exists());
    let again = place.finish(place.start("q", pod)).await;
    assert_eq!(again.log, ended.log);
}

#[tokio::test]
async fn a_working_directory_that_the_machine_does_not_have_is_made() {
    let Some(place) = Place::isolated(World::default()).await else {
        return;
    };
    let container = sh_with(
        "main",
        "pwd && touch x",
        json!({"workingDir": "/work-of-a-pod/deep"}),
    );
    let ended = place
        .finish(place.start("p", json!({"containers": [container]})))
        .await;
    assert_eq!(ended.log, "/work-of-a-pod/deep\n");
    assert!(!std::path::Path::new("/work-of-a-pod").exists());
}

#[tokio::test]
async fn a_container_is_the_user_that_the_spec_says() {
    let Some(place) = Place::isolated(World::default()).await else {
        return;
    };
    let pod = json!({
        "securityContext": {"runAsUser": 4321, "runAsGroup": 1234},
        "containers": [sh("main", "id -u; id -g")]
    });
    let ended = place.finish(place.start("p", pod)).await;
    assert_eq!(ended.log, "4321\n1234\n");
}

#[tokio::test]
async fn init_containers_run_one_after_the_other_before_the_others() {
    let place = Place::new().await;
    let file = place.folder.path().join("order");
    let say = |word: &str| format!("echo {word} >> {}", file.display());
    let pod = json!({
        "initContainers": [sh("one", &say("one")), sh("two", &say("two"))],
        "containers": [sh("main", &say("main"))]
    });
    let ended = place.finish(place.start("p", pod)).await;
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "one\ntwo\nmain\n");
    assert_eq!(ended.status.phase.as_deref(), Some("Succeeded"));
    assert_eq!(ended.status.init_container_statuses.unwrap().len(), 2);
}

#[tokio::test]
async fn an_init_container_that_fails_is_the_end_of_the_pod() {
    let place = Place::new().await;
    let pod = json!({"initContainers": [sh("one", "exit 4")], "containers": [sh("main", "true")]});
    let ended = place.finish(place.start("p", pod)).await;
    assert_eq!(ended.status.phase.as_deref(), Some("Failed"));
    assert_eq!(
        crate::support::terminated(&ended.status, "one").exit_code,
        4
    );
    let main = &ended.status.container_statuses.unwrap()[0];
    let waiting = main.state.as_ref().unwrap().waiting.as_ref().unwrap();
    assert_eq!(waiting.reason.as_deref(), Some("PodInitializing"));
}

#[tokio::test]
async fn a_sidecar_is_there_before_and_after_and_does_not_hold_the_pod() {
    let place = Place::new().await;
    let folder = place.folder.path().display();
    let sidecar = sh_with(
        "side",
        &format!(
            "trap 'echo bye > {folder}/bye; exit 0' TERM; echo hi > {folder}/hi; while :; do sleep 0.05; done"
        ),
        json!({"restartPolicy": "Always",
               "startupProbe": {"periodSeconds": 1, "exec": {"command": ["test", "-e", format!("{folder}/hi")]}}}),
    );
    let main = sh("main", &format!("cat {folder}/hi; test ! -e {folder}/bye"));
    let pod = json!({"initContainers": [sidecar], "containers": [main]});
    let ended = place.finish(place.start("p", pod)).await;
    assert_eq!(ended.log, "hi\n");
    assert_eq!(ended.status.phase.as_deref(), Some("Succeeded"));
    assert!(place.folder.path().join("bye").exists());
}

#[tokio::test]
async fn without_namespaces_names_are_in_the_environment() {
    let place = Place::bare().await;
    assert!(
        place
            .node
            .not_isolated()
            .unwrap()
            .hint
            .contains("KUBECTL_JOBSET_HOSTS")
    );
    let peer = place.start(
        "a",
        json!({"hostname": "a-0", "subdomain": "net", "containers": [sh("main", "sleep 1000")]}),
    );
    let mut peer = peer;
    peer.until_running().await;
    let ended = place
        .script("echo $KUBECTL_JOBSET_ADDRESS_A_0; grep -c a-0.net.ns.svc $KUBECTL_JOBSET_HOSTS")
        .await;
    assert_eq!(
        ended.log,
        format!("{}\n1\n", peer.status.pod_ip.as_ref().unwrap())
    );
}
