//! A cache attached to a graph.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Semaphore;

use crate::cache::DynCache;
use crate::codec::Codec;
use crate::state::State;

/// The cache that a graph's nodes look into, with what turns their results into bytes.
pub(crate) struct AttachedCache<S: State> {
    pub(crate) cache: Arc<dyn DynCache>,
    pub(crate) codec: &'static dyn Codec<S>,
    pub(crate) flights: Arc<Flights>,
}

/// A namespace of a cache and a key in it.
type CacheKey = (String, Vec<u8>);

/// The keys that are computed at this moment, so that one task computes a key and others wait for it.
#[derive(Debug, Default)]
pub(crate) struct Flights(Mutex<HashMap<CacheKey, Arc<Semaphore>>>);

/// What a task is to do about a key.
pub(crate) enum Turn {
    /// It computes the key; others wait until this is dropped.
    First(Computing),
    /// Another one computes it. The semaphore closes when that has ended.
    Wait(Arc<Semaphore>),
}

/// A key that is computed.
pub(crate) struct Computing {
    flights: Arc<Flights>,
    key: CacheKey,
    over: Arc<Semaphore>,
}

impl Flights {
    pub(crate) fn join(self: &Arc<Self>, namespace: &str, key: &[u8]) -> Turn {
        let key = (namespace.to_string(), key.to_vec());
        match self.lock().entry(key.clone()) {
            Entry::Occupied(known) => Turn::Wait(Arc::clone(known.get())),
            Entry::Vacant(free) => {
                let over = Arc::clone(free.insert(Arc::new(Semaphore::new(0))));
                Turn::First(Computing { flights: Arc::clone(self), key, over })
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<CacheKey, Arc<Semaphore>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Computing {
    fn drop(&mut self) {
        self.flights.lock().remove(&self.key);
        self.over.close();
    }
}

impl<S: State> Clone for AttachedCache<S> {
    fn clone(&self) -> Self {
        Self { cache: Arc::clone(&self.cache), codec: self.codec, flights: Arc::clone(&self.flights) }
    }
}

/// The namespace of a node's entries. Quoted, so that no two pairs of names give the same.
pub(crate) fn namespace(graph: &str, node: &str) -> String {
    format!("{graph:?}.{node:?}")
}
