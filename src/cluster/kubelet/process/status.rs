//! The status of a pod, as a kubelet reports it, from the states of its containers. Pure.

use k8s_openapi::api::core::v1::{
    ContainerState, ContainerStateRunning, ContainerStateTerminated, ContainerStateWaiting,
    ContainerStatus, HostIP, Pod, PodCondition, PodIP, PodStatus,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::Timestamp;

/// What a container is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Runs to its end before the next one starts.
    Init,
    /// Starts like one of those, and stays.
    Sidecar,
    /// Of `spec.containers`.
    Main,
}

/// State of a container.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum State {
    Waiting {
        reason: &'static str,
        message: Option<String>,
    },
    Running(Timestamp),
    Terminated(ContainerStateTerminated),
}

/// One container as the status has it.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) name: String,
    pub(super) image: String,
    pub(super) role: Role,
    pub(super) state: State,
    /// How it ended before.
    pub(super) last: Option<ContainerStateTerminated>,
    pub(super) restarts: i32,
    pub(super) ready: bool,
    pub(super) started: bool,
    pub(super) container_id: Option<String>,
}

/// Everything the status is made of.
pub(super) struct View<'a> {
    pub(super) pod: &'a Pod,
    pub(super) containers: Vec<Seen>,
    /// The pod's address, once it has a place to run in.
    pub(super) address: Option<String>,
    pub(super) host: &'a str,
    pub(super) since: Timestamp,
    /// Nothing of it will run again.
    pub(super) over: bool,
    /// Its first process stands.
    pub(super) sandbox: bool,
    /// The pod as a whole failed for this reason.
    pub(super) failed: Option<(&'static str, String)>,
}

/// Conditions that are the kubelet's; others stay as they are.
const OURS: [&str; 4] = [
    "PodReadyToStartContainers",
    "Initialized",
    "Ready",
    "ContainersReady",
];

/// The status after `before`, whose times stay where a condition stays.
pub(super) fn build(view: &View<'_>, before: &PodStatus, now: Timestamp) -> PodStatus {
    let phase = settled(view, before);
    let (main, init): (Vec<&Seen>, Vec<&Seen>) =
        view.containers.iter().partition(|c| c.role == Role::Main);
    let statuses = |all: &[&Seen]| {
        let list: Vec<_> = all.iter().map(|c| container(c)).collect();
        (!list.is_empty()).then_some(list)
    };
    let mut conditions: Vec<PodCondition> = conditions(view, phase, &main, &init)
        .into_iter()
        .map(|c| dated(c, before, now))
        .collect();
    let others = before.conditions.iter().flatten();
    conditions.extend(
        others
            .filter(|c| !OURS.contains(&c.type_.as_str()))
            .cloned(),
    );
    PodStatus {
        phase: Some(phase.to_owned()),
        reason: view
            .failed
            .as_ref()
            .map(|(reason, _)| (*reason).to_owned())
            .or_else(|| before.reason.clone()),
        message: view
            .failed
            .as_ref()
            .map(|(_, message)| message.clone())
            .or_else(|| before.message.clone()),
        conditions: Some(conditions),
        container_statuses: statuses(&main),
        init_container_statuses: statuses(&init),
        host_ip: Some(view.host.to_owned()),
        host_ips: Some(vec![HostIP {
            ip: view.host.to_owned(),
        }]),
        pod_ip: view.address.clone(),
        pod_ips: view.address.clone().map(|ip| vec![PodIP { ip }]),
        start_time: Some(Time(view.since)),
        ..before.clone()
    }
}

/// An end is not told while a container of the pod still runs.
fn settled<'a>(view: &View<'_>, before: &'a PodStatus) -> &'a str {
    let phase = phase(view);
    let runs = view
        .containers
        .iter()
        .any(|c| matches!(c.state, State::Running(_)));
    if runs && matches!(phase, "Succeeded" | "Failed") {
        before.phase.as_deref().unwrap_or("Pending")
    } else {
        phase
    }
}

/// The kubelet's rule, in its order.
fn phase(view: &View<'_>) -> &'static str {
    if view.failed.is_some() {
        return "Failed";
    }
    let policy = view
        .pod
        .spec
        .as_ref()
        .and_then(|s| s.restart_policy.as_deref());
    let never = policy == Some("Never");
    let always = policy.is_none_or(|p| p == "Always");
    let ended = |c: &Seen| match (&c.state, &c.last) {
        (State::Terminated(t), _) => Some(t.exit_code),
        (State::Waiting { .. }, Some(last)) => Some(last.exit_code),
        _ => None,
    };
    let mut pending_init = false;
    for init in view.containers.iter().filter(|c| c.role == Role::Init) {
        match ended(init) {
            Some(0) => {}
            Some(_) if never || view.over => return "Failed",
            _ => pending_init = true,
        }
    }
    let main = || view.containers.iter().filter(|c| c.role == Role::Main);
    let running = main()
        .filter(|c| matches!(c.state, State::Running(_)))
        .count();
    let codes: Vec<i32> = main().filter_map(ended).collect();
    let waiting = main().count() - running - codes.len();
    let all_good = codes.iter().all(|code| *code == 0);
    if (pending_init || waiting > 0) && !view.over {
        "Pending"
    } else if running > 0 {
        "Running"
    } else if view.over {
        if all_good && waiting == 0 {
            "Succeeded"
        } else {
            "Failed"
        }
    } else if always {
        "Running"
    } else if all_good {
        "Succeeded"
    } else if never {
        "Failed"
    } else {
        "Running"
    }
}

fn conditions(view: &View<'_>, phase: &str, main: &[&Seen], init: &[&Seen]) -> Vec<PodCondition> {
    let terminal = match phase {
        "Succeeded" => Some("PodCompleted"),
        "Failed" => Some("PodFailed"),
        _ => None,
    };
    let unready: Vec<&str> = init
        .iter()
        .filter(|c| c.role == Role::Sidecar)
        .chain(main)
        .filter(|c| !c.ready)
        .map(|c| c.name.as_str())
        .collect();
    let incomplete: Vec<&str> = init
        .iter()
        .filter(|c| match c.role {
            Role::Sidecar => !c.started,
            _ => !c.ready,
        })
        .map(|c| c.name.as_str())
        .collect();
    let initialized = if phase == "Succeeded" {
        condition("Initialized", true, Some("PodCompleted"), None)
    } else if incomplete.is_empty() || matches!(main.first(), Some(c) if ran(c)) {
        condition("Initialized", true, None, None)
    } else {
        let message = format!(
            "containers with incomplete status: [{}]",
            incomplete.join(" ")
        );
        condition(
            "Initialized",
            false,
            Some("ContainersNotInitialized"),
            Some(message),
        )
    };
    let ready = |type_| {
        if let Some(reason) = terminal {
            condition(type_, false, Some(reason), None)
        } else if unready.is_empty() {
            condition(type_, true, None, None)
        } else {
            let message = format!("containers with unready status: [{}]", unready.join(" "));
            condition(type_, false, Some("ContainersNotReady"), Some(message))
        }
    };
    vec![
        condition("PodReadyToStartContainers", view.sandbox, None, None),
        initialized,
        ready("Ready"),
        ready("ContainersReady"),
    ]
}

/// It has been started once.
fn ran(container: &Seen) -> bool {
    container.last.is_some() || !matches!(container.state, State::Waiting { .. })
}

fn condition(
    type_: &str,
    status: bool,
    reason: Option<&str>,
    message: Option<String>,
) -> PodCondition {
    PodCondition {
        type_: type_.to_owned(),
        status: if status { "True" } else { "False" }.to_owned(),
        reason: reason.map(str::to_owned),
        message,
        ..PodCondition::default()
    }
}

/// With the time of its last change.
fn dated(mut condition: PodCondition, before: &PodStatus, now: Timestamp) -> PodCondition {
    let same = before
        .conditions
        .iter()
        .flatten()
        .find(|c| c.type_ == condition.type_ && c.status == condition.status);
    condition.last_transition_time = same
        .and_then(|c| c.last_transition_time.clone())
        .or(Some(Time(now)));
    condition
}

fn container(seen: &Seen) -> ContainerStatus {
    let state = match &seen.state {
        State::Waiting { reason, message } => ContainerState {
            waiting: Some(ContainerStateWaiting {
                reason: Some((*reason).to_owned()),
                message: message.clone(),
            }),
            ..ContainerState::default()
        },
        State::Running(since) => ContainerState {
            running: Some(ContainerStateRunning {
                started_at: Some(Time(*since)),
            }),
            ..ContainerState::default()
        },
        State::Terminated(terminated) => ContainerState {
            terminated: Some(terminated.clone()),
            ..ContainerState::default()
        },
    };
    ContainerStatus {
        name: seen.name.clone(),
        image: seen.image.clone(),
        state: Some(state),
        last_state: Some(ContainerState {
            terminated: seen.last.clone(),
            ..ContainerState::default()
        }),
        ready: seen.ready,
        started: Some(seen.started),
        restart_count: seen.restarts,
        container_id: seen.container_id.clone(),
        ..ContainerStatus::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: &str = "2026-12-01T09:00:00Z";

    fn ended(code: i32) -> State {
        State::Terminated(ContainerStateTerminated {
            exit_code: code,
            ..ContainerStateTerminated::default()
        })
    }
    fn running() -> State {
        State::Running(NOW.parse().unwrap())
    }
    fn waiting() -> State {
        State::Waiting {
            reason: "ContainerCreating",
            message: None,
        }
    }
    fn seen(role: Role, state: State) -> Seen {
        Seen {
            name: format!("{role:?}").to_lowercase(),
            image: "i".to_owned(),
            role,
            ready: matches!(state, State::Running(_)) && role == Role::Main,
            started: false,
            state,
            last: None,
            restarts: 0,
            container_id: None,
        }
    }
    fn status(policy: &str, over: bool, containers: Vec<Seen>) -> PodStatus {
        let pod = serde_json::from_value(serde_json::json!(
            {"spec": {"restartPolicy": policy, "containers": []}}
        ))
        .unwrap();
        let view = View {
            pod: &pod,
            containers,
            address: None,
            host: "127.0.0.1",
            since: NOW.parse().unwrap(),
            over,
            sandbox: true,
            failed: None,
        };
        build(&view, &PodStatus::default(), NOW.parse().unwrap())
    }

    #[test]
    fn phases_follow_the_kubelet() {
        use Role::{Init, Main, Sidecar};
        let cases = [
            ("Never", false, vec![(Main, waiting())], "Pending"),
            ("Never", false, vec![(Main, running())], "Running"),
            (
                "Never",
                false,
                vec![(Main, running()), (Main, waiting())],
                "Pending",
            ),
            (
                "Never",
                false,
                vec![(Main, running()), (Main, ended(1))],
                "Running",
            ),
            (
                "Never",
                false,
                vec![(Main, ended(0)), (Main, ended(1))],
                "Failed",
            ),
            ("Never", false, vec![(Main, ended(0))], "Succeeded"),
            ("OnFailure", false, vec![(Main, ended(1))], "Running"),
            ("OnFailure", false, vec![(Main, ended(0))], "Succeeded"),
            ("Always", false, vec![(Main, ended(0))], "Running"),
            ("Always", true, vec![(Main, ended(0))], "Succeeded"),
            ("Always", true, vec![(Main, ended(143))], "Failed"),
            (
                "Never",
                false,
                vec![(Init, running()), (Main, waiting())],
                "Pending",
            ),
            (
                "Never",
                false,
                vec![(Init, ended(1)), (Main, waiting())],
                "Failed",
            ),
            (
                "OnFailure",
                false,
                vec![(Init, ended(1)), (Main, waiting())],
                "Pending",
            ),
            (
                "Never",
                false,
                vec![(Init, ended(0)), (Main, running())],
                "Running",
            ),
            (
                "Never",
                false,
                vec![(Sidecar, ended(143)), (Main, ended(0))],
                "Succeeded",
            ),
            // As before, until the sidecar has ended.
            (
                "Never",
                false,
                vec![(Sidecar, running()), (Main, ended(0))],
                "Pending",
            ),
        ];
        for (policy, over, containers, expected) in cases {
            let shown = format!("{policy} {over} {containers:?}");
            let containers = containers.into_iter().map(|(r, s)| seen(r, s)).collect();
            let status = status(policy, over, containers);
            assert_eq!(status.phase.as_deref(), Some(expected), "{shown}");
        }
    }

    fn told(status: &PodStatus, type_: &str) -> (String, Option<String>, Option<String>) {
        let c = status
            .conditions
            .iter()
            .flatten()
            .find(|c| c.type_ == type_)
            .unwrap();
        (c.status.clone(), c.reason.clone(), c.message.clone())
    }

    #[test]
    fn conditions_say_which_containers_are_missing() {
        let status = status(
            "Never",
            false,
            vec![seen(Role::Init, running()), seen(Role::Main, waiting())],
        );
        let (no, reason, message) = told(&status, "Initialized");
        assert_eq!(
            (no.as_str(), reason.as_deref()),
            ("False", Some("ContainersNotInitialized"))
        );
        assert_eq!(
            message.as_deref(),
            Some("containers with incomplete status: [init]")
        );
        let (no, reason, message) = told(&status, "Ready");
        assert_eq!(
            (no.as_str(), reason.as_deref()),
            ("False", Some("ContainersNotReady"))
        );
        assert_eq!(
            message.as_deref(),
            Some("containers with unready status: [main]")
        );
    }

    #[test]
    fn an_end_is_told_in_the_conditions() {
        let good = status("Never", false, vec![seen(Role::Main, ended(0))]);
        assert_eq!(told(&good, "Ready").1.as_deref(), Some("PodCompleted"));
        let bad = status("Never", false, vec![seen(Role::Main, ended(2))]);
        assert_eq!(
            told(&bad, "ContainersReady").1.as_deref(),
            Some("PodFailed")
        );
    }

    #[test]
    fn what_others_wrote_and_when_things_changed_stays() {
        let mut before = status("Never", false, vec![seen(Role::Main, running())]);
        before.conditions.as_mut().unwrap().push(PodCondition {
            type_: "PodScheduled".to_owned(),
            status: "True".to_owned(),
            ..PodCondition::default()
        });
        let pod = Pod::default();
        let view = View {
            pod: &pod,
            containers: vec![seen(Role::Main, running())],
            address: None,
            host: "h",
            since: NOW.parse().unwrap(),
            over: false,
            sandbox: true,
            failed: None,
        };
        let later = build(&view, &before, "2026-12-01T10:00:00Z".parse().unwrap());
        assert_eq!(later.conditions, before.conditions);
    }
}
