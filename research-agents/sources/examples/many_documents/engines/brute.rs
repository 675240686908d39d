//! BM25 as Robertson and Zaragoza (2009) define it, over all passages and without an index.

use std::collections::HashMap;
use std::convert::Infallible;
use std::error::Error;
use std::path::Path;
use std::time::Instant;

use research_agents_report::text::content_stems;

use crate::engines::documents::each_passage;
use crate::engines::measured::{BRUTE, Measured};
use crate::queries::{BEST, QUERIES};

/// Saturation of repeated words, and how much the length of a passage matters.
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// A passage: its number of words, and how often it has each word of the queries.
struct Counted {
    name: String,
    length: f64,
    counts: HashMap<usize, f64>,
}

/// Counts the words of the queries in every passage, and scores every passage for each query.
pub(crate) fn measure(folder: &Path) -> Result<Measured, Box<dyn Error>> {
    let mut measured = Measured::new(BRUTE);
    let mut terms: Vec<String> = QUERIES
        .iter()
        .flat_map(|query| content_stems(query))
        .collect();
    terms.sort_unstable();
    terms.dedup();
    let numbers: HashMap<&str, usize> = terms
        .iter()
        .enumerate()
        .map(|(number, term)| (term.as_str(), number))
        .collect();

    let start = Instant::now();
    let mut passages: Vec<Counted> = Vec::new();
    measured.documents = each_passage(folder, |passage| {
        let (mut length, mut counts) = (0.0, HashMap::new());
        for stem in passage.parts.iter().flat_map(|part| content_stems(part)) {
            length += 1.0;
            if let Some(number) = numbers.get(stem.as_str()) {
                *counts.entry(*number).or_insert(0.0) += 1.0;
            }
        }
        passages.push(Counted {
            name: passage.name,
            length,
            counts,
        });
        Ok(())
    })?;
    measured.read_s = start.elapsed().as_secs_f64();
    measured.passages = passages.len();

    measured.ask(|query| {
        let mut wanted: Vec<usize> = content_stems(query)
            .iter()
            .map(|stem| numbers[stem.as_str()])
            .collect();
        wanted.sort_unstable();
        wanted.dedup();
        Ok::<_, Infallible>(ranked(&passages, &wanted))
    })?;
    Ok(measured)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "numbers of passages are far below 2^52"
)]
fn ranked(passages: &[Counted], wanted: &[usize]) -> Vec<(String, f64)> {
    let number = passages.len() as f64;
    let mean = passages.iter().map(|passage| passage.length).sum::<f64>() / number;
    let idf: HashMap<usize, f64> = wanted
        .iter()
        .map(|term| {
            let having = passages
                .iter()
                .filter(|passage| passage.counts.contains_key(term));
            let having = having.count() as f64;
            (*term, (1.0 + (number - having + 0.5) / (having + 0.5)).ln())
        })
        .collect();

    let score = |passage: &Counted| -> f64 {
        let parts = wanted.iter().filter_map(|term| {
            let count = passage.counts.get(term)?;
            let norm = K1 * (1.0 - B + B * passage.length / mean);
            Some(idf[term] * count * (K1 + 1.0) / (count + norm))
        });
        parts.sum()
    };
    let mut scored: Vec<(f64, usize)> = passages
        .iter()
        .enumerate()
        .map(|(index, passage)| (score(passage), index))
        .filter(|(score, _)| *score > 0.0)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let best = scored.into_iter().take(BEST);
    best.map(|(score, index)| (passages[index].name.clone(), score))
        .collect()
}
