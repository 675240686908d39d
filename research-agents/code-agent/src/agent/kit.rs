//! What the steps of a run share.

use std::fmt;
use std::sync::Arc;

use research_agents_runtime::job::Kit;

use crate::actions::ActionRegistry;
use crate::run::AgentConfig;
use crate::space::View;

/// What the steps of a run share: the kit of the runtime, the actions, and the code base.
#[derive(Clone)]
pub struct CodeKit {
    pub(super) kit: Kit,
    pub(super) actions: ActionRegistry,
    pub(super) config: Arc<AgentConfig>,
    pub(super) space: Space,
}

/// The code base of a run; none in a replay. The scope is that of each run.
#[derive(Clone, Default)]
pub(super) struct Space(pub(super) Option<Arc<research_agents_code::base::CodeBase>>);

impl Space {
    /// Returns the view of one run.
    pub(super) fn view(&self, scope: &str) -> Result<View, research_agents_code::CodeError> {
        let scope = research_agents_code::tree::Scope::parse(scope)?;
        Ok(match &self.0 {
            Some(base) => View::new(Arc::clone(base), scope),
            None => View::absent(),
        })
    }
}

impl AsRef<Kit> for CodeKit {
    fn as_ref(&self) -> &Kit {
        &self.kit
    }
}

impl fmt::Debug for CodeKit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CodeKit")
            .field("actions", &self.actions)
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}
