//! Coverage: does the report say exactly how much there is and how much was read?

use research_agents::kernel::report::Block;

use super::scope::Reading;
use crate::dataset::case::READ;
use crate::dataset::metrics;
use crate::harness::score::Score;

/// What is looked at.
pub const PARTS: usize = 5;

/// Scores total, number of records read, cap, the coverage line, and that nothing else was read.
pub fn score(reading: &Reading<'_>, score: &mut Score) {
    let coverage = &reading.report.coverage;
    let total = reading.scope.len();
    let read = total.min(READ);
    let mut wrong = Vec::new();
    if coverage.total != Some(total as u64) {
        let stated = coverage.total.map_or("nothing".to_owned(), |total| total.to_string());
        wrong.push(format!("the question is about {total} records, the report says {stated}"));
    }
    if coverage.fetched != read as u64 {
        wrong.push(format!("{read} records should be read, the report says {}", coverage.fetched));
    }
    if coverage.capped != (total > READ) {
        wrong.push(format!("the report is {}said to be capped", if coverage.capped { "" } else { "not " }));
    }
    let line = reading.document.sections.iter().flat_map(|section| &section.blocks).find_map(|block| match block {
        Block::Coverage(note) => Some(note),
        _ => None,
    });
    if line.is_none_or(|line| (line.read, line.total) != (read as u64, Some(total as u64))) {
        wrong.push("the coverage line of the report has other numbers".to_owned());
    }
    let sources = reading.report.sources.len();
    let outside = reading.read.difference(&reading.scope).count();
    if outside > 0 || sources != reading.read.len() || sources as u64 != coverage.fetched {
        wrong.push(format!("{sources} records were read, {outside} of them that the question is not about"));
    }
    score.add(&metrics::COVERAGE, PARTS, wrong);
}
