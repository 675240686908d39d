//! Changes each part of whole bundles and counts what is found: as it is, with the digest computed again, and with all that a
//! forger can compute again.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use research_agents::dataset;
use research_agents::dataset::record::ReportFormat::ComprehensiveReport;
use research_agents::kernel::Bundle;
use research_agents::kernel::bundle::BundledSource;
use serde_json::Value;

use crate::mutation::{Class, Mutation, mutations};
use crate::runs::{STRIKES, events, file, orders, reports, strikes};
use crate::{failures, resealed};

/// Changes of one class and bundle that are tried, at equal distances among all that there are: a sample, no proof. The variable
/// `VERIFY_MUTATIONS` sets another number, and has the two large bundles changed as well; to try every change takes hours in a
/// debug build.
const SAMPLE: usize = 2;

#[derive(Clone, Copy, Debug, Default)]
struct Rate {
    tried: usize,
    /// Found in the bundle as it is.
    found: usize,
    /// Found with the digest computed again.
    by_content: usize,
    /// Found with hashes, Markdown and digest computed again.
    in_forgery: usize,
}

/// Tries the changes of a bundle.
fn measure(bundle: &Bundle, sample: usize) -> (BTreeMap<Class, Rate>, Vec<String>) {
    let (mut rates, mut missed): (BTreeMap<Class, Rate>, Vec<String>) = Default::default();
    let whole = serde_json::to_value(bundle).unwrap();
    let mut by_class: BTreeMap<Class, Vec<Mutation>> = BTreeMap::new();
    for mutation in mutations(&whole) {
        by_class.entry(mutation.class).or_default().push(mutation);
    }
    for (class, all) in by_class {
        let step = all.len().div_ceil(sample).max(1);
        for mutation in all.iter().step_by(step) {
            let changed = mutation.of(&whole);
            let rate = rates.entry(class).or_default();
            let Ok(read) = serde_json::from_value::<Bundle>(changed.clone()) else {
                // What is no bundle any more is found.
                *rate = Rate {
                    tried: rate.tried + 1,
                    found: rate.found + 1,
                    by_content: rate.by_content + 1,
                    in_forgery: rate.in_forgery + 1,
                };
                continue;
            };
            if read == *bundle || is_true(&changed, mutation) {
                continue;
            }
            rate.tried += 1;
            rate.found += usize::from(!dataset::verify(&read).holds());
            let is_found = !resealed(read.clone()).holds();
            rate.by_content += usize::from(is_found);
            rate.in_forgery += usize::from(!resealed(forged(read)).holds());
            if !is_found && is_certain(class) {
                missed.push(format!("{class:?} {}: {}", mutation.pointer, mutation.value));
            }
        }
    }
    (rates, missed)
}

impl AddAssign for Rate {
    fn add_assign(&mut self, other: Self) {
        self.tried += other.tried;
        self.found += other.found;
        self.by_content += other.by_content;
        self.in_forgery += other.in_forgery;
    }
}

/// A quote that lost whole words at its end says nothing wrong: the others stand at their place in the source.
fn is_true(changed: &Value, mutation: &Mutation) -> bool {
    let Some(claim) = mutation.pointer.strip_suffix("/text").filter(|_| mutation.class == Class::Quote) else {
        return false;
    };
    let claim = changed.pointer(claim).unwrap();
    let sources = changed["evidence"]["sources"].as_array().unwrap();
    let source = sources.iter().find(|source| source["id"] == claim["source"]).unwrap();
    let (text, quote) = (source["text"].as_str().unwrap(), claim["text"].as_str().unwrap());
    let start = usize::try_from(claim["start"].as_u64().unwrap()).unwrap();
    text[start..].strip_prefix(quote).is_some_and(|rest| !goes_on(quote, rest))
}

/// Whether a word or number that a text ends with goes on in the next one.
fn goes_on(text: &str, next: &str) -> bool {
    let (mut before, mut after) = (text.chars().rev(), next.chars());
    let (Some(last), Some(first)) = (before.next(), after.next()) else { return false };
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let is_point = |c: char| matches!(c, '.' | ',');
    (last.is_alphanumeric() && first.is_alphanumeric())
        || (last.is_ascii_digit() && is_point(first) && is_digit(after.next()))
        || (is_point(last) && first.is_ascii_digit() && is_digit(before.next()))
}

/// All that can be computed again without knowing what the tools answered.
fn forged(mut bundle: Bundle) -> Bundle {
    for sealed in &mut bundle.evidence.sources {
        sealed.sha256 = BundledSource::hash_of(&sealed.source);
    }
    bundle.markdown = bundle.report.to_markdown();
    bundle
}

/// What the content alone proves, without a digest.
fn is_certain(class: Class) -> bool {
    use Class::{Answer, Arguments, Claim, Context, Digest, Model, OtherTraffic, Rest};
    !matches!(class, Answer | Arguments | Claim | Context | Digest | Model | OtherTraffic | Rest)
}

#[tokio::test]
async fn a_sample_of_changes_of_every_class_is_found_and_the_content_alone_proves_what_is_claimed() {
    let wanted = std::env::var("VERIFY_MUTATIONS").ok().and_then(|number| number.parse().ok());
    let mut bundles = vec![
        file("orders.csv", &orders(), "Net (EUR) by Region, 2nd level", ComprehensiveReport).await,
        file("reports.jsonl", &reports(), "What did crews see after takeoff?", ComprehensiveReport).await,
    ];
    if wanted.is_some() {
        bundles.push(strikes(STRIKES, ComprehensiveReport).await);
        bundles.push(events("India events by theme", ComprehensiveReport).await);
    }
    for bundle in &bundles {
        let verification = dataset::verify(bundle);
        assert!(verification.holds(), "{:#?}", failures(&verification));
    }
    let sample = wanted.unwrap_or(SAMPLE);
    let measured: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = bundles.iter().map(|bundle| scope.spawn(move || measure(bundle, sample))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let (mut rates, mut missed): (BTreeMap<Class, Rate>, Vec<String>) = Default::default();
    for (of_bundle, not_found) in measured {
        of_bundle.into_iter().for_each(|(class, rate)| *rates.entry(class).or_default() += rate);
        missed.extend(not_found);
    }
    println!("{:16} {:>6} {:>7} {:>11} {:>11}", "changed", "tried", "as is", "no digest", "forged");
    for (class, Rate { tried, found, by_content, in_forgery }) in &rates {
        println!("{:16} {tried:>6} {found:>7} {by_content:>11} {in_forgery:>11}", format!("{class:?}"));
    }
    for (class, rate) in &rates {
        assert_eq!(rate.found, rate.tried, "{class:?}");
    }
    for class in [Class::Quote, Class::CutQuote, Class::Rounded, Class::OwnMarker] {
        assert!(rates.get(&class).is_some_and(|rate| rate.tried > 0), "no change of {class:?} was tried");
    }
    assert!(missed.is_empty(), "{missed:#?}");
}
