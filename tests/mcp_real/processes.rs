//! Finds the processes of a server, whatever they started themselves.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use research_mcp::{Hub, StdioServer};

use crate::{limits, servers, watched};

const VARIABLE: &str = "RESEARCH_TEST_MARK";

/// A variable in the environment of a server, which all its descendants inherit.
pub struct Mark(String);

impl Mark {
    /// Puts a new mark on a server.
    pub fn on(server: StdioServer) -> (StdioServer, Self) {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let value = format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        (server.env(VARIABLE, &value), Self(format!("{VARIABLE}={value}")))
    }

    /// Whether a process with this mark is alive. Only Linux shows it; elsewhere the answer is what is hoped for.
    pub fn is_alive(&self) -> bool {
        self.count().is_none_or(|count| count > 0)
    }

    /// How many there are.
    fn count(&self) -> Option<usize> {
        let processes = std::fs::read_dir("/proc").ok().filter(|_| cfg!(target_os = "linux"))?;
        let marked = |process: &Path| {
            // The environment of a zombie is empty.
            let environment = std::fs::read(process.join("environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|entry| entry == self.0.as_bytes())
        };
        Some(processes.flatten().filter(|process| marked(&process.path())).count())
    }

    /// Waits until there is none.
    pub async fn gone(&self) {
        for _ in 0..4_800 {
            if self.count().is_none_or(|count| count == 0) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        panic!("{:?} processes are left of {}", self.count(), self.0);
    }
}

#[tokio::test]
async fn a_hub_that_is_dropped_leaves_nothing_behind_a_wrapper() {
    watched(async {
        let wrapped = |server: StdioServer| {
            let words = [&[server.command][..], &server.args].concat();
            StdioServer::new("sh").args(["-c", "\"$@\"; true", "sh"]).args(words)
        };
        let (everything, one) = Mark::on(wrapped(servers::everything()));
        let (time, other) = Mark::on(wrapped(servers::time()));
        let hub = Hub::builder().stdio("everything", everything).stdio("time", time).limits(limits());
        let hub = hub.connect().await.unwrap();
        assert!(hub.servers().iter().all(|status| status.state.is_ready()), "{hub:?}");
        // The shell and what it started.
        assert!([&one, &other].iter().all(|mark| mark.count().is_none_or(|count| count >= 2)));
        drop(hub);
        one.gone().await;
        other.gone().await;
    })
    .await;
}
