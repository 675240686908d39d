//! What a server is asked to tell unasked: changes of its lists and of resources, in both eras of the protocol.

use rmcp::model::{ClientRequest, ServerNotification, SubscriptionFilter};
use rmcp::service::{ServiceError, Subscription};
use tokio::time::timeout;

use super::client::{Inbox, Notice};
use super::link::Connection;
use super::subscribed::Watched;
use crate::error::{McpError, Operation};

/// The first revision in which a server tells nothing that it was not asked to in one long request.
const LISTEN: &str = "2026-07-28";

impl Connection {
    /// Asks to be told when the lists of the server change. Before 2026 servers tell by themselves.
    pub(crate) async fn watch_lists(&self) {
        if !self.listens() {
            return;
        }
        let mut watched = self.subscriptions.0.lock().await;
        if let Err(error) = self.listen(&mut watched).await {
            tracing::debug!(server = self.server, %error, "the server does not tell when its lists change");
        }
    }

    /// Asks to be told when a resource changes.
    pub(crate) async fn subscribe(&self, uri: &str) -> Result<(), McpError> {
        if !self.listens() {
            return self.within(subscribe(uri), Operation::Subscribe).await.map(drop);
        }
        let mut watched = self.subscriptions.0.lock().await;
        let new = watched.uris.insert(uri.to_owned());
        let outcome = if new { self.listen(&mut watched).await } else { Ok(()) };
        if outcome.is_err() {
            watched.uris.remove(uri);
        }
        outcome
    }

    /// Asks not to be told any more.
    pub(crate) async fn unsubscribe(&self, uri: &str) -> Result<(), McpError> {
        if !self.listens() {
            return self.within(unsubscribe(uri), Operation::Subscribe).await.map(drop);
        }
        let mut watched = self.subscriptions.0.lock().await;
        if watched.uris.remove(uri) { self.listen(&mut watched).await } else { Ok(()) }
    }

    fn listens(&self) -> bool {
        self.introduction().1.as_str() >= LISTEN
    }

    /// Listens for what is wanted now, and no longer for what was wanted before.
    async fn listen(&self, watched: &mut Watched) -> Result<(), McpError> {
        let mut filter =
            SubscriptionFilter::builder().tools_list_changed().prompts_list_changed().resources_list_changed().build();
        if !watched.uris.is_empty() {
            filter.resource_subscriptions = Some(watched.uris.iter().cloned().collect());
        }
        let limit = self.limits.call;
        let opened = timeout(limit, self.peer.listen(filter)).await;
        let subscription = match opened.unwrap_or(Err(ServiceError::Timeout { timeout: limit })) {
            Ok(subscription) => subscription,
            Err(error) => return Err(self.error(error, Operation::Subscribe, None).await),
        };
        let task = tokio::spawn(hear(subscription, self.inbox.clone()));
        if let Some(before) = watched.task.replace(task) {
            before.abort();
        }
        Ok(())
    }
}

async fn hear(mut subscription: Subscription, inbox: Inbox) {
    loop {
        match subscription.next().await {
            Ok(Some(ServerNotification::ToolListChangedNotification(_))) => inbox.tools_changed(),
            Ok(Some(ServerNotification::PromptListChangedNotification(_))) => inbox.put(Notice::PromptsChanged),
            Ok(Some(ServerNotification::ResourceListChangedNotification(_))) => inbox.put(Notice::ResourcesChanged),
            Ok(Some(ServerNotification::ResourceUpdatedNotification(updated))) => {
                inbox.put(Notice::ResourceUpdated(updated.params.uri));
            }
            Ok(Some(_)) => {}
            Ok(None) => return,
            Err(error) => return tracing::debug!(%error, "a subscription ended"),
        }
    }
}

#[expect(deprecated, reason = "servers of the revisions up to 2025-11-25 know only this")]
fn subscribe(uri: &str) -> ClientRequest {
    let params = rmcp::model::SubscribeRequestParams::new(uri);
    ClientRequest::SubscribeRequest(rmcp::model::SubscribeRequest::new(params))
}

#[expect(deprecated, reason = "servers of the revisions up to 2025-11-25 know only this")]
fn unsubscribe(uri: &str) -> ClientRequest {
    let params = rmcp::model::UnsubscribeRequestParams::new(uri);
    ClientRequest::UnsubscribeRequest(rmcp::model::UnsubscribeRequest::new(params))
}
