//! The confidence of a claim by its sources, and the mark that a reader sees.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::trust::independence::{Support, groups};

/// Returns the confidence of a claim, 0 to 1: one minus the product over all groups of independent
/// sources of one minus the credibility of the group's first source times its agreement. Sources
/// are in the order of their ids, so that a later copy never changes it.
pub fn confidence(supports: &[Support]) -> f64 {
    let doubt: f64 = groups(supports)
        .iter()
        .filter_map(|group| supports.get(*group.first()?))
        .map(|first| 1.0 - first.weight())
        .product();
    if supports.is_empty() {
        0.0
    } else {
        1.0 - doubt
    }
}

/// The mark of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// Verified by one source, or by sources that depend on each other, with less confidence than
    /// asked for.
    Single,
    /// Verified with the confidence that is asked for.
    Verified,
    /// Verified by two independent sources or more.
    CrossValidated,
}

impl Mark {
    /// Returns a string without the characters of marks, so that only a report sets them.
    ///
    /// ```
    /// use research_agents_report::trust::Mark;
    ///
    /// assert_eq!(Mark::removed_from("It is safe ✓✓."), "It is safe .");
    /// ```
    pub fn removed_from(text: &str) -> String {
        text.replace(['✓', '⚠', '✔', '☑'], "")
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Single => "⚠",
            Self::Verified => "✓",
            Self::CrossValidated => "✓✓",
        })
    }
}

/// What a mark needs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Thresholds {
    /// The confidence from which a claim is verified. Defaults to 0.6.
    pub verified: f64,
    /// Number of independent groups from which it is cross-validated. Defaults to 2.
    pub independent: usize,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self {
            verified: 0.6,
            independent: 2,
        }
    }
}

/// Returns the mark of a verified claim.
pub fn mark(supports: &[Support], thresholds: Thresholds) -> Mark {
    if groups(supports).len() >= thresholds.independent {
        Mark::CrossValidated
    } else if confidence(supports) >= thresholds.verified {
        Mark::Verified
    } else {
        Mark::Single
    }
}

/// Returns the share of claims that are not verified. `None` without claims.
#[expect(
    clippy::cast_precision_loss,
    reason = "numbers of claims are far below 2^52"
)]
pub fn hallucination_score(unverified: usize, claims: usize) -> Option<f64> {
    (claims > 0).then(|| unverified.min(claims) as f64 / claims as f64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TEXTS: [&str; 4] = [
        "The bridge over the river is one hundred and twenty metres long and was opened in 1932",
        "Built of steel in the thirties it spans the valley between both towns of the county",
        "Our paper measured a span of 120 m with a laser from the northern bank last summer",
        "A list of all bridges of the county names their lengths and years in one large table",
    ];

    fn support(site: usize, text: usize, credibility: f64) -> Support {
        let text = TEXTS[text % TEXTS.len()];
        Support::new(&format!("site{site}.org"), text, text).with_credibility(credibility)
    }

    #[test]
    fn the_score_is_the_share_of_unverified_claims() {
        assert_eq!(hallucination_score(2, 15), Some(2.0 / 15.0));
        assert_eq!(hallucination_score(0, 0), None);
    }

    #[test]
    fn without_a_source_there_is_no_confidence() {
        assert_eq!(confidence(&[]), 0.0);
        assert_eq!(confidence(&[support(1, 0, 0.7)]), 0.7);
        assert_eq!(
            mark(&[support(1, 0, 0.7)], Thresholds::default()),
            Mark::Verified
        );
    }

    proptest! {
        #[test]
        fn a_copy_never_changes_a_mark(
            sources in proptest::collection::vec((0_usize..4, 0_usize..4, 0.0..1.0), 1..6),
            copied in 0_usize..6,
            site in 0_usize..9,
            credibility in 0.0..1.0,
        ) {
            let mut supports: Vec<Support> =
                sources.iter().map(|(s, t, c)| support(*s, *t, *c)).collect();
            let (mark_before, before) =
                (mark(&supports, Thresholds::default()), confidence(&supports));

            let (_, text, _) = sources[copied % sources.len()];
            supports.push(support(site, text, credibility));
            prop_assert_eq!(mark(&supports, Thresholds::default()), mark_before);
            prop_assert_eq!(confidence(&supports), before);
        }

        #[test]
        fn an_agreement_never_lowers_a_mark(
            sources in proptest::collection::vec((0_usize..4, 0_usize..4, 0.0..1.0), 0..6),
            site in 0_usize..9,
            text in 0_usize..4,
            credibility in 0.0..1.0,
        ) {
            let mut supports: Vec<Support> =
                sources.iter().map(|(s, t, c)| support(*s, *t, *c)).collect();
            let (mark_before, before) =
                (mark(&supports, Thresholds::default()), confidence(&supports));

            supports.push(support(site, text, credibility));
            prop_assert!(mark(&supports, Thresholds::default()) >= mark_before);
            prop_assert!(confidence(&supports) >= before - 1e-12);
        }
    }
}
