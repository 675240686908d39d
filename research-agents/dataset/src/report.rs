//! Composes the report from a draft.

pub(crate) mod compose;
pub(crate) mod fallback;
pub(crate) mod read;
pub(crate) mod repair;
