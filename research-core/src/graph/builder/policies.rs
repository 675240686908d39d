//! What the builder takes about failures, limits and caches of nodes.

use std::future::Future;

use crate::command::IntoCommand;
use crate::cx::Cx;
use crate::error::NodeError;
use crate::graph::builder::Graph;
use crate::graph::policies::Setting;
use crate::graph::source::Source;
use crate::handle::{Task, TaskInput};
use crate::policy::{CachePolicy, Class, Failure, Handler, NodeBudget, NodeCache, Retry, Timeout};
use crate::state::State;

/// # Failures, limits, caches
impl<S: State, R: Send + Sync + 'static> Graph<S, R> {
    /// Tries `node` again when it fails, rather than as [`retry_all`](Graph::retry_all) says.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use research_core::{Cx, END, Graph, NodeError, Retry, State};
    /// # #[derive(Clone, Debug, Default, State)]
    /// # struct Page { text: String }
    /// # async fn fetch() -> Result<String, std::io::Error> { Ok("bees".to_string()) }
    /// let mut g = Graph::<Page>::new("page");
    /// let read = g.node("read", |_cx| async { Ok(Page::update().text(fetch().await?)) });
    /// g.entry(read).edge(read, END).retry(read, Retry::attempts(3));
    /// # assert!(g.compile().is_ok());
    /// ```
    pub fn retry(&mut self, node: impl Into<Source>, retry: Retry) -> &mut Self {
        self.set(node, Setting::Retry(retry))
    }

    /// Tries every node again when it fails, but for those with a [`retry`](Graph::retry) of their own.
    pub fn retry_all(&mut self, retry: Retry) -> &mut Self {
        self.draft.policies.retry = Some(retry);
        self
    }

    /// Limits the time of an attempt at `node`, rather than as [`timeout_all`](Graph::timeout_all) says.
    pub fn timeout(&mut self, node: impl Into<Source>, timeout: Timeout) -> &mut Self {
        self.set(node, Setting::Timeout(timeout))
    }

    /// Limits the time of an attempt at every node, but for those with a [`timeout`](Graph::timeout) of their own.
    pub fn timeout_all(&mut self, timeout: Timeout) -> &mut Self {
        self.draft.policies.timeout = Some(timeout);
        self
    }

    /// Says which errors of nodes another attempt may help against, and how long to wait before. Without it all of them are
    /// retryable. It is asked only where a [`Retry`] allows another attempt.
    ///
    /// ```
    /// # use research_core::{Class, Cx, END, Graph, State};
    /// # #[derive(Clone, Debug, Default, State)]
    /// # struct Page { text: String }
    /// # let mut g = Graph::<Page>::new("page");
    /// g.classify(|error| match error.downcast_ref::<std::io::Error>() {
    ///     Some(error) if error.kind() == std::io::ErrorKind::NotFound => Class::Terminal,
    ///     _ => Class::retryable(),
    /// });
    /// ```
    pub fn classify(&mut self, classify: impl Fn(&NodeError) -> Class + Send + Sync + 'static) -> &mut Self {
        self.draft.policies.classify = Some(Box::new(classify));
        self
    }

    /// Runs `handle` when `node` has failed for good, after its last attempt. What it returns takes the place of the node's
    /// result: an update, where to go, or an error, which then is the task's.
    ///
    /// In a run with a thread the failure is recorded first: if the process ends before the handler does, a resumed run begins with
    /// the handler. Questions to a person pass it by.
    ///
    /// ```
    /// # use research_core::{Command, Cx, END, Failure, Graph, NodeError, State};
    /// # #[derive(Clone, Debug, Default, State)]
    /// # struct Page { text: String }
    /// let mut g = Graph::<Page>::new("page");
    /// let read = g.node("read", |_cx| async { Err::<PageUpdate, _>(NodeError::msg("no such page")) });
    /// g.entry(read).edge(read, END).on_error(read, |_cx, failure: Failure| async move {
    ///     Ok(Page::update().text(format!("not there: {}", failure.message)))
    /// });
    /// # tokio::runtime::Runtime::new()?.block_on(async {
    /// let done = g.compile()?.run(Page::update()).await?;
    /// assert_eq!(done.state.text, "not there: no such page");
    /// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn on_error<F, Fut, Out>(&mut self, node: impl Into<Source>, handle: F) -> &mut Self
    where
        F: Fn(Cx<S, R>, Failure) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Out, NodeError>> + Send + 'static,
        Out: IntoCommand<S>,
    {
        self.set(node, Setting::Handler { handle: Box::new(Handler(handle)), may_goto: Out::MAY_GOTO })
    }

    /// Takes the result of `node` from the cache where it is known. The cache itself is given to the compiled graph by
    /// [`with_cache`](crate::CompiledGraph::with_cache); without one the node always runs.
    pub fn cache(&mut self, node: impl Into<Source>, policy: CachePolicy<S>) -> &mut Self {
        self.set(node, Setting::Cache { cache: NodeCache::of_node(policy), by_input: false })
    }

    /// As [`cache`](Graph::cache), for a task: the key is made of its input too.
    pub fn cache_task<I: TaskInput>(&mut self, task: Task<I>, policy: CachePolicy<S, I>) -> &mut Self {
        self.set(task, Setting::Cache { cache: NodeCache::of_task(policy), by_input: true })
    }

    /// Limits how many tasks of `node` are in flight at once, over a run and its subgraphs; the others wait their turn. At
    /// least 1. For a service that takes few calls at a time, beside nodes that are not to wait for it.
    ///
    /// Tasks that wait for their node take no place of the run's own [limit](crate::Run::max_concurrency).
    ///
    /// ```
    /// # use research_core::{Cx, END, Graph, NodeError, Sends, State};
    /// # #[derive(Clone, Debug, Default, State)]
    /// # struct Pages { #[reduce(append)] texts: Vec<String> }
    /// let mut g = Graph::<Pages>::new("pages");
    /// let fetch = g.task("fetch", |_cx: Cx<Pages>, page: u32| async move { Ok(Pages::update().texts([page.to_string()])) });
    /// let all = g.node("all", |_cx| async { Ok(()) });
    /// g.entry(all).route(all, move |_: &Pages| (0..100).map(|page| fetch.send(page)).collect::<Sends>());
    /// g.edge(fetch, END).max_concurrency(fetch, 4);
    /// # assert!(g.compile().is_ok());
    /// ```
    pub fn max_concurrency(&mut self, node: impl Into<Source>, tasks: usize) -> &mut Self {
        self.set(node, Setting::MaxConcurrency(tasks.max(1)))
    }

    /// Limits what `node` may use up. When that is spent, at the end of the step that reaches it, the run goes where
    /// [`on_budget_spent`](Graph::on_budget_spent) says, or ends as [`End::Spent`](crate::End::Spent); a subgraph ends there, and its
    /// parent goes on with what it has.
    ///
    /// ```
    /// # use research_core::{Cx, End, Graph, NodeBudget, State};
    /// # #[derive(Clone, Debug, Default, State)]
    /// # struct Essay { #[reduce(add)] drafts: u32 }
    /// # tokio::runtime::Runtime::new()?.block_on(async {
    /// let mut g = Graph::<Essay>::new("essay");
    /// let write = g.node("write", |_cx| async { Ok(Essay::update().drafts(1)) });
    /// g.entry(write).route(write, move |_: &Essay| write).budget(write, NodeBudget::new().runs(3));
    /// let done = g.compile()?.run(Essay::update()).await?;
    /// assert_eq!(done.state.drafts, 3);
    /// assert!(matches!(done.end, End::Spent { .. }));
    /// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn budget(&mut self, node: impl Into<Source>, budget: NodeBudget) -> &mut Self {
        self.set(node, Setting::Budget(budget))
    }

    fn set(&mut self, node: impl Into<Source>, setting: Setting<S, R>) -> &mut Self {
        self.draft.policies.of_nodes.push((node.into(), setting));
        self
    }
}
