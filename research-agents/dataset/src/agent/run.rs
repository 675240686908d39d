//! A run of the dataset agent, and its options.

use std::fmt;
use std::future::IntoFuture;
use std::pin::Pin;

use research_agents_report::language::Language;
use research_agents_runtime::clarify::Clarifier;
use research_agents_runtime::error::Error;
use research_agents_runtime::event::Event;
use research_agents_runtime::job::Steering;
use research_agents_runtime::run::{Run, RunStream};
use tokio_util::sync::CancellationToken;

use crate::agent::builder::DatasetAgent;
use crate::agent::outcome::DatasetReport;
use crate::data::event::DatasetEventKind;
use crate::data::record::{Object, ReportFormat};
use crate::data::task::QueryOverrides;
use crate::state::model::DatasetState;

/// The events of a run of the dataset agent.
pub type DatasetStream = RunStream<DatasetAgent>;

/// An event of a run of the dataset agent.
pub type DatasetEvent = Event<DatasetEventKind>;

/// A run that has not started: set its options, then await it or call
/// [`stream`](DatasetRun::stream).
#[must_use = "a run does nothing until it is awaited or its stream is read"]
pub struct DatasetRun(Run<DatasetAgent>);

impl DatasetAgent {
    /// Prepares a run. Nothing happens until it is awaited or its stream is read.
    pub fn run(&self, question: impl Into<String>) -> DatasetRun {
        let (question, format) = (question.into(), self.config.format);
        let input = DatasetState {
            question,
            format,
            ..DatasetState::default()
        };
        DatasetRun(Run::new(self.clone(), input))
    }

    /// Prepares to resume a run that [waits for an answer](Error::ClarificationRequired), on a
    /// thread of the agent's store. The answer is the number of an option, counted from 1, its
    /// words, or other words; an empty answer leaves the question as it is. Any process that
    /// reaches the store can resume the run.
    pub fn resume(&self, thread: impl Into<String>, answer: impl Into<String>) -> DatasetRun {
        self.run("").thread(thread).answer(answer)
    }
}

impl DatasetRun {
    /// Sets the filters. They override those of any plan. A field that the tool does not have is an
    /// error before anything is planned.
    pub fn filters(mut self, filters: Object) -> Self {
        self.0.input.overrides.filters = Some(filters);
        self
    }

    /// Sets the fields to group by. They override those of any plan.
    pub fn group_by<F: Into<String>>(mut self, fields: impl IntoIterator<Item = F>) -> Self {
        self.0.input.overrides.group_by = Some(fields.into_iter().map(Into::into).collect());
        self
    }

    /// Sets filters and grouping together.
    pub fn overrides(mut self, overrides: QueryOverrides) -> Self {
        self.0.input.overrides = overrides;
        self
    }

    /// Restricts the run to the tools with these names. Defaults to all tools that [only
    /// read](crate::tools::only_reads::only_reads); a tool that is named here is used even if it
    /// does not declare that it only reads.
    pub fn tools<T: Into<String>>(mut self, names: impl IntoIterator<Item = T>) -> Self {
        self.0.input.requested_tools = names.into_iter().map(Into::into).collect();
        self
    }

    /// Sets how often the planner may be asked, at least once. Defaults to the agent's setting.
    pub fn max_iterations(mut self, iterations: u32) -> Self {
        self.0.input.max_iterations = iterations.max(1);
        self
    }

    /// Sets the shape of the report. Defaults to the agent's setting.
    pub fn format(mut self, format: ReportFormat) -> Self {
        self.0.input.format = format;
        self
    }

    /// Sets the language of the answer. Defaults to the agent's setting, else to the language of
    /// the question.
    pub fn language(mut self, language: Language) -> Self {
        self.0.input.requested_language = Some(language);
        self
    }

    /// Sets the id of the conversation that the run belongs to.
    pub fn conversation(mut self, id: impl Into<String>) -> Self {
        self.0.input.conversation_id = Some(id.into());
        self
    }

    /// Sets the token that ends the run gracefully: when it is cancelled, the run stops reading and
    /// reports what it has.
    pub fn cancel(self, token: CancellationToken) -> Self {
        Self(self.0.cancel(token))
    }

    /// Sets the clarifier that asks the user, if the agent's
    /// [policy](research_agents_runtime::clarify::ClarificationPolicy) is to ask.
    pub fn clarifier(self, clarifier: impl Clarifier + 'static) -> Self {
        Self(self.0.clarifier(clarifier))
    }

    /// Answers the question that the run on the [thread](DatasetRun::thread) waits for.
    pub fn answer(self, answer: impl Into<String>) -> Self {
        Self(self.0.answer(answer.into()))
    }

    /// Answers the question with this token, which its
    /// [event](research_agents_runtime::event::RunEvent::ClarificationRequired) contains, so that a
    /// newer question is not answered by mistake.
    pub fn answer_to(self, token: impl Into<String>, answer: impl Into<String>) -> Self {
        Self(self.0.answer_to(token, answer.into()))
    }

    /// Stores the run on this thread of the agent's
    /// [store](crate::agent::builder::DatasetAgentBuilder::checkpointer). If the thread holds an
    /// unfinished run of the same question, that run is resumed with the options of its first
    /// start, and the answers of models and results of tools that it has are not requested again.
    /// If the run is finished, its report is returned.
    ///
    /// Another question on a finished thread follows on it, with the options of this run. The
    /// planner sees the earlier questions with their filters and key findings in addition to the
    /// question, so that "and by size?" and "only those at night" refine it. Everything is counted
    /// and read again under the filters of the new question; records and aggregations that occur
    /// again keep their ids. Another question on an unfinished thread is [an
    /// error](Error::OtherQuestion).
    pub fn thread(self, id: impl Into<String>) -> Self {
        Self(self.0.thread(id))
    }

    /// Records the run's exchanges with models and tools, so that it can be
    /// [exported](DatasetReport::bundle) and [replayed](crate::replay). A run on a
    /// [thread](Self::thread) is recorded from its start or not at all: resuming one that was
    /// started without a recording fails with [`Error::NotRecorded`].
    ///
    /// ```no_run
    /// use research_agents_dataset::{DatasetAgent, replay};
    ///
    /// # async fn example(agent: DatasetAgent) -> Result<(), Box<dyn std::error::Error>> {
    /// let report = agent.run("India events by theme").record().await?;
    /// let bundle = report.bundle().ok_or("a synthesizer of the host gave only text")?;
    /// std::fs::write("events.bundle.json", bundle.to_json()?)?;
    ///
    /// // Without a model and without a tool, on any machine:
    /// let again = replay(bundle)?.await?;
    /// assert_eq!(again.markdown, report.markdown);
    /// # Ok(())
    /// # }
    /// ```
    pub fn record(self) -> Self {
        Self(self.0.record())
    }

    /// Sets the inbox from which the run reads messages of the user.
    pub fn steering(self, steering: Steering) -> Self {
        Self(self.0.steering(steering))
    }

    /// Returns the events of the run, in order. The run advances while the stream is read; dropping
    /// the stream stops the run immediately.
    #[must_use = "a run does nothing until its stream is read"]
    pub fn stream(self) -> DatasetStream {
        self.0.stream()
    }
}

impl IntoFuture for DatasetRun {
    type Output = Result<DatasetReport, Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        self.0.into_future()
    }
}

impl fmt::Debug for DatasetRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DatasetRun")
            .field("question", &self.0.input.question)
            .finish_non_exhaustive()
    }
}
