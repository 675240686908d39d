//! The one gate through which tools are called: policy, budget, events, and new tries.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use research_mcp::{BoxFuture, CallOutput, McpError, ToolListing, ToolSource, envelope};
use serde_json::Value;

use super::effects::Undone;
use super::event::DatasetEventKind;
use super::record::Object;
use super::retry::{Changed, again_with, less_may_help, reduce};
use super::services::DatasetCx;
use super::state::DatasetState;
use super::tool_arguments::ToolArguments;
use crate::Error;
use crate::kernel::Usage;
use crate::kernel::policy::{Action, ReasonCode, Refusal};
use crate::kernel::tape::{Exchange, Outcome, Track};

/// The tools of a run as its nodes and agents see them: each call is judged by the policy, charged to the budget, told, and
/// made again when it failed for a passing reason.
pub(super) struct RecordedTools {
    cx: DatasetCx,
    /// The largest page that came after a larger one had failed. The pages after it are not larger.
    page_size: AtomicU64,
}

/// The argument of that name sizes pages.
const PAGE_SIZE: &str = "page_size";

impl RecordedTools {
    pub(super) fn new(cx: DatasetCx) -> Self {
        Self { cx, page_size: AtomicU64::new(u64::MAX) }
    }

    /// Calls a tool, and gives the arguments that were sent in the end beside the result.
    pub(super) async fn call(&self, name: &str, mut arguments: Object) -> Result<(CallOutput, Object), Error> {
        let own = ToolArguments::of(self.cx.state().listed_tool(name));
        self.judge(name, &own.opened(&arguments)).inspect_err(|refusal| self.tell(refusal))?;
        own.check_filters(&arguments)?;
        let known = self.page_size.load(Ordering::Relaxed);
        if arguments.get(PAGE_SIZE).and_then(Value::as_u64).is_some_and(|size| size > known) {
            arguments.insert(PAGE_SIZE.to_owned(), known.into());
        }
        let (mut failed, mut is_reduced) = (0, false);
        loop {
            let output = self.once(name, &arguments).await?;
            let error = match &output {
                Ok(output) => output.json().err().map(Error::from),
                Err(_) => None,
            };
            // The typed error moves into ours for as long as it is judged.
            let (output, error) = match (output, error) {
                (Ok(output), None) => {
                    // A page that was small from the start says nothing about larger ones.
                    if is_reduced && let Some(size) = arguments.get(PAGE_SIZE).and_then(Value::as_u64) {
                        self.page_size.fetch_min(size, Ordering::Relaxed);
                    }
                    return Ok((output, arguments));
                }
                (Ok(output), Some(error)) => (Some(output), error),
                (Err(error), _) => (None, Error::from(error)),
            };
            failed += 1;
            let mut fewer = arguments.clone();
            let changed = if less_may_help(&error) { reduce(&mut fewer) } else { Changed::new() };
            let is_pointless = error.category().needs_less() && changed.is_empty();
            is_reduced |= changed.contains_key(PAGE_SIZE);
            if is_pointless || !again_with(&self.cx, name, &arguments, failed, &error, changed).await {
                // What a tool reports is a result, whatever is thought of it.
                return output.map(|output| (output, arguments)).ok_or(error);
            }
            arguments = fewer;
        }
    }

    /// Whether the policy allows the call, by what the tool may open of its arguments.
    fn judge(&self, name: &str, opened: &Object) -> Result<(), Refusal> {
        let (role, state) = (self.cx.role(), self.cx.state());
        let refused = |code| Err(Refusal::new(role, Action::Tool, code, name));
        if !self.cx.may_fetch() {
            return refused(ReasonCode::RoleHasNoTools);
        }
        if !state.enabled_tools.iter().any(|known| known == name) {
            return refused(ReasonCode::ToolNotEnabled);
        }
        let policy = self.cx.policy();
        policy.tool(role, name)?;
        policy.arguments(role, opened, &said(state))
    }

    /// Tells of a refusal, without a word of what was refused.
    fn tell(&self, refusal: &Refusal) {
        let audit = refusal.audit();
        tracing::warn!(
            role = audit.role,
            action = ?audit.action,
            code = audit.code.as_str(),
            fingerprint = audit.fingerprint,
            "a call was refused by the policy"
        );
        self.cx.emit(DatasetEventKind::Refused { audit });
    }

    /// Makes the call once. The outer error is the budget's.
    async fn once(&self, name: &str, arguments: &Object) -> Result<Result<CallOutput, McpError>, Error> {
        self.cx.take_call(name, arguments)?;
        let tool = name.to_owned();
        // A plan's words become the tool's own here, so that events show what is sent.
        let arguments = &ToolArguments::of(self.cx.state().listed_tool(name)).spoken(arguments.clone());
        self.cx.emit(DatasetEventKind::ToolCall { tool: tool.clone(), arguments: arguments.clone() });
        self.cx.count(Usage { mcp_calls: 1, ..Usage::default() });
        let start = Instant::now();
        let result = self.recorded(name, arguments).await;
        let ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        let (ok, summary) = match &result {
            Ok(output) => (!output.is_error, summary(output)),
            Err(error) => (false, error.to_string()),
        };
        self.cx.emit(DatasetEventKind::ToolResult { tool, ok, ms, summary });
        Ok(result)
    }

    /// What the tool gives, or gave before the run was interrupted. An error that the tool reports is asked for again.
    async fn recorded(&self, name: &str, arguments: &Object) -> Result<CallOutput, McpError> {
        let call = async |track: &Track| match self.ask(name, arguments, track).await {
            Ok(output) if !output.is_error => Ok(output),
            failed => Err(failed),
        };
        match self.cx.once(&format!("tool {name}"), arguments, call).await {
            Ok(output) => Ok(output),
            Err(Undone::Failed(failed)) => failed,
            Err(Undone::Unrecorded(error)) => Err(unrecorded(error)),
        }
    }

    /// What the tool gives now, or gave when the run was recorded.
    async fn ask(&self, name: &str, arguments: &Object, track: &Track) -> Result<CallOutput, McpError> {
        if !track.is_replaying() {
            let result = self.cx.services().tools.call_tool(name, arguments.clone()).await;
            if !track.is_recording() {
                return result;
            }
            let (name, outcome) = (name.to_owned(), Outcome::of_call(&result));
            // The run goes on with what is kept of a failure, as its replay does.
            let is_whole = matches!(&result, Ok(output) if !output.is_error);
            let result = if is_whole { result } else { outcome.clone().into_result() };
            track.push(Exchange::Tool { name, arguments: arguments.clone(), outcome });
            return result;
        }
        match track.take() {
            Some(Exchange::Tool { outcome, .. }) => outcome.into_result(),
            _ => {
                self.cx.tape().cut(name).await;
                Err(unrecorded("the recording has no answer of the tool"))
            }
        }
    }
}

/// Everything that the user said: the questions of the thread, the answers, and the values of the filters that were fixed.
fn said(state: &DatasetState) -> String {
    fn texts<'v>(value: &'v Value, all: &mut Vec<&'v str>) {
        match value {
            Value::String(text) => all.push(text),
            Value::Array(values) => values.iter().for_each(|value| texts(value, all)),
            Value::Object(values) => values.values().for_each(|value| texts(value, all)),
            _ => {}
        }
    }
    let mut all = vec![state.question.as_str()];
    all.extend(state.turns.iter().map(|turn| turn.question.as_str()));
    all.extend(state.clarifications.iter().map(|settled| settled.answer.as_str()));
    state.overrides.filters.iter().flat_map(Object::values).for_each(|value| texts(value, &mut all));
    all.join("\n")
}

/// The error of a call that cannot be made. Trying again would not help.
fn unrecorded(reason: impl ToString) -> McpError {
    McpError::Configuration { server: "recording".to_owned(), reason: reason.to_string() }
}

impl DatasetCx {
    /// The tools that there are, or were when the run was recorded.
    pub(super) async fn list_tools(&self) -> Result<ToolListing, McpError> {
        let list = async |track: &Track| {
            if !track.is_replaying() {
                let result = self.services().tools.list_tools().await;
                if !track.is_recording() {
                    return result;
                }
                let outcome = Outcome::of_listing(&result);
                track.push(Exchange::Listing { outcome: outcome.clone() });
                return outcome.into_result();
            }
            match track.take() {
                Some(Exchange::Listing { outcome }) => outcome.into_result(),
                _ => Err(unrecorded("the recording has no tools")),
            }
        };
        match self.tape().begin("tools", &()) {
            Some(track) => list(&track).await,
            None => Err(unrecorded("the recording has no tools")),
        }
    }
}

impl ToolSource for RecordedTools {
    fn list_tools(&self) -> BoxFuture<'_, Result<ToolListing, McpError>> {
        Box::pin(self.cx.list_tools())
    }

    fn call_tool<'a>(&'a self, name: &'a str, arguments: Object) -> BoxFuture<'a, Result<CallOutput, McpError>> {
        Box::pin(async move {
            match self.call(name, arguments).await {
                Ok((output, _)) => Ok(output),
                Err(Error::Tool(error)) => Err(*error),
                Err(error) => {
                    // A name that the run does not know may be anybody's text.
                    let is_known = self.cx.state().enabled_tools.iter().any(|known| known == name);
                    let tool = if is_known { name } else { "unknown" }.to_owned();
                    Err(McpError::Refused { server: tool.clone(), tool, reason: error.to_string() })
                }
            }
        })
    }
}

/// What came, in words: the number of matching records and of groups, or the error.
fn summary(output: &CallOutput) -> String {
    let value = match output.json() {
        Ok(value) => value,
        Err(error) => return error.to_string(),
    };
    let matched = envelope::data_context(&value).unique_ids_matched;
    let groups: usize = envelope::aggregations(&value).iter().map(|found| found.buckets.len()).sum();
    let mut parts = Vec::new();
    parts.extend(matched.map(|matched| match matched {
        1 => "1 record matches".to_owned(),
        matched => format!("{matched} records match"),
    }));
    if groups > 0 {
        parts.push(if groups == 1 { "1 group".to_owned() } else { format!("{groups} groups") });
    }
    parts.push(format!("{} bytes", output.bytes));
    parts.join(", ")
}
