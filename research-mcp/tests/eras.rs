//! How a hub finds out which revision a server speaks, and that it remembers it.
#![expect(clippy::unwrap_used, reason = "a test stops at the first thing that is not as it should be")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use research_mcp::{EraMemory, Hub, Limits, ServerState, StdioServer, ToolSource};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};

/// A server that answers nothing but `initialize` and `tools/list`, and `server/discover` only when it is asked for something else.
fn late() -> (DuplexStream, Arc<AtomicUsize>) {
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let probes = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&probes);
    tokio::spawn(async move {
        let (read, mut write) = tokio::io::split(theirs);
        let mut lines = BufReader::new(read).lines();
        let mut owed = None;
        while let Ok(Some(line)) = lines.next_line().await {
            let request: Value = serde_json::from_str(&line).unwrap();
            let Some(id) = request.get("id") else { continue };
            let result = match request["method"].as_str().unwrap() {
                "server/discover" => {
                    count.fetch_add(1, Ordering::Relaxed);
                    owed = Some(id.clone());
                    continue;
                }
                "initialize" => json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                    "serverInfo": {"name": "late", "version": "1"}}),
                _ => json!({"tools": [{"name": "a", "inputSchema": {"type": "object"}}]}),
            };
            if let Some(owed) = owed.take() {
                let error = json!({"jsonrpc": "2.0", "id": owed, "error": {"code": -32601, "message": "late"}});
                write.write_all(format!("{error}\n").as_bytes()).await.unwrap();
            }
            let answer = json!({"jsonrpc": "2.0", "id": id, "result": result});
            write.write_all(format!("{answer}\n").as_bytes()).await.unwrap();
        }
    });
    (ours, probes)
}

#[tokio::test(start_paused = true)]
async fn a_server_that_ignores_the_probe_and_answers_it_late_is_connected() {
    let (pipe, probes) = late();
    let hub = Hub::builder().transport("late", tokio::io::split(pipe)).connect().await.unwrap();
    assert!(
        matches!(&hub.servers()[0].state, ServerState::Ready { protocol, .. } if protocol == "2025-06-18"),
        "{hub:?}"
    );
    assert_eq!(probes.load(Ordering::Relaxed), 1);
    assert_eq!(hub.list_tools().await.unwrap().tools[0].name, "a");
    assert_eq!(hub.eras().servers["late"], "2025-06-18");
}

#[tokio::test(start_paused = true)]
async fn the_probe_takes_no_more_than_a_part_of_the_time_for_connecting() {
    let (pipe, _) = late();
    let limits = Limits::default().connect(Duration::from_secs(3));
    let hub = Hub::builder().transport("late", tokio::io::split(pipe)).limits(limits).connect().await.unwrap();
    assert!(hub.servers()[0].state.is_ready(), "{hub:?}");
}

/// A server of 2026 that reads nothing before it has started. It refuses to begin otherwise than it was asked to first.
fn slow(start: Duration) -> DuplexStream {
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    tokio::spawn(async move {
        tokio::time::sleep(start).await;
        let (read, mut write) = tokio::io::split(theirs);
        let mut lines = BufReader::new(read).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            let request: Value = serde_json::from_str(&line).unwrap();
            let Some(id) = request.get("id") else { continue };
            let mut answer = json!({"jsonrpc": "2.0", "id": id});
            match request["method"].as_str().unwrap() {
                "server/discover" => {
                    answer["result"] = json!({"resultType": "complete", "supportedVersions": ["2026-07-28"],
                        "capabilities": {"tools": {}}, "serverInfo": {"name": "slow", "version": "1"}, "ttlMs": 0,
                        "cacheScope": "private"});
                }
                "initialize" => answer["error"] = json!({"code": -32022, "message": "too late"}),
                _ => {
                    answer["result"] = json!({"resultType": "complete", "ttlMs": 0, "cacheScope": "private",
                        "tools": [{"name": "a", "inputSchema": {"type": "object"}}]});
                }
            }
            write.write_all(format!("{answer}\n").as_bytes()).await.unwrap();
        }
    });
    ours
}

#[tokio::test(start_paused = true)]
async fn a_new_server_that_is_slow_to_start_is_not_taken_for_an_old_one() {
    for seconds in [8, 12, 25] {
        let pipe = slow(Duration::from_secs(seconds));
        let hub = Hub::builder().transport("slow", tokio::io::split(pipe)).connect().await.unwrap();
        assert!(
            matches!(&hub.servers()[0].state, ServerState::Ready { protocol, .. } if protocol == "2026-07-28"),
            "{hub:?}"
        );
        assert_eq!(hub.list_tools().await.unwrap().tools[0].name, "a");
        assert_eq!(hub.eras().servers["slow"], "2026-07-28");
        hub.close().await;
    }
}

/// A server of 2025 that writes the methods which it is asked to a file.
#[cfg(unix)]
fn old(log: &str, answer: &str) -> StdioServer {
    let script = format!(
        r#"while read -r line; do case "$line" in
            *'"server/discover"'*) echo probe >> {log}; {answer};;
            *'"initialize"'*) echo initialize >> {log}; id="${{line##*'"id":'}}"; id="${{id%%[!0-9]*}}"
                echo '{{"jsonrpc":"2.0","id":'$id',"result":{{"protocolVersion":"2025-11-25","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"x","version":"1"}}}}}}';;
        esac; done"#
    );
    StdioServer::new("sh").arg("-c").arg(script)
}

#[cfg(unix)]
#[tokio::test]
async fn what_a_server_spoke_is_remembered_and_can_be_kept() {
    let directory = tempfile::tempdir().unwrap();
    let log = directory.path().join("log");
    let log = log.to_str().unwrap();
    // A third of it is waited for the probe.
    let limits = Limits::default().connect(Duration::from_secs(15));
    let first = Hub::builder().stdio("old", old(log, ":")).limits(limits.clone()).connect().await.unwrap();
    assert!(first.servers()[0].state.is_ready(), "{first:?}");
    let kept = serde_json::to_string(&first.eras()).unwrap();
    assert_eq!(kept, r#"{"old":"2025-11-25"}"#);
    first.close().await;
    let eras: EraMemory = serde_json::from_str(&kept).unwrap();
    let second = Hub::builder().stdio("old", old(log, ":")).limits(limits).eras(eras).connect().await.unwrap();
    assert!(second.servers()[0].state.is_ready(), "{second:?}");
    second.close().await;
    assert_eq!(std::fs::read_to_string(log).unwrap(), "probe\ninitialize\ninitialize\n");
}

#[cfg(unix)]
#[tokio::test]
async fn a_server_that_is_not_what_is_remembered_is_connected_all_the_same() {
    let script = r#"while read -r line; do case "$line" in
        *'"server/discover"'*) id="${line##*'"id":'}"; id="${id%%[!0-9]*}"
            echo '{"jsonrpc":"2.0","id":'$id',"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"serverInfo":{"name":"new","version":"1"},"ttlMs":0,"cacheScope":"private"}}';;
        *'"initialize"'*) id="${line##*'"id":'}"; id="${id%%[!0-9]*}"
            echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32601,"message":"that was last year"}}';;
    esac; done"#;
    let server = StdioServer::new("sh").arg("-c").arg(script);
    let mut eras = EraMemory::new();
    eras.servers.insert("new".to_owned(), "2025-11-25".to_owned());
    let hub = Hub::builder().stdio("new", server).eras(eras).connect().await.unwrap();
    assert!(
        matches!(&hub.servers()[0].state, ServerState::Ready { protocol, .. } if protocol == "2026-07-28"),
        "{hub:?}"
    );
    assert_eq!(hub.eras().servers["new"], "2026-07-28");
    hub.close().await;
}
