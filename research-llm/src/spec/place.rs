//! Where a model is, and the key that is sent there.

use secrecy::SecretString;

use super::entry::ProviderEntry;
use super::model_spec::{ModelSpec, URL};
use super::providers::Variables;
use crate::error::ModelError;

/// The variable of the key for a server that is given by its address.
pub(super) const URL_KEY: &str = "RESEARCH_MODEL_KEY";

/// What a server is asked for whose model is not named. Those that serve a single model take any name.
pub(super) const ANY_MODEL: &str = "default";

/// Where a model is, and the key that is sent there.
pub(super) struct Place {
    /// The address, unless it is the provider's usual one.
    pub(super) url: Option<String>,
    pub(super) key: Option<SecretString>,
}

impl Place {
    /// The place that a specification means. An address that somebody typed gets the key that is meant for such
    /// addresses, never that of a provider.
    pub(super) fn of(entry: &ProviderEntry, spec: &ModelSpec, variables: &Variables) -> Result<Self, ModelError> {
        let variable = |name: &str| Some(variables(name)?.trim().to_owned()).filter(|value| !value.is_empty());
        let key = |name: &str| variable(name).map(SecretString::from);
        if let Some(url) = spec.url() {
            return Ok(Self { url: Some(url.to_owned()), key: key(URL_KEY) });
        }
        if entry.name == URL {
            return Err(ModelError::invalid_request("a server is named by its address, such as http://HOST/v1", None));
        }
        let place = Self { url: entry.url_variable.and_then(variable), key: entry.key_variable.and_then(key) };
        match (entry.key_variable, &place) {
            (Some(name), Self { url: None, key: None }) if entry.needs_key => Err(missing_key(entry.name, name)),
            _ => Ok(place),
        }
    }
}

#[cold]
fn missing_key(provider: &str, variable: &str) -> ModelError {
    ModelError::authentication(format!(
        "there is no key for {provider}: set the environment variable {variable}, or choose a model that needs none, such \
         as `offline` or the address of a server of one's own"
    ))
}
