//! Builds a model of genai: which provider, which key, which address.

use std::sync::Arc;
use std::{env, fmt};

use genai::adapter::AdapterKind;
use genai::resolver::{AuthData, Endpoint};
use genai::{Client, ModelIden};
use secrecy::{ExposeSecret, SecretString};

use super::model::Genai;
use super::request;
use crate::error::ModelError;
use crate::http::{HttpBuilder, HttpLimits, KeyScheme};
use crate::model::{Abilities, ModelInfo, ModelKind};

/// What is sent where a provider's form of call wants a key and the given server does not.
const NO_KEY: &str = "none";

/// Stands for the addresses that genai knows by itself, all of them encrypted.
const KNOWN_TO_GENAI: &str = "https://provider.invalid";

/// Describes a model of genai; [`build`](Self::build) makes it.
#[must_use = "a builder does nothing before `build`"]
pub struct GenaiBuilder {
    adapter: String,
    model: String,
    key: Option<SecretString>,
    base_url: Option<String>,
    client: Option<reqwest::Client>,
    limits: HttpLimits,
    context_tokens: Option<u32>,
    variables: Variables,
}

/// Where the values of environment variables come from.
type Variables = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

impl fmt::Debug for GenaiBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GenaiBuilder")
            .field("adapter", &self.adapter)
            .field("model", &self.model)
            .field("has_key", &self.key.is_some())
            .finish_non_exhaustive()
    }
}

impl Genai {
    /// Describes a model of one of the [`adapters`](Self::adapters).
    pub fn builder(adapter: impl Into<String>, model: impl Into<String>) -> GenaiBuilder {
        GenaiBuilder::new(adapter.into(), model.into())
    }
}

impl GenaiBuilder {
    pub(super) fn new(adapter: String, model: String) -> Self {
        Self {
            adapter,
            model,
            key: None,
            base_url: None,
            client: None,
            limits: HttpLimits::default(),
            context_tokens: None,
            variables: Arc::new(|name| env::var(name).ok()),
        }
    }

    /// Sets where environment variables come from.
    pub(crate) fn variables(mut self, variables: Variables) -> Self {
        self.variables = variables;
        self
    }

    /// Sets the key. Without it, it comes from the environment variable that genai names for the provider.
    pub fn api_key(mut self, key: impl Into<SecretString>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Sets the address of a server that speaks like the provider. It needs no key, and gets none from the environment.
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.base_url = Some(url.into());
        self
    }

    /// Sets the HTTP client. Its own limits and its handling of redirects and proxies then hold.
    pub fn client(mut self, client: reqwest::Client) -> Self {
        self.client = Some(client);
        self
    }

    /// Sets how long a call waits. The size of an answer is not limited.
    pub fn limits(mut self, limits: HttpLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets what request and answer together may hold, in tokens.
    pub fn context_tokens(mut self, tokens: u32) -> Self {
        self.context_tokens = Some(tokens);
        self
    }

    /// Makes the model. Nothing is sent.
    ///
    /// # Errors
    /// [`ModelError::UnknownModel`] with the names of the providers if there is none of this name;
    /// [`ModelError::Authentication`] naming the environment variable if a key is missing.
    pub fn build(self) -> Result<Genai, ModelError> {
        let Some(kind) = AdapterKind::from_lower_str(&self.adapter) else {
            let spec = format!("{}:{}", self.adapter, self.model);
            let known = Genai::adapters().map(str::to_owned).collect();
            return Err(ModelError::unknown_model(spec, format!("genai has no provider `{}`", self.adapter), known));
        };
        let key = self.key(kind)?;
        let mut http = HttpBuilder::new(self.base_url.as_deref().unwrap_or(KNOWN_TO_GENAI)).limits(self.limits);
        if let Some(key) = &key {
            // genai sends the key; here it is only known as what no message may show.
            http = http.key(key.clone(), KeyScheme::Bearer);
        }
        if let Some(client) = self.client {
            http = http.client(client);
        }
        let http = http.build()?;

        let auth = key.as_ref().map(|key| AuthData::from_single(key.expose_secret().trim()));
        let mut client = Client::builder().with_reqwest(http.client().clone());
        client = match (self.base_url, auth) {
            (Some(url), auth) => {
                let auth = auth.unwrap_or_else(|| AuthData::from_single(NO_KEY));
                let url = format!("{}/", url.trim_end_matches('/'));
                client.append_provider_config(kind, (Endpoint::from_owned(url), auth))
            }
            (None, Some(auth)) => client.append_provider_config(kind, auth),
            (None, None) => client,
        };
        let client = client
            .build()
            .map_err(|error| ModelError::other("the client of genai cannot be built", Some(Arc::new(error))))?;

        let mut info = ModelInfo::new(kind.as_lower_str(), &self.model, ModelKind::Language).abilities(abilities(kind));
        info.context_tokens = self.context_tokens;
        let model = ModelIden::new(kind, self.model);
        Ok(Genai { info, client, model, http, limits: self.limits })
    }

    fn key(&self, kind: AdapterKind) -> Result<Option<SecretString>, ModelError> {
        if self.key.is_some() || self.base_url.is_some() {
            return Ok(self.key.clone());
        }
        let Some(variable) = kind.default_key_env_name() else { return Ok(None) };
        match (self.variables)(variable) {
            Some(key) if !key.trim().is_empty() => Ok(Some(key.into())),
            _ => Err(ModelError::authentication(format!(
                "there is no key for {}: set the environment variable {variable}",
                self.adapter
            ))),
        }
    }
}

fn abilities(kind: AdapterKind) -> Abilities {
    Abilities {
        streaming: true,
        tools: true,
        parallel_tools: true,
        schema: request::dialect(kind).is_some(),
        images: true,
        reasoning: true,
        cache_marks: matches!(kind, AdapterKind::Anthropic),
    }
}
