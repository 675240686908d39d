//! The rules of English, each a check of a sentence that is aligned with a unit of evidence.

pub(crate) mod conditions;
pub(crate) mod denied;
pub(crate) mod doubt;
pub(crate) mod hedges;
pub(crate) mod numbers;
pub(crate) mod order;
pub(crate) mod replaced;
