//! Tables with a record for each year or period, and tables of counts.

use serde_json::{Value, json};

use super::tables::{many, measures, number, reading, text};
use crate::question::reading::{AnswerShape, QuestionReading, YesNoTest};

/// A year in each record.
fn marriages() -> Value {
    json!([
        number("Year", 1867, 2011, 145),
        number("Marriages", 345000, 2500000, 144),
        number("Divorces", 10000, 1220000, 140),
        {"name": "Divorces_per_1000", "kind": "number", "range": [0.3, 5.3], "distinct": 40},
    ])
}

/// Arrivals by quarter and country; the quarters are strings.
fn arrivals() -> Value {
    json!([
        {"name": "Quarter", "kind": "text", "distinct": 127, "missing": 0, "records": 508},
        text("Origin", &["Japan", "NZ", "UK", "US"]),
        number("Arrivals", 7000, 330000, 500),
    ])
}

/// Plays of games, with abbreviated names.
fn plays() -> Value {
    json!([
        many("gameid", 256),
        number("qtr", 1, 5, 5),
        text("off", &["DAL", "NE"]),
        text("def", &["DAL", "NE"]),
        number("down", 1, 4, 4),
        number("togo", 1, 40, 40),
    ])
}

fn read(question: &str, fields: Value) -> QuestionReading {
    reading(question, fields, json!([]))
}

#[test]
fn a_year_of_which_each_record_has_another_names_the_record() {
    for question in [
        "In which year were there the most weddings?",
        "When were marriages highest?",
    ] {
        let read = read(question, marriages());
        assert_eq!(read.answer, AnswerShape::Record, "{question}");
        assert!(read.wanted.contains(&"Year".into()), "{question}: {read:?}");
        assert!(read.dropped().next().is_none(), "{question}: {read:?}");
    }

    let rate = read("how many divorces per 1000 in 1981", marriages());
    assert_eq!(rate.answer, AnswerShape::List);
    assert!(
        rate.wanted.contains(&"Divorces_per_1000".into()),
        "{rate:?}"
    );
}

#[test]
fn how_many_more_asks_for_a_difference() {
    for question in [
        "How many more divorces were there in 1980 than in 1950?",
        "difference in divorces between 1950 and 1980",
        "By how much did divorces rise from 1950 to 1980?",
    ] {
        let read = read(question, marriages());
        assert_eq!(read.answer, AnswerShape::Compare, "{question}: {read:?}");
        assert_eq!(measures(&read), ["Sum Divorces"], "{question}");
        let Some(YesNoTest::Groups { field, values, .. }) = &read.test else {
            panic!("{question}: {read:?}");
        };
        assert_eq!(
            (field.as_str(), values),
            ("Year", &[json!(1980), json!(1950)])
        );
    }

    let plain = read(
        "How many more divorces were there than marriages?",
        marriages(),
    );
    assert_eq!(plain.answer, AnswerShape::Compare);
    assert!(matches!(plain.test, Some(YesNoTest::Measures { .. })));
}

#[test]
fn a_table_of_counts_is_added_up() {
    for (question, expected) in [
        (
            "How many travellers came from the UK?",
            AnswerShape::Measure,
        ),
        ("visitors per country", AnswerShape::Groups),
        (
            "which country sent the most visitors",
            AnswerShape::TopGroup,
        ),
        (
            "what share of the visitors came from the UK?",
            AnswerShape::Share,
        ),
        (
            "Did more people come from the UK than from the US?",
            AnswerShape::YesNo,
        ),
    ] {
        let read = read(question, arrivals());
        assert_eq!(read.answer, expected, "{question}: {read:?}");
        assert_eq!(measures(&read), ["Sum Arrivals"], "{question}");
    }

    for question in ["how many quarters are covered?", "how many rows are there"] {
        let read = read(question, arrivals());
        assert!(
            !measures(&read).contains(&"Sum Arrivals".into()),
            "{question}"
        );
    }
    let busy = read(
        "how many quarters had more than 100000 arrivals?",
        arrivals(),
    );
    assert!(busy.filters.contains_key("Arrivals"), "{busy:?}");
}

#[test]
fn a_year_or_quarter_within_texts_is_looked_up() {
    let asked = read(
        "arrivals from the US in the third quarter of 2000",
        arrivals(),
    );
    assert!(asked.further.contains(&"2000 Q3".into()), "{asked:?}");

    let candidate = |value: &str, matching: &str| {
        let (field, doc_count) = ("Quarter", 4);
        json!({"field": field, "value": value, "doc_count": doc_count, "match": matching})
    };
    let entries = json!([{"text": "2000 Q3", "candidates": [candidate("2000 Q3", "exact")]}]);
    let asked = "arrivals in the third quarter of 2000";
    let found = reading(asked, arrivals(), entries);
    assert_eq!(found.filters["Quarter"], "2000 Q3");

    let all = [candidate("2005 Q1", "words"), candidate("2005 Q2", "words")];
    let entries = json!([{"text": "2005", "candidates": all}]);
    let asked = "How many travellers came in 2005?";
    let year = reading(asked, arrivals(), entries);
    assert_eq!(year.filters["Quarter"], json!({"contains": "2005"}));
    // Strings that contain the digits elsewhere name no period.
    let entries =
        json!([{"text": "2005", "candidates": [candidate("hall 2005 of the fair", "words")]}]);
    let year = reading(asked, arrivals(), entries);
    assert!(!year.filters.contains_key("Quarter"));
}

#[test]
fn ordinals_are_numbers_of_a_field() {
    let read = read(
        "how many plays on fourth down in the third quarter?",
        plays(),
    );
    assert_eq!(read.filters["down"], 4);
    assert_eq!(read.filters["qtr"], 3);
}

#[test]
fn abbreviated_and_joined_names_are_found() {
    let offense = read("which team was on offense in the most plays?", plays());
    assert_eq!(offense.group_by, ["off"]);

    let acronym = read(
        "average per capita income by state",
        json!([
            text("state", &["Ohio", "Utah"]),
            number("pci", 9000, 60000, 900)
        ]),
    );
    assert_eq!(measures(&acronym), ["Mean pci"]);

    let turnout = read(
        "average turnout in each region",
        json!([
            text("region", &["South", "West"]),
            number("turnoutho", 40, 70, 50)
        ]),
    );
    assert_eq!(measures(&turnout), ["Mean turnoutho"]);
    assert_eq!(turnout.group_by, ["region"]);
}

#[test]
fn a_noun_and_a_verb_name_a_field_together() {
    let injuries = json!([
        many("Player", 300),
        many("Game", 250),
        text("Position", &["Quarterback", "Tackle"]),
        number("Games Missed", 0, 14, 12),
    ]);
    let mean = read(
        "on average, how many games did tackles miss?",
        injuries.clone(),
    );
    assert_eq!(measures(&mean), ["Mean Games Missed"]);

    let most = read("Welcher Player hat die meisten Spiele verpasst?", injuries);
    assert!(most.wanted.contains(&"Games Missed".into()), "{most:?}");
}

#[test]
fn a_share_is_of_the_noun_before_its_verb() {
    let sleep = json!([
        text("Occupation", &["Nurses", "Teachers"]),
        text("Sleep Disorder", &["Insomnia", "Sleep Apnea"]),
    ]);
    let read = read(
        "what percentage of the nurses suffer from sleep apnea?",
        sleep,
    );
    assert_eq!(read.filters["Occupation"], "Nurses");
    assert_eq!(read.part["Sleep Disorder"], "Sleep Apnea");
}

#[test]
fn times_of_day_and_days_without_a_year_are_read() {
    let weather = json!([
        {"name": "date", "kind": "date", "range": ["2023-05-01", "2023-05-31"], "distinct": 31},
        {"name": "time", "kind": "text", "values": ["12:20", "12:50"], "distinct": 2},
        number("temp", 10, 30, 40),
    ]);
    let clock = read("temperature at 12:20 on May 15, 2023", weather.clone());
    assert_eq!(clock.filters["time"], "12:20");

    let week = read("mean temperature from May 1 to May 7", weather);
    assert_eq!(
        week.filters["date"],
        json!({"gte": "2023-05-01", "lt": "2023-05-08"})
    );
}

#[test]
fn a_place_is_where_several_things_are() {
    let counties = json!([
        {"name": "county", "kind": "text", "distinct": 1900, "missing": 0, "records": 3231},
        text("states", &["Delaware", "Ohio"]),
    ]);
    let entries = json!([{"text": "Delaware", "candidates": [
        {"field": "states", "value": "Delaware", "doc_count": 3, "match": "exact"},
        {"field": "county", "value": "Delaware County", "doc_count": 6, "match": "words"}]}]);
    let read = reading("list all the counties of Delaware", counties, entries);
    assert_eq!(read.filters["states"], "Delaware");
    assert!(!read.filters.contains_key("county"));
}

#[test]
fn a_number_with_a_unit_is_of_the_measure_of_that_size() {
    let peaks = json!([
        many("Peak", 46),
        number("Elevation", 3820, 5344, 45),
        number("Difficulty", 1, 7, 7),
        {"name": "Length", "kind": "number", "range": [1.8, 18.0], "distinct": 40},
        {"name": "Time", "kind": "number", "range": [2.0, 18.0], "distinct": 30},
    ]);
    for question in [
        "how many peaks are between 4,500 and 5,000 feet high?",
        "peaks of more than 4,500 feet",
    ] {
        let read = read(question, peaks.clone());
        assert!(
            read.filters.contains_key("Elevation"),
            "{question}: {read:?}"
        );
    }

    let hours = read("Which mountain takes the most hours?", peaks.clone());
    assert!(hours.wanted.contains(&"Time".into()), "{hours:?}");
    let harder = read("Are the higher mountains also more difficult?", peaks);
    assert!(
        matches!(&harder.test, Some(YesNoTest::Related { fields, .. })
            if fields == &["Elevation".to_owned(), "Difficulty".to_owned()]),
        "{harder:?}"
    );
}

#[test]
fn a_column_for_each_kind_is_what_people_are_counted_in() {
    let jobs = json!([
        {"name": "month", "kind": "date", "range": ["2006-01-01", "2015-12-01"],
            "distinct": 120, "missing": 0},
        number("construction", 5400, 7700, 119),
        number("retail_trade", 14000, 16000, 118),
    ]);
    let people = read(
        "How many people worked in construction in June 2010?",
        jobs.clone(),
    );
    assert_eq!(measures(&people), ["Mean construction"]);
    let peak = read("When were the most people working in retail?", jobs);
    assert!(peak.wanted.contains(&"retail_trade".into()), "{peak:?}");
}

#[test]
fn a_known_word_is_no_misspelt_name() {
    let players = json!([many("last_name", 400), number("height", 69, 90, 20)]);
    let entries = json!([{"text": "league", "candidates": [
        {"field": "last_name", "value": "Teague", "doc_count": 1, "match": "spelling"}]}]);
    let read = reading("who's the shortest guy in the league?", players, entries);
    assert!(read.filters.is_empty(), "{read:?}");
}
