//! The engines that are measured.

pub(crate) mod brute;
pub(crate) mod documents;
pub(crate) mod fts5;
pub(crate) mod grep;
pub(crate) mod measured;
pub(crate) mod ours;

pub(crate) use measured::{BRUTE, Measured};
