//! Calls from a node, which can wait for an answer of the user without a limit.

use std::sync::Arc;
use std::time::Duration;

use research_agents_report::text::Untrusted;
use research_core::{Ask, Cx, NodeError, State};
use research_mcp::{CallOutput, McpErrorKind, Object};
use serde_json::Value;

use crate::error::model::Error;
use crate::job::dialect::AllowListOnly;
use crate::job::{Job, Kit, Settings};
use crate::limits::{BudgetLimits, Policy, RetryPolicy};
use crate::tools::hub::model::HubTools;

/// Maximum duration of a call; the options of the hub's calls set shorter ones.
const MAX_CALL: Duration = Duration::from_secs(30 * 86_400);

impl HubTools {
    /// Calls a tool from a node of any graph. The key distinguishes the call from the others of the
    /// same task.
    ///
    /// A call that has ended is recorded: when the node runs again, it is not made again. When the
    /// server asks the user something, the run is [interrupted](Cx::interrupt) with a question that
    /// [`asked`](crate::tools::hub::asked) reads, and the answer is an
    /// [`ElicitAnswer`](crate::tools::hub::ElicitAnswer). Progress becomes
    /// [`ToolProgress`](crate::tools::hub::ToolProgress) events.
    ///
    /// The allow-list decides what may be called. A node of a [`System`](crate::run::System) calls
    /// [`Job::call_and_ask`] instead, which adds budget, policy, retries and the tape of its run.
    ///
    /// # Errors
    ///
    /// The [`McpError`](crate::tools::hub::McpError) inside an [`Error`](crate::error::Error),
    /// which is not recorded; what [`Cx::interrupt`] returns while a question is open, to be passed
    /// on with `?`; and a failure to record.
    pub async fn call_in<S: State, R: Send + Sync + 'static>(
        &self,
        cx: &Cx<S, R>,
        key: &str,
        name: &str,
        arguments: Object,
    ) -> Result<Untrusted<CallOutput>, NodeError> {
        let job =
            Job::new(cx.clone(), &self.kit(), cx.task_id(), false).with_dialect(AllowListOnly);
        match job.call_and_ask(key, key, name, arguments).await? {
            Ok(answer) => Ok(Untrusted::new(answer.output)),
            // Without a thread no one can be asked. The engine's own error says what to do.
            Err(Error::Tool(error)) if error.kind() == McpErrorKind::InputRequired => {
                cx.interrupt(Ask::new(key, Value::Null)).await
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Returns a kit of these tools alone: what limits them is their allow-list.
    fn kit(&self) -> Kit {
        let settings = Settings::new(Policy::new().role("", ["*"]))
            .budget(BudgetLimits::default().time(MAX_CALL))
            .retry(RetryPolicy::default().retries(0));
        Kit::for_tools(Arc::new(self.clone()), settings)
    }
}
