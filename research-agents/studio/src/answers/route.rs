//! Whether another round of research follows.

use serde::{Deserialize, Serialize};

/// Slack of comparisons of confidences, which are sums of fractions.
const ROUNDING: f64 = 1e-9;

/// When research ends.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stops {
    /// Maximum number of rounds. Defaults to 3.
    pub max_iterations: u32,
    /// The overall confidence that is enough. Defaults to 0.85.
    pub stop_confidence: f64,
    /// The gain of a round below which another one is not worth it. Defaults to 0.05.
    pub least_gain: f64,
}

impl Default for Stops {
    fn default() -> Self {
        Self {
            max_iterations: 3,
            stop_confidence: 0.85,
            least_gain: 0.05,
        }
    }
}

/// How far a run is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// Number of the round, from 0.
    pub iteration: u32,
    /// The overall confidence after the round.
    pub confidence: f64,
    /// The overall confidence before the round.
    pub previous: f64,
    /// Number of gaps.
    pub gaps: usize,
}

/// What follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Next {
    /// Another round, for the gaps.
    Orchestrator,
    /// The check of what was found.
    TrustEngine,
}

/// Returns what follows: another round if there are gaps, rounds are left, the confidence is not
/// enough, and the last round after the first gained enough.
pub fn next(progress: &Progress, stops: &Stops) -> Next {
    let gain = progress.confidence - progress.previous;
    let is_last = progress.iteration >= stops.max_iterations;
    let is_enough = progress.confidence + ROUNDING >= stops.stop_confidence;
    let is_stuck = progress.iteration > 0 && gain + ROUNDING < stops.least_gain;

    if is_last || is_enough || is_stuck || progress.gaps == 0 {
        Next::TrustEngine
    } else {
        Next::Orchestrator
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_truth_table_holds() {
        let stops = Stops::default();
        for iteration in 0..=3 {
            for (confidence, is_enough) in [(0.84, false), (0.85, true), (0.86, true)] {
                for (gain, is_small) in [(0.04, true), (0.05, false), (0.06, false)] {
                    for gaps in [0, 1] {
                        let previous = confidence - gain;
                        let progress = Progress {
                            iteration,
                            confidence,
                            previous,
                            gaps,
                        };
                        let ends =
                            gaps == 0 || iteration == 3 || is_enough || (is_small && iteration > 0);

                        let expected = if ends {
                            Next::TrustEngine
                        } else {
                            Next::Orchestrator
                        };
                        assert_eq!(next(&progress, &stops), expected, "{progress:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_confidence_that_is_enough_decides_about_a_third_round() {
        let second = Progress {
            iteration: 2,
            confidence: 0.82,
            previous: 0.68,
            gaps: 1,
        };
        let stops = |stop_confidence| Stops {
            stop_confidence,
            ..Stops::default()
        };
        assert_eq!(next(&second, &stops(0.80)), Next::TrustEngine);
        assert_eq!(next(&second, &stops(0.85)), Next::Orchestrator);
    }
}
