//! Threads from outside of a run: their state, their history, and changes to them.

mod history;
mod prune;
mod search;
mod state;
mod update;

use std::fmt;
use std::sync::Arc;

pub use history::{History, Moment};
pub use search::{ThreadQuery, ThreadStatus, ThreadSummary};
pub use state::{FinishedTask, ThreadState};
pub use update::UpdateThread;

use crate::checkpoint::{CheckpointId, Loaded, Prune, Query, StoreError, ThreadKey};
use crate::error::{ErrorKind, RunError, ThreadError};
use crate::graph::{Attached, CompiledGraph, Visits};
use crate::state::State;

/// A thread of a graph: what it holds, how it came to be, and ways to change it without running a node.
///
/// ```
/// use research_core::{END, Graph, MemoryCheckpointer, State};
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
/// let thread = graph.thread("t");
/// let now = thread.state().await?.ok_or("a new thread")?;
/// assert_eq!(now.state.n, 1);
/// assert!(now.is_complete());
/// for moment in thread.history().await?.moments() {
///     println!("{moment}");
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Thread<S: State, R = ()> {
    graph: CompiledGraph<S, R>,
    key: ThreadKey,
}

impl<S: State, R> CompiledGraph<S, R> {
    /// A thread, which need not exist yet.
    #[must_use]
    pub fn thread(&self, name: impl Into<Arc<str>>) -> Thread<S, R> {
        Thread { graph: self.clone(), key: ThreadKey::root(name) }
    }
}

impl<S: State, R: Send + Sync + 'static> Thread<S, R> {
    /// The part of the thread that a subgraph keeps: `self` is then a thread of the subgraph, with the parent's store. See
    /// [`namespaces`](Thread::namespaces).
    #[must_use]
    pub fn namespace(mut self, namespace: impl Into<Arc<str>>) -> Self {
        self.key.namespace = namespace.into();
        self
    }

    /// The newest checkpoint; `None` where the thread is new.
    ///
    /// # Errors
    ///
    /// When there is no checkpointer, or what it holds cannot be read.
    pub async fn state(&self) -> Result<Option<ThreadState<S>>, RunError> {
        match self.load(None).await? {
            Some(loaded) => {
                state::read(&self.graph, &self.attached()?.codec, &loaded).map(Some).map_err(|kind| self.error(kind))
            }
            None => Ok(None),
        }
    }

    /// An older checkpoint.
    ///
    /// # Errors
    ///
    /// As [`state`](Thread::state), and when there is no such checkpoint.
    pub async fn state_at(&self, id: CheckpointId) -> Result<ThreadState<S>, RunError> {
        let loaded = self.load(Some(id)).await?.ok_or_else(|| self.missing(id))?;
        state::read(&self.graph, &self.attached()?.codec, &loaded).map_err(|kind| self.error(kind))
    }

    /// The tasks that have finished before the barrier of the step that is due, in task-path order, with what they write: what is
    /// there of a step while it runs, and after it broke. Empty where the thread is new.
    ///
    /// # Errors
    ///
    /// As [`state`](Thread::state).
    pub async fn finished(&self) -> Result<Vec<FinishedTask<S>>, RunError> {
        match self.load(None).await? {
            Some(loaded) => {
                state::finished(&self.graph, self.attached()?.codec, &loaded).map_err(|kind| self.error(kind))
            }
            None => Ok(Vec::new()),
        }
    }

    /// All checkpoints, newest first.
    ///
    /// # Errors
    ///
    /// As [`state`](Thread::state).
    pub async fn history(&self) -> Result<History, RunError> {
        self.history_of(&Query::all()).await
    }

    /// The checkpoints that a query wants, newest first.
    ///
    /// # Errors
    ///
    /// As [`state`](Thread::state).
    pub async fn history_of(&self, query: &Query) -> Result<History, RunError> {
        let attached = self.attached()?;
        let headers = attached.store.list(&self.key, query).await.map_err(|error| self.store_error(error))?;
        History::new(headers).map_err(|error| self.error(ErrorKind::Codec(error)))
    }

    /// How often each node ran on the thread, and for how long at most, to be [drawn](CompiledGraph::to_mermaid_with). The time
    /// of a node is that of its steps.
    ///
    /// # Errors
    ///
    /// As [`state`](Thread::state).
    pub async fn visits(&self) -> Result<Visits, RunError> {
        Ok(self.history().await?.visits())
    }

    /// Updates the state as if a node had returned `update`: its edges and routes lead on, and what else was due stays due.
    #[must_use = "nothing changes until it is awaited"]
    pub fn update(&self, update: impl Into<S::Update>) -> UpdateThread<S, R> {
        UpdateThread::new(self.graph.clone(), self.key.clone(), update.into())
    }

    /// Makes an older checkpoint the newest one, as a copy; the newer ones stay. To run from there, use
    /// [`resume`](CompiledGraph::resume), or do both by [`from_checkpoint`](crate::Run::from_checkpoint).
    ///
    /// # Errors
    ///
    /// As [`state_at`](Thread::state_at), and when another writer is faster.
    pub async fn fork(&self, id: CheckpointId) -> Result<CheckpointId, RunError> {
        update::fork(&self.graph, &self.key, id).await
    }

    /// Copies the thread, with all namespaces, to a new name.
    ///
    /// # Errors
    ///
    /// When the thread does not exist, or the new one does.
    pub async fn copy_to(&self, name: &str) -> Result<(), RunError> {
        let copied = self.attached()?.store.copy_thread(&self.key.thread, name).await;
        copied.map_err(|error| self.store_error(error))
    }

    /// Removes the thread, with all namespaces.
    ///
    /// # Errors
    ///
    /// When the store cannot be written.
    pub async fn delete(&self) -> Result<(), RunError> {
        let deleted = self.attached()?.store.delete_thread(&self.key.thread).await;
        deleted.map_err(|error| self.store_error(error))
    }

    /// Removes the checkpoints that a run wrote, in all namespaces; what was built on them stays readable. Gives their number.
    ///
    /// # Errors
    ///
    /// When the store cannot be written.
    pub async fn delete_run(&self, run_id: &str) -> Result<u64, RunError> {
        let deleted = self.attached()?.store.delete_run(&self.key.thread, run_id).await;
        deleted.map_err(|error| self.store_error(error))
    }

    /// Removes old checkpoints, in all namespaces. Gives their number. What a subgraph remembered at a checkpoint that stays
    /// stays too; of a finished [call](crate::Subgraph::per_call) nothing stays once the checkpoint that it began at has gone.
    ///
    /// # Errors
    ///
    /// When the store cannot be written.
    pub async fn prune(&self, prune: &Prune) -> Result<u64, RunError> {
        prune::prune(&*self.attached()?.store, &self.key.thread, prune).await.map_err(|kind| self.error(kind))
    }

    /// The namespaces of the thread that hold something: the root's empty one, and those of subgraphs.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub async fn namespaces(&self) -> Result<Vec<String>, RunError> {
        let namespaces = self.attached()?.store.namespaces(&self.key.thread).await;
        namespaces.map_err(|error| self.store_error(error))
    }

    async fn load(&self, at: Option<CheckpointId>) -> Result<Option<Loaded>, RunError> {
        self.attached()?.store.read(&self.key, at).await.map_err(|error| self.store_error(error))
    }

    fn attached(&self) -> Result<&Attached<S>, RunError> {
        self.graph.attached.as_ref().ok_or_else(|| self.error(ErrorKind::Thread(ThreadError::NoCheckpointer)))
    }

    fn missing(&self, checkpoint: CheckpointId) -> RunError {
        let thread = self.key.thread.to_string();
        self.error(ErrorKind::Thread(ThreadError::NoCheckpoint { thread, checkpoint }))
    }

    fn store_error(&self, error: StoreError) -> RunError {
        self.error(ErrorKind::Store(Arc::new(error)))
    }

    fn error(&self, kind: ErrorKind) -> RunError {
        RunError::new(Arc::clone(&self.graph.inner.name), kind, Arc::new(S::default()))
    }
}

impl<S: State, R> Clone for Thread<S, R> {
    fn clone(&self) -> Self {
        Self { graph: self.graph.clone(), key: self.key.clone() }
    }
}

impl<S: State, R> fmt::Debug for Thread<S, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Thread").field("graph", &self.graph.inner.name).field("key", &self.key).finish()
    }
}
