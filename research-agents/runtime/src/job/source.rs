//! Sources of tools whose servers may ask the user in the middle of a call.

use std::fmt;
use std::sync::Arc;

use research_mcp::{
    Answers, BoxFuture, CallOutput, ElicitAnswer, Elicitation, McpError, Object, ToolListing,
    ToolSource,
};
use serde::{Deserialize, Serialize};

use crate::event::progress::ToolProgress;
use crate::tape::exchange::ToolQuestion;

/// Questions of a call with the user's answers, in the order in which they were asked.
pub type AnsweredQuestions = Vec<(Elicitation, ElicitAnswer)>;

/// A source of tools whose servers may ask the user in the middle of a call.
///
/// [`HubTools`](crate::tools::hub::HubTools) is one. Any other [`ToolSource`] serves as one whose
/// tools never ask.
pub trait AskingSource: ToolSource {
    /// Makes one request of a call: to its end, or to the point where the server asks the user.
    /// Dropping the future cancels the request.
    ///
    /// # Errors
    ///
    /// When there is neither a result nor a question.
    fn request<'a>(
        &'a self,
        name: &'a str,
        arguments: Object,
        turn: &'a Turn,
    ) -> BoxFuture<'a, Result<Called, McpError>>;
}

/// What is known when a request of a call is made.
#[derive(Clone)]
#[non_exhaustive]
pub struct Turn {
    /// Distinguishes the call from the others of its source.
    pub label: String,
    /// What the progress of the call is reported under.
    pub key: String,
    /// `true` if the user can be asked.
    pub can_ask: bool,
    /// Answers to what the request before asked for.
    pub answers: Option<Answers>,
    /// Questions that were asked in the middle of requests before, with their answers.
    pub answered: AnsweredQuestions,
    /// Receives the progress of the call.
    pub on_progress: Arc<dyn Fn(ToolProgress) + Send + Sync>,
}

impl Turn {
    /// Creates the first turn of a call about which no one can be asked.
    pub fn new(label: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            key: String::new(),
            can_ask: false,
            answers: None,
            answered: Vec::new(),
            on_progress: Arc::new(drop),
        }
    }
}

impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Turn")
            .field("label", &self.label)
            .field("can_ask", &self.can_ask)
            .field("answered", &self.answered.len())
            .finish_non_exhaustive()
    }
}

/// How one request of a call ended, as a thread records it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Called {
    /// The server asks the user.
    Asked(ToolQuestion),
    /// The tool gave a result.
    Done(Box<CallOutput>),
}

/// A source whose tools never ask.
pub(crate) struct Silent(pub(crate) Arc<dyn ToolSource>);

impl ToolSource for Silent {
    fn list_tools(&self) -> BoxFuture<'_, Result<ToolListing, McpError>> {
        self.0.list_tools()
    }

    fn call_tool<'a>(
        &'a self,
        name: &'a str,
        arguments: Object,
    ) -> BoxFuture<'a, Result<CallOutput, McpError>> {
        self.0.call_tool(name, arguments)
    }
}

impl AskingSource for Silent {
    fn request<'a>(
        &'a self,
        name: &'a str,
        arguments: Object,
        _: &'a Turn,
    ) -> BoxFuture<'a, Result<Called, McpError>> {
        Box::pin(async move {
            let output = self.0.call_tool(name, arguments).await?;
            Ok(Called::Done(Box::new(output)))
        })
    }
}
