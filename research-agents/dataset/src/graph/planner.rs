//! PLANNER: asks the model what to do next, and lets the guards correct it.

use research_agents_runtime::ask::{BLOCK_CAP, UserText};
use research_agents_runtime::error::Error;
use research_agents_runtime::event::Note;
use research_agents_runtime::job::Ask;
use research_agents_runtime::limits::{Stop, Usage};
use research_core::{Cx, NodeError};

use crate::cx::{DatasetCx, Services};
use crate::data::completion::Completion;
use crate::data::config::DatasetConfig;
use crate::data::event::{DatasetEventKind, Phase};
use crate::data::names::{
    AGGREGATOR, DECOMPOSER, EXTRACTOR, GAP_ANALYZER, SCANNER, SYNTHESIZER, VALIDATOR,
};
use crate::data::record::{AggregationKind, AggregationResult, SubAgentCall};
use crate::data::review::ResearchGap;
use crate::data::task::{AgentFacts, PLAN, PlanTask, PlannerOutput, StateSummary};
use crate::graph::check_complete::budget_note;
use crate::graph::plan::correct::{Guarded, guard};
use crate::graph::plan::reading::start_from_reading;
use crate::graph::plan::tidy::last_chance;
use crate::offline::plan::computed::computed;
use crate::prompts;
use crate::state::answered::Answers;
use crate::state::completion::limit_of;
use crate::state::model::{DatasetState, DatasetStateUpdate};
use crate::tools::dialect::ToolArguments;

/// Notes of earlier iterations that the planner is shown.
const NOTES: usize = 10;
/// Characters on the state of the run that even a shortened prompt of the planner shows.
const STATE_CAP: usize = 4_000;

pub(crate) async fn plan(cx: Cx<DatasetState, Services>) -> Result<DatasetStateUpdate, NodeError> {
    let cx = DatasetCx::new(cx);
    let update = next(&cx).await;
    Ok(cx.done(update))
}

async fn next(cx: &DatasetCx) -> DatasetStateUpdate {
    if let Some(stop) = cx.job().stop() {
        return stopped(DatasetState::update(), &stop);
    }

    let state = cx.state();
    let iteration = state.iteration + 1;
    cx.phase(Phase::Planning);
    let percent = cx.progress(5, format!("planning, iteration {iteration}"));

    let task = task(cx, iteration);
    cx.job().count(Usage {
        planner_calls: 1,
        ..Usage::default()
    });
    let update = DatasetState::update()
        .iteration(iteration)
        .progress_percentage(percent);

    // The last plan of a run that has nothing must read something; then code corrects the plan.
    let (plan, notes, counted) = match ask(cx, &task).await {
        Ok(mut plan) => {
            let computed = start_from_reading(&mut plan, &task, state);
            let added = (iteration == task.max_iterations)
                .then(|| last_chance(&mut plan, state))
                .flatten();
            let Guarded {
                plan,
                form,
                mut counted,
            } = guard(plan, state);
            let messages = counted.iter().map(ToString::to_string);
            let notes: Vec<String> = computed
                .into_iter()
                .chain(form)
                .chain(messages)
                .chain(added)
                .collect();
            counted.retain(|note| !state.notes.contains(note));
            (plan, notes, counted)
        }
        Err(error) => {
            return match cx.job().stop() {
                Some(stop) => stopped(update, &stop),
                None => failed(cx, update, &error),
            };
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

    let thinking: Vec<String> = Some(plan.reasoning.clone())
        .filter(|text| !text.is_empty())
        .into_iter()
        .collect();

    update
        .pending_sub_agent_calls(plan.sub_agent_calls.clone())
        .pending_tool_calls(plan.tool_calls.clone())
        .current_phase(phase(&plan))
        .thinking_steps(thinking)
        .notes(counted)
        .research_plan(plan)
}

/// Ends planning because the run must stop.
fn stopped(update: DatasetStateUpdate, stop: &Stop) -> DatasetStateUpdate {
    match stop {
        Stop::Cancelled => update.completion(Completion::Cancelled),
        Stop::Budget(exceeded) => update
            .completion(Completion::Budget)
            .notes(vec![budget_note(exceeded)]),
        _ => update.completion(Completion::Cancelled),
    }
}

/// Ends planning after a failure: what was gathered goes into the report.
fn failed(cx: &DatasetCx, update: DatasetStateUpdate, error: &Error) -> DatasetStateUpdate {
    cx.warn(error);
    update
        .completion(Completion::PlanningFailed)
        .notes(vec![Note::failed("planning failed", error)])
        .error_message(error.to_string())
}

fn phase(plan: &PlannerOutput) -> Phase {
    let planned = |agent: &str| plan.sub_agent_calls.iter().any(|call| call.agent == agent);
    let samples = |call: &SubAgentCall| {
        call.agent == SCANNER
            && call
                .arguments
                .get("tool_args")
                .is_some_and(|own| own.get("group_by").is_some())
    };

    if plan.sub_agent_calls.iter().any(samples) {
        Phase::Sampling
    } else if planned(SCANNER) {
        Phase::Scanning
    } else if planned(AGGREGATOR) || !plan.tool_calls.is_empty() {
        Phase::Aggregating
    } else if planned(EXTRACTOR) {
        Phase::Extracting
    } else if planned(SYNTHESIZER) {
        Phase::Synthesizing
    } else if planned(VALIDATOR) || planned(GAP_ANALYZER) {
        Phase::Validating
    } else if planned(DECOMPOSER) {
        Phase::Decomposing
    } else {
        Phase::Planning
    }
}

fn task(cx: &DatasetCx, iteration: u32) -> PlanTask {
    let state = cx.state();
    let agents = cx.agents().cards().map(|card| AgentFacts {
        name: card.name.to_owned(),
        description: card.description.to_owned(),
        use_when: card.use_when.to_owned(),
        speed: card.speed.to_owned(),
        cost: card.cost.to_owned(),
        input_schema: cx.agents().input_schema(card.name).unwrap_or_default(),
    });

    PlanTask {
        question: state.question.clone(),
        iteration,
        max_iterations: limit_of(state, cx.config()),
        tools: state.tools().cloned().collect(),
        agents: agents.collect(),
        state: summary(state, cx.config()),
        overrides: state.overrides.clone(),
        conversation: state.conversation(),
        reading: state.reading.clone(),
        format: state.format,
    }
}

fn summary(state: &DatasetState, config: &DatasetConfig) -> StateSummary {
    let answers = Answers::new(state, config.review.min_sources);
    let unanswered = state
        .sub_questions
        .iter()
        .filter(|question| answers.confidence(question) == 0.0);
    let table = |table: &AggregationResult| {
        (
            table.id.clone(),
            table.field.clone(),
            table.source_tool.clone(),
        )
    };
    let skipped = state.notes.len().saturating_sub(NOTES);

    StateSummary {
        unanswered: unanswered.map(|question| question.id.clone()).collect(),
        sub_questions: state.sub_questions.clone(),
        findings: state.findings.len(),
        aggregations: state
            .aggregation_results
            .iter()
            .filter(|table| table.kind != AggregationKind::Search)
            .map(table)
            .collect(),
        sources: state.extracted_sources.len(),
        total_docs: state.total_docs_available,
        docs_fetched: state.coverage().fetched,
        max_docs: config.max_docs as u64,

        needs_full_scan: state.needs_full_scan,
        last_arguments: state
            .last_successful_tool_args
            .as_ref()
            .map(|call| call.arguments.clone()),
        notes: state
            .notes
            .iter()
            .skip(skipped)
            .map(ToString::to_string)
            .collect(),
        unread_documents: state.unread().count(),

        perspectives: state.perspectives.clone(),
        validation_status: state.validation_status,
        validation_issues: state.validation_issues.clone(),
        gaps: state.gaps_identified.clone(),
        recommendation: state.recommendation,
    }
}

async fn ask(cx: &DatasetCx, task: &PlanTask) -> Result<PlannerOutput, Error> {
    let state = cx.state();
    let unfetched = match state.ledger.wanting().filter(|_| state.needs_full_scan) {
        None => "",
        Some(_) if state.ledger.has_unfetched() => {
            "UNFETCHED DOCS: more records match than were read. Call the scanner."
        }
        Some(_) => {
            "UNREAD DOCS: the records came and were not read for findings. Call the extractor or \
             the scanner."
        }
    };

    let total = task.state.total_docs.map_or_else(
        || UserText::new("unknown"),
        |total| UserText::new(total.to_string()),
    );
    let ask = Ask::shrinking(&prompts::PLANNER, PLAN, task, |prompt, shrink| {
        prompt
            .set(
                "question",
                UserText::new(task.conversation.in_context(&task.question)),
            )
            .data("conversation", &prompts::conversation(&task.conversation))
            .set("iteration", task.iteration)
            .set("max_iterations", task.max_iterations)
            .data("tools", &prompts::tools(&task.tools, shrink))
            .data("agents", &prompts::agents(&task.agents, shrink))
            .data("overrides", &prompts::overrides(&task.overrides))
            .data(
                "reading",
                &prompts::reading(task.reading.as_ref(), &computed(task)),
            )
            .set("sub_question_count", task.state.sub_questions.len())
            .data(
                "sub_questions",
                &prompts::questions_with_ids(&task.state.sub_questions),
            )
            .set("findings", task.state.findings)
            .set("sources", task.state.sources)
            .set("total_docs", total.clone())
            .set("docs_fetched", task.state.docs_fetched)
            .set("unfetched", unfetched)
            .data_capped(
                "state",
                &prompts::lines(state_lines(state, task)),
                shrink.length(BLOCK_CAP, STATE_CAP),
            )
    });

    cx.ask(ask).await
}

/// Returns what else the planner should know of the run.
fn state_lines(state: &DatasetState, task: &PlanTask) -> Vec<String> {
    let mut lines = Vec::new();
    if !task.state.unanswered.is_empty() {
        lines.push(format!(
            "without an answer yet: {}",
            task.state.unanswered.join(", ")
        ));
    }

    lines.extend(
        task.state
            .aggregations
            .iter()
            .map(|(id, field, tool)| format!("{id}: {tool} by {field}")),
    );

    // A scan that has to fetch the others reads these too.
    let is_all_here = state
        .ledger
        .wanting()
        .is_none_or(|scope| scope.total == Some(scope.fetched()));
    if task.state.unread_documents > 0 && is_all_here {
        lines.push(format!(
            "records that came and were not read for findings: {}",
            task.state.unread_documents
        ));
    }

    lines.extend(ways_to_sample(state, task));
    lines.extend(
        task.state
            .last_arguments
            .iter()
            .map(|last| format!("last data call: {}", prompts::json(last))),
    );

    let perspectives = state.perspectives.iter();
    lines.extend(perspectives.map(|p| {
        format!(
            "perspective {}: {} ({})",
            p.name,
            p.focus,
            p.keywords.join(", ")
        )
    }));

    let scores = state.question_confidence.iter();
    let scores: Vec<String> = scores
        .map(|(id, score)| format!("{id} {score:.2}"))
        .collect();
    lines.extend((!scores.is_empty()).then(|| format!("confidence: {}", scores.join(", "))));
    lines.extend(state.gaps_identified.iter().map(gap_line));
    lines.extend(
        state
            .recommendation
            .iter()
            .map(|advice| format!("recommendation: {}", prompts::word(advice))),
    );
    lines.extend(
        state
            .validation_status
            .iter()
            .map(|status| format!("validation: {}", prompts::word(status))),
    );
    lines.extend(
        state
            .validation_issues
            .iter()
            .map(|issue| format!("issue ({}): {}", issue.severity, issue.description)),
    );
    lines.extend(task.state.notes.iter().map(|note| format!("note: {note}")));

    lines
}

fn gap_line(gap: &ResearchGap) -> String {
    let params = if gap.suggested_params.is_empty() {
        String::new()
    } else {
        prompts::json(&gap.suggested_params)
    };
    let agent = gap
        .suggested_agent
        .as_deref()
        .map(|agent| format!(" (suggested: {agent} {params}"));
    let agent = agent
        .map(|agent| format!("{})", agent.trim_end()))
        .unwrap_or_default();

    format!("gap ({}): {}{agent}", gap.importance, gap.description)
}

/// Returns what can be done if more records match than a run reads, as far as is known, and no scan
/// has run.
fn ways_to_sample(state: &DatasetState, task: &PlanTask) -> Option<String> {
    let scope = state.ledger.wanting()?;
    let limit = task.state.max_docs;
    let words = match scope.total {
        Some(total) if total <= limit => return None,
        Some(total) => format!("{total} records match and a run reads {limit} of them"),
        None => {
            format!("how many records match is not known, and a run reads at most {limit} of them")
        }
    };
    let ways = ToolArguments::of(state.listed_tool(&scope.tool)).ways_to_sample(&scope.tool);
    (!ways.is_empty()).then(|| format!("{words}: {}", ways.join("; ")))
}
