//! What the nodes of a run share.

use std::fmt;
use std::sync::{Arc, OnceLock};

use research_agents_fieldwork::searcher::Searcher;
use research_agents_runtime::job::Kit;
use tokio::sync::Semaphore;

use crate::config::FeedbackConfig;

/// What the nodes of a run share.
#[derive(Clone)]
pub struct FeedbackKit {
    pub(crate) kit: Kit,
    pub(crate) searcher: Searcher,
    pub(crate) config: Arc<FeedbackConfig>,
    /// One permit for each searcher that may work in parallel. It is made when the number is known.
    slots: Arc<OnceLock<Semaphore>>,
}

impl FeedbackKit {
    pub(crate) fn new(kit: Kit, searcher: Searcher, config: Arc<FeedbackConfig>) -> Self {
        Self {
            kit,
            searcher,
            config,
            slots: Arc::default(),
        }
    }

    /// Returns the permits of searchers. The first call sets how many there are.
    pub(crate) fn slots(&self, workers: u32) -> &Semaphore {
        let permits = usize::try_from(workers).unwrap_or(1).max(1);
        self.slots.get_or_init(|| Semaphore::new(permits))
    }
}

impl AsRef<Kit> for FeedbackKit {
    fn as_ref(&self) -> &Kit {
        &self.kit
    }
}

impl fmt::Debug for FeedbackKit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FeedbackKit")
            .field("searcher", &self.searcher)
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}
