//! The dataset agent as a whole: the golden walk over a server in a child process, plans and guards, misbehaving servers,
//! what the user fixed, events, order and cancellation.

mod agents;
mod broad;
mod budget;
mod clarify;
mod computed;
mod confidence;
mod containment;
mod embedding;
mod events;
mod extractor;
mod fake;
mod flaky;
mod follow_ups;
mod foreign;
mod gaps;
mod golden;
mod histograms;
mod injection;
mod insights;
mod language;
mod limitations;
mod limits;
mod metrics;
mod newest;
mod overrides;
#[path = "../../examples/engine/11_own_checkpointer.rs"]
#[expect(dead_code, reason = "the program around the store is not needed")]
mod own_checkpointer;
mod packing;
mod parallel;
mod plans;
mod policy;
mod prompts;
mod replay;
mod retry;
mod retry_model;
mod samples;
mod scans;
mod script;
mod secrets;
mod state;
mod stopping;
mod strikes;
mod threads;
mod two_tools;
mod validator;
mod waits;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use research_mcp::{Hub, Respawn, ServerPolicy, StdioServer};
use serde_json::Value;
use tempfile::TempDir;

/// The fixture server with these flags, behind a hub.
async fn fixture(flags: &[&str]) -> Arc<Hub> {
    let server = StdioServer::new(env!("CARGO_BIN_EXE_fixture_server")).args(flags.iter().copied());
    // However long it lives, it has four lives.
    let policy = ServerPolicy::new().respawn(Respawn::on_failure(3, Duration::from_secs(3_600)));
    Arc::new(Hub::builder().stdio("events", server).policy("events", policy).connect().await.unwrap())
}

/// A log file in a directory of its own for a test; removed when dropped.
struct CallLog {
    file: PathBuf,
    _directory: TempDir,
}

impl CallLog {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        Self { file: directory.path().join("calls.log"), _directory: directory }
    }

    fn path(&self) -> &str {
        self.file.to_str().unwrap()
    }

    /// The arguments of each call, as they reached the server.
    fn arguments(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(&self.file).unwrap_or_default();
        // The last one may still be on its way.
        let whole = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        whole.map(|line| serde_json::from_str::<Value>(line).unwrap()["arguments"].clone()).collect()
    }
}
