//! Reading manifests from files and standard input, bounded, and showing what was found in them.

use std::fs::File;
use std::io::{self, Read};

use crate::cli::app::App;
use crate::cli::settings::{ManifestSettings, Source};
use crate::cli::words::Validate;
use crate::error::{Error, Kind, Result};
use crate::manifest::{self, Finding, LoadOptions, Loaded, MAX_SOURCE_BYTES, SourceMap, report};

/// Reads the sources.
///
/// # Errors
/// The first one that can't be read; standard input is asked for twice.
pub fn read(sources: &[Source]) -> Result<Vec<manifest::Source>> {
    read_each(sources)?.into_iter().collect()
}

/// Reads each source, whatever becomes of the others. Of an oversized one no more than is needed to refuse it.
///
/// # Errors
/// Standard input is asked for twice.
pub fn read_each(sources: &[Source]) -> Result<Vec<Result<manifest::Source>>> {
    if sources.iter().filter(|s| **s == Source::Stdin).count() > 1 {
        return Err(Error::usage("standard input (-) can be read only once"));
    }
    Ok(sources.iter().map(read_one).collect())
}

fn read_one(source: &Source) -> Result<manifest::Source> {
    let mut bytes = Vec::new();
    // One byte more than is taken, so that `load` sees that it is too much.
    let limit = u64::try_from(MAX_SOURCE_BYTES)
        .unwrap_or(u64::MAX)
        .saturating_add(1);
    let result = match source {
        Source::Stdin => io::stdin().lock().take(limit).read_to_end(&mut bytes),
        Source::File(path) => File::open(path).and_then(|f| f.take(limit).read_to_end(&mut bytes)),
    };
    match result {
        Ok(_) => Ok(manifest::Source::new(source.to_string(), bytes)),
        Err(e) if e.kind() == io::ErrorKind::IsADirectory => Err(Error::other(format!(
            "{source} is a directory, name the files in it"
        ))),
        Err(e) => Err(Error::other(format!("{source} can't be read")).caused_by(e)),
    }
}

impl From<Validate> for manifest::Validate {
    fn from(word: Validate) -> Self {
        match word {
            Validate::Strict => Self::Strict,
            Validate::Warn => Self::Warn,
            Validate::Ignore => Self::Ignore,
        }
    }
}

/// Reads and loads the one JobSet of a command, and says on stderr what was found in it.
///
/// # Errors
/// `Manifest` if it is refused, after its findings have been printed.
pub fn load(
    settings: &ManifestSettings,
    options: &LoadOptions,
    app: &App,
) -> Result<(crate::api::JobSet, Loaded)> {
    let sources = read(&settings.sources)?;
    load_sources(&sources, settings.validate, options, app)
}

/// The text of a source.
///
/// # Errors
/// It can't be read, is too large, or isn't UTF-8.
pub fn read_text(source: &Source) -> Result<String> {
    let read = read_one(source)?;
    if read.bytes.len() > MAX_SOURCE_BYTES {
        return Err(Error::other(format!(
            "{source} is larger than {MAX_SOURCE_BYTES} bytes"
        )));
    }
    String::from_utf8(read.bytes).map_err(|_| Error::other(format!("{source} is not UTF-8")))
}

/// As [`load`], of sources that have been read.
///
/// # Errors
/// As [`load`].
pub fn load_sources(
    sources: &[manifest::Source],
    validate: Validate,
    options: &LoadOptions,
    app: &App,
) -> Result<(crate::api::JobSet, Loaded)> {
    let options = LoadOptions {
        validate: validate.into(),
        ..options.clone()
    };
    let mut loaded = manifest::load(sources, &options);
    let text = excerpts(
        app,
        &loaded.findings,
        &loaded.sources,
        app.err_styles().is_colored(),
    );
    match loaded.jobset.take() {
        Some(jobset) => {
            if !loaded.findings.is_empty() {
                app.printer.err(text.trim_end());
            }
            Ok((jobset, loaded))
        }
        None => {
            app.printer.error(text.trim_end());
            let names: Vec<&str> = sources.iter().map(|s| s.name.as_str()).collect();
            Err(Error::new(
                Kind::Manifest,
                format!("{} refused, nothing was made", names.join(", ")),
            ))
        }
    }
}

/// The findings with their places, and the line that counts them.
#[must_use]
pub fn excerpts(app: &App, findings: &[Finding], sources: &SourceMap, color: bool) -> String {
    let style = report::Style {
        color,
        unicode: app.talk.utf8,
        width: app.printer.columns().min(report::DEFAULT_WIDTH),
    };
    report::render(findings, sources, style)
}
