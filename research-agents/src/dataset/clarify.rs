//! Ambiguous questions: what the user is asked, who asks, and what an answer means.

mod answer;
mod doubt;

use std::fmt;
use std::sync::Arc;

use research_mcp::BoxFuture;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::config::DatasetConfig;

pub(crate) use answer::settle;
pub use doubt::Doubt;

/// The key of an interrupt's payload under which the question stands.
const KEY: &str = "clarification";

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

/// What a run asks its user before it plans.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clarification {
    /// The question, one sentence or two.
    pub question: String,
    /// Readings to choose from, the likeliest first; names of fields and values in them are the data's own. An answer is the
    /// number of one, counted from 1, its words, or other words of the user's.
    pub options: Vec<String>,
    /// The option that is taken when the answer is empty.
    pub default: Option<String>,
}

impl Clarification {
    /// The question of an interrupt, if it is one of this agent.
    #[must_use]
    pub fn asked(question: &research_core::Question) -> Option<Self> {
        serde_json::from_value(question.payload.get(KEY)?.clone()).ok()
    }

    /// It as an interrupt with this key.
    pub(crate) fn interrupt(&self, key: String) -> research_core::Ask {
        let schema = json!({"type": "string", "description": "the number of an option, its words, or other words; empty \
            to go on with the question as it is"});
        research_core::Ask::new(key, json!({ KEY: self })).schema(schema)
    }
}

impl fmt::Display for Clarification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.question)?;
        let options = self.options.iter().enumerate().map(|(at, option)| format!("{}. {option}", at + 1));
        let options: Vec<String> = options.collect();
        if options.is_empty() { Ok(()) } else { write!(f, " ({})", options.join("; ")) }
    }
}

/// Asks the user in this process, while the run waits.
///
/// ```
/// use research_agents::dataset::{Clarification, Clarifier};
/// use research_agents::mcp::BoxFuture;
///
/// /// Somebody who always takes the second option.
/// struct Second;
///
/// impl Clarifier for Second {
///     fn ask(&self, clarification: Clarification) -> BoxFuture<'_, Option<String>> {
///         Box::pin(async move { clarification.options.get(1).cloned() })
///     }
/// }
/// ```
pub trait Clarifier: Send + Sync {
    /// The answer in the user's words: the number of an option, an option, or anything else. `None` when nobody answers: then
    /// the likeliest reading holds. The time counts to that of the run.
    fn ask(&self, clarification: Clarification) -> BoxFuture<'_, Option<String>>;
}

impl<T: Clarifier + ?Sized> Clarifier for Arc<T> {
    fn ask(&self, clarification: Clarification) -> BoxFuture<'_, Option<String>> {
        (**self).ask(clarification)
    }
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
