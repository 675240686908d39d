//! Measures, correlations, orders and members of documents.

use serde_json::{Value, json};

use super::*;

fn read(text: &str) -> Dataset {
    parse("t", text.as_bytes(), None).unwrap()
}

fn ask(dataset: &Dataset, arguments: Value) -> Value {
    answer(dataset, &Query::parse(dataset, arguments.as_object().unwrap()).unwrap()).unwrap()
}

/// The values of measures, and how many values are behind each.
fn values(measures: &Value) -> Vec<(Value, u64)> {
    let pair = |measure: &Value| (measure["value"].clone(), measure["count"].as_u64().unwrap());
    measures.as_array().unwrap().iter().map(pair).collect()
}

fn keys(group: &Value) -> Vec<Value> {
    group["buckets"].as_array().unwrap().iter().map(|bucket| bucket["key"].clone()).collect()
}

const SALES: &str = "\
day,city,price,sold,open
2024-01-05,Oslo,2.5,4,true
2024-02-10,Rome,10,9223372036854775807,false
2024-02-11,Oslo,4,1,true
,Rome,,6,
2025-01-01,Lima,1.5,2,false
";

fn all(field: &str, functions: &[&str]) -> Value {
    functions.iter().map(|function| json!({"function": function, "field": field})).collect()
}

#[test]
fn measures_are_over_all_matching_records() {
    let data = read(SALES);
    let functions = ["sum", "mean", "median", "min", "max", "count", "distinct"];
    let result = ask(&data, json!({"measures": all("price", &functions), "page_size": 1}));
    let measured = values(&result["aggregations"]["measures"]);
    let expected = [json!(18.0), json!(4.5), json!(3.25), json!(1.5), json!(10), json!(4), json!(4)];
    assert_eq!(measured, expected.map(|value| (value, 4)));

    let text = json!([{"function": "min", "field": "day"}, {"function": "distinct", "field": "city"},
        {"function": "mean", "field": "open"}])
    .to_string();
    let result = ask(&data, json!({"measures": text, "filters": {"day": "2024"}}));
    let measured = values(&result["aggregations"]["measures"]);
    assert_eq!(measured, [(json!("2024-01-05"), 3), (json!(2), 3), (json!(2.0 / 3.0), 3)]);

    let none = ask(&data, json!({"measures": all("price", &functions), "filters": {"city": "Paris"}}));
    let nothing = [json!(null), json!(null), json!(null), json!(null), json!(null), json!(0), json!(0)];
    assert_eq!(values(&none["aggregations"]["measures"]), nothing.map(|value| (value, 0)));
}

#[test]
fn whole_numbers_are_summed_exactly_even_beyond_64_bits() {
    let data = read(SALES);
    let rome = ask(
        &data,
        json!({"measures": all("sold", &["sum", "max"]), "filters": {"day": {"gte": "2024-02-10", "lt": "2024-02-11"}}}),
    );
    assert_eq!(values(&rome["aggregations"]["measures"]), [(json!(i64::MAX), 1), (json!(i64::MAX), 1)]);
    let beyond = ask(&data, json!({"measures": all("sold", &["sum"])}));
    assert_eq!(values(&beyond["aggregations"]["measures"]), [(json!(9_223_372_036_854_775_820.0), 5)]);
}

#[test]
fn buckets_have_measures_and_an_order() {
    let data = read(SALES);
    let arguments = |order: Value| json!({"group_by": "city", "measures": all("price", &["mean"]), "order_by": order});
    let group = |order: Value| ask(&data, arguments(order))["aggregations"]["group_by"].clone();

    let by_mean = group(json!({"function": "mean", "field": "price"}));
    assert_eq!(keys(&by_mean), ["Rome", "Oslo", "Lima"]);
    let means: Vec<Value> =
        by_mean["buckets"].as_array().unwrap().iter().map(|b| b["measures"][0]["value"].clone()).collect();
    assert_eq!(means, [10.0, 3.25, 1.5]);
    assert_eq!(keys(&group(json!({"function": "sum", "field": "price", "order": "asc"}))), ["Lima", "Oslo", "Rome"]);
    assert_eq!(keys(&group(json!({"by": "key", "order": "desc"}))), ["Rome", "Oslo", "Lima"]);
    assert_eq!(keys(&group(json!({"by": "doc_count", "order": "asc"}))), ["Lima", "Oslo", "Rome"]);
    assert_eq!(keys(&group(json!({"by": "doc_count"}))), ["Oslo", "Rome", "Lima"]);

    let top = ask(&data, json!({"group_by": "city", "order_by": {"by": "key"}, "top_n": 1}));
    let top = &top["aggregations"]["group_by"];
    assert_eq!((keys(top), &top["other_doc_count"], &top["distinct"]), (vec![json!("Lima")], &json!(4), &json!(3)));

    let course = ask(
        &data,
        json!({"date_histogram": {"field": "day", "interval": "month"}, "measures": all("price", &["sum"])}),
    );
    let course = &course["aggregations"]["date_histogram"];
    let sums: Vec<Value> =
        course["buckets"].as_array().unwrap().iter().map(|b| b["measures"][0]["value"].clone()).collect();
    assert_eq!((sums, &course["missing"]), (vec![json!(2.5), json!(14), json!(1.5)], &json!(1)));
}

#[test]
fn values_of_lists_are_measured_one_by_one() {
    let data = read(r#"[{"v": [1, 1, 4], "k": "a"}, {"v": 2.5, "k": ["a", "b"]}, {"v": [], "k": "b"}]"#);
    let functions = ["sum", "mean", "median", "min", "max", "count", "distinct"];
    let result = ask(&data, json!({"measures": all("v", &functions), "group_by": "k"}));
    let expected = [
        (json!(8.5), 4),
        (json!(2.125), 4),
        (json!(1.75), 4),
        (json!(1), 4),
        (json!(4), 4),
        (json!(2), 2),
        (json!(3), 4),
    ];
    assert_eq!(values(&result["aggregations"]["measures"]), expected);
    let buckets = &result["aggregations"]["group_by"]["buckets"];
    assert_eq!((values(&buckets[1]["measures"])[0].clone(), &buckets[1]["key"]), ((json!(2.5), 1), &json!("b")));
}

#[test]
fn correlations_take_the_records_that_have_both() {
    let data = read("x,y,z\n1,2,5\n2,4,5\n3,6,5\n,9,5\n4,,5\n");
    let result = ask(&data, json!({"correlations": [["x", "y"], ["x", "z"]]}));
    let pairs = &result["aggregations"]["correlations"];
    assert!((pairs[0]["pearson"].as_f64().unwrap() - 1.0).abs() < 1e-12 && pairs[0]["count"] == 3, "{pairs}");
    assert!(pairs[1]["pearson"].is_null() && pairs[1]["count"] == 4, "{pairs}");
}

#[test]
fn documents_are_sorted_and_paged_in_their_order() {
    let data = read(SALES);
    let mut arguments = json!({"sort": [{"field": "price"}, {"field": "city", "order": "asc"}], "page_size": 2});
    let mut prices = Vec::new();
    loop {
        let page = ask(&data, arguments.clone());
        assert!(page["data_context"]["order"].as_str().unwrap().contains("price, highest first"));
        prices.extend(page["documents"].as_array().unwrap().iter().map(|document| document["price"].clone()));
        if page["has_more"] == false {
            break;
        }
        arguments["search_after"] = page["search_after"].clone();
    }
    assert_eq!(prices, [json!(10), json!(4), json!(2.5), json!(1.5), Value::Null]);

    arguments["sort"] = json!([{"field": "price", "order": "asc"}]);
    let other = Query::parse(&data, arguments.as_object().unwrap()).and_then(|query| answer(&data, &query));
    assert!(other.unwrap_err().to_string().contains("other filters"));
}

#[test]
fn documents_have_the_members_that_were_asked_for() {
    let data = read(SALES);
    let page = ask(&data, json!({"fields": "price, city", "page_size": 1}));
    assert_eq!(page["documents"], json!([{"id": 1, "city": "Oslo", "price": 2.5}]));
    let data = read(r#"[{"id": "p", "author": {"name": "Ada", "age": 36}, "x": 1}, {"id": "q", "x": 2}]"#);
    let page = ask(&data, json!({"fields": ["author.name"]}));
    assert_eq!(page["documents"], json!([{"id": "p", "author": {"name": "Ada"}}, {"id": "q"}]));
}

#[test]
fn the_schema_counts_distinct_and_missing_values() {
    let schema = Value::Object(input_schema(&read(SALES)));
    let price = &schema["properties"]["filters"]["contentSchema"]["properties"]["price"];
    assert_eq!((&price["x-distinct"], &price["x-missing"]), (&json!(4), &json!(1)));
    assert_eq!(schema["x-records"], json!(read(SALES).records));
}

#[test]
fn the_schema_of_thousands_of_fields_stays_small_and_names_all_of_them() {
    let fields = 5_000;
    let line = |cell: &dyn Fn(usize) -> String| (0..fields).map(cell).collect::<Vec<_>>().join(",");
    let file = format!("{}\n{}\n", line(&|at| format!("c{at}")), line(&|at| at.to_string()));
    let schema = Value::Object(input_schema(&read(&file)));

    let properties = &schema["properties"]["filters"]["contentSchema"]["properties"];
    assert_eq!(properties.as_object().unwrap().len(), fields);
    assert_eq!(properties["c4999"]["type"], "integer");
    let colons = schema.to_string().matches(':').count();
    assert!(colons < 20_000, "{colons} members");
}

const BOOKS: &str = "\
title,author,note
The Fire Engine,Ada Lovelace,engines on fire and flying
Flies and Fire,Grace Hopper,a fly in the engine
München,ada lovelace,nothing \"quoted\" AND (odd) OR* words
Munich Nights,Alan Turing,
";

fn found(result: &Value) -> Vec<String> {
    result["documents"].as_array().unwrap().iter().map(|document| document["id"].to_string()).collect()
}

#[test]
fn a_search_takes_the_records_whose_texts_say_so() {
    let data = read(BOOKS);
    for (search, ids, hits) in [
        (json!({"text": "fire engine"}), vec!["1"], vec![("title", 1), ("note", 1)]),
        (json!({"text": "fire engine", "match": "phrase"}), vec!["1"], vec![("title", 1)]),
        (
            json!({"text": "engine turing", "match": "any"}),
            vec!["1", "2", "4"],
            vec![("note", 2), ("title", 1), ("author", 1)],
        ),
        (json!({"text": "fly"}), vec!["1", "2"], vec![("title", 1), ("note", 2)]),
        (json!({"text": "fly", "exact": true}), vec!["2"], vec![("note", 1)]),
        (json!({"text": "Lovelace", "fields": ["author"]}), vec!["1", "3"], vec![("author", 2)]),
        (json!({"text": "munchen"}), vec!["3"], vec![("title", 1)]),
        (json!({"text": "\"quoted\" AND (odd) OR*", "match": "phrase"}), vec!["3"], vec![]),
        (json!({"text": "helium"}), vec![], vec![]),
    ] {
        let result = ask(&data, json!({"search": search.to_string()}));
        assert_eq!(found(&result), ids, "{search}");
        let reported = &result["data_context"]["search"];
        let counted: Vec<(&str, u64)> = reported["hits"]
            .as_array()
            .unwrap()
            .iter()
            .map(|hit| (hit["field"].as_str().unwrap(), hit["doc_count"].as_u64().unwrap()))
            .collect();
        if search["text"] != "\"quoted\" AND (odd) OR*" {
            assert_eq!(counted.len(), hits.len(), "{search}: {counted:?}");
            assert!(hits.iter().all(|hit| counted.contains(hit)), "{search}: {counted:?}");
        }
    }
    let both = ask(
        &data,
        json!({"search": {"text": "lovelace"}, "filters": {"author": "ada lovelace"}, "group_by": "author"}),
    );
    assert_eq!(both["data_context"]["unique_ids_matched"], 1);
    assert_eq!(both["data_context"]["search"]["hits"], json!([{"field": "author", "doc_count": 1}]));
}

#[test]
fn a_lookup_says_what_texts_are_called() {
    let data = read(BOOKS);
    let texts =
        ["Ada Lovelace", "GRACE HOPPER", "fire", "Muni", "Alan Turning", "munchen", "helium", "--", "fly", "Lovelase"];
    let result = ask(&data, json!({"lookup": {"texts": texts}, "filters": {"author": "Alan Turing"}}));
    let best = |at: usize| {
        let candidates = result["lookup"][at]["candidates"].as_array().unwrap();
        candidates
            .iter()
            .map(|c| (c["value"].as_str().unwrap(), c["match"].as_str().unwrap(), c["doc_count"].as_u64().unwrap()))
            .collect::<Vec<_>>()
    };
    assert_eq!(best(0), [("Ada Lovelace", "exact", 1), ("ada lovelace", "case", 1)]);
    assert_eq!(best(1), [("Grace Hopper", "case", 1)]);
    assert_eq!(best(2)[..2], [("Flies and Fire", "words", 1), ("The Fire Engine", "words", 1)]);
    assert_eq!(best(3), [("Munich Nights", "prefix", 1)]);
    assert_eq!(best(4), [("Alan Turing", "spelling", 1)]);
    assert_eq!(best(5), [("München", "case", 1)]);
    assert!(best(6).is_empty() && best(7).is_empty());
    assert_eq!(result["lookup"][6]["searched"], json!({"fields": 3, "records": 4}));
    assert_eq!(
        result["lookup"][2]["mentions"],
        json!([{"field": "title", "doc_count": 2}, {"field": "note", "doc_count": 1}])
    );
    assert_eq!(best(9).len(), 2, "{:?}", best(9));
    assert_eq!(result["data_context"]["unique_ids_matched"], 1, "filters do not reach the lookup");
}

#[test]
fn values_of_lists_and_of_few_values_are_searched_by_record() {
    let rows: Vec<String> = (0..100)
        .map(|n| format!(r#"{{"tags": ["red fox", "t{}"], "size": "{}"}}"#, n % 3, ["big cat", "dog"][n % 2]))
        .collect();
    let data = read(&rows.join("\n"));
    let count = |search: Value| {
        let result = ask(&data, json!({"search": search}));
        (
            result["data_context"]["unique_ids_matched"].as_u64().unwrap(),
            result["data_context"]["search"]["hits"].clone(),
        )
    };
    assert_eq!(count(json!({"text": "fox"})), (100, json!([{"field": "tags", "doc_count": 100}])));
    assert_eq!(count(json!({"text": "cats"})), (50, json!([{"field": "size", "doc_count": 50}])));
    let result = ask(&data, json!({"lookup": {"texts": ["t1", "cat"]}}));
    assert_eq!(
        result["lookup"][0]["candidates"],
        json!([{"field": "tags", "value": "t1", "doc_count": 33, "match": "exact"}])
    );
    assert_eq!(result["lookup"][1]["mentions"], json!([{"field": "size", "doc_count": 50}]));
}
