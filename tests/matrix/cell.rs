//! One cell of the matrix: a scan through the public API, and everything that must hold after it.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use research_agents::dataset::{DatasetAgent, DatasetConfig, DatasetReport, RetryPolicy};
use research_agents::kernel::BudgetLimits;
use research_llm::testing::ScriptedModel;
use serde_json::{Value, json};

use crate::shapes::Shape;
use crate::tool::{Call, Fault, Numbers, Times};
use crate::walk::{LIMIT, PAGE, calls_of_pages, pages};

/// What is scanned, and how.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    pub total: usize,
    pub batch: usize,
    pub fault: Fault,
    pub shape: Shape,
    /// The tool says how many match.
    pub told: bool,
}

impl Cell {
    /// Records that can be had: the first so many.
    fn within_reach(&self) -> usize {
        let (first, second) = self.first_pages();
        let most = match self.fault {
            Fault::RepeatedCursor => first + second,
            Fault::EmptyPage => first,
            Fault::ServerError(Times::Always)
            | Fault::Timeout(Times::Always)
            | Fault::CutJson(Times::Always)
            | Fault::ErrorAsResult(Times::Always) => first,
            _ => LIMIT,
        };
        self.total.min(most).min(LIMIT)
    }

    /// What is known in the end of how many match: what the tool says, else what came where the tool said that there is no
    /// more. Samples of groups are never all records.
    fn known(&self) -> Option<usize> {
        let ended = self.within_reach() == self.total && self.fault != Fault::Endless;
        let by_its_end = ended && (self.shape != Shape::Samples || self.total == 0);
        (self.told || by_its_end).then_some(self.total)
    }

    /// The sizes of the first two pages.
    fn first_pages(&self) -> (usize, usize) {
        let first = self.batch.min(PAGE);
        (first, if self.batch > PAGE { (self.batch - PAGE).min(PAGE) } else { first })
    }

    /// The most calls that may be made.
    fn most_calls(&self) -> usize {
        let least = pages(self.total, self.batch).len();
        let size = self.first_pages().1;
        match self.fault {
            Fault::None => least,
            Fault::Endless | Fault::SlowDown => least + 1,
            // Each page brings at least half of what is missing in its batch.
            Fault::Overlap => least * 8,
            Fault::RepeatedCursor | Fault::EmptyPage => least.min(2),
            // The call that failed, and pages half as long as it after it.
            Fault::ServerError(Times::Once)
            | Fault::Timeout(Times::Once)
            | Fault::CutJson(Times::Once)
            | Fault::ErrorAsResult(Times::Once) => {
                2 + calls_of_pages(self.total, self.batch, (size / 2).max(10).min(size))
            }
            // Two new tries, and that is all.
            _ => least.min(2) + 2,
        }
    }
}

/// A model that plans one scan and then the report, and draws no finding.
fn model(batch: usize) -> ScriptedModel {
    let call = |agent: &str, arguments: Value| json!({"reasoning": "", "tool_calls": [], "sub_agent_calls": [{"id": "a", "agent": agent, "arguments": arguments}]});
    ScriptedModel::new()
        .on_task("dataset.plan", call("scanner", json!({"batch_size": batch})))
        .always("dataset.plan", call("synthesizer", json!({})))
        .always("dataset.extract", json!({"findings": [], "themes_discovered": []}))
        .always("dataset.synthesize", json!({"title": "Numbers", "confidence": 0.5}))
}

/// Runs the cell and checks what came of it.
pub async fn check(cell: Cell) {
    let tool = Arc::new(Numbers::new(cell.total, cell.fault, cell.shape, cell.told));
    let retry = RetryPolicy::default().first_wait(Duration::ZERO);
    // Three hundred requests for one record each say the same three hundred times.
    let budget = BudgetLimits::default().tokens(10_000_000);
    let config = DatasetConfig { retry, budget, ..DatasetConfig::default() };
    let agent = DatasetAgent::builder(model(cell.batch), Arc::clone(&tool)).config(config).build().unwrap();
    let report = agent.run("all numbers").await.unwrap_or_else(|error| panic!("{cell:?}: {error}"));
    let ids: Vec<String> = (0..cell.within_reach()).map(|number| format!("n{number}")).collect();
    // Without a total nobody knows that a tool has no more which claims more for ever.
    let ended_early = ids.len() < cell.total || (cell.fault == Fault::Endless && !cell.told);
    is_the_truth(&report, &ids, cell.known(), ended_early, &format!("{cell:?}"));
    calls_are_few(&tool.calls(), cell);
}

/// The report holds these records, each once, and says exactly how much that is of how many match, as far as that is known.
pub fn is_the_truth(report: &DatasetReport, ids: &[String], known: Option<usize>, ended_early: bool, what: &str) {
    let records: Vec<&str> = report.sources.iter().map(|source| source.record.as_str()).collect();
    let distinct: BTreeSet<&str> = records.iter().copied().collect();
    assert_eq!(distinct, ids.iter().map(String::as_str).collect(), "{what}");
    assert_eq!(records.len(), ids.len(), "{what}: a record is there twice");
    assert!(records.len() <= LIMIT, "{what}");

    let (read, coverage) = (ids.len(), &report.coverage);
    assert_eq!((coverage.fetched, coverage.total), (read as u64, known.map(|total| total as u64)), "{what}");
    let share = known.map(|total| if total == 0 { 1.0 } else { read as f64 / total as f64 });
    let differ = |(one, other): (f64, f64)| (one - other).abs() > 1e-12;
    assert_eq!(coverage.fraction.is_some(), share.is_some(), "{what}: {coverage:?}");
    assert!(!coverage.fraction.zip(share).is_some_and(differ), "{what}: {coverage:?}");
    let is_whole = known == Some(read);
    let capped = read == LIMIT && !is_whole;
    assert_eq!(coverage.capped, capped, "{what}");
    let ended_early = ended_early || capped;
    assert_eq!(coverage.stopped_early.is_some(), ended_early, "{what}: {coverage:?}");
    assert_eq!(report.is_partial(), !is_whole, "{what}");
    assert_eq!(report.stats.docs_processed, read as u64, "{what}");

    let cap = if capped { ", scan limit 300" } else { "" };
    let grouped = |number: usize| match number {
        0..1_000 => number.to_string(),
        _ => format!("{},{:03}", number / 1_000, number % 1_000),
    };
    let sentence = match (known, share) {
        (Some(0), _) => "Coverage: 0 of 0 records read; no record matches.".to_owned(),
        (Some(total), _) if is_whole => format!("Coverage: {read} of {} records read.", grouped(total)),
        (Some(total), Some(share)) => {
            let total = grouped(total);
            format!("Coverage: {read} of {total} records read ({:.1} %), in the tool's order{cap}.", 100.0 * share)
        }
        _ if read == 0 => "Coverage: no record was read.".to_owned(),
        _ => format!("Coverage: {read} records read, in the tool's order; how many match is not known{cap}."),
    };
    assert!(report.markdown.contains(&sentence), "{what}: no `{sentence}` in\n{}", report.markdown);
    let told = coverage.stopped_early.as_ref().map(|reason| format!("Reading ended early: {reason}."));
    let limitations = report.limitations.join("\n");
    assert!(told.is_none_or(|told| limitations.contains(&told)), "{what}: {limitations}");
    assert_eq!(limitations.contains("Reading ended early"), ended_early, "{what}: {limitations}");
}

/// No call more than it takes, none for more than a page, and no page of documents twice.
fn calls_are_few(calls: &[Call], cell: Cell) {
    assert!(calls.len() <= cell.most_calls(), "{cell:?}: {} calls, at most {}", calls.len(), cell.most_calls());
    assert!(calls.iter().all(|call| (1..=PAGE).contains(&call.size)), "{cell:?}: {calls:?}");
    if cell.fault == Fault::None {
        let told: Vec<(usize, Value)> = calls.iter().map(|call| (call.size, call.cursor.clone())).collect();
        let pages = pages(cell.total, cell.batch).into_iter();
        let cursor = |at: usize| if at == 0 { Value::Null } else { json!([at]) };
        assert_eq!(told, pages.map(|(size, at)| (size, cursor(at))).collect::<Vec<_>>(), "{cell:?}");
    }
}
