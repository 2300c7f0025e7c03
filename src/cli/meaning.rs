//! What the words of the command line mean to those who carry them out: the one place where both sides
//! are named. The words have help texts and clap, the other side has neither.

use crate::cli::words;
use crate::driver::preflight::FieldValidation;
use crate::driver::session::{OnInterrupt, OnTimeout};
use crate::engine::FailAt;
use crate::report::level::Progress;

/// `impl From<word> for meaning`, variant by variant of the same name.
macro_rules! means {
    ($word:ty => $meaning:ty: $($variant:ident),+) => {
        impl From<$word> for $meaning {
            fn from(word: $word) -> Self {
                match word {
                    $(<$word>::$variant => Self::$variant,)+
                }
            }
        }
    };
}

means!(words::OnInterrupt => OnInterrupt: Ask, Detach, Stop, Delete);
means!(words::OnTimeout => OnTimeout: Detach, Stop, Delete);
means!(words::FailAt => FailAt: FailureTarget, Failed);
means!(words::Validate => FieldValidation: Strict, Warn, Ignore);
means!(words::ProgressWhen => Progress: Auto, Tty, Plain, Json, Quiet);
