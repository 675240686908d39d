//! Questions to the model: typed answers, and free turns of a conversation.

pub(crate) mod ask;
pub(crate) mod chat;

pub use ask::{Ask, Incomplete, ListedPart, Reply};
