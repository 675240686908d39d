//! A prepared answer of a scripted model.

use serde_json::Value;

use crate::error::ModelError;
use crate::response::{FinishReason, Response, Usage};

/// A prepared answer, or a prepared failure. Made from text, from JSON, or from a [`ModelError`].
#[derive(Clone, Debug)]
pub struct Reply(pub(super) Result<Response, ModelError>);

impl Reply {
    /// Answers with a text.
    pub fn text(text: impl Into<String>) -> Self {
        Self(Ok(Response::new("", text)))
    }

    /// Answers with JSON.
    #[must_use]
    pub fn json(value: Value) -> Self {
        Self::text(value.to_string())
    }

    /// Sets what the call used. A failure has no usage.
    #[must_use]
    pub fn usage(self, usage: Usage) -> Self {
        Self(self.0.map(|response| response.usage(usage)))
    }

    /// Sets why the model stopped. A failure has no such reason.
    #[must_use]
    pub fn finish(self, finish: FinishReason) -> Self {
        Self(self.0.map(|response| response.finish(finish)))
    }
}

impl From<&str> for Reply {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for Reply {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

impl From<Value> for Reply {
    fn from(value: Value) -> Self {
        Self::json(value)
    }
}

impl From<Response> for Reply {
    fn from(response: Response) -> Self {
        Self(Ok(response))
    }
}

impl From<ModelError> for Reply {
    fn from(error: ModelError) -> Self {
        Self(Err(error))
    }
}
