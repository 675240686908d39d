//! Running a single node without a graph, and looking at what it gives back.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use crate::caller::{InnerStops, Shared};
use crate::checkpoint::Durability;
use crate::clock::{Clock, Random, SystemClock, SystemRandom};
use crate::command::{Command, IntoCommand, Target};
use crate::cx::Cx;
use crate::end::FailurePolicy;
use crate::event::TaskTag;
use crate::handle::END;
use crate::interrupt::Question;
use crate::ledger::{Ledger, Left};
use crate::state::{FieldSet, State, Update};

/// A context for a node that is tested without a graph.
///
/// ```
/// use research_core::testing::TestCx;
/// use research_core::{Ask, Command, Cx, END, NodeError, State};
///
/// #[derive(Clone, Debug, Default, PartialEq, State)]
/// struct Mail {
///     text: String,
///     #[reduce(append)]
///     log: Vec<String>,
/// }
///
/// async fn send(cx: Cx<Mail>) -> Result<Command<Mail>, NodeError> {
///     let sure: bool = cx.interrupt(Ask::new("sure", &*cx.state.text)).await?;
///     cx.spend("mails", 1);
///     let log = Mail::update().log([format!("sent: {sure}")]);
///     Ok(if sure { Command::end() } else { Command::goto("edit") }.with(log))
/// }
///
/// # tokio::runtime::Runtime::new()?.block_on(async {
/// let test = TestCx::new(Mail { text: "hello".into(), log: vec!["old".into()] }).answer("sure", false);
/// let command = send(test.cx()).await.expect("the question is answered");
/// assert_eq!(command.targets(), ["edit"]);
/// assert_eq!(test.after(command).log, ["old", "sent: false"]);
/// assert_eq!(test.spent("mails"), 1);
///
/// // Without the answer the node asks.
/// let test = TestCx::new(Mail::default());
/// assert!(send(test.cx()).await.is_err());
/// assert_eq!(test.questions()[0].key, "sure");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct TestCx<S: State, R = ()> {
    state: Arc<S>,
    shared: Arc<Shared<R>>,
    /// What the node left, taken out of the ledger.
    left: Mutex<Left>,
}

const TAG: TaskTag = TaskTag { step: 1, index: 0, node: 0 };

impl<S: State> TestCx<S> {
    /// A context over a state, for a node without resources.
    #[must_use]
    pub fn new(state: S) -> Self {
        Self::with_resources(state, ())
    }
}

impl<S: State, R: Send + Sync + 'static> TestCx<S, R> {
    /// A context over a state, with resources.
    pub fn with_resources(state: S, resources: impl Into<Arc<R>>) -> Self {
        let ledger = Ledger::default();
        ledger.open(TAG.step);
        let shared = Shared {
            resources: resources.into(),
            run_id: Arc::from("run-1"),
            names: Arc::from([Arc::from("node")]),
            last_step: u64::MAX,
            max_concurrency: 1,
            places: None,
            policy: FailurePolicy::default(),
            clock: Arc::new(SystemClock) as Arc<dyn Clock>,
            random: Arc::new(SystemRandom) as Arc<dyn Random>,
            deadline: None,
            events: None,
            ledger,
            journal: None,
            durability: Durability::default(),
            path: Arc::from(""),
            depth: 0,
            asks_without_thread: true,
            stop: Arc::default(),
            caller: None,
            inner_stops: InnerStops::new(),
        };
        Self { state: Arc::new(state), shared: Arc::new(shared), left: Mutex::default() }
    }

    /// Answers the question of a key, as a person did before.
    #[must_use]
    pub fn answer(self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.shared.ledger.put_answer(TAG.index, key.into(), value.into());
        self
    }

    /// The context. Every call gives one of the same execution.
    #[must_use]
    pub fn cx(&self) -> Cx<S, R> {
        Cx::new(Arc::clone(&self.state), Arc::clone(&self.shared), TAG, None)
    }

    /// Returns the state after the barrier at which what the node gave back is folded alone.
    pub fn after(&self, result: impl IntoCommand<S>) -> S {
        let mut state = S::clone(&self.state);
        state.reset_ephemeral();
        result.into_command().update.fold(&mut state, FieldSet::EMPTY);
        state
    }

    /// Returns the questions that the node asked and that had no answer.
    #[must_use]
    pub fn questions(&self) -> Vec<Question> {
        self.left(|left| left.questions.clone())
    }

    /// Returns how much of a counter the node has spent.
    #[must_use]
    pub fn spent(&self, counter: &str) -> u64 {
        self.left(|left| left.spent.iter().filter(|(name, _)| name == counter).map(|(_, amount)| amount).sum())
    }

    fn left<T>(&self, read: impl FnOnce(&Left) -> T) -> T {
        let mut known = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(new) = self.shared.ledger.leave(TAG.index) {
            known.questions.extend(new.questions);
            known.refused.extend(new.refused);
            known.spent.extend(new.spent);
        }
        read(&known)
    }
}

impl<S: State, R> fmt::Debug for TestCx<S, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TestCx").finish_non_exhaustive()
    }
}

impl<S: State> Command<S> {
    /// Returns the names of the targets; of a handle, which has no name outside its graph, `END` or `node N` by its declaration.
    #[must_use]
    pub fn targets(&self) -> Vec<String> {
        self.goto.iter().flat_map(|goto| goto.targets.each()).map(|target| name(&target)).collect()
    }

    /// Returns the update that it carries.
    #[must_use]
    pub fn update(&self) -> &S::Update {
        &self.update
    }
}

fn name(target: &Target) -> String {
    match target {
        Target::Name(name) => name.to_string(),
        Target::Node(node) if *node == END => "END".to_string(),
        Target::Node(node) => format!("node {}", node.index),
        Target::Sent(sent) => format!("task {}", sent.node.index),
        Target::NamedTask(task) => task.name.to_string(),
    }
}
