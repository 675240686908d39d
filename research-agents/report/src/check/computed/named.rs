//! Which of the names in a sentence are meant, where several are at one place.

use std::ops::Range;

use serde_json::Value;

use crate::check::computed::vocabulary::Named;

/// Returns the names without those that overlap an earlier one, in the order of the text.
pub(crate) fn without_overlaps<K>(names: impl Iterator<Item = (Range<usize>, K)>) -> Vec<Named<K>> {
    let mut kept: Vec<Named<K>> = Vec::new();
    for (at, key) in names {
        let is_free = kept
            .iter()
            .all(|taken| taken.at.end <= at.start || at.end <= taken.at.start);
        if is_free {
            kept.push(Named {
                key,
                at,
                follows: false,
            });
        }
    }
    kept.sort_by_key(|named| named.at.start);
    kept
}

/// Returns the records that strings name, each with its place. A string that several records have
/// names them in the order of the claims, *Butter (114) and Butter (100)*, and none of them where
/// the sentence does not have it once for each.
pub(crate) fn told_apart(found: Vec<(Range<usize>, Value)>) -> Vec<(Range<usize>, Value)> {
    let mut places: Vec<(Range<usize>, Vec<Value>)> = Vec::new();
    for (at, source) in found {
        match places.iter_mut().find(|(place, _)| *place == at) {
            Some((_, sources)) if sources.contains(&source) => {}
            Some((_, sources)) => sources.push(source),
            None => places.push((at, vec![source])),
        }
    }
    places.sort_by_key(|(at, _)| at.start);

    let own = |(place, (at, sources)): (usize, &(Range<usize>, Vec<Value>))| {
        let count = |places: &[(Range<usize>, Vec<Value>)]| {
            let same = places.iter().filter(|(_, own)| own == sources);
            same.count()
        };
        let source = match sources.as_slice() {
            [only] => Some(only),
            several if count(&places) == several.len() => several.get(count(&places[..place])),
            _ => None,
        };
        source.map(|source| (at.clone(), source.clone()))
    };
    places.iter().enumerate().filter_map(own).collect()
}
