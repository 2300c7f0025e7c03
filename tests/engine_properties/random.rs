//! Random JobSets and random things from outside.

use kubectl_jobset::api::JobSet;
use kubectl_jobset::engine::FailAt;
use kubectl_jobset::manifest::defaults;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

/// Something from outside.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    /// The n-th live pod (modulo their number).
    Pod(usize, PodOp),
    /// Every live pod becomes ready.
    AllReady,
    /// The next few things happen.
    Next(u8),
    Wait(u32),
    Settle,
    Crash(bool),
    Trap(u8, bool),
    Attach,
    Suspend(bool),
    /// The same by somebody who changes the record.
    SpecSuspend(bool),
    Stop,
    Hold(bool, bool),
    Cut(bool),
    Relist(bool),
    Double(bool, bool),
    DeleteJob(usize),
    DeleteService,
    Terminate(u32),
    Controller(u32),
    Api(u32),
    Unclear(usize),
    Batch(bool),
}

#[derive(Clone, Debug)]
pub(crate) enum PodOp {
    Ready,
    Unready,
    Succeeded,
    Failed(i32),
    Restarted,
    Evicted,
    Deleted,
}

fn pod_op() -> impl Strategy<Value = PodOp> {
    prop_oneof![
        3 => Just(PodOp::Ready),
        1 => Just(PodOp::Unready),
        1 => Just(PodOp::Succeeded),
        8 => prop_oneof![Just(1), Just(42)].prop_map(PodOp::Failed),
        1 => Just(PodOp::Restarted),
        1 => Just(PodOp::Evicted),
        1 => Just(PodOp::Deleted),
    ]
}

pub(crate) fn op() -> impl Strategy<Value = Op> {
    let n = 0..16_usize;
    let flag = any::<bool>();
    prop_oneof![
        16 => (n.clone(), pod_op()).prop_map(|(n, p)| Op::Pod(n, p)),
        5 => Just(Op::AllReady),
        10 => (1..12_u8).prop_map(Op::Next),
        3 => (0..40_000_u32).prop_map(Op::Wait),
        10 => Just(Op::Settle),
        2 => flag.prop_map(Op::Crash),
        2 => (0..6_u8, flag).prop_map(|(n, after)| Op::Trap(n, after)),
        4 => Just(Op::Attach),
        1 => flag.prop_map(Op::Suspend),
        1 => flag.prop_map(Op::SpecSuspend),
        1 => Just(Op::Hold(true, true)),
        2 => (flag, flag).prop_map(|(jobs, on)| Op::Hold(jobs, on)),
        1 => flag.prop_map(Op::Cut),
        3 => flag.prop_map(Op::Relist),
        1 => (flag, flag).prop_map(|(jobs, on)| Op::Double(jobs, on)),
        1 => n.clone().prop_map(Op::DeleteJob),
        1 => Just(Op::DeleteService),
        2 => (0..30_000_u32).prop_map(Op::Terminate),
        1 => (0..3_000_u32).prop_map(Op::Controller),
        1 => (1..3_000_u32).prop_map(Op::Api),
        1 => n.prop_map(Op::Unclear),
        1 => flag.prop_map(Op::Batch),
    ]
}

fn role(depends: bool) -> impl Strategy<Value = Value> {
    let shape = (0..4_u32, 1..3_u32, 0..3_u32, 0..6_u32);
    (shape, any::<(u8, bool)>(), any::<bool>()).prop_map(move |((replicas, width, backoff, kind), (on, complete), own)| {
        let mut spec = json!({
            "parallelism": width, "completions": width, "backoffLimit": if kind == 0 { backoff } else { 0 },
            "template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "i"}]}},
        });
        if kind == 1 {
            spec["podFailurePolicy"] = json!({"rules": [
                {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42]}},
                {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]},
            ]});
        } else if kind == 2 && own {
            spec["template"]["spec"]["restartPolicy"] = json!("OnFailure");
        }
        let status = if complete { "Complete" } else { "Ready" };
        let depends = if depends { json!([u32::from(on), status]) } else { Value::Null };
        json!({"replicas": replicas, "template": {"spec": spec}, "dependsOn": depends})
    })
}

fn rule() -> impl Strategy<Value = Value> {
    let action = prop_oneof![
        1 => Just("FailJobSet"),
        2 => Just("RestartJobSet"),
        2 => Just("RestartJobSetAndIgnoreMaxRestarts"),
        3 => Just("RestartJob"),
        2 => Just("RestartJobAndIgnoreMaxRestarts"),
    ];
    let reason = prop_oneof![
        2 => Just(json!([])),
        1 => Just(json!(["BackoffLimitExceeded"])),
        1 => Just(json!(["PodFailurePolicy"])),
    ];
    let pattern = prop_oneof![3 => Just(json!([])), 1 => Just(json!(["exit code 42"]))];
    (action, reason, pattern, any::<Option<u8>>()).prop_map(|(action, reasons, patterns, target)| {
        json!({"action": action, "onJobFailureReasons": reasons, "onJobFailureMessagePatterns": patterns, "target": target})
    })
}

/// A JobSet whose `Debug` is short.
#[derive(Clone)]
pub(crate) struct Set(pub(crate) JobSet);

impl std::fmt::Debug for Set {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&serde_json::to_string(&self.0.spec).unwrap())
    }
}

/// A JobSet with at least one Job.
pub(crate) fn jobset() -> impl Strategy<Value = Set> {
    (0..3_u8).prop_flat_map(|order| {
        let policy = proptest::option::weighted(0.9, (0..6_i32, any::<bool>(), vec(rule(), 0..4)));
        let success = (any::<bool>(), any::<Option<u8>>());
        let parts = (
            vec(role(order == 2), 1..4),
            policy,
            success,
            proptest::bool::weighted(0.1),
        );
        parts.prop_map(move |(roles, policy, success, suspend)| {
            Set(build(roles, order, policy, success, suspend))
        })
    })
}

type Policy = Option<(i32, bool, Vec<Value>)>;

fn build(
    roles: Vec<Value>,
    order: u8,
    policy: Policy,
    success: (bool, Option<u8>),
    suspend: bool,
) -> JobSet {
    let names = ["a", "b", "c"];
    let count = roles.len();
    let target = |n: Option<u8>| n.map_or_else(Vec::new, |n| vec![names[usize::from(n) % count]]);
    let roles: Vec<Value> = roles
        .into_iter()
        .enumerate()
        .map(|(i, mut role)| {
            role["name"] = json!(names[i]);
            let on = role["dependsOn"].clone();
            let other = on[0]
                .as_u64()
                .filter(|_| i > 0)
                .map(|n| names[usize::try_from(n).unwrap() % i]);
            role["dependsOn"] = other.map_or_else(
                || json!([]),
                |name| json!([{"name": name, "status": on[1]}]),
            );
            if i + 1 == count && role["replicas"] == 0 {
                role["replicas"] = json!(1);
            }
            role
        })
        .collect();
    let mut spec = json!({"replicatedJobs": roles, "suspend": suspend});
    if order == 1 {
        spec["startupPolicy"] = json!({"startupPolicyOrder": "InOrder"});
    }
    if let Some((max, blocking, rules)) = policy {
        let rules: Vec<Value> = rules
            .into_iter()
            .map(|mut rule| {
                let n = rule["target"].as_u64().map(|n| u8::try_from(n).unwrap());
                rule["targetReplicatedJobs"] = json!(target(n));
                rule.as_object_mut().unwrap().remove("target");
                rule
            })
            .collect();
        let strategy = if blocking {
            "BlockingRecreate"
        } else {
            "Recreate"
        };
        spec["failurePolicy"] =
            json!({"maxRestarts": max, "restartStrategy": strategy, "rules": rules});
    }
    // A target without Jobs can never succeed: then all count.
    let chosen = target(success.1);
    let has_jobs = |name: &str| {
        roles
            .iter()
            .any(|r| r["name"] == name && r["replicas"] != 0)
    };
    let chosen: Vec<&str> = chosen.into_iter().filter(|n| has_jobs(n)).collect();
    spec["successPolicy"] =
        json!({"operator": if success.0 { "Any" } else { "All" }, "targetReplicatedJobs": chosen});
    let value = json!({
        "apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "x"}, "spec": spec,
    });
    let mut jobset: JobSet = serde_json::from_value(value).unwrap();
    defaults(&mut jobset);
    jobset
}

/// Upstream's timing or ours.
pub(crate) fn fail_at() -> impl Strategy<Value = FailAt> {
    prop_oneof![Just(FailAt::FailureTarget), Just(FailAt::Failed)]
}
