//! Numbers with signs and letters that change them, bounds, and numbers that are said of another field or of other records:
//! true sentences are accepted, and of the false ones so many are refused as the table in docs/dataset.md says.

use research_agents::kernel::claim::{Basis, Claim, Statement, Statistic};
use research_agents::kernel::evidence::{Evidence, Source, SourceRegistry, Table, TableRow};
use research_agents::kernel::language::Language;
use research_agents::kernel::{Checker, Untrusted};
use serde_json::json;

use crate::tally::Tally;

const QUESTION: &str = "Strikes at night above 80 knots";
const FILTER: &str = "Time of day = Night and Speed IAS in knots >= 80";
const PHASES: [&str; 6] = ["Approach", "Climb", "Descent", "Landing Roll", "Take-off run", "Taxi"];
const STATES: [&str; 5] = ["Texas", "Ohio", "Florida", "Nevada", "Utah"];

/// Two tables, and records with two numeric fields.
fn evidence(seed: u64) -> Evidence {
    let count = |at: usize| (seed * 7_919 + at as u64 * 1_237) % 8_000 + 1_000 + at as u64;
    let table = |id: &str, field: &str, values: &[&str], from: usize| {
        let rows = values.iter().enumerate().map(|(at, value)| TableRow::new(field, json!(value), count(from + at)));
        let caption = format!("{field}, where {FILTER}");
        Table {
            id: id.into(),
            caption,
            field: field.into(),
            total: 90_000 + seed,
            rows: rows.collect(),
            ..Table::default()
        }
    };
    let mut sources = SourceRegistry::default();
    for at in 0..4_u64 {
        let fields = json!({
            "Speed IAS in knots": 100 + 50 * at + seed % 40, "Cost Repair": 7_000 + 311 * at, "Time of day": "Night",
            "Depth_m": -(3.5 + at as f64),
        });
        let fields = Untrusted::new(fields.as_object().unwrap().clone());
        sources.register(Source { tool: "t".into(), record: format!("r{at}"), fields, ..Source::default() });
    }
    let tables = vec![table("A1", "Phase of flight", &PHASES, 0), table("A2", "Origin State", &STATES, PHASES.len())];
    Evidence { sources, tables, ..Evidence::default() }
}

/// A sentence with its claims, and whether it is true.
struct Case {
    class: &'static str,
    text: String,
    is_true: bool,
    language: Language,
}

fn claims(evidence: &Evidence, row: usize) -> (Vec<Claim>, u64, f64, f64) {
    let TableRow { field, value, count, .. } = evidence.tables[0].rows[row].clone();
    let over = Basis::Aggregation("A1".into());
    let statistic = |field: &str, statistic| {
        let number = evidence.statistic(field, statistic).unwrap();
        Claim::Statistic { field: field.into(), statistic, number, source: None }
    };
    let speed = evidence.statistic("Speed IAS in knots", Statistic::Median).unwrap();
    let depth = evidence.statistic("Depth_m", Statistic::Min).unwrap();
    let claims = vec![
        Claim::Count { over: over.clone(), field, value, number: count },
        Claim::Total { over, number: evidence.tables[0].total },
        statistic("Speed IAS in knots", Statistic::Median),
        statistic("Depth_m", Statistic::Min),
    ];
    (claims, count, speed, depth)
}

/// Sentences on one count, its total, and two statistics.
fn cases(value: &str, n: u64, total: u64, speed: f64, depth: f64) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |class, is_true, language: &str, text: String| {
        cases.push(Case { class, text, is_true, language: language.parse().unwrap() });
    };
    let (thousands, rest) = (n / 1_000, n % 1_000);

    // Signs and letters that are joined to a number.
    let joined = [
        format!("{n}k"),
        format!("{n} k"),
        format!("{n}K"),
        format!("{n}M"),
        format!("{n}bn"),
        format!("{n}e3"),
        format!("-{n}"),
        format!("−{n}"),
        format!("{n}'607"),
        format!("{n}_607"),
        format!("{n}\u{a0}607"),
        format!("{n}\u{202f}607"),
        format!("{n}^2"),
    ];
    for written in joined {
        add("sign or letter joined", false, "en", format!("{value} has {written} records."));
        add("sign or letter joined", false, "de", format!("{value}: {written} Datensätze."));
    }
    for written in [format!("{n}"), format!("{thousands},{rest:03}"), format!("{thousands}\u{202f}{rest:03}")] {
        add("sign or letter joined", true, "en", format!("{value} has {written} records."));
    }
    for (language, sign) in
        [("de", "."), ("de", "'"), ("de", "’"), ("fr", "\u{202f}"), ("es", "."), ("it", "."), ("pt", "."), ("it", "'")]
    {
        add("sign or letter joined", true, language, format!("{value}: {thousands}{sign}{rest:03}."));
        add("sign or letter joined", true, language, format!("{value}: {n}."));
    }
    add("sign or letter joined", true, "en", format!("The smallest Depth_m is {depth}."));
    add("sign or letter joined", true, "en", format!("{value} (phase-of-flight group no. 1) has {n} records."));

    // Bounds.
    for words in ["more than", "fewer than", "less than", "nearly", "almost", "over", "under", "upwards of"] {
        add("bound that is the number", false, "en", format!("{value} has {words} {n} records."));
    }
    for (language, words) in
        [("de", "mehr als"), ("de", "fast"), ("fr", "plus de"), ("es", "más de"), ("it", "meno di"), ("pt", "quase")]
    {
        add("bound that is the number", false, language, format!("{value}: {words} {n}."));
    }
    let (down, up) = (n / 100, n.div_ceil(100));
    let tenths = |hundreds: u64| format!("{}.{} thousand", hundreds / 10, hundreds % 10);
    if (1..50).contains(&(n % 100)) {
        add("bound that is the number", true, "en", format!("{value} has more than {} records.", tenths(down)));
    }
    if n % 100 > 50 {
        add("bound that is the number", true, "en", format!("{value} has nearly {} records.", tenths(up)));
    }
    add("bound that is the number", true, "en", format!("{value} has not more than {n} records."));
    add("bound that is the number", true, "en", format!("{value} has at least {n} records."));

    // Numbers of one field that are said of another.
    for other in ["Cost Repair", "Origin State"] {
        add("number of another field", false, "en", format!("The median {other} is {speed}."));
        add("number of another field", false, "en", format!("By {other}, {value} leads with {n} of {total} records."));
    }
    for own in ["Speed IAS in knots", "Phase of flight", "Time of day"] {
        add("number of another field", true, "en", format!("By {own}, {n} of {total} records are of {value}."));
    }
    add("number of another field", true, "en", format!("The median Speed IAS in knots is {speed}."));

    // Records of other filters.
    for other in ["Dawn", "Dusk", "Day"] {
        for form in ["Time of day {}", "Time of day is {}", "Time of day “{}”", "Time of day = {}"] {
            let scope = form.replace("{}", other);
            add("other filter", false, "en", format!("Of the {total} records with {scope}, {n} are of {value}."));
        }
    }
    for form in ["Time of day Night", "Time of day is Night", "Time of day “Night”", "Phase of flight {}"] {
        let scope = form.replace("{}", value);
        add("other filter", true, "en", format!("Of the {total} records, {n} are those with {scope}."));
    }
    cases
}

#[test]
fn numbers_are_said_as_the_claims_have_them() {
    let (mut tally, mut trues, mut accepted) = (Tally::default(), 0, 0);
    let mut refused = Vec::new();
    for seed in 0..40 {
        let evidence = evidence(seed);
        for (row, phase) in PHASES.iter().enumerate() {
            let (claims, n, speed, depth) = claims(&evidence, row);
            for case in cases(phase, n, evidence.tables[0].total, speed, depth) {
                let checker = Checker::in_language(
                    case.language,
                    &evidence,
                    [
                        QUESTION,
                        FILTER,
                        "Speed IAS in knots",
                        "Cost Repair",
                        "Origin State",
                        "Time of day",
                        "Phase of flight",
                    ],
                );
                let found = checker.check(&Statement { text: case.text.clone(), claims: claims.clone() });
                if case.is_true {
                    trues += 1;
                    accepted += u32::from(found.is_ok());
                    refused.extend(found.err().map(|error| format!("{}: {error}", case.text)));
                } else {
                    tally.add(case.class, found.is_err(), || format!("{}: {}", case.language.name(), case.text));
                }
            }
        }
    }

    tally.print("Numbers that are said of something else");
    println!("true: {accepted} of {trues} accepted");
    assert!(accepted * 1_000 >= trues * 995, "{:#?}", &refused[..refused.len().min(20)]);
    for class in ["sign or letter joined", "bound that is the number", "number of another field", "other filter"] {
        assert_eq!(tally.rate(class), 100, "{class}");
    }
}

#[test]
fn a_sentence_with_thousands_of_claims_is_refused_at_once() {
    let evidence = evidence(1);
    let total = Claim::Total { over: Basis::Aggregation("A1".into()), number: evidence.tables[0].total };
    let text = format!("{} records match.", evidence.tables[0].total);
    let check = |count| {
        let claims = vec![total.clone(); count];
        Checker::new(&evidence, []).check(&Statement { text: text.clone(), claims })
    };

    assert!(check(research_agents::kernel::check::MAX_CLAIMS).is_ok());
    let failure = check(200_000).unwrap_err();
    assert!(failure.to_string().contains("200000 claims"), "{failure}");
}
