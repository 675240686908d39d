//! A checkpointer attached to a graph.

use std::sync::Arc;

use super::CompiledGraph;
use crate::checkpoint::{Checkpointer, DynCheckpointer};
use crate::codec::{Codec, PersistCodec};
use crate::stored::OnChange;
use crate::{Persist, State};

/// The store of a graph's threads, with what turns its state into bytes.
pub(crate) struct Attached<S: State> {
    pub(crate) store: Arc<dyn DynCheckpointer>,
    pub(crate) codec: &'static dyn Codec<S>,
    pub(crate) on_change: OnChange,
}

impl<S: State> Clone for Attached<S> {
    fn clone(&self) -> Self {
        Self { store: Arc::clone(&self.store), codec: self.codec, on_change: self.on_change.clone() }
    }
}

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
        let on_change = self.attached.map(|attached| attached.on_change).unwrap_or_default();
        self.attached = Some(Attached { store: Arc::new(store), codec: PersistCodec::of::<S>(), on_change });
        self
    }

    /// What happens when a thread was written by another version of the graph. Default
    /// [`OnChange::ContinueIfCompatible`]. To be called after [`with_checkpointer`](CompiledGraph::with_checkpointer).
    #[must_use]
    pub fn on_change(mut self, policy: OnChange) -> Self {
        if let Some(attached) = &mut self.attached {
            attached.on_change = policy;
        }
        self
    }
}
