//! Totals within bounds, names that columns share, parts of values and what is asked behind a
//! question.

use serde_json::{Value, json};

use super::tables::{many, measures, number, reading, text};
use crate::question::reading::{AnswerShape, OrderBy, Outcome, QuestionReading, YesNoTest};

/// Players of a league.
fn players() -> Value {
    json!([
        many("PlayerName", 160),
        number("MatchesPlayed", 1, 170, 110),
        number("Rank", 1, 160, 160),
        number("TotalPoints", 0, 1_699, 140),
        number("Age", 18, 40, 23),
        text(
            "Profile",
            &[
                "Defender",
                "Defender - Left Corner",
                "Defender - Right Cover",
                "Raider"
            ]
        ),
        text("Team", &["Lions", "Tigers", "Bears"]),
    ])
}

/// Birds, with columns that share a word.
fn birds() -> Value {
    json!([
        many("avibase_name", 11_000),
        many("avibase_family", 240),
        many("avibase_order", 40),
        text("avibase_status", &["LC", "VU", "EN", "EW"]),
    ])
}

fn read(question: &str, fields: Value) -> QuestionReading {
    reading(question, fields, json!([]))
}

fn ordered_by(read: &QuestionReading) -> Option<&str> {
    match &read.order.as_ref()?.by {
        OrderBy::Field(field) => Some(field),
        OrderBy::Measure(_) | OrderBy::Count | OrderBy::Key => None,
    }
}

#[test]
fn a_total_within_a_bound_asks_for_no_sum() {
    for question in [
        "players with more than 500 total points",
        "How many players have more than 500 points altogether?",
        "who has over 500 total points",
    ] {
        let read = read(question, players());
        assert_eq!(
            read.filters["TotalPoints"],
            json!({"gt": 500}),
            "{question}: {read:?}"
        );
        assert!(read.measures.is_empty(), "{question}: {read:?}");
    }
    let sum = read("total points of the Lions", players());
    assert_eq!(measures(&sum), ["Sum TotalPoints"]);
}

#[test]
fn a_bound_of_people_is_not_one_of_their_number() {
    let read = read("average points of players over 30", players());
    assert_eq!(read.filters["Age"], json!({"gt": 30}), "{read:?}");
    assert_eq!(measures(&read), ["Mean TotalPoints"]);
}

#[test]
fn what_is_counted_may_be_followed_by_a_participle() {
    let read = read("Name the three players with the most matches.", players());
    assert_eq!(ordered_by(&read), Some("MatchesPlayed"), "{read:?}");
    assert_eq!(read.order.and_then(|order| order.limit), Some(3));
}

#[test]
fn a_number_before_what_is_at_the_top_ranks_it() {
    let best = read("Points: who is best?", players());
    assert_eq!(ordered_by(&best), Some("TotalPoints"), "{best:?}");

    let teams = read("points by team, top 2", players());
    assert_eq!(measures(&teams), ["Sum TotalPoints"], "{teams:?}");
    assert_eq!(
        (teams.group_by, teams.answer),
        (vec!["Team".to_owned()], AnswerShape::TopGroup)
    );
}

#[test]
fn numbers_of_records_are_found_by_their_names() {
    let read = read("which player is rank 5?", players());
    assert_eq!(read.filters["Rank"], json!(5), "{read:?}");
}

#[test]
fn words_of_a_value_that_say_little_are_kept() {
    let value = "Defender - Left Corner";
    let entry = json!({"text": "left corner", "candidates": [{"field": "Profile", "value": value,
        "doc_count": 16, "match": "words"}], "mentions": [{"field": "Profile", "doc_count": 16}],
        "searched": {"fields": 3, "records": 169}});
    let question = "which left corner defenders have more than 300 points?";
    let read = reading(question, players(), json!([entry]));
    assert_eq!(read.filters["Profile"], json!(value), "{read:?}");
    assert_eq!(read.filters["TotalPoints"], json!({"gt": 300}));
}

#[test]
fn words_that_names_share_tell_no_field() {
    for question in [
        "how many families are in this list?",
        "how many diferent famillies are there?",
    ] {
        let read = read(question, birds());
        assert_eq!(
            measures(&read),
            ["Distinct avibase_family"],
            "{question}: {read:?}"
        );
    }
}

#[test]
fn names_that_end_with_a_noun_are_of_its_kind() {
    let names = ["Rufous Hornbill", "Wreathed Hornbill", "Great Hornbill"];
    let candidates: Vec<Value> = names
        .iter()
        .map(|name| {
            json!({"field": "avibase_name", "value": name, "doc_count": 1, "match": "words"})
        })
        .collect();
    let entry = json!({"text": "hornbills", "candidates": candidates, "mentions": [],
        "searched": {"fields": 4, "records": 11_000}});
    let read = reading("How many hornbills are VU?", birds(), json!([entry]));
    assert_eq!(
        read.filters["avibase_name"],
        json!({"contains": "hornbill"}),
        "{read:?}"
    );
    assert_eq!(read.filters["avibase_status"], json!("VU"));
}

#[test]
fn an_explanation_in_other_words_is_no_condition() {
    for question in [
        "Which birds are extinct in the wild (EW)?",
        "Which birds are extinct in the wild, i.e. have the status EW?",
    ] {
        let read = read(question, birds());
        assert_eq!(
            read.filters["avibase_status"],
            json!("EW"),
            "{question}: {read:?}"
        );
        let is_applied = read
            .conditions
            .iter()
            .all(|condition| matches!(condition.outcome, Outcome::Applied { .. }));
        assert!(is_applied && read.unread.is_empty(), "{question}: {read:?}");
    }
}

#[test]
fn what_is_asked_behind_a_superlative_is_wanted() {
    let fields = || {
        json!([
            many("title", 110),
            many("translation", 110),
            number("verses", 3, 286, 77)
        ])
    };
    for question in [
        "Which title has the most verses? Give me its translation.",
        "Which title has the most verses, and what is its translation?",
    ] {
        let read = read(question, fields());

        assert_eq!(ordered_by(&read), Some("verses"), "{question}: {read:?}");
        assert!(
            read.wanted.contains(&"translation".to_owned()),
            "{question}: {read:?}"
        );
    }
}

#[test]
fn whether_a_number_rose_is_a_yes_or_no() {
    let fields = || {
        json!([
            many("region", 17),
            number("Year", 2016, 2020, 5),
            number("cases", 0, 9_000, 800)
        ])
    };
    for question in [
        "Did the number of cases rise from 2018 to 2019?",
        "Have the cases increased from 2018 to 2019?",
    ] {
        let read = read(question, fields());

        assert!(
            matches!(read.test, Some(YesNoTest::Groups { .. })),
            "{question}: {read:?}"
        );
        assert_eq!(measures(&read), ["Sum cases"], "{question}");
    }
}

#[test]
fn values_of_signs_are_values() {
    let fields = json!([many("name", 40), text("price_level", &["€", "€€", "€€€€"])]);
    let read = read("How many places have the price level €€€€?", fields);
    assert_eq!(read.filters["price_level"], json!("€€€€"), "{read:?}");
}
