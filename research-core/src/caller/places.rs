//! The places of tasks in flight: how many run at once, over a graph and its subgraphs.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The places of a run and of the subgraphs in it.
#[derive(Clone, Debug)]
pub(crate) struct Places(Arc<Shelf>);

#[derive(Debug)]
struct Shelf {
    all: Arc<Semaphore>,
    /// Those of nodes with a limit of their own, by the ids of their graphs and their positions there.
    of_nodes: Mutex<BTreeMap<(u32, u32), Arc<Semaphore>>>,
}

/// What a task needs before it begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    /// One of all places.
    pub(crate) any: bool,
    /// One of the places of its node, of which there are so many.
    pub(crate) of_node: Option<(NodePlace, usize)>,
}

/// The id of a graph, and the position of a node in it.
pub(crate) type NodePlace = (u32, u32);

/// What a task holds while it is in flight.
#[derive(Debug)]
pub(crate) struct Place {
    _any: Option<OwnedSemaphorePermit>,
    _of_node: Option<OwnedSemaphorePermit>,
}

impl Places {
    pub(crate) fn new(limit: usize) -> Self {
        let all = Arc::new(Semaphore::new(limit.min(Semaphore::MAX_PERMITS)));
        Self(Arc::new(Shelf { all, of_nodes: Mutex::default() }))
    }

    /// Takes what is wanted, where all of it is free.
    pub(crate) fn try_take(&self, wanted: Wanted) -> Option<Place> {
        let of_node = match wanted.of_node {
            Some((node, limit)) => Some(self.of_node(node, limit).try_acquire_owned().ok()?),
            None => None,
        };
        let any = match wanted.any {
            true => Some(Arc::clone(&self.0.all).try_acquire_owned().ok()?),
            false => None,
        };
        Some(Place { _any: any, _of_node: of_node })
    }

    /// Waits for what is wanted: first for the place of the node, so that a task which waits for that keeps no other from
    /// beginning.
    pub(crate) async fn take(self, wanted: Wanted) -> Place {
        // The places are never closed.
        let of_node = match wanted.of_node {
            Some((node, limit)) => self.of_node(node, limit).acquire_owned().await.ok(),
            None => None,
        };
        let any = match wanted.any {
            true => Arc::clone(&self.0.all).acquire_owned().await.ok(),
            false => None,
        };
        Place { _any: any, _of_node: of_node }
    }

    fn of_node(&self, node: NodePlace, limit: usize) -> Arc<Semaphore> {
        let mut of_nodes = self.0.of_nodes.lock().unwrap_or_else(PoisonError::into_inner);
        let places =
            of_nodes.entry(node).or_insert_with(|| Arc::new(Semaphore::new(limit.min(Semaphore::MAX_PERMITS))));
        Arc::clone(places)
    }
}
