//! The providers that only genai has, by their specifications.

use std::sync::Arc;

use super::entry::{ProviderEntry, WireFormat};
use super::model_spec::ModelSpec;
use super::providers::{Providers, Variables};
use crate::error::ModelError;
use crate::genai::Genai;
use crate::model::{Abilities, ChatModel};

/// Every adapter of genai, as `genai:ADAPTER::MODEL`.
const ANY: &str = "genai";

/// The best known ones have a name of their own.
pub(super) const ENTRIES: &[ProviderEntry] = &[
    entry("gemini", Some("GEMINI_API_KEY"), true),
    entry("cohere", Some("COHERE_API_KEY"), false),
    entry(ANY, None, false),
];

const fn entry(name: &'static str, key_variable: Option<&'static str>, schema: bool) -> ProviderEntry {
    ProviderEntry {
        name,
        wire: WireFormat::Genai,
        base_url: "",
        key_variable,
        url_variable: None,
        needs_key: key_variable.is_some(),
        abilities: Abilities {
            streaming: true,
            tools: true,
            parallel_tools: true,
            schema,
            images: true,
            reasoning: true,
            cache_marks: false,
        },
    }
}

pub(super) fn register(mut providers: Providers) -> Providers {
    for entry in ENTRIES {
        let variables = providers.variables();
        providers = providers.with(entry.name, move |spec| open(entry, spec, &variables));
    }
    providers
}

fn open(entry: &ProviderEntry, spec: &ModelSpec, variables: &Variables) -> Result<Arc<dyn ChatModel>, ModelError> {
    let name = spec.model().unwrap_or_default();
    let (adapter, model) = match entry.name {
        ANY => name.split_once("::").ok_or_else(|| {
            let adapters = Genai::adapters().map(str::to_owned).collect();
            ModelError::unknown_model(spec.to_string(), "write genai:ADAPTER::MODEL", adapters)
        })?,
        adapter => (adapter, name),
    };
    let mut builder = Genai::builder(adapter, model).variables(Arc::clone(variables));
    if let Some(url) = spec.url() {
        builder = builder.base_url(url);
    }
    Ok(Arc::new(builder.build()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standard() -> Providers {
        Providers::from_variables(|name| (name == "GEMINI_API_KEY").then(|| "key-MARKER".to_owned()))
    }

    #[test]
    fn entries_say_what_the_models_say() {
        for entry in ENTRIES.iter().filter(|entry| entry.name != ANY) {
            let model = standard().open(&format!("{}+http://127.0.0.1/#m", entry.name)).unwrap();
            assert_eq!(model.info().abilities, entry.abilities, "{}", entry.name);
        }
    }

    #[test]
    fn keys_come_from_the_given_variables() {
        assert_eq!(standard().open("gemini:m").unwrap().info().id(), "gemini:m");
        let error = standard().open("cohere:m").map(|_| ()).unwrap_err();
        assert!(error.to_string().contains("COHERE_API_KEY"), "{error}");
        assert_eq!(standard().open("genai:gemini::m").unwrap().info().id(), "gemini:m");
        let error = standard().open("genai:nobody::m").map(|_| ()).unwrap_err();
        assert!(error.to_string().contains("gemini_ix"), "{error}");
    }
}
