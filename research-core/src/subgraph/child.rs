//! Graphs with resources of their own: bound to them, or inside a graph with other ones.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use crate::graph::CompiledGraph;
use crate::run::{MissingResources, Run, Supplied};
use crate::state::State;

/// A graph together with the resources of its runs, from [`CompiledGraph::with_resources`]. A run may still be given
/// [others](Run::resources).
pub struct BoundGraph<S: State, R> {
    graph: CompiledGraph<S, R>,
    resources: Arc<R>,
}

impl<S: State, R: Send + Sync + 'static> CompiledGraph<S, R> {
    /// Gives the graph the resources of its runs, which need none then. As a [subgraph](crate::Graph::subgraph) it keeps them,
    /// whatever its parent has.
    ///
    /// ```
    /// # use research_core::{Cx, END, Graph, State};
    /// # #[derive(Clone, Debug, Default, State)]
    /// # struct Count { n: u32 }
    /// # tokio::runtime::Runtime::new()?.block_on(async {
    /// let mut g = Graph::<Count, u32>::new("count");
    /// let up = g.node("up", |cx: Cx<Count, u32>| async move { Ok(Count::update().n(cx.state.n + *cx.resources)) });
    /// g.entry(up).edge(up, END);
    /// let graph = g.compile()?.with_resources(41);
    ///
    /// assert_eq!(graph.run(Count::update().n(1)).await?.state.n, 42);
    /// assert_eq!(graph.run(Count::update().n(1)).resources(2).await?.state.n, 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_resources(self, resources: impl Into<Arc<R>>) -> BoundGraph<S, R> {
        BoundGraph { graph: self, resources: resources.into() }
    }

    /// Makes the graph fit into one with the resources `P`, from which `choose` takes those of this graph.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use research_core::{Cx, END, Graph, State, Subgraph};
    /// # #[derive(Clone, Debug, Default, State)]
    /// # struct Page { text: String }
    /// struct Client(&'static str);
    /// struct App {
    ///     client: Arc<Client>,
    /// }
    ///
    /// # tokio::runtime::Runtime::new()?.block_on(async {
    /// let mut g = Graph::<Page, Client>::new("fetch");
    /// let get = g.node("get", |cx: Cx<Page, Client>| async move { Ok(Page::update().text(cx.resources.0)) });
    /// g.entry(get).edge(get, END);
    /// let fetch = g.compile()?;
    ///
    /// let mut g = Graph::<Page, App>::new("app");
    /// let child = fetch.resources_from(|app: &App| Arc::clone(&app.client));
    /// let read = g.subgraph("read", child, Subgraph::shared());
    /// g.entry(read).edge(read, END);
    /// let app = App { client: Arc::new(Client("bees")) };
    /// assert_eq!(g.compile()?.run(Page::update()).resources(app).await?.state.text, "bees");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn resources_from<P>(&self, choose: impl Fn(&P) -> Arc<R> + Send + Sync + 'static) -> Child<S, P, R> {
        Child { graph: self.clone(), choose: Arc::new(move |parent: &Arc<P>| choose(parent)) }
    }
}

impl<S: State, R: Send + Sync + 'static> BoundGraph<S, R> {
    /// Starts a run. See [`CompiledGraph::run`].
    pub fn run(&self, input: impl Into<S::Update>) -> Run<S, R, Supplied<R>> {
        self.supply(self.graph.run(input))
    }

    /// Goes on with what a thread has due. See [`CompiledGraph::resume`].
    pub fn resume(&self) -> Run<S, R, Supplied<R>> {
        self.supply(self.graph.resume())
    }

    /// Starts a run where the thread is new, and resumes it where it is not. See [`CompiledGraph::run_or_resume`].
    pub fn run_or_resume(&self, input: impl Into<S::Update>) -> Run<S, R, Supplied<R>> {
        self.supply(self.graph.run_or_resume(input))
    }

    fn supply(&self, run: Run<S, R, MissingResources>) -> Run<S, R, Supplied<R>> {
        run.resources(Arc::clone(&self.resources))
    }
}

impl<S: State, R> Deref for BoundGraph<S, R> {
    type Target = CompiledGraph<S, R>;

    fn deref(&self) -> &CompiledGraph<S, R> {
        &self.graph
    }
}

impl<S: State, R> Clone for BoundGraph<S, R> {
    fn clone(&self) -> Self {
        Self { graph: self.graph.clone(), resources: Arc::clone(&self.resources) }
    }
}

impl<S: State, R> fmt::Debug for BoundGraph<S, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BoundGraph").field("graph", &self.graph).finish_non_exhaustive()
    }
}

/// Gives a subgraph its resources, from those of its parent.
type Choose<P, R> = Arc<dyn Fn(&Arc<P>) -> Arc<R> + Send + Sync>;

/// A graph with the resources `R` that runs inside a graph with the resources `P`.
pub struct Child<C: State, P, R> {
    pub(super) graph: CompiledGraph<C, R>,
    pub(super) choose: Choose<P, R>,
}

impl<C: State, P, R> fmt::Debug for Child<C, P, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Child").field("graph", &self.graph).finish_non_exhaustive()
    }
}

/// What can run inside a graph with the resources `P`: a [`CompiledGraph`] with the same resources, one with
/// [resources of its own](CompiledGraph::with_resources), or one that [takes its own](CompiledGraph::resources_from) from those of
/// its parent.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot run inside a graph with the resources `{P}`",
    label = "it has other resources, or another state",
    note = "say where its resources come from with `.resources_from(|parent| …)`, or give it its own with `.with_resources(…)`"
)]
pub trait IntoChild<C: State, P> {
    /// The resources of the child.
    type Resources: Send + Sync + 'static;

    /// Returns the child.
    #[doc(hidden)]
    fn into_child(self) -> Child<C, P, Self::Resources>;
}

impl<C: State, R: Send + Sync + 'static> IntoChild<C, R> for &CompiledGraph<C, R> {
    type Resources = R;

    fn into_child(self) -> Child<C, R, R> {
        Child { graph: self.clone(), choose: Arc::new(Arc::clone) }
    }
}

impl<C: State, P, R: Send + Sync + 'static> IntoChild<C, P> for &BoundGraph<C, R> {
    type Resources = R;

    fn into_child(self) -> Child<C, P, R> {
        let resources = Arc::clone(&self.resources);
        Child { graph: self.graph.clone(), choose: Arc::new(move |_: &Arc<P>| Arc::clone(&resources)) }
    }
}

impl<C: State, P, R: Send + Sync + 'static> IntoChild<C, P> for Child<C, P, R> {
    type Resources = R;

    fn into_child(self) -> Self {
        self
    }
}
