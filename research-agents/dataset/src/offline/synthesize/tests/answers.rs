//! How a report answers the question and its sub-questions.

use crate::offline::synthesize::tests::*;

#[test]
fn a_full_report_answers_every_question_from_the_data() {
    let fixture = Fixture::sightings(120, 120);
    let task = fixture.synthesize();
    let draft = synthesize(&task);
    check(&fixture, &draft);
    assert_eq!(draft.title, "Sightings by size: Small most frequent");
    assert_eq!(
        texts(&draft.summary)[0],
        "Of the 120 records with Kind Sighting, Size is Small in 60 (50.0 %), Medium in 40 \
         (33.3 %) and Large in 20 (16.7 %)."
    );

    let said = || {
        draft
            .summary
            .iter()
            .chain(&draft.key_findings)
            .map(|statement| &statement.text)
    };

    assert_eq!(
        said().collect::<std::collections::BTreeSet<_>>().len(),
        said().count(),
        "nothing is said twice"
    );
    assert_eq!(draft.analysis.len(), task.sub_questions.len());

    for (section, question) in draft.analysis.iter().zip(&task.sub_questions) {
        assert_eq!(section.question_id, question.id);
        assert!(section.answered, "{question:?}");
    }

    assert!(
        (3..=8).contains(&draft.key_findings.len()),
        "{:?}",
        draft.key_findings
    );

    let statistics = draft
        .summary
        .iter()
        .chain(&draft.key_findings)
        .flat_map(|finding| &finding.claims);

    assert!(
        statistics
            .into_iter()
            .any(|claim| matches!(claim, Claim::Statistic { .. })),
        "{:?}",
        draft.key_findings
    );
    assert!(draft.limitations[0].contains("No language model was used"));
    assert!(
        draft
            .limitations
            .iter()
            .any(|limit| limit.contains("State in 18")),
        "{:?}",
        draft.limitations
    );
    assert!(
        draft
            .suggestions
            .iter()
            .any(|next| next.contains("Species")),
        "{:?}",
        draft.suggestions
    );
    assert_eq!(draft.confidence, 1.0);
}

#[test]
fn a_division_is_complete_and_its_values_are_told_from_the_words_around_them() {
    let mut fixture = Fixture::sightings(120, 120);
    for (at, row) in fixture.rows.iter_mut().enumerate() {
        row.insert(
            "State".into(),
            [json!("None"), json!("."), Value::Null, json!("Ohio, north")][at % 16 % 5 % 4].clone(),
        );
    }
    let mut task = fixture.synthesize();
    task.sub_questions.truncate(1);
    task.sub_questions[0].question = "How are the sightings distributed by State?".into();
    let draft = synthesize(&task);
    check(&fixture, &draft);
    let said = texts(&draft.analysis[0].statements).join(" ");
    for part in ["“None”", "“.”", "“Ohio, north”", "State is not given in "] {
        assert!(said.contains(part), "{part}: {said}");
    }
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
    task.sub_questions = vec![
        ask("sq_1", "What range does Height have?"),
        ask("sq_99", "Which owner is happiest?"),
    ];

    let draft = synthesize(&task);

    check(&fixture, &draft);
    assert_eq!(
        texts(&draft.analysis[0].statements)[0],
        "Height lies between 10.5 and 22.5; its median is 16 and its mean 16.17."
    );
    assert!(
        !draft.analysis[1].answered && draft.analysis[1].statements.is_empty(),
        "{:?}",
        draft.analysis[1]
    );
}

#[test]
fn a_capped_reading_speaks_of_what_was_read_and_counts_over_all() {
    let fixture = Fixture::sightings(400, 90);
    let draft = synthesize(&fixture.synthesize());
    check(&fixture, &draft);
    assert!(
        draft.summary[0]
            .text
            .contains("Of the 400 records with Kind Sighting, Size is Small in 201 (50.2 %)"),
        "{}",
        draft.summary[0].text
    );
    assert!(draft.suggestions[0].starts_with("Narrow the question"));
    assert!((0.5..0.7).contains(&draft.confidence));
}

#[test]
fn the_conclusion_joins_answer_and_coverage_and_the_analysis_repeats_nothing_beside_what_is_new() {
    let conclusion = |fixture: &Fixture, task: &SynthesizeTask| {
        let draft = synthesize(task);
        check(fixture, &draft);
        texts(&draft.conclusion).join(" ")
    };
    let fixture = Fixture::sightings(120, 120);
    let mut task = fixture.synthesize();
    let said = conclusion(&fixture, &task);

    assert_eq!(
        said,
        "All 120 matching records were read: the most frequent Size is Small, in 60 of them \
         (50.0 %)."
    );

    let draft = synthesize(&task);
    let mut said = texts(&draft.summary);

    for section in &draft.analysis {
        let own = texts(&section.statements);
        let repeated = own.iter().filter(|text| said.contains(text)).count();
        assert!(repeated == 0 || repeated == own.len(), "{own:?}");
        said.extend(own);
    }

    let capped = Fixture::sightings(400, 90);
    let said = conclusion(&capped, &capped.synthesize());

    assert_eq!(
        said,
        "Counted over all 400 matching records, Size is Small in most of them, 201 (50.2 %)."
    );

    task.query = "How did the sightings develop over time?".into();
    let said = conclusion(&fixture, &task);

    assert!(
        said.starts_with("All 120 matching records were read"),
        "{said}"
    );
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
    assert_eq!(
        texts(&draft.key_findings),
        ["No record matches Kind Sighting."]
    );
    assert!(draft.analysis[0].answered);
    assert_eq!(draft.title, "Sightings by size: none found");
    assert_eq!(
        draft.suggestions,
        ["Ask again without the condition Kind Sighting."]
    );

    task.fields = Fixture::sightings(6, 6).tool().fields;
    let suggestions = synthesize(&task).suggestions;

    assert!(
        suggestions[1].starts_with("The data can be filtered and grouped by ")
            && suggestions[1].contains("Species")
    );
}

#[test]
fn without_aggregations_the_records_read_carry_the_report() {
    let fixture = Fixture::sightings(50, 50);
    let mut task = fixture.synthesize();
    task.aggregations.clear();
    task.insights.clear();
    let draft = synthesize(&task);
    check(&fixture, &draft);
    assert_eq!(
        draft.summary[0].claims,
        [Claim::Total {
            over: Basis::Records,
            number: 50
        }]
    );
    assert!(
        draft
            .analysis
            .iter()
            .filter(|section| section.answered)
            .count()
            >= 4,
        "{:?}",
        draft.analysis
    );

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
    assert!(
        executive.conclusion.is_empty()
            && !executive.summary.is_empty()
            && executive.key_findings.len() <= 5
    );
    task.format = ReportFormat::BulletPoints;
    let bullets = synthesize(&task);
    assert!(
        bullets.summary.is_empty()
            && bullets.conclusion.is_empty()
            && bullets.key_findings.len() > 3
    );
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
    assert!(
        draft.analysis[0].statements[0]
            .text
            .starts_with("60 records match"),
        "{:?}",
        draft.analysis
    );
}
