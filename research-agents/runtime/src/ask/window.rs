//! Fits prompts into the context window of a model: its size, the size of a string, and how far
//! lists are shortened.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use research_llm::{ModelError, ModelInfo, ModelKind, OutputSchema};
use schemars::JsonSchema;

/// Part of the context window that is reserved for the answer: one in so many.
const ANSWER_SHARE: u64 = 4;
/// Maximum tokens of an answer: enough for the longest report, reasoning included.
const ANSWER_CAP: u64 = 16_384;
/// Tokens of a request apart from its texts: roles, separators, a sentence about the schema, and
/// the opening of the answer.
const ENVELOPE: usize = 128;

/// Estimates the number of tokens of a string. The estimate errs on the high side.
pub fn tokens(text: &str) -> usize {
    usize::try_from(research_llm::tokens::estimate(text)).unwrap_or(usize::MAX)
}

/// The context window of a model, in tokens: as the model states it, or as learned from its
/// refusals. Clones share what they learn.
#[derive(Clone, Debug)]
pub struct ContextWindow {
    /// 0 while unknown.
    context: Arc<AtomicU64>,
    /// The size that the model states; 0 if it states none.
    stated: u64,
    max_answer: u64,
    is_bounded: bool,
    /// `true` if the provider has a schema mode, so that the prompt reserves nothing for a schema.
    /// Servers of small models then constrain the answer by a grammar; providers that do put the
    /// schema into the prompt have windows so large that it makes no difference.
    has_schema_mode: bool,
}

impl ContextWindow {
    /// Creates the window that a model states. A program that computes its answers has no limit.
    pub fn new(info: &ModelInfo) -> Self {
        let context = info.context_tokens.map_or(0, u64::from);
        Self {
            context: Arc::new(AtomicU64::new(context)),
            stated: context,
            max_answer: info
                .max_output_tokens
                .map_or(ANSWER_CAP, u64::from)
                .clamp(1, ANSWER_CAP),
            is_bounded: info.kind != ModelKind::Extractive || context > 0,
            has_schema_mode: info.abilities.schema,
        }
    }

    /// Returns the tokens that the model can hold; 0 while unknown.
    pub fn tokens(&self) -> u64 {
        self.context.load(Ordering::Relaxed)
    }

    /// Returns the window of the same model with this size. It learns independently of this one.
    pub fn holding(&self, tokens: u64) -> Self {
        Self {
            context: Arc::new(AtomicU64::new(tokens)),
            ..self.clone()
        }
    }

    /// Returns the window as the model states it. It learns independently of this one.
    pub fn as_stated(&self) -> Self {
        self.holding(self.stated)
    }

    /// Returns `false` if the model takes prompts of any length.
    pub fn is_bounded(&self) -> bool {
        self.is_bounded
    }

    fn context(&self) -> Option<u64> {
        Some(self.tokens()).filter(|context| *context > 0)
    }

    /// Returns the maximum tokens of an answer, if the size of the window is known.
    pub fn answer(&self) -> Option<u32> {
        let tokens = (self.context()? / ANSWER_SHARE).clamp(1, self.max_answer);
        u32::try_from(tokens).ok()
    }

    /// Returns the maximum tokens of a prompt whose answer is a `T`, if the size of the window is
    /// known.
    pub fn prompt<T: JsonSchema>(&self) -> Option<usize> {
        let schema = if self.has_schema_mode {
            0
        } else {
            tokens(&OutputSchema::of::<T>().schema.to_string())
        };
        let context = usize::try_from(self.context()?).unwrap_or(usize::MAX);
        let answer = self.answer().map_or(0, |tokens| tokens as usize);
        Some(
            context
                .saturating_sub(answer)
                .saturating_sub(schema)
                .saturating_sub(ENVELOPE),
        )
    }

    /// Records the limit that a refusal names, unless a smaller one is known.
    pub fn learn(&self, error: &ModelError) {
        if let Some(limit) = limit_of(error).filter(|limit| *limit > 0) {
            let smaller = |known: u64| (known == 0 || limit < known).then_some(limit);
            // The result says only whether the limit was news.
            let _ = self
                .context
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, smaller);
        }
    }
}

fn limit_of(error: &ModelError) -> Option<u64> {
    match error {
        ModelError::TokenLimit { limit, .. } => *limit,
        ModelError::ReaskFailed { source, .. } | ModelError::Interrupted { source, .. } => {
            limit_of(source)
        }
        _ => None,
    }
}

/// How far the lists of a prompt are shortened: each step halves them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shrink(u32);

impl Shrink {
    /// The last step.
    pub const MOST: Self = Self(4);

    /// Returns the next step, or `None` after the last one.
    pub fn next(self) -> Option<Self> {
        (self < Self::MOST).then_some(Self(self.0 + 1))
    }

    /// Returns how many items are shown of a list that usually shows `usual`: halved with every
    /// step, but at least `least` and at most `usual`.
    pub fn length(self, usual: usize, least: usize) -> usize {
        (usual >> self.0).max(least.min(usual))
    }

    /// Returns `true` if nothing is left out.
    pub fn is_none(self) -> bool {
        self.0 == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(context: Option<u32>) -> ContextWindow {
        let info = ModelInfo::new("p", "m", ModelKind::Language);
        ContextWindow::new(&context.map_or(info.clone(), |tokens| info.context_tokens(tokens)))
    }

    #[test]
    fn prompt_schema_and_answer_fit_the_context_together() {
        for context in [512, 4_096, 8_192, 200_000] {
            let window = window(Some(context));
            let schema = tokens(&OutputSchema::of::<Vec<String>>().schema.to_string());
            let taken = window.prompt::<Vec<String>>().unwrap()
                + schema
                + window.answer().unwrap() as usize;
            assert!(taken <= context as usize, "{taken} of {context}");
        }
        assert_eq!(window(Some(8_192)).answer(), Some(2_048));
        assert_eq!(window(None).prompt::<String>(), None);
    }

    #[test]
    fn a_refusal_teaches_the_limit_and_never_a_larger_one() {
        let window = window(None);
        window.learn(&ModelError::token_limit("no counts", None, None));
        assert_eq!(window.answer(), None);
        window
            .clone()
            .learn(&ModelError::token_limit("m", Some(4_096), Some(5_000)));
        assert_eq!(window.answer(), Some(1_024));
        window.learn(&ModelError::token_limit("m", Some(8_192), Some(9_000)));
        assert_eq!(window.answer(), Some(1_024));
    }

    #[test]
    fn lists_halve_down_to_their_minimum() {
        let shown: Vec<usize> = (0..=4).map(|step| Shrink(step).length(50, 10)).collect();
        assert_eq!(shown, [50, 25, 12, 10, 10]);
        assert_eq!(Shrink::MOST.length(3, 10), 3, "a minimum adds nothing");
        assert_eq!(Shrink::MOST.next(), None);
    }
}
