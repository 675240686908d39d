//! Makes prompts fit the model: what it can hold, what a text takes of it, and how far a listing shrinks.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use research_llm::{ModelError, ModelInfo, ModelKind, OutputSchema};
use schemars::JsonSchema;

/// Share of the context that is kept for the answer.
const ANSWER_SHARE: u64 = 4;
/// Longest answer that is asked for, in tokens: as much as the longest report takes, reasoning included.
const ANSWER_CAP: u64 = 16_384;
/// Tokens of a request besides its texts: roles, separators, a sentence on the schema, the opening of the answer.
const ENVELOPE: usize = 128;

/// Tokens of a text, as an estimate that errs high.
pub(crate) fn tokens(text: &str) -> usize {
    usize::try_from(research_llm::tokens::estimate(text)).unwrap_or(usize::MAX)
}

/// What the model can hold, in tokens: by its own account, or learned from what it refused. Clones learn together.
#[derive(Clone, Debug)]
pub(crate) struct Room {
    /// 0 while nothing is known.
    context: Arc<AtomicU64>,
    most_answer: u64,
    is_bounded: bool,
    /// The provider has a schema mode. Servers of small models then hold the answer to a grammar and put nothing into the
    /// prompt; the models of those that do hold so much that a schema makes no difference.
    has_schema_mode: bool,
}

impl Room {
    /// What a model says of itself. A program that computes its answers has no bound.
    pub(crate) fn of(info: &ModelInfo) -> Self {
        let context = info.context_tokens.map_or(0, u64::from);
        Self {
            context: Arc::new(AtomicU64::new(context)),
            most_answer: info.max_output_tokens.map_or(ANSWER_CAP, u64::from).clamp(1, ANSWER_CAP),
            is_bounded: info.kind != ModelKind::Extractive || context > 0,
            has_schema_mode: info.abilities.schema,
        }
    }

    /// Tokens that the model is known to hold, 0 while nothing is known.
    pub(crate) fn tokens(&self) -> u64 {
        self.context.load(Ordering::Relaxed)
    }

    /// The same model, known to hold so many tokens. It learns apart from this.
    pub(crate) fn holding(&self, tokens: u64) -> Self {
        Self { context: Arc::new(AtomicU64::new(tokens)), ..self.clone() }
    }

    /// Whether the model is none that takes whatever it is given.
    pub(crate) fn is_bounded(&self) -> bool {
        self.is_bounded
    }

    fn context(&self) -> Option<u64> {
        Some(self.tokens()).filter(|context| *context > 0)
    }

    /// Tokens that an answer may take.
    pub(crate) fn answer(&self) -> Option<u32> {
        let tokens = (self.context()? / ANSWER_SHARE).clamp(1, self.most_answer);
        u32::try_from(tokens).ok()
    }

    /// Tokens that a prompt may take whose answer is a `T`.
    pub(crate) fn prompt<T: JsonSchema>(&self) -> Option<usize> {
        let schema = if self.has_schema_mode { 0 } else { tokens(&OutputSchema::of::<T>().schema.to_string()) };
        let context = usize::try_from(self.context()?).unwrap_or(usize::MAX);
        let answer = self.answer().map_or(0, |tokens| tokens as usize);
        Some(context.saturating_sub(answer).saturating_sub(schema).saturating_sub(ENVELOPE))
    }

    /// Takes note of the limit that a refusal names.
    pub(crate) fn learn(&self, error: &ModelError) {
        if let Some(limit) = limit_of(error).filter(|limit| *limit > 0) {
            let smaller = |known: u64| (known == 0 || limit < known).then_some(limit);
            // Nothing is left to do when the limit is known already.
            let _ = self.context.fetch_update(Ordering::Relaxed, Ordering::Relaxed, smaller);
        }
    }
}

fn limit_of(error: &ModelError) -> Option<u64> {
    match error {
        ModelError::TokenLimit { limit, .. } => *limit,
        ModelError::ReaskFailed { source, .. } | ModelError::Interrupted { source, .. } => limit_of(source),
        _ => None,
    }
}

/// How much shorter than usual a prompt lists things: each step halves the lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Shrink(u32);

impl Shrink {
    /// As short as it gets.
    pub(crate) const MOST: Self = Self(4);

    /// One step shorter, unless this is the shortest.
    pub(crate) fn next(self) -> Option<Self> {
        (self < Self::MOST).then_some(Self(self.0 + 1))
    }

    /// How many of a list of `usual` are shown: halved with every step, never fewer than `least` and never more than usual.
    pub(crate) fn of(self, usual: usize, least: usize) -> usize {
        (usual >> self.0).max(least.min(usual))
    }

    /// Whether nothing is left out.
    pub(crate) fn is_none(self) -> bool {
        self.0 == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room(context: Option<u32>) -> Room {
        let info = ModelInfo::new("p", "m", ModelKind::Language);
        Room::of(&context.map_or(info.clone(), |tokens| info.context_tokens(tokens)))
    }

    #[test]
    fn prompt_schema_and_answer_fit_the_context_together() {
        for context in [512, 4_096, 8_192, 200_000] {
            let room = room(Some(context));
            let schema = tokens(&OutputSchema::of::<Vec<String>>().schema.to_string());
            let taken = room.prompt::<Vec<String>>().unwrap() + schema + room.answer().unwrap() as usize;
            assert!(taken <= context as usize, "{taken} of {context}");
        }
        assert_eq!(room(Some(8_192)).answer(), Some(2_048));
        assert_eq!(room(None).prompt::<String>(), None);
    }

    #[test]
    fn a_refusal_teaches_the_limit_and_never_a_larger_one() {
        let room = room(None);
        room.learn(&ModelError::token_limit("no counts", None, None));
        assert_eq!(room.answer(), None);
        room.clone().learn(&ModelError::token_limit("m", Some(4_096), Some(5_000)));
        assert_eq!(room.answer(), Some(1_024));
        room.learn(&ModelError::token_limit("m", Some(8_192), Some(9_000)));
        assert_eq!(room.answer(), Some(1_024));
    }

    #[test]
    fn lists_halve_down_to_their_floor() {
        let shown: Vec<usize> = (0..=4).map(|step| Shrink(step).of(50, 10)).collect();
        assert_eq!(shown, [50, 25, 12, 10, 10]);
        assert_eq!(Shrink::MOST.of(3, 10), 3, "a floor adds nothing");
        assert_eq!(Shrink::MOST.next(), None);
    }
}
