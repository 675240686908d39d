//! What changes while a server runs, and who hears of it.

use std::time::Duration;

use futures::{Stream, StreamExt};
use research_mcp::server::{ServerPrompt, ServerResource, ServerTool, ToolReply, ToolServer};
use research_mcp::{Content, HubEvent, PromptMessage};
use serde_json::json;

use crate::{ERAS, WAYS, reach, watched};

fn tool(name: &str) -> ServerTool {
    ServerTool::new(name, "A tool.", json!({"type": "object"}), |_| async { Ok(ToolReply::text("done")) })
}

fn prompt(name: &str) -> ServerPrompt {
    ServerPrompt::new(name, |_| async { Ok(vec![PromptMessage::user(Content::text("Do it."))]) })
}

fn server() -> ToolServer {
    let builder = ToolServer::builder("changing", "1").tool(tool("first")).prompt(prompt("first"));
    builder.resource(ServerResource::text("r://a", "a", "A")).changes().subscriptions().build().unwrap()
}

/// The tools of the next change.
async fn changed(events: &mut (impl Stream<Item = HubEvent> + Unpin)) -> Vec<String> {
    while let Some(event) = events.next().await {
        if let HubEvent::ToolsChanged { changes, .. } = event {
            return changes.into_iter().map(|change| change.tool).collect();
        }
    }
    Vec::new()
}

/// Announces something until it was heard: a subscription of 2026-07-28 is a request of its own, which begins when it begins.
async fn again_and_again<T>(announce: impl AsyncFn()) -> T {
    loop {
        announce().await;
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn a_hub_hears_of_tools_that_come_and_go() {
    for way in WAYS {
        for era in ERAS {
            let server = server();
            let reached = reach(&server, way, era, |builder| builder).await;
            let mut events = reached.hub.events();
            assert_eq!(reached.hub.tools().await.unwrap().len(), 1);
            let announcer = server.announcer();
            let announced = again_and_again(async || announcer.set_tool(tool("second")).await.unwrap());
            let heard = tokio::select! {
                heard = watched(changed(&mut events)) => heard,
                never = announced => never,
            };
            assert_eq!(heard, ["second"], "{way:?} {era:?}");
            assert_eq!(reached.hub.tools().await.unwrap().len(), 2);
            assert!(announcer.remove_tool("first").await);
            assert!(!announcer.remove_tool("first").await);
            assert_eq!(watched(changed(&mut events)).await, ["first"], "{way:?} {era:?}");
            assert!(announcer.set_tool(tool("not a name")).await.is_err());
            reached.end().await;
        }
    }
}

#[tokio::test]
async fn only_those_who_subscribed_hear_of_a_resource() {
    for way in WAYS {
        for era in ERAS {
            let server = server();
            let reached = reach(&server, way, era, |builder| builder).await;
            let events = reached.hub.events();
            watched(reached.hub.subscribe("own", "r://a")).await.unwrap();
            let announcer = server.announcer();
            let announced = again_and_again(async || {
                announcer.resource_updated("r://b").await;
                announcer.resource_updated("r://a").await;
            });
            let heard = events.filter_map(async |event| match event {
                HubEvent::ResourceUpdated { uri, .. } => Some(uri),
                _ => None,
            });
            let heard = tokio::select! {
                heard = watched(heard.take(2).collect::<Vec<_>>()) => heard,
                never = announced => never,
            };
            assert_eq!(heard, ["r://a", "r://a"], "{way:?} {era:?}");
            reached.end().await;
        }
    }
}

#[tokio::test]
async fn prompts_come_and_go_too() {
    for (way, era) in WAYS.into_iter().zip(ERAS) {
        let server = server();
        let reached = reach(&server, way, era, |builder| builder).await;
        let mut events = reached.hub.events();
        let announcer = server.announcer();
        let announced = again_and_again(async || announcer.set_prompt(prompt("second")).await);
        let heard = async {
            while let Some(event) = events.next().await {
                if matches!(event, HubEvent::PromptsChanged { .. }) {
                    return true;
                }
            }
            false
        };
        let heard = tokio::select! {
            heard = watched(heard) => heard,
            never = announced => never,
        };
        assert!(heard);
        let names: Vec<String> =
            watched(reached.hub.prompts("own")).await.unwrap().into_iter().map(|prompt| prompt.name).collect();
        assert_eq!(names, ["first", "second"], "{way:?} {era:?}");
        assert!(announcer.remove_prompt("second").await);
        reached.end().await;
    }
}
