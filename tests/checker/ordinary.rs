//! Values that are ordinary words, such as `None` and `Yes`, and the names of fields, are held against the claims like any
//! other name.

use research_agents::kernel::claim::{Basis, Claim, Statement};
use research_agents::kernel::evidence::{Evidence, Table, TableRow};
use research_agents::kernel::{Checker, Failure, Verified};
use serde_json::json;

fn check(text: &str, claims: &[(&str, &str, &str, u64)]) -> Result<Verified, Failure> {
    let table = |id: &str, field: &str, rows: &[(&str, u64)]| Table {
        id: id.into(),
        field: field.into(),
        total: 3_363,
        rows: rows.iter().map(|(value, count)| TableRow::new(field, json!(value), *count)).collect(),
        ..Table::default()
    };
    let tables = vec![
        table("A1", "Phase of flight", &[("Approach", 2_146), ("Climb", 508)]),
        table("A2", "Wildlife Size", &[("Small", 1_900), ("Large", 463)]),
        table("A3", "Damage", &[("None", 2_977), ("Substantial", 83), ("Other", 12)]),
        table("A4", "Injured", &[("no", 3_301), ("yes", 62)]),
        table("A5", "Night", &[("False", 2_400), ("True", 963)]),
    ];
    let evidence = Evidence { tables, ..Evidence::default() };
    let claims = claims.iter().map(|(table, field, value, number)| Claim::Count {
        over: Basis::Aggregation((*table).into()),
        field: (*field).into(),
        value: json!(value),
        number: *number,
    });
    Checker::new(&evidence, []).check(&Statement { text: text.into(), claims: claims.collect() })
}

const NONE: &[(&str, &str, &str, u64)] = &[("A3", "Damage", "None", 2_977)];
const NO: &[(&str, &str, &str, u64)] = &[("A4", "Injured", "no", 3_301)];
const FALSE: &[(&str, &str, &str, u64)] = &[("A5", "Night", "False", 2_400)];
const APPROACH: &[(&str, &str, &str, u64)] = &[("A1", "Phase of flight", "Approach", 2_146)];

#[test]
fn an_ordinary_word_is_not_replaced_by_another_value() {
    for (text, claims) in [
        ("Damage is Substantial in 2977 records.", NONE),
        ("Damage is “Substantial” in most records: 2977 of 3363.", NONE),
        ("Damage is Other in 2977 records.", NONE),
        ("Injured is yes in 3301 records.", NO),
        ("Injured: yes, in 3301 records.", NO),
        ("In 2400 records Night is True.", FALSE),
        ("With Night “True” there are 2400.", FALSE),
    ] {
        let failure = check(text, claims).unwrap_err();
        assert!(matches!(failure, Failure::UnclaimedValue { .. }), "{text}: {failure}");
    }
}

#[test]
fn an_ordinary_word_of_a_claim_is_said_as_it_is() {
    for (text, claims) in [
        ("Damage is None in 2977 records.", NONE),
        ("Damage is “None” in most records: 2977 of 3363.", NONE),
        ("No damage is the most frequent: none in 2977 of the 3363 records.", NONE),
        ("Injured is no in 3301 records, more than any other.", NO),
        ("In 2400 records Night is False.", FALSE),
        ("Of all 3363 records 2400 are not at night, a share of 71.4 %.", FALSE),
    ] {
        assert!(check(text, claims).is_ok(), "{text}: {:?}", check(text, claims));
    }
}

#[test]
fn a_value_of_another_field_is_refused() {
    for text in [
        "Wildlife Size is Approach in 2146 records.",
        "Damage was “Approach” in 2146 of 3363.",
        "Night: Approach, 2146.",
    ] {
        assert!(check(text, APPROACH).is_err(), "{text}");
    }
    assert!(check("Phase of flight is Approach in 2146 records.", APPROACH).is_ok());
}
