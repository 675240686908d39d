//! The tool `code_deep_research`.

use std::sync::Arc;

use research_agents_runtime::event::RunEvent;
use research_mcp::Content;
use research_mcp::server::{ServerTool, ToolCall, ToolFailure, ToolReply};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use crate::agent::{CodeAgent, Researched};
use crate::answer::compose;
use crate::artifacts::RunStore;
use crate::run::{ResearchRun, RunId, RunStatus};
use crate::server::agents::Agents;

/// Name of the tool.
const NAME: &str = "code_deep_research";

const DESCRIPTION: &str = "Answers a question about the code base in under 800 tokens, with \
    citations of lines that were read again: where a name is defined, who calls or implements it, \
    its value, what it returns. Counts are exact. Says when something is not in the code.";

// Doc comments of these types are sent to clients, which pay for each word.
#[derive(Deserialize, JsonSchema)]
struct Arguments {
    /// With names in backticks.
    question: String,
    /// Glob, such as src/**.
    #[serde(default)]
    scope: String,
    /// Steps, 1 to 20.
    #[serde(default = "ten")]
    budget: i64,
    #[serde(default)]
    debug: bool,
}

fn ten() -> i64 {
    10
}

// The structured content has only ids, because the text has the answer.
#[derive(Serialize, JsonSchema)]
struct Reply {
    run_id: String,
    status: &'static str,
    evidence: Vec<String>,
}

/// Creates the tool.
pub(super) fn tool(agents: Arc<Agents>, store: RunStore) -> ServerTool {
    ServerTool::typed(NAME, DESCRIPTION, move |arguments: Arguments, call| {
        let (agents, store) = (Arc::clone(&agents), store.clone());
        async move { answer(&agents, &store, arguments, &call).await }
    })
    .title("Code research")
    .returns::<Reply>()
    .read_only(true)
    .destructive(false)
    .idempotent(true)
    .open_world(false)
}

async fn answer(
    agents: &Agents,
    store: &RunStore,
    arguments: Arguments,
    call: &ToolCall,
) -> Result<ToolReply, ToolFailure> {
    if arguments.question.trim().is_empty() {
        return Err(ToolFailure::new("the question is empty"));
    }
    let agent = match agents.agent(call.caller()).await {
        Ok(agent) => agent,
        Err(problem) => return Err(ToolFailure::new(failed(store, &arguments, problem))),
    };

    match research(&agent, &arguments, call).await {
        Ok(ended) => {
            let run = ended.run;
            if agent.config().store_artifacts {
                store.put(run.clone());
            }
            match run
                .error_message
                .as_deref()
                .filter(|_| run.status == RunStatus::Error)
            {
                Some(error) => Err(ToolFailure::new(format!(
                    "{error} (run {}, research://runs/{}/trace.json)",
                    run.run_id.short(),
                    run.run_id.short()
                ))),
                None => reply(&run, arguments.debug),
            }
        }
        Err(error) => Err(ToolFailure::new(failed(
            store,
            &arguments,
            error.to_string(),
        ))),
    }
}

fn reply(run: &ResearchRun, is_debug: bool) -> Result<ToolReply, ToolFailure> {
    let structured = serde_json::to_value(Reply {
        run_id: run.run_id.to_string(),
        status: if run.is_partial { "partial" } else { "done" },
        evidence: run.cited.clone(),
    })?;
    let text = compose(run, is_debug);
    Ok(ToolReply::structured(structured).with(Content::text(text)))
}

/// Keeps a run that could not start, and returns its error with its id.
fn failed(store: &RunStore, arguments: &Arguments, problem: String) -> String {
    let Ok(run_id) = RunId::random() else {
        return problem;
    };
    let text = format!("{problem} (run {})", run_id.short());
    store.put(ResearchRun {
        run_id,
        question: arguments.question.clone(),
        status: RunStatus::Error,
        scope: Some(arguments.scope.clone()).filter(|scope| !scope.is_empty()),
        error_message: Some(problem),
        ..ResearchRun::default()
    });
    text
}

/// Runs the question and reports each step. Cancellation by the client ends the run.
async fn research(
    agent: &CodeAgent,
    arguments: &Arguments,
    call: &ToolCall,
) -> Result<Researched, research_agents_runtime::error::Error> {
    let (sender, mut progress) = mpsc::unbounded_channel();
    let listener = move |event: RunEvent| {
        if let RunEvent::Progress { percent, message } = event {
            // A receiver that is gone needs no progress.
            drop(sender.send((percent, message)));
        }
    };
    let caller = call.caller();
    let run = agent
        .ask(&arguments.question)
        .scope(&arguments.scope)
        .budget(arguments.budget)
        .cancel(caller.cancelled().clone())
        .listener(listener)
        .run();

    tokio::pin!(run);
    loop {
        tokio::select! {
            biased;
            Some((percent, message)) = progress.recv() => {
                caller.progress(f64::from(percent), 100.0, message.as_str()).await;
            }
            ended = &mut run => return ended,
        }
    }
}
