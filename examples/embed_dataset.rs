//! The dataset agent inside a program of one's own: over a data tool that is a function of it, with a sub-agent of its own, and with
//! a report that is verified and replayed.
//!
//! ```sh
//! cargo run --example embed_dataset
//! cargo run --example embed_dataset -- "Nervous colonies by yard"
//! ```

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::StreamExt;
use research_agents::Error;
use research_agents::dataset::record::{Object, SubQuestion};
use research_agents::dataset::{DatasetAgent, DatasetCx, EventKind, RunEvent, replay, verify};
use research_agents::kernel::Bundle;
use research_agents::mcp::Hub;
use research_agents::offline::OfflineModel;
use research_agents::subagent::{Card, SubAgent};
use research_mcp::server::{ServeError, ServerTool, ToolReply, ToolServer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

const YARDS: [&str; 3] = ["Hill", "River", "Wood"];
const MOODS: [&str; 2] = ["calm", "nervous"];

/// What every report has to answer, whatever was asked: it stands in for the agent that breaks a question into parts.
struct Checklist;

#[derive(Deserialize, JsonSchema)]
struct Asked {
    query: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Questions {
    sub_questions: Vec<SubQuestion>,
}

impl SubAgent<DatasetCx> for Checklist {
    type Input = Asked;
    type Output = Questions;

    fn card(&self) -> Card {
        Card::new("decomposer", "Gives the questions that every report of ours answers.").use_when("at the start")
    }

    async fn run(&self, _cx: &DatasetCx, asked: Asked) -> Result<Questions, Error> {
        let ours = ["How many inspections are there?", "What differs by yard?", "In which range do the mites lie?"];
        let questions = ours.map(String::from).into_iter().chain([asked.query]).zip(1..);
        let numbered = |(question, number): (String, u32)| SubQuestion {
            id: format!("sq_{number}"),
            question,
            priority: number,
            depends_on: Vec::new(),
        };
        Ok(Questions { sub_questions: questions.map(numbered).collect() })
    }
}

/// A data tool: an argument for each field that it filters by, one for groups, and two that page.
fn server() -> Result<ToolServer, ServeError> {
    let schema = json!({"type": "object", "properties": {
        "yard": {"type": "string", "enum": YARDS},
        "mood": {"type": "string", "enum": MOODS},
        "group_by": {"type": "string", "description": "fields to count by, separated by commas"},
        "offset": {"type": "integer", "minimum": 0},
        "limit": {"type": "integer", "minimum": 1, "maximum": 100},
    }});
    let tool =
        ServerTool::new("inspections", "Filters, counts and lists inspections of hives.", schema, |call| async move {
            Ok(ToolReply::structured(answer(call.arguments())))
        });
    ToolServer::builder("yard_book", "1.0.0").tool(tool.read_only(true)).build()
}

fn answer(asked: &Object) -> Value {
    let fits = |one: &Value| {
        ["yard", "mood"].iter().all(|field| asked.get(*field).is_none_or(|wanted| one[*field] == *wanted))
    };
    let matching: Vec<Value> = (0..90).map(inspection).filter(fits).collect();
    let number = |name: &str, usual: u64| asked.get(name).and_then(Value::as_u64).unwrap_or(usual) as usize;
    let page: Vec<&Value> = matching.iter().skip(number("offset", 0)).take(number("limit", 20)).collect();
    let mut result = json!({"total": matching.len(), "documents": page});
    if let Some(fields) = asked.get("group_by").and_then(Value::as_str) {
        result["aggregations"] = json!({"group_by": {"field": fields, "buckets": groups(&matching, fields)}});
    }
    result
}

fn inspection(number: u64) -> Value {
    let yard = YARDS[number as usize % 3];
    let is_nervous = number.is_multiple_of(11) || (yard == "River" && number.is_multiple_of(2));
    let mites = number * 7 % 13 + if yard == "River" { 10 } else { 0 };
    json!({"id": format!("I-{number}"), "yard": yard, "mood": MOODS[usize::from(is_nervous)], "mites": mites})
}

fn groups(matching: &[Value], fields: &str) -> Vec<Value> {
    let mut counts: BTreeMap<Vec<&str>, u64> = BTreeMap::new();
    for one in matching {
        let key = fields.split(',').map(|field| one[field.trim()].as_str().unwrap_or_default()).collect();
        *counts.entry(key).or_default() += 1;
    }
    let key = |values: &[&str]| if let [one] = values { json!(one) } else { json!(values) };
    counts.iter().map(|(values, count)| json!({"key": key(values), "doc_count": count})).collect()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let question = std::env::args().nth(1).unwrap_or_else(|| "Inspections by yard".to_string());
    let hub = Arc::new(Hub::builder().in_process("yards", server()?).connect().await?);
    let agent = DatasetAgent::builder(OfflineModel::new(), Arc::clone(&hub)).agent(Checklist).build()?;
    let mut events = agent.run(question).record().stream();
    while let Some(event) = events.next().await {
        if let EventKind::Run(RunEvent::Progress { percent, message }) = event.kind {
            eprintln!("{percent:3} % {message}");
        }
    }
    let report = events.outcome().await?;
    hub.close().await;
    println!("{}", report.markdown);

    // What would be written to a file. From here on there is no tool: all comes from it.
    let file = report.bundle().ok_or("the report is text only")?.to_json()?;
    let bundle = Bundle::from_json(&file)?;
    let verification = verify(&bundle);
    verification.failures().for_each(|failure| eprintln!("{}: {}", failure.place, failure.what));
    let again = replay(&bundle)?.agent(Checklist).await?;
    eprintln!("it holds: {}; the same again: {}", verification.holds(), again.markdown == report.markdown);
    Ok(())
}
