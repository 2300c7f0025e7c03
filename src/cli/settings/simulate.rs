//! Settings of `simulate`.

use crate::cli::args::SimulateArgs;
use crate::cli::settings::{ManifestSettings, Source};
use crate::cli::words::TextOutput;
use crate::error::{Error, Result};
use crate::simulate::{Expectation, Wishes};

/// `simulate`.
#[derive(Clone, Debug, PartialEq)]
pub struct SimulateSettings {
    /// The manifest; none: the script brings its own.
    pub manifest: Option<ManifestSettings>,
    /// Commands and expectations.
    pub script: Option<Source>,
    /// What is to happen.
    pub wishes: Wishes,
    /// How it should end.
    pub expect: Option<Expectation>,
    /// As JSON.
    pub json: bool,
}

impl SimulateSettings {
    /// Takes the flags together.
    ///
    /// # Errors
    /// `Usage`: a time that is too long.
    pub fn resolve(args: SimulateArgs) -> Result<Self> {
        let span = |time| {
            k8s_openapi::jiff::SignedDuration::try_from(time)
                .map_err(|_| Error::usage("a duration of more than 500 years"))
        };
        let sources: Vec<Source> = args
            .file
            .into_iter()
            .chain(args.filenames)
            .map(Source::from)
            .collect();
        Ok(Self {
            manifest: (!sources.is_empty()).then_some(ManifestSettings {
                sources,
                validate: args.validate,
            }),
            script: args.script.map(Source::from),
            wishes: Wishes {
                fails: args.fails,
                evicts: args.evicts,
                never_ready: args.never_ready,
                run_times: args
                    .run_times
                    .into_iter()
                    .map(|(role, time)| Ok((role, span(time)?)))
                    .collect::<Result<_>>()?,
                nodes: args.nodes,
                seed: args.seed,
                until: span(args.until)?,
            },
            expect: args.expect,
            json: args.output == TextOutput::Json,
        })
    }
}
