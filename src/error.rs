//! The one error type that leaves the library: a kind (which decides the exit code), what happened,
//! the chain of causes, and hints. `cli` renders it; nothing below prints.

use std::fmt;

use crate::cli::ExitCode;

/// Result with [`Error`] unless another error is named.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What kind of trouble; decides the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Wrong flag or argument, ambiguous run.
    Usage,
    /// The manifest was refused (the findings have been rendered into the message).
    Manifest,
    /// No run of that name.
    NoSuchRun,
    /// A foreign object, another spec, a taken seat.
    InTheWay,
    /// 401 or 403, or a missing right.
    NotAllowed,
    /// No contact with the API server.
    NotReached,
    /// It asks for more than there is.
    WouldNotFit,
    /// Anything else.
    Other,
}

/// An error for a person: message, causes, hints.
#[derive(Debug)]
pub struct Error {
    kind: Kind,
    message: String,
    causes: Vec<String>,
    hints: Vec<String>,
    from_server: Option<String>,
}

impl Error {
    /// An error of that kind; `message` is a lower-case fragment without a full stop that names the
    /// object.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            causes: Vec::new(),
            hints: Vec::new(),
            from_server: None,
        }
    }
    /// Kind `Usage`.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Kind::Usage, message)
    }
    /// Kind `Other`.
    pub fn other(message: impl Into<String>) -> Self {
        Self::new(Kind::Other, message)
    }
    /// Adds a cause below the ones there.
    #[must_use]
    pub fn caused_by(mut self, cause: impl fmt::Display) -> Self {
        self.causes.push(cause.to_string());
        self
    }
    /// Adds every error of a source chain as a cause.
    #[must_use]
    pub fn with_chain(mut self, error: &(dyn std::error::Error + 'static)) -> Self {
        let mut next = Some(error);
        while let Some(e) = next {
            let text = e.to_string();
            if !self.causes.last().is_some_and(|last| last.contains(&text)) {
                self.causes.push(text);
            }
            next = e.source();
        }
        self
    }
    /// Adds a hint: the next command to type.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }
    /// The API server said this, with that `Status.reason`: rendered as kubectl does
    /// (`Error from server (Forbidden): …`).
    #[must_use]
    pub fn from_server(mut self, reason: impl Into<String>) -> Self {
        self.from_server = Some(reason.into());
        self
    }
    /// Kind.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }
    /// Message without causes.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
    /// Hints, in order.
    #[must_use]
    pub fn hints(&self) -> &[String] {
        &self.hints
    }
    /// Exit code of the kind.
    #[must_use]
    pub fn exit_code(&self) -> ExitCode {
        match self.kind {
            Kind::Usage => ExitCode::Usage,
            Kind::Manifest => ExitCode::Manifest,
            Kind::NoSuchRun => ExitCode::NoSuchRun,
            Kind::InTheWay => ExitCode::InTheWay,
            Kind::NotAllowed => ExitCode::NotAllowed,
            Kind::NotReached => ExitCode::NotReached,
            Kind::WouldNotFit => ExitCode::WouldNotFit,
            Kind::Other => ExitCode::Other,
        }
    }
    /// The whole text: headline, causes, hints, as lines without a final line end.
    #[must_use]
    pub fn render(&self) -> String {
        use fmt::Write as _;
        let mut out = match &self.from_server {
            Some(reason) => format!("Error from server ({reason}): {}", self.message),
            None => format!("error: {}", self.message),
        };
        for cause in &self.causes {
            let _ = write!(out, "\n  caused by: {cause}");
        }
        for hint in &self.hints {
            let _ = write!(out, "\nhint: {hint}");
        }
        out
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        for cause in &self.causes {
            write!(f, ": {cause}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}
