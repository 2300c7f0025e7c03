//! `local-host`: the process that hosts local runs. `--local` starts it; it ends by itself when no driver is
//! there and nothing runs. Its stdout is one line, the address; what goes wrong later is in its log.

use std::collections::BTreeMap;
use std::path::Path;

use crate::cli::app::App;
use crate::cli::env::{self, Env};
use crate::cli::{ExitCode, random};
use crate::cluster::local::host::{self, Options};
use crate::cluster::local::place::Place;
use crate::error::{Error, Result};

/// What an image would bring, and this machine brings.
const FOR_PODS: [&str; 5] = [env::PATH, env::HOME, env::LANG, env::LC_ALL, env::LC_CTYPE];

/// Hosts the runs of a folder until nobody needs it.
///
/// # Errors
/// The folder or a port can't be used. Another host of that folder is no error.
pub async fn run(dir: &Path, env: &Env, app: &App) -> Result<ExitCode> {
    let place = Place::new(dir);
    let lock = place
        .lock()
        .map_err(|e| Error::other(format!("{} can't be used", dir.display())).caused_by(e))?;
    let Some(lock) = lock else {
        return Ok(ExitCode::Ok);
    };
    // Out of the terminal's hands: its Ctrl-C is for the driver, and so is its end.
    #[cfg(unix)]
    let _ = rustix::process::setsid().ok();
    let given = |name: &str| Some((name.to_owned(), env.text(name)?.to_owned()));
    let options = Options {
        seed: random::seed(),
        machine: env.host(),
        environment: FOR_PODS
            .iter()
            .filter_map(|name| given(name))
            .collect::<BTreeMap<_, _>>(),
    };
    let ready = |address: &_| match serde_json::to_string(address) {
        Ok(line) => app.printer.out(&line),
        Err(error) => app.printer.error(&error.to_string()),
    };
    host::serve(&place, lock, options, ready).await?;
    Ok(ExitCode::Ok)
}
