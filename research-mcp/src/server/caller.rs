//! Who makes a request: what it can do, and how it is spoken to while the request is served.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::model::{
    ClientCapabilities, CustomRequest, InputRequests, InputRequiredResult, InputResponses, ProgressNotificationParam,
    SealOptions, ServerRequest,
};
use rmcp::service::ServiceError;
use serde_json::Value;
use sha2::{Digest, Sha256};
use tokio_util::sync::CancellationToken;

use super::ask::{Answer, Question};
use super::capability::Capability;
use super::context::{Context, is_of_2026};
use super::failure::Refusal;
use super::log::LogLevel;
use super::parts::{Announcer, Caller, CallerInner};
use super::tool_server::ToolServer;
use crate::elicit::ElicitAnswer;

/// How long the state of a request that waits for answers is good for. A client asks a person in between.
const STATE_LIFE: Duration = Duration::from_secs(3600);

impl std::fmt::Debug for Caller {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Caller").field("protocol", &self.protocol()).finish_non_exhaustive()
    }
}

/// What a request brings along besides its arguments.
pub(super) struct Brought {
    pub(super) method: &'static str,
    pub(super) name: String,
    pub(super) arguments: Value,
    pub(super) responses: Option<InputResponses>,
    pub(super) state: Option<String>,
}

impl Caller {
    /// Reads what came with the request; a state that is not from here is refused.
    pub(super) fn new(server: &ToolServer, context: Context, brought: Brought) -> Result<Self, Refusal> {
        let arguments = brought.arguments.to_string();
        let mut hash = Sha256::new();
        for part in [brought.method, &brought.name, &arguments] {
            hash.update(part.len().to_le_bytes());
            hash.update(part);
        }
        let binding = hash.finalize().to_vec();
        let had_state = brought.state.is_some();
        let mut given: BTreeMap<String, Value> = match &brought.state {
            Some(state) => server.shared.codec.open_json_with(state, &binding).map_err(|_| {
                Refusal::invalid_params("the requestState is not from this server, for this request, in the last hour")
            })?,
            None => BTreeMap::new(),
        };
        // An answer that was checked in an earlier round stands.
        for (key, answer) in brought.responses.unwrap_or_default() {
            given.entry(key).or_insert(answer);
        }
        let inner = CallerInner {
            context,
            shared: Arc::clone(&server.shared),
            session: Arc::clone(&server.session),
            stop: CancellationToken::new(),
            binding,
            given,
            used: Mutex::default(),
            had_state,
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Fires when the client cancels the request or goes away, and when the server ends.
    #[must_use]
    pub fn cancelled(&self) -> &CancellationToken {
        &self.inner.stop
    }

    /// The revision of MCP that the client speaks, such as `2026-07-28`.
    #[must_use]
    pub fn protocol(&self) -> Option<String> {
        self.inner.context.protocol_version().map(|version| version.to_string())
    }

    /// What the client calls itself, and its version.
    #[must_use]
    pub fn client(&self) -> Option<(String, String)> {
        self.inner.context.client_info().map(|info| (info.name, info.version))
    }

    /// Whether the client can be asked.
    #[must_use]
    pub fn offers(&self, capability: Capability) -> bool {
        capability.is_in(&self.capabilities())
    }

    fn capabilities(&self) -> ClientCapabilities {
        self.inner.context.client_capabilities().unwrap_or_default()
    }

    /// What tells clients about changes, and makes them.
    #[must_use]
    pub fn announcer(&self) -> Announcer {
        Announcer::new(&self.inner.shared)
    }

    /// Says how far the work is, in any measure that only grows; of how much, and what is being done, when that is known. Nothing
    /// happens when the client does not want to know.
    pub async fn progress<'a>(&self, done: f64, total: impl Into<Option<f64>>, message: impl Into<Option<&'a str>>) {
        let Some(token) = self.inner.context.meta.get_progress_token() else { return };
        let mut progress = ProgressNotificationParam::new(token, done);
        progress.total = total.into();
        progress.message = message.into().map(str::to_owned);
        note(self.inner.context.peer.notify_progress(progress).await);
    }

    /// Says something for the client's log. Nothing happens when the server does not [offer](super::ToolServerBuilder::logging)
    /// it, or when the client wants to read worse things only.
    pub async fn log(&self, level: LogLevel, data: impl Into<Value>) {
        let shared = &self.inner.shared;
        let wanted = if is_of_2026(&self.inner.context) {
            self.inner.context.meta.log_level().map(LogLevel::read)
        } else {
            let chosen = *self.inner.session.level.lock().unwrap_or_else(PoisonError::into_inner);
            chosen.or(Some(LogLevel::Info))
        };
        if !shared.offers.logging || wanted.is_none_or(|wanted| level < wanted) {
            return;
        }
        let message = level.message(&shared.name, data.into());
        note(self.inner.context.peer.send_notification(message).await);
    }

    /// Whether this request is a later round of one that asked. For programs that tell their rounds apart; most need not.
    #[must_use]
    pub fn is_asked_again(&self) -> bool {
        self.inner.had_state
    }

    /// Asks one question; see [`ask_all`](Self::ask_all).
    ///
    /// # Errors
    ///
    /// As for [`ask_all`](Self::ask_all).
    pub async fn ask(&self, key: &str, question: Question) -> Result<Answer, Refusal> {
        let mut answers = self.ask_all([(key, question)]).await?;
        answers.remove(key).ok_or_else(|| Refusal::internal(format!("the question `{key}` was not asked")))
    }

    /// Asks the client several questions, each under a name that is its own in this request, and gives the answers by name.
    ///
    /// Pass the error on with `?`. A client of MCP 2026-07-28 gets the questions as a result, and makes the request again with the
    /// answers: the function then runs *from its beginning*, and this returns the answers. So whatever has effects belongs after the
    /// last question. The answers of earlier rounds travel in a sealed state that holds for this server, this request and an hour.
    /// Older clients answer while the function waits.
    ///
    /// # Errors
    ///
    /// That the client must answer first; that it does not offer what is asked for
    /// ([`Refusal::missing_capability`]); that it went away, or gave no answer to what was asked.
    pub async fn ask_all<K: Into<String>>(
        &self,
        questions: impl IntoIterator<Item = (K, Question)>,
    ) -> Result<BTreeMap<String, Answer>, Refusal> {
        let questions: Vec<(String, Question)> =
            questions.into_iter().map(|(key, asked)| (key.into(), asked)).collect();
        if let Some((_, question)) = questions.iter().find(|(_, question)| !self.offers(question.capability())) {
            return Err(Refusal::missing_capability(question.capability()));
        }
        // Since then a server asks by a result, before by a request of its own.
        if is_of_2026(&self.inner.context) { self.wanted(questions) } else { self.asked_now(questions).await }
    }

    /// The user's answer to a form; see [`ask`](Self::ask).
    ///
    /// # Errors
    ///
    /// As for [`ask_all`](Self::ask_all).
    pub async fn elicit(&self, key: &str, message: impl Into<String>, schema: Value) -> Result<ElicitAnswer, Refusal> {
        match self.ask(key, Question::form(message, schema)).await? {
            Answer::User(answer) => Ok(answer),
            _ => Err(unfit(key)),
        }
    }

    fn wanted(&self, questions: Vec<(String, Question)>) -> Result<BTreeMap<String, Answer>, Refusal> {
        let mut used = self.inner.used.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut answers, mut open) = (BTreeMap::new(), InputRequests::new());
        for (key, question) in questions {
            let given = self.inner.given.get(&key);
            match given.and_then(|given| Some((given, question.read(given)?))) {
                Some((given, answer)) => {
                    used.insert(key.clone(), given.clone());
                    answers.insert(key, answer);
                }
                None => {
                    let request = question.request(&key)?;
                    open.insert(key, request);
                }
            }
        }
        if open.is_empty() {
            return Ok(answers);
        }
        let options = SealOptions::new().associated_data(&self.inner.binding).ttl(STATE_LIFE);
        let state = self.inner.shared.codec.seal_json_with(&*used, &options);
        let state = state.map_err(|error| Refusal::internal(format!("the state cannot be kept: {error}")))?;
        Err(Refusal::input(InputRequiredResult::new(Some(open), Some(state))))
    }

    async fn asked_now(&self, questions: Vec<(String, Question)>) -> Result<BTreeMap<String, Answer>, Refusal> {
        let mut answers = BTreeMap::new();
        for (key, question) in questions {
            // As it stands: the SDK's types know fewer schemas than clients do.
            let request = CustomRequest::new(question.method(), Some(question.params(&key)));
            let request = self.inner.context.peer.send_request(ServerRequest::CustomRequest(request));
            let answer = match self.inner.stop.run_until_cancelled(request).await {
                Some(Ok(answer)) => answer,
                Some(Err(ServiceError::McpError(error))) => {
                    return Err(Refusal::internal(format!(
                        "the client refused the question `{key}`: {}",
                        error.message
                    )));
                }
                Some(Err(error)) => {
                    return Err(Refusal::internal(format!("the client did not answer the question `{key}`: {error}")));
                }
                None => return Err(Refusal::internal("the request was cancelled")),
            };
            let answer = serde_json::to_value(answer).ok().and_then(|answer| question.read(&answer));
            let answer = answer.ok_or_else(|| unfit(&key))?;
            answers.insert(key, answer);
        }
        Ok(answers)
    }
}

fn unfit(key: &str) -> Refusal {
    Refusal::invalid_params(format!("the client's answer to `{key}` does not fit the question"))
}

/// A client that went away learns nothing more, and the request is cancelled in another way.
fn note(outcome: Result<(), ServiceError>) {
    if let Err(error) = outcome {
        tracing::debug!(%error, "a notification did not reach the client");
    }
}
