//! Tables of questions over many schemas, with their readings.

use std::collections::HashMap;

use crate::data::task::FieldFacts;
use crate::question::read::read;
use crate::question::reading::Lookup;

pub(crate) mod tables;
mod conditions;
mod computed;
mod everyday;
mod framed;
mod leagues;
mod lookups;
mod series;
mod sides;
mod sloppy;
mod registers;
mod rounds;
mod strangers;
pub(crate) mod summary;
mod unsaid;
mod wording;

pub(crate) fn schemas() -> HashMap<String, Vec<FieldFacts>> {
    serde_json::from_str(include_str!("tests/schemas.json")).unwrap()
}

/// Returns the questions that are not read as expected, and the number of questions.
fn wrong(table: &str) -> (Vec<String>, usize) {
    let schemas = schemas();
    let (mut wrong, mut count) = (Vec::new(), 0);
    let (mut schema, mut question) = ("", "");
    for line in table
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        match (line.strip_prefix("@ "), line.strip_prefix("    ")) {
            (Some(name), _) => schema = name,
            (_, Some(expected)) => {
                count += 1;
                let reading = read(question, &schemas[schema], &Lookup::default(), &[], &[]);
                if let Some(found) = summary::difference(&reading, expected) {
                    wrong.push(format!(
                        "{schema}: {question}\n  want {expected}\n  read {found}"
                    ));
                }
            }
            _ => question = line,
        }
    }

    (wrong, count)
}

#[track_caller]
fn check_all(table: &str) {
    let (wrong, count) = wrong(table);

    assert!(
        count > 0 && wrong.is_empty(),
        "{} of {count}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn english_questions_are_read() {
    check_all(include_str!("tests/english.txt"));
    check_all(include_str!("tests/more.txt"));
}

#[test]
fn questions_of_strangers_are_read() {
    check_all(include_str!("tests/classes.txt"));
}

#[test]
fn questions_in_five_other_languages_are_read() {
    check_all(include_str!("tests/languages.txt"));
}

#[test]
fn most_questions_that_were_held_out_are_read() {
    let (wrong, count) = wrong(include_str!("tests/heldout.txt"));

    assert!(
        wrong.len() * 50 <= count,
        "{} of {count}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
