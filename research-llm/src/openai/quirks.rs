//! What servers do differently, as data.

use crate::model::Abilities;

/// How a server is made to answer JSON of a schema, from the strictest to none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SchemaMode {
    /// `json_schema` with `strict`, in [OpenAI's subset](crate::schema::Dialect::OpenAiStrict).
    Strict,
    /// `json_schema` with the schema as it is.
    Schema,
    /// `json_object` with a field `schema`, as llama-cpp-python wants it; the schema is in the prompt too.
    ObjectWithSchema,
    /// `json_object`, and the schema in the prompt.
    Object,
    /// The schema in the prompt alone.
    Prompt,
}

impl SchemaMode {
    /// All of them, in the order in which a client steps down when a server refuses one.
    pub const ALL: [Self; 5] = [Self::Strict, Self::Schema, Self::ObjectWithSchema, Self::Object, Self::Prompt];

    /// The next less strict one.
    #[must_use]
    pub fn below(self) -> Option<Self> {
        Self::ALL.into_iter().find(|&mode| mode > self)
    }
}

/// The field that limits the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TokenField {
    /// `max_tokens`
    MaxTokens,
    /// `max_completion_tokens`
    MaxCompletionTokens,
}

impl TokenField {
    /// The name of the field.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::MaxTokens => "max_tokens",
            Self::MaxCompletionTokens => "max_completion_tokens",
        }
    }
}

/// How a server is told how much to think.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EffortField {
    /// `reasoning_effort: "low"`
    Flat,
    /// `reasoning: {"effort": "low"}`
    Nested,
}

/// What a server that speaks like OpenAI does in its own way.
///
/// ```
/// use research_llm::openai::{OpenAi, Quirks, SchemaMode};
///
/// let quirks = Quirks::of("vllm").unwrap().schema(SchemaMode::Prompt);
/// let model = OpenAi::builder("qwen3").quirks(quirks).base_url("http://127.0.0.1:8000/v1").build()?;
/// # Ok::<(), research_llm::ModelError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Quirks {
    /// Name of the provider, as in `openai:gpt-5`.
    pub provider: &'static str,
    /// Its address; empty if there is no usual one.
    pub base_url: &'static str,
    /// The environment variable of its key.
    pub key_variable: Option<&'static str>,
    /// The environment variable that overrides the address.
    pub url_variable: Option<&'static str>,
    /// Whether its own address wants a key.
    pub needs_key: bool,
    /// The strictest way in which it answers JSON of a schema.
    pub schema: SchemaMode,
    /// The same in the responses format. Servers other than OpenAI tend to take its field and not to hold to it.
    pub responses_schema: SchemaMode,
    /// The field that limits the answer.
    pub max_tokens: TokenField,
    /// Whether a stream is to be asked for its usage with `stream_options`.
    pub ask_stream_usage: bool,
    /// The name of the field for the seed.
    pub seed: &'static str,
    /// Whether it takes tools.
    pub tools: bool,
    /// Whether its models can call several tools at once.
    pub parallel_tools: bool,
    /// Whether it takes pictures.
    pub images: bool,
    /// Whether it shows the reasoning of models.
    pub reasoning: bool,
    /// How it is told how much to think.
    pub effort: EffortField,
    /// The models that are told, by the beginning of their name after the last `/`, with the word for the least effort;
    /// `None` for a model that does not reason. The first that matches counts, and a model that none
    /// matches is told nothing.
    pub efforts: &'static [(&'static str, Option<&'static str>)],
    /// Whether models that reason refuse `temperature` and `top_p`, so that these are left out.
    pub fixed_sampling: bool,
    /// The field of a message with tool calls that holds its reasoning and that the server wants back.
    pub reasoning_back: Option<&'static str>,
}

impl Quirks {
    /// Renames the provider.
    #[must_use]
    pub const fn provider(mut self, name: &'static str) -> Self {
        self.provider = name;
        self
    }

    /// Sets the strictest way in which JSON of a schema is asked for, in both formats.
    #[must_use]
    pub const fn schema(mut self, mode: SchemaMode) -> Self {
        self.schema = mode;
        self.responses_schema = mode;
        self
    }

    /// Sets the field that limits the answer.
    #[must_use]
    pub const fn max_tokens(mut self, field: TokenField) -> Self {
        self.max_tokens = field;
        self
    }

    /// Sets whether a stream is asked for its usage.
    #[must_use]
    pub const fn ask_stream_usage(mut self, ask: bool) -> Self {
        self.ask_stream_usage = ask;
        self
    }

    /// Sets whether the server takes pictures.
    #[must_use]
    pub const fn images(mut self, takes: bool) -> Self {
        self.images = takes;
        self
    }

    /// Sets whether the server takes tools, and whether several may be called at once.
    #[must_use]
    pub const fn tools(mut self, takes: bool, parallel: bool) -> Self {
        self.tools = takes;
        self.parallel_tools = takes && parallel;
        self
    }

    /// Sets how the server is told how much to think, and for which models; see [`efforts`](Self::efforts).
    #[must_use]
    pub const fn effort(mut self, field: EffortField, models: &'static [(&'static str, Option<&'static str>)]) -> Self {
        self.effort = field;
        self.efforts = models;
        self
    }

    /// What models can do through this server.
    #[must_use]
    pub const fn abilities(&self) -> Abilities {
        Abilities {
            streaming: true,
            tools: self.tools,
            parallel_tools: self.parallel_tools,
            schema: matches!(self.schema, SchemaMode::Strict | SchemaMode::Schema | SchemaMode::ObjectWithSchema),
            images: self.images,
            reasoning: self.reasoning,
            cache_marks: false,
        }
    }

    /// The word for the least effort of a model, or `None` if it is told nothing about effort.
    pub(super) fn least_effort(&self, model: &str) -> Option<&'static str> {
        let name = model.rsplit('/').next().unwrap_or(model);
        self.efforts.iter().find(|(start, _)| name.starts_with(start)).and_then(|(_, least)| *least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_step_down_to_the_prompt_and_no_further() {
        let steps: Vec<_> = std::iter::successors(Some(SchemaMode::Strict), |mode| mode.below()).collect();
        assert_eq!(steps, SchemaMode::ALL);
        assert_eq!(SchemaMode::Prompt.below(), None);
    }

    #[test]
    fn every_server_has_a_name_of_its_own_and_is_found_by_it() {
        for quirks in Quirks::ALL {
            assert_eq!(Quirks::of(quirks.provider), Some(*quirks));
        }
        assert_eq!(Quirks::of("nobody"), None);
    }

    #[test]
    fn the_least_effort_follows_the_model() {
        for (model, least) in [
            ("gpt-5", Some("minimal")),
            ("gpt-5.2", Some("none")),
            ("gpt-5-chat-latest", None),
            ("o4-mini", Some("low")),
            ("gpt-4o", None),
            ("openai/gpt-5.1", Some("none")),
        ] {
            assert_eq!(Quirks::OPENAI.least_effort(model), least, "{model}");
        }
    }
}
