//! The state of a run with the conventional fields.

/// Implements [`RunState`](crate::run::RunState) for a state with the conventional fields.
///
/// ```
/// use research_agents_runtime::limits::{Usage, add_usage};
/// use research_agents_runtime::run::{Beginning, QuestionInput};
/// use research_agents_runtime::run_state;
/// use research_agents_runtime::tape::TaskRecord;
/// use research_agents_report::document::Report;
/// use research_core::{Log, State};
///
/// #[derive(Clone, Debug, Default, State)]
/// struct Survey {
///     question: String,
///     #[reduce(append)]
///     replies: Vec<String>,
///     #[reduce(with = add_usage)]
///     usage: Usage,
///     #[reduce(max)]
///     active_ms: u64,
///     #[reduce(add)]
///     tasks_done: u64,
///     beginning: Option<Box<Beginning<QuestionInput>>>,
///     #[reduce(append)]
///     recording: Log<TaskRecord>,
///     report: Option<Report>,
///     // Further fields of the system.
///     #[reduce(append)]
///     notes: Vec<String>,
/// }
///
/// run_state!(Survey);
/// ```
///
/// A state with another input names its type, which the field `input` holds and the state is made
/// from, and the place of the question:
///
/// ```
/// # use research_agents_runtime::limits::{Usage, add_usage};
/// # use research_agents_runtime::run::{Beginning, RunInput};
/// # use research_agents_runtime::run_state;
/// # use research_agents_runtime::tape::TaskRecord;
/// # use research_agents_report::document::Report;
/// # use research_core::{Log, State};
/// # use serde::{Deserialize, Serialize};
/// #[derive(Clone, Debug, Default, Serialize, Deserialize)]
/// struct Trip {
///     from: String,
///     question: String,
///     can_ask: bool,
///     answers: Vec<String>,
/// }
/// # impl RunInput for Trip {
/// #     fn can_ask(&self) -> bool { self.can_ask }
/// #     fn replies(&self) -> &[String] { &self.answers }
/// #     fn set_replies(&mut self, replies: Vec<String>) { self.answers = replies; }
/// # }
///
/// #[derive(Clone, Debug, Default, State)]
/// struct Travel {
///     input: Trip,
///     // The conventional fields.
/// #     #[reduce(append)]
/// #     replies: Vec<String>,
/// #     #[reduce(with = add_usage)]
/// #     usage: Usage,
/// #     #[reduce(max)]
/// #     active_ms: u64,
/// #     #[reduce(add)]
/// #     tasks_done: u64,
/// #     beginning: Option<Box<Beginning<Trip>>>,
/// #     #[reduce(append)]
/// #     recording: Log<TaskRecord>,
/// #     report: Option<Report>,
/// }
///
/// impl From<Trip> for Travel {
///     fn from(input: Trip) -> Self {
///         Self { input, ..Self::default() }
///     }
/// }
/// run_state!(Travel, Trip, input.question);
/// ```
#[macro_export]
macro_rules! run_state {
    ($State:ty) => {
        impl $crate::run::RunState for $State {
            type Input = $crate::run::QuestionInput;

            fn from_input(input: Self::Input) -> Self {
                Self {
                    question: input.question,
                    ..Self::default()
                }
            }

            fn to_input(&self, can_ask: bool) -> Self::Input {
                let mut input = $crate::run::QuestionInput::default();
                input.question.clone_from(&self.question);
                input.can_ask = can_ask;
                input
            }

            fn question(&self) -> &str {
                &self.question
            }

            $crate::run_state!(@conventional);
        }
    };
    ($State:ty, $Input:ty, $($question:ident).+) => {
        impl $crate::run::RunState for $State {
            type Input = $Input;

            fn from_input(input: $Input) -> Self {
                Self::from(input)
            }

            fn to_input(&self, can_ask: bool) -> $Input {
                let mut input = self.input.clone();
                input.can_ask = can_ask;
                input
            }

            fn question(&self) -> &str {
                &self.$($question).+
            }

            $crate::run_state!(@conventional);
        }
    };
    (@conventional) => {
        fn replies(&self) -> &[String] {
            &self.replies
        }

        fn usage(&self) -> $crate::limits::Usage {
            self.usage
        }

        fn active(&self) -> ::std::time::Duration {
            ::std::time::Duration::from_millis(self.active_ms)
        }

        fn beginning(&self) -> Option<&$crate::run::Beginning<Self::Input>> {
            self.beginning.as_deref()
        }

        fn set_beginning(&mut self, beginning: $crate::run::Beginning<Self::Input>) {
            self.beginning = Some(Box::new(beginning));
        }

        fn recording(&self) -> impl Iterator<Item = &$crate::tape::TaskRecord> {
            self.recording.iter()
        }

        fn document(&self) -> Option<&$crate::run::Report> {
            self.report.as_ref()
        }

        fn place(&self, node: &str, index: usize) -> String {
            format!("{node} {}.{index}", self.tasks_done)
        }

        fn record(update: Self::Update, done: $crate::job::JobDone) -> Self::Update {
            let active = u64::try_from(done.active.as_millis()).unwrap_or(u64::MAX);
            let update = update.usage(done.usage).active_ms(active).tasks_done(1_u64);
            done.record
                .into_iter()
                .fold(update, |update, record| update.recording([record]))
        }
    };
}
