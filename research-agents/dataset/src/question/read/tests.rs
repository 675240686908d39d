//! Tables of questions over many schemas, with their readings.

use std::collections::HashMap;

use crate::data::task::FieldFacts;
use crate::question::read::read;
use crate::question::reading::Lookup;

mod conditions;
mod lookups;
pub(crate) mod summary;

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
                let reading = read(question, &schemas[schema], &Lookup::default(), &[]);
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

#[test]
fn debug_items() {
    let schemas = schemas();
    let q = std::env::var("Q").unwrap_or_default();
    let s = std::env::var("S").unwrap_or_default();
    let fields = &schemas[s.as_str()];
    let said = crate::question::read::words::tokens::tokens(&q);
    let vocabulary = crate::question::read::language_of(&said);
    let schema = crate::question::read::cut::schema::Schema::new(fields, None);
    for item in crate::question::read::cut::cutter::Cutter::new(&said, vocabulary, &schema, &Lookup::default()).items() {
        let t: Vec<&str> = said[item.start..item.end].iter().map(|t| t.text).collect();
        println!("{t:?} roles {:?} fields {:?} values {:?} num {:?} deg {:?}", item.roles, item.fields.iter().map(|f| (&fields[f.field].name, f.score, f.is_full, f.is_opposite)).collect::<Vec<_>>(), item.values.iter().map(|v| (&fields[v.field].name, &v.value, v.fit)).collect::<Vec<_>>(), item.number, item.degree);
    }
    println!("{:#?}", read(&q, fields, &Lookup::default(), &[]));
}
