//! The task of a model that judges whether a question is ambiguous.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::data::task::conversation::Conversation;
use crate::data::task::{QueryOverrides, ToolFacts};

/// What a language model says of a question: the answer to [`CLARIFY`](crate::data::task::CLARIFY).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ambiguity {
    /// The question cannot be answered well without asking the user.
    pub is_ambiguous: bool,
    /// What to ask the user; one sentence.
    #[serde(default)]
    pub question: String,
    /// Two to five answers to choose from, the likeliest first.
    #[serde(default)]
    pub options: Vec<String>,
}

/// The input of the task beside the prompt.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClarifyTask {
    /// The user's question.
    pub question: String,
    /// The data tools.
    pub tools: Vec<ToolFacts>,
    /// What the user fixed.
    #[serde(default)]
    pub overrides: QueryOverrides,
    /// What was said before.
    #[serde(default)]
    pub conversation: Conversation,
    /// What the program takes for ambiguous.
    #[serde(default)]
    pub doubts: Vec<Value>,
}
