//! The dataset agent as a whole: the golden walk over a server in a child process, plans and guards, misbehaving servers,
//! what the user fixed, events, order and cancellation.

mod agents;
mod broad;
mod budget;
mod clarify;
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
mod language;
mod limitations;
mod limits;
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
mod state;
mod stopping;
mod strikes;
mod threads;
mod two_tools;
mod validator;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use research_mcp::{Hub, StdioServer};
use serde_json::Value;

/// The fixture server with these flags, behind a hub.
async fn fixture(flags: &[&str]) -> Arc<Hub> {
    let server = StdioServer::new(env!("CARGO_BIN_EXE_fixture_server")).args(flags.iter().copied());
    Arc::new(Hub::builder().stdio("events", server).connect().await.unwrap())
}

/// A log file of its own for a test; removed when dropped.
struct CallLog(PathBuf);

impl CallLog {
    fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self(std::env::temp_dir().join(format!("research-dataset-{}-{number}.log", std::process::id())))
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }

    /// The arguments of each call, as they reached the server.
    fn arguments(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(&self.0).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["arguments"].clone()).collect()
    }
}

impl Drop for CallLog {
    fn drop(&mut self) {
        drop(std::fs::remove_file(&self.0));
    }
}
