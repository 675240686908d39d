//! A scripted tool that pages well or badly, and what the walk makes of it.

use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::{BoxFuture, CallOutput, McpError, McpErrorKind, Object, ToolListing, ToolSource};

type Answer = Box<dyn Fn(usize, &Object) -> Result<CallOutput, McpError> + Send + Sync>;

/// Answers by the number of the call and its arguments, and keeps the arguments.
struct Script {
    answer: Answer,
    calls: Mutex<Vec<Object>>,
}

impl ToolSource for Script {
    fn list_tools(&self) -> BoxFuture<'_, Result<ToolListing, McpError>> {
        Box::pin(async { Ok(ToolListing::default()) })
    }

    fn call_tool<'a>(&'a self, _: &'a str, arguments: Object) -> BoxFuture<'a, Result<CallOutput, McpError>> {
        Box::pin(async move {
            let mut calls = self.calls.lock().unwrap();
            calls.push(arguments.clone());
            (self.answer)(calls.len() - 1, &arguments)
        })
    }
}

struct Walk {
    ids: Vec<String>,
    pages: Vec<usize>,
    calls: Vec<Object>,
    end: PageEnd,
    duplicates: usize,
    coverage: Coverage,
}

/// Walks to the end; `max` bounds the loop so that a walk that does not end fails the test.
fn walk(answer: Answer, arguments: Value, options: PagerOptions) -> Walk {
    let script = Arc::new(Script { answer, calls: Mutex::default() });
    let source: Arc<dyn ToolSource> = Arc::clone(&script) as _;
    let mut pager = Pager::new(source, "t", arguments.as_object().unwrap().clone(), options);
    let mut walk = Walk {
        ids: Vec::new(),
        pages: Vec::new(),
        calls: Vec::new(),
        end: PageEnd::NoMore,
        duplicates: 0,
        coverage: Coverage::default(),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    for _ in 0..2_000 {
        let Some(page) = runtime.block_on(pager.next_page()) else {
            break;
        };
        walk.pages.push(page.documents.len());
        walk.ids.extend(page.documents.into_iter().map(|document| document.id));
    }
    walk.duplicates = pager.duplicates();
    walk.coverage = pager.coverage();
    walk.end = pager.into_end().expect("the walk ends");
    walk.calls = script.calls.lock().unwrap().clone();
    walk
}

fn page(ids: impl IntoIterator<Item = usize>, rest: Value) -> Result<CallOutput, McpError> {
    let documents: Vec<_> = ids.into_iter().map(|id| json!({"id": format!("PAG{id:03}"), "v": id})).collect();
    let mut result = json!({ "documents": documents });
    result.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
    Ok(CallOutput::structured("s", "t", result))
}

/// A well-behaved tool over `total` records.
fn records(total: usize) -> Answer {
    Box::new(move |_, arguments| {
        let from = arguments.get("search_after").map_or(0, |cursor| cursor[0].as_u64().unwrap() as usize);
        let size = arguments["page_size"].as_u64().unwrap() as usize;
        let to = (from + size).min(total);
        page(
            from..to,
            json!({"has_more": to < total, "search_after": if to < total { json!([to, null, "x"]) } else { Value::Null }}),
        )
    })
}

#[test]
fn a_default_batch_on_165_records_gives_75_75_15() {
    let walk = walk(records(165), json!({"filters": "{}"}), PagerOptions::default().page_size(75).max_documents(300));
    assert_eq!(walk.pages, [75, 75, 15]);
    assert_eq!(walk.ids.len(), 165);
    assert!(walk.end.is_complete());
    assert_eq!(walk.calls[0], *json!({"filters": "{}", "page_size": 75}).as_object().unwrap());
    assert_eq!(
        walk.calls[1],
        *json!({"filters": "{}", "page_size": 75, "search_after": [75, null, "x"]}).as_object().unwrap()
    );
}

#[test]
fn any_cursor_goes_back_byte_for_byte() {
    for cursor in [
        json!(["PAG090"]),
        json!([1.2345678901234567, -0.0, "ü\"\\", null, {"z": 1, "a": 2}]),
        json!("x"),
        json!(9_007_199_254_740_993_u64),
    ] {
        let next = cursor.clone();
        let answer: Answer = Box::new(move |call, _| match call {
            0 => page(0..2, json!({"has_more": true, "search_after": next})),
            _ => page(2..3, json!({"has_more": false})),
        });
        let walk = walk(answer, json!({}), PagerOptions::default());
        assert_eq!(walk.calls[1]["search_after"].to_string(), cursor.to_string());
        assert!(walk.end.is_complete());
    }
}

#[test]
fn a_cursor_that_repeats_ends_the_walk() {
    let answer: Answer =
        Box::new(|call, _| page(call * 2..call * 2 + 2, json!({"has_more": true, "search_after": ["same"]})));
    let walk = walk(answer, json!({}), PagerOptions::default());
    assert!(matches!(walk.end, PageEnd::RepeatedCursor), "{:?}", walk.end);
    assert_eq!((walk.calls.len(), walk.ids.len()), (2, 4));
    assert!(!walk.end.is_complete());
}

#[test]
fn a_page_of_only_known_documents_ends_the_walk() {
    let answer: Answer = Box::new(|call, _| page(0..3, json!({"has_more": true, "search_after": [call]})));
    let walk = walk(answer, json!({}), PagerOptions::default());
    assert!(matches!(walk.end, PageEnd::OnlySeenDocuments), "{:?}", walk.end);
    assert_eq!((walk.calls.len(), walk.ids.len(), walk.duplicates), (2, 3, 3));
}

#[test]
fn an_empty_page_ends_the_walk() {
    let answer: Answer =
        Box::new(|call, _| page(0..usize::from(call == 0) * 2, json!({"has_more": true, "search_after": [call]})));
    let walk = walk(answer, json!({}), PagerOptions::default());
    assert!(matches!(walk.end, PageEnd::EmptyPage), "{:?}", walk.end);
    assert_eq!(walk.ids.len(), 2);
}

#[test]
fn a_tool_that_never_ends_meets_a_limit() {
    let endless = || -> Answer {
        Box::new(|call, _| page(call * 10..call * 10 + 10, json!({"has_more": true, "search_after": [call]})))
    };
    let capped = walk(endless(), json!({}), PagerOptions::default().max_documents(25));
    assert!(matches!(capped.end, PageEnd::DocumentCap), "{:?}", capped.end);
    assert_eq!(capped.pages, [10, 10, 5]);
    let capped = walk(endless(), json!({}), PagerOptions::default().max_pages(4));
    assert!(matches!(capped.end, PageEnd::PageCap), "{:?}", capped.end);
    assert_eq!(capped.calls.len(), 4);
    let capped = walk(endless(), json!({}), PagerOptions::default().max_bytes(1));
    assert!(matches!(capped.end, PageEnd::ByteBudget), "{:?}", capped.end);
    assert_eq!(capped.calls.len(), 1);
}

#[test]
fn records_that_are_sent_again_are_read_once() {
    let answer: Answer = Box::new(|call, _| {
        let from = (call * 10).saturating_sub(5);
        page(from..call * 10 + 10, json!({"has_more": call < 2, "search_after": [call]}))
    });
    let walk = walk(answer, json!({}), PagerOptions::default());
    assert_eq!((walk.ids.len(), walk.duplicates), (30, 10));
    assert!(walk.ids.is_sorted());
}

#[test]
fn a_failure_keeps_what_was_read() {
    let answer: Answer = Box::new(|call, _| match call {
        0 => page(0..100, json!({"has_more": true, "search_after": ["PAG090"]})),
        _ => Ok(CallOutput::error("s", "t", "index closed")),
    });
    let walk = walk(answer, json!({}), PagerOptions::default());
    assert_eq!(walk.ids.len(), 100);
    let PageEnd::Failed(error) = &walk.end else { panic!("{:?}", walk.end) };
    assert_eq!(error.kind(), McpErrorKind::Tool);
    assert!(walk.end.reason().contains("index closed"));
}

#[test]
fn more_without_a_cursor_is_not_complete() {
    let walk = walk(Box::new(|_, _| page(0..2, json!({"has_more": true}))), json!({}), PagerOptions::default());
    assert!(matches!(walk.end, PageEnd::MissingCursor), "{:?}", walk.end);
}

#[test]
fn other_arguments_and_places_are_a_matter_of_options() {
    let answer: Answer = Box::new(|call, _| match call {
        0 => page(0..2, json!({"paging": {"token": "", "more": true}})),
        _ => page(2..4, json!({"paging": {"more": false}})),
    });
    let options = PagerOptions::default()
        .cursor_argument("page_token")
        .size_argument(None)
        .cursor_pointer("/paging/token")
        .has_more_pointer("/paging/more");
    let walk = walk(answer, json!({"q": 1}), options);
    assert_eq!(walk.calls[0], *json!({"q": 1}).as_object().unwrap());
    assert_eq!(walk.calls[1], *json!({"q": 1, "page_token": ""}).as_object().unwrap());
    assert_eq!(walk.ids.len(), 4);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// For all numbers of records, sizes of pages and limits, a walk reads each record up to the
    /// limit exactly once, and none after it.
    #[test]
    fn every_record_up_to_the_limit_is_read_once(total in 0_usize..700, batch in 1_usize..160, limit in 1_usize..320) {
        let options = PagerOptions::default().page_size(batch).max_documents(limit);
        let walk = walk(records(total), json!({}), options);
        let expected: Vec<_> = (0..total.min(limit)).map(|id| format!("PAG{id:03}")).collect();
        prop_assert_eq!(walk.ids, expected);
        prop_assert_eq!(walk.end.is_complete(), total <= limit);
        prop_assert!(walk.calls.iter().all(|call| call["page_size"].as_u64().unwrap() <= 100));
    }
}

#[test]
fn a_page_that_is_too_large_is_asked_for_again_in_halves_and_nothing_is_lost() {
    let small = records(40);
    let answer: Answer = Box::new(move |call, arguments| match arguments["page_size"].as_u64() {
        Some(size) if size > 6 => {
            Err(McpError::TooLarge { server: "s".into(), tool: "t".into(), bytes: 2_000_000, limit: 1_048_576 })
        }
        _ => small(call, arguments),
    });
    let walked = walk(answer, json!({}), PagerOptions::default().page_size(25));
    assert_eq!(walked.ids.len(), 40);
    assert!(walked.end.is_complete(), "{:?}", walked.end);
}

/// A tool over `total` records that is told where to begin by a number and says nothing of what comes next.
fn counted(total: usize, begin: impl Fn(&Object) -> usize + Send + Sync + 'static, rest: Value) -> Answer {
    Box::new(move |_, arguments| {
        let from = begin(arguments).min(total);
        let size = arguments.get("limit").map_or(10, |size| size.as_u64().unwrap() as usize);
        page(from..(from + size).min(total), rest.clone())
    })
}

fn numbers(walk: &Walk, name: &str) -> Vec<Option<u64>> {
    walk.calls.iter().map(|call| call.get(name).and_then(Value::as_u64)).collect()
}

#[test]
fn a_tool_that_takes_page_numbers_is_walked_to_its_end() {
    let options = |first| {
        PagerOptions::default()
            .cursor_argument("page")
            .size_argument(Some("limit"))
            .page_size(10)
            .paging(Paging::Page { first })
    };
    let from = |first: u64| {
        move |call: &Object| {
            (call.get("page").map_or(0, |page| page.as_u64().unwrap() - first) * call["limit"].as_u64().unwrap())
                as usize
        }
    };
    let blind = walk(counted(25, from(1), json!({})), json!({}), options(1));
    assert_eq!((blind.ids.len(), numbers(&blind, "page")), (25, vec![None, Some(2), Some(3), Some(4)]));
    assert!(blind.end.is_complete() && blind.coverage.complete);
    assert_eq!(blind.coverage.share(), None, "an unknown total stays unknown");
    let told = walk(counted(20, from(1), json!({"total": 20})), json!({}), options(1));
    assert_eq!((told.ids.len(), told.calls.len(), told.coverage.share()), (20, 2, Some(1.0)));
    let from_zero = walk(counted(25, from(0), json!({"page": 0, "total": 25})), json!({}), options(1));
    assert_eq!((from_zero.ids.len(), numbers(&from_zero, "page")), (25, vec![None, Some(1), Some(2)]));
    let cut = walk(counted(25, from(1), json!({"total": 25})), json!({}), options(1).max_documents(15));
    assert_eq!(cut.pages, [10, 5], "pages keep their length, so that none begins elsewhere");
    assert_eq!((cut.coverage.complete, cut.coverage.share()), (false, Some(0.6)));
}

#[test]
fn a_tool_that_takes_an_offset_is_walked_from_where_the_caller_begins() {
    let options =
        || PagerOptions::default().cursor_argument("offset").size_argument(Some("limit")).paging(Paging::Offset);
    let from = |call: &Object| call.get("offset").map_or(0, |offset| offset.as_u64().unwrap() as usize);
    let whole = walk(counted(25, from, json!({})), json!({}), options().page_size(10));
    assert_eq!((whole.ids.len(), numbers(&whole, "offset")), (25, vec![None, Some(10), Some(20), Some(25)]));
    assert!(whole.coverage.complete);
    let rest = walk(counted(25, from, json!({"total": 25})), json!({"offset": 20}), options());
    assert_eq!((rest.ids.len(), rest.coverage.complete, rest.coverage.share()), (5, false, Some(0.2)));
}

#[test]
fn a_tool_that_ignores_the_argument_is_left_whether_its_records_have_ids_or_not() {
    let options = || PagerOptions::default().cursor_argument("offset").size_argument(None).paging(Paging::Offset);
    let named = walk(Box::new(|_, _| page(0..3, json!({}))), json!({}), options());
    assert!(matches!(named.end, PageEnd::OnlySeenDocuments), "{:?}", named.end);
    let rows = json!([{"a": "x", "b": 1}, {"a": "y", "b": 2}]);
    let anonymous: Answer = Box::new(move |_, _| Ok(CallOutput::structured("s", "t", rows.clone())));
    let anonymous = walk(anonymous, json!({}), options());
    assert!(matches!(anonymous.end, PageEnd::OnlySeenDocuments), "{:?}", anonymous.end);
    assert_eq!((anonymous.ids.len(), anonymous.duplicates, anonymous.calls.len()), (2, 2, 2));
}

#[test]
fn a_tool_without_pages_is_called_once_and_what_it_leaves_out_is_said() {
    let options = || PagerOptions::default().size_argument(None).paging(Paging::Single);
    let all = walk(Box::new(|_, _| page(0..3, json!({}))), json!({}), options());
    assert!((all.calls.len(), all.coverage.complete) == (1, true));
    let more = walk(Box::new(|_, _| page(0..3, json!({"has_more": true}))), json!({}), options());
    assert!(matches!(more.end, PageEnd::MissingCursor), "{:?}", more.end);
    let total = walk(Box::new(|_, _| page(0..3, json!({"total": 9}))), json!({}), options());
    assert_eq!((total.coverage.complete, total.coverage.matched, total.coverage.read), (false, Some(9), 3));
}

#[test]
fn coverage_counts_what_was_left_out_and_believes_no_total_that_is_disproved() {
    let answer: Answer = Box::new(|_, _| {
        let documents = json!([{"id": 1, "v": 1}, {"id": 1, "v": 1}, {"id": 2, "v": 2}, {"id": 3}, null, "x"]);
        Ok(CallOutput::structured("s", "t", json!({"documents": documents, "total": 1})))
    });
    let coverage = walk(answer, json!({}), PagerOptions::default()).coverage;
    assert_eq!((coverage.read, coverage.duplicates), (2, 1));
    assert_eq!((coverage.skipped.not_objects, coverage.skipped.too_small), (2, 1));
    assert_eq!((coverage.matched, coverage.share()), (Some(1), None));
}

#[test]
fn the_last_cursor_of_solr_given_back_on_an_empty_page_is_the_end() {
    let answer: Answer = Box::new(|call, _| page(0..usize::from(call == 0) * 2, json!({"nextCursorMark": "AoE"})));
    let walk = walk(answer, json!({"cursorMark": "*"}), PagerOptions::default().cursor_argument("cursorMark"));
    assert_eq!((walk.ids.len(), walk.calls.len()), (2, 2));
    assert!(walk.end.is_complete(), "{:?}", walk.end);
}

#[test]
fn a_result_that_is_none_is_a_failure_and_no_end() {
    for (result, words) in [
        (json!({"error": "index unavailable"}), "index unavailable"),
        (json!({"error": "index unavailable", "documents": []}), "index unavailable"),
        (json!({"result": "Error: backend unavailable"}), "backend unavailable"),
        (json!({"result": "{\"documents\": [{\"id\": 1}, {\"i"}), "no JSON"),
        (json!({}), "neither records nor their number"),
    ] {
        for bad in [0, 1] {
            let result = result.clone();
            let answer: Answer = Box::new(move |call, _| match call {
                call if call == bad => Ok(CallOutput::structured("s", "t", result.clone())),
                _ => page(0..2, json!({"has_more": true, "search_after": [call]})),
            });
            let walk = walk(answer, json!({}), PagerOptions::default());
            let PageEnd::Failed(error) = &walk.end else { panic!("{words}: {:?}", walk.end) };
            assert!(error.to_string().contains(words) && error.server() == Some("s"), "{error}");
            assert_eq!((walk.ids.len(), walk.coverage.complete), (bad * 2, false), "{words}");
        }
    }
}

#[test]
fn samples_are_all_there_is_only_where_their_number_is_told() {
    let samples = |rest: Value| -> Answer {
        let buckets = json!([{"key": "a", "doc_count": 9, "samples": [{"id": 1, "v": 1}, {"id": 2, "v": 2}]}]);
        let mut result = json!({"aggregations": {"group_by": {"buckets": buckets}}, "has_more": false});
        result.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        Box::new(move |_, _| Ok(CallOutput::structured("s", "t", result.clone())))
    };
    let complete = |rest| walk(samples(rest), json!({}), PagerOptions::default()).coverage.complete;
    assert_eq!([json!({}), json!({"total": 9}), json!({"total": 2})].map(complete), [false, false, true]);
}
