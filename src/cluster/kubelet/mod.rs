//! Who runs pods.

pub mod scripted;
