//! What a host gives its hub, for all servers.

use std::sync::Arc;

use crate::artifact::ArtifactStore;
use crate::elicit::Elicitor;
use crate::era::Eras;

/// What a host gives its hub.
#[derive(Clone, Default)]
pub(crate) struct Services {
    pub(crate) asks: Asks,
    pub(crate) artifacts: Option<Arc<dyn ArtifactStore>>,
    pub(crate) eras: Eras,
}

/// Who answers the questions of servers.
#[derive(Clone, Default)]
pub(crate) struct Asks {
    /// This one, while the call waits.
    pub(crate) now: Option<Arc<dyn Elicitor>>,
    /// The host, later, where the revision of the server has that: a call that needs an answer ends, and is made again.
    pub(crate) later: bool,
}

impl Asks {
    /// Whether anybody answers. If not, servers are told that they cannot ask.
    pub(crate) fn somebody(&self) -> bool {
        self.later || self.now.is_some()
    }
}
