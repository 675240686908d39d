//! Ranks passages by BM25 (Robertson and Zaragoza, *The Probabilistic Relevance Framework*, 2009).

use std::cmp::Ordering;
use std::collections::HashMap;

use research_agents_report::text::content_stems;

/// Separates the stems of a passage. No stem contains it.
const SEPARATOR: char = ' ';
/// How soon a repeated word adds no more (`k1`).
const SATURATION: f32 = 1.2;
/// How much the length of a passage matters (`b`).
const LENGTH: f32 = 0.75;

/// Returns the stems of content words, as the index keeps them.
pub(crate) fn stems_of(text: &str) -> String {
    content_stems(text).join(" ")
}

/// A passage that contains a word.
#[derive(Clone, Copy, Debug)]
struct Posting {
    passage: u32,
    /// How often the passage contains the word.
    count: u32,
}

/// An index of passages: for each word, the passages that contain it.
pub(crate) struct PassageIndex {
    words: HashMap<Box<str>, Vec<Posting>>,
    /// For each passage, the part of its score's denominator that its length decides.
    norms: Vec<f32>,
}

impl PassageIndex {
    /// Creates the index of passages, of which it gets the stems.
    #[expect(
        clippy::cast_precision_loss,
        reason = "numbers of words are far below 2^24"
    )]
    pub(crate) fn new<'s>(passages: impl Iterator<Item = &'s str>) -> Self {
        let mut words: HashMap<Box<str>, Vec<Posting>> = HashMap::new();
        let mut lengths: Vec<u32> = Vec::new();
        for (passage, stems) in (0_u32..).zip(passages) {
            let mut length = 0;
            for stem in stems.split(SEPARATOR).filter(|stem| !stem.is_empty()) {
                length += 1;
                add(&mut words, stem, passage);
            }
            lengths.push(length);
        }
        for postings in words.values_mut() {
            postings.shrink_to_fit();
        }

        let total: f64 = lengths.iter().map(|length| f64::from(*length)).sum();
        #[expect(clippy::cast_possible_truncation, reason = "a mean of lengths")]
        let mean = (total / lengths.len().max(1) as f64).max(1.0) as f32;
        let norm = |length: u32| SATURATION * (1.0 - LENGTH + LENGTH * length as f32 / mean);
        Self {
            norms: lengths.into_iter().map(norm).collect(),
            words,
        }
    }

    /// Returns the best passages for a query with their scores, the best first. Of passages with
    /// the same score the earlier one comes first. A word that the query repeats counts once.
    #[expect(
        clippy::cast_precision_loss,
        reason = "numbers of passages are far below 2^24"
    )]
    pub(crate) fn search(&self, query: &str, limit: usize) -> Vec<(u32, f32)> {
        let mut asked = content_stems(query);
        asked.sort_unstable();
        asked.dedup();

        let mut scores = vec![0.0_f32; self.norms.len()];
        for postings in asked
            .iter()
            .filter_map(|stem| self.words.get(stem.as_str()))
        {
            let (all, having) = (self.norms.len() as f32, postings.len() as f32);
            let rarity = (1.0 + (all - having + 0.5) / (having + 0.5)).ln();
            for posting in postings {
                let (at, count) = (posting.passage as usize, posting.count as f32);
                scores[at] += rarity * count * (SATURATION + 1.0) / (count + self.norms[at]);
            }
        }

        let found = (0_u32..).zip(scores).filter(|(_, score)| *score > 0.0);
        best(found.collect(), limit)
    }
}

fn add(words: &mut HashMap<Box<str>, Vec<Posting>>, stem: &str, passage: u32) {
    let posting = Posting { passage, count: 1 };
    match words.get_mut(stem) {
        Some(postings) => match postings.last_mut() {
            Some(last) if last.passage == passage => last.count += 1,
            _ => postings.push(posting),
        },
        None => {
            words.insert(stem.into(), vec![posting]);
        }
    }
}

/// Returns the best of all scores in order. Only those are sorted.
fn best(mut found: Vec<(u32, f32)>, limit: usize) -> Vec<(u32, f32)> {
    let order =
        |a: &(u32, f32), b: &(u32, f32)| -> Ordering { b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)) };
    if limit > 0 && limit < found.len() {
        found.select_nth_unstable_by(limit, order);
    }
    found.truncate(limit);
    found.sort_unstable_by(order);
    found
}
