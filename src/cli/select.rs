//! Which run a command means when it names none (cli.md 1.9): NAME; else the only run in the
//! namespace; else the only unfinished one; else an error with the candidates. Pure, over summaries.

use k8s_openapi::jiff::Timestamp;

use crate::error::{Error, Kind, Result};

/// What selection needs to know of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Name.
    pub name: String,
    /// It has ended.
    pub finished: bool,
    /// When it was made.
    pub started: Option<Timestamp>,
}

/// A choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Name of the run.
    pub name: String,
    /// Why it was chosen, to be told on stderr (`the only run in ml`); none when it was named.
    pub why: Option<String>,
}

/// `@latest`: the newest run.
pub const LATEST: &str = "@latest";

/// Candidates named in an error; more would bury it.
const NAMED: usize = 8;

/// Chooses among the runs of a namespace. A NAME is taken as it is, whether it is among the candidates
/// or not: the caller looks it up and gets the better error.
///
/// # Errors
/// `NoSuchRun` where there is none at all; `Usage` with the candidates where there are several.
pub fn choose(name: Option<&str>, runs: &[Candidate], namespace: &str) -> Result<Choice> {
    match name {
        Some(LATEST) => {
            let newest = runs
                .iter()
                .max_by(|a, b| (a.started, &a.name).cmp(&(b.started, &b.name)))
                .ok_or_else(|| none_there(namespace))?;
            return Ok(Choice {
                name: newest.name.clone(),
                why: Some(format!("the newest run in {namespace}")),
            });
        }
        Some(name) => {
            return Ok(Choice {
                name: name.to_owned(),
                why: None,
            });
        }
        None => {}
    }
    match runs {
        [] => return Err(none_there(namespace)),
        [only] => {
            return Ok(Choice {
                name: only.name.clone(),
                why: Some(format!("the only run in {namespace}")),
            });
        }
        _ => {}
    }
    let mut unfinished = runs.iter().filter(|run| !run.finished);
    match (unfinished.next(), unfinished.next()) {
        (Some(only), None) => Ok(Choice {
            name: only.name.clone(),
            why: Some(format!("the only unfinished run in {namespace}")),
        }),
        (Some(_), Some(_)) => Err(several(
            runs.iter().filter(|run| !run.finished),
            &format!("several runs in {namespace} are unfinished"),
        )),
        (None, _) => Err(several(
            runs.iter(),
            &format!("there are several runs in {namespace}, all finished"),
        )),
    }
}

fn none_there(namespace: &str) -> Error {
    Error::new(
        Kind::NoSuchRun,
        format!("there is no run in namespace {namespace}"),
    )
    .hint("kubectl jobset status -A lists the runs of all namespaces")
}

fn several<'a>(runs: impl Iterator<Item = &'a Candidate>, what: &str) -> Error {
    let mut runs: Vec<&Candidate> = runs.collect();
    runs.sort_by(|a, b| (b.started, &a.name).cmp(&(a.started, &b.name)));
    let mut names: Vec<&str> = runs
        .iter()
        .take(NAMED)
        .map(|run| run.name.as_str())
        .collect();
    if runs.len() > NAMED {
        names.push("…");
    }
    Error::usage(format!("{what}, name one: {}", names.join(", ")))
        .hint(format!("{LATEST} means the newest"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(name: &str, finished: bool, second: i64) -> Candidate {
        Candidate {
            name: name.to_owned(),
            finished,
            started: Some(Timestamp::from_second(second).unwrap()),
        }
    }

    fn chosen(name: Option<&str>, runs: &[Candidate]) -> (String, Option<String>) {
        let choice = choose(name, runs, "ml").unwrap();
        (choice.name, choice.why)
    }

    #[test]
    fn a_name_is_taken_silently() {
        assert_eq!(chosen(Some("x"), &[]), ("x".to_owned(), None));
    }

    #[test]
    fn the_only_run_then_the_only_unfinished_one() {
        let done = run("a", true, 1);
        assert_eq!(
            chosen(None, std::slice::from_ref(&done)),
            ("a".to_owned(), Some("the only run in ml".to_owned()))
        );
        assert_eq!(
            chosen(None, &[done, run("b", false, 0)]),
            (
                "b".to_owned(),
                Some("the only unfinished run in ml".to_owned())
            )
        );
    }

    #[test]
    fn never_guesses_between_two() {
        let error = choose(
            None,
            &[run("a", false, 1), run("b", false, 2), run("c", true, 3)],
            "ml",
        )
        .unwrap_err();
        assert_eq!(error.kind(), Kind::Usage);
        assert_eq!(
            error.message(),
            "several runs in ml are unfinished, name one: b, a"
        );
        let error = choose(None, &[run("a", true, 1), run("b", true, 2)], "ml").unwrap_err();
        assert_eq!(error.kind(), Kind::Usage);
        assert_eq!(
            error.message(),
            "there are several runs in ml, all finished, name one: b, a"
        );
    }

    #[test]
    fn long_lists_are_cut_with_a_mark() {
        let runs: Vec<_> = (0..20)
            .map(|i| run(&format!("r{i:02}"), false, i))
            .collect();
        let error = choose(None, &runs, "ml").unwrap_err();
        assert!(
            error
                .message()
                .ends_with("r19, r18, r17, r16, r15, r14, r13, r12, …")
        );
    }

    #[test]
    fn latest_is_the_newest() {
        assert_eq!(
            chosen(Some("@latest"), &[run("a", true, 5), run("b", false, 2)]).0,
            "a"
        );
    }

    #[test]
    fn nothing_there_is_no_such_run() {
        assert_eq!(choose(None, &[], "ml").unwrap_err().kind(), Kind::NoSuchRun);
        assert_eq!(
            choose(Some("@latest"), &[], "ml").unwrap_err().kind(),
            Kind::NoSuchRun
        );
    }
}
