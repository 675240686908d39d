//! Prompts of steps, and how many of their tokens the model has not seen.

use std::fmt::Write;

use research_agents_report::text::{Marker, Untrusted};
use research_agents_runtime::ask::{Prompt, PromptError, UserText, tokens};

use crate::memo::{SectionKind, Structure};
use crate::synthesizer::tasks::{
    FEEDBACK_PROMPT, Feedback, FindingView, Known, Purpose, REFINE_PROMPT, REFLECT_PROMPT,
    ReflectTask, SECTION_PROMPT, SUMMARY_SYSTEM_PROMPT, SYSTEM_PROMPT, SectionTask, StatementView,
};

/// Maximum number of characters of the reasons and factors of a decision that a prompt shows.
const REASONS: usize = 300;
const FACTORS: usize = 1_000;

/// Takes the place of the marker where tokens are counted.
pub(super) const MARKER: &str = "m";

/// A prompt with the tokens that the model has not seen.
pub(super) struct Rendered {
    pub(super) text: String,
    pub(super) fresh: usize,
    pub(super) repeated: usize,
}

/// Returns the standing instructions.
pub(super) fn system(structure: Structure, marker: &Marker) -> Result<String, PromptError> {
    let template = match structure {
        Structure::Scr => &SYSTEM_PROMPT,
        Structure::Summary => &SUMMARY_SYSTEM_PROMPT,
    };
    Prompt::new(template, marker).finish()
}

/// Fills the prompt of a section. `is_shown` tells whether the findings are in the conversation.
pub(super) fn section<'p>(prompt: Prompt<'p>, task: &SectionTask, is_shown: bool) -> Prompt<'p> {
    let prompt = prompt
        .set("question", UserText::new(&*task.question))
        .set("section", task.section.heading())
        .set("guide", guide(task.section));
    if task.purpose == Purpose::Refine {
        let memo = [task.before.as_slice(), &task.statements].concat();
        let reflection = task.reflection.as_ref();
        let reflection = reflection.and_then(|one| serde_json::to_string_pretty(one).ok());
        let new = [task.findings.as_slice(), &task.known.recalled].concat();
        return prompt
            .data("memo", &block(statements(&memo)))
            .data("reflection", &block(reflection.unwrap_or_default()))
            .data_capped("findings", &block(findings(&new)), usize::MAX);
    }

    let new = if is_shown {
        numbers(&task.findings)
    } else {
        findings(&task.findings)
    };
    let purpose = match task.purpose {
        Purpose::Write => "Write",
        _ => "Update",
    };
    prompt
        .set("purpose", purpose)
        .data("statements", &block(statements(&task.statements)))
        .data("before", &block(statements(&task.before)))
        .data_capped("findings", &block(new), usize::MAX)
        .data("known", &block(known(&task.known)))
}

/// Renders the prompt of a section as it is asked.
pub(super) fn rendered(
    task: &SectionTask,
    is_shown: bool,
    marker: &Marker,
) -> Result<Rendered, PromptError> {
    let template = match task.purpose {
        Purpose::Refine => &REFINE_PROMPT,
        _ => &SECTION_PROMPT,
    };
    let whole = |task: &SectionTask, marker: &Marker| -> Result<String, PromptError> {
        let text = section(Prompt::new(template, marker), task, is_shown).finish()?;
        Ok(text + &feedback(task.feedback.as_ref(), marker)?)
    };
    let text = whole(task, marker)?;

    // The marker is random, and the numbers are printed. Statements and recalled findings were
    // shown before, or written by the model.
    let mut new = SectionTask {
        statements: Vec::new(),
        before: Vec::new(),
        ..task.clone()
    };
    new.known.recalled = Vec::new();
    let counting = Marker::fixed(MARKER);
    let all = tokens(&whole(task, &counting)?);
    let fresh = tokens(&whole(&new, &counting)?);
    Ok(Rendered {
        text,
        fresh,
        repeated: all.saturating_sub(fresh),
    })
}

/// Returns what follows a prompt after a decision to continue. Empty without one.
pub(super) fn feedback(
    feedback: Option<&Feedback>,
    marker: &Marker,
) -> Result<String, PromptError> {
    let Some(feedback) = feedback.filter(|feedback| !feedback.is_empty()) else {
        return Ok(String::new());
    };
    let reasoning: Untrusted<String> = feedback.reasoning.clone().into();
    let factors: Untrusted<String> = feedback.key_factors.join("\n").into();
    Prompt::new(&FEEDBACK_PROMPT, marker)
        .data_capped("reasoning", &reasoning, REASONS)
        .data_capped("factors", &factors, FACTORS)
        .finish()
}

/// Fills the prompt of a reflection.
pub(super) fn reflect<'p>(prompt: Prompt<'p>, task: &ReflectTask) -> Prompt<'p> {
    let known = serde_json::to_string(&task.metadata).unwrap_or_default();
    prompt
        .set("question", UserText::new(&*task.question))
        .data("memo", &block(statements(&task.memo)))
        .data("known", &known.into())
}

/// Returns the tokens of the prompt of a reflection.
pub(super) fn reflect_tokens(task: &ReflectTask) -> Result<usize, PromptError> {
    let marker = Marker::fixed(MARKER);
    let prompt = reflect(Prompt::new(&REFLECT_PROMPT, &marker), task);
    Ok(tokens(&prompt.finish()?))
}

fn guide(kind: SectionKind) -> &'static str {
    match kind {
        SectionKind::Summary => {
            "It states what findings say to the question: facts first, then problems and \
             contradictions, then what is proposed."
        }

        SectionKind::Situation => {
            "It states what is the case, first what much depends on, as far as findings do not \
             contradict each other."
        }
        SectionKind::Complication => {
            "It states problems, what hinders what, what is missing, and why contradictions may \
             arise."
        }
        SectionKind::Resolution => {
            "It states what findings propose, recommend or make possible, and how that answers \
             the question. Nothing is proposed that no finding proposes."
        }
    }
}

fn block(text: String) -> Untrusted<String> {
    if text.is_empty() {
        "(none)".to_owned().into()
    } else {
        text.into()
    }
}

/// Returns statements, one a line.
pub(super) fn statements(views: &[StatementView]) -> String {
    let mut text = String::new();
    for view in views {
        let _ = write!(
            text,
            "{} ({}): {}",
            view.id,
            view.findings.join(", "),
            view.text
        );
        if let Some(against) = &view.against {
            let _ = write!(text, " — contradicted by: {against}");
        }
        text.push('\n');
    }
    text
}

/// Returns findings, one a line.
pub(super) fn findings(views: &[FindingView]) -> String {
    let lines = views.iter().map(|view| {
        let text = view.text.split_whitespace().collect::<Vec<_>>().join(" ");
        format!("{} ({}): {text}\n", view.id, view.source)
    });
    lines.collect()
}

/// Returns the numbers of findings that the conversation contains.
fn numbers(views: &[FindingView]) -> String {
    let ids: Vec<&str> = views.iter().map(|view| view.id.as_str()).collect();
    if ids.is_empty() {
        return String::new();
    }
    format!("shown above: {}\n", ids.join(", "))
}

/// Returns what is known from all findings, one a line.
pub(super) fn known(known: &Known) -> String {
    let mut text = format!(
        "{} findings of {} sources\n",
        known.metadata.count, known.metadata.total_sources
    );
    for hub in &known.hubs {
        let _ = writeln!(
            text,
            "much depends on: {} ({} relations)",
            hub.name, hub.relations
        );
    }

    for relation in &known.relations {
        let kind = serde_json::to_value(relation.kind).unwrap_or_default();
        let kind = kind.as_str().unwrap_or_default().replace('_', " ");
        let _ = writeln!(text, "{} {kind} {}", relation.from, relation.to);
    }
    for relation in &known.unsatisfied {
        let (from, to) = (&relation.from, &relation.to);
        let _ = writeln!(text, "{from} requires {to}, which nothing provides");
    }
    if !known.recalled.is_empty() {
        let _ = write!(
            text,
            "Earlier findings about the same:\n{}",
            findings(&known.recalled)
        );
    }
    text
}
