//! What a structured call returns, as a whole or in pieces.

use serde_json::Value;

use crate::message::Message;
use crate::response::{Response, Usage};

/// How often [`ChatModelExt::structured`](super::ChatModelExt::structured) asks at most.
pub const MAX_ATTEMPTS: u32 = 3;

/// A value that a model answered.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Structured<T> {
    /// The value.
    pub value: T,
    /// What all attempts used together.
    pub usage: Usage,
    /// How often was asked, from 1.
    pub attempts: u32,
    /// The answer that the value was read from, with its reasoning, its model and its own usage.
    pub response: Response,
    /// The answers before it that could not be used, each followed by the message that named the problem. The last attempt
    /// was asked with them after the messages of the request, so a conversation that is to grow only at its end keeps them.
    pub rejected: Vec<Message>,
}

/// A piece of a [structured stream](super::ChatModelExt::structured_stream).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Partial<T> {
    /// What has come so far, closed as it stands: for display, not checked against anything. Each one holds the one
    /// before, until [`Again`](Self::Again).
    Value(Value),
    /// The answer was not usable and the model is asked again: what came so far is void.
    #[non_exhaustive]
    Again {
        /// What was wrong with it.
        problem: String,
    },
    /// The whole value, read and checked. It is the last piece.
    Done(Box<Structured<T>>),
}
