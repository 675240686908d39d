//! What the data source found for words decides what becomes of them.

use serde_json::json;

use super::schemas;
use crate::data::task::FieldFacts;
use crate::question::read::read;
use crate::question::reading::{Lookup, Outcome, QuestionReading, TextMatch};

fn lookup(entries: serde_json::Value) -> Lookup {
    serde_json::from_value(entries).unwrap()
}

fn reading(schema: &str, question: &str, entries: serde_json::Value) -> QuestionReading {
    read(question, &schemas()[schema], &lookup(entries), &[], &[])
}

fn candidate(field: &str, value: &str, matching: &str) -> serde_json::Value {
    json!({"field": field, "value": value, "doc_count": 1, "match": matching})
}

#[test]
fn an_exact_value_becomes_a_filter() {
    let entries = json!([{"text": "Titanic", "candidates": [
        candidate("Title", "Titanic", "exact"),
        candidate("Title", "Raise the Titanic", "words")]}]);

    let read = reading("movies", "What is the running time of Titanic?", entries);

    assert_eq!(json!(read.filters), json!({"Title": "Titanic"}));
    assert_eq!(read.wanted, ["Title", "Running Time min"]);
    assert!(read.unknown.is_empty() && read.absent.is_empty());
}

#[test]
fn a_part_of_longer_values_is_searched_for_in_their_field() {
    let entries = json!([{"text": "Star Wars", "candidates": [
        candidate("Title", "Star Wars Ep. I", "words"),
        candidate("Title", "Star Wars Ep. II", "words")]}]);

    let read = reading("movies", "List the Star Wars movies", entries);

    assert_eq!(
        json!(read.filters),
        json!({"Title": {"contains": "Star Wars"}})
    );
}

#[test]
fn equally_good_fields_are_ambiguous() {
    let entries = json!([{"text": "Washington", "candidates": [
        candidate("Director", "Washington", "exact"),
        candidate("Distributor", "Washington", "exact")]}]);

    let read = reading("movies", "How many movies by Washington?", entries.clone());
    let preferred = super::super::read(
        "How many movies by Washington?",
        &schemas()["movies"],
        &lookup(entries),
        &["Distributor".to_owned()],
        &[],
    );

    let outcome = &read.conditions[0].outcome;
    assert!(
        matches!(outcome, Outcome::Ambiguous { fields } if fields.len() == 2),
        "{outcome:?}"
    );
    assert_eq!(read.doubtful.len(), 1);
    assert_eq!(
        json!(preferred.filters),
        json!({"Distributor": "Washington"})
    );
    assert!(preferred.doubtful.is_empty());
}

#[test]
fn a_spelling_is_read_only_where_nothing_fits_better_and_is_noted() {
    let entries = json!([{"text": "Spielbrg", "candidates": [
        candidate("Director", "Spielberg", "spelling")]}]);

    let read = reading("movies", "How many movies did Spielbrg direct?", entries);

    assert_eq!(json!(read.filters), json!({"Director": "Spielberg"}));
    assert_eq!(read.notes, ["“Spielbrg” is read as “Spielberg”"]);
}

#[test]
fn a_name_that_texts_mention_is_searched_for() {
    let entries =
        json!([{"text": "Brooklyn", "mentions": [{"field": "description", "doc_count": 4}]}]);

    let read = reading(
        "restaurants",
        "How many restaurants are in Brooklyn?",
        entries,
    );

    assert_eq!(read.search[0].text, "Brooklyn");
    assert_eq!(read.search[0].matching, TextMatch::Phrase);
    assert!(read.absent.is_empty());
}

#[test]
fn a_name_is_absent_only_after_the_data_was_asked() {
    let question = "How many movies did Zorblax direct?";

    let before = reading("movies", question, json!([]));
    let after = reading(
        "movies",
        question,
        json!([{"text": "Zorblax",
        "searched": {"fields": 5, "records": 3200}}]),
    );

    assert_eq!(before.unknown, ["Zorblax"]);
    assert!(before.absent.is_empty());
    assert_eq!(after.absent, ["Zorblax"]);
    assert!(after.unknown.is_empty());
    assert_eq!(after.dropped().count(), 1);
}

#[test]
fn ordinary_words_are_never_absent() {
    for question in [
        "How many passengers embarked?",
        "Which people paid the highest fare?",
        "What happened to the records of travellers?",
        "How many folks were wealthy on board?",
    ] {
        let asked = reading("titanic", question, json!([]));
        let entries: Vec<_> = asked
            .unknown
            .iter()
            .map(|text| json!({"text": text}))
            .collect();

        let read = reading("titanic", question, json!(entries));

        assert!(read.absent.is_empty(), "{question}: {:?}", read.absent);
        assert!(read.filters.is_empty(), "{question}: {:?}", read.filters);
        assert!(read.unknown.is_empty(), "{question}: {:?}", read.unknown);
    }
}

#[test]
fn a_phrase_is_looked_up_as_a_whole() {
    let read = reading(
        "restaurants",
        "How many restaurants are there in New York?",
        json!([]),
    );

    assert_eq!(read.unknown, ["New York"]);
}

#[test]
fn names_keep_their_articles_adjectives_and_numbers() {
    for (question, name) in [
        (
            "What is the running time of The Godfather?",
            "The Godfather",
        ),
        ("What is the budget of Toy Story 3?", "Toy Story 3"),
        (
            "What is the budget of Good Will Hunting?",
            "Good Will Hunting",
        ),
        ("What is the budget of \"Up\"?", "Up"),
    ] {
        let read = reading("movies", question, json!([]));

        assert_eq!(read.unknown, [name], "{question}");
        assert_eq!(
            read.dropped().count(),
            0,
            "{question}: {:?}",
            read.conditions
        );
    }
}

#[test]
fn what_no_field_holds_is_told_apart_from_what_is_counted() {
    let unheld = |schema: &str, question: &str| {
        let mut read = reading(schema, question, json!([]));
        read.unheld.sort();
        read.unheld
    };

    assert_eq!(
        unheld("animals", "What did the food cost?"),
        ["cost", "food"]
    );
    assert_eq!(
        unheld("animals", "How many miles do they travel?"),
        ["miles"]
    );
    assert_eq!(
        unheld("countries", "How many employees does Toyota have?"),
        ["employees"]
    );
    assert!(unheld("movies", "How many movies are there?").is_empty());
}

#[test]
fn the_parts_of_a_name_may_be_in_two_columns() {
    let none = json!({"text": "Ada Lind", "searched": {"fields": 2, "records": 9}});
    let part = |text: &str, field: &str| {
        let candidate = candidate(field, text, "exact");
        json!({"text": text, "candidates": [candidate]})
    };
    let entries = json!([none, part("Ada", "director"), part("Lind", "title")]);
    let fields = json!([
        {"name": "director", "kind": "text", "distinct": 500},
        {"name": "title", "kind": "text", "distinct": 600}
    ]);
    let fields: Vec<FieldFacts> = serde_json::from_value(fields).unwrap();
    let found = lookup(entries);

    let read = read(
        "How many records are there of Ada Lind?",
        &fields,
        &found,
        &[],
        &[],
    );

    assert_eq!(
        json!(read.filters),
        json!({"director": "Ada", "title": "Lind"})
    );
    assert!(read.absent.is_empty());
}
