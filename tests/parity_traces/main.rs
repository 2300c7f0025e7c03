//! Every recorded case of the upstream controller whose features we have, played on the engine and
//! the pocket cluster: same decisions, same conditions, reasons and messages, same settled
//! counts, same status at the end. Once acting at `Failed`, as upstream does, and once at `FailureTarget`.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use kubectl_jobset::api::{JobSet, JobSetStatus};
use kubectl_jobset::engine::{EventKind, FailAt, Options};
use kubectl_jobset::manifest::{LoadOptions, Source, load};
use kubectl_jobset::simulate::entry::What;
use kubectl_jobset::simulate::script::{Stage, lines};
use serde_json::{Value, json};

mod history;

/// Cases that are not played, and why.
const LEFT_OUT: &[(&str, &str)] = &[
    (
        "depends-on-itself-admitted",
        "a role that depends on itself can never start: we refuse the manifest",
    ),
    (
        "exclusive-node-selector",
        "exclusive placement is not in this release",
    ),
    (
        "exclusive-topology",
        "exclusive placement is not in this release",
    ),
    (
        "exclusive-topology-one-role",
        "exclusive placement is not in this release",
    ),
    (
        "failure-invalid-pattern-skipped",
        "a pattern that does not compile can never match: we refuse the manifest",
    ),
    ("managed-by-other", "refused before there is an engine"),
    (
        "success-empty-jobset",
        "a set without Jobs can never end: we refuse the manifest",
    ),
    ("ttl", "time to live is not in this release"),
    ("ttl-zero", "time to live is not in this release"),
    ("volume-claims", "volume claims are not in this release"),
];

/// The recordings' namespace.
const NAMESPACE: &str = "parity";

fn cases() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/parity/cases");
    let mut out: Vec<PathBuf> = fs::read_dir(dir)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    out.retain(|d| d.join("expect/trace.txt").exists());
    out.sort();
    out
}

fn name(dir: &Path) -> String {
    dir.file_name().unwrap().to_str().unwrap().to_owned()
}

fn in_scope() -> Vec<PathBuf> {
    cases()
        .into_iter()
        .filter(|d| LEFT_OUT.iter().all(|(n, _)| *n != name(d)))
        .collect()
}

/// One step of a trace: what was done, what followed, the settled counts.
struct TraceStep {
    line: String,
    followed: Vec<String>,
    counts: String,
}

fn trace(dir: &Path) -> Vec<TraceStep> {
    let text = fs::read_to_string(dir.join("expect/trace.txt")).unwrap();
    let mut out: Vec<TraceStep> = Vec::new();
    for line in text.lines() {
        if let Some(step) = line.strip_prefix("> ") {
            out.push(TraceStep {
                line: step.to_owned(),
                followed: Vec::new(),
                counts: String::new(),
            });
        } else if let Some(counts) = line.strip_prefix("  = ") {
            out.last_mut().unwrap().counts = counts.to_owned();
        } else {
            out.last_mut()
                .unwrap()
                .followed
                .push(line.trim().to_owned());
        }
    }
    out
}

/// What is compared of one step.
#[derive(Debug, Default, PartialEq, Eq)]
struct Facts {
    /// Objects created, deleted, gone, suspended, resumed, changed; order says nothing.
    objects: Vec<String>,
    /// Counters and the terminal state, in order.
    status: Vec<String>,
    /// Conditions by type, each type's changes in order. `StartupPolicy*` apart: their flips about a
    /// failing Job may or may not be written.
    conditions: BTreeMap<String, Vec<String>>,
    /// The decisions' sentences.
    decisions: Vec<String>,
    /// Ends of Jobs by the Job controller: how good our model of it is.
    job_ends: Vec<String>,
}

impl Facts {
    fn take(&mut self, line: &str) {
        if line.starts_with("(job ") {
            self.job_ends.push(line.to_owned());
        } else if line.starts_with("job ") || line.starts_with("service ") {
            self.objects.push(compact_json(line));
        } else if let Some(status) = line.strip_prefix("status ") {
            self.status.push(status.to_owned());
        } else if let Some(condition) = line.strip_prefix("condition ") {
            let type_ = condition.split('=').next().unwrap();
            if !type_.starts_with("StartupPolicy") {
                self.conditions
                    .entry(type_.to_owned())
                    .or_default()
                    .push(condition.to_owned());
            }
        } else if let Some(event) = line.strip_prefix("event Warning ") {
            let note = event.split('"').nth(1).unwrap().to_owned();
            if !self.decisions.contains(&note) {
                self.decisions.push(note);
            }
        }
    }

    fn sorted(mut self) -> Self {
        self.objects.sort();
        self.job_ends.sort();
        self.decisions.sort();
        self
    }
}

/// The line with its JSON, if it ends in some, in one form.
fn compact_json(line: &str) -> String {
    let Some(start) = line.find(['{', '[']) else {
        return line.to_owned();
    };
    let value: Value = serde_json::from_str(&line[start..]).unwrap();
    format!("{}{value}", &line[..start])
}

fn recorded(step: &TraceStep) -> Facts {
    let mut facts = Facts::default();
    for line in &step.followed {
        facts.take(line);
    }
    facts.sorted()
}

/// What has come of a step that began at that version of the world.
fn ours(stage: &mut Stage, from: u64, gate: bool) -> Facts {
    let mut facts = Facts::default();
    for line in history::since(&stage.session, from) {
        facts.take(&if gate {
            line
        } else {
            without_job_attempt(&line)
        });
    }
    let jobset = stage.session.record.jobset.clone();
    for entry in std::mem::take(&mut stage.session.log) {
        match &entry.what {
            What::Status(_) | What::Condition(_) => facts.take(&lines::entry(&entry.what, &jobset)),
            What::Event(event) => facts.decisions.extend(decision(&jobset, &event.kind)),
            _ => {}
        }
    }
    facts.sorted()
}

/// Without the gate upstream has no such label; ours is there and must be 0.
fn without_job_attempt(line: &str) -> String {
    assert!(
        !line.contains("jobAttempt=") || line.contains("jobAttempt=0"),
        "{line}"
    );
    line.replace(" jobAttempt=0", "")
}

/// The sentence in which upstream says the same.
fn decision(jobset: &JobSet, kind: &EventKind) -> Option<String> {
    let EventKind::PolicyDecided {
        action,
        limit_reached,
        role,
        job,
        ..
    } = kind
    else {
        return None;
    };
    let first = format!("(first failed job: {}-{role}-{job})", jobset.metadata.name);
    Some(if *limit_reached {
        format!("jobset failed due to reaching max number of restarts {first}")
    } else if jobset.spec.failure_policy.is_none() {
        format!("jobset failed due to one or more job failures {first}")
    } else {
        format!("applying {action} failure policy action {first}")
    })
}

/// `restarts=R role(ready=…)…`, roles by name, as the recordings have it.
fn counts(status: &JobSetStatus) -> String {
    let mut roles: Vec<String> = status
        .replicated_jobs_status
        .iter()
        .map(|r| {
            let (ready, active) = (r.ready, r.active);
            let rest = format!(
                "succeeded={} failed={} suspended={}",
                r.succeeded, r.failed, r.suspended
            );
            format!("{}(ready={ready} active={active} {rest})", r.name)
        })
        .collect();
    roles.sort();
    format!("restarts={} {}", status.restarts, roles.join(" "))
}

/// The two `StartupPolicy*` conditions as they stand.
fn startup_conditions<'a>(
    lines: impl Iterator<Item = &'a String>,
    so_far: &mut BTreeMap<String, String>,
) {
    for condition in lines.filter_map(|l| l.strip_prefix("condition StartupPolicy")) {
        let (type_, rest) = condition.split_once('=').unwrap();
        so_far.insert(type_.to_owned(), rest.to_owned());
    }
}

/// A status as `status.yaml` has it: without times, conditions by type, roles by name.
fn status_yaml(status: &JobSetStatus) -> Value {
    let mut conditions: Vec<Value> = status
        .conditions
        .iter()
        .map(|c| {
            let status = if c.status { "True" } else { "False" };
            json!({"type": c.type_, "status": status, "reason": c.reason, "message": c.message})
        })
        .collect();
    conditions.sort_by_key(|c| c["type"].to_string());
    let mut roles: Vec<Value> = status
        .replicated_jobs_status
        .iter()
        .map(|r| serde_json::to_value(r).unwrap())
        .collect();
    roles.sort_by_key(|r| r["name"].to_string());
    json!({
        "conditions": conditions,
        "replicatedJobsStatus": roles,
        "restarts": status.restarts,
        "restartsCountTowardsMax": status.restarts_count_towards_max,
        "terminalState": status.terminal_state,
    })
}

fn recorded_status(dir: &Path) -> Value {
    let text = fs::read_to_string(dir.join("expect/status.yaml")).unwrap();
    let mut status: Value = serde_saphyr::from_str(&text).unwrap();
    let map = status.as_object_mut().unwrap();
    map.entry("terminalState").or_insert(Value::Null);
    map.entry("restartsCountTowardsMax").or_insert(json!(0));
    let conditions = map
        .entry("conditions")
        .or_insert(json!([]))
        .as_array_mut()
        .unwrap();
    conditions.sort_by_key(|c| c["type"].to_string());
    status
}

/// A case's JobSet, without a driver yet.
fn stage(dir: &Path, fail_at: FailAt) -> Stage {
    let text = fs::read_to_string(dir.join("jobset.yaml")).unwrap();
    let loaded = load(&[Source::new(name(dir), text)], &LoadOptions::default());
    let jobset = loaded
        .jobset
        .unwrap_or_else(|| panic!("{}: {:#?}", name(dir), loaded.findings));
    let options = Options {
        fail_at,
        evidence_lines: 0,
        ..Options::default()
    };
    Stage::open(&jobset, NAMESPACE, options, 0).unwrap()
}

/// Plays a case and says where it differs.
fn differences(dir: &Path, fail_at: FailAt) -> Vec<String> {
    let gate = dir.join("features.txt").exists();
    let mut stage = stage(dir, fail_at);
    let mut out = Vec::new();
    let (mut startup, mut startup_ours) = (BTreeMap::new(), BTreeMap::new());
    for step in trace(dir) {
        let at = format!("{} {fail_at:?} > {}", name(dir), step.line);
        let mut differ = |what: &str, want: String, got: String| {
            if want != got {
                out.push(format!(
                    "{at}\n  {what}\n    recorded {want}\n    ours     {got}"
                ));
            }
        };
        let refused = step.followed.iter().any(|l| l.starts_with("refused"));
        let from = stage.session.world.version();
        stage.play(&step.line).unwrap();
        let jobset = &stage.session.record.jobset;
        let entries = stage.session.log.iter();
        let log: Vec<String> = entries.map(|e| lines::entry(&e.what, jobset)).collect();
        startup_conditions(step.followed.iter(), &mut startup);
        startup_conditions(log.iter(), &mut startup_ours);
        let (mut want, mut got) = (recorded(&step), ours(&mut stage, from, gate));
        if fail_at == FailAt::FailureTarget {
            want.job_ends.clear();
            got.job_ends.clear();
        }
        assert!(
            !refused || got == Facts::default(),
            "{at}: a refused change had an effect: {got:?}"
        );
        differ(
            "objects",
            want.objects.join("\n             "),
            got.objects.join("\n             "),
        );
        differ("status", want.status.join(", "), got.status.join(", "));
        differ(
            "conditions",
            format!("{:#?}", want.conditions),
            format!("{:#?}", got.conditions),
        );
        differ(
            "decisions",
            want.decisions.join(", "),
            got.decisions.join(", "),
        );
        differ(
            "ends of Jobs",
            want.job_ends.join(", "),
            got.job_ends.join(", "),
        );
        differ(
            "startup policy",
            format!("{startup:?}"),
            format!("{startup_ours:?}"),
        );
        let engine = stage.session.engine.as_ref().unwrap();
        differ("counts", step.counts, counts(&engine.status()));
    }
    let (want, got) = (
        recorded_status(dir),
        status_yaml(&stage.session.engine.as_ref().unwrap().status()),
    );
    if want != got {
        out.push(format!(
            "{} {fail_at:?}: status\n    recorded {want}\n    ours     {got}",
            name(dir)
        ));
    }
    out
}

fn play_all(fail_at: FailAt) {
    let dirs = in_scope();
    let out: Vec<String> = dirs.iter().flat_map(|d| differences(d, fail_at)).collect();
    assert!(
        out.is_empty(),
        "{} differences in {} cases:\n\n{}",
        out.len(),
        dirs.len(),
        out.join("\n\n")
    );
}

#[test]
fn recorded_cases_at_failed() {
    play_all(FailAt::Failed);
}

#[test]
fn recorded_cases_at_failure_target() {
    play_all(FailAt::FailureTarget);
}

/// Reason of the cases whose manifest we refuse.
const REFUSED: &str = "we refuse the manifest";

/// Those that are said to be refused are.
#[test]
fn what_can_never_work_is_refused() {
    let refused: Vec<&str> = LEFT_OUT
        .iter()
        .filter(|(_, why)| why.ends_with(REFUSED))
        .map(|(name, _)| *name)
        .collect();
    assert!(refused.len() >= 3, "{refused:?}");
    for case in refused {
        let dir = cases().into_iter().find(|d| name(d) == case).unwrap();
        let text = fs::read_to_string(dir.join("jobset.yaml")).unwrap();
        let loaded = load(&[Source::new(case, text)], &LoadOptions::default());
        assert!(
            loaded.errors() > 0,
            "{case} is not refused: {:?}",
            loaded.findings
        );
    }
}

/// A success and a failure with nothing in between: the recordings went both ways; ours ends in one of
/// the two, with upstream's words, and always in the same.
#[test]
fn a_success_and_a_failure_together() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/parity/cases/failure-after-success-policy");
    let steps = fs::read_to_string(dir.join("steps.txt")).unwrap();
    let end = || {
        let mut stage = stage(&dir, FailAt::Failed);
        for line in std::iter::once("create").chain(steps.lines()) {
            stage.play(line).unwrap();
        }
        let status = stage.session.engine.as_ref().unwrap().status();
        let ended = status.conditions.iter().find(|c| c.status).unwrap();
        (
            status.terminal_state.clone(),
            ended.reason.clone(),
            ended.message.clone(),
        )
    };
    let (state, reason, message) = end();
    match state.as_deref() {
        Some("Completed") => {
            assert_eq!(
                (&*reason, &*message),
                ("AllJobsCompleted", "jobset completed successfully")
            );
        }
        Some("Failed") => {
            assert_eq!(reason, "FailedJobs");
            assert!(
                message.starts_with("jobset failed due to one or more job failures"),
                "{message}"
            );
        }
        other => panic!("it has not ended: {other:?}"),
    }
    assert_eq!((state, reason, message), end());
}

/// A case that is added is played, and the table of those left out names nothing that is not there.
#[test]
fn all_recorded_cases_are_accounted_for() {
    let all: Vec<String> = cases().iter().map(|d| name(d)).collect();
    for (left_out, _) in LEFT_OUT {
        assert!(
            all.contains(&(*left_out).to_owned()),
            "{left_out} is no case with a trace"
        );
    }
    assert_eq!(in_scope().len() + LEFT_OUT.len(), all.len());
    assert!(
        in_scope().len() >= 50,
        "only {} cases are played",
        in_scope().len()
    );
}

/// The comparison sees a difference where there is one: a case played against another one's trace.
#[test]
fn another_trace_differs() {
    let dir = cases()
        .into_iter()
        .find(|d| name(d) == "failure-no-policy")
        .unwrap();
    let step = &trace(&dir)[2];
    let mut facts = recorded(step);
    assert_eq!(facts, recorded(step));
    facts.objects.pop();
    assert_ne!(facts, recorded(step));
    assert_eq!(
        recorded(step).decisions,
        ["jobset failed due to one or more job failures (first failed job: dominoes-tile-1)"]
    );
}
