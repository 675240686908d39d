//! Charts of aggregations over time: gaps, labels, and long series.

use super::*;

#[test]
fn what_only_looks_like_months_is_not_filled() {
    let keys = [("2020-+9", 4), ("2020-01", 3), ("2020-12", 2)];
    let series = chart(
        "date",
        keys.iter()
            .map(|(key, count)| (json!(key), *count))
            .collect(),
        true,
    );

    assert_eq!(shown(&series), keys);
    assert_eq!(
        shown(&chart(
            "date",
            vec![(json!("2020-+9"), 4), (json!("2020-01"), 3)],
            true
        ))
        .len(),
        2
    );
}

#[test]
fn a_series_of_months_or_years_has_no_gaps() {
    let months = vec![
        (json!("2024-02"), 2),
        (json!("2023-11"), 5),
        (json!(null), 1),
    ];
    let series = chart("date", months, true);

    assert!(!series.has_rest);
    assert_eq!(
        shown(&series),
        [
            ("2023-11", 5),
            ("2023-12", 0),
            ("2024-01", 0),
            ("2024-02", 2),
            ("(none)", 1)
        ]
    );

    drawn(&series);
    assert_eq!(
        shown(&chart(
            "date",
            vec![(json!("1999"), 1), (json!("2002"), 2)],
            true
        ))
        .len(),
        4
    );

    let days = vec![(json!("2024-01-05"), 1), (json!("2024-01-01"), 2)];
    assert_eq!(
        shown(&chart("date", days, true)),
        [("2024-01-01", 2), ("2024-01-05", 1)]
    );
}

#[test]
fn many_months_are_labelled_by_their_years() {
    let months = (0..36)
        .map(|at| (json!(format!("{}-{:02}", 2020 + at / 12, at % 12 + 1)), at))
        .collect();
    let svg = drawn(&chart("date", months, true));
    assert!(
        svg.contains("\n2021\n") && svg.contains("\n2022\n") && !svg.contains("\n2021-01\n"),
        "{svg}"
    );
}

#[test]
fn a_long_series_is_joined_and_loses_nothing() {
    let days = (0..365)
        .map(|day| {
            (
                json!(format!(
                    "2024-{:02}-{:02}T00:00:00Z",
                    day / 31 + 1,
                    day % 31 + 1
                )),
                3,
            )
        })
        .collect();
    let series = chart("date", days, true);

    assert!(series.groups.len() <= 160);
    assert_eq!(
        series.groups.iter().map(|group| group.count).sum::<u64>(),
        365 * 3
    );
    assert!(series.groups[0].label.as_str().contains(" – "));

    drawn(&series);
}
