//! Sentences about tables of random fields, values and numbers: those in which numbers are exchanged are refused.

use std::collections::HashSet;

use fastrand::Rng;
use research_agents::kernel::Checker;
use research_agents::kernel::claim::{Basis, Claim, Statement};
use research_agents::kernel::evidence::{Evidence, Table, TableRow};
use serde_json::{Value, json};

use crate::{fuzz, mutate};

/// Rounds of a day; each checks one true sentence, and all exchanges of it.
const ROUNDS: u64 = 3_000;
/// True sentences of a hundred that must be accepted at least. Values may be words that mean something in a sentence.
const ACCEPTED: usize = 90;

const ROWS: usize = 5;

/// A count that a sentence states.
#[derive(Clone)]
struct Count {
    table: usize,
    field: String,
    value: String,
    number: u64,
}

/// A name that nothing else in the round has.
fn fresh(rng: &mut Rng, taken: &mut HashSet<String>) -> String {
    loop {
        let ordinary = ["None", "No", "Yes", "Other", "Unknown", "True", "Most", "All"];
        let mut name = match rng.u8(0..12) {
            0 => ordinary[rng.usize(0..ordinary.len())].to_owned(),
            1 => format!("{} {}", mutate::word(rng), rng.u32(10..99)),
            2 => format!("{}-{}", mutate::word(rng), mutate::word(rng)),
            3 => format!("{} ({})", mutate::word(rng), mutate::word(rng)),
            4 => format!("{}é{}", mutate::word(rng), mutate::word(rng)),
            5..8 => format!("{} {}", mutate::word(rng), mutate::word(rng)),
            _ => mutate::word(rng),
        };
        if rng.bool() {
            name = name[..1].to_uppercase() + &name[1..];
        }
        // No name is a part of another one.
        let lower = name.to_lowercase();
        if lower.len() > 3 && !taken.iter().any(|other| other.contains(&lower) || lower.contains(other.as_str())) {
            taken.insert(lower);
            return name;
        }
    }
}

/// Tables whose counts are all different, with claims about some of their groups.
fn evidence(rng: &mut Rng) -> (Evidence, Vec<Count>) {
    let tables = rng.usize(1..4);
    let mut numbers = HashSet::new();
    while numbers.len() < tables * ROWS {
        numbers.insert(rng.u64(101..20_000));
    }
    let total = numbers.iter().sum::<u64>() + rng.u64(0..10_000);
    let mut numbers = numbers.into_iter().collect::<Vec<_>>();
    numbers.sort_unstable();
    rng.shuffle(&mut numbers);

    let (mut evidence, mut all, mut taken) = (Evidence::default(), Vec::new(), HashSet::new());
    for (table, numbers) in numbers.chunks(ROWS).enumerate() {
        let field = fresh(rng, &mut taken);
        let mut rows = Vec::new();
        for number in numbers {
            let value = fresh(rng, &mut taken);
            rows.push(TableRow::new(&*field, json!(value), *number));
            all.push(Count { table, field: field.clone(), value, number: *number });
        }
        evidence.tables.push(Table { id: format!("A{}", table + 1), field, total, rows, ..Table::default() });
    }
    rng.shuffle(&mut all);
    all.truncate(rng.usize(2..5));
    (evidence, all)
}

/// Says the counts with the numbers at these places.
fn said(form: u8, counts: &[Count], numbers: &[usize]) -> String {
    let parts = counts.iter().zip(numbers).map(|(count, at)| {
        let Count { field, value, .. } = count;
        let number = counts[*at].number;
        match form {
            0 => format!("{value} has {number}"),
            1 => format!("{value}: {number}"),
            2 => format!("{number} are {value}"),
            3 => format!("{field} is {value} in {number} records"),
            4 => format!("{value} ({number})"),
            _ => format!("there were {number} with {field} “{value}”"),
        }
    });
    parts.collect::<Vec<_>>().join(if form.is_multiple_of(2) { ", " } else { " and " }) + "."
}

fn statement(form: u8, counts: &[Count], numbers: &[usize]) -> Statement {
    let claims = counts.iter().map(|count| Claim::Count {
        over: Basis::Aggregation(format!("A{}", count.table + 1)),
        field: count.field.clone(),
        value: json!(count.value),
        number: count.number,
    });
    Statement { text: said(form, counts, numbers), claims: claims.collect() }
}

/// Whether a number is the sum of others that are counted together, which a sentence may state too.
fn is_a_sum(counts: &[Count]) -> bool {
    let sums = (0..3).map(|table| counts.iter().filter(|count| count.table == table).map(|count| count.number).sum());
    let sums: Vec<u64> = sums.collect();
    counts.iter().any(|count| sums.iter().enumerate().any(|(at, sum)| at != count.table && *sum == count.number))
}

#[test]
fn exchanged_numbers_are_refused_whatever_the_names() {
    let (tried, accepted) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    fuzz(ROUNDS, |rng| {
        let (evidence, counts) = evidence(rng);
        if is_a_sum(&counts) {
            return;
        }
        let checker = Checker::new(&evidence, []);
        let form = rng.u8(0..6);
        let right: Vec<usize> = (0..counts.len()).collect();

        tried.set(tried.get() + 1);
        let truth = statement(form, &counts, &right);
        match checker.check(&truth) {
            Ok(_) => accepted.set(accepted.get() + 1),
            Err(error) if std::env::var_os("FUZZ_SHOW").is_some() => println!("{}: {error}", truth.text),
            Err(_) => {}
        }
        for first in 0..counts.len() {
            for second in first + 1..counts.len() {
                let mut exchanged = right.clone();
                exchanged.swap(first, second);
                let statement = statement(form, &counts, &exchanged);
                assert!(checker.check(&statement).is_err(), "accepted: {}", statement.text);
            }
        }
    });
    println!("{} of {} true sentences were accepted", accepted.get(), tried.get());
    assert!(accepted.get() * 100 >= tried.get() * ACCEPTED, "{} of {}", accepted.get(), tried.get());
}

#[test]
fn numbers_that_no_claim_has_are_refused() {
    fuzz(ROUNDS, |rng| {
        let (evidence, counts) = evidence(rng);
        let right: Vec<usize> = (0..counts.len()).collect();
        let mut statement = statement(rng.u8(0..6), &counts, &right);
        let number = counts[rng.usize(0..counts.len())].number.to_string();
        // More than all records, so that no share, sum or ratio of the claims is meant.
        let other = evidence.tables[0].total * 3 + rng.u64(11..999);
        statement.text = statement.text.replacen(&number, &other.to_string(), 1);

        assert!(Checker::new(&evidence, []).check(&statement).is_err(), "accepted: {}", statement.text);
    });
}

#[test]
fn claims_that_the_evidence_does_not_have_are_refused() {
    fuzz(ROUNDS, |rng| {
        let (evidence, counts) = evidence(rng);
        let right: Vec<usize> = (0..counts.len()).collect();
        let mut changed = counts.clone();
        let at = rng.usize(0..counts.len());
        let count = &mut changed[at];
        match rng.u8(0..4) {
            0 => count.number += rng.u64(1..9),
            1 => count.value = mutate::word(rng) + "xq",
            2 => count.field = mutate::word(rng) + "xq",
            _ => count.table += 3,
        }

        let statement = statement(rng.u8(0..6), &changed, &right);
        assert!(Checker::new(&evidence, []).check(&statement).is_err(), "accepted: {}", statement.text);
    });
}

#[test]
fn any_text_with_any_claims_gets_a_verdict() {
    fuzz(ROUNDS, |rng| {
        let (evidence, counts) = evidence(rng);
        let right: Vec<usize> = (0..counts.len()).collect();
        let mut statement = statement(rng.u8(0..6), &counts, &right);
        match rng.u8(0..3) {
            0 => statement.text = (0..rng.usize(0..9)).map(|_| mutate::text(rng)).collect(),
            1 => {
                let mut bytes = statement.text.into_bytes();
                mutate::bytes(rng, &mut bytes);
                statement.text = String::from_utf8_lossy(&bytes).into_owned();
            }
            _ => {}
        }
        let mut claims: Value = serde_json::to_value(&statement.claims).unwrap();
        mutate::json(rng, &mut claims);
        if let Ok(claims) = serde_json::from_value(claims) {
            statement.claims = claims;
        }

        let checker = Checker::new(&evidence, []);
        if let Ok(verified) = checker.check(&statement) {
            // What was accepted once is accepted again as it is printed.
            let printed = Statement { text: verified.text().to_owned(), claims: verified.claims().to_vec() };
            assert!(checker.check(&printed).is_ok(), "{}", printed.text);
        }
        drop(checker.check_loose(&statement));
    });
}
