//! The recorded cases of the upstream controller, as its Jobs lived them: each Job of a recording is made in the
//! pocket cluster when it was made there, its pods do what the recording's steps say, and the Job has to end
//! where it ended there, for the same reason. What the JobSet controller did in between is taken from the
//! recording, so that the Job controller alone is judged.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use k8s_openapi::jiff::{SignedDuration, Timestamp};
use kubectl_jobset::cluster::api::{
    Body, DeleteOptions, Patch, Propagation, Request, Subresource, Verb, WriteOptions,
};
use kubectl_jobset::cluster::object::{Kind, Object};
use kubectl_jobset::cluster::world::{World, WorldOptions};
use serde_json::{Value, json};

/// The recordings' namespace.
const NAMESPACE: &str = "parity";
/// Longer than anything that follows a step, but for its deadlines.
const SETTLED: SignedDuration = SignedDuration::from_millis(2_600);
/// Where a role and an index of a Job are told.
const ROLE: &str = "jobset.sigs.k8s.io/replicatedjob-name";
const JOB_INDEX: &str = "jobset.sigs.k8s.io/job-index";
const POD_INDEX: &str = "batch.kubernetes.io/job-completion-index";

struct Play {
    world: World,
    /// As first created, by name.
    jobs: BTreeMap<String, Value>,
    /// Attempt by name, of Jobs that are there.
    attempts: BTreeMap<String, String>,
    ended: Vec<String>,
}

impl Play {
    fn new(dir: &Path) -> Self {
        let start = Timestamp::from_second(1_800_000_000).unwrap();
        let mut world = World::new(WorldOptions::new(start, 1));
        world.add_namespace(NAMESPACE);
        let text = fs::read_to_string(dir.join("expect/jobs.yaml")).unwrap_or_default();
        let jobs = text
            .replace("<uid>", "0a1b2c3d")
            .split("\n---\n")
            .filter(|document| !document.trim().is_empty())
            .map(|document| {
                let mut job: Value = serde_saphyr::from_str(document).unwrap();
                // Their owner is not here.
                job["metadata"]
                    .as_object_mut()
                    .unwrap()
                    .remove("ownerReferences");
                (job["metadata"]["name"].as_str().unwrap().to_owned(), job)
            })
            .collect();
        Self {
            world,
            jobs,
            attempts: BTreeMap::new(),
            ended: Vec::new(),
        }
    }

    fn call(
        &mut self,
        kind: Kind,
        name: Option<&str>,
        part: Option<Subresource>,
        verb: Verb,
    ) -> Option<Body> {
        let request = Request {
            user: "kubernetes-admin".to_owned(),
            kind,
            namespace: Some(NAMESPACE.to_owned()),
            name: name.map(str::to_owned),
            subresource: part,
            verb,
        };
        match self.world.call(&request) {
            Ok(answer) => Some(answer.body),
            Err(status) if status.code == 404 => None,
            Err(status) => panic!("{request:?}: {status:?}"),
        }
    }

    fn merge(&mut self, kind: Kind, name: &str, part: Option<Subresource>, patch: Value) {
        let verb = Verb::Patch(WriteOptions::default(), Patch::Merge(patch));
        self.call(kind, Some(name), part, verb);
    }

    fn delete(&mut self, kind: Kind, name: &str) {
        let options = DeleteOptions {
            grace: Some(0),
            propagation: Some(Propagation::Background),
            ..DeleteOptions::default()
        };
        self.call(kind, Some(name), None, Verb::Delete(options));
    }

    fn pass(&mut self, time: SignedDuration) {
        let until = self.world.now() + time;
        self.world.advance(until);
        self.note_ends();
    }

    /// Jobs that have ended since the last time, as the recordings write them.
    fn note_ends(&mut self) {
        let jobs: Vec<Value> = self
            .world
            .store()
            .list(Kind::Job, Some(NAMESPACE))
            .map(|job| job.to_json().unwrap())
            .collect();
        for job in jobs {
            let name = job["metadata"]["name"].as_str().unwrap();
            for condition in job["status"]["conditions"].as_array().into_iter().flatten() {
                let word = match (condition["type"].as_str(), condition["status"].as_str()) {
                    (Some("Failed"), Some("True")) => "failed",
                    (Some("Complete"), Some("True")) => "complete",
                    _ => continue,
                };
                let reason = condition["reason"].as_str().unwrap();
                let label = &self.attempts[name];
                let line = format!("(job {word} {label} reason={reason})");
                if !self.ended.contains(&line) {
                    self.ended.push(line);
                }
            }
        }
    }

    /// `pod ROLE-J-P STATE`, `pods [ROLE[-J]] STATE`.
    fn pods(&mut self, words: &[&str]) {
        let (which, state, rest) = match words {
            ["pod", which, state, rest @ ..] => (*which, *state, rest),
            [
                "pods",
                state @ ("running" | "ready" | "succeeded" | "failed"),
                rest @ ..,
            ] => ("", *state, rest),
            ["pods", which, state, rest @ ..] => (*which, *state, rest),
            _ => return,
        };
        let code = rest
            .iter()
            .find_map(|w| w.strip_prefix("exit="))
            .map(|n| n.parse::<i32>().unwrap());
        let live: Vec<(String, String)> = self
            .world
            .store()
            .list(Kind::Pod, Some(NAMESPACE))
            .filter(|pod| is_live(pod))
            .filter(|pod| {
                let [role, job, index] =
                    [ROLE, JOB_INDEX, POD_INDEX].map(|k| pod.label(k).unwrap_or("0"));
                let names = [
                    String::new(),
                    role.to_owned(),
                    format!("{role}-{job}"),
                    format!("{role}-{job}-{index}"),
                ];
                names.contains(&which.to_owned())
            })
            .map(|pod| {
                let spec = pod.as_pod().unwrap().spec.as_ref().unwrap();
                (pod.name().to_owned(), spec.containers[0].name.clone())
            })
            .collect();
        let now = self.world.second().to_string();
        for (name, container) in live {
            let status = status(state, &container, code, &now);
            self.merge(
                Kind::Pod,
                &name,
                Some(Subresource::Status),
                json!({"status": status}),
            );
        }
    }

    fn step(&mut self, line: &str) {
        for event in line.split(" & ") {
            match event.split_whitespace().collect::<Vec<_>>()[..] {
                ["wait", seconds] => self.pass(SignedDuration::from_secs(seconds.parse().unwrap())),
                ref words => self.pods(words),
            }
        }
        self.pass(SETTLED);
    }

    /// What the JobSet controller, or somebody else, did with Jobs.
    fn follow(&mut self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let ["job", what, name, rest @ ..] = &words[..] else {
            return;
        };
        match *what {
            "created" => {
                let (suspend, labels): (Vec<&str>, Vec<&str>) =
                    rest.iter().partition(|w| w.starts_with("suspend="));
                self.attempts
                    .insert((*name).to_owned(), format!("{name} {}", labels.join(" ")));
                let mut job = self.jobs[*name].clone();
                job["spec"]["suspend"] = json!(suspend == ["suspend=true"]);
                self.call(
                    Kind::Job,
                    None,
                    None,
                    Verb::Create(WriteOptions::default(), job),
                );
            }
            "gone" => {
                self.delete(Kind::Job, name);
                let of_job: Vec<String> = self
                    .world
                    .store()
                    .list(Kind::Pod, Some(NAMESPACE))
                    .filter(|pod| pod.label("job-name") == Some(*name))
                    .map(|pod| pod.name().to_owned())
                    .collect();
                self.pass(SignedDuration::from_millis(50));
                for pod in of_job {
                    self.delete(Kind::Pod, &pod);
                }
            }
            "suspended" | "resumed" => {
                let suspend = *what == "suspended";
                self.merge(Kind::Job, name, None, json!({"spec": {"suspend": suspend}}));
            }
            _ => {}
        }
    }
}

fn is_live(pod: &Object) -> bool {
    let phase = pod
        .as_pod()
        .and_then(|p| p.status.as_ref())
        .and_then(|s| s.phase.as_deref());
    pod.meta().deletion_timestamp.is_none() && matches!(phase, Some("Pending" | "Running"))
}

/// A pod's status as the recordings' kubelet makes it.
fn status(state: &str, container: &str, code: Option<i32>, now: &str) -> Value {
    let ready = |is: bool| json!([{"type": "Ready", "status": if is { "True" } else { "False" }}]);
    let ended = |code: i32| {
        json!([{"name": container, "image": "", "imageID": "", "ready": false, "restartCount": 0,
            "state": {"terminated": {"exitCode": code, "startedAt": now, "finishedAt": now}}}])
    };
    match state {
        "running" => json!({"phase": "Running", "conditions": ready(false)}),
        "ready" => json!({"phase": "Running", "conditions": ready(true)}),
        "succeeded" => {
            json!({"phase": "Succeeded", "conditions": ready(false), "containerStatuses": ended(0)})
        }
        "failed" => {
            json!({"phase": "Failed", "conditions": ready(false), "containerStatuses": ended(code.unwrap_or(1))})
        }
        other => panic!("a pod is never {other}"),
    }
}

/// Steps and what followed each.
fn trace(dir: &Path) -> Vec<(String, Vec<String>)> {
    let mut steps: Vec<(String, Vec<String>)> = Vec::new();
    for line in fs::read_to_string(dir.join("expect/trace.txt"))
        .unwrap()
        .lines()
    {
        match line.strip_prefix("> ") {
            Some(step) => steps.push((step.to_owned(), Vec::new())),
            None => steps.last_mut().unwrap().1.push(line.trim().to_owned()),
        }
    }
    steps
}

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/parity/cases");
    let entries = fs::read_dir(folder).unwrap();
    let mut cases: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).collect();
    cases.retain(|dir| dir.join("expect/trace.txt").exists());
    cases.sort();
    cases
}

#[test]
fn jobs_end_as_they_ended_on_the_real_control_plane() {
    let (mut different, mut judged) = (Vec::new(), 0);
    for dir in cases() {
        let mut play = Play::new(&dir);
        let mut expected: Vec<String> = Vec::new();
        for (line, followed) in trace(&dir) {
            play.step(&line);
            expected.extend(followed.iter().filter(|l| l.starts_with("(job ")).cloned());
            let (mut want, mut have) = (expected.clone(), play.ended.clone());
            want.sort();
            have.sort();
            if want != have {
                let case = dir.file_name().unwrap().to_string_lossy().into_owned();
                different.push(format!(
                    "{case}, step {line}: {have:#?} instead of {want:#?}"
                ));
                break;
            }
            for line in &followed {
                play.follow(line);
            }
            play.pass(SETTLED);
        }
        judged += expected.len();
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
    assert!(judged > 60, "only {judged} ends of Jobs were compared");
}
