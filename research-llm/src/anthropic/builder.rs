//! Makes a client of the messages API.

use std::env;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use secrecy::SecretString;

use super::model::{Anthropic, Inner};
use super::quirks::{Quirks, SchemaMode};
use crate::error::ModelError;
use crate::http::{HttpBuilder, HttpLimits, KeyScheme};
use crate::model::{Abilities, ModelInfo, ModelKind};

/// Where Anthropic serves.
const OWN_URL: &str = "https://api.anthropic.com";

/// The version of the API that this client speaks.
const VERSION: &str = "2023-06-01";

/// Limit of an answer of a known model whose request names none, in tokens. At the 128,000 tokens an hour that
/// Anthropic's own clients reckon with it takes ten minutes, the longest that they let a call run that is not streamed.
const KNOWN_MAX_TOKENS: u32 = 21_333;

/// Limit of an answer of an unknown model whose request names none, in tokens.
const UNKNOWN_MAX_TOKENS: u32 = 4_096;

/// The settings of a client of the messages API. `Debug` shows no secret.
///
/// ```
/// use research_llm::ChatModel;
/// use research_llm::anthropic::Anthropic;
///
/// let local = Anthropic::builder("qwen2.5-coder").base_url("http://127.0.0.1:8080").context_tokens(8_192).build()?;
/// assert_eq!(local.info().id(), "anthropic:qwen2.5-coder");
/// # Ok::<(), research_llm::ModelError>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "a builder makes a client with `build`"]
pub struct AnthropicBuilder {
    model: String,
    provider: String,
    http: HttpBuilder,
    base_url: Option<String>,
    has_key: bool,
    betas: Vec<String>,
    quirks: Quirks,
    context_tokens: Option<u32>,
    max_tokens: Option<u32>,
}

impl Anthropic {
    /// A client for a model, by the name that the provider gives it.
    pub fn builder(model: impl Into<String>) -> AnthropicBuilder {
        AnthropicBuilder::new(model.into())
    }
}

impl AnthropicBuilder {
    pub(super) fn new(model: String) -> Self {
        Self {
            provider: "anthropic".to_owned(),
            http: HttpBuilder::new(OWN_URL).header("anthropic-version", VERSION.to_owned()),
            base_url: None,
            has_key: false,
            betas: Vec::new(),
            quirks: Quirks::of_model(&model),
            context_tokens: None,
            max_tokens: None,
            model,
        }
    }

    /// Sets the address of the server, with or without `/v1` at its end. Unless set, it is `ANTHROPIC_BASE_URL` or
    /// Anthropic's own.
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.base_url = Some(url.into());
        self
    }

    /// Sets the key. Unless set, it is `ANTHROPIC_API_KEY` for Anthropic's own server and for the one that
    /// `ANTHROPIC_BASE_URL` names; a server whose address is set here is never sent the key of the environment.
    pub fn api_key(mut self, key: impl Into<SecretString>) -> Self {
        self.http = self.http.key(key.into(), KeyScheme::Header("x-api-key"));
        self.has_key = true;
        self
    }

    /// Sets a header that goes with every call.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<SecretString>) -> Self {
        self.http = self.http.header(name, value);
        self
    }

    /// Asks for a feature that is in beta, by the name that goes into the header `anthropic-beta`.
    pub fn beta(mut self, name: impl Into<String>) -> Self {
        self.betas.push(name.into());
        self
    }

    /// Sends every call through a proxy.
    pub fn proxy(mut self, url: impl Into<SecretString>) -> Self {
        self.http = self.http.proxy(url);
        self
    }

    /// Heeds `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, which are ignored otherwise.
    pub fn system_proxy(mut self) -> Self {
        self.http = self.http.system_proxy();
        self
    }

    /// Uses this HTTP client; its own settings of proxies, redirects, encryption and connecting hold.
    pub fn client(mut self, client: reqwest::Client) -> Self {
        self.http = self.http.client(client);
        self
    }

    /// Sets how long and how large answers may be.
    pub fn limits(mut self, limits: HttpLimits) -> Self {
        self.http = self.http.limits(limits);
        self
    }

    /// Sets under which name the provider is known in the model's [`ModelInfo`]; `anthropic` unless set.
    pub fn provider(mut self, name: impl Into<String>) -> Self {
        self.provider = name.into();
        self
    }

    /// Sets what request and answer together may hold, in tokens.
    pub fn context_tokens(mut self, tokens: u32) -> Self {
        self.context_tokens = Some(tokens);
        self
    }

    /// Sets the limit of an answer whose request names none, in tokens: the API wants one with every call.
    ///
    /// Unless set, it is 21,333 or what the model can answer at most, whichever is less; and 4,096 or half of the
    /// context for a model of which that is not known.
    pub fn max_output_tokens(mut self, tokens: u32) -> Self {
        self.max_tokens = Some(tokens);
        self
    }

    /// Sets what the model takes, in the place of [what is known by its name](Quirks::of_model).
    pub fn quirks(mut self, quirks: Quirks) -> Self {
        self.quirks = quirks;
        self
    }

    /// The client.
    ///
    /// # Errors
    /// [`ModelError::Authentication`] if Anthropic's own server is to be asked and there is no key, and
    /// [`ModelError::InvalidRequest`] for an address, a header, a key or a proxy that cannot be one.
    pub fn build(self) -> Result<Anthropic, ModelError> {
        self.build_in(|name| env::var(name).ok().filter(|value| !value.trim().is_empty()))
    }

    fn build_in(self, environment: impl Fn(&str) -> Option<String>) -> Result<Anthropic, ModelError> {
        let mut http = self.http;
        let is_set_here = self.base_url.is_some();
        let url = self.base_url.or_else(|| environment("ANTHROPIC_BASE_URL")).unwrap_or_else(|| OWN_URL.to_owned());
        let url = url.trim_end_matches('/');
        let url = url.strip_suffix("/v1").unwrap_or(url);
        let is_own = url.eq_ignore_ascii_case(OWN_URL);
        if !self.has_key {
            match environment("ANTHROPIC_API_KEY").filter(|_| is_own || !is_set_here) {
                Some(key) => http = http.key(key.into(), KeyScheme::Header("x-api-key")),
                None if is_own => {
                    return Err(ModelError::authentication("no key is set; set ANTHROPIC_API_KEY or `api_key`"));
                }
                None => {}
            }
        }
        if !self.betas.is_empty() {
            http = http.header("anthropic-beta", self.betas.join(","));
        }
        let quirks = self.quirks;
        let mut info = ModelInfo::new(self.provider, self.model, ModelKind::Language).abilities(Abilities {
            streaming: true,
            tools: true,
            parallel_tools: true,
            schema: quirks.schema == SchemaMode::Native,
            images: true,
            reasoning: true,
            cache_marks: true,
        });
        info.context_tokens = self.context_tokens.or(quirks.context_tokens);
        info.max_output_tokens = quirks.max_output_tokens;
        let max_tokens = self.max_tokens.unwrap_or_else(|| match (quirks.max_output_tokens, info.context_tokens) {
            (Some(most), _) => most.min(KNOWN_MAX_TOKENS),
            (None, Some(context)) => (context / 2).clamp(1, UNKNOWN_MAX_TOKENS),
            (None, None) => UNKNOWN_MAX_TOKENS,
        });
        let http = http.base_url(url).build()?;
        Ok(Anthropic(Arc::new(Inner { http, info, quirks, max_tokens, refuses_schemas: AtomicBool::new(false) })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::model::ChatModel;

    fn build(builder: AnthropicBuilder, environment: &[(&str, &str)]) -> Result<Anthropic, ModelError> {
        builder.build_in(|name| environment.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn a_missing_key_is_named_and_only_the_own_server_needs_one() {
        let error = build(Anthropic::builder("claude-opus-5"), &[]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Authentication);
        assert!(error.to_string().contains("ANTHROPIC_API_KEY"), "{error}");
        let local = build(Anthropic::builder("qwen").base_url("http://127.0.0.1:1/v1/"), &[]).unwrap();
        assert_eq!(local.0.http.address(), "http://127.0.0.1:1");
        assert!(build(Anthropic::builder("claude-opus-5"), &[("ANTHROPIC_API_KEY", "k-MARKER")]).is_ok());
        assert!(build(Anthropic::builder("qwen"), &[("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")]).is_ok());
    }

    #[test]
    fn debug_shows_no_key() {
        let builder = Anthropic::builder("m").base_url("http://127.0.0.1:1").api_key("k-MARKER").beta("b");
        assert!(!format!("{builder:?} {:?}", builder.clone().build().unwrap()).contains("MARKER"));
    }

    #[test]
    fn the_limit_of_an_answer_follows_from_what_is_known() {
        let limit = |builder: AnthropicBuilder| build(builder.base_url("http://h"), &[]).unwrap().0.max_tokens;
        assert_eq!(limit(Anthropic::builder("claude-opus-5")), 21_333);
        assert_eq!(limit(Anthropic::builder("claude-3-haiku-20240307")), 4_096);
        assert_eq!(limit(Anthropic::builder("qwen").context_tokens(2_048)), 1_024);
        assert_eq!(limit(Anthropic::builder("qwen")), 4_096);
        assert_eq!(limit(Anthropic::builder("qwen").max_output_tokens(7)), 7);
        let info = build(Anthropic::builder("claude-opus-5").base_url("http://h"), &[]).unwrap();
        assert_eq!((info.info().context_tokens, info.info().max_output_tokens), (Some(1_000_000), Some(128_000)));
    }
}
