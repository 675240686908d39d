//! `hybrid_search`: ranked search over words, and over vectors if a host provides them.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use futures::future::BoxFuture;
use research_agents_code::tree::RelPath;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::actions::action::Action;
use crate::actions::context::ActionContext;
use crate::actions::result::ActionResult;
use crate::run::{EvidenceDraft, Provenance};
use crate::space::{SpaceError, View};

/// Constant of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009).
const RRF_K: f64 = 60.0;

/// Maximum number of hits.
const MAX_HITS: i64 = 50;

/// Lines with their score: the file, the first and last line, and the score.
pub type RankedLines = (RelPath, (usize, usize), f64);

/// Search by vectors, which a host provides.
pub trait VectorSearch: Send + Sync {
    /// Returns the nearest places for a query, best first.
    fn search<'a>(
        &'a self,
        view: &'a View,
        query: &'a str,
        k: usize,
    ) -> BoxFuture<'a, Vec<RankedLines>>;
}

/// Ranked search over the lines of the scope.
#[derive(Clone, Default)]
pub struct HybridSearch {
    vectors: Option<Arc<dyn VectorSearch>>,
}

impl HybridSearch {
    /// Adds search by vectors. Both rankings are fused by their ranks.
    #[must_use]
    pub fn with_vectors(vectors: Arc<dyn VectorSearch>) -> Self {
        Self {
            vectors: Some(vectors),
        }
    }
}

impl fmt::Debug for HybridSearch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HybridSearch")
            .field("has_vectors", &self.vectors.is_some())
            .finish()
    }
}

/// What to search for.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct HybridSearchInput {
    /// Words or names to search for.
    query: String,
    /// Number of hits, 1 to 50.
    #[serde(default = "ten")]
    k: i64,
}

fn ten() -> i64 {
    10
}

impl Action for HybridSearch {
    const NAME: &'static str = "hybrid_search";
    const DESCRIPTION: &'static str =
        "Searches the code and documents for words and names, and returns the best lines.";
    type Input = HybridSearchInput;

    async fn execute(&self, input: HybridSearchInput, cx: &ActionContext) -> ActionResult {
        if input.query.trim().is_empty() {
            return ActionResult::failed("the query is empty");
        }
        let k = usize::try_from(input.k.clamp(1, MAX_HITS)).unwrap_or(1);
        let query = input.query.clone();
        let words = cx
            .blocking(move |view| ranked(view, &query, k).map_or_else(ActionResult::failed, found))
            .await;
        let Some(vectors) = self.vectors.as_ref().filter(|_| words.success) else {
            return words;
        };

        let near = vectors.search(&cx.view, &input.query, k).await;
        cx.blocking(move |view| fuse(view, words.evidence, near, k))
            .await
    }
}

/// Returns the best lines by words.
fn ranked(view: &View, query: &str, k: usize) -> Result<Vec<EvidenceDraft>, SpaceError> {
    let hits = view
        .snapshot()?
        .search(query, k, view.scope(), view.cancel_flag())?;
    Ok(hits
        .into_iter()
        .map(|hit| EvidenceDraft {
            reason: "search hit".to_owned(),
            ..EvidenceDraft::from(hit)
        })
        .collect())
}

/// Creates the result of a search.
fn found(mut evidence: Vec<EvidenceDraft>) -> ActionResult {
    for hit in &mut evidence {
        hit.score = hit.score.map(|score| (score * 1_000.0).round() / 1_000.0);
    }
    let places: Vec<_> = evidence
        .iter()
        .map(|hit| json!({"path": hit.file_path, "lines": [hit.start_line, hit.end_line]}))
        .collect();
    ActionResult::done(format!("{} hits", evidence.len()))
        .with_data(json!({ "hits": places }))
        .with_evidence(evidence)
}

/// Fuses two rankings by reciprocal ranks.
fn fuse(view: &View, words: Vec<EvidenceDraft>, near: Vec<RankedLines>, k: usize) -> ActionResult {
    let mut scores: HashMap<(RelPath, (usize, usize)), f64> = HashMap::new();
    let of_words = words
        .iter()
        .map(|hit| (hit.file_path.clone(), (hit.start_line, hit.end_line)));
    let of_vectors = near.into_iter().map(|(path, lines, _)| (path, lines));
    for ranking in [of_words.collect::<Vec<_>>(), of_vectors.collect()] {
        for (rank, place) in ranking.into_iter().enumerate() {
            // A host that names a place outside of the scope is not followed.
            if view.path(place.0.as_str()).is_ok() {
                *scores.entry(place).or_default() += 1.0 / (RRF_K + rank as f64 + 1.0);
            }
        }
    }

    let mut fused: Vec<_> = scores.into_iter().collect();
    fused.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    fused.truncate(k);
    let drafts = fused.into_iter().filter_map(|((path, lines), score)| {
        let draft = view
            .lines(&path, lines, "search hit", Provenance::Hybrid)
            .ok()?;
        Some(EvidenceDraft {
            score: Some(score),
            ..draft
        })
    });
    found(drafts.collect())
}
