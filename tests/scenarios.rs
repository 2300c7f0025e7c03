//! Scenario scripts through the engine on the pocket cluster: `tests/scenarios/*.txt`, each with its golden
//! output beside it (`*.out`; `BLESS=1 cargo test --test scenarios` writes them anew). The `expect` lines of a script
//! are what the specification says; the golden file shows the whole story.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::{Path, PathBuf};

use kubectl_jobset::api::JobSet;
use kubectl_jobset::manifest::{LoadOptions, Source, load};
use kubectl_jobset::simulate::Script;
use kubectl_jobset::simulate::script::Told;
use kubectl_jobset::simulate::trap::{Effect, Trap};

/// A script and its JobSet.
struct Scenario {
    script: Script,
    jobset: JobSet,
}

impl Scenario {
    fn read(path: &Path) -> Self {
        Self::parse(&fs::read_to_string(path).unwrap())
    }

    fn parse(text: &str) -> Self {
        let script = Script::parse(text).unwrap();
        let yaml = script.manifest.as_deref().expect("jobset:");
        let loaded = load(&[Source::new("script", yaml)], &LoadOptions::default());
        let findings = loaded.findings;
        Self {
            jobset: loaded.jobset.unwrap_or_else(|| panic!("{findings:#?}")),
            script,
        }
    }

    fn play(&self, trap: Option<Trap>) -> Told {
        self.script.play(&self.jobset, 0, trap).unwrap()
    }
}

fn scripts() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
    let mut out: Vec<PathBuf> = fs::read_dir(dir)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    out.retain(|p| p.extension().is_some_and(|e| e == "txt"));
    out.sort();
    out
}

#[expect(
    clippy::disallowed_methods,
    reason = "the one switch of this test: write golden files instead of comparing"
)]
fn bless() -> bool {
    std::env::var_os("BLESS").is_some()
}

/// Every script meets its expectations and tells the story of its golden file.
#[test]
fn scenarios() {
    let scripts = scripts();
    assert!(scripts.len() >= 30, "only {} scripts", scripts.len());
    let mut wrong = Vec::new();
    for path in &scripts {
        let told = Scenario::read(path).play(None);
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        wrong.extend(told.unmet.iter().map(|u| format!("{name}:{u}")));
        let golden = path.with_extension("out");
        if bless() {
            fs::write(&golden, &told.text).unwrap();
        } else if fs::read_to_string(&golden).unwrap_or_default() != told.text {
            let diff =
                first_difference(&fs::read_to_string(&golden).unwrap_or_default(), &told.text);
            wrong.push(format!("{name}: differs from its golden file {diff}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} complaints:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

fn first_difference(want: &str, got: &str) -> String {
    let lines = want.lines().zip(got.lines()).enumerate();
    let differs = lines.into_iter().find(|(_, (w, g))| w != g);
    differs.map_or_else(
        || "in its length".to_owned(),
        |(n, (w, g))| format!("at line {}\n  golden {w}\n  now    {g}", n + 1),
    )
}

/// A driver that is killed before or after any one of its writes and requests, and another one that
/// attaches at once, come to the same end as one that lives: no restart lost or counted twice, nothing
/// made twice, nothing left over.
#[test]
fn killed_at_every_point() {
    let mut points = 0;
    let mut wrong = Vec::new();
    for path in scripts() {
        let scenario = Scenario::read(&path);
        if !scenario.script.crashes_anywhere() {
            continue;
        }
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let whole = scenario.play(None).end;
        for nth in 0.. {
            let mut hit = false;
            for after in [false, true] {
                let told = scenario.play(Some(Trap {
                    effect: Effect::Any,
                    nth,
                    after,
                }));
                if told.trap_sprang {
                    hit = true;
                    points += 1;
                    if told.end != whole {
                        let when = if after { "after" } else { "before" };
                        wrong.push(format!(
                            "{name}: killed {when} effect {nth}\n  lived  {whole}\n  killed {}",
                            told.end
                        ));
                    }
                }
            }
            if !hit {
                break;
            }
        }
    }
    assert!(points > 200, "only {points} points were tried");
    assert!(
        wrong.is_empty(),
        "{} of {points}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// An expectation that does not hold is reported: without this the scripts could not fail.
#[test]
fn a_wrong_expectation_is_reported() {
    let scenario = Scenario::parse(
        "jobset:\n\
         apiVersion: jobset.x-k8s.io/v1alpha2\n\
         kind: JobSet\n\
         metadata: {name: x}\n\
         spec:\n  replicatedJobs:\n  - name: w\n    template: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: i}]}}}}\n\
         ---\n\
         create\n\
         expect creates w-0 w-1\n\
         expect state Running\n\
         expect outcome Completed\n\
         expect event run.finished\n\
         expect condition Completed=True AllJobsCompleted\n\
         expect role w ready=1\n\
         expect standing nothing\n\
         expect kept 1\n",
    );
    assert_eq!(scenario.play(None).unmet.len(), 8);
}
