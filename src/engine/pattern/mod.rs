//! `onJobFailureMessagePatterns` are regular expressions of Go's `regexp` package. That dialect and the one
//! of the `regex` crate are both RE2's children, but not twins: `\d` is ASCII here and Unicode there,
//! `\<` a letter here and an assertion there, `a**` an error here and accepted there. So a pattern is read
//! by Go's rules and written anew in terms that mean the same to `regex`.
//!
//! Matching is unanchored: anywhere in the message.

mod class;
mod escape;
mod parse;

use std::fmt;

use regex::bytes::{Regex, RegexBuilder};

/// Memory a compiled pattern may take, in bytes: `regex`'s own default.
const SIZE_LIMIT: usize = 10 * (1 << 20);

/// A pattern that was compiled by Go's rules.
#[derive(Clone, Debug)]
pub struct GoPattern {
    source: String,
    regex: Regex,
}

/// Why a pattern doesn't compile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError {
    /// Byte of the pattern at which the offending part starts.
    pub offset: usize,
    /// What is wrong, in Go's words where Go refuses it.
    pub message: String,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for PatternError {}

impl GoPattern {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// What Go's `regexp.Compile` refuses, and what is too large or too deeply nested for us.
    pub fn compile(pattern: &str) -> Result<Self, PatternError> {
        let translated = parse::translate(pattern)?;
        // Bytes, because an ASCII `\B` may hold inside a character there; `is_match` rules that out.
        let regex = RegexBuilder::new(&translated)
            .size_limit(SIZE_LIMIT)
            .build()
            .map_err(|e| PatternError {
                offset: 0,
                message: match e {
                    regex::Error::CompiledTooBig(_) => "the pattern is too large".to_owned(),
                    other => format!("the pattern can't be compiled: {other}"),
                },
            })?;
        Ok(Self {
            source: pattern.to_owned(),
            regex,
        })
    }

    /// The pattern as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.source
    }

    /// It matches somewhere in `text`.
    #[must_use]
    pub fn is_match(&self, text: &str) -> bool {
        let mut from = 0;
        while let Some(found) = self.regex.find_at(text.as_bytes(), from) {
            if text.is_char_boundary(found.start()) {
                return true;
            }
            from = found.start() + 1;
        }
        false
    }
}

impl PartialEq for GoPattern {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

#[cfg(test)]
mod tests;
