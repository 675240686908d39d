//! The only way to call a tool: policy, budget, events, retries and the tape.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use research_mcp::envelope::DataResult;
use research_mcp::{
    BoxFuture, CallOutput, DataOutput, InputRequired, McpError, Object, ToolListing, ToolSource,
};
use serde::Serialize;
use serde_json::Value;

use crate::error::model::Error;
use crate::event::vocabulary::RunEvent;
use crate::job::once::OnceError;
use crate::job::retry::less_may_help;
use crate::job::source::{Called, Turn};
use crate::job::task::Job;
use crate::limits::policy::refusal::{Action, ReasonCode, Refusal};
use crate::limits::retry::Changed;
use crate::limits::usage::Usage;
use crate::tape::exchange::{Exchange, Outcome, ToolQuestion};
use crate::tape::track::Track;

/// The result of a tool call, decoded once.
#[derive(Debug)]
#[non_exhaustive]
pub struct ToolAnswer {
    /// The result as the tool gave it.
    pub output: CallOutput,
    /// The result as JSON; the error if it is not JSON, or if the tool reports an error.
    pub json: Result<DataResult, Box<McpError>>,
    /// The arguments that were sent in the end.
    pub sent: Object,
}

impl ToolAnswer {
    /// Returns the result as JSON.
    ///
    /// # Errors
    ///
    /// [`Error::Tool`] when it is not JSON, or when the tool reports an error.
    pub fn into_json(self) -> Result<Value, Error> {
        self.json.map(DataResult::into_value).map_err(Error::Tool)
    }
}

/// The tools as a job sees them. Each call is checked against the policy, charged to the budget,
/// reported as events, recorded, and retried after a transient failure.
///
/// A walk through pages uses one value for all of its pages, so that it remembers how large a page
/// may be.
pub struct Tools {
    job: Job,
    /// The largest page that arrived after a larger one had failed. Later pages are not larger.
    page_size: AtomicU64,
}

impl Job {
    /// Returns the tools as this job sees them.
    pub fn tools(&self) -> Tools {
        Tools {
            job: self.clone(),
            page_size: AtomicU64::new(u64::MAX),
        }
    }

    /// Calls a tool. A call that fails with a transient error is retried.
    ///
    /// # Errors
    ///
    /// When the tool gives no result, the policy or the budget does not allow the call, or
    /// gathering must stop.
    pub async fn call_tool(&self, name: &str, arguments: Object) -> Result<ToolAnswer, Error> {
        let tools = self.tools();
        let call = tools.call(name, arguments.clone());
        self.unless_stopped(&format!("call {name}"), &arguments, call)
            .await?
    }

    /// Lists the tools; in a replay, those of the recorded run.
    ///
    /// # Errors
    ///
    /// When no server can be asked.
    pub async fn list_tools(&self) -> Result<ToolListing, McpError> {
        let Some(track) = self.tape.begin("tools", &()) else {
            return Err(unrecorded("the recording has no tools"));
        };
        if track.is_replaying() {
            return match track.take() {
                Some(Exchange::Listing { outcome }) => outcome.into_result(),
                _ => Err(unrecorded("the recording has no tools")),
            };
        }

        let result = self.kit.tools.list_tools().await;
        if !track.is_recording() {
            return result;
        }
        let outcome = Outcome::from_listing(&result);
        track.push(Exchange::Listing {
            outcome: outcome.clone(),
        });
        outcome.into_result()
    }
}

impl Tools {
    /// Calls a tool and decodes its result once.
    ///
    /// # Errors
    ///
    /// When the tool gives no result, or the policy or the budget does not allow the call. A server
    /// that asks the user gives no result; see [`Job::call_and_ask`].
    pub async fn call(&self, name: &str, arguments: Object) -> Result<ToolAnswer, Error> {
        let request = GateRequest {
            name,
            turn: &Turn::new(name),
            round: None,
        };
        match self.request(&request, arguments).await? {
            Answered::Done(answer) => Ok(*answer),
            Answered::Asked(question) => Err(unanswered(name, question).into()),
        }
    }

    /// Makes one request of a call: checks it, sends it, and retries it after a transient failure.
    pub(crate) async fn request(
        &self,
        request: &GateRequest<'_>,
        mut arguments: Object,
    ) -> Result<Answered, Error> {
        let (dialect, name) = (&self.job.dialect, request.name);

        // Judge the arguments as the tool will read them, before anything is charged.
        self.check_policy(name, &dialect.for_policy(name, &arguments))
            .inspect_err(|refusal| self.report_refusal(refusal))?;
        dialect.check(name, &arguments)?;

        // A walk through pages asks for no larger page than the one that arrived last.
        let known = self.page_size.load(Ordering::Relaxed);
        if let Some(argument) = dialect.page_size()
            && self
                .page_size_of(&arguments)
                .is_some_and(|size| size > known)
        {
            arguments.insert(argument.to_owned(), known.into());
        }

        let (mut failed, mut is_reduced) = (0, false);
        loop {
            let (output, error) = match self.attempt(request, &arguments).await? {
                Ok(Attempted::Asked(question)) => return Ok(Answered::Asked(question)),
                Ok(Attempted::Done(output, Err(error)))
                    if output.is_error || dialect.expects_json() =>
                {
                    (Some(output), Error::from(error))
                }
                Ok(Attempted::Done(output, json)) => {
                    // A page that was small from the start says nothing about larger ones.
                    if is_reduced && let Some(size) = self.page_size_of(&arguments) {
                        self.page_size.fetch_min(size, Ordering::Relaxed);
                    }
                    let json = json.map(|json| *json).map_err(Box::new);
                    return Ok(Answered::done(*output, json, arguments));
                }
                Err(error) => (None, Error::from(error)),
            };

            // Retry with less where less may help, and not at all where only less could help but
            // the arguments cannot ask for it.
            failed += 1;
            let mut fewer = arguments.clone();
            let changed = if less_may_help(&error) {
                dialect.reduce(&mut fewer)
            } else {
                Changed::new()
            };
            let is_pointless = error.category().needs_less() && changed.is_empty();
            is_reduced |= dialect
                .page_size()
                .is_some_and(|name| changed.contains_key(name));
            if is_pointless
                || !self
                    .job
                    .retry(name, &arguments, failed, &error, changed)
                    .await
            {
                // What a tool reports is a result, even an error or text that is not JSON.
                return match (output, error) {
                    (Some(output), Error::Tool(error)) => {
                        Ok(Answered::done(*output, Err(error), arguments))
                    }
                    (_, error) => Err(error),
                };
            }
            arguments = fewer;
        }
    }

    fn page_size_of(&self, arguments: &Object) -> Option<u64> {
        arguments.get(self.job.dialect.page_size()?)?.as_u64()
    }

    /// Checks whether the policy allows the call.
    fn check_policy(&self, name: &str, arguments: &Object) -> Result<(), Refusal> {
        let role = self.job.role();
        let refused = |code| Err(Refusal::new(role, Action::Tool, code, name));
        if !self.job.may_call_tools {
            return refused(ReasonCode::RoleHasNoTools);
        }
        if !self.job.dialect.is_enabled(name) {
            return refused(ReasonCode::ToolNotEnabled);
        }

        let policy = &self.job.kit.settings().policy;
        policy.tool(role, name)?;
        policy.arguments(role, arguments, &self.job.dialect.user_text())
    }

    /// Reports a refusal, without any of what was refused.
    fn report_refusal(&self, refusal: &Refusal) {
        let audit = refusal.audit();
        tracing::warn!(
            role = audit.role,
            action = ?audit.action,
            code = audit.code.as_str(),
            fingerprint = audit.fingerprint,
            "a call was refused by the policy"
        );
        self.job.emit(RunEvent::Refused { audit });
    }

    /// Makes one attempt and decodes its result. The outer error is the budget's.
    async fn attempt(
        &self,
        request: &GateRequest<'_>,
        arguments: &Object,
    ) -> Result<Result<Attempted, McpError>, Error> {
        let (job, name) = (&self.job, request.name);
        job.take_call(name, arguments)?;

        // Converted here, so that events show what is sent.
        let arguments = &job.dialect.for_tool(name, arguments.clone());
        job.emit(RunEvent::ToolCall {
            tool: name.to_owned(),
            arguments: arguments.clone(),
        });
        job.count(Usage {
            mcp_calls: 1,
            ..Usage::default()
        });

        let start = Instant::now();
        let result = self.call_once(request, arguments).await;
        let ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        let result = result.map(Attempted::from);

        let (ok, summary) = self.summary(&result);
        job.emit(RunEvent::ToolResult {
            tool: name.to_owned(),
            ok,
            ms,
            summary,
        });
        Ok(result)
    }

    /// Returns whether an attempt succeeded, and its summary for the event.
    fn summary(&self, result: &Result<Attempted, McpError>) -> (bool, String) {
        let dialect = &self.job.dialect;
        match result {
            Ok(Attempted::Asked(_)) => (true, "the server asks the user".to_owned()),
            Ok(Attempted::Done(output, Ok(json))) => {
                (!output.is_error, dialect.summary(output, Some(&**json)))
            }
            Ok(Attempted::Done(output, Err(error)))
                if output.is_error || dialect.expects_json() =>
            {
                (!output.is_error, error.to_string())
            }
            Ok(Attempted::Done(output, Err(_))) => (true, dialect.summary(output, None)),
            Err(error) => (false, error.to_string()),
        }
    }

    /// Returns what the tool gives, or gave before the run was interrupted. A call in which the
    /// tool reported an error is made again.
    async fn call_once(
        &self,
        request: &GateRequest<'_>,
        arguments: &Object,
    ) -> Result<Called, McpError> {
        let call = |track: Track| async move {
            match self.exchange(request, arguments, &track).await {
                Ok(Called::Done(output)) if output.is_error => Err(Ok(Called::Done(output))),
                Ok(called) => Ok(called),
                Err(error) => Err(Err(error)),
            }
        };
        let identity = match request.round {
            None => Identity::Call(arguments),
            Some((key, round)) => Identity::Round {
                key,
                round,
                arguments,
            },
        };

        match self
            .job
            .once(&format!("tool {}", request.name), &identity, call)
            .await
        {
            Ok(called) => Ok(called),
            Err(OnceError::Failed(failed)) => failed,
            Err(OnceError::Unrecorded(error)) => Err(unrecorded(error)),
        }
    }

    /// Returns what the tool gives now, or gave when the run was recorded.
    async fn exchange(
        &self,
        request: &GateRequest<'_>,
        arguments: &Object,
        track: &Track,
    ) -> Result<Called, McpError> {
        let name = request.name;
        if track.is_replaying() {
            return match track.take() {
                Some(Exchange::Tool { outcome, .. }) => {
                    Ok(Called::Done(Box::new(outcome.into_result()?)))
                }
                Some(Exchange::ToolAsked { question, .. }) => Ok(Called::Asked(question)),
                _ => {
                    self.job.tape.cut(name).await;
                    Err(unrecorded("the recording has no answer of the tool"))
                }
            };
        }

        let source = &self.job.kit.tools;
        let result = source.request(name, arguments.clone(), request.turn).await;
        if !track.is_recording() {
            return result;
        }

        let result = match result {
            Ok(Called::Asked(question)) => {
                track.push(Exchange::ToolAsked {
                    name: name.to_owned(),
                    question: question.clone(),
                });
                return Ok(Called::Asked(question));
            }
            Ok(Called::Done(output)) => Ok(*output),
            Err(error) => Err(error),
        };
        let outcome = Outcome::from_call(&result);
        // The run continues with what is recorded of a failure, as its replay does.
        let is_whole = matches!(&result, Ok(output) if !output.is_error);
        let result = if is_whole {
            result
        } else {
            outcome.clone().into_result()
        };
        track.push(Exchange::Tool {
            name: name.to_owned(),
            arguments: arguments.clone(),
            outcome,
        });
        result.map(|output| Called::Done(Box::new(output)))
    }
}

/// One request of a call.
pub(crate) struct GateRequest<'a> {
    pub(crate) name: &'a str,
    pub(crate) turn: &'a Turn,
    /// Key of the call and number of the request, for calls that may ask the user.
    pub(crate) round: Option<(&'a str, usize)>,
}

/// What distinguishes a request from the others of its task that call the same tool.
#[derive(Serialize)]
#[serde(untagged)]
enum Identity<'a> {
    Call(&'a Object),
    Round {
        key: &'a str,
        round: usize,
        arguments: &'a Object,
    },
}

/// What came of a request.
pub(crate) enum Answered {
    Done(Box<ToolAnswer>),
    Asked(ToolQuestion),
}

impl Answered {
    fn done(output: CallOutput, json: Result<DataResult, Box<McpError>>, sent: Object) -> Self {
        Self::Done(Box::new(ToolAnswer { output, json, sent }))
    }
}

/// What came of one attempt: a question, or the result with its JSON.
enum Attempted {
    Asked(ToolQuestion),
    Done(Box<CallOutput>, Result<Box<DataResult>, McpError>),
}

impl From<Called> for Attempted {
    fn from(called: Called) -> Self {
        match called {
            Called::Asked(question) => Self::Asked(question),
            Called::Done(output) => {
                let json = output.json().map(DataResult::new).map(Box::new);
                Self::Done(output, json)
            }
        }
    }
}

/// Returns the error of a call whose question no one can answer here.
pub(crate) fn unanswered(tool: &str, question: ToolQuestion) -> McpError {
    let required = match question {
        ToolQuestion::Required(required) => required,
        ToolQuestion::Interrupting(_) => InputRequired::default(),
    };
    let asked = required.questions.values().next();
    McpError::InputRequired {
        server: asked.map(|asked| asked.server.clone()).unwrap_or_default(),
        tool: tool.to_owned(),
        required: Box::new(required),
    }
}

impl Tools {
    /// Returns the error of a call as a source of tools reports it.
    fn as_source_error(&self, name: &str, error: Error) -> McpError {
        if let Error::Tool(error) = error {
            return *error;
        }

        // A name that the run does not know may be anyone's text.
        let is_known = self.job.dialect.is_enabled(name);
        let tool = if is_known { name } else { "unknown" }.to_owned();
        let code = match error.root() {
            Error::Refused(refusal) => Some(refusal.code.as_str().to_owned()),
            _ => None,
        };
        McpError::Refused {
            server: tool.clone(),
            tool,
            reason: error.to_string(),
            code,
        }
    }
}

impl ToolSource for Tools {
    fn list_tools(&self) -> BoxFuture<'_, Result<ToolListing, McpError>> {
        Box::pin(self.job.list_tools())
    }

    fn call_tool<'a>(
        &'a self,
        name: &'a str,
        arguments: Object,
    ) -> BoxFuture<'a, Result<CallOutput, McpError>> {
        Box::pin(async move {
            match self.call(name, arguments).await {
                Ok(answer) => Ok(answer.output),
                Err(error) => Err(self.as_source_error(name, error)),
            }
        })
    }

    fn call_for_data<'a>(
        &'a self,
        name: &'a str,
        arguments: Object,
    ) -> BoxFuture<'a, Result<DataOutput, McpError>> {
        Box::pin(async move {
            match self.call(name, arguments).await {
                Ok(ToolAnswer { output, json, .. }) => {
                    let data = json.map_err(|error| *error);
                    Ok(DataOutput::new(output.server, output.bytes, data))
                }
                Err(error) => Err(self.as_source_error(name, error)),
            }
        })
    }
}

/// Returns the error of a call that cannot be made. A retry would not help.
fn unrecorded(reason: impl ToString) -> McpError {
    McpError::Configuration {
        server: "recording".to_owned(),
        reason: reason.to_string(),
    }
}
