//! Plans in the terms of tools, and tools in the terms of plans.

use serde_json::json;

use crate::tools::dialect::*;

fn object(value: Value) -> Object {
    value.as_object().unwrap().clone()
}

fn of(properties: Value) -> ToolArguments {
    ToolArguments::of(Some(&Tool::new(
        "s",
        "t",
        object(json!({ "properties": properties })),
    )))
}

fn spoken(tool: &ToolArguments, arguments: Value) -> Value {
    Value::Object(tool.spoken(object(arguments)))
}

#[test]
fn a_tool_that_speaks_as_a_plan_does_gets_its_arguments_unchanged() {
    let text = json!({"type": "string"});
    let tool = of(
        json!({"filters": text, "group_by": text, "page_size": {"type": "integer"},
            "search_after": {}}),
    );
    let arguments =
        json!({"filters": "{\"a\": 1}", "group_by": "a, b", "page_size": 5, "other": true});
    assert_eq!(spoken(&tool, arguments.clone()), arguments);
    assert_eq!(tool.selection(&object(arguments)), object(json!({"a": 1})));
    assert_eq!(
        tool.names(),
        ["filters", "group_by", "page_size", "search_after"]
            .map(String::from)
            .to_vec()
    );
}

#[test]
fn other_names_and_types_are_met() {
    let tool = of(json!({
        "where": {"anyOf": [{"type": "object"}, {"type": "null"}]},
        "groupBy": {"type": "array", "items": {"type": "string"}},
        "max_groups": {"type": "integer"}
    }));
    let planned = json!({"filters": "{\"a\": 1}", "group_by": "a, b", "top_n": 20});

    assert_eq!(
        spoken(&tool, planned.clone()),
        json!({"where": {"a": 1}, "groupBy": ["a", "b"], "max_groups": 20})
    );
    assert_eq!(tool.selection(&object(planned)), object(json!({"a": 1})));
    assert_eq!(
        tool.selection(&object(json!({"where": {"a": 1}}))),
        object(json!({"a": 1}))
    );
    assert!(
        ["filters", "group_by", "top_n"]
            .iter()
            .all(|word| tool.names().contains(&(*word).to_owned()))
    );
}

#[test]
fn a_tool_with_an_argument_for_each_field_is_asked_by_them() {
    let number = json!({"type": "integer"});
    let tool = of(
        json!({"state": {"type": "string"}, "year": number, "limit": number, "offset": number,
            "sort": {}}),
    );
    let planned = object(
        json!({"filters": "{\"size\": 1, \"state\": \"Ohio\", \"year\": {\"gte\": 1990}}",
            "limit": 5}),
    );

    assert_eq!(
        Value::Object(tool.spoken(planned.clone())),
        json!({"state": "Ohio", "limit": 5})
    );
    assert_eq!(tool.refused(&planned), ["size", "year"]);
    assert_eq!(tool.selection(&planned), object(json!({"state": "Ohio"})));

    let direct = object(json!({"year": 1990, "state": "", "offset": 20, "sort": "year"}));

    assert_eq!(tool.selection(&direct), object(json!({"year": 1990})));
    assert_eq!(
        tool.selecting(&object(json!({"year": 1990}))),
        object(json!({"year": 1990}))
    );
    assert_eq!(
        tool.fields()
            .map(|(name, _)| name.as_str())
            .collect::<Vec<_>>(),
        ["state", "year"]
    );
}

#[test]
fn what_a_tool_opens_of_a_call_is_everything_but_its_conditions_and_its_own_cursor() {
    let opened = |properties: Value, arguments: Value| {
        Value::Object(of(properties).opened(&object(arguments)))
    };
    let text = json!({"type": "string"});
    let filters = json!({"filters": "{\"path\": \"/x\"}", "path": "/y"});

    assert_eq!(
        opened(json!({"filters": text, "path": text}), filters.clone()),
        json!({"path": "/y"})
    );
    assert_eq!(
        opened(json!({"where": text, "path": text}), filters.clone()),
        json!({"path": "/y"})
    );
    assert_eq!(
        opened(json!({"path": text}), filters.clone()),
        json!({"path": "/x"})
    );
    assert_eq!(
        opened(json!({}), filters.clone()),
        filters,
        "nothing is known of the tool"
    );

    for place in [
        json!({"where": "/root"}),
        json!({"where": ["/root"]}),
        json!({"where": "[\"/root\"]"}),
    ] {
        assert_eq!(opened(json!({"where": text}), place.clone()), place);
    }

    let both = json!({"filters": {"a": "/x"}, "where": {"b": "/y"}});

    assert_eq!(
        opened(json!({"filters": {}, "where": {}}), both),
        json!({"where": {"b": "/y"}})
    );

    let paged = json!({"cursor": text, "limit": {"type": "integer"}});

    assert_eq!(
        opened(paged.clone(), json!({"cursor": "/9j+4AA=", "limit": 5})),
        json!({"limit": 5})
    );

    let address = json!({"cursor": "https://a.example/?page=2"});

    assert_eq!(opened(paged, address.clone()), address);
}

#[test]
fn filters_must_be_an_object_where_a_tool_takes_json() {
    let text = json!({"type": "string"});
    let problem = |properties: &Value, arguments: Value| {
        of(properties.clone())
            .check_filters(&object(arguments))
            .err()
            .map(|error| error.to_string())
    };

    for properties in [
        json!({"filters": text}),
        json!({"where": text}),
        json!({"path": text}),
        json!({}),
    ] {
        for malformed in [
            json!("{"),
            json!("[1]"),
            json!("size > 3"),
            json!(3),
            json!([1]),
            json!(true),
            json!(" "),
        ] {
            let found = problem(&properties, json!({"filters": malformed})).unwrap_or_default();
            assert!(
                found.contains("line 1 column"),
                "{properties} {malformed}: {found}"
            );
        }
        for fine in [json!("{\"a\": 1}"), json!({"a": 1}), Value::Null] {
            assert_eq!(
                problem(&properties, json!({"filters": fine})),
                None,
                "{properties}"
            );
        }
    }

    assert_eq!(
        problem(&json!({"where": text}), json!({"where": "size > 3"})),
        None,
        "the tool's own language"
    );
    assert!(
        problem(
            &json!({"where": {"type": "object"}}),
            json!({"where": "size > 3"})
        )
        .is_some()
    );

    let list = json!({"filters": {"type": "array"}});

    assert_eq!(
        problem(&list, json!({"filters": [{"field": "a", "is": 1}]})),
        None
    );
}

#[test]
fn samples_are_asked_for_by_a_grouping_that_the_plan_itself_names() {
    let text = json!({"type": "string"});
    let tool = of(
        json!({"filters": text, "groupBy": text, "samplesPerGroup": {"type": "integer"},
            "top_n": {}}),
    );
    let sampling = |given: Value| {
        let selection = object(json!({"filters": "{}"}));
        tool.sampling(&object(given))
            .map(|sampling| Value::Object(tool.spoken(sampling.over(&selection))))
    };

    assert_eq!(
        sampling(json!({"group_by": "size", "page_size": 5})),
        Some(json!({"filters": "{}", "groupBy": "size", "samplesPerGroup": 20}))
    );
    assert_eq!(
        sampling(json!({"groupBy": "size", "samples_per_bucket": 3, "top_n": 4})),
        Some(json!({"filters": "{}", "groupBy": "size", "samplesPerGroup": 3, "top_n": 4}))
    );
    assert_eq!(sampling(json!({"filters": "{}"})), None);

    let without = of(json!({"filters": text, "group_by": text}));

    assert!(
        without
            .sampling(&object(json!({"group_by": "size"})))
            .is_none()
    );
}

#[test]
fn ways_to_sample_are_offered_by_what_the_tool_takes() {
    let tool = of(
        json!({"group_by": {}, "samples_per_bucket": {}, "seed": {}, "sort_by": {},
            "filters": {}}),
    );
    let ways = tool.ways_to_sample("t").join("\n");

    assert!(
        ["20 samples of each group", "`seed`", "`sort_by`"]
            .iter()
            .all(|word| ways.contains(word)),
        "{ways}"
    );
    assert!(of(json!({"filters": {}})).ways_to_sample("t").is_empty());
    assert!(of(json!({})).ways_to_sample("t").is_empty());

    let words = |arguments: Value| tool.order_words(&object(arguments));

    assert_eq!(
        words(json!({"seed": 7, "sort_by": ""})).as_deref(),
        Some("as drawn by `seed`")
    );
    assert_eq!(
        words(json!({"sort_by": "cost"})).as_deref(),
        Some("in the order of `sort_by`")
    );
    assert_eq!(words(json!({"filters": "{}"})), None);
}

#[test]
fn everything_that_pages_is_taken_away_under_any_name() {
    let number = json!({"type": "integer"});
    let tool =
        of(json!({"filters": {}, "skip": number, "rows": number, "pageToken": {}, "group_by": {}}));
    let given = json!({
        "filters": "{}", "skip": 4, "rows": 5, "pageToken": "x", "group_by": "a",
        "search_after": [1]
    });
    let mut arguments = object(given);
    tool.remove_places(&mut arguments);
    assert_eq!(
        Value::Object(arguments.clone()),
        json!({"filters": "{}", "rows": 5, "group_by": "a"})
    );
    tool.keep_selection(&mut arguments);
    assert_eq!(Value::Object(arguments), json!({"filters": "{}"}));
}
