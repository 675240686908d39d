//! Decides whether research continues, from what is known and how the pass changed it.

use research_agents_report::text::{Untrusted, sentences};
use research_agents_runtime::ask::UserText;
use research_agents_runtime::error::Error;
use research_agents_runtime::job::{Ask, Job};
use research_agents_runtime::run::NodeJob;
use research_agents_scr::role::{Role, role};
use research_core::{Cx, NodeError};

use crate::agent::kit::FeedbackKit;
use crate::agent::state::{FeedbackState, FeedbackStateUpdate};
use crate::event::FeedbackEvent;
use crate::offline;
use crate::records::{DecisionResult, Growth, TaskStatus};
use crate::tasks::{DECIDE, DECIDE_PROMPT, DecideTask};

/// Decides. The limit of passes ends research without a question; a decision that fails ends it
/// with what there is.
pub(super) async fn decision(
    cx: Cx<FeedbackState, FeedbackKit>,
) -> Result<FeedbackStateUpdate, NodeError> {
    let (job, state) = (cx.job(), &cx.state);
    job.phase("deciding");
    let growth = growth(state);
    let task = task_of(state, growth);
    let most = cx.resources.config.max_iterations;
    let most = most.min(state.complexity_analysis.max_iterations);
    let is_last = state.iteration_count >= most;
    let mut problem = None;

    let mut decided = if is_last || job.is_stopped() {
        offline::decide(&task)
    } else {
        match decide(&job, &task).await {
            Ok(decided) => decided,
            Err(error) if matches!(error.root(), Error::Diverged { .. }) => {
                return Err(error.into());
            }
            Err(error) => {
                job.warn(&error);
                problem = Some(error.to_string());
                DecisionResult::default()
            }
        }
    };
    decided.confidence = decided.confidence.clamp(0.0, 1.0);
    decided.needs_more_research &= !is_last && !job.is_stopped() && problem.is_none();

    let event = FeedbackEvent::Decision {
        decision: decided.clone(),
        growth,
    };
    job.record_event(&event);
    cx.emit(event);
    let mut update = FeedbackState::update()
        .needs_more_research(decided.needs_more_research)
        .growth(growth)
        .ended_by(&job);
    // What a decision misses is for the next pass, and must not reach one after it.
    update = if decided.needs_more_research {
        update
            .decision_reasoning(&*decided.reasoning)
            .decision_key_factors(decided.key_factors.clone())
    } else {
        update
            .clear_decision_reasoning()
            .decision_key_factors(Vec::new())
    };
    if let Some(problem) = problem {
        update = update.decision_problem(problem);
    }
    Ok(cx.done(&job, update.decision(decided)))
}

async fn decide(job: &Job, task: &DecideTask) -> Result<DecisionResult, Error> {
    let growth = serde_json::to_string_pretty(&(task.growth, task.is_diminishing))?;
    let memo = format!("{}{}", task.memo, task.proposals.join("\n"));
    let (growth, memo): (Untrusted<String>, Untrusted<String>) = (growth.into(), memo.into());
    let ask = Ask::new(&DECIDE_PROMPT, DECIDE, task, |prompt| {
        prompt
            .set("question", UserText::new(&*task.question))
            .data("memo", &memo)
            .data("growth", &growth)
    });
    let asking = job.without_tools();
    match job.unless_stopped(DECIDE, &"answer", asking.ask(ask)).await {
        Ok(answered) => answered,
        Err(_) => Ok(offline::decide(task)),
    }
}

/// Returns how the pass changed what is known.
fn growth(state: &FeedbackState) -> Growth {
    let before = &state.growth;
    let statements = state.memo.statements();
    let length: usize = statements
        .map(|statement| statement.text.for_code().chars().count())
        .sum();
    Growth {
        iteration: state.iteration_count,
        synthesis_length: [before.synthesis_length[1], length],
        findings: [before.findings[1], state.memo.findings.len()],
        citations: [before.citations[1], state.passages.documents().len()],
        mean: None,
    }
    .with_mean()
}

/// Returns the proposals that wait for the last section.
fn proposals(state: &FeedbackState) -> Vec<String> {
    let memo = &state.memo;
    let read = memo.sections().last().map(|kind| memo.section(*kind).read);
    let waiting = memo.findings.iter().skip(read.unwrap_or_default());
    let sentences = waiting.flat_map(|finding| {
        let text = finding.text.for_code();
        let ranges = sentences(text).into_iter();
        ranges.map(|range| text[range].trim().to_owned())
    });
    sentences
        .filter(|sentence| role(sentence) == Role::Proposal)
        .collect()
}

fn task_of(state: &FeedbackState, growth: Growth) -> DecideTask {
    let findings = state.subagent_findings.iter();
    let own = findings.filter(|one| one.iteration == state.iteration_count);
    let without = own.filter(|one| one.status != TaskStatus::Found);
    let mut memo = String::new();
    for statement in state.memo.statements() {
        memo += &format!("{}: {}\n", statement.id, statement.text.for_code());
    }

    DecideTask {
        question: state.input.question.clone(),
        memo,
        proposals: proposals(state),
        is_diminishing: growth.is_diminishing(),
        growth,
        without_findings: without.map(|one| one.task.description.clone()).collect(),
    }
}
