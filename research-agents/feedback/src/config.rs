//! The settings of the workflow.

use research_agents_fieldwork::credibility::Credibility;
use research_agents_fieldwork::searcher::SearcherLimits;
use research_agents_fieldwork::source_set::{SourceInfo, SourceSetError};
use research_agents_runtime::limits::BudgetLimits;
use research_agents_scr::synthesizer::ScrConfig;
use serde::{Deserialize, Serialize};

/// The settings of the workflow. Bundles keep them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct FeedbackConfig {
    /// Maximum number of passes, 1 to 10; fewer if the complexity of the question says so.
    /// Defaults to 3.
    pub max_iterations: u32,
    /// Whether statements are verified and marked before the report is written. Defaults to `true`.
    pub verify: bool,
    /// How the memo is written.
    pub memo: ScrConfig,
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

impl Default for FeedbackConfig {
    fn default() -> Self {
        Self {
            max_iterations: 3,
            verify: true,
            memo: ScrConfig::default(),
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

impl FeedbackConfig {
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
        let rows = [
            (
                "max_iterations",
                f64::from(self.max_iterations),
                1.0..=10.0,
                "1 to 10",
            ),
            (
                "local_credibility",
                self.local_credibility,
                0.0..=1.0,
                "0 to 1",
            ),
            (
                "searcher.local",
                self.searcher.local as f64,
                1.0..=100.0,
                "1 to 100",
            ),
            (
                "searcher.web",
                self.searcher.web as f64,
                1.0..=100.0,
                "1 to 100",
            ),
            ("memo.top_k", self.memo.top_k as f64, 1.0..=50.0, "1 to 50"),
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
