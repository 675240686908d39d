//! Words that are used as nouns, and words that are not.

use serde_json::json;

use crate::data::task::{FieldFacts, FieldKind};
use crate::question::interpret::interpret;

fn fields() -> Vec<FieldFacts> {
    let field = |name: &str, kind, values: &[&str]| FieldFacts {
        name: name.into(),
        kind,
        values: values.iter().map(|value| json!(value)).collect(),
        range: None,
        ..FieldFacts::default()
    };
    vec![
        field("State", FieldKind::Text, &["Texas", "Ohio"]),
        field("Cause", FieldKind::Text, &["Valve", "Seal"]),
        field("Phase of flight", FieldKind::Text, &["Approach", "Climb"]),
        field("Product", FieldKind::Text, &["Kettle One", "Toaster Duo"]),
        field("Speed in knots", FieldKind::Number, &[]),
        field("Notes", FieldKind::Text, &[]),
    ]
}

#[test]
fn what_is_asked_about_stands_where_nouns_stand() {
    let cases = [
        (
            "How many passengers were hurt in Texas?",
            &["passengers"][..],
        ),
        ("How long is the warranty of the products?", &["warranty"]),
        (
            "What was the price of the repairs in Ohio?",
            &["price", "repairs"],
        ),
        (
            "Which flights had the most expensive tickets?",
            &["expensive", "tickets"],
        ),
        (
            "How many cars cross the bridge every day?",
            &["cars", "bridge"],
        ),
        (
            "How old were the pilots at the time of the strike?",
            &["pilots", "strike"],
        ),
        ("Salaries of the rangers", &["Salaries", "rangers"]),
        ("raptor sightings by state", &["raptor", "sightings"]),
        ("strikes in Canada", &["strikes", "Canada"]),
        ("What does Louisville report?", &["Louisville"]),
        ("How many delayed trains were there?", &["trains"]),
    ];

    for (question, expected) in cases {
        assert_eq!(interpret(question, &fields()).nouns, expected, "{question}");
    }
}

#[test]
fn verbs_and_words_of_asking_are_no_nouns() {
    let cases = [
        "In which phase of flight do the seals take place?",
        "Which causes lead to the reports?",
        "In which state does the Kettle One fail, and of what cause?",
        "What do customers like and dislike about the toaster?",
        "How fast did they fly in Texas?",
        "What was done about it, and what did it bring?",
        "What happened most often and why?",
        "Show me an overview of the trends and the main patterns per year",
        "How do state and cause go together?",
        "Which problems and reasons are mentioned?",
        "Were they delayed or cancelled?",
        "What are the busiest and the most popular states?",
        "What percentage of the records and which share is of the most significant cause?",
        "Give the average, the number and the kinds of the records",
    ];

    for question in cases {
        let meant = interpret(question, &fields());
        assert!(meant.nouns.is_empty(), "{question}: {meant:#?}");
    }
}
