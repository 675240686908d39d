//! Calls of a graph's node, which can wait for an answer of the user for as long as it takes.

use futures::StreamExt;
use research_core::{Cx, NodeError, State};
use research_llm::tool::read_arguments;
use research_llm::{ToolCall, ToolResult};
use research_mcp::{
    Answers, CallOutput, ElicitAnswer, Elicitation, HubEvent, InputRequired, McpError, Object, Operation, ServerState,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::deferred::{Wanted, wanted};
use super::interviewer::Known;
use super::present;
use super::question::ask;
use super::tools::{Entry, HubTools};
use crate::Error;
use crate::kernel::Untrusted;

/// How often a call may ask before it fails, as often as the hub allows it within one call.
const ROUNDS: usize = 10;

/// Questions that one call may ask at once.
const QUESTIONS: usize = 16;

/// The first revision of MCP in which a call that asks can be made again with the answers.
const ANSWERS_LATER: &str = "2026-07-28";

/// How far a tool is, from the node that calls it. Read it from a run's stream with
/// [`Event::custom`](research_core::Event::custom).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolProgress {
    /// The key of the call; in an agent with tools the model's id of it.
    pub key: String,
    /// Name of the server in the hub.
    pub server: String,
    /// Name of the tool as its server spells it.
    pub tool: String,
    /// How far it is, in the server's own measure.
    pub progress: f64,
    /// How far it has to go, when known.
    pub total: Option<f64>,
    /// What is being done.
    pub message: Option<Untrusted<String>>,
}

/// How one request of a call ended, as it is recorded.
#[derive(Serialize, Deserialize)]
enum Round {
    Done(Box<CallOutput>),
    /// The server waits for answers, whoever brings them.
    Asked(InputRequired),
    /// The server asked in the middle of the call, which was cancelled.
    AskedAndCancelled(Elicitation),
    /// It failed, and the model is told so.
    Failed(String),
}

/// What is known when a request is made.
#[derive(Default)]
struct Before {
    answers: Option<Answers>,
    known: Known,
}

/// A call of a node.
struct NodeCall<'a> {
    tools: &'a HubTools,
    entry: &'a Entry,
    arguments: &'a Object,
    /// Names it among the calls of the node.
    key: &'a str,
    /// What its progress is reported under.
    shown: &'a str,
    /// Whether a failure is an outcome like any other, to be recorded.
    keeps_failures: bool,
}

impl HubTools {
    /// Calls a tool from a node. The key tells the call from the others of the same task.
    ///
    /// A call that has ended is recorded: when the node runs again, it is not made again. When the server asks the user something, the
    /// run is [interrupted](Cx::interrupt) with a question that [`asked`](super::asked) reads, and the answer is an [`ElicitAnswer`].
    /// Progress becomes [`ToolProgress`] events.
    ///
    /// # Errors
    ///
    /// The [`McpError`] inside an [`Error`], which is not recorded; what [`Cx::interrupt`] returns while a question is open, to be passed
    /// on with `?`; and a failure to record.
    pub async fn call_in<S: State, R>(
        &self,
        cx: &Cx<S, R>,
        key: &str,
        name: &str,
        arguments: Object,
    ) -> Result<Untrusted<CallOutput>, NodeError> {
        let entry = self.entry(name, &arguments).map_err(Error::from)?;
        let call = NodeCall { tools: self, entry, arguments: &arguments, key, shown: key, keeps_failures: false };
        match call.run(cx).await? {
            Ok(output) => Ok(Untrusted::new(output)),
            Err(failure) => Err(NodeError::msg(failure)),
        }
    }

    /// Answers the call of a model as [`call_in`](Self::call_in) does. A failure is an answer too. The content is not marked yet.
    pub(crate) async fn answer_in<S: State, R>(
        &self,
        cx: &Cx<S, R>,
        key: &str,
        call: &ToolCall,
    ) -> Result<ToolResult, NodeError> {
        let failed = |problem: String| ToolResult::new(call, problem).error();
        let arguments = match read_arguments(&call.arguments) {
            Ok(Value::Object(arguments)) => arguments,
            Ok(_) => return Ok(failed("the arguments are no JSON object".to_owned())),
            Err(problem) => return Ok(failed(problem)),
        };
        let (name, arguments) = match wanted(self, &call.name, arguments) {
            Ok(Wanted::Call { name, arguments }) => (name, arguments),
            Ok(Wanted::Found(found)) => return Ok(ToolResult::new(call, found)),
            Err(problem) => return Ok(failed(problem)),
        };
        let entry = match self.entry(&name, &arguments) {
            Ok(entry) => entry,
            Err(error) => return Ok(failed(present::failure(&error))),
        };
        let node = NodeCall { tools: self, entry, arguments: &arguments, key, shown: &call.id, keeps_failures: true };
        Ok(match node.run(cx).await? {
            Ok(output) if output.is_error => failed(present::result(&output)),
            Ok(output) => ToolResult::new(call, present::result(&output)),
            Err(problem) => failed(problem),
        })
    }

    /// Whether questions of a server come in the middle of a call.
    fn asks_in_call(&self, server: &str) -> bool {
        let servers = self.inner.hub.servers();
        let found = servers.into_iter().find(|status| status.name == server);
        !matches!(found.map(|found| found.state), Some(ServerState::Ready { protocol, .. }) if *protocol >= *ANSWERS_LATER)
    }
}

impl NodeCall<'_> {
    /// Makes the call, with as many questions to the user as it takes. The inner error is a recorded failure.
    async fn run<S: State, R>(&self, cx: &Cx<S, R>) -> Result<Result<CallOutput, String>, NodeError> {
        let mut before = Before::default();
        for round in 0..ROUNDS {
            let key = format!("{}/{round}", self.key);
            let effect = async {
                match self.request(cx, &key, &before).await {
                    Err(error) if self.keeps_failures => Ok(Round::Failed(present::failure(&error))),
                    outcome => outcome.map_err(Error::from),
                }
            };
            match cx.once(key.as_str(), effect).await? {
                Round::Done(output) => return Ok(Ok(*output)),
                Round::Failed(failure) => return Ok(Err(failure)),
                Round::Asked(required) if required.questions.len() > QUESTIONS => {
                    return self.unusable("it asks the user too many questions at once");
                }
                Round::Asked(required) => {
                    if cx.thread().is_none() && self.keeps_failures {
                        return Ok(Err(self.nobody(required)));
                    }
                    before.answers = Some(self.ask_all(cx, &key, &required).await?);
                }
                Round::AskedAndCancelled(question) => {
                    let answer = ask(cx, &key, &question).await?;
                    before.known.push((question, answer));
                }
            }
        }
        self.unusable("it asks the user again and again")
    }

    /// Asks all questions at once, so that the user sees them together.
    async fn ask_all<S: State, R>(
        &self,
        cx: &Cx<S, R>,
        key: &str,
        required: &InputRequired,
    ) -> Result<Answers, NodeError> {
        let asked = required.questions.iter().enumerate().map(|(at, (name, question))| async move {
            ask(cx, &format!("{key}/{at}"), question).await.map(|answer| (name.clone(), answer))
        });
        let answers: Vec<Result<(String, ElicitAnswer), NodeError>> = futures::future::join_all(asked).await;
        Ok(required.answered(answers.into_iter().collect::<Result<_, _>>()?))
    }

    /// One request, while what the server says of its progress is told.
    async fn request<S: State, R>(&self, cx: &Cx<S, R>, key: &str, before: &Before) -> Result<Round, McpError> {
        let (inner, server, tool) = (&self.tools.inner, &self.entry.tool.server, &self.entry.tool.name);
        let label = format!("{}/{key}", cx.task_id());
        let mut options = inner.options.clone().pinned(self.entry.fingerprint.clone()).label(&label);
        options.answers.clone_from(&before.answers);
        let interviewer =
            inner.interviewer.as_ref().filter(|_| cx.thread().is_some() && self.tools.asks_in_call(server));
        let mut sitting = match interviewer {
            Some(interviewer) => Some(interviewer.sit(server, tool, before.known.clone()).await),
            None => None,
        };
        let asked = async {
            match &mut sitting {
                Some(sitting) => sitting.asked().await,
                None => std::future::pending().await,
            }
        };
        let mut events = inner.hub.events();
        let call = inner.hub.call_on_with(server, tool, self.arguments.clone(), &options);
        let (mut call, mut asked) = (std::pin::pin!(call), std::pin::pin!(asked));
        loop {
            tokio::select! {
                biased;
                outcome = &mut call => return match outcome {
                    Ok(output) => Ok(Round::Done(Box::new(output))),
                    Err(McpError::InputRequired { required, .. }) => Ok(Round::Asked(*required)),
                    Err(error) => Err(error),
                },
                question = &mut asked => return Ok(Round::AskedAndCancelled(question)),
                Some(event) = events.next() => self.tell(cx, &label, event),
            }
        }
    }

    fn tell<S: State, R>(&self, cx: &Cx<S, R>, label: &str, event: HubEvent) {
        if let HubEvent::Progress { server, tool, label: Some(of), progress, total, message, .. } = event
            && of == label
        {
            let (key, message) = (self.shown.to_owned(), message.map(Untrusted::new));
            cx.emit(ToolProgress { key, server, tool, progress, total, message });
        }
    }

    fn nobody(&self, required: InputRequired) -> String {
        let (server, tool) = (self.entry.tool.server.clone(), self.entry.tool.name.clone());
        present::failure(&McpError::InputRequired { server, tool, required: Box::new(required) })
    }

    fn unusable<T>(&self, reason: &str) -> Result<Result<T, String>, NodeError> {
        let error = McpError::Protocol {
            server: self.entry.tool.server.clone(),
            tool: Some(self.entry.tool.name.clone()),
            operation: Operation::Call,
            code: None,
            reason: reason.to_owned(),
        };
        if self.keeps_failures { Ok(Err(present::failure(&error))) } else { Err(Error::from(error).into()) }
    }
}
