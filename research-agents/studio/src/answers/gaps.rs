//! What is missing, and the confidence of each section.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::answers::table::Standing;

/// Confidence of a section with passages that no question belongs to: that of one source about
/// which nothing is known.
const UNASKED: f64 = 0.5;

/// A question of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedQuestion {
    /// Id of the question.
    pub id: String,
    /// Section of the outline that the answer belongs to.
    pub section: String,
}

impl PlannedQuestion {
    /// Creates a question of a section.
    pub fn new(id: impl Into<String>, section: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            section: section.into(),
        }
    }
}

/// What a gap is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GapKind {
    /// Nothing was found for a section.
    Missing,
    /// No source answers the question.
    Unanswered,
    /// Sources disagree.
    Conflict,
    /// The answer has less confidence than asked for.
    LowConfidence,
}

/// A question that needs more research.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    /// Section of the outline.
    pub section: String,
    /// Id of the question. `None` for a section that no question belongs to.
    pub question: Option<String>,
    /// What the gap is.
    pub kind: GapKind,
}

/// The gaps of a plan, and how sure its sections are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Review {
    /// The gaps, in the order of the plan.
    pub gaps: Vec<Gap>,
    /// By section, the mean confidence of its questions, 0 to 1.
    pub sections: BTreeMap<String, f64>,
    /// The mean of the sections; 0 without any.
    pub overall: f64,
}

impl Review {
    /// Reviews a plan. Every question has exactly one standing; one that the map does not have is
    /// unanswered. `verified` is the confidence from which an answer leaves no gap.
    pub fn new(
        plan: &[PlannedQuestion],
        standings: &BTreeMap<String, Standing>,
        verified: f64,
    ) -> Self {
        let mut gaps = Vec::new();
        let mut sums: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for question in plan {
            let standing = standings.get(&question.id).unwrap_or(&Standing::Unanswered);
            let confidence = standing.confidence();
            sums.entry(question.section.clone())
                .or_default()
                .push(confidence);

            let kind = match standing {
                Standing::Unanswered => Some(GapKind::Unanswered),
                Standing::Conflicting { .. } => Some(GapKind::Conflict),
                Standing::Answered(_) if confidence < verified => Some(GapKind::LowConfidence),
                Standing::Answered(_) => None,
            };
            gaps.extend(kind.map(|kind| Gap {
                section: question.section.clone(),
                question: Some(question.id.clone()),
                kind,
            }));
        }

        let sections = sums.into_iter().map(|(section, all)| (section, mean(&all)));
        let mut review = Self {
            gaps,
            sections: sections.collect(),
            overall: 0.0,
        };
        review.overall = review.mean_of_sections();
        review
    }

    /// Adds the sections of an outline that no question belongs to, each with the number of its
    /// passages: 0.5 with passages, and a gap without one.
    #[must_use]
    pub fn with_sections<'s>(
        mut self,
        outline: impl IntoIterator<Item = (&'s str, usize)>,
    ) -> Self {
        for (section, passages) in outline {
            if self.sections.contains_key(section) {
                continue;
            }

            let confidence = if passages > 0 { UNASKED } else { 0.0 };
            self.sections.insert(section.to_owned(), confidence);
            if passages == 0 {
                self.gaps.push(Gap {
                    section: section.to_owned(),
                    question: None,
                    kind: GapKind::Missing,
                });
            }
        }
        self.overall = self.mean_of_sections();
        self
    }

    /// Takes the confidences that a model proposes: each clamped to 0 to 1, and 0 for a section
    /// without evidence. Sections that it does not name keep what was computed.
    #[must_use]
    pub fn with_proposed(mut self, proposed: &BTreeMap<String, f64>) -> Self {
        for (section, computed) in &mut self.sections {
            match proposed.get(section) {
                Some(value) if *computed > 0.0 && value.is_finite() => {
                    *computed = value.clamp(0.0, 1.0);
                }
                _ => {}
            }
        }
        self.overall = self.mean_of_sections();
        self
    }

    fn mean_of_sections(&self) -> f64 {
        mean(&self.sections.values().copied().collect::<Vec<_>>())
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "numbers of questions are far below 2^52"
)]
fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_cannot_make_confidence_without_evidence() {
        let sections = [
            ("a".to_owned(), 0.5),
            ("b".to_owned(), 0.0),
            ("c".to_owned(), 0.4),
        ];
        let review = Review {
            sections: sections.into(),
            ..Review::default()
        };
        let proposed = [("a", 7.0), ("b", 0.9), ("x", 1.0), ("c", f64::NAN)];
        let proposed = proposed
            .map(|(section, value)| (section.to_owned(), value))
            .into();

        let review = review.with_proposed(&proposed);
        assert_eq!(
            review.sections.values().copied().collect::<Vec<_>>(),
            [1.0, 0.0, 0.4]
        );
        assert!((review.overall - 1.4 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn a_section_without_a_question_needs_passages() {
        let review = Review::default().with_sections([("a", 2), ("b", 0)]);
        assert_eq!((review.sections["a"], review.sections["b"]), (0.5, 0.0));
        assert_eq!(review.gaps[0].kind, GapKind::Missing);
        assert_eq!(review.overall, 0.25);
    }

    #[test]
    fn every_question_has_one_standing() {
        let plan = [
            PlannedQuestion::new("q1", "a"),
            PlannedQuestion::new("q2", "a"),
        ];
        let review = Review::new(&plan, &BTreeMap::new(), 0.6);
        let kinds: Vec<GapKind> = review.gaps.iter().map(|gap| gap.kind).collect();
        assert_eq!(kinds, [GapKind::Unanswered, GapKind::Unanswered]);
        assert_eq!((review.overall, review.sections["a"]), (0.0, 0.0));
    }
}
