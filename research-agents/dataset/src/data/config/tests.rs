//! The defaults and limits of the dataset agent, all in one table; and those of its sub-agents,
//! which must be the same.

use research_mcp::Tool;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::agents::aggregator::AggregatorInput;
use crate::agents::decomposer::DecomposerInput;
use crate::agents::extractor::ExtractorInput;
use crate::agents::gap_analyzer::GapAnalyzerInput;
use crate::agents::perspective::PerspectiveInput;
use crate::agents::scanner::{ScannerInput, max_batches};
use crate::agents::synthesizer::SynthesizerInput;
use crate::agents::validator::ValidatorInput;
use crate::data::config::*;
use crate::data::record::Object;
use crate::data::review::{PERSPECTIVES, ValidationCheck};
use crate::tools::dialect::ToolArguments;
use research_agents_runtime::limits::{REDUCTION_FACTOR as FACTOR, RetryPolicy};

/// Returns what an agent understands by these arguments.
fn given<T: DeserializeOwned>(arguments: Value) -> T {
    serde_json::from_value(arguments).unwrap()
}

/// Returns what a tool that can give samples of groups is asked for when the plan names a grouping
/// alone.
fn sampled() -> Value {
    let schema = json!({"properties": {"group_by": {}, "samples_per_bucket": {"type": "integer"}}});
    let tool = Tool::new("s", "t", schema.as_object().unwrap().clone());
    let plan = json!({"group_by": "size"});
    let sampling = ToolArguments::of(Some(&tool))
        .sampling(plan.as_object().unwrap())
        .unwrap();
    sampling.over(&Object::new())["samples_per_bucket"].clone()
}

#[test]
fn every_default_and_limit_has_its_documented_value() {
    let config = DatasetConfig::default();
    let (review, weights, retry) = (&config.review, config.confidence_weights, config.retry);
    let formats = [
        ReportFormat::ComprehensiveReport,
        ReportFormat::ExecutiveSummary,
        ReportFormat::BulletPoints,
    ];
    let range = |range: std::ops::RangeInclusive<usize>| json!([range.start(), range.end()]);
    let rows: &[(&str, Value, Value)] = &[
        ("max_iterations", json!(config.max_iterations), json!(10)),
        (
            "completion_confidence",
            json!(config.completion_confidence),
            json!(0.7),
        ),
        (
            "no_new_findings_batches",
            json!(config.no_new_findings_batches),
            json!(3),
        ),
        ("exhaustive", json!(config.exhaustive), json!(false)),
        ("max_questions", json!(config.max_questions), json!(7)),
        (
            "sub-questions that can be asked for",
            range(MIN_QUESTIONS..=MAX_QUESTIONS),
            json!([3, 7]),
        ),
        ("review.perspectives", json!(review.perspectives), json!(3)),
        (
            "points of view that can be asked for",
            range(PERSPECTIVES),
            json!([1, 8]),
        ),
        ("top_n", json!(config.top_n), json!(20)),
        (
            "samples_per_bucket",
            json!(config.samples_per_bucket),
            json!(0),
        ),
        ("insights", range(INSIGHTS), json!([3, 5])),
        ("batch_size", json!(config.batch_size), json!(75)),
        ("max_docs", json!(config.max_docs), json!(300)),
        ("MAX_DOCS_LIMIT", json!(MAX_DOCS_LIMIT), json!(300)),
        (
            "most batches",
            json!(max_batches(None, config.batch_size, config.max_docs)),
            json!(4),
        ),
        ("page_size_cap", json!(config.page_size_cap), json!(100)),
        ("samples of each group of a scan", sampled(), json!(20)),
        (
            "max_findings_per_doc",
            json!(config.max_findings_per_doc),
            json!(3),
        ),
        ("review.min_sources", json!(review.min_sources), json!(3)),
        (
            "validation_checks",
            json!(ValidationCheck::ALL),
            json!([
                "contradiction",
                "coverage",
                "evidence_strength",
                "relevance"
            ]),
        ),
        (
            "review.answered_threshold",
            json!(review.answered_threshold),
            json!(0.7),
        ),
        (
            "review.recent_batches",
            json!(review.recent_batches),
            json!(3),
        ),
        (
            "review.few_new_findings",
            json!(review.few_new_findings),
            json!(1),
        ),
        (
            "format",
            json!(config.format),
            json!("comprehensive_report"),
        ),
        (
            "formats",
            json!(formats),
            json!(["comprehensive_report", "executive_summary", "bullet_points"]),
        ),
        ("parallel_calls", json!(config.parallel_calls), json!(5)),
        ("retry factor", json!(FACTOR), json!(2)),
        ("retry.retries", json!(retry.retries), json!(2)),
        (
            "retry.first_wait",
            json!(retry.first_wait.as_secs_f64()),
            json!(1.0),
        ),
        (
            "confidence_weights",
            json!([
                weights.aggregations,
                weights.findings,
                weights.coverage,
                weights.all_fetched
            ]),
            json!([0.3, 0.2, 0.3, 0.2]),
        ),
        (
            "clarification",
            json!(config.clarification),
            json!(ClarificationPolicy::Assume),
        ),
        (
            "max_clarifications",
            json!(config.max_clarifications),
            json!(1),
        ),
        (
            "questions to the user that can be allowed",
            json!(MAX_CLARIFICATIONS),
            json!(3),
        ),
        ("policy", json!(config.policy), json!(null)),
    ];

    for (key, actual, stated) in rows {
        assert_eq!(actual, stated, "{key}");
    }

    assert_eq!(
        (config.retry, config.budget),
        (RetryPolicy::default(), BudgetLimits::default())
    );

    config.validate().unwrap();
}

#[test]
fn an_agent_that_is_called_with_the_least_does_what_the_settings_say() {
    let config = DatasetConfig::default();
    let review = &config.review;

    let decomposer: DecomposerInput = given(json!({"query": "q"}));
    assert_eq!(decomposer.max_questions, config.max_questions);
    let perspective: PerspectiveInput = given(json!({"topic": "t"}));
    assert_eq!(
        (perspective.num_perspectives, perspective.domain),
        (review.perspectives, None)
    );
    let aggregator: AggregatorInput = given(json!({}));
    let counted = (aggregator.top_n, aggregator.samples_per_bucket);
    assert_eq!(counted, (config.top_n, config.samples_per_bucket));
    let scanner: ScannerInput = given(json!({}));
    assert_eq!(
        (scanner.batch_size, scanner.max_batches),
        (config.batch_size, None)
    );
    let extractor: ExtractorInput = given(json!({}));
    assert_eq!(extractor.max_findings_per_doc, config.max_findings_per_doc);
    let validator: ValidatorInput = given(json!({"original_query": "q"}));
    assert_eq!(validator.validation_checks, ValidationCheck::ALL);
    let analyzer: GapAnalyzerInput = given(json!({"original_query": "q"}));
    assert_eq!(
        (analyzer.docs_processed, analyzer.total_docs_available),
        (0, None)
    );
    let synthesizer: SynthesizerInput = given(json!({"original_query": "q"}));
    assert_eq!(synthesizer.format, config.format);
}

#[test]
fn settings_out_of_range_are_named() {
    type Change = fn(&mut DatasetConfig);
    let refused: &[(&str, Change)] = &[
        ("`max_iterations` must be at least 1", |config| {
            config.max_iterations = 0
        }),
        ("`no_new_findings_batches` must be at least 1", |config| {
            config.no_new_findings_batches = 0
        }),
        ("`completion_confidence` must be 0 to 1", |config| {
            config.completion_confidence = 1.1
        }),
        ("`completion_confidence` must be 0 to 1", |config| {
            config.completion_confidence = -0.1
        }),
        ("`max_questions` must be 3 to 7", |config| {
            config.max_questions = 2
        }),
        ("`max_questions` must be 3 to 7", |config| {
            config.max_questions = 8
        }),
        ("`review.perspectives` must be 1 to 8", |config| {
            config.review.perspectives = 0
        }),
        ("`review.perspectives` must be 1 to 8", |config| {
            config.review.perspectives = 9
        }),
        ("`review.answered_threshold` must be 0 to 1", |config| {
            config.review.answered_threshold = 1.1
        }),
        ("`review.recent_batches` must be at least 1", |config| {
            config.review.recent_batches = 0
        }),
        ("`top_n` must be at least 1", |config| config.top_n = 0),
        ("`batch_size` must be at least 1", |config| {
            config.batch_size = 0
        }),
        ("`page_size_cap` must be at least 1", |config| {
            config.page_size_cap = 0
        }),
        ("`max_docs` must be 1 to 300", |config| config.max_docs = 0),
        ("`max_docs` must be 1 to 300", |config| {
            config.max_docs = 301
        }),
        ("`max_findings_per_doc` must be at least 1", |config| {
            config.max_findings_per_doc = 0
        }),
        ("`parallel_calls` must be at least 1", |config| {
            config.parallel_calls = 0
        }),
        ("`parallel_extractions` must be at least 1", |config| {
            config.parallel_extractions = 0
        }),
        ("`extraction_tokens` must be at least 1", |config| {
            config.extraction_tokens = 0
        }),
        ("`max_clarifications` must be 0 to 3", |config| {
            config.max_clarifications = 4
        }),
        ("`budget` allows no call", |config| {
            config.budget = BudgetLimits::default().calls(0)
        }),
        ("`retry.jitter` must be 0 to 1", |config| {
            config.retry.jitter = 1.1
        }),
    ];

    for (problem, change) in refused {
        let mut config = DatasetConfig::default();
        change(&mut config);
        assert_eq!(config.validate().unwrap_err().to_string(), *problem);
    }

    let mut config = DatasetConfig {
        samples_per_bucket: 0,
        max_clarifications: 0,
        ..DatasetConfig::default()
    };
    for ends in [(3, 1, 1), (7, 8, 300)] {
        (
            config.max_questions,
            config.review.perspectives,
            config.max_docs,
        ) = ends;
        config.validate().unwrap();
    }
}
