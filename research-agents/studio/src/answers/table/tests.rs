//! Tests of the table: what it refuses, and the standing of questions.

use proptest::prelude::*;
use research_agents_report::language::Language;
use research_agents_report::passage::{Document, Found, Origin};

use super::*;

/// Statements of one length in other words, and of another one.
const TEXTS: [&str; 4] = [
    "The bridge over the river is 120 m long and was built of steel by the county",
    "Our survey with a laser from the northern bank gives a span of 120 metres in all",
    "A list of crossings in the region names 0.12 km for it, next to twelve other ones",
    "The travel guide says that visitors walk along 140 m of planks to the other side",
];

fn passage(passages: &mut PassageRegistry, site: &str, text: &str) -> String {
    let origin = Origin {
        site: site.into(),
        address: format!("{site}/1"),
        ..Origin::default()
    };
    let document = passages.add_document(Document::new("", text).with_origin(origin));
    passages
        .add(&document, 0..text.len(), Found::by("manual"))
        .unwrap()
}

fn first_value(text: &str) -> Value {
    values(text, Language::ENGLISH)[0].value.clone()
}

fn standing(sources: &[(&str, &str)]) -> Standing {
    let (mut passages, mut table) = (PassageRegistry::default(), AnswerTable::default());
    for (site, text) in sources {
        let id = passage(&mut passages, site, text);
        let answer = Answer::new("q", id, 0..text.len(), first_value(text));
        table.add(answer, &passages).unwrap();
    }
    table.standing("q", &passages, &Rating::default())
}

#[test]
fn a_value_that_the_quote_does_not_state_is_refused() {
    let (mut passages, mut table) = (PassageRegistry::default(), AnswerTable::default());
    let text = "Grace Hopper finished the 120 m long pier in May 1932, with version 1.2.3.";
    let id = passage(&mut passages, "a.org", text);
    let mut takes = |value: Value| {
        table
            .add(
                Answer::new("q", id.clone(), 0..text.len(), value),
                &passages,
            )
            .is_ok()
    };

    for said in ["120 m", "May 1932", "version 1.2.3"] {
        assert!(takes(first_value(said)), "{said}");
    }
    for changed in [
        "121 m",
        "120 km",
        "120 kg",
        "June 1932",
        "May 1933",
        "version 1.2.4",
    ] {
        assert!(!takes(first_value(changed)), "{changed}");
    }
    assert!(takes(Value::Name("grace hopper".into())));
    assert!(!takes(Value::Name("Grace Hop".into())));
    assert!(!takes(Value::YesNo(true)));
}

#[test]
fn a_place_outside_of_the_passage_is_refused() {
    let (mut passages, mut table) = (PassageRegistry::default(), AnswerTable::default());
    let id = passage(&mut passages, "a.org", "It is 5 m.");
    for quote in [0..99, 3..3] {
        let refused = table.add(Answer::new("q", &*id, quote, first_value("5 m")), &passages);
        assert!(matches!(refused, Err(Refused::Place { .. })));
    }
}

#[test]
fn independent_agreement_in_other_units_is_cross_validated() {
    let Standing::Answered(agreed) = standing(&[("a.org", TEXTS[0]), ("b.org", TEXTS[2])]) else {
        panic!("answered");
    };
    assert_eq!(
        (agreed.mark, agreed.passages.len()),
        (Mark::CrossValidated, 2)
    );
}

#[test]
fn a_copy_on_another_site_confirms_nothing() {
    let Standing::Answered(agreed) = standing(&[("a.org", TEXTS[0]), ("b.org", TEXTS[0])]) else {
        panic!("answered");
    };
    assert_eq!((agreed.mark, agreed.confidence), (Mark::Single, 0.5));
}

#[test]
fn values_that_differ_are_a_conflict_with_all_sides() {
    let found = standing(&[
        ("a.org", TEXTS[0]),
        ("b.org", TEXTS[1]),
        ("c.org", TEXTS[3]),
    ]);
    let Standing::Conflicting {
        sides,
        is_independent,
    } = found
    else {
        panic!("conflicting");
    };
    assert!(is_independent);
    let passages: Vec<usize> = sides.iter().map(|side| side.passages.len()).collect();
    assert_eq!(passages, [2, 1]);

    let found = standing(&[("a.org", TEXTS[0]), ("a.org", TEXTS[3])]);
    assert!(matches!(
        found,
        Standing::Conflicting {
            is_independent: false,
            ..
        }
    ));
}

#[test]
fn numbers_of_other_things_are_not_a_conflict() {
    let found = standing(&[
        (
            "a.org",
            "The default size of a page is 4096 bytes since then.",
        ),
        (
            "b.org",
            "The cache is limited to 2000 pages on most systems.",
        ),
    ]);
    assert!(matches!(found, Standing::Answered(_)), "{found:?}");
}

proptest! {
    #[test]
    fn a_copy_never_changes_a_mark(
        sources in proptest::collection::vec((0_usize..4, 0_usize..3), 1..5),
        copied in 0_usize..5,
    ) {
        const SITES: [&str; 5] = ["a.org", "b.org", "c.org", "d.org", "copy.org"];
        let mut named: Vec<(&str, &str)> =
            sources.iter().map(|(site, text)| (SITES[*site], TEXTS[*text])).collect();
        let Standing::Answered(before) = standing(&named) else { panic!("answered") };

        named.push((SITES[4], named[copied % named.len()].1));
        let Standing::Answered(after) = standing(&named) else { panic!("answered") };
        prop_assert_eq!(after.mark, before.mark);
        prop_assert_eq!(after.confidence, before.confidence);
    }
}

#[test]
fn none_of_a_thousand_changed_answers_is_taken() {
    let (mut passages, mut table) = (PassageRegistry::default(), AnswerTable::default());
    let mut refused = 0;
    for number in 0..125_u32 {
        let (metres, year) = (137 + 7 * number, 1801 + number);
        let (name, other) = (format!("Pier{number}"), format!("Pier{}", number + 500));
        let text =
            format!("{name} is {metres} m long, opened in May {year} with plan 3.{number}.7.");
        let id = passage(&mut passages, &format!("site{number}.org"), &text);
        let elsewhere = passage(
            &mut passages,
            "else.org",
            &format!("Nothing of {number} here."),
        );
        let quote = 0..text.len();

        let right = [
            first_value(&format!("{metres} m")),
            first_value(&format!("May {year}")),
            Value::Name(name.clone()),
        ];
        for value in right.clone() {
            table
                .add(Answer::new("q", &*id, quote.clone(), value), &passages)
                .unwrap();
        }

        let wrong = [
            first_value(&format!("{} m", metres + 1)),
            first_value(&format!("{metres} km")),
            first_value(&format!("at least {metres} m")),
            first_value(&format!("June {year}")),
            first_value(&format!("May {}", year + 1)),
            Value::Name(other),
        ];
        let elsewhere_too = right.into_iter().take(2).map(|value| (&elsewhere, value));
        for (id, value) in wrong
            .into_iter()
            .map(|value| (&id, value))
            .chain(elsewhere_too)
        {
            let end = passages.get(id).unwrap().text.for_code().len();
            let answer = Answer::new("q", &**id, 0..end, value.clone());
            assert!(table.add(answer, &passages).is_err(), "{value:?}");
            refused += 1;
        }
    }
    assert_eq!(refused, 1000);
}
