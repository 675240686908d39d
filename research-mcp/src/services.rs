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
pub(crate) enum Asks {
    /// Nobody; servers are not told that they may ask.
    #[default]
    Nobody,
    /// The host, later: a call that needs an answer ends, and is made again.
    Later,
    /// This one, while the call waits.
    Now(Arc<dyn Elicitor>),
}
