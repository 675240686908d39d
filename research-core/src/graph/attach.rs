//! Attaching a store and a cache to a graph.

use std::sync::Arc;

use super::attached::Attached;
use super::cached::{AttachedCache, namespace};
use super::compiled::CompiledGraph;
use crate::cache::Cache;
use crate::checkpoint::{Checkpointer, StoreError, StoreErrorKind};
use crate::codec::PersistCodec;
use crate::persist::Persist;
use crate::state::State;
use crate::stored::OnChange;

impl<S: State, R> CompiledGraph<S, R> {
    /// Gives the graph a store for its threads. From here on the state must be one that serde can write and read.
    ///
    /// ```
    /// use research_core::checkpoint::MemoryCheckpointer;
    /// use research_core::{END, Graph, State};
    ///
    /// #[derive(Clone, Debug, Default, State)]
    /// struct Count {
    ///     #[reduce(add)]
    ///     n: u32,
    /// }
    ///
    /// # tokio::runtime::Runtime::new()?.block_on(async {
    /// let mut g = Graph::<Count>::new("count");
    /// let up = g.node("up", |_cx| async { Ok(Count::update().n(1)) });
    /// g.entry(up).edge(up, END);
    /// let graph = g.compile()?.with_checkpointer(MemoryCheckpointer::new());
    ///
    /// graph.run(Count::update()).thread("t").await?;
    /// let done = graph.run(Count::update()).thread("t").await?;
    /// assert_eq!(done.state.n, 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_checkpointer(mut self, store: impl Checkpointer) -> Self
    where
        S: Persist,
    {
        self.attached = Some(Attached { store: Arc::new(store), codec: PersistCodec::of::<S>() });
        self
    }

    /// Sets what happens when a thread was written by another version of the graph. Defaults to
    /// [`OnChange::ContinueIfCompatible`].
    ///
    /// It belongs to the graph: it holds whichever store is attached, before or after this call or for a single
    /// [run](crate::Run::checkpointer), and for the graph as a subgraph, whose part of a thread is then treated as it says and
    /// not as its parent does.
    #[must_use]
    pub fn on_change(mut self, policy: OnChange) -> Self {
        self.on_change = policy;
        self
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
        self.cache = Some(AttachedCache { cache: Arc::new(cache), codec: PersistCodec::of(), flights: Arc::default() });
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
