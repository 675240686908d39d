//! The server's side of the providers' wire formats: what a provider is sent is read, what it must read is written.
//!
//! Written from the providers' public documentation and apart from the clients in this crate, so that the two check each other.
//! Reading is strict as the real servers are: a field of the wrong type, a tool result without its call, or a missing header
//! is [`Unreadable`].
//!
//! Sources: the API references of OpenAI (chat completions, responses, streaming events) and of Anthropic (messages,
//! streaming, errors, extended thinking, structured outputs), as of 2026.

mod anthropic;
mod asked;
mod chat;
mod fault;
mod fields;
mod format;
mod openai;
mod responses;

pub use anthropic::AnthropicMessages;
pub use asked::{Asked, turns};
pub use chat::OpenAiChat;
pub use fault::Fault;
pub use fields::Unreadable;
pub use format::{Frame, WireFormat};
pub use responses::OpenAiResponses;
