//! Calls and servers that must not wait for each other.

use std::time::Duration;

use futures::future::join_all;
use research_mcp::{Hub, Limits, Object, ServerPolicy, ServerState, ToolSource};
use serde_json::json;

use crate::{Scratch, bad, connect, fixture, object, watched};

/// The server answers none of 64 calls before it has them all.
#[tokio::test]
async fn sixty_four_calls_on_one_session_overlap() {
    watched(async {
        let log = Scratch::new();
        let hub = connect(bad(&["--log", log.path()]), Limits::default()).await;
        let calls = (0..64).map(|_| hub.call_on("events", "gather", object(json!({"count": 64}))));
        for outcome in join_all(calls).await {
            assert_eq!(outcome.unwrap().text, "all here");
        }
        hub.close().await;
        let kinds: Vec<_> = log.lines().iter().skip(1).map(|entry| entry.get("call").is_some()).collect();
        assert_eq!(kinds.len(), 128);
        assert!(kinds[..64].iter().all(|begun| *begun), "all 64 have begun before the first ends: {}", log.text());
    })
    .await;
}

#[tokio::test]
async fn no_more_calls_are_in_flight_than_the_policy_allows() {
    watched(async {
        let log = Scratch::new();
        let hub = Hub::builder()
            .stdio("events", bad(&["--log", log.path()]))
            .policy("events", ServerPolicy::new().parallel_calls(3))
            .connect()
            .await
            .unwrap();
        // Answered in threes, or never.
        let calls = (0..12).map(|_| hub.call_on("events", "gather", object(json!({"count": 3}))));
        assert!(join_all(calls).await.into_iter().all(|outcome| outcome.is_ok()));
        hub.close().await;
        let (mut flight, mut most) = (0_usize, 0);
        for entry in log.lines().iter().skip(1) {
            flight = if entry.get("call").is_some() { flight + 1 } else { flight - 1 };
            most = most.max(flight);
        }
        assert_eq!(most, 3, "{}", log.text());
    })
    .await;
}

/// 15 servers are called while 5 others hang in their handshake, far from any time limit.
#[tokio::test]
async fn a_hub_is_usable_while_dead_servers_are_still_connecting() {
    watched(async {
        let hour = Duration::from_secs(3_600);
        let limits = Limits::default().connect(hour).settle(Duration::from_millis(200));
        let mut builder = Hub::builder().limits(limits);
        for number in 0..20 {
            let (name, tool) = (format!("s{number}"), format!("search_{number}"));
            builder = match number % 4 {
                3 => builder.stdio(name, bad(&["--hang-connect"])),
                _ => builder.stdio(name, fixture(&["--tool", &tool])),
            };
        }
        let hub = builder.build().unwrap();
        hub.start().await;
        let calls = (0..20).filter(|number| number % 4 != 3).map(|number| {
            let hub = &hub;
            async move { hub.call_on(&format!("s{number}"), &format!("search_{number}"), Object::new()).await }
        });
        let answered = join_all(calls).await;
        assert_eq!(answered.iter().filter(|outcome| outcome.is_ok()).count(), 15);
        let states = hub.servers();
        assert_eq!(states.iter().filter(|status| status.state.is_ready()).count(), 15);
        let connecting = states.iter().filter(|status| status.state == ServerState::Connecting);
        assert_eq!(connecting.count(), 5, "the dead ones are waited for still: {states:?}");
        hub.connect().await;
        let listing = hub.list_tools().await.unwrap();
        assert_eq!((listing.tools.len(), listing.failed.len()), (15, 5));
        assert!(listing.failed.iter().all(|failed| failed.reason.contains("still connecting")), "{listing:?}");
        hub.close().await;
        assert!(hub.servers().iter().all(|status| status.state == ServerState::Closed));
    })
    .await;
}
