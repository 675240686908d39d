//! The embeddings of a server that speaks as OpenAI does.

use std::ops::Range;
use std::sync::Arc;

use async_trait::async_trait;
use futures::stream::{self, StreamExt, TryStreamExt};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::super::embedder::{Embedder, EmbedderInfo, InputKind, check_texts};
use super::super::vectors::Embeddings;
use super::answer;
use crate::error::ModelError;
use crate::http::Http;

/// How the numbers are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Encoding {
    /// As decimal numbers, which every server can.
    #[default]
    Float,
    /// As base 64 of the bytes, which takes a third of the space; OpenAI, vLLM and llama.cpp can.
    Base64,
}

/// What makes the two kinds of input different for a model.
#[derive(Clone, Debug, Default)]
pub(super) struct Kinds {
    /// Text put before a query and before a passage.
    pub(super) prefixes: [String; 2],
    /// A field of the request, and its value for a query and for a passage.
    pub(super) field: Option<(String, [String; 2])>,
}

/// Asks a server's `/embeddings`.
///
/// Texts are sent in batches bounded by their number and by their tokens, some of them at once; the vectors come back
/// in the order of the texts. An answer with another number of vectors, or with vectors of another length than promised,
/// is [`ModelError::InvalidResponse`].
///
/// ```
/// use research_llm::Embedder;
/// use research_llm::embed::OpenAiEmbedder;
///
/// // A server of one's own needs no key; OpenAI's is taken from OPENAI_API_KEY.
/// let embedder = OpenAiEmbedder::builder("nomic-embed-text")
///     .base_url("http://127.0.0.1:11434/v1")
///     .prefixes("search_query: ", "search_document: ")
///     .build()?;
/// assert_eq!(embedder.info().name, "nomic-embed-text");
/// # Ok::<(), research_llm::ModelError>(())
/// ```
#[derive(Clone, Debug)]
pub struct OpenAiEmbedder {
    pub(super) inner: Arc<Inner>,
}

#[derive(Debug)]
pub(super) struct Inner {
    pub(super) http: Http,
    pub(super) info: EmbedderInfo,
    /// Set when the server is to shorten its vectors.
    pub(super) wanted_dimensions: Option<usize>,
    pub(super) encoding: Encoding,
    pub(super) kinds: Kinds,
    pub(super) max_texts: usize,
    pub(super) max_tokens: u64,
    pub(super) concurrency: usize,
    pub(super) extra: Map<String, Value>,
}

impl OpenAiEmbedder {
    fn prefix(&self, kind: InputKind) -> &str {
        &self.inner.kinds.prefixes[place(kind)]
    }

    fn body(&self, texts: &[String], kind: InputKind) -> Value {
        let prefix = self.prefix(kind);
        let input: Vec<String> = texts.iter().map(|text| format!("{prefix}{text}")).collect();
        let mut body = Map::new();
        body.insert("model".into(), json!(self.inner.info.name));
        body.insert("input".into(), json!(input));
        body.insert("encoding_format".into(), json!(self.inner.encoding));
        if let Some(dimensions) = self.inner.wanted_dimensions {
            body.insert("dimensions".into(), json!(dimensions));
        }
        if let Some((field, values)) = &self.inner.kinds.field {
            body.insert(field.clone(), json!(values[place(kind)]));
        }
        body.extend(self.inner.extra.clone());
        Value::Object(body)
    }

    async fn batch(&self, texts: &[String], kind: InputKind) -> Result<Embeddings, ModelError> {
        let reply = self.inner.http.post("/embeddings", &self.body(texts, kind), None).await?;
        let vectors = answer::read(reply.body, texts.len(), &self.inner.info.name)?;
        match self.inner.info.dimensions {
            Some(wanted) if wanted != vectors.dimensions() => {
                let message = format!("vectors of {} dimensions instead of {wanted}", vectors.dimensions());
                Err(ModelError::invalid_response(message, None))
            }
            _ => Ok(vectors),
        }
    }

    /// The texts in runs that one call takes. A text that is too long alone is a run of its own, for the server to judge.
    fn batches(&self, texts: &[String], kind: InputKind) -> Vec<Range<usize>> {
        let prefix = tokens(self.prefix(kind));
        let mut batches = Vec::new();
        let (mut start, mut sum) = (0, 0_u64);
        for (at, text) in texts.iter().enumerate() {
            let cost = prefix.saturating_add(tokens(text));
            let is_full = at - start >= self.inner.max_texts || sum.saturating_add(cost) > self.inner.max_tokens;
            if at > start && is_full {
                batches.push(start..at);
                (start, sum) = (at, 0);
            }
            sum = sum.saturating_add(cost);
        }
        if start < texts.len() {
            batches.push(start..texts.len());
        }
        batches
    }
}

fn place(kind: InputKind) -> usize {
    match kind {
        InputKind::Query => 0,
        InputKind::Passage => 1,
    }
}

/// Tokens of a text, estimated.
fn tokens(text: &str) -> u64 {
    crate::tokens::estimate(text)
}

#[async_trait]
impl Embedder for OpenAiEmbedder {
    fn info(&self) -> &EmbedderInfo {
        &self.inner.info
    }

    async fn embed(&self, texts: &[String], kind: InputKind) -> Result<Embeddings, ModelError> {
        check_texts(texts)?;
        let calls = self.batches(texts, kind).into_iter().map(|batch| self.batch(&texts[batch], kind));
        let mut answers = stream::iter(calls).buffered(self.inner.concurrency);
        let mut all: Option<Embeddings> = None;
        while let Some(more) = answers.try_next().await? {
            match &mut all {
                Some(all) => all.append(&more)?,
                None => all = Some(more),
            }
        }
        Ok(all.unwrap_or_else(|| Embeddings::new(&self.inner.info.name)))
    }
}
