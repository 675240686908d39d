//! How child processes start, what they see, and how they end.

use std::time::Duration;

use research_mcp::{Hub, Limits, McpErrorKind, StdioServer, ToolSource};

use crate::{connect, fixture, trouble};

fn reason(hub: &Hub) -> String {
    trouble(hub, "events").unwrap()
}

#[tokio::test]
async fn a_command_that_does_not_exist_is_named() {
    let hub = connect(StdioServer::new("no-such-mcp-server"), Limits::default()).await;
    let text = reason(&hub);
    assert!(text.contains("cannot start `no-such-mcp-server`") && text.contains("PATH"), "{text}");
    assert_eq!(hub.list_tools().await.unwrap_err().kind(), McpErrorKind::NoServer);
}

#[tokio::test]
async fn a_server_that_crashes_at_start_is_quoted() {
    let hub = connect(fixture(&["--crash-at-start"]), Limits::default()).await;
    let text = reason(&hub);
    assert!(text.contains("exit status: 3") && text.contains("the index is corrupt"), "{text}");
}

#[tokio::test]
async fn a_crashing_server_does_not_disturb_a_good_one() {
    let hub = Hub::builder()
        .stdio("bad", fixture(&["--crash-at-start"]))
        .stdio("good", fixture(&["--tool", "search"]))
        .connect()
        .await
        .unwrap();
    let listing = hub.list_tools().await.unwrap();
    assert_eq!((listing.tools[0].exposed_name.as_str(), listing.failed[0].server.as_str()), ("search", "bad"));
    hub.close().await;
}

#[cfg(target_os = "linux")]
pub(crate) fn is_alive(pid: &str) -> bool {
    let pid: u32 = pid.trim().parse().expect("the id of a process");
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The state stands behind the name in parentheses; a zombie is dead.
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

#[cfg(target_os = "linux")]
pub(crate) async fn wait_until_dead(pid: &str) {
    for _ in 0..2_400 {
        if !is_alive(pid) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("process {pid} is still alive");
}

#[cfg(unix)]
mod unix {
    use super::*;
    use crate::Scratch;

    fn shell(script: &str) -> StdioServer {
        StdioServer::new("sh").arg("-c").arg(script)
    }

    #[tokio::test]
    async fn a_child_sees_only_what_it_is_given() {
        assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some(), "cargo sets it for tests");
        let script = r#"echo "[$CARGO_MANIFEST_DIR][$GIVEN][${PATH:+path}]" >&2; exit 1"#;
        let hub = connect(shell(script).env("GIVEN", "yes"), Limits::default()).await;
        let text = reason(&hub);
        assert!(text.contains("[][yes][path]"), "{text}");
    }

    /// Some servers of before 2026 end when their first message is not `initialize`.
    #[tokio::test]
    async fn a_server_that_hangs_up_on_the_probe_is_started_again() {
        let script = r#"read -r line; case "$line" in *'"initialize"'*) ;; *) exit 1;; esac
            echo '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2024-11-05","capabilities":{},"serverInfo":{"name":"old","version":"1"}}}'
            while read -r line; do :; done"#;
        let hub = connect(shell(script), Limits::default()).await;
        assert!(hub.servers()[0].state.is_ready(), "{:?}", hub.servers());
        hub.close().await;
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn closing_reaches_what_a_wrapper_started() {
        let pids = Scratch::new();
        let server = env!("CARGO_BIN_EXE_fixture_server");
        let script = format!("sleep 600 & echo $! > {}; '{server}'; true", pids.path());
        let hub = connect(shell(&script), Limits::default().close(Duration::from_millis(500))).await;
        assert_eq!(hub.list_tools().await.unwrap().tools.len(), 1);
        assert!(is_alive(&pids.text()));
        hub.close().await;
        wait_until_dead(&pids.text()).await;
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_process_that_ignores_everything_is_killed() {
        let pids = Scratch::new();
        let script = format!("trap '' TERM; echo $$ > {}; while :; do sleep 1; done", pids.path());
        // Long enough for it to write its id.
        let limits = Limits::default().connect(Duration::from_secs(5)).close(Duration::from_millis(100));
        let hub = connect(shell(&script), limits).await;
        assert!(reason(&hub).contains("connecting took longer than 5s"), "{}", reason(&hub));
        wait_until_dead(&pids.text()).await;
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_hub_that_is_dropped_leaves_no_process_behind() {
        let pids = Scratch::new();
        let server = env!("CARGO_BIN_EXE_fixture_server");
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let script = format!("sleep 600 & echo $! > {}; exec '{server}'", pids.path());
        let hub = runtime.block_on(connect(shell(&script), Limits::default()));
        assert!(hub.servers()[0].state.is_ready() && is_alive(&pids.text()));
        drop(runtime);
        drop(hub);
        tokio::runtime::Runtime::new().unwrap().block_on(wait_until_dead(&pids.text()));
    }
}
