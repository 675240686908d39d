//! What a run over documents is asked to do.

use research_agents_report::assessment::Rating;
use research_agents_report::passage::PassageRegistry;
use research_agents_runtime::run::RunInput;
use research_agents_runtime::tape::{Effect, TaskRecord};
use serde::{Deserialize, Serialize};

use crate::recorded::is_of_source;

/// What a run is asked to do, as its bundle keeps it. `E` is what a follow-up of the system knows
/// from the runs before it on its thread.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ResearchInput<E = EarlierEvidence> {
    /// The user's question.
    pub question: String,
    /// Files of the folders that could not be read, each with the reason.
    pub not_read: Vec<String>,
    /// `true` if the user could be asked.
    pub can_ask: bool,
    /// The user's replies.
    pub answers: Vec<String>,
    /// What a follow-up knows. `None` for the first question of a thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub earlier: Option<Box<E>>,
}

impl<E> RunInput for ResearchInput<E>
where
    Self: Clone + Serialize + serde::de::DeserializeOwned + Send + Sync + 'static,
{
    fn can_ask(&self) -> bool {
        self.can_ask
    }

    fn replies(&self) -> &[String] {
        &self.answers
    }

    fn set_replies(&mut self, replies: Vec<String>) {
        self.answers = replies;
    }
}

/// The evidence of the runs before a follow-up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EarlierEvidence {
    /// The documents and passages, with their ids.
    pub passages: PassageRegistry,
    /// How credible their sites are.
    pub rating: Rating,
    /// The searches and fetches that gave the documents, of the runs that were recorded.
    pub effects: Vec<Effect>,
}

impl EarlierEvidence {
    /// Adds a finished run: its evidence in place of what it knew itself, and its searches and
    /// fetches if it was recorded. What gave the same before is kept once.
    pub fn add<'r>(
        &mut self,
        passages: PassageRegistry,
        rating: Rating,
        recording: impl Iterator<Item = &'r TaskRecord>,
    ) {
        let effects = recording.flat_map(|task| &task.effects);
        for effect in effects.filter(|effect| is_of_source(effect)) {
            let gave_same = |known: &Effect| {
                (&known.what, &known.with, &known.exchanges)
                    == (&effect.what, &effect.with, &effect.exchanges)
            };
            if !self.effects.iter().any(gave_same) {
                self.effects.push(effect.clone());
            }
        }

        self.passages = passages;
        self.rating = rating;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn searches_and_fetches_that_gave_the_same_are_kept_once() {
        let effect = |what: &str, value: u32| -> Effect {
            let exchange = json!({"type": "local", "value": value});
            let effect = json!({
                "at": "subagent 1.0", "what": what, "with": "5f70", "number": 0,
                "exchanges": [exchange],
            });
            serde_json::from_value(effect).unwrap()
        };
        let run = |effects: Vec<Effect>| TaskRecord {
            effects,
            ..TaskRecord::default()
        };
        let mut earlier = EarlierEvidence::default();
        let mut add = |run: &TaskRecord| {
            let (passages, rating) = (PassageRegistry::default(), Rating::default());
            earlier.add(passages, rating, std::iter::once(run));
            earlier.effects.len()
        };

        let first = run(vec![
            effect("search_a", 1),
            effect("fetch_a", 1),
            effect("ask", 1),
        ]);
        assert_eq!(add(&first), 2);
        assert_eq!(add(&first), 2);
        assert_eq!(add(&run(vec![effect("fetch_a", 2)])), 3);
    }
}
