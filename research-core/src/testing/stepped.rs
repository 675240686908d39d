//! A run that a test takes task by task.

use std::fmt;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use crate::error::{NodeError, RunError};
use crate::journal::crash::crash;
use crate::run::{Control, Finished, Order, Provides, Run, RunFuture};
use crate::state::State;

/// A run whose tasks end when the test says so, in the order that it chooses; the same loop, store and events as in production.
///
/// ```
/// use research_core::testing::Stepped;
/// use research_core::{END, Graph, State};
///
/// #[derive(Clone, Debug, Default, State)]
/// struct Names {
///     #[reduce(append)]
///     names: Vec<String>,
/// }
///
/// # tokio::runtime::Runtime::new()?.block_on(async {
/// let mut g = Graph::<Names>::new("names");
/// let a = g.node("a", |_cx| async { Ok(Names::update().names(["a".to_string()])) });
/// let b = g.node("b", |_cx| async { Ok(Names::update().names(["b".to_string()])) });
/// g.entry(a).entry(b).edge(a, END).edge(b, END);
/// let graph = g.compile()?;
///
/// let mut run = Stepped::new(graph.run(Names::update()));
/// assert_eq!(run.due().await, ["a", "b"]);
/// run.finish("b").await;
/// run.finish("a").await;
/// assert_eq!(run.end().await?.state.names, ["a", "b"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Stepped<S: State> {
    /// `None` once it has ended.
    run: Option<RunFuture<S>>,
    result: Option<Result<Finished<S>, RunError>>,
    control: Arc<Control>,
}

impl<S: State> Stepped<S> {
    /// Takes a run over. Nothing happens until the first question for what is [due](Stepped::due).
    pub fn new<R: Send + Sync + 'static, P: Provides<R>>(run: Run<S, R, P>) -> Self {
        let control = Arc::new(Control::default());
        Self { run: Some(run.start_stepped(Arc::clone(&control))), result: None, control }
    }

    /// The nodes of the step's tasks that have not ended, in task-path order; none once the run has ended.
    pub async fn due(&mut self) -> Vec<String> {
        self.advance().await;
        self.control.lock().held.iter().map(|(_, name)| name.to_string()).collect()
    }

    /// The number of the step that runs, counted from 1.
    #[must_use]
    pub fn step(&self) -> u64 {
        self.control.lock().step
    }

    /// Runs the first task of this node that is due to its end, with what the engine does about it.
    ///
    /// # Panics
    ///
    /// When no task of the node is due.
    pub async fn finish(&mut self, node: &str) {
        self.give(node, Order::Finish).await;
    }

    /// Lets the first task of this node fail with `error`, without running it.
    ///
    /// # Panics
    ///
    /// When no task of the node is due.
    pub async fn fail(&mut self, node: &str, error: impl Into<NodeError>) {
        self.give(node, Order::Fail(error.into())).await;
    }

    /// Lets all tasks run as they come, to the end of the run.
    ///
    /// # Errors
    ///
    /// As awaiting the run.
    pub async fn end(mut self) -> Result<Finished<S>, RunError> {
        self.control.release();
        while self.result.is_none() {
            self.advance().await;
        }
        match self.result.take() {
            Some(result) => result,
            None => unreachable("the run has ended"),
        }
    }

    /// Drops the run where it is, as a crash would: nothing that is not stored yet will be.
    pub fn kill(self) {
        crash(self);
    }

    async fn give(&mut self, node: &str, order: Order) {
        let due = self.due().await;
        let place = self.control.lock().held.iter().find(|(_, name)| **name == *node).map(|(index, _)| *index);
        let Some(index) = place else { unreachable(&format!("no task of `{node}` is due, but {due:?}")) };
        self.control.order(index, order);
        self.advance().await;
    }

    /// Polls the run until it waits for an order or has ended.
    async fn advance(&mut self) {
        let Self { run, result, control } = self;
        let Some(future) = run else { return };
        let ended = poll_fn(|cx| match future.as_mut().poll(cx) {
            Poll::Ready(result) => Poll::Ready(Some(result)),
            Poll::Pending if control.lock().waits => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        })
        .await;
        if let Some(ended) = ended {
            control.lock().held.clear();
            *result = Some(ended);
            *run = None;
        }
    }
}

#[expect(clippy::panic, reason = "a test that misuses the harness is told so")]
fn unreachable(message: &str) -> ! {
    panic!("{message}")
}

impl<S: State> fmt::Debug for Stepped<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stepped").field("step", &self.step()).finish_non_exhaustive()
    }
}
