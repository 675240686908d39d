//! Which tools a server may offer, and how a caller finds one of many.

use research_mcp::{Hub, McpErrorKind, ServerPolicy, ToolSource};
use serde_json::json;

use crate::{Scratch, bad, object, watched};

#[tokio::test]
async fn what_is_not_allowed_is_neither_listed_nor_called() {
    watched(async {
        let log = Scratch::new();
        let hub = Hub::builder()
            .stdio("bad", bad(&["--log", log.path()]))
            .policy("bad", ServerPolicy::new().allow("e*").allow("note").deny("env*"))
            .connect()
            .await
            .unwrap();
        assert_eq!(hub.list_tools().await.unwrap().names_only(), ["echo", "note"]);
        assert!(hub.call_tool("note", object(json!({}))).await.is_ok());
        for tool in ["environment", "hang"] {
            let error = hub.call_on("bad", tool, object(json!({}))).await.unwrap_err();
            assert_eq!((error.kind(), error.tool()), (McpErrorKind::Refused, Some(tool)));
            assert_eq!(hub.call_tool(tool, object(json!({}))).await.unwrap_err().kind(), McpErrorKind::UnknownTool);
        }
        hub.close().await;
        let called: Vec<_> = log.lines().into_iter().filter_map(|entry| entry.get("call").cloned()).collect();
        assert_eq!(called, [json!("note")]);
    })
    .await;
}

#[tokio::test]
async fn a_tool_is_found_by_words() {
    watched(async {
        let hub = Hub::builder().stdio("bad", bad(&[])).connect().await.unwrap();
        let found = hub.search_tools("variables of the environment", 3).await.unwrap();
        assert_eq!(found[0].exposed_name, "environment");
        assert!(found.len() <= 3);
        assert!(hub.search_tools("astronomy", 3).await.unwrap().is_empty());
        hub.close().await;
    })
    .await;
}
