//! A server that is a child process, killed with SIGKILL while it computes a page: what had come stands, and nothing is silent.
//! No clock decides when: the server keeps its answer back until it is dead.

use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use research_agents::dataset::{DatasetAgent, DatasetConfig, DatasetReport, RetryPolicy};
use research_llm::testing::ScriptedModel;
use research_mcp::{BoxFuture, CallOutput, Hub, McpError, Object, StdioServer, ToolListing, ToolSource};
use serde_json::{Value, json};

use crate::cell::is_the_truth;
use crate::walk::pages;

/// A hub whose server is killed while some of its calls are under way.
struct Killing {
    hub: Arc<Hub>,
    log: PathBuf,
    /// While it is there, the server answers nothing.
    hold: PathBuf,
    calls: AtomicUsize,
    /// Calls that ended before their server could be killed.
    missed: AtomicUsize,
    /// Whether the server is killed during the n-th call, counted from 0.
    kills: fn(usize) -> bool,
}

/// The processes that were started with this path among their arguments, but for this one.
fn processes_with(log: &Path) -> Vec<Pid> {
    let is_given = |pid: &i32| {
        let arguments = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        arguments.split(|byte| *byte == 0).any(|argument| argument == log.as_os_str().as_encoded_bytes())
    };
    let numbers =
        std::fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    numbers.filter(is_given).map(Pid::from_raw).collect()
}

fn lines(log: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    // The last one may still be on its way.
    let whole = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    whole.map(|line| serde_json::from_str(line).unwrap()).collect()
}

impl ToolSource for Killing {
    fn list_tools(&self) -> BoxFuture<'_, Result<ToolListing, McpError>> {
        self.hub.list_tools()
    }

    fn call_tool<'a>(&'a self, name: &'a str, arguments: Object) -> BoxFuture<'a, Result<CallOutput, McpError>> {
        let number = self.calls.fetch_add(1, Ordering::SeqCst);
        if !(self.kills)(number) {
            return Box::pin(self.hub.call_tool(name, arguments));
        }
        Box::pin(async move {
            std::fs::write(&self.hold, "").unwrap();
            let before = lines(&self.log).len();
            let dies = async {
                // The call has reached the server once it stands in its log.
                while lines(&self.log).len() == before {
                    tokio::time::sleep(Duration::from_millis(2)).await;
                }
                let pids = processes_with(&self.log);
                assert_eq!(pids.len(), 1, "{pids:?}");
                kill(pids[0], Signal::SIGKILL).unwrap();
            };
            let mut call = pin!(self.hub.call_tool(name, arguments));
            let ended = tokio::select! {
                ended = &mut call => {
                    self.missed.fetch_add(1, Ordering::SeqCst);
                    ended
                }
                () = dies => call.await,
            };
            std::fs::remove_file(&self.hold).unwrap();
            ended
        })
    }
}

fn model(batch: usize) -> ScriptedModel {
    let call = |agent: &str, arguments: Value| json!({"reasoning": "", "tool_calls": [], "sub_agent_calls": [{"id": "a", "agent": agent, "arguments": arguments}]});
    let scan = json!({"batch_size": batch, "tool_args": {"filters": "{\"country\": \"India\"}"}});
    ScriptedModel::new()
        .on_task("dataset.plan", call("scanner", scan))
        .always("dataset.plan", call("synthesizer", json!({})))
        .always("dataset.extract", json!({"findings": [], "themes_discovered": []}))
        .always("dataset.synthesize", json!({"title": "Events", "confidence": 0.5}))
}

/// Scans so many events with the server killed during some calls; gives the report, and the arguments of the calls that
/// reached a server.
async fn scan(total: usize, batch: usize, kills: fn(usize) -> bool) -> (DatasetReport, Vec<Value>) {
    let folder = tempfile::tempdir().unwrap();
    let (log, hold) = (folder.path().join("calls.log"), folder.path().join("hold"));
    let server = StdioServer::new(env!("CARGO_BIN_EXE_fixture_server")).args(["--events", &total.to_string()]);
    let server = server.args(["--hold", hold.to_str().unwrap(), "--log", log.to_str().unwrap()]);
    let hub = Arc::new(Hub::builder().stdio("events", server).connect().await.unwrap());
    let (calls, missed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let tool = Arc::new(Killing { hub: Arc::clone(&hub), log: log.clone(), hold, calls, missed, kills });
    let retry = RetryPolicy::default().first_wait(Duration::from_millis(10));
    let config = DatasetConfig { retry, ..DatasetConfig::default() };
    let agent = DatasetAgent::builder(model(batch), Arc::clone(&tool)).config(config).build().unwrap();
    let report = agent.run("India events by theme").await.unwrap();
    hub.close().await;
    assert_eq!(tool.missed.load(Ordering::SeqCst), 0, "every call was cut off that was to be");
    let asked = lines(&log).into_iter().map(|line| line["arguments"].clone()).collect();
    (report, asked)
}

/// The ids that the server gives its first events.
fn ids(count: usize) -> Vec<String> {
    (1..=count).map(|number| format!("PAG{number:03}")).collect()
}

#[tokio::test]
async fn a_server_that_is_killed_once_is_read_to_the_end_and_no_page_twice() {
    for (total, batch) in [(76, 75), (150, 75), (301, 75), (301, 100)] {
        for kills in [(|call| call == 0) as fn(usize) -> bool, |call| call == 1] {
            let what = format!("{total} in batches of {batch}");
            let (report, asked) = scan(total, batch, kills).await;
            is_the_truth(&report, &ids(total.min(300)), Some(total), total > 300, &what);
            let least = pages(total, batch).len();
            assert_eq!(asked.len(), least + 1, "{what}: one call was made again: {asked:?}");
        }
    }
}

#[tokio::test]
async fn a_server_that_is_killed_at_every_later_call_leaves_what_had_come() {
    for (total, batch) in [(76, 75), (301, 100)] {
        let what = format!("{total} in batches of {batch}");
        let (report, asked) = scan(total, batch, |call| call > 0).await;
        is_the_truth(&report, &ids(batch), Some(total), true, &what);
        assert!(asked.len() <= 4, "{what}: two new tries and no more: {asked:?}");
    }
}
