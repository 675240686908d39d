//! How a server over HTTP ends, and what becomes of the calls in flight.

use std::sync::Arc;
use std::time::Duration;

use research_mcp::server::{HttpListen, ServerTool, ToolReply, ToolServer};
use research_mcp::{HttpServer, Hub, Lifecycle, Object, ServerPolicy, ToolSource};
use serde_json::json;
use tokio::net::TcpStream;
use tokio::sync::Notify;

use crate::{ERAS, watched};

/// A tool that says when it begins, and ends when it is told to or cancelled.
struct Gate {
    begun: Notify,
    open: Notify,
}

fn server() -> (ToolServer, Arc<Gate>) {
    let gate = Arc::new(Gate { begun: Notify::new(), open: Notify::new() });
    let inside = Arc::clone(&gate);
    let wait = ServerTool::new("wait", "Waits.", json!({"type": "object"}), move |call| {
        let gate = Arc::clone(&inside);
        async move {
            gate.begun.notify_one();
            let cancelled = call.caller().cancelled().run_until_cancelled(gate.open.notified()).await.is_none();
            Ok(ToolReply::text(if cancelled { "cancelled" } else { "finished" }))
        }
    });
    (ToolServer::builder("ending", "1").tool(wait).changes().build().unwrap(), gate)
}

async fn hub(url: &str, era: Lifecycle) -> Arc<Hub> {
    let policy = ServerPolicy::new().lifecycle(era);
    Arc::new(Hub::builder().http("own", HttpServer::new(url)).policy("own", policy).connect().await.unwrap())
}

#[tokio::test]
async fn a_call_in_flight_ends_before_the_server_does() {
    for era in ERAS {
        let (server, gate) = server();
        let running = server.serve_http(HttpListen::loopback(0).grace(Duration::from_secs(50))).await.unwrap();
        let (address, hub) = (running.address(), hub(running.url(), era).await);
        let caller = Arc::clone(&hub);
        let call = tokio::spawn(async move { caller.call_tool("wait", Object::new()).await });
        watched(gate.begun.notified()).await;
        let stopper = running.stopper();
        let ended = tokio::spawn(running.ended());
        stopper.cancel();
        // Nobody new gets in, while the call goes on.
        watched(async {
            while TcpStream::connect(address).await.is_ok() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        })
        .await;
        assert!(!ended.is_finished(), "{era:?}");
        gate.open.notify_one();
        assert_eq!(watched(call).await.unwrap().unwrap().text, "finished", "{era:?}");
        watched(ended).await.unwrap();
        hub.close().await;
    }
}

#[tokio::test]
async fn a_call_that_does_not_end_is_cancelled_after_the_grace() {
    for era in ERAS {
        let (server, gate) = server();
        let running = server.serve_http(HttpListen::loopback(0).grace(Duration::ZERO)).await.unwrap();
        let hub = hub(running.url(), era).await;
        let caller = Arc::clone(&hub);
        let call = tokio::spawn(async move { caller.call_tool("wait", Object::new()).await });
        watched(gate.begun.notified()).await;
        watched(running.shutdown()).await;
        // The answer may or may not get through any more; the call ends in any case.
        if let Ok(output) = watched(call).await.unwrap() {
            assert_eq!(output.text, "cancelled", "{era:?}");
        }
        hub.close().await;
    }
}

#[tokio::test]
async fn a_server_that_is_dropped_ends_at_once() {
    let (server, _gate) = server();
    let running = server.serve_http(HttpListen::loopback(0).grace(Duration::from_secs(50))).await.unwrap();
    let address = running.address();
    let hub = hub(running.url(), Lifecycle::Auto).await;
    drop(running);
    watched(async {
        while TcpStream::connect(address).await.is_ok() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
    hub.close().await;
}

#[tokio::test]
async fn a_server_with_listeners_and_no_calls_ends_without_waiting_for_them() {
    for era in ERAS {
        let (server, _gate) = server();
        // A grace that no test would survive, were it waited for.
        let running = server.serve_http(HttpListen::loopback(0).grace(Duration::from_secs(3600))).await.unwrap();
        let hub = hub(running.url(), era).await;
        watched(hub.tools()).await.unwrap();
        watched(running.shutdown()).await;
        hub.close().await;
    }
}
