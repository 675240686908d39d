//! The texts as a source of tools, and the systems that the tests run.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use research_agents::mcp::{BoxFuture, CallOutput, McpError, Object, Tool, ToolListing, ToolSource};
use research_agents::runtime::limits::BudgetLimits;
use research_agents::runtime::offline::OfflineModel;
use research_agents::runtime::run::{Hosted, QuestionInput, Run};
use research_core::Checkpointer;
use serde_json::json;
use tokio::sync::Semaphore;

use crate::survey::{Words, answers};

pub const QUESTION: &str = "Which word of at least 4 letters is in most texts?";

/// Says everything but how long a word must be.
pub const UNCLEAR: &str = "Which word is in most texts?";

pub const TEXTS: [&str; 5] = [
    "A forager that finds clover returns to the hive and dances.",
    "The angle of the dance gives the direction of the clover.",
    "Rain keeps foragers in the hive, and nobody dances.",
    "Near the hive a round dance is enough: clover, close by.",
    "Smoke calms a colony before its home is opened.",
];

/// Five texts. Clones share what is counted.
#[derive(Clone, Default)]
pub struct Texts {
    /// The texts that were read, in order.
    pub read: Arc<Mutex<Vec<String>>>,
    /// How many of the first reads fail with a transient error.
    pub failures: Arc<AtomicUsize>,
    /// Holds reads back until permits are added, if there is one.
    pub gate: Option<Arc<Semaphore>>,
}

impl Texts {
    pub fn read(&self) -> Vec<String> {
        let mut read = self.read.lock().unwrap().clone();
        read.sort();
        read
    }

    async fn text(&self, id: String) -> Result<CallOutput, McpError> {
        if let Some(gate) = &self.gate {
            gate.acquire().await.unwrap().forget();
        }
        if self.failures.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok() {
            return Err(McpError::Closed {
                server: "texts".into(),
                tool: Some("read_text".into()),
                reason: "the connection was reset".into(),
                stderr: String::new(),
            });
        }
        self.read.lock().unwrap().push(id.clone());
        let number: usize = id.trim_start_matches('t').parse().unwrap();
        Ok(CallOutput::structured("texts", "read_text", json!({"id": id, "text": TEXTS[number - 1]})))
    }
}

impl ToolSource for Texts {
    fn list_tools(&self) -> BoxFuture<'_, Result<ToolListing, McpError>> {
        let tool = |name: &str| Tool::new("texts", name, Object::new());
        Box::pin(async move { Ok(ToolListing::new(vec![tool("list_texts"), tool("read_text")])) })
    }

    fn call_tool<'a>(&'a self, name: &'a str, arguments: Object) -> BoxFuture<'a, Result<CallOutput, McpError>> {
        Box::pin(async move {
            match name {
                "list_texts" => Ok(CallOutput::structured("texts", name, json!(["t1", "t2", "t3", "t4", "t5"]))),
                _ => self.text(arguments["id"].as_str().unwrap().to_owned()).await,
            }
        })
    }
}

/// The survey over these texts, with this budget.
pub fn survey_within(texts: &Texts, budget: BudgetLimits) -> Hosted<Words> {
    let model = Arc::new(OfflineModel::new(answers()));
    Hosted::new(model, Arc::new(texts.clone()), budget).unwrap()
}

/// The survey over these texts.
pub fn survey(texts: &Texts) -> Hosted<Words> {
    survey_within(texts, BudgetLimits::default())
}

/// The survey over these texts, which keeps its runs in a store.
pub fn kept(texts: &Texts, store: impl Checkpointer) -> Hosted<Words> {
    survey(texts).checkpointer(store)
}

/// A run that asks this.
pub fn ask(system: &Hosted<Words>, question: &str) -> Run<Hosted<Words>> {
    system.run(input(question))
}

/// What a run is asked to do.
pub fn input(question: &str) -> QuestionInput {
    QuestionInput { question: question.to_owned(), ..QuestionInput::default() }
}
