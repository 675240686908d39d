//! A bridge to the crate `genai`, for the providers that have no client of their own here.
//!
//! What the bridge adds: errors are typed by status, with the provider's delay; a stream that breaks off is an error
//! with what had arrived; time limits and no redirects. What it cannot give, because genai does not: the arguments of
//! tool calls in pieces (they come whole at the end of a stream), marks of failed tool results, a ban on several tool
//! calls at once, and a limit on the size of an answer. genai takes an effort out of the name of a model (`-high` at its end).

mod answer;
mod build;
mod failure;
mod item;
mod model;
mod request;
mod stream;

pub use build::GenaiBuilder;
pub use model::Genai;
