//! Answers as Rust types: ask with the schema, read, and ask again with the precise error.

mod answer;
mod ext;
mod extract;
mod grow;
mod read;
mod repair;
mod session;
mod stream;
#[cfg(feature = "validate")]
mod violations;

pub use answer::{MAX_ATTEMPTS, Partial, Structured};
pub use ext::ChatModelExt;
pub use grow::complete_json;

pub(crate) use read::read_object;

#[cfg(test)]
mod tests;
