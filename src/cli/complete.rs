//! Candidates for kubectl's plugin completion (plugin-conventions C.3): kubectl runs
//! `kubectl_complete-jobset WORD…` and reads `value<TAB>description` lines, then `:N`, cobra's
//! directive. Silent about whatever goes wrong.

use std::ffi::{OsStr, OsString};
use std::sync::{Arc, Mutex, PoisonError};

use clap::{Arg, ArgAction, Command, CommandFactory as _, FromArgMatches as _, ValueHint};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};

use crate::cli::args::{Cli, ConnectionArgs};
use crate::cli::candidates::Names;
use crate::cli::env::Env;
use crate::cli::help;
use crate::cli::settings;
use crate::driver::kube::ConnectOptions;

/// Most candidates of one answer: more is no help, and takes the shell long.
pub const MOST: usize = 500;

/// cobra's directives.
mod directive {
    /// The shell completes files.
    pub(super) const FILES: u8 = 0;
    /// Only what was listed.
    pub(super) const NOTHING_ELSE: u8 = 4;
    /// The shell completes directories.
    pub(super) const DIRECTORIES: u8 = 16;
}

/// What the shell should do beside our candidates.
type Directive = Arc<Mutex<u8>>;

/// The lines to print for the words after `jobset`, the last of which is being typed.
#[must_use]
pub fn answer(mut words: Vec<OsString>, env: &Env) -> Vec<String> {
    if words.is_empty() {
        words.push(OsString::new());
    }
    let current = words.last().cloned().unwrap_or_default();
    let (connection, run) = typed(&words, env);
    let names = Arc::new(Names::new(connection, run));
    let wanted: Directive = Arc::new(Mutex::new(directive::NOTHING_ELSE));
    let mut command = prepared(Cli::command(), &names, &wanted);
    let line: Vec<OsString> = std::iter::once(OsString::from("kubectl-jobset"))
        .chain(words)
        .collect();
    let last = line.len() - 1;
    let found = clap_complete::engine::complete(&mut command, line, last, None).unwrap_or_default();
    let mut lines: Vec<String> = found
        .iter()
        .filter(|c| !c.is_hide_set() && fits(c.get_value(), &current))
        .take(MOST)
        .map(line_of)
        .collect();
    // While a flag is typed the engine asks for the positional argument as well.
    let wanted = if current.to_string_lossy().starts_with('-') {
        directive::NOTHING_ELSE
    } else {
        *wanted.lock().unwrap_or_else(PoisonError::into_inner)
    };
    lines.push(format!(":{wanted}"));
    lines
}

/// Flags are offered once a dash is typed, as kubectl does.
fn fits(value: &OsStr, current: &OsStr) -> bool {
    let value = value.to_string_lossy();
    let current = current.to_string_lossy();
    current.starts_with('-') || !value.starts_with('-')
}

fn line_of(candidate: &CompletionCandidate) -> String {
    let value = candidate.get_value().to_string_lossy();
    match candidate.get_help().map(ToString::to_string) {
        Some(help) => {
            let first = help.lines().next().unwrap_or_default();
            format!("{value}\t{first}")
        }
        None => value.into_owned(),
    }
}

/// Gives every argument its completer, in every command.
fn prepared(command: Command, names: &Arc<Names>, wanted: &Directive) -> Command {
    let verb = command.get_name().to_owned();
    command
        .mut_args(|arg| completed(arg, &verb, names, wanted))
        .mut_subcommands(|sub| prepared(sub, names, wanted))
}

fn completed(arg: Arg, verb: &str, names: &Arc<Names>, wanted: &Directive) -> Arg {
    // The engine would take the next word for the value of a flag that needs `=` for it.
    if arg.is_require_equals_set() && arg.is_hide_possible_values_set() {
        let switch = arg
            .require_equals(false)
            .hide_possible_values(false)
            .num_args(0);
        return switch.action(ArgAction::SetTrue);
    }
    match (arg.get_value_hint(), arg.get_id().as_str()) {
        (ValueHint::FilePath, _) => arg.add(shell_completes(wanted, directive::FILES)),
        (ValueHint::DirPath, _) => arg.add(shell_completes(wanted, directive::DIRECTORIES)),
        (_, id) => {
            let source: fn(&Names) -> Vec<String> = match (verb, id) {
                (_, "context") => Names::contexts,
                (_, "cluster") => Names::clusters,
                (_, "user") => Names::users,
                (_, "namespace") => Names::namespaces,
                ("attach" | "status", "name") | ("delete", "names") => Names::runs,
                ("suspend" | "resume" | "stop", "name") => Names::unfinished_runs,
                ("logs", "words") => Names::runs_or_roles,
                ("logs", "roles") => Names::roles,
                ("help", "topic") => |_| help::topics(),
                _ => return arg,
            };
            let names = Arc::clone(names);
            arg.add(ArgValueCompleter::new(move |current: &OsStr| {
                let current = current.to_string_lossy().into_owned();
                source(&names)
                    .into_iter()
                    .filter(|name| name.starts_with(&current))
                    .map(CompletionCandidate::new)
                    .collect()
            }))
        }
    }
}

/// A completer that leaves it to the shell.
fn shell_completes(wanted: &Directive, directive: u8) -> ArgValueCompleter {
    let wanted = Arc::clone(wanted);
    ArgValueCompleter::new(move |_: &OsStr| {
        *wanted.lock().unwrap_or_else(PoisonError::into_inner) = directive;
        Vec::new()
    })
}

/// The connection flags among the words before the last, whatever else is wrong with the line, and the
/// run that `logs` names.
fn typed(words: &[OsString], env: &Env) -> (ConnectOptions, Option<String>) {
    let before = words.split_last().map_or(&[][..], |(_, before)| before);
    let line = std::iter::once(OsString::from("kubectl-jobset")).chain(before.iter().cloned());
    let matches = Cli::command()
        .ignore_errors(true)
        .try_get_matches_from(line)
        .ok();
    let args = matches
        .as_ref()
        .and_then(|matches| ConnectionArgs::from_arg_matches(matches).ok())
        .unwrap_or_default();
    let run = matches
        .as_ref()
        .and_then(|matches| matches.subcommand_matches("logs"))
        .and_then(|logs| logs.try_get_many::<String>("words").ok().flatten())
        .and_then(|mut words| words.next().cloned())
        .filter(|word| !word.contains(['/', '*']));
    (settings::connection(args, env), run)
}
