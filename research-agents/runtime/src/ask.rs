//! Prompts, and the context window that they must fit.

pub(crate) mod prompt;
pub(crate) mod tasks;
pub(crate) mod window;

pub use prompt::{BLOCK_CAP, Prompt, PromptError, Template, Trusted, UserText};
pub use window::{ContextWindow, Shrink, tokens};
