//! What a node gives back besides an update: where to go next.

use std::fmt;

use serde::Serialize;

use crate::error::NodeError;
use crate::handle::{END, Node, Sent};
use crate::persist::to_bytes;
use crate::state::State;

/// Several [`Sent`] tasks; collect an iterator of them into it. They run in this order of precedence.
#[derive(Clone, Debug, Default)]
pub struct Sends(pub(crate) Vec<Sent>);

impl FromIterator<Sent> for Sends {
    fn from_iter<I: IntoIterator<Item = Sent>>(items: I) -> Self {
        Self(items.into_iter().collect())
    }
}

impl Extend<Sent> for Sends {
    fn extend<I: IntoIterator<Item = Sent>>(&mut self, items: I) {
        self.0.extend(items);
    }
}

/// One place to go to: a node by handle, a node by name, or a task with its input.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Target {
    /// A node, or [`END`].
    Node(Node),
    /// A node by its name, for graphs that are built from data.
    Name(Box<str>),
    /// A task with its input.
    Sent(Box<Sent>),
    /// A task by its name, with its input, for graphs that are built from data.
    NamedTask(Box<NamedTask>),
}

/// A task by its name, with its input, for graphs that are built from data: what decides need not know the type of the input.
///
/// ```
/// use research_core::{Cx, END, Graph, NamedTask, NodeError, State};
/// use serde_json::{Value, json};
///
/// #[derive(Clone, Debug, Default, State)]
/// struct Pages {
///     steps: Vec<Value>,
///     #[reduce(append)]
///     read: Vec<String>,
/// }
///
/// # tokio::runtime::Runtime::new()?.block_on(async {
/// let mut g = Graph::<Pages>::new("pages");
/// g.node("plan", |_cx| async { Ok(()) });
/// g.task("fetch", |_cx: Cx<Pages>, url: String| async move { Ok(Pages::update().read([url])) });
/// g.entry("plan").edge("fetch", END).route("plan", |s: &Pages| {
///     let task = |step: &Value| NamedTask::new(step["node"].as_str().unwrap_or_default(), &step["input"]);
///     s.steps.iter().map(task).collect::<Result<Vec<_>, NodeError>>()
/// });
/// let steps = vec![json!({"node": "fetch", "input": "bees.html"})];
/// let done = g.compile()?.run(Pages::update().steps(steps)).await?;
/// assert_eq!(done.state.read, ["bees.html"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct NamedTask {
    pub(crate) name: Box<str>,
    /// The input as checkpoints store it.
    pub(crate) input: Box<[u8]>,
}

impl NamedTask {
    /// Creates a task. Whether the graph has it, and whether the input fits its type, is known where it leads: if not, the node or
    /// route that returned it fails.
    ///
    /// # Errors
    ///
    /// When the input cannot be serialized.
    pub fn new(name: impl Into<String>, input: &(impl Serialize + ?Sized)) -> Result<Self, NodeError> {
        let input = to_bytes(input)?.into();
        Ok(Self { name: name.into().into(), input })
    }
}

impl fmt::Debug for NamedTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NamedTask").field("name", &self.name).finish_non_exhaustive()
    }
}

impl From<NamedTask> for Target {
    fn from(task: NamedTask) -> Self {
        Self::NamedTask(Box::new(task))
    }
}

impl From<Node> for Target {
    fn from(node: Node) -> Self {
        Self::Node(node)
    }
}

impl From<&str> for Target {
    fn from(name: &str) -> Self {
        Self::Name(name.into())
    }
}

impl From<String> for Target {
    fn from(name: String) -> Self {
        Self::Name(name.into())
    }
}

impl From<Sent> for Target {
    fn from(sent: Sent) -> Self {
        Self::Sent(Box::new(sent))
    }
}

/// Where a route or a command leads: no, one or several targets.
///
/// A route whose arms lead to different things returns it, and so does one that sends tasks and goes to a node as well:
///
/// ```
/// use research_core::{Cx, END, Graph, NodeError, State, Targets};
///
/// #[derive(Clone, Debug, Default, State)]
/// struct Shelf {
///     books: Vec<String>,
///     #[reduce(append)]
///     read: Vec<String>,
/// }
///
/// # tokio::runtime::Runtime::new()?.block_on(async {
/// let mut g = Graph::<Shelf>::new("shelf");
/// let open = g.node("open", |_cx| async { Ok(()) });
/// let count = g.node("count", |_cx| async { Ok(()) });
/// let read = g.task("read", |_cx: Cx<Shelf>, book: String| async move { Ok(Shelf::update().read([book])) });
/// g.entry(open).edge(count, END).edge(read, END).route(open, move |s: &Shelf| -> Targets {
///     if s.books.is_empty() {
///         END.into()
///     } else {
///         s.books.iter().map(|book| read.send(book.clone())).collect::<Targets>().and(count)
///     }
/// });
/// let done = g.compile()?.run(Shelf::update().books(["Bees".to_string()])).await?;
/// assert_eq!(done.state.read, ["Bees"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Targets(pub(crate) Next);

impl Targets {
    /// Leads to all of `more` as well.
    #[must_use]
    pub fn and(self, more: impl Into<Self>) -> Self {
        let (mut targets, more) = (self.into_each(), more.into().into_each());
        targets.extend(more);
        Self(Next::Many(targets))
    }

    /// Returns each target.
    fn into_each(self) -> Vec<Target> {
        match self.0 {
            Next::Nowhere => Vec::new(),
            Next::One(target) => vec![target],
            Next::Many(targets) => targets,
            Next::Sends(sends) => sends.into_iter().map(Target::from).collect(),
        }
    }

    /// Each target.
    #[cfg(feature = "testing")]
    pub(crate) fn each(&self) -> Vec<Target> {
        self.clone().into_each()
    }

    /// The first target that is a name; empty without one.
    pub(crate) fn first_name(&self) -> String {
        let name = |target: &Target| match target {
            Target::Name(name) => Some(name.to_string()),
            _ => None,
        };
        match &self.0 {
            Next::One(target) => name(target),
            Next::Many(targets) => targets.iter().find_map(name),
            Next::Nowhere | Next::Sends(_) => None,
        }
        .unwrap_or_default()
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) enum Next {
    #[default]
    Nowhere,
    One(Target),
    Many(Vec<Target>),
    Sends(Vec<Sent>),
}

/// What a route may return: a [`Node`], a name, a [`Sent`], [`Sends`], a `Vec` or array of [`Target`]s or of any of
/// these, an `Option` of one, or a `Result` of one where the route may fail.
#[diagnostic::on_unimplemented(
    message = "a route cannot return `{Self}`",
    label = "its route returns no target",
    note = "return a node's handle, a name, `END`, `task.send(input)`, `Sends`, or a `Vec`, an `Option` or a `Result` of these",
    note = "a route whose arms return different things returns `Targets`: `-> Targets`, with `.into()` or `.collect()` in each arm",
    note = "a route is a plain function: a decision that must wait is a node that returns a `Command`"
)]
pub trait IntoTargets {
    /// The targets.
    ///
    /// # Errors
    ///
    /// Only a `Result` fails.
    fn into_targets(self) -> Result<Targets, NodeError>;
}

impl<T: Into<Target>> From<T> for Targets {
    fn from(target: T) -> Self {
        Self(Next::One(target.into()))
    }
}

impl From<Sends> for Targets {
    fn from(sends: Sends) -> Self {
        Self(Next::Sends(sends.0))
    }
}

impl<T: Into<Target>> From<Vec<T>> for Targets {
    fn from(targets: Vec<T>) -> Self {
        Self(Next::Many(targets.into_iter().map(Into::into).collect()))
    }
}

impl<T: Into<Target>, const N: usize> From<[T; N]> for Targets {
    fn from(targets: [T; N]) -> Self {
        Self(Next::Many(targets.into_iter().map(Into::into).collect()))
    }
}

impl<T: Into<Target>> FromIterator<T> for Targets {
    fn from_iter<I: IntoIterator<Item = T>>(targets: I) -> Self {
        Self(Next::Many(targets.into_iter().map(Into::into).collect()))
    }
}

impl<T: Into<Targets>> From<Option<T>> for Targets {
    fn from(targets: Option<T>) -> Self {
        targets.map_or_else(Self::default, Into::into)
    }
}

// One by one rather than for all `Into<Targets>`, so that the compiler names this trait when a route returns something else.
macro_rules! into_targets {
    ($([$($generics:tt)*] $targets:ty),* $(,)?) => {$(
        impl<$($generics)*> IntoTargets for $targets {
            fn into_targets(self) -> Result<Targets, NodeError> {
                Ok(self.into())
            }
        }
    )*};
}

into_targets! {
    [] Node, [] &str, [] String, [] Sent, [] NamedTask, [] Target, [] Targets, [] Sends,
    [T: Into<Target>] Vec<T>, [T: Into<Target>, const N: usize] [T; N],
}

impl<T: IntoTargets> IntoTargets for Option<T> {
    fn into_targets(self) -> Result<Targets, NodeError> {
        self.map_or_else(|| Ok(Targets::default()), T::into_targets)
    }
}

impl<T: IntoTargets, E: Into<NodeError>> IntoTargets for Result<T, E> {
    fn into_targets(self) -> Result<Targets, NodeError> {
        self.map_err(Into::into).and_then(T::into_targets)
    }
}

/// Where a command leads.
#[derive(Clone, Debug)]
pub(crate) struct Goto {
    pub(crate) targets: Targets,
    /// The node's declared edges, joins and routes count too.
    pub(crate) also: bool,
    /// The targets are nodes of the graph that the node's graph is a subgraph of.
    pub(crate) parent: bool,
}

/// An update together with where to go next.
///
/// ```
/// use research_core::{Command, Cx, END, Graph, Node, NodeError, State};
///
/// #[derive(Clone, Debug, Default, State)]
/// struct Draft {
///     score: u32,
/// }
///
/// async fn judge(cx: Cx<Draft>, retry: Node) -> Result<Command<Draft>, NodeError> {
///     let next = if cx.state.score < 3 { retry } else { END };
///     Ok(Command::goto(next).with(Draft::update().score(cx.state.score)))
/// }
///
/// let mut g = Graph::<Draft>::new("draft");
/// let write = g.node("write", |cx| async move { Ok(Draft::update().score(cx.state.score + 1)) });
/// let judge = g.node("judge", move |cx| judge(cx, write));
/// g.entry(write).edge(write, judge);
/// assert!(g.compile().is_ok());
/// ```
pub struct Command<S: State> {
    pub(crate) update: S::Update,
    pub(crate) goto: Option<Box<Goto>>,
}

impl<S: State> Command<S> {
    /// Goes to `targets` **instead of** along the node's own edges, joins and routes.
    #[must_use]
    pub fn goto(targets: impl Into<Targets>) -> Self {
        Self::leading(targets.into(), false)
    }

    /// Goes to `targets` and along the node's own edges, joins and routes.
    #[must_use]
    pub fn also_goto(targets: impl Into<Targets>) -> Self {
        Self::leading(targets.into(), true)
    }

    /// Ends the subgraph that the node belongs to, with all that is due in it, and goes to these nodes of the parent graph
    /// **instead of** along the edges, joins and routes of the subgraph's node there.
    ///
    /// They are nodes without an input, by name. In a graph that no other graph runs the task fails.
    #[must_use]
    pub fn goto_parent<N: Into<String>>(nodes: impl IntoIterator<Item = N>) -> Self {
        let targets = nodes.into_iter().map(|name| Target::Name(name.into().into())).collect();
        let targets = Targets(Next::Many(targets));
        Self { update: S::Update::default(), goto: Some(Box::new(Goto { targets, also: false, parent: true })) }
    }

    /// Ends this branch of the run.
    #[must_use]
    pub fn end() -> Self {
        Self::goto(END)
    }

    /// Attaches an update, in place of one attached before.
    #[must_use]
    pub fn with(mut self, update: S::Update) -> Self {
        self.update = update;
        self
    }

    fn leading(targets: Targets, also: bool) -> Self {
        Self { update: S::Update::default(), goto: Some(Box::new(Goto { targets, also, parent: false })) }
    }
}

impl<S: State> fmt::Debug for Command<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Command").field("update", &self.update).field("goto", &self.goto).finish()
    }
}

/// What a node of state `S` may return: its update, a [`Command`], or `()` for neither.
#[diagnostic::on_unimplemented(
    message = "a node of state `{S}` cannot return `{Self}`",
    label = "a node returns `Result<_, NodeError>` of an update, a `Command` or `()`",
    note = "build an update with `{S}::update()` and its setters, or say where to go with `Command::goto(…)`"
)]
pub trait IntoCommand<S: State> {
    /// Whether the node can go anywhere by itself; the build checks then assume that it does.
    #[doc(hidden)]
    const MAY_GOTO: bool = false;

    /// The command.
    fn into_command(self) -> Command<S>;
}

impl<S: State> IntoCommand<S> for Command<S> {
    const MAY_GOTO: bool = true;

    fn into_command(self) -> Command<S> {
        self
    }
}

impl<S: State> IntoCommand<S> for () {
    fn into_command(self) -> Command<S> {
        Command { update: S::Update::default(), goto: None }
    }
}

impl<S: State> Command<S> {
    /// A command that is only an update; called by the derive macro.
    #[doc(hidden)]
    pub fn from_update(update: S::Update) -> Self {
        Self { update, goto: None }
    }
}
