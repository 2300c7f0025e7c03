//! A Job's spec with the defaults that the API server fills in, and its pod failure and success rules.

use kubectl_jobset::api::JobTemplate;
use serde_json::Value;

/// The part of a Job's spec that the controller acts on.
#[derive(Clone, Debug)]
pub(crate) struct JobSpec {
    pub(crate) parallelism: u32,
    pub(crate) completions: Option<u32>,
    pub(crate) indexed: bool,
    pub(crate) backoff_limit: u32,
    pub(crate) backoff_limit_per_index: Option<u32>,
    pub(crate) max_failed_indexes: Option<u32>,
    pub(crate) failure_rules: Vec<PodRule>,
    pub(crate) success_rules: Vec<SuccessRule>,
    pub(crate) active_deadline_s: Option<i64>,
    /// `podReplacementPolicy: Failed`: a terminating pod is not replaced and does not count as failed.
    pub(crate) replace_only_failed: bool,
    pub(crate) restart_on_failure: bool,
    pub(crate) container: String,
}

/// One rule of `podFailurePolicy`.
#[derive(Clone, Debug)]
pub(crate) struct PodRule {
    pub(crate) action: String,
    pub(crate) container: Option<String>,
    pub(crate) not_in: bool,
    pub(crate) exit_codes: Vec<i64>,
    pub(crate) conditions: Vec<String>,
}

/// One rule of the Job's own `successPolicy`.
#[derive(Clone, Debug)]
pub(crate) struct SuccessRule {
    pub(crate) indexes: Option<Vec<u32>>,
    pub(crate) count: Option<u32>,
}

impl JobSpec {
    /// Reads a template. `parallelism` and `completions` are 1 where neither is given; `backoffLimit`
    /// is 6, or without bound where there is one per index.
    pub(crate) fn read(template: &JobTemplate) -> Self {
        let empty = serde_json::Map::new();
        let spec = template.spec().unwrap_or(&empty);
        let int = |key: &str| {
            spec.get(key)
                .and_then(Value::as_u64)
                .map(|n| u32::try_from(n).unwrap())
        };
        let per_index = int("backoffLimitPerIndex");
        let neither = int("parallelism").is_none() && int("completions").is_none();
        let pod = template.pod_template().and_then(|t| t.get("spec"));
        Self {
            parallelism: int("parallelism").unwrap_or(1),
            completions: int("completions").or(neither.then_some(1)),
            indexed: template.is_indexed(),
            backoff_limit: int("backoffLimit").unwrap_or(if per_index.is_some() {
                i32::MAX.unsigned_abs()
            } else {
                6
            }),
            backoff_limit_per_index: per_index,
            max_failed_indexes: int("maxFailedIndexes"),
            failure_rules: rules(spec.get("podFailurePolicy"))
                .map(PodRule::read)
                .collect(),
            success_rules: rules(spec.get("successPolicy"))
                .map(SuccessRule::read)
                .collect(),
            active_deadline_s: spec.get("activeDeadlineSeconds").and_then(Value::as_i64),
            replace_only_failed: spec.get("podReplacementPolicy").and_then(Value::as_str)
                == Some("Failed")
                || spec.contains_key("podFailurePolicy"),
            restart_on_failure: pod
                .and_then(|p| p.get("restartPolicy"))
                .and_then(Value::as_str)
                != Some("Never"),
            container: pod
                .and_then(|p| p.pointer("/containers/0/name"))
                .and_then(Value::as_str)
                .unwrap_or("main")
                .to_owned(),
        }
    }
}

fn rules(policy: Option<&Value>) -> impl Iterator<Item = &Value> {
    policy
        .and_then(|p| p.get("rules"))
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

impl PodRule {
    fn read(rule: &Value) -> Self {
        let exit = rule.get("onExitCodes");
        Self {
            action: rule["action"].as_str().unwrap().to_owned(),
            container: exit
                .and_then(|e| e.get("containerName"))
                .and_then(Value::as_str)
                .map(str::to_owned),
            not_in: exit.and_then(|e| e.get("operator")).and_then(Value::as_str) == Some("NotIn"),
            exit_codes: exit
                .and_then(|e| e.get("values"))
                .and_then(Value::as_array)
                .map(|v| v.iter().filter_map(Value::as_i64).collect())
                .unwrap_or_default(),
            conditions: rule
                .get("onPodConditions")
                .and_then(Value::as_array)
                .map(|c| {
                    c.iter()
                        .filter_map(|c| c["type"].as_str())
                        .map(str::to_owned)
                        .collect()
                })
                .unwrap_or_default(),
        }
    }
}

impl SuccessRule {
    fn read(rule: &Value) -> Self {
        Self {
            indexes: rule
                .get("succeededIndexes")
                .and_then(Value::as_str)
                .map(ranges),
            count: rule
                .get("succeededCount")
                .and_then(Value::as_u64)
                .map(|n| u32::try_from(n).unwrap()),
        }
    }
}

/// `0-2,5` as numbers.
pub(crate) fn ranges(text: &str) -> Vec<u32> {
    text.split(',')
        .flat_map(|part| {
            let (from, to) = part.split_once('-').unwrap_or((part, part));
            from.parse::<u32>().unwrap()..=to.parse::<u32>().unwrap()
        })
        .collect()
}
