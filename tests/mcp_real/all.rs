//! All servers at once: in one hub from one configuration, and through `mcp_inspect`.

use std::process::{Command, Stdio};

use research_mcp::{Lifecycle, McpConfig, ServerPolicy, ServerState, StdioServer, ToolSource};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use crate::processes::Mark;
use crate::web::Listening;
use crate::{NEW, OLD, limits, object, servers, watched};

/// Every server, what it speaks at best, how many of its tools are usable, a tool with arguments, and what its result holds.
struct Known {
    name: &'static str,
    server: StdioServer,
    revision: &'static str,
    tools: usize,
    call: (&'static str, Value, &'static str),
}

fn known(folder: &TempDir) -> Vec<Known> {
    let path = folder.path().canonicalize().unwrap();
    let (graph, database) = (path.join("graph.jsonl"), path.join("birds.db"));
    let initialised = Command::new("git").arg("init").arg("--quiet").arg(&path).status().unwrap();
    assert!(initialised.success());
    let known = |name, server, revision, tools, call| Known { name, server, revision, tools, call };
    let thought = json!({"thought": "x", "thoughtNumber": 1, "totalThoughts": 1, "nextThoughtNeeded": false});
    let zones = json!({"source_timezone": "Asia/Kolkata", "time": "12:00", "target_timezone": "Asia/Tokyo"});
    vec![
        known("everything", servers::everything(), OLD, 13, ("echo", json!({"message": "a wren"}), "Echo: a wren")),
        known(
            "filesystem",
            servers::filesystem(&path),
            OLD,
            14,
            ("list_directory", json!({"path": path}), "[DIR] .git"),
        ),
        known("memory", servers::memory(&graph), OLD, 9, ("read_graph", json!({}), "\"entities\": []")),
        known(
            "thinking",
            servers::sequential_thinking(),
            OLD,
            1,
            ("sequentialthinking", thought, "\"thoughtNumber\": 1"),
        ),
        known("git", servers::git(&path), NEW, 12, ("git_status", json!({"repo_path": path}), "No commits yet")),
        known("time", servers::time(), NEW, 2, ("convert_time", zones, "+3.5h")),
        known(
            "fetch",
            servers::fetch(&[]),
            NEW,
            1,
            ("fetch", json!({"url": "http://127.0.0.1:1/"}), "not a public address"),
        ),
        known(
            "sqlite",
            servers::sqlite(&database),
            OLD,
            6,
            ("read_query", json!({"query": "SELECT 6 * 7 AS n"}), "{'n': 42}"),
        ),
        known("strikes", servers::fastmcp(), NEW, 2, ("search_reports", json!({"limit": 0}), "\"total_hits\":10000")),
    ]
}

/// The configuration that a user would write for these, and for two that listen; all bear the mark.
fn configuration(known: &[Known], everything: &Listening, strikes: &Listening) -> (Value, Mark) {
    let (marked, mark) = Mark::on(StdioServer::new("none"));
    let mut entries = Map::new();
    for Known { name, server, .. } in known {
        let variables: Map<String, Value> =
            server.env.iter().chain(&marked.env).map(|(name, value)| (name.clone(), value.as_str().into())).collect();
        entries.insert((*name).to_owned(), json!({"command": server.command, "args": server.args, "env": variables}));
    }
    entries.insert("everything-http".into(), json!({"url": everything.mcp()}));
    entries.insert("strikes-http".into(), json!({"type": "http", "url": strikes.mcp()}));
    (json!({ "mcpServers": entries }), mark)
}

async fn listening() -> (Listening, Listening) {
    let everything = |port: u16| servers::everything().arg("streamableHttp").env("PORT", port.to_string());
    let strikes = |port: u16| servers::fastmcp().args(["--http", &port.to_string()]);
    tokio::join!(Listening::start(everything), Listening::start(strikes))
}

#[tokio::test]
async fn one_hub_serves_all_of_them_side_by_side() {
    watched(async {
        let folder = TempDir::new().unwrap();
        let known = known(&folder);
        let (everything, strikes) = listening().await;
        let (configuration, mark) = configuration(&known, &everything, &strikes);
        let config: McpConfig = configuration.to_string().parse().unwrap();
        assert!(config.errors.is_empty() && config.warnings.is_empty(), "{config:?}");
        let hub = config.into_builder().limits(limits()).connect().await.unwrap();
        let listing = hub.list_tools().await.unwrap();
        assert_eq!(listing.failed, []);
        // Both transports of one server list the same names, which the hub tells apart.
        let exposed: std::collections::HashSet<&str> =
            listing.tools.iter().map(|tool| tool.exposed_name.as_str()).collect();
        let usable: usize = known.iter().map(|one| one.tools).sum::<usize>() + 13 + 2;
        assert_eq!((listing.tools.len(), exposed.len()), (usable, usable));
        for name in &exposed {
            let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
            assert!(name.len() <= 64 && name.chars().all(plain), "{name}");
        }
        let calls = known.iter().map(|Known { name, call: (tool, arguments, holds), .. }| {
            let (hub, listing) = (&hub, &listing);
            async move {
                let tool = listing.tools.iter().find(|one| one.server == *name && one.name == *tool).unwrap();
                let output = hub.call_tool(&tool.exposed_name, object(arguments.clone())).await.unwrap();
                assert!(output.text.contains(holds), "{name}: {}", output.text);
            }
        });
        futures::future::join_all(calls).await;
        let spoken = hub.eras().servers;
        for Known { name, revision, .. } in &known {
            assert_eq!(spoken[*name], *revision, "{name}");
        }
        assert_eq!((spoken["everything-http"].as_str(), spoken["strikes-http"].as_str()), (OLD, NEW));
        hub.close().await;
        mark.gone().await;
    })
    .await;
}

#[tokio::test]
async fn a_server_of_the_old_era_alone_does_not_begin_with_discovery() {
    watched(async {
        let folder = TempDir::new().unwrap();
        let (mut builder, mut marks) = (research_mcp::Hub::builder().limits(limits()), Vec::new());
        let known = known(&folder);
        for Known { name, server, .. } in &known {
            let (server, mark) = Mark::on(server.clone());
            let policy = ServerPolicy::new().lifecycle(Lifecycle::Discover);
            builder = builder.stdio(*name, server).policy(*name, policy);
            marks.push(mark);
        }
        let hub = builder.connect().await.unwrap();
        for (status, Known { name, revision, .. }) in hub.servers().into_iter().zip(&known) {
            match status.state {
                ServerState::Ready { protocol, .. } => assert_eq!((protocol.as_str(), *revision), (NEW, NEW), "{name}"),
                ServerState::Failed { reason, .. } => {
                    assert_eq!(*revision, OLD, "{name}: {reason}");
                    assert!(reason.contains(&format!("`{name}`")), "{reason}");
                }
                other => panic!("{name}: {other:?}"),
            }
        }
        hub.close().await;
        for mark in marks {
            mark.gone().await;
        }
    })
    .await;
}

/// What `mcp_inspect` answers.
async fn inspect(config: &std::path::Path, arguments: &[&str]) -> Value {
    let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_mcp_inspect"));
    command.arg("--config").arg(config).args(["--json", "--timeout", "300"]).args(arguments).stdin(Stdio::null());
    let output = command.kill_on_drop(true).output().await.unwrap();
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[tokio::test]
async fn mcp_inspect_shows_all_of_them_and_calls_each() {
    watched(async {
        let folder = TempDir::new().unwrap();
        let known = known(&folder);
        let (everything, strikes) = listening().await;
        let (configuration, mark) = configuration(&known, &everything, &strikes);
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), configuration.to_string()).unwrap();

        let answer = inspect(file.path(), &["servers"]).await;
        let told = |name: &str| answer["servers"].as_array().unwrap().iter().find(|one| one["name"] == name).unwrap();
        let http = [("everything-http", OLD, 13), ("strikes-http", NEW, 2)];
        let expected = known.iter().map(|one| (one.name, one.revision, one.tools)).chain(http);
        for (name, revision, tools) in expected.clone() {
            let server = told(name);
            assert_eq!((&server["state"], &server["protocol"]), (&json!("ready"), &json!(revision)), "{server}");
            assert_eq!(server["tools"], json!(tools), "{server}");
        }
        assert_eq!(answer["servers"].as_array().unwrap().len(), expected.count());

        let tools = inspect(file.path(), &["tools"]).await;
        let listed = tools["tools"].as_array().unwrap();
        assert_eq!(listed.len(), known.iter().map(|one| one.tools).sum::<usize>() + 13 + 2);
        assert!(listed.iter().all(|tool| tool.get("quarantined").is_none()), "{tools}");

        for Known { name, call: (tool, arguments, holds), .. } in &known {
            // One entry alone, as a user looks at one server; the two that listen are in the run above.
            let one = tempfile::NamedTempFile::new().unwrap();
            let entry = json!({"mcpServers": {*name: configuration["mcpServers"][*name]}});
            std::fs::write(one.path(), entry.to_string()).unwrap();
            let called = inspect(one.path(), &["call", name, tool, &arguments.to_string()]).await;
            assert!(called["text"].as_str().unwrap().contains(holds), "{called}");
            // This one server is asked for something that it refuses.
            assert_eq!(called["ok"], json!(*name != "fetch"), "{called}");
        }
        let read = inspect(file.path(), &["read", "everything-http", "demo://resource/dynamic/text/7"]).await;
        assert!(read["contents"][0]["text"].as_str().unwrap().starts_with("Resource 7: "), "{read}");
        mark.gone().await;
    })
    .await;
}
