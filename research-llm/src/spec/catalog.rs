//! The providers of this build, as data.

use super::entry::ProviderEntry;
use super::providers::Providers;

/// The providers of this build, as [`Providers::standard`] registers them.
///
/// ```
/// # #[cfg(feature = "openai")] {
/// let groq = research_llm::catalog().find(|entry| entry.name == "groq").unwrap();
/// assert_eq!(groq.key_variable, Some("GROQ_API_KEY"));
/// assert!(groq.abilities.tools);
/// # }
/// ```
pub fn catalog() -> impl Iterator<Item = ProviderEntry> {
    let all = std::iter::empty();
    #[cfg(feature = "anthropic")]
    let all = all.chain(std::iter::once(super::anthropic::ENTRY));
    #[cfg(feature = "openai")]
    let all = all.chain(super::openai::entries());
    #[cfg(feature = "genai")]
    let all = all.chain(super::bridge::ENTRIES.iter().copied());
    all
}

impl Providers {
    /// Adds all providers that this build has, in the place of those of the same name.
    #[must_use]
    pub fn with_standard(self) -> Self {
        register(self)
    }
}

/// Adds every provider of the catalog.
fn register(providers: Providers) -> Providers {
    #[cfg(feature = "anthropic")]
    let providers = super::anthropic::register(providers);
    #[cfg(feature = "openai")]
    let providers = super::openai::register(providers);
    #[cfg(feature = "genai")]
    let providers = super::bridge::register(providers);
    providers
}
