//! What people type: other words for fields and values, countries and compounds in other languages,
//! counts of what one record has, and words that restrict nothing.

use serde_json::{Value, json};

use crate::question::read::read;
use crate::question::read::tests::tables::{many, reading, text};
use crate::question::reading::{AnswerShape, Lookup, Sign, YesNoTest};

fn number(name: &str, low: f64, high: f64) -> Value {
    json!({"name": name, "kind": "number", "range": [low, high], "distinct": 100})
}

fn found(text: &str, field: &str, value: &str, matching: &str, records: u64) -> Value {
    let candidate = json!({"field": field, "value": value, "doc_count": 1, "match": matching});
    let searched = json!({"fields": 4, "records": records});
    json!({"text": text, "candidates": [candidate], "searched": searched})
}

#[test]
fn a_rare_code_with_the_same_stem_is_no_condition() {
    let airlines = || {
        json!([
            many("name", 5900),
            many("callsign", 5000),
            many("country", 270)
        ])
    };
    let entries = json!([found("airlines", "callsign", "AIRLIN", "case", 6162)]);

    let read = reading("which country has the most airlines", airlines(), entries);

    assert_eq!(json!(read.filters), json!({}));
    assert_eq!(read.group_by, ["country"]);
}

#[test]
fn a_truth_value_in_two_spellings_is_one() {
    let fields = json!([many("name", 5900), text("active", &["Y", "N", "n"])]);

    let active = reading("how many are active", fields.clone(), json!([]));
    let closed = reading("how many are defunct", fields, json!([]));

    assert_eq!(json!(active.filters), json!({"active": "Y"}));
    assert_eq!(json!(closed.filters), json!({"active": ["N", "n"]}));
}

#[test]
fn countries_and_their_adjectives_are_known_in_six_languages() {
    let fields = || {
        json!([
            many("name", 5900),
            text("country", &["Germany", "Brazil", "England"])
        ])
    };
    let country =
        |question: &str| reading(question, fields(), json!([])).filters["country"].clone();

    assert_eq!(country("Wie viele deutsche Firmen gibt es?"), "Germany");
    assert_eq!(country("Quante compagnie brasiliane ci sono?"), "Brazil");
    assert_eq!(country("Combien sont en Angleterre ?"), "England");
    assert_eq!(country("How many are German?"), "Germany");
}

#[test]
fn a_german_compound_names_a_field_of_two_words() {
    let fields = json!([many("country", 250), number("birth_rate", 5.0, 50.0)]);

    let read = reading(
        "Welches Land hat die höchste Geburtenrate?",
        fields,
        json!([]),
    );

    assert_eq!(
        json!(read.order.unwrap().by),
        json!({"field": "birth_rate"})
    );
}

#[test]
fn a_count_of_what_one_record_has_is_its_field_or_not_answered() {
    let countries = || json!([many("country", 202), number("total_population", 1e3, 1e9)]);
    let kenya = || json!([found("Kenya", "country", "Kenya", "exact", 202)]);

    let held = reading("Quanti abitanti ha il Kenya?", countries(), kenya());
    let unheld = reading("How many planes does Kenya have?", countries(), kenya());

    assert_eq!(held.answer, AnswerShape::List);
    assert_eq!(held.wanted, ["country", "total_population"]);
    assert_eq!(unheld.unheld, ["planes"]);
}

#[test]
fn a_value_between_a_field_and_its_number_is_a_condition() {
    let fields = json!([
        text("series", &["Finance", "Mining"]),
        number("rate", 0.0, 20.0)
    ]);

    let read = reading(
        "in how many months was the rate in Finance above 6?",
        fields,
        json!([]),
    );

    assert_eq!(
        json!(read.filters),
        json!({"series": "Finance", "rate": {"gt": 6}})
    );
}

#[test]
fn missing_values_are_asked_for_in_several_words() {
    let fields = || json!([many("track", 317), number("wk20", 1.0, 100.0)]);
    let filters = |question: &str| json!(reading(question, fields(), json!([])).filters);
    let missing = json!({"wk20": {"missing": true}});

    assert_eq!(filters("How many tracks have no value for wk20?"), missing);
    assert_eq!(filters("tracks without any data on wk20"), missing);
}

#[test]
fn a_share_of_a_sum_has_a_part_and_a_measure() {
    let fields = json!([text("Region", &["West", "East"]), number("Sales", 1.0, 1e4)]);

    let read = reading(
        "what share of total Sales comes from the West?",
        fields,
        json!([]),
    );

    assert_eq!(read.answer, AnswerShape::Share);
    assert_eq!(json!(read.part), json!({"Region": "West"}));
    assert_eq!(read.measures[0].field, "Sales");
}

#[test]
fn two_columns_are_compared_by_their_measures() {
    let votes = json!([number("Bergeron", 1.0, 1e4), number("Coderre", 1.0, 1e4)]);

    let read = reading(
        "Did Coderre get more votes than Bergeron overall?",
        votes,
        json!([]),
    );

    assert_eq!(read.test, Some(YesNoTest::Measures { sign: Sign::Above }));
    assert_eq!(read.measures[0].field, "Coderre");
}

#[test]
fn who_is_meant_does_not_vanish() {
    let fields = json!([
        many("name", 159),
        text("award", &["gold", "silver"]),
        number("age", 21.0, 80.0)
    ]);

    let read = reading("youngest man ever to win", fields, json!([]));

    assert_eq!(read.unread, ["man"]);
}

#[test]
fn groups_of_one_record_each_answer_no_superlative() {
    let fields = json!([many("country", 202), number("area", 1.0, 1e6)]);

    let read = reading("which country has the most festivals", fields, json!([]));

    assert!(!read.unheld.is_empty(), "{read:?}");
    assert!(read.group_by.is_empty());
}

#[test]
fn years_of_age_are_no_numbers_of_another_field() {
    let fields = json!([many("country", 202), number("dependency_child", 1.0, 90.0)]);

    let read = reading(
        "How many children under 5 years live there?",
        fields,
        json!([]),
    );

    assert_eq!(json!(read.filters), json!({}));
    assert_eq!(read.dropped().count(), 1, "{:?}", read.conditions);
}

#[test]
fn no_sequence_of_words_fails() {
    const WORDS: [&str; 28] = [
        "how", "many", "are", "do", "which", "when", "not", "non-", "never", "nobody", "single",
        "more", "often", "likely", "than", "others", "vs", "above", "named", "with", "go", "up",
        "smokers", "women", "tip", "6", "H.", "-",
    ];
    let tips = json!([
        many("name", 300),
        text("smoker", &["No", "Yes"]),
        text("sex", &["Female", "Male"]),
        {"name": "tip", "kind": "number", "range": [0, 10], "distinct": 90, "missing": 0},
        {"name": "size", "kind": "number", "range": [1, 6], "distinct": 6, "missing": 0},
    ]);
    let fields: Vec<_> = serde_json::from_value(tips).unwrap();
    let read = |question: &str| read(question, &fields, &Lookup::default(), &[], &[]);

    // A sample of all sequences of three words.
    let words = WORDS.len();
    for at in (0..words.pow(3)).step_by(53) {
        let [first, second, third] = [at / words / words, at / words % words, at % words];
        let question = format!("{} {} {}", WORDS[first], WORDS[second], WORDS[third]);
        read(&question);
        read(&format!("how many {question}-"));
    }
    for last in WORDS {
        read(last);
        read(&format!("how many {last}-"));
    }
}
