//! Ranks texts by a query, and picks texts that are relevant and different from each other.

use std::collections::BTreeSet;

use bm25::{EmbedderBuilder, Scorer, Tokenizer};

use crate::text::stop_words::is_stop;
use crate::text::words::words;

/// The weight of relevance in maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998).
/// Novelty has the same weight, because two records often say the same in the same words.
const RELEVANCE: f32 = 0.5;

/// A tokenizer that splits texts into the stems of their content words.
struct Stems;

impl Tokenizer for Stems {
    fn tokenize(&self, text: &str) -> Vec<String> {
        content_stems(text)
    }
}

/// Returns the stems of the content words, in order.
pub fn content_stems(text: &str) -> Vec<String> {
    words(text)
        .into_iter()
        .filter(|word| !is_stop(&word.lower))
        .map(|word| word.stem)
        .collect()
}

/// Returns how many of a question's content words a record must share to concern it: one of up to
/// three, two of more.
pub fn shared_words(asked: usize) -> usize {
    if asked <= 3 { 1 } else { 2 }
}

/// Returns the BM25 score of each text for a query: 0 if they share no content word.
pub fn scores(query: &str, texts: &[&str]) -> Vec<f32> {
    let embedder =
        EmbedderBuilder::<u32, Stems>::with_tokenizer_and_fit_to_corpus(Stems, texts).build();
    let mut scorer = Scorer::<usize>::new();
    for (index, text) in texts.iter().enumerate() {
        scorer.upsert(&index, embedder.embed(text));
    }

    // A word counts once, even if the question repeats it.
    let mut distinct: Vec<String> = content_stems(query);
    distinct.sort_unstable();
    distinct.dedup();
    let query = embedder.embed(&distinct.join(" "));

    (0..texts.len())
        .map(|index| scorer.score(&index, &query).unwrap_or(0.0))
        .collect()
}

/// Picks up to `limit` texts with a positive score by maximal marginal relevance. Texts that
/// `accept` refuses are skipped.
pub fn pick(
    texts: &[&str],
    scores: &[f32],
    limit: usize,
    mut accept: impl FnMut(usize) -> bool,
) -> Vec<usize> {
    let sets: Vec<BTreeSet<String>> = texts
        .iter()
        .map(|text| content_stems(text).into_iter().collect())
        .collect();
    let best = scores.iter().copied().fold(0.0_f32, f32::max);
    let mut left: Vec<usize> = (0..texts.len())
        .filter(|&index| scores[index] > 0.0)
        .collect();

    // The similarity of each text to the most similar one that was picked.
    let mut nearest = vec![0.0_f32; texts.len()];
    let mut picked = Vec::new();
    while picked.len() < limit {
        let value =
            |index: usize| RELEVANCE * scores[index] / best - (1.0 - RELEVANCE) * nearest[index];
        // Of texts with the same value the earlier one is picked.
        let next = left
            .iter()
            .enumerate()
            .max_by(|a, b| value(*a.1).total_cmp(&value(*b.1)).then(b.1.cmp(a.1)));
        let Some((at, &index)) = next else { break };
        left.remove(at);
        if !accept(index) {
            continue;
        }

        picked.push(index);
        for &other in &left {
            nearest[other] = nearest[other].max(jaccard(&sets[index], &sets[other]));
        }
    }

    picked
}

/// Returns the Jaccard index of two sets: shared members over all members, 0 to 1.
fn jaccard(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f32 {
    let shared = a.intersection(b).count();
    let all = a.len() + b.len() - shared;
    #[expect(clippy::cast_precision_loss, reason = "a sentence has few words")]
    if all == 0 {
        0.0
    } else {
        shared as f32 / all as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXTS: [&str; 5] = [
        "The engine ingested two birds during the approach.",
        "During the approach two birds were ingested by the engine.",
        "Weather was clear.",
        "The windshield cracked after a bird struck it at low speed.",
        "The crew had lunch.",
    ];

    #[test]
    fn texts_that_share_words_with_the_query_score() {
        let scores = scores("Which bird strikes damaged the engines?", &TEXTS);
        assert!(scores[0] > 0.0 && scores[3] > 0.0);
        assert_eq!((scores[2], scores[4]), (0.0, 0.0));
        assert!(
            scores[0] > scores[3],
            "two words weigh more than one: {scores:?}"
        );
    }

    #[test]
    fn a_repetition_is_picked_after_what_is_new() {
        let scores = scores("bird engine", &TEXTS);
        assert_eq!(pick(&TEXTS, &scores, 2, |_| true)[1], 3);
        assert_eq!(
            pick(&TEXTS, &scores, 9, |_| true).len(),
            3,
            "texts without a shared word are never picked"
        );
        assert_eq!(pick(&TEXTS, &scores, 9, |index| index == 3), [3]);
    }
}
