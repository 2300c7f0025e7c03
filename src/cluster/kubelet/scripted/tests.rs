//! Lives of pods under virtual time.

use k8s_openapi::api::core::v1::{ContainerState, Pod};
use k8s_openapi::jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::*;
use crate::cluster::controllers::node::NodeShape;
use crate::cluster::object::{Kind, Object};
use crate::cluster::store::Key;
use crate::cluster::world::WorldOptions;

fn world() -> World {
    let mut world = World::new(WorldOptions::new(
        "2026-12-01T09:00:00Z".parse().unwrap(),
        1,
    ));
    world.add_node("node-0", NodeShape::default());
    world
}

fn add(world: &mut World, name: &str, annotations: Value, spec: Value) {
    let mut all = json!({"restartPolicy": "Never", "terminationGracePeriodSeconds": 30,
        "containers": [{"name": "main", "image": "app:1"}]});
    for (key, value) in spec.as_object().unwrap() {
        all[key] = value.clone();
    }
    let mut pod: Pod = serde_json::from_value(json!({
        "metadata": {"name": name, "namespace": "default", "annotations": annotations, "generation": 1},
        "spec": all, "status": {"phase": "Pending"}}))
    .unwrap();
    world.stamp(&mut pod.metadata);
    world.put(pod.into());
}

fn wait(world: &mut World, seconds: f64) {
    let to = world.now() + SignedDuration::from_secs_f64(seconds);
    world.advance(to);
}

fn find(world: &World, name: &str) -> Option<Pod> {
    let object = world.store().get(&Key::new(Kind::Pod, "default", name))?;
    object.as_pod().cloned()
}

fn pod(world: &World, name: &str) -> Pod {
    find(world, name).unwrap()
}

fn phase(world: &World, name: &str) -> String {
    find(world, name).map_or("gone".to_owned(), |p| p.status.unwrap().phase.unwrap())
}

fn condition(pod: &Pod, kind: &str) -> (String, String, String) {
    let all = pod.status.as_ref().unwrap().conditions.as_ref().unwrap();
    let found = all.iter().find(|c| c.type_ == kind).unwrap();
    (
        found.status.clone(),
        found.reason.clone().unwrap_or_default(),
        found.message.clone().unwrap_or_default(),
    )
}

fn state(pod: &Pod) -> ContainerState {
    let status = pod.status.as_ref().unwrap();
    status.container_statuses.as_ref().unwrap()[0]
        .state
        .clone()
        .unwrap()
}

fn no(reason: &str, message: &str) -> (String, String, String) {
    ("False".to_owned(), reason.to_owned(), message.to_owned())
}

fn yes() -> (String, String, String) {
    ("True".to_owned(), String::new(), String::new())
}

/// As the API does it: the grace period begins.
fn delete(world: &mut World, name: &str, grace: i64) {
    let mut pod = pod(world, name);
    let until = world.second() + SignedDuration::from_secs(grace);
    pod.metadata.deletion_timestamp =
        Some(k8s_openapi::apimachinery::pkg::apis::meta::v1::Time(until));
    pod.metadata.deletion_grace_period_seconds = Some(grace);
    world.put(pod.into());
}

fn script(which: Which, play: Play) -> Rule {
    Rule {
        which,
        play,
        times: None,
    }
}

fn secs(seconds: i64) -> Option<SignedDuration> {
    Some(SignedDuration::from_secs(seconds))
}

#[test]
fn a_pod_without_a_script_runs_until_it_is_deleted() {
    let mut world = world();
    add(&mut world, "a", json!({}), json!({}));
    wait(&mut world, 0.1);
    let waiting = pod(&world, "a");
    assert_eq!(
        waiting.spec.as_ref().unwrap().node_name.as_deref(),
        Some("node-0")
    );
    assert_eq!(phase(&world, "a"), "Pending");
    assert_eq!(
        state(&waiting).waiting.unwrap().reason.as_deref(),
        Some("ContainerCreating")
    );
    let unready = "containers with unready status: [main]";
    for (kind, expected) in [
        ("PodScheduled", yes()),
        (
            "PodReadyToStartContainers",
            no("PodSandboxNotReady", "no pod sandbox exists"),
        ),
        ("Initialized", yes()),
        ("ContainersReady", no("ContainersNotReady", unready)),
        ("Ready", no("ContainersNotReady", unready)),
    ] {
        assert_eq!(condition(&waiting, kind), expected, "{kind}");
    }
    wait(&mut world, 1.0);
    let running = pod(&world, "a");
    assert_eq!(phase(&world, "a"), "Running");
    for kind in [
        "PodScheduled",
        "PodReadyToStartContainers",
        "Initialized",
        "ContainersReady",
        "Ready",
    ] {
        assert_eq!(condition(&running, kind), yes(), "{kind}");
    }
    let status = running.status.unwrap();
    assert!(status.pod_ip.is_some() && status.host_ip.is_some() && status.start_time.is_some());
    let container = &status.container_statuses.unwrap()[0];
    assert!(container.ready && container.started == Some(true) && container.restart_count == 0);
    assert!(container.image_id.starts_with("app@sha256:"));
    wait(&mut world, 100_000.0);
    assert_eq!(phase(&world, "a"), "Running");
    delete(&mut world, "a", 30);
    wait(&mut world, 0.1);
    assert_eq!(phase(&world, "a"), "gone");
}

#[test]
fn annotations_end_pods() {
    let note = |pairs: &[(&str, &str)]| -> Value {
        pairs
            .iter()
            .map(|(k, v)| (format!("kubectl-jobset.test/{k}"), json!(v)))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    // What is annotated, when it is looked at, the phase, exit code and reason.
    let table = [
        (note(&[("run-for", "2.5")]), 2.4, "Running", None),
        (
            note(&[("run-for", "2.5")]),
            2.6,
            "Succeeded",
            Some((0, "Completed")),
        ),
        (
            note(&[("exit-code", "3")]),
            0.1,
            "Failed",
            Some((3, "Error")),
        ),
        (
            note(&[("exit-code", "137"), ("exit-reason", "OOMKilled")]),
            0.1,
            "Failed",
            Some((137, "OOMKilled")),
        ),
        (
            note(&[("exit-code", "0")]),
            0.1,
            "Succeeded",
            Some((0, "Completed")),
        ),
        (note(&[("start-after", "1")]), 0.9, "Pending", None),
        (note(&[("start-after", "1")]), 1.1, "Running", None),
        (
            note(&[("ready-after", "3"), ("run-for", "1")]),
            2.0,
            "Running",
            None,
        ),
        (
            note(&[("ready-after", "3"), ("run-for", "1")]),
            3.1,
            "Succeeded",
            Some((0, "Completed")),
        ),
        (
            note(&[("never-ready", "true"), ("run-for", "1")]),
            1.1,
            "Succeeded",
            Some((0, "Completed")),
        ),
        (note(&[("manual", "true")]), 9.0, "Pending", None),
    ];
    for (notes, at, expected, end) in table {
        let mut world = world();
        // A failed pod stays failed, whatever the policy.
        add(
            &mut world,
            "a",
            notes.clone(),
            json!({"restartPolicy": "OnFailure"}),
        );
        wait(&mut world, at);
        assert_eq!(phase(&world, "a"), expected, "{notes} at {at}");
        if let Some((code, reason)) = end {
            let terminated = state(&pod(&world, "a")).terminated.unwrap();
            assert_eq!(
                (terminated.exit_code, terminated.reason.as_deref()),
                (code, Some(reason)),
                "{notes}"
            );
        }
    }
}

#[test]
fn an_ended_pod_says_so_in_its_conditions() {
    for (code, reason, initialized) in [
        ("0", "PodCompleted", "PodCompleted"),
        ("1", "PodFailed", ""),
    ] {
        let mut world = world();
        add(
            &mut world,
            "a",
            json!({"kubectl-jobset.test/exit-code": code}),
            json!({}),
        );
        wait(&mut world, 1.0);
        let pod = pod(&world, "a");
        assert_eq!(condition(&pod, "Ready"), no(reason, ""));
        assert_eq!(condition(&pod, "ContainersReady"), no(reason, ""));
        assert_eq!(condition(&pod, "Initialized").1, initialized);
        let sandbox = no("PodSandboxNotReady", "pod sandbox is not ready");
        assert_eq!(condition(&pod, "PodReadyToStartContainers"), sandbox);
    }
}

#[test]
fn a_running_pod_ends_when_it_is_told_to() {
    let mut world = world();
    add(
        &mut world,
        "a",
        json!({"kubectl-jobset.test/ready-after": "1"}),
        json!({}),
    );
    wait(&mut world, 5.0);
    let mut told = pod(&world, "a");
    told.metadata
        .annotations
        .as_mut()
        .unwrap()
        .insert("kubectl-jobset.test/exit-code".to_owned(), "7".to_owned());
    world.put(told.into());
    wait(&mut world, 0.1);
    assert_eq!(state(&pod(&world, "a")).terminated.unwrap().exit_code, 7);
}

#[test]
fn deletion_takes_its_time() {
    // The script, the grace period, when it is still there, when it is gone.
    let after = |s| Terminate::After(SignedDuration::from_secs(s));
    for (terminate, grace, there, gone) in [
        (None, 30, 0.0, 0.1),
        (Some(after(4)), 30, 3.9, 4.1),
        (Some(after(40)), 5, 4.9, 5.1),
        (
            Some(Terminate::Stubborn(SignedDuration::from_secs(40))),
            5,
            39.0,
            41.0,
        ),
    ] {
        let mut world = world();
        world.script(script(
            Which::all(),
            Play {
                terminate,
                ..Play::default()
            },
        ));
        add(&mut world, "a", json!({}), json!({}));
        wait(&mut world, 1.0);
        delete(&mut world, "a", grace);
        wait(&mut world, there);
        assert_eq!(phase(&world, "a"), "Running", "{terminate:?}");
        wait(&mut world, gone - there);
        assert_eq!(phase(&world, "a"), "gone", "{terminate:?}");
    }
}

#[test]
fn a_finalizer_keeps_what_is_left_of_a_deleted_pod() {
    for (terminate, code) in [
        (None, 143),
        (Some(Terminate::After(SignedDuration::from_secs(99))), 137),
    ] {
        let mut world = world();
        world.script(script(
            Which::all(),
            Play {
                terminate,
                ..Play::default()
            },
        ));
        add(&mut world, "a", json!({}), json!({}));
        let mut held = pod(&world, "a");
        held.metadata.finalizers = Some(vec!["test/held".to_owned()]);
        world.put(held.into());
        wait(&mut world, 1.0);
        delete(&mut world, "a", 10);
        wait(&mut world, 10.0);
        let left = pod(&world, "a");
        assert_eq!(phase(&world, "a"), "Failed");
        assert_eq!(state(&left).terminated.unwrap().exit_code, code);
        assert_eq!(left.metadata.deletion_grace_period_seconds, Some(0));
    }
}

#[test]
fn on_failure_starts_again_and_backs_off() {
    let mut world = world();
    let end = End {
        after: SignedDuration::from_secs(5),
        exit: Exit::code(1),
        container: None,
    };
    world.script(script(
        Which::all(),
        Play {
            end: Some(end),
            ..Play::default()
        },
    ));
    add(
        &mut world,
        "a",
        json!({}),
        json!({"restartPolicy": "OnFailure"}),
    );
    let restarts = |world: &World| {
        pod(world, "a").status.unwrap().container_statuses.unwrap()[0].restart_count
    };
    // Runs at 0.5 s, ends at 5.5, starts again at 6.5, ends at 11.5, waits ten seconds.
    wait(&mut world, 6.0);
    assert_eq!(state(&pod(&world, "a")).terminated.unwrap().exit_code, 1);
    assert_eq!(
        (phase(&world, "a").as_str(), restarts(&world)),
        ("Running", 0)
    );
    wait(&mut world, 1.0);
    assert_eq!(restarts(&world), 1);
    let last = pod(&world, "a").status.unwrap().container_statuses.unwrap()[0]
        .last_state
        .clone();
    assert_eq!(last.unwrap().terminated.unwrap().exit_code, 1);
    wait(&mut world, 6.0);
    let waiting = state(&pod(&world, "a")).waiting.unwrap();
    assert_eq!(waiting.reason.as_deref(), Some("CrashLoopBackOff"));
    let uid = pod(&world, "a").metadata.uid.unwrap();
    let words = format!("back-off 10s restarting failed container=main pod=a_default({uid})");
    assert_eq!(waiting.message, Some(words));
    assert_eq!(phase(&world, "a"), "Running");
    wait(&mut world, 8.0);
    assert_eq!(restarts(&world), 1);
    wait(&mut world, 1.0);
    assert_eq!(restarts(&world), 2);
}

#[test]
fn init_containers_go_first() {
    let mut world = world();
    world.script(script(
        Which::all(),
        Play {
            init_for: secs(2),
            ..Play::default()
        },
    ));
    let spec = json!({"initContainers": [{"name": "one", "image": "i"}, {"name": "side", "image": "s", "restartPolicy": "Always"},
        {"name": "two", "image": "i"}]});
    add(&mut world, "a", json!({}), spec);
    wait(&mut world, 1.0);
    let first = pod(&world, "a");
    assert_eq!(phase(&world, "a"), "Pending");
    assert_eq!(
        state(&first).waiting.unwrap().reason.as_deref(),
        Some("PodInitializing")
    );
    let words = "containers with incomplete status: [one side two]";
    assert_eq!(
        condition(&first, "Initialized"),
        no("ContainersNotInitialized", words)
    );
    wait(&mut world, 2.0);
    let second = pod(&world, "a");
    let words = "containers with incomplete status: [two]";
    assert_eq!(
        condition(&second, "Initialized"),
        no("ContainersNotInitialized", words)
    );
    wait(&mut world, 2.0);
    assert_eq!(phase(&world, "a"), "Running");
    assert_eq!(condition(&pod(&world, "a"), "Ready"), yes());
    let init = pod(&world, "a")
        .status
        .unwrap()
        .init_container_statuses
        .unwrap();
    assert!(init[0].ready && init[0].state.as_ref().unwrap().terminated.is_some());
    assert!(init[1].ready && init[1].state.as_ref().unwrap().running.is_some());
}

#[test]
fn an_init_container_that_fails_fails_the_pod() {
    let mut world = world();
    let end = End {
        after: SignedDuration::from_secs(1),
        exit: Exit::code(2),
        container: Some("one".to_owned()),
    };
    world.script(script(
        Which::all(),
        Play {
            end: Some(end),
            ..Play::default()
        },
    ));
    let init = json!({"initContainers": [{"name": "one", "image": "i"}]});
    add(&mut world, "never", json!({}), init.clone());
    let mut again = init;
    again["restartPolicy"] = json!("OnFailure");
    add(&mut world, "again", json!({}), again);
    wait(&mut world, 2.0);
    assert_eq!(phase(&world, "never"), "Failed");
    assert_eq!(phase(&world, "again"), "Pending");
    wait(&mut world, 3.0);
    let status = pod(&world, "again")
        .status
        .unwrap()
        .init_container_statuses
        .unwrap()[0]
        .clone();
    assert_eq!(status.restart_count, 1);
    assert_eq!(
        status.state.unwrap().waiting.unwrap().reason.as_deref(),
        Some("CrashLoopBackOff")
    );
}

#[test]
fn images_that_cannot_be_had() {
    for (trouble, early, late, message) in [
        (
            ImageTrouble::Pull("no such host".to_owned()),
            "ErrImagePull",
            "ImagePullBackOff",
            "Back-off pulling image \"app:1\": ErrImagePull: no such host",
        ),
        (
            ImageTrouble::InvalidName,
            "InvalidImageName",
            "InvalidImageName",
            "Failed to apply default image tag \"app:1\": couldn't parse image name \"app:1\": invalid reference format",
        ),
        (
            ImageTrouble::NeverPull,
            "ErrImageNeverPull",
            "ErrImageNeverPull",
            "Container image \"app:1\" is not present with pull policy of Never",
        ),
    ] {
        let mut world = world();
        world.script(script(
            Which::all(),
            Play {
                image: Some(trouble),
                ..Play::default()
            },
        ));
        add(&mut world, "a", json!({}), json!({}));
        wait(&mut world, 1.0);
        let reason = |world: &World| state(&pod(world, "a")).waiting.unwrap();
        assert_eq!(reason(&world).reason.as_deref(), Some(early));
        wait(&mut world, 2.0);
        assert_eq!(reason(&world).reason.as_deref(), Some(late));
        assert_eq!(reason(&world).message.as_deref(), Some(message));
        assert_eq!(phase(&world, "a"), "Pending");
    }
}

#[test]
fn a_kubelet_ends_pods_of_its_own_accord() {
    let mut world = world();
    world.script(script(
        Which::all().and(|p| p.metadata.name.as_deref() == Some("low")),
        Play {
            evict_after: secs(3),
            ..Play::default()
        },
    ));
    add(&mut world, "low", json!({}), json!({}));
    add(
        &mut world,
        "late",
        json!({}),
        json!({"activeDeadlineSeconds": 4}),
    );
    wait(&mut world, 5.0);
    let low = pod(&world, "low").status.unwrap();
    assert_eq!(
        (low.phase.as_deref(), low.reason.as_deref()),
        (Some("Failed"), Some("Evicted"))
    );
    assert_eq!(low.message.as_deref(), Some(LOW_MEMORY));
    let target = condition(&pod(&world, "low"), "DisruptionTarget");
    assert_eq!(
        target,
        (
            "True".to_owned(),
            "TerminationByKubelet".to_owned(),
            LOW_MEMORY.to_owned()
        )
    );
    let late = pod(&world, "late").status.unwrap();
    assert_eq!(
        (late.phase.as_deref(), late.reason.as_deref()),
        (Some("Failed"), Some("DeadlineExceeded"))
    );
}

#[test]
fn rules_hold_as_often_as_they_say() {
    let mut world = world();
    let end = |after, code| {
        Some(End {
            after: SignedDuration::from_secs(after),
            exit: Exit::code(code),
            container: None,
        })
    };
    world.script(Rule {
        which: Which::all(),
        play: Play {
            end: end(1, 9),
            ..Play::default()
        },
        times: Some(2),
    });
    world.script(script(
        Which::all(),
        Play {
            end: end(5, 0),
            ..Play::default()
        },
    ));
    add(
        &mut world,
        "a",
        json!({}),
        json!({"restartPolicy": "OnFailure"}),
    );
    wait(&mut world, 60.0);
    let status = pod(&world, "a").status.unwrap();
    assert_eq!(status.phase.as_deref(), Some("Succeeded"));
    assert_eq!(status.container_statuses.unwrap()[0].restart_count, 2);
    assert_eq!(world.rule_uses(0).values().sum::<u32>(), 2);
}

#[test]
fn logs() {
    let mut world = world();
    let play = Play {
        lines: Some(["one".to_owned(), "two".to_owned(), "three".to_owned()].into()),
        line_every: secs(10),
        end: Some(End {
            after: SignedDuration::from_secs(15),
            exit: Exit::code(1),
            container: None,
        }),
        ..Play::default()
    };
    world.script(script(Which::all(), play));
    add(
        &mut world,
        "a",
        json!({}),
        json!({"restartPolicy": "OnFailure"}),
    );
    let plain = LogOptions::default();
    let read = |world: &World, options: &LogOptions| world.logs("default", "a", None, options);
    let refusal = read(&world, &plain).unwrap_err();
    assert_eq!(
        refusal.message,
        "container \"main\" in pod \"a\" is waiting to start: ContainerCreating"
    );
    wait(&mut world, 1.0);
    let first = read(&world, &plain).unwrap();
    assert_eq!((first.text.as_str(), first.complete), ("one\n", false));
    let next: Timestamp = first.next.unwrap();
    world.advance(next);
    let after = LogOptions {
        after: Some(first.cursor),
        ..plain.clone()
    };
    let second = read(&world, &after).unwrap();
    assert_eq!(second.text, "two\n");
    // What was not printed by its end is printed then; who followed sees it although another run began.
    wait(&mut world, 7.0);
    let after = LogOptions {
        after: Some(second.cursor),
        ..plain.clone()
    };
    let last = read(&world, &after).unwrap();
    assert_eq!((last.text.as_str(), last.complete), ("three\n", true));
    assert_eq!(read(&world, &plain).unwrap().text, "one\n");
    let previous = LogOptions {
        previous: true,
        ..plain.clone()
    };
    assert_eq!(read(&world, &previous).unwrap().text, "one\ntwo\nthree\n");
    let tail = LogOptions {
        previous: true,
        tail: Some(1),
        ..plain.clone()
    };
    assert_eq!(read(&world, &tail).unwrap().text, "three\n");
    let cut = LogOptions {
        previous: true,
        limit: Some(5),
        ..plain.clone()
    };
    assert_eq!(read(&world, &cut).unwrap().text, "one\nt");
    let times = LogOptions {
        previous: true,
        timestamps: true,
        tail: Some(3),
        limit: Some(35),
        ..plain
    };
    assert_eq!(
        read(&world, &times).unwrap().text,
        "2026-12-01T09:00:00.505000000Z one\n"
    );
}

#[test]
fn what_is_on_no_node_stays() {
    let mut world = World::new(WorldOptions::new(
        "2026-12-01T09:00:00Z".parse().unwrap(),
        1,
    ));
    add(&mut world, "a", json!({}), json!({}));
    wait(&mut world, 60.0);
    let there = pod(&world, "a");
    let words = "no nodes available to schedule pods";
    assert_eq!(
        condition(&there, "PodScheduled"),
        no("Unschedulable", words)
    );
    world.add_node("node-0", NodeShape::default());
    wait(&mut world, 1.0);
    assert_eq!(phase(&world, "a"), "Running");
    assert!(matches!(
        &**world
            .store()
            .get(&Key::new(Kind::Pod, "default", "a"))
            .unwrap(),
        Object::Pod(_)
    ));
}
