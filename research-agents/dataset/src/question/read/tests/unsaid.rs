//! What a question asks in other words than the table, or of what the table does not hold.

use serde_json::{Value, json};

use super::tables::{many, reading, text};
use crate::question::reading::AnswerShape;

/// Races of a marathon: a runner may have won several.
fn marathon() -> Value {
    json!([
        {"name": "year", "kind": "number", "range": [1970, 2020], "distinct": 50},
        many("name", 70),
        text("country", &["Kenya", "Norway", "United Kingdom"]),
        text("division", &["Men", "Women"]),
        {"name": "time_hrs", "kind": "number", "range": [2.1, 3.1], "distinct": 90},
    ])
}

fn characters() -> Value {
    json!([
        many("name", 87),
        {"name": "mass", "kind": "number", "range": [15, 1358], "distinct": 39},
        text("eye_color", &["blue", "brown", "orange"]),
        text("hair_color", &["black", "brown"]),
    ])
}

fn incidents() -> Value {
    json!([
        text("State", &["Ohio", "Texas"]),
        {"name": "Dead", "kind": "number", "range": [0, 58], "missing": 0, "distinct": 20},
        {"name": "Injured", "kind": "number", "range": [0, 400], "missing": 0, "distinct": 30},
    ])
}

/// One record for each job, sex and year.
fn jobs() -> Value {
    json!([
        text("job", &["Baker", "Nurse"]),
        text("sex", &["men", "women"]),
        {"name": "year", "kind": "number", "range": [1850, 2000], "distinct": 15},
        {"name": "count", "kind": "number", "range": [0, 900000], "distinct": 4000},
    ])
}

fn found(text: &str, field: &str, value: &str, records: u64) -> Value {
    let candidate = json!({"field": field, "value": value, "doc_count": records, "match": "exact"});
    json!([{"text": text, "candidates": [candidate]}])
}

#[test]
fn the_value_of_a_thing_with_several_records_is_asked_for() {
    for question in [
        "Which country is Grete Waitz from?",
        "Where is Grete Waitz from?",
    ] {
        let read = reading(
            question,
            marathon(),
            found("Grete Waitz", "name", "Grete Waitz", 9),
        );
        assert_eq!(read.answer, AnswerShape::Groups, "{question}");
        assert_eq!(read.group_by, ["country"], "{question}");
        assert_eq!(json!(read.filters), json!({"name": "Grete Waitz"}));
    }
}

#[test]
fn a_superlative_leaves_the_name_before_it() {
    let read = reading(
        "In which year did Grete Waitz win for the first time?",
        marathon(),
        found("Grete Waitz", "name", "Grete Waitz", 9),
    );
    assert_eq!(json!(read.filters), json!({"name": "Grete Waitz"}));
    let order = read.order.unwrap();
    assert!(!order.highest, "{order:?}");
}

#[test]
fn different_women_are_told_apart_by_name() {
    let read = reading(
        "How many different women have won since 2000?",
        marathon(),
        json!([]),
    );
    assert_eq!(
        json!(read.filters),
        json!({"year": {"gte": 2000}, "division": "Women"})
    );
    assert_eq!(read.measures[0].field, "name");
}

#[test]
fn the_faster_one_takes_less_time() {
    let read = reading(
        "Were the men faster than the women on average?",
        marathon(),
        json!([]),
    );
    let test = format!("{:?}", read.test.unwrap());
    assert!(test.contains("Below") && test.contains("Men"), "{test}");
}

#[test]
fn colours_of_hair_and_eyes_are_told_apart_in_other_languages() {
    let read = reading("Welche Augenfarbe hat Yoda?", characters(), json!([]));
    assert!(read.wanted.contains(&"eye_color".to_owned()), "{read:?}");
    let read = reading(
        "¿Cuántos personajes tienen los ojos de color naranja?",
        characters(),
        json!([]),
    );
    assert_eq!(json!(read.filters), json!({"eye_color": "orange"}));
}

#[test]
fn numbers_of_people_are_conditions_and_sums() {
    let read = reading(
        "How many shootings in Texas left at least five people dead?",
        incidents(),
        json!([]),
    );
    assert_eq!(
        json!(read.filters),
        json!({"State": "Texas", "Dead": {"gte": 5}})
    );

    let read = reading(
        "Were more people injured in Texas than in Ohio?",
        incidents(),
        json!([]),
    );
    assert_eq!(format!("{:?}", read.measures[0].function), "Sum");
    let read = reading(
        "Combien de fusillades n'ont fait aucun mort ?",
        incidents(),
        json!([]),
    );
    assert_eq!(json!(read.filters), json!({"Dead": 0}));
}

#[test]
fn what_no_field_says_is_not_answered() {
    let lando = || found("Lando Calrissian", "name", "Lando Calrissian", 1);
    let read = reading("Which actor plays Lando Calrissian?", characters(), lando());
    assert!(read.unheld.contains(&"actor".to_owned()), "{read:?}");
    let read = reading(
        "In which year was Lando Calrissian born?",
        characters(),
        lando(),
    );
    assert!(!read.unheld.is_empty(), "{read:?}");

    let unknown = json!([{"text": "snorlacks", "candidates": []}]);
    let read = reading("how heavy is snorlacks", characters(), unknown);
    assert_eq!(read.subject, None, "{read:?}");
}

#[test]
fn joined_names_of_fields_are_divided() {
    let fields = json!([
        many("title", 180),
        {"name": "foundingyear", "kind": "number", "range": [1844, 1996], "distinct": 66},
    ]);
    let read = reading(
        "Quantas revistas foram fundadas antes de 1900?",
        fields,
        json!([]),
    );
    assert_eq!(json!(read.filters), json!({"foundingyear": {"lt": 1900}}));
}

#[test]
fn a_name_that_ends_with_a_value_is_looked_up_as_a_whole() {
    let fields = json!([
        many("title", 180),
        text("field", &["Econometrics", "Finance"])
    ]);
    let read = reading(
        "Who publishes the Journal of Econometrics?",
        fields,
        json!([]),
    );
    let looked_up = "Journal of Econometrics".to_owned();
    assert!(read.further.contains(&looked_up), "{read:?}");
}

#[test]
fn what_records_stand_for_is_added_up() {
    let nurses = reading(
        "How many women worked as nurses in 1900?",
        jobs(),
        json!([]),
    );
    assert_eq!(nurses.answer, AnswerShape::Measure);
    assert_eq!(nurses.measures[0].field, "count");

    let common = reading(
        "What was the most common job among men in 1850?",
        jobs(),
        json!([]),
    );
    assert_eq!(common.answer, AnswerShape::TopGroup);
    assert_eq!(common.measures[0].field, "count");

    let years = reading("number of nurses by year", jobs(), json!([]));
    assert_eq!(years.measures[0].field, "count");
    let groups = reading("Which jobs are there?", jobs(), json!([]));
    assert!(groups.measures.is_empty(), "{groups:?}");

    let records = reading("How many records of men are there?", jobs(), json!([]));
    assert_eq!(records.answer, AnswerShape::Count);
}
