//! What is planned in which state of a run.

use crate::data::task::{FieldFacts, FieldKind, QueryOverrides, StateSummary, ToolFacts};
use crate::offline::plan::*;

fn field(name: &str, kind: FieldKind, values: &[&str]) -> FieldFacts {
    FieldFacts {
        name: name.into(),
        kind,
        values: values.iter().map(|v| json!(v)).collect(),
        range: None,
        ..FieldFacts::default()
    }
}

fn events(arguments: &[&str]) -> ToolFacts {
    ToolFacts {
        capabilities: Vec::new(),
        name: "analyze_events".into(),
        description: "Events.".into(),
        arguments: arguments.iter().map(|&name| name.to_owned()).collect(),
        fields: vec![
            field("country", FieldKind::Text, &["India", "Brazil"]),
            field("event_theme", FieldKind::Text, &["AI", "Cloud"]),
            field("format", FieldKind::Text, &["Talk", "Workshop"]),
            field("start_date", FieldKind::Date, &[]),
            field("city", FieldKind::Text, &[]),
        ],
    }
}

fn task(tool: ToolFacts) -> PlanTask {
    let agents = ["decomposer", "aggregator", "scanner", "synthesizer"].map(|name| AgentFacts {
        name: name.into(),
        description: String::new(),
        use_when: String::new(),
        speed: String::new(),
        cost: String::new(),
        input_schema: json!({"properties": {"date_histogram": {"type": "object"}}}),
    });
    PlanTask {
        question: "India events by theme".into(),
        iteration: 1,
        max_iterations: 10,
        tools: vec![tool],
        agents: agents.to_vec(),
        ..PlanTask::default()
    }
}

#[test]
fn records_that_no_scan_will_read_are_read_before_the_report() {
    let mut task = task(events(ALL));
    task.iteration = 3;
    task.agents.push(AgentFacts {
        name: "extractor".into(),
        ..task.agents[0].clone()
    });
    task.state = StateSummary {
        total_docs: Some(165),
        docs_fetched: 20,
        unread_documents: 20,
        ..StateSummary::default()
    };

    assert_eq!(names(&plan(&task)), ["extractor"]);

    task.state.unread_documents = 0;

    assert_eq!(names(&plan(&task)), ["synthesizer"]);

    task.state = StateSummary {
        unread_documents: 20,
        needs_full_scan: true,
        ..task.state
    };

    assert_eq!(names(&plan(&task)), ["decomposer", "scanner"]);
}

const ALL: &[&str] = &["filters", "group_by", "date_histogram", "page_size"];

fn names(output: &PlannerOutput) -> Vec<&str> {
    output
        .sub_agent_calls
        .iter()
        .map(|call| call.agent.as_str())
        .collect()
}

#[test]
fn the_first_round_decomposes_aggregates_and_looks_further() {
    let output = plan(&task(events(ALL)));

    assert_eq!(names(&output), ["decomposer", "aggregator"]);
    assert_eq!(
        Value::Object(output.sub_agent_calls[1].arguments.clone()),
        json!({
            "tool_name": "analyze_events",
            "group_by": "event_theme",
            "filters": r#"{"country":"India"}"#,
            "date_histogram": {"field": "start_date", "interval": "year"},
        })
    );
    assert_eq!(
        Value::Object(output.tool_calls[0].arguments.clone()),
        json!({"filters": r#"{"country":"India"}"#, "group_by": "format", "page_size": 1})
    );
    assert!(
        output.reasoning.contains("“India” gives country = India"),
        "{}",
        output.reasoning
    );
}

#[test]
fn without_an_aggregator_the_tool_is_called_directly() {
    let mut task = task(events(&["filters", "group_by"]));
    task.agents.retain(|agent| agent.name != "aggregator");
    let output = plan(&task);
    assert_eq!(names(&output), ["decomposer"]);
    assert_eq!(
        Value::Object(output.tool_calls[0].arguments.clone()),
        json!({"filters": r#"{"country":"India"}"#, "group_by": "event_theme"})
    );
}

#[test]
fn a_tool_with_other_arguments_gets_what_it_takes() {
    let output = plan(&task(events(&["country", "limit"])));
    assert_eq!(names(&output), ["decomposer"]);
    assert_eq!(
        Value::Object(output.tool_calls[0].arguments.clone()),
        json!({"country": "India"})
    );

    let unknown = ToolFacts {
        name: "find".into(),
        arguments: vec!["query".into()],
        ..ToolFacts::default()
    };
    let output = plan(&task(unknown));
    assert_eq!(
        Value::Object(output.tool_calls[0].arguments.clone()),
        json!({"query": "India events by theme"})
    );
}

#[test]
fn unfetched_records_are_scanned_with_the_same_filters() {
    let mut task = task(events(ALL));
    task.iteration = 2;
    task.state = StateSummary {
        total_docs: Some(165),
        docs_fetched: 20,
        needs_full_scan: true,
        ..StateSummary::default()
    };
    let output = plan(&task);
    assert_eq!(names(&output), ["decomposer", "scanner"]);
    let arguments = &output.sub_agent_calls[1].arguments;
    assert_eq!(
        arguments["tool_args"],
        json!({"filters": r#"{"country":"India"}"#})
    );
    assert!(output.reasoning.contains("20 of 165"));
    let grouped: Vec<&Value> = output
        .tool_calls
        .iter()
        .map(|call| &call.arguments["group_by"])
        .collect();
    assert_eq!(grouped, ["city", "event_theme,format"]);

    task.state.aggregations = ["city", "event_theme,format"]
        .map(|field| ("A4".into(), field.into(), "analyze_events".into()))
        .to_vec();
    assert!(
        plan(&task).tool_calls.is_empty(),
        "a grouping that is known is not asked for again"
    );

    task.state.last_arguments = Some(Object::from_iter([(
        "filters".to_owned(),
        json!(r#"{"country":"Brazil"}"#),
    )]));
    let arguments = plan(&task).sub_agent_calls[1].arguments.clone();
    assert_eq!(
        arguments["tool_args"],
        json!({"filters": r#"{"country":"Brazil"}"#})
    );
}

#[test]
fn where_more_match_than_a_run_reads_each_group_is_sampled_first() {
    let mut arguments = ALL.to_vec();
    arguments.push("samples_per_bucket");
    let mut task = task(events(&arguments));
    task.iteration = 2;
    let (total_docs, max_docs) = (Some(301), 300);
    task.state = StateSummary {
        total_docs,
        max_docs,
        needs_full_scan: true,
        ..StateSummary::default()
    };
    let output = plan(&task);
    assert_eq!(names(&output), ["decomposer", "scanner", "scanner"]);
    let filters = r#"{"country":"India"}"#;
    assert_eq!(
        output.sub_agent_calls[1].arguments["tool_args"],
        json!({"filters": filters, "group_by": "event_theme", "samples_per_bucket": 20})
    );
    assert_eq!(
        output.sub_agent_calls[2].arguments["tool_args"],
        json!({"filters": filters})
    );

    // Samples of many groups leave half of the limit to the others.
    task.tools[0].fields[1].values.clear();
    assert_eq!(
        plan(&task).sub_agent_calls[1].arguments["tool_args"]["samples_per_bucket"],
        7
    );
    task.state.total_docs = Some(300);
    assert_eq!(
        names(&plan(&task)),
        ["decomposer", "scanner"],
        "all of them can be read"
    );
    task.state.total_docs = Some(301);
    task.tools[0].arguments.pop();
    assert_eq!(
        names(&plan(&task)),
        ["decomposer", "scanner"],
        "the tool gives no samples"
    );
}

#[test]
fn the_report_is_written_when_nothing_is_left() {
    let mut task = task(events(ALL));
    task.iteration = 3;
    task.state = StateSummary {
        total_docs: Some(165),
        docs_fetched: 165,
        ..StateSummary::default()
    };
    assert_eq!(names(&plan(&task)), ["synthesizer"]);
    task.state = StateSummary {
        total_docs: Some(0),
        needs_full_scan: true,
        ..StateSummary::default()
    };
    task.iteration = 2;
    assert_eq!(names(&plan(&task)), ["synthesizer"]);
    task.tools.clear();
    assert_eq!(names(&plan(&task)), ["synthesizer"]);
}

#[test]
fn a_first_call_that_failed_is_followed_by_one_plain_scan() {
    let mut task = task(events(ALL));
    task.iteration = 2;
    assert_eq!(names(&plan(&task)), ["decomposer", "scanner"]);
    task.iteration = 3;
    assert_eq!(names(&plan(&task)), ["synthesizer"]);
}

#[test]
fn what_the_user_fixed_is_planned_and_nothing_beside_it() {
    let mut task = task(events(ALL));
    let filters = Object::from_iter([("format".to_owned(), json!("Talk"))]);
    task.overrides = QueryOverrides {
        filters: Some(filters),
        group_by: Some(vec!["country".into(), "format".into()]),
    };
    let output = plan(&task);
    let arguments = &output.sub_agent_calls[1].arguments;
    assert_eq!(
        (&arguments["group_by"], &arguments["filters"]),
        (&json!("country,format"), &json!(r#"{"format":"Talk"}"#))
    );
    assert!(output.tool_calls.is_empty());
}

#[test]
fn the_tool_that_understands_most_is_asked() {
    let mut task = task(events(ALL));
    task.tools.insert(
        0,
        ToolFacts {
            name: "weather".into(),
            arguments: vec!["filters".into()],
            fields: vec![field("rain", FieldKind::Number, &[])],
            ..ToolFacts::default()
        },
    );
    assert_eq!(
        plan(&task).sub_agent_calls[1].arguments["tool_name"],
        json!("analyze_events")
    );
}
