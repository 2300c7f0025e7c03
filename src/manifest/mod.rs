//! The file the user wrote: YAML or JSON text to an admitted [`JobSet`], every complaint with its place.
//! Pure: the caller reads files and standard input, and passes names, bytes and the random suffix in.
//!
//! ```text
//! Source -> spans (where things stand) -> yaml (values, as kubectl reads them) -> documents (the one
//! JobSet) -> decode (fields and types) -> default (spec 3) -> validate (spec 4, and what can't work)
//! ```

mod check;
mod codes;
mod decode;
mod default;
mod documents;
mod excerpt;
pub mod finding;
mod load;
pub mod path;
pub mod report;
pub mod source;
mod spans;
mod validate;
mod yaml;

pub use codes::CODES;
pub use default::defaults;
pub use finding::{Finding, Label, Place, Severity};
pub use load::{LoadOptions, Loaded, Validate, load};
pub use path::{FieldPath, Segment};
pub use source::{Located, MAX_SOURCE_BYTES, Source, SourceMap};
pub use spans::MAX_DEPTH;
pub use yaml::to_yaml;

#[cfg(doc)]
use crate::api::JobSet;
