//! Runs on a thread: cut off at every question to the model and every call of a tool, and gone on with.

use std::collections::BTreeMap;
use std::future::pending;
use std::sync::{Arc, Mutex};

use research_agents::Error;
use research_agents::dataset::{DatasetAgent, DatasetReport, DatasetRun};
use research_agents::offline::OfflineModel;
use research_core::checkpoint::MemoryCheckpointer;
use research_llm::{ChatModel, EventStream, ModelError, ModelInfo, Request, Response, async_trait};
use research_mcp::{BoxFuture, CallOutput, McpError, Object, ToolListing, ToolSource};
use tokio::sync::Notify;

use crate::fake::FakeTool;

const QUESTION: &str = "numbers by parity";

/// What was asked outside, in order, and what answered; the one of number `cut` never does.
#[derive(Default)]
struct Outside {
    cut: Option<usize>,
    asked: Mutex<Vec<String>>,
    answered: Mutex<Vec<String>>,
    reached: Notify,
}

impl Outside {
    fn new(cut: Option<usize>) -> Arc<Self> {
        Arc::new(Self { cut, ..Self::default() })
    }

    async fn ask<T>(&self, what: String, answer: impl Future<Output = T>) -> T {
        let number = {
            let mut asked = self.asked.lock().unwrap();
            asked.push(what.clone());
            asked.len() - 1
        };
        if self.cut == Some(number) {
            self.reached.notify_one();
            pending::<()>().await;
        }
        let answer = answer.await;
        self.answered.lock().unwrap().push(what);
        answer
    }

    fn answered(&self) -> Vec<String> {
        self.answered.lock().unwrap().clone()
    }
}

struct Watched<T>(Arc<Outside>, T);

impl ToolSource for Watched<FakeTool> {
    fn list_tools(&self) -> BoxFuture<'_, Result<ToolListing, McpError>> {
        self.1.list_tools()
    }
    fn call_tool<'a>(&'a self, name: &'a str, arguments: Object) -> BoxFuture<'a, Result<CallOutput, McpError>> {
        let what = format!("tool {}", serde_json::to_string(&arguments).unwrap());
        Box::pin(self.0.ask(what, self.1.call_tool(name, arguments)))
    }
}

#[async_trait]
impl ChatModel for Watched<OfflineModel> {
    fn info(&self) -> &ModelInfo {
        self.1.info()
    }
    async fn complete(&self, request: &Request) -> Result<Response, ModelError> {
        let task = request.task.as_ref().unwrap();
        self.0.ask(format!("model {} {}", task.name, task.input), self.1.complete(request)).await
    }
    fn stream(&self, request: Request) -> EventStream<'_> {
        self.1.stream(request)
    }
}

fn run(store: &MemoryCheckpointer, outside: &Arc<Outside>, question: &str) -> DatasetRun {
    let model = Watched(Arc::clone(outside), OfflineModel::new());
    let tool = Watched(Arc::clone(outside), FakeTool::new("analyze_events", 240));
    DatasetAgent::builder(model, tool).checkpointer(store.clone()).build().unwrap().run(question).thread("t")
}

fn told(report: &DatasetReport) -> (String, String) {
    let mut stats = serde_json::to_value(&report.stats).unwrap();
    stats["elapsed_ms"] = 0.into();
    (report.markdown.clone(), stats.to_string())
}

fn counted(effects: impl IntoIterator<Item = String>) -> BTreeMap<String, usize> {
    effects.into_iter().fold(BTreeMap::new(), |mut counts, effect| {
        *counts.entry(effect).or_default() += 1;
        counts
    })
}

#[tokio::test]
async fn a_run_that_is_cut_off_anywhere_ends_the_same_and_asks_for_nothing_twice() {
    let whole = Outside::new(None);
    let expected = told(&run(&MemoryCheckpointer::new(), &whole, QUESTION).await.unwrap());
    let effects = whole.answered();
    assert!(effects.len() > 8, "{effects:?}");
    for cut in 0..effects.len() {
        let store = MemoryCheckpointer::new();
        let first = Outside::new(Some(cut));
        tokio::select! {
            end = run(&store, &first, QUESTION) => panic!("cut {cut}: {end:?}"),
            () = first.reached.notified() => {}
        }
        let second = Outside::new(None);
        let report = run(&store, &second, QUESTION).await.unwrap();
        assert_eq!(told(&report), expected, "cut {cut}");
        let both = first.answered().into_iter().chain(second.answered());
        assert_eq!(counted(both), counted(effects.clone()), "cut {cut}");
    }
}

#[tokio::test]
async fn a_finished_thread_gives_its_report_and_asks_nothing() {
    let store = MemoryCheckpointer::new();
    let expected = told(&run(&store, &Outside::new(None), QUESTION).await.unwrap());
    let again = Outside::new(None);
    let mut stream = run(&store, &again, QUESTION).stream();
    let mut events = Vec::new();
    while let Some(event) = futures::StreamExt::next(&mut stream).await {
        events.push(serde_json::to_value(&event).unwrap());
    }
    let names: Vec<&str> = events.iter().map(|event| event["event"].as_str().unwrap()).collect();
    assert_eq!(names.first(), Some(&"run_started"), "{names:?}");
    assert_eq!(names.iter().filter(|name| **name == "report_end").count(), 1, "{names:?}");
    assert_eq!(names.last(), Some(&"run_completed"), "{names:?}");
    assert_eq!(told(&stream.outcome().await.unwrap()), expected);
    assert!(again.answered().is_empty());
}

#[tokio::test]
async fn a_second_turn_that_is_cut_off_anywhere_ends_the_same_and_asks_for_nothing_twice() {
    const NEXT: &str = "only even ones";
    let first_turn = async || {
        let store = MemoryCheckpointer::new();
        run(&store, &Outside::new(None), QUESTION).await.unwrap();
        store
    };
    let whole = Outside::new(None);
    let expected = told(&run(&first_turn().await, &whole, NEXT).await.unwrap());
    let effects = whole.answered();
    assert!(effects.len() > 8 && expected.0.contains("following on “numbers by parity”"), "{effects:?}");
    for cut in 0..effects.len() {
        let store = first_turn().await;
        let first = Outside::new(Some(cut));
        tokio::select! {
            end = run(&store, &first, NEXT) => panic!("cut {cut}: {end:?}"),
            () = first.reached.notified() => {}
        }
        let second = Outside::new(None);
        assert_eq!(told(&run(&store, &second, NEXT).await.unwrap()), expected, "cut {cut}");
        let both = first.answered().into_iter().chain(second.answered());
        assert_eq!(counted(both), counted(effects.clone()), "cut {cut}");
    }
}

#[tokio::test]
async fn an_unfinished_thread_answers_no_other_question() {
    let store = MemoryCheckpointer::new();
    let cut = Outside::new(Some(3));
    tokio::select! {
        end = run(&store, &cut, QUESTION) => panic!("{end:?}"),
        () = cut.reached.notified() => {}
    }
    let error = run(&store, &Outside::new(None), "something else").await.unwrap_err();
    assert!(
        matches!(&error, Error::OtherQuestion { thread, stored } if thread == "t" && stored == QUESTION),
        "{error}"
    );
}

#[tokio::test]
async fn a_thread_needs_a_store() {
    let agent = DatasetAgent::builder(OfflineModel::new(), FakeTool::new("analyze_events", 3)).build().unwrap();
    let error = agent.run(QUESTION).thread("t").await.unwrap_err();
    assert!(error.to_string().contains("checkpointer"), "{error}");
}
