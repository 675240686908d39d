//! A recorded answer of an agent with tools, as data.

use research_llm::{Message, Role};
use serde::{Deserialize, Serialize};

use crate::bundle::expected::Expected;
use crate::tape::{Effect, Recording};
use crate::tools::agent::state::ToolLoopState;

/// A recorded answer: all that [`ToolAgent::replay`](crate::tools::agent::ToolAgent::replay) needs
/// to give it again, without secrets and without the model. Write it as JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolRecording {
    /// The question.
    pub question: String,
    /// The conversation of the thread before it.
    pub history: Vec<Message>,
    /// The word that marked results of tools.
    pub marker: String,
    /// Requests to the model and calls of tools, in the order of their tasks.
    pub effects: Vec<Effect>,
    /// The answer.
    pub text: String,
}

impl ToolRecording {
    /// Creates the recording of an answered question; `None` if it is not recorded or not answered.
    pub(crate) fn from_state(state: &ToolLoopState) -> Option<Self> {
        let text = state.answer.clone().filter(|_| state.is_recorded)?;
        let is_user = |message: &Message| message.role == Role::User;
        let asked_at = state.messages.iter().rposition(is_user)?;
        let effects = state.recording.iter().flat_map(|task| &task.effects);
        Some(Self {
            question: state.messages[asked_at].text(),
            history: state.messages[..asked_at].to_vec(),
            marker: state.marker.clone(),
            effects: effects.cloned().collect(),
            text,
        })
    }

    /// Returns what a replay follows.
    pub(crate) fn to_expected(&self) -> Expected {
        Expected::new(
            Recording::from_effects(&self.effects),
            self.text.as_str(),
            self.marker.as_str(),
        )
    }
}
