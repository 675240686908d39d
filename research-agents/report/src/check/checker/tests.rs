//! Sentences that the checker accepts, and sentences that it refuses.

use serde_json::json;

use crate::check::checker::*;
use crate::claim::{Basis, Statistic};
use crate::evidence::source::{Source, SourceRegistry};
use crate::evidence::table::{Table, TableRow};
use crate::language::tag::Language;
use crate::text::untrusted::Untrusted;

fn evidence() -> Evidence {
    let row = |value: &str, count| TableRow::new("size", json!(value), count);
    let table = Table {
        id: "A1".into(),
        field: "size".into(),
        total: 165,
        rows: vec![row("Small", 99), row("Medium", 49), row("Large", 17)],
        ..Table::default()
    };
    let mut sources = SourceRegistry::default();

    for (id, speed, text) in [
        ("1", 100, "speed: 100\nremark: “two gulls, 3 m up”"),
        ("2", 140, "speed: 140"),
    ] {
        let fields = json!({"speed": speed, "aircraft": "B-737"})
            .as_object()
            .unwrap()
            .clone();
        sources.register(Source {
            tool: "t".into(),
            record: id.into(),
            fields: Untrusted::new(fields),
            text: Untrusted::new(text.into()),
            ..Source::default()
        });
    }

    Evidence {
        sources,
        tables: vec![table],
        ..Evidence::default()
    }
}

fn count(value: &str, number: u64) -> Claim {
    Claim::Count {
        over: Basis::Aggregation("A1".into()),
        field: "size".into(),
        value: json!(value),
        number,
    }
}

fn check(text: &str, claims: Vec<Claim>) -> Result<Verified, Failure> {
    let evidence = evidence();
    Checker::new(&evidence, ["strikes at 120 knots"]).check(&Statement {
        text: text.into(),
        claims,
    })
}

#[test]
fn a_count_share_and_total_hold_together() {
    let verified = check(
        "Small has 99 of 165 records (60.0 %), at 120 knots.",
        vec![count("Small", 99)],
    )
    .unwrap();
    assert_eq!(verified.tables(), ["A1"]);
    assert!(verified.sources().is_empty());
    assert!(!verified.from_records());
}

#[test]
fn sums_ratios_and_numbers_of_groups_hold() {
    let claims = || vec![count("Small", 99), count("Medium", 49)];
    for text in [
        "The 2 largest groups hold 148 records, 89.7 % of all.",
        "Small is 2.0 times as frequent as Medium.",
        "The 165 records fall into 3 groups.",
    ] {
        assert!(
            check(text, claims()).is_ok(),
            "{text}: {:?}",
            check(text, claims())
        );
    }
}

#[test]
fn a_wrong_count_fails_with_the_right_one() {
    let failure = check("Small has 98 records.", vec![count("Small", 98)]).unwrap_err();
    assert_eq!(
        failure.to_string(),
        "size = Small: 98 was claimed, the evidence has 99"
    );
}

#[test]
fn a_number_that_no_claim_carries_fails() {
    for (text, figure) in [
        ("Small has 99 records, 61 % of all.", "61"),
        ("Small has 99 records in 12 states.", "12"),
        ("Small has 60 records.", "60"),
        ("Small has 99 % of all.", "99"),
    ] {
        let failure = check(text, vec![count("Small", 99)]).unwrap_err();
        assert_eq!(
            failure,
            Failure::UnsupportedNumber {
                figure: figure.into()
            },
            "{text}"
        );
    }
}

#[test]
fn unknown_evidence_and_none_at_all_fail() {
    let over = Basis::Aggregation("A9".into());
    let failure = check("165 match.", vec![Claim::Total { over, number: 165 }]).unwrap_err();
    assert_eq!(failure, Failure::UnknownAggregation { id: "A9".into() });
    assert_eq!(
        check("Most are small.", Vec::new()),
        Err(Failure::NoEvidence)
    );
}

#[test]
fn totals_are_compared() {
    let total = |over, number| vec![Claim::Total { over, number }];
    assert!(check("2 records were read.", total(Basis::Records, 2)).is_ok());
    let failure = check("3 records were read.", total(Basis::Records, 3)).unwrap_err();
    assert_eq!(
        failure,
        Failure::WrongTotal {
            stated: 3,
            actual: 2
        }
    );
}

#[test]
fn counts_over_records_are_recounted_and_cite_examples() {
    let claim = |number| Claim::Count {
        over: Basis::Records,
        field: "aircraft".into(),
        value: json!("B-737"),
        number,
    };
    let verified = check("2 records name a B-737.", vec![claim(2)]).unwrap();
    assert_eq!(verified.sources(), ["1", "2"]);
    assert!(verified.from_records());
    assert!(check("1 record names a B-737.", vec![claim(1)]).is_err());
}

#[test]
fn statistics_are_recomputed_and_their_holder_is_looked_at() {
    let claim = |statistic, number, source: Option<&str>| Claim::Statistic {
        field: "speed".into(),
        statistic,
        number,
        source: source.map(str::to_owned),
    };
    let verified = check(
        "The fastest was 140.",
        vec![claim(Statistic::Max, 140.0, Some("2"))],
    )
    .unwrap();

    assert_eq!(verified.sources(), ["2"]);
    assert!(
        check(
            "The fastest was 140.",
            vec![claim(Statistic::Max, 140.0, Some("1"))]
        )
        .is_err()
    );
    assert!(
        check(
            "The fastest was 141.",
            vec![claim(Statistic::Max, 141.0, None)]
        )
        .is_err()
    );
    assert!(
        check(
            "The mean is 120.0.",
            vec![claim(Statistic::Mean, 120.0, None)]
        )
        .is_ok()
    );

    assert!(check("It was -140.", vec![claim(Statistic::Max, -140.0, None)]).is_err());
}

#[test]
fn statistics_of_a_group_are_recomputed() {
    let claim = |aircraft: &str, number| Claim::GroupStatistic {
        field: "speed".into(),
        statistic: Statistic::Sum,
        number,
        by: "aircraft".into(),
        value: json!(aircraft),
    };
    assert!(check("The sum is 240.", vec![claim("b-737", 240.0)]).is_ok());
    assert!(check("The sum is 239.", vec![claim("B-737", 239.0)]).is_err());
    assert!(check("The sum is 240.", vec![claim("A-320", 240.0)]).is_err());
    // Rounded in a draft, exact in what is printed.
    let verified = check("The sum is 240.", vec![claim("B-737", 240.0)]).unwrap();
    assert_eq!(verified.claims(), [claim("B-737", 240.0)]);
}

#[test]
fn the_numbers_of_two_groups_are_not_swapped() {
    let mut evidence = evidence();
    let fields = json!({"speed": 60, "aircraft": "A-320"})
        .as_object()
        .unwrap()
        .clone();
    evidence.sources.register(Source {
        tool: "t".into(),
        record: "3".into(),
        fields: Untrusted::new(fields),
        ..Source::default()
    });
    let claim = |aircraft: &str, number| Claim::GroupStatistic {
        field: "speed".into(),
        statistic: Statistic::Mean,
        number,
        by: "aircraft".into(),
        value: json!(aircraft),
    };
    let claims = || vec![claim("B-737", 120.0), claim("A-320", 60.0)];
    let checker = Checker::new(&evidence, []);
    let said = |text: &str| {
        checker.check(&Statement {
            text: text.into(),
            claims: claims(),
        })
    };

    assert!(said("Its mean is 120 for B-737 and 60 for A-320.").is_ok());
    assert!(said("Its mean is 60 for B-737 and 120 for A-320.").is_err());
}

#[test]
fn parts_of_sums_and_of_groups_have_shares() {
    let sum = |statistic, number| Claim::Statistic {
        field: "speed".into(),
        statistic,
        number,
        source: None,
    };
    let claims = || vec![sum(Statistic::Max, 140.0), sum(Statistic::Sum, 240.0)];
    assert!(check("The largest is 140, which is 58.3 % of all.", claims()).is_ok());
    assert!(check("The largest is 140, which is 59.3 % of all.", claims()).is_err());

    let of = |field: &str, value, number| Claim::Count {
        over: Basis::Records,
        field: field.into(),
        value,
        number,
    };
    let claims = || {
        vec![
            of("aircraft,speed", json!(["B-737", 140]), 1),
            of("aircraft", json!("B-737"), 2),
        ]
    };
    assert!(
        check(
            "Of 2 records with a B-737, 1 (50.0 %) was at 140.",
            claims()
        )
        .is_ok()
    );
    assert!(
        check(
            "Of 2 records with a B-737, 1 (51.0 %) was at 140.",
            claims()
        )
        .is_err()
    );
}

#[test]
fn groups_of_one_table_lie_in_those_of_another_only_where_they_add_up() {
    let share = |others: u64| {
        let row = |value: serde_json::Value, count| TableRow::new("size,damage", value, count);
        let rows = vec![
            row(json!(["Large", "Minor"]), 6),
            row(json!(["Large", "None"]), others),
        ];
        let mut evidence = evidence();
        evidence.tables.push(Table {
            id: "A2".into(),
            field: "size,damage".into(),
            total: 165,
            rows,
            ..Table::default()
        });
        let over = Basis::Aggregation("A2".into());
        let both = Claim::Count {
            over,
            field: "size,damage".into(),
            value: json!(["Large", "Minor"]),
            number: 6,
        };
        let claims = vec![both, count("Large", 17)];
        let text = "Of 17 records that are Large, 6 (35.3 %) have damage Minor.".to_owned();
        Checker::new(&evidence, []).check(&Statement { text, claims })
    };

    assert!(share(11).is_ok(), "{:?}", share(11));
    assert!(share(10).is_err(), "the two tables count other records");
}

#[test]
fn a_quote_gets_its_offset_and_carries_its_numbers() {
    let quote = |source: &str, text: &str| Claim::Quote {
        source: source.into(),
        text: text.into(),
        start: None,
    };
    let verified = check(
        "One saw gulls 3 m up.",
        vec![quote("1", "two gulls, 3 m up")],
    )
    .unwrap();
    let offset = evidence()
        .sources
        .get("1")
        .unwrap()
        .text
        .for_code()
        .find("two");

    assert!(matches!(&verified.claims()[0], Claim::Quote { start, .. } if *start == offset));
    let failure = check("One saw gulls.", vec![quote("2", "two gulls")]).unwrap_err();
    assert_eq!(
        failure,
        Failure::QuoteNotFound {
            source_id: "2".into()
        }
    );

    let failure = check("One saw gulls.", vec![quote("3", "two gulls")]).unwrap_err();
    assert_eq!(failure, Failure::UnknownSource { id: "3".into() });
}

#[test]
fn a_sentence_without_claims_may_repeat_the_question_only() {
    let evidence = evidence();
    let checker = Checker::new(&evidence, ["strikes at 120 knots"]);
    let loose = |text: &str| {
        checker.check_loose(&Statement {
            text: text.into(),
            claims: Vec::new(),
        })
    };
    assert!(loose("This concerns strikes at 120 knots.").is_ok());
    assert!(loose("This concerns 7 strikes.").is_err());
}

#[test]
fn findings_may_only_show_numbers_of_their_records() {
    assert!(numbers_stand_in(
        "A strike at 140 knots",
        Language::ENGLISH,
        ["speed: 140"]
    ));
    assert!(!numbers_stand_in(
        "Two strikes, 12 birds",
        Language::ENGLISH,
        ["speed: 140"]
    ));
}

#[test]
fn another_value_in_place_of_the_claimed_one_is_found() {
    for text in [
        "Large 99 of 165.",
        "Most were Medium: 99.",
        "With 99, large leads.",
    ] {
        let failure = check(text, vec![count("Small", 99)]).unwrap_err();
        assert!(
            matches!(
                failure,
                Failure::UnclaimedValue { .. } | Failure::WrongPair { .. }
            ),
            "{text}: {failure}"
        );
    }
    assert!(check("Small has 99, more than Large.", vec![count("Small", 99)]).is_ok());
}

#[test]
fn each_value_must_have_its_own_number() {
    let claims = || vec![count("Small", 99), count("Medium", 49)];

    for text in [
        "Small with 99 and Medium with 49.",
        "99 were Small, 49 Medium.",
        "Small and Medium: 99 and 49.",
    ] {
        assert!(
            check(text, claims()).is_ok(),
            "{text}: {:?}",
            check(text, claims())
        );
        let swapped = text
            .replace("99", "#")
            .replace("49", "99")
            .replace('#', "49");
        let failure = check(&swapped, claims()).unwrap_err();
        assert!(
            matches!(failure, Failure::WrongPair { .. }),
            "{swapped}: {failure}"
        );
    }
}

#[test]
fn superlatives_and_negations_must_agree_with_the_counts() {
    let claims = || vec![count("Large", 17)];
    assert!(check("Large is the smallest group, with 17.", claims()).is_ok());
    let failure = check("Large is the largest group, with 17.", claims()).unwrap_err();
    assert_eq!(
        failure,
        Failure::WrongComparison {
            words: "largest group".into(),
            value: "Large".into()
        }
    );
    let failure = check("Large does not have 17 records.", claims()).unwrap_err();
    assert!(matches!(failure, Failure::Denied { .. }), "{failure}");
}

#[test]
fn a_name_must_stand_in_what_is_cited() {
    let claim = || {
        vec![Claim::Quote {
            source: "1".into(),
            text: "two gulls".into(),
            start: None,
        }]
    };

    assert!(check("It saw “two gulls”.", claim()).is_ok());
    for (text, name) in [
        ("At KJFK it saw gulls.", "KJFK"),
        ("It saw “two hawks”.", "two hawks"),
        ("Ask a@b.org.", "a@b.org"),
    ] {
        assert_eq!(
            check(text, claim()),
            Err(Failure::UnsupportedName { name: name.into() }),
            "{text}"
        );
    }
}

#[test]
fn hidden_characters_part_no_number() {
    let failure = check("Small has 9\u{200b}8 records.", vec![count("Small", 99)]).unwrap_err();
    assert_eq!(
        failure,
        Failure::UnsupportedNumber {
            figure: "98".into()
        }
    );
}

#[test]
fn spellings_that_the_evidence_tells_apart_are_two_groups() {
    let mut evidence = evidence();
    evidence.tables[0].rows[1] = TableRow::new("size", json!("small"), 49);
    let claims = vec![count("Small", 99), count("small", 49)];
    let statement = Statement {
        text: "The 2 largest groups hold 148 records.".into(),
        claims,
    };
    assert!(Checker::new(&evidence, []).check(&statement).is_ok());
}
