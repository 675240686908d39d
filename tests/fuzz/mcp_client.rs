//! Servers that answer with anything: every operation of a hub ends with a result or a typed error.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use fastrand::Rng;
use futures::future::join_all;
use research_mcp::{Hub, Limits, McpError, Object, ServerPolicy, ToolSource};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};

use crate::{fuzz, mutate, wait};

/// Servers of one round, which answer at the same time.
const SERVERS: usize = 16;

/// The answer of a good server to a request.
fn good(method: &str) -> Value {
    match method {
        "initialize" => json!({
            "protocolVersion": "2025-11-25", "capabilities": {"tools": {}, "resources": {}, "logging": {}},
            "serverInfo": {"name": "any", "version": "1"}
        }),
        "tools/list" => json!({"tools": [
            {"name": "find", "description": "Finds", "inputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}},
             "outputSchema": {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}},
             "annotations": {"readOnlyHint": true}},
            {"name": "other", "inputSchema": {"type": "object"}},
        ]}),
        "tools/call" => json!({"content": [{"type": "text", "text": "{\"n\": 1}"}], "structuredContent": {"n": 1}}),
        "resources/list" => json!({"resources": [{"uri": "a:b", "name": "b"}]}),
        _ => json!({}),
    }
}

/// What such a server sends for a request, as bytes with or without their line ends.
fn sent(rng: &mut Rng, request: &Value, hostile: u8) -> Vec<u8> {
    let id = &request["id"];
    let method = request["method"].as_str().unwrap_or_default();
    let mut answer = json!({"jsonrpc": "2.0", "id": id, "result": good(method)});
    if method == "server/discover" {
        // The server knows the handshake of before.
        answer = json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "no such method"}});
    }
    if rng.u8(0..10) >= hostile {
        return format!("{answer}\n").into_bytes();
    }
    let mut bytes = match rng.u8(0..10) {
        0 => return Vec::new(),
        1 => json!({"jsonrpc": "2.0", "id": id, "error": mutate::value(rng, 2)}).to_string().into_bytes(),
        2 => json!({"jsonrpc": "2.0", "id": mutate::value(rng, 1), "result": good(method)}).to_string().into_bytes(),
        3 => {
            // A request or notification of the server itself.
            let methods = [
                "ping",
                "notifications/message",
                "notifications/tools/list_changed",
                "sampling/createMessage",
                "elicitation/create",
                "roots/list",
                "notifications/progress",
                "notifications/cancelled",
            ];
            let method = methods[rng.usize(0..methods.len())];
            json!({"jsonrpc": "2.0", "id": mutate::value(rng, 0), "method": method, "params": mutate::value(rng, 3)})
                .to_string()
                .into_bytes()
        }
        4 => {
            format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{}}}", mutate::deep(rng.usize(1..5_000))).into_bytes()
        }
        5 => mutate::text(rng).into_bytes(),
        6 => {
            let mut bytes = answer.to_string().into_bytes();
            mutate::bytes(rng, &mut bytes);
            bytes
        }
        _ => {
            let name = if method == "server/discover" { "error" } else { "result" };
            mutate::json(rng, &mut answer[name]);
            answer.to_string().into_bytes()
        }
    };
    if rng.u8(0..8) != 0 {
        bytes.push(b'\n');
    }
    bytes
}

/// Serves until the client goes, or the server hangs up.
async fn serve(mut rng: Rng, stream: DuplexStream) {
    let hostile = rng.u8(0..8);
    let (read, mut write) = tokio::io::split(stream);
    let mut lines = BufReader::new(read).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let request: Value = serde_json::from_str(&line).expect("the client sends JSON");
        if request.get("id").is_none() || request.get("method").is_none() {
            continue;
        }
        let bytes = sent(&mut rng, &request, hostile);
        if write.write_all(&bytes).await.is_err() || rng.u8(0..60) == 0 {
            return;
        }
    }
}

/// Calls that gave a result, and operations that ended with an error.
static OUTCOMES: [AtomicU64; 2] = [AtomicU64::new(0), AtomicU64::new(0)];

fn is_typed(error: &McpError) {
    OUTCOMES[1].fetch_add(1, Ordering::Relaxed);
    let text = error.to_string();
    assert!(!text.is_empty() && text.len() < 20_000, "{} bytes", text.len());
    assert!(!error.kind().as_str().is_empty());
}

/// What a client does with a server.
async fn used(mut rng: Rng) {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let serving = tokio::spawn(serve(rng.fork(), theirs));
    let short = Duration::from_millis(100);
    let limits =
        Limits::default().connect(3 * short).settle(short).list(short).call(short).close(short).result_bytes(4096);
    let policy = ServerPolicy::new().limits(limits);
    let built = Hub::builder().transport("any", tokio::io::split(ours)).policy("any", policy).connect().await;

    match built {
        Err(error) => is_typed(&error),
        Ok(hub) => {
            match hub.list_tools().await {
                Ok(listing) => assert!(listing.tools.iter().all(|tool| !tool.name.is_empty())),
                Err(error) => is_typed(&error),
            }
            for n in 0..3 {
                let arguments = Object::from_iter([("n".to_owned(), n.into())]);
                match hub.call_tool(["find", "other", "missing"][rng.usize(0..3)], arguments).await {
                    Ok(output) => {
                        OUTCOMES[0].fetch_add(1, Ordering::Relaxed);
                        drop(output.json());
                    }
                    Err(error) => is_typed(&error),
                }
            }
            drop(hub.resources("any").await);
            hub.close().await;
        }
    }
    serving.abort();
    if let Err(error) = serving.await {
        assert!(!error.is_panic(), "the client sent what is no JSON");
    }
}

#[test]
fn whatever_a_server_sends_ends_in_a_result_or_a_typed_error() {
    fuzz(8, |rng| {
        let rngs: Vec<Rng> = (0..SERVERS).map(|_| rng.fork()).collect();
        wait(join_all(rngs.into_iter().map(used)));
    });

    let [given, refused] = OUTCOMES.each_ref().map(|count| count.load(Ordering::Relaxed));
    println!("{given} results, {refused} errors");
    assert!(given > 20 && refused > 20, "the servers are all alike");
}
