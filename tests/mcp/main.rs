//! The hub over real servers, in this process and in child processes: good ones, old ones and those that misbehave.

mod dataset_server;
mod hub;
mod in_process;
mod matrix;
mod overlap;
mod processes;
mod raw_servers;
mod walks;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use std::time::Duration;

use research_mcp::{Hub, Limits, Object, ServerState, StdioServer};
use serde_json::Value;

/// The fixture server with these flags.
fn fixture(flags: &[&str]) -> StdioServer {
    StdioServer::new(env!("CARGO_BIN_EXE_fixture_server")).args(flags.iter().copied())
}

/// The server written by hand, which misbehaves as its flags and its tools say.
fn bad(flags: &[&str]) -> StdioServer {
    StdioServer::new(env!("CARGO_BIN_EXE_bad_server")).args(flags.iter().copied())
}

/// The reason why a server is not usable.
fn trouble(hub: &Hub, server: &str) -> Option<String> {
    let status = hub.servers().into_iter().find(|status| status.name == server).unwrap();
    match status.state {
        ServerState::Failed { reason, .. } | ServerState::NeedsAuth { reason } => Some(reason),
        _ => None,
    }
}

/// A JSON object.
fn object(value: Value) -> Object {
    value.as_object().unwrap().clone()
}

/// The outcome of a test, unless it hangs. No test asserts how long anything takes.
async fn watched<T>(test: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(100), test).await.expect("the test hangs")
}

/// A hub over one server.
async fn connect(server: StdioServer, limits: Limits) -> Arc<Hub> {
    Arc::new(Hub::builder().stdio("events", server).limits(limits).connect().await.unwrap())
}

/// A file of its own for a test; removed when dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self(std::env::temp_dir().join(format!("research-mcp-{}-{number}", std::process::id())))
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }

    fn text(&self) -> String {
        std::fs::read_to_string(&self.0).unwrap_or_default()
    }

    fn lines(&self) -> Vec<Value> {
        self.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
