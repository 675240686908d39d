//! Questions as people ask them in messages: with a request, after a sentence that leads to them,
//! or in a few words without a verb.

use serde_json::{Value, json};

use crate::question::read::tests::tables::{many, reading, text};
use crate::question::reading::{AnswerShape, QuestionReading, YesNoTest};

fn number(name: &str, low: f64, high: f64) -> Value {
    json!({"name": name, "kind": "number", "range": [low, high], "distinct": 400})
}

fn cars() -> Value {
    json!([
        many("model", 400),
        text("maker", &["Audi", "Porsche", "Volvo"]),
        text("fuel", &["diesel", "petrol"]),
        {"name": "year", "kind": "number", "range": [1990, 2020], "distinct": 31},
        number("price", 100.0, 90000.0),
        number("city_mpg", 5.0, 60.0)
    ])
}

fn ask(question: &str) -> QuestionReading {
    reading(question, cars(), json!([]))
}

#[track_caller]
fn reads_as(framed: &str, plain: &str) {
    let (framed, plain) = (ask(framed), ask(plain));
    assert_eq!(framed.answer, plain.answer, "{framed:?}");
    assert_eq!(framed.filters, plain.filters, "{framed:?}");
    assert_eq!(framed.measures, plain.measures, "{framed:?}");
    assert_eq!(framed.order, plain.order, "{framed:?}");
    assert!(framed.dropped().next().is_none(), "{framed:?}");
    assert!(framed.unread.is_empty(), "{framed:?}");
}

#[test]
fn a_request_is_no_part_of_the_question() {
    let plain = "how many cars run on diesel?";
    for framed in [
        "Can you tell me how many cars run on diesel?",
        "I'd like to know how many cars run on diesel.",
        "Hi, could you please check for me how many cars run on diesel?",
        "I was wondering how many cars run on diesel",
        "How many cars run on diesel, can you look that up?",
    ] {
        reads_as(framed, plain);
    }

    reads_as(
        "Ich würde gern wissen, was der mittlere price ist.",
        "was ist der mittlere price?",
    );
    reads_as(
        "Je voudrais savoir quel est le price moyen",
        "quel est le price moyen",
    );
    reads_as(
        "¿Me puedes decir cuál es el price medio?",
        "cuál es el price medio?",
    );
    reads_as(
        "Mi puoi dire qual è il price medio?",
        "qual è il price medio?",
    );
    reads_as(
        "Gostaria de saber qual é o price médio",
        "qual é o price médio",
    );
}

#[test]
fn an_indirect_question_asks_yes_or_no() {
    let read = ask("I'd like to know whether Audi has a higher price than Volvo.");

    assert_eq!(read.answer, AnswerShape::YesNo, "{read:?}");
    assert!(
        matches!(read.test, Some(YesNoTest::Groups { .. })),
        "{read:?}"
    );
}

#[test]
fn what_was_said_before_restricts_the_question() {
    for question in [
        "I'm thinking of buying a Volvo. Can you tell me how much it costs on average?",
        "My neighbour drives a Volvo, so what is the average price of that make?",
        "We love Volvo. What's the average price of those?",
    ] {
        let read = ask(question);
        assert_eq!(json!(read.filters), json!({"maker": "Volvo"}), "{question}");
        assert_eq!(read.measures.len(), 1, "{read:?}");
    }
    let timed = ask("People say 2005 was a good year. How many cars are from that year?");
    assert_eq!(json!(timed.filters), json!({"year": 2005}));

    // What the question says itself goes before it.
    let other = ask("I drive a Volvo. Can you tell me the average price of an Audi?");
    assert_eq!(json!(other.filters), json!({"maker": "Audi"}));
}

#[test]
fn a_sentence_that_asks_is_no_preamble() {
    let read = ask("How many cars run on diesel? Can you tell me the average price?");

    assert_eq!(json!(read.filters), json!({"fuel": "diesel"}), "{read:?}");
    // Nothing but the request is left of the second sentence.
    let alone = ask("Volvo has more cars than Audi. Can you tell me whether that's true?");
    assert!(
        matches!(alone.test, Some(YesNoTest::Groups { .. })),
        "{alone:?}"
    );
}

#[test]
fn names_before_a_question_are_looked_up() {
    let first = reading(
        "I saw a Golf GTI. Can you tell me what its price is?",
        cars(),
        json!([]),
    );
    let looked_up: Vec<&String> = first.unknown.iter().chain(&first.further).collect();
    assert!(
        looked_up.iter().any(|text| *text == "Golf GTI"),
        "{looked_up:?}"
    );

    let candidate =
        json!({"field": "model", "value": "Golf GTI", "doc_count": 1, "match": "exact"});
    let found = json!([{"text": "Golf GTI", "candidates": [candidate],
        "searched": {"fields": 3, "records": 400}}]);
    let second = reading(
        "I saw a Golf GTI. Can you tell me what its price is?",
        cars(),
        found,
    );
    assert_eq!(json!(second.filters), json!({"model": "Golf GTI"}));
}

#[test]
fn more_than_any_other_is_the_most() {
    reads_as(
        "which model has a higher price than any other?",
        "which model has the highest price?",
    );
    reads_as(
        "which maker has more cars than any other maker",
        "which maker has the most cars",
    );
}

#[test]
fn what_comes_first_has_the_most_and_what_comes_last_the_least() {
    for (question, highest) in [
        ("which model comes first in price?", true),
        ("which model comes last when it comes to price?", false),
        ("at which model is the price highest?", true),
    ] {
        let read = ask(question);
        let order = read.order.as_ref().unwrap_or_else(|| panic!("{read:?}"));
        assert_eq!(order.highest, highest, "{question}");
    }
}

#[test]
fn a_word_in_small_letters_may_be_part_of_a_name() {
    let entry = |text: &str| {
        let candidate = json!({"field": "model", "value": "Civic Tourer", "doc_count": 1,
            "match": "words"});
        json!([{"text": text, "candidates": [candidate],
            "searched": {"fields": 3, "records": 400}}])
    };

    let named = reading("civic price", cars(), entry("civic"));
    assert_eq!(json!(named.filters), json!({"model": "Civic Tourer"}));
    // What is counted cannot be a name.
    let counted = reading("how many civic cars are there?", cars(), entry("civic"));
    assert!(!counted.filters.contains_key("model"), "{counted:?}");
}

#[test]
fn a_count_is_compared_where_a_number_of_things_is() {
    let read = ask("is the number of diesel cars higher for Audi than for Volvo?");

    assert!(
        matches!(read.test, Some(YesNoTest::Groups { .. })),
        "{read:?}"
    );
    assert!(read.measures.is_empty(), "{read:?}");
    assert_eq!(read.filters["fuel"], "diesel");
}

#[test]
fn short_and_odd_frames_do_not_fail() {
    let questions = [
        "can you",
        "can you tell me",
        "I'd like to know",
        "tell me whether",
        "I know. So?",
        "that",
        "there",
        "Volvo. ",
        "I love it. That?",
        "kannst du mir sagen",
        "¿me dices?",
        "I'm a fan, can you tell me whether that's true?",
        "add up how many",
        "than any other",
        "more than any other",
        "I said so; and I'd like to know: there?",
    ];

    for question in questions {
        let _ = ask(question);
    }
}

#[test]
fn a_verb_says_what_a_number_measures() {
    let read = ask("which cars are worth more than 20000?");
    assert_eq!(json!(read.filters), json!({"price": {"gt": 20000}}));
}

#[test]
fn one_record_is_compared_with_all_others() {
    let candidate = json!({"field": "model", "value": "Golf", "doc_count": 1, "match": "exact"});
    let found = json!([{"text": "Golf", "candidates": [candidate],
        "searched": {"fields": 3, "records": 400}}]);

    let read = reading("Is Golf the most expensive model?", cars(), found);

    assert!(read.filters.is_empty(), "{read:?}");
    assert_eq!(read.answer, AnswerShape::Record);
    assert!(
        read.notes
            .iter()
            .any(|note| note.contains("compared with all"))
    );
}

#[test]
fn max_behind_called_is_a_name() {
    let candidate = json!({"field": "model", "value": "Max", "doc_count": 3, "match": "case"});
    let found = json!([{"text": "max", "candidates": [candidate],
        "searched": {"fields": 3, "records": 400}}]);

    let read = reading("how many cars are called max?", cars(), found);

    assert_eq!(json!(read.filters), json!({"model": "Max"}), "{read:?}");
    assert!(read.measures.is_empty(), "{read:?}");
}

#[test]
fn joined_and_cut_names_of_columns_are_known() {
    let fields = || {
        json!([
            {"name": "date", "kind": "date", "range": ["2013-01-01", "2017-01-01"]},
            number("meantemp", 5.0, 40.0),
            number("unemp", 3.0, 11.0),
            {"name": "infl", "kind": "number", "range": [-8.5, 15.0], "distinct": 190}
        ])
    };

    let hottest = reading("what was the hottest day?", fields(), json!([]));
    assert!(
        json!(hottest.order).to_string().contains("meantemp"),
        "{hottest:?}"
    );
    let unemployed = reading("highest unemployment", fields(), json!([]));
    assert!(
        json!(unemployed.order).to_string().contains("unemp"),
        "{unemployed:?}"
    );
    let negative = reading(
        "how many days had a negative inflation?",
        fields(),
        json!([]),
    );
    assert_eq!(json!(negative.filters), json!({"infl": {"lt": 0}}));
}

#[test]
fn a_value_as_it_is_written_is_not_a_field_with_its_stem() {
    let fields = json!([
        text("operator", &["Orange", "Vodafone"]),
        text("status", &["Operational", "Planned"]),
        text("sport", &["athletics", "rowing"]),
    ]);

    let read = reading("how many are operational?", fields.clone(), json!([]));
    assert_eq!(json!(read.filters), json!({"status": "Operational"}));
    let athletes = reading("how many athletes are there?", fields, json!([]));
    assert!(!athletes.filters.contains_key("sport"), "{athletes:?}");
}

#[test]
fn a_day_is_found_where_its_parts_are_columns() {
    let part = |name: &str, low: u32, high: u32| {
        let distinct = high - low + 1;
        json!({"name": name, "kind": "number", "range": [low, high], "distinct": distinct})
    };
    let fields = || {
        json!([
            part("year", 1994, 2003),
            part("month", 1, 12),
            part("quarter", 1, 4),
            part("date_of_month", 1, 31),
            part("day_of_week", 1, 7),
            number("births", 5000.0, 15000.0)
        ])
    };
    let filters = |question: &str| json!(reading(question, fields(), json!([])).filters);

    assert_eq!(
        filters("How many births were there on 25 December 2001?"),
        json!({"year": 2001, "month": 12, "date_of_month": 25})
    );
    assert_eq!(
        filters("births in the third quarter of 2000"),
        json!({"year": 2000, "quarter": 3})
    );
}

#[test]
fn the_beginning_of_a_word_names_a_column_that_has_one_word() {
    let fields = || {
        json!([
            number("total_debit_limit", 0.0, 9000.0),
            number("annual", 1.0, 9.0)
        ])
    };

    let read = reading(
        "Quanti anni hanno in media i debitori?",
        fields(),
        json!([]),
    );

    assert!(read.measures.is_empty(), "{read:?}");
}

#[test]
fn no_condition_before_a_question_vanishes() {
    // A bound and a denial are conditions.
    let bound = ask("I'm looking for a car with a price under 9000. How many are from Volvo?");
    assert_eq!(
        json!(bound.filters),
        json!({"maker": "Volvo", "price": {"lt": 9000}})
    );
    let denied = ask("I don't like Audi. Can you tell me how many cars run on diesel?");
    assert_ne!(
        denied.filters.get("maker"),
        Some(&json!("Audi")),
        "{denied:?}"
    );

    // A value of a field that the question restricts itself is named.
    let other = ask("My neighbour drives a Volvo. What is the average price of an Audi?");
    let dropped: Vec<&str> = other.dropped().map(|one| one.said.as_str()).collect();
    assert_eq!(dropped, ["Volvo"]);
}
