//! Ranks passages by BM25.

use bm25::{Embedder, EmbedderBuilder, Embedding, Scorer, Tokenizer};
use research_agents_report::text::content_stems;

/// Separates the stems of a passage. No stem contains it.
const SEPARATOR: char = ' ';

/// A tokenizer of stems that are separated by spaces.
#[derive(Default)]
struct Stems;

impl Tokenizer for Stems {
    fn tokenize(&self, stems: &str) -> Vec<String> {
        stems
            .split(SEPARATOR)
            .filter(|stem| !stem.is_empty())
            .map(str::to_owned)
            .collect()
    }
}

/// Returns the stems of content words, as the index keeps them.
pub(crate) fn stems_of(text: &str) -> String {
    content_stems(text).join(" ")
}

/// An index of passages.
pub(crate) struct PassageIndex {
    embedder: Embedder<u64, Stems>,
    scorer: Scorer<u32, u64>,
}

impl PassageIndex {
    /// Creates the index of passages, of which it gets the stems.
    pub(crate) fn new<'s>(passages: impl Iterator<Item = &'s str> + Clone) -> Self {
        let (mut count, mut total) = (0_u32, 0_usize);
        for stems in passages.clone() {
            count += 1;
            total += stems
                .split(SEPARATOR)
                .filter(|stem| !stem.is_empty())
                .count();
        }
        #[expect(clippy::cast_precision_loss, reason = "a mean of lengths")]
        let mean = total as f32 / count.max(1) as f32;

        let embedder = EmbedderBuilder::<u64, Stems>::with_avgdl(mean.max(1.0))
            .tokenizer(Stems)
            .build();
        let mut scorer = Scorer::new();
        for (index, stems) in (0_u32..).zip(passages) {
            scorer.upsert(&index, distinct(embedder.embed(stems)));
        }
        Self { embedder, scorer }
    }

    /// Returns the best passages for a query with their scores, the best first. Of passages with
    /// the same score the earlier one comes first.
    pub(crate) fn search(&self, query: &str, limit: usize) -> Vec<(u32, f32)> {
        let query = distinct(self.embedder.embed(&stems_of(query)));
        let mut found: Vec<(u32, f32)> = self
            .scorer
            .matches(&query)
            .into_iter()
            .map(|hit| (hit.id, hit.score))
            .collect();
        found.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        found.truncate(limit);
        found
    }
}

/// Returns an embedding with each word once; the weight of a word counts its occurrences already.
fn distinct(mut embedding: Embedding<u64>) -> Embedding<u64> {
    embedding.0.sort_unstable_by_key(|token| token.index);
    embedding.0.dedup_by_key(|token| token.index);
    embedding.0.shrink_to_fit();
    embedding
}
