//! Real files and queries, compared with counts made by other means.

use std::sync::Arc;

use research_mcp::{Hub, Pager, PagerOptions, ToolSource};
use serde_json::json;

use serde_json::Value;

use super::*;

fn read(text: &str) -> Dataset {
    parse("t", text.as_bytes(), None).unwrap()
}

fn ask(dataset: &Dataset, arguments: Value) -> Result<Value, QueryError> {
    answer(dataset, &Query::parse(dataset, arguments.as_object().unwrap())?)
}

fn refused(dataset: &Dataset, arguments: Value) -> String {
    ask(dataset, arguments).unwrap_err().to_string()
}

fn matched(dataset: &Dataset, filters: Value) -> u64 {
    let arguments = json!({ "filters": filters.to_string() });
    ask(dataset, arguments).unwrap()["data_context"]["unique_ids_matched"].as_u64().unwrap()
}

fn counts(buckets: &Value) -> Vec<(Value, u64)> {
    let bucket = |bucket: &Value| (bucket["key"].clone(), bucket["doc_count"].as_u64().unwrap());
    buckets["buckets"].as_array().unwrap().iter().map(bucket).collect()
}

/// Every id of the matching records, page by page.
fn all_ids(dataset: &Dataset, mut arguments: Value) -> Vec<Value> {
    let mut ids = Vec::new();
    loop {
        let page = ask(dataset, arguments.clone()).unwrap();
        let documents = page["documents"].as_array().unwrap();
        ids.extend(documents.iter().map(|document| document[&dataset.id_field].clone()));
        if page["has_more"] == false {
            assert!(page["search_after"].is_null());
            return ids;
        }
        arguments["search_after"] = page["search_after"].clone();
    }
}

const APPROACH: &str = r#"{"Phase of flight": "Approach", "Speed IAS in knots": 120}"#;

#[test]
fn the_shipped_data_counts_as_other_programs_count_it() {
    let dataset = shipped().unwrap();
    assert_eq!((dataset.len(), dataset.fields.len()), (10_000, 14));
    assert!(dataset.warnings.is_empty() && dataset.numbered);
    let result = ask(&dataset, json!({"filters": APPROACH, "group_by": "Wildlife Size", "page_size": 100})).unwrap();
    assert_eq!(result["data_context"]["unique_ids_matched"], 165);
    assert_eq!(
        counts(&result["aggregations"]["group_by"]),
        [(json!("Small"), 99), (json!("Medium"), 49), (json!("Large"), 17)]
    );
    assert_eq!((result["documents"].as_array().unwrap().len(), &result["has_more"]), (100, &json!(true)));
    assert_eq!(matched(&dataset, json!({"Speed IAS in knots": null})), 2836);
    assert_eq!(matched(&dataset, json!({"Origin State": ["Texas", "California"]})), 2385);
    let by_state = ask(&dataset, json!({"group_by": "Origin State", "top_n": 3})).unwrap();
    let group = &by_state["aggregations"]["group_by"];
    assert_eq!(counts(group)[..2], [(json!("Texas"), 1495), (json!("California"), 890)]);
    assert_eq!(
        (group["distinct"].as_u64(), group["other_doc_count"].as_u64()),
        (Some(29), Some(10_000 - 1495 - 890 - counts(group)[2].1))
    );
}

#[test]
fn every_matching_record_stands_on_exactly_one_page() {
    let dataset = shipped().unwrap();
    for size in [1, 20, 75, 100, 1_000] {
        let ids = all_ids(&dataset, json!({"filters": APPROACH, "page_size": size}));
        assert_eq!(ids.len(), 165);
        assert!(ids.windows(2).all(|pair| pair[0].as_u64() < pair[1].as_u64()), "file order, each once");
    }
    assert_eq!(all_ids(&dataset, json!({"page_size": 100})).len(), 10_000);
    assert!(all_ids(&dataset, json!({"filters": r#"{"Origin State": "Atlantis"}"#})).is_empty());
}

#[test]
fn a_cursor_of_another_query_is_refused() {
    let dataset = shipped().unwrap();
    let cursor = ask(&dataset, json!({"filters": APPROACH})).unwrap()["search_after"].clone();
    assert!(refused(&dataset, json!({"search_after": cursor})).contains("other filters"));
    for bad in [json!(["PAG090"]), json!(7), json!(["x", "y"]), json!(["ab.-1"]), json!("ab.99999999999999999999999")] {
        assert!(refused(&dataset, json!({"search_after": bad})).contains("no cursor"), "{bad}");
    }
    let spelled = r#"{ "SPEED IAS IN KNOTS":120.0,"phase of flight":"Approach"}"#;
    assert_eq!(matched(&dataset, serde_json::from_str(spelled).unwrap()), 165);
}

#[test]
fn filters_compare_by_type() {
    let dataset = read("n,d,t,b\n1,2024-01-01,007,true\n2.5,2024-02-10,x,false\n,2024-02-29,,\n10,2025-01-01,x,true\n");
    for (filters, expected) in [
        (json!({}), 4),
        (json!({"n": 1.0}), 1),
        (json!({"N": "10"}), 1),
        (json!({"n": {"gte": 2, "lt": 10}}), 1),
        (json!({"n": {"gt": 1}}), 2),
        (json!({"n": [1, 10, null]}), 3),
        (json!({"n": null}), 1),
        (json!({"d": "2024"}), 3),
        (json!({"d": "2024-02"}), 2),
        (json!({"d": {"gt": "2024-02"}}), 1),
        (json!({"d": {"gte": "2024-02-10", "lte": "2024-02-29"}}), 2),
        (json!({"t": "007"}), 1),
        (json!({"t": 7}), 0),
        (json!({"b": true}), 2),
        (json!({"b": "False"}), 1),
        (json!({"t": "x", "b": true}), 1),
        (json!({"t": {"not": "x"}}), 1),
        (json!({"t": {"not": ["x", "007"]}}), 0),
        (json!({"t": {"not": null}}), 3),
        (json!({"b": {"not": true}}), 1),
        (json!({"n": {"not": 1, "lt": 10}}), 1),
        (json!({"d": {"not": "2024"}}), 1),
        (json!({"d": {"month": 2}}), 2),
        (json!({"d": {"month": [1, "2"], "gte": "2024-02"}}), 3),
        (json!({"t": {"missing": true}}), 1),
        (json!({"n": {"missing": false}}), 3),
        (json!({"n": {"missing": true, "gte": 1}}), 0),
        (json!({"t": {"contains": "X"}}), 2),
        (json!({"t": {"lacks": "X"}}), 1),
        (json!({"t": {"lacks": "X", "not": "007"}}), 0),
    ] {
        assert_eq!(matched(&dataset, filters.clone()), expected, "{filters}");
    }
}

#[test]
fn mistakes_in_a_query_are_explained() {
    let dataset = shipped().unwrap();
    let told = refused(&dataset, json!({"filters": r#"{"Wildlife Sise": "Small"}"#}));
    assert!(told.contains("did you mean `Wildlife Size`?") && told.contains("Airport Name, "), "{told}");
    for (arguments, expected) in [
        (json!({"filters": r#"{"Wildlife Size": "#}), "line 1 column"),
        (json!({"filters": "[1]"}), "not a list"),
        (json!({"filters": "3"}), "not a number"),
        (json!({"filters": 3}), "must be a JSON text"),
        (json!({"filters": r#"{"Wildlife Size": {"gte": "a"}}"#}), "needs numbers or dates"),
        (json!({"filters": r#"{"Cost Repair": {"above": 1}}"#}), "there are gte, gt, lte, lt"),
        (json!({"filters": r#"{"Cost Repair": "much"}"#}), "is a whole number field"),
        (json!({"filters": r#"{"Cost Repair": []}"#}), "is empty"),
        (json!({"filters": r#"{"Cost Repair": {"not": []}}"#}), "is empty"),
        (json!({"filters": r#"{"Cost Repair": {"contains": "a"}}"#}), "needs a text field"),
        (json!({"filters": r#"{"Wildlife Size": {"contains": " - "}}"#}), "at least one word"),
        (json!({"filters": r#"{"Wildlife Size": {"missing": 1}}"#}), "must be true or false"),
        (json!({"filters": r#"{"Flight Date": {"month": 13}}"#}), "from 1 to 12"),
        (json!({"filters": r#"{"Cost Repair": {"month": 1}}"#}), "needs a date field"),
        (json!({"measures": r#"[{"function": "avg", "field": "Cost Repair"}]"#}), "there are sum, mean, median"),
        (json!({"measures": r#"[{"function": "mean", "field": "Wildlife Size"}]"#}), "needs numbers"),
        (json!({"measures": r#"[{"function": "mean", "field": "Cost"}]"#}), "did you mean `Cost Other`?"),
        (json!({"measures": vec![json!({"function": "sum", "field": "Cost Repair"}); 21]}), "at most 20"),
        (json!({"measures": "sum"}), "is not valid JSON"),
        (json!({"correlations": [["Cost Repair"]]}), "list of pairs"),
        (json!({"correlations": [["Cost Repair", "Flight Date"]]}), "is date"),
        (json!({"search": "engine"}), "is not valid JSON"),
        (json!({"search": {"text": "--"}}), "at least one word"),
        (json!({"search": {"text": "x", "match": "some"}}), "all, phrase, any"),
        (json!({"search": {"text": "x", "fields": ["Cost Repair"]}}), "is whole number"),
        (json!({"lookup": {"texts": vec!["x"; 31]}}), "at most 30 texts"),
        (json!({"lookup": {"texts": ["x".repeat(201)]}}), "longer than 200"),
        (json!({"lookup": {"text": "x"}}), "has no member `text`"),
        (json!({"order_by": {"by": "size"}}), "doc_count or key"),
        (json!({"order_by": {"by": "key", "order": "up"}}), "must be desc or asc"),
        (json!({"sort": [{"by": "Cost Repair"}]}), "has no member `by`"),
        (json!({"fields": ["Cost"]}), "did you mean `Cost Other`?"),
        (json!({"group_by": "Origin State, Phase"}), "did you mean `Phase of flight`?"),
        (json!({"group_by": 3}), "separated by commas"),
        (json!({"date_histogram": r#"{"field": "Origin State"}"#}), "there is Flight Date"),
        (
            json!({"date_histogram": r#"{"field": "Flight Date", "interval": "decade"}"#}),
            "year, quarter, month, week, day",
        ),
        (json!({"top_n": 0}), "from 1 on"),
        (json!({"page_size": -1}), "from 1 on"),
        (json!({"filter": "{}"}), "did you mean `filters`?"),
    ] {
        let told = refused(&dataset, arguments.clone());
        assert!(told.contains(expected), "{arguments}: {told}");
    }
    let noted = ask(&dataset, json!({"filters": r#"{"Wildlife Size": "small"}"#})).unwrap();
    assert!(noted["data_context"]["notes"][0].as_str().unwrap().contains("Large, Medium, Small"));
}

#[test]
fn groupings_by_several_fields_have_lists_as_keys() {
    let dataset = read("a,b\nx,1\nx,2\nx,1\ny,\n");
    for group_by in [json!("a,b"), json!("A , b"), json!(["a", "b"]), json!(r#"["a", "b"]"#)] {
        let result = ask(&dataset, json!({"group_by": group_by, "samples_per_bucket": 1})).unwrap();
        let group = &result["aggregations"]["group_by"];
        assert_eq!(group["field"], "a,b");
        assert_eq!(counts(group), [(json!(["x", 1]), 2), (json!(["x", 2]), 1), (json!(["y", null]), 1)]);
        assert_eq!(group["buckets"][0]["samples"], json!([{"id": 1, "a": "x", "b": 1}]));
    }
    let comma = read("\"Cost, total\";b\n1;2\n1;3\n");
    let result = ask(&comma, json!({"group_by": "Cost, total,b"})).unwrap();
    assert_eq!(result["aggregations"]["group_by"]["fields"], json!(["Cost, total", "b"]));
}

#[test]
fn histograms_count_by_time() {
    let dataset = shipped().unwrap();
    let result =
        ask(&dataset, json!({"filters": APPROACH, "date_histogram": {"field": "flight date", "interval": "year"}}))
            .unwrap();
    let histogram = &result["aggregations"]["date_histogram"];
    let counted = counts(histogram);
    assert_eq!(counted.iter().map(|(_, count)| count).sum::<u64>(), 165);
    assert!(counted.windows(2).all(|pair| pair[0].0.as_str() < pair[1].0.as_str()));
    assert_eq!((&histogram["field"], &histogram["missing"]), (&json!("Flight Date"), &json!(0)));
}

#[test]
fn the_schema_names_fields_values_and_ranges() {
    let schema = Value::Object(input_schema(&shipped().unwrap()));
    let filters = &schema["properties"]["filters"];
    assert_eq!((&filters["type"], &filters["contentMediaType"]), (&json!("string"), &json!("application/json")));
    let fields = filters["contentSchema"]["properties"].as_object().unwrap();
    assert_eq!(fields.keys().next().unwrap(), "Airport Name");
    assert_eq!(fields["Wildlife Size"]["anyOf"][0], json!({"type": "string", "enum": ["Large", "Medium", "Small"]}));
    let speed = &fields["Speed IAS in knots"]["anyOf"];
    assert_eq!(speed[0]["type"], "integer");
    assert!(speed[0]["minimum"].is_number() && speed[2]["properties"]["gte"].is_object() && speed[3]["type"] == "null");
    assert_eq!(fields["Flight Date"]["anyOf"][0]["formatMinimum"], "1990-01-08");
    assert!(fields["Aircraft Make Model"]["anyOf"][0].get("enum").is_none(), "225 values are too many to list");
    assert!(!schema.to_string().contains(r#"["integer","null"]"#));
}

#[test]
fn delimiters_marks_and_quotes_of_real_files() {
    for delimiter in [",", ";", "\t", "|"] {
        let text = "\u{feff}name,note\nÅse,\"two\nlines, \"\"quoted\"\"\"\nBob,\n".replace(',', delimiter);
        let dataset = read(&text);
        assert_eq!(dataset.len(), 2, "{delimiter:?}");
        let note = format!("two\nlines{delimiter} \"quoted\"");
        assert_eq!(
            Value::Object(dataset.documents().unwrap()[0].clone()),
            json!({"id": 1, "name": "Åse", "note": note})
        );
        assert!(dataset.documents().unwrap()[1]["note"].is_null());
    }
    let latin = parse("t", b"name,city\nJos\xe9,M\xfcnchen\n", None).unwrap();
    assert_eq!(latin.documents().unwrap()[0]["city"], "München");
    assert_eq!(latin.warnings.len(), 1);
    let european = read("price;place\n1,5;a\n2,75;b\n");
    assert_eq!(european.fields.iter().map(|field| field.name.as_str()).collect::<Vec<_>>(), ["price", "place"]);
}

#[test]
fn headers_are_repaired() {
    let dataset = read("name,name,,name_2,name\n1,2,3,4,5\n");
    let names: Vec<&str> = dataset.fields.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(names, ["name", "name_3", "column_3", "name_2", "name_4"]);
    let dataset = read("name,name\n1,2\n");
    assert_eq!(dataset.fields[1].name, "name_2");
}

#[test]
fn ragged_lines_are_filled_up_or_named() {
    let dataset = parse("t", b"a,b,c\n1,2,3\n4,5\n6,7,8,,\n", Some("csv")).unwrap();
    assert_eq!(dataset.len(), 3);
    assert!(dataset.documents().unwrap()[1]["c"].is_null());
    assert!(dataset.warnings[0].contains("line 3"), "{:?}", dataset.warnings);
    let error = parse("t", b"a,b\n1,2\n\"x\ny\",2\n3,4,5\n", None).unwrap_err();
    assert!(matches!(error, LoadError::TooManyCells { line: 5, cells: 3, columns: 2, .. }), "{error}");
}

#[test]
fn empty_files_and_files_that_are_no_data() {
    let dataset = read("a,b\n");
    let result = ask(&dataset, json!({"group_by": "a"})).unwrap();
    assert_eq!(
        (result["data_context"]["unique_ids_matched"].as_u64(), result["has_more"].as_bool()),
        (Some(0), Some(false))
    );
    assert!(read("[]").is_empty());
    assert!(matches!(parse("t", b" \n", None), Err(LoadError::Empty { .. })));
    let binary = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    let prose = b"Dear all,\nthis is a letter, with commas, here.\nAnd none there.\nYours";
    for bytes in [&binary[..], &prose[..]] {
        assert!(matches!(parse("t", bytes, None), Err(LoadError::Unrecognised { .. })));
    }
    assert!(matches!(parse("t", b"hello", Some("json")), Err(LoadError::Json { line: 1, .. })));
    assert_eq!(parse("t", b"name\nAda\nBob\n", Some("csv")).unwrap().len(), 2);
}

#[test]
fn ids_are_the_files_own_or_numbers() {
    let own = read("uuid,v\na,1\nb,1\n");
    assert_eq!((own.id_field.as_str(), own.numbered, own.documents().unwrap()[0].len()), ("uuid", false, 2));
    let shared = read("id,v\nDE,1\nDE,2\n");
    assert_eq!(Value::Object(shared.documents().unwrap()[1].clone()), json!({"_id": 2, "id": "DE", "v": 2}));
    let second = read("id,event_id\nDE,e1\nDE,e2\n");
    assert_eq!(
        Value::Object(second.documents().unwrap()[1].clone()),
        json!({"_id": "e2", "id": "DE", "event_id": "e2"})
    );
    let gaps = read("ID,v\n1,x\n,y\n");
    assert_eq!((gaps.id_field.as_str(), gaps.numbered), ("_id", true));
}

#[test]
fn nested_json_is_queried_by_dotted_names_and_returned_as_it_was() {
    let text = r#"[{"id": "p1", "author": {"name": "Ada"}, "tags": ["x", "y"]}, {"id": "p2", "tags": ["y"]}]"#;
    let dataset = read(text);
    assert_eq!(matched(&dataset, json!({"author.name": "Ada"})), 1);
    assert_eq!(matched(&dataset, json!({"author.name": null})), 1);
    assert_eq!(matched(&dataset, json!({"tags": "y"})), 2);
    let result = ask(&dataset, json!({"group_by": "tags"})).unwrap();
    assert_eq!(counts(&result["aggregations"]["group_by"]), [(json!("y"), 2), (json!("x"), 1)]);
    assert_eq!(result["documents"], serde_json::from_str::<Value>(text).unwrap());
    let lines = read("\u{feff}{\"a\": 1}\n\n{\"a\": 2, \"b\": \"x\"}\n");
    assert_eq!((lines.len(), lines.fields.len()), (2, 2));
}

#[test]
fn schemas_are_valid_and_results_conform_to_them() {
    let files = ["a,b,d\n1,x,2024-01-01\n,y,\n", "[{\"id\": \"p\", \"n\": {\"m\": true}}]", "a,b\n"];
    let datasets = files.iter().map(|text| read(text)).chain([shipped().unwrap()]);
    for dataset in datasets {
        let input = Value::Object(input_schema(&dataset));
        jsonschema::meta::validate(&input).unwrap();
        jsonschema::meta::validate(&input["properties"]["filters"]["contentSchema"]).unwrap();
        let output = jsonschema::validator_for(&Value::Object(output_schema(&dataset))).unwrap();
        let fields: Vec<&str> = dataset.fields.iter().map(|field| field.name.as_str()).collect();
        let first = fields.first().copied().unwrap_or_default();
        let arguments = json!({
            "group_by": fields,
            "samples_per_bucket": 1,
            "page_size": 1,
            "measures": [{"function": "count", "field": first}],
            "lookup": {"texts": ["small"]},
        });
        let result = ask(&dataset, arguments).unwrap();
        assert!(output.is_valid(&result), "{result}");
    }
    let dataset = shipped().unwrap();
    let filters = &input_schema(&dataset)["properties"]["filters"]["contentSchema"];
    let filters = jsonschema::validator_for(filters).unwrap();
    assert!(filters.is_valid(&serde_json::from_str(APPROACH).unwrap()));
    assert!(filters.is_valid(&json!({"Flight Date": {"gte": "1995-01-01"}, "Speed IAS in knots": [120, 130]})));
    assert!(!filters.is_valid(&json!({"Wildlife Size": "Tiny"})));
    assert!(!filters.is_valid(&json!({"Size": "Small"})));
}

#[test]
fn values_are_found_in_another_order_and_form() {
    let dataset =
        read("artist,breed\n\"Hirst, Damien\",Beagle\n\"Ferrari, León\",\"Retriever, Labrador\"\nDamien Rice,Pug\n");
    let texts = ["Damien Hirst", "León Ferrari", "beagles", "labrador retrievers", "Hirst Rice"];
    let result = ask(&dataset, json!({"lookup": {"texts": texts}})).unwrap();
    let first = |entry: &Value| (entry["candidates"][0]["value"].clone(), entry["candidates"][0]["match"].clone());
    let found: Vec<_> = result["lookup"].as_array().unwrap().iter().map(first).collect();
    let case = |value: &str| (json!(value), json!("case"));
    assert_eq!(found[..4], [case("Hirst, Damien"), case("Ferrari, León"), case("Beagle"), case("Retriever, Labrador")]);
    assert_eq!(found[4].0, Value::Null, "words of two values are no name");
}

#[test]
fn dates_with_slashes_may_have_a_time() {
    let dataset = read("id,at\n1,2020/06/01 00:47:36\n2,2020/06/02 10:00:00+00\n3,2021/01/05 08:00:00\n");
    assert_eq!(matched(&dataset, json!({"at": {"gte": "2020-06-01", "lt": "2020-07-01"}})), 2);
}

#[tokio::test]
async fn a_hub_reads_every_matching_record_once() {
    let server = dataset_server(shipped().unwrap(), DEFAULT_TOOL).unwrap();
    let hub = Arc::new(Hub::builder().in_process("data", server).connect().await.unwrap());
    let tool = hub.tools().await.unwrap().remove(0);
    assert_eq!((tool.name.as_str(), tool.hints.read_only), (DEFAULT_TOOL, Some(true)));
    assert!(tool.output_schema.is_some());
    let arguments = Object::from_iter([("filters".to_owned(), APPROACH.into())]);
    let source: Arc<dyn ToolSource> = Arc::clone(&hub) as _;
    let mut pager =
        Pager::new(source, DEFAULT_TOOL, arguments, PagerOptions::default().page_size(75).max_documents(300));
    let (mut pages, mut ids) = (Vec::new(), Vec::new());
    while let Some(page) = pager.next_page().await {
        pages.push(page.documents.len());
        assert!(
            page.documents
                .iter()
                .all(|document| !document.anonymous && document.url == format!("doc://{}", document.id))
        );
        ids.extend(page.documents.into_iter().map(|document| document.id));
    }
    assert_eq!(pages, [75, 75, 15]);
    assert_eq!((ids[0].as_str(), ids[1].as_str()), ("69", "161"));
    assert_eq!(pager.context().unwrap().unique_ids_matched, Some(165));
    assert!(pager.end().unwrap().is_complete());
    let refused =
        hub.call_tool(DEFAULT_TOOL, Object::from_iter([("group_by".to_owned(), "Siez".into())])).await.unwrap();
    assert!(refused.json().unwrap_err().to_string().contains("its fields are: Airport Name"));
    hub.close().await;
}

#[test]
fn lists_in_arguments_and_notes_are_bounded() {
    let data = read("id,kind\n1,a\n2,b\n3,a\n4,b\n");
    let values = |count: usize| (0..count).map(|at| format!("v{at}")).collect::<Vec<_>>();

    let answer = ask(&data, json!({"filters": {"kind": values(1_000)}})).unwrap();
    assert_eq!(answer["data_context"]["notes"].as_array().unwrap().len(), 21, "{answer}");
    assert!(refused(&data, json!({"filters": {"kind": values(1_001)}})).contains("at most 1000 values"));
    let text = json!({"kind": values(100_000)}).to_string();
    assert!(refused(&data, json!({"filters": text})).contains("at most 1000 values"));
    assert!(refused(&data, json!({"group_by": vec!["kind"; 5_000]})).contains("at most 100 fields"));
    assert!(refused(&data, json!({"group_by": ",".repeat(100_000)})).contains("at most 100 fields"));
}

#[test]
fn combinations_and_samples_are_bounded() {
    let cells: Vec<String> = (0..12).map(|field| format!("\"f{field}\": [1, 2, 3, 4]")).collect();
    let data = read(&format!("[{{{}}}]", cells.join(", ")));
    let names = |count: usize| (0..count).map(|field| format!("f{field}")).collect::<Vec<_>>();
    let answer = ask(&data, json!({"group_by": names(3)})).unwrap();
    assert_eq!(answer["aggregations"]["group_by"]["distinct"], 64);
    assert!(refused(&data, json!({"group_by": names(12)})).contains("combinations"));

    let rows: String = (0..2_000).map(|row| format!("k{row},{row}\n")).collect();
    let data = read(&format!("kind,number\n{rows}"));
    let asked = |top: usize, samples: usize| json!({"group_by": "kind", "top_n": top, "samples_per_bucket": samples});
    assert!(ask(&data, asked(2_000, 5)).is_ok());
    assert!(refused(&data, asked(2_000, 6)).contains("at most 10000 together"));
    assert!(ask(&data, asked(100, 100)).is_ok());
}

#[test]
fn a_long_name_is_refused_without_a_search_for_a_similar_one() {
    let data = read("kind,number\na,1\n");
    let reason = refused(&data, json!({"group_by": "x".repeat(3_000_000)}));
    assert!(reason.contains("its fields are: kind, number") && !reason.contains("did you mean"));
}

#[test]
fn differences_of_two_fields_are_fields() {
    let dataset = read(
        "name,close,open,from,to,tags\n\
         a,5,3,2024-01-01,2024-01-31,x\n\
         b,2,2,2024-02-28,2024-03-01T12:00:00,y\n\
         c,1,4,,2024-05-01,z\n\
         d,,4,2024-06-01,,x\n",
    );
    for (filters, expected) in [
        (json!({"close − open": {"gt": 0}}), 1),
        (json!({"close − open": 0}), 1),
        (json!({"CLOSE − OPEN": {"lt": 0}}), 1),
        (json!({"close − open": {"missing": true}}), 1),
        (json!({"to − from in days": {"gte": 30}}), 1),
        (json!({"to − from": {"lt": 3}}), 1),
    ] {
        assert_eq!(matched(&dataset, filters.clone()), expected, "{filters}");
    }

    let arguments = json!({
        "measures": [{"function": "mean", "field": "to − from in days"}, {"function": "sum", "field": "close − open"}],
        "sort": [{"field": "close − open", "order": "asc"}],
        "fields": ["name", "to − from in days"],
        "group_by": "close − open",
        "correlations": [["close − open", "open"]],
    });
    let result = ask(&dataset, arguments).unwrap();
    let measures = &result["aggregations"]["measures"];
    assert_eq!((&measures[0]["value"], &measures[0]["count"]), (&json!(16.25), &json!(2)));
    assert_eq!((&measures[1]["value"], &measures[1]["count"]), (&json!(-1), &json!(3)));
    assert_eq!(result["aggregations"]["group_by"]["distinct"], 4);
    assert_eq!(result["aggregations"]["correlations"][0]["count"], 3);

    // Documents show what they are sorted by and asked for.
    let first = json!({"id": 3, "name": "c", "close − open": -3, "to − from in days": null});
    assert_eq!(result["documents"][0], first);
    assert_eq!(result["documents"][2]["to − from in days"], 30.0);
}

#[test]
fn sums_and_ratios_of_two_fields_are_fields() {
    let dataset = read("name,points,games\na,30,4\nb,5,2\nc,1,0\nd,7,\n");
    for (filters, expected) in [
        (json!({"points ÷ games": {"gt": 7}}), 1),
        (json!({"points ÷ games": 2.5}), 1),
        // Nothing comes of a division by zero, or by nothing.
        (json!({"points ÷ games": {"missing": true}}), 2),
        (json!({"points + games": {"lte": 7}}), 2),
    ] {
        assert_eq!(matched(&dataset, filters.clone()), expected, "{filters}");
    }

    let arguments = json!({
        "measures": [{"function": "mean", "field": "points ÷ games"}, {"function": "sum", "field": "points + games"}],
        "sort": [{"field": "points ÷ games", "order": "desc"}],
    });
    let result = ask(&dataset, arguments).unwrap();
    let measures = &result["aggregations"]["measures"];
    assert_eq!((&measures[0]["value"], &measures[0]["count"]), (&json!(5.0), &json!(2)));
    assert_eq!((&measures[1]["value"], &measures[1]["count"]), (&json!(42), &json!(3)));
    assert_eq!(result["documents"][0]["points ÷ games"], 7.5);
}

#[test]
fn differences_of_other_fields_are_unknown() {
    let dataset = read(r#"[{"n": 1, "text": "x", "list": [1, 2]}, {"n": 2, "text": "y", "list": [3]}]"#);
    for name in ["n − text", "n − list", "n − m", "n - n", " − n", "n ÷ text", "n + list", "n / n"] {
        let error = refused(&dataset, json!({"filters": {name: 0}}));
        assert!(error.contains("no field"), "{name}: {error}");
    }
}

#[test]
fn a_field_whose_name_has_a_minus_is_itself() {
    let dataset = read("a,b,a − b\n5,3,7\n6,3,8\n");
    assert_eq!(matched(&dataset, json!({"a − b": 7})), 1);
    assert_eq!(matched(&dataset, json!({"a − b": 2})), 0);
}

#[test]
fn prices_stay_numbers_beside_cells_that_are_no_one_price() {
    let dataset = read("thing,price\na,$20.99 \nb,$299.99through-$449.99\nc,\"$1,200\"\nd,\ne,$5\nf,$7.50\n");
    let price = dataset.field("price").unwrap();
    assert_eq!((price.kind, price.unit.as_deref(), price.missing), (FieldKind::Number, Some("$"), 1));
    assert!(
        dataset.warnings.iter().any(|warning| warning.contains("1 records no one price")),
        "{:?}",
        dataset.warnings
    );
    let result = ask(&dataset, json!({"sort": [{"field": "price"}], "filters": {"price": {"gt": 7}}})).unwrap();
    assert_eq!(result["data_context"]["unique_ids_matched"], 3);
    let shown = ask(&dataset, json!({"filters": {"thing": "b"}})).unwrap();
    assert_eq!(shown["documents"][0]["price"], "$299.99through-$449.99");

    // As many ranges as prices are texts.
    let texts = read("price,n\n$1,1\n$1 to $2,2\n$3 to $4,3\n");
    assert_eq!(texts.field("price").unwrap().kind, FieldKind::Text);
}
