//! The trait that a tool implements.

use async_trait::async_trait;
use serde_json::Value;

use super::output::{ToolError, ToolOutput};
use crate::call::ToolDefinition;

/// Something that a model may call. Share it as `Arc<dyn Tool>`.
///
/// Most tools are functions: see [`tool_fn`](super::tool_fn).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool",
    label = "this must implement `Tool`",
    note = "make one from a function with `tool_fn`, or implement `Tool` with `#[async_trait]`"
)]
#[async_trait]
pub trait Tool: Send + Sync {
    /// What the model is told of it.
    fn definition(&self) -> &ToolDefinition;

    /// Answers a call. The arguments are an object of JSON, otherwise as the model wrote them: not checked against the
    /// schema, and not to be trusted.
    ///
    /// # Errors
    /// [`ToolError`]; its text goes to the model.
    async fn call(&self, arguments: Value) -> Result<ToolOutput, ToolError>;
}

macro_rules! forward {
    ($($pointer:ty),*) => {$(
        #[async_trait]
        impl<T: Tool + ?Sized> Tool for $pointer {
            fn definition(&self) -> &ToolDefinition {
                (**self).definition()
            }

            async fn call(&self, arguments: Value) -> Result<ToolOutput, ToolError> {
                (**self).call(arguments).await
            }
        }
    )*};
}

forward!(std::sync::Arc<T>, Box<T>);
