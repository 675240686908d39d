//! The prompt of a decision.

use research_agents_report::text::Untrusted;
use research_agents_runtime::ask::{Prompt, Shrink, Template, UserText};

use crate::actions::ActionRegistry;
use crate::agent::state::CodeState;

/// The standing rules, with the firewall against instructions in the code base.
pub(super) const SYSTEM: &str = include_str!("../../prompts/system.v1.md");

/// Name of the task of a decision.
pub const DECIDE: &str = "code.decide";

/// The prompt of a decision.
pub(super) const PROMPT: Template =
    Template::new(DECIDE, 1, include_str!("../../prompts/decide.v1.md"));

/// Maximum number of characters of one piece of evidence in a prompt.
const EVIDENCE: usize = 2_400;

/// Fills the prompt of a decision.
pub(super) fn fill<'p>(
    prompt: Prompt<'p>,
    shrink: Shrink,
    state: &CodeState,
    actions: &ActionRegistry,
    problem: &str,
) -> Prompt<'p> {
    let scope = state.run.scope.as_deref().unwrap_or("the whole code base");
    // The names and descriptions of actions are written by the host.
    let actions = UserText::new(actions.list());
    prompt
        .set("question", UserText::new(&*state.run.question))
        .set("scope", UserText::new(scope))
        .set("left", state.left())
        .set("actions", actions)
        .data("steps", &Untrusted::new(steps(state)))
        .data("evidence", &Untrusted::new(evidence(state, shrink)))
        .data("feedback", &Untrusted::new(feedback(state, problem)))
}

fn steps(state: &CodeState) -> String {
    let lines: Vec<String> = state
        .run
        .steps
        .iter()
        .map(|step| {
            let end = step.error.as_deref().unwrap_or(&step.output_summary);
            let ids = step.evidence_ids.join(", ");
            format!("{}. {}: {end} {ids}", step.step_number, step.action)
        })
        .chain(state.facts.iter().map(|fact| {
            let ids = fact.evidence.join(", ");
            format!("computed: {} {ids}", fact.text)
        }))
        .collect();

    if lines.is_empty() {
        "none".to_owned()
    } else {
        lines.join("\n")
    }
}

/// Lists the newest evidence, fewer pieces in a shorter prompt.
fn evidence(state: &CodeState, shrink: Shrink) -> String {
    let most = shrink.length(24, 4);
    let evidence = &state.run.evidence;
    let skipped = evidence.len().saturating_sub(most);
    let pieces: Vec<String> = evidence
        .iter()
        .skip(skipped)
        .map(|one| {
            let text: String = one.text().chars().take(EVIDENCE).collect();
            format!("[{}] {}\n{text}", one.id, one.place())
        })
        .collect();
    match pieces.is_empty() {
        true => "none".to_owned(),
        false => pieces.join("\n"),
    }
}

fn feedback(state: &CodeState, problem: &str) -> String {
    let problems = state.feedback.iter().map(String::as_str);
    let lines: Vec<&str> = problems.chain(Some(problem)).collect();
    let text = lines.join("\n");
    match text.trim().is_empty() {
        true => "none".to_owned(),
        false => text,
    }
}
