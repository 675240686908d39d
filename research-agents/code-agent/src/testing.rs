//! Stand-ins for tests of a host.

use std::sync::{Arc, Mutex, PoisonError};

use schemars::JsonSchema;
use serde::Deserialize;

use crate::actions::{Action, ActionContext, ActionResult, HybridSearch};
use crate::run::EvidenceDraft;

/// A search that finds the same lines for every query, and remembers the queries. Clones share
/// them.
///
/// ```
/// use research_agents_code_agent::actions::ActionRegistry;
/// use research_agents_code_agent::testing::FixedSearch;
///
/// let search = FixedSearch::new([]);
/// let registry = ActionRegistry::standard().with(search.clone()).build()?;
/// assert!(registry.get("hybrid_search").is_some() && search.queries().is_empty());
/// # Ok::<(), research_agents_code_agent::actions::RegistryError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct FixedSearch {
    found: Arc<[EvidenceDraft]>,
    queries: Arc<Mutex<Vec<String>>>,
}

/// What was searched for.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Query {
    /// The words.
    query: String,
}

impl FixedSearch {
    /// Creates a search that finds these lines.
    pub fn new(found: impl IntoIterator<Item = EvidenceDraft>) -> Self {
        Self {
            found: found.into_iter().collect(),
            queries: Arc::default(),
        }
    }

    /// Returns the queries so far, oldest first.
    pub fn queries(&self) -> Vec<String> {
        let queries = self.queries.lock();
        queries.unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Action for FixedSearch {
    const NAME: &'static str = HybridSearch::NAME;
    const DESCRIPTION: &'static str = HybridSearch::DESCRIPTION;
    type Input = Query;

    async fn execute(&self, input: Query, _: &ActionContext) -> ActionResult {
        let mut queries = self.queries.lock().unwrap_or_else(PoisonError::into_inner);
        queries.push(input.query);
        let summary = format!("{} hits", self.found.len());
        ActionResult::done(summary).with_evidence(self.found.to_vec())
    }
}
