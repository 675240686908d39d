//! The memory of findings.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use research_agents_report::text::{Untrusted, scores};
use research_llm::embed::{Embedder, InputKind};
use serde::{Deserialize, Serialize};

use crate::read::reader::sha256;

/// Maximum number of findings that a search returns.
const MOST: usize = 50;
/// The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009).
const FUSION: f64 = 60.0;

/// A finding that is remembered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RememberedFinding {
    /// SHA-256 of text and source, in hexadecimal digits.
    pub hash: String,
    /// Text of the finding.
    pub text: Untrusted<String>,
    /// Where it is from.
    pub source: String,
}

impl RememberedFinding {
    /// Creates a finding.
    pub fn new(text: impl Into<String>, source: impl Into<String>) -> Self {
        let (text, source) = (text.into(), source.into());
        Self {
            hash: sha256(format!("{source}\0{text}").as_bytes()),
            text: Untrusted::new(text),
            source,
        }
    }
}

/// A finding that a search returned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Recalled {
    /// The finding.
    pub finding: RememberedFinding,
    /// Relevance: of BM25, or of both rankings together if the memory has an embedder. Comparable
    /// within one search only.
    pub score: f64,
}

/// The error of a search.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// The number of findings is out of its range.
    #[error("a search returns 1 to 50 findings, not {top_k}")]
    TopK {
        /// The number.
        top_k: usize,
    },
}

/// Findings by thread. Searches rank by BM25; with an [embedder](Self::with_embedder) they rank by
/// meaning too, and fall back to BM25 when the embedder fails.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct FindingsMemory {
    threads: BTreeMap<String, BTreeMap<String, RememberedFinding>>,
    #[serde(skip)]
    embedder: Option<Arc<dyn Embedder>>,
}

impl FindingsMemory {
    /// Creates an empty memory that ranks by BM25.
    pub fn new() -> Self {
        Self::default()
    }

    /// Ranks by meaning as well as by words.
    #[must_use]
    pub fn with_embedder(mut self, embedder: Arc<dyn Embedder>) -> Self {
        self.embedder = Some(embedder);
        self
    }

    /// Adds a finding to a thread. Returns `false` if the thread has it already.
    pub fn add(&mut self, thread: &str, finding: RememberedFinding) -> bool {
        let findings = self.threads.entry(thread.to_owned()).or_default();
        findings.insert(finding.hash.clone(), finding).is_none()
    }

    /// Returns the number of findings of a thread.
    pub fn len(&self, thread: &str) -> usize {
        self.threads.get(thread).map_or(0, BTreeMap::len)
    }

    /// Returns `true` if a thread has no findings.
    pub fn is_empty(&self, thread: &str) -> bool {
        self.len(thread) == 0
    }

    /// Removes all findings of a thread.
    pub fn forget(&mut self, thread: &str) {
        self.threads.remove(thread);
    }

    /// Returns the best findings of a thread, the best first. Findings with the same score are in
    /// the order of their hashes.
    ///
    /// # Errors
    ///
    /// [`MemoryError::TopK`] when `top_k` is not within 1 and 50.
    pub async fn search(
        &self,
        thread: &str,
        query: &str,
        top_k: usize,
    ) -> Result<Vec<Recalled>, MemoryError> {
        if !(1..=MOST).contains(&top_k) {
            return Err(MemoryError::TopK { top_k });
        }
        let Some(findings) = self.threads.get(thread) else {
            return Ok(Vec::new());
        };
        let findings: Vec<&RememberedFinding> = findings.values().collect();
        let texts: Vec<&str> = findings
            .iter()
            .map(|finding| finding.text.for_code().as_str())
            .collect();

        // Findings are in the order of their hashes, which a stable sort keeps among equals.
        let words: Vec<f64> = scores(query, &texts).into_iter().map(f64::from).collect();
        let combined = match self.meaning(query, &texts).await {
            Some(meaning) => fused(&[ranked(&words), ranked(&meaning)], findings.len()),
            None => words,
        };
        let best = ranked(&combined).into_iter().take(top_k);
        Ok(best
            .map(|index| Recalled {
                finding: findings[index].clone(),
                score: combined[index],
            })
            .collect())
    }

    /// Returns the similarity of each text to the query in meaning; `None` without an embedder, or
    /// when it fails.
    async fn meaning(&self, query: &str, texts: &[&str]) -> Option<Vec<f64>> {
        let embedder = self.embedder.as_ref()?;
        if query.trim().is_empty() || texts.is_empty() {
            return None;
        }
        let owned: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        let result = async {
            let vectors = embedder.embed(&owned, InputKind::Passage).await?;
            let query = embedder.embed_query(query).await?;
            let all = vectors.top_k(&query, owned.len());
            Ok::<_, research_llm::ModelError>(all)
        };

        match result.await {
            Ok(Ok(matches)) => {
                let mut similarities = vec![0.0; texts.len()];
                for found in matches {
                    similarities[found.index] = f64::from(found.score);
                }
                Some(similarities)
            }
            Ok(Err(error)) => {
                tracing::warn!(%error, "the memory ranks by words only");
                None
            }
            Err(error) => {
                tracing::warn!(%error, "the memory ranks by words only");
                None
            }
        }
    }
}

/// Returns the indices of positive scores, the highest first.
fn ranked(scores: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len())
        .filter(|index| scores[*index] > 0.0)
        .collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
    order
}

/// Returns the scores of several rankings together.
fn fused(rankings: &[Vec<usize>], count: usize) -> Vec<f64> {
    let mut scores = vec![0.0; count];
    for ranking in rankings {
        let distinct: BTreeSet<&usize> = ranking.iter().collect();
        debug_assert_eq!(distinct.len(), ranking.len());
        let mut rank = 0.0;
        for index in ranking {
            rank += 1.0;
            scores[*index] += 1.0 / (FUSION + rank);
        }
    }
    scores
}

impl fmt::Debug for FindingsMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FindingsMemory")
            .field("threads", &self.threads.len())
            .field("has_embedder", &self.embedder.is_some())
            .finish_non_exhaustive()
    }
}
