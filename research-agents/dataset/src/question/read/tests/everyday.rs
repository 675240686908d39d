//! Tables of everyday life, asked by people who do not know how they are built.

use serde_json::{Value, json};

use super::tables::{many, number, reading, text};
use crate::question::reading::{AnswerShape, OrderBy, QuestionReading, Sign, YesNoTest};

/// Seasons of clubs.
fn seasons() -> Value {
    json!([
        many("club_name", 60),
        number("year", 1950, 2020, 70),
        number("games_played", 20, 40, 20),
        number("wins", 0, 38, 38),
        number("home_attendance", 1000, 900000, 1900),
        number("homeruns", 0, 307, 250),
    ])
}

/// Months of cities.
fn homes() -> Value {
    json!([
        text("city", &["Abilene", "Austin", "Dallas", "Houston"]),
        number("year", 2000, 2015, 16),
        number("sales", 0, 9000, 1500),
        number("listings", 0, 90000, 1600),
    ])
}

/// Schools with a number of each, and people who state their pay.
fn schools() -> Value {
    json!([
        number("district", 61382, 75440, 420),
        many("school", 420),
        text("county", &["Alameda", "Butte"]),
        number("teachers", 5, 1429, 300),
        number("computer", 0, 3324, 200),
        number("read", 604, 704, 310),
        number("math", 605, 709, 312),
    ])
}

fn staff() -> Value {
    json!([
        {"name": "timestamp", "kind": "date", "distinct": 400},
        many("job_title", 120),
        text("rating", &["High", "Top"]),
        {"name": "salary", "kind": "number", "range": [10, 900], "missing": 56, "distinct": 300},
        text("salary_type", &["hour", "year"]),
        {"name": "percent_incr", "kind": "number", "range": [0, 40], "distinct": 60},
        text("employed", &["No", "Yes"]),
        text("sex", &["Female", "Male"]),
    ])
}

fn read(question: &str, fields: Value) -> QuestionReading {
    reading(question, fields, json!([]))
}

/// Returns what is measured, by what, and how many groups are asked for.
fn measured(read: &QuestionReading) -> (Vec<String>, Vec<&str>, Option<u64>) {
    let measures = read.measures.iter();
    let measures = measures.map(|one| format!("{:?} {}", one.function, one.field));
    let groups = read.group_by.iter().map(String::as_str).collect();
    let limit = read.order.as_ref().and_then(|order| order.limit);
    (measures.collect(), groups, limit)
}

#[test]
fn the_verb_says_which_number_is_counted() {
    let won = reading(
        "How many games did the Lions win in 1999?",
        seasons(),
        json!([{"text": "Lions", "candidates":
            [{"field": "club_name", "value": "Lions", "doc_count": 70, "match": "exact"}]}]),
    );
    assert_eq!(measured(&won).0, ["Sum wins"]);
    assert_eq!(
        json!(won.filters),
        json!({"club_name": "Lions", "year": 1999})
    );

    for question in [
        "How many homes were sold in Austin?",
        "¿Cuántas casas se vendieron en Austin?",
    ] {
        let sold = read(question, homes());
        assert_eq!(measured(&sold).0, ["Sum sales"], "{question}");
    }
    let most = read("Where were the most homes sold in 2014?", homes());
    assert_eq!(
        measured(&most),
        (vec!["Sum sales".to_owned()], vec!["city"], Some(1))
    );
}

#[test]
fn a_number_apart_from_the_superlative_says_how_many() {
    for question in [
        "top 3 cities by listings",
        "which 3 cities have the most listings",
        "the three cities with the most listings",
        "Welche drei Städte haben die meisten listings?",
    ] {
        let found = read(question, homes());
        let expected = (vec!["Sum listings".to_owned()], vec!["city"], Some(3));
        assert_eq!(measured(&found), expected, "{question}");
    }

    let best = read(
        "the three districts with the best reading scores",
        schools(),
    );
    assert!(best.filters.is_empty(), "{:?}", best.filters);
    let order = best.order.unwrap();
    assert_eq!(
        (order.by, order.limit),
        (OrderBy::Field("read".into()), Some(3))
    );
}

#[test]
fn one_season_is_one_record() {
    let season = read(
        "Which club hit the most homers in a single season?",
        seasons(),
    );
    assert_eq!(season.answer, AnswerShape::Record);
    assert_eq!(season.order.unwrap().by, OrderBy::Field("homeruns".into()));
    let all = read("Which club hit the most homers?", seasons());
    assert_eq!(measured(&all).0, ["Sum homeruns"]);
    assert_eq!(all.answer, AnswerShape::TopGroup);
}

#[test]
fn the_thing_with_a_superlative_is_a_record() {
    let title = read("Job title of the person with the highest salary?", staff());
    assert_eq!(
        (title.answer, title.wanted),
        (
            AnswerShape::Record,
            vec!["job_title".into(), "salary".into()]
        )
    );
    let number = read("What is the highest salary?", staff());
    assert_eq!(measured(&number).0, ["Max salary"]);
}

#[test]
fn numbers_that_tell_things_apart_measure_nothing() {
    let without = read(
        "How many of these districts don't have a single computer?",
        schools(),
    );
    assert_eq!(
        (without.answer, json!(without.filters)),
        (AnswerShape::Count, json!({"computer": 0}))
    );
    let teachers = read(
        "Quanti insegnanti ci sono in totale nella contea di Butte?",
        schools(),
    );
    assert_eq!(measured(&teachers).0, ["Sum teachers"]);
    assert_eq!(json!(teachers.filters), json!({"county": "Butte"}));
}

#[test]
fn what_was_not_given_is_missing() {
    for question in [
        "how many people didn't give their salary",
        "how many have not stated a salary",
    ] {
        let found = read(question, staff());
        assert_eq!(
            json!(found.filters),
            json!({"salary": {"missing": true}}),
            "{question}"
        );
    }
}

#[test]
fn other_and_misspelt_words_for_columns_are_known() {
    let raise = read("average percentage raise for each rating", staff());
    assert_eq!(
        measured(&raise),
        (vec!["Mean percent_incr".into()], vec!["rating"], None)
    );
    let jobless = read("how many unemployd men are there", staff());
    assert_eq!(
        json!(jobless.filters),
        json!({"employed": "No", "sex": "Male"})
    );
    let names = read("Quanti nomi di club diversi ci sono in tutto?", seasons());
    assert_eq!(
        (names.answer, names.measures[0].field.as_str()),
        (AnswerShape::Distinct, "club_name")
    );
}

#[test]
fn the_sentence_that_asks_may_be_the_second_one() {
    let read = read(
        "I suspect that they are better at maths. Is the average math score higher than the \
         reading one?",
        schools(),
    );
    assert_eq!(measured(&read).0, ["Mean math", "Mean read"]);
    assert!(
        matches!(read.test, Some(YesNoTest::Measures { .. })),
        "{:?}",
        read.test
    );
}

#[test]
fn a_noun_that_no_number_measures_is_not_held() {
    let rent = read("what is the average rent in Dallas?", homes());
    assert_eq!(
        (rent.unheld, rent.answer),
        (vec!["rent".to_owned()], AnswerShape::Overview)
    );
}

#[test]
fn an_article_is_one_of_a_unit() {
    let prices = json!([
        {"name": "selling_price", "kind": "number", "range": [0.5, 2.1], "distinct": 120},
        text("type", &["Conventional", "Organic"]),
    ]);
    let cheap = read("How many sold for less than a dollar?", prices);
    assert_eq!(json!(cheap.filters), json!({"selling_price": {"lt": 1}}));
}

/// Losses of data, and films with prizes.
fn breaches() -> Value {
    json!([
        many("covered_entity", 1000),
        text("date_of_breach", &["2011-01-02", "2012-03-04"]),
        number("individuals_affected", 500, 4_900_000, 900),
        text("service", &["emergency", "surgery"]),
        text("is_reported", &["false", "true"]),
        text("month", &["Feb-2018", "Mar-2018"]),
    ])
}

fn prices() -> Value {
    json!([
        {"name": "date", "kind": "date", "distinct": 700},
        {"name": "tea_mombasa", "kind": "number", "range": [0.5, 4.0], "distinct": 600},
        {"name": "tea_kolkata", "kind": "number", "range": [0.5, 4.0], "distinct": 600},
    ])
}

#[test]
fn a_million_is_a_number_and_people_are_what_a_field_counts() {
    let many_people = read(
        "Which entities lost the data of more than a million people?",
        breaches(),
    );
    assert_eq!(
        json!(many_people.filters),
        json!({"individuals_affected": {"gt": 1_000_000}})
    );
    let hurt = read("¿Cuántas personas fueron afectadas en total?", breaches());
    assert_eq!(measured(&hurt).0, ["Sum individuals_affected"]);
}

#[test]
fn a_group_named_in_part_is_not_what_a_superlative_asks_for() {
    for question in ["Who had the biggest breach?", "the single biggest breach"] {
        let biggest = read(question, breaches());
        assert_eq!(biggest.answer, AnswerShape::Record, "{question}");
        assert_eq!(
            biggest.order.unwrap().by,
            OrderBy::Field("individuals_affected".into())
        );
    }
}

#[test]
fn words_in_parentheses_explain_the_word_before_them() {
    let denied = read(
        "Wie viele waren nicht in der Notaufnahme (emergency)?",
        breaches(),
    );
    assert_eq!(
        json!(denied.filters),
        json!({"service": {"not": "emergency"}})
    );
    let shouted = read("HOW MANY WERE IN THE EMERGENCY SERVICE", breaches());
    assert_eq!(json!(shouted.filters), json!({"service": "emergency"}));
    let month = read("how many were there in Feb-2018", breaches());
    assert_eq!(json!(month.filters), json!({"month": "Feb-2018"}));
}

#[test]
fn columns_are_compared_like_values() {
    let yes_no = read(
        "is tea from Mombasa cheaper on average than tea from Kolkata?",
        prices(),
    );
    let which = read(
        "which is more expensive on average, tea from Mombasa or tea from Kolkata?",
        prices(),
    );
    for found in [&yes_no, &which] {
        assert_eq!(measured(found).0, ["Mean tea_mombasa", "Mean tea_kolkata"]);
    }
    assert!(yes_no.test.is_some());
    assert_eq!(which.answer, AnswerShape::Measure);
}

#[test]
fn what_things_are_called_is_their_own_field() {
    let songs = json!([
        many("artist", 200),
        many("track", 300),
        {"name": "weeks", "kind": "number", "range": [1, 60], "distinct": 50},
    ]);
    let love = read("songs with Love in the title, how many?", songs);
    assert_eq!(json!(love.filters), json!({"track": {"contains": "Love"}}));
    let places = json!([
        many("city", 9000),
        many("admin_name", 500),
        text("country", &["France", "Peru"])
    ]);
    let saint = read("cities with Saint in their name", places);
    assert_eq!(json!(saint.filters), json!({"city": {"contains": "Saint"}}));
}

#[test]
fn the_average_of_a_thing_named_is_not_that_of_its_size() {
    let bills = json!([
        {"name": "total_bill", "kind": "number", "range": [3, 51], "distinct": 220},
        {"name": "tip", "kind": "number", "range": [1, 10], "distinct": 120},
        {"name": "size", "kind": "number", "range": [1, 6], "distinct": 6},
    ]);
    let tip = read("How large is a tip on average?", bills.clone());
    assert_eq!(measured(&tip).0, ["Mean tip"]);
    let loans = json!([
        {"name": "loan_amount", "kind": "number", "range": [1000, 40000], "distinct": 600},
        text("grade", &["A", "B"]),
    ]);
    let count = read("how many loans have grade A", loans);
    assert_eq!(
        (count.answer, count.measures.len()),
        (AnswerShape::Count, 0)
    );
}

/// A column for each year, and one that says what they hold.
fn births() -> Value {
    let years = (1960..2012).map(|year| {
        let name = year.to_string();
        json!({"name": name, "kind": "number", "range": [1, 9], "distinct": 200, "missing": 3})
    });
    let indicator = text(
        "Indicator Name",
        &["Fertility rate, total (births per woman)"],
    );
    [many("Country Name", 219), indicator]
        .into_iter()
        .chain(years)
        .collect()
}

#[test]
fn years_may_be_columns() {
    let best = read(
        "¿Qué país tenía la tasa de fecundidad más alta en 1990?",
        births(),
    );
    assert_eq!(best.order.unwrap().by, OrderBy::Field("1990".into()));
    let five = read("top 5 countries by births per woman, 1980", births());
    let order = five.order.unwrap();
    assert_eq!(
        (order.by, order.limit),
        (OrderBy::Field("1980".into()), Some(5))
    );
    let above = read(
        "In how many countries was the fertility rate above 6 in 2011?",
        births(),
    );
    assert_eq!(json!(above.filters), json!({"2011": {"gt": 6}}));

    let found = json!([
        {"text": "Switzerland", "candidates":
            [{"field": "Country Name", "value": "Switzerland", "doc_count": 1, "match": "exact"}]},
        {"text": "Switzerland 1988", "candidates": []},
    ]);
    let one = reading("fertility rate in Switzerland 1988", births(), found);
    assert_eq!(json!(one.filters), json!({"Country Name": "Switzerland"}));
    assert!(
        one.wanted.contains(&"1988".to_owned()) && one.unheld.is_empty(),
        "{one:?}"
    );
}

#[test]
fn years_that_are_no_columns_of_their_own_stay_times() {
    let cities = json!([
        many("city", 300),
        number("pop2010", 1, 900, 300),
        number("pop2015", 1, 900, 300),
        number("pop2019", 1, 900, 300),
        number("jobs2010", 1, 900, 300),
    ]);
    let jobs = read("Which city had the most jobs in 2010?", cities);
    assert_eq!(jobs.order.unwrap().by, OrderBy::Field("jobs2010".into()));

    let mut firms = vec![many("firm", 300), number("founded", 1900, 2020, 90)];
    firms.extend((2016..2021).map(|year| number(&year.to_string(), 1, 900, 300)));
    let founded = read("How many firms were founded in 2018?", firms.into());
    assert_eq!(json!(founded.filters), json!({"founded": 2018}));
}

#[test]
fn years_are_compared() {
    let column = read(
        "Were more homes sold in 2010 than in 2009 in Dallas?",
        homes(),
    );
    assert_eq!(measured(&column).0, ["Sum sales"]);
    assert_eq!(
        json!(column.filters),
        json!({"city": "Dallas", "year": [2010, 2009]})
    );
    let Some(YesNoTest::Groups { field, values, .. }) = column.test else {
        panic!("{:?}", column.test);
    };
    assert_eq!(
        (field.as_str(), values),
        ("year", [json!(2010), json!(2009)])
    );

    let named = json!([
        number("year_built", 1900, 2020, 100),
        {"name": "sale_date", "kind": "date", "distinct": 400},
        number("time_needed", 1, 90, 80),
    ]);
    let sold = read(
        "Was the sale date more often in 2018 than in 2019?",
        named.clone(),
    );
    assert_eq!(
        sold.histogram.map(|course| course.field).as_deref(),
        Some("sale_date")
    );
    let faster = read("Were they faster built in 2018 than in 2019?", named);
    let Some(YesNoTest::Groups { field, sign, .. }) = faster.test else {
        panic!("{:?}", faster.test);
    };
    assert_eq!((field.as_str(), sign), ("year_built", Sign::Below));
    let hotter = read("Was it hotter in 2018 than in 2019?", staff());
    assert_eq!(hotter.test, None);

    let dates = read("Were there more in 2018 than in 2019?", staff());
    let range = json!({"timestamp": {"gte": "2018-01-01", "lt": "2020-01-01"}});
    assert_eq!(json!(dates.filters), range);
    assert_eq!(dates.histogram.unwrap().interval, "year");
}

#[test]
fn columns_called_like_functions_are_columns_where_something_is_ranked_by_them() {
    let medians = json!([
        text("city", &["Austin", "Dallas"]),
        number("month", 1, 12, 12),
        number("median", 50_000, 300_000, 1500),
        number("sales", 0, 9000, 1500),
    ]);

    let best = read(
        "Which place reached the highest median price?",
        medians.clone(),
    );
    assert!(best.order.is_some(), "{best:?}");
    let month = read("In which month were the most homes sold?", medians.clone());
    assert_eq!(
        measured(&month),
        (vec!["Sum sales".into()], vec!["month"], Some(1))
    );
    let plain = read("median price in Austin", medians);
    assert_eq!(measured(&plain).0, ["Mean median"]);
}
