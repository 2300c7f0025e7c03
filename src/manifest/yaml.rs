//! YAML (and JSON, which is YAML) to JSON values as kubectl reads it: YAML 1.1 booleans and octals, merge
//! keys, integral floats as integers. And back: values to YAML that kubectl reads as the same values.

use serde_json::{Number, Value};
use serde_saphyr::options::{DuplicateKeyPolicy, MergeKeyPolicy, NonFiniteFloatPolicy};
use serde_saphyr::{Error as YamlError, Options};

use crate::manifest::finding::Finding;
use crate::manifest::spans::{MAX_DEPTH, MAX_NODES, tidy};

/// Most parser events that aliases may be expanded to. 200 roles that share a pod spec of 250 values
/// need 50,000; the classic bomb of nine lines needs a thousand million.
const MAX_ALIAS_EVENTS: usize = 500_000;
/// Aliases inside aliases.
const MAX_ALIAS_DEPTH: usize = 16;
/// Most merge keys in one document.
const MAX_MERGE_KEYS: usize = 10_000;

fn options() -> Options {
    serde_saphyr::options! {
        // Duplicates were reported, all of them, when the spans were read.
        duplicate_keys: DuplicateKeyPolicy::LastWins,
        merge_keys: MergeKeyPolicy::Merge,
        legacy_octal_numbers: true,
        non_finite_float_policy: NonFiniteFloatPolicy::Reject,
        reject_unsupported_tags: true,
        with_snippet: false,
        emit_comments: false,
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: MAX_ALIAS_EVENTS,
            max_replay_stack_depth: MAX_ALIAS_DEPTH,
        },
        budget: serde_saphyr::budget! {
            max_depth: MAX_DEPTH,
            max_nodes: MAX_NODES,
            max_merge_keys: MAX_MERGE_KEYS,
            // 200 roles may share one pod spec; the limits above bound what that comes to.
            enforce_alias_anchor_ratio: false,
        },
    }
}

/// Reads one document, `text[start..end]` of a source. Integral floats stay floats here: see
/// [`fold_floats`].
pub(super) fn read(source: usize, text: &str, start: usize) -> Result<Value, Finding> {
    serde_saphyr::from_str_with_options::<Value>(text, options()).map_err(|error| {
        let at = error
            .location()
            .and_then(|l| l.span().byte_offset())
            .and_then(|b| usize::try_from(b).ok())
            .map_or(start, |b| start + b.min(text.len()));
        let mut cause = &error;
        while let YamlError::AliasError { error, .. } = cause {
            cause = error;
        }
        let (code, message) = match cause {
            // The text itself was measured when the spans were read, so only aliases can get here.
            YamlError::AliasReplayLimitExceeded { .. }
            | YamlError::AliasExpansionLimitExceeded { .. }
            | YamlError::AliasReplayStackDepthExceeded { .. }
            | YamlError::RecursiveReferencesRequireWeakTypes { .. }
            | YamlError::Budget { .. } => (
                "alias-bomb",
                "aliases expand to more than a JobSet can hold".to_owned(),
            ),
            // JSON has no such number, and so neither has kubectl.
            YamlError::NonFiniteFloat { .. } => (
                "wrong-type",
                "infinity and not-a-number are no values in Kubernetes; quotes make it a string"
                    .to_owned(),
            ),
            other => {
                let text = other.to_string();
                let line = text.lines().next().unwrap_or("");
                // The place is shown by the finding itself.
                let line = line.split(" at line ").next().unwrap_or(line);
                ("syntax", format!("not YAML: {}", tidy(line)))
            }
        };
        Finding::at_bytes(code, source, at..at, message)
    })
}

/// What a plain scalar stands for, as kubectl reads it.
pub(super) fn plain(text: &str) -> Option<Value> {
    let mut value = serde_saphyr::from_str_with_options::<Value>(text, options()).ok()?;
    fold_floats(&mut value);
    Some(value)
}

/// kubectl turns YAML into JSON through Go's float64, whose integral values come out as integers:
/// `1e3` is 1000 and `08` is 8.
pub(super) fn fold_floats(value: &mut Value) {
    match value {
        Value::Number(n) => {
            if let Some(i) = integral(n) {
                *value = Value::Number(i.into());
            }
        }
        Value::Array(items) => items.iter_mut().for_each(fold_floats),
        Value::Object(map) => map.values_mut().for_each(fold_floats),
        _ => {}
    }
}

/// The integer that a float stands for, if it is one and a float holds it exactly.
pub(super) fn integral(n: &Number) -> Option<i64> {
    /// 2^53: above it a float64 no longer holds every integer.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if n.is_i64() || n.is_u64() {
        return None;
    }
    let f = n.as_f64()?;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "integral and within 2^53, so the cast is exact"
    )]
    (f.fract() == 0.0 && f.abs() <= EXACT).then_some(f as i64)
}

/// Removes `null` fields of JobSet's own mappings: for the API server `network: null` means that
/// nothing was said. Job templates are left as they are.
pub(super) fn strip_nulls(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|_, v| !v.is_null());
            for (key, v) in map.iter_mut() {
                if key != "template" {
                    strip_nulls(v);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(strip_nulls),
        _ => {}
    }
}

/// YAML of a value, ending with a line end, without a document marker. Words that YAML 1.1 readers take
/// for booleans or numbers (`yes`, `on`, `012`) are quoted, so that kubectl reads back the same value.
#[must_use]
pub fn to_yaml(value: &Value) -> String {
    let mut out = String::new();
    // Writing a JSON value into a string fails for no input: its keys are strings and its floats finite.
    if serde_saphyr::to_fmt_writer(&mut out, value).is_err() {
        return format!("{value}\n");
    }
    if !out.ends_with('\n') {
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What kubectl makes of plain scalars.
    const KUBECTL: &str = include_str!("golden/kubectl_scalars.tsv");

    /// Spellings that nobody uses, and that we read otherwise or refuse.
    const OTHERWISE: [&str; 8] = [
        "tRue", "0O17", "0X1f", "1__0", "1_", "1e400", "-1e400", "1e1000",
    ];

    #[test]
    fn scalars_are_read_as_kubectl_reads_them() {
        let mut wrong = Vec::new();
        for line in KUBECTL.lines().filter(|l| !l.starts_with('#')) {
            let (scalar, kubectl) = line.split_once('\t').unwrap();
            let ours = read(0, &format!("v: {scalar}\n"), 0).map(|mut value| {
                fold_floats(&mut value);
                value["v"].take()
            });
            let same = match (&ours, serde_json::from_str::<Value>(kubectl)) {
                (Err(_), Err(_)) => kubectl == "refused",
                // Above 2^53 kubectl rounds; we don't.
                (Ok(Value::Number(a)), Ok(Value::Number(b))) => a.as_f64() == b.as_f64(),
                (Ok(a), Ok(b)) => *a == b,
                _ => false,
            };
            if same == OTHERWISE.contains(&scalar) {
                wrong.push(format!("{scalar}: kubectl says {kubectl}, we say {ours:?}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
