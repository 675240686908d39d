//! The decisions of a run without a language model: code computes the answer, and says what it has
//! computed.

use research_agents_runtime::offline::OfflineAnswers;
use serde_json::{Value, json};

use crate::actions::{Action, ComputeAnswer, Finalize, HybridSearch, MEMO, SummarizeTask};
use crate::agent::decide::{DecideTask, StepView};
use crate::agent::prompt::DECIDE;
use crate::answer::render_ids;

/// Number of hits of the search for a question that cannot be computed.
const HITS: u32 = 4;

/// Returns the tasks of this system, with the functions that answer them without a language model.
pub fn answers() -> OfflineAnswers {
    OfflineAnswers::new()
        .with(DECIDE, decide)
        .with(MEMO, SummarizeTask::listed)
}

/// Chooses the next action: computes an answer, and searches if none can be computed.
fn decide(task: &DecideTask) -> Value {
    let done = |name: &str| task.steps.iter().find(|step| step.action == name);
    let can = |name: &str| task.actions.iter().any(|action| action == name);

    // Files that changed while the answer was computed are read once more.
    let times = task
        .steps
        .iter()
        .filter(|step| step.action == ComputeAnswer::NAME)
        .count();
    let has_changed = task.facts.is_empty() && !task.feedback.is_empty() && times == 1;

    match (done(ComputeAnswer::NAME), done(HybridSearch::NAME)) {
        (first, _) if can(ComputeAnswer::NAME) && (first.is_none() || has_changed) => choice(
            ComputeAnswer::NAME,
            "code can compute answers about names",
            json!({"question": task.question}),
        ),
        (Some(_), _) if !task.facts.is_empty() => answer(task),
        (_, None) if can(HybridSearch::NAME) => choice(
            HybridSearch::NAME,
            "no answer can be computed; the best lines are shown",
            json!({"query": task.question, "k": HITS}),
        ),
        (_, found) => unanswered(task, found),
    }
}

fn choice(action: &str, reasoning: &str, input: Value) -> Value {
    json!({"action": action, "reasoning": reasoning, action: input})
}

/// Gives the sentences that were computed, with their evidence.
fn answer(task: &DecideTask) -> Value {
    let lines: Vec<String> = task
        .facts
        .iter()
        .map(|fact| format!("{} {}", fact.text, render_ids(&fact.evidence)))
        .collect();
    let input = json!({"answer": lines.join("\n"), "confidence": task.confidence});
    choice(Finalize::NAME, "the answer is computed", input)
}

/// Says that no answer was computed, and names the best lines.
fn unanswered(task: &DecideTask, found: Option<&StepView>) -> Value {
    let ids = found.map_or(&[][..], |step| &step.evidence_ids);
    let has_failed = task.steps.iter().any(|step| step.error.is_some());
    let answer = match ids.is_empty() {
        true if has_failed => "No answer was computed, because an action failed or took too long; \
                               the steps have its error. A smaller scope may help."
            .to_owned(),
        true => "No answer was computed, and no line matches.".to_owned(),
        false => format!(
            "No answer was computed. The best lines: {}",
            render_ids(ids)
        ),
    };

    let input = json!({"answer": answer, "confidence": 0.2});
    choice(
        Finalize::NAME,
        "nothing else can be done without a language model",
        input,
    )
}
