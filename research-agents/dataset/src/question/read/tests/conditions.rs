//! Every condition of a question ends as applied or with a reason.

use serde_json::json;

use super::schemas;
use crate::question::read::read;
use crate::question::reading::{Lookup, QuestionReading};

fn reading(schema: &str, question: &str) -> QuestionReading {
    read(question, &schemas()[schema], &Lookup::default(), &[], &[])
}

#[test]
fn what_cannot_be_applied_has_a_reason() {
    for (schema, question, said) in [
        (
            "penguins",
            "How many penguins were seen last week?",
            "last week",
        ),
        ("penguins", "How many penguins eat more than 12 fish?", "12"),
        ("cars", "cars with about 200 horsepower", "200"),
        ("machines", "machines with a vibration over 4 kg", "4"),
        ("titanic", "passengers who boarded in May 1912", "May 1912"),
        ("movies", "Which movies do not mention \"love\"?", "love"),
    ] {
        let read = reading(schema, question);

        let dropped: Vec<&str> = read.dropped().map(|c| c.said.as_str()).collect();
        assert!(
            dropped.iter().any(|text| text.contains(said)),
            "{question}: {read:?}"
        );
        let filtered = read.filters.values().any(|value| value.is_number());
        assert!(!filtered, "{question}: {:?}", read.filters);
    }
}

#[test]
fn units_are_converted_to_that_of_the_header() {
    for (question, filter) in [
        ("penguins over 4 kg", json!({"body_mass_g": {"gt": 4000}})),
        (
            "penguins with a bill longer than 5 cm",
            json!({"bill_length_mm": {"gt": 50}}),
        ),
        (
            "penguins with flippers under 0.2 m",
            json!({"flipper_length_mm": {"lt": 200}}),
        ),
    ] {
        assert_eq!(
            json!(reading("penguins", question).filters),
            filter,
            "{question}"
        );
    }
}

#[test]
fn a_long_question_over_many_columns_is_read() {
    use crate::data::task::{FieldFacts, FieldKind};
    let fields: Vec<FieldFacts> = (0..5_000)
        .map(|at| FieldFacts {
            name: format!("reading value {at}"),
            kind: if at % 3 == 0 {
                FieldKind::Text
            } else {
                FieldKind::Number
            },
            values: (0..if at % 3 == 0 { 20 } else { 0 })
                .map(|v| json!(format!("level {v} of {at}")))
                .collect(),
            ..FieldFacts::default()
        })
        .collect();
    let words = [
        "reading", "value", "above", "3", "not", "level", "Zanzibar", "valeu", "average",
    ];
    let question: Vec<&str> = (0..2_000).map(|at| words[at * 7 % words.len()]).collect();

    let start = std::time::Instant::now();
    let read = read(&question.join(" "), &fields, &Lookup::default(), &[], &[]);

    eprintln!("2,000 words over 5,000 columns: {:?}", start.elapsed());
    assert_eq!(read.language, "en");
}

#[test]
fn the_data_files_are_understood_line_by_line() {
    use crate::question::read::words::vocabulary::Vocabulary;
    for text in [
        include_str!("../../../../questions/en.txt"),
        include_str!("../../../../questions/de.txt"),
        include_str!("../../../../questions/fr.txt"),
        include_str!("../../../../questions/es.txt"),
        include_str!("../../../../questions/it.txt"),
        include_str!("../../../../questions/pt.txt"),
    ] {
        let mut vocabulary = Vocabulary::default();
        for line in text
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
        {
            assert!(vocabulary.read_line(line), "{line}");
        }
    }
}
