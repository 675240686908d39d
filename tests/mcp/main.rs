//! The hub over real servers, in this process and in child processes: good ones, old ones and those that misbehave.

mod crowd;
mod dataset_server;
mod hostile;
mod hub;
mod in_process;
mod matrix;
mod overlap;
mod processes;
mod raw_servers;
mod walks;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use research_mcp::{Hub, Limits, Object, ServerState, StdioServer};
use serde_json::Value;
use tempfile::TempDir;

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
    tokio::time::timeout(Duration::from_secs(900), test).await.expect("the test hangs")
}

/// A hub over one server.
async fn connect(server: StdioServer, limits: Limits) -> Arc<Hub> {
    Arc::new(Hub::builder().stdio("events", server).limits(limits).connect().await.unwrap())
}

/// A file in a directory of its own for a test, not there at first; removed when dropped.
struct Scratch {
    file: PathBuf,
    _directory: TempDir,
}

impl Scratch {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        Self { file: directory.path().join("scratch"), _directory: directory }
    }

    fn path(&self) -> &str {
        self.file.to_str().unwrap()
    }

    fn text(&self) -> String {
        std::fs::read_to_string(&self.file).unwrap_or_default()
    }

    /// The lines that are whole; the last one may still be on its way.
    fn lines(&self) -> Vec<Value> {
        let text = self.text();
        let whole = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        whole.map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}
