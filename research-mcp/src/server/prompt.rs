//! A prompt that a server offers.

use std::sync::Arc;

use futures::FutureExt;

use super::failure::Refusal;
use super::parts::{PromptCall, ServerPrompt};
use crate::resource::{PromptArgument, PromptMessage};

impl std::fmt::Debug for ServerPrompt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerPrompt").field("name", &self.name).finish_non_exhaustive()
    }
}

impl ServerPrompt {
    /// A prompt that this function writes.
    pub fn new<F, R>(name: impl Into<String>, function: F) -> Self
    where
        F: Fn(PromptCall) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Vec<PromptMessage>, Refusal>> + Send + 'static,
    {
        Self {
            name: name.into(),
            title: None,
            description: None,
            arguments: Vec::new(),
            handler: Arc::new(move |call| function(call).boxed()),
        }
    }

    /// Sets the title for people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Sets what it is for.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Adds something that must be filled in.
    #[must_use]
    pub fn requires(self, name: impl Into<String>, description: impl Into<String>) -> Self {
        self.argument(name.into(), description.into(), true)
    }

    /// Adds something that can be filled in.
    #[must_use]
    pub fn takes(self, name: impl Into<String>, description: impl Into<String>) -> Self {
        self.argument(name.into(), description.into(), false)
    }

    fn argument(mut self, name: String, description: String, required: bool) -> Self {
        self.arguments.push(PromptArgument { name, description: Some(description), required });
        self
    }

    pub(super) async fn write(&self, call: PromptCall) -> Result<Vec<PromptMessage>, Refusal> {
        let missing = |argument: &&PromptArgument| argument.required && !call.arguments.contains_key(&argument.name);
        if let Some(argument) = self.arguments.iter().find(missing) {
            let message = format!("the prompt `{}` needs the argument `{}`", self.name, argument.name);
            return Err(Refusal::invalid_params(message));
        }
        (self.handler)(call).await
    }
}
