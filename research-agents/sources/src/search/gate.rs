//! What every call to a source passes: policy, budget, events and the tape.

use std::time::Instant;

use research_agents_runtime::event::RunEvent;
use research_agents_runtime::job::Job;
use research_agents_runtime::limits::Usage;
use research_agents_runtime::limits::policy::{Origin, Refusal};
use research_mcp::Object;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::search::error::{CallError, SourceError};

/// A call to a source.
pub(crate) struct Call<'c> {
    /// Name by which the policy, events and the tape know the call, such as `search_docs`.
    pub(crate) name: &'c str,
    /// Arguments, which identify the call together with its name.
    pub(crate) arguments: Object,
    /// Address from untrusted text that is contacted.
    pub(crate) address: Option<&'c str>,
}

/// Performs a call if policy and budget allow it. What the source answers, errors included, is
/// recorded.
///
/// # Errors
///
/// What the source answers instead of a value, and why the run does not allow the call.
pub(crate) async fn gated<T, F>(
    job: &Job,
    call: Call<'_>,
    summary: impl Fn(&T) -> String,
    effect: impl FnOnce() -> F + Send,
) -> Result<T, CallError>
where
    T: Serialize + DeserializeOwned + Send,
    F: Future<Output = Result<T, SourceError>> + Send,
{
    let Call {
        name,
        arguments,
        address,
    } = call;
    judged(job, name, address).map_err(|refusal| {
        job.emit(RunEvent::Refused {
            audit: refusal.audit(),
        });
        CallError::Run(refusal.into())
    })?;

    job.take_call(name, &arguments)?;
    job.emit(RunEvent::ToolCall {
        tool: name.to_owned(),
        arguments: arguments.clone(),
    });
    job.count(Usage {
        mcp_calls: 1,
        ..Usage::default()
    });

    let start = Instant::now();
    let call = job.outside(name, &arguments, || async move { Ok(effect().await) });
    let outcome: Result<T, SourceError> = job
        .unless_stopped(&format!("call {name}"), &arguments, call)
        .await
        .map_err(research_agents_runtime::error::Error::from)??;

    job.emit(RunEvent::ToolResult {
        tool: name.to_owned(),
        ok: outcome.is_ok(),
        ms: u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX),
        summary: match &outcome {
            Ok(value) => summary(value),
            Err(error) => error.to_string(),
        },
    });
    Ok(outcome?)
}

fn judged(job: &Job, name: &str, address: Option<&str>) -> Result<(), Refusal> {
    let policy = &job.kit().settings().policy;
    policy.tool(job.role(), name)?;
    match address {
        Some(address) => policy.url(job.role(), address, Origin::Untrusted),
        None => Ok(()),
    }
}
