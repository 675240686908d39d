//! Times in questions, as ranges and as courses.

use crate::question::interpret::tests::*;

#[test]
fn dates_become_ranges() {
    let f = strikes();
    let range = |from: Option<&str>, to: Option<&str>| {
        let mut range = serde_json::Map::new();
        range.extend(from.map(|day| ("gte".to_owned(), json!(day))));
        range.extend(to.map(|day| ("lt".to_owned(), json!(day))));
        json!({"Flight Date": range})
    };

    for (question, from, to) in [
        ("strikes in 1995", Some("1995-01-01"), Some("1996-01-01")),
        ("strikes since 1994", Some("1994-01-01"), None),
        ("strikes after 1994", Some("1995-01-01"), None),
        ("strikes before 1994", None, Some("1994-01-01")),
        ("strikes until 1994", None, Some("1995-01-01")),
        (
            "strikes between 1994 and 1996",
            Some("1994-01-01"),
            Some("1997-01-01"),
        ),
        (
            "strikes from 1994 to 1996",
            Some("1994-01-01"),
            Some("1997-01-01"),
        ),
        ("strikes 1994-1996", Some("1994-01-01"), Some("1997-01-01")),
        (
            "strikes in the 1990s",
            Some("1990-01-01"),
            Some("2000-01-01"),
        ),
        (
            "strikes in March 1995",
            Some("1995-03-01"),
            Some("1995-04-01"),
        ),
        (
            "strikes in December 1995",
            Some("1995-12-01"),
            Some("1996-01-01"),
        ),
        (
            "strikes on 28 February 1996",
            Some("1996-02-28"),
            Some("1996-02-29"),
        ),
        (
            "strikes on March 31, 1995",
            Some("1995-03-31"),
            Some("1995-04-01"),
        ),
        (
            "strikes on 1999-12-31",
            Some("1999-12-31"),
            Some("2000-01-01"),
        ),
        ("strikes since 1999-05", Some("1999-05-01"), None),
    ] {
        check(&f, question, range(from, to), &[], None);
    }
}

#[test]
fn courses_of_time_are_asked_of_the_date_field() {
    let f = strikes();
    check(
        &f,
        "strikes over time",
        json!({}),
        &[],
        Some(("Flight Date", "year")),
    );
    check(
        &f,
        "strikes per year by wildlife size",
        json!({}),
        &["Wildlife Size"],
        Some(("Flight Date", "year")),
    );
    check(
        &f,
        "monthly strikes in 1995",
        json!({"Flight Date": {"gte": "1995-01-01", "lt": "1996-01-01"}}),
        &[],
        Some(("Flight Date", "month")),
    );
    check(
        &f,
        "strikes by month and phase",
        json!({}),
        &["Phase of flight"],
        Some(("Flight Date", "month")),
    );
    check(
        &f,
        "trend of night strikes",
        json!({"Time of day": "Night"}),
        &[],
        Some(("Flight Date", "year")),
    );
    let without = interpret("sales over time", &products());

    assert!(
        without.histogram.is_none() && without.refused[0].contains("no field holds dates"),
        "{without:?}"
    );
}

#[test]
fn which_month_asks_for_the_course_of_time() {
    let f = strikes();

    check(
        &f,
        "In which month do most strikes occur?",
        json!({}),
        &[],
        Some(("Flight Date", "month")),
    );
    check(
        &f,
        "What year had the most strikes at night?",
        json!({"Time of day": "Night"}),
        &[],
        Some(("Flight Date", "year")),
    );
    let fields = [
        field("month", FieldKind::Text, &["2024-01", "2024-02"]),
        field("date", FieldKind::Date, &[]),
    ];
    check(
        &fields,
        "Which month was best?",
        json!({}),
        &["month"],
        None,
    );
}
