//! Where a server is known to answer otherwise than a real control plane.

/// A check that is expected not to agree. One that agrees all the same fails the test, so that the
/// list stays true.
pub(crate) struct Difference {
    /// Its name, without the name of the test binary.
    pub(crate) check: &'static str,
    /// What is different, and why it stays so.
    pub(crate) why: &'static str,
}
