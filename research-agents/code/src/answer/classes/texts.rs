//! Answers from strings and other text: messages, environment variables, commands, and names that
//! no code has.

mod commands;
mod environment;
mod matched;
mod message;
mod textual;

pub(crate) use self::commands::{commands, events};
pub(crate) use self::environment::environment;
pub(crate) use self::message::{message, text};
pub(crate) use self::textual::{is_textual, textual};
