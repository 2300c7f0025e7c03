//! From the command line to the exit code: parse, resolve, dispatch to one file per verb, say what went
//! wrong in one place.

use std::ffi::{OsStr, OsString};

use clap::error::ErrorKind;
use clap::{Command, CommandFactory as _, FromArgMatches as _};

use crate::cli::app::App;
use crate::cli::args::{Cli, TalkArgs, Verb};
use crate::cli::env::Env;
use crate::cli::invocation::Invocation;
use crate::cli::run as run_verb;
use crate::cli::settings::{
    self, AttachSettings, ChangeSettings, CompletionSettings, DeleteSettings, LogsSettings,
    PocketSettings, RenderSettings, RunSettings, SimulateSettings, StatusSettings, Talk,
    ValidateSettings, VersionSettings,
};
use crate::cli::{
    ExitCode, attach, complete, completion, delete, help, local, logs, pocket, render, simulate,
    status, stop, suspend, validate, version,
};
#[cfg(target_os = "linux")]
use crate::cluster::kubelet::process;
use crate::driver::kube::ConnectOptions;
use crate::error::{Error, Result};
use crate::report::style::paint;

/// Runs the program on the process's arguments, environment and streams.
#[must_use]
pub fn main() -> std::process::ExitCode {
    let mut words = std::env::args_os();
    let argv0 = words.next();
    let words: Vec<OsString> = words.collect();
    #[cfg(target_os = "linux")]
    if words.first().is_some_and(|word| word == process::POD_INIT) {
        // A step of a pod's start: one thread, no settings, no output.
        return process::pod_init(words.get(1).and_then(|step| step.to_str()));
    }
    let env = Env::read();
    let invocation = Invocation::detect(argv0.as_deref(), &env);
    if invocation == Invocation::Completion {
        return answer_kubectl(words, &env).into();
    }
    run(invocation, argv0.as_deref(), words, &env)
}

/// The clap tree with the name by which the program was called.
#[must_use]
pub fn command(invocation: Invocation) -> Command {
    Cli::command().bin_name(invocation.bin_name())
}

/// Answers `kubectl_complete-jobset WORD…`; says nothing about what goes wrong.
fn answer_kubectl(words: Vec<OsString>, env: &Env) -> ExitCode {
    let app = App::new(ConnectOptions::default(), Talk::default(), String::new());
    let lines = complete::answer(words, env);
    app.printer.out_lines(&lines);
    ExitCode::Ok
}

fn run(
    invocation: Invocation,
    argv0: Option<&OsStr>,
    words: Vec<OsString>,
    env: &Env,
) -> std::process::ExitCode {
    // While the flags are not understood, the environment still says how to talk.
    let fallback = || {
        let talk = Talk::resolve(&TalkArgs::default(), env).unwrap_or_default();
        App::new(ConnectOptions::default(), talk, String::new())
    };
    let line = std::iter::once(OsString::from(invocation.bin_name())).chain(words.iter().cloned());
    let parsed = command(invocation)
        .try_get_matches_from(line)
        .and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(e) => return not_parsed(&e, words.is_empty(), invocation, &fallback()).into(),
    };
    let talk = match Talk::resolve(&cli.global.talk, env) {
        Ok(talk) => talk,
        Err(e) => return failed(&e, &fallback()).into(),
    };
    let connection = settings::connection(cli.global.connection, env);
    let local = match local::asked_for(cli.global.local, &cli.verb, env) {
        Ok(local) => local,
        Err(e) => return failed(&e, &fallback()).into(),
    };
    let app = App::new(connection, talk, env.who()).with_local(local);
    let code = match dispatch(cli.verb, invocation, argv0, env, &app) {
        Ok(code) => code,
        Err(e) => failed(&e, &app).into(),
    };
    // A reader that has gone away has had enough; a disk that is full has not got all of it.
    if code == std::process::ExitCode::SUCCESS && app.printer.stdout_failed() {
        return ExitCode::Other.into();
    }
    code
}

/// Help and version are answers, everything else clap says is a usage error. kubectl without arguments
/// shows its help, so we do.
fn not_parsed(error: &clap::Error, bare: bool, invocation: Invocation, app: &App) -> ExitCode {
    if bare {
        let text = command(invocation).render_help();
        let ansi = app.out_styles().is_colored();
        let text = if ansi {
            text.ansi().to_string()
        } else {
            text.to_string()
        };
        app.printer.raw_out(text.as_bytes());
        return ExitCode::Ok;
    }
    let answer = matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
    );
    let styles = if answer {
        app.out_styles()
    } else {
        app.err_styles()
    };
    let text = error.render();
    let text = if styles.is_colored() {
        text.ansi().to_string()
    } else {
        text.to_string()
    };
    if answer {
        app.printer.raw_out(text.as_bytes());
        ExitCode::Ok
    } else {
        app.printer.error(text.trim_end());
        ExitCode::Usage
    }
}

/// The one place where an error is shown.
fn failed(error: &Error, app: &App) -> ExitCode {
    let text = error.render();
    let styles = app.err_styles();
    let text = match text.split_once(':') {
        Some((head, rest)) if styles.is_colored() => {
            format!("{}:{rest}", paint(styles.error, head))
        }
        _ => text,
    };
    app.printer.error(&text);
    error.exit_code()
}

fn dispatch(
    verb: Verb,
    invocation: Invocation,
    argv0: Option<&OsStr>,
    env: &Env,
    app: &App,
) -> Result<std::process::ExitCode> {
    let code = match verb {
        Verb::Help(args) => {
            let ansi = app.out_styles().is_colored();
            let text = help::text(command(invocation), &args.topic, ansi)?;
            app.printer.out(text.trim_end());
            Ok(ExitCode::Ok)
        }
        Verb::Completion(args) => completion::run(CompletionSettings::from(args), argv0, app),
        Verb::Complete(args) => {
            let words = args.words.into_iter().map(OsString::from).collect();
            app.printer.out_lines(&complete::answer(words, env));
            Ok(ExitCode::Ok)
        }
        Verb::Validate(args) => wait(validate::run(ValidateSettings::from(args), app)),
        Verb::Render(args) => wait(render::run(RenderSettings::from(args), app)),
        Verb::Simulate(args) => wait(simulate::run(SimulateSettings::resolve(*args)?, app)),
        Verb::Status(args) => wait(status::run(StatusSettings::from(args), app)),
        Verb::Suspend(args) => wait(suspend::run(ChangeSettings::from(args), true, app)),
        Verb::Resume(args) => wait(suspend::run(ChangeSettings::from(args), false, app)),
        Verb::Stop(args) => wait(stop::run(ChangeSettings::from(args), app)),
        Verb::Delete(args) => wait(delete::run(DeleteSettings::from(args), app)),
        Verb::Version(args) => wait(version::run(VersionSettings::from(args), app)),
        Verb::Logs(args) => wait(logs::run(LogsSettings::resolve(*args)?, app)),
        #[cfg(target_os = "linux")]
        Verb::LocalHost(args) => wait(crate::cli::local_host::run(&args.dir, env, app)),
        Verb::Run(args) => wait(run_verb::run(RunSettings::resolve(*args, env)?, app)),
        Verb::Attach(args) => wait(attach::run(AttachSettings::resolve(*args, env)?, app)),
        // The one verb whose code can be another program's.
        Verb::Pocket(args) => return wait(pocket::run(PocketSettings::resolve(args)?, app)),
    };
    code.map(Into::into)
}

/// Runs a verb to its end. One thread: the driver is one loop, and a client that waits needs no more.
fn wait<T>(verb: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|e| Error::other("the runtime can't be started").caused_by(e))?;
    let result = runtime.block_on(verb);
    // Not waiting for blocked reads of standard input.
    runtime.shutdown_background();
    result
}
