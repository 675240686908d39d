//! What was planted in the data: facts in the texts of records, and contradictions.

use std::collections::BTreeSet;

use super::scope::Reading;
use crate::dataset::metrics;
use crate::dataset::records::{Rows, says};
use crate::harness::score::Score;

/// Heading of the part of a report that lists contradictions.
const CONTRADICTIONS: &str = "Contradictions";

/// Scores planted facts and planted contradictions.
pub fn score(reading: &Reading<'_>, score: &mut Score) {
    findings(reading, score);
    contradictions(reading, score);
}

fn findings(reading: &Reading<'_>, score: &mut Score) {
    let plants = &reading.case.expect.findings;
    let (mut not_drawn, mut not_told) = (Vec::new(), Vec::new());
    for plant in plants {
        let words = plant.says.join(" … ");
        let rows = |ids: &[String]| -> Rows { ids.iter().filter_map(|id| reading.row_of(id)).collect() };
        let holders = reading.records.holders(&reading.scope, plant);
        let drawn: Vec<Rows> = reading
            .report
            .findings
            .iter()
            .filter(|finding| says(&finding.claim, &plant.says))
            .map(|finding| rows(&finding.doc_ids))
            .collect();
        let told: Vec<Rows> = reading
            .sentences
            .iter()
            .filter(|sentence| says(sentence.text.as_str(), &plant.says))
            .map(|sentence| rows(&sentence.sources))
            .collect();
        let rests = |cited: &[Rows]| cited.iter().any(|rows| !rows.is_disjoint(&holders));
        if !rests(&drawn) {
            not_drawn.push(format!("not drawn from the records: {words}"));
        }
        if !rests(&told) {
            not_told.push(format!("not in the report with a record that says so: {words}"));
        }
        let cited: BTreeSet<usize> = drawn.into_iter().chain(told).flatten().collect();
        let right = cited.intersection(&holders).count();
        score.measures.add(&metrics::EVIDENCE_PRECISION, right, cited.len());
        score.measures.add(&metrics::EVIDENCE_RECALL, right, holders.intersection(&reading.read).count());
    }
    score.add(&metrics::FINDINGS_DRAWN, plants.len(), not_drawn);
    score.add(&metrics::FINDINGS_REPORTED, plants.len(), not_told);
}

fn contradictions(reading: &Reading<'_>, score: &mut Score) {
    let planted = &reading.case.expect.contradictions;
    let listed = reading.section(CONTRADICTIONS);
    let missing = planted.iter().filter(|planted| !listed.iter().any(|text| says(text, &planted.says)));
    let missing: Vec<String> = missing
        .map(|planted| {
            format!(
                "not listed: the contradiction of {} about {}",
                planted.records.join(" and "),
                planted.says.join(" ")
            )
        })
        .collect();
    score.add(&metrics::CONTRADICTIONS_FOUND, planted.len(), missing);
    let in_vain = listed.iter().filter(|text| !planted.iter().any(|planted| says(text, &planted.says)));
    let in_vain: Vec<String> = in_vain.map(|text| format!("listed as a contradiction and none: {text}")).collect();
    score.measures.add_number(&metrics::FALSE_CONTRADICTIONS, in_vain.len() as f64, 1.0);
    score.tell(in_vain);
}
