//! Who hears of changes, and how they are made.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use futures::future::join_all;
use rmcp::model::ServerNotification;
use rmcp::service::SubscriptionSink;

use super::session::Session;

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

    pub(super) async fn tell(&self, notification: ServerNotification) {
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
