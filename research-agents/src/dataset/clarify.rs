//! Ambiguous questions: what the user is asked, who asks, and what an answer means.

mod answer;
mod doubt;

use std::sync::Arc;

use research_core::{Ask, Question};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::config::DatasetConfig;

pub(crate) use answer::settle;
pub use doubt::Doubt;

use crate::kernel::{Clarification, Clarifier};

/// The key of an interrupt's payload under which the question stands.
const KEY: &str = "clarification";

/// What a run asks its user, if an open question of a thread is one of this agent. The answer to it is a text.
#[must_use]
pub fn asked(question: &Question) -> Option<Clarification> {
    serde_json::from_value(question.payload.get(KEY)?.clone()).ok()
}

/// A question as an interrupt with this key.
pub(crate) fn interrupt(clarification: &Clarification, key: String) -> Ask {
    let schema = json!({"type": "string", "description": "the number of an option, its words, or other words; empty to go \
        on with the question as it is"});
    Ask::new(key, json!({ KEY: clarification })).schema(schema)
}

/// What is done about a question that can be read in several ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ClarificationPolicy {
    /// Takes the likeliest reading, and says so among the limitations of the report. Asks nobody.
    #[default]
    Assume,
    /// Asks the [`Clarifier`] of the run. Without one, a run on a thread is interrupted until
    /// [`resume`](super::DatasetAgent::resume) brings the answer, in this process or another; and a run without a thread, which
    /// nothing could wake again, takes the likeliest reading.
    Ask,
}

/// How a run deals with ambiguity.
#[derive(Clone, Default)]
pub(crate) struct Asking {
    pub(crate) clarifier: Option<Arc<dyn Clarifier>>,
    /// The run was started with an answer, so that its question must come up again.
    pub(crate) is_answered: bool,
}

impl Asking {
    /// Whether somebody can be asked.
    pub(crate) fn can_ask(&self, config: &DatasetConfig, has_thread: bool) -> bool {
        let asks = self.is_answered || config.clarification == ClarificationPolicy::Ask;
        asks && config.max_clarifications > 0 && (self.clarifier.is_some() || has_thread)
    }
}

/// What a language model says of a question: the answer to [`CLARIFY`](super::task::CLARIFY).
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
    pub tools: Vec<super::task::ToolFacts>,
    /// What the user fixed.
    #[serde(default)]
    pub overrides: super::task::QueryOverrides,
    /// What was said before.
    #[serde(default)]
    pub conversation: super::task::Conversation,
    /// What the program takes for ambiguous.
    #[serde(default)]
    pub doubts: Vec<Value>,
}
