//! Sub-agents, and the registry that a planner chooses from.
//!
//! A sub-agent has a typed input and output, whose schemas come from the types, and a [`Card`] that
//! describes its purpose to the planner. The [`Registry`] checks the calls of a planner: an unknown
//! name or a wrong argument is a typed error that names the problem and does not end the run.
//!
//! ```
//! use research_agents_runtime::error::Error;
//! use research_agents_runtime::tools::registry::{Card, Registry, SubAgent};
//! use schemars::JsonSchema;
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Text { text: String }
//! #[derive(Serialize, Deserialize, JsonSchema)]
//! struct Length { words: usize }
//!
//! struct Counter;
//!
//! impl SubAgent<()> for Counter {
//!     type Input = Text;
//!     type Output = Length;
//!
//!     fn card(&self) -> Card {
//!         Card::new("counter", "Counts words.")
//!             .use_when("a length is asked for")
//!             .speed("instant")
//!             .cost("none")
//!     }
//!
//!     async fn run(&self, _: &(), input: Text) -> Result<Length, Error> {
//!         Ok(Length { words: input.text.split_whitespace().count() })
//!     }
//! }
//!
//! # futures::executor::block_on(async {
//! let mut registry = Registry::new();
//! registry.register(Counter);
//! let input = serde_json::json!({"text": "two words"});
//! assert_eq!(registry.call("counter", &(), input).await.unwrap()["words"], 2);
//!
//! let wrong = registry.call("counter", &(), serde_json::json!({"text": 7})).await.unwrap_err();
//! assert!(wrong.to_string().contains("`text`"), "{wrong}");
//! let unknown = registry.call("countr", &(), serde_json::json!({})).await.unwrap_err();
//! assert!(unknown.to_string().contains("did you mean `counter`?"), "{unknown}");
//! # });
//! ```

pub(crate) mod agent;
pub(crate) mod output;
pub(crate) mod table;

pub use crate::error::model::{InvalidInput, SubAgentError};
pub use crate::tools::registry::agent::{Card, SubAgent};
pub use crate::tools::registry::output::AgentOutput;
pub use crate::tools::registry::table::Registry;
