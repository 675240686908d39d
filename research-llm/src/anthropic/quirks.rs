//! What each family of models takes of the messages API, as data.

/// How a model thinks, and how it is told to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Thinking {
    /// It does not, or its server decides: the field `thinking` is never sent.
    Unset,
    /// It thinks when it is given a budget of tokens (`enabled` with `budget_tokens`).
    Budget,
    /// It decides by itself how much (`adaptive`), once it is asked to think.
    OptIn,
    /// It decides by itself how much, unless thinking is switched off (`disabled`).
    OptOut,
    /// It decides by itself how much, and it cannot be switched off.
    Always,
}

/// Which of temperature and `top_p` a model takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Sampling {
    /// Both.
    Both,
    /// One of the two; the temperature goes before.
    One,
    /// Neither: other values than its own are refused.
    Fixed,
}

/// How an answer is held to a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SchemaMode {
    /// The server holds the answer to it (`output_config.format`).
    Native,
    /// The schema goes into the prompt.
    Prompt,
}

/// What a model takes, and how much.
///
/// A request that asks for more is cut down to it, because a model refuses the whole call otherwise: a temperature for a
/// model that takes none is left out, for example.
///
/// The figures are those of Anthropic's models overview and of its pages on thinking, effort and structured outputs,
/// as of August 2026.
///
/// ```
/// use research_llm::anthropic::{Quirks, SchemaMode, Thinking};
///
/// let known = Quirks::of_model("claude-haiku-4-5-20251001");
/// assert_eq!((known.thinking, known.max_output_tokens), (Thinking::Budget, Some(64_000)));
///
/// // Servers of other models ignore fields that they do not know, so nothing is left to them.
/// assert_eq!(Quirks::of_model("qwen2.5-coder").schema, SchemaMode::Prompt);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Quirks {
    /// How it thinks.
    pub thinking: Thinking,
    /// Whether it takes `output_config.effort`.
    pub effort: bool,
    /// Which of temperature and `top_p` it takes.
    pub sampling: Sampling,
    /// How an answer is held to a schema.
    pub schema: SchemaMode,
    /// What request and answer together may hold, in tokens, when known.
    pub context_tokens: Option<u32>,
    /// How much it can answer at most, in tokens, when known.
    pub max_output_tokens: Option<u32>,
}

impl Quirks {
    /// A model of which nothing is known but that its server speaks the messages API.
    pub const UNKNOWN: Self = Self {
        thinking: Thinking::Unset,
        effort: false,
        sampling: Sampling::Both,
        schema: SchemaMode::Prompt,
        context_tokens: None,
        max_output_tokens: None,
    };

    /// A model of Anthropic's that is younger than this table. It is taken to be like the youngest that are known.
    const YOUNGER: Self = Self { context_tokens: None, max_output_tokens: None, ..FIFTH };

    /// What is known of a model by its name, with or without the date of its release, and also as other clouds write it
    /// (`anthropic.claude-opus-4-8`, `claude-sonnet-4-5@20250929`).
    #[must_use]
    pub fn of_model(name: &str) -> Self {
        let Some(start) = name.find("claude-") else { return Self::UNKNOWN };
        let rest = &name[start + "claude-".len()..];
        let known = FAMILIES.iter().find(|(family, _)| rest.strip_prefix(family).is_some_and(is_release));
        known.map_or(Self::YOUNGER, |(_, quirks)| *quirks)
    }

    /// Sets how it thinks.
    #[must_use]
    pub fn thinking(mut self, thinking: Thinking) -> Self {
        self.thinking = thinking;
        self
    }

    /// Sets whether it takes an effort.
    #[must_use]
    pub fn effort(mut self, taken: bool) -> Self {
        self.effort = taken;
        self
    }

    /// Sets which of temperature and `top_p` it takes.
    #[must_use]
    pub fn sampling(mut self, sampling: Sampling) -> Self {
        self.sampling = sampling;
        self
    }

    /// Sets how an answer is held to a schema.
    #[must_use]
    pub fn schema(mut self, mode: SchemaMode) -> Self {
        self.schema = mode;
        self
    }

    /// Sets how much it can answer at most, in tokens.
    #[must_use]
    pub fn max_output_tokens(mut self, tokens: u32) -> Self {
        self.max_output_tokens = Some(tokens);
        self
    }
}

/// Whether the rest of a name is at most a release: nothing, a date of eight digits, `latest`, or the version of a cloud.
fn is_release(rest: &str) -> bool {
    let Some(rest) = rest.strip_prefix(['-', '@']) else { return rest.is_empty() || rest.starts_with(':') };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    digits >= 8 || rest == "latest" || rest.starts_with('v')
}

const FIFTH: Quirks = Quirks {
    thinking: Thinking::OptOut,
    effort: true,
    sampling: Sampling::Fixed,
    schema: SchemaMode::Native,
    context_tokens: Some(1_000_000),
    max_output_tokens: Some(128_000),
};
const ALWAYS: Quirks = Quirks { thinking: Thinking::Always, ..FIFTH };
const ASKED: Quirks = Quirks { thinking: Thinking::OptIn, ..FIFTH };
const ASKED_SAMPLED: Quirks = Quirks { sampling: Sampling::One, ..ASKED };
const BUDGETED: Quirks = Quirks {
    thinking: Thinking::Budget,
    effort: false,
    sampling: Sampling::One,
    schema: SchemaMode::Native,
    context_tokens: Some(200_000),
    max_output_tokens: Some(64_000),
};
const FOURTH: Quirks = Quirks { sampling: Sampling::Both, schema: SchemaMode::Prompt, ..BUDGETED };
const THIRD: Quirks = Quirks { thinking: Thinking::Unset, max_output_tokens: Some(4_096), ..FOURTH };

const FAMILIES: &[(&str, Quirks)] = &[
    ("fable-5", ALWAYS),
    ("mythos-5", ALWAYS),
    ("mythos-preview", ALWAYS),
    ("opus-5", FIFTH),
    ("sonnet-5", FIFTH),
    ("opus-4-8", ASKED),
    ("opus-4-7", ASKED),
    ("opus-4-6", ASKED_SAMPLED),
    ("sonnet-4-6", ASKED_SAMPLED),
    ("opus-4-5", Quirks { effort: true, ..BUDGETED }),
    ("sonnet-4-5", BUDGETED),
    ("haiku-4-5", BUDGETED),
    ("opus-4-1", Quirks { sampling: Sampling::One, max_output_tokens: Some(32_000), ..FOURTH }),
    ("opus-4-0", Quirks { max_output_tokens: Some(32_000), ..FOURTH }),
    ("opus-4", Quirks { max_output_tokens: Some(32_000), ..FOURTH }),
    ("sonnet-4-0", FOURTH),
    ("sonnet-4", FOURTH),
    ("3-7-sonnet", FOURTH),
    ("3-5-sonnet", Quirks { max_output_tokens: Some(8_192), ..THIRD }),
    ("3-5-haiku", Quirks { max_output_tokens: Some(8_192), ..THIRD }),
    ("3-opus", THIRD),
    ("3-sonnet", THIRD),
    ("3-haiku", THIRD),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_known_under_all_its_names() {
        for name in ["claude-opus-4-8", "anthropic.claude-opus-4-8", "us.anthropic.claude-opus-4-8-v1:0"] {
            assert_eq!(Quirks::of_model(name), ASKED, "{name}");
        }
        for name in ["claude-sonnet-4-5", "claude-sonnet-4-5-20250929", "claude-sonnet-4-5@20250929"] {
            assert_eq!(Quirks::of_model(name), BUDGETED, "{name}");
        }
        assert_eq!(Quirks::of_model("claude-sonnet-4-20250514"), FOURTH);
        assert_eq!(Quirks::of_model("claude-3-5-haiku-latest").max_output_tokens, Some(8_192));
    }

    #[test]
    fn a_younger_model_is_not_mistaken_for_an_older_one() {
        for name in ["claude-opus-4-9", "claude-sonnet-5-1", "claude-novella-6"] {
            assert_eq!(Quirks::of_model(name), Quirks::YOUNGER, "{name}");
        }
    }
}
