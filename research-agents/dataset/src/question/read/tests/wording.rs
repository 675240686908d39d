//! Everyday words for what tables hold in other ways: none and some of what a column counts,
//! numbered values, the latest of several columns, and what the data itself is called.

use serde_json::{Value, json};

use crate::question::read::read;
use crate::question::read::tests::tables::{many, reading, text};
use crate::question::reading::{AnswerShape, Lookup, OrderBy, QuestionReading, YesNoTest};

fn counts(name: &str, most: u64) -> Value {
    json!({"name": name, "kind": "number", "range": [0, most], "distinct": most, "missing": 0})
}

fn decimals(name: &str) -> Value {
    json!({"name": name, "kind": "number", "range": [1.5, 900.5], "distinct": 600, "missing": 0})
}

fn ask(question: &str, fields: Value) -> QuestionReading {
    reading(question, fields, json!([]))
}

#[track_caller]
fn filters(read: &QuestionReading, expected: Value) {
    assert_eq!(json!(read.filters), expected, "{read:?}");
}

#[test]
fn none_of_what_a_column_counts_is_zero() {
    let players = || {
        json!([
            many("name", 600),
            counts("goals", 130),
            counts("children", 9)
        ])
    };
    for question in [
        "how many players have never scored?",
        "how many players have not scored a single goal?",
        "in how many cases did nobody score?",
        "how many did not score?",
    ] {
        filters(&ask(question, players()), json!({"goals": 0}));
    }

    let both = ask("how many have no goals or children?", players());
    filters(&both, json!({"goals": 0, "children": 0}));
    let some = ask("how many players had children?", players());
    filters(&some, json!({"children": {"gt": 0}}));
}

#[test]
fn the_sum_of_nothing_is_no_sum() {
    let shootings = json!([many("city", 300), counts("dead", 60)]);
    let read = ask("how many shootings killed nobody?", shootings);
    filters(&read, json!({"dead": 0}));
    assert!(read.measures.is_empty(), "{read:?}");
}

#[test]
fn to_have_something_is_not_to_have_none() {
    let people = || {
        json!([
            many("id", 300),
            text("Sleep Disorder", &["Insomnia", "None"])
        ])
    };
    let share = ask("what percentage of people have a sleep disorder?", people());
    assert_eq!(
        json!(share.part),
        json!({"Sleep Disorder": {"not": "None"}})
    );
    let count = ask("how many have a sleep disorder?", people());
    filters(&count, json!({"Sleep Disorder": {"not": "None"}}));
}

#[test]
fn a_number_next_to_its_field_may_be_a_numbered_value() {
    let queens = || {
        let seasons = ["S01", "S02", "S06", "S10"];
        json!([
            many("contestant", 180),
            text("season", &seasons),
            counts("age", 52)
        ])
    };
    filters(
        &ask("who was the oldest in season 6?", queens()),
        json!({"season": "S06"}),
    );
    filters(&ask("how many were in season 7?", queens()), json!({}));
}

#[test]
fn the_latest_of_columns_for_several_years_is_meant() {
    let towns = || {
        json!([
            many("name", 400),
            decimals("population_1996"),
            decimals("population_2011"),
            decimals("population_2021"),
        ])
    };
    let biggest = ask("which town is the biggest by population?", towns());
    let order = biggest.order.unwrap();
    assert_eq!(order.by, OrderBy::Field("population_2021".to_owned()));
    assert_eq!(biggest.doubtful.len(), 1);
    let named = ask("what was the average population in 1996?", towns());
    assert_eq!(named.measures[0].field, "population_1996");
    assert!(named.doubtful.is_empty());
}

#[test]
fn what_the_data_is_called_are_its_records() {
    let colleges = json!([
        many("organizationName", 498),
        text("collegeType", &["Private", "Public"]),
        text("kind", &["college", "school"]),
        decimals("students"),
    ]);
    let fields: Vec<_> = serde_json::from_value(colleges).unwrap();
    let ask = |question: &str| {
        let titles = ["colleges".to_owned()];
        read(question, &fields, &Lookup::default(), &[], &titles)
    };

    let most = ask("which college has the most students?");
    assert_eq!(most.answer, AnswerShape::Record, "{most:?}");
    assert!(most.group_by.is_empty());
    filters(
        &ask("how many colleges are public?"),
        json!({"collegeType": "Public"}),
    );
    let others = ask("how many are something other than a college?");
    filters(&others, json!({"kind": {"not": "college"}}));
}

#[test]
fn a_bound_may_be_said_before_the_name_of_its_number() {
    let quakes = || json!([many("area", 100), decimals("magnitude")]);
    for question in [
        "how many exceeded magnitude 8?",
        "how many were above a magnitude of 8?",
    ] {
        filters(&ask(question, quakes()), json!({"magnitude": {"gt": 8}}));
    }
    let same = ask("how many were of magnitude 8?", quakes());
    filters(&same, json!({"magnitude": 8}));
}

#[test]
fn a_measure_in_another_unit_is_not_compared() {
    let people = json!([
        many("name", 100),
        text("gender", &["female", "male"]),
        decimals("height_cm"),
        decimals("weight_kg"),
    ]);
    let read = ask("average weight of men over 180 cm", people);
    assert_eq!(read.measures[0].field, "weight_kg");
    filters(&read, json!({"gender": "male", "height_cm": {"gt": 180}}));
}

#[test]
fn when_and_where_a_superlative_was_may_be_asked_behind_it() {
    let weather = || {
        json!([
            {"name": "date", "kind": "date", "range": ["2023-05-01", "2023-05-31"]},
            text("station", &["A", "B"]),
            decimals("temp"),
        ])
    };
    for question in ["lowest temp and when?", "when was the temp lowest?"] {
        let read = ask(question, weather());
        assert_eq!(read.answer, AnswerShape::Record, "{read:?}");
        assert!(read.wanted.contains(&"date".to_owned()), "{read:?}");
    }
}

#[test]
fn no_superlative_vanishes() {
    let food = json!([
        many("item", 500),
        text("salad", &["Other"]),
        decimals("calories")
    ]);
    let entries = json!([{"text": "healthiest", "candidates": []}]);
    let read = reading("which item is the healthiest salad?", food, entries);
    let told = |said: &str| {
        let mut all = read.conditions.iter().map(|condition| &condition.said);
        all.any(|own| own.contains(said)) || read.unread.iter().any(|own| own.contains(said))
    };
    assert!(told("healthiest"), "{read:?}");
}

#[test]
fn continents_have_codes_and_other_places_other_names() {
    let airports = || {
        json!([
            many("name", 5000),
            text("continent", &["AF", "AS", "EU", "NA"]),
            text("country", &["South Africa", "Italy", "Ireland"]),
        ])
    };

    filters(
        &ask("how many are in Asia?", airports()),
        json!({"continent": "AS"}),
    );
    let african = ask("how many African airports are there?", airports());
    filters(&african, json!({"continent": "AF"}));
    let cities = json!([
        many("name", 5000),
        text("country", &["South Africa", "Italy"])
    ]);
    filters(&ask("how many are in Africa?", cities), json!({}));
}

#[test]
fn a_word_of_the_data_is_no_slip() {
    let foods = || json!([many("Food", 300), decimals("Calories")]);
    let found = json!({"field": "Food", "value": "Butter", "doc_count": 3, "match": "case"});
    let entries = json!([{"text": "butter", "candidates": [found]}]);
    let read = reading("how many calories does butter have?", foods(), entries);
    filters(&read, json!({"Food": "Butter"}));
    let slip = ask("how meny calories does it have?", foods());
    assert!(slip.further.contains(&"meny".to_owned()), "{slip:?}");
}

#[test]
fn a_denial_with_a_hyphen_denies_one_word() {
    let patients = json!([
        many("id", 900),
        text("sex", &["female", "male"]),
        text("smoker", &["no", "yes"]),
        text("region", &["northeast", "southwest"]),
    ]);
    let read = ask("how many non-smoking men are in the southwest?", patients);
    let expected = json!({"sex": "male", "smoker": "no", "region": "southwest"});
    filters(&read, expected);
}

#[test]
fn joined_names_end_with_a_word_that_is_said() {
    let counties = || {
        json!([
            many("county", 400),
            decimals("percbelowpoverty"),
            decimals("percollege"),
        ])
    };
    let most = ask("which county has the most poverty?", counties());
    assert_eq!(most.measures[0].field, "percbelowpoverty", "{most:?}");
    let related = ask("does college go up with poverty?", counties());
    let fields = ["percollege", "percbelowpoverty"].map(str::to_owned);
    assert_eq!(related.answer, AnswerShape::YesNo);
    let together = Some(true);
    assert_eq!(related.test, Some(YesNoTest::Related { fields, together }));
}

#[test]
fn apostrophes_and_initials_may_be_written_otherwise() {
    let players = || {
        json!([
            many("short_name", 900),
            decimals("overall"),
            counts("goals", 90)
        ])
    };
    let found =
        json!({"field": "short_name", "value": "H. Kane", "doc_count": 1, "match": "exact"});
    let entries = json!([{"text": "H. Kane", "candidates": [found]}]);
    let read = reading("what is the overall of H. Kane?", players(), entries);
    filters(&read, json!({"short_name": "H. Kane"}));
    filters(
        &ask("how many players didnt score?", players()),
        json!({"goals": 0}),
    );
}
