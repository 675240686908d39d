//! Citations: does each lead to a record that says what the sentence says?

use research_agents::kernel::{Basis, Claim, resolve_citations};

use super::counts::holds;
use super::scope::Reading;
use crate::dataset::metrics;
use crate::dataset::records::same;
use crate::harness::score::Score;

/// Scores the citations of records, and that every marker of the text resolves.
pub fn score(reading: &Reading<'_>, score: &mut Score) {
    let mut all = 0;
    let mut wrong = Vec::new();
    for sentence in &reading.sentences {
        for id in &sentence.sources {
            all += 1;
            let listed = reading.document.sources.iter().any(|entry| entry.id == *id);
            let row = reading.row_of(id).filter(|_| listed);
            if !row.is_some_and(|row| sentence.claims.iter().any(|claim| carries(reading, claim, id, row))) {
                wrong.push(format!("record {id} does not hold what “{}” says", sentence.text.as_str()));
            }
        }
    }
    if let Err(unresolved) = resolve_citations(&reading.report.markdown) {
        all += unresolved.len();
        wrong.extend(unresolved.iter().map(ToString::to_string));
    }
    score.add(&metrics::CITATION_VALIDITY_RATE, all, wrong);
    score.measures.add(&metrics::AVG_EVIDENCE_COUNT, reading.document.sources.len(), 1);
}

/// Whether a record carries a claim.
fn carries(reading: &Reading<'_>, claim: &Claim, id: &str, row: usize) -> bool {
    let records = reading.records;
    match claim {
        Claim::Quote { source, text, .. } => source == id && records.quotes(row, text),
        Claim::Count { over: Basis::Records, field, value, .. } => holds(records, row, field, value),
        Claim::Statistic { field, number, source: Some(source), .. } => {
            let cell = records.columns_of(field).ok().and_then(|columns| Some(records.cell(row, columns.first()?)));
            source == id && cell.is_some_and(|cell| same(cell, &serde_json::json!(number)))
        }
        Claim::Field { source, .. } | Claim::Ranked { source, .. } if source != id => false,
        Claim::Field { .. } | Claim::Ranked { .. } => super::measures::holds(reading, claim) == Some(true),
        _ => false,
    }
}
