//! Which pods, containers and attempts are wanted. Pure.

use crate::api::JobSet;
use crate::cli::settings::{Attempts, LogChoice, LogsSettings};
use crate::cli::target::{Place, Ranges, Target};
use crate::logs::pod::PodNow;

/// Which containers of a pod.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Containers {
    /// kubectl's default: the one its annotation names, else the first.
    #[default]
    Default,
    /// All, init and ephemeral ones included.
    All,
    /// That one.
    Named(String),
}

/// What is wanted. Empty lists and `*` mean no restriction; the restrictions add up. Attempts:
/// `Current` is the newest pod of each index in the attempt that runs (or ran last), `Number` and `All`
/// every pod of those attempts that is still there, `Previous` one step back per index: the instance
/// before in the same pod, else the pod before it, else the kept lines of the attempt before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Any of these targets.
    pub targets: Vec<Target>,
    /// Any of these roles.
    pub roles: Vec<String>,
    /// Job indexes.
    pub jobs: Ranges,
    /// Completion indexes.
    pub indexes: Ranges,
    /// Containers.
    pub containers: Containers,
    /// Attempts.
    pub attempts: Attempts,
    /// Only containers that ended badly.
    pub failed: bool,
}

impl Selection {
    /// What `--logs` of `run` and `attach` asks for; none for `none`.
    #[must_use]
    pub fn of_choice(choice: &LogChoice) -> Option<Self> {
        match choice {
            LogChoice::None => None,
            LogChoice::All => Some(Self {
                containers: Containers::All,
                ..Self::default()
            }),
            LogChoice::Failed => Some(Self {
                failed: true,
                ..Self::default()
            }),
            LogChoice::Targets(targets) => Some(Self {
                targets: targets.clone(),
                ..Self::default()
            }),
        }
    }

    /// What the flags of `logs` ask for.
    #[must_use]
    pub fn of_settings(settings: &LogsSettings) -> Self {
        Self {
            targets: settings.targets.clone(),
            roles: settings.roles.clone(),
            jobs: settings.jobs.clone(),
            indexes: settings.indexes.clone(),
            containers: match &settings.container {
                Some(name) => Containers::Named(name.clone()),
                None if settings.all_containers => Containers::All,
                None => Containers::Default,
            },
            attempts: settings.attempt,
            failed: settings.failed,
        }
    }

    /// A pod at that place is wanted.
    #[must_use]
    pub fn wants(&self, place: &Place<'_>) -> bool {
        (self.targets.is_empty() || self.targets.iter().any(|t| t.matches(place)))
            && (self.roles.is_empty() || self.roles.iter().any(|role| role == place.role))
            && self.jobs.contains(place.job)
            && place
                .index
                .map_or(self.indexes.is_all(), |index| self.indexes.contains(index))
    }

    /// Names of the wanted containers of a pod, in order. With `failed` and no container named, all of
    /// them are looked at: what failed may be a sidecar.
    pub fn containers<'a>(&'a self, pod: &'a PodNow) -> Vec<&'a str> {
        pod.containers
            .iter()
            .map(|c| c.name.as_str())
            .filter(|name| match &self.containers {
                Containers::All => true,
                Containers::Default => self.failed || *name == pod.default_container,
                Containers::Named(wanted) => name == wanted,
            })
            .collect()
    }

    /// That the run can have such pods: targets, roles, indexes and the container exist in its spec.
    ///
    /// # Errors
    /// A fragment that names what is not there, and what is.
    pub fn check(&self, jobset: &JobSet) -> Result<(), String> {
        for target in &self.targets {
            target.check(jobset)?;
        }
        for role in &self.roles {
            Target::role(role).check(jobset)?;
        }
        if !self.jobs.is_all() || !self.indexes.is_all() {
            let roles: Vec<Option<String>> = if self.roles.is_empty() {
                vec![None]
            } else {
                self.roles.iter().cloned().map(Some).collect()
            };
            let checks: Vec<Result<(), String>> = roles
                .into_iter()
                .map(|role| {
                    Target::Place {
                        role,
                        jobs: self.jobs.clone(),
                        indexes: self.indexes.clone(),
                    }
                    .check(jobset)
                })
                .collect();
            // One role that has such indexes is enough.
            if checks.iter().all(Result::is_err) {
                return checks.into_iter().next().unwrap_or(Ok(()));
            }
        }
        if let Containers::Named(wanted) = &self.containers {
            let names = container_names(jobset);
            if !names.iter().any(|name| name == wanted) {
                return Err(format!(
                    "no container is called {wanted} (containers of {}: {})",
                    jobset.metadata.name,
                    names.join(", ")
                ));
            }
        }
        Ok(())
    }
}

/// Names of all containers in the spec, each once, in order. Containers that only an admission plugin
/// adds are not among them.
fn container_names(jobset: &JobSet) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for role in &jobset.spec.replicated_jobs {
        let Some(spec) = role.template.pod_template().and_then(|t| t.get("spec")) else {
            continue;
        };
        for list in ["initContainers", "containers"] {
            for container in spec
                .get(list)
                .and_then(|l| l.as_array())
                .into_iter()
                .flatten()
            {
                if let Some(name) = container.get("name").and_then(|n| n.as_str())
                    && !names.iter().any(|known| known == name)
                {
                    names.push(name.to_owned());
                }
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    const POD: Place<'static> = Place {
        role: "worker",
        job: 2,
        job_name: "train-worker-2",
        index: Some(1),
        pod: "train-worker-2-1-x7k2p",
    };

    fn ranges(text: &str) -> Ranges {
        text.parse().unwrap()
    }

    #[test]
    fn restrictions_add_up() {
        let roles = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
        let all = Selection::default();
        assert!(all.wants(&POD));
        for (selection, wanted) in [
            (
                Selection {
                    roles: roles(&["leader", "worker"]),
                    ..all.clone()
                },
                true,
            ),
            (
                Selection {
                    roles: roles(&["leader"]),
                    ..all.clone()
                },
                false,
            ),
            (
                Selection {
                    jobs: ranges("0-2"),
                    ..all.clone()
                },
                true,
            ),
            (
                Selection {
                    jobs: ranges("0-1"),
                    ..all.clone()
                },
                false,
            ),
            (
                Selection {
                    jobs: ranges("2"),
                    indexes: ranges("0"),
                    ..all.clone()
                },
                false,
            ),
            (
                Selection {
                    targets: vec!["worker/*/1".parse().unwrap()],
                    ..all.clone()
                },
                true,
            ),
            (
                Selection {
                    targets: vec!["worker/*/1".parse().unwrap()],
                    roles: roles(&["leader"]),
                    ..all.clone()
                },
                false,
            ),
        ] {
            assert_eq!(selection.wants(&POD), wanted, "{selection:?}");
        }
        let indexed = Selection {
            indexes: ranges("1"),
            ..all
        };
        assert!(!indexed.wants(&Place { index: None, ..POD }));
    }

    #[test]
    fn names_what_is_not_in_the_spec() {
        let jobset: JobSet = serde_json::from_value(serde_json::json!({
            "apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet",
            "metadata": {"name": "train"},
            "spec": {"replicatedJobs": [
                {"name": "leader", "replicas": 1, "template": {"spec": {"completions": 1,
                    "template": {"spec": {"initContainers": [{"name": "fetch"}],
                                          "containers": [{"name": "main"}]}}}}},
                {"name": "worker", "replicas": 4, "template": {"spec": {"completions": 2,
                    "template": {"spec": {"containers": [{"name": "main"}, {"name": "tail"}]}}}}},
            ]},
        }))
        .unwrap();
        let all = Selection::default();
        let named = |name: &str| Containers::Named(name.to_owned());
        for selection in [
            Selection {
                containers: named("tail"),
                ..all.clone()
            },
            Selection {
                containers: named("fetch"),
                ..all.clone()
            },
            Selection {
                jobs: ranges("3"),
                ..all.clone()
            },
            Selection {
                roles: vec!["leader".into(), "worker".into()],
                jobs: ranges("3"),
                ..all.clone()
            },
        ] {
            assert_eq!(selection.check(&jobset), Ok(()), "{selection:?}");
        }
        for (selection, message) in [
            (
                Selection {
                    containers: named("mian"),
                    ..all.clone()
                },
                "no container is called mian (containers of train: fetch, main, tail)",
            ),
            (
                Selection {
                    roles: vec!["eval".into()],
                    ..all.clone()
                },
                "no role is called eval (roles of train: leader, worker)",
            ),
            (
                Selection {
                    roles: vec!["leader".into()],
                    jobs: ranges("3"),
                    ..all.clone()
                },
                "leader has no Job 3, it has 1 (0-based)",
            ),
        ] {
            assert_eq!(selection.check(&jobset), Err(message.to_owned()));
        }
    }
}
