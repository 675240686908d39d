//! What can go wrong with a model, typed by what the caller can do about it.

mod body;
mod build;
mod failure;
mod io;
mod kind;
mod model_error;
mod rules;
mod text;

pub use failure::Failure;
pub use kind::ErrorKind;
pub use model_error::{Cause, InvalidOutput, ModelError};
