//! Phrases of time and the ranges that they become; and what sounds like a date but is not.

use serde_json::{Map, Value, json};

use crate::data::task::{FieldFacts, FieldKind};
use crate::question::interpret::interpret;

fn fields(range: (&str, &str)) -> Vec<FieldFacts> {
    let field = |name: &str, kind, values: &[&str]| FieldFacts {
        name: name.into(),
        kind,
        values: values.iter().map(|value| json!(value)).collect(),
        range: None,
        ..FieldFacts::default()
    };
    vec![
        field("kind", FieldKind::Text, &["Summit", "Workshop", "Meetup"]),
        FieldFacts {
            range: Some((json!(range.0), json!(range.1))),
            ..field("date", FieldKind::Date, &[])
        },
        field("attendees", FieldKind::Number, &[]),
    ]
}

fn range(from: &str, before: &str) -> Value {
    let bounds = [("gte", from), ("lt", before)]
        .into_iter()
        .filter(|(_, day)| !day.is_empty());
    json!({"date": bounds.map(|(operator, day)| (operator.to_owned(), json!(day))).collect::<Map<_,
        _>>()})
}

#[track_caller]
fn check(fields: &[FieldFacts], phrase: &str, expected: &Value) {
    let meant = interpret(phrase, fields);
    assert_eq!(
        Value::Object(meant.filters.clone()),
        *expected,
        "{phrase:?}: {meant:#?}"
    );
}

#[test]
fn phrases_of_time_become_ranges() {
    let fields = fields(("2019-01-04", "2024-12-20"));
    let cases = [
        // Spans of months.
        (
            "kinds of events from June to August 2024",
            "2024-06-01",
            "2024-09-01",
        ),
        (
            "events from June 2023 to August 2024",
            "2023-06-01",
            "2024-09-01",
        ),
        (
            "events from June 2023 to August",
            "2023-06-01",
            "2023-09-01",
        ),
        (
            "events from November to February 2024",
            "2023-11-01",
            "2024-03-01",
        ),
        (
            "events from November 2022 to February",
            "2022-11-01",
            "2023-03-01",
        ),
        (
            "events between March and May 2023",
            "2023-03-01",
            "2023-06-01",
        ),
        ("events June–August 2024", "2024-06-01", "2024-09-01"),
        ("events Jun-Aug 2024", "2024-06-01", "2024-09-01"),
        (
            "events in May through Sept. 2022",
            "2022-05-01",
            "2022-10-01",
        ),
        ("events from may to june 2024", "2024-05-01", "2024-07-01"),
        (
            "events from 2019-11 until 2020-02",
            "2019-11-01",
            "2020-03-01",
        ),
        (
            "events from August to June 2024",
            "2023-08-01",
            "2024-07-01",
        ),
        // Parts of a year.
        (
            "events in the first quarter of 2024",
            "2024-01-01",
            "2024-04-01",
        ),
        ("events in Q3 2023", "2023-07-01", "2023-10-01"),
        ("events in 2023 Q3", "2023-07-01", "2023-10-01"),
        ("events from Q1 to Q3 2023", "2023-01-01", "2023-10-01"),
        (
            "events in the last quarter of 2022",
            "2022-10-01",
            "2023-01-01",
        ),
        (
            "events in the second half of 2022",
            "2022-07-01",
            "2023-01-01",
        ),
        ("events in H1 2022", "2022-01-01", "2022-07-01"),
        ("events in the 3rd quarter 2022", "2022-07-01", "2022-10-01"),
        // Open ends.
        ("events since March 2023", "2023-03-01", ""),
        ("events until May 2024", "", "2024-06-01"),
        ("events until the end of May 2024", "", "2024-06-01"),
        ("events since the beginning of 2023", "2023-01-01", ""),
        ("events before the start of 2023", "", "2023-01-01"),
        ("events after 3 June 2024", "2024-06-04", ""),
        ("events from 2022 onwards", "2022-01-01", ""),
        ("events in 2022 or later", "2022-01-01", ""),
        ("events in 2020 and earlier", "", "2021-01-01"),
        // Years.
        ("events from 2019 to 2021", "2019-01-01", "2022-01-01"),
        (
            "events between the years 2019 and 2021",
            "2019-01-01",
            "2022-01-01",
        ),
        (
            "events from the start of 2020 to the end of May 2021",
            "2020-01-01",
            "2021-06-01",
        ),
        ("events during the year 2021", "2021-01-01", "2022-01-01"),
        // Days.
        (
            "events between 3 May and 10 June 2024",
            "2024-05-03",
            "2024-06-11",
        ),
        (
            "events between May 3 and June 10, 2024",
            "2024-05-03",
            "2024-06-11",
        ),
        ("events from 3 to 10 June 2024", "2024-06-03", "2024-06-11"),
        ("events June 3–10, 2024", "2024-06-03", "2024-06-11"),
        ("events on the 3rd of June 2024", "2024-06-03", "2024-06-04"),
        ("events on June 3rd, 2024", "2024-06-03", "2024-06-04"),
        ("events on 29 February 2024", "2024-02-29", "2024-03-01"),
        ("events since 3.6.2024", "2024-06-03", ""),
        (
            "events from 2024-05-03 to 2024-06-10",
            "2024-05-03",
            "2024-06-11",
        ),
        // Several times without a gap between them.
        ("events in June and July 2024", "2024-06-01", "2024-08-01"),
        (
            "events in June, July and August 2024",
            "2024-06-01",
            "2024-09-01",
        ),
        ("events in 2022 and 2023", "2022-01-01", "2024-01-01"),
    ];

    for (phrase, from, before) in cases {
        check(&fields, phrase, &range(from, before));
    }
}

#[test]
fn what_only_sounds_like_a_date_sets_no_condition() {
    let fields = fields(("2019-01-04", "2024-12-20"));
    for phrase in [
        "What kinds of events may take place?",
        "events that may be cancelled and may move",
        "Which events march in the second row?",
        "the second event and the first one",
        "the first half of the events",
        "every quarter of the hall",
        "events of the august society",
        "which events do people march to?",
        "top 3 kinds",
        "Q5 and H3",
    ] {
        check(&fields, phrase, &json!({}));
    }

    check(
        &fields,
        "events with 2000 attendees",
        &json!({"attendees": 2000}),
    );
    check(
        &fields,
        "events with between 10 and 20 attendees",
        &json!({"attendees": {"gte": 10, "lte": 20}}),
    );
}

#[test]
fn a_month_without_a_year_is_of_the_only_year_that_has_it() {
    let one_year = fields(("2024-01-04", "2024-12-20"));
    check(
        &one_year,
        "events in June",
        &range("2024-06-01", "2024-07-01"),
    );
    check(
        &one_year,
        "events from June to August",
        &range("2024-06-01", "2024-09-01"),
    );
    check(
        &one_year,
        "events since the third of June",
        &range("2024-06-03", ""),
    );
    check(&one_year, "events since 3 June", &range("2024-06-03", ""));
    check(
        &one_year,
        "events in Q2",
        &range("2024-04-01", "2024-07-01"),
    );
    let winter = fields(("2023-10-01", "2024-04-20"));
    check(
        &winter,
        "events in December",
        &range("2023-12-01", "2024-01-01"),
    );
    check(
        &winter,
        "events from November to February",
        &range("2023-11-01", "2024-03-01"),
    );
    let many = fields(("2019-01-04", "2024-12-20"));
    let meant = interpret("events in June", &many);

    assert_eq!(
        meant.refused,
        ["“in June” (no year is said; name the year)"],
        "{meant:#?}"
    );
    assert!(
        meant.filters.is_empty() && meant.unmatched == ["events"],
        "{meant:#?}"
    );
}

#[test]
fn times_apart_from_each_other_and_denied_ones_are_refused() {
    let fields = fields(("2019-01-04", "2024-12-20"));
    for phrase in [
        "events in June and August 2024",
        "compare 2019 and 2021",
        "events not in 2020",
    ] {
        let meant = interpret(phrase, &fields);
        assert!(
            meant.filters.is_empty() && meant.refused.len() == 1,
            "{meant:#?}"
        );
    }
}

#[test]
fn data_that_has_only_years_takes_only_years() {
    let fields = [FieldFacts {
        name: "year".into(),
        kind: FieldKind::Number,
        ..FieldFacts::default()
    }];

    check(
        &fields,
        "products from 2019 to 2021",
        &json!({"year": {"gte": 2019, "lt": 2022}}),
    );
    check(
        &fields,
        "products since 2019",
        &json!({"year": {"gte": 2019}}),
    );
    check(&fields, "products since March 2019", &json!({}));

    assert_eq!(
        interpret("products in March 2019", &fields).refused,
        ["“in March 2019” (the data has years only)"]
    );
}
