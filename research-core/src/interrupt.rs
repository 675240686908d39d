//! Questions that a task asks a person, and the answers.

use std::error::Error;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a task asks with [`Cx::interrupt`](crate::Cx::interrupt).
///
/// ```
/// use research_core::Ask;
/// use serde_json::json;
///
/// let ask = Ask::new("approve", json!({"send_to": "all customers"})).schema(json!({"type": "boolean"}));
/// # let _ = ask;
/// ```
#[derive(Clone, Debug)]
pub struct Ask {
    pub(crate) key: String,
    pub(crate) payload: Value,
    pub(crate) schema: Option<Value>,
}

impl Ask {
    /// A question. The key tells it from other questions of the same task: a node that asks in a loop numbers its keys.
    pub fn new(key: impl Into<String>, payload: impl Into<Value>) -> Self {
        Self { key: key.into(), payload: payload.into(), schema: None }
    }

    /// The JSON Schema of the answer, for whoever shows the question.
    #[must_use]
    pub fn schema(mut self, schema: impl Into<Value>) -> Self {
        self.schema = Some(schema.into());
        self
    }
}

impl<K: Into<String>, P: Into<Value>> From<(K, P)> for Ask {
    fn from((key, payload): (K, P)) -> Self {
        Self::new(key, payload)
    }
}

/// An open question of a thread. Any process that can read the thread can read it and answer it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Question {
    /// Names it among all questions of the thread: give it to [`Run::answer_to`](crate::Run::answer_to).
    pub id: String,
    /// The key that the node gave it.
    pub key: String,
    /// The node that asks.
    pub node: String,
    /// The namespace of the graph that the node belongs to; empty for the root graph.
    pub namespace: String,
    /// What is asked.
    pub payload: Value,
    /// The JSON Schema of the answer, if the node gave one.
    pub schema: Option<Value>,
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` asks {} ({})", self.node, self.payload, self.id)
    }
}

/// Why an answer was not taken. Nothing was written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AnswerError {
    /// The thread waits for no answer.
    NothingPending,
    /// No open question has this id.
    Unknown {
        /// The id that was given.
        id: String,
        /// The ids of the open questions.
        open: Vec<String>,
    },
    /// An answer without an id, where several questions are open.
    Ambiguous {
        /// The ids of the open questions.
        open: Vec<String>,
    },
    /// The answer is not of the type that the node wants. The question stays open.
    WrongType {
        /// The question.
        id: String,
        /// What was wrong.
        reason: String,
    },
}

impl fmt::Display for AnswerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NothingPending => {
                f.write_str("the thread waits for no answer; start it with an input or resume it without one")
            }
            Self::Unknown { id, open } => {
                write!(f, "no open question has the id `{id}`; open are: {}", list(open))
            }
            Self::Ambiguous { open } => write!(
                f,
                "{} questions are open; answer them by id with `.answer_to(id, value)`: {}",
                open.len(),
                list(open)
            ),
            Self::WrongType { id, reason } => {
                write!(
                    f,
                    "the answer to `{id}` is not of the type that its node wants: {reason}; the question stays open"
                )
            }
        }
    }
}

impl Error for AnswerError {}

fn list(ids: &[String]) -> String {
    ids.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ")
}

/// What a node's error is when it stopped to wait for an answer. Let it pass with `?`.
#[derive(Debug)]
pub(crate) struct Interrupted;

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("waits for an answer")
    }
}

impl Error for Interrupted {}

/// The task has ended, or this attempt at it, and only something that it spawned goes on.
#[derive(Debug)]
pub(crate) struct TaskIsOver;

impl fmt::Display for TaskIsOver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the task of this context is over: what it spawned can neither ask nor record")
    }
}

impl Error for TaskIsOver {}

/// What a key is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum KeyKind {
    Effect,
    Question,
}

/// One execution of a task used a key twice, which would skip the second effect or ask for ever.
#[derive(Debug)]
pub(crate) struct KeyIsUsed {
    pub(crate) kind: KeyKind,
    pub(crate) key: String,
}

impl fmt::Display for KeyIsUsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, key } = self;
        let what = match kind {
            KeyKind::Effect => "an effect",
            KeyKind::Question => "a question",
        };
        write!(
            f,
            "this execution of the task has had {what} with the key `{key}` before; number the keys, such as `{key}-2`"
        )
    }
}

impl Error for KeyIsUsed {}

/// The node asked a question, or its graph was to pause, but nothing could keep it until it goes on.
#[derive(Debug)]
pub(crate) struct NotDurable {
    /// What could not be kept.
    pub(crate) what: &'static str,
    /// The run has a thread, and nothing is kept of the subgraph.
    pub(crate) in_subgraph: bool,
}

impl fmt::Display for NotDurable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = self.what;
        match self.in_subgraph {
            false => write!(
                f,
                "{what} needs a thread that keeps it: attach a checkpointer with `.with_checkpointer(…)` and name a thread with \
                 `.thread(…)`"
            ),
            true => write!(
                f,
                "in a subgraph {what} needs the subgraph to be kept: declare it with `.per_call()` or `.per_thread()`"
            ),
        }
    }
}

impl Error for NotDurable {}
