//! Drafts over a small data source: every sentence must pass the checker, whatever was gathered.

use serde_json::{Value, json};

use super::*;
use crate::dataset::record::{AggregationResult, Bucket, SubQuestion};
use crate::dataset::task::{GroupedMeasure, MeasuredGroup, Relations, ValuePair};
use crate::kernel::claim::{Basis, Claim};
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
    assert_eq!(draft.title, "Sightings by size: Small most frequent");
    assert_eq!(
        texts(&draft.summary)[0],
        "Of the 120 records with Kind Sighting, Size is Small in 60 (50.0 %), Medium in 40 (33.3 %) and Large in 20 (16.7 %)."
    );
    let said = || draft.summary.iter().chain(&draft.key_findings).map(|statement| &statement.text);
    assert_eq!(said().collect::<std::collections::BTreeSet<_>>().len(), said().count(), "nothing is said twice");
    assert_eq!(draft.analysis.len(), task.sub_questions.len());
    for (section, question) in draft.analysis.iter().zip(&task.sub_questions) {
        assert_eq!(section.question_id, question.id);
        assert!(section.answered, "{question:?}");
    }
    assert!((3..=8).contains(&draft.key_findings.len()), "{:?}", draft.key_findings);
    let statistics = draft.summary.iter().chain(&draft.key_findings).flat_map(|finding| &finding.claims);
    assert!(statistics.into_iter().any(|claim| matches!(claim, Claim::Statistic { .. })), "{:?}", draft.key_findings);
    assert!(draft.limitations[0].contains("No language model was used"));
    assert!(draft.limitations.iter().any(|limit| limit.contains("State in 18")), "{:?}", draft.limitations);
    assert!(draft.suggestions.iter().any(|next| next.contains("Species")), "{:?}", draft.suggestions);
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
    assert!(
        draft.summary[0].text.contains("Of the 400 records with Kind Sighting, Size is Small in 201 (50.2 %)"),
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
    assert_eq!(said, "All 120 matching records were read: the most frequent Size is Small, in 60 of them (50.0 %).");
    let draft = synthesize(&task);
    let mut told = texts(&draft.summary);
    for section in &draft.analysis {
        let own = texts(&section.statements);
        let repeated = own.iter().filter(|text| told.contains(text)).count();
        assert!(repeated == 0 || repeated == own.len(), "{own:?}");
        told.extend(own);
    }
    let capped = Fixture::sightings(400, 90);
    let said = conclusion(&capped, &capped.synthesize());
    assert_eq!(said, "Counted over all 400 matching records, Size is Small in most of them, 201 (50.2 %).");
    task.query = "How did the sightings develop over time?".into();
    let said = conclusion(&fixture, &task);
    assert!(said.starts_with("All 120 matching records were read"), "{said}");
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
    assert_eq!(texts(&draft.key_findings), ["No record matches Kind Sighting."]);
    assert!(draft.analysis[0].answered);
    assert_eq!(draft.title, "Sightings by size: none found");
    assert_eq!(draft.suggestions, ["Ask again without the condition Kind Sighting."]);
    task.fields = Fixture::sightings(6, 6).tool().fields;
    let suggestions = synthesize(&task).suggestions;
    assert!(
        suggestions[1].starts_with("The data can be filtered and grouped by ") && suggestions[1].contains("Species")
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
    assert!(executive.conclusion.is_empty() && !executive.summary.is_empty() && executive.key_findings.len() <= 5);
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
        |draft: &ReportDraft| draft.limitations.iter().any(|limit| limit.contains("can be read as one for Size Small"));
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

#[test]
fn a_word_that_stands_in_some_values_and_set_no_condition_is_named() {
    let mut fixture = Fixture::sightings(60, 60);
    for (at, row) in fixture.rows.iter_mut().enumerate() {
        let species =
            ["Unknown bird - small", "Unknown bird - large", "White-tailed deer", "Coyote"][at * at % 4 + at % 3];
        row.insert("Species".into(), json!(species));
    }
    let named = |fixture: &Fixture, query: &str| {
        let mut task = fixture.synthesize();
        task.query = query.into();
        let limits = synthesize(&task).limitations.into_iter();
        limits.filter(|limit| limit.contains('“')).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        named(&fixture, "Bird sightings by state"),
        "“Bird” stands in values of Species but set no condition: records with other values are counted as well."
    );
    assert_eq!(named(&fixture, "Sightings by state"), "", "the word for the records alone tells nothing");
    // Where every record is of a bird there is nothing to say.
    fixture.rows.iter_mut().enumerate().for_each(|(at, row)| {
        row.insert("Species".into(), json!(["Unknown bird - small", "Unknown bird - large"][at % 2]));
    });
    assert_eq!(named(&fixture, "Bird sightings by state"), "");
}

#[test]
fn a_question_of_which_the_data_knows_nothing_is_said_to_be_unanswered() {
    let fixture = Fixture::sightings(60, 60);
    let mut task = fixture.synthesize();
    task.filters.clear();
    task.aggregations.iter_mut().for_each(|table| table.filters.clear());
    task.query = "Salaries of the rangers".into();
    task.findings.clear();
    let draft = synthesize(&task);
    assert!(
        draft.summary[0].text.starts_with("No field of the data and no record speaks of “"),
        "{:?}",
        texts(&draft.summary)
    );
    assert_eq!(draft.title, "Salaries of the rangers: not in the data");
    assert!(draft.summary[0].text.contains("rangers") && draft.summary[0].claims.is_empty());
    assert!(draft.suggestions[0].starts_with("The data can be filtered and grouped by "), "{:?}", draft.suggestions);
}

#[test]
fn what_no_record_speaks_of_is_said_first_and_answers_no_question() {
    let fixture = Fixture::sightings(60, 60);
    let mut task = fixture.synthesize();
    let missing = |task: &SynthesizeTask| {
        let first = synthesize(task).summary[0].clone();
        if first.text.contains("speaks of") && first.claims.is_empty() { first.text } else { String::new() }
    };
    task.query = "How long is the warranty of the sightings?".into();
    let said = "No field of the data and no record speaks of “warranty”: this part of the question is not answered.";
    assert_eq!(missing(&task), said);
    task.sub_questions = vec![SubQuestion {
        id: "sq_1".into(),
        question: "How many sightings have a warranty?".into(),
        priority: 1,
        depends_on: vec![],
    }];
    assert!(!synthesize(&task).analysis[0].answered);
    task.coverage.fraction = Some(0.5);
    assert!(missing(&task).starts_with("No field of the data and no record that was read speaks of “warranty”"));
    task.heard = vec!["warranty".into()];
    assert_eq!(missing(&task), "", "a text speaks of it");
    assert!(synthesize(&task).analysis[0].answered);
    task.heard.clear();
    for (query, words) in [
        ("How many rangers were hurt?", "“rangers” and “hurt”"),
        ("How many sightings were there at the weekend?", "“weekend”"),
        ("Sightings by size and owner of the ranger", "“owner” and “ranger”"),
    ] {
        task.query = query.into();
        assert!(missing(&task).contains(&format!("speaks of {words}:")), "{query}: {}", missing(&task));
    }
    for query in [
        "How many sightings are there?",
        "Where do the sightings take place?",
        "Which causes lead to the sightings?",
        "How many animals are there by size?",
        "What was done about the sightings?",
        "Show the trend of the height per year",
        "How high are they and how do height and size go together?",
        "Which kinds of species were seen most often, and why?",
        "Sightings that happened in Texas by size",
        "What do people think about gulls?",
    ] {
        task.query = query.into();
        assert_eq!(missing(&task), "", "{query}");
    }
}

#[test]
fn who_asks_for_an_average_is_told_it() {
    let fixture = Fixture::sightings(60, 60);
    let mut task = fixture.synthesize();
    let tells_mean = |task: &SynthesizeTask| {
        let draft = synthesize(task);
        fixture.check(&draft.summary);
        texts(&draft.summary).iter().any(|text| text.starts_with("Cost lies between") && text.contains("its mean"))
    };
    task.query = "What is the average cost?".into();
    assert!(tells_mean(&task), "{:?}", texts(&synthesize(&task).summary));
    task.query = "What do they cost?".into();
    assert!(!tells_mean(&task), "{:?}", texts(&synthesize(&task).summary));
}

#[test]
fn a_condition_that_could_not_be_set_is_said() {
    let fixture = Fixture::sightings(60, 60);
    let mut task = fixture.synthesize();
    task.filters.clear();
    task.aggregations.iter_mut().for_each(|table| table.filters.clear());
    let said = |task: &SynthesizeTask| {
        let said = synthesize(task).summary.into_iter().map(|statement| statement.text);
        said.filter(|text| text.starts_with("Not applied")).collect::<String>()
    };
    task.query = "By size in 1990 and 1993".into();
    assert_eq!(
        said(&task),
        "Not applied from the question: “in 1990 and 1993” (times apart from each other cannot be filtered by at once)."
    );
    task.query = "By size".into();
    assert_eq!(said(&task), "");
}

#[test]
fn what_goes_together_stands_against_what_it_would_be_by_chance() {
    let fixture = Fixture::sightings(120, 120);
    let mut task = fixture.synthesize();
    let pair = ValuePair {
        fields: ["Size".into(), "Species".into()],
        values: ["Small".into(), "Gull".into()],
        together: 12,
        each: [60, 24],
    };
    task.relations = Relations { pairs: vec![pair], measures: Vec::new() };
    let draft = synthesize(&task);
    fixture.check(&draft.summary);
    let wanted =
        "Among the 60 records with Size Small, 12 (20.0 %) have Species Gull, against 24 of 120 overall (20.0 %).";
    assert!(texts(&draft.summary).contains(&wanted), "{:?}", texts(&draft.summary));
}

/// A measure of the fixture's own field as the relations give it.
fn measure(fixture: &Fixture, field: &str, by: &str, few: &[&str]) -> GroupedMeasure {
    let rows = &fixture.rows[..fixture.read];
    let mut values: Vec<&Value> = rows.iter().map(|row| &row[by]).filter(|value| !value.is_null()).collect();
    values.sort_by_key(|value| value.to_string());
    values.dedup();
    let group = |value: &&Value| {
        let mut own: Vec<f64> =
            rows.iter().filter(|row| row[by] == **value).filter_map(|row| row[field].as_f64()).collect();
        own.sort_by(f64::total_cmp);
        let (records, middle, sum) = (own.len() as u64, own.len() / 2, own.iter().sum::<f64>());
        let median = if own.len() % 2 == 1 { own[middle] } else { (own[middle - 1] + own[middle]) / 2.0 };
        MeasuredGroup { value: (*value).clone(), records, median, mean: sum / own.len() as f64, sum }
    };
    let mut groups: Vec<MeasuredGroup> = values.iter().map(group).collect();
    groups.sort_by(|a, b| b.median.total_cmp(&a.median));
    let (left_out, groups) = groups.into_iter().partition(|group| few.iter().any(|few| group.value == *few));
    GroupedMeasure { field: field.into(), by: by.into(), groups, left_out }
}

#[test]
fn groups_with_too_few_numbers_are_named_and_means_of_what_is_mostly_nothing_are_not_told() {
    let mut fixture = Fixture::sightings(120, 120);
    for (at, row) in fixture.rows.iter_mut().enumerate() {
        row.insert("Height".into(), json!(at % 6 * 10 + at % 3));
        row.insert("Cost".into(), json!(if at % 20 == 3 { 100 } else { 0 }));
    }
    let mut task = fixture.synthesize();
    task.sub_questions.truncate(1);
    task.sub_questions[0].question = "What differs by Size?".into();
    let told = |task: &SynthesizeTask| {
        let draft = synthesize(task);
        check(&fixture, &draft);
        texts(&draft.analysis[0].statements).join(" ")
    };
    task.relations = Relations { pairs: vec![], measures: vec![measure(&fixture, "Height", "Size", &["Large"])] };
    let wanted = "The median Height by Size is 35.5 for Medium and 11 for Small; Large has too few numbers to compare.";
    assert!(told(&task).contains(wanted), "{}", told(&task));
    task.sub_questions[0].question = "What differs by State?".into();
    task.relations.measures[0] = measure(&fixture, "Cost", "State", &[]);
    assert!(told(&task).contains("no other field differs clearly by State"), "{}", told(&task));
}

#[test]
fn groups_with_the_same_number_share_it_and_no_number_is_given_to_another() {
    let mut fixture = Fixture::sightings(120, 120);
    for (at, row) in fixture.rows.iter_mut().enumerate() {
        row.insert("Height".into(), json!(if at % 6 == 5 { 12_500 } else { 370 }));
    }
    let mut task = fixture.synthesize();
    task.sub_questions.truncate(1);
    task.sub_questions[0].question = "What differs by Size?".into();
    task.relations = Relations { pairs: vec![], measures: vec![measure(&fixture, "Height", "Size", &[])] };
    let draft = synthesize(&task);
    check(&fixture, &draft);
    let mut statement = draft.analysis[0].statements[0].clone();
    assert_eq!(statement.text, "The median Height by Size is 12,500 for Large and 370 for Medium and Small.");
    statement.text = "The median Height by Size is 370 for Large and 12,500 for Medium and Small.".into();
    let evidence = fixture.evidence();
    assert!(crate::kernel::Checker::new(&evidence, []).check(&statement).is_err());
}

#[test]
fn what_is_mostly_nothing_is_told_with_what_the_others_add_up_to() {
    let mut fixture = Fixture::sightings(120, 120);
    fixture.question = "How much does it cost by size?";
    let said = |fixture: &Fixture| {
        let draft = synthesize(&fixture.synthesize());
        check(fixture, &draft);
        draft.summary.into_iter().map(|statement| statement.text).find(|text| text.contains("Cost")).unwrap_or_default()
    };
    assert_eq!(
        said(&fixture),
        "Cost is 0 in 114 of 120 records (95.0 %) that were read; the others add up to 31,800, of which the largest is \
         10,300 (32.4 %)."
    );
    fixture.rows.iter_mut().skip(4).for_each(|row| drop(row.insert("Cost".into(), json!(0))));
    assert_eq!(said(&fixture), "Cost is 0 in 119 of 120 records (99.2 %) that were read; the one other number is 300.");
}

#[test]
fn groups_inside_groups_show_what_goes_together_over_all_records() {
    let mut fixture = Fixture::sightings(120, 120);
    fixture.read = 6;
    let mut task = fixture.synthesize();
    let inner = |size: &str, texas: u64, other: u64| Bucket {
        key: size.into(),
        doc_count: texas + other,
        buckets: [("Texas", texas), ("Ohio", other)]
            .map(|(key, doc_count)| Bucket { key: key.into(), doc_count, buckets: vec![] })
            .to_vec(),
    };
    task.aggregations[2].buckets = [("Texas", 40), ("Ohio", 80)]
        .map(|(key, doc_count)| Bucket { key: key.into(), doc_count, buckets: vec![] })
        .to_vec();
    task.aggregations.push(AggregationResult {
        id: "A4".into(),
        field: "Size,State".into(),
        buckets: vec![inner("Small", 5, 55), inner("Medium", 15, 25), inner("Large", 20, 0)],
        ..task.aggregations[0].clone()
    });
    let draft = synthesize(&task);
    let wanted = "All 20 records with Size Large have State Texas, against 40 of 120 overall (33.3 %).";
    assert!(texts(&draft.summary).contains(&wanted), "{:?}", texts(&draft.summary));
    // What is rarer there than elsewhere is told where it is the clearer.
    let nested = task.aggregations.len() - 1;
    task.aggregations[2].buckets = [("Ohio", 86), ("Texas", 21), ("Utah", 13)]
        .map(|(key, doc_count)| Bucket { key: key.into(), doc_count, buckets: vec![] })
        .to_vec();
    let ohio = |size: &str, ohio: u64, texas: u64, utah: u64| Bucket {
        key: size.into(),
        doc_count: ohio + texas + utah,
        buckets: [("Ohio", ohio), ("Texas", texas), ("Utah", utah)]
            .map(|(key, doc_count)| Bucket { key: key.into(), doc_count, buckets: vec![] })
            .to_vec(),
    };
    task.aggregations[nested].buckets = vec![ohio("Small", 53, 5, 2), ohio("Medium", 31, 7, 2), ohio("Large", 2, 9, 9)];
    let draft = synthesize(&task);
    let wanted =
        "Among the 20 records with Size Large, only 2 (10.0 %) have State Ohio, against 86 of 120 overall (71.7 %).";
    assert!(texts(&draft.summary).contains(&wanted), "{:?}", texts(&draft.summary));
    fixture.check_over(&task.aggregations, &draft.summary);
}
