//! The providers that speak like OpenAI, by their specifications.

use std::sync::Arc;

use super::contexts;
use super::entry::{ProviderEntry, WireFormat};
use super::model_spec::{ModelSpec, URL};
use super::place::{ANY_MODEL, Place, URL_KEY};
use super::providers::{Providers, Variables};
use crate::error::ModelError;
use crate::model::ChatModel;
use crate::openai::{OpenAi, Quirks};

pub(super) fn entries() -> impl Iterator<Item = ProviderEntry> {
    Quirks::ALL.iter().map(entry)
}

fn entry(quirks: &Quirks) -> ProviderEntry {
    ProviderEntry {
        name: quirks.provider,
        wire: WireFormat::OpenAi,
        base_url: quirks.base_url,
        key_variable: quirks.key_variable.or((quirks.provider == URL).then_some(URL_KEY)),
        url_variable: quirks.url_variable,
        needs_key: quirks.needs_key,
        abilities: quirks.abilities(),
    }
}

pub(super) fn register(mut providers: Providers) -> Providers {
    for quirks in Quirks::ALL {
        let variables = providers.variables();
        providers = providers.with(quirks.provider, move |spec| open(quirks, spec, &variables));
    }
    providers
}

fn open(quirks: &Quirks, spec: &ModelSpec, variables: &Variables) -> Result<Arc<dyn ChatModel>, ModelError> {
    let place = Place::of(&entry(quirks), spec, variables)?;
    let model = spec.model().unwrap_or(ANY_MODEL);
    let mut builder = OpenAi::builder(model).quirks(*quirks);
    if let Some(url) = place.url {
        builder = builder.base_url(url);
    } else if let Some(tokens) = contexts::context_tokens(quirks.provider, model) {
        builder = builder.context_tokens(tokens);
    }
    if let Some(key) = place.key {
        builder = builder.api_key(key);
    }
    Ok(Arc::new(builder.build()?))
}
