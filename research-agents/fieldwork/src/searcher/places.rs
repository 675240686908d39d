//! Which passages of the documents that a query found are taken.

use std::ops::Range;

use research_agents_report::text::scores;
use research_agents_sources::corpus::passages_of;
use research_agents_sources::read::ReadDocument;
use research_agents_sources::search::Hit;

/// A part of a document that is taken as a passage.
pub(super) struct Place {
    pub(super) span: Range<usize>,
    pub(super) section: Vec<String>,
    pub(super) score: Option<f32>,
}

/// Returns the places of each document: the one that its hit names, or the best ones for a
/// question, at most `limit`, the best one first.
///
/// Places that the source gave no score are scored together, whatever their documents, as those of
/// a folder are: a score says as much in one page as in another.
pub(super) fn places_of(
    found: &[(&Hit, &ReadDocument)],
    question: &str,
    limit: usize,
) -> Vec<Vec<Place>> {
    let mut places: Vec<Vec<Place>> = found.iter().map(|_| Vec::new()).collect();
    let mut is_named = vec![true; found.len()];
    let mut open: Vec<(usize, Place)> = Vec::new();
    for (at, (hit, document)) in found.iter().enumerate() {
        match named(hit, document) {
            Some(place) if place.score.is_some() => places[at].push(place),
            Some(place) => open.push((at, place)),
            None => {
                is_named[at] = false;
                open.extend(parts_of(document).map(|place| (at, place)));
            }
        }
    }

    let searched: Vec<String> = open
        .iter()
        .map(|(at, place)| {
            let text = found[*at].1.slice(&place.span);
            format!("{} {text}", place.section.join(" "))
        })
        .collect();
    let texts: Vec<&str> = searched.iter().map(String::as_str).collect();
    for ((_, place), score) in open.iter_mut().zip(scores(question, &texts)) {
        place.score = Some(score);
    }

    // The sort is stable: of places with the same score the first one comes first.
    open.sort_by(|(_, a), (_, b)| b.score.unwrap_or(0.0).total_cmp(&a.score.unwrap_or(0.0)));
    for (at, place) in open {
        let is_about = is_named[at] || place.score > Some(0.0);
        if is_about && places[at].len() < limit {
            places[at].push(place);
        }
    }
    places
}

/// Returns the passages of a document, without scores.
fn parts_of(document: &ReadDocument) -> impl Iterator<Item = Place> + '_ {
    passages_of(document).into_iter().map(|part| Place {
        section: document
            .section_path(part.section)
            .into_iter()
            .map(str::to_owned)
            .collect(),
        span: part.range,
        score: None,
    })
}

/// Returns the place that a hit names, if it has text.
fn named(hit: &Hit, document: &ReadDocument) -> Option<Place> {
    let range = hit.range.clone()?;
    let part = document.text.for_code().get(range.clone())?;
    if part.trim().is_empty() {
        return None;
    }

    #[expect(clippy::cast_possible_truncation, reason = "a score has few digits")]
    let score = hit.score.map(|score| score as f32);
    Some(Place {
        span: range,
        section: hit.headings.clone(),
        score,
    })
}
