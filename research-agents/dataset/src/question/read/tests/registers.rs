//! Tables of registers and statistics: columns of counts, of truths and of years that are called
//! otherwise, abbreviations, and what is asked of one thing and that no field holds.

use serde_json::{Value, json};

use crate::question::read::tests::tables::{many, reading, text};
use crate::question::reading::{OrderBy, QuestionReading, YesNoTest};

fn counts(name: &str, most: u64) -> Value {
    json!({"name": name, "kind": "number", "range": [0, most], "distinct": most, "missing": 0})
}

fn exact(text: &str, field: &str, value: &str) -> Value {
    let candidate = json!({"field": field, "value": value, "doc_count": 9, "match": "exact"});
    json!({"text": text, "candidates": [candidate]})
}

/// Crimes of each place and year, with a column for each kind.
fn crimes() -> Value {
    json!([
        {"name": "Year", "kind": "number", "range": [2012, 2019], "distinct": 8, "missing": 0},
        text("District", &["Mitte", "Pankow", "Spandau"]),
        many("Location", 150),
        counts("Bike", 1710),
        counts("Theft", 9000),
        counts("Injury", 2000),
        counts("Arson", 60),
        counts("Graffiti", 800),
    ])
}

fn batters() -> Value {
    json!([
        many("name", 1270),
        text("team", &["BOS", "NYY"]),
        counts("AB", 664),
        counts("HR", 48),
        counts("stolen_bases", 45),
    ])
}

fn ask(question: &str, fields: Value) -> QuestionReading {
    reading(question, fields, json!([]))
}

#[track_caller]
fn measures(read: &QuestionReading, wanted: &str) {
    let found: Vec<String> = read
        .measures
        .iter()
        .map(|one| format!("{:?} {}", one.function, one.field))
        .collect();
    assert_eq!(found.join(", "), wanted, "{read:?}");
}

#[test]
fn what_columns_count_is_added_up_where_most_or_more_of_it_are_asked_for() {
    let most = ask(
        "which location had the most bikes stolen in 2019?",
        crimes(),
    );
    measures(&most, "Sum Bike");
    assert_eq!(most.order.unwrap().by, OrderBy::Measure(0));

    let more = ask("Was there more graffiti in Pankow than in Mitte?", crimes());
    measures(&more, "Sum Graffiti");
    assert!(matches!(more.test, Some(YesNoTest::Groups { .. })));

    let explained = ask(
        "Combien d'incendies criminels (arson) à Spandau ?",
        crimes(),
    );
    measures(&explained, "Sum Arson");
}

#[test]
fn a_lot_of_one_thing_and_of_another_is_a_relation() {
    let question = "do the places with a lot of theft also have a lot of injuries?";
    let read = ask(question, crimes());
    let Some(YesNoTest::Related { fields, .. }) = &read.test else {
        panic!("{read:?}")
    };
    assert_eq!(*fields, ["Theft", "Injury"]);
}

#[test]
fn abbreviations_are_spelt_out_and_have_plurals() {
    let most = ask("Which player hit the most home runs?", batters());
    assert_eq!(most.order.unwrap().by, OrderBy::Field("HR".to_owned()));
    measures(&ask("total HRs of team NYY", batters()), "Sum HR");

    let top = ask("top 3 in stolen bases", batters());
    let order = top.order.unwrap();
    assert_eq!(order.by, OrderBy::Field("stolen_bases".to_owned()));
    assert_eq!(order.limit, Some(3));
}

#[test]
fn two_words_are_no_abbreviation_where_they_say_something_else() {
    let cars = json!([
        many("model", 300),
        {"name": "HP", "kind": "number", "range": [46, 230], "distinct": 90},
        {"name": "price", "kind": "number", "range": [900.5, 9000.5], "distinct": 300},
    ]);
    let read = ask("What is the highest price?", cars);
    measures(&read, "Max price");
}

#[test]
fn what_things_have_is_not_counted_in_their_place() {
    let restaurants = json!([
        many("name", 300),
        text("city", &["Oslo", "Bergen"]),
        counts("reviews", 900),
    ]);
    let read = ask("How many restaurants in Oslo have reviews?", restaurants);
    measures(&read, "");
    let expected = json!({"city": "Oslo", "reviews": {"gt": 0}});
    assert_eq!(json!(read.filters), expected);
}

#[test]
fn one_place_in_different_letters_is_one() {
    let runners = || json!([many("name", 900), {"name": "city", "kind": "text", "distinct": 90}]);
    let variants = ["Eau Claire", "EAU CLAIRE"];
    let candidate =
        |value: &str| json!({"field": "city", "value": value, "doc_count": 9, "match": "exact"});
    let entries = || json!([{"text": "Eau Claire", "candidates": variants.map(candidate)}]);
    let filters = |question: &str| json!(reading(question, runners(), entries()).filters);
    assert_eq!(
        filters("how many came from Eau Claire?"),
        json!({"city": variants})
    );
    let others = filters("how many are not from Eau Claire?");
    assert_eq!(others, json!({"city": {"not": variants}}));
}

#[test]
fn a_slip_begins_with_the_letter_of_its_value() {
    let people = || json!([many("first_name", 300), many("country", 90)]);
    let spelt = |text: &str, field: &str, value: &str| {
        let candidate =
            json!({"field": field, "value": value, "doc_count": 9, "match": "spelling"});
        json!([{"text": text, "candidates": [candidate]}])
    };
    let filters = |question: &str, found: Value| json!(reading(question, people(), found).filters);
    let weather = spelt("weather", "first_name", "Heather");
    assert_eq!(filters("what was the weather like?", weather), json!({}));
    let austria = spelt("osterrich", "country", "Österreich");
    assert_eq!(
        filters("how many from osterrich?", austria),
        json!({"country": "Österreich"})
    );
}

#[test]
fn a_truth_of_one_sex_is_said_by_words_for_both() {
    let customers = || {
        json!([
            {"name": "female", "kind": "number", "range": [0, 1], "distinct": 2, "values": [0, 1]},
            counts("tenure", 72),
        ])
    };
    let filters = |question: &str| json!(ask(question, customers()).filters);
    assert_eq!(filters("How many women are there?"), json!({"female": 1}));
    assert_eq!(filters("how many men are there"), json!({"female": 0}));
}

#[test]
fn a_column_called_time_has_years_where_its_numbers_may_be() {
    let spending = |low: u64, high: u64| {
        json!([
            text("LOCATION", &["USA", "DEU"]),
            {"name": "TIME", "kind": "number", "range": [low, high], "distinct": 40, "missing": 0},
            {"name": "USD_CAP", "kind": "number", "range": [1.5, 1100.2], "distinct": 900},
            {"name": "TOTAL_SPEND", "kind": "number", "range": [1.5, 9000.2], "distinct": 900},
        ])
    };
    let read = ask("top 3 by total spend in 2014", spending(1970, 2016));
    assert_eq!(json!(read.filters), json!({"TIME": 2014}));
    assert_eq!(read.group_by, ["LOCATION"]);
    measures(&read, "Sum TOTAL_SPEND");
    let seconds = ask("total spend in 2014", spending(60, 4000));
    assert!(seconds.filters.is_empty(), "{seconds:?}");

    let each = "did the USA spend more per person than Germany?";
    let entries = json!([exact("Germany", "LOCATION", "DEU")]);
    let each = reading(each, spending(1970, 2016), entries);
    measures(&each, "Sum USD_CAP");
}

#[test]
fn values_are_missing_or_there_in_the_words_of_people() {
    let table = || {
        json!([
            {"name": "flag_code", "kind": "text", "distinct": 9, "missing": 40},
            {"name": "tickets", "kind": "number", "range": [0, 90], "distinct": 60, "missing": 12},
            {"name": "codigo", "kind": "text", "distinct": 90, "missing": 12},
        ])
    };
    let filters = |question: &str| json!(ask(question, table()).filters);
    let missing = |field: &str, is: bool| json!({field: {"missing": is}});
    assert_eq!(
        filters("how many rows have a flag code?"),
        missing("flag_code", false)
    );
    let unknown = "For how many rows do we not know how many tickets were given out?";
    assert_eq!(filters(unknown), missing("tickets", true));
    assert_eq!(filters("Quantos não têm código?"), missing("codigo", true));
}

#[test]
fn the_whole_name_of_a_column_wins_over_a_unit() {
    let towns = json!([
        many("nom", 1255),
        counts("populationTotale", 7_000_000),
        counts("populationMunicipale", 7_000_000),
    ]);
    let question = "Combien ont une population municipale de moins de 10 000 habitants ?";
    let read = ask(question, towns);
    let below = json!({"populationMunicipale": {"lt": 10_000}});
    assert_eq!(json!(read.filters), below, "{read:?}");
}

#[test]
fn what_a_thing_is_asked_for_and_no_field_holds_is_said() {
    let games = || {
        json!([
            many("home_team", 90),
            many("away_team", 90),
            counts("goals", 30),
            {"name": "year", "kind": "number", "range": [1990, 2020], "distinct": 30,
                "records": 900},
        ])
    };
    let unheld = |question: &str, known: Value| reading(question, games(), known).unheld;
    let team = || json!([exact("Patriots", "home_team", "Patriots")]);
    assert_eq!(
        unheld("Who was the quarterback of the Patriots in 2007?", team()),
        ["quarterback"]
    );
    assert_eq!(unheld("the coach of the Patriots", team()), ["coach"]);
    let referee = "Who was the referee when the Patriots played?";
    assert!(unheld(referee, team()).contains(&"referee".to_owned()));

    let records = reading("games of the Patriots", games(), team());
    assert!(records.unheld.is_empty(), "{records:?}");
}
