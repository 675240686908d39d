//! Asks the user what is meant.

use research_agents_runtime::clarify::Clarification;
use research_agents_runtime::run::NodeJob;
use research_core::{Cx, NodeError};

use crate::agent::analyzer::analyze;
use crate::agent::kit::StudioKit;
use crate::agent::state::{StudioState, StudioStateUpdate};
use crate::tasks::AnalyzeTask;

/// Asks, and analyzes the question again with the reply. Without one, the question stays as it is.
pub(super) async fn clarify(
    cx: Cx<StudioState, StudioKit>,
) -> Result<StudioStateUpdate, NodeError> {
    let (job, state) = (cx.job(), &cx.state);
    let question = &state.input.question;
    let mut analysis = state.query_analysis.clone();
    analysis.needs_clarification = false;

    let reply = if job.can_ask() {
        let options = analysis.clarification_options.clone();
        let request = state.clarification_request.clone().unwrap_or_default();
        let asked = Clarification {
            question: request,
            default: options.first().cloned(),
            options,
        };
        job.clarify(&asked, 0).await?
    } else {
        None
    };
    let meant = meaning(reply.as_deref(), &analysis.clarification_options);
    let Some(meant) = meant else {
        let update = StudioState::update()
            .query_analysis(analysis)
            .replies(Vec::from_iter(reply));
        return Ok(cx.done(&job, update));
    };

    let task = AnalyzeTask {
        question: question.clone(),
        clarification: Some(meant.clone()),
        earlier: state.earlier_questions().to_vec(),
        hits: state.hits.clone(),
    };
    let mut analysis = analyze(&job, &task).await?;
    analysis.needs_clarification = false;
    let update = StudioState::update()
        .enriched_context(enriched(question, &meant))
        .user_clarification(meant)
        .query_analysis(analysis)
        .replies(Vec::from_iter(reply));
    Ok(cx.done(&job, update))
}

/// Returns what a reply means: the option of its number, or its words. `None` for an empty one.
fn meaning(reply: Option<&str>, options: &[String]) -> Option<String> {
    let reply = reply?.trim();
    let number = reply.parse::<usize>().ok();
    let option = number.and_then(|number| options.get(number.checked_sub(1)?));
    let meant = option.map_or(reply, String::as_str);
    (!meant.is_empty()).then(|| meant.to_owned())
}

/// Returns the question with the reply in brackets, before its question mark.
fn enriched(question: &str, meant: &str) -> String {
    match question.trim().strip_suffix('?') {
        Some(words) => format!("{words} ({meant})?"),
        None => format!("{} ({meant})", question.trim()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_chooses_an_option() {
        let options = ["the planet".to_owned(), "the element".to_owned()];
        assert_eq!(meaning(Some("2"), &options).unwrap(), "the element");
        assert_eq!(meaning(Some(" the god "), &options).unwrap(), "the god");
        assert_eq!(meaning(Some(" "), &options), None);
        assert_eq!(meaning(Some("3"), &options).unwrap(), "3");
        assert_eq!(
            enriched("How big is it?", "the planet"),
            "How big is it (the planet)?"
        );
    }
}
