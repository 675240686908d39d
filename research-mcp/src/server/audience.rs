//! Who hears of changes, and how they are made.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use futures::future::join_all;
use rmcp::model::{ResourceUpdatedNotification, ResourceUpdatedNotificationParam, ServerNotification};
use rmcp::service::SubscriptionSink;

use super::prompt::ServerPrompt;
use super::tool::ServerTool;
use super::{Session, Shared};

/// The clients of a server.
#[derive(Default)]
pub(super) struct Audience {
    hearers: Mutex<Hearers>,
}

#[derive(Default)]
struct Hearers {
    /// Those of MCP 2025-11-25 and before, each with a connection that lasts.
    sessions: Vec<Weak<Session>>,
    /// Those of later revisions, each with a request for what it wants to hear.
    streams: BTreeMap<u64, SubscriptionSink>,
    next: u64,
}

impl Audience {
    pub(super) fn join(&self, session: &Arc<Session>) {
        let mut hearers = self.hearers.lock().unwrap_or_else(PoisonError::into_inner);
        hearers.sessions.retain(|known| known.strong_count() > 0);
        hearers.sessions.push(Arc::downgrade(session));
    }

    /// Adds a stream until the returned guard is dropped.
    pub(super) fn listen(&self, sink: SubscriptionSink) -> Listening<'_> {
        let mut hearers = self.hearers.lock().unwrap_or_else(PoisonError::into_inner);
        let id = hearers.next;
        hearers.next += 1;
        hearers.streams.insert(id, sink);
        Listening { audience: self, id }
    }

    async fn tell(&self, notification: ServerNotification) {
        let uri = match &notification {
            ServerNotification::ResourceUpdatedNotification(updated) => Some(updated.params.uri.clone()),
            _ => None,
        };
        let (sessions, streams) = {
            let hearers = self.hearers.lock().unwrap_or_else(PoisonError::into_inner);
            let sessions: Vec<Arc<Session>> = hearers.sessions.iter().filter_map(Weak::upgrade).collect();
            (sessions, hearers.streams.values().cloned().collect::<Vec<_>>())
        };
        let wants = |session: &&Arc<Session>| match &uri {
            Some(uri) => session.subscribed.lock().unwrap_or_else(PoisonError::into_inner).contains(uri),
            None => true,
        };
        let peers = sessions.iter().filter(wants).filter_map(|session| session.peer.get());
        let told = peers.map(|peer| {
            let notification = notification.clone();
            async move {
                if let Err(error) = peer.send_notification(notification).await {
                    tracing::debug!(%error, "a client was not told of a change");
                }
            }
        });
        join_all(told).await;
        // A stream that did not ask for it refuses it.
        join_all(streams.iter().map(|stream| stream.send(notification.clone()))).await;
    }
}

/// A client that listens.
pub(super) struct Listening<'a> {
    audience: &'a Audience,
    id: u64,
}

impl Drop for Listening<'_> {
    fn drop(&mut self) {
        self.audience.hearers.lock().unwrap_or_else(PoisonError::into_inner).streams.remove(&self.id);
    }
}

/// Changes what a server offers while it serves, and tells its clients.
///
/// Clients are told of changed lists when the server was built with [`changes`](super::ToolServerBuilder::changes), and of changed
/// resources when it was built with [`subscriptions`](super::ToolServerBuilder::subscriptions). The server may be gone; then nothing
/// happens.
#[derive(Clone)]
pub struct Announcer {
    shared: Weak<Shared>,
}

impl std::fmt::Debug for Announcer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Announcer").finish_non_exhaustive()
    }
}

impl Announcer {
    pub(super) fn new(shared: &Arc<Shared>) -> Self {
        Self { shared: Arc::downgrade(shared) }
    }

    /// Adds a tool, in place of one of the same name. Returns what is wrong with it, if anything; then nothing changes.
    ///
    /// # Errors
    ///
    /// [`ServeError::Invalid`](super::ServeError::Invalid) when its name or its schema cannot be used.
    pub async fn set_tool(&self, tool: ServerTool) -> Result<(), super::ServeError> {
        let Some(shared) = self.shared.upgrade() else { return Ok(()) };
        if let Some(problem) = tool.problem() {
            return Err(super::ServeError::Invalid { server: shared.name.clone(), problems: vec![problem] });
        }
        set(&mut shared.tools.write().unwrap_or_else(PoisonError::into_inner), tool, |tool| &tool.name);
        self.tools_changed().await;
        Ok(())
    }

    /// Takes a tool away. Whether it was there.
    pub async fn remove_tool(&self, name: &str) -> bool {
        let Some(shared) = self.shared.upgrade() else { return false };
        let was_there =
            remove(&mut shared.tools.write().unwrap_or_else(PoisonError::into_inner), |tool| tool.name == name);
        if was_there {
            self.tools_changed().await;
        }
        was_there
    }

    /// Adds a prompt, in place of one of the same name.
    pub async fn set_prompt(&self, prompt: ServerPrompt) {
        let Some(shared) = self.shared.upgrade() else { return };
        set(&mut shared.prompts.write().unwrap_or_else(PoisonError::into_inner), prompt, |prompt| &prompt.name);
        self.prompts_changed().await;
    }

    /// Takes a prompt away. Whether it was there.
    pub async fn remove_prompt(&self, name: &str) -> bool {
        let Some(shared) = self.shared.upgrade() else { return false };
        let was_there =
            remove(&mut shared.prompts.write().unwrap_or_else(PoisonError::into_inner), |prompt| prompt.name == name);
        if was_there {
            self.prompts_changed().await;
        }
        was_there
    }

    /// Tells clients that the list of tools is another one.
    pub async fn tools_changed(&self) {
        self.list_changed(ServerNotification::ToolListChangedNotification(Default::default())).await;
    }

    /// Tells clients that the list of prompts is another one.
    pub async fn prompts_changed(&self) {
        self.list_changed(ServerNotification::PromptListChangedNotification(Default::default())).await;
    }

    /// Tells clients that the list of resources is another one.
    pub async fn resources_changed(&self) {
        self.list_changed(ServerNotification::ResourceListChangedNotification(Default::default())).await;
    }

    /// Tells the clients that subscribed to a resource that it has changed.
    pub async fn resource_updated(&self, uri: impl Into<String>) {
        let Some(shared) = self.shared.upgrade() else { return };
        if shared.offers.subscriptions {
            let params = ResourceUpdatedNotificationParam::new(uri);
            let notification = ResourceUpdatedNotification::new(params);
            shared.audience.tell(ServerNotification::ResourceUpdatedNotification(notification)).await;
        }
    }

    async fn list_changed(&self, notification: ServerNotification) {
        let Some(shared) = self.shared.upgrade() else { return };
        if shared.offers.changes {
            shared.audience.tell(notification).await;
        }
    }
}

fn set<T>(list: &mut Vec<Arc<T>>, new: T, name: impl Fn(&T) -> &String) {
    match list.iter_mut().find(|old| name(old) == name(&new)) {
        Some(old) => *old = Arc::new(new),
        None => list.push(Arc::new(new)),
    }
}

fn remove<T>(list: &mut Vec<Arc<T>>, is: impl Fn(&T) -> bool) -> bool {
    let before = list.len();
    list.retain(|item| !is(item));
    list.len() < before
}
