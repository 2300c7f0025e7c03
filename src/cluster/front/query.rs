//! The query of a request, as options of the world.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::cluster::api::problems::Problems;
use crate::cluster::api::status::Options;
use crate::cluster::api::{
    DeleteOptions, FieldValidation, ListOptions, Propagation, Status, WriteOptions,
};

/// The words of a query; of a repeated key the first counts, `dryRun` too.
#[derive(Clone, Debug, Default)]
pub(super) struct Query(BTreeMap<String, String>);

impl Query {
    /// Reads `a=b&c=d`.
    pub(super) fn parse(text: &str) -> Self {
        let mut words = BTreeMap::new();
        for (key, value) in form_urlencoded::parse(text.as_bytes()) {
            words
                .entry(key.into_owned())
                .or_insert_with(|| value.into_owned());
        }
        Self(words)
    }

    /// A word that is given and not empty.
    pub(super) fn get(&self, key: &str) -> Option<&str> {
        self.0
            .get(key)
            .map(String::as_str)
            .filter(|v| !v.is_empty())
    }

    /// A switch: on unless it is not there, `false` or `0`, as the API reads it.
    pub(super) fn flag(&self, key: &str) -> bool {
        self.0
            .get(key)
            .is_some_and(|v| v != "0" && !v.eq_ignore_ascii_case("false"))
    }

    /// A number.
    ///
    /// # Errors
    /// 400: it is none.
    pub(super) fn number(&self, key: &str) -> Result<Option<i64>, Status> {
        let Some(text) = self.get(key) else {
            return Ok(None);
        };
        text.parse().map(Some).map_err(|_| {
            Status::bad_request(format!(
                "strconv.ParseInt: parsing {text:?}: invalid syntax"
            ))
        })
    }

    /// Options of lists and watches.
    ///
    /// # Errors
    /// 400.
    pub(super) fn list(&self) -> Result<ListOptions, Status> {
        let text = |key: &str| self.get(key).unwrap_or_default().to_owned();
        let limit = self.number("limit")?.unwrap_or(0);
        Ok(ListOptions {
            labels: text("labelSelector"),
            fields: text("fieldSelector"),
            limit: usize::try_from(limit).ok().filter(|limit| *limit > 0),
            continue_token: self.get("continue").map(str::to_owned),
            version: self.get("resourceVersion").map(str::to_owned),
            version_match: self.get("resourceVersionMatch").map(str::to_owned),
            bookmarks: self.flag("allowWatchBookmarks"),
            initial_events: self
                .get("sendInitialEvents")
                .map(|_| self.flag("sendInitialEvents")),
        })
    }

    /// Options of writes, by their name in refusals: `CreateOptions`, …
    ///
    /// # Errors
    /// 422.
    pub(super) fn write(&self, options: Options) -> Result<WriteOptions, Status> {
        let mut problems = Problems::default();
        let dry_run = dry_run(self.get("dryRun"), &mut problems);
        let validation = match self.get("fieldValidation") {
            Some("Strict") => FieldValidation::Strict,
            Some("Ignore") => FieldValidation::Ignore,
            None | Some("Warn") => FieldValidation::Warn,
            Some(other) => {
                let known = ["", "Ignore", "Strict", "Warn"];
                problems.not_supported("fieldValidation", other, &known);
                FieldValidation::Warn
            }
        };
        refuse(options, problems)?;
        Ok(WriteOptions {
            dry_run,
            validation,
            manager: self.get("fieldManager").map(str::to_owned),
        })
    }

    /// A patch that is not an apply can't be forced.
    ///
    /// # Errors
    /// 422.
    pub(super) fn not_forced(&self) -> Result<(), Status> {
        let mut problems = Problems::default();
        if self.get("force").is_some() {
            problems.forbidden("force", "may not be specified for non-apply patch");
        }
        refuse(Options::Patch, problems)
    }

    /// Options of deletions: those of the query where the body, a `DeleteOptions`, has none.
    ///
    /// # Errors
    /// 400, 422.
    pub(super) fn delete(&self, body: &Value) -> Result<DeleteOptions, Status> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let policy = body["propagationPolicy"]
            .as_str()
            .or_else(|| self.get("propagationPolicy"));
        let orphan = body["orphanDependents"].as_bool();
        let mut problems = Problems::default();
        if let (Some(policy), Some(_)) = (policy, orphan) {
            let why = "orphanDependents and deletionPropagation cannot be both set";
            problems.invalid("propagationPolicy", policy, why);
        }
        let propagation = match (policy, orphan) {
            (Some("Orphan"), _) | (None, Some(true)) => Some(Propagation::Orphan),
            (Some("Background"), _) | (None, Some(false)) => Some(Propagation::Background),
            (Some("Foreground"), _) => Some(Propagation::Foreground),
            (None, None) => None,
            (Some(other), _) => {
                let known = ["Foreground", "Background", "Orphan", "nil"];
                problems.not_supported("propagationPolicy", other, &known);
                None
            }
        };
        let in_body = dry_run(body["dryRun"][0].as_str(), &mut problems);
        let in_query = dry_run(self.get("dryRun"), &mut problems);
        refuse(Options::Delete, problems)?;
        Ok(DeleteOptions {
            grace: match body["gracePeriodSeconds"].as_i64() {
                Some(seconds) => Some(seconds),
                None => self.number("gracePeriodSeconds")?,
            },
            propagation,
            uid: text(&body["preconditions"]["uid"]),
            version: text(&body["preconditions"]["resourceVersion"]),
            dry_run: in_body || in_query,
        })
    }
}

fn dry_run(word: Option<&str>, problems: &mut Problems) -> bool {
    if let Some(other) = word.filter(|word| *word != "All") {
        problems.not_supported("dryRun", [other], &["All"]);
    }
    word.is_some()
}

fn refuse(options: Options, problems: Problems) -> Result<(), Status> {
    if problems.is_empty() {
        return Ok(());
    }
    Err(Status::invalid_options(options, problems))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lists() {
        let query = Query::parse(
            "labelSelector=a%3Db%2Cc&limit=500&allowWatchBookmarks=true&resourceVersion=7",
        );
        let list = query.list().unwrap();
        assert_eq!(list.labels, "a=b,c");
        assert_eq!(list.limit, Some(500));
        assert!(list.bookmarks);
        assert_eq!(list.version.as_deref(), Some("7"));
        assert_eq!(list.initial_events, None);
        assert_eq!(Query::parse("limit=x").list().unwrap_err().code, 400);
        assert_eq!(Query::parse("limit=0").list().unwrap().limit, None);
    }

    #[test]
    fn writes() {
        let write = Query::parse("dryRun=All&fieldValidation=Strict&fieldManager=me")
            .write(Options::Create)
            .unwrap();
        assert!(write.dry_run);
        assert_eq!(write.validation, FieldValidation::Strict);
        assert_eq!(write.manager.as_deref(), Some("me"));
        for wrong in ["dryRun=Some", "fieldValidation=No"] {
            let refused = Query::parse(wrong).write(Options::Patch).unwrap_err();
            assert_eq!(refused.code, 422);
            assert!(
                refused
                    .message
                    .starts_with("PatchOptions.meta.k8s.io \"\" is invalid: ")
            );
        }
    }

    #[test]
    fn the_body_of_a_deletion_comes_first() {
        let query = Query::parse("propagationPolicy=Background&gracePeriodSeconds=9");
        let body = json!({"propagationPolicy": "Foreground", "preconditions": {"uid": "u"}, "dryRun": ["All"]});
        let options = query.delete(&body).unwrap();
        assert_eq!(options.propagation, Some(Propagation::Foreground));
        assert_eq!(options.grace, Some(9));
        assert_eq!(options.uid.as_deref(), Some("u"));
        assert!(options.dry_run);
        let plain = query.delete(&Value::Null).unwrap();
        assert_eq!(plain.propagation, Some(Propagation::Background));
        assert!(!plain.dry_run);
        let body = json!({"propagationPolicy": "Later"});
        assert_eq!(Query::default().delete(&body).unwrap_err().code, 422);
    }
}
