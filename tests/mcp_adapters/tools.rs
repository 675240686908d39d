//! What may be called, what a model is told, and how results, failures and progress come back.

use std::sync::Arc;

use futures::StreamExt;
use research_agents::kernel::Untrusted;
use research_agents::mcp::{
    AllowList, Approvals, CallOptions, ChangedTools, DirectoryArtifacts, Hub, HubTools, McpErrorKind, Object, Overflow,
    ServerPolicy, ToolProgress,
};
use research_agents::tool_loop::{ToolAgent, ToolLoopEnd};
use research_llm::testing::ScriptedModel;
use research_llm::tool::{Toolbox, tool_fn};
use research_llm::{Response, ToolCall};
use serde_json::json;

use crate::{Logged, connected, object, results, watched};

fn names(tools: &HubTools) -> Vec<&str> {
    tools.tools().map(|tool| tool.exposed_name.as_str()).collect()
}

#[tokio::test]
async fn nothing_is_allowed_until_it_is_said() {
    watched(async {
        let (rail, files) = (Logged::new(), Logged::new());
        let hub = Hub::builder().stdio("rail", rail.asking(&[])).stdio("files", files.bad(&["--pages", "bad"]));
        let hub = connected(hub).await;
        let none = HubTools::builder(Arc::clone(&hub)).build().await.unwrap();
        assert!(names(&none).is_empty() && none.definitions().is_empty());
        let error = none.call("note", Object::new()).await.unwrap_err();
        assert_eq!(error.kind(), McpErrorKind::UnknownTool);

        let list = AllowList::new().allow("rail", "*o*").deny("rail", "book").allow("files", "echo").allow("mail", "*");
        let some = HubTools::builder(Arc::clone(&hub)).allow_list(list).build().await.unwrap();
        // Both servers have a `note`, and only that of one may be called.
        assert_eq!(names(&some), ["rail__note", "echo"]);
        let unmatched: Vec<String> = some.unmatched().iter().map(ToString::to_string).collect();
        assert_eq!(unmatched, ["mail/*"]);
        some.call("rail__note", object(json!({"text": "x"}))).await.unwrap();
        for refused in ["files__note", "book", "note", "delete_all"] {
            let error = some.call(refused, Object::new()).await.unwrap_err();
            assert_eq!(error.kind(), McpErrorKind::UnknownTool, "{refused}");
            assert!(error.to_string().ends_with("rail__note, echo"), "no other name is told: {error}");
        }
        assert_eq!((rail.calls(), files.calls()), (vec!["note".to_owned()], Vec::new()));
        hub.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_box_gives_marked_text_and_keeps_standard_error_to_itself() {
    watched(async {
        let server = Logged::new();
        let hub = connected(Hub::builder().stdio("bad", server.bad(&[]))).await;
        let builder = HubTools::builder(Arc::clone(&hub)).allow("bad", "*").deny("bad", "echo");
        let tools = builder.guard(|_, arguments| match arguments.contains_key("meta") {
            true => Err("no metadata".to_owned()),
            false => Ok(()),
        });
        let tools = tools.build().await.unwrap().toolbox().checked().unwrap();
        let told = tools.get("hologram").unwrap().definition().description.clone();
        assert!(
            told.contains(r#"server "bad""#) && told.ends_with(r#""Returns a block of a kind that nobody knows.""#)
        );

        let result = tools.run(&ToolCall::new("1", "hologram", "{}")).await;
        let (rule, block) = result.content.split_once('\n').unwrap();
        let word = rule.split_whitespace().nth(4).unwrap();
        assert!(word.ends_with('|'), "{rule}");
        assert!(block.starts_with("<<data ") && block.contains(&format!("{word} beside it")), "{block}");
        assert!(block.contains(r#"A block of the kind "hologram""#), "{block}");

        let result = tools.run(&ToolCall::new("2", "hologram", r#"{"meta": true}"#)).await;
        assert!(result.is_error && result.content.contains("no metadata"), "{}", result.content);
        let result = tools.run(&ToolCall::new("3", "crash", "{}")).await;
        assert!(result.is_error && result.content.contains("exit status: 3"), "{}", result.content);
        assert!(!result.content.contains("out of memory"), "{}", result.content);
        let result = tools.run(&ToolCall::new("4", "echo", "{}")).await;
        assert!(result.is_error, "{}", result.content);
        assert_eq!(server.calls(), ["hologram", "crash"]);
        hub.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_tool_that_changed_is_not_called_whatever_the_policy_says() {
    for changed in [ChangedTools::Refuse, ChangedTools::Allow] {
        watched(async {
            let server = Logged::new();
            let policy = ServerPolicy::new().changed_tools(changed);
            let hub = connected(Hub::builder().stdio("bad", server.bad(&[])).policy("bad", policy)).await;
            let build = || HubTools::builder(Arc::clone(&hub)).allow("bad", "echo").build();
            let tools = build().await.unwrap();
            tools.call("echo", Object::new()).await.unwrap();
            let mut events = hub.events();
            hub.call_on("bad", "change", object(json!({"how": "describe"}))).await.unwrap();
            while !matches!(events.next().await, Some(research_agents::mcp::HubEvent::ToolsChanged { .. })) {}
            let error = tools.call("echo", Object::new()).await.unwrap_err();
            assert_eq!(error.kind(), McpErrorKind::ToolChanged, "{changed:?}");
            let anew = build().await.unwrap();
            assert_eq!((names(&anew).len(), anew.left_out()[0].name.as_str()), (0, "echo"));

            hub.approve("echo").await.unwrap();
            let error = tools.call("echo", Object::new()).await.unwrap_err();
            assert_eq!(error.kind(), McpErrorKind::ToolChanged, "the model was shown the old one");
            let anew = build().await.unwrap();
            anew.call("echo", Object::new()).await.unwrap();
            assert_eq!(server.calls(), ["echo", "change", "echo"]);

            hub.call_on("bad", "change", object(json!({"how": "rename"}))).await.unwrap();
            while !matches!(events.next().await, Some(research_agents::mcp::HubEvent::ToolsChanged { .. })) {}
            let error = anew.call("echo", Object::new()).await.unwrap_err();
            assert!(matches!(error.kind(), McpErrorKind::Refused), "{error}");
            hub.close().await;
        })
        .await;
    }
}

#[tokio::test]
async fn with_strict_approvals_only_what_was_approved_is_shown() {
    watched(async {
        let server = Logged::new();
        let hub = connected(Hub::builder().stdio("rail", server.asking(&[])).approvals(Approvals::strict())).await;
        hub.approve("note").await.unwrap();
        let tools = HubTools::builder(Arc::clone(&hub)).allow("rail", "*").build().await.unwrap();
        assert_eq!(names(&tools), ["note"]);
        assert_eq!(tools.left_out().len(), 8);
        hub.close().await;
    })
    .await;
}

#[tokio::test]
async fn what_is_too_large_is_cut_and_the_whole_is_named() {
    watched(async {
        let server = Logged::new();
        let artifacts = Arc::new(DirectoryArtifacts::new(server.path("artifacts")).unwrap());
        let hub = Hub::builder().stdio("rail", server.asking(&[])).artifacts(Arc::clone(&artifacts) as _);
        let hub = connected(hub).await;
        let builder = HubTools::builder(Arc::clone(&hub)).allow("rail", "much").result_cap(500);
        let options = CallOptions::new().result_bytes(10_000).overflow(Overflow::Keep);
        let tools = builder.call_options(options).build().await.unwrap();
        let output: Untrusted<_> = tools.call("much", Object::new()).await.unwrap();
        let artifact = output.for_code().artifact.unwrap();
        let result = tools.toolbox().run(&ToolCall::new("1", "much", "{}")).await;
        assert!(!result.is_error && result.content.chars().count() < 1_000, "{}", result.content);
        assert!(result.content.contains("is the artifact ") && result.content.contains("(cut)"), "{}", result.content);
        let whole = research_agents::mcp::ArtifactStore::get(&*artifacts, artifact.id).await.unwrap();
        assert!(whole.len() >= 200_000);
        hub.close().await;
    })
    .await;
}

#[tokio::test]
async fn many_tools_are_found_by_words_and_called_through_one() {
    watched(async {
        let server = Logged::new();
        let hub = connected(Hub::builder().stdio("rail", server.asking(&["--many", "60"]))).await;
        let builder = HubTools::builder(Arc::clone(&hub)).allow("rail", "topic_*").allow("rail", "read");
        let tools = builder.build().await.unwrap();
        assert!(tools.is_deferred());
        let call = |id: &str, name: &str, arguments: serde_json::Value| {
            Response::new("", "").tool_call(ToolCall::new(id, name, arguments.to_string()))
        };
        let model = Arc::new(
            ScriptedModel::new()
                .then(call("1", "mcp_search_tools", json!({"query": "matter 17", "most": 2})))
                .then(call("2", "mcp_call_tool", json!({"name": "topic_17", "arguments": {"a": 1}})))
                .then(call("3", "mcp_call_tool", json!({"name": "delete_all", "arguments": {}})))
                .then(call("4", "topic_3", json!({})))
                .then(call("5", "mcp_search_tools", json!({"query": "deletes everything"})))
                .then("Done."),
        );
        let agent = ToolAgent::builder(Arc::clone(&model), Toolbox::new()).hub(tools).build().unwrap();
        assert_eq!(agent.run("Tell of 17.").await.unwrap().text, "Done.");
        let requests = model.calls();
        assert_eq!(
            requests[0].tools.iter().map(|tool| &*tool.name).collect::<Vec<_>>(),
            ["mcp_search_tools", "mcp_call_tool"]
        );
        let shown = results(requests.last().unwrap());
        assert!(shown[0].content.contains("topic_17") && !shown[0].is_error, "{}", shown[0].content);
        assert_eq!(shown[0].content.matches("\"name\"").count(), 2, "{}", shown[0].content);
        assert!(shown[1].content.contains("This is topic_17."), "{}", shown[1].content);
        assert!(shown[2].is_error && shown[2].content.contains("no MCP tool is named"), "{}", shown[2].content);
        assert!(shown[3].is_error, "what was found is called through the one tool: {}", shown[3].content);
        assert!(shown[4].content.contains("no tool has any of these words"), "{}", shown[4].content);
        assert_eq!(server.calls(), ["topic_17"]);
        hub.close().await;
    })
    .await;
}

#[tokio::test]
async fn progress_of_a_call_is_told_and_stopping_the_run_cancels_it() {
    watched(async {
        let server = Logged::new();
        let hub = connected(Hub::builder().stdio("rail", server.asking(&[]))).await;
        let tools = HubTools::builder(Arc::clone(&hub)).allow("rail", "watch").build().await.unwrap();
        let two = Response::new("", "")
            .tool_call(ToolCall::new("a", "watch", "{}"))
            .tool_call(ToolCall::new("b", "watch", "{}"));
        let model = ScriptedModel::new().then(two).then("Seen.");
        let agent = ToolAgent::builder(model, Toolbox::new()).hub(tools).build().unwrap();
        let mut events = agent.run("Watch.").stream();
        let mut told: Vec<ToolProgress> = Vec::new();
        while let Some(event) = events.next().await {
            if let Some(progress) = event.custom::<ToolProgress>() {
                told.push(progress.clone());
                // Each call is told of under its own name before either ends.
                if ["a", "b"].iter().all(|key| told.iter().any(|told| told.key == *key)) {
                    hub.call_on("rail", "release", Object::new()).await.unwrap();
                }
            }
        }
        let message = told[0].message.as_ref().unwrap();
        assert_eq!(
            (told[0].server.as_str(), told[0].tool.as_str(), message.for_code().as_str()),
            ("rail", "watch", "looking")
        );
        hub.close().await;

        let server = Logged::new();
        let hub = connected(Hub::builder().stdio("bad", server.bad(&[]))).await;
        let tools = HubTools::builder(Arc::clone(&hub)).allow("bad", "hang").build().await.unwrap();
        let model = ScriptedModel::new().then(Response::new("", "").tool_call(ToolCall::new("1", "hang", "{}")));
        let agent = ToolAgent::builder(model, Toolbox::new()).hub(tools).build().unwrap();
        let called = async {
            while server.calls().is_empty() {
                tokio::time::sleep(std::time::Duration::from_millis(10)).await;
            }
        };
        tokio::select! {
            answer = agent.run("Hang.") => panic!("{answer:?}"),
            () = called => {}
        }
        while !server.lines().iter().any(|line| line.get("cancelled").is_some()) {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        hub.close().await;
    })
    .await;
}

#[tokio::test]
async fn tools_of_the_host_and_of_servers_stand_side_by_side_and_a_name_is_used_once() {
    watched(async {
        let server = Logged::new();
        let hub = connected(Hub::builder().stdio("rail", server.asking(&[]))).await;
        let tools = HubTools::builder(Arc::clone(&hub)).allow("rail", "read").build().await.unwrap();
        let own =
            |name: &str| Toolbox::new().with(tool_fn(name, "", |(): ()| async { Ok::<_, std::io::Error>("own") }));
        let model = Arc::new(
            ScriptedModel::new()
                .then(
                    Response::new("", "")
                        .tool_call(ToolCall::new("1", "read", ""))
                        .tool_call(ToolCall::new("2", "now", "")),
                )
                .then("Done."),
        );
        let agent = ToolAgent::builder(Arc::clone(&model), own("now")).hub(tools.clone()).build().unwrap();
        let answer = agent.run("Read.").await.unwrap();
        assert_eq!((answer.text.as_str(), answer.end), ("Done.", ToolLoopEnd::Answered));
        let shown = results(&model.calls()[1]);
        assert!(
            shown[0].content.contains("| Graz lies on the Mur.") && shown[1].content.contains("| own"),
            "{shown:?}"
        );
        let error = ToolAgent::builder(ScriptedModel::new(), own("read")).hub(tools).build().unwrap_err();
        assert!(error.to_string().contains("several tools named `read`"), "{error}");
        hub.close().await;
    })
    .await;
}
