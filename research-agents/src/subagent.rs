//! Sub-agents: what one is, and the registry that a planner chooses from.
//!
//! A sub-agent has a typed input and output, whose schemas come from the types, and a [`Card`] that tells the planner what it
//! is for. The [`Registry`] checks what a planner sends: an unknown name and a wrong argument are typed errors that name
//! what is wrong, never a crash of the run.
//!
//! ```
//! use research_agents::Error;
//! use research_agents::subagent::{Card, Registry, SubAgent};
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
//!         Card::new("counter", "Counts words.").use_when("a length is asked for").speed("instant").cost("none")
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

mod agent;
mod error;
mod registry;

pub use agent::{Card, InvalidInput, SubAgent};
pub use error::SubAgentError;
pub use registry::Registry;
