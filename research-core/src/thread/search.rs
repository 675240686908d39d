//! Threads of a store, found by what is known of them, and retention over all of them.

use std::sync::Arc;
use std::time::SystemTime;

use serde_json::Value;

use super::prune;
use super::state::next;
use crate::checkpoint::{CheckpointId, Loaded, Metadata, Prune, StoreError, ThreadKey};
use crate::error::{ErrorKind, RunError, ThreadError};
use crate::graph::{Attached, CompiledGraph};
use crate::interrupt::Question;
use crate::run::{PAUSE, open_questions, stored_failures};
use crate::state::State;
use crate::stored::decode;

/// How many names of threads are read at once.
const PAGE: usize = 256;

/// Where a thread stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ThreadStatus {
    /// Nothing is due.
    Complete,
    /// Questions wait for an answer.
    Interrupted,
    /// It paused at a breakpoint.
    Paused,
    /// Tasks of the step that is due failed.
    Failed,
    /// Something is due: a run works on it, or was cut off.
    Due,
}

/// Which threads of a graph are wanted.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ThreadQuery {
    /// Only those whose newest checkpoint has all of these metadata.
    pub metadata: Metadata,
    /// Only those that stand so.
    pub status: Option<ThreadStatus>,
    /// Only those whose names come after this one.
    pub after: Option<String>,
    /// At most so many.
    pub limit: Option<usize>,
}

impl ThreadQuery {
    /// Every thread.
    #[must_use]
    pub fn all() -> Self {
        Self::default()
    }

    /// Only threads whose newest checkpoint has this value in its metadata.
    #[must_use]
    pub fn metadata(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.metadata.insert(key.into(), value.into());
        self
    }

    /// Only threads that stand so.
    #[must_use]
    pub const fn status(mut self, status: ThreadStatus) -> Self {
        self.status = Some(status);
        self
    }

    /// Only threads whose names come after this one, for the next page.
    #[must_use]
    pub fn after(mut self, name: impl Into<String>) -> Self {
        self.after = Some(name.into());
        self
    }

    /// At most so many.
    #[must_use]
    pub const fn limit(mut self, count: usize) -> Self {
        self.limit = Some(count);
        self
    }
}

/// What is known of a thread without its state.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ThreadSummary {
    /// The name of the thread.
    pub name: String,
    /// Where it stands.
    pub status: ThreadStatus,
    /// Its newest checkpoint.
    pub checkpoint: CheckpointId,
    /// When that was made.
    pub at: SystemTime,
    /// What the host said about the run that made it.
    pub metadata: Arc<Metadata>,
    /// The nodes and tasks that are due.
    pub next: Vec<String>,
    /// The questions that wait for an answer.
    pub questions: Vec<Question>,
}

/// # All threads of a store
impl<S: State, R> CompiledGraph<S, R> {
    /// Finds threads of the attached store, in the order of their names. Each thread is read without its state being decoded; a
    /// thread that another graph wrote is passed by.
    ///
    /// # Errors
    ///
    /// When there is no checkpointer, or what it holds cannot be read.
    pub async fn find_threads(&self, query: &ThreadQuery) -> Result<Vec<ThreadSummary>, RunError> {
        self.find(query).await.map_err(|kind| self.search_error(kind))
    }

    /// Prunes every thread of the attached store, as [`Thread::prune`](crate::Thread::prune) does one; gives the number of
    /// checkpoints that were removed.
    ///
    /// # Errors
    ///
    /// When there is no checkpointer, or it cannot be read or written.
    pub async fn prune_threads(&self, how: &Prune) -> Result<u64, RunError> {
        self.prune_all(how).await.map_err(|kind| self.search_error(kind))
    }

    /// Removes every thread of the attached store whose newest checkpoint was made before `before`, unless it waits for an answer;
    /// gives their number.
    ///
    /// # Errors
    ///
    /// When there is no checkpointer, or it cannot be read or written.
    pub async fn delete_threads(&self, before: SystemTime) -> Result<u64, RunError> {
        self.delete_all(before).await.map_err(|kind| self.search_error(kind))
    }

    async fn find(&self, query: &ThreadQuery) -> Result<Vec<ThreadSummary>, ErrorKind> {
        let limit = query.limit.unwrap_or(usize::MAX);
        let mut found = Vec::new();
        let mut after = query.after.clone();
        while found.len() < limit {
            let names = self.names_after(after.as_deref()).await?;
            let Some(last) = names.last().cloned() else { break };
            for name in names {
                if let Some(summary) = self.summary(name).await?.filter(|summary| query.admits(summary)) {
                    found.push(summary);
                    if found.len() == limit {
                        break;
                    }
                }
            }
            after = Some(last);
        }
        Ok(found)
    }

    async fn prune_all(&self, how: &Prune) -> Result<u64, ErrorKind> {
        let (mut removed, mut after) = (0, None);
        loop {
            let names = self.names_after(after.as_deref()).await?;
            let Some(last) = names.last().cloned() else { return Ok(removed) };
            for name in names {
                removed += prune::prune(&*self.store()?.store, &name, how).await?;
            }
            after = Some(last);
        }
    }

    async fn delete_all(&self, before: SystemTime) -> Result<u64, ErrorKind> {
        let (mut removed, mut after) = (0, None);
        loop {
            let names = self.names_after(after.as_deref()).await?;
            let Some(last) = names.last().cloned() else { return Ok(removed) };
            for name in names {
                let is_old = |summary: &ThreadSummary| summary.at < before && summary.questions.is_empty();
                if let Some(summary) = self.summary(name).await?.filter(is_old) {
                    self.store()?.store.delete_thread(&summary.name).await.map_err(failed)?;
                    removed += 1;
                }
            }
            after = Some(last);
        }
    }

    async fn names_after(&self, after: Option<&str>) -> Result<Vec<String>, ErrorKind> {
        self.store()?.store.threads(after, PAGE).await.map_err(failed)
    }

    /// What is known of a thread of this graph.
    async fn summary(&self, name: String) -> Result<Option<ThreadSummary>, ErrorKind> {
        let loaded = self.store()?.store.read(&ThreadKey::root(&*name), None).await.map_err(failed)?;
        let Some(Loaded { header, records, .. }) = loaded else { return Ok(None) };
        let due = decode(&header.next).map_err(ErrorKind::Codec)?;
        if due.graph.as_deref().is_some_and(|graph| *graph != *self.inner.name) {
            return Ok(None);
        }
        let questions: Vec<Question> = open_questions(&records).map(|(_, question)| question).collect();
        let next = next(due);
        let status = match () {
            () if next.is_empty() => ThreadStatus::Complete,
            () if !questions.is_empty() => ThreadStatus::Interrupted,
            () if records.iter().any(|record| record.key.task == PAUSE) => ThreadStatus::Paused,
            () if !stored_failures(&records).is_empty() => ThreadStatus::Failed,
            () => ThreadStatus::Due,
        };
        let (checkpoint, at, metadata) = (header.id, header.at, header.metadata);
        Ok(Some(ThreadSummary { name, status, checkpoint, at, metadata, next, questions }))
    }

    fn store(&self) -> Result<&Attached<S>, ErrorKind> {
        self.attached.as_ref().ok_or(ErrorKind::Thread(ThreadError::NoCheckpointer))
    }

    fn search_error(&self, kind: ErrorKind) -> RunError {
        RunError::new(Arc::clone(&self.inner.name), kind, Arc::new(S::default()))
    }
}

impl ThreadQuery {
    fn admits(&self, summary: &ThreadSummary) -> bool {
        self.status.is_none_or(|status| status == summary.status)
            && self.metadata.iter().all(|(key, value)| summary.metadata.get(key) == Some(value))
    }
}

fn failed(error: StoreError) -> ErrorKind {
    ErrorKind::Store(Arc::new(error))
}
