//! The trait of a cache, and the object-safe twin that the engine keeps.

use std::fmt::Debug;
use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use futures::future::BoxFuture;

use crate::checkpoint::StoreError;

/// Keeps results of nodes by key. Implement the methods as `async fn`.
///
/// A namespace is a graph and a node, as [`CompiledGraph::cache_namespace`](crate::CompiledGraph::cache_namespace) names them. The
/// time is given with each call, so that a cache needs no clock of its own. A cache may forget any entry at any time, and an error
/// fails no run: the node then runs.
///
/// [`MemoryCache`](crate::MemoryCache) is the model to read, and the suite `testing::caches` (feature `testing`) checks a cache of your own.
pub trait Cache: Debug + Send + Sync + 'static {
    /// The entry of a key, unless it has expired at the time `now`.
    ///
    /// # Errors
    ///
    /// When the cache cannot be reached or read.
    fn get(
        &self,
        namespace: &str,
        key: &[u8],
        now: SystemTime,
    ) -> impl Future<Output = Result<Option<Vec<u8>>, StoreError>> + Send;

    /// Keeps an entry, in place of one that the key has, for the time `ttl` from `now` on; without it, for ever.
    ///
    /// # Errors
    ///
    /// When the cache cannot be reached or written.
    fn put(
        &self,
        namespace: &str,
        key: &[u8],
        value: Vec<u8>,
        now: SystemTime,
        ttl: Option<Duration>,
    ) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// Removes all entries of a namespace.
    ///
    /// # Errors
    ///
    /// When the cache cannot be reached or written.
    fn clear(&self, namespace: &str) -> impl Future<Output = Result<(), StoreError>> + Send;
}

/// A shared cache is a cache.
impl<C: Cache> Cache for Arc<C> {
    async fn get(&self, namespace: &str, key: &[u8], now: SystemTime) -> Result<Option<Vec<u8>>, StoreError> {
        C::get(self, namespace, key, now).await
    }
    async fn put(
        &self,
        namespace: &str,
        key: &[u8],
        value: Vec<u8>,
        now: SystemTime,
        ttl: Option<Duration>,
    ) -> Result<(), StoreError> {
        C::put(self, namespace, key, value, now, ttl).await
    }
    async fn clear(&self, namespace: &str) -> Result<(), StoreError> {
        C::clear(self, namespace).await
    }
}

/// What the engine keeps of a [`Cache`].
pub(crate) trait DynCache: Debug + Send + Sync {
    fn get<'a>(
        &'a self,
        namespace: &'a str,
        key: &'a [u8],
        now: SystemTime,
    ) -> BoxFuture<'a, Result<Option<Vec<u8>>, StoreError>>;
    fn put<'a>(
        &'a self,
        namespace: &'a str,
        key: &'a [u8],
        value: Vec<u8>,
        now: SystemTime,
        ttl: Option<Duration>,
    ) -> BoxFuture<'a, Result<(), StoreError>>;
    fn clear<'a>(&'a self, namespace: &'a str) -> BoxFuture<'a, Result<(), StoreError>>;
}

impl<C: Cache> DynCache for C {
    fn get<'a>(
        &'a self,
        namespace: &'a str,
        key: &'a [u8],
        now: SystemTime,
    ) -> BoxFuture<'a, Result<Option<Vec<u8>>, StoreError>> {
        Box::pin(Cache::get(self, namespace, key, now))
    }
    fn put<'a>(
        &'a self,
        namespace: &'a str,
        key: &'a [u8],
        value: Vec<u8>,
        now: SystemTime,
        ttl: Option<Duration>,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(Cache::put(self, namespace, key, value, now, ttl))
    }
    fn clear<'a>(&'a self, namespace: &'a str) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(Cache::clear(self, namespace))
    }
}
