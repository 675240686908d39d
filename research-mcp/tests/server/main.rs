//! A server of one's own, over HTTP on loopback and in process, asked by a hub or by hand.
#![cfg(all(feature = "server", feature = "http"))]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test stops at the first thing that is not as it should be")]

mod asking;
mod calls;
mod changes;
mod crowds;
mod ending;
mod gate;
mod methods;
mod offers;
mod wire;

use std::time::Duration;

use research_mcp::server::{HttpListen, RunningServer, ToolServer};
use research_mcp::{HttpServer, Hub, HubBuilder, Lifecycle, Object, ServerPolicy};
use serde_json::Value;

/// MCP 2025-11-25 and 2026-07-28.
const ERAS: [Lifecycle; 2] = [Lifecycle::Initialize, Lifecycle::Discover];

/// How a hub reaches the server.
#[derive(Clone, Copy, Debug)]
enum Way {
    Http,
    InProcess,
}

const WAYS: [Way; 2] = [Way::Http, Way::InProcess];

/// A hub over one server, and the server if it runs on its own.
struct Reached {
    hub: Hub,
    running: Option<RunningServer>,
}

impl Reached {
    async fn end(self) {
        self.hub.close().await;
        if let Some(running) = self.running {
            running.shutdown().await;
        }
    }
}

async fn reach(server: &ToolServer, way: Way, era: Lifecycle, with: impl FnOnce(HubBuilder) -> HubBuilder) -> Reached {
    let builder = Hub::builder().policy("own", ServerPolicy::new().lifecycle(era));
    let (builder, running) = match way {
        Way::InProcess => (builder.in_process("own", server.clone()), None),
        Way::Http => {
            let running = server.clone().serve_http(HttpListen::loopback(0)).await.unwrap();
            (builder.http("own", HttpServer::new(running.url())), Some(running))
        }
    };
    let hub = with(builder).connect().await.unwrap();
    assert!(hub.servers()[0].state.is_ready(), "{way:?} {era:?} {hub:?}");
    Reached { hub, running }
}

fn object(value: Value) -> Object {
    value.as_object().unwrap().clone()
}

/// The outcome of a test, unless it hangs. No test asserts how long anything takes.
async fn watched<T>(test: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(600), test).await.unwrap_or_else(|_| panic!("the test hangs"))
}
