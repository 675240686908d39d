//! Servers whose schemas and results are made to cost the client its time or its memory.

mod cases;

use std::time::{Duration, Instant};

use futures::future::{join, join_all};
use research_mcp::{Hub, InvalidResults, Limits, McpError, Object, ServerPolicy, ToolSource};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};

use self::cases::{Case, Outcome, cases};
use crate::{fixture, object, watched};

/// Serves each case as a tool that promises the schema and returns the result.
fn server(cases: &[Case]) -> DuplexStream {
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let tool = |case: &Case| json!({"name": case.name, "inputSchema": {"type": "object"}, "outputSchema": case.schema});
    let tools: Vec<Value> = cases.iter().map(tool).collect();
    let results: Object = cases.iter().map(|case| (case.name.to_owned(), case.result.clone())).collect();
    tokio::spawn(async move {
        let (read, mut write) = tokio::io::split(theirs);
        let mut lines = BufReader::new(read).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            let request: Value = serde_json::from_str(&line).unwrap();
            let Some(id) = request.get("id") else { continue };
            let result = match request["method"].as_str().unwrap() {
                "initialize" => json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                    "serverInfo": {"name": "hostile", "version": "1"}}),
                "tools/list" => json!({ "tools": tools }),
                "tools/call" => {
                    let name = request["params"]["name"].as_str().unwrap();
                    json!({"content": [], "structuredContent": results[name]})
                }
                _ => {
                    let error = json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "no"}});
                    write.write_all(format!("{error}\n").as_bytes()).await.unwrap();
                    continue;
                }
            };
            let answer = json!({"jsonrpc": "2.0", "id": id, "result": result});
            write.write_all(format!("{answer}\n").as_bytes()).await.unwrap();
        }
    });
    ours
}

/// A good server, and one with these tools.
async fn beside(cases: &[Case], policy: ServerPolicy) -> Hub {
    let limits = Limits::default().connect(Duration::from_secs(120)).call(Duration::from_secs(300));
    let builder = Hub::builder().stdio("good", fixture(&["--tool", "search"]));
    let builder = builder.transport("hostile", tokio::io::split(server(cases))).limits(limits);
    let hub = builder.policy("hostile", policy).connect().await.unwrap();
    // What a tool promises is known from its listing.
    assert!(hub.list_tools().await.unwrap().quarantined.is_empty());
    hub
}

async fn works(hub: &Hub) {
    let output = hub.call_on("good", "search", object(json!({"page_size": 1}))).await.unwrap();
    assert_eq!(output.json().unwrap()["documents"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_hostile_schema_costs_its_own_call_alone() {
    watched(async {
        let cases = cases();
        assert!(cases.len() >= 50, "{}", cases.len());
        let hub = beside(&cases, ServerPolicy::new()).await;

        let mut slowest = (Duration::ZERO, "");
        for case in &cases {
            let started = Instant::now();
            let (output, ()) = join(hub.call_on("hostile", case.name, Object::new()), works(&hub)).await;
            slowest = slowest.max((started.elapsed(), case.name));
            let output = output.unwrap_or_else(|error| panic!("{}: {error}", case.name));
            assert_eq!(output.structured.as_ref(), Some(&case.result), "{}", case.name);
            assert!(case.outcome.is(output.invalid.as_deref()), "{}: {:?}", case.name, output.invalid);
        }
        println!("slowest of {}: {} in {:?}", cases.len(), slowest.1, slowest.0);
        hub.close().await;
    })
    .await;
}

#[tokio::test]
async fn all_of_them_together_leave_the_others_alone() {
    watched(async {
        let cases = cases();
        let hub = beside(&cases, ServerPolicy::new().invalid_results(InvalidResults::Refuse)).await;

        let calls = join_all(cases.iter().map(|case| hub.call_on("hostile", case.name, Object::new())));
        let others = async {
            for _ in 0..20 {
                works(&hub).await;
            }
        };
        let (outcomes, ()) = join(calls, others).await;
        for (case, outcome) in cases.iter().zip(outcomes) {
            match (case.outcome, outcome) {
                (Outcome::Matches, Ok(_)) => {}
                (outcome, Err(McpError::InvalidResult { tool, reason, .. })) => {
                    assert!(tool == case.name && outcome.is(Some(&reason)), "{}: {reason}", case.name);
                }
                (_, outcome) => panic!("{}: {outcome:?}", case.name),
            }
        }
        hub.close().await;
    })
    .await;
}

/// What computes still is waited for by nobody, and does not keep a place for ever.
#[tokio::test]
async fn calls_that_are_given_up_leave_nothing_behind() {
    watched(async {
        let cases = cases();
        let hub = beside(&cases, ServerPolicy::new()).await;
        for case in &cases {
            let call = hub.call_on("hostile", case.name, Object::new());
            let _ = tokio::time::timeout(Duration::from_millis(1), call).await;
        }

        let output = hub.call_on("hostile", "tree", Object::new()).await.unwrap();
        assert_eq!(output.invalid, None);
        hub.close().await;
    })
    .await;
}

#[tokio::test]
async fn the_size_of_a_result_is_looked_at_first() {
    watched(async {
        let cases = [Case {
            name: "large",
            schema: json!({"type": "array"}),
            result: json!({"text": "x".repeat(200_000)}),
            outcome: Outcome::Matches,
        }];
        let policy = ServerPolicy::new().invalid_results(InvalidResults::Refuse);
        let hub = beside(&cases, policy.limits(Limits::default().result_bytes(100_000))).await;

        let error = hub.call_on("hostile", "large", Object::new()).await.unwrap_err();
        assert!(matches!(error, McpError::TooLarge { limit: 100_000, .. }), "{error}");
        hub.close().await;
    })
    .await;
}
