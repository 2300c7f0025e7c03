//! Deliberate breaks of a driver and of its requests: each invariant must see the one that it is there for.

use k8s_openapi::jiff::SignedDuration;
use kubectl_jobset::api::JobSet;
use kubectl_jobset::cluster::kubelet::scripted::{End, Exit, Play, Rule, Terminate, Which};
use kubectl_jobset::engine::FailAt;
use kubectl_jobset::manifest::defaults;
use serde_json::json;

use crate::invariants::{
    COUNTS, ENDS, NAME, NAMES, ORDER, ORPHANS, OVERLAP, OWNER, TWICE, VERDICT, WRITTEN,
};
use crate::lies::{self, Lie, Wire};
use crate::network::NAMESPACE;
use crate::plan::{Event, Plan};
use crate::play::Break;
use crate::run;

struct Case {
    what: &'static str,
    seen_by: &'static str,
    lie: Option<Lie>,
    wire: Option<Wire>,
    blocking: bool,
}

fn case(what: &'static str, seen_by: &'static str, lie: Lie) -> Case {
    Case {
        what,
        seen_by,
        lie: Some(lie),
        wire: None,
        blocking: true,
    }
}

fn wired(what: &'static str, seen_by: &'static str, wire: Wire) -> Case {
    Case {
        what,
        seen_by,
        lie: None,
        wire: Some(wire),
        blocking: true,
    }
}

fn cases() -> Vec<Case> {
    let blind = |what, seen_by, blocking| Case {
        what,
        seen_by,
        lie: Some(Lie::Blind),
        wire: Some(lies::background_deletes),
        blocking,
    };
    vec![
        case("the last role is made first", ORDER, Lie::LastRoleFirst),
        case("a restart is written as two", COUNTS, Lie::TwoForOne),
        case("the record is not written", WRITTEN, Lie::NoWrites),
        blind("pods are not waited for, under Recreate", NAME, false),
        blind(
            "pods are not waited for, under BlockingRecreate",
            OVERLAP,
            true,
        ),
        case("a seat that was lost is kept", OWNER, Lie::KeepsTheSeat),
        wired("what is made has no owner", ORPHANS, lies::no_owners),
        wired("Jobs are deleted plainly", ORPHANS, lies::plain_deletes),
        wired("two Jobs in one place", TWICE, lies::same_index),
        case("completed at once", VERDICT, Lie::Completed),
        case("restarted for nothing", VERDICT, Lie::ForNothing),
        case("deletions are not sent", ENDS, Lie::NoDeletes),
    ]
}

/// Two Jobs of one role, then another role in order; one restart.
fn set(blocking: bool) -> JobSet {
    let spec = json!({
        "parallelism": 1, "completions": 1, "backoffLimit": 0,
        "template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "i"}]}},
    });
    let role = |name: &str, replicas: u32| json!({"name": name, "replicas": replicas, "template": {"spec": spec}});
    let strategy = if blocking {
        "BlockingRecreate"
    } else {
        "Recreate"
    };
    let value = json!({
        "apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet",
        "metadata": {"name": "x", "namespace": NAMESPACE},
        "spec": {
            "replicatedJobs": [role("a", 2), role("b", 1), role("c", 1)],
            "startupPolicy": {"startupPolicyOrder": "InOrder"},
            "failurePolicy": {"maxRestarts": 1, "restartStrategy": strategy},
        },
    });
    let mut jobset: JobSet = serde_json::from_value(value).unwrap();
    defaults(&mut jobset);
    jobset
}

/// The first Job fails once; pods take their time to go.
fn plan(case: &Case) -> Plan {
    let end = |after, code| {
        let mut play = Play::default();
        play.end = Some(End {
            after: SignedDuration::from_secs(after),
            exit: Exit::code(code),
            container: None,
        });
        play
    };
    let mut slow = Play::default();
    slow.terminate = Some(Terminate::After(SignedDuration::from_secs(10)));
    let fails = Which::all().role("a").job(0).attempt(0);
    let rule = |which, play| Rule {
        which,
        play,
        times: None,
    };
    let second = SignedDuration::from_secs(3);
    let take_over = case.lie == Some(Lie::KeepsTheSeat);
    Plan {
        seed: 1,
        jobset: set(case.blocking),
        fail_at: FailAt::FailureTarget,
        rules: vec![
            rule(fails, end(8, 1)),
            rule(Which::all(), slow),
            rule(Which::all(), end(20, 0)),
        ],
        events: take_over
            .then_some((second, Event::Attach(true)))
            .into_iter()
            .collect(),
        skews: vec![SignedDuration::ZERO],
    }
}

/// Every invariant sees the break that it is there for; unbroken, the same runs pass.
#[test]
fn deliberate_breaks_are_seen() {
    let cases = cases();
    for case in &cases {
        let plan = plan(case);
        let tally =
            run(&plan, Break::default()).unwrap_or_else(|why| panic!("{}: {why}", case.what));
        assert_eq!(
            (tally.restarts, tally.outcomes.get("completed")),
            (1, Some(&1)),
            "{}",
            case.what
        );
        let how = Break {
            lie: case.lie,
            wire: case.wire,
        };
        let Err(why) = run(&plan, how) else {
            panic!("{}: nothing saw it", case.what);
        };
        assert!(
            why.starts_with(case.seen_by),
            "{}: `{}` should have seen it, but: {why}",
            case.what,
            case.seen_by
        );
    }
    for name in NAMES {
        assert!(
            cases.iter().any(|c| c.seen_by == *name),
            "nothing shows that `{name}` can fail"
        );
    }
}
