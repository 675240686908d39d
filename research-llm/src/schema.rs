//! What providers understand of JSON Schema: dialects, the way back from their answers, and a schema as a prompt.

mod adapt;
mod check;
mod dialect;
mod merge;
mod note;
mod prompt;
mod refs;
mod restore;

pub use dialect::{Adapted, Dialect};
pub use prompt::into_prompt;
pub use restore::restore;

#[cfg(not(feature = "validate"))]
pub(crate) use check::mismatch;
pub(crate) use restore::restore_partial;
