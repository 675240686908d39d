//! What a server says of itself: which models it serves, and how much they hold.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use tokio::time::Instant;

use super::catalog;
use super::entry::ProviderEntry;
use super::model_spec::ModelSpec;
use super::place::Place;
use super::providers::Providers;
use crate::error::{ErrorKind, ModelError};
use crate::http::{Http, HttpBuilder, KeyScheme};
use crate::model::{ChatModel, ModelInfo};
use crate::request::Request;
use crate::response::Response;
use crate::stream::EventStream;

/// A server that answers at all answers these questions at once.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a server says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerFacts {
    /// The models that it serves, as it names them.
    pub models: Vec<String>,
    /// What request and answer together may hold, in tokens.
    pub context_tokens: Option<u32>,
}

impl Providers {
    /// Opens a model and asks its server what is not known of it: what it serves, where the specification names no
    /// model, and how much it holds. Servers given by their address are asked, and providers that need no key, such
    /// as `llama_cpp`; of others nothing is asked.
    ///
    /// # Errors
    /// As [`open`](Self::open), and [`ModelError::Connection`], [`ModelError::Timeout`] or
    /// [`ModelError::Authentication`] if the server cannot be asked. A server that does not know the questions is no
    /// error: what it does not say stays unknown.
    pub async fn open_and_probe(&self, spec: &str) -> Result<Arc<dyn ChatModel>, ModelError> {
        let meant = self.resolve(spec)?;
        let facts = self.ask(&meant).await?;
        let meant = meant.or_model(facts.models.first().map(String::as_str));
        let model = self.open_resolved(spec, &meant)?;
        match (model.info().context_tokens, facts.context_tokens) {
            (None, Some(tokens)) => {
                let info = model.info().clone().context_tokens(tokens);
                Ok(Arc::new(Known { model, info }))
            }
            _ => Ok(model),
        }
    }

    /// What the server of a specification says of itself; nothing for a provider that needs a key.
    ///
    /// # Errors
    /// As [`open_and_probe`](Self::open_and_probe).
    pub async fn probe(&self, spec: &str) -> Result<ServerFacts, ModelError> {
        self.ask(&self.resolve(spec)?).await
    }

    async fn ask(&self, spec: &ModelSpec) -> Result<ServerFacts, ModelError> {
        let entry = catalog().find(|entry| entry.name == spec.provider());
        match entry {
            Some(entry) if spec.url().is_some() || !(entry.needs_key || entry.base_url.is_empty()) => {
                let place = Place::of(&entry, spec, &self.variables())?;
                ask(&entry, place, spec.model()).await
            }
            _ => Ok(ServerFacts::default()),
        }
    }
}

async fn ask(entry: &ProviderEntry, place: Place, model: Option<&str>) -> Result<ServerFacts, ModelError> {
    let url = place.url.unwrap_or_else(|| entry.base_url.to_owned());
    // Servers of several formats answer these questions beside that of OpenAI.
    let root = url.trim_end_matches('/').trim_end_matches("/v1");
    let mut http = HttpBuilder::new(root);
    if let Some(key) = place.key {
        http = http.key(key, KeyScheme::Bearer);
    }
    let http = http.build()?;
    let deadline = Instant::now() + PATIENCE;
    let listed = answer(&http, "/v1/models", deadline).await?;
    let list = listed.as_ref().and_then(|body| body.get("data")).and_then(Value::as_array);
    let list = list.map(Vec::as_slice).unwrap_or_default();
    let id = |entry: &Value| entry.get("id").and_then(Value::as_str).map(str::to_owned);
    let models: Vec<String> = list.iter().filter_map(id).collect();
    let wanted = model.or(models.first().map(String::as_str));
    let served = list.iter().find(|entry| entry.get("id").and_then(Value::as_str) == wanted).or(match list {
        // A server of one model takes any name for it.
        [only] => Some(only),
        _ => None,
    });
    let context_tokens = match served.and_then(of_listed) {
        Some(tokens) => Some(tokens),
        None if list.len() <= 1 => answer(&http, "/props", deadline).await?.as_ref().and_then(of_props),
        None => None,
    };
    Ok(ServerFacts { models, context_tokens })
}

/// The context of a model as vLLM and LM Studio tell it in their lists. llama.cpp tells there what the model was trained
/// for, which is not what it serves.
fn of_listed(entry: &Value) -> Option<u32> {
    ["max_model_len", "loaded_context_length"].into_iter().find_map(|field| tokens(entry.get(field)?))
}

/// The context of a slot of llama.cpp: what one request may hold.
fn of_props(props: &Value) -> Option<u32> {
    tokens(props.get("default_generation_settings")?.get("n_ctx")?)
}

fn tokens(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|tokens| u32::try_from(tokens).ok()).filter(|&tokens| tokens > 0)
}

/// The answer to a question, or nothing from a server that does not know it.
async fn answer(http: &Http, path: &str, deadline: Instant) -> Result<Option<Value>, ModelError> {
    match http.get(path, Some(deadline)).await {
        Ok(reply) => Ok(Some(reply.body)),
        Err(error) => match error.kind() {
            ErrorKind::Connection | ErrorKind::Timeout | ErrorKind::Authentication => Err(error),
            _ => Ok(None),
        },
    }
}

/// A model of which more is known than it says itself.
struct Known {
    model: Arc<dyn ChatModel>,
    info: ModelInfo,
}

#[async_trait]
impl ChatModel for Known {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    async fn complete(&self, request: &Request) -> Result<Response, ModelError> {
        self.model.complete(request).await
    }

    fn stream(&self, request: Request) -> EventStream<'_> {
        self.model.stream(request)
    }
}
