//! `spec.successPolicy`: an Indexed Job has succeeded as soon as one rule is met.

use k8s_openapi::api::batch::v1::Job;

use super::indexes::Indexes;

/// The message, if a rule is met.
pub(super) fn met(job: &Job, succeeded: &Indexes, completions: i32) -> Option<String> {
    let policy = job.spec.as_ref()?.success_policy.as_ref()?;
    if succeeded.is_empty() {
        return None;
    }
    let met = policy.rules.iter().position(|rule| {
        let enough = |n: i32| rule.succeeded_count.is_some_and(|count| n >= count);
        match &rule.succeeded_indexes {
            None => enough(succeeded.total()),
            Some(text) => {
                let wanted = Indexes::parse(text, completions);
                let common = wanted.common(succeeded);
                !wanted.is_empty() && (common == wanted.total() || enough(common))
            }
        }
    })?;
    Some(format!("Matched rules at index {met}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::controllers::job::testing::job;
    use serde_json::json;

    #[test]
    fn rules() {
        for (rules, succeeded, expected) in [
            (json!([{"succeededIndexes": "0"}]), "0", Some(0)),
            (json!([{"succeededIndexes": "0"}]), "1-3", None),
            (json!([{"succeededIndexes": "0-2"}]), "0,2", None),
            (
                json!([{"succeededIndexes": "0-2", "succeededCount": 2}]),
                "0,2",
                Some(0),
            ),
            (
                json!([{"succeededIndexes": "0-2", "succeededCount": 2}]),
                "0,4",
                None,
            ),
            (json!([{"succeededCount": 3}]), "0,4,5", Some(0)),
            (json!([{"succeededCount": 3}]), "0,4", None),
            (
                json!([{"succeededIndexes": "5"}, {"succeededCount": 1}]),
                "0",
                Some(1),
            ),
            // Indexes that the Job doesn't have are not waited for.
            (json!([{"succeededIndexes": "0,20"}]), "0", Some(0)),
            (json!([{"succeededIndexes": "20"}]), "0-9", None),
            (json!([{"succeededCount": 1}]), "", None),
        ] {
            let job = job(json!({"successPolicy": {"rules": rules}}));
            let message = met(&job, &Indexes::parse(succeeded, 10), 10);
            let expected = expected.map(|i| format!("Matched rules at index {i}"));
            assert_eq!(message, expected, "{rules} {succeeded}");
        }
    }
}
