//! PLANNER: asks the model what to do next, and lets the guards correct it.

use research_core::{Cx, NodeError};

use super::check_complete::budget_note;
use crate::Error;
use crate::dataset::agents::{AGGREGATOR, SCANNER, SYNTHESIZER};
use crate::dataset::event::{DatasetEventKind, Phase};
use crate::dataset::guard::{guard, last_chance};
use crate::dataset::prompts;
use crate::dataset::services::{Ask, DatasetCx, Services, Stop};
use crate::dataset::state::{Completion, DatasetState, DatasetStateUpdate};
use crate::dataset::task::{AgentFacts, PLAN, PlanTask, PlannerOutput, StateSummary};
use crate::kernel::prompt::BLOCK_CAP;
use crate::kernel::{Usage, UserText};

/// Notes of earlier iterations that the planner is shown.
const NOTES: usize = 10;
/// Characters on the state of the run that the planner is shown even when room is short.
const STATE_CAP: usize = 4_000;

pub(in crate::dataset) async fn plan(cx: Cx<DatasetState, Services>) -> Result<DatasetStateUpdate, NodeError> {
    let cx = DatasetCx::new(cx);
    if let Some(stop) = cx.stop() {
        return Ok(stopped(DatasetState::update(), &stop));
    }
    let state = cx.state();
    let iteration = state.iteration + 1;
    cx.phase(Phase::Planning);
    let percent = cx.progress(5, format!("planning, iteration {iteration}"));
    let task = task(&cx, iteration);
    cx.count(Usage { planner_calls: 1, ..Usage::default() });
    let update = DatasetState::update().iteration(iteration).progress_percentage(percent);
    let (plan, notes) = match ask(&cx, &task).await {
        Ok(mut plan) => {
            let added = (iteration == task.max_iterations).then(|| last_chance(&mut plan, state)).flatten();
            let (plan, mut notes) = guard(plan, state);
            notes.extend(added);
            (plan, notes)
        }
        Err(error) => {
            return Ok(match cx.stop() {
                Some(stop) => stopped(update, &stop).usage(cx.used()),
                None => failed(&cx, update, &error),
            });
        }
    };
    cx.emit(DatasetEventKind::Plan {
        iteration,
        sub_questions: cx.state().sub_questions.clone(),
        reasoning: plan.reasoning.clone(),
        sub_agent_calls: plan.sub_agent_calls.clone(),
        tool_calls: plan.tool_calls.clone(),
        notes: notes.clone(),
    });
    let thinking: Vec<String> = Some(plan.reasoning.clone()).filter(|text| !text.is_empty()).into_iter().collect();
    Ok(update
        .pending_sub_agent_calls(plan.sub_agent_calls.clone())
        .pending_tool_calls(plan.tool_calls.clone())
        .current_phase(phase(&plan))
        .thinking_steps(thinking)
        .research_plan(plan)
        .usage(cx.used()))
}

/// There is to be no further plan.
fn stopped(update: DatasetStateUpdate, stop: &Stop) -> DatasetStateUpdate {
    match stop {
        Stop::Cancelled => update.completion(Completion::Cancelled),
        Stop::Budget(exceeded) => update.completion(Completion::Budget).notes(vec![budget_note(exceeded)]),
    }
}

/// Planning failed: what there is goes into the report.
fn failed(cx: &DatasetCx, update: DatasetStateUpdate, error: &Error) -> DatasetStateUpdate {
    cx.warn(error);
    update
        .completion(Completion::PlanningFailed)
        .notes(vec![format!("planning failed: {error}")])
        .error_message(error.to_string())
        .usage(cx.used())
}

fn phase(plan: &PlannerOutput) -> Phase {
    let planned = |agent: &str| plan.sub_agent_calls.iter().any(|call| call.agent == agent);
    if planned(SCANNER) {
        Phase::Scanning
    } else if planned(AGGREGATOR) || !plan.tool_calls.is_empty() {
        Phase::Aggregating
    } else if planned(SYNTHESIZER) {
        Phase::Synthesizing
    } else {
        Phase::Planning
    }
}

fn task(cx: &DatasetCx, iteration: u32) -> PlanTask {
    let state = cx.state();
    let agents = cx.services().agents.cards().map(|card| AgentFacts {
        name: card.name.to_owned(),
        description: card.description.to_owned(),
        use_when: card.use_when.to_owned(),
        speed: card.speed.to_owned(),
        cost: card.cost.to_owned(),
        input_schema: cx.services().agents.input_schema(card.name).unwrap_or_default(),
    });
    PlanTask {
        question: state.question.clone(),
        iteration,
        max_iterations: if state.max_iterations == 0 { cx.config().max_iterations } else { state.max_iterations },
        tools: state.tools().cloned().collect(),
        agents: agents.collect(),
        state: summary(state),
        overrides: state.overrides.clone(),
    }
}

fn summary(state: &DatasetState) -> StateSummary {
    let is_answered = |id: &str, text: &str| {
        let text = text.to_lowercase();
        let named = |field: &str| field.split(',').any(|name| text.contains(&name.trim().to_lowercase()));
        state.findings.iter().any(|finding| finding.relevant_questions.iter().any(|known| known == id))
            || state.aggregation_results.iter().any(|table| !table.field.is_empty() && named(&table.field))
    };
    let unanswered = state.sub_questions.iter().filter(|question| !is_answered(&question.id, &question.question));
    let table = |table: &crate::dataset::record::AggregationResult| {
        (table.id.clone(), table.field.clone(), table.source_tool.clone())
    };
    let skipped = state.notes.len().saturating_sub(NOTES);
    StateSummary {
        unanswered: unanswered.map(|question| question.id.clone()).collect(),
        sub_questions: state.sub_questions.clone(),
        findings: state.findings.len(),
        aggregations: state.aggregation_results.iter().map(table).collect(),
        sources: state.extracted_sources.len(),
        total_docs: state.total_docs_available,
        docs_fetched: state.docs_fetched,
        needs_full_scan: state.needs_full_scan,
        last_arguments: state.last_successful_tool_args.as_ref().map(|call| call.arguments.clone()),
        notes: state.notes.iter().skip(skipped).cloned().collect(),
    }
}

async fn ask(cx: &DatasetCx, task: &PlanTask) -> Result<PlannerOutput, Error> {
    let state = cx.state();
    let unfetched =
        if state.needs_full_scan { "UNFETCHED DOCS: more records match than were read. Call the scanner." } else { "" };
    let total =
        task.state.total_docs.map_or_else(|| UserText::new("unknown"), |total| UserText::new(total.to_string()));
    let ask = Ask::shrinking(&prompts::PLANNER, PLAN, task, |prompt, shrink| {
        prompt
            .set("question", UserText::new(&task.question))
            .set("iteration", task.iteration)
            .set("max_iterations", task.max_iterations)
            .data("tools", &prompts::tools(&task.tools, shrink))
            .data("agents", &prompts::agents(&task.agents, shrink))
            .data("overrides", &prompts::overrides(&task.overrides))
            .set("sub_question_count", task.state.sub_questions.len())
            .data("sub_questions", &prompts::questions_with_ids(&task.state.sub_questions))
            .set("findings", task.state.findings)
            .set("sources", task.state.sources)
            .set("total_docs", total.clone())
            .set("docs_fetched", task.state.docs_fetched)
            .set("unfetched", unfetched)
            .data_capped("state", &prompts::lines(state_lines(state, task)), shrink.of(BLOCK_CAP, STATE_CAP))
    });
    cx.ask(ask).await
}

/// What else the planner should know of the run.
fn state_lines(state: &DatasetState, task: &PlanTask) -> Vec<String> {
    let mut lines = Vec::new();
    if !task.state.unanswered.is_empty() {
        lines.push(format!("without an answer yet: {}", task.state.unanswered.join(", ")));
    }
    lines.extend(task.state.aggregations.iter().map(|(id, field, tool)| format!("{id}: {tool} by {field}")));
    lines.extend(task.state.last_arguments.iter().map(|last| format!("last data call: {}", prompts::json(last))));
    let perspectives = state.perspectives.iter();
    lines.extend(perspectives.map(|p| format!("perspective {}: {} ({})", p.name, p.focus, p.keywords.join(", "))));
    lines.extend(state.gaps_identified.iter().map(|gap| {
        let agent = gap.suggested_agent.as_deref().map(|agent| format!(" (suggested: {agent})")).unwrap_or_default();
        format!("gap: {}{agent}", gap.description)
    }));
    lines.extend(state.recommendation.iter().map(|advice| format!("recommendation: {}", prompts::word(advice))));
    lines.extend(state.validation_status.iter().map(|status| format!("validation: {}", prompts::word(status))));
    lines.extend(
        state.validation_issues.iter().map(|issue| format!("issue ({}): {}", issue.severity, issue.description)),
    );
    lines.extend(task.state.notes.iter().map(|note| format!("note: {note}")));
    lines
}
