//! The names that the author of a research system needs, to import together.
//!
//! ```
//! use research_agents_runtime::prelude::*;
//! ```

pub use research_core::{Cx, Graph, Log, NodeError, State};
pub use research_mcp::Object;

pub use crate::ask::{Template, UserText};
pub use crate::bundle::Bundle;
pub use crate::bundle::verify::{OriginTable, Origins};
pub use crate::clarify::{Clarification, ClarificationPolicy};
pub use crate::error::Error;
pub use crate::event::RunEvent;
pub use crate::job::{Ask, Kit, Settings};
pub use crate::limits::{BudgetLimits, Policy, Usage, add_usage};
pub use crate::offline::OfflineAnswers;
pub use crate::run::{Beginning, Hosted, NodeJob, QuestionInput, Workflow};
pub use crate::run_state;
pub use crate::tape::{Effect, Exchange, Outcome, TaskRecord};
