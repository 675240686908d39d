//! A model and a tool that return the keys that they were sent, in every spelling: nothing that a run shows, records, writes or
//! stores has one.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use futures::StreamExt;
use research_agents::dataset::DatasetAgent;
use research_agents::dataset::record::ReportFormat::ComprehensiveReport;
use research_agents::offline::OfflineModel;
use research_core_sqlite::SqliteCheckpointer;
use research_llm::openai::OpenAi;
use research_llm::redact::register_secret;
use research_llm::{ChatModel, EventStream, ModelError, ModelInfo, Request, Response, async_trait, replay_lazily};
use research_mcp::{BoxFuture, CallOutput, McpError, Object, Tool, ToolListing, ToolSource};
use serde_json::{Value, json};

/// The key of a model: words, not the shape of any provider's key.
const KEY: &str = "three/blind+mice sing";
/// The token of a server, in hexadecimal digits.
const TOKEN: &str = "0badc0de0badc0de";

/// A key in the spellings in which a server may return it.
fn spellings(key: &str) -> Vec<String> {
    let hex: String = key.bytes().map(|byte| format!("{byte:02x}")).collect();
    let url: String = key.bytes().map(|byte| format!("%{byte:02X}")).collect();
    vec![
        key.to_owned(),
        STANDARD.encode(key),
        STANDARD.encode(format!("u:{key}")),
        URL_SAFE_NO_PAD.encode(key),
        url,
        key.replace('/', "%2F").replace('+', "%2B").replace(' ', "%20"),
        hex,
        Value::from(key).to_string(),
    ]
}

/// Adds the key to every sentence that a model may write freely.
fn echo(value: &mut Value, is_free: bool) {
    match value {
        Value::String(text) if is_free => *text = format!("{text} {}", spellings(KEY).join(" ")),
        Value::Array(items) => items.iter_mut().for_each(|item| echo(item, is_free)),
        Value::Object(fields) => {
            for (name, field) in fields {
                let free = ["limitations", "suggestions", "title", "reasoning", "thinking", "question", "text"];
                echo(field, is_free || free.contains(&name.as_str()));
            }
        }
        _ => {}
    }
}

/// The offline model as a server that returns its key.
struct Echo(OfflineModel);

#[async_trait]
impl ChatModel for Echo {
    fn info(&self) -> &ModelInfo {
        self.0.info()
    }

    async fn complete(&self, request: &Request) -> Result<Response, ModelError> {
        let mut answer = self.0.complete(request).await?;
        if let Ok(mut value) = serde_json::from_str(&answer.text) {
            echo(&mut value, false);
            answer.text = value.to_string();
        }
        answer.metadata.insert("request_id".to_owned(), KEY.into());
        Ok(answer)
    }

    fn stream(&self, request: Request) -> EventStream<'_> {
        replay_lazily(async move { self.complete(&request).await })
    }
}

/// A tool whose records and errors have the token in them.
struct Leaky;

impl ToolSource for Leaky {
    fn list_tools(&self) -> BoxFuture<'_, Result<ToolListing, McpError>> {
        let fields = json!({"zip": {"type": "integer"}, "id": {"type": "integer"}, "note": {"type": "string"}});
        let schema = json!({"type": "object", "properties": {
            "filters": {"type": "string", "contentSchema": {"type": "object", "properties": fields}},
            "group_by": {"type": "string"}, "page_size": {"type": "integer"}, "search_after": {"type": "array"}
        }});
        let tool = Tool::new("leaky", "list", schema.as_object().unwrap().clone());
        let tool = tool.with_description(format!("Lists records. {TOKEN}"));
        Box::pin(async move { Ok(ToolListing::new(vec![tool])) })
    }

    fn call_tool<'a>(&'a self, name: &'a str, arguments: Object) -> BoxFuture<'a, Result<CallOutput, McpError>> {
        let notes = spellings(TOKEN).into_iter().cycle();
        let record = |(id, note): (u64, String)| json!({"id": id, "zip": 8000 + id % 2, "note": format!("got {note}")});
        let documents: Vec<Value> = (1..=12).zip(notes).map(record).collect();
        let mut answer = json!({"documents": documents, "has_more": false, "data_context": {"unique_ids_matched": 12}});
        if arguments.contains_key("group_by") {
            let buckets = json!([{"key": 8000, "doc_count": 6}, {"key": 8001, "doc_count": 6}]);
            answer["aggregations"] = json!({"group_by": {"field": "zip", "buckets": buckets}});
        }
        Box::pin(async move {
            if arguments.contains_key("search_after") {
                let message = format!("refused: {}", spellings(TOKEN).join(" "));
                return Ok(CallOutput::error("leaky", name, message));
            }
            Ok(CallOutput::structured("leaky", name, answer))
        })
    }
}

#[tokio::test]
async fn no_output_of_a_run_has_a_key_that_servers_return() {
    // A client registers its key by itself, and a host the others.
    OpenAi::builder("m").base_url("http://127.0.0.1:9/v1").api_key(KEY).build().unwrap();
    register_secret(TOKEN);
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("runs.db");
    let store = SqliteCheckpointer::open(&file).await.unwrap();
    let agent = DatasetAgent::builder(Echo(OfflineModel::new()), Leaky).checkpointer(store).build().unwrap();

    let run = agent.run("Records by zip").format(ComprehensiveReport).thread("t").record();
    let mut stream = run.stream();
    let mut shown = String::new();
    while let Some(event) = stream.next().await {
        shown.push_str(&serde_json::to_string(&event).unwrap());
    }
    let report = stream.outcome().await.unwrap();
    let document = report.document.as_ref().unwrap();
    let bundle = report.bundle().unwrap().to_json().unwrap();
    let html = document.render(research_agents::kernel::Rendering::Html).unwrap();
    let debug = format!("{report:?}");
    drop(agent);
    let stored: Vec<u8> = ["runs.db", "runs.db-wal"]
        .iter()
        .filter_map(|name| std::fs::read(directory.path().join(name)).ok())
        .flatten()
        .collect();

    assert!(bundle.contains("[redacted]"), "the servers have returned no key");
    let outputs = [
        ("events", shown),
        ("Markdown", report.markdown.clone()),
        ("HTML", html),
        ("bundle", bundle),
        ("report", debug),
        ("store", String::from_utf8_lossy(&stored).into_owned()),
    ];
    for (what, text) in &outputs {
        assert!(!text.is_empty(), "{what}");
        for spelling in spellings(KEY).into_iter().chain(spellings(TOKEN)) {
            assert!(!text.contains(&spelling), "{what} has {spelling}");
        }
    }
}
