//! A server made with FastMCP over the strikes of the examples, which names everything in its own way. It speaks both eras.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use research_mcp::envelope::{aggregations, data_context};
use research_mcp::{Document, HttpServer, Hub, McpErrorKind, Object, PageEnd, Pager, PagerOptions, Paging, ToolSource};
use serde_json::{Value, json};

use crate::web::Listening;
use crate::{Eras, call, connected, in_each_era, names, object, outcome, protocol, refusal, servers, watched};

/// The rows of the file, read by other means than the server's.
fn rows() -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_path(servers::strikes()).unwrap();
    reader.deserialize().map(|row| row.unwrap()).collect()
}

/// The ids of the rows in which a column has this value.
fn ids(column: &str, value: &str) -> Vec<String> {
    let numbered = rows().into_iter().zip(1..);
    numbered.filter(|(row, _)| row[column] == value).map(|(_, number)| format!("BS-{number:05}")).collect()
}

/// Walks a tool to its end.
struct Walk {
    documents: Vec<Document>,
    pager: Pager,
}

impl Walk {
    async fn of(hub: &Arc<Hub>, tool: &str, arguments: Value) -> Self {
        let listing = hub.list_tools().await.unwrap();
        let options = PagerOptions::for_tool(listing.get(tool).unwrap());
        Self::with(hub, tool, object(arguments), options).await
    }

    async fn with(hub: &Arc<Hub>, tool: &str, arguments: Object, options: PagerOptions) -> Self {
        let mut pager = Pager::new(Arc::clone(hub) as Arc<dyn ToolSource>, tool, arguments, options);
        let mut documents = Vec::new();
        while let Some(page) = pager.next_page().await {
            documents.extend(page.documents);
        }
        Self { documents, pager }
    }

    fn ids(&self) -> Vec<&str> {
        self.documents.iter().map(|document| document.id.as_str()).collect()
    }

    /// The tool ended the walk, and everything that matches was read.
    fn assert_complete(&self, matched: usize) {
        assert!(matches!(self.pager.end(), Some(PageEnd::NoMore)), "{:?}", self.pager.end());
        let coverage = self.pager.coverage();
        assert_eq!((coverage.matched, coverage.read), (Some(matched as u64), matched as u64), "{coverage:?}");
        assert_eq!((coverage.duplicates, coverage.skipped.total()), (0, 0), "{coverage:?}");
        assert!(coverage.complete && coverage.share() == Some(1.0), "{coverage:?}");
    }
}

/// Runs a test over HTTP and over standard input and output, in both eras.
async fn in_every_way(test: impl AsyncFn(&Arc<Hub>)) {
    watched(async {
        let http = |port: u16| servers::fastmcp().args(["--http", &port.to_string()]);
        let listening = Listening::start(http).await;
        for (lifecycle, revision) in Eras::Both.ways() {
            for builder in [
                Hub::builder().stdio("server", servers::fastmcp()),
                Hub::builder().http("server", HttpServer::new(listening.mcp())),
            ] {
                let hub = Arc::new(connected(builder, lifecycle).await);
                assert_eq!(protocol(&hub, "server"), revision);
                test(&hub).await;
                hub.close().await;
            }
        }
    })
    .await;
}

#[tokio::test]
async fn what_pages_and_which_field_is_what_is_read_from_the_schemas() {
    in_each_era(Eras::Both, servers::fastmcp(), async |hub| {
        assert_eq!(names(hub).await, ["search_reports", "browse_reports"]);
        let tools = hub.tools().await.unwrap();
        let search = PagerOptions::for_tool(&tools[0]);
        assert_eq!(search.paging, Paging::Offset);
        assert_eq!((search.cursor_argument.as_str(), search.size_argument.as_deref()), ("offset", Some("limit")));
        assert_eq!(search.page_size_cap, 250);
        let browse = PagerOptions::for_tool(&tools[1]);
        assert_eq!(browse.paging, Paging::Cursor);
        assert_eq!((browse.cursor_argument.as_str(), browse.size_argument.as_deref()), ("next_token", Some("limit")));

        let result = call(hub, "search_reports", json!({"limit": 1, "offset": 41})).await.json().unwrap();
        let reader = search.mapping.reader("search_reports", &object(json!({"limit": 1, "offset": 41})));
        let [strike] = &{ reader }.read(&result).documents[..] else { panic!("{result}") };
        let row = &rows()[41];
        assert_eq!((strike.id.as_str(), strike.url.as_str()), ("BS-00042", "https://strikes.example/reports/42"));
        assert_eq!(strike.title, result["hits"][0]["headline"].as_str().unwrap());
        assert!(strike.title.contains(&row["Airport Name"]), "{strike:?}");
        assert_eq!(strike.date.as_deref(), Some(row["Flight Date"].as_str()));
        assert!(!strike.anonymous && strike.fields["airport"] == row["Airport Name"].as_str());
    })
    .await;
}

#[tokio::test]
async fn a_filtered_walk_by_offset_reads_exactly_what_matches() {
    in_every_way(async |hub| {
        let substantial = ids("Effect Amount of damage", "Substantial");
        let walk = Walk::of(hub, "search_reports", json!({"filters": {"damage": "Substantial"}})).await;
        assert_eq!(walk.ids(), substantial);
        walk.assert_complete(substantial.len());
        let one_by_one = Walk::of(hub, "search_reports", json!({"filters": "{\"damage\": \"B\"}"})).await;
        one_by_one.assert_complete(ids("Effect Amount of damage", "B").len());
        let none = Walk::of(hub, "search_reports", json!({"filters": {"damage": "Total loss"}})).await;
        none.assert_complete(0);
    })
    .await;
}

#[tokio::test]
async fn a_walk_by_token_through_json_in_a_text_reads_exactly_what_matches() {
    in_every_way(async |hub| {
        let texas = ids("Origin State", "Texas");
        let walk = Walk::of(hub, "browse_reports", json!({"state": "Texas"})).await;
        assert_eq!(walk.ids(), texas);
        walk.assert_complete(texas.len());
        assert_eq!(walk.documents[0].fields["state"], "Texas", "the record itself, without what wraps it");
        assert!(walk.documents[0].title.contains(" struck "), "{:?}", walk.documents[0]);
    })
    .await;
}

#[tokio::test]
async fn the_whole_file_is_read_and_sums_up() {
    watched(async {
        let rows = rows();
        let builder = Hub::builder().stdio("server", servers::fastmcp());
        let hub = Arc::new(connected(builder, research_mcp::Lifecycle::Auto).await);
        let listing = hub.list_tools().await.unwrap();
        let options = PagerOptions::for_tool(listing.get("search_reports").unwrap()).page_size(250);
        let walk = Walk::with(&hub, "search_reports", Object::new(), options).await;
        walk.assert_complete(rows.len());
        assert_eq!(walk.pager.calls(), rows.len() / 250);
        assert_eq!(walk.ids().into_iter().collect::<BTreeSet<_>>().len(), rows.len());
        let cost: u64 = rows.iter().filter_map(|row| row["Cost Total $"].parse::<u64>().ok()).sum();
        let told: u64 = walk.documents.iter().filter_map(|document| document.fields["total_cost"].as_u64()).sum();
        assert!(cost > 0 && told == cost, "{told} of {cost}");
        let fast = rows.iter().filter(|row| row["Speed IAS in knots"].parse::<u64>().is_ok_and(|knots| knots > 250));
        let told =
            walk.documents.iter().filter(|one| one.fields["speed_knots"].as_u64().is_some_and(|knots| knots > 250));
        assert_eq!(told.count(), fast.count());
        hub.close().await;
    })
    .await;
}

#[tokio::test]
async fn counts_of_groups_are_those_of_the_file() {
    in_each_era(Eras::Both, servers::fastmcp(), async |hub| {
        let mut counts: BTreeMap<(String, String), u64> = BTreeMap::new();
        for row in rows() {
            *counts.entry((row["Wildlife Size"].clone(), row["Time of day"].clone())).or_default() += 1;
        }
        let arguments = json!({"group_by": "animal_size, time_of_day", "top": 5, "limit": 0});
        let result = call(hub, "search_reports", arguments).await.json().unwrap();
        assert_eq!(data_context(&result).unique_ids_matched, Some(counts.values().sum()));
        let [groups] = &aggregations(&result)[..] else { panic!("{result}") };
        assert_eq!(groups.field.as_deref(), Some("animal_size,time_of_day"));
        assert_eq!(groups.buckets.len(), 5);
        for bucket in &groups.buckets {
            let text = |place: usize| bucket.key[place].as_str().unwrap_or_default().to_owned();
            assert_eq!(bucket.doc_count, counts[&(text(0), text(1))], "{}", bucket.key);
        }
        let listed: u64 = groups.buckets.iter().map(|bucket| bucket.doc_count).sum();
        assert_eq!(groups.other_doc_count, Some(counts.values().sum::<u64>() - listed));
    })
    .await;
}

#[tokio::test]
async fn wrong_arguments_are_errors_in_the_servers_words() {
    in_each_era(Eras::Both, servers::fastmcp(), async |hub| {
        let words = refusal(hub, "search_reports", json!({"filters": {"weather": "fog"}})).await;
        assert!(words.contains("weather"), "{words}");
        assert!(refusal(hub, "search_reports", json!({"filters": "{\"weather\": 1}"})).await.contains("weather"));
        assert!(refusal(hub, "search_reports", json!({"group_by": "weather"})).await.contains("animal_size"));
        assert!(refusal(hub, "search_reports", json!({"limit": 251})).await.contains("250"));
        assert!(refusal(hub, "search_reports", json!({"page_size": 10})).await.contains("page_size"));
        let unknown = outcome(hub, "find_reports", json!({})).await;
        let kind = unknown.as_ref().map(|output| output.is_error).map_err(research_mcp::McpError::kind);
        assert!(kind == Ok(true) || kind == Err(McpErrorKind::Protocol), "{unknown:?}");
    })
    .await;
}
