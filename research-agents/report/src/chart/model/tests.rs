//! The content of charts of all kinds of aggregations.

mod over_time;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::chart::model::*;
use crate::evidence::table::Table;
use crate::evidence::table::TableRow;
use crate::language::tag::Language;

fn table(field: &str, rows: Vec<(Value, u64)>) -> Table {
    let total = rows
        .iter()
        .fold(0_u64, |sum, (_, count)| sum.saturating_add(*count));
    let rows = rows
        .into_iter()
        .map(|(value, count)| TableRow::new(field, value, count))
        .collect();

    Table {
        id: "A1".into(),
        field: field.into(),
        total,
        rows,
        ..Table::default()
    }
}

fn chart(field: &str, rows: Vec<(Value, u64)>, over_time: bool) -> Chart {
    Chart::from_table(&table(field, rows), "Records", over_time).unwrap()
}

fn shown(chart: &Chart) -> Vec<(&str, u64)> {
    chart
        .groups
        .iter()
        .map(|group| (group.label.as_str(), group.count))
        .collect()
}

/// Parses the drawing; checks that nothing stands outside it and that its text holds every label
/// and number.
fn drawn(chart: &Chart) -> String {
    let svg = chart.svg().unwrap();
    let document =
        roxmltree::Document::parse(&svg).unwrap_or_else(|error| panic!("{error}: {svg}"));
    let root = document.root_element();
    let number = |node: &roxmltree::Node<'_, '_>, name: &str| {
        node.attribute(name).unwrap().parse::<f64>().unwrap()
    };
    let size: Vec<f64> = root
        .attribute("viewBox")
        .unwrap()
        .split(' ')
        .map(|part| part.parse().unwrap())
        .collect();

    for rect in root
        .descendants()
        .filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", "rect")))
    {
        let (x, y, width, height) = (
            number(&rect, "x"),
            number(&rect, "y"),
            number(&rect, "width"),
            number(&rect, "height"),
        );
        assert!(
            x >= 0.0 && y >= 0.0 && width >= 0.0 && height >= 0.0,
            "{rect:?}: {svg}"
        );
        assert!(
            x + width <= size[2] + 2.0 && y + height <= size[3],
            "{rect:?}: {svg}"
        );
    }
    let text = |name: &str| {
        root.children()
            .find(|node| node.tag_name().name() == name)
            .unwrap()
            .text()
            .unwrap_or_default()
    };

    assert_eq!(text("title"), chart.title.as_str());
    for group in &chart.groups {
        let words = format!("{}: {}", group.label.as_str(), chart.written(group));
        assert!(text("desc").contains(&words), "{words}: {svg}");
    }

    assert_eq!(svg, chart.svg().unwrap());
    svg
}

#[test]
fn bars_show_the_groups_in_the_order_of_the_data_source() {
    let bars = chart(
        "size",
        vec![(json!("Small"), 99), (json!(null), 40), (json!(7), 0)],
        false,
    );
    assert_eq!(
        (bars.kind, shown(&bars)),
        (
            ChartKind::Bars,
            vec![("Small", 99), ("(none)", 40), ("7", 0)]
        )
    );
    let svg = drawn(&bars);
    for text in ["Small", "(none)", "99", "40", "\n0\n"] {
        assert!(svg.contains(text), "{text}: {svg}");
    }
}

#[test]
fn of_many_groups_the_largest_stay_and_nothing_is_lost() {
    let rows = (0..50)
        .map(|at| (json!(format!("g{at}")), u64::from(at % 7 == 0) * 100 + 1))
        .collect();
    let bars = chart("g", rows, false);

    assert_eq!(bars.groups.len(), 20);
    assert_eq!(
        bars.groups[19],
        ChartGroup {
            label: "31 others".into(),
            count: 31,
            ..ChartGroup::default()
        }
    );
    assert_eq!(
        bars.groups.iter().map(|group| group.count).sum::<u64>(),
        50 + 8 * 100
    );
    assert!((0..8).all(|at| shown(&bars).contains(&(format!("g{}", at * 7).as_str(), 101))));

    drawn(&bars);
}

#[test]
fn nothing_to_compare_is_no_chart() {
    assert!(Chart::from_table(&table("size", Vec::new()), "t", false).is_none());
    assert!(Chart::from_table(&table("size", vec![(json!("Small"), 3)]), "t", false).is_none());
}

#[test]
fn zero_and_huge_counts_are_drawn() {
    drawn(&chart(
        "size",
        vec![(json!("a"), 0), (json!("b"), 0)],
        false,
    ));
    drawn(&chart(
        "size",
        vec![(json!("2024"), 0), (json!("2025"), 0)],
        true,
    ));
    let svg = drawn(&chart(
        "size",
        vec![
            (json!("a"), u64::MAX),
            (json!("b"), 1),
            (json!("c"), u64::MAX),
        ],
        false,
    ));

    assert!(svg.contains("18,446,744,073,709,551,615"), "{svg}");
    drawn(&chart(
        "year",
        vec![(json!("2024"), u64::MAX), (json!("2025"), 1)],
        true,
    ));
}

#[test]
fn long_and_hostile_labels_are_cut_in_the_drawing_and_whole_in_its_text() {
    let long = "Landing roll on a very long runway in heavy rain ".repeat(4);
    let hostile = "</text></svg><script>alert(1)</script>\u{202e}";
    let bars = chart(
        "size",
        vec![
            (json!(long), 3),
            (json!(hostile), 2),
            (json!("日本語のとても長いラベル".repeat(5)), 1),
        ],
        false,
    );
    let svg = drawn(&bars);
    assert!(
        svg.contains('…') && !svg.contains("<script") && !svg.contains('\u{202e}'),
        "{svg}"
    );
    assert!(svg.contains(long.trim()), "{svg}");
}

#[test]
fn two_levels_become_stacked_bars_whose_parts_make_the_whole() {
    let nested = Table {
        rows: vec![
            TableRow::new("country", json!("India"), 10),
            TableRow::new("country,year", json!(["India", 2024]), 6),
            TableRow::new("country,year", json!(["India", 2025]), 3),
            TableRow::new("country", json!("Peru"), 2),
            TableRow::new("country,year", json!(["Peru", 2025]), 2),
        ],
        ..table("country,year", Vec::new())
    };
    let stacked = Chart::from_table(&nested, "t", false).unwrap();
    assert_eq!(
        (stacked.kind, shown(&stacked)),
        (ChartKind::Stacked, vec![("India", 10), ("Peru", 2)])
    );
    assert_eq!(
        stacked.series.iter().map(Line::as_str).collect::<Vec<_>>(),
        ["2024", "2025", "others"]
    );
    assert_eq!(
        (&stacked.groups[0].parts, &stacked.groups[1].parts),
        (&vec![6, 3, 1], &vec![0, 2, 0])
    );
    assert!(stacked.has_rest);
    assert_eq!(
        stacked.text(),
        "t. India: 10 (2024 6, 2025 3, others 1); Peru: 2 (2025 2)."
    );
    let svg = drawn(&stacked);
    assert!(
        svg.contains(">\n2024\n<") && svg.contains(">\nothers\n<"),
        "{svg}"
    );

    let flat = vec![
        (json!(["India", 2024]), 6),
        (json!(["Peru", 2024]), 2),
        (json!(["India", 2025]), 3),
    ];
    let stacked = chart("country,year", flat, false);
    assert_eq!(shown(&stacked), [("India", 9), ("Peru", 2)]);
    assert_eq!(stacked.groups[0].parts, [6, 3]);
}

#[test]
fn pairs_that_are_not_all_are_not_summed_up() {
    let mut some = table(
        "country,year",
        vec![(json!(["India", 2024]), 6), (json!(["India", 2025]), 3)],
    );
    some.total = 20;
    let bars = Chart::from_table(&some, "t", false).unwrap();
    assert_eq!(
        (bars.kind, shown(&bars)),
        (
            ChartKind::Bars,
            vec![("India / 2024", 6), ("India / 2025", 3)]
        )
    );
}

#[test]
fn many_inner_groups_share_the_last_colour() {
    let rows = (0..12)
        .flat_map(|inner| ["a", "b"].map(|outer| (json!([outer, format!("s{inner}")]), 20 - inner)))
        .collect();
    let stacked = chart("x,y", rows, false);

    assert_eq!(stacked.series.len(), 7);
    assert_eq!(stacked.series[6].as_str(), "others");
    let sums: Vec<u64> = stacked
        .groups
        .iter()
        .map(|group| group.parts.iter().sum())
        .collect();

    assert_eq!(
        sums,
        stacked
            .groups
            .iter()
            .map(|group| group.count)
            .collect::<Vec<_>>()
    );

    drawn(&stacked);
}

/// Colours of the bars in the order in which they are drawn.
fn colours(svg: &str) -> Vec<String> {
    let document = roxmltree::Document::parse(svg).unwrap();
    let bars = document
        .descendants()
        .filter(|node| node.tag_name().name() == "rect");
    bars.filter_map(|bar| bar.attribute("fill"))
        .map(str::to_ascii_lowercase)
        .collect()
}

#[test]
fn all_others_are_named_in_the_language_of_the_report() {
    let many = table(
        "g",
        (0..25)
            .map(|at| (json!(format!("g{at}")), 30 - at))
            .collect(),
    );
    let mut pairs = table("x,y", vec![(json!(["a", "b"]), 5), (json!(["c", "b"]), 2)]);
    pairs.rows.push(TableRow::new("x", json!("a"), 9));
    let words = |code: &str| {
        let language: Language = code.parse().unwrap();
        let bars = Chart::in_language(language, &many, "t", false).unwrap();
        let stacked = Chart::in_language(language, &pairs, "t", false).unwrap();
        assert!(stacked.has_rest && !bars.has_rest);
        (
            bars.groups[19].label.as_str().to_owned(),
            stacked.series[1].as_str().to_owned(),
        )
    };
    let expected = [
        ("de", "6 übrige", "Übrige"),
        ("en", "6 others", "others"),
        ("es", "otros 6", "otros"),
        ("fr", "6 autres", "autres"),
        ("it", "altri 6", "altri"),
        ("pt", "outros 6", "outros"),
    ];

    for (code, bars, stacked) in expected {
        assert_eq!(words(code), (bars.to_owned(), stacked.to_owned()), "{code}");
    }
}

#[test]
fn a_value_that_is_called_others_is_a_group_like_any() {
    let rows = ["many", "others"]
        .into_iter()
        .zip([7, 3])
        .map(|(inner, count)| (json!(["a", inner]), count));
    let rows = rows.chain([(json!(["b", "many"]), 2)]).collect();
    let stacked = chart("x,y", rows, false);

    assert_eq!(
        (stacked.series[1].as_str(), stacked.has_rest),
        ("others", false)
    );

    let svg = drawn(&stacked);
    let rest = |svg: &str| {
        colours(svg)
            .iter()
            .filter(|colour| *colour == "#9aa0a6")
            .count()
    };

    assert_eq!(rest(&svg), 0, "{svg}");
    assert!(
        rest(&drawn(&Chart {
            has_rest: true,
            ..stacked
        })) > 0
    );
}

#[test]
fn values_that_look_alike_are_groups_of_their_own() {
    let rows = vec![
        (json!([1, "x"]), 5),
        (json!(["1", "x"]), 4),
        (json!([null, "x"]), 3),
        (json!(["(none)", "y"]), 2),
        (json!(["(none)", "x"]), 1),
    ];
    let stacked = chart("a,b", rows, false);
    assert_eq!(
        shown(&stacked),
        [("1", 5), ("1", 4), ("(none)", 3), ("(none)", 3)]
    );
    assert_eq!(stacked.groups[3].parts, [1, 2]);

    // The rows of the outer groups may be spelled in another way than the pairs.
    let mut nested = table("a,b", vec![(json!(["1", "x"]), 5), (json!(["2", "x"]), 4)]);
    nested.rows.insert(0, TableRow::new("a", json!(1), 6));
    let stacked = Chart::from_table(&nested, "t", false).unwrap();
    assert_eq!(shown(&stacked), [("1", 6), ("2", 4)]);
    assert_eq!(stacked.groups[0].parts, [5, 1]);
}

#[test]
fn thousands_of_pairs_make_a_chart() {
    let pair = |at: u64| (json!([at % 100, format!("inner {}", at % 5_000)]), 1);
    let stacked = chart("a,b", (0..10_000).map(pair).collect(), false);
    assert_eq!((stacked.groups.len(), stacked.series.len()), (20, 7));
    assert_eq!(
        stacked.groups.iter().map(|group| group.count).sum::<u64>(),
        10_000
    );
    assert!(
        stacked
            .groups
            .iter()
            .all(|group| group.parts.iter().sum::<u64>() == group.count)
    );
}

#[test]
fn a_chart_comes_back_from_json_as_it_was() {
    let bars = chart(
        "size",
        vec![(json!("Small"), 99), (json!("Large"), 40)],
        false,
    );
    let json = serde_json::to_value(&bars).unwrap();
    assert_eq!(
        (&json["kind"], &json["groups"][0]["label"]),
        (&json!("bars"), &json!("Small"))
    );
    assert_eq!(serde_json::from_value::<Chart>(json).unwrap(), bars);
}

proptest! {
    #[test]
    fn every_aggregation_can_be_drawn(
        rows in prop::collection::vec(
            (".{0,40}", prop::option::of("[a-c]{1,2}"), any::<u64>()),
            0..60,
        ),
        over_time in any::<bool>(),
        small in any::<bool>(),
    ) {
        let rows = rows.into_iter().map(|(outer, inner, count)| {
            let value = inner.map_or_else(|| json!(outer), |inner| json!([outer, inner]));
            (value, if small { count % 5 } else { count })
        }).collect();
        if let Some(chart) = Chart::from_table(&table("x,y", rows), "A & B", over_time) {
            drawn(&chart);
        }
    }
}
