//! Servers that misbehave, one way each, beside a good one: each way ends in the stated outcome, and the good server is called
//! before, during and after it.

mod calls;
mod connecting;
mod http;
mod lists;

use std::time::Duration;

use futures::future::join;
use research_mcp::{CallOptions, CallOutput, Hub, HubBuilder, Limits, McpError, Object, ServerPolicy};
use serde_json::{Value, json};

use crate::{bad, fixture, object};

/// Limits that end a test soon where something has to be waited for.
fn short() -> Limits {
    Limits::default().connect(Duration::from_secs(20)).close(Duration::from_millis(300))
}

/// The same for answers that take the processor long.
fn patient() -> Limits {
    short().call(Duration::from_secs(600))
}

/// A good server, to which another is added.
fn good() -> HubBuilder {
    Hub::builder().stdio("good", fixture(&["--tool", "search"]))
}

/// A good server, and one that misbehaves.
async fn beside(flags: &[&str], limits: Limits) -> Hub {
    good().stdio("bad", bad(flags)).policy("bad", ServerPolicy::new().limits(limits)).connect().await.unwrap()
}

/// Calls the good server.
async fn works(hub: &Hub) {
    let output = hub.call_on("good", "search", object(json!({"page_size": 1}))).await.unwrap();
    assert_eq!(output.json().unwrap()["documents"].as_array().unwrap().len(), 1);
}

/// What a misbehaving server comes to, while the good one works.
async fn meanwhile<T>(hub: &Hub, trouble: impl Future<Output = T>) -> T {
    works(hub).await;
    let during = async {
        for _ in 0..3 {
            works(hub).await;
        }
    };
    let (outcome, ()) = join(trouble, during).await;
    works(hub).await;
    outcome
}

/// Calls a tool of the misbehaving server, while the good one works.
async fn call(hub: &Hub, tool: &str, arguments: Value) -> Result<CallOutput, McpError> {
    meanwhile(hub, hub.call_on("bad", tool, object(arguments))).await
}

/// The same with a time limit of the call's own.
async fn call_within(hub: &Hub, limit: Duration, tool: &str) -> Result<CallOutput, McpError> {
    let options = CallOptions::new().limit(limit);
    meanwhile(hub, hub.call_with(tool, Object::new(), &options)).await
}

/// Whether the misbehaving server answers still.
async fn echoes(hub: &Hub) {
    let output = hub.call_on("bad", "echo", object(json!({"n": 1}))).await.unwrap();
    assert_eq!(output.structured, Some(json!({"n": 1})));
}
