//! Walks over the pages of the fixture server.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use research_mcp::{Hub, Limits, McpErrorKind, Object, PageEnd, Pager, PagerOptions, ToolSource, envelope};
use serde_json::json;

use crate::{Scratch, connect, fixture};

const INDIA: &str = r#"{"country":"India"}"#;

struct Walk {
    ids: Vec<String>,
    pages: Vec<usize>,
    calls: usize,
    duplicates: usize,
    end: PageEnd,
}

impl Walk {
    fn distinct(&self) -> usize {
        self.ids.iter().collect::<HashSet<_>>().len()
    }
}

async fn walk(hub: &Arc<Hub>, options: PagerOptions) -> Walk {
    let arguments = Object::from_iter([("filters".to_owned(), INDIA.into())]);
    let source: Arc<dyn ToolSource> = Arc::clone(hub) as _;
    let mut pager = Pager::new(source, "analyze_events", arguments, options);
    let (mut ids, mut pages) = (Vec::new(), Vec::new());
    while let Some(page) = pager.next_page().await {
        pages.push(page.documents.len());
        ids.extend(page.documents.into_iter().map(|document| document.id));
    }
    let (calls, duplicates) = (pager.calls(), pager.duplicates());
    Walk { ids, pages, calls, duplicates, end: pager.into_end().unwrap() }
}

async fn walk_with(flags: &[&str], options: PagerOptions) -> Walk {
    let hub = connect(fixture(flags), Limits::default()).await;
    let walk = walk(&hub, options).await;
    hub.close().await;
    walk
}

#[tokio::test]
async fn the_golden_walk_reads_100_and_65_and_echoes_the_cursor() {
    let log = Scratch::new();
    let walk = walk_with(&["--log", log.path()], PagerOptions::default().max_documents(300)).await;
    assert_eq!((walk.pages.as_slice(), walk.distinct()), (&[100, 65][..], 165));
    assert!(walk.end.is_complete());
    let calls: Vec<String> = log.lines().iter().map(|call| call["arguments"].to_string()).collect();
    assert_eq!(
        calls,
        [
            r#"{"filters":"{\"country\":\"India\"}","page_size":100}"#,
            r#"{"filters":"{\"country\":\"India\"}","page_size":100,"search_after":["PAG090"]}"#
        ]
    );
}

#[tokio::test]
async fn the_first_answer_has_20_documents_of_10_events() {
    let hub = connect(fixture(&[]), Limits::default()).await;
    let arguments = json!({"filters": INDIA, "group_by": "event_theme"});
    let arguments = arguments.as_object().unwrap();
    let answer = hub.call_tool("analyze_events", arguments.clone()).await.unwrap().into_json().unwrap();
    assert_eq!(answer["documents"].as_array().unwrap().len(), 20);
    let extraction = PagerOptions::default().mapping.reader("analyze_events", arguments).read(&answer);
    assert_eq!((extraction.documents.len(), extraction.duplicates), (10, 10));
    assert_eq!(envelope::data_context(&answer).unique_ids_matched, Some(165));
    let aggregation = envelope::aggregations(&answer).remove(0);
    assert_eq!((&aggregation.buckets[0].key, aggregation.buckets[0].doc_count), (&json!("AI"), 50));
    assert_eq!(aggregation.buckets.iter().map(|bucket| bucket.doc_count).sum::<u64>(), 165);
    hub.close().await;
}

#[tokio::test]
async fn servers_that_never_come_to_an_end_are_left() {
    let options = || PagerOptions::default().max_documents(300);
    let walk = walk_with(&["--repeat-cursor"], options()).await;
    assert!(matches!(walk.end, PageEnd::RepeatedCursor), "{:?}", walk.end);
    assert_eq!((walk.calls, walk.distinct()), (2, 165));
    let walk = walk_with(&["--repeat-docs"], options()).await;
    assert!(matches!(walk.end, PageEnd::OnlySeenDocuments), "{:?}", walk.end);
    assert_eq!((walk.calls, walk.ids.len()), (2, 100));
    let walk = walk_with(&["--endless"], options().page_size(70)).await;
    assert!(matches!(walk.end, PageEnd::DocumentCap), "{:?}", walk.end);
    assert_eq!(walk.pages, [70, 70, 70, 70, 20]);
}

#[tokio::test]
async fn pages_that_overlap_give_every_document_once() {
    let walk = walk_with(&["--overlap", "10"], PagerOptions::default().page_size(50)).await;
    assert_eq!((walk.ids.len(), walk.distinct(), walk.duplicates), (165, 165, 30));
    assert!(walk.end.is_complete());
}

#[tokio::test]
async fn a_server_that_dies_leaves_what_was_read_and_its_last_words() {
    let walk = walk_with(&["--die-after-calls", "1"], PagerOptions::default()).await;
    assert_eq!(walk.ids.len(), 100);
    let PageEnd::Failed(error) = &walk.end else { panic!("{:?}", walk.end) };
    assert_eq!(error.kind(), McpErrorKind::Closed);
    let text = error.to_string();
    assert!(text.contains("exit status: 3") && text.contains("out of memory"), "{text}");
    assert!(text.contains("`events`") && text.contains("`analyze_events`"), "{text}");
}

#[tokio::test]
async fn a_call_that_hangs_ends_at_its_limit_and_is_cancelled() {
    let log = Scratch::new();
    // It ends by itself once it has read that the call is cancelled; nothing hurries it.
    let limits = Limits::default().call(Duration::from_millis(100)).close(Duration::from_secs(60));
    let hub = connect(fixture(&["--hang-call", "--log", log.path()]), limits).await;
    let walk = walk(&hub, PagerOptions::default()).await;
    let PageEnd::Failed(error) = &walk.end else { panic!("{:?}", walk.end) };
    assert!(error.is_timeout(), "{error}");
    hub.close().await;
    assert_eq!(log.lines().last().unwrap()["cancelled"], true);
}
