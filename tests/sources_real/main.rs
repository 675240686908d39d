//! Search services that others wrote, on loopback: SearXNG, and `mcp-searxng` over it.
//!
//! `tests/sources_real/run` installs both and starts these tests; `cargo test` alone leaves them out. SearXNG is a tool of
//! these tests and of nothing else: its licence is the AGPL.

mod doors;
mod failures;
#[path = "../fixtures/ports.rs"]
mod ports;
mod same_claims;
mod same_passages;
#[expect(dead_code, reason = "the tests of sources need more of it")]
#[path = "../sources/servers.rs"]
mod servers;
mod site;
mod started;

/// The outcome of a test, unless it hangs. No test asserts how long anything takes.
async fn watched<T>(test: impl Future<Output = T>) -> T {
    tokio::time::timeout(std::time::Duration::from_secs(900), test).await.expect("the test hangs")
}
