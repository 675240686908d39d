//! Verifies the statements of the whole memo against their passages, and computes their marks.

use std::collections::BTreeMap;

use research_agents_fieldwork::told::place_of;
use research_agents_report::assessment::assess;
use research_agents_report::check::grounded::{Grounded, Says, Stated, check_says};
use research_agents_report::language::Language;
use research_agents_report::trust::{Mark, hallucination_score};
use research_agents_runtime::event::{ClaimQuote, ClaimStatus, RunEvent};
use research_agents_runtime::run::NodeJob;
use research_agents_scr::memo::Statement;
use research_agents_scr::report::passages_of_ids;
use research_core::{Cx, NodeError};

use crate::agent::kit::FeedbackKit;
use crate::agent::state::{FeedbackState, FeedbackStateUpdate};
use crate::records::VerificationResult;

/// Verifies. What fails is listed in the report, and nothing of the memo is lost.
pub(super) async fn verifier(
    cx: Cx<FeedbackState, FeedbackKit>,
) -> Result<FeedbackStateUpdate, NodeError> {
    let (job, state) = (cx.job(), &cx.state);
    job.phase("verifying");
    job.progress(92, "verifying every statement");

    let mut marks: BTreeMap<String, Mark> = BTreeMap::new();
    let mut result = VerificationResult::default();
    let mut count = 0;
    for statement in state.memo.statements() {
        count += 1;
        let stated = stated(state, statement);
        let assessment = assess(
            std::slice::from_ref(&stated),
            Language::ENGLISH,
            &state.passages,
            &state.rating,
        );
        let assessed = assessment.claims.into_iter().next();
        let mark = assessed.as_ref().and_then(|one| one.mark);

        job.emit(claim_event(state, statement, &stated, mark));
        match mark {
            Some(mark) => drop(marks.insert(statement.id.clone(), mark)),
            None => {
                let why = reason(&stated.grounding.verdict);
                result.corrections.push((statement.id.clone(), why));
            }
        }
    }

    result.is_valid = result.corrections.is_empty();
    result.hallucination_score = hallucination_score(result.corrections.len(), count);
    let update = FeedbackState::update().marks(marks).verification(result);
    Ok(cx.done(&job, update))
}

/// Returns a statement with the quotes that carry it: its own words where a passage has them,
/// otherwise the passages of its findings.
fn stated(state: &FeedbackState, statement: &Statement) -> Stated {
    let text = statement.text.for_code();
    let ids = passages_of_ids(&state.passages_of, &statement.findings);
    let holds = |id: &String| {
        let passage = state.passages.get(id);
        passage.is_some_and(|passage| one_line(passage.text.for_code()).contains(text))
    };
    let quoting: Vec<&String> = ids.iter().filter(|id| holds(id)).collect();
    let says: Vec<Says> = if quoting.is_empty() {
        let whole = ids.iter().filter_map(|id| {
            let passage = state.passages.get(id)?;
            Some(says(id, passage.text.for_code()))
        });
        whole.collect()
    } else {
        quoting.into_iter().map(|id| says(id, text)).collect()
    };

    check_says(text, Language::ENGLISH, &says, &state.passages)
}

fn says(passage: &str, quote: &str) -> Says {
    Says {
        passage: passage.to_owned(),
        quote: quote.to_owned(),
        start: None,
    }
}

fn reason(verdict: &Grounded) -> String {
    match verdict {
        Grounded::Holds => "its passages were changed".to_owned(),
        Grounded::Unsure { missing } => format!("its passages lack {}", missing.join(", ")),
        Grounded::Fails(mismatch) => mismatch.to_string(),
    }
}

fn claim_event(
    state: &FeedbackState,
    statement: &Statement,
    stated: &Stated,
    mark: Option<Mark>,
) -> RunEvent {
    let quotes = stated.says.iter().map(|says| ClaimQuote {
        source: says.passage.clone(),
        text: says.quote.clone().into(),
    });
    let place = |says: &Says| place_of(says, &state.passages);

    RunEvent::Claim {
        cid: statement.id.clone(),
        text: statement.text.for_code().clone(),
        status: match mark {
            Some(_) => ClaimStatus::Verified,
            None => ClaimStatus::Withheld,
        },
        mark: mark.map(|mark| mark.to_string()).unwrap_or_default(),
        claims: Vec::new(),
        quotes: quotes.collect(),
        sources: stated.says.iter().filter_map(place).collect(),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
