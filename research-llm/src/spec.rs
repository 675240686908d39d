//! From a name such as `openai:gpt-5` to a model.

#[cfg(feature = "anthropic")]
mod anthropic;
#[cfg(feature = "genai")]
mod bridge;
mod catalog;
#[cfg(feature = "openai")]
mod contexts;
mod entry;
mod model_spec;
#[cfg(feature = "openai")]
mod openai;
#[cfg(any(feature = "openai", feature = "anthropic"))]
mod place;
#[cfg(any(feature = "openai", feature = "anthropic"))]
mod probe;
mod providers;
mod suggest;

pub use catalog::catalog;
pub use entry::{ProviderEntry, WireFormat};
pub use model_spec::ModelSpec;
#[cfg(any(feature = "openai", feature = "anthropic"))]
pub use probe::ServerFacts;
pub use providers::Providers;
