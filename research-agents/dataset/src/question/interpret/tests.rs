//! Questions over invented and real schemas, and what must be read out of them.

mod doubts;
mod schemas;
mod times;

use serde_json::{Value, json};

use crate::data::record::Object;
use crate::data::task::{FieldFacts, FieldKind, QueryOverrides};
use crate::question::interpret::*;

fn field(name: &str, kind: FieldKind, values: &[&str]) -> FieldFacts {
    FieldFacts {
        name: name.into(),
        kind,
        values: values.iter().map(|v| json!(v)).collect(),
        range: None,
        ..FieldFacts::default()
    }
}

fn strikes() -> Vec<FieldFacts> {
    let mut fields = vec![
        field(
            "Airport Name",
            FieldKind::Text,
            &[
                "DALLAS/FORT WORTH INTL ARPT",
                "CHICAGO O'HARE INTL ARPT",
                "SACRAMENTO INTL",
                "LOUISVILLE INTL ARPT",
                "MEMPHIS INTL",
            ],
        ),
        field("Aircraft Make Model", FieldKind::Text, &[]),
        field(
            "Effect Amount of damage",
            FieldKind::Text,
            &["B", "C", "Medium", "Minor", "None", "Substantial"],
        ),
        field("Flight Date", FieldKind::Date, &[]),
        field(
            "Aircraft Airline Operator",
            FieldKind::Text,
            &[
                "AMERICAN AIRLINES",
                "US AIRWAYS*",
                "DELTA AIR LINES",
                "SOUTHWEST AIRLINES",
                "UNITED AIRLINES",
                "MILITARY",
                "BUSINESS",
                "CONTINENTAL AIRLINES",
                "NORTHWEST AIRLINES",
            ],
        ),
    ];

    fields.extend([
        field(
            "Origin State",
            FieldKind::Text,
            &[
                "Texas",
                "California",
                "New York",
                "New Jersey",
                "DC",
                "Louisiana",
            ],
        ),
        field(
            "Phase of flight",
            FieldKind::Text,
            &[
                "Approach",
                "Climb",
                "Descent",
                "Landing Roll",
                "Parked",
                "Take-off run",
                "Taxi",
            ],
        ),
        field(
            "Wildlife Size",
            FieldKind::Text,
            &["Large", "Medium", "Small"],
        ),
        field(
            "Wildlife Species",
            FieldKind::Text,
            &[
                "Unknown bird - small",
                "Unknown bird - medium",
                "Unknown bird - large",
                "Unknown bird or bat",
                "Canada goose",
                "European starling",
                "Herring gull",
            ],
        ),
        field(
            "Time of day",
            FieldKind::Text,
            &["Dawn", "Day", "Dusk", "Night"],
        ),
    ]);

    fields.extend(
        [
            "Cost Other",
            "Cost Repair",
            "Cost Total $",
            "Speed IAS in knots",
        ]
        .map(|name| field(name, FieldKind::Number, &[])),
    );
    fields
}

fn events() -> Vec<FieldFacts> {
    vec![
        field(
            "country",
            FieldKind::Text,
            &["India", "United States", "Brazil", "Germany"],
        ),
        field(
            "event_theme",
            FieldKind::Text,
            &["AI", "Cloud", "Security", "Internet of Things"],
        ),
        field("city", FieldKind::Text, &[]),
        field("attendees", FieldKind::Number, &[]),
        field("start_date", FieldKind::Date, &[]),
        field("is_online", FieldKind::Boolean, &[]),
    ]
}

fn products() -> Vec<FieldFacts> {
    vec![
        field("name", FieldKind::Text, &[]),
        field(
            "category",
            FieldKind::Text,
            &["Laptops", "Phones", "Office Chairs"],
        ),
        field("price", FieldKind::Number, &[]),
        field("rating", FieldKind::Number, &[]),
        field("weightKg", FieldKind::Number, &[]),
        field("year", FieldKind::Number, &[]),
        field(
            "color",
            FieldKind::Text,
            &["Red", "Dark Blue", "Blue", "Other"],
        ),
    ]
}

fn städte() -> Vec<FieldFacts> {
    vec![
        field(
            "Stadt",
            FieldKind::Text,
            &["Zürich", "Genève", "São Paulo", "東京"],
        ),
        field("Fläche", FieldKind::Number, &[]),
        field(
            "Sprache",
            FieldKind::Text,
            &["Deutsch", "Français", "日本語"],
        ),
    ]
}

#[track_caller]
fn check(
    fields: &[FieldFacts],
    question: &str,
    filters: Value,
    groups: &[&str],
    course: Option<(&str, &str)>,
) {
    let meant = interpret(question, fields);

    assert_eq!(
        Value::Object(meant.filters.clone()),
        filters,
        "filters of {question:?}: {meant:#?}"
    );
    assert_eq!(meant.group_by, groups, "groups of {question:?}: {meant:#?}");

    let histogram = meant
        .histogram
        .as_ref()
        .map(|h| (h.field.as_str(), h.interval));

    assert_eq!(histogram, course, "course of {question:?}: {meant:#?}");
}
