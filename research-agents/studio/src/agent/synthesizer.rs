//! Merges what sub-agents brought back: sources and evidence with their ids, and the table of
//! answers.

use std::collections::BTreeMap;

use research_agents_fieldwork::told::tell_sources;
use research_agents_report::passage::PassageRegistry;
use research_agents_report::text::Untrusted;
use research_agents_runtime::event::{ConflictSide, RunEvent};
use research_agents_runtime::run::NodeJob;
use research_core::{Cx, NodeError};

use crate::agent::kit::StudioKit;
use crate::agent::state::{StudioState, StudioStateUpdate};
use crate::answers::table::{Agreed, Answer, AnswerTable, Standing};
use crate::records::{RawEvidence, RawQuote, RawSource};

/// Merges the findings of the round. An id that a source or a passage has stays the same in later
/// rounds.
pub(super) async fn synthesizer(
    cx: Cx<StudioState, StudioKit>,
) -> Result<StudioStateUpdate, NodeError> {
    let (job, state) = (cx.job(), &cx.state);
    let (sources_before, evidence_before) = state.merged;
    let sources: Vec<&RawSource> = state.raw_sources.iter().skip(sources_before).collect();
    let evidence: Vec<&RawEvidence> = state.raw_evidence.iter().skip(evidence_before).collect();

    let mut merged = Merged {
        passages: state.passages.clone(),
        sections: state.sections.clone(),
        table: state.table.clone(),
    };
    let mut rating = state.rating.clone();
    for source in &sources {
        let site = source.document.origin.site.clone();
        rating.credibility.entry(site).or_insert(source.credibility);
    }
    let mut answers: Vec<(&str, usize, Answer)> = Vec::new();
    for one in evidence {
        let taken = merged.take(one, &sources);
        let ranked = taken.into_iter();
        answers.extend(ranked.map(|(rank, answer)| (one.subagent_id.as_str(), rank, answer)));
    }
    answers.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)));
    answers
        .into_iter()
        .for_each(|(_, _, answer)| merged.add(answer));
    tell_sources(&job, &merged.passages, &state.passages);

    let questions = state.research_plan.research_questions.iter();
    let standings: BTreeMap<String, Standing> = questions
        .map(|question| {
            let standing = merged
                .table
                .standing(&question.id, &merged.passages, &rating);
            (question.id.clone(), standing)
        })
        .collect();
    for (id, standing) in &standings {
        if let Standing::Conflicting { sides, .. } = standing
            && state.standings.get(id) != Some(standing)
        {
            job.emit(conflict(id, sides, &merged));
        }
    }

    let mut coverage: BTreeMap<String, usize> = BTreeMap::new();
    for section in merged.sections.values() {
        *coverage.entry(section.clone()).or_default() += 1;
    }
    let counts = (state.raw_sources.len(), state.raw_evidence.len());
    let update = StudioState::update()
        .merged(counts)
        .passages(merged.passages)
        .sections(merged.sections)
        .table(merged.table)
        .coverage(coverage)
        .rating(rating)
        .standings(standings);
    Ok(cx.done(&job, update))
}

/// Sources, evidence and answers of all rounds.
struct Merged {
    passages: PassageRegistry,
    sections: BTreeMap<String, String>,
    table: AnswerTable,
}

impl Merged {
    /// Adds a passage, and returns its quotes with their ranks. Its document is among the new
    /// sources, or known from an earlier round or question.
    fn take(&mut self, one: &RawEvidence, sources: &[&RawSource]) -> Vec<(usize, Answer)> {
        let of_it = |site: &str, address: &str| site == one.site && address == one.address;
        let new = sources.iter().find(|source| {
            let origin = &source.document.origin;
            source.subagent_id == one.subagent_id && of_it(&origin.site, &origin.address)
        });
        let document = match new {
            Some(source) => Some(self.passages.add_document(source.document.clone())),
            None => {
                let mut known = self.passages.documents();
                let known = known.find(|known| of_it(&known.origin.site, &known.origin.address));
                known.map(|known| known.id.clone())
            }
        };
        let Some(document) = document else {
            return Vec::new();
        };
        let Ok(id) = self
            .passages
            .add(&document, one.span.into(), one.found.clone())
        else {
            return Vec::new();
        };

        // The section in which a passage was found first stays, unless it answers another one.
        if !one.quotes.is_empty() || !self.sections.contains_key(&id) {
            self.sections.insert(id.clone(), one.section.clone());
        }
        let answer = |quote: &RawQuote| Answer {
            value: quote.value.clone(),
            ..Answer::quoted(&*one.question, &*id, quote.place.clone())
        };
        one.quotes
            .iter()
            .map(|quote| (quote.rank, answer(quote)))
            .collect()
    }

    /// Adds an answer. A value that the quote does not state is left out; the quote itself is kept.
    fn add(&mut self, answer: Answer) {
        let quoted = Answer::quoted(&*answer.question, &*answer.passage, answer.quote.clone());
        if self.table.add(answer, &self.passages).is_err() {
            let _ = self.table.add(quoted, &self.passages);
        }
    }
}

/// Returns the event of sources that disagree.
fn conflict(question: &str, sides: &[Agreed], merged: &Merged) -> RunEvent {
    let side = |answer: &Answer| {
        let passage = merged.passages.get(&answer.passage);
        let text = passage.and_then(|passage| passage.text.for_code().get(answer.quote.clone()));
        ConflictSide {
            source: answer.passage.clone(),
            text: Untrusted::new(text.unwrap_or_default().to_owned()),
            value: serde_json::to_value(&answer.value).ok(),
        }
    };
    let answers = sides
        .iter()
        .flat_map(|one| merged.table.answers_of(question, one));
    RunEvent::Conflict {
        sides: answers.map(side).collect(),
    }
}
