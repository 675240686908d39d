//! The tools of MCP servers as tools of an agent and of a node, over real servers in child processes.

mod agent;
mod containment;
mod killed;
mod questions;
mod tools;

use std::sync::Arc;
use std::time::Duration;

use research_agents::mcp::{Hub, HubBuilder, Lifecycle, Limits, Object, ServerPolicy, StdioServer};
use research_llm::{Part, Request, ToolResult};
use serde_json::Value;
use tempfile::TempDir;

/// The outcome of a test, unless it hangs. No test asserts how long anything takes.
async fn watched<T>(test: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(900), test).await.expect("the test hangs")
}

/// A server whose calls are logged in a file of its own.
struct Logged {
    folder: TempDir,
}

impl Logged {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn log(&self) -> String {
        self.path("calls.log")
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    /// The server whose tools ask, with these flags.
    fn asking(&self, flags: &[&str]) -> StdioServer {
        let log = self.log();
        StdioServer::new(env!("CARGO_BIN_EXE_asking_server")).args(["--log", &log]).args(flags.iter().copied())
    }

    /// The server that misbehaves, with these flags.
    fn bad(&self, flags: &[&str]) -> StdioServer {
        let log = self.log();
        StdioServer::new(env!("CARGO_BIN_EXE_bad_server")).args(["--log", &log]).args(flags.iter().copied())
    }

    /// The lines that are whole; the last one may still be on its way.
    fn lines(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.log()).unwrap_or_default();
        let whole = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        whole.map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The names of the tools that were called, in their order.
    fn calls(&self) -> Vec<String> {
        self.lines().iter().filter_map(|line| Some(line.get("call")?.as_str()?.to_owned())).collect()
    }
}

/// The handshakes of both eras of the protocol.
const ERAS: [Lifecycle; 2] = [Lifecycle::Initialize, Lifecycle::Discover];

fn with(name: &str, server: StdioServer, lifecycle: Lifecycle) -> HubBuilder {
    Hub::builder().stdio(name, server).policy(name, ServerPolicy::new().lifecycle(lifecycle))
}

async fn connected(builder: HubBuilder) -> Arc<Hub> {
    let hub = builder.limits(Limits::default().settle(Duration::from_secs(300))).connect().await.unwrap();
    assert!(hub.servers().iter().all(|server| server.state.is_ready()), "{hub:?}");
    Arc::new(hub)
}

fn object(value: Value) -> Object {
    value.as_object().unwrap().clone()
}

/// What a model was shown of the tools' results.
fn results(request: &Request) -> Vec<ToolResult> {
    let parts = request.messages.iter().flat_map(|message| &message.parts);
    let result = parts.filter_map(|part| match part {
        Part::ToolResult(result) => Some(result.clone()),
        _ => None,
    });
    result.collect()
}
