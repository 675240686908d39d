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

mod callable;
mod function;
mod output;
mod recover;
mod toolbox;

pub use callable::Tool;
pub use function::{FnTool, tool_fn};
pub use output::{ToolError, ToolOutput};
pub use recover::recover_calls;
pub use toolbox::{Toolbox, read_arguments};
