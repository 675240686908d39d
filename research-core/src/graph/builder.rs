//! The builder of graphs.

mod policies;

use std::future::Future;
use std::marker::PhantomData;
use std::sync::Arc;

use super::check::check;
use super::compiled::CompiledGraph;
use super::draft::{Decide, Draft, JoinDef, NodeDef, RouteDef};
use super::input::InputCodec;
use super::problem::BuildError;
use super::sketch::Drawn;
use super::source::{EdgeTarget, Source};
use crate::command::{IntoCommand, IntoTargets, Target, Targets};
use crate::cx::Cx;
use crate::error::NodeError;
use crate::handle::{Node, Task, TaskInput};
use crate::node::{Body, Plain, WithInput};
use crate::state::State;

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
    pub(super) draft: Draft<S, R>,
}

impl<S: State, R: Send + Sync + 'static> Graph<S, R> {
    /// An empty graph. The name stands in errors and drawings.
    pub fn new(name: impl Into<String>) -> Self {
        Self { draft: Draft::new(name.into()) }
    }

    /// Adds a node: a named async function, or a closure `|cx| async move { … }`.
    ///
    /// The function is called for each task of the node, and again where one is repeated. What they share, such as a client or a
    /// connection, belongs into the [resources](crate::Run::resources) of the run, where nodes find it as `cx.resources`.
    pub fn node<F, Fut, Out>(&mut self, name: impl Into<String>, run: F) -> Node
    where
        F: Fn(Cx<S, R>) -> Fut + Send + Sync + 'static, // Called for each task: clients belong into `.resources(…)`.
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
        self.reserve(name.into(), None)
    }

    /// Reserves a handle for a task that is defined later.
    pub fn declare_task<I: TaskInput>(&mut self, name: impl Into<String>) -> Task<I> {
        Task::new(self.reserve(name.into(), Some(InputCodec::of::<I>())))
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

    /// Names the node that runs when the [budget](crate::Budget) of a run is spent, in place of all that is due: it has the rest
    /// of the run, from it along its edges, to bring what was found to an end. Budgets count no more then.
    pub fn on_budget_spent(&mut self, node: impl EdgeTarget) -> &mut Self {
        self.draft.wind_up = Some(node.into_target());
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

    /// As [`route`](Graph::route), and says where the route can lead, which sharpens the checks and the drawings. A route that
    /// leads elsewhere fails its task; one that leads nowhere does not.
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
    ///
    /// A source that finishes several times before that counts once. In a loop the join fires once in every round.
    pub fn join<F: Into<Source>>(&mut self, from: impl IntoIterator<Item = F>, to: impl EdgeTarget) -> &mut Self {
        self.add_join(None, from, to)
    }

    /// Runs `to` once in every round, when the first node of `from` has finished; several that finish in one step count as one.
    ///
    /// This is [`join_n`](Graph::join_n) with 1; the structured discriminator (WCP-9) of <http://www.workflowpatterns.com>.
    pub fn join_any<F: Into<Source>>(&mut self, from: impl IntoIterator<Item = F>, to: impl EdgeTarget) -> &mut Self {
        self.add_join(Some(1), from, to)
    }

    /// Runs `to` once in every round, when `n` different nodes of `from` have finished in it.
    ///
    /// The first round begins with the run. Sources that finish in a round after the join has fired are absorbed. The round is
    /// over when all sources have finished in it, or when, the join having fired, one that has finished in it finishes again: that
    /// one counts for the next round. Several runs of a source in one step count as one. (The structured partial join, WCP-30, of
    /// <http://www.workflowpatterns.com>, which knows only the first of the two ends of a round: a loop that leaves a source
    /// out would wait for ever.)
    ///
    /// ```
    /// use research_core::{Cx, END, Graph, State};
    /// # #[derive(Clone, Debug, Default, State)]
    /// # struct Votes {
    /// #     #[reduce(append)]
    /// #     seen: Vec<String>,
    /// # }
    /// # async fn vote(cx: Cx<Votes>) -> Result<VotesUpdate, research_core::NodeError> {
    /// #     Ok(Votes::update().seen([cx.node().to_string()]))
    /// # }
    /// let mut g = Graph::<Votes>::new("majority");
    /// let judges = ["ada", "ben", "eve"].map(|name| g.node(name, vote));
    /// let verdict = g.node("verdict", vote);
    /// judges.iter().for_each(|judge| { g.entry(*judge); });
    /// g.join_n(2, judges, verdict).edge(verdict, END);
    /// assert!(g.compile().is_ok());
    /// ```
    pub fn join_n<F: Into<Source>>(
        &mut self,
        n: usize,
        from: impl IntoIterator<Item = F>,
        to: impl EdgeTarget,
    ) -> &mut Self {
        self.add_join(Some(n), from, to)
    }

    /// Runs `node`, whenever something leads to it, only when nothing else is due: after the longest branch, and once for all
    /// branches that lead to it.
    ///
    /// Where several deferred nodes wait, those run first that no other waiting one leads to, as far as edges, joins and
    /// declared targets tell; a node that another deferred one feeds so runs once, after it. Nodes that lead to each other in a
    /// loop run together.
    pub fn defer(&mut self, node: impl Into<Source>) -> &mut Self {
        self.draft.deferred.push(node.into());
        self
    }

    /// Says where the commands of `from` can lead, which sharpens the checks and the drawings. A command that leads elsewhere
    /// fails the task.
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

    /// Checks the graph and freezes it. The builder is empty afterwards: it stands for another graph of the same name, and
    /// handles that it gave out are not of that one.
    ///
    /// # Errors
    ///
    /// All [`Problem`](crate::Problem)s of the graph at once, each with the names concerned and a remedy.
    pub fn compile(&mut self) -> Result<CompiledGraph<S, R>, BuildError> {
        let next = Draft::new(self.draft.name.clone());
        let mut draft = std::mem::replace(&mut self.draft, next);
        draft.note_handlers();
        let plan = check(&draft)?;
        Ok(CompiledGraph::new(draft, plan))
    }

    /// Gives the graph a version of its own, which becomes part of its [fingerprint](crate::Fingerprint): threads that another
    /// version wrote are [treated as changed](CompiledGraph::on_change) even if nothing else tells them apart, such as a node
    /// that does something else now or a field with another type. A migration reads it with
    /// [`StoredThread::version`](crate::StoredThread::version). Defaults to 0, for no version.
    pub fn version(&mut self, version: u64) -> &mut Self {
        self.draft.version = version;
        self
    }

    /// Says which graph runs inside of a node of this graph, for drawings.
    pub(crate) fn set_child(&mut self, node: Node, child: Arc<dyn Drawn>) {
        let own = node.graph == self.draft.id;
        if let Some(def) = self.draft.nodes.get_mut(node.index as usize).filter(|_| own) {
            def.child = Some(child);
        }
    }

    /// Says that the graph inside of a node has one state for the whole thread.
    pub(crate) fn set_kept_for_thread(&mut self, node: Node) {
        let own = node.graph == self.draft.id;
        if let Some(def) = self.draft.nodes.get_mut(node.index as usize).filter(|_| own) {
            def.keeps_for_thread = true;
        }
    }

    fn add_join<F: Into<Source>>(
        &mut self,
        need: Option<usize>,
        from: impl IntoIterator<Item = F>,
        to: impl EdgeTarget,
    ) -> &mut Self {
        let from = from.into_iter().map(Into::into).collect();
        self.draft.joins.push(JoinDef { from, need, to: to.into_target() });
        self
    }

    fn reserve(&mut self, name: String, input: Option<InputCodec>) -> Node {
        let index = u32::try_from(self.draft.nodes.len()).unwrap_or(u32::MAX - 1);
        self.draft.nodes.push(NodeDef {
            name,
            body: None,
            definitions: 0,
            fits: true,
            input,
            child: None,
            keeps_for_thread: false,
            may_goto: false,
        });
        Node { graph: self.draft.id, index }
    }

    fn set_body(&mut self, node: Node, body: Box<dyn Body<S, R>>, with_input: bool, may_goto: bool) -> &mut Self {
        let own = node.graph == self.draft.id;
        if let Some(def) = self.draft.nodes.get_mut(node.index as usize).filter(|_| own) {
            def.body = Some(body);
            def.definitions += 1;
            def.fits = with_input == def.input.is_some();
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
