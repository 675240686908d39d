//! Merging: every field, in the order of the plan, without counting twice.

use research_agents_report::claim::{Basis, Claim};
use research_agents_report::evidence::Source;
use research_agents_runtime::error::ErrorCategory;
use serde_json::json;

use crate::data::call::CallError;
use crate::data::record::{Finding, Object, Strength, SubAgentCall};
use crate::found::coverage::QueryReport;
use crate::graph::merge::*;

fn agent(name: &str, contribution: Contribution) -> CallOutcome {
    let call = SubAgentCall {
        id: name.into(),
        agent: name.into(),
        arguments: Object::new(),
        depends_on: Vec::new(),
    };
    CallOutcome {
        call: Call::Agent(call),
        elapsed_ms: 0,
        fetched_data: true,
        contribution: Box::new(contribution),
        error: None,
    }
}

fn merged(outcomes: &[CallOutcome]) -> (DatasetState, News) {
    let mut state = DatasetState::default();
    let mut news = News::default();
    outcomes
        .iter()
        .for_each(|outcome| merge_outcome(&mut state, outcome, 300, &mut news));
    count_batches(&mut state, news.single_reads);
    (state, news)
}

fn source(tool: &str, record: &str) -> Source {
    Source {
        id: record.into(),
        tool: tool.into(),
        record: record.into(),
        ..Source::default()
    }
}

fn finding(claim: &str, doc: &str) -> Finding {
    Finding {
        id: String::new(),
        claim: claim.into(),
        evidence: vec![Claim::Quote {
            source: doc.into(),
            text: "x".into(),
            start: None,
        }],
        evidence_count: 1,
        doc_ids: vec![doc.into()],
        confidence: Strength::Medium,
        relevant_questions: Vec::new(),
        themes: Vec::new(),
    }
}

fn table(field: &str, count: u64) -> AggregationResult {
    serde_json::from_value(json!({
        "id": "A1", "type": "group_by", "field": field, "total_docs": count, "source_tool": "t",
        "buckets": [{"key": "AI", "doc_count": count}]
    }))
    .unwrap()
}

#[test]
fn two_tools_with_the_same_record_id_keep_their_findings_apart() {
    let part = |tool: &str, claim: &str| Contribution {
        sources: vec![source(tool, "7")],
        findings: vec![finding(claim, "7")],
        batch_findings: vec![1],
        ..Contribution::default()
    };
    let (state, _) = merged(&[
        agent("a", part("events", "one")),
        agent("b", part("reports", "two")),
    ]);

    assert!(
        ["7", "reports:7"].into_iter().eq(state
            .extracted_sources
            .iter()
            .map(|source| source.id.as_str()))
    );
    assert_eq!(state.findings[0].doc_ids, ["7"]);
    assert_eq!(state.findings[1].doc_ids, ["reports:7"]);
    let quoted = &state.findings[1].evidence[0];
    assert!(matches!(quoted, Claim::Quote { source, .. } if source == "reports:7"));
}

#[test]
fn aggregations_are_numbered_and_insights_follow() {
    let insight = |id: &str| Statement {
        text: "50 match.".into(),
        claims: vec![Claim::Total {
            over: Basis::Aggregation(id.into()),
            number: 50,
        }],
    };
    let part = |field: &str| Contribution {
        results: vec![table(field, 50)],
        insights: vec![insight("A1")],
        ..Contribution::default()
    };
    let (state, news) = merged(&[
        agent("a", part("theme")),
        agent("b", part("country")),
        agent("c", part("theme")),
    ]);
    let ids: Vec<&str> = state
        .aggregation_results
        .iter()
        .map(|table| table.id.as_str())
        .collect();

    assert_eq!(ids, ["A1", "A2"]);
    assert_eq!(
        state.insights,
        [insight("A1"), insight("A2"), insight("A1")]
    );
    assert_eq!(news.aggregations.len(), 2);
}

fn histogram(interval: &str, counts: &[u64]) -> AggregationResult {
    let bucket = |(at, count): (usize, &u64)| json!({"key": format!("g{at}"), "doc_count": count});
    let buckets: Vec<_> = counts.iter().enumerate().map(bucket).collect();
    serde_json::from_value(json!({
        "id": "A1", "type": "date_histogram", "field": "day", "interval": interval,
        "total_docs": 10, "source_tool": "t",
        "buckets": buckets
    }))
    .unwrap()
}

#[test]
fn aggregations_of_other_intervals_are_two_and_a_part_of_the_groups_takes_no_place() {
    let part = |table: AggregationResult| {
        agent(
            "a",
            Contribution {
                results: vec![table],
                ..Contribution::default()
            },
        )
    };
    let (years, months) = (histogram("year", &[6, 4]), histogram("month", &[5, 3, 2]));
    let fewer = histogram("month", &[5, 3]);
    let (state, news) = merged(&[part(years.clone()), part(months.clone()), part(fewer)]);
    let named = |table: &AggregationResult, id: &str| AggregationResult {
        id: id.into(),
        ..table.clone()
    };
    assert_eq!(
        state.aggregation_results,
        [named(&years, "A1"), named(&months, "A2")]
    );
    assert_eq!(news.aggregations, state.aggregation_results);

    // Newer counts replace older ones, and are reported.
    let newer = AggregationResult {
        total_docs: 11,
        ..histogram("year", &[7])
    };
    let (state, news) = merged(&[
        part(years.clone()),
        part(newer.clone()),
        part(newer.clone()),
    ]);
    assert_eq!(state.aggregation_results, [named(&newer, "A1")]);
    assert_eq!(news.aggregations, [years, newer]);
}

#[test]
fn records_that_came_twice_are_one_source_and_count_once() {
    let query = |records: std::ops::Range<u32>| QueryReport {
        tool: "t".into(),
        total: Some(30),
        records: records.map(|id| id.to_string()).collect(),
        ..QueryReport::default()
    };
    let part = |range: std::ops::Range<u32>| Contribution {
        sources: range
            .clone()
            .map(|id| source("t", &id.to_string()))
            .collect(),
        queries: vec![query(range)],
        ..Contribution::default()
    };
    let (state, _) = merged(&[agent("a", part(0..20)), agent("b", part(0..30))]);
    assert_eq!(state.extracted_sources.len(), 30);
    assert_eq!(state.coverage().fetched, 30);
}

#[test]
fn batches_without_news_are_counted_and_a_new_finding_resets_the_count() {
    let batches = |batches: &[usize]| Contribution {
        batch_findings: batches.to_vec(),
        ..Contribution::default()
    };

    assert_eq!(
        merged(&[agent("a", batches(&[0, 0]))])
            .0
            .batches_with_no_new_findings,
        2
    );
    assert_eq!(
        merged(&[agent("a", batches(&[0, 2, 0]))])
            .0
            .batches_with_no_new_findings,
        1
    );

    let calls = [
        agent("aggregator", batches(&[])),
        agent("aggregator", batches(&[])),
    ];

    assert_eq!(
        merged(&calls).0.batches_with_no_new_findings,
        1,
        "calls of one step that read in one go are one batch"
    );

    let mut thinking = agent("decomposer", batches(&[]));
    thinking.fetched_data = false;

    assert_eq!(
        merged(&[thinking.clone(), thinking.clone(), thinking])
            .0
            .batches_with_no_new_findings,
        0
    );
}

#[test]
fn a_failed_scan_is_noted_and_not_wanted_again() {
    let (state, news) = merged(&[unread("t"), failed_scan("t", ErrorCategory::Connection)]);
    assert!(state.ledger.wanting().is_none());
    assert_eq!(
        news.notes,
        [Note::own("it broke off").in_full("server died: 999 lost")]
    );
    assert_eq!(
        state.coverage().stopped_early.as_deref(),
        Some("it broke off"),
        "without a word of the server"
    );
    assert_eq!(news.completed.len(), 2);
}

fn failed_scan(tool: &str, category: ErrorCategory) -> CallOutcome {
    let mut failed = agent("scanner", Contribution::default());
    let Call::Agent(call) = &mut failed.call else {
        unreachable!()
    };
    call.arguments.insert("tool_name".into(), json!(tool));
    failed.error = Some(CallError {
        category,
        message: "server died: 999 lost".into(),
        told: "it broke off".into(),
        is_invalid: false,
    });
    failed
}

fn unread(tool: &str) -> CallOutcome {
    let query = QueryReport {
        tool: tool.into(),
        total: Some(9),
        ..QueryReport::default()
    };
    agent(
        "aggregator",
        Contribution {
            queries: vec![query],
            ..Contribution::default()
        },
    )
}

#[test]
fn a_failed_scan_of_one_tool_leaves_the_records_of_another_to_be_read() {
    let (state, _) = merged(&[
        unread("a"),
        unread("b"),
        failed_scan("b", ErrorCategory::Connection),
    ]);
    assert_eq!(state.ledger.wanting().unwrap().tool, "a");
    let reasons: Vec<Option<&str>> = state
        .ledger
        .main()
        .iter()
        .map(|scope| scope.stopped_early.as_deref())
        .collect();
    assert_eq!(reasons, [None, Some("it broke off")]);
}

#[test]
fn a_scan_that_could_not_begin_or_was_for_other_records_leaves_the_scope_open() {
    let mut invalid = failed_scan("a", ErrorCategory::SubAgentError);
    invalid.error.as_mut().unwrap().is_invalid = true;
    let (mut state, _) = merged(&[unread("a")]);
    let mut news = News::default();
    merge_outcome(&mut state, &invalid, 300, &mut news);

    assert!(state.ledger.wanting().is_some());
    assert_eq!(
        news.single_reads, None,
        "it is no batch that brought nothing"
    );

    let mut narrow = failed_scan("a", ErrorCategory::McpToolError);
    let Call::Agent(call) = &mut narrow.call else {
        unreachable!()
    };
    call.arguments.insert(
        "tool_args".into(),
        json!({"filters": "{\"country\": \"Peru\"}"}),
    );

    assert!(
        merged(&[unread("a"), narrow.clone()])
            .0
            .ledger
            .wanting()
            .is_some(),
        "the tool refused other filters"
    );

    narrow.error.as_mut().unwrap().category = ErrorCategory::Timeout;

    assert!(
        merged(&[unread("a"), narrow]).0.ledger.wanting().is_none(),
        "the tool does not answer at all"
    );
}

#[test]
fn another_checklist_forgets_what_was_said_of_the_questions_before() {
    let asked = |question: &str| SubQuestion {
        id: "sq_1".into(),
        question: question.into(),
        priority: 1,
        depends_on: Vec::new(),
    };
    let output =
        json!({"status": "PASSED", "overall_confidence": 0.9, "confidence_scores": {"sq_1": 0.9}});
    let (mut state, _) = merged(&[agent("validator", Contribution::from_output(&output))]);
    state.sub_questions = vec![asked("Which theme leads?")];
    state.findings = vec![Finding {
        relevant_questions: vec!["sq_1".into()],
        ..finding("one", "1")
    }];
    forget_checklist(&mut state, &[asked("which theme leads? ")]);

    assert!(state.confidence_is_validated, "it asks the same");
    assert_eq!(state.findings[0].relevant_questions, ["sq_1"]);

    forget_checklist(&mut state, &[asked("Which year?")]);

    assert!(!state.confidence_is_validated && state.question_confidence.is_empty());
    assert_eq!(state.validation_status, None);
    assert!(state.findings[0].relevant_questions.is_empty());
}

#[test]
fn an_agent_of_the_host_can_validate() {
    let output = json!({
        "status": "PASSED", "overall_confidence": 0.85, "issues": [],
        "confidence_scores": {"sq_1": 0.9}
    });
    let (state, _) = merged(&[agent("validator", Contribution::from_output(&output))]);
    assert_eq!(state.overall_confidence, 0.85);
    assert!(state.confidence_is_validated);
    assert_eq!(state.question_confidence["sq_1"], 0.9);
}
