//! A server over HTTP that is killed in the middle of a call. The program starts itself as the server, and so is no harness of
//! tests: `main` runs the one that there is.
#![cfg_attr(
    feature = "http",
    expect(clippy::unwrap_used, reason = "a test stops at the first thing that is not as it should be")
)]

#[cfg(feature = "http")]
#[expect(dead_code, reason = "the tests of HTTP need more of it")]
#[path = "http/support.rs"]
mod support;

#[cfg(not(feature = "http"))]
fn main() {}

#[cfg(feature = "http")]
fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["serve", path] => runtime.block_on(killed::serve(path.as_ref())),
        // What the test harness would take, such as a filter, is of no meaning here.
        _ => runtime.block_on(killed::a_server_that_is_killed_in_the_middle_of_a_call_ends_it()),
    }
}

#[cfg(feature = "http")]
mod killed {
    use std::path::Path;
    use std::process::{Child, Command, Stdio};
    use std::sync::Arc;
    use std::time::Duration;

    use futures::StreamExt;
    use research_mcp::{HttpServer, Hub, HubEvent, Limits, McpErrorKind, Object, RetryCalls, ServerPolicy, ToolSource};
    use serde_json::json;
    use tokio::net::TcpListener;
    use tokio::time::{sleep, timeout};

    use crate::support::{Reply, Server, old};

    /// A time that ends no test which is as it should be.
    const LONG: Duration = Duration::from_secs(300);

    /// Answers calls with streams that never end, and writes the port to a file.
    pub(crate) async fn serve(path: &Path) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let written = path.with_extension("new");
        std::fs::write(&written, listener.local_addr().unwrap().port().to_string()).unwrap();
        let server = Server::on(listener, |request| match request.method() {
            "initialize" => old(request).unwrap().with("mcp-session-id", "s"),
            "GET" => Reply::Open(": ready\n\n".to_owned()),
            _ => old(request).unwrap_or_else(|| {
                let token = &request.body["params"]["_meta"]["progressToken"];
                let progress = json!({"jsonrpc": "2.0", "method": "notifications/progress",
                    "params": {"progressToken": token, "progress": 1}});
                Reply::Open(format!("id: 1\ndata: {progress}\n\n"))
            }),
        });

        std::fs::rename(written, path).unwrap();
        sleep(2 * LONG).await;
        drop(server);
    }

    /// A process that ends with the test.
    struct Killed(Child);

    impl Drop for Killed {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    pub(crate) async fn a_server_that_is_killed_in_the_middle_of_a_call_ends_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("port");
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.arg("serve").arg(&path).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = Killed(command.spawn().unwrap());
        let written = async {
            while !path.exists() {
                sleep(Duration::from_millis(20)).await;
            }
        };
        timeout(LONG, written).await.unwrap();
        let port = std::fs::read_to_string(&path).unwrap();

        // Calls wait until the hub has given up to start anew.
        let limits = Limits::default().connect(LONG);
        let policy = ServerPolicy::new().retry(RetryCalls::Safe);
        let server = HttpServer::new(format!("http://127.0.0.1:{port}/mcp"));
        let hub = Hub::builder().http("web", server).limits(limits).policy("web", policy).connect().await.unwrap();
        let hub = Arc::new(hub);
        let mut events = hub.events();
        let caller = Arc::clone(&hub);
        let call = tokio::spawn(async move { caller.call_tool("echo", Object::new()).await });
        // The call is under way once it reports progress.
        let progress = async { while !matches!(events.next().await, Some(HubEvent::Progress { .. })) {} };
        timeout(LONG, progress).await.unwrap();

        child.0.kill().unwrap();
        let error = call.await.unwrap().unwrap_err();
        let ends = [McpErrorKind::Closed, McpErrorKind::Protocol, McpErrorKind::Timeout];
        assert!(ends.contains(&error.kind()), "{error}");
        let error = hub.call_tool("echo", Object::new()).await.unwrap_err();
        assert_eq!(error.kind(), McpErrorKind::Closed, "{error}");
        assert!(error.to_string().contains("cannot be reached"), "{error}");
    }
}
