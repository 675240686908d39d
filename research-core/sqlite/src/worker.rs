//! The threads that serve the file: one that writes, and some that read.

pub(crate) mod reader;
pub(crate) mod reads;
pub(crate) mod writer;
