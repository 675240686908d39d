//! A model whose answers are made worse on purpose: an evaluation that does not notice is worth nothing.

use std::sync::Arc;

use clap::ValueEnum;
use research_agents::dataset::task::{EXTRACT, INSIGHTS, SYNTHESIZE};
use research_llm::{ChatModel, EventStream, ModelError, ModelInfo, Request, Response, async_trait, replay_lazily};
use serde_json::Value;

/// What is spoiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Spoil {
    /// Nothing that the model draws from records arrives
    Findings,
    /// Every number of its insights and of its report is one too high, in the words and in the claims
    Numbers,
}

/// Spoils the answers of a model.
pub struct Spoiled {
    model: Arc<dyn ChatModel>,
    what: Spoil,
}

impl Spoiled {
    /// The model, spoiled.
    pub fn new(model: Arc<dyn ChatModel>, what: Spoil) -> Self {
        Self { model, what }
    }

    async fn answer(&self, request: &Request) -> Result<Response, ModelError> {
        let mut response = self.model.complete(request).await?;
        let task = request.task.as_ref().map_or("", |task| task.name.as_str());
        // What is no JSON is no answer either way.
        if let Ok(mut answer) = serde_json::from_str::<Value>(&response.text) {
            match (self.what, task) {
                (Spoil::Findings, EXTRACT) => answer["findings"] = Value::Array(Vec::new()),
                (Spoil::Numbers, SYNTHESIZE | INSIGHTS) => raise(&mut answer),
                _ => return Ok(response),
            }
            response.text = answer.to_string();
        }
        Ok(response)
    }
}

#[async_trait]
impl ChatModel for Spoiled {
    fn info(&self) -> &ModelInfo {
        self.model.info()
    }

    async fn complete(&self, request: &Request) -> Result<Response, ModelError> {
        self.answer(request).await
    }

    fn stream(&self, request: Request) -> EventStream<'_> {
        // What is spoiled is known only when it is whole.
        replay_lazily(async move { self.answer(&request).await })
    }
}

/// Raises the number of every claim and every number in a sentence.
fn raise(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(raise),
        Value::Object(members) => {
            for (name, member) in members {
                match (name.as_str(), &*member) {
                    ("number", Value::Number(number)) => {
                        let raised = number.as_u64().map(|number| Value::from(number + 1));
                        *member = raised.or_else(|| Some(Value::from(number.as_f64()? + 1.0))).unwrap_or_default();
                    }
                    ("text", Value::String(text)) => *member = Value::String(raised(text)),
                    _ => raise(member),
                }
            }
        }
        _ => {}
    }
}

fn raised(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let digits = rest[at..].find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len() - at);
        out.push_str(&rest[..at]);
        let number = &rest[at..at + digits];
        out.push_str(&number.parse::<u64>().map_or_else(|_| number.to_owned(), |number| (number + 1).to_string()));
        rest = &rest[at + digits..];
    }
    out + rest
}
