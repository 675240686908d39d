//! A model whose answers are made worse on purpose: an evaluation that does not notice is worth nothing.

use std::sync::Arc;

use clap::ValueEnum;
use research_agents::dataset::DatasetReport;
use research_agents::dataset::task::{EXTRACT, INSIGHTS, SYNTHESIZE};
use research_agents::kernel::Report;
use research_llm::{ChatModel, EventStream, ModelError, ModelInfo, Request, Response, async_trait, replay_lazily};
use serde_json::Value;

/// What is spoiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Spoil {
    /// Nothing that the model draws from records arrives
    Findings,
    /// Every number of its insights and of its report is one too high, in the words and in the claims
    Numbers,
    /// The finished report says the opposite, has other numbers, and is sure of it
    Report,
}

impl Spoil {
    /// Returns what is spoiled, in a word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Findings => "findings",
            Self::Numbers => "numbers",
            Self::Report => "report",
        }
    }
}

/// Spoils a finished report: no checker stands between this and the reader.
pub fn report(mut report: DatasetReport, what: Spoil) -> DatasetReport {
    if what != Spoil::Report {
        return report;
    }

    let spoiled = report.document.as_ref().and_then(|document| {
        let mut document = serde_json::to_value(document).ok()?;
        turn_round(&mut document["sections"]);
        serde_json::from_value::<Report>(document).ok()
    });
    if let Some(document) = spoiled {
        report.markdown = document.to_markdown();
        report.document = Some(document);
    }
    report.stats.confidence = 1.0;
    report
}

/// Turns the verdict of every sentence round and raises its numbers.
fn turn_round(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(turn_round),
        Value::Object(members) => {
            for (name, member) in members {
                match member {
                    Value::String(text) if name == "text" => *text = raised(&opposite(text)),
                    member => turn_round(member),
                }
            }
        }
        _ => {}
    }
}

/// Returns a sentence with the opposite verdict.
fn opposite(text: &str) -> String {
    let turned = [("Yes", "No"), ("No", "Yes")].into_iter().find_map(|(word, other)| {
        let rest = text.strip_prefix(word)?;
        rest.starts_with([',', '.', ':', ';', ' ']).then(|| format!("{other}{rest}"))
    });
    turned.unwrap_or_else(|| text.to_owned())
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
