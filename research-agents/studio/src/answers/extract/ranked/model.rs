//! A linear model: the weights of features.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::features::Features;

/// Name of the score of *no answer* in the file of weights.
const NONE: &str = "no-answer";

/// The model that was fitted to questions about manuals.
pub(super) static MODEL: LazyLock<Model> =
    LazyLock::new(|| Model::new(include_str!("../../../../rules/en/ranking.txt")));

/// Weights by the names of features.
pub(super) struct Model {
    weights: BTreeMap<&'static str, f64>,
    none: f64,
}

impl Model {
    /// Reads lines of a name, a colon and a weight. Lines that begin with `#` are comments.
    fn new(text: &'static str) -> Self {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let pairs = lines.filter_map(|line| line.split_once(':'));
        let weights = pairs.filter_map(|(name, weight)| Some((name, weight.trim().parse().ok()?)));
        let mut weights: BTreeMap<&str, f64> = weights.collect();
        Self {
            none: weights.remove(NONE).unwrap_or_default(),
            weights,
        }
    }

    /// Returns how far the score of a sentence is above that of *no answer*.
    pub(super) fn lead(&self, features: &Features) -> f64 {
        let weighed = features.iter().map(|(name, value)| {
            let weight = self.weights.get(name).copied().unwrap_or_default();
            weight * value
        });
        weighed.sum::<f64>() - self.none
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_weight_is_a_number_of_a_feature() {
        let text = include_str!("../../../../rules/en/ranking.txt");
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        assert_eq!(lines.count(), MODEL.weights.len() + 1);
        assert!(MODEL.none > 0.0);

        let features = [include_str!("features.rs"), include_str!("forms.rs")].concat();
        for name in MODEL.weights.keys() {
            assert!(features.contains(&format!("\"{name}\"")), "{name}");
        }
    }

    #[test]
    fn a_lead_is_a_weighed_sum_over_no_answer() {
        let model = Model::new("# comment\nno-answer: 2\nscore: 3\nlength: -0.5\n");
        let features = Features::from([("score", 1.0), ("length", 4.0), ("unknown", 9.0)]);
        assert_eq!(model.lead(&features), 3.0 - 2.0 - 2.0);
    }
}
