//! Questions that follow on a finished thread, over every kind of store.

use std::sync::Arc;

use research_agents::Error;
use research_agents::dataset::{DatasetAgent, DatasetConfig, DatasetReport};
use research_agents::kernel::resolve_citations;
use research_agents::offline::OfflineModel;
use research_core::checkpoint::{Checkpointer, MemoryCheckpointer};
use research_core_sqlite::SqliteCheckpointer;
use serde_json::{Value, json};

use crate::own_checkpointer::JsonLines;
use crate::script::{PLAN, golden_start, helpful, prompt};
use crate::strikes::{Row, Strikes, by, count, filters, groups};
use crate::{CallLog, fixture};

const FIRST: &str = "Strikes at night by state";

async fn agent(strikes: &Strikes, store: impl Checkpointer) -> DatasetAgent {
    let builder = DatasetAgent::builder(OfflineModel::new(), strikes.hub().await);
    builder.checkpointer(store).build().unwrap()
}

/// The groups by size of the rows that are such.
fn sizes(is_such: impl Fn(Row) -> bool) -> Vec<(String, u64)> {
    let of = |size: &str| (size.to_owned(), count(|row| is_such(row) && row.size == size));
    ["Large", "Medium", "Small"].map(of).into()
}

fn calls(report: &DatasetReport) -> u64 {
    report.stats.mcp_calls
}

/// A report holds for itself: all it cites is in it.
fn is_whole(report: &DatasetReport) {
    let cited = resolve_citations(&report.markdown).unwrap();
    assert!(!cited.aggregations.is_empty(), "{}", report.markdown);
    for id in &cited.aggregations {
        assert!(report.aggregations.iter().any(|table| table.id == *id), "{id}: {}", report.markdown);
    }
    assert!(report.coverage.fraction.is_some_and(|part| part >= 1.0), "{:?}", report.coverage);
    assert_eq!(report.sources.len() as u64, report.coverage.fetched);
}

/// Three turns; each asks over an agent of its own, as another process would.
async fn converse<C: Checkpointer, F: AsyncFn() -> C>(open: F) {
    let strikes = Strikes::new();
    let ask = async |question: &str| agent(&strikes, open().await).await.run(question).thread("t").await;
    let first = ask(FIRST).await.unwrap();
    let night = |row: Row| row.light == "Night";
    assert_eq!((first.turn, first.turns.len()), (1, 0));
    assert_eq!(by(&first.aggregations, "State").total_docs, count(night));

    let second = ask("and by size?").await.unwrap();
    let table = by(&second.aggregations, "Size");
    assert_eq!((filters(table), groups(table)), (json!({"Light": "Night"}), sizes(night)));
    let understood = "Understood as: records where Light = Night, by Size, following on “Strikes at night by state”.";
    assert!(second.markdown.contains(understood), "{}", second.markdown);
    assert_eq!((second.turn, second.turns[0].question.as_str(), second.stats.iterations), (2, FIRST, 2));
    assert_eq!(second.turns[0].key_findings, first.key_findings);
    is_whole(&second);
    // What comes again keeps its id, and no new aggregation has the number of an old one.
    for table in &second.aggregations {
        let same = |older: &&_| -> bool {
            let older: &research_agents::dataset::record::AggregationResult = older;
            (&older.field, &older.filters, older.kind) == (&table.field, &table.filters, table.kind)
        };
        match first.aggregations.iter().find(same) {
            Some(older) => assert_eq!(older.id, table.id),
            None => assert!(first.aggregations.iter().all(|older| older.id != table.id), "{}", table.id),
        }
    }
    for source in second.sources.iter() {
        assert_eq!(first.sources.of_record(&source.tool, &source.record).unwrap().id, source.id);
    }
    assert_eq!(second.earlier.sources, first.sources);

    let third = ask("only large ones in Texas").await.unwrap();
    let table = &third.aggregations[0];
    let such = |row: Row| night(row) && row.state == "Texas" && row.size == "Large";
    assert_eq!(filters(table), json!({"Light": "Night", "State": "Texas", "Size": "Large"}));
    assert_eq!((table.total_docs, third.turn), (count(such), 3));
    is_whole(&third);

    // The last question again gives its report without a call; an earlier one is asked anew.
    let again = ask("only large ones in Texas").await.unwrap();
    assert_eq!((&again.markdown, again.turn, calls(&again)), (&third.markdown, 3, calls(&third)));
    let once_more = ask(FIRST).await.unwrap();
    assert_eq!(
        (once_more.turn, groups(by(&once_more.aggregations, "State"))),
        (4, groups(by(&first.aggregations, "State")))
    );
}

#[tokio::test]
async fn a_conversation_goes_on_over_the_store_in_memory() {
    let store = MemoryCheckpointer::new();
    converse(async || store.clone()).await;
}

#[tokio::test]
async fn a_conversation_goes_on_over_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    converse(async || SqliteCheckpointer::open(folder.path().join("runs.db")).await.unwrap()).await;
}

#[tokio::test]
async fn a_conversation_goes_on_over_a_store_of_the_hosts_own() {
    let folder = tempfile::tempdir().unwrap();
    converse(async || JsonLines::open(folder.path().join("runs.jsonl")).unwrap()).await;
}

#[tokio::test]
async fn a_waiting_thread_takes_no_other_question() {
    let strikes = Strikes::new();
    let config =
        DatasetConfig { clarification: research_agents::dataset::ClarificationPolicy::Ask, ..DatasetConfig::default() };
    let builder = DatasetAgent::builder(OfflineModel::new(), strikes.hub().await).config(config);
    let agent = builder.checkpointer(MemoryCheckpointer::new()).build().unwrap();
    agent.run("Strikes in Washington").thread("t").await.unwrap_err();
    let error = agent.run(FIRST).thread("t").await.unwrap_err();
    assert!(matches!(&error, Error::OtherQuestion { stored, .. } if stored == "Strikes in Washington"), "{error}");
    agent.resume("t", "1").await.unwrap();
    assert_eq!(agent.run(FIRST).thread("t").await.unwrap().turn, 2);
}

#[tokio::test]
async fn a_language_model_is_told_what_was_asked_and_found_before() {
    let log = CallLog::new();
    let hub = fixture(&["--log", log.path()]).await;
    let model = Arc::new(helpful().on_task(PLAN, golden_start()).on_task(PLAN, golden_start()));
    let config = DatasetConfig { max_iterations: 1, ..DatasetConfig::default() };
    let builder = DatasetAgent::builder(Arc::clone(&model), Arc::clone(&hub)).config(config);
    let agent = builder.checkpointer(MemoryCheckpointer::new()).build().unwrap();
    agent.run("India events by theme").thread("t").await.unwrap();
    let report = agent.run("and by city?").thread("t").await.unwrap();
    hub.close().await;
    assert_eq!((report.turn, log.arguments().len()), (2, 2));
    let second = prompt(&model, PLAN, 1);
    assert!(
        second.contains("(It follows on these questions, answered before: \"India events by theme\".)"),
        "{second}"
    );
    assert!(second.contains("earlier question: India events by theme asked of"), "{second}");
    assert!(second.contains("where country = India by event_theme (165 records)"), "{second}");
    assert!(!prompt(&model, PLAN, 0).contains("earlier question"));
    let state: Value = model.calls_of(PLAN)[1].task.as_ref().unwrap().input["state"].clone();
    assert_eq!((&state["sources"], &state["sub_questions"]), (&json!(0), &json!([])), "the turn begins anew");
}
