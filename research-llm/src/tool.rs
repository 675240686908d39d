//! Tools as functions: typed, named, and run for the calls that a model makes.
//!
//! ```
//! use research_llm::ToolCall;
//! use research_llm::tool::{Toolbox, tool_fn};
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Sum {
//!     /// What to add up.
//!     numbers: Vec<i64>,
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), research_llm::ModelError> {
//! let tools = Toolbox::new()
//!     .with(tool_fn("sum", "Adds numbers.", |sum: Sum| async move {
//!         sum.numbers.iter().try_fold(0_i64, |all, n| all.checked_add(*n)).map(|all| all.to_string()).ok_or("too large")
//!     }))
//!     .checked()?;
//!
//! let calls = [
//!     ToolCall::new("1", "sum", r#"{"numbers": [1, 2, 3]}"#),
//!     ToolCall::new("2", "sum", r#"{"numbers": [1, "two"]}"#),
//! ];
//! let results = tools.run_all(&calls).await;
//! assert_eq!((results[0].content.as_str(), results[0].is_error), ("6", false));
//! assert!(results[1].is_error && results[1].content.contains("numbers[1]"));
//! # Ok(()) }
//! ```

mod function;
mod output;
mod recover;
mod toolbox;

use async_trait::async_trait;
use serde_json::Value;

use crate::call::ToolDefinition;

pub use function::{FnTool, tool_fn};
pub use output::{ToolError, ToolOutput};
pub use recover::recover_calls;
pub use toolbox::{Toolbox, read_arguments};

/// Something that a model may call. Share it as `Arc<dyn Tool>`.
///
/// Most tools are functions: see [`tool_fn`].
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
