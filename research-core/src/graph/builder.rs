//! The builder of graphs.

use std::future::Future;
use std::marker::PhantomData;

use super::check::check;
use super::compiled::CompiledGraph;
use super::draft::{Decide, Draft, NodeDef, RouteDef};
use super::problem::BuildError;
use super::source::{EdgeTarget, Source};
use crate::command::{IntoCommand, IntoTargets, Target, Targets};
use crate::handle::{Node, Task, TaskInput};
use crate::node::{Body, Plain, WithInput};
use crate::{Cx, NodeError, State};

/// A graph under construction over the state `S`, whose nodes see resources `R`.
///
/// Every method takes the mistakes as they come; [`compile`](Graph::compile) reports all of them.
///
/// ```
/// use research_core::{Cx, END, Graph, NodeError, State};
///
/// #[derive(Clone, Debug, Default, State)]
/// struct Count {
///     n: u32,
/// }
///
/// let mut g = Graph::<Count>::new("count");
/// let up = g.node("up", |cx| async move { Ok(Count::update().n(cx.state.n + 1)) });
/// g.entry(up).route(up, move |s: &Count| if s.n < 3 { up } else { END });
/// let graph = g.compile()?;
/// # Ok::<(), research_core::BuildError>(())
/// ```
pub struct Graph<S: State, R = ()> {
    draft: Draft<S, R>,
}

impl<S: State, R: Send + Sync + 'static> Graph<S, R> {
    /// An empty graph. The name stands in errors and drawings.
    pub fn new(name: impl Into<String>) -> Self {
        Self { draft: Draft::new(name.into()) }
    }

    /// Adds a node: a named async function, or a closure `|cx| async move { … }`.
    pub fn node<F, Fut, Out>(&mut self, name: impl Into<String>, run: F) -> Node
    where
        F: Fn(Cx<S, R>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Out, NodeError>> + Send + 'static,
        Out: IntoCommand<S>,
    {
        let node = self.declare(name);
        self.define(node, run);
        node
    }

    /// Adds a node that takes its own input, to be reached by [`Task::send`].
    pub fn task<I, F, Fut, Out>(&mut self, name: impl Into<String>, run: F) -> Task<I>
    where
        I: TaskInput,
        F: Fn(Cx<S, R>, I) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Out, NodeError>> + Send + 'static,
        Out: IntoCommand<S>,
    {
        let task = self.declare_task(name);
        self.define_task(task, run);
        task
    }

    /// Reserves a handle for a node that is defined later, so that other nodes can capture it.
    pub fn declare(&mut self, name: impl Into<String>) -> Node {
        self.reserve(name.into(), false)
    }

    /// Reserves a handle for a task that is defined later.
    pub fn declare_task<I: TaskInput>(&mut self, name: impl Into<String>) -> Task<I> {
        Task::new(self.reserve(name.into(), true))
    }

    /// Defines a declared node.
    pub fn define<F, Fut, Out>(&mut self, node: Node, run: F) -> &mut Self
    where
        F: Fn(Cx<S, R>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Out, NodeError>> + Send + 'static,
        Out: IntoCommand<S>,
    {
        self.set_body(node, Box::new(Plain(run)), false, Out::MAY_GOTO)
    }

    /// Defines a declared task.
    pub fn define_task<I, F, Fut, Out>(&mut self, task: Task<I>, run: F) -> &mut Self
    where
        I: TaskInput,
        F: Fn(Cx<S, R>, I) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Out, NodeError>> + Send + 'static,
        Out: IntoCommand<S>,
    {
        self.set_body(task.node, Box::new(WithInput(run, PhantomData)), true, Out::MAY_GOTO)
    }

    /// Runs `node` in the first step. Several entries run together.
    pub fn entry(&mut self, node: impl EdgeTarget) -> &mut Self {
        self.draft.entries.push(node.into_target());
        self
    }

    /// Decides from the input where the first step goes.
    pub fn entry_route<T: IntoTargets>(&mut self, decide: impl Fn(&S) -> T + Send + Sync + 'static) -> &mut Self {
        self.draft.entry_routes.push(RouteDef { decide: erase(decide), targets: None });
        self
    }

    /// Runs `to` in the step after each step in which `from` ran.
    pub fn edge(&mut self, from: impl Into<Source>, to: impl EdgeTarget) -> &mut Self {
        self.draft.edges.push((from.into(), to.into_target()));
        self
    }

    /// Decides, each time `from` has run, where to go next.
    ///
    /// The route sees the snapshot of the step with the task's own update folded in, and not the updates of its siblings.
    /// It is a plain function: a decision that must ask, wait or call is a node that returns a
    /// [`Command`](crate::Command).
    pub fn route<T: IntoTargets>(
        &mut self,
        from: impl Into<Source>,
        decide: impl Fn(&S) -> T + Send + Sync + 'static,
    ) -> &mut Self {
        self.draft.routes.push((from.into(), RouteDef { decide: erase(decide), targets: None }));
        self
    }

    /// As [`route`](Graph::route), and says where the route can lead, which sharpens the checks and the drawings.
    pub fn route_to<T: IntoTargets, U: Into<Target>>(
        &mut self,
        from: impl Into<Source>,
        targets: impl IntoIterator<Item = U>,
        decide: impl Fn(&S) -> T + Send + Sync + 'static,
    ) -> &mut Self {
        let targets = Some(targets.into_iter().map(Into::into).collect());
        self.draft.routes.push((from.into(), RouteDef { decide: erase(decide), targets }));
        self
    }

    /// Runs `to` once when every node of `from` has finished since the join last fired.
    pub fn join<F: Into<Source>>(&mut self, from: impl IntoIterator<Item = F>, to: impl EdgeTarget) -> &mut Self {
        self.draft.joins.push((from.into_iter().map(Into::into).collect(), to.into_target()));
        self
    }

    /// Says where the commands of `from` can lead, which sharpens the checks and the drawings.
    pub fn gotos<U: Into<Target>>(
        &mut self,
        from: impl Into<Source>,
        targets: impl IntoIterator<Item = U>,
    ) -> &mut Self {
        self.draft.gotos.push((from.into(), targets.into_iter().map(Into::into).collect()));
        self
    }

    /// Says which fields `node` writes, so that a possible double write of a plain field is found by
    /// [`compile`](Graph::compile).
    pub fn writes<'a>(&mut self, node: impl Into<Source>, fields: impl IntoIterator<Item = &'a str>) -> &mut Self {
        self.draft.writes.push((node.into(), fields.into_iter().map(ToString::to_string).collect()));
        self
    }

    /// Checks the graph and freezes it.
    ///
    /// # Errors
    ///
    /// All [`Problem`](crate::Problem)s of the graph at once, each with the names concerned and a remedy.
    pub fn compile(self) -> Result<CompiledGraph<S, R>, BuildError> {
        let plan = check(&self.draft)?;
        Ok(CompiledGraph::new(self.draft, plan))
    }

    fn reserve(&mut self, name: String, takes_input: bool) -> Node {
        let index = u32::try_from(self.draft.nodes.len()).unwrap_or(u32::MAX - 1);
        self.draft.nodes.push(NodeDef { name, body: None, definitions: 0, fits: true, takes_input, may_goto: false });
        Node { graph: self.draft.id, index }
    }

    fn set_body(&mut self, node: Node, body: Box<dyn Body<S, R>>, with_input: bool, may_goto: bool) -> &mut Self {
        let own = node.graph == self.draft.id;
        if let Some(def) = self.draft.nodes.get_mut(node.index as usize).filter(|_| own) {
            def.body = Some(body);
            def.definitions += 1;
            def.fits = with_input == def.takes_input;
            def.may_goto = may_goto;
        } else {
            self.draft.strays += 1;
        }
        self
    }
}

fn erase<S, T: IntoTargets>(decide: impl Fn(&S) -> T + Send + Sync + 'static) -> Decide<S> {
    Box::new(move |state: &S| -> Result<Targets, NodeError> { decide(state).into_targets() })
}
