//! Vectors of several texts in one block, and exact search in them.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::math::{DimensionMismatch, cosine_of_equals, norm};
use crate::error::ModelError;
use crate::response::Usage;

/// Vectors of one model, one for each text: all of the same length, all numbers finite.
///
/// ```
/// use research_llm::embed::Embeddings;
///
/// let vectors = Embeddings::from_rows("demo", [vec![1.0, 0.0], vec![0.6, 0.8], vec![0.0, 1.0]])?;
/// let nearest = vectors.top_k(&[0.0, 2.0], 2)?;
/// assert_eq!((nearest[0].index, nearest[0].score), (2, 1.0));
/// assert_eq!(nearest[1].index, 1);
///
/// assert!(Embeddings::from_rows("demo", [vec![1.0], vec![1.0, 2.0]]).is_err());
/// # Ok::<(), research_llm::ModelError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Embeddings {
    model: String,
    dimensions: usize,
    values: Vec<f32>,
    usage: Usage,
}

/// A vector that was found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Match {
    /// Which one, from 0.
    pub index: usize,
    /// Its cosine with the vector that was searched with, −1 to 1. It is no probability.
    pub score: f32,
}

impl Match {
    /// A vector, or another thing that was judged.
    #[must_use]
    pub fn new(index: usize, score: f32) -> Self {
        Self { index, score }
    }

    /// The order of best to worst, and of first to last where the scores are equal. It is total, so that a result is the
    /// same on every machine and in every run; the two zeros count as equal.
    pub(crate) fn best_first(&self, other: &Self) -> Ordering {
        (other.score + 0.0).total_cmp(&(self.score + 0.0)).then(self.index.cmp(&other.index))
    }
}

impl Embeddings {
    /// No vector yet of this model.
    pub fn new(model: impl Into<String>) -> Self {
        Self { model: model.into(), ..Self::default() }
    }

    /// Vectors as they came, each on its own.
    ///
    /// # Errors
    /// [`ModelError::InvalidResponse`] if they are not of one length (with a [`DimensionMismatch`]), are empty,
    /// or hold a number that is not finite.
    pub fn from_rows<I>(model: impl Into<String>, rows: I) -> Result<Self, ModelError>
    where
        I: IntoIterator,
        I::Item: AsRef<[f32]>,
    {
        let mut all = Self::new(model);
        for row in rows {
            all.push(row.as_ref())?;
        }
        Ok(all)
    }

    /// Adds a vector.
    ///
    /// # Errors
    /// As [`from_rows`](Self::from_rows); the others stay as they were.
    pub fn push(&mut self, row: &[f32]) -> Result<(), ModelError> {
        if row.is_empty() {
            return Err(ModelError::invalid_response(format!("vector {} is empty", self.len()), None));
        }
        if row.iter().any(|value| !value.is_finite()) {
            let message = format!("vector {} holds a number that is not finite", self.len());
            return Err(ModelError::invalid_response(message, None));
        }
        if self.is_empty() {
            self.dimensions = row.len();
        }
        DimensionMismatch::check(self.dimensions, row.len()).map_err(|error| {
            ModelError::invalid_response(
                format!("vector {} has another length than those before", self.len()),
                Some(std::sync::Arc::new(error)),
            )
        })?;
        self.values.extend_from_slice(row);
        Ok(())
    }

    /// Adds the vectors of another call, and what it used.
    ///
    /// # Errors
    /// As [`push`](Self::push).
    pub fn append(&mut self, other: &Self) -> Result<(), ModelError> {
        self.usage += other.usage;
        other.iter().try_for_each(|row| self.push(row))
    }

    /// Sets what the call used.
    #[must_use]
    pub fn with_usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }

    /// The model that made them, as its provider names it.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model
    }

    /// What the calls used.
    #[must_use]
    pub fn usage(&self) -> Usage {
        self.usage
    }

    /// Length of each vector; 0 while there is none.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// How many vectors there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len().checked_div(self.dimensions).unwrap_or(0)
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The vector of a text.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&[f32]> {
        self.iter().nth(index)
    }

    /// The vectors in the order of the texts.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[f32]> {
        self.values.chunks_exact(self.dimensions.max(1))
    }

    /// All coordinates, one vector after the other.
    #[must_use]
    pub fn as_flat(&self) -> &[f32] {
        &self.values
    }

    /// The `k` vectors that are nearest by cosine, nearest first; of equal ones the earlier first. Every vector is
    /// looked at, so nothing is missed.
    ///
    /// # Errors
    /// [`ModelError::InvalidRequest`] with a [`DimensionMismatch`].
    pub fn top_k(&self, query: &[f32], k: usize) -> Result<Vec<Match>, ModelError> {
        let mut found = self.scores(query)?;
        if k < found.len() {
            found.select_nth_unstable_by(k, Match::best_first);
            found.truncate(k);
        }
        found.sort_unstable_by(Match::best_first);
        Ok(found)
    }

    /// `k` vectors that are near and unlike one another: maximal marginal relevance (Carbonell and Goldstein, 1998).
    /// `relevance` from 0 (only unlike) to 1 (only near, as [`top_k`](Self::top_k)) weighs the two. In the order in
    /// which they are chosen; the score is the cosine with the query.
    ///
    /// # Errors
    /// [`ModelError::InvalidRequest`] with a [`DimensionMismatch`].
    pub fn top_k_diverse(&self, query: &[f32], k: usize, relevance: f32) -> Result<Vec<Match>, ModelError> {
        let relevance = f64::from(if relevance.is_nan() { 1.0 } else { relevance.clamp(0.0, 1.0) });
        let norms: Vec<f64> = self.iter().map(norm).collect();
        let rows: Vec<&[f32]> = self.iter().collect();
        let mut rest = self.scores(query)?;
        // Likeness of each vector to the most alike of the chosen ones.
        let mut likeness = vec![f64::NEG_INFINITY; rest.len()];
        let mut chosen: Vec<Match> = Vec::with_capacity(k.min(rest.len()));
        while chosen.len() < k {
            let worth = |at: &Match| {
                let like = if chosen.is_empty() { 0.0 } else { likeness[at.index] };
                relevance * f64::from(at.score) - (1.0 - relevance) * like
            };
            let best =
                rest.iter().enumerate().reduce(|best, next| if worth(next.1) > worth(best.1) { next } else { best });
            let Some(at) = best.map(|(at, _)| at) else { break };
            let next = rest.remove(at);
            for other in &rest {
                let like = cosine_of_equals(rows[next.index], norms[next.index], rows[other.index], norms[other.index]);
                likeness[other.index] = likeness[other.index].max(like);
            }
            chosen.push(next);
        }
        Ok(chosen)
    }

    fn scores(&self, query: &[f32]) -> Result<Vec<Match>, ModelError> {
        if !self.is_empty() {
            DimensionMismatch::check(self.dimensions, query.len()).map_err(DimensionMismatch::of_request)?;
        }
        let length = norm(query);
        let score = |row: &[f32]| cosine_of_equals(row, norm(row), query, length) as f32;
        Ok(self.iter().enumerate().map(|(index, row)| Match { index, score: score(row) }).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn unequal_lengths_and_bad_numbers_are_typed_errors() {
        let error = Embeddings::from_rows("m", [vec![1.0, 2.0], vec![1.0]]).unwrap_err();
        assert_eq!(DimensionMismatch::of(&error).unwrap().found, 1);
        for row in [vec![f32::NAN], vec![f32::INFINITY], vec![]] {
            let error = Embeddings::from_rows("m", [row]).unwrap_err();
            assert!(matches!(error, ModelError::InvalidResponse { .. }), "{error:?}");
        }
    }

    #[test]
    fn nothing_is_found_in_nothing_and_all_for_a_large_k() {
        assert_eq!(Embeddings::default().top_k(&[1.0], 3).unwrap(), []);
        assert_eq!(Embeddings::default().len(), 0);
        let two = Embeddings::from_rows("m", [[1.0], [2.0]]).unwrap();
        assert_eq!(two.top_k(&[1.0], 99).unwrap().len(), 2);
        assert_eq!(two.top_k(&[1.0], 0).unwrap(), []);
        assert!(two.top_k(&[1.0, 2.0], 1).is_err());
    }

    #[test]
    fn equal_scores_keep_the_order_of_the_texts() {
        let all = Embeddings::from_rows("m", [[0.0, 1.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0]]).unwrap();
        let found: Vec<usize> = all.top_k(&[1.0, 0.0], 2).unwrap().iter().map(|at| at.index).collect();
        assert_eq!(found, [1, 2]);
    }

    #[test]
    fn diversity_leaves_out_the_twin() {
        let all = Embeddings::from_rows("m", [[1.0, 0.1], [1.0, 0.1], [0.8, -0.6]]).unwrap();
        let pick = |relevance| -> Vec<usize> {
            all.top_k_diverse(&[1.0, 0.0], 2, relevance).unwrap().iter().map(|at| at.index).collect()
        };
        assert_eq!(pick(1.0), [0, 1]);
        assert_eq!(pick(0.5), [0, 2]);
    }

    proptest! {
        #[test]
        fn the_selection_is_the_beginning_of_the_sorted_whole(
            rows in proptest::collection::vec(proptest::collection::vec(-2i8..=2, 3), 0..40),
            query in proptest::collection::vec(-2i8..=2, 3),
            k in 0usize..45,
        ) {
            let floats = |row: &Vec<i8>| row.iter().map(|&v| f32::from(v)).collect::<Vec<_>>();
            let all = Embeddings::from_rows("m", rows.iter().map(floats)).unwrap();
            let query = floats(&query);
            let whole = all.top_k(&query, rows.len()).unwrap();
            let some = all.top_k(&query, k).unwrap();
            prop_assert_eq!(&some[..], &whole[..k.min(rows.len())]);
            prop_assert!(whole.windows(2).all(|w| w[0].score > w[1].score
                || (w[0].score == w[1].score && w[0].index < w[1].index)));
            // With all the weight on nearness, diversity is the same as the plain selection.
            prop_assert_eq!(all.top_k_diverse(&query, k, 1.0).unwrap(), some);
        }
    }
}
