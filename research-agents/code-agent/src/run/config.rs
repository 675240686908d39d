//! The settings of the agent.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Maximum number of steps that a caller can request for one question.
pub const MAX_BUDGET: u32 = 20;

/// The limits of a run. Each ends a run by itself.
///
/// ```
/// use research_agents_code_agent::run::AgentConfig;
///
/// let config = AgentConfig::default();
/// assert_eq!((config.max_steps, config.max_wall_time_seconds), (10, 120));
/// assert!(AgentConfig { max_steps: 0, ..config }.validate().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentConfig {
    /// Maximum number of actions. Defaults to 10. The budget of a question replaces it.
    pub max_steps: u32,
    /// Maximum duration of a run in seconds. Gathering ends when a tenth of it is left. Defaults to
    /// 120.
    pub max_wall_time_seconds: u64,
    /// Whether the trace, the evidence and the report are stored. Defaults to `true`.
    pub store_artifacts: bool,
    /// Maximum duration of one action in seconds. Defaults to 30.
    pub action_timeout_seconds: u64,
}

impl Default for AgentConfig {
    fn default() -> Self {
        Self {
            max_steps: 10,
            max_wall_time_seconds: 120,
            store_artifacts: true,
            action_timeout_seconds: 30,
        }
    }
}

/// A setting that is out of its range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{setting}` is {value}; set it to {range}")]
pub struct ConfigError {
    /// Name of the setting.
    pub setting: &'static str,
    /// Its value.
    pub value: u64,
    /// The values that it can have.
    pub range: &'static str,
}

impl AgentConfig {
    /// Checks that every limit allows something.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] for the first setting that is out of its range.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let refuse = |setting, value, range| {
            Err(ConfigError {
                setting,
                value,
                range,
            })
        };

        match self {
            Self { max_steps, .. } if !(1..=100).contains(max_steps) => {
                refuse("max_steps", u64::from(*max_steps), "1 to 100")
            }
            Self {
                max_wall_time_seconds,
                ..
            } if !(1..=86_400).contains(max_wall_time_seconds) => refuse(
                "max_wall_time_seconds",
                *max_wall_time_seconds,
                "1 to 86,400",
            ),
            Self {
                action_timeout_seconds,
                ..
            } if !(1..=3_600).contains(action_timeout_seconds) => refuse(
                "action_timeout_seconds",
                *action_timeout_seconds,
                "1 to 3,600",
            ),
            _ => Ok(()),
        }
    }

    /// Returns the maximum duration of a run.
    pub fn wall_time(&self) -> Duration {
        Duration::from_secs(self.max_wall_time_seconds)
    }

    /// Returns the maximum duration of an action.
    pub fn action_timeout(&self) -> Duration {
        Duration::from_secs(self.action_timeout_seconds)
    }

    /// Returns the number of steps for a requested budget, clamped to 1 to [`MAX_BUDGET`], and
    /// whether it was clamped.
    pub fn clamp_budget(requested: i64) -> (u32, bool) {
        let clamped = requested.clamp(1, i64::from(MAX_BUDGET));
        (
            u32::try_from(clamped).unwrap_or(MAX_BUDGET),
            clamped != requested,
        )
    }
}
