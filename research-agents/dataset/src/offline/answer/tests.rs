//! Answers to readings of questions, from what a data source computed.

use research_agents_report::check::Checker;
use research_agents_report::evidence::{Source, SourceRegistry};
use research_agents_report::text::Untrusted;
use serde_json::{Value, json};

use crate::data::record::{AggregationResult, Object};
use crate::data::task::{RankedRecord, SynthesizeTask};
use crate::found::evidence::evidence_of;
use crate::offline::answer::answer;
use crate::offline::answer::answered::Answer;

fn measure(function: &str, number: f64, count: u64) -> Value {
    json!({"function": function, "field": "body_mass_g", "number": number, "count": count})
}

fn bucket(key: &str, count: u64, mean: f64) -> Value {
    json!({"key": key, "doc_count": count, "measures": [measure("mean", mean, count)]})
}

fn table(kind: &str, field: &str, rest: Value) -> AggregationResult {
    let mut table = json!({"id": "A1", "type": kind, "field": field, "buckets": [],
        "total_docs": 342, "source_tool": "penguins", "filters": {}});
    let members = rest.as_object().cloned().unwrap_or_default();
    table.as_object_mut().unwrap().extend(members);
    serde_json::from_value(table).unwrap()
}

fn by_species() -> AggregationResult {
    let buckets = json!([
        bucket("Gentoo", 123, 5076.016),
        bucket("Chinstrap", 68, 3733.088),
        bucket("Adelie", 151, 3700.662)
    ]);
    table("group_by", "species", json!({ "buckets": buckets }))
}

/// Returns the answer, each of whose sentences holds.
fn answered(reading: Value, table: AggregationResult, record: Option<Value>) -> Answer {
    let fields = json!([
        {"name": "species", "kind": "text", "values": ["Adelie", "Chinstrap", "Gentoo"]},
        {"name": "body_mass_g", "kind": "number"}, {"name": "flipper_length_mm", "kind": "number"}
    ]);
    let records = record.map(|fields| RankedRecord {
        id: "7".into(),
        fields: fields.as_object().cloned().unwrap_or_default(),
    });
    let task = SynthesizeTask {
        fields: serde_json::from_value(fields).unwrap(),
        aggregations: vec![table],
        reading: Some(serde_json::from_value(reading).unwrap()),
        records: records.into_iter().collect(),
        ..SynthesizeTask::default()
    };

    let mut sources = SourceRegistry::default();
    for record in &task.records {
        sources.register(Source {
            record: record.id.clone(),
            tool: "penguins".into(),
            fields: Untrusted::new(record.fields.clone()),
            ..Source::default()
        });
    }
    let evidence = evidence_of(sources, &task.aggregations);
    let checker = Checker::new(&evidence, ["How many were there last week?"]);
    let answer = answer(&task).unwrap();
    for statement in &answer.statements {
        checker.check_loose(statement).unwrap_or_else(|failure| {
            panic!("{}: {failure}", statement.text);
        });
    }
    answer
}

fn first(reading: Value, table: AggregationResult) -> String {
    answered(reading, table, None).statements[0].text.clone()
}

#[test]
fn a_mean_by_group_names_the_highest_group_first() {
    let mean = json!([{"function": "mean", "field": "body_mass_g"}]);
    let reading = json!({"answer": "groups", "measures": mean, "group_by": ["species"]});
    let answer = answered(reading, by_species(), None);

    assert_eq!(answer.title, "Gentoo has the highest mean body mass");
    assert_eq!(
        answer.statements[0].text,
        "Gentoo has the highest mean body mass: 5,076 g (n = 123), before Chinstrap 3,733.1 g and \
         Adelie 3,700.7 g."
    );
    assert_eq!(answer.confidence, 1.0);
}

#[test]
fn the_lowest_group_is_named_if_it_is_asked_for() {
    let mean = json!([{"function": "mean", "field": "body_mass_g"}]);
    let order = json!({"by": {"measure": 0}, "highest": false});
    let reading = json!({"answer": "top_group", "measures": mean, "group_by": ["species"],
        "order": order});

    assert!(
        first(reading, by_species()).starts_with("Adelie has the lowest mean body mass: 3,700.7 g")
    );
}

#[test]
fn numbers_over_all_records_have_their_unit_and_basis() {
    let mean = json!([{"function": "mean", "field": "body_mass_g"}]);
    let total = table(
        "total",
        "",
        json!({"measures": [measure("mean", 4201.754, 342)]}),
    );
    let reading = json!({"answer": "measure", "measures": mean, "subject": "penguins",
        "is_subject_known": true});
    assert_eq!(
        first(reading, total.clone()),
        "The mean body mass is 4,201.8 g over 342 penguins."
    );
    assert_eq!(
        first(json!({"answer": "count"}), total),
        "There are 342 records."
    );
}

#[test]
fn a_dropped_condition_is_in_the_first_sentence_and_lowers_the_confidence() {
    let dropped = json!([{"said": "last week",
        "outcome": {"not_applied": {"why": "no field says it"}}}]);
    let reading = json!({"answer": "count", "conditions": dropped});
    let answer = answered(reading, table("total", "", json!({})), None);

    assert_eq!(
        answer.statements[0].text,
        "There are 342 records; “last week” is not applied (no field says it)."
    );
    assert_eq!(answer.confidence, 0.6);
}

#[test]
fn the_record_behind_a_superlative_is_named_with_its_value() {
    let ranking = table(
        "ranking",
        "body_mass_g",
        json!({"buckets": [{"key": 6300, "doc_count": 1, "source": "7"}],
            "order": {"field": "body_mass_g", "highest": true}}),
    );
    let reading = json!({"answer": "record", "order": {"by": {"field": "body_mass_g"},
        "highest": true}});
    let record = json!({"name": "Bertha", "body_mass_g": 6300});
    let answer = answered(reading, ranking, Some(record));

    assert_eq!(
        answer.statements[0].text,
        "Bertha has the highest body mass: 6,300 g."
    );
    assert_eq!(answer.records.unwrap().sources, ["7"]);
}

#[test]
fn a_comparison_says_yes_or_no_or_no_clear_difference() {
    let test = |values: [&str; 2]| {
        json!({"answer": "yes_no", "measures": [{"function": "mean", "field": "body_mass_g"}],
            "test": {"groups": {"field": "species", "values": values, "sign": "above"}}})
    };
    let begins = |values| first(test(values), by_species());

    assert!(
        begins(["Gentoo", "Adelie"]).starts_with("Yes: the mean body mass is 5,076 g for Gentoo")
    );
    assert!(
        begins(["Adelie", "Gentoo"]).starts_with("No: the mean body mass is 3,700.7 g for Adelie")
    );
    assert!(begins(["Chinstrap", "Adelie"]).starts_with("No clear difference: "));
}

#[test]
fn a_correlation_is_said_with_its_strength_and_its_records() {
    let fields = ["flipper_length_mm", "body_mass_g"];
    let correlations = json!([{"fields": fields, "number": 0.8712, "count": 342}]);
    let table = table("correlation", "", json!({"correlations": correlations}));
    let reading = json!({"answer": {"relation": {"fields": fields}}});

    assert_eq!(
        first(reading, table),
        "Flipper length and body mass are strongly positively correlated: Pearson r = 0.87 over \
         342 records with both."
    );
}

#[test]
fn a_question_of_which_nothing_fits_is_not_answered() {
    let search = table(
        "search",
        "",
        json!({"id": "A2", "text": "helium", "searched": {"fields": 3, "records": 342},
            "total_docs": 0}),
    );
    let reading = json!({"answer": "count", "absent": ["helium"]});
    let task = SynthesizeTask {
        aggregations: vec![search, table("total", "", json!({}))],
        reading: Some(serde_json::from_value(reading).unwrap()),
        filters: Object::new(),
        ..SynthesizeTask::default()
    };
    let answer = answer(&task).unwrap();

    assert_eq!(
        answer.statements[0].text,
        "No record mentions “helium”: all 3 text fields of all 342 records were searched."
    );
    assert_eq!(answer.confidence, 0.3);
}
