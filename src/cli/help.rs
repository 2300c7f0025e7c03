//! `help`: of a command, or of the exit codes.

use clap::{Command, CommandFactory as _};

use crate::cli::ExitCode;
use crate::cli::args::Cli;
use crate::error::{Error, Result};

/// The topic beside the commands.
pub const EXIT_CODES: &str = "exit-codes";

/// The text for a topic, with terminal styles where `ansi`.
///
/// # Errors
/// `Usage`: there is no such topic.
pub fn text(mut command: Command, topic: &[String], ansi: bool) -> Result<String> {
    if topic.first().is_some_and(|t| t == EXIT_CODES) && topic.len() == 1 {
        return Ok(exit_codes());
    }
    command.build();
    let mut at = &mut command;
    for word in topic {
        at = at
            .find_subcommand_mut(word)
            // Hidden ones have their help; what only kubectl calls has none.
            .filter(|c| !c.get_name().starts_with('_'))
            .ok_or_else(|| {
                Error::usage(format!("there is no help about {}", topic.join(" ")))
                    .hint("kubectl jobset help lists the commands")
            })?;
    }
    let text = at.render_long_help();
    Ok(if ansi {
        text.ansi().to_string()
    } else {
        text.to_string()
    })
}

/// What there is help about.
#[must_use]
pub fn topics() -> Vec<String> {
    Cli::command()
        .get_subcommands()
        .filter(|c| !c.is_hide_set())
        .map(|c| c.get_name().to_owned())
        .chain([EXIT_CODES.to_owned()])
        .collect()
}

/// The table of exit codes, made from the enum.
#[must_use]
pub fn exit_codes() -> String {
    let mut out = String::from(
        "Exit codes. 10 to 14 are verdicts about the workload and safe to act on; after 7, 15, 20,\n\
         124, 129, 130 and 143 the run may still be going on: don't submit it again\n\
         (kubectl jobset run --on-conflict attach is the safe retry).\n\n",
    );
    for code in ExitCode::ALL {
        out.push_str(&format!(
            "{:>5}  {}\n       of: {}\n",
            code.code(),
            code.meaning(),
            code.of_whom()
        ));
    }
    out
}

/// The same as rows of a Markdown table, for the README.
#[must_use]
pub fn exit_codes_markdown() -> String {
    let mut out = String::from("| code | meaning | of whom |\n| --- | --- | --- |\n");
    for code in ExitCode::ALL {
        out.push_str(&format!(
            "| {} | {} | {} |\n",
            code.code(),
            code.meaning(),
            code.of_whom()
        ));
    }
    out
}
