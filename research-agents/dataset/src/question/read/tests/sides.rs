//! Comparisons of two sides: values that are named, denied, said to be the others or implied, and
//! shares instead of numbers.

use serde_json::{Value, json};

use crate::question::read::tests::tables::{many, reading, text};
use crate::question::reading::{AnswerShape, QuestionReading, Sign, YesNoTest};

fn price(name: &str) -> Value {
    json!({"name": name, "kind": "number", "range": [1.5, 900.5], "distinct": 600, "missing": 0})
}

fn truth(name: &str) -> Value {
    json!({"name": name, "kind": "number", "range": [0, 1], "distinct": 2, "missing": 0})
}

/// What things of two conditions were sold for.
fn sales() -> Value {
    json!([
        many("title", 143),
        text("cond", &["new", "used"]),
        text("stock_photo", &["no", "yes"]),
        price("price"),
    ])
}

fn workers() -> Value {
    json!([
        many("name", 900),
        text("Remote", &["Not remote", "Remote"]),
        text("Department", &["Sales", "Support", "Research"]),
        truth("OverTime"),
        text("Attrition", &["No", "Yes"]),
        price("Salary"),
    ])
}

fn ask(question: &str, fields: Value) -> QuestionReading {
    reading(question, fields, json!([]))
}

/// Checks which two values of a field are compared, how, and the measure by which they are.
#[track_caller]
fn compares(read: &QuestionReading, field: &str, values: [Value; 2], sign: Sign, measure: &str) {
    let expected = YesNoTest::Groups {
        field: field.to_owned(),
        values,
        sign,
    };
    assert_eq!(read.test, Some(expected), "{read:?}");
    let measured: Vec<&str> = read.measures.iter().map(|one| one.field.as_str()).collect();
    assert_eq!(measured.join(", "), measure);
}

#[test]
fn a_value_that_is_also_a_verb_is_compared() {
    let read = ask("are new games more expensive than used ones?", sales());
    compares(
        &read,
        "cond",
        [json!("new"), json!("used")],
        Sign::Above,
        "price",
    );
    let verb = ask("how many sellers used a stock photo?", sales());
    assert_eq!(verb.filters.get("cond"), None);
    let value = ask("how many were used?", sales());
    assert_eq!(json!(value.filters), json!({"cond": "used"}));
}

#[test]
fn the_others_of_two_values_are_those_with_the_other_one() {
    for question in [
        "do people who work remotely earn more than those who don't?",
        "do remote people earn more than others?",
        "do remote people earn more?",
    ] {
        let read = ask(question, workers());
        let values = [json!("Remote"), json!("Not remote")];
        compares(&read, "Remote", values, Sign::Above, "Salary");
    }
    let photo = ask("do things with a stock photo sell for more?", sales());
    compares(
        &photo,
        "stock_photo",
        [json!("yes"), json!("no")],
        Sign::Above,
        "price",
    );
}

#[test]
fn a_field_of_more_values_has_no_others() {
    let read = ask("do people in sales earn more?", workers());
    assert_eq!(read.answer, AnswerShape::Overview);
    assert_eq!(read.test, None);
}

#[test]
fn selling_more_counts_and_selling_for_more_measures() {
    let counted = ask("did they sell more new games than used ones?", sales());
    compares(
        &counted,
        "cond",
        [json!("new"), json!("used")],
        Sign::Above,
        "",
    );
    let measured = ask("did new games sell for more than used ones?", sales());
    compares(
        &measured,
        "cond",
        [json!("new"), json!("used")],
        Sign::Above,
        "price",
    );
}

#[test]
fn how_likely_something_is_compares_shares() {
    for question in [
        "are people who work overtime more likely to leave (attrition)?",
        "are people with overtime more likely to have attrition than those without?",
    ] {
        let read = ask(question, workers());
        assert_eq!(read.answer, AnswerShape::Share, "{read:?}");
        assert_eq!(json!(read.part), json!({"Attrition": "Yes"}));
        compares(&read, "OverTime", [json!(1), json!(0)], Sign::Above, "");
    }
    // Nothing says what is more frequent.
    let open = ask(
        "do people who work overtime travel more often than others?",
        workers(),
    );
    assert_eq!(open.answer, AnswerShape::Overview);
    assert_eq!(open.test, None);
}

#[test]
fn adjectives_on_both_sides_relate_two_numbers() {
    let films = || {
        json!([
            many("title", 900),
            price("budget"),
            {"name": "rating", "kind": "number", "range": [1.5, 9.5], "distinct": 80},
            {"name": "year", "kind": "number", "range": [1950, 2020], "distinct": 71},
        ])
    };
    let related = |question: &str| {
        let read = ask(question, films());
        match read.test {
            Some(YesNoTest::Related { fields, together }) => (fields.join(" "), together),
            other => panic!("{question}: {other:?}"),
        }
    };

    let better = related("do expensive films get better ratings?");
    assert_eq!(better, ("budget rating".to_owned(), Some(true)));
    // What is old is of an early year.
    let old = related("are old films cheaper?");
    assert_eq!(old, ("year budget".to_owned(), Some(true)));
}

#[test]
fn columns_of_prices_are_told_by_their_own_words() {
    let prices = || {
        json!([
            {"name": "date", "kind": "date", "range": ["1960-01-01", "2022-12-01"]},
            price("tea_kolkata"),
            price("tea_mombasa"),
            price("oil_brent"),
        ])
    };

    let read = ask(
        "was tea from Mombasa cheaper than tea from Kolkata?",
        prices(),
    );
    let measured: Vec<&str> = read.measures.iter().map(|one| one.field.as_str()).collect();
    assert_eq!(measured, ["tea_mombasa", "tea_kolkata"]);
    assert_eq!(read.test, Some(YesNoTest::Measures { sign: Sign::Below }));
    let peak = ask("when was Brent oil most expensive?", prices());
    assert_eq!(peak.answer, AnswerShape::Record);
    assert_eq!(peak.wanted, ["date", "oil_brent"]);
}

#[test]
fn two_records_are_not_compared_by_their_number() {
    let constants = json!([
        many("name", 354),
        {"name": "uncertainty", "kind": "number", "range": [0.5, 9.5], "distinct": 90},
    ]);
    let exact = |value: &str| {
        let found = json!({"field": "name", "value": value, "doc_count": 1, "match": "exact"});
        json!({"text": value, "candidates": [found]})
    };
    let entries = json!([exact("neutron mass"), exact("proton mass")]);
    let question = "is the neutron mass greater than the proton mass?";
    let read = reading(question, constants, entries);
    assert_eq!(read.test, None, "{read:?}");
}
