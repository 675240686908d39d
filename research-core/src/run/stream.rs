//! A run as the stream of its events.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures::{Stream, StreamExt};

use super::finished::{Finished, RunFuture};
use crate::error::RunError;
use crate::event::{Event, EventKind, EventLog, RunLog};
use crate::state::State;

/// The events of a run, in order. It owns the run and advances it while it is read; dropping it stops the run.
///
/// The run stays at most one step and [`buffer`](crate::StreamOptions::buffer) events, by default 64, ahead of its reader,
/// unless its options [say otherwise](crate::SlowReader). The last event is [`RunFinished`](EventKind::RunFinished) or
/// [`RunFailed`](EventKind::RunFailed) of the root graph.
///
/// ```
/// # use research_core::{Cx, END, EventKind, Graph, State};
/// # #[derive(Clone, Debug, Default, State)]
/// # struct Count { n: u32 }
/// use futures::StreamExt;
///
/// # tokio::runtime::Runtime::new()?.block_on(async {
/// # let mut g = Graph::<Count>::new("count");
/// # let up = g.node("up", |cx| async move { cx.emit("going up"); Ok(Count::update().n(cx.state.n + 1)) });
/// # g.entry(up).edge(up, END);
/// # let graph = g.compile()?;
/// let mut events = graph.run(Count::update()).stream();
/// while let Some(event) = events.next().await {
///     if let Some(text) = event.custom::<&str>() {
///         println!("{}: {text}", event.node().unwrap_or("run"));
///     }
/// }
/// let done = events.finish().await?;
/// assert_eq!(done.state.n, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct RunStream<S: State> {
    log: Owned<S>,
    progress: Progress<S>,
}

/// The log of a stream. It ends with its stream, so that no other reader waits for a run that is gone.
struct Owned<S: State>(Arc<EventLog<S>>);

impl<S: State> Drop for Owned<S> {
    fn drop(&mut self) {
        self.0.close();
    }
}

enum Progress<S: State> {
    Running(RunFuture<S>),
    /// Boxed, so that the stream is `Unpin` whatever the state is.
    Ended(Box<Result<Finished<S>, RunError>>),
}

impl<S: State> RunStream<S> {
    pub(crate) fn new(run: RunFuture<S>, log: Arc<EventLog<S>>) -> Self {
        Self { log: Owned(log), progress: Progress::Running(run) }
    }

    /// The log, for second and late readers: any number of them, on any thread. They see what this stream sees, while it is
    /// read or [finished](RunStream::finish) somewhere: only that advances the run.
    ///
    /// ```
    /// # use research_core::{Cx, END, EventKind, Graph, State};
    /// # #[derive(Clone, Debug, Default, State)]
    /// # struct Count { n: u32 }
    /// use futures::StreamExt;
    ///
    /// # tokio::runtime::Runtime::new()?.block_on(async {
    /// # let mut g = Graph::<Count>::new("count");
    /// # let up = g.node("up", |cx| async move { Ok(Count::update().n(cx.state.n + 1)) });
    /// # g.entry(up).edge(up, END);
    /// # let graph = g.compile()?;
    /// let events = graph.run(Count::update()).stream();
    /// let log = events.log();
    /// events.finish().await?;
    /// let first: Vec<_> = log.read_from(0).collect().await;
    /// let again: Vec<_> = log.read_from(2).collect().await;
    /// assert_eq!(again[0].seq, 2);
    /// assert_eq!(again.len(), first.len() - 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn log(&self) -> RunLog<S> {
        RunLog::new(Arc::clone(&self.log.0))
    }

    /// Runs to the end, skips the events that were not read, and gives the outcome.
    ///
    /// # Errors
    ///
    /// As awaiting the [`Run`](crate::Run).
    pub async fn finish(mut self) -> Result<Finished<S>, RunError> {
        loop {
            match self.progress {
                Progress::Ended(result) => return *result,
                Progress::Running(_) => {
                    self.next().await;
                }
            }
        }
    }
}

/// The last event of a graph's run, with its step.
pub(crate) fn last<S: State>(result: Result<&Finished<S>, &RunError>) -> (u64, EventKind<S>) {
    match result {
        Ok(done) => (done.steps, EventKind::RunFinished { end: done.end.clone() }),
        Err(error) => (error.step(), EventKind::RunFailed { error: error.to_string() }),
    }
}

impl<S: State> Stream for RunStream<S> {
    type Item = Event<S>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Event<S>>> {
        let this = self.get_mut();
        let log = &this.log.0;
        loop {
            if let Some(event) = log.take(None) {
                return Poll::Ready(Some(event));
            }
            let Progress::Running(run) = &mut this.progress else { return Poll::Ready(None) };
            match run.as_mut().poll(cx) {
                Poll::Ready(result) => {
                    let (step, kind) = last(result.as_ref());
                    log.batch(step).add(None, kind);
                    this.progress = Progress::Ended(Box::new(result));
                }
                Poll::Pending => match log.take(Some(cx.waker())) {
                    Some(event) => return Poll::Ready(Some(event)),
                    None => return Poll::Pending,
                },
            }
        }
    }
}

impl<S: State> fmt::Debug for RunStream<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunStream").field("log", &self.log.0).finish_non_exhaustive()
    }
}
