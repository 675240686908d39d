//! Sentences as language models write them, on one small table and four records: the true ones pass, and of the false ones so many
//! are found as the table says.

use research_agents::kernel::{
    Basis, Checker, Claim, Evidence, Source, SourceRegistry, Statement, Statistic, Table, TableRow, Untrusted,
};
use serde_json::{Value, json};

use crate::tally::Tally;

fn evidence() -> Evidence {
    let row = |field: &str, value: &str, count| TableRow::new(field, json!(value), count);
    let sizes = [("Small", 99), ("Medium", 49), ("Large", 17)].map(|(value, count)| row("size", value, count));
    let years = [("1990-01-01", 40), ("1991-01-01", 65), ("1992-01-01", 60)].map(|(v, count)| row("date", v, count));
    let states = [("Texas", 80), ("Ohio", 50), ("Utah", 35)].map(|(value, count)| row("state", value, count));
    let table = |id: &str, field: &str, rows: Vec<TableRow>| Table {
        id: id.into(),
        field: field.into(),
        total: 165,
        rows,
        ..Table::default()
    };
    let tables = vec![
        table("A1", "size", sizes.to_vec()),
        table("A2", "date", years.to_vec()),
        table("A3", "state", states.to_vec()),
    ];
    let mut sources = SourceRegistry::default();
    for (id, speed, craft, text) in [
        ("PAG001", 100, "B-737-300", "The pilot saw two gulls at KJFK and did not brake."),
        ("PAG002", 140, "A320", "A hawk hit engine 2; no damage was found."),
        ("PAG003", 120, "A320", "The tower was not warned of the flock of 30 starlings."),
        ("4711", 180, "MD-80", "Crew reported “a loud bang” near EGLL."),
    ] {
        let fields = Untrusted::new(json!({"speed": speed, "aircraft": craft}).as_object().unwrap().clone());
        let text = Untrusted::new(format!("speed: {speed}\naircraft: {craft}\nremark: {text}"));
        sources.register(Source { tool: "t".into(), record: id.into(), fields, text, ..Source::default() });
    }
    Evidence { sources, tables, ..Evidence::default() }
}

fn count(table: &str, field: &str, value: &str, number: u64) -> Claim {
    Claim::Count { over: Basis::Aggregation(table.into()), field: field.into(), value: json!(value), number }
}

fn size(value: &str) -> Claim {
    count(
        "A1",
        "size",
        value,
        match value {
            "Small" => 99,
            "Medium" => 49,
            _ => 17,
        },
    )
}

fn year(value: &str) -> Claim {
    count(
        "A2",
        "date",
        &format!("{value}-01-01"),
        match value {
            "1990" => 40,
            "1991" => 65,
            _ => 60,
        },
    )
}

fn quote(id: &str, text: &str) -> Claim {
    Claim::Quote { source: id.into(), text: text.into(), start: None }
}

fn measure(statistic: Statistic, number: f64) -> Claim {
    Claim::Statistic { field: "speed".into(), statistic, number, source: None }
}

fn total() -> Claim {
    Claim::Total { over: Basis::Aggregation("A1".into()), number: 165 }
}

/// Claims of a sentence, in short.
fn claims(of: &str) -> Vec<Claim> {
    match of {
        "small" => vec![size("Small")],
        "large" => vec![size("Large")],
        "small medium" => vec![size("Small"), size("Medium")],
        "all sizes" => vec![size("Small"), size("Medium"), size("Large")],
        "ends" => vec![year("1990"), year("1992")],
        "years" => vec![year("1990"), year("1991"), year("1992")],
        "texas" => vec![count("A3", "state", "Texas", 80)],
        "total" => vec![total()],
        "gulls" => vec![quote("PAG001", "saw two gulls at KJFK and did not brake")],
        "hawk" => vec![quote("PAG002", "A hawk hit engine 2; no damage was found")],
        "starlings" => vec![quote("PAG003", "was not warned of the flock of 30 starlings")],
        "bang" => vec![quote("4711", "reported “a loud bang” near EGLL")],
        "speeds" => vec![
            measure(Statistic::Min, 100.0),
            measure(Statistic::Max, 180.0),
            measure(Statistic::Mean, 135.0),
            measure(Statistic::Median, 130.0),
        ],
        "craft" => {
            vec![Claim::Count { over: Basis::Records, field: "aircraft".into(), value: Value::from("A320"), number: 2 }]
        }
        other => unreachable!("{other}"),
    }
}

/// Sentences that hold.
const TRUE: [(&str, &str); 48] = [
    ("small", "Most strikes involved small animals: 99 of 165, or 60 %."),
    ("small", "Small animals account for 99 of the 165 strikes (60.0 %), far more than any other size."),
    ("small", "With 99 records, Small is the largest group."),
    ("small", "Three in five strikes, 99 in all, were by little birds."),
    ("small", "The most common size by far was Small (99)."),
    ("small", "No size is more frequent than Small, with 99 of 165 records."),
    ("small", "Small creatures, which pilots may not even notice, make up 60 % of the total."),
    ("large", "Large animals are rare: only 17 of 165."),
    ("large", "Only 17 strikes were with large animals, the smallest group by size."),
    ("large", "Large is the least frequent size, with 17 records (10.3 %)."),
    ("large", "The 17 strikes by Large wildlife are few compared with the other sizes."),
    ("small medium", "Small leads with 99, followed by Medium with 49."),
    ("small medium", "After Small (99), the next group has 49 records."),
    ("small medium", "99 were Small and 49 were Medium."),
    ("small medium", "Small and Medium together hold 148 of 165 records (89.7 %)."),
    ("small medium", "Small is 2.0 times as frequent as Medium."),
    ("small medium", "Compared with Small, 49 were Medium."),
    ("small medium", "Medium, with 49, is the second most frequent size after Small."),
    ("small medium", "Medium is less frequent than Small: 49 against 99."),
    ("small medium", "Small and Medium have 99 and 49 records, respectively."),
    ("all sizes", "The sizes rank Small (99), Medium (49), Large (17)."),
    ("all sizes", "Of 165 records, 99 are Small, 49 Medium and 17 Large."),
    ("all sizes", "The largest groups are Small and Medium, with 99 and 49; Large has 17."),
    ("all sizes", "Small accounts for 60.0 %, Medium for 29.7 % and Large for 10.3 %."),
    ("all sizes", "Not Large but Small animals dominate: 17 against 99."),
    ("ends", "Strikes rose from 40 in 1990 to 60 in 1992."),
    ("ends", "Between 1990 and 1992 the number increased from 40 to 60."),
    ("ends", "In 1990 there were 40, in 1992 60 records."),
    ("ends", "1992 had more records than 1990: 60 against 40."),
    ("years", "The number rose from 40 to 65 in 1991 and then fell to 60."),
    ("years", "The peak was in 1991 with 65 records; 1990 had 40 and 1992 had 60."),
    ("texas", "Texas leads with 80 of 165 records."),
    ("texas", "Nearly half of the strikes (80) happened in Texas."),
    ("texas", "In no other state are there as many as in Texas, with 80."),
    ("total", "165 records match the question."),
    ("total", "In all, 165 strikes were reported between 1990 and 1992 in the question's terms."),
    ("gulls", "One pilot saw “two gulls” and did not brake."),
    ("gulls", "At KJFK a pilot saw gulls, yet kept going."),
    ("gulls", "Record PAG001 tells of gulls at KJFK."),
    ("hawk", "A hawk hit engine 2 without damage."),
    ("starlings", "Nobody had warned the tower of 30 starlings."),
    ("bang", "A loud bang was heard near EGLL, says record 4711."),
    ("speeds", "speed lies between 100 and 180; its median is 130 and its mean 135."),
    ("speeds", "The highest speed was 180 and the lowest 100 knots."),
    ("speeds", "On average the aircraft flew at 135 knots, with a median of 130."),
    ("craft", "2 of the records read concern an A320."),
    ("craft", "The most frequent aircraft among those read is the A320, in 2 of 4 records."),
    ("craft", "The A320 appears 2 times."),
];

/// Sentences that do not hold, with what is wrong with them.
const FALSE: [(&str, &str, &str); 62] = [
    ("value swapped", "small", "Large animals account for 99 of the 165 strikes."),
    ("value swapped", "small", "Large 99 of 165."),
    ("value swapped", "small", "Most strikes involved Medium animals: 99 of 165."),
    ("value swapped", "small", "With 99 records, medium is the leading size."),
    ("value swapped", "texas", "Ohio leads with 80 of 165 records."),
    ("value swapped", "texas", "Nearly half of the strikes (80) happened in Utah."),
    ("value swapped", "small medium", "Small leads with 99, followed by Large with 49."),
    ("value swapped", "total", "In Ohio, 165 records match."),
    ("value swapped", "craft", "2 of the records read concern an MD-80."),
    ("numbers swapped", "small medium", "Small leads with 49, followed by Medium with 99."),
    ("numbers swapped", "small medium", "49 were Small and 99 were Medium."),
    ("numbers swapped", "small medium", "Small and Medium have 49 and 99 records, respectively."),
    ("numbers swapped", "all sizes", "Small (99), Medium (17), Large (49)."),
    ("numbers swapped", "all sizes", "Of 165 records, 99 are Small, 17 Medium and 49 Large."),
    ("numbers swapped", "all sizes", "Small accounts for 60.0 %, Medium for 10.3 % and Large for 29.7 %."),
    ("numbers swapped", "ends", "In 1990 there were 60, in 1992 40 records."),
    ("numbers swapped", "speeds", "Its median is 135 and its mean 130."),
    ("numbers swapped", "speeds", "speed lies between 180 and 100."),
    ("number changed", "small", "Most strikes involved small animals: 98 of 165."),
    ("number changed", "small", "Small animals account for 61 %."),
    ("number changed", "small", "Small is found in 12 states."),
    ("number changed", "starlings", "The tower was not warned of 300 starlings."),
    ("number changed", "hawk", "A hawk hit engine 3."),
    ("number changed", "ends", "Strikes rose by 25 from 40 to 60."),
    ("number changed", "speeds", "The highest speed was 181."),
    ("number in words", "small", "Ninety-eight strikes involved small animals."),
    ("number in words", "gulls", "One pilot saw three gulls."),
    ("number in words", "small", "Two thirds of all strikes were by Small animals."),
    ("superlative flipped", "small", "With 99 records, Small is the smallest group."),
    ("superlative flipped", "small", "The least common size was Small (99)."),
    ("superlative flipped", "large", "Large is the most frequent size, with 17 records."),
    ("superlative flipped", "large", "The largest group by size is Large, with 17."),
    ("superlative flipped", "small", "The rarest size is Small, with 99."),
    ("superlative flipped", "years", "The peak was in 1992 with 60 records."),
    ("superlative flipped", "speeds", "The lowest speed was 180."),
    ("superlative flipped", "small", "Small animals are the exception: 99 of 165."),
    ("comparison flipped", "small medium", "Medium is more frequent than Small."),
    ("comparison flipped", "small medium", "Small is less common than Medium: 99 against 49."),
    ("comparison flipped", "small medium", "Medium is 2.0 times as frequent as Small."),
    ("comparison flipped", "small medium", "Medium beats Small, 49 against 99."),
    ("direction flipped", "ends", "Strikes fell from 40 in 1990 to 60 in 1992."),
    ("direction flipped", "ends", "Between 1990 and 1992 the number decreased from 40 to 60."),
    ("direction flipped", "ends", "The number is lower at the end than at the beginning: 40 in 1990, 60 in 1992."),
    ("direction flipped", "ends", "Things got better: 40 in 1990, 60 in 1992."),
    ("negation", "small", "Most strikes did not involve small animals: 99 of 165."),
    ("negation", "small", "The largest group is not Small."),
    ("negation", "small", "Small does not have 99 records."),
    ("negation", "gulls", "The pilot saw two gulls and braked."),
    ("negation", "starlings", "The tower was warned of 30 starlings."),
    ("negation", "texas", "Texas isn't the state with 80 records."),
    ("negation", "hawk", "A hawk did not hit engine 2."),
    ("identifier swapped", "gulls", "At KLAX a pilot saw gulls."),
    ("identifier swapped", "gulls", "Record PAG002 tells of gulls at KJFK."),
    ("identifier swapped", "craft", "2 of the records read concern a B-737-400."),
    ("identifier swapped", "bang", "A loud bang was heard, says record 4712."),
    ("identifier swapped", "small", "In A2, Small has 99 records."),
    ("identifier swapped", "gulls", "One pilot saw “two hawks”."),
    ("identifier swapped", "total", "By event_theme, 165 records match."),
    ("identifier swapped", "hawk", "Write to tower@kjfk.example of the hawk."),
    ("sources merged", "gulls", "At EGLL a pilot saw two gulls."),
    ("sources merged", "hawk", "A hawk hit engine 2 of an A320 with 30 starlings."),
    ("sources merged", "starlings", "The tower was not warned of the hawk and 30 starlings."),
];

/// Per cent that must be found of each class.
const FLOORS: [(&str, u32); 10] = [
    ("comparison flipped", 75),
    ("direction flipped", 75),
    ("identifier swapped", 100),
    ("negation", 85),
    ("number changed", 100),
    ("number in words", 33),
    ("numbers swapped", 100),
    ("sources merged", 60),
    ("superlative flipped", 85),
    ("value swapped", 100),
];

#[test]
fn true_sentences_of_models_pass_and_false_ones_are_found_as_often_as_is_stated() {
    let evidence = evidence();
    let checker = Checker::new(&evidence, ["How do strikes of 1990 to 1992 divide by size and state?"]);
    let verdict = |of: &str, text: &str| checker.check(&Statement { text: text.into(), claims: claims(of) });
    let alarms: Vec<String> =
        TRUE.iter().filter_map(|(of, text)| Some(format!("{}: {text}", verdict(of, text).err()?))).collect();
    let mut tally = Tally::default();
    for (class, of, text) in FALSE {
        tally.add(class, verdict(of, text).is_err(), || text.to_owned());
    }
    tally.print("False sentences as models write them");
    assert!(
        alarms.is_empty(),
        "{} of {} true sentences raise an alarm:\n{}",
        alarms.len(),
        TRUE.len(),
        alarms.join("\n")
    );
    for (class, floor) in FLOORS {
        assert!(tally.rate(class) >= floor, "{class}: {} % found, and {floor} % were", tally.rate(class));
    }
}
