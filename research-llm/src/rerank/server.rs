//! A reranking model behind a server.

use std::sync::Arc;

use async_trait::async_trait;
use secrecy::SecretString;
use serde::Deserialize;
use serde_json::json;

use super::reranker::{Ranking, Reranker};
use crate::embed::Match;
use crate::error::ModelError;
use crate::http::{Http, HttpBuilder, HttpLimits, KeyScheme};
use crate::response::Usage;

/// Asks a server's `/rerank`, in the form that Cohere (version 2), Jina, vLLM and llama.cpp share.
///
/// ```
/// use research_llm::rerank::ServerReranker;
/// use research_llm::Reranker;
///
/// let reranker = ServerReranker::builder("http://127.0.0.1:8080/v1", "bge-reranker-v2-m3").build()?;
/// assert_eq!(reranker.id(), "http://127.0.0.1:8080/v1:bge-reranker-v2-m3");
/// # Ok::<(), research_llm::ModelError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ServerReranker {
    http: Http,
    model: String,
}

/// Describes a reranker; [`build`](Self::build) makes it.
#[derive(Clone, Debug)]
#[must_use = "a builder does nothing before `build`"]
pub struct ServerRerankerBuilder {
    http: HttpBuilder,
    model: String,
}

impl ServerReranker {
    /// Describes a model of the server at this address, to which `/rerank` is added.
    pub fn builder(base_url: impl Into<String>, model: impl Into<String>) -> ServerRerankerBuilder {
        ServerRerankerBuilder { http: HttpBuilder::new(base_url), model: model.into() }
    }
}

impl ServerRerankerBuilder {
    /// Sets the key, which is sent as a bearer token. None is taken from the environment.
    pub fn api_key(mut self, key: impl Into<SecretString>) -> Self {
        self.http = self.http.key(key.into(), KeyScheme::Bearer);
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

    /// Makes the reranker. Nothing is sent.
    ///
    /// # Errors
    /// [`ModelError::InvalidRequest`] for an address, a header, a key or a proxy that cannot be one.
    pub fn build(self) -> Result<ServerReranker, ModelError> {
        Ok(ServerReranker { http: self.http.build()?, model: self.model })
    }
}

#[derive(Deserialize)]
struct Answer {
    results: Vec<Judged>,
    #[serde(default)]
    usage: Option<Used>,
}

#[derive(Deserialize)]
struct Judged {
    index: usize,
    #[serde(alias = "score")]
    relevance_score: f32,
}

#[derive(Deserialize)]
struct Used {
    #[serde(default)]
    total_tokens: u64,
}

#[async_trait]
impl Reranker for ServerReranker {
    fn id(&self) -> String {
        format!("{}:{}", self.http.address(), self.model)
    }

    async fn rerank(&self, query: &str, passages: &[String], k: usize) -> Result<Ranking, ModelError> {
        let k = k.min(passages.len());
        if k == 0 {
            return Ok(Ranking::default());
        }
        let body = json!({"model": self.model, "query": query, "documents": passages, "top_n": k});
        let reply = self.http.post("/rerank", &body, None).await?;
        let answer: Answer = serde_path_to_error::deserialize(&reply.body).map_err(|error| {
            let message = format!("the ranking has no known form at `{}`", error.path());
            ModelError::invalid_response(message, Some(Arc::new(error.into_inner())))
        })?;
        let mut seen = vec![false; passages.len()];
        for judged in &answer.results {
            match seen.get_mut(judged.index) {
                Some(seen) if !*seen && judged.relevance_score.is_finite() => *seen = true,
                _ => {
                    let message = format!("the ranking judges passage {} of {} wrongly", judged.index, passages.len());
                    return Err(ModelError::invalid_response(message, None));
                }
            }
        }
        let matches = answer.results.iter().map(|judged| Match::new(judged.index, judged.relevance_score)).collect();
        let mut ranking = Ranking::new(matches).usage(Usage::new(answer.usage.map_or(0, |used| used.total_tokens), 0));
        // Some servers judge all passages whatever is asked.
        ranking.matches.truncate(k);
        Ok(ranking)
    }
}
