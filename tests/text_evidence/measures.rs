//! Tables of cases: typed values, conflicts between statements, independence of sources.

use std::fs;

use research_agents::report::conflict::{ConflictKind, between_statements};
use research_agents::report::language::Language;
use research_agents::report::trust::value::{Sameness, Value, compare, values};
use research_agents::report::trust::{Dependence, Support, dependence};

use super::prose::data;

/// The lines of a table as their fields.
fn rows(name: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(data(name)).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split('\t').map(str::to_string).collect()).collect()
}

/// How many typed values are compared as expected.
pub fn typed_values() -> (usize, Vec<String>) {
    let mut wrong = Vec::new();
    let pairs = rows("values.tsv");
    for row in &pairs {
        let [language, a, b, expected] = row.as_slice() else { panic!("{row:?}") };
        let language: Language = language.parse().unwrap();
        let one = |text: &str| values(text, language).into_iter().next().map(|typed| typed.value);
        let found = one(a).zip(one(b)).map(|(a, b)| name(compare(&a, &b)));
        if found != Some(expected.as_str()) {
            wrong.push(format!("{a} | {b}: {found:?}, not {expected}: {:?} {:?}", one(a), one(b)));
        }
    }
    let words = rows("yes_no.tsv");
    for row in &words {
        let [a, b, expected] = row.as_slice() else { panic!("{row:?}") };
        let found = Value::yes_no(a).zip(Value::yes_no(b)).map(|(a, b)| name(compare(&a, &b)));
        if found != Some(expected.as_str()) {
            wrong.push(format!("{a} | {b}: {found:?}, not {expected}"));
        }
    }
    (pairs.len() + words.len(), wrong)
}

fn name(sameness: Sameness) -> &'static str {
    match sameness {
        Sameness::Same => "same",
        Sameness::Compatible => "compatible",
        Sameness::Different => "different",
    }
}

/// The conflicts that are found, those that are there, the controls that are accused, and all
/// controls, with what is wrong.
pub fn conflicts(file: &str) -> ([usize; 4], Vec<String>) {
    let mut counts = [0; 4];
    let mut wrong = Vec::new();
    for row in rows(file) {
        let [expected, a, b] = row.as_slice() else { panic!("{row:?}") };
        let found = between_statements(a, b, Language::ENGLISH);
        let reverse = between_statements(b, a, Language::ENGLISH);
        assert_eq!(found, reverse, "the order matters: {a} | {b}");
        let is_control = expected == "none";
        counts[if is_control { 3 } else { 1 }] += 1;
        counts[if is_control { 2 } else { 0 }] += usize::from(found.is_some());
        let kind = found.map_or("none", |kind| match kind {
            ConflictKind::Number => "number",
            ConflictKind::Date => "date",
            ConflictKind::Version => "version",
            _ => "negation",
        });
        if kind != expected {
            wrong.push(format!("{expected} is {kind}: {a} | {b}"));
        }
    }
    (counts, wrong)
}

/// How many cases of independence are decided as expected.
pub fn independence() -> (usize, Vec<String>) {
    let mut wrong = Vec::new();
    let cases = rows("independence.tsv");
    for row in &cases {
        let [expected, site_a, site_b, document_a, document_b, passage_a, passage_b] = row.as_slice() else {
            panic!("{row:?}")
        };
        let a = Support::new(site_a, document_a, passage_a);
        let b = Support::new(site_b, document_b, passage_b);
        let why = |a: &Support, b: &Support| match dependence(a, b) {
            None => "independent",
            Some(Dependence::SameSite) => "same site",
            Some(Dependence::SameDocument) => "same document",
            Some(Dependence::SamePassage) => "same passage",
        };
        if why(&a, &b) != expected || why(&b, &a) != expected {
            wrong.push(format!("{expected} is {}: {passage_a} | {passage_b}", why(&a, &b)));
        }
    }
    (cases.len(), wrong)
}

#[test]
fn typed_values_are_the_same_or_not() {
    let (all, wrong) = typed_values();
    assert!(all >= 150);
    assert!(wrong.is_empty(), "{} of {all}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn conflicts_are_found_and_controls_are_not_accused() {
    let ([found, conflicts, accused, controls], wrong) = conflicts("conflicts.tsv");
    assert!(conflicts >= 40 && controls >= 20);
    assert!(100 * found >= 85 * conflicts, "{found} of {conflicts}:\n{}", wrong.join("\n"));
    assert!(100 * accused <= 5 * controls, "{accused} of {controls}:\n{}", wrong.join("\n"));
}

#[test]
fn conflicts_in_other_words_are_found_too() {
    for (file, share) in [("conflicts_second.tsv", 85), ("conflicts_third.tsv", 70)] {
        let ([found, conflicts, accused, controls], wrong) = conflicts(file);
        println!("{file}: {found} of {conflicts} found, {accused} of {controls} accused\n{}", wrong.join("\n"));
        assert!(conflicts >= 20 && controls >= 10);
        assert!(100 * found >= share * conflicts, "{found} of {conflicts}:\n{}", wrong.join("\n"));
        assert_eq!(accused, 0, "{}", wrong.join("\n"));
    }
}

#[test]
fn sources_are_independent_or_not() {
    let (all, wrong) = independence();
    assert!(all >= 40);
    assert!(wrong.is_empty(), "{} of {all}:\n{}", wrong.len(), wrong.join("\n"));
}
