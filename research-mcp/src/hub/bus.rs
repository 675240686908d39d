//! Hands events to whoever watches, without waiting for anybody.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures::Stream;
use tokio::sync::broadcast;

use crate::event::HubEvent;

/// Events that one slow watcher can fall behind.
const BEHIND: usize = 1_024;

/// Where the servers of a hub tell what happens, and a number that grows with every change that a listing depends on.
#[derive(Clone, Debug)]
pub(super) struct Bus {
    events: broadcast::Sender<HubEvent>,
    generation: Arc<AtomicU64>,
}

impl Bus {
    pub(super) fn new() -> Self {
        Self { events: broadcast::channel(BEHIND).0, generation: Arc::default() }
    }

    pub(super) fn tell(&self, event: HubEvent) {
        // An error says that nobody watches.
        let _ = self.events.send(event);
    }

    /// Says that listings made before are out of date.
    pub(super) fn outdate(&self) {
        self.generation.fetch_add(1, Ordering::AcqRel);
    }

    pub(super) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// All events from now on. A watcher that falls too far behind is told how many it missed.
    pub(super) fn watch(&self) -> impl Stream<Item = HubEvent> + Send + 'static {
        futures::stream::unfold(self.events.subscribe(), |mut events| async move {
            let event = match events.recv().await {
                Ok(event) => event,
                Err(broadcast::error::RecvError::Lagged(count)) => HubEvent::Dropped { count },
                Err(broadcast::error::RecvError::Closed) => return None,
            };
            Some((event, events))
        })
    }
}
