//! Checks the marks of sentences: none is higher than its passages allow.

use std::slice;

use research_agents_report::assessment::Rating;
use research_agents_report::claim::Claim;
use research_agents_report::document::Sentence;
use research_agents_report::passage::PassageRegistry;
use research_agents_report::trust::{Mark, Support, confidence, dependence};

/// Returns why a sentence cannot have a mark. The passages that it cites are taken as if each
/// carried it by itself, which gives the highest mark that is possible.
pub(crate) fn problem(
    mark: Mark,
    sentence: &Sentence,
    passages: &PassageRegistry,
    rating: &Rating,
) -> Option<String> {
    let supports = supports(sentence, passages, rating);
    if supports.is_empty() {
        return Some("no passage carries the sentence".to_owned());
    }

    match mark {
        Mark::Single => None,
        Mark::Verified => {
            let highest = highest_confidence(&supports);
            let least = rating.thresholds.verified;
            (highest < least).then(|| {
                format!("its confidence is at most {highest:.2}, and the mark needs {least:.2}")
            })
        }
        Mark::CrossValidated => (!has_independent(&supports, rating)).then(|| {
            let needed = rating.thresholds.independent;
            format!("fewer than {needed} of the passages that it cites are independent")
        }),
    }
}

fn supports(sentence: &Sentence, passages: &PassageRegistry, rating: &Rating) -> Vec<Support> {
    let passage_of = |claim: &Claim| match claim {
        Claim::Says { source, .. } | Claim::Quote { source, .. } => passages.get(source),
        _ => None,
    };
    let cited = sentence.claims.iter().filter_map(passage_of);
    let support = cited.filter_map(|passage| {
        let document = passages.document_of(passage)?;
        let support = Support::from_passage(passage, document);
        let credibility = rating.credibility.get(&document.origin.site);
        Some(match credibility {
            Some(credibility) => support.with_credibility(*credibility),
            None => support,
        })
    });
    support.collect()
}

/// Returns the confidence that the sources would give if all of them were independent.
fn highest_confidence(supports: &[Support]) -> f64 {
    let doubts = supports
        .iter()
        .map(|support| 1.0 - confidence(slice::from_ref(support)));
    1.0 - doubts.product::<f64>()
}

/// Returns whether as many sources as a mark needs are each independent of a source before them.
fn has_independent(supports: &[Support], rating: &Rating) -> bool {
    let is_independent = |at: usize, support: &Support| {
        let mut before = supports.iter().take(at);
        at == 0 || before.any(|other| dependence(other, support).is_none())
    };
    let independent = supports
        .iter()
        .enumerate()
        .filter(|(at, support)| is_independent(*at, support));
    independent.count() >= rating.thresholds.independent
}
