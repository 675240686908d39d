//! The extension point: a system under evaluation with its cases.

use std::collections::BTreeSet;

use research_agents::kernel::BudgetLimits;
use serde::Serialize;

use super::meter::Metered;
use super::metric::{Measure, Metric};
use super::score::Score;

/// A system under evaluation: its cases, how one is run, and how its outcome is scored.
///
/// A score must not use code of the system: a mistake that both share would not be found.
pub trait Suite {
    /// A case: what is asked, and what is known of the answer.
    type Case: Case;
    /// What a run comes to.
    type Outcome;

    /// The metrics in the order in which they are shown, those of the harness among them.
    const METRICS: &'static [Metric];
    /// The columns of the table of cases.
    const COLUMNS: &'static [Column];
    /// What the columns say.
    const LEGEND: &'static str;

    /// Returns the cases.
    fn cases(&self) -> &[Self::Case];

    /// Returns a case in a few lines for a list of cases.
    fn listing(&self, case: &Self::Case) -> String;

    /// Runs a case.
    ///
    /// # Errors
    /// Why there is no outcome, in words.
    fn run(&self, case: &Self::Case, means: Means) -> impl Future<Output = Result<Self::Outcome, String>>;

    /// Scores an outcome.
    fn score(&self, case: &Self::Case, outcome: &Self::Outcome) -> Score;

    /// Scores a case without an outcome: nothing of what was expected is there.
    fn missing(&self, case: &Self::Case) -> Score;

    /// Returns what a run has used.
    fn usage(&self, outcome: &Self::Outcome) -> Usage;
}

/// A case of a suite.
pub trait Case: Serialize {
    /// Returns the name, unique over all cases, such as `strikes/by-size`.
    fn id(&self) -> &str;

    /// Returns what the case is about.
    fn tags(&self) -> &BTreeSet<String>;
}

/// What a run may use.
pub struct Means {
    /// The model.
    pub model: Metered,
    /// The limits of the run.
    pub budget: BudgetLimits,
    /// Cases that run at once and share the model.
    pub parallel: usize,
}

/// What a run has used.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    /// Requests to the model.
    pub model_calls: u64,
    /// Calls of tools.
    pub tool_calls: u64,
    /// Tokens sent to the model.
    pub tokens_in: u64,
    /// Tokens received from the model.
    pub tokens_out: u64,
}

/// A column of the table of cases: its name, and the metrics that it adds up.
pub struct Column {
    /// The name.
    pub name: &'static str,
    /// The metrics.
    pub metrics: &'static [Metric],
    /// How the measure is written.
    pub form: Form,
}

/// How a measure is written in the table of cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// What was right and of how much, such as `3/4`.
    Parts,
    /// The amount.
    Amount,
}

impl Column {
    /// Creates a column of parts of a whole.
    pub const fn parts(name: &'static str, metrics: &'static [Metric]) -> Self {
        Self { name, metrics, form: Form::Parts }
    }

    /// Creates a column of amounts.
    pub const fn amount(name: &'static str, metrics: &'static [Metric]) -> Self {
        Self { name, metrics, form: Form::Amount }
    }

    /// Returns the measure of a case in the form of the column; `-` where it does not apply.
    pub fn shown(&self, measure: impl Fn(&Metric) -> Measure) -> String {
        let measures = self.metrics.iter().map(measure);
        let (sum, of) = measures.fold((0.0, 0.0), |(sum, of), measure| (sum + measure.sum, of + measure.of));
        match self.form {
            _ if of == 0.0 => "-".to_owned(),
            Form::Parts => format!("{sum}/{of}"),
            Form::Amount => sum.to_string(),
        }
    }
}
