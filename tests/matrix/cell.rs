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
}

impl Cell {
    /// Records that can be had: the first so many.
    fn within_reach(&self) -> usize {
        let (first, second) = self.first_pages();
        let most = match self.fault {
            Fault::RepeatedCursor => first + second,
            Fault::EmptyPage => first,
            Fault::ServerError(Times::Always) | Fault::Timeout(Times::Always) | Fault::CutJson(Times::Always) => first,
            _ => LIMIT,
        };
        self.total.min(most).min(LIMIT)
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
            Fault::ServerError(Times::Once) | Fault::Timeout(Times::Once) | Fault::CutJson(Times::Once) => {
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
    let tool = Arc::new(Numbers::new(cell.total, cell.fault, cell.shape));
    let retry = RetryPolicy::default().first_wait(Duration::ZERO);
    // Three hundred requests for one record each say the same three hundred times.
    let budget = BudgetLimits::default().tokens(10_000_000);
    let config = DatasetConfig { retry, budget, ..DatasetConfig::default() };
    let agent = DatasetAgent::builder(model(cell.batch), Arc::clone(&tool)).config(config).build().unwrap();
    let report = agent.run("all numbers").await.unwrap_or_else(|error| panic!("{cell:?}: {error}"));
    let ids: Vec<String> = (0..cell.within_reach()).map(|number| format!("n{number}")).collect();
    is_the_truth(&report, &ids, cell.total, &format!("{cell:?}"));
    calls_are_few(&tool.calls(), cell);
}

/// The report holds these records, each once, and says exactly how much of all that is.
pub fn is_the_truth(report: &DatasetReport, ids: &[String], total: usize, what: &str) {
    let records: Vec<&str> = report.sources.iter().map(|source| source.record.as_str()).collect();
    let distinct: BTreeSet<&str> = records.iter().copied().collect();
    assert_eq!(distinct, ids.iter().map(String::as_str).collect(), "{what}");
    assert_eq!(records.len(), ids.len(), "{what}: a record is there twice");
    assert!(records.len() <= LIMIT, "{what}");

    let (read, coverage) = (ids.len(), &report.coverage);
    assert_eq!((coverage.fetched, coverage.total), (read as u64, Some(total as u64)), "{what}");
    let share = if total == 0 { 1.0 } else { read as f64 / total as f64 };
    assert!(coverage.fraction.is_some_and(|fraction| (fraction - share).abs() < 1e-12), "{what}: {coverage:?}");
    let capped = read == LIMIT && total > LIMIT;
    assert_eq!(coverage.capped, capped, "{what}");
    assert_eq!(coverage.stopped_early.is_some(), read < total, "{what}: {coverage:?}");
    assert_eq!(report.is_partial(), read < total, "{what}");
    assert_eq!(report.stats.docs_processed, read as u64, "{what}");

    let sentence = match (read < total, capped) {
        _ if total == 0 => "Coverage: 0 of 0 records read; no record matches.".to_owned(),
        (false, _) => format!("Coverage: {read} of {total} records read."),
        (true, capped) => {
            let cap = if capped { ", scan limit 300" } else { "" };
            format!("Coverage: {read} of {total} records read ({:.1} %), in the tool's order{cap}.", 100.0 * share)
        }
    };
    assert!(report.markdown.contains(&sentence), "{what}: no `{sentence}` in\n{}", report.markdown);
    let told = coverage.stopped_early.as_ref().map(|reason| format!("Reading ended early: {reason}."));
    let limitations = report.limitations.join("\n");
    assert!(told.is_none_or(|told| limitations.contains(&told)), "{what}: {limitations}");
    assert_eq!(limitations.contains("Reading ended early"), read < total, "{what}: {limitations}");
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
