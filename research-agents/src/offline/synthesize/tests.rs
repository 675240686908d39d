//! Drafts over a small data source: every sentence must pass the checker, whatever was gathered.

use super::*;
use crate::dataset::record::SubQuestion;
use crate::kernel::claim::Basis;
use crate::offline::fixture::Fixture;

#[track_caller]
fn check(fixture: &Fixture, draft: &ReportDraft) {
    fixture.check(&draft.summary);
    fixture.check(&draft.key_findings);
    fixture.check(&draft.conclusion);
    draft.analysis.iter().for_each(|section| fixture.check(&section.statements));
}

fn texts(statements: &[Statement]) -> Vec<&str> {
    statements.iter().map(|statement| statement.text.as_str()).collect()
}

#[test]
fn a_full_report_answers_every_question_from_the_data() {
    let fixture = Fixture::sightings(120, 120);
    let task = fixture.synthesize();
    let draft = synthesize(&task);
    check(&fixture, &draft);
    assert_eq!(draft.title, "Sightings by size");
    assert_eq!(
        texts(&draft.summary),
        [
            "120 records match Kind = Sighting.",
            "By Size, 120 records divide into Small with 60 (50.0 %), Medium with 40 (33.3 %) and Large with 20 (16.7 %).",
            "Over Day, the highest number is 30 of 120 records (25.0 %), first reached in 1990.",
        ]
    );
    assert_eq!(draft.analysis.len(), task.sub_questions.len());
    for (section, question) in draft.analysis.iter().zip(&task.sub_questions) {
        assert_eq!(section.question_id, question.id);
        assert!(section.answered, "{question:?}");
    }
    assert!((3..=8).contains(&draft.key_findings.len()), "{:?}", draft.key_findings);
    assert!(
        draft.key_findings.iter().any(|finding| finding.claims.iter().any(|c| matches!(c, Claim::Statistic { .. })))
    );
    assert!(draft.limitations[0].contains("No language model was used"));
    assert!(draft.limitations.iter().any(|limit| limit.contains("State in 18")), "{:?}", draft.limitations);
    assert!(draft.suggestions.iter().any(|next| next.contains("Species")), "{:?}", draft.suggestions);
    assert_eq!(draft.confidence, 1.0);
}

#[test]
fn a_quantity_is_answered_by_range_middle_and_mean() {
    let fixture = Fixture::sightings(60, 60);
    let mut task = fixture.synthesize();
    let ask = |id: &str, question: &str| SubQuestion {
        id: id.into(),
        question: question.into(),
        priority: 1,
        depends_on: vec![],
    };
    task.sub_questions = vec![ask("sq_1", "What range does Height have?"), ask("sq_99", "Which owner is happiest?")];
    let draft = synthesize(&task);
    check(&fixture, &draft);
    assert_eq!(
        texts(&draft.analysis[0].statements)[0],
        "Height lies between 10.5 and 22.5; its median is 16 and its mean 16.17."
    );
    assert!(!draft.analysis[1].answered && draft.analysis[1].statements.is_empty(), "{:?}", draft.analysis[1]);
}

#[test]
fn a_capped_reading_speaks_of_what_was_read_and_counts_over_all() {
    let fixture = Fixture::sightings(400, 90);
    let draft = synthesize(&fixture.synthesize());
    check(&fixture, &draft);
    assert_eq!(draft.summary[0].text, "400 records match Kind = Sighting.");
    assert!(draft.suggestions[0].starts_with("Narrow the question"));
    assert!((0.5..0.7).contains(&draft.confidence));
}

#[test]
fn no_record_gives_a_report_that_says_so() {
    let mut fixture = Fixture::sightings(6, 6);
    fixture.rows.clear();
    fixture.read = 0;
    let mut task = fixture.synthesize();
    task.sub_questions = vec![SubQuestion {
        id: "sq_1".into(),
        question: "How many sightings match?".into(),
        priority: 1,
        depends_on: vec![],
    }];
    let draft = synthesize(&task);
    check(&fixture, &draft);
    assert_eq!(texts(&draft.key_findings), ["No record matches Kind = Sighting."]);
    assert!(draft.analysis[0].answered);
    assert_eq!(draft.suggestions, ["Ask again without the condition Kind = Sighting."]);
}

#[test]
fn without_aggregations_the_records_read_carry_the_report() {
    let fixture = Fixture::sightings(50, 50);
    let mut task = fixture.synthesize();
    task.aggregations.clear();
    task.insights.clear();
    let draft = synthesize(&task);
    check(&fixture, &draft);
    assert_eq!(draft.summary[0].claims, [Claim::Total { over: Basis::Records, number: 50 }]);
    assert!(draft.analysis.iter().filter(|section| section.answered).count() >= 4, "{:?}", draft.analysis);
    task.coverage.total = None;
    task.coverage.fraction = None;
    let draft = synthesize(&task);
    check(&fixture, &draft);
    assert_eq!(draft.summary[0].text, "50 records were read.");
}

#[test]
fn the_three_formats_differ() {
    let fixture = Fixture::sightings(60, 60);
    let mut task = fixture.synthesize();
    task.format = ReportFormat::ExecutiveSummary;
    let executive = synthesize(&task);
    assert!(executive.analysis.is_empty() && !executive.summary.is_empty() && executive.key_findings.len() <= 5);
    task.format = ReportFormat::BulletPoints;
    let bullets = synthesize(&task);
    assert!(bullets.summary.is_empty() && bullets.conclusion.is_empty() && bullets.key_findings.len() > 3);
}

#[test]
fn how_many_is_answered_with_the_number_whatever_the_condition_is_called() {
    let fixture = Fixture::sightings(60, 60);
    let mut task = fixture.synthesize();
    task.sub_questions = vec![SubQuestion {
        id: "sq_1".into(),
        question: "How many sightings match Time of day = Night?".into(),
        priority: 1,
        depends_on: vec![],
    }];
    let draft = synthesize(&task);
    assert!(draft.analysis[0].statements[0].text.starts_with("60 records match"), "{:?}", draft.analysis);
}

#[test]
fn a_condition_of_the_question_that_did_not_filter_is_named() {
    let fixture = Fixture::sightings(60, 60);
    let mut task = fixture.synthesize();
    let names =
        |draft: &ReportDraft| draft.limitations.iter().any(|limit| limit.contains("can be read as Size = Small"));
    assert!(!names(&synthesize(&task)), "the question groups by size");
    task.query = "Small sightings by state".into();
    assert!(names(&synthesize(&task)), "{:?}", synthesize(&task).limitations);
    task.filters.insert("Size".into(), "Small".into());
    assert!(!names(&synthesize(&task)), "it was a filter");
}

#[test]
fn words_that_filtered_are_not_said_to_have_had_no_effect() {
    let fixture = Fixture::sightings(60, 60);
    let mut task = fixture.synthesize();
    task.query = "Raptor sightings by size".into();
    let said = |task: &SynthesizeTask| {
        let limits = synthesize(task).limitations;
        limits.into_iter().find(|limit| limit.contains("had no effect")).unwrap_or_default()
    };
    assert!(said(&task).contains("Raptor"), "{}", said(&task));
    task.filters.insert("Species".into(), serde_json::json!(["Diurnal raptor", "Night raptor"]));
    assert!(!said(&task).contains("Raptor"), "{}", said(&task));
}
