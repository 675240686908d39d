//! Servers that misbehave when they list their tools.

use std::time::Duration;

use research_mcp::{Hub, Limits, McpErrorKind, Object, ToolListing, ToolSource};
use serde_json::json;

use super::{beside, echoes, meanwhile, short};
use crate::watched;

/// Longer than any test.
const HOUR: Duration = Duration::from_secs(3_600);

async fn listed(pages: &str) -> (Hub, ToolListing) {
    let hub = beside(&["--pages", pages], short()).await;
    let listing = meanwhile(&hub, hub.list_tools()).await.unwrap();
    echoes(&hub).await;
    (hub, listing)
}

fn names(listing: &ToolListing) -> Vec<&str> {
    listing.tools.iter().filter(|tool| tool.server == "bad").map(|tool| tool.name.as_str()).collect()
}

fn quarantined(listing: &ToolListing) -> Vec<(&str, &str)> {
    listing.quarantined.iter().map(|tool| (tool.name.as_str(), tool.reason.as_str())).collect()
}

#[tokio::test]
async fn a_repeated_cursor_ends_the_list() {
    watched(async {
        let (hub, listing) = listed("repeat").await;
        assert!(names(&listing).contains(&"echo") && names(&listing).last() == Some(&"second"));
        assert_eq!(names(&listing).iter().filter(|name| **name == "second").count(), 1);
        hub.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_list_without_an_end_is_cut_off() {
    watched(async {
        let (hub, listing) = listed("endless").await;
        let more = names(&listing).iter().filter(|name| name.starts_with("more_")).count();
        assert_eq!(more, Limits::default().list_pages - 1);
        hub.close().await;
    })
    .await;
}

#[tokio::test]
async fn an_empty_string_is_a_cursor() {
    watched(async {
        let (hub, listing) = listed("empty").await;
        assert_eq!(names(&listing).last(), Some(&"second"));
        hub.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_bad_tool_is_left_out_and_the_others_are_kept() {
    for pages in ["bad", "bad-meta"] {
        watched(async {
            let (hub, listing) = listed(pages).await;
            assert!(names(&listing).contains(&"echo"), "{pages}: {listing:?}");
            let bad = quarantined(&listing);
            assert_eq!(bad.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["no_schema", "list_schema", "", ""]);
            assert!(bad[0].1.contains("no input schema") && bad[1].1.contains("no object"), "{bad:?}");
            hub.close().await;
        })
        .await;
    }
}

#[tokio::test]
async fn a_name_that_is_listed_twice_counts_once() {
    watched(async {
        let (hub, listing) = listed("twice").await;
        assert_eq!(names(&listing).iter().filter(|name| **name == "echo").count(), 1);
        assert_eq!(quarantined(&listing)[0].0, "echo");
        hub.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_list_that_is_none_or_never_comes_concerns_its_server_alone() {
    let soon = Duration::from_millis(300);
    for (pages, limit, reason) in
        [("no-list", HOUR, "the answer is no list"), ("hang", soon, "listing took longer than 300ms")]
    {
        watched(async {
            let hub = beside(&["--pages", pages], short().list(limit)).await;
            let listing = meanwhile(&hub, hub.list_tools()).await.unwrap();
            assert_eq!(listing.tools.len(), 1);
            assert!(listing.failed[0].server == "bad" && listing.failed[0].reason.contains(reason), "{listing:?}");
            // Its tools can be called by their own names still.
            echoes(&hub).await;
            hub.close().await;
        })
        .await;
    }
}

/// A slow list of one server does not hold up the calls of another, and not even its own.
#[tokio::test]
async fn calls_go_on_while_a_list_hangs() {
    watched(async {
        let hub = beside(&["--pages", "hang-later"], short().list(HOUR)).await;
        hub.tools().await.unwrap();
        // Nothing but its limit could end it.
        let again = hub.list_tools();
        let calls = async {
            let by_name = hub.call_tool("search", Object::new()).await;
            echoes(&hub).await;
            by_name
        };
        tokio::select! {
            biased;
            _ = again => panic!("a list that is never answered came to an end"),
            outcome = calls => assert!(outcome.is_ok()),
        }
        let error = hub.call_on("bad", "nothing", json!({}).as_object().unwrap().clone()).await.unwrap_err();
        assert_eq!(error.kind(), McpErrorKind::Protocol);
        hub.close().await;
    })
    .await;
}
