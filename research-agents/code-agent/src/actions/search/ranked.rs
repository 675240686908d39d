//! Ranked search by BM25 over chunks of lines. Every line of the scope is in a chunk.

use std::collections::{BTreeSet, HashMap};

use research_agents_code::facts::LineIndex;
use research_agents_code::tree::RelPath;

use crate::space::{SpaceError, View};

/// Places with their scores, best first.
pub(super) type RankedLines = Vec<(RelPath, (usize, usize), f64)>;

/// Number of lines of a chunk.
const CHUNK: usize = 40;
/// Saturation and length normalisation of BM25 (Robertson and Zaragoza 2009, section 3.5).
const K1: f64 = 1.2;
const B: f64 = 0.75;

struct Chunk {
    path: usize,
    lines: (usize, usize),
    counts: Vec<u32>,
    length: f64,
}

/// Returns the best places for a query.
pub(super) fn search(view: &View, query: &str, k: usize) -> Result<RankedLines, SpaceError> {
    let wanted: Vec<String> = words(query)
        .into_iter()
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    let position: HashMap<&str, usize> = wanted
        .iter()
        .enumerate()
        .map(|(at, word)| (word.as_str(), at))
        .collect();

    let paths = view.paths()?;
    let mut chunks = Vec::new();
    for (at, path) in paths.iter().enumerate() {
        let Ok(file) = view.read(path) else { continue };
        let index = LineIndex::new(&file.bytes);
        for start in (1..=index.count()).step_by(CHUNK) {
            let end = (start + CHUNK - 1).min(index.count());
            let Some(text) = index
                .bytes(start, end)
                .and_then(|range| file.bytes.get(range))
            else {
                continue;
            };
            let (mut counts, mut length) = (vec![0; wanted.len()], 0.0);
            for word in words(&String::from_utf8_lossy(text)) {
                length += 1.0;
                if let Some(at) = position.get(word.as_str()) {
                    counts[*at] += 1;
                }
            }
            chunks.push(Chunk {
                path: at,
                lines: (start, end),
                counts,
                length,
            });
        }
    }

    Ok(rank(chunks, wanted.len(), k)
        .into_iter()
        .filter_map(|(at, lines, score)| Some((paths.get(at)?.clone(), lines, score)))
        .collect())
}

fn rank(chunks: Vec<Chunk>, words: usize, k: usize) -> Vec<(usize, (usize, usize), f64)> {
    let total = chunks.len() as f64;
    let mean = chunks.iter().map(|chunk| chunk.length).sum::<f64>() / total.max(1.0);
    let weights: Vec<f64> = (0..words)
        .map(|at| {
            let holding = chunks.iter().filter(|chunk| chunk.counts[at] > 0).count() as f64;
            ((total - holding + 0.5) / (holding + 0.5)).ln_1p()
        })
        .collect();

    let mut scored: Vec<_> = chunks
        .into_iter()
        .map(|chunk| {
            let norm = K1 * (1.0 - B + B * chunk.length / mean.max(1.0));
            let score = chunk
                .counts
                .iter()
                .zip(&weights)
                .map(|(count, weight)| {
                    let count = f64::from(*count);
                    weight * count * (K1 + 1.0) / (count + norm)
                })
                .sum::<f64>();
            (chunk.path, chunk.lines, score)
        })
        .filter(|(_, _, score)| *score > 0.0)
        .collect();

    scored.sort_by(|a, b| {
        b.2.total_cmp(&a.2)
            .then_with(|| (a.0, a.1).cmp(&(b.0, b.1)))
    });
    scored.truncate(k);
    scored
}

/// Splits a text into lower-case words: identifiers, and their parts by case, `_` and digits.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for name in text.split(|c: char| !(c.is_alphanumeric() || c == '_')) {
        if name.len() < 2 {
            continue;
        }
        let parts = parts(name);
        if parts.len() > 1 {
            found.push(name.to_lowercase());
        }
        found.extend(parts);
    }
    found
}

fn parts(name: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut part = String::new();
    let mut before = ' ';
    for c in name.chars() {
        let starts = (c.is_uppercase() && before.is_lowercase())
            || (c.is_ascii_digit() != before.is_ascii_digit() && before != ' ');
        if (c == '_' || starts) && !part.is_empty() {
            parts.push(std::mem::take(&mut part).to_lowercase());
        }
        if c != '_' {
            part.push(c);
        }
        before = c;
    }
    if !part.is_empty() {
        parts.push(part.to_lowercase());
    }
    parts.retain(|part| part.len() > 1);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_found_whole_and_by_their_parts() {
        assert_eq!(
            words("resolvePath(base_dir)"),
            ["resolvepath", "resolve", "path", "base_dir", "base", "dir"]
        );
    }
}
