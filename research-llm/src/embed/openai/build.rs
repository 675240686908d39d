//! Builds an embedder of a server.

use std::env;
use std::sync::Arc;

use secrecy::SecretString;
use serde_json::{Map, Value};

use super::client::{Encoding, Inner, Kinds, OpenAiEmbedder};
use crate::embed::embedder::EmbedderInfo;
use crate::error::ModelError;
use crate::http::{HttpBuilder, HttpLimits, KeyScheme};

const BASE_URL: &str = "https://api.openai.com/v1";
const KEY_VARIABLE: &str = "OPENAI_API_KEY";

/// Texts in a call. OpenAI takes 2,048, others fewer.
const MAX_TEXTS: usize = 128;

/// Tokens in a call. OpenAI takes 300,000 (reference of the embeddings endpoint, "input", as of 2026).
const MAX_TOKENS: u64 = 100_000;

/// Calls at once.
const CONCURRENCY: usize = 4;

/// Describes an embedder; [`build`](Self::build) makes it.
#[derive(Clone, Debug)]
#[must_use = "a builder does nothing before `build`"]
pub struct OpenAiEmbedderBuilder {
    http: HttpBuilder,
    info: EmbedderInfo,
    has_key: bool,
    has_address: bool,
    wanted_dimensions: Option<usize>,
    encoding: Encoding,
    kinds: Kinds,
    max_texts: usize,
    max_tokens: u64,
    concurrency: usize,
    extra: Map<String, Value>,
}

impl OpenAiEmbedder {
    /// Describes a model.
    pub fn builder(model: impl Into<String>) -> OpenAiEmbedderBuilder {
        OpenAiEmbedderBuilder::new(model.into())
    }
}

impl OpenAiEmbedderBuilder {
    pub(super) fn new(model: String) -> Self {
        Self {
            http: HttpBuilder::new(BASE_URL),
            info: EmbedderInfo::new("openai", model),
            has_key: false,
            has_address: false,
            wanted_dimensions: None,
            encoding: Encoding::default(),
            kinds: Kinds::default(),
            max_texts: MAX_TEXTS,
            max_tokens: MAX_TOKENS,
            concurrency: CONCURRENCY,
            extra: Map::new(),
        }
    }

    /// Sets the name under which the embedder is known, where it is not OpenAI's.
    pub fn provider(mut self, name: impl Into<String>) -> Self {
        self.info.provider = name.into();
        self
    }

    /// Sets the address of the server, to which `/embeddings` is added. It needs no key, and gets none from the
    /// environment.
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.http = self.http.base_url(url);
        self.has_address = true;
        self
    }

    /// Sets the key. Without it and without an address, it is taken from `OPENAI_API_KEY`.
    pub fn api_key(mut self, key: impl Into<SecretString>) -> Self {
        self.http = self.http.key(key.into(), KeyScheme::Bearer);
        self.has_key = true;
        self
    }

    /// Sets a header that goes with every call.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<SecretString>) -> Self {
        self.http = self.http.header(name, value);
        self
    }

    /// Sends every call through a proxy.
    pub fn proxy(mut self, url: impl Into<SecretString>) -> Self {
        self.http = self.http.proxy(url);
        self
    }

    /// Uses this HTTP client.
    pub fn client(mut self, client: reqwest::Client) -> Self {
        self.http = self.http.client(client);
        self
    }

    /// Sets how long a call waits and how much it reads.
    pub fn limits(mut self, limits: HttpLimits) -> Self {
        self.http = self.http.limits(limits);
        self
    }

    /// Sets the length that the model's vectors have; an answer of another length is an error.
    pub fn dimensions(mut self, dimensions: usize) -> Self {
        self.info.dimensions = Some(dimensions);
        self
    }

    /// Asks the server for vectors of this length, which only some models can.
    pub fn shorten_to(mut self, dimensions: usize) -> Self {
        self.wanted_dimensions = Some(dimensions);
        self.dimensions(dimensions)
    }

    /// Sets how many tokens of a text count.
    pub fn max_input_tokens(mut self, tokens: u32) -> Self {
        self.info.max_input_tokens = Some(tokens);
        self
    }

    /// Sets how the numbers are sent.
    pub fn encoding(mut self, encoding: Encoding) -> Self {
        self.encoding = encoding;
        self
    }

    /// Sets what the model was trained to read before a query and before a passage, such as `query: ` and `passage: `.
    pub fn prefixes(mut self, query: impl Into<String>, passage: impl Into<String>) -> Self {
        self.kinds.prefixes = [query.into(), passage.into()];
        self
    }

    /// Sets a field of the request that tells queries from passages, and its value for each, such as `input_type`
    /// with `query` and `document`.
    pub fn kind_field(
        mut self,
        field: impl Into<String>,
        query: impl Into<String>,
        passage: impl Into<String>,
    ) -> Self {
        self.kinds.field = Some((field.into(), [query.into(), passage.into()]));
        self
    }

    /// Sets how many texts (128 unless set) and how many tokens (100,000 unless set, estimated) one call takes. Each
    /// is at least 1.
    pub fn batch(mut self, texts: usize, tokens: u64) -> Self {
        self.max_texts = texts.max(1);
        self.max_tokens = tokens.max(1);
        self
    }

    /// Sets how many calls are made at once: 4 unless set, at least 1.
    pub fn concurrency(mut self, calls: usize) -> Self {
        self.concurrency = calls.max(1);
        self
    }

    /// Sets a field of the server's own in every call.
    pub fn extra(mut self, field: impl Into<String>, value: impl Into<Value>) -> Self {
        self.extra.insert(field.into(), value.into());
        self
    }

    /// Makes the embedder. Nothing is sent.
    ///
    /// # Errors
    /// [`ModelError::Authentication`] naming the environment variable if OpenAI's key is missing, and
    /// [`ModelError::InvalidRequest`] for an address, a header, a key or a proxy that cannot be one.
    pub fn build(mut self) -> Result<OpenAiEmbedder, ModelError> {
        if !self.has_key && !self.has_address {
            let key = env::var(KEY_VARIABLE).ok().filter(|key| !key.trim().is_empty());
            let key = key.ok_or_else(|| {
                ModelError::authentication(format!(
                    "there is no key for the embeddings of openai: set the environment variable {KEY_VARIABLE}"
                ))
            })?;
            self = self.api_key(key);
        }
        Ok(OpenAiEmbedder {
            inner: Arc::new(Inner {
                http: self.http.build()?,
                info: self.info,
                wanted_dimensions: self.wanted_dimensions,
                encoding: self.encoding,
                kinds: self.kinds,
                max_texts: self.max_texts,
                max_tokens: self.max_tokens,
                concurrency: self.concurrency,
                extra: self.extra,
            }),
        })
    }
}
