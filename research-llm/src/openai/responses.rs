//! The responses format: structured output and reasoning in one, with reasoning that is handed back.

mod input;
mod output;
pub(super) mod request;
pub(super) mod response;
pub(super) mod stream;

/// Where it is, after the base address.
pub(super) const PATH: &str = "/responses";

/// The wire format of the pieces that a server wants back.
pub(super) const FORMAT: &str = "openai.responses";
