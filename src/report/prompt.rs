//! What Ctrl-C shows (cli.md 5 and 8), and the few words about leaving. Pure text.

use k8s_openapi::jiff::Timestamp;

use crate::engine::Snapshot;
use crate::report::time::{human, seconds_between};
use crate::report::view::RunFacts;
use crate::report::words::count;

/// State and choices after the first Ctrl-C at a terminal.
#[must_use]
pub fn choices(run: &str, snapshot: &Snapshot, now: Timestamp, facts: &RunFacts) -> Vec<String> {
    let pods: u32 = snapshot.roles.iter().map(|r| r.pods).sum();
    let lasts = snapshot.started.map_or_else(String::new, |t| {
        format!(", {}", human(seconds_between(t, now)))
    });
    let attach = facts.command(&format!("attach {run}"));
    vec![
        String::new(),
        format!(
            "{run} keeps running: {}, attempt {}{lasts}",
            count(pods, "pod"),
            snapshot.attempt
        ),
        "  Ctrl-C    stop it: pods end in good order, record and kept logs stay".to_owned(),
        "  d Enter   detach (or Ctrl-Z): pods run on, but restarts and startup order".to_owned(),
        format!("            wait for somebody to run  {attach}"),
        "  Enter     go on (also after 10s)".to_owned(),
    ]
}

/// After the process was stopped by the shell and goes on.
#[must_use]
pub fn back_from_suspension(run: &str, seconds: i64) -> String {
    format!(
        "{run}: back after {}, looking at what has happened",
        human(seconds)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::{at, snapshot};

    #[test]
    fn the_choices() {
        let facts = RunFacts::default();
        let text = choices("train", &snapshot(), at(22 * 60), &facts).join("\n");
        insta::assert_snapshot!(text, @r"

        train keeps running: 5 pods, attempt 0, 22m
          Ctrl-C    stop it: pods end in good order, record and kept logs stay
          d Enter   detach (or Ctrl-Z): pods run on, but restarts and startup order
                    wait for somebody to run  kubectl jobset attach train
          Enter     go on (also after 10s)
        ");
    }
}
