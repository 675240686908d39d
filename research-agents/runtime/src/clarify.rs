//! Questions to the user about an ambiguous request.

pub(crate) mod clarification;
pub(crate) mod policy;

pub use clarification::{Clarification, Clarifier};
pub use policy::{Asking, ClarificationPolicy, asked};
