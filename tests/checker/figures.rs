//! Any number printed in a usual spelling is read back, and one that differs is not.

use proptest::prelude::*;
use research_agents::kernel::{
    Basis, Checker, Claim, Evidence, Source, SourceRegistry, Statement, Statistic, Table, Untrusted,
};
use serde_json::json;

/// The digits in groups of three.
fn grouped(number: u64, separator: &str) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push_str(separator);
        }
        out.push(digit);
    }
    out
}

/// The digits of another script.
fn in_script(number: u64, zero: char) -> String {
    let digit = |c: char| char::from_u32(u32::from(zero) + c.to_digit(10).unwrap()).unwrap();
    number.to_string().chars().map(digit).collect()
}

fn spellings(number: u64) -> Vec<String> {
    let mut found = vec![number.to_string(), in_script(number, '٠'), in_script(number, '０'), format!("{number}.0")];
    found.extend([",", "\u{a0}", "\u{202f}", "\u{2009}", "’"].map(|separator| grouped(number, separator)));
    found
}

/// Whether a sentence with this number passes when so many records match.
fn passes_as_total(shown: &str, total: u64) -> bool {
    let evidence =
        Evidence { tables: vec![Table { id: "A1".into(), total, ..Table::default() }], ..Evidence::default() };
    let claims = vec![Claim::Total { over: Basis::Aggregation("A1".into()), number: total }];
    let text = format!("In all there are ({shown}) that match.");
    Checker::new(&evidence, []).check(&Statement { text, claims }).is_ok()
}

/// Whether a sentence with this number passes when it is the sum of a field.
fn passes_as_sum(shown: &str, number: f64) -> bool {
    let fields = Untrusted::new(json!({"cost": number}).as_object().unwrap().clone());
    let mut sources = SourceRegistry::default();
    sources.register(Source { tool: "t".into(), record: "r".into(), fields, ..Source::default() });
    let evidence = Evidence { sources, tables: Vec::new(), ..Evidence::default() };
    let claims = vec![Claim::Statistic { field: "cost".into(), statistic: Statistic::Sum, number, source: None }];
    let text = format!("The cost comes to {shown} in all.");
    Checker::new(&evidence, []).check(&Statement { text, claims }).is_ok()
}

proptest! {
    #[test]
    fn a_whole_number_is_read_in_every_spelling(number in prop_oneof![0_u64..2_000, 0_u64..1_000_000_000_000]) {
        for shown in spellings(number) {
            prop_assert!(passes_as_total(&shown, number), "{shown}");
        }
    }

    #[test]
    fn another_whole_number_is_refused(number in 2_u64..1_000_000_000, other in 2_u64..1_000_000_000) {
        prop_assume!(number != other);
        for shown in spellings(number) {
            prop_assert!(!passes_as_total(&shown, other), "{shown} for {other}");
        }
    }

    #[test]
    fn decimals_are_read_with_point_and_comma(whole in 0_u64..100_000_000, cents in 1_u64..100) {
        let number = format!("{whole}.{cents:02}").parse::<f64>().unwrap();
        for shown in [
            format!("{whole}.{cents:02}"),
            format!("{whole},{cents:02}"),
            format!("{}.{cents:02}", grouped(whole, ",")),
            format!("{},{cents:02}", grouped(whole, "\u{202f}")),
        ] {
            prop_assert!(passes_as_sum(&shown, number), "{shown}");
        }
        let less = format!("{whole}.{:02}", cents - 1);
        prop_assert!(!passes_as_sum(&less, number), "{less}");
    }

    #[test]
    fn millions_are_read_as_rounded(tenths in 10_u64..10_000, rest in 0_u64..49_999) {
        for (word, unit) in [("thousand", 1_000), ("million", 1_000_000), ("billion", 1_000_000_000_u64)] {
            let number = tenths * unit / 10 + rest * unit / 1_000_000;
            let shown = format!("{}.{} {word}", tenths / 10, tenths % 10);
            prop_assert!(passes_as_total(&shown, number), "{shown} for {number}");
            let more = format!("{}.{} {word}", (tenths + 1) / 10, (tenths + 1) % 10);
            prop_assert!(!passes_as_total(&more, number), "{more} for {number}");
        }
    }
}
