//! Whether two sources are independent of each other.

use serde::{Deserialize, Serialize};

use crate::passage::{Document, Passage};
use crate::text::similar::Shingles;

/// The containment of shingles from which two documents are near-duplicates.
const SAME_DOCUMENT: f64 = 0.5;
/// The containment of shingles from which two passages are copies.
const SAME_PASSAGE: f64 = 0.8;
/// Number of words of a shingle of a passage, which is short.
const PASSAGE_WIDTH: usize = 5;

/// The credibility of a source that no table knows.
pub(crate) const UNKNOWN: f64 = 0.5;

/// Why a source adds nothing to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dependence {
    /// Both are published by one site, or are in one corpus.
    SameSite,
    /// Their documents are near-duplicates: a mirror, a syndicated copy, another format.
    SameDocument,
    /// One passage is a copy of the other one, or quotes it.
    SamePassage,
}

/// A source that supports a claim.
#[derive(Clone, Debug, PartialEq)]
pub struct Support {
    site: String,
    document: Shingles,
    passage: Shingles,
    credibility: f64,
    agreement: f64,
}

impl Support {
    /// Creates a support by the site that publishes the document, the text of the document, and
    /// that of the passage. Its credibility is 0.5.
    pub fn new(site: &str, document: &str, passage: &str) -> Self {
        Self {
            site: site.trim_start_matches("www.").to_lowercase(),
            document: Shingles::new(document),
            passage: Shingles::with_width(passage, PASSAGE_WIDTH),
            credibility: UNKNOWN,
            agreement: 1.0,
        }
    }

    /// Creates a support of a passage.
    pub fn from_passage(passage: &Passage, document: &Document) -> Self {
        let text = document.text.for_code();
        Self::new(&document.origin.site, text, passage.text.for_code())
    }

    /// Sets how credible the source is, 0 to 1.
    #[must_use]
    pub fn with_credibility(mut self, credibility: f64) -> Self {
        self.credibility = credibility.clamp(0.0, 1.0);
        self
    }

    /// Sets how well the passage supports the claim, 0 to 1. Defaults to 1.
    #[must_use]
    pub fn with_agreement(mut self, agreement: f64) -> Self {
        self.agreement = agreement.clamp(0.0, 1.0);
        self
    }

    /// Returns the probability that the claim holds by this source alone.
    pub(crate) fn weight(&self) -> f64 {
        self.credibility * self.agreement
    }
}

/// Returns why one source adds nothing to another one. `None` if they are independent: they are
/// published by different sites, their documents are not near-duplicates, and no passage is a copy
/// of the other one. Sources without a site are not independent of each other.
pub fn dependence(a: &Support, b: &Support) -> Option<Dependence> {
    if a.site == b.site {
        Some(Dependence::SameSite)
    } else if a.document.containment(&b.document) >= SAME_DOCUMENT {
        Some(Dependence::SameDocument)
    } else if a.passage.containment(&b.passage) >= SAME_PASSAGE {
        Some(Dependence::SamePassage)
    } else {
        None
    }
}

/// Groups sources, in the order of their ids, that depend on each other: a source joins the first
/// group with a member that it depends on. Returns the indices of the sources by group.
pub fn groups(supports: &[Support]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (index, support) in supports.iter().enumerate() {
        let depends = |group: &Vec<usize>| {
            group
                .iter()
                .filter_map(|member| supports.get(*member))
                .any(|member| dependence(member, support).is_some())
        };
        match groups.iter_mut().find(|group| depends(group)) {
            Some(group) => group.push(index),
            None => groups.push(vec![index]),
        }
    }
    groups
}
