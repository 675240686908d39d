//! Tools whose answers have no secrets of this process.

use std::sync::Arc;

use research_llm::redact::Redactor;
use research_mcp::{BoxFuture, CallOutput, McpError, Object, ToolListing, ToolSource};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::job::source::{AskingSource, Called, Turn};
use crate::tape::fault::ToolFault;

/// Tools whose listings, results, questions and errors have no [known](Redactor::known) secrets.
pub(crate) struct RedactedTools(pub(crate) Arc<dyn AskingSource>);

impl ToolSource for RedactedTools {
    fn list_tools(&self) -> BoxFuture<'_, Result<ToolListing, McpError>> {
        Box::pin(async { redacted(self.0.list_tools().await) })
    }

    fn call_tool<'a>(
        &'a self,
        name: &'a str,
        arguments: Object,
    ) -> BoxFuture<'a, Result<CallOutput, McpError>> {
        Box::pin(async move { redacted(self.0.call_tool(name, arguments).await) })
    }
}

impl AskingSource for RedactedTools {
    fn request<'a>(
        &'a self,
        name: &'a str,
        arguments: Object,
        turn: &'a Turn,
    ) -> BoxFuture<'a, Result<Called, McpError>> {
        let mut turn = turn.clone();
        let on_progress = Arc::clone(&turn.on_progress);
        turn.on_progress = Arc::new(move |progress| {
            on_progress(Redactor::known().all_of(progress));
        });
        Box::pin(async move { redacted(self.0.request(name, arguments, &turn).await) })
    }
}

/// Removes the secrets from an answer. An error is rebuilt from its recorded form only if it has
/// one, as the cause of an error is lost there.
fn redacted<T: Serialize + DeserializeOwned>(answer: Result<T, McpError>) -> Result<T, McpError> {
    let redactor = Redactor::known();
    if redactor.is_empty() {
        return answer;
    }

    match answer {
        Ok(value) => Ok(redactor.all_of(value)),
        Err(error) => {
            let fault = ToolFault::from_error(&error);
            let clean = redactor.all_of(fault.clone());
            let is_shown = redactor.text(&error.to_string()) == error.to_string();
            if clean == fault && is_shown {
                Err(error)
            } else {
                Err(clean.into_error())
            }
        }
    }
}
