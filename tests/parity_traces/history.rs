//! What happened to a run's Service and Jobs, in the words of the recordings, told from the world's own
//! history of changes.

use k8s_openapi::api::batch::v1::Job;
use kubectl_jobset::api::names::{JOB_RESTART_ATTEMPT, RESTART_ATTEMPT};
use kubectl_jobset::cluster::object::{Kind, Object};
use kubectl_jobset::cluster::store::{Change, ChangeKind};
use kubectl_jobset::simulate::session::Session;
use serde_json::Value;

/// What has happened after that version of the world.
pub(crate) fn since(session: &Session, version: u64) -> Vec<String> {
    let store = session.world.store();
    let mut changes: Vec<&Change> = Vec::new();
    for kind in [Kind::Job, Kind::Service] {
        changes.extend(store.changes_after(kind, version).unwrap());
    }
    changes.sort_by_key(|change| change.version);
    let ours = changes
        .into_iter()
        .filter(|change| session.scope.has(&change.object));
    ours.flat_map(lines).collect()
}

fn lines(change: &Change) -> Vec<String> {
    let object = &change.object;
    match (&**object, change.kind) {
        (Object::Service(_), ChangeKind::Added) => {
            vec![format!("service created {}", object.name())]
        }
        (Object::Service(_), ChangeKind::Deleted) => {
            vec![format!("service gone {}", object.name())]
        }
        (Object::Job(job), ChangeKind::Added) => {
            let suspend = is_suspended(job);
            vec![format!("job created {} suspend={suspend}", label(object))]
        }
        (Object::Job(_), ChangeKind::Deleted) => vec![format!("job gone {}", label(object))],
        (Object::Job(job), ChangeKind::Modified) => {
            let before = change.previous.as_deref().and_then(Object::as_job).unwrap();
            modified(&label(object), before, job)
        }
        _ => Vec::new(),
    }
}

fn modified(label: &str, before: &Job, after: &Job) -> Vec<String> {
    let mut out = Vec::new();
    let deleting = |job: &Job| job.metadata.deletion_timestamp.is_some();
    if deleting(after) && !deleting(before) {
        out.push(format!(
            "job delete-requested {label} propagation=Foreground"
        ));
    }
    out.extend(template_changes(
        label,
        &pod_template(before),
        &pod_template(after),
    ));
    if is_suspended(before) != is_suspended(after) {
        let word = if is_suspended(after) {
            "suspended"
        } else {
            "resumed"
        };
        out.push(format!("job {word} {label}"));
    }
    for (type_, word) in [("Failed", "failed"), ("Complete", "complete")] {
        if let (None, Some(reason)) = (reason(before, type_), reason(after, type_)) {
            out.push(format!("(job {word} {label} reason={reason})"));
        }
    }
    out
}

/// `NAME attempt=A jobAttempt=B`.
fn label(job: &Object) -> String {
    let number = |key: &str| job.label(key).unwrap_or("0").to_owned();
    format!(
        "{} attempt={} jobAttempt={}",
        job.name(),
        number(RESTART_ATTEMPT),
        number(JOB_RESTART_ATTEMPT)
    )
}

fn is_suspended(job: &Job) -> bool {
    job.spec.as_ref().and_then(|spec| spec.suspend) == Some(true)
}

fn reason(job: &Job, type_: &str) -> Option<String> {
    let conditions = job.status.as_ref()?.conditions.as_ref()?;
    let found = conditions
        .iter()
        .find(|c| c.type_ == type_ && c.status == "True")?;
    Some(found.reason.clone().unwrap_or_default())
}

fn pod_template(job: &Job) -> Value {
    serde_json::to_value(&job.spec.as_ref().unwrap().template).unwrap()
}

/// What is new or different in the fields that a resume merges.
fn template_changes(label: &str, before: &Value, after: &Value) -> Vec<String> {
    let fields = [
        ("labels", "/metadata/labels"),
        ("annotations", "/metadata/annotations"),
        ("nodeSelector", "/spec/nodeSelector"),
        ("tolerations", "/spec/tolerations"),
        ("schedulingGates", "/spec/schedulingGates"),
    ];
    let changed = |(name, path): &(&str, &str)| {
        let (old, new) = (before.pointer(path), after.pointer(path)?);
        let differs = match (old, new) {
            (Some(Value::Object(old)), Value::Object(new)) => {
                let map: serde_json::Map<_, _> = new
                    .iter()
                    .filter(|(k, v)| old.get(*k) != Some(v))
                    .map(|(k, v)| (k.clone(), v.clone()))
                    .collect();
                (!map.is_empty()).then_some(Value::Object(map))
            }
            _ => (old != Some(new)).then(|| new.clone()),
        };
        differs.map(|d| format!("job template-changed {label} {name} {d}"))
    };
    fields.iter().filter_map(changed).collect()
}
