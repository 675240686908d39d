//! The reference server with everything in it, over both of its transports. It speaks MCP 2025-11-25 and before.

mod calls;
mod questions;

use std::collections::BTreeSet;

use research_mcp::{Content, HttpServer, Hub, HubEvent, McpError, McpErrorKind, ResourceContent, ToolSource};
use serde_json::{Value, json};

use crate::web::Listening;
use crate::{Eras, call, connected, event, in_each_era, names, object, protocol, refusal, servers, watched};

/// What is listed to a client that answers no questions, samples from no model and has no roots.
const TOOLS: &[&str] = &[
    "echo",
    "get-annotated-message",
    "get-env",
    "get-resource-links",
    "get-resource-reference",
    "get-structured-content",
    "get-sum",
    "get-tiny-image",
    "gzip-file-as-resource",
    "simulate-research-query",
    "toggle-simulated-logging",
    "toggle-subscriber-updates",
    "trigger-long-running-operation",
];

/// Runs a test over both transports, in every way to begin.
async fn over_both(test: impl AsyncFn(&Hub)) {
    in_each_era(Eras::OnlyOld, servers::everything(), &test).await;
    watched(async {
        let http = |port: u16| servers::everything().arg("streamableHttp").env("PORT", port.to_string());
        let listening = Listening::start(http).await;
        for (lifecycle, revision) in Eras::OnlyOld.ways() {
            let hub = connected(Hub::builder().http("server", HttpServer::new(listening.mcp())), lifecycle).await;
            assert_eq!(protocol(&hub, "server"), revision);
            test(&hub).await;
            hub.close().await;
        }
    })
    .await;
}

/// The picture of a result; a PNG in base 64 begins with these letters.
fn png(content: &Content) -> bool {
    matches!(content, Content::Image { media_type, data, .. } if media_type == "image/png" && data.starts_with("iVBORw0KGgo"))
}

fn link(content: &Content) -> Option<&str> {
    if let Content::ResourceLink { uri, .. } = content { Some(uri) } else { None }
}

/// The text of the demonstration resources without the time of day that they end with.
fn begins(resource: &ResourceContent, with: &str) -> bool {
    resource.text.as_deref().is_some_and(|text| text.starts_with(with))
}

async fn read(hub: &Hub, uri: &str) -> ResourceContent {
    let mut read = hub.read_resource("server", uri).await.unwrap();
    assert_eq!((read.len(), read[0].uri.as_str()), (1, uri));
    read.remove(0)
}

#[tokio::test]
async fn its_tools_are_listed_and_one_that_runs_only_as_a_task_says_so() {
    over_both(async |hub| {
        let mut listed = names(hub).await;
        listed.sort();
        assert_eq!(listed, TOOLS);
        let listing = hub.list_tools().await.unwrap();
        let sum = listing.get("get-sum").unwrap();
        assert_eq!((sum.hints.read_only, sum.hints.open_world), (Some(true), Some(false)));
        assert!(listing.get("get-structured-content").unwrap().output_schema.is_some());
        let words = refusal(hub, "simulate-research-query", json!({"topic": "wrens"})).await;
        assert!(words.contains("requires task augmentation"), "{words}");
    })
    .await;
}

#[tokio::test]
async fn blocks_of_every_kind_come_as_what_they_are() {
    over_both(async |hub| {
        assert_eq!(call(hub, "echo", json!({"message": "Ünïcode\n\"x\""})).await.text, "Echo: Ünïcode\n\"x\"");
        assert_eq!(call(hub, "get-sum", json!({"a": 40, "b": 2.5})).await.text, "The sum of 40 and 2.5 is 42.5.");

        let weather = call(hub, "get-structured-content", json!({"location": "Chicago"})).await;
        let expected = json!({"temperature": 36, "conditions": "Light rain / drizzle", "humidity": 82});
        assert_eq!(weather.structured, Some(expected.clone()));
        assert_eq!(serde_json::from_str::<Value>(&weather.text).unwrap(), expected);

        let image = call(hub, "get-tiny-image", json!({})).await;
        assert!(image.content.len() == 3 && png(&image.content[1]), "{:?}", image.content);
        assert!(!image.text.contains("iVBORw0KGgo"), "a picture is no text");
        let annotated = call(hub, "get-annotated-message", json!({"messageType": "error", "includeImage": true})).await;
        assert!(annotated.text == "Error: Operation failed" && png(&annotated.content[1]), "{:?}", annotated.content);

        let reference = call(hub, "get-resource-reference", json!({"resourceType": "Blob", "resourceId": 2})).await;
        let [_, Content::Resource(resource), _] = &reference.content[..] else { panic!("{:?}", reference.content) };
        assert!(resource.uri == "demo://resource/dynamic/blob/2" && resource.blob.is_some(), "{resource:?}");
    })
    .await;
}

#[tokio::test]
async fn links_in_results_lead_to_resources() {
    over_both(async |hub| {
        let links = call(hub, "get-resource-links", json!({"count": 4})).await;
        let uris: Vec<&str> = links.content.iter().filter_map(link).collect();
        assert_eq!(uris.len(), 4);
        for (place, uri) in uris.into_iter().enumerate() {
            let resource = read(hub, uri).await;
            // Every other one is binary.
            assert_eq!((resource.blob.is_some(), resource.text.is_some()), (place % 2 == 0, place % 2 == 1), "{uri}");
        }

        let data = json!({"name": "a.gz", "data": "data:text/plain,feathers", "outputType": "resourceLink"});
        let zipped = call(hub, "gzip-file-as-resource", data).await;
        let uri = zipped.content.iter().find_map(link).unwrap();
        let resource = read(hub, uri).await;
        assert_eq!(resource.media_type.as_deref(), Some("application/gzip"));
        // The first bytes of every file of gzip, in base 64.
        assert!(resource.blob.unwrap().starts_with("H4sI"));
    })
    .await;
}

#[tokio::test]
async fn resources_templates_and_prompts_are_listed_and_read() {
    over_both(async |hub| {
        let resources = hub.resources("server").await.unwrap();
        let features = resources.iter().find(|resource| resource.uri.ends_with("/features.md")).unwrap();
        assert_eq!((resources.len(), features.media_type.as_deref()), (7, Some("text/markdown")));
        assert!(begins(&read(hub, &features.uri).await, "# Everything Server"));
        let templates = hub.resource_templates("server").await.unwrap();
        let patterns: BTreeSet<&str> = templates.iter().map(|template| template.uri_template.as_str()).collect();
        let expected = ["demo://resource/dynamic/blob/{resourceId}", "demo://resource/dynamic/text/{resourceId}"];
        assert_eq!(patterns, BTreeSet::from(expected));
        assert!(begins(&read(hub, "demo://resource/dynamic/text/7").await, "Resource 7: This is a plaintext resource"));
        let missing = hub.read_resource("server", "demo://resource/nothing").await.unwrap_err();
        assert!(matches!(&missing, McpError::Protocol { code: Some(-32602), .. }), "{missing}");

        let prompts = hub.prompts("server").await.unwrap();
        let named = |name: &str| prompts.iter().find(|prompt| prompt.name == name).unwrap();
        let city: Vec<_> = named("args-prompt").arguments.iter().map(|one| (one.name.as_str(), one.required)).collect();
        assert_eq!((prompts.len(), city), (4, vec![("city", true), ("state", false)]));
        let filled = hub.prompt("server", "args-prompt", object(json!({"city": "Oslo"}))).await.unwrap();
        assert_eq!((filled.len(), filled[0].role.as_str()), (1, "user"));
        assert!(filled[0].content.as_text().unwrap().contains("Oslo"), "{filled:?}");
        let with_resource = object(json!({"resourceType": "Text", "resourceId": "3"}));
        let with_resource = hub.prompt("server", "resource-prompt", with_resource).await.unwrap();
        let Content::Resource(embedded) = &with_resource[1].content else { panic!("{with_resource:?}") };
        assert!(begins(embedded, "Resource 3: "), "{embedded:?}");
        let incomplete = hub.prompt("server", "args-prompt", object(json!({}))).await.unwrap_err();
        assert_eq!(incomplete.kind(), McpErrorKind::Protocol);
    })
    .await;
}

#[tokio::test]
async fn bad_calls_are_errors_in_the_servers_words() {
    over_both(async |hub| {
        assert!(refusal(hub, "get-sum", json!({"a": 1})).await.contains("received undefined at b"));
        assert!(
            refusal(hub, "get-structured-content", json!({"location": "Oslo"})).await.contains("Invalid arguments")
        );
        // This server's SDK reports an unknown tool as an error of the tool.
        assert!(refusal(hub, "get-sums", json!({})).await.contains("Tool get-sums not found"));
        let unknown = hub.call_tool("get-sums", object(json!({}))).await.unwrap_err();
        assert!(unknown.kind() == McpErrorKind::UnknownTool && unknown.to_string().contains("`get-sum`"), "{unknown}");
        let elsewhere = hub.call_on("servers", "echo", object(json!({}))).await.unwrap_err();
        assert_eq!(elsewhere.kind(), McpErrorKind::Configuration);
    })
    .await;
}

#[tokio::test]
async fn changes_and_the_log_are_told_as_events() {
    over_both(async |hub| {
        let mut events = hub.events();
        let uri = "demo://resource/static/document/features.md";
        hub.subscribe("server", uri).await.unwrap();
        call(hub, "toggle-subscriber-updates", json!({})).await;
        let updated = event(&mut events, |event| match event {
            HubEvent::ResourceUpdated { uri, .. } => Some(uri),
            _ => None,
        });
        assert_eq!(updated.await, uri);
        hub.unsubscribe("server", uri).await.unwrap();
        call(hub, "toggle-subscriber-updates", json!({})).await;

        call(hub, "toggle-simulated-logging", json!({})).await;
        let said = event(&mut events, |event| match event {
            HubEvent::Log { data, .. } => data.as_str().filter(|text| text.contains("message")).map(str::to_owned),
            _ => None,
        });
        assert!(said.await.contains("level"));
        call(hub, "toggle-simulated-logging", json!({})).await;

        call(hub, "gzip-file-as-resource", json!({"name": "b.gz", "data": "data:text/plain,x"})).await;
        event(&mut events, |event| matches!(event, HubEvent::ResourcesChanged { .. }).then_some(())).await;
    })
    .await;
}

#[tokio::test]
async fn it_sees_of_our_environment_only_what_it_needs() {
    in_each_era(Eras::OnlyOld, servers::everything(), async |hub| {
        let environment: Value = serde_json::from_str(&call(hub, "get-env", json!({})).await.text).unwrap();
        assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some(), "cargo sets it for tests");
        let allowed = ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "RESEARCH_TEST_MARK"];
        let others = environment.as_object().unwrap().keys().filter(|name| !allowed.contains(&name.as_str()));
        assert_eq!(others.collect::<Vec<_>>(), Vec::<&String>::new());
        assert!(environment["RESEARCH_TEST_MARK"].is_string() && environment["PATH"].is_string());
    })
    .await;
}
