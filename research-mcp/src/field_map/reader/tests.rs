//! Records of many shapes and what must come out of them.

mod shapes;

use serde_json::json;

use super::*;
use crate::FieldMapping;

fn read(result: Value) -> Extraction {
    FieldMapping::default().reader("t", &Object::new()).read(&result)
}

fn only(result: Value) -> Document {
    let mut documents = read(result).documents;
    assert_eq!(documents.len(), 1);
    documents.remove(0)
}

/// What a document must hold: id, title, url, snippet.
fn assert_roles(result: Value, expected: [&str; 4]) {
    let document = only(result);
    assert_eq!(
        [document.id.as_str(), &document.title, &document.url, &document.snippet],
        expected,
        "{:?}",
        document.fields
    );
}

#[test]
fn plain_names_are_read() {
    assert_roles(
        json!({"documents": [{"id": "PAG001", "title": "T", "url": "https://e.example/1", "snippet": "S"}]}),
        ["PAG001", "T", "https://e.example/1", "S"],
    );
}

#[test]
fn elasticsearch_hits_are_read() {
    let result = json!({"hits": {"hits": [{"_id": "h1", "_score": 1.5, "_source": {"headline": "T", "body": "B"}}]}});
    let document = only(result.clone());
    assert_eq!(document.fields, *json!({"headline": "T", "body": "B"}).as_object().unwrap());
    assert_roles(result, ["h1", "T", "doc://h1", "B"]);
}

#[test]
fn names_in_another_case_and_with_separators_are_read() {
    assert_roles(
        json!({"results": [{"Document ID": 4711, "NAME": "T", "Source-URL": "http://e.example/", "Summary": "S"}]}),
        ["4711", "T", "http://e.example/", "S"],
    );
}

#[test]
fn numbers_and_lists_are_read() {
    assert_roles(json!([{"id": 7, "title": ["", "T"], "text": "S"}]), ["7", "T", "doc://7", "S"]);
}

#[test]
fn nested_metadata_is_read() {
    assert_roles(
        json!({"matches": [{"metadata": {"id": "m", "title": "T", "url": "https://e.example/m"}, "page_content": "S"}]}),
        ["m", "T", "https://e.example/m", "S"],
    );
}

#[test]
fn samples_of_several_buckets_are_read_once() {
    let result = json!({"aggregations": {"group_by": {"buckets": [
        {"key": "AI", "doc_count": 2, "samples": [{"id": "a", "title": "A"}, {"id": "b", "title": "B"}]},
        {"key": "ML", "doc_count": 1, "samples": [{"id": "b", "title": "B"}]}
    ]}}});
    let extraction = read(result);
    assert_eq!(extraction.documents.iter().map(|d| d.id.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(extraction.duplicates, 1);
}

#[test]
fn an_envelope_of_text_is_read() {
    let text = json!({"items": [{"key": "k", "label": "T", "abstract": "S"}]}).to_string();
    assert_roles(json!({"result": {"content": [{"type": "text", "text": text}]}}), ["k", "T", "doc://k", "S"]);
}

#[test]
fn a_structured_envelope_is_read() {
    let result = json!({"structuredContent": {"records": [{"uuid": "u", "subject": "T", "description": "S"}]}});
    assert_roles(result, ["u", "T", "doc://u", "S"]);
}

#[test]
fn records_without_text_are_described_by_their_fields() {
    let document = only(json!({"data": [{"id": 3, "Size": "Small", "Cost": 0, "Note": null}]}));
    assert_eq!(document.snippet, "id: 3; Size: Small; Cost: 0");
    assert_eq!(document.title, "Small");
}

#[test]
fn records_with_one_field_are_left_out() {
    let extraction = read(json!({"documents": [{"id": 1}, "text", null, {"id": 2, "a": 1}]}));
    assert_eq!((extraction.documents.len(), extraction.skipped.total(), extraction.records()), (1, 3, 4));
    assert_eq!((extraction.skipped.not_objects, extraction.skipped.too_small), (2, 1));
}

#[test]
fn snippets_end_within_300_characters() {
    let document = only(json!([{"id": 1, "text": "wörter ".repeat(100)}]));
    assert!(document.snippet.chars().count() <= 300, "{}", document.snippet.chars().count());
    assert!(document.snippet.ends_with("wörter…"), "{}", document.snippet);
    assert_eq!(document.content.unwrap().chars().count(), 699);
}

#[test]
fn documents_that_share_an_address_are_all_kept() {
    let shared = "https://e.example/all";
    let extraction = read(json!([{"id": 1, "url": shared, "v": 1}, {"id": 2, "url": shared, "v": 2}]));
    assert_eq!(extraction.documents.len(), 2);
}

#[test]
fn a_map_of_its_own_is_used_as_it_is() {
    let map = FieldMap::empty().id(["sku"]).title(["labels[].de"]);
    let mapping = FieldMapping::default().for_tool("shop", map);
    let record =
        json!([{"sku": "S1", "id": 1, "labels": [{"en": "Bird"}, {"de": "Vogel"}], "url": "https://e.example/"}]);
    let document = mapping.reader("shop", &Object::new()).read(&record).documents.remove(0);
    assert_eq!((document.id.as_str(), document.title.as_str(), document.url.as_str()), ("S1", "Vogel", "doc://S1"));
}

#[test]
fn equal_rows_without_an_id_are_distinct_records() {
    let rows = json!({"documents": [{"a": 1, "b": 2}, {"a": 1, "b": 2}]});
    let mut reader = FieldMapping::default().reader("t", &Object::new());
    let (first, second) = (reader.read(&rows), reader.read(&rows));
    let ids: Vec<_> = first.documents.iter().chain(&second.documents).map(|d| d.id.clone()).collect();
    assert_eq!(ids.len(), 4);
    assert!(first.documents.iter().all(|d| d.anonymous && d.id.len() <= 40));
    let again = FieldMapping::default().reader("t", &Object::new()).read(&rows);
    assert_eq!(again.documents[1].id, ids[1], "the same query gives the same ids");
}

#[test]
fn rows_of_pages_fetched_by_hand_do_not_share_ids() {
    let rows = json!({"documents": [{"a": 1, "b": 2}, {"a": 3, "b": 4}]});
    let ids = |arguments: Value| -> Vec<String> {
        let mut reader = FieldMapping::default().reader("t", arguments.as_object().unwrap());
        reader.read(&rows).documents.into_iter().map(|document| document.id).collect()
    };
    let calls = [
        json!({}),
        json!({"offset": 2}),
        json!({"search_after": ["x"]}),
        json!({"search_after": ["y"]}),
        json!({"page": 2}),
        json!({"cursor": "x"}),
    ];
    let all: std::collections::HashSet<String> = calls.iter().cloned().flat_map(ids).collect();
    assert_eq!(all.len(), 12, "{all:?}");
    let mut walk = FieldMapping::default().reader("t", &Object::new());
    walk.read(&rows);
    let second: Vec<String> = walk.read(&rows).documents.into_iter().map(|document| document.id).collect();
    assert_eq!(second, ids(json!({"offset": 2})), "an offset names the same place as a walk that came there");
}

#[test]
fn a_schema_tells_what_names_do_not_and_ids_from_it_stay_guesses() {
    let mut tool = crate::Tool::new("s", "t", Object::new());
    let schema = json!({"properties": {"rows": {"type": "array", "items": {"type": "object", "properties": {
        "case_no": {"type": "integer"}, "Seen": {"type": "string", "format": "date"}, "Page": {"type": "string", "format": "uri"}
    }}}}});
    tool.output_schema = schema.as_object().cloned();
    let mut reader = FieldMapping::default().with_schema_of(&tool).reader("t", &Object::new());
    let read = reader.read(&json!({"rows": [
        {"case_no": 1, "Seen": "May 2024", "Page": "gopher://e.example/1"}, {"case_no": 2, "Seen": "June 2024", "Page": ""}
    ]}));
    let first = &read.documents[0];
    assert_eq!(
        (first.id.as_str(), first.date.as_deref(), first.url.as_str()),
        ("1", Some("May 2024"), "gopher://e.example/1")
    );
    assert_eq!(reader.read(&json!({"rows": [{"case_no": 1, "Seen": "never"}]})).documents.len(), 1);
}

#[test]
fn a_guessed_id_that_proves_wrong_loses_no_record() {
    let page = |range: std::ops::Range<i32>, shift: i32| {
        Value::Array(range.map(|n| json!({"x": format!("A-{n}"), "v": n + shift})).collect())
    };
    let mut reader = FieldMapping::default().reader("t", &Object::new());
    assert_eq!(reader.read(&page(0..6, 0)).documents.len(), 6);
    assert_eq!(reader.read(&page(0..6, 100)).documents.len(), 6);
    assert_eq!(reader.read(&page(0..6, 0)).duplicates, 6);
}

#[test]
fn an_address_that_is_no_address_is_replaced() {
    assert_eq!(only(json!([{"id": 1, "url": "see the printed edition"}])).url, "doc://1");
}

#[test]
fn a_field_that_records_of_different_content_share_is_no_id() {
    let rows: Vec<Value> = (0..10).map(|n| json!({"uid": n / 2, "action": format!("step {n}")})).collect();
    let mut reader = FieldMapping::default().reader("t", &Object::new());
    assert_eq!(reader.read(&json!({ "documents": rows })).documents.len(), 10);
}
