//! Anthropic, and servers that speak like it, by their specifications.

use std::sync::Arc;

use super::entry::{ProviderEntry, WireFormat};
use super::model_spec::ModelSpec;
use super::place::{ANY_MODEL, Place};
use super::providers::{Providers, Variables};
use crate::anthropic::Anthropic;
use crate::error::ModelError;
use crate::model::{Abilities, ChatModel};

pub(super) const ENTRY: ProviderEntry = ProviderEntry {
    name: "anthropic",
    wire: WireFormat::Anthropic,
    base_url: "https://api.anthropic.com",
    key_variable: Some("ANTHROPIC_API_KEY"),
    url_variable: Some("ANTHROPIC_BASE_URL"),
    needs_key: true,
    abilities: Abilities {
        streaming: true,
        tools: true,
        parallel_tools: true,
        schema: true,
        images: true,
        reasoning: true,
        cache_marks: true,
    },
};

pub(super) fn register(providers: Providers) -> Providers {
    let variables = providers.variables();
    providers.with(ENTRY.name, move |spec| open(spec, &variables))
}

fn open(spec: &ModelSpec, variables: &Variables) -> Result<Arc<dyn ChatModel>, ModelError> {
    let place = Place::of(&ENTRY, spec, variables)?;
    let mut builder = Anthropic::builder(spec.model().unwrap_or(ANY_MODEL));
    if let Some(url) = place.url {
        builder = builder.base_url(url);
    }
    if let Some(key) = place.key {
        builder = builder.api_key(key);
    }
    Ok(Arc::new(builder.build()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_entry_says_what_a_model_of_today_can_do() {
        let spec = "anthropic+http://127.0.0.1#claude-opus-5".parse().unwrap();
        let none: Variables = Arc::new(|_: &str| None);
        assert_eq!(open(&spec, &none).unwrap().info().abilities, ENTRY.abilities);
    }
}
