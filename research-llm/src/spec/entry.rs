//! What is known about a provider of this build.

use crate::model::Abilities;

/// The form of the calls of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WireFormat {
    /// As OpenAI's.
    OpenAi,
    /// As Anthropic's.
    Anthropic,
    /// The provider's own, through genai.
    Genai,
}

/// A provider that this build has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProviderEntry {
    /// Its name, as in `openai:gpt-5`.
    pub name: &'static str,
    /// The form of its calls.
    pub wire: WireFormat,
    /// Its address; empty if there is no usual one, or if genai knows it.
    pub base_url: &'static str,
    /// The environment variable of its key, if there is one.
    pub key_variable: Option<&'static str>,
    /// The environment variable that overrides the address, if there is one.
    pub url_variable: Option<&'static str>,
    /// Whether its usual address cannot be used without a key.
    pub needs_key: bool,
    /// What its models can do, as far as the form of the calls goes.
    pub abilities: Abilities,
}
