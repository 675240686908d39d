//! Questions that can be read in several ways: asked of the user in this process or over a thread, or taken in the likeliest way.

use std::sync::{Arc, Mutex};

use futures::StreamExt;
use research_agents::Error;
use research_agents::dataset::{ClarificationPolicy, DatasetAgent, DatasetConfig, DatasetReport, DatasetRun};
use research_agents::kernel::{Clarification, Clarifier};
use research_agents::mcp::BoxFuture;
use research_agents::offline::OfflineModel;
use research_core_sqlite::SqliteCheckpointer;
use research_llm::testing::ScriptedModel;
use serde_json::{Value, json};

use crate::script::{PLAN, golden_start, helpful, prompt};
use crate::strikes::{Strikes, by, count, filters, groups};
use crate::{CallLog, fixture};

/// `Washington` is a state and an airport.
const QUESTION: &str = "Strikes in Washington by size";
const CLARIFY: &str = "dataset.clarify";

fn config(clarification: ClarificationPolicy) -> DatasetConfig {
    DatasetConfig { clarification, ..DatasetConfig::default() }
}

async fn agent(strikes: &Strikes, clarification: ClarificationPolicy) -> DatasetAgent {
    let store = SqliteCheckpointer::open(strikes.file("runs.db")).await.unwrap();
    let builder = DatasetAgent::builder(OfflineModel::new(), strikes.hub().await).config(config(clarification));
    builder.checkpointer(store).build().unwrap()
}

/// Answers what it is asked, and remembers it.
struct Answering(&'static str, Arc<Mutex<Vec<Clarification>>>);

impl Clarifier for Answering {
    fn ask(&self, clarification: Clarification) -> BoxFuture<'_, Option<String>> {
        self.1.lock().unwrap().push(clarification);
        Box::pin(async { Some(self.0.to_owned()) })
    }
}

/// What is counted by size, and under which filters.
fn sizes(report: &DatasetReport) -> (Value, Vec<(String, u64)>) {
    let table = by(&report.aggregations, "Size");
    (filters(table), groups(table))
}

fn expected(field: &str) -> (Value, Vec<(String, u64)>) {
    let is_there = |row: crate::strikes::Row| match field {
        "State" => row.state == "Washington",
        _ => row.airport == "Washington",
    };
    let of = |size: &str| (size.to_owned(), count(|row| is_there(row) && row.size == size));
    (json!({ field: "Washington" }), ["Large", "Medium", "Small"].map(of).into())
}

async fn events(run: DatasetRun) -> (Vec<Value>, Result<DatasetReport, Error>) {
    let mut stream = run.stream();
    let mut events = Vec::new();
    while let Some(event) = stream.next().await {
        events.push(serde_json::to_value(&event).unwrap());
    }
    (events, stream.outcome().await)
}

#[tokio::test]
async fn where_nobody_is_asked_the_likeliest_reading_holds_and_the_report_says_so() {
    let strikes = Strikes::new();
    let agent = agent(&strikes, ClarificationPolicy::Assume).await;
    let (events, report) = events(agent.run(QUESTION)).await;
    let report = report.unwrap();
    assert_eq!(sizes(&report), expected("State"));
    let told = "“Washington” is a value of several fields: it was taken as State = Washington; it could also mean \
                Airport = Washington.";
    assert!(report.limitations.iter().any(|line| line == told), "{:?}", report.limitations);
    assert!(report.markdown.contains("it was taken as State = Washington"), "{}", report.markdown);
    let settled: Vec<&Value> = events.iter().filter(|event| event["event"] == "clarified").collect();
    assert_eq!((settled.len(), &settled[0]["assumed"]), (1, &json!(true)));
    assert!(events.iter().all(|event| event["event"] != "clarification_required"), "{events:?}");
}

#[tokio::test]
async fn an_interrupted_run_goes_on_in_another_process_with_the_answer() {
    let strikes = Strikes::new();
    let first = agent(&strikes, ClarificationPolicy::Ask).await;
    let (events, outcome) = events(first.run(QUESTION).thread("t")).await;
    drop(first);
    let last = events.last().unwrap();
    assert_eq!((&last["event"], &last["default"]), (&json!("clarification_required"), &json!("State = Washington")));
    assert_eq!(last["options"], json!(["State = Washington", "Airport = Washington"]));
    let token = last["resume_token"].as_str().unwrap().to_owned();
    assert!(events.iter().all(|event| event["event"] != "plan" && event["event"] != "tool_call"), "{events:?}");
    let Err(Error::ClarificationRequired { thread, clarification }) = outcome else { panic!("{outcome:?}") };
    assert_eq!((thread.as_str(), clarification.options.len()), ("t", 2));

    // The store is opened anew, and the settings of this agent ask nobody: the answer is taken all the same.
    let second = agent(&strikes, ClarificationPolicy::Assume).await;
    let again = second.run(QUESTION).thread("t").await.unwrap_err();
    assert!(matches!(again, Error::ClarificationRequired { .. }), "{again}");
    let stale = second.run(QUESTION).thread("t").answer_to("another", "2").await.unwrap_err();
    assert!(stale.to_string().contains("another"), "{stale}");
    let report = second.run(QUESTION).thread("t").answer_to(token, "the airport").await.unwrap();
    assert_eq!(sizes(&report), expected("Airport"));
    assert!(report.markdown.contains("Understood as: Airport = Washington."), "{}", report.markdown);
    assert_eq!(report.clarifications[0].answer, "the airport");
    assert!(report.limitations.iter().all(|line| !line.contains("it was taken as")), "{:?}", report.limitations);
    let finished = second.resume("t", "1").await.unwrap_err();
    assert!(finished.to_string().contains("waits for no answer"), "{finished}");
}

#[tokio::test]
async fn an_empty_answer_leaves_the_question_as_it_is() {
    let strikes = Strikes::new();
    let agent = agent(&strikes, ClarificationPolicy::Ask).await;
    agent.run(QUESTION).thread("t").await.unwrap_err();
    let report = agent.resume("t", "  ").await.unwrap();
    assert_eq!(sizes(&report), expected("State"));
    assert!(report.clarifications[0].assumed);
}

#[tokio::test]
async fn somebody_in_this_process_is_asked_without_a_thread_and_once() {
    let strikes = Strikes::new();
    let agent = agent(&strikes, ClarificationPolicy::Ask).await;
    let asked = Arc::default();
    let run = agent.run(QUESTION).clarifier(Answering("2", Arc::clone(&asked)));
    let (events, report) = events(run).await;
    assert_eq!(sizes(&report.unwrap()), expected("Airport"));
    let asked = asked.lock().unwrap();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].question, "“Washington” is a value of several fields. Which one is meant?");
    let required: Vec<&Value> = events.iter().filter(|event| event["event"] == "clarification_required").collect();
    assert_eq!((required.len(), required[0].get("resume_token")), (1, None));
    assert_eq!(events.last().unwrap()["event"], "run_completed");
}

#[tokio::test]
async fn own_words_go_on_with_the_question() {
    let strikes = Strikes::new();
    let agent = agent(&strikes, ClarificationPolicy::Ask).await;
    let run = agent.run("Who won the cup?").clarifier(Answering("large strikes in Texas by airport", Arc::default()));
    let report = run.await.unwrap();
    let table = by(&report.aggregations, "Airport");
    assert_eq!(filters(table), json!({"State": "Texas", "Size": "Large"}));
    assert_eq!(table.total_docs, count(|row| row.state == "Texas" && row.size == "Large"));
}

#[tokio::test]
async fn without_thread_and_clarifier_a_run_never_waits_and_with_0_nothing_is_looked_for() {
    let strikes = Strikes::new();
    let report = agent(&strikes, ClarificationPolicy::Ask).await.run(QUESTION).await.unwrap();
    assert_eq!(sizes(&report), expected("State"));
    assert!(report.clarifications[0].assumed);
    let never = DatasetConfig { max_clarifications: 0, ..config(ClarificationPolicy::Ask) };
    let agent = DatasetAgent::builder(OfflineModel::new(), strikes.hub().await).config(never).build().unwrap();
    let report = agent.run(QUESTION).clarifier(Answering("2", Arc::default())).await.unwrap();
    assert_eq!((sizes(&report), report.clarifications.len()), (expected("State"), 0));
}

#[tokio::test]
async fn a_clear_question_asks_nothing() {
    let strikes = Strikes::new();
    let agent = agent(&strikes, ClarificationPolicy::Ask).await;
    for question in
        ["Strikes in the state of Washington by size", "Strikes at night by airport", "What does this show?"]
    {
        let report = agent.run(question).thread(question).await.unwrap();
        assert!(report.clarifications.is_empty(), "{question}: {:?}", report.clarifications);
    }
}

/// A language model that asks first, or finds all clear.
fn asking(is_ambiguous: bool) -> Arc<ScriptedModel> {
    let options = if is_ambiguous { json!(["by theme", "by city"]) } else { json!([]) };
    let question = if is_ambiguous { "Which grouping do you want?" } else { "" };
    let judged = json!({"is_ambiguous": is_ambiguous, "question": question, "options": options});
    Arc::new(helpful().on_task(CLARIFY, judged).on_task(PLAN, golden_start()))
}

#[tokio::test]
async fn a_language_model_asks_where_somebody_can_answer_and_plans_with_the_answer() {
    let log = CallLog::new();
    let hub = fixture(&["--log", log.path()]).await;
    for (is_ambiguous, calls) in [(true, 1), (false, 0)] {
        let model = asking(is_ambiguous);
        let builder = DatasetAgent::builder(Arc::clone(&model), Arc::clone(&hub));
        let config = DatasetConfig { max_iterations: 1, ..config(ClarificationPolicy::Ask) };
        let agent = builder.config(config).build().unwrap();
        let asked = Arc::default();
        agent.run("India events").clarifier(Answering("2", Arc::clone(&asked))).await.unwrap();
        let asked = asked.lock().unwrap();
        assert_eq!((asked.len(), model.calls_of(CLARIFY).len()), (calls, 1));
        let planned = prompt(&model, PLAN, 0);
        let answer = "unclear: Which grouping do you want? the user answers: by city";
        assert_eq!(planned.contains(answer), is_ambiguous, "{planned}");
        assert!(prompt(&model, CLARIFY, 0).contains("- event_theme"));
    }
    // Nobody can be asked: the model is not, either.
    let model = asking(true);
    let agent = DatasetAgent::builder(Arc::clone(&model), Arc::clone(&hub)).build().unwrap();
    agent.run("India events").max_iterations(1).await.unwrap();
    assert!(model.calls_of(CLARIFY).is_empty());
    hub.close().await;
}
