//! How much well-known models hold, where their provider's service does not tell.

/// Provider, beginning of the model's name, and tokens of request and answer together, from the providers' model
/// pages as of early 2026. The first that fits counts.
const CONTEXTS: &[(&str, &str, u32)] = &[
    ("openai", "gpt-5-chat", 128_000),
    ("openai", "gpt-5", 400_000),
    ("openai", "gpt-4.1", 1_047_576),
    ("openai", "gpt-4o", 128_000),
    ("openai", "gpt-4-turbo", 128_000),
    ("openai", "gpt-3.5-turbo", 16_385),
    ("openai", "o1-mini", 128_000),
    ("openai", "o1", 200_000),
    ("openai", "o3", 200_000),
    ("openai", "o4-mini", 200_000),
    ("deepseek", "deepseek-", 128_000),
    ("xai", "grok-4", 256_000),
    ("xai", "grok-3", 131_072),
];

/// What a model of a provider holds, if it is known.
pub(super) fn context_tokens(provider: &str, model: &str) -> Option<u32> {
    let known = CONTEXTS.iter().find(|(name, start, _)| *name == provider && model.starts_with(start));
    known.map(|(_, _, tokens)| *tokens)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_more_precise_name_comes_first() {
        for (at, (provider, name, _)) in CONTEXTS.iter().enumerate() {
            let first = CONTEXTS.iter().position(|(p, start, _)| p == provider && name.starts_with(start));
            assert_eq!(first, Some(at), "{provider}:{name} can never be found");
        }
        assert_eq!(context_tokens("openai", "gpt-5-chat-latest"), Some(128_000));
        assert_eq!(context_tokens("openai", "gpt-5-mini"), Some(400_000));
        assert_eq!(context_tokens("url", "gpt-5"), None);
    }
}
