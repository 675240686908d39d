//! The settings of a synthesizer.

use research_agents_runtime::limits::BudgetLimits;
use research_llm::{ModelInfo, Tier};
use serde::{Deserialize, Serialize};

use crate::memo::{SectionKind, Structure};

/// The section after which a decision about further research is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum After {
    /// After the situation; complication and resolution are written when research ends.
    Situation,
    /// After the complication; the resolution is written when research ends.
    Complication,
}

impl From<After> for SectionKind {
    fn from(after: After) -> Self {
        match after {
            After::Situation => Self::Situation,
            After::Complication => Self::Complication,
        }
    }
}

/// What a prompt repeats of the prompts before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum History {
    /// All of them, unchanged: providers read a beginning that they have cached for a tenth of the
    /// price.
    Append,
    /// Nothing: a prompt contains the statements and the new findings.
    Compact,
}

/// The model tier of each step. `None` leaves it to the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Tiers {
    /// For the situation, or the summary of a memo of one section.
    pub situation: Option<Tier>,
    /// For the complication.
    pub complication: Option<Tier>,
    /// For the resolution.
    pub resolution: Option<Tier>,
    /// For the reflection.
    pub reflection: Option<Tier>,
    /// For refined sections.
    pub refinement: Option<Tier>,
}

impl Tiers {
    /// Returns tiers that are the same for all steps.
    pub fn all(tier: Tier) -> Self {
        let tier = Some(tier);
        Self {
            situation: tier,
            complication: tier,
            resolution: tier,
            reflection: tier,
            refinement: tier,
        }
    }

    pub(super) fn of(&self, kind: SectionKind) -> Option<Tier> {
        match kind {
            SectionKind::Summary | SectionKind::Situation => self.situation,
            SectionKind::Complication => self.complication,
            SectionKind::Resolution => self.resolution,
        }
    }
}

/// The settings of a synthesizer. Bundles keep them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ScrConfig {
    /// The sections of the memos that a system begins. Defaults to situation, complication and
    /// resolution. A summary has no early decision and no reflection.
    pub structure: Structure,
    /// The section after which an update stops, so that the sections after it are written once, by
    /// a completion. `None` writes all with every update. Defaults to the complication.
    pub early_decision: Option<After>,
    /// What prompts repeat. `None` takes [`History::Append`] for models that cache, and
    /// [`History::Compact`] for others.
    pub history: Option<History>,
    /// The model tier of each step.
    pub tiers: Tiers,
    /// Whether the tier `max` is used; otherwise `plus` takes its place. Defaults to `false`.
    pub allows_max: bool,
    /// Whether the first whole memo is judged, and refined if it is moderate or shallow. Defaults
    /// to `true`.
    pub reflects: bool,
    /// Whether a section is refined after each decision to continue, in place of being updated.
    /// Defaults to `false`.
    pub refine_after_decision: bool,
    /// Maximum number of findings from before that a prompt recalls, 1 to 50. Defaults to 6.
    pub top_k: usize,
    /// What a run may use.
    pub budget: BudgetLimits,
}

impl Default for ScrConfig {
    fn default() -> Self {
        Self {
            structure: Structure::Scr,
            early_decision: Some(After::Complication),
            history: None,
            tiers: Tiers::default(),
            allows_max: false,
            reflects: true,
            refine_after_decision: false,
            top_k: 6,
            budget: BudgetLimits::default(),
        }
    }
}

impl ScrConfig {
    /// Returns the last section that an update writes.
    pub fn until(&self) -> SectionKind {
        self.early_decision
            .map_or(SectionKind::Resolution, SectionKind::from)
    }

    /// Returns what prompts to a model repeat.
    pub fn history_for(&self, model: &ModelInfo) -> History {
        let caches = model.abilities.cache_marks;
        let own = if caches {
            History::Append
        } else {
            History::Compact
        };
        self.history.unwrap_or(own)
    }

    /// Returns the tier that is asked for in place of another one.
    pub(super) fn allowed(&self, tier: Option<Tier>) -> Option<Tier> {
        match tier {
            Some(Tier::Max) if !self.allows_max => Some(Tier::Plus),
            tier => tier,
        }
    }
}
