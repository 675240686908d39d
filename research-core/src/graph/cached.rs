//! A cache attached to a graph.

use std::sync::Arc;

use crate::cache::{Cache, DynCache};
use crate::checkpoint::{StoreError, StoreErrorKind};
use crate::codec::{Codec, PersistCodec};
use crate::{CompiledGraph, Persist, State};

/// The cache that a graph's nodes look into, with what turns their results into bytes.
pub(crate) struct AttachedCache<S: State> {
    pub(crate) cache: Arc<dyn DynCache>,
    pub(crate) codec: &'static dyn Codec<S>,
}

impl<S: State> Clone for AttachedCache<S> {
    fn clone(&self) -> Self {
        Self { cache: Arc::clone(&self.cache), codec: self.codec }
    }
}

impl<S: State, R> CompiledGraph<S, R> {
    /// Gives the nodes that have a [`CachePolicy`](crate::CachePolicy) a cache to look into.
    ///
    /// ```
    /// use research_core::{CachePolicy, Cx, END, Graph, MemoryCache, State};
    ///
    /// #[derive(Clone, Debug, Default, State)]
    /// struct Square {
    ///     n: u64,
    ///     square: u64,
    /// }
    ///
    /// # tokio::runtime::Runtime::new()?.block_on(async {
    /// let mut g = Graph::<Square>::new("square");
    /// let square = g.node("square", |cx| async move { Ok(Square::update().square(cx.state.n * cx.state.n)) });
    /// g.entry(square).edge(square, END).cache(square, CachePolicy::by(|s: &Square| s.n));
    /// let cache = MemoryCache::default();
    /// let graph = g.compile()?.with_cache(cache.clone());
    ///
    /// graph.run(Square::update().n(12)).await?;
    /// let again = graph.run(Square::update().n(12)).await?;
    /// assert_eq!(again.state.square, 144);
    /// assert_eq!(cache.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_cache(mut self, cache: impl Cache) -> Self
    where
        S: Persist,
    {
        self.cache = Some(AttachedCache { cache: Arc::new(cache), codec: PersistCodec::of() });
        self
    }

    /// Where the attached cache keeps the results of a node: the names of the graph and the node, quoted, with a dot between.
    #[must_use]
    pub fn cache_namespace(&self, node: &str) -> String {
        namespace(&self.inner.name, node)
    }

    /// Forgets all cached results of a node. Without a cache there are none.
    ///
    /// # Errors
    ///
    /// When the graph has no such node, or when the cache cannot be reached or written.
    pub async fn clear_cache(&self, node: &str) -> Result<(), StoreError> {
        if self.inner.position(node).is_none() {
            let message = format!("the graph `{}` has no node `{node}`", self.inner.name);
            return Err(StoreError::new(StoreErrorKind::NotFound, message));
        }
        match &self.cache {
            Some(AttachedCache { cache, .. }) => cache.clear(&self.cache_namespace(node)).await,
            None => Ok(()),
        }
    }
}

/// The namespace of a node's entries. Quoted, so that no two pairs of names give the same.
pub(crate) fn namespace(graph: &str, node: &str) -> String {
    format!("{graph:?}.{node:?}")
}
