//! What the nodes of a run share.

use std::fmt;
use std::sync::Arc;

use research_agents_fieldwork::searcher::Searcher;
use research_agents_runtime::job::Kit;
use tokio::sync::Semaphore;

use crate::config::StudioConfig;

pub(super) use research_agents_fieldwork::asked::{Asked, room, tokens_of};
pub(crate) use research_agents_fieldwork::source_set::SEARCHER;

/// What the nodes of a run share.
#[derive(Clone)]
pub struct StudioKit {
    pub(crate) kit: Kit,
    pub(crate) searcher: Searcher,
    pub(crate) config: Arc<StudioConfig>,
    /// One permit for each sub-agent that may work in parallel.
    pub(crate) slots: Arc<Semaphore>,
}

impl AsRef<Kit> for StudioKit {
    fn as_ref(&self) -> &Kit {
        &self.kit
    }
}

impl fmt::Debug for StudioKit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StudioKit")
            .field("searcher", &self.searcher)
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}
