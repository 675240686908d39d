//! The servers with few tools: time, sequential thinking, sqlite.

use research_mcp::{Hub, Lifecycle, McpErrorKind, StdioServer};
use serde_json::json;
use tempfile::TempDir;

use crate::processes::Mark;
use crate::{Eras, NEW, call, connected, in_each_era, names, object, outcome, protocol, refusal, servers, watched};

#[tokio::test]
async fn time_is_converted_between_zones() {
    in_each_era(Eras::Both, servers::time(), async |hub| {
        assert_eq!(names(hub).await, ["get_current_time", "convert_time"]);
        // Neither of these two zones has summer time.
        let arguments = json!({"source_timezone": "Asia/Kolkata", "time": "12:00", "target_timezone": "Asia/Tokyo"});
        let converted = call(hub, "convert_time", arguments).await.structured.unwrap();
        assert_eq!(converted["time_difference"], "+3.5h");
        assert!(converted["target"]["datetime"].as_str().unwrap().ends_with("T15:30:00+09:00"), "{converted}");
        let now = call(hub, "get_current_time", json!({"timezone": "Asia/Tokyo"})).await.structured.unwrap();
        assert!(now["datetime"].as_str().unwrap().ends_with("+09:00"), "{now}");

        let words = refusal(hub, "get_current_time", json!({"timezone": "Nowhere/Atlantis"})).await;
        assert!(words.contains("Nowhere/Atlantis"), "{words}");
        assert!(refusal(hub, "convert_time", json!({"time": "12:00"})).await.contains("source_timezone"));
        let unknown = outcome(hub, "get_time", json!({})).await.unwrap_err();
        assert_eq!(unknown.kind(), McpErrorKind::Protocol);
        assert!(unknown.to_string().contains("Unknown tool: get_time"), "{unknown}");
    })
    .await;
}

#[tokio::test]
async fn thoughts_are_counted() {
    in_each_era(Eras::OnlyOld, servers::sequential_thinking(), async |hub| {
        assert_eq!(names(hub).await, ["sequentialthinking"]);
        let thought = |number: u64| json!({"thought": format!("Wren {number}?"), "thoughtNumber": number, "totalThoughts": 2, "nextThoughtNeeded": number < 2});
        for number in 1..=2 {
            let told = call(hub, "sequentialthinking", thought(number)).await.structured.unwrap();
            assert_eq!((&told["thoughtHistoryLength"], &told["nextThoughtNeeded"]), (&json!(number), &json!(number < 2)));
        }
        let words = refusal(hub, "sequentialthinking", json!({"thought": "x"})).await;
        assert!(words.contains("totalThoughts"), "{words}");
    })
    .await;
}

#[tokio::test]
async fn a_database_is_filled_and_asked() {
    let folder = TempDir::new().unwrap();
    let query = |text: &str| json!({ "query": text });
    in_each_era(Eras::OnlyOld, servers::sqlite(&folder.path().join("birds.db")), async |hub| {
        let tools = ["read_query", "write_query", "create_table", "list_tables", "describe_table", "append_insight"];
        assert_eq!(names(hub).await, tools);
        call(hub, "create_table", query("CREATE TABLE birds (name TEXT, seen INTEGER)")).await;
        let inserted = call(hub, "write_query", query("INSERT INTO birds VALUES ('wren', 3), ('gull', 5)")).await;
        assert!(inserted.text.contains("'affected_rows': 2"), "{}", inserted.text);
        let sum = call(hub, "read_query", query("SELECT sum(seen) AS all_seen FROM birds")).await;
        assert_eq!((sum.text.as_str(), &sum.structured), ("[{'all_seen': 8}]", &None));
        assert_eq!(sum.json().unwrap_err().kind(), McpErrorKind::NotJson, "it writes Python and not JSON");
        assert!(call(hub, "list_tables", json!({})).await.text.contains("'birds'"));

        // This server reports every error as a good result; nothing but its words tells.
        let wrong = call(hub, "read_query", query("DELETE FROM birds")).await;
        assert!(wrong.text.contains("Only SELECT"), "{}", wrong.text);

        call(hub, "append_insight", json!({"insight": "Gulls lead."})).await;
        let memo = hub.read_resource("server", "memo://insights").await.unwrap().remove(0);
        assert!(memo.text.unwrap().contains("Gulls lead."));
        let prompts = hub.prompts("server").await.unwrap();
        assert_eq!(prompts.iter().map(|prompt| prompt.name.as_str()).collect::<Vec<_>>(), ["mcp-demo"]);
        let demo = hub.prompt("server", "mcp-demo", object(json!({"topic": "plovers"}))).await.unwrap();
        assert!(demo[0].content.as_text().unwrap().contains("plovers"));
        call(hub, "write_query", query("DROP TABLE birds")).await;
    })
    .await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_server_that_is_slow_to_start_is_connected_as_what_it_is() {
    let StdioServer { command, .. } = servers::time();
    // Longer than the question which revision it speaks waits for an answer.
    let slow = StdioServer::new("sh").args(["-c", "sleep 10; exec \"$0\"", &command]);
    watched(async {
        let (slow, mark) = Mark::on(slow);
        let hub = connected(Hub::builder().stdio("server", slow), Lifecycle::Auto).await;
        assert_eq!(protocol(&hub, "server"), NEW);
        let now = call(&hub, "get_current_time", json!({"timezone": "UTC"})).await;
        assert_eq!(now.structured.unwrap()["timezone"], "UTC");
        hub.close().await;
        mark.gone().await;
    })
    .await;
}
