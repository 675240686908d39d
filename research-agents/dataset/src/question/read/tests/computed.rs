//! Two columns against each other: within each record, between two years, and between two dates.

use serde_json::{Value, json};

use super::tables::{many, measures, number, reading, text};
use crate::question::reading::{AnswerShape, OrderBy, Outcome, QuestionReading};

/// Fields of which a tool computes others.
fn computable(fields: Value) -> Value {
    let Value::Array(mut fields) = fields else {
        panic!("fields are a list")
    };
    for field in &mut fields {
        field["operations"] = json!(["minus", "plus", "over"]);
        field["can_lack"] = json!(field["kind"] == "text");
    }
    Value::Array(fields)
}

fn date(name: &str, first: &str, last: &str) -> Value {
    json!({"name": name, "kind": "date", "range": [first, last], "distinct": 300})
}

/// Games with the goals of both sides.
fn games() -> Value {
    computable(json!([
        text("home_team", &["Ajax", "Bergen", "Celta"]),
        text("away_team", &["Ajax", "Bergen", "Celta"]),
        number("home_goals", 0, 9, 10),
        number("away_goals", 0, 7, 8),
        number("year", 1990, 2020, 30),
    ]))
}

/// Places with columns for years.
fn places() -> Value {
    computable(json!([
        many("place", 400),
        number("population_2016", 90, 900_000, 400),
        number("population_2021", 80, 950_000, 400),
        number("density_2016", 1, 4_000, 300),
        number("density_2021", 1, 4_100, 300),
        number("men", 40, 450_000, 400),
        number("women", 40, 460_000, 400),
    ]))
}

/// Stays with two dates.
fn stays() -> Value {
    computable(json!([
        many("patient", 1_000),
        text("ward", &["Surgery", "Emergency"]),
        date("arrival_date", "2024-01-01", "2024-12-20"),
        date("departure_date", "2024-01-03", "2024-12-31"),
    ]))
}

fn asked(question: &str, fields: Value) -> QuestionReading {
    reading(question, fields, json!([]))
}

#[test]
fn records_are_selected_by_one_field_against_another() {
    for (question, fields, field, condition) in [
        (
            "How many places have more women than men?",
            places(),
            "women − men",
            json!({"gt": 0}),
        ),
        (
            "places with fewer women than men",
            places(),
            "women − men",
            json!({"lt": 0}),
        ),
        (
            "In how many games did the guests score more goals than the hosts?",
            games(),
            "away_goals − home_goals",
            json!({"gt": 0}),
        ),
        (
            "How many games did the away team win?",
            games(),
            "home_goals − away_goals",
            json!({"lt": 0}),
        ),
        (
            "How many games ended in a draw in 2010?",
            games(),
            "home_goals − away_goals",
            json!(0),
        ),
        (
            "Wie viele Spiele endeten unentschieden?",
            games(),
            "home_goals − away_goals",
            json!(0),
        ),
        (
            "How many places lost population from 2016 to 2021?",
            places(),
            "population_2021 − population_2016",
            json!({"lt": 0}),
        ),
        (
            "How many places had fewer inhabitants in 2021 than in 2016?",
            places(),
            "population_2021 − population_2016",
            json!({"lt": 0}),
        ),
        (
            "How many patients stayed longer than 10 days?",
            stays(),
            "departure_date − arrival_date in days",
            json!({"gt": 10}),
        ),
    ] {
        let read = asked(question, fields);
        assert_eq!(
            read.filters.get(field),
            Some(&condition),
            "{question}: {read:?}"
        );
    }

    let year = asked("How many games ended in a draw in 2010?", games());
    assert_eq!(year.filters["year"], json!(2010));
}

#[test]
fn the_part_of_a_share_is_what_is_compared() {
    let read = asked(
        "What percentage of the games in 1999 ended in a draw?",
        games(),
    );
    assert_eq!(read.answer, AnswerShape::Share);
    assert_eq!(
        read.part.keys().collect::<Vec<_>>(),
        ["home_goals − away_goals"]
    );
    assert_eq!(read.filters.keys().collect::<Vec<_>>(), ["year"]);
}

#[test]
fn records_are_ranked_by_a_difference() {
    for (question, fields, field, highest, limit) in [
        (
            "Which place grew the most between 2016 and 2021?",
            places(),
            "population_2021 − population_2016",
            true,
            1,
        ),
        (
            "Which place lost the most people between 2016 and 2021?",
            places(),
            "population_2021 − population_2016",
            false,
            1,
        ),
        (
            "top 5 places by growth of density from 2016 to 2021",
            places(),
            "density_2021 − density_2016",
            true,
            5,
        ),
        (
            "Which patient stayed the longest?",
            stays(),
            "departure_date − arrival_date in days",
            true,
            1,
        ),
    ] {
        let read = asked(question, fields);

        let order = read
            .order
            .clone()
            .unwrap_or_else(|| panic!("{question}: {read:?}"));
        assert_eq!(order.by, OrderBy::Field(field.to_owned()), "{question}");
        assert_eq!(
            (order.highest, order.limit),
            (highest, Some(limit)),
            "{question}"
        );
    }
}

#[test]
fn the_largest_gap_has_a_direction_that_is_said() {
    let read = asked(
        "Where is the difference between men and women the largest?",
        places(),
    );
    assert_eq!(
        read.order.unwrap().by,
        OrderBy::Field("men − women".to_owned())
    );
    let outcome = Outcome::Ambiguous {
        fields: vec!["men − women".to_owned()],
    };
    assert!(read.conditions.iter().any(|one| one.outcome == outcome));
}

#[test]
fn times_between_dates_are_measured_in_days() {
    let days = "Mean departure_date − arrival_date in days";
    for question in [
        "How long do patients stay on average?",
        "average stay by ward",
        "How many days on average are there between arrival and departure?",
        "How much time passes between arrival and departure on average?",
    ] {
        assert_eq!(measures(&asked(question, stays())), [days], "{question}");
    }

    let change = asked(
        "How much did the population grow from 2016 to 2021?",
        places(),
    );
    assert_eq!(measures(&change), ["Sum population_2021 − population_2016"]);
}

#[test]
fn what_the_tool_does_not_compute_is_not_asked_for() {
    let Value::Array(mut fields) = places() else {
        panic!("fields are a list")
    };
    for field in &mut fields {
        field["operations"] = json!([]);
    }
    let read = asked(
        "How many places have more women than men?",
        Value::Array(fields),
    );
    assert!(read.filters.is_empty(), "{read:?}");
}

#[test]
fn texts_may_be_denied() {
    let fields = || computable(json!([many("name", 50), text("kind", &["a", "b"])]));
    for question in [
        "places without Nova in the name",
        "Which of them does not have the word \"Nova\" in its name?",
        "How many names do not contain Nova?",
    ] {
        let read = asked(question, fields());
        let filters = &read.filters;
        assert_eq!(
            filters.get("name"),
            Some(&json!({"lacks": "Nova"})),
            "{question}: {read:?}"
        );
    }
}

#[test]
fn numbers_that_no_field_reaches_are_in_millions() {
    let pay = json!([
        many("name", 100),
        {"name": "Total Pay", "kind": "number", "range": [0.0, 53.25], "distinct": 98},
        {"name": "Cash Pay", "kind": "number", "range": [0.0, 24.9], "distinct": 98},
    ]);
    let read = asked(
        "How many were paid more than 20 million dollars in total?",
        pay.clone(),
    );
    assert_eq!(read.filters["Total Pay"], json!({"gt": 20}));
    assert!(
        read.notes.iter().any(|note| note.contains("20 million")),
        "{:?}",
        read.notes
    );

    // A number that is far from all values in either unit stays as it is written.
    let read = asked("cash pay above 9000 million", pay);
    assert_eq!(read.filters["Cash Pay"], json!({"gt": 9_000_000_000_i64}));
}

#[test]
fn what_is_said_behind_a_question_adds_nothing_unless_it_names_something() {
    let read = asked(
        "How many patients came to Surgery? I'm just curious.",
        stays(),
    );
    assert_eq!(read.filters.keys().collect::<Vec<_>>(), ["ward"]);
    assert!(read.unread.is_empty(), "{read:?}");

    let read = asked(
        "How many patients were there? I mean those in Surgery.",
        stays(),
    );
    assert_eq!(read.filters["ward"], json!("Surgery"));
}

/// Players, houses and shops, with numbers for each unit of another one.
fn shops() -> Value {
    computable(json!([
        many("shop", 200),
        text("region", &["North", "South"]),
        number("sales", 0, 90_000, 200),
        number("profit", -500, 9_000, 200),
        number("sqft", 100, 9_000, 180),
        number("employees", 1, 90, 60),
        number("employee_age", 18, 70, 40),
        number("visits", 0, 5_000, 190),
        number("returns", 0, 500, 120),
    ]))
}

fn computed_of(read: &QuestionReading) -> Option<String> {
    let sorted = read.order.as_ref().and_then(|order| match &order.by {
        OrderBy::Field(field) => Some(field.clone()),
        _ => None,
    });
    sorted.or_else(|| read.measures.first().map(|measure| measure.field.clone()))
}

#[test]
fn numbers_for_each_unit_of_another_are_ratios() {
    for (question, field) in [
        ("average sales per square foot", "sales ÷ sqft"),
        (
            "Which shop has the highest sales per employee?",
            "sales ÷ employees",
        ),
        ("sales per visit by region", "sales ÷ visits"),
        ("Which shop has the best profit margin?", "profit ÷ sales"),
        (
            "the ratio of returns to visits on average",
            "returns ÷ visits",
        ),
        (
            "Durchschnittlicher Profit pro Besuch (visits)?",
            "profit ÷ visits",
        ),
    ] {
        let read = asked(question, shops());
        assert_eq!(
            computed_of(&read).as_deref(),
            Some(field),
            "{question}: {read:?}"
        );
    }

    let read = asked(
        "How many shops have more than 300 sales per employee?",
        shops(),
    );
    assert_eq!(
        read.filters["sales ÷ employees"],
        json!({"gt": 300}),
        "{read:?}"
    );

    // A region groups.
    let grouped = asked("average sales per region", shops());
    assert_eq!(grouped.group_by, ["region"]);
    assert_eq!(measures(&grouped), ["Mean sales"]);

    // Growth in percent ranks as the ratio of both years does.
    let percent = asked(
        "Which place grew the most in percent from 2016 to 2021?",
        places(),
    );
    let ratio = "population_2021 ÷ population_2016";
    assert_eq!(computed_of(&percent).as_deref(), Some(ratio), "{percent:?}");
}

#[test]
fn two_numbers_are_added_where_they_are_said_together() {
    let read = asked("Who had the most visits and returns combined?", shops());
    assert_eq!(
        computed_of(&read).as_deref(),
        Some("visits + returns"),
        "{read:?}"
    );

    // The goals of a game are those of both sides, unless a side or a team is named.
    let read = asked("How many goals were scored per game on average?", games());
    assert_eq!(
        measures(&read),
        ["Mean home_goals + away_goals"],
        "{read:?}"
    );
    let read = asked("How many games had more than 8 goals?", games());
    assert_eq!(
        read.filters["home_goals + away_goals"],
        json!({"gt": 8}),
        "{read:?}"
    );
    let read = asked("average home goals", games());
    assert_eq!(measures(&read), ["Mean home_goals"]);
}
