//! What a composed report says and what it withholds.

use research_agents_report::claim::{Basis, Claim, Statement};
use research_agents_report::confidence::Confidence;
use research_agents_report::document::resolve_citations;
use research_agents_report::evidence::{Source, SourceRegistry};
use research_agents_report::language::Language;
use research_agents_report::text::Untrusted;
use serde_json::json;

use crate::data::record::{AggregationResult, DraftSection, SubQuestion};
use crate::found::coverage::{Ledger, QueryReport};
use crate::found::evidence::evidence_of;
use crate::report::compose::*;
use crate::report::read::JudgedBy;

fn evidence() -> Evidence {
    let mut sources = SourceRegistry::default();
    for id in ["1", "2"] {
        let text = Untrusted::new("remark: a gull was seen".to_owned());
        sources.register(Source {
            tool: "t".into(),
            record: id.into(),
            text,
            ..Source::default()
        });
    }
    evidence_of(sources, &[table()])
}

fn table() -> AggregationResult {
    serde_json::from_value(json!({
        "id": "A1", "type": "group_by", "field": "size", "total_docs": 3, "source_tool": "t",
        "buckets": [{"key": "Small", "doc_count": 2}, {"key": "Large", "doc_count": 1}]
    }))
    .unwrap()
}

fn small(number: u64) -> Statement {
    let over = Basis::Aggregation("A1".into());
    let claim = Claim::Count {
        over,
        field: "size".into(),
        value: json!("Small"),
        number,
    };
    Statement {
        text: format!("Small has {number} records."),
        claims: vec![claim],
    }
}

fn gull() -> Statement {
    let claim = Claim::Quote {
        source: "2".into(),
        text: "a gull was seen".into(),
        start: None,
    };
    Statement {
        text: "A gull was seen.".into(),
        claims: vec![claim],
    }
}

fn draft() -> ReportDraft {
    ReportDraft {
        title: "Strikes by size".into(),
        summary: vec![
            small(2),
            Statement {
                text: "All in all 77 records.".into(),
                claims: Vec::new(),
            },
        ],
        key_findings: vec![small(2), small(5), gull()],

        analysis: vec![
            DraftSection {
                question_id: "sq_1".into(),
                answered: true,
                statements: vec![small(2)],
            },
            DraftSection {
                question_id: "sq_2".into(),
                answered: true,
                statements: vec![small(9)],
            },
        ],

        conclusion: vec![gull()],
        limitations: vec![
            "Only 2 records name a place.".into(),
            "40 experts disagree.".into(),
        ],
        suggestions: vec!["Look at the place.".into()],
        confidence: 0.9,
    }
}

fn composed(format: ReportFormat, capped: bool) -> Written {
    composed_of(&draft(), format, capped)
}

fn composed_of(draft: &ReportDraft, format: ReportFormat, capped: bool) -> Written {
    composed_by(draft, format, capped, (0.97, JudgedBy::Amount))
}

fn composed_by(
    draft: &ReportDraft,
    format: ReportFormat,
    capped: bool,
    (confidence, judged_by): (f64, JudgedBy),
) -> Written {
    let question = |id: &str| SubQuestion {
        id: id.into(),
        question: format!(
            "What about {}?",
            if id == "sq_1" { "size" } else { "place" }
        ),
        priority: 1,
        depends_on: Vec::new(),
    };

    let mut ledger = Ledger::default();
    ledger.enter(&QueryReport {
        tool: "t".into(),
        total: Some(if capped { 3 } else { 2 }),
        records: vec!["1".into(), "2".into()],
        scanned: true,
        capped,
        ..QueryReport::default()
    });
    let coverage = ledger.coverage();

    let questions = [question("sq_1"), question("sq_2")];
    let context = ReportContext {
        answer: None,
        language: Language::ENGLISH,
        wanted: Language::ENGLISH,
        question: "strikes by size",
        understood: None,
        sub_questions: &questions,
        answered: vec!["sq_2".into()],
        format,
        confidence: Confidence::new(confidence),
        judged_by,
        coverage: &coverage,
        ledger: &ledger,
        aggregations: &[table()],
        limit: 2,
        notes: &["a tool failed".to_owned()],
        contradictions: &[],
        author: Some("The language model a:b drafted this report.".to_owned()),
        profile: &[],
        ranges: Vec::new(),
        filters: Vec::new(),
        fields: Vec::new(),
    };

    compose(&evidence(), &context, draft)
}

#[test]
fn what_does_not_hold_is_withheld_and_counted() {
    let written = composed(ReportFormat::ComprehensiveReport, false);
    let report = written.document.to_markdown();

    assert_eq!(
        written.key_findings,
        ["Small has 2 records.", "A gull was seen."]
    );
    assert!(
        !report.contains("has 5") && !report.contains("77 records"),
        "{report}"
    );
    assert!(
        written
            .limitations
            .iter()
            .any(|line| line.starts_with("3 drafted sentences were withheld")
                && line.contains("with a number that the evidence does not give")),
        "{:?}",
        written.limitations
    );
    assert!(!report.contains("40 experts"), "{report}");
    assert!(report.contains("Only 2 records name a place."), "{report}");
}

#[test]
fn every_citation_resolves_and_every_question_has_a_status() {
    let report = composed(ReportFormat::ComprehensiveReport, false)
        .document
        .to_markdown();
    let citations = resolve_citations(&report).unwrap();

    assert_eq!(citations.records, ["2"]);
    assert_eq!(citations.aggregations, ["A1"]);

    let analysis =
        "## Analysis\n\n1 of 2 questions is answered by the data.\n\n### What about size?\n\n";

    assert!(
        report.contains(&format!("{analysis}Small has 2 records (A1).\n")),
        "{report}"
    );
    assert!(
        report.contains("### What about place?\n\nNot answered by this data.\n"),
        "{report}"
    );

    let coverage = "Coverage: 2 of 2 records read. Confidence: 0.97 (high): a measure of how much \
        was counted, read and found.";

    assert!(report.contains(coverage), "{report}");
    assert!(report.contains("- A tool failed.\n"), "{report}");
}

#[test]
fn the_three_formats_differ_in_their_sections() {
    let headings = |format| {
        let report = composed(format, false).document.to_markdown();
        let lines = report
            .lines()
            .filter_map(|line| line.strip_prefix("## "))
            .map(str::to_owned);
        lines.collect::<Vec<_>>()
    };

    assert_eq!(
        headings(ReportFormat::ComprehensiveReport),
        [
            "Summary",
            "Key Findings",
            "Analysis",
            "Conclusion",
            "Limitations",
            "Further Research",
            "Data",
            "Sources"
        ]
    );
    assert_eq!(
        headings(ReportFormat::ExecutiveSummary),
        [
            "Summary",
            "Key Findings",
            "Questions",
            "Limitations",
            "Data",
            "Sources"
        ]
    );
    assert_eq!(
        headings(ReportFormat::BulletPoints),
        [
            "Key Findings",
            "Questions",
            "Limitations",
            "Data",
            "Sources"
        ]
    );
}

/// Returns the sub-questions of a document with their statuses.
fn statuses(document: &Report) -> Vec<(String, QuestionStatus)> {
    let parts = document
        .sections
        .iter()
        .flat_map(|section| &section.sections);
    parts
        .filter_map(|part| part.question.as_ref())
        .map(|question| (question.id.clone(), question.status))
        .collect()
}

#[test]
fn the_confidence_says_what_it_is() {
    let line = |capped, judged| {
        let report = composed_by(&draft(), ReportFormat::BulletPoints, capped, judged)
            .document
            .to_markdown();
        report
            .lines()
            .find_map(|line| line.split_once("Confidence: "))
            .unwrap()
            .1
            .to_owned()
    };
    let all = "1.00 (high): all matching records were counted and read.";
    let amount = "1.00 (high): a measure of how much was counted, read and found.";

    assert_eq!(line(false, (1.0, JudgedBy::Amount)), all);
    assert_eq!(
        line(true, (1.0, JudgedBy::Amount)),
        amount,
        "not all was read"
    );

    let review = "0.50 (medium): a review of how well the findings answer the questions.";

    assert_eq!(line(false, (0.5, JudgedBy::Review)), review);

    let estimate = "0.10 (low): an estimate, as nothing was counted or read.";

    assert_eq!(line(true, (0.1, JudgedBy::Estimate)), estimate);
}

#[test]
fn every_format_gives_each_question_its_status() {
    use QuestionStatus::{Answered, NotAnswered};

    for format in [
        ReportFormat::ComprehensiveReport,
        ReportFormat::ExecutiveSummary,
        ReportFormat::BulletPoints,
    ] {
        let document = composed(format, false).document;
        let expected = [
            ("sq_1".to_owned(), Answered),
            ("sq_2".to_owned(), NotAnswered),
        ];
        assert_eq!(
            statuses(&document),
            expected,
            "{format:?}: a checked sentence answers, another one does not"
        );
        assert_eq!(
            statuses(&Report::from_json(&document.to_json().unwrap()).unwrap()),
            expected
        );
        if format != ReportFormat::ComprehensiveReport {
            let list = "## Questions\n\n- What about size? Answered.\n- What about place? Not \
                answered by this data.\n";
            assert!(
                document.to_markdown().contains(list),
                "{}",
                document.to_markdown()
            );
            let html = document.to_html().unwrap();
            assert!(
                html.contains("<li>What about size? <span class=\"status\">Answered.</span></li>"),
                "{html}"
            );
        }
    }
}

#[test]
fn a_short_report_that_is_drafted_without_an_analysis_takes_the_statuses_from_what_was_gathered() {
    use QuestionStatus::{Answered, NotAnswered};
    let draft = ReportDraft {
        analysis: Vec::new(),
        ..draft()
    };

    for (format, second) in [
        (ReportFormat::BulletPoints, Answered),
        (ReportFormat::ComprehensiveReport, NotAnswered),
    ] {
        let document = composed_of(&draft, format, false).document;
        assert_eq!(
            statuses(&document),
            [
                ("sq_1".to_owned(), NotAnswered),
                ("sq_2".to_owned(), second)
            ],
            "{format:?}"
        );
    }
}

#[test]
fn a_short_report_counts_no_sentence_as_withheld_that_it_would_not_print() {
    let withheld = |format| {
        composed(format, false)
            .limitations
            .iter()
            .find(|line| line.contains("withheld"))
            .cloned()
    };
    assert!(
        withheld(ReportFormat::ExecutiveSummary)
            .unwrap()
            .starts_with("2 drafted")
    );
    assert!(
        withheld(ReportFormat::ComprehensiveReport)
            .unwrap()
            .starts_with("3 drafted")
    );
}

#[test]
fn a_capped_scan_is_said_beside_what_was_drawn_from_it() {
    let report = composed(ReportFormat::ComprehensiveReport, true)
        .document
        .to_markdown();
    assert!(
        report.contains("A gull was seen (among the first 2 of 3 records) [2]."),
        "{report}"
    );
    assert!(report.contains("- Small has 2 records (A1)."), "{report}");
    assert!(
        report.contains("2 of 3 records read (66.7 %), in the tool's order, scan limit 2"),
        "{report}"
    );
}
