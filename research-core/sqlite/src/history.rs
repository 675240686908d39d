//! Operations on the histories of threads: writing, reading, and removing or copying.

pub(crate) mod heads;
pub(crate) mod put;
pub(crate) mod read;
pub(crate) mod remove;
