//! The dialects of JSON Schema that providers accept.

use serde_json::Value;

/// A subset of JSON Schema that a provider holds answers to.
///
/// A schema goes through a dialect explicitly, and an answer comes back through [`restore`](super::restore()): what the dialect had to
/// turn round is turned back there, so that the type of the program never changes for a provider.
///
/// ```
/// use research_llm::OutputSchema;
/// use research_llm::schema::{Dialect, restore};
/// use serde_json::json;
///
/// let schema = OutputSchema::new("tags", json!({"type": "array", "items": {"type": "string", "maxLength": 8}}));
/// let strict = Dialect::OpenAiStrict.adapt(&schema)?;
/// assert!(strict.wrapped, "a strict schema is an object at its root");
/// assert_eq!(
///     strict.schema["properties"]["value"]["items"],
///     json!({"type": "string", "description": "At most 8 characters."}),
/// );
/// assert_eq!(restore(&schema.schema, json!({"value": ["a", "b"]})), json!(["a", "b"]));
/// # Ok::<(), research_llm::ModelError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// The schema as it is, for servers that turn it into a grammar (llama.cpp, vLLM, Ollama) and for providers that
    /// take it as advice. Only `maxLength` becomes a part of the description: a grammar keeps to it by cutting a text in
    /// the middle of a word, and the cut text looks valid.
    Plain,
    /// OpenAI's strict mode: the root is an object, every property is required and an optional one nullable, no other
    /// properties are allowed, and keywords outside the subset become a part of the description. A map becomes an array
    /// of `{"key", "value"}`, a tuple an array of its length.
    ///
    /// Source: "Supported schemas" in OpenAI's guide to structured outputs, as of February 2026: at most 5,000
    /// properties, 10 levels, 1,000 enum values and 120,000 characters of names and values.
    OpenAiStrict,
    /// Anthropic's structured output: as above, but an optional property stays optional, recursion is refused, and
    /// limits of numbers, lengths and counts become a part of the description.
    ///
    /// Source: "JSON Schema limitations" in Anthropic's guide to structured outputs, as of 2026: at most 24 optional
    /// properties and 16 unions in a request.
    Anthropic,
}

/// A schema in a provider's dialect.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Adapted {
    /// The schema to send.
    pub schema: Value,
    /// Whether the answer is the field `value` of an object. [`restore`](super::restore()) finds that out by itself.
    pub wrapped: bool,
}
