//! The second phase of a step: the chosen action is executed.

use std::time::Instant;

use research_agents_runtime::error::Error;
use research_agents_runtime::event::RunEvent;
use research_agents_runtime::job::Job;
use serde::Serialize;
use serde_json::Value;

use crate::actions::{ActionContext, ActionResult, ActionSelection, Computed, FinalizeInput};
use crate::agent::kit::CodeKit;
use crate::agent::state::{CodeState, CodeStateUpdate, Proposed};
use crate::check::Fact;
use crate::run::{ActionStep, register};
use crate::space::View;

/// What identifies the execution of an action on the tape.
#[derive(Serialize)]
struct Executed<'a> {
    step: u32,
    input: &'a Value,
    scope: &'a str,
}

/// Executes the chosen action. Without one, nothing happens.
pub(super) async fn execute(
    job: &Job,
    state: &CodeState,
    kit: &CodeKit,
) -> Result<CodeStateUpdate, Error> {
    let update = CodeState::update();
    let Some(chosen) = &state.chosen else {
        return Ok(update);
    };
    if let Err(error) = job.take_call(&chosen.action, &chosen.input) {
        return Ok(update.stopped(error.to_string()).should_stop(true));
    }

    let started = Instant::now();
    report_call(job, chosen);
    let view = match kit.space.view(&state.input.scope) {
        Ok(view) => view,
        Err(error) => return Err(Error::other(error)),
    };
    let result = match perform(job, state, kit, chosen, view).await? {
        Ok(result) => result,
        Err(reason) => return Ok(update.stopped(reason).should_stop(true)),
    };
    let duration = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    report_result(job, chosen, &result, duration);

    Ok(record(update, state, chosen, result, duration))
}

/// Performs the action once, within its time limit, recorded. The inner error says why the run
/// stopped meanwhile.
async fn perform(
    job: &Job,
    state: &CodeState,
    kit: &CodeKit,
    chosen: &ActionSelection,
    view: View,
) -> Result<Result<ActionResult, String>, Error> {
    let Some(action) = kit.actions.get(&chosen.action) else {
        let problem = format!("there is no action `{}`", chosen.action);
        return Ok(Ok(ActionResult::failed(problem)));
    };
    let what = format!("action {}", chosen.action);
    let step = state.run.budget_used + 1;
    let executed = Executed {
        step,
        input: &chosen.input,
        scope: &state.input.scope,
    };

    // Work on other threads ends when the step is dropped.
    let _guard = CancelOnDrop(view.clone());
    let cx = ActionContext::new(view, &state.run.question, &state.run.evidence, job);
    let limit = kit.config.action_timeout();
    let effect = job.outside(&what, &executed, || async {
        let work = action.execute(chosen.input.clone(), &cx);
        Ok(match tokio::time::timeout(limit, work).await {
            Ok(result) => result,
            Err(_) => ActionResult::failed(format!(
                "the action took longer than {} seconds",
                limit.as_secs()
            )),
        })
    });

    match job.unless_stopped("execute", &executed, effect).await {
        Ok(result) => result.map(Ok),
        Err(stop) => Ok(Err(stop.to_string())),
    }
}

/// Ends the work of a view on other threads when it is dropped.
pub(super) struct CancelOnDrop(pub(super) View);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

fn report_call(job: &Job, chosen: &ActionSelection) {
    job.emit(RunEvent::ToolCall {
        tool: chosen.action.clone(),
        arguments: chosen.input.as_object().cloned().unwrap_or_default(),
    });
}

fn report_result(job: &Job, chosen: &ActionSelection, result: &ActionResult, ms: u64) {
    job.emit(RunEvent::ToolResult {
        tool: chosen.action.clone(),
        ok: result.success,
        ms,
        summary: result.output_summary.clone(),
    });
}

/// Adds the result to the run.
fn record(
    update: CodeStateUpdate,
    state: &CodeState,
    chosen: &ActionSelection,
    result: ActionResult,
    duration_ms: u64,
) -> CodeStateUpdate {
    let mut run = state.run.clone();
    // Lines that were found before keep their ids.
    let ids: Vec<String> = result
        .evidence
        .iter()
        .flat_map(|draft| register(&run.run_id, &mut run.evidence, [draft.clone()]))
        .collect();

    let (mut facts, mut confidence) = (state.facts.clone(), state.confidence);
    let mut answers = state.computed.clone();
    if let Ok(computed) = serde_json::from_value::<Computed>(result.data.clone()) {
        confidence = computed.confidence;
        let answer = state.computed.len();
        let sentences = computed.sentences.into_iter().enumerate();
        facts.extend(sentences.map(|(at, sentence)| {
            let lines = sentence.lines.iter().filter_map(|at| ids.get(*at));
            Fact {
                text: sentence.text.clone(),
                evidence: lines.cloned().collect(),
                origin: (answer, at),
                problem: None,
            }
        }));
        answers.push(computed.answer);
    }

    run.budget_used += 1;
    let mut evidence_ids = ids;
    let mut seen = std::collections::BTreeSet::new();
    evidence_ids.retain(|id| seen.insert(id.clone()));
    run.steps.push(ActionStep {
        step_number: run.budget_used,
        action: chosen.action.clone(),
        reasoning: chosen.reasoning.clone(),
        input: chosen.input.clone(),
        output_summary: result.output_summary,
        duration_ms,
        error: result.error,
        evidence_ids,
        data: result.data.clone(),
    });

    let update = update
        .facts(facts)
        .computed(answers)
        .confidence(confidence)
        .run(run)
        .clear_chosen();
    let answer = serde_json::from_value::<FinalizeInput>(result.data);
    match answer.ok().filter(|_| result.should_stop) {
        Some(answer) => update.proposed(Proposed::from(answer)).should_stop(true),
        None => update.should_stop(result.should_stop),
    }
}
