//! The tools of a hub as a [source of tools](AskingSource), with progress and questions.

use std::future::pending;

use futures::StreamExt;
use research_mcp::{
    BoxFuture, CallOutput, HubEvent, McpError, Object, ServerState, ToolListing, ToolSource,
};

use crate::event::progress::ToolProgress;
use crate::job::{AskingSource, Called, Turn};
use crate::tape::ToolQuestion;
use crate::tools::hub::model::{Entry, HubTools};

/// The first revision of MCP in which a call that asks can be made again with the answers.
const ANSWERS_LATER: &str = "2026-07-28";

impl ToolSource for HubTools {
    fn list_tools(&self) -> BoxFuture<'_, Result<ToolListing, McpError>> {
        Box::pin(async {
            let mut listing = ToolListing::new(self.tools().cloned().collect());
            listing.quarantined = self.left_out().to_vec();
            Ok(listing)
        })
    }

    fn call_tool<'a>(
        &'a self,
        name: &'a str,
        arguments: Object,
    ) -> BoxFuture<'a, Result<CallOutput, McpError>> {
        Box::pin(self.call_pinned(name, arguments))
    }
}

impl AskingSource for HubTools {
    fn request<'a>(
        &'a self,
        name: &'a str,
        arguments: Object,
        turn: &'a Turn,
    ) -> BoxFuture<'a, Result<Called, McpError>> {
        Box::pin(async move {
            let entry = self.entry(name, &arguments)?;
            self.request_entry(entry, arguments, turn).await
        })
    }
}

impl HubTools {
    async fn request_entry(
        &self,
        entry: &Entry,
        arguments: Object,
        turn: &Turn,
    ) -> Result<Called, McpError> {
        let (inner, server, tool) = (&self.inner, &entry.tool.server, &entry.tool.name);
        let mut options = inner
            .options
            .clone()
            .pinned(entry.fingerprint.clone())
            .label(&turn.label);
        options.answers.clone_from(&turn.answers);

        // Servers that cannot wait ask the interviewer in the middle of the call.
        let interviewer = inner
            .interviewer
            .as_ref()
            .filter(|_| turn.can_ask && self.asks_in_call(server));
        let mut active = match interviewer {
            Some(interviewer) => {
                let known = turn.answered.clone();
                Some(interviewer.begin_call(server, tool, known).await)
            }
            None => None,
        };
        let asked = async {
            match &mut active {
                Some(active) => active.question().await,
                None => pending().await,
            }
        };

        // Drive the call, and report its progress meanwhile.
        let mut events = inner.hub.events();
        let call = inner.hub.call_on_with(server, tool, arguments, &options);
        let (mut call, mut asked) = (std::pin::pin!(call), std::pin::pin!(asked));
        loop {
            tokio::select! {
                biased;
                outcome = &mut call => return match outcome {
                    Ok(output) => Ok(Called::Done(Box::new(output))),
                    Err(McpError::InputRequired { required, .. }) => {
                        Ok(Called::Asked(ToolQuestion::Required(*required)))
                    }
                    Err(error) => Err(error),
                },
                question = &mut asked => {
                    return Ok(Called::Asked(ToolQuestion::Interrupting(question)));
                }
                Some(event) = events.next() => report_progress(turn, event),
            }
        }
    }

    /// Returns `true` if a server asks its questions in the middle of a call.
    fn asks_in_call(&self, server: &str) -> bool {
        let servers = self.inner.hub.servers();
        let found = servers.into_iter().find(|status| status.name == server);
        let state = found.map(|found| found.state);
        !matches!(state, Some(ServerState::Ready { protocol, .. }) if *protocol >= *ANSWERS_LATER)
    }
}

/// Reports an event of the hub that is progress of this call.
fn report_progress(turn: &Turn, event: HubEvent) {
    if let HubEvent::Progress {
        server,
        tool,
        label: Some(label),
        progress,
        total,
        message,
        ..
    } = event
        && label == turn.label
    {
        let progress = ToolProgress::new(&turn.key, &server, &tool, progress, total);
        (turn.on_progress)(progress.with_message(message));
    }
}
