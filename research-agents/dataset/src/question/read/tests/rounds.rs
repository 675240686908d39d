//! Short names of columns, numbers that only count things, and words that must not vanish.

use serde_json::{Value, json};

use super::tables::{many, measures, number, reading, text};
use crate::question::reading::{AnswerShape, Condition, OrderBy, Outcome, QuestionReading};

/// What the data source found for a word.
fn found(text: &str, field: &str, values: &[(&str, u64)], matching: &str) -> Value {
    let candidates: Vec<Value> = values
        .iter()
        .map(|(value, count)| {
            json!({"field": field, "value": value, "doc_count": count, "match": matching})
        })
        .collect();
    let total: u64 = values.iter().map(|(_, count)| count).sum();
    json!({"text": text, "candidates": candidates,
        "mentions": [{"field": field, "doc_count": total}],
        "searched": {"fields": 2, "records": 1000}})
}

/// Farms, with the column names of a codebook.
fn farms() -> Value {
    json!([
        number("id", 1, 900, 900),
        {"name": "size", "kind": "number", "range": [0.01, 5.3], "distinct": 200, "missing": 0},
        number("famlabor", 1, 1526, 300),
        number("goutput", 42, 20960, 600),
        number("tbilrate", 0, 16, 190),
        number("price", 50, 190, 60),
        text("region", &["ciwangi", "langan"]),
    ])
}

/// Athletes with their medals.
fn athletes() -> Value {
    json!([
        many("name", 900),
        text("nationality", &["GBR", "JAM", "USA"]),
        text("sport", &["athletics", "gymnastics", "rowing"]),
        number("gold", 0, 5, 6),
        number("silver", 0, 2, 3),
        json!({"name": "height", "kind": "number", "range": [1.2, 2.2], "distinct": 90}),
    ])
}

/// Shares on a day.
fn shares() -> Value {
    json!([
        text("company", &["ACME", "Globex", "Initech"]),
        {"name": "day", "kind": "date", "range": ["2024-01-02", "2024-12-30"], "distinct": 250},
        {"name": "close", "kind": "number", "range": [3.5, 90.0], "distinct": 700},
        {"name": "price_change", "kind": "number", "range": [-9.5, 8.0], "distinct": 400},
    ])
}

/// Orders with letters for their sizes, and people with one for their parties.
fn orders() -> Value {
    json!([
        text("size", &["L", "M", "S"]),
        text("party", &["D", "R"]),
        text("mf", &["f", "m"]),
        text("socket", &["AM3", "AM3+"]),
        {"name": "date", "kind": "date", "range": ["2024-01-02", "2024-12-30"], "distinct": 250},
        number("deaths", 0, 256, 90),
        number("year", 1950, 2020, 71),
    ])
}

fn read(question: &str, fields: Value) -> QuestionReading {
    reading(question, fields, json!([]))
}

#[test]
fn names_of_the_beginnings_of_words_are_found() {
    for (question, expected) in [
        ("mean gross output per region", "Mean goutput"),
        ("highest treasury bill rate", "Max tbilrate"),
        ("the largest amount of family labor", "Max famlabor"),
    ] {
        assert_eq!(measures(&read(question, farms())), [expected], "{question}");
    }
    // Another word does not make a name of one that is said.
    let grouped = read("mean price per region and size", farms());
    assert_eq!(grouped.group_by, ["region"]);
}

#[test]
fn a_noun_behind_a_number_says_what_is_counted() {
    let usa = read("How many gold medals did USA win?", athletes());
    assert_eq!(measures(&usa), ["Sum gold"]);
    assert_eq!(
        usa.filters,
        *json!({"nationality": "USA"}).as_object().unwrap()
    );

    let top = read("Top 3 nationalities by number of silver medals", athletes());
    assert_eq!(measures(&top), ["Sum silver"]);
    assert_eq!(top.group_by, ["nationality"]);
}

#[test]
fn who_does_a_sport_is_found_by_it() {
    let gymnasts = read("average height of the gymnasts", athletes());
    assert_eq!(gymnasts.filters["sport"], "gymnastics");
    let athletes = read("average height of the athletes", athletes());
    assert!(athletes.filters.is_empty(), "{:?}", athletes.filters);
}

#[test]
fn the_biggest_drop_is_the_lowest_change() {
    let drop = read("Which company had the biggest drop on a day?", shares());
    let order = drop.order.unwrap();
    assert_eq!(
        (drop.answer, order.by, order.highest),
        (
            AnswerShape::Record,
            OrderBy::Field("price_change".into()),
            false
        )
    );

    // Without changes nothing is ranked by another number.
    let rise = read("Which nationality had the biggest increase?", athletes());
    assert!(rise.order.is_none());
    assert_eq!(rise.unheld, ["biggest increase"]);
}

#[test]
fn letters_are_values_where_that_is_said() {
    for (question, field, value) in [
        ("How many large orders are there?", "size", json!("L")),
        ("How many democrats are there?", "party", json!("D")),
        ("mean deaths for f and m storms", "mf", json!(["f", "m"])),
        ("How many fit the AM3+ socket?", "socket", json!("AM3+")),
        ("How many fit the AM3 socket?", "socket", json!("AM3")),
    ] {
        let found = read(question, orders());
        assert_eq!(found.filters.get(field), Some(&value), "{question}");
    }
}

#[test]
fn numbers_of_things_are_no_conditions() {
    let prices = json!([
        {"name": "coffee_arabica", "kind": "number", "range": [0.8, 6.0], "distinct": 500},
        {"name": "coffee_robusta", "kind": "number", "range": [0.6, 5.0], "distinct": 500},
    ]);
    let both = read("What was the mean of the two coffee prices?", prices);
    assert!(both.filters.is_empty(), "{:?}", both.filters);

    let rooms = json!([number("bedroom", 1, 9, 9), number("price", 50, 9000, 800)]);
    let three = read("mean price of the 3 bedroom houses", rooms);
    assert_eq!(three.filters["bedroom"], 3);
}

#[test]
fn a_bare_year_is_one_of_the_data() {
    let deaths = read("deaths 1990", orders());
    assert_eq!(deaths.filters["year"], 1990);
    let told = read("How many records have deaths of 90?", orders());
    assert_eq!(told.filters["deaths"], 90);
}

#[test]
fn what_nothing_holds_is_said() {
    let by_cause = read("mean deaths by cause", orders());
    assert!(
        by_cause.dropped().any(|one| one.said == "by cause"),
        "{:?}",
        by_cause.conditions
    );

    let others = read("most common weapon", orders());
    assert!(others.group_by.is_empty(), "{:?}", others.group_by);
}

#[test]
fn conditions_between_the_words_of_a_comparison_are_kept() {
    let deaths = read(
        "Did the f storms bring more deaths in 1990 than the m storms?",
        orders(),
    );
    assert_eq!(deaths.filters.get("year"), Some(&json!(1990)));
}

#[test]
fn words_of_values_tell_kinds_of_records() {
    let pets = || json!([many("breed", 90), many("animal_name", 900)]);
    let labradors = reading(
        "how many labradors are there",
        pets(),
        json!([found(
            "labradors",
            "breed",
            &[("Retriever, Labrador", 87)],
            "words"
        )]),
    );
    assert_eq!(
        labradors.filters.get("breed"),
        Some(&json!({"contains": "labrador"}))
    );
}

#[test]
fn how_much_that_is_is_no_second_question() {
    let highest = read(
        "In which year were the deaths the highest, and how high were they?",
        orders(),
    );
    assert!(highest.unheld.is_empty(), "{:?}", highest.unheld);

    let top = read(
        "Which year had the most deaths? Give me the top three.",
        orders(),
    );
    assert_eq!(top.order.and_then(|order| order.limit), Some(3));
}

#[test]
fn the_only_number_of_the_data_is_a_guess() {
    let inspections = json!([many("business", 900), number("score", 40, 100, 60)]);
    let perfect = read("How many ended with a perfect 100?", inspections);
    assert_eq!(perfect.filters["score"], 100);
    assert!(
        perfect.dropped().all(|one| one.said != "100"),
        "what is applied is not said to be left out: {:?}",
        perfect.conditions
    );
    let is_guess = |one: &Condition| matches!(one.outcome, Outcome::Ambiguous { .. });
    assert!(perfect.conditions.iter().any(is_guess));
}

#[test]
fn longer_values_are_still_named() {
    let cars = json!([many("carline", 900), number("year", 1990, 2020, 31)]);
    let values = [("MUSTANG", 5), ("MUSTANG CONVERTIBLE", 4)];
    let mut mustang = found("Mustang", "carline", &values, "words");
    mustang["candidates"][0]["match"] = json!("case");
    let mustang = reading("How many Mustang cars are there?", cars, json!([mustang]));
    assert_eq!(mustang.filters["carline"], "MUSTANG");
    let fits = mustang.doubtful.iter().flat_map(|doubt| &doubt.fits);
    let values: Vec<_> = fits.filter_map(|(_, value)| value.as_deref()).collect();
    assert_eq!(values, ["MUSTANG", "MUSTANG CONVERTIBLE"]);
}

/// Operations in hospitals.
fn operations() -> Value {
    json!([
        {"name": "Hospital_Name", "kind": "text", "distinct": 55},
        text("Procedure", &["CABG", "TAVR", "Valve"]),
        number("Start_Year", 2010, 2019, 10),
        number("Number_of_Cases", 1, 900, 600),
    ])
}

#[test]
fn a_value_before_a_counted_noun_is_a_condition() {
    let read = reading(
        "How many CABG cases were there in 2019?",
        operations(),
        json!([]),
    );
    assert_eq!(measures(&read), ["Sum Number_of_Cases"]);
    assert_eq!(read.filters["Procedure"], json!("CABG"));
}

#[test]
fn a_short_form_before_a_name_ends_no_clause() {
    let francis = found(
        "St. Francis Hospital",
        "Hospital_Name",
        &[("St. Francis Hospital", 55)],
        "exact",
    );
    let question = "How many cases did St. Francis Hospital have?";
    let read = reading(question, operations(), json!([francis]));
    assert_eq!(
        read.filters["Hospital_Name"],
        json!("St. Francis Hospital"),
        "{read:?}"
    );
}

#[test]
fn days_are_not_records_of_years() {
    let question = "How many days do patients stay after a TAVR?";
    let read = reading(question, operations(), json!([]));
    assert!(read.unheld.iter().any(|said| said == "days"), "{read:?}");
}

#[test]
fn who_has_something_is_not_it() {
    let fields = json!([
        many("name", 413),
        text("hobby", &["Music", "Nature", "Play"]),
        text("personality", &["Jock", "Lazy", "Smug"]),
    ]);
    let read = reading("Who has the hobby music and is a jock?", fields, json!([]));
    assert_eq!(read.answer, AnswerShape::List, "{read:?}");
    assert_eq!(
        read.filters,
        *json!({"hobby": "Music", "personality": "Jock"})
            .as_object()
            .unwrap()
    );
}

#[test]
fn a_number_behind_a_truth_names_both() {
    let fields = json!([
        many("baker", 120),
        {"name": "series", "kind": "number", "range": [1, 10], "distinct": 10, "missing": 0},
        {"name": "series_winner", "kind": "number", "range": [0, 1], "distinct": 2, "missing": 0},
        number("age", 17, 71, 40),
    ]);
    let read = reading("who won series 6", fields, json!([]));
    assert_eq!(
        read.filters,
        *json!({"series": 6, "series_winner": 1})
            .as_object()
            .unwrap()
    );
}

#[test]
fn a_day_for_each_record_is_not_ranked() {
    let fields = json!([
        {"name": "Date", "kind": "date", "range": ["2018-02-05", "2022-02-04"], "distinct": 1009,
            "records": 1009},
        {"name": "Close", "kind": "number", "range": [230.0, 700.0], "distinct": 1000,
            "records": 1009},
    ]);
    let read = reading("On which day was the most traded?", fields, json!([]));
    assert!(read.histogram.is_none() && read.order.is_none(), "{read:?}");
    assert!(read.conditions.iter().any(|one| !one.is_applied()));
}
