//! Keeps of what searchers brought back what is new, as findings with their passages.

use research_agents_fieldwork::told::tell_sources;
use research_agents_runtime::run::NodeJob;
use research_agents_scr::memo::Finding;
use research_core::{Cx, NodeError};

use crate::agent::kit::FeedbackKit;
use crate::agent::state::{FeedbackState, FeedbackStateUpdate};
use crate::records::{FoundPassage, TaskStatus};

/// Drops tasks without findings by their status, and findings that are known.
pub(super) async fn filter_findings(
    cx: Cx<FeedbackState, FeedbackKit>,
) -> Result<FeedbackStateUpdate, NodeError> {
    let (job, state) = (cx.job(), &cx.state);
    let mut passages = state.passages.clone();
    let mut passages_of = state.passages_of.clone();
    let mut rating = state.rating.clone();
    let mut findings: Vec<Finding> = Vec::new();

    let new = state.subagent_findings.iter().skip(state.filtered);
    let with_findings = new.filter(|one| one.status == TaskStatus::Found);
    for found in with_findings.flat_map(|one| &one.passages) {
        let site = found.document.origin.site.clone();
        rating.credibility.entry(site).or_insert(found.credibility);
        let document = passages.add_document(found.document.clone());
        let Ok(passage) = passages.add(&document, found.span.into(), found.found.clone()) else {
            continue;
        };
        let finding = finding_of(found);
        let known = passages_of.entry(finding.id.clone()).or_default();
        if known.is_empty() {
            findings.push(finding);
        }
        if !known.contains(&passage) {
            known.push(passage);
        }
    }

    tell_sources(&job, &passages, &state.passages);
    let update = FeedbackState::update()
        .filtered(state.subagent_findings.len())
        .filtered_findings(findings)
        .passages(passages)
        .passages_of(passages_of)
        .rating(rating);
    Ok(cx.done(&job, update))
}

/// Returns the sentences of a passage as a finding, each a paragraph.
fn finding_of(found: &FoundPassage) -> Finding {
    let sentences = found.quotes.iter();
    let lines: Vec<String> = sentences
        .map(|quote| quote.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    let origin = &found.document.origin;
    let source = format!("{}: {}", origin.site, origin.address);
    Finding::new(lines.join("\n\n"), source)
}
