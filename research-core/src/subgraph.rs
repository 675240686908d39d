//! A graph as a node of another graph.

mod child;

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use futures::future::BoxFuture;
use serde_json::Value;

pub use child::{BoundGraph, Child, IntoChild};

use crate::checkpoint::namespace::{call_segment, is_within, nested, segment};
use crate::checkpoint::{Metadata, ThreadKey};
use crate::codec::{Codec, PersistCodec, codec_of};
use crate::command::{Command, Goto, IntoCommand, Next, Target, Targets};
use crate::cx::Cx;
use crate::end::End;
use crate::error::{NodeError, RunError};
use crate::event::{ChildLog, Emit, Sink, child_sink};
use crate::graph::{CompiledGraph, Defaults, Graph, Inner};
use crate::handle::{Node, Task, TaskInput};
use crate::interrupt::{Interrupted, NotDurable};
use crate::ledger::Pause;
use crate::persist::Persist;
use crate::policy::is_of_node;
use crate::run::{Ended, Entry, Launch, Remembers, Settings, ThreadOptions, last};
use crate::state::State;
use crate::stored::{OnChange, SubgraphMemory};

/// How a graph of state `C` runs inside a graph of state `S`: what goes in, what comes out, and what is kept of it.
///
/// In a run with a thread, the progress of each call is kept as [`per_call`](Subgraph::per_call) says, so that the subgraph can ask
/// questions, pause, and go on after a crash. Where the state cannot be [stored](Persist), where it has type parameters, or with
/// [`stateless`](Subgraph::stateless) nothing is kept: after a crash the whole subgraph runs again, and it cannot ask.
///
/// What is kept of it was perhaps written by another version of the subgraph: [`on_change`](CompiledGraph::on_change) of the subgraph
/// itself says what happens then, not that of the parent.
///
/// ```
/// use research_core::{Cx, END, Graph, State, Subgraph};
///
/// #[derive(Clone, Debug, Default, State)]
/// struct Search {
///     query: String,
///     #[reduce(append)]
///     hits: Vec<String>,
/// }
///
/// #[derive(Clone, Debug, Default, State)]
/// struct Report {
///     topic: String,
///     #[reduce(append)]
///     sources: Vec<String>,
/// }
///
/// # tokio::runtime::Runtime::new()?.block_on(async {
/// let mut g = Graph::<Search>::new("search");
/// let look = g.node("look", |cx: Cx<Search>| async move { Ok(Search::update().hits([format!("a page on {}", cx.state.query)])) });
/// g.entry(look).edge(look, END);
/// let search = g.compile()?;
///
/// let mut g = Graph::<Report>::new("report");
/// let find = g.subgraph(
///     "find",
///     &search,
///     Subgraph::mapped(
///         |report: &Report| Search::update().query(&*report.topic),
///         |search: Search| Report::update().sources(search.hits),
///     ),
/// );
/// g.entry(find).edge(find, END);
/// let done = g.compile()?.run(Report::update().topic("bees")).await?;
/// assert_eq!(done.state.sources, ["a page on bees"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Subgraph<S: State, C: State, I = ()> {
    input: Box<MapInput<S, C, I>>,
    output: Box<MapOutput<S, C>>,
    keeps: Keeps,
    codec: Option<&'static dyn Codec<C>>,
    /// The child's state is the parent's, and what it changed is what comes out.
    shares_state: bool,
    step_limit: Option<u64>,
    /// Several tasks of one step may run it.
    is_task: bool,
}

type MapInput<S, C, I> = dyn Fn(&S, I) -> Result<<C as State>::Update, NodeError> + Send + Sync;
type MapOutput<S, C> = dyn Fn(C, <C as State>::Update) -> Result<<S as State>::Update, NodeError> + Send + Sync;

/// What is kept of a subgraph.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keeps {
    Nothing,
    Call,
    Thread,
}

impl<S: State, C: State> Subgraph<S, C> {
    /// A subgraph with a state of its own. `input` makes its input from the parent's state, `output` makes the parent's update
    /// from its final state.
    pub fn mapped(
        input: impl Fn(&S) -> C::Update + Send + Sync + 'static,
        output: impl Fn(C) -> S::Update + Send + Sync + 'static,
    ) -> Self {
        Self::mapped_with(move |state, ()| input(state), output)
    }

    /// As [`mapped`](Subgraph::mapped), with functions that may fail. An error is one of the node that runs the subgraph: it may be
    /// retried or handled there. One of `input` comes before the subgraph has begun.
    pub fn try_mapped<E: Into<NodeError>, F: Into<NodeError>>(
        input: impl Fn(&S) -> Result<C::Update, E> + Send + Sync + 'static,
        output: impl Fn(C) -> Result<S::Update, F> + Send + Sync + 'static,
    ) -> Self {
        Self::try_mapped_with(move |state, ()| input(state), output)
    }
}

impl<S: State, C: State, I> Subgraph<S, C, I> {
    /// As [`mapped`](Subgraph::mapped), for a [task](Graph::subgraph_task) whose input counts, too.
    pub fn mapped_with(
        input: impl Fn(&S, I) -> C::Update + Send + Sync + 'static,
        output: impl Fn(C) -> S::Update + Send + Sync + 'static,
    ) -> Self {
        Self::try_mapped_with(
            move |state, own| Ok::<_, NodeError>(input(state, own)),
            move |state| Ok::<_, NodeError>(output(state)),
        )
    }

    /// As [`try_mapped`](Subgraph::try_mapped), for a [task](Graph::subgraph_task) whose input counts, too.
    pub fn try_mapped_with<E: Into<NodeError>, F: Into<NodeError>>(
        input: impl Fn(&S, I) -> Result<C::Update, E> + Send + Sync + 'static,
        output: impl Fn(C) -> Result<S::Update, F> + Send + Sync + 'static,
    ) -> Self {
        Self {
            input: Box::new(move |state, own| input(state, own).map_err(Into::into)),
            output: Box::new(move |state, _| output(state).map_err(Into::into)),
            keeps: Keeps::Call,
            codec: codec_of::<C>(),
            shares_state: false,
            step_limit: None,
            is_task: false,
        }
    }

    /// Keeps the subgraph's progress on the parent's thread, for each call apart: after a crash, a failure or a question it goes on
    /// where it was, and the next call starts afresh. The default where the state can be stored; said here, it does not compile
    /// where it cannot.
    #[must_use]
    pub fn per_call(self) -> Self
    where
        C: Persist,
    {
        Self { keeps: Keeps::Call, codec: Some(PersistCodec::of::<C>()), ..self }
    }

    /// Keeps the subgraph's state on the parent's thread over all calls: each call folds its input into the state that the last
    /// one left. What it remembers belongs to the parent's checkpoints: a fork of the parent begins with what was remembered
    /// there, and so does a run after one that was lost.
    ///
    /// A [task](Graph::subgraph_task), of which several may run in one step, cannot be kept so:
    /// [`compile`](Graph::compile) refuses it.
    #[must_use]
    pub fn per_thread(self) -> Self
    where
        C: Persist,
    {
        Self { keeps: Keeps::Thread, codec: Some(PersistCodec::of::<C>()), ..self }
    }

    /// Keeps nothing of the subgraph: no checkpoint of it is written, and after a crash or a failure its call runs again from the
    /// beginning. For subgraphs that are quick and have no side effects.
    #[must_use]
    pub fn stateless(self) -> Self {
        Self { keeps: Keeps::Nothing, codec: None, ..self }
    }

    /// The [step limit](crate::Run::step_limit) of the subgraph.
    #[must_use]
    pub fn step_limit(self, limit: u64) -> Self {
        Self { step_limit: Some(limit), ..self }
    }
}

impl<S: State> Subgraph<S, S> {
    /// A subgraph on the parent's own state: it starts with a copy of it, and what comes out is what its nodes wrote, so that an
    /// item that it appends is appended once.
    pub fn shared() -> Self
    where
        S: Into<S::Update>,
    {
        Self {
            input: Box::new(|state: &S, ()| Ok(state.clone().into())),
            output: Box::new(|_, diff| Ok(diff)),
            keeps: Keeps::Call,
            codec: codec_of::<S>(),
            shares_state: true,
            step_limit: None,
            is_task: false,
        }
    }
}

impl<S: State, R: Send + Sync + 'static> Graph<S, R> {
    /// Adds a node that runs another graph: one with the same resources (`&graph`), or one that says where it has its own
    /// [from](IntoChild).
    pub fn subgraph<C: State>(
        &mut self,
        name: impl Into<String>,
        child: impl IntoChild<C, R>,
        link: Subgraph<S, C>,
    ) -> Node {
        let (Child { graph, choose }, link) = (child.into_child(), Arc::new(link));
        let drawn = Arc::clone(&graph.inner) as _;
        let node = self.node(name, move |cx| {
            let (graph, link, choose) = (graph.clone(), Arc::clone(&link), Arc::clone(&choose));
            async move { link.run(&cx, graph, choose(&cx.shared().resources), ()).await }
        });
        self.set_child(node, drawn);
        node
    }

    /// Adds a task, with an input of its own, that runs another graph. See [`subgraph`](Graph::subgraph).
    pub fn subgraph_task<I: TaskInput, C: State>(
        &mut self,
        name: impl Into<String>,
        child: impl IntoChild<C, R>,
        link: Subgraph<S, C, I>,
    ) -> Task<I> {
        let keeps = link.keeps;
        let (Child { graph, choose }, link) = (child.into_child(), Arc::new(Subgraph { is_task: true, ..link }));
        let drawn = Arc::clone(&graph.inner) as _;
        let task = self.task(name, move |cx, input: I| {
            let (graph, link, choose) = (graph.clone(), Arc::clone(&link), Arc::clone(&choose));
            async move { link.run(&cx, graph, choose(&cx.shared().resources), input).await }
        });
        self.set_child(task.node(), drawn);
        if keeps == Keeps::Thread {
            self.set_kept_for_thread(task.node());
        }
        task
    }
}

/// What a subgraph gives back: its commands lead only where the parent's builder declares it.
struct FromChild<S: State>(Command<S>);

impl<S: State> IntoCommand<S> for FromChild<S> {
    fn into_command(self) -> Command<S> {
        self.0
    }
}

impl<S: State, C: State, I> Subgraph<S, C, I> {
    async fn run<R: Send + Sync + 'static, Q: Send + Sync + 'static>(
        &self,
        cx: &Cx<S, R>,
        graph: CompiledGraph<C, Q>,
        resources: Arc<Q>,
        input: I,
    ) -> Result<FromChild<S>, NodeError> {
        let input = (self.input)(&cx.state, input)?;
        let Ended { finished, left, diff, .. } = self.call(cx, graph, resources, input).await?;
        let update = (self.output)(finished.state, diff.unwrap_or_default())?;
        let goto = left.map(|names| {
            let targets = names.into_iter().map(|name| Target::Name(name.into())).collect();
            Box::new(Goto { targets: Targets(Next::Many(targets)), also: false, parent: false })
        });
        Ok(FromChild(Command { update, goto }))
    }

    /// Runs the child to its end; what it asks and spends becomes the task's own.
    async fn call<R: Send + Sync + 'static, Q: Send + Sync + 'static>(
        &self,
        cx: &Cx<S, R>,
        graph: CompiledGraph<C, Q>,
        resources: Arc<Q>,
        input: C::Update,
    ) -> Result<Ended<C>, NodeError> {
        if cx.shared().depth >= MAX_DEPTH {
            return Err(TooDeep.into());
        }
        let (entry, thread) = self.open(cx, input, graph.on_change.clone());
        if let (Some(journal), Some(_)) = (&cx.shared().journal, &thread) {
            // A run that has lost its thread is not to take the subgraph's part of it from whoever has won.
            journal.confirm().await?;
        }
        let settings = self.settings(cx, &graph.defaults);
        if settings.pauses() && thread.is_none() {
            let in_subgraph = cx.shared().is_kept();
            return Err(NotDurable { what: "a breakpoint", in_subgraph }.into());
        }
        let begun = self.begin(cx, graph, resources, settings, entry, thread);
        let result = begun.running.await;
        self.end(cx, begun.after, result)
    }

    /// What the child takes over from the run.
    fn settings<R>(&self, cx: &Cx<S, R>, own: &Defaults) -> Settings {
        let mut settings = Settings::for_child(cx.shared(), own, cx.task().node);
        settings.step_limit = self.step_limit.unwrap_or(settings.step_limit);
        settings
    }

    /// Starts the child. No part of the future of the task: graphs that run inside each other share one stack.
    fn begin<R: Send + Sync + 'static, Q: Send + Sync + 'static>(
        &self,
        cx: &Cx<S, R>,
        graph: CompiledGraph<C, Q>,
        resources: Arc<Q>,
        settings: Settings,
        entry: Entry<C>,
        thread: Option<ThreadOptions<C>>,
    ) -> Begun<C, Q> {
        let (shared, task) = (cx.shared(), cx.task());
        let path = match self.is_task {
            false => nested(&shared.path, &segment(cx.node())),
            true => nested(&shared.path, &call_segment(cx.node(), task.index)),
        };
        let log = shared.events.as_ref().map(|events| child_sink(events, Arc::clone(&path)));
        let after = After {
            graph: Arc::clone(&graph.inner),
            namespace: thread.as_ref().map(|thread| thread.key.namespace.to_string()),
            log: log.clone(),
        };

        let launch = Launch {
            graph: graph.inner,
            cache: graph.cache,
            resources,
            entry,
            thread,
            settings,
            run_id: Arc::clone(&shared.run_id),
            path,
            caller: Some(Box::new(cx.as_caller())),
            sink: log.as_ref().map(|log| Sink::Child(Arc::clone(log))),
            emit: log.map(|log| log as Arc<dyn Emit>),
            shares_state: self.shares_state,
        };
        Begun { running: launch.go(), after }
    }

    /// Makes what the child asks, remembers and spends that of its task.
    fn end<R, Q>(
        &self,
        cx: &Cx<S, R>,
        after: After<C, Q>,
        result: Result<Ended<C>, RunError>,
    ) -> Result<Ended<C>, NodeError> {
        let (shared, task) = (cx.shared(), cx.task());
        let After { graph, namespace, log } = after;
        if let Some(log) = log {
            let (step, kind) = last(result.as_ref().map(|ended| &ended.finished));
            Sink::<C>::Child(log).write(step, None, kind);
        }
        let ended = result.map_err(|error| {
            let hint = graph.retry_hint(&error);
            error.with_hint(hint)
        })?;

        if let End::Interrupted(questions) = &ended.finished.end {
            for (name, reason) in &ended.refused {
                shared.ledger.refuse(task, name.clone(), reason.clone());
            }
            questions.iter().for_each(|question| shared.ledger.raise(task, question.clone()));
            return Err(Interrupted.into());
        }
        if let End::Paused { before, after } = &ended.finished.end {
            let path = |name: &String| match graph.position(name) {
                Some(_) => nested(&segment(cx.node()), &segment(name)).to_string(),
                None => nested(&segment(cx.node()), name).to_string(),
            };
            let (before, after) = (before.iter().map(path).collect(), after.iter().map(path).collect());
            shared.ledger.pause(task, Pause { before, after });
            return Err(Interrupted.into());
        }
        if let (Keeps::Thread, Some(namespace), Some(checkpoint)) = (self.keeps, namespace, ended.finished.checkpoint) {
            shared.ledger.remember_subgraph(task, SubgraphMemory { namespace, checkpoint });
        }

        // What a subgraph spent that stopped is kept with it, and counts when it has ended. Of one of which nothing is kept it has
        // been counted.
        for (counter, amount) in ended.spent.iter().filter(|(counter, _)| !is_of_node(counter)) {
            shared.ledger.spend(task, counter.clone(), *amount);
        }
        Ok(ended)
    }

    /// How the child begins: on the parent's thread, when something is kept of it.
    fn open<R>(&self, cx: &Cx<S, R>, input: C::Update, on_change: OnChange) -> (Entry<C>, Option<ThreadOptions<C>>) {
        let (shared, tag) = (cx.shared(), cx.task());
        let (Some(journal), Some(codec), true) = (&shared.journal, self.codec, self.keeps != Keeps::Nothing) else {
            return (Entry::Input(input), None);
        };
        let call = shared.call(journal, tag);
        let outer = &journal.key().namespace;
        // A node that was renamed meanwhile goes on with the call that it began under its old name.
        let began = shared.ledger.calling_node(tag.index);
        let began = began.as_deref().unwrap_or(cx.node());
        let (namespace, remembers) = match (self.keeps, shared.ledger.memories().known.get(cx.node())) {
            (Keeps::Thread, Some(memory)) => (memory.namespace.as_str().into(), Remembers::At(memory.checkpoint)),
            // Earlier versions of this library did not escape names.
            (Keeps::Thread, None) if shared.ledger.memories().incomplete => (nested(outer, began), Remembers::Newest),
            (Keeps::Thread, None) => (nested(outer, &segment(began)), Remembers::Nothing),
            _ => {
                let place = call.split('@').next().unwrap_or_default();
                (nested(outer, &call_segment(began, place)), Remembers::Nothing)
            }
        };
        let is_own = |id: &str| id.split('#').next().is_some_and(|of| is_within(of, &namespace));
        let answers = shared.ledger.answers(tag.index).into_iter();
        let own = answers.filter(|(id, _)| is_own(id)).map(|(id, value)| (Some(id), value)).collect();
        let metadata = Metadata::from([(CALL.to_string(), Value::from(call.clone()))]);
        let options = ThreadOptions {
            store: Arc::clone(journal.store()),
            codec,
            key: ThreadKey::new(Arc::clone(&journal.key().thread), namespace),
            at: None,
            durability: shared.durability,
            metadata: Arc::new(metadata),
            answers: own,
            answers_may_be_known: true,
            on_change,
        };
        (Entry::Call { input, key: CALL, call, remembers }, Some(options))
    }
}

/// A subgraph that runs.
struct Begun<C: State, R> {
    running: BoxFuture<'static, Result<Ended<C>, RunError>>,
    after: After<C, R>,
}

/// What is needed when a subgraph has ended.
struct After<C: State, R> {
    graph: Arc<Inner<C, R>>,
    namespace: Option<String>,
    log: Option<Arc<ChildLog>>,
}

/// How deep graphs may run inside each other. A graph that runs itself without an end comes to this instead of the end of its stack.
const MAX_DEPTH: usize = 32;

/// A graph that runs inside too many others.
#[derive(Debug)]
struct TooDeep;

impl fmt::Display for TooDeep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "subgraphs nest deeper than {MAX_DEPTH} levels; if a graph runs itself, give the recursion an end")
    }
}

impl Error for TooDeep {}

/// Under this key the metadata of a subgraph's checkpoints say which call made them.
const CALL: &str = "call";
