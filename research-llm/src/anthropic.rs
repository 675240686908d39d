//! Anthropic and the servers that speak like it.
//!
//! [`Anthropic`] speaks the messages API, version 2023-06-01. What the port says of a request goes over the wire so:
//!
//! * System messages, wherever they stand, become the system prompt. Turns of the same side that follow each other are
//!   joined, with the results of tools first.
//! * [`Message::cached`](crate::Message::cached) becomes a cache breakpoint at the message's last block. The API takes
//!   four; of more, the last ones win. Where one of the four is left, the list of tools gets it.
//! * [`Effort`](crate::Effort) becomes adaptive thinking with an effort, or a budget of tokens for thinking, as the model
//!   wants it ([`Quirks`]). Reasoning comes back in [`Response::reasoning`](crate::Response::reasoning); its signed
//!   blocks are [`Response::provider_items`](crate::Response::provider_items) of the format `anthropic` and go back
//!   unchanged, first in the assistant's turn. An answer that mixes reasoning with text or tool calls, or that has
//!   blocks of another type, is kept whole besides, in the format `anthropic.turn`, so that it goes back in its order.
//! * A schema becomes `output_config.format` for models that have it, in the dialect
//!   [`crate::schema::Dialect::Anthropic`]; otherwise, and when the server refuses it, it goes into
//!   the prompt.
//! * Temperature and `top_p` are left out where the model would refuse the call for them. The API knows no seed.
//! * [`Request::extra`](crate::Request::extra) replaces whole fields of the body, also `output_config`.

mod builder;
mod content;
mod model;
mod quirks;
mod request;
mod response;
mod step_down;
mod stream;
mod thinking;
mod turns;

pub use builder::AnthropicBuilder;
pub use model::Anthropic;
pub use quirks::{Quirks, Sampling, SchemaMode, Thinking};
