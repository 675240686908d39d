//! Files and values that break naive readers: open quotes, long records, big numbers, lists, ids that are taken.

use serde_json::{Value, json};

use super::*;

fn ask(dataset: &Dataset, arguments: Value) -> Value {
    answer(dataset, &Query::parse(dataset, arguments.as_object().unwrap()).unwrap()).unwrap()
}

fn matched(dataset: &Dataset, filters: Value) -> u64 {
    let result = ask(dataset, json!({ "filters": filters.to_string() }));
    result["data_context"]["unique_ids_matched"].as_u64().unwrap()
}

#[test]
fn a_quote_that_is_never_closed_is_refused_with_its_line() {
    let error = parse("q", b"a,b\n1,x\n2,\"oops\n3,y\n4,z\n", Some("csv")).unwrap_err().to_string();
    assert!(error.contains("line 3") && error.contains("never closed"), "{error}");
}

#[test]
fn a_page_of_long_records_holds_fewer_and_loses_none() {
    let lines: Vec<String> =
        (0..200).map(|n| json!({"id": format!("r{n}"), "text": "x".repeat(16_000)}).to_string()).collect();
    let dataset = parse("long", lines.join("\n").as_bytes(), Some("jsonl")).unwrap();
    assert!(dataset.field("text").unwrap().values.is_empty(), "prose is not listed in the schema");
    let (mut ids, mut arguments) = (Vec::new(), json!({"page_size": 100}));
    loop {
        let page = ask(&dataset, arguments.clone());
        assert!(page.to_string().len() < 1024 * 1024);
        ids.extend(page["documents"].as_array().unwrap().iter().map(|document| document["id"].to_string()));
        if page["has_more"] == false {
            break;
        }
        arguments["search_after"] = page["search_after"].clone();
    }
    assert_eq!(ids.len(), 200);
    ids.dedup();
    assert_eq!(ids.len(), 200);
}

#[test]
fn whole_numbers_beyond_doubles_are_compared_exactly() {
    let text = r#"[{"n": 9007199254740992, "x": 1}, {"n": 9007199254740993, "x": 2}]"#;
    let dataset = parse("big", text.as_bytes(), None).unwrap();
    assert_eq!(matched(&dataset, json!({"n": 9_007_199_254_740_993_u64})), 1);
}

#[test]
fn a_range_holds_for_one_value_of_a_list() {
    let dataset = parse("lists", br#"[{"v": [1, 10], "x": 1}, {"v": [5], "x": 2}]"#, None).unwrap();
    assert_eq!(matched(&dataset, json!({"v": {"gte": 4, "lte": 6}})), 1);
}

#[test]
fn an_added_id_spares_the_columns_of_the_file() {
    let dataset = parse("taken", br#"[{"id": {"v": "A7"}, "x": 1}, {"id": {"v": "A8"}, "x": 2}]"#, None).unwrap();
    assert_eq!(dataset.documents().unwrap()[0]["id"], json!({"v": "A7"}));
    let dataset = parse("taken", b"_id,x\nG1,1\nG1,2\n", Some("csv")).unwrap();
    let texts: Vec<String> =
        dataset.documents().unwrap().iter().map(|document| Value::Object(document.clone()).to_string()).collect();
    assert!(texts.iter().all(|text| text.contains("G1")), "{texts:?}");
}
