//! The settings of the studio.

use research_agents_fieldwork::credibility::Credibility;
use research_agents_fieldwork::searcher::SearcherLimits;
pub use research_agents_fieldwork::source_set::SourceInfo;
use research_agents_fieldwork::source_set::{SourceSetError, credibility_of};
use research_agents_report::passage::Document;
use research_agents_runtime::clarify::ClarificationPolicy;
use research_agents_runtime::limits::BudgetLimits;
use serde::{Deserialize, Serialize};

use crate::answers::route::Stops;

/// The settings of the studio. Bundles keep them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct StudioConfig {
    /// When research ends.
    pub stops: Stops,
    /// Maximum number of questions of a plan. Defaults to 8.
    pub max_questions: usize,
    /// Maximum number of sub-agents that work in parallel. Defaults to 5.
    pub parallel: usize,
    /// What is done about an ambiguous question. Defaults to assuming the likeliest reading.
    pub clarification: ClarificationPolicy,
    /// Maximum number of questions to the user about what is meant, 0 to 3. Defaults to 1.
    pub max_clarifications: u32,
    /// Whether the user approves the plan before research starts. Defaults to `false`.
    pub approve_plan: bool,
    /// How credible sites are.
    pub credibility: Credibility,
    /// How credible a folder or server is that the user named and the table does not know, 0 to 1.
    /// Defaults to 0.7.
    pub local_credibility: f64,
    /// How much searches take of each source.
    pub searcher: SearcherLimits,
    /// What a run may use.
    pub budget: BudgetLimits,
    /// The sources. The builder sets them.
    pub sources: Vec<SourceInfo>,
}

impl Default for StudioConfig {
    fn default() -> Self {
        Self {
            stops: Stops::default(),
            max_questions: 8,
            parallel: 5,
            clarification: ClarificationPolicy::default(),
            max_clarifications: 1,
            approve_plan: false,
            credibility: Credibility::built_in(),
            local_credibility: 0.7,
            searcher: SearcherLimits::default(),
            budget: BudgetLimits::default(),
            sources: Vec::new(),
        }
    }
}

/// The reason why the settings cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The sources cannot be used.
    #[error(transparent)]
    Sources(#[from] SourceSetError),
    /// A number is out of its range.
    #[error("`{setting}` is {value}; it must be {range}")]
    Range {
        /// Name of the setting.
        setting: &'static str,
        /// What it is.
        value: f64,
        /// What it may be.
        range: &'static str,
    },
}

impl StudioConfig {
    /// Returns how credible a document is by its site, 0 to 1, before a model is asked.
    pub fn credibility_of(&self, document: &Document) -> f64 {
        credibility_of(document, &self.credibility, self.local_credibility)
    }

    /// Checks that every number is in its range.
    ///
    /// # Errors
    ///
    /// [`ConfigError::Range`] for the first that is not.
    #[expect(
        clippy::cast_precision_loss,
        reason = "the numbers of settings are far below 2^52"
    )]
    pub fn validate(&self) -> Result<(), ConfigError> {
        let share = 0.0..=1.0;
        let rows = [
            (
                "stop_confidence",
                self.stops.stop_confidence,
                &share,
                "0 to 1",
            ),
            ("least_gain", self.stops.least_gain, &share, "0 to 1"),
            (
                "local_credibility",
                self.local_credibility,
                &share,
                "0 to 1",
            ),
            (
                "max_iterations",
                f64::from(self.stops.max_iterations),
                &(1.0..=10.0),
                "1 to 10",
            ),
            (
                "max_questions",
                self.max_questions as f64,
                &(1.0..=20.0),
                "1 to 20",
            ),
            (
                "searcher.local",
                self.searcher.local as f64,
                &(1.0..=100.0),
                "1 to 100",
            ),
            (
                "searcher.web",
                self.searcher.web as f64,
                &(1.0..=100.0),
                "1 to 100",
            ),
            ("parallel", self.parallel as f64, &(1.0..=32.0), "1 to 32"),
            (
                "max_clarifications",
                f64::from(self.max_clarifications),
                &(0.0..=3.0),
                "0 to 3",
            ),
        ];

        let wrong = rows
            .into_iter()
            .find(|(_, value, range, _)| !range.contains(value));
        wrong.map_or(Ok(()), |(setting, value, _, range)| {
            Err(ConfigError::Range {
                setting,
                value,
                range,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_out_of_its_range_is_named() {
        let mut config = StudioConfig::default();
        assert_eq!(config.validate(), Ok(()));

        config.stops.stop_confidence = 1.2;
        let problem = config.validate().unwrap_err().to_string();
        assert_eq!(problem, "`stop_confidence` is 1.2; it must be 0 to 1");
    }
}
