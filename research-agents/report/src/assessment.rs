//! How far a report can be trusted, computed from its claims and their passages: the mark and the
//! confidence of every claim, and the share of claims that nothing carries.
//!
//! Any system can use it for what it drafted ([`assess`]) or for its report ([`stated_in`]).
//!
//! ```
//! use research_agents_report::assessment::{Rating, assess};
//! use research_agents_report::check::grounded::{Says, check_says};
//! use research_agents_report::language::Language;
//! use research_agents_report::passage::{Document, Found, Origin, PassageRegistry};
//! use research_agents_report::trust::Mark;
//!
//! let mut passages = PassageRegistry::default();
//! let mut says = Vec::new();
//! for (site, text) in [
//!     ("example.org", "The bridge is 120 m long. It was opened in 1932."),
//!     ("example.com", "With its steel arches, the bridge is 120 m long."),
//! ] {
//!     let origin = Origin { site: site.into(), address: "bridge".into(), ..Origin::default() };
//!     let document = passages.add_document(Document::new("", text).with_origin(origin));
//!     let passage = passages.add(&document, 0..text.len(), Found::by("manual")).unwrap();
//!     says.push(Says { passage, quote: "the bridge is 120 m long".into(), start: None });
//! }
//!
//! let claims = ["The bridge is 120 m long.", "The bridge is 130 m long."]
//!     .map(|text| check_says(text, Language::ENGLISH, &says, &passages));
//! let assessment = assess(&claims, Language::ENGLISH, &passages, &Rating::default());
//!
//! assert_eq!(assessment.claims[0].mark, Some(Mark::CrossValidated));
//! assert_eq!(assessment.claims[1].mark, None);
//! assert_eq!(assessment.hallucination_score, Some(0.5));
//! ```

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::check::grounded::{Cited, Grounded, Says, Stated, check_says, ground};
use crate::claim::Claim;
use crate::document::Report;
use crate::language::Language;
use crate::passage::{Document, Passage, PassageRegistry};
use crate::trust::{Mark, Support, Thresholds, confidence, groups, hallucination_score, mark};

/// How sources and marks are judged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rating {
    /// How credible the sources of a site are, 0 to 1. Others have 0.5.
    pub credibility: BTreeMap<String, f64>,
    /// What a mark needs.
    pub thresholds: Thresholds,
}

/// A claim with what is known about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Assessed {
    /// The sentence.
    pub text: String,
    /// The verdict on it.
    pub verdict: Grounded,
    /// The mark. `None` if the claim is not verified.
    pub mark: Option<Mark>,
    /// The confidence, 0 to 1. 0 if the claim is not verified.
    pub confidence: f64,
    /// Ids of the passages that carry it, in groups that are independent of each other.
    pub groups: Vec<Vec<String>>,
}

/// The claims of a report with their marks, and the share of those that are not verified.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Assessment {
    /// The claims, in the order in which they were given.
    pub claims: Vec<Assessed>,
    /// The share of claims that are not verified. `None` without claims.
    pub hallucination_score: Option<f64>,
}

/// Assesses claims by the passages that they cite. A claim is verified if its verdict is
/// [`Grounded::Holds`] and its passages are as they were read; the verdict is computed again.
pub fn assess(
    claims: &[Stated],
    language: Language,
    passages: &PassageRegistry,
    rating: &Rating,
) -> Assessment {
    let damage = passages.damage();
    let is_damaged = |passage: &Passage| {
        damage.iter().any(|damage| {
            let ids = damage.ids();
            ids.contains(&passage.id.as_str()) || ids.contains(&passage.source.as_str())
        })
    };

    let claims: Vec<Assessed> = claims
        .iter()
        .map(|claim| {
            let cited = cited(&claim.says, passages);
            let is_whole = !cited.iter().any(|(passage, ..)| is_damaged(passage));
            let stated = check_says(&claim.text, language, &claim.says, passages);
            let verdict = stated.grounding.verdict;
            let is_verified = verdict == Grounded::Holds && is_whole;

            let carriers = if is_verified {
                carriers(&claim.text, language, cited)
            } else {
                Vec::new()
            };
            let supports: Vec<Support> = carriers
                .iter()
                .map(|(passage, document)| {
                    let support = Support::from_passage(passage, document);
                    match rating.credibility.get(&document.origin.site) {
                        Some(credibility) => support.with_credibility(*credibility),
                        None => support,
                    }
                })
                .collect();

            let ids = |group: Vec<usize>| {
                let own = group.into_iter().filter_map(|at| carriers.get(at));
                own.map(|(passage, _)| passage.id.clone()).collect()
            };
            Assessed {
                text: claim.text.clone(),
                verdict,
                mark: is_verified.then(|| mark(&supports, rating.thresholds)),
                confidence: confidence(&supports),
                groups: groups(&supports).into_iter().map(ids).collect(),
            }
        })
        .collect();

    let unverified = claims.iter().filter(|claim| claim.mark.is_none()).count();
    Assessment {
        hallucination_score: hallucination_score(unverified, claims.len()),
        claims,
    }
}

/// Returns the sentences of a report that passages carry, to be assessed.
pub fn stated_in(report: &Report, passages: &PassageRegistry) -> Vec<Stated> {
    let says = |claim: &Claim| match claim {
        Claim::Says {
            source,
            text,
            start,
        } => Some(Says {
            passage: source.clone(),
            quote: text.clone(),
            start: *start,
        }),
        _ => None,
    };

    let mut found = Vec::new();
    for sentence in report.sentences() {
        let says: Vec<Says> = sentence.claims.iter().filter_map(says).collect();
        if !says.is_empty() {
            let text = sentence.text.as_str();
            found.push(check_says(text, report.language, &says, passages));
        }
    }
    found
}

/// A passage with its document.
type Carrier<'p> = (&'p Passage, &'p Document);

/// Returns the passages that quotes cite, in the order of the documents.
fn cited<'p>(says: &[Says], passages: &'p PassageRegistry) -> Vec<Carrier<'p>> {
    let place = |id: &str| passages.documents().position(|document| document.id == id);
    let known = says.iter().filter_map(|one| {
        let passage = passages.get(&one.passage)?;
        let document = passages.document_of(passage)?;
        Some((&**passage, &**document))
    });
    let mut known: Vec<_> = known.collect();
    known.sort_by_key(|(passage, ..)| place(&passage.source));
    known
}

/// Returns the passages that carry a sentence each by itself. If none does, the first one stands
/// for all that carry it together.
fn carriers<'p>(sentence: &str, language: Language, cited: Vec<Carrier<'p>>) -> Vec<Carrier<'p>> {
    let carries = |(passage, document): &&Carrier<'p>| {
        let whole = 0..passage.text.for_code().len();
        let cited = [Cited::passage(passage, document, whole)];
        ground(sentence, language, &cited).verdict == Grounded::Holds
    };
    let own: Vec<Carrier<'p>> = cited.iter().filter(carries).copied().collect();
    if own.is_empty() {
        cited.into_iter().take(1).collect()
    } else {
        own
    }
}
