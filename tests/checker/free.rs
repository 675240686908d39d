//! What the checker finds when only the words of finished sentences are changed and their claims stay: measured, class by
//! class. Floors keep what was reached.

use research_agents::kernel::report::Sentence;
use research_agents::kernel::{Checker, Claim};
use serde_json::Value;

use crate::runs::{FORMATS, Finished, finished};
use crate::tally::Tally;
use crate::{data, mutation};

/// Per cent that must be found of each class.
const FLOORS: [(&str, u32); 7] = [
    ("direction flipped", 100),
    ("negation inserted", 85),
    ("number changed", 97),
    ("numbers swapped", 95),
    ("sources merged", 85),
    ("superlative flipped", 90),
    ("value name swapped", 90),
];

#[tokio::test]
async fn changes_of_free_words_are_found_as_often_as_is_stated() {
    let mut tally = Tally::default();
    for data in data::all() {
        for run in finished(data, &FORMATS[..1]).await {
            let checker = run.checker();
            let sentences = run.sentences();
            for (at, sentence) in sentences.iter().enumerate().filter(|(_, sentence)| !sentence.claims.is_empty()) {
                for (class, text) in changes(sentence, &run) {
                    try_out(&checker, sentence, class, &text, run.data, &mut tally);
                }
                // A sentence without a claim, on the fields of the data, may stand beside any quote.
                let quotes = |sentence: &Sentence| {
                    let is_quote = |claim: &Claim| matches!(claim, Claim::Quote { .. });
                    !sentence.claims.is_empty() && sentence.claims.iter().all(is_quote)
                };
                let others = sentences.iter().enumerate().filter(|(other, _)| *other != at);
                let foreign = others.map(|(_, other)| *other).filter(|other| {
                    quotes(sentence) && quotes(other) && other.sources.iter().all(|id| !sentence.sources.contains(id))
                });
                for other in foreign {
                    let merged = format!("{} {}", sentence.text.as_str(), other.text.as_str());
                    try_out(&checker, sentence, "sources merged", &merged, run.data, &mut tally);
                }
            }
        }
    }
    tally.print("Changes of the words alone");
    for (class, floor) in FLOORS {
        assert!(tally.rate(class) >= floor, "{class}: {} % found, and {floor} % were", tally.rate(class));
    }
}

fn try_out(checker: &Checker<'_>, sentence: &Sentence, class: &'static str, text: &str, data: &str, tally: &mut Tally) {
    let mut mutant = sentence.clone();
    mutant.text = text.into();
    if mutant.text != sentence.text {
        tally.add(class, checker.verify(&mutant).is_err(), || format!("{data}: {text}"));
    }
}

/// Every change of the words of a sentence.
fn changes(sentence: &Sentence, run: &Finished) -> Vec<(&'static str, String)> {
    let text = sentence.text.as_str();
    let mut found = numbers(text);
    // What may be repeated freely is no number of the sentence: the question, the names of fields.
    found.retain(|(_, changed)| changed != text);
    found.extend(verbs(text).into_iter().map(|changed| ("negation inserted", changed)));
    found.extend(names(sentence, run).into_iter().map(|changed| ("value name swapped", changed)));
    found.extend(superlatives(sentence, run).into_iter().map(|changed| ("superlative flipped", changed)));
    for (from, to) in [
        ("is higher at", "is lower at"),
        ("is lower at", "is higher at"),
        ("is the same at the end as", "is higher at the end than"),
        ("begins with", "ends with"),
    ] {
        let flipped = text.replace(to, "\u{1}").replace(from, to).replace('\u{1}', from);
        found.extend(text.contains(from).then_some(("direction flipped", flipped)));
    }
    found
}

/// Runs of digits outside longer words, with their places.
fn figures(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut from = 0;
    for part in text.split(|c: char| !c.is_ascii_digit()) {
        if !part.is_empty() {
            found.push((from, part));
        }
        from += part.len() + text[from + part.len()..].chars().next().map_or(0, char::len_utf8);
    }
    found
}

/// Each whole number changed, and each two different numbers exchanged.
fn numbers(text: &str) -> Vec<(&'static str, String)> {
    let all = figures(text);
    let mut found = Vec::new();
    for (at, digits) in &all {
        let Ok(number) = digits.parse::<u64>() else { continue };
        for near in mutation::near(number) {
            found.push(("number changed", format!("{}{near}{}", &text[..*at], &text[at + digits.len()..])));
        }
    }
    for (place, (a, first)) in all.iter().enumerate() {
        for (b, second) in all[place + 1..].iter().filter(|(_, second)| second != first) {
            let (before, between, after) = (&text[..*a], &text[a + first.len()..*b], &text[b + second.len()..]);
            found.push(("numbers swapped", format!("{before}{second}{between}{first}{after}")));
        }
    }
    found
}

/// The sentence denied.
fn verbs(text: &str) -> Vec<String> {
    let forms = [
        (" is ", " is not "),
        (" are ", " are not "),
        (" hold ", " do not hold "),
        (" have ", " do not have "),
        (" has ", " does not have "),
        (" match ", " do not match "),
        (" occurs ", " does not occur "),
        (" lies ", " does not lie "),
    ];
    if ["not ", "No ", "None ", "no "].iter().any(|word| text.contains(word)) {
        return Vec::new();
    }
    let fitting = forms.iter().filter(|(from, _)| text.contains(*from));
    fitting.map(|(from, to)| text.replacen(*from, to, 1)).collect()
}

/// A claimed value's name replaced by that of another group, and two claimed ones exchanged.
fn names(sentence: &Sentence, run: &Finished) -> Vec<String> {
    let text = sentence.text.as_str();
    let claimed: Vec<(&str, &str)> = sentence.claims.iter().filter_map(named).collect();
    let is_shown = |value: &str| value.len() > 1 && text.matches(value).count() == 1;
    let mut found = Vec::new();
    for (field, value) in claimed.iter().filter(|(_, value)| is_shown(value)) {
        let keys =
            run.report.aggregations.iter().filter(|table| table.field == *field).flat_map(|table| &table.buckets);
        let keys = keys.filter_map(|bucket| bucket.key.as_str());
        let held = run.report.sources.iter().filter_map(|source| source.field(field)?.as_str());
        let mut others: Vec<&str> =
            keys.chain(held).filter(|other| other.len() > 1 && !text.contains(*other)).collect();
        others.sort_unstable();
        others.dedup();
        found.extend(others.into_iter().take(4).map(|other| text.replacen(value, other, 1)));
    }
    for (place, (field, a)) in claimed.iter().enumerate() {
        for (_, b) in claimed[place + 1..].iter().filter(|(other, b)| other == field && b != a) {
            let is_part = a.contains(b) || b.contains(a);
            if is_shown(a) && is_shown(b) && !is_part && differ(sentence, a, b) && is_told_apart(text) {
                found.push(text.replacen(a, "\u{1}", 1).replacen(b, a, 1).replacen('\u{1}', b, 1));
            }
        }
    }
    found
}

fn named(claim: &Claim) -> Option<(&str, &str)> {
    match claim {
        Claim::Count { field, value: Value::String(value), .. } => Some((field, value.trim())),
        _ => None,
    }
}

/// Exchanging the names of equal groups changes nothing.
fn differ(sentence: &Sentence, a: &str, b: &str) -> bool {
    let number = |name: &str| {
        sentence.claims.iter().find_map(|claim| match claim {
            Claim::Count { value: Value::String(value), number, .. } if value.trim() == name => Some(*number),
            _ => None,
        })
    };
    number(a) != number(b)
}

/// Whether the order of the names in a sentence says something: not in *the 3 largest groups, a, b and c, together*.
fn is_told_apart(text: &str) -> bool {
    !text.contains("together hold")
}

/// Superlatives turned round, where the counts of the groups make that wrong.
fn superlatives(sentence: &Sentence, run: &Finished) -> Vec<String> {
    let text = sentence.text.as_str();
    let mut counts: Vec<u64> = Vec::new();
    for claim in &sentence.claims {
        if let Claim::Count { field, .. } = claim {
            let tables = run.report.aggregations.iter().filter(|table| table.field == *field);
            counts.extend(tables.flat_map(|table| table.buckets.iter().map(|bucket| bucket.doc_count)));
            let mut held: Vec<String> =
                run.report.sources.iter().filter_map(|source| source.field(field)).map(Value::to_string).collect();
            held.sort();
            counts.extend(held.chunk_by(|a, b| a == b).map(|chunk| chunk.len() as u64));
        }
    }
    let statistic = sentence.claims.iter().any(|claim| matches!(claim, Claim::Statistic { .. }));
    let differ = counts.iter().min() != counts.iter().max();
    // Turned round, "the 3 smallest of 3 groups" would hold.
    let forms = [
        ("largest", "smallest"),
        ("smallest", "largest"),
        ("most frequent", "least frequent"),
        ("more frequent", "less frequent"),
        ("highest number", "lowest number"),
        ("The peak", "The low point"),
        ("which has the fewest", "which has the most records"),
    ];
    let flipped = forms.iter().filter(|(from, _)| text.contains(from)).map(|(from, to)| text.replacen(from, to, 1));
    if differ || statistic { flipped.collect() } else { Vec::new() }
}
