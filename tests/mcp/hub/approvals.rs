//! Which tools were approved as what, within one hub, from one run to the next, and over the death of a server.

use research_mcp::{Approvals, ChangedTools, Hub, McpErrorKind, ServerPolicy, Standing, ToolSource};
use serde_json::json;

use crate::{Scratch, bad, object, watched};

async fn hub(approvals: Approvals, flags: &[&str], policy: ServerPolicy) -> Hub {
    Hub::builder().stdio("bad", bad(flags)).approvals(approvals).policy("bad", policy).connect().await.unwrap()
}

async fn echo(hub: &Hub) -> Result<(), McpErrorKind> {
    hub.call_on("bad", "echo", object(json!({}))).await.map(drop).map_err(|error| error.kind())
}

#[tokio::test]
async fn strict_approvals_are_given_one_by_one() {
    watched(async {
        let hub = hub(Approvals::strict(), &[], ServerPolicy::new()).await;
        assert_eq!(echo(&hub).await, Err(McpErrorKind::Refused));
        hub.approve("echo").await.unwrap();
        assert_eq!(echo(&hub).await, Ok(()));
        let error = hub.call_on("bad", "note", object(json!({}))).await.unwrap_err();
        assert_eq!(error.kind(), McpErrorKind::Refused);
        assert_eq!(hub.approve("nothing").await.unwrap_err().kind(), McpErrorKind::UnknownTool);
        hub.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_tool_that_changed_between_two_runs_is_refused() {
    watched(async {
        let first = hub(Approvals::new(), &[], ServerPolicy::new()).await;
        first.list_tools().await.unwrap();
        let kept = serde_json::to_string(&first.approvals()).unwrap();
        first.close().await;
        let kept: Approvals = serde_json::from_str(&kept).unwrap();

        let same = hub(kept.clone(), &[], ServerPolicy::new()).await;
        assert_eq!(echo(&same).await, Ok(()));
        same.close().await;

        // Nobody has listed the tools of the changed server before the call.
        let changed = hub(kept.clone(), &["--described"], ServerPolicy::new()).await;
        assert_eq!(echo(&changed).await, Err(McpErrorKind::ToolChanged));
        assert!(changed.call_on("bad", "note", object(json!({}))).await.is_ok(), "the others are as they were");
        let listing = changed.list_tools().await.unwrap();
        assert_eq!(changed.approvals().standing(listing.get("echo").unwrap()), Standing::Changed);
        changed.approve("echo").await.unwrap();
        assert_eq!(echo(&changed).await, Ok(()));
        changed.close().await;

        let policy = ServerPolicy::new().changed_tools(ChangedTools::Allow);
        let trusting = hub(kept, &["--described"], policy).await;
        assert_eq!(echo(&trusting).await, Ok(()));
        trusting.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_server_that_comes_back_with_another_tool_is_noticed() {
    watched(async {
        let log = Scratch::new();
        let flags = ["--log", log.path(), "--described-after", "1"];
        let hub = hub(Approvals::new(), &flags, ServerPolicy::new()).await;
        hub.list_tools().await.unwrap();
        assert_eq!(echo(&hub).await, Ok(()));
        hub.call_on("bad", "crash", object(json!({}))).await.unwrap_err();
        assert_eq!(echo(&hub).await, Err(McpErrorKind::ToolChanged));
        hub.close().await;
    })
    .await;
}
