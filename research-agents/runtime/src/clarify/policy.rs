//! Who is asked about an ambiguous request, and when.

use std::fmt;
use std::sync::Arc;

use research_core::{Ask, Question};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::clarify::clarification::{Clarification, Clarifier};

/// The key of an interrupt's payload that holds the clarification.
const KEY: &str = "clarification";

/// What a run does about an ambiguous request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ClarificationPolicy {
    /// Assumes the likeliest reading and says so among the limitations of the report. Asks no one.
    #[default]
    Assume,
    /// Asks the [`Clarifier`] of the run. Without one, a run on a thread is interrupted until an
    /// answer resumes it, in this process or another; a run without a thread assumes the likeliest
    /// reading, because nothing could resume it.
    Ask,
}

/// Who answers the questions of a run.
#[derive(Clone, Default)]
pub struct Asking {
    /// Asks the user in this process.
    pub clarifier: Option<Arc<dyn Clarifier>>,
    /// `true` if the run was started with an answer, so that its question must come up again.
    pub is_answered: bool,
}

impl Asking {
    /// Returns `true` if the user can be asked at most `most` questions under this policy, on a
    /// thread or without one.
    pub fn can_ask(&self, policy: ClarificationPolicy, most: u32, has_thread: bool) -> bool {
        let asks = self.is_answered || policy == ClarificationPolicy::Ask;
        asks && most > 0 && (self.clarifier.is_some() || has_thread)
    }
}

impl fmt::Debug for Asking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Asking")
            .field("has_clarifier", &self.clarifier.is_some())
            .field("is_answered", &self.is_answered)
            .finish()
    }
}

/// Returns the clarification that an open question of a thread asks for, if it asks for one. Its
/// answer is a string.
#[must_use]
pub fn asked(question: &Question) -> Option<Clarification> {
    serde_json::from_value(question.payload.get(KEY)?.clone()).ok()
}

/// Returns the interrupt that asks for a clarification under this key.
pub(crate) fn interrupt(clarification: &Clarification, key: String) -> Ask {
    let schema = json!({
        "type": "string",
        "description": "the number of an option, its words, or other words; empty to go on with \
            the question as it is",
    });
    Ask::new(key, json!({ KEY: clarification })).schema(schema)
}
