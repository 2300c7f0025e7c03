//! `completion`: scripts for shells, and the helper by which kubectl completes `kubectl jobset`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::CommandFactory as _;
use clap_complete::{Shell, generate};

use crate::cli::ExitCode;
use crate::cli::app::App;
use crate::cli::args::Cli;
use crate::cli::invocation::COMPLETION_HELPER;
use crate::cli::settings::CompletionSettings;
use crate::error::{Error, Result};

/// Prints a script, or installs the helper.
///
/// # Errors
/// The helper can't be written; the program's own place is unknown.
pub fn run(settings: CompletionSettings, argv0: Option<&OsStr>, app: &App) -> Result<ExitCode> {
    match settings {
        CompletionSettings::Script(shell) => app.printer.raw_out(script(shell).as_bytes()),
        CompletionSettings::Install(dir) => {
            let program = program(argv0)?;
            let dir = match dir {
                Some(dir) => dir,
                None => program.parent().map(Path::to_path_buf).unwrap_or_default(),
            };
            let helper = install(&program, &dir)?;
            app.printer.out(&format!("{} written", helper.display()));
            app.printer.err(&format!(
                "hint: kubectl finds it if {} is in PATH",
                dir.display()
            ));
        }
    }
    Ok(ExitCode::Ok)
}

/// Where this program is called from. kubectl calls a plugin by the path that it found: for what krew
/// installed a link that stays the same when the version changes, unlike the file behind it.
fn program(argv0: Option<&OsStr>) -> Result<PathBuf> {
    match argv0
        .map(Path::new)
        .filter(|path| path.is_absolute() && path.exists())
    {
        Some(path) => Ok(path.to_path_buf()),
        None => std::env::current_exe()
            .map_err(|e| Error::other("the place of this program is unknown").caused_by(e)),
    }
}

/// The script for a shell, for direct use as `kubectl-jobset`.
#[must_use]
pub fn script(shell: Shell) -> String {
    let mut bytes = Vec::new();
    generate(shell, &mut Cli::command(), "kubectl-jobset", &mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Writes the helper that kubectl 1.26 and later runs for completion. A script rather than a link:
/// it goes on working when the program is replaced by a package manager.
fn install(program: &Path, dir: &Path) -> Result<PathBuf> {
    let (name, text) = if cfg!(windows) {
        let text = format!(
            "@echo off\r\n\"{}\" __complete -- %*\r\n",
            program.display()
        );
        (format!("{COMPLETION_HELPER}.cmd"), text)
    } else {
        let quoted = program.display().to_string().replace('\'', r"'\''");
        let text = format!("#!/bin/sh\nexec '{quoted}' __complete -- \"$@\"\n");
        (COMPLETION_HELPER.to_owned(), text)
    };
    let helper = dir.join(name);
    let failed = |e: std::io::Error| {
        Error::other(format!("{} can't be written", helper.display()))
            .caused_by(e)
            .hint("kubectl jobset completion install --dir DIR, with a DIR in PATH that is yours")
    };
    // A helper of an earlier version may be a link to the program: writing would go through it.
    match std::fs::remove_file(&helper) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(failed(e)),
        _ => {}
    }
    std::fs::write(&helper, text).map_err(failed)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&helper, mode).map_err(failed)?;
    }
    Ok(helper)
}
