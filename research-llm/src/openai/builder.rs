//! Makes a client of a model.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicU8;

use secrecy::SecretString;

use super::model::{Api, Inner, OpenAi};
use super::quirks::{Quirks, SchemaMode};
use crate::error::ModelError;
use crate::http::{HttpBuilder, HttpLimits, KeyScheme};
use crate::model::{ModelInfo, ModelKind};

/// The settings of a client. `Debug` shows no key.
///
/// Without [`api_key`](Self::api_key) the key comes from the environment: from `OPENAI_API_KEY`, or the variable that
/// the [quirks](Quirks::key_variable) name. It is sent to the provider's own address and to the one that the environment
/// names (`OPENAI_BASE_URL`), never to one that the program gives: a key for one host must not reach another by accident.
#[derive(Clone)]
pub struct OpenAiBuilder {
    model: String,
    base_url: Option<String>,
    key: Option<SecretString>,
    api: Api,
    quirks: Quirks,
    context_tokens: Option<u32>,
    max_output_tokens: Option<u32>,
    http: HttpBuilder,
    environment: fn(&str) -> Option<String>,
}

impl fmt::Debug for OpenAiBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAiBuilder")
            .field("model", &self.model)
            .field("provider", &self.quirks.provider)
            .field("api", &self.api)
            .field("has_key", &self.key.is_some())
            .field("http", &self.http)
            .finish_non_exhaustive()
    }
}

impl OpenAi {
    /// Begins a client of a model.
    pub fn builder(model: impl Into<String>) -> OpenAiBuilder {
        OpenAiBuilder::new(model.into())
    }
}

impl OpenAiBuilder {
    pub(super) fn new(model: String) -> Self {
        Self {
            model,
            base_url: None,
            key: None,
            api: Api::default(),
            quirks: Quirks::OPENAI,
            context_tokens: None,
            max_output_tokens: None,
            http: HttpBuilder::new(""),
            environment: |name| std::env::var(name).ok().filter(|value| !value.trim().is_empty()),
        }
    }

    /// Sets the address up to `/chat/completions` or `/responses`, such as `http://127.0.0.1:8080/v1`.
    #[must_use]
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.base_url = Some(url.into());
        self
    }

    /// Sets the key.
    #[must_use]
    pub fn api_key(mut self, key: impl Into<SecretString>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Sets a header of every call.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<SecretString>) -> Self {
        self.http = self.http.header(name, value);
        self
    }

    /// Names the organisation that pays.
    #[must_use]
    pub fn organization(self, id: impl Into<String>) -> Self {
        self.header("openai-organization", id.into())
    }

    /// Names the project that pays.
    #[must_use]
    pub fn project(self, id: impl Into<String>) -> Self {
        self.header("openai-project", id.into())
    }

    /// Sends every call through a proxy; its address may hold a user and a password.
    #[must_use]
    pub fn proxy(mut self, url: impl Into<SecretString>) -> Self {
        self.http = self.http.proxy(url);
        self
    }

    /// Heeds `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, which are left alone otherwise.
    #[must_use]
    pub fn system_proxy(mut self) -> Self {
        self.http = self.http.system_proxy();
        self
    }

    /// Uses this client. Its own settings of proxies, encryption and connecting hold; it should follow no redirects.
    #[must_use]
    pub fn client(mut self, client: reqwest::Client) -> Self {
        self.http = self.http.client(client);
        self
    }

    /// Sets how long a call waits and how much it reads.
    #[must_use]
    pub fn limits(mut self, limits: HttpLimits) -> Self {
        self.http = self.http.limits(limits);
        self
    }

    /// Sets which format is spoken.
    #[must_use]
    pub fn api(mut self, api: Api) -> Self {
        self.api = api;
        self
    }

    /// Sets what the server does in its own way, its address and its key among that.
    #[must_use]
    pub fn quirks(mut self, quirks: Quirks) -> Self {
        self.quirks = quirks;
        self
    }

    /// Sets what request and answer together may hold, in tokens.
    #[must_use]
    pub fn context_tokens(mut self, tokens: u32) -> Self {
        self.context_tokens = Some(tokens);
        self
    }

    /// Sets how much the model can answer at most, in tokens.
    #[must_use]
    pub fn max_output_tokens(mut self, tokens: u32) -> Self {
        self.max_output_tokens = Some(tokens);
        self
    }

    /// The client.
    ///
    /// # Errors
    /// * [`ModelError::Authentication`] naming the variable, if the provider's own address wants a key and there is none;
    /// * [`ModelError::InvalidRequest`] for an address, a header or a proxy that cannot be one, and for a server without a usual
    ///   address when none is given.
    pub fn build(self) -> Result<OpenAi, ModelError> {
        let Self { quirks, environment, .. } = self;
        let from_environment = quirks.url_variable.filter(|_| self.base_url.is_none()).and_then(environment);
        let is_ours = self.base_url.as_deref().is_none_or(|url| same_host(url, quirks.base_url));
        let key = self.key.or_else(|| {
            let variable = quirks.key_variable.filter(|_| is_ours)?;
            environment(variable).map(SecretString::from)
        });
        if let (None, Some(variable)) = (&key, quirks.key_variable)
            && quirks.needs_key
            && is_ours
            && from_environment.is_none()
        {
            let message = format!("no key for {}: set {variable}, or give one to the builder", quirks.provider);
            return Err(ModelError::authentication(message));
        }
        let url = self.base_url.or(from_environment).unwrap_or_else(|| quirks.base_url.to_owned());
        let mut http = self.http.base_url(url);
        if let Some(key) = key {
            http = http.key(key, KeyScheme::Bearer);
        }
        let schema = match self.api {
            Api::Chat => quirks.schema,
            Api::Responses => quirks.responses_schema,
        };
        // What is known of the model follows the format that is spoken.
        let quirks = quirks.schema(schema);
        let mut info = ModelInfo::new(quirks.provider, self.model, ModelKind::Language).abilities(quirks.abilities());
        info.context_tokens = self.context_tokens;
        info.max_output_tokens = self.max_output_tokens;
        let mode = SchemaMode::ALL.iter().position(|&mode| mode == quirks.schema).unwrap_or_default();
        let mode = AtomicU8::new(u8::try_from(mode).unwrap_or_default());
        Ok(OpenAi(Arc::new(Inner { http: http.build()?, info, api: self.api, quirks, mode })))
    }
}

/// Whether two addresses are of the same host and port.
fn same_host(url: &str, other: &str) -> bool {
    let origin = |url: &str| reqwest::Url::parse(url).ok().map(|url| url.origin());
    matches!((origin(url), origin(other)), (Some(one), Some(other)) if one == other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    fn with(environment: fn(&str) -> Option<String>) -> OpenAiBuilder {
        OpenAiBuilder { environment, ..OpenAi::builder("m") }
    }

    fn full(name: &str) -> Option<String> {
        match name {
            "OPENAI_API_KEY" => Some("sk-MARKER-0123456789".to_owned()),
            _ => None,
        }
    }

    fn elsewhere(name: &str) -> Option<String> {
        (name == "OPENAI_BASE_URL").then(|| "http://127.0.0.1:9/v1".to_owned()).or_else(|| full(name))
    }

    #[test]
    fn a_missing_key_is_named_with_its_variable() {
        let error = with(|_| None).build().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Authentication);
        assert!(error.to_string().contains("OPENAI_API_KEY"), "{error}");
        let error = with(|_| None).quirks(Quirks::GROQ).build().unwrap_err();
        assert!(error.to_string().contains("GROQ_API_KEY"), "{error}");
    }

    #[test]
    fn a_server_of_ones_own_needs_no_key() {
        assert!(with(|_| None).base_url("http://127.0.0.1:9/v1").build().is_ok());
        assert!(with(|_| None).quirks(Quirks::OLLAMA).build().is_ok());
        let error = with(|_| None).quirks(Quirks::GENERIC).build().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidRequest);
    }

    #[test]
    fn a_key_of_the_environment_goes_to_its_own_host_alone() {
        let sends_key = |builder: OpenAiBuilder| builder.build().unwrap().0.http.sends_key();
        assert!(sends_key(with(full)));
        assert!(sends_key(with(full).base_url("https://api.openai.com/v2")));
        assert!(sends_key(with(elsewhere)));
        assert!(!sends_key(with(full).base_url("https://example.org/v1")));
        assert!(sends_key(with(|_| None).base_url("https://example.org/v1").api_key("key-given-0123456789")));
    }

    #[test]
    fn a_key_that_is_no_more_than_a_word_is_refused_for_another_machine() {
        let at = |url: &str, key: &str| with(|_| None).base_url(url).api_key(key).build();
        let error = at("https://example.org/v1", "short").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Authentication);
        assert!(!error.to_string().contains("short"), "{error}");
        assert!(at("https://example.org/v1", "eight-ch").is_ok());
        for url in ["http://127.0.0.1:1/v1", "http://localhost:1/v1", "http://[::1]:1/v1"] {
            assert!(at(url, "short").is_ok(), "{url}");
        }
    }

    #[test]
    fn debug_shows_no_secret() {
        let builder = with(full).proxy("http://u:MARKER@p:1").header("x-auth", "MARKER").api_key("MARKER-OF-A-KEY");
        let shown = format!("{builder:?} {:?}", builder.clone().build().unwrap());
        assert!(!shown.contains("MARKER"), "{shown}");
        assert!(shown.contains("https://api.openai.com/v1"), "{shown}");
    }
}
