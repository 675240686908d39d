//! The hub over MCP servers that others wrote, and over one made with FastMCP: what only real servers can show.
//!
//! `tests/mcp_real/run` installs the servers and starts these tests; `cargo test` alone leaves them out. The versions of
//! the servers are pinned, so that their lists of tools and their words are known.

mod all;
mod everything;
mod fastmcp;
mod fetch;
mod filesystem;
mod git;
mod memory;
#[path = "../fixtures/ports.rs"]
mod ports;
mod processes;
mod research;
mod servers;
mod small;
mod web;

use std::time::Duration;

use futures::{Stream, StreamExt};
use research_mcp::{
    CallOutput, Hub, HubBuilder, HubEvent, Lifecycle, Limits, McpError, Object, ServerPolicy, ServerState, StdioServer,
    ToolSource,
};
use serde_json::Value;

use processes::Mark;

/// The revision that begins with `server/discover`.
const NEW: &str = "2026-07-28";
/// The newest revision that begins with `initialize`.
const OLD: &str = "2025-11-25";

/// What a server speaks.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Eras {
    Both,
    OnlyOld,
}

impl Eras {
    /// Every way to begin that works, and the revision it ends in.
    fn ways(self) -> [(Lifecycle, &'static str); 2] {
        let best = if self == Self::Both { NEW } else { OLD };
        [(Lifecycle::Auto, best), (Lifecycle::Initialize, OLD)]
    }
}

/// A JSON object.
fn object(value: Value) -> Object {
    value.as_object().unwrap().clone()
}

/// The outcome of a test, unless it hangs. No test asserts how long anything takes.
async fn watched<T>(test: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(1_800), test).await.expect("the test hangs")
}

/// Time enough for an interpreter to start on a machine that is busy.
fn limits() -> Limits {
    let long = Duration::from_secs(300);
    Limits::default().connect(long).settle(long).list(long).call(long)
}

/// Runs a test over the server in every way to begin that it knows, checks the revision, and that no process is left.
async fn in_each_era(eras: Eras, server: StdioServer, test: impl AsyncFn(&Hub)) {
    watched(async {
        for (lifecycle, revision) in eras.ways() {
            let (server, mark) = Mark::on(server.clone());
            let hub = connected(Hub::builder().stdio("server", server), lifecycle).await;
            assert_eq!(protocol(&hub, "server"), revision, "{lifecycle:?}");
            assert!(mark.is_alive(), "the mark is on the process of the server");
            test(&hub).await;
            hub.close().await;
            mark.gone().await;
        }
    })
    .await;
}

/// A hub whose servers all begin in this way.
async fn connected(builder: HubBuilder, lifecycle: Lifecycle) -> Hub {
    let policy = ServerPolicy::new().lifecycle(lifecycle);
    builder.policy("server", policy).limits(limits()).connect().await.unwrap()
}

/// The revision that a server ended in.
fn protocol(hub: &Hub, server: &str) -> String {
    let status = hub.servers().into_iter().find(|status| status.name == server).unwrap();
    match status.state {
        ServerState::Ready { protocol, .. } => protocol,
        other => panic!("{server}: {other:?}"),
    }
}

/// The names of the usable tools in their order; none may be quarantined.
async fn names(hub: &Hub) -> Vec<String> {
    let listing = hub.list_tools().await.unwrap();
    assert!(listing.quarantined.is_empty() && listing.failed.is_empty(), "{listing:?}");
    listing.tools.into_iter().map(|tool| tool.name).collect()
}

/// The result of a call.
async fn outcome(hub: &Hub, tool: &str, arguments: Value) -> Result<CallOutput, McpError> {
    hub.call_on("server", tool, object(arguments)).await
}

/// The result of a call that succeeds and, where the tool promised a schema, fits it.
async fn call(hub: &Hub, tool: &str, arguments: Value) -> CallOutput {
    let output = outcome(hub, tool, arguments).await.unwrap();
    assert!(!output.is_error, "{tool}: {}", output.text);
    assert_eq!(output.invalid, None, "{tool}: {:?}", output.structured);
    output
}

/// The words of a tool that reports an error.
async fn refusal(hub: &Hub, tool: &str, arguments: Value) -> String {
    let output = outcome(hub, tool, arguments).await.unwrap();
    assert!(output.is_error, "{tool}: {output:?}");
    output.text
}

/// The first event that is wanted.
async fn event<T>(events: &mut (impl Stream<Item = HubEvent> + Unpin), wanted: impl Fn(HubEvent) -> Option<T>) -> T {
    loop {
        if let Some(found) = wanted(events.next().await.expect("the hub lives")) {
            return found;
        }
    }
}
