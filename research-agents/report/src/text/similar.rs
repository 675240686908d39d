//! Near-duplicates: sets of hashed shingles, their overlap, and an index of them.

use std::collections::HashMap;

use crate::text::words::words;

/// Number of words of a shingle.
const WIDTH: usize = 8;

/// The set of all sequences of eight words of a string, hashed. Case, diacritics, markup and white
/// space do not matter. A string of fewer words has one shingle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shingles(Vec<u64>);

impl Shingles {
    /// Computes the shingles of a string.
    pub fn new(text: &str) -> Self {
        Self::with_width(text, WIDTH)
    }

    /// Computes the shingles of another number of words.
    pub fn with_width(text: &str, width: usize) -> Self {
        let words: Vec<String> = words(text).into_iter().map(|word| word.lower).collect();
        let width = width.clamp(1, words.len().max(1));
        let mut hashes: Vec<u64> = words.windows(width).map(hash).collect();
        hashes.sort_unstable();
        hashes.dedup();
        Self(hashes)
    }

    /// Returns the number of different shingles.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns `true` for a string without words.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the Jaccard similarity, 0 to 1. It is 0 for texts without words.
    pub fn jaccard(&self, other: &Self) -> f64 {
        let common = self.common(other);
        let all = self.len() + other.len() - common;
        ratio(common, all)
    }

    /// Returns which share of the smaller set is in the larger one, 0 to 1. It is 0 for texts
    /// without words.
    pub fn containment(&self, other: &Self) -> f64 {
        ratio(self.common(other), self.len().min(other.len()))
    }

    fn common(&self, other: &Self) -> usize {
        let (mut a, mut b, mut common) = (0, 0, 0);
        while let (Some(left), Some(right)) = (self.0.get(a), other.0.get(b)) {
            common += usize::from(left == right);
            let (step_a, step_b) = (left <= right, right <= left);
            a += usize::from(step_a);
            b += usize::from(step_b);
        }
        common
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "numbers of shingles are far below 2^52"
)]
fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

/// Hashes words by FNV-1a, which is the same on every machine.
fn hash(words: &[String]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in words.iter().flat_map(|word| word.bytes().chain([0])) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash
}

/// An index of texts by their shingles, which finds near-duplicates without comparing all pairs.
#[derive(Clone, Debug, Default)]
pub struct SimilarIndex {
    sets: Vec<Shingles>,
    by_shingle: HashMap<u64, Vec<usize>>,
}

impl SimilarIndex {
    /// Adds a string, and returns its number.
    pub fn add(&mut self, shingles: Shingles) -> usize {
        let number = self.sets.len();
        for hash in &shingles.0 {
            self.by_shingle.entry(*hash).or_default().push(number);
        }
        self.sets.push(shingles);
        number
    }

    /// Returns the numbers of the texts of which at least this share is contained in the other one
    /// or contains it, in ascending order.
    pub fn near(&self, shingles: &Shingles, containment: f64) -> Vec<usize> {
        let mut numbers: Vec<usize> = shingles
            .0
            .iter()
            .filter_map(|hash| self.by_shingle.get(hash))
            .flatten()
            .copied()
            .collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers.retain(|number| {
            self.sets
                .get(*number)
                .is_some_and(|other| other.containment(shingles) >= containment)
        });
        numbers
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TEXT: &str = "The quick brown fox jumps over the lazy dog and runs into the wood today";

    #[test]
    fn a_copy_in_other_letters_is_the_same() {
        let copy = "THE quick, brown *fox*\njumps over the “lazy” dog and runs into the wood today";
        assert_eq!(Shingles::new(TEXT).jaccard(&Shingles::new(copy)), 1.0);
        assert_eq!(Shingles::new(TEXT).jaccard(&Shingles::new("")), 0.0);
    }

    #[test]
    fn a_part_is_contained_in_the_whole() {
        let part = Shingles::new("fox jumps over the lazy dog and runs into the wood");
        assert_eq!(part.containment(&Shingles::new(TEXT)), 1.0);
        assert!(part.jaccard(&Shingles::new(TEXT)) < 0.6);
    }

    proptest! {
        #[test]
        fn the_index_finds_what_comparing_all_pairs_finds(
            texts in proptest::collection::vec("([ab] ){1,14}", 1..12),
        ) {
            let sets: Vec<Shingles> =
                texts.iter().map(|text| Shingles::with_width(text, 3)).collect();
            let mut index = SimilarIndex::default();
            for set in &sets {
                index.add(set.clone());
            }
            for set in &sets {
                let near: Vec<usize> =
                    (0..sets.len()).filter(|at| sets[*at].containment(set) >= 0.5).collect();
                prop_assert_eq!(index.near(set, 0.5), near);
            }
        }
    }
}
