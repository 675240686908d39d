//! The first phase of a step: the model chooses an action.

use research_agents_runtime::error::Error;
use research_agents_runtime::job::{Ask, Job};
use research_llm::{ErrorKind, Message};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::actions::ActionSelection;
use crate::agent::kit::CodeKit;
use crate::agent::prompt::{DECIDE, PROMPT, SYSTEM, fill};
use crate::agent::state::{CodeState, CodeStateUpdate};
use crate::check::Fact;
use crate::run::{ActionStep, RunStatus};

/// Maximum number of times that a decision without a fitting input is asked for.
const MAX_ASKED: usize = 3;

/// Maximum number of decisions in a row that cannot be used.
const MAX_FAILURES: u32 = 3;

/// The task of a decision, for a program that computes it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct DecideTask {
    /// The question.
    pub question: String,
    /// The scope; empty for the whole code base.
    pub scope: String,
    /// Names of the actions.
    pub actions: Vec<String>,
    /// Number of steps that are left.
    pub left: u32,
    /// The steps so far.
    pub steps: Vec<StepView>,
    /// What code has computed.
    pub facts: Vec<Fact>,
    /// How sure the computed answer is.
    pub confidence: f64,
    /// What was wrong with the answer before.
    pub feedback: Vec<String>,
    /// What was wrong with the decision before.
    pub problem: String,
}

/// A step as a decision sees it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct StepView {
    /// Name of the action.
    pub action: String,
    /// The error, if it failed.
    pub error: Option<String>,
    /// Ids of its evidence.
    pub evidence_ids: Vec<String>,
}

impl DecideTask {
    fn new(state: &CodeState, kit: &CodeKit) -> Self {
        let names = kit.actions.names().iter();
        let steps = state.run.steps.iter().map(|step| StepView {
            action: step.action.clone(),
            error: step.error.clone(),
            evidence_ids: step.evidence_ids.clone(),
        });
        Self {
            question: state.run.question.clone(),
            scope: state.input.scope.clone(),
            actions: names.map(|name| (*name).to_owned()).collect(),
            left: state.left(),
            steps: steps.collect(),
            facts: state.facts.clone(),
            confidence: state.confidence,
            feedback: state.feedback.clone(),
            problem: String::new(),
        }
    }
}

/// Asks for the next action.
pub(super) async fn decide(
    job: &Job,
    state: &CodeState,
    kit: &CodeKit,
) -> Result<CodeStateUpdate, Error> {
    let update = CodeState::update().clear_chosen();
    if let Some(stop) = job.stop() {
        return Ok(update.stopped(stop.to_string()).should_stop(true));
    }
    let percent = state.run.budget_used * 100 / state.run.budget_steps.max(1);
    let next = state.run.budget_used + 1;
    job.progress(
        u8::try_from(percent.min(99)).unwrap_or(99),
        format!("step {next} of at most {}", state.run.budget_steps),
    );

    match choose(job, state, kit).await {
        Ok(chosen) => Ok(update.chosen(chosen).failures(0_u32)),
        Err(Unchosen::Unusable(problem)) => Ok(failed(update, state, problem)),
        Err(Unchosen::Failed(error)) => {
            if let Some(stop) = job.stop() {
                return Ok(update.stopped(stop.to_string()).should_stop(true));
            }
            if matches!(error.root(), Error::Diverged { .. }) {
                return Err(error);
            }
            let mut run = state.run.clone();
            run.status = RunStatus::Error;
            run.error_message = Some(error.to_string());
            Ok(update.run(run).should_stop(true))
        }
    }
}

enum Unchosen {
    /// The model gave no decision that can be used.
    Unusable(String),
    /// The model failed.
    Failed(Error),
}

async fn choose(job: &Job, state: &CodeState, kit: &CodeKit) -> Result<ActionSelection, Unchosen> {
    let mut task = DecideTask::new(state, kit);
    let rules = [Message::system(SYSTEM)];

    for _ in 0..MAX_ASKED {
        let ask = Ask::shrinking(&PROMPT, DECIDE, &task, |prompt, shrink| {
            fill(prompt, shrink, state, &kit.actions, &task.problem)
        });
        let ask = ask.history(&rules).schema(kit.actions.schema());
        let decision: Value = match job.ask(ask).await {
            Ok(decision) => decision,
            Err(error) if is_unusable(&error) => {
                return Err(Unchosen::Unusable(error.to_string()));
            }
            Err(error) => return Err(Unchosen::Failed(error)),
        };
        match kit.actions.select(&decision) {
            Ok(chosen) => return Ok(chosen),
            Err(problem) => task.problem = problem.to_string(),
        }
    }

    Err(Unchosen::Unusable(task.problem))
}

/// Returns whether the model answered with something that is not a decision.
fn is_unusable(error: &Error) -> bool {
    match error.root() {
        Error::Model(error) => matches!(error.kind(), ErrorKind::InvalidOutput),
        _ => false,
    }
}

/// Records a decision that could not be used as a step with an error.
fn failed(update: CodeStateUpdate, state: &CodeState, problem: String) -> CodeStateUpdate {
    let mut run = state.run.clone();
    run.budget_used += 1;
    run.steps.push(ActionStep {
        step_number: run.budget_used,
        action: "decide".to_owned(),
        reasoning: String::new(),
        input: json!({}),
        output_summary: "the model chose no action".to_owned(),
        duration_ms: 0,
        error: Some(problem.chars().take(500).collect()),
        evidence_ids: Vec::new(),
        data: Value::Null,
    });

    let failures = state.failures + 1;
    let update = update.run(run).failures(failures);
    if failures >= MAX_FAILURES {
        let reason = format!("the model chose no action {failures} times in a row");
        return update.stopped(reason).should_stop(true);
    }
    update
}
