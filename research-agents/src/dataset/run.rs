//! A run: its options, its stream of events, and its outcome.

use std::collections::VecDeque;
use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Instant, SystemTime};

use futures::{Stream, StreamExt};
use research_core::{Event, EventKind, Finished, RunError, RunStream};
use tokio_util::sync::CancellationToken;

use super::agent::DatasetAgent;
use super::bundle::bundle;
use super::clarify::{Asking, asked};
use super::event::{DatasetEvent, DatasetEventKind, RunStats};
use super::nodes::told;
use super::record::{AggregationResult, Coverage, Finding, Object, ReportFormat, SubQuestion};
use super::replay::Expected;
use super::review::{Perspective, QuestionConfidence, Recommendation, ResearchGap, ValidationIssue, ValidationStatus};
use super::services::Services;
use super::state::{Completion, DatasetState, Recorded, RunInput};
use super::task::{Clarified, QueryOverrides, Turn};
use super::turns::Earlier;
use crate::Error;
use crate::kernel::clock::rfc3339;
use crate::kernel::{Bundle, Clarification, Clarifier, Language, Marker, Report, SourceRegistry, Statement};

/// A run that has not started: set its options, then await it or call [`stream`](DatasetRun::stream).
#[must_use = "a run does nothing until it is awaited or its stream is read"]
pub struct DatasetRun {
    agent: DatasetAgent,
    input: DatasetState,
    cancel: CancellationToken,
    thread: Option<String>,
    is_recorded: bool,
    asking: Asking,
    /// What was answered, with the token of the question where one is named.
    answer: Option<(Option<String>, String)>,
}

impl DatasetRun {
    pub(super) fn new(agent: DatasetAgent, question: String) -> Self {
        let input = DatasetState { question, format: agent.config.format, ..DatasetState::default() };
        Self::with_input(agent, input)
    }

    /// A run that is asked to do this.
    pub(super) fn with_input(agent: DatasetAgent, input: DatasetState) -> Self {
        let (cancel, asking) = (CancellationToken::new(), Asking::default());
        Self { agent, input, cancel, thread: None, is_recorded: false, asking, answer: None }
    }

    pub(super) fn resumed(agent: DatasetAgent, thread: String, answer: String) -> Self {
        Self::new(agent, String::new()).thread(thread).answer(answer)
    }

    /// Fixes the filters; they win over any plan. A field that the tool does not have is an error before anything is
    /// planned.
    pub fn filters(mut self, filters: Object) -> Self {
        self.input.overrides.filters = Some(filters);
        self
    }

    /// Fixes the grouping; it wins over any plan.
    pub fn group_by<F: Into<String>>(mut self, fields: impl IntoIterator<Item = F>) -> Self {
        self.input.overrides.group_by = Some(fields.into_iter().map(Into::into).collect());
        self
    }

    /// Fixes filters and grouping at once.
    pub fn overrides(mut self, overrides: QueryOverrides) -> Self {
        self.input.overrides = overrides;
        self
    }

    /// Restricts the run to these tools, by name. Without, it uses those that [only read](super::only_reads); a tool that is
    /// named here is used whatever it says of itself.
    pub fn tools<T: Into<String>>(mut self, names: impl IntoIterator<Item = T>) -> Self {
        self.input.requested_tools = names.into_iter().map(Into::into).collect();
        self
    }

    /// Sets how often the planner may be asked, in place of the agent's setting. At least 1.
    pub fn max_iterations(mut self, iterations: u32) -> Self {
        self.input.max_iterations = iterations.max(1);
        self
    }

    /// Sets the shape of the report, in place of the agent's setting.
    pub fn format(mut self, format: ReportFormat) -> Self {
        self.input.format = format;
        self
    }

    /// Sets the language of the answer, in place of the agent's setting and of the question's language.
    pub fn language(mut self, language: Language) -> Self {
        self.input.requested_language = Some(language);
        self
    }

    /// Names the conversation that the run belongs to.
    pub fn conversation(mut self, id: impl Into<String>) -> Self {
        self.input.conversation_id = Some(id.into());
        self
    }

    /// Sets the token that ends the run gracefully: when it is cancelled, the run stops reading and reports what it has.
    pub fn cancel(mut self, token: CancellationToken) -> Self {
        self.cancel = token;
        self
    }

    /// Names who asks the user, where the agent's [policy](super::ClarificationPolicy) is to ask.
    pub fn clarifier(mut self, clarifier: impl Clarifier + 'static) -> Self {
        self.asking.clarifier = Some(Arc::new(clarifier));
        self
    }

    /// Answers the question that the run on the [thread](DatasetRun::thread) waits for.
    pub fn answer(mut self, answer: impl Into<String>) -> Self {
        self.answer = Some((None, answer.into()));
        self
    }

    /// The same for the question of this token, which its [event](super::DatasetEventKind::ClarificationRequired) has: another
    /// question that has come up since is not answered by mistake.
    pub fn answer_to(mut self, token: impl Into<String>, answer: impl Into<String>) -> Self {
        self.answer = Some((Some(token.into()), answer.into()));
        self
    }

    /// Keeps the run on this thread of the agent's [store](super::DatasetAgentBuilder::checkpointer). A thread that holds an
    /// unfinished run of the same question goes on with it, with the options of its first start, and what a model answered or
    /// a tool gave is not asked for again. A finished one gives its report.
    ///
    /// Another question on a finished thread follows on it, with the options of this run. The earlier questions, their filters
    /// and key findings are what the planner knows beside the question, so that "and by size?" and "only those at night" refine
    /// it. All is counted and read anew under the filters of the new question; records and aggregations that come again keep
    /// their ids. Another question on an unfinished thread is [an error](Error::OtherQuestion).
    pub fn thread(mut self, id: impl Into<String>) -> Self {
        self.thread = Some(id.into());
        self
    }

    /// Keeps everything that the run does outside, so that it can be [exported](DatasetReport::bundle) and gone through
    /// [again](super::replay()). A run on a [thread](Self::thread) is recorded from its start or not at all: one that was begun
    /// otherwise is refused with [`Error::NotRecorded`].
    ///
    /// ```no_run
    /// use research_agents::dataset::{DatasetAgent, replay};
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
    pub fn record(mut self) -> Self {
        self.is_recorded = true;
        self
    }

    /// The events of the run, in order. The run advances while the stream is read; dropping it stops the run at once.
    #[must_use = "a run does nothing until its stream is read"]
    pub fn stream(self) -> DatasetStream {
        let model = self.agent.model.info().id();
        let (question, started, thread) = (self.input.question.clone(), Instant::now(), self.thread.clone());
        let expected = self.agent.replays.clone();
        let opening = async move {
            let (run, question) = self.start().await?;
            Ok((Box::new(run.stream()), question))
        };
        DatasetStream {
            expected,
            progress: Progress::Opening(Box::pin(opening)),
            question,
            thread,
            model,
            started,
            run_id: String::new(),
            seq: 0,
            at: SystemTime::now(),
            has_told: false,
            due: VecDeque::new(),
        }
    }

    /// The run, and its question, which a resumed one takes from its thread.
    async fn start(mut self) -> Result<(Started, String), Error> {
        if self.input.question.trim().is_empty() && self.answer.is_none() {
            return Err(Error::BlankQuestion);
        }
        self.asking.is_answered = self.answer.is_some();
        let DatasetAgent { graph, model, tools, agents, config, replays } = self.agent;
        let mut input = self.input;
        let mut question = input.question.clone();
        let resumes = question.trim().is_empty();
        let limit = if input.max_iterations == 0 { config.max_iterations } else { input.max_iterations };
        let can_ask = self.asking.can_ask(&config, self.thread.is_some());
        let mut services =
            Services::new(Arc::clone(&model), tools, agents, Arc::clone(&config), self.cancel).with_asking(self.asking);
        if let Some(expected) = replays {
            services = services.replaying(expected);
        }
        let mut stored = match &self.thread {
            Some(thread) => graph.thread(thread.as_str()).state().await?,
            None => None,
        };
        let is_new_turn = stored.as_ref().is_some_and(|stored| !resumes && stored.state.question != question);
        if let Some(before) = stored.take_if(|_| is_new_turn) {
            if !before.is_complete() {
                let thread = self.thread.unwrap_or_default();
                return Err(Error::OtherQuestion { thread, stored: before.state.question });
            }
            input = before.state.followed_by(input);
        }
        if let Some(stored) = &stored {
            question.clone_from(&stored.state.question);
        }
        let recorded = stored.as_ref().map(|stored| stored.state.recorded.as_deref());
        match recorded {
            // Marked lines are measured, so that the marker of the first process stays.
            Some(Some(recorded)) => services = services.with_marker(Marker::fixed(&recorded.marker)),
            Some(None) if self.is_recorded => {
                return Err(Error::NotRecorded { thread: self.thread.unwrap_or_default() });
            }
            None if self.is_recorded => {
                input.recorded = Some(Box::new(Recorded {
                    input: RunInput::of(&input, can_ask),
                    settings: serde_json::to_value(&*config)?,
                    model: model.info().clone(),
                    marker: services.marker.word().to_owned(),
                }));
            }
            _ => {}
        }
        let run = match self.thread {
            None => graph.run(input),
            Some(thread) if resumes => graph.resume().thread(thread),
            Some(thread) if is_new_turn => graph.run(input).thread(thread),
            Some(thread) => graph.run_or_resume(input).thread(thread),
        };
        let run = match self.answer {
            None => run,
            Some((None, answer)) => run.answer(answer),
            Some((Some(token), answer)) => run.answer_to(token, answer),
        };
        // An iteration takes four steps, and more only by calls that wait for each other.
        let steps = u64::from(limit).saturating_mul(64).saturating_add(16);
        Ok((run.resources(services).step_limit(steps), question))
    }
}

impl IntoFuture for DatasetRun {
    type Output = Result<DatasetReport, Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        let model = self.agent.model.info().id();
        Box::pin(async move {
            let (started, thread) = (Instant::now(), self.thread.clone());
            let expected = self.agent.replays.clone();
            let finished = match self.start().await {
                Ok((run, _)) => run.await.map_err(Error::from),
                Err(error) => Err(error),
            };
            let report = finished.and_then(|finished| DatasetReport::of(finished, &model, started, thread.as_deref()));
            expected.map_or(Ok(()), |expected| expected.meets(&report)).and(report)
        })
    }
}

impl fmt::Debug for DatasetRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DatasetRun").field("question", &self.input.question).finish_non_exhaustive()
    }
}

type Started = research_core::Run<DatasetState, Services, research_core::Supplied<Services>>;

/// What a run found out.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DatasetReport {
    /// Id of the run.
    pub run_id: String,
    /// The report: Markdown whose citations all resolve.
    pub markdown: String,
    /// The language that it is written in.
    pub language: Language,
    /// The same as a document, which renders to HTML and JSON too. None when a synthesizer of the host gave only text.
    pub document: Option<Report>,
    /// Its most important findings.
    pub key_findings: Vec<String>,
    /// What the reader must know.
    pub limitations: Vec<String>,
    /// Where to look next.
    pub suggestions: Vec<String>,
    /// The checklist.
    pub sub_questions: Vec<SubQuestion>,
    /// What was drawn from records.
    pub findings: Vec<Finding>,
    /// What data sources computed.
    pub aggregations: Vec<AggregationResult>,
    /// What the aggregations show, checked.
    pub insights: Vec<Statement>,
    /// The records that came, each once.
    pub sources: SourceRegistry,
    /// Points of view that were found.
    pub perspectives: Vec<Perspective>,
    /// A validator's verdict, when one has looked at all of this.
    pub validation_status: Option<ValidationStatus>,
    /// What it objects to.
    pub validation_issues: Vec<ValidationIssue>,
    /// Its confidence per sub-question id, 0 to 1.
    pub question_confidence: QuestionConfidence,
    /// What is missing, by a gap analysis.
    pub gaps: Vec<ResearchGap>,
    /// What the gap analysis recommends.
    pub recommendation: Option<Recommendation>,
    /// How much of the matching data was read.
    pub coverage: Coverage,
    /// Why the research ended.
    pub completion: Option<Completion>,
    /// What went wrong or was changed on the way, in full: words of servers and models may be among them.
    pub notes: Vec<String>,
    /// Which question of its thread it answers, from 1.
    pub turn: u32,
    /// The questions of the thread that were answered before, the newest ten.
    pub turns: Vec<Turn>,
    /// What was gathered for them.
    pub earlier: Earlier,
    /// What was unclear about the question, and how it was settled.
    pub clarifications: Vec<Clarified>,
    /// What it took.
    pub stats: RunStats,
    bundle: Option<Arc<Bundle>>,
}

impl DatasetReport {
    /// The report, or what the run waits for.
    fn of(
        finished: Finished<DatasetState>,
        model: &str,
        started: Instant,
        thread: Option<&str>,
    ) -> Result<Self, Error> {
        match waits(&finished) {
            None => Ok(Self::new(finished, model, started)),
            Some((clarification, _)) => Err(Error::ClarificationRequired {
                thread: thread.unwrap_or_default().to_owned(),
                clarification: Box::new(clarification),
            }),
        }
    }

    fn new(finished: Finished<DatasetState>, model: &str, started: Instant) -> Self {
        let Finished { state, run_id, .. } = finished;
        let coverage = state.coverage();
        let bundle = bundle(&state).map(Arc::new);
        let stats = RunStats {
            iterations: state.iteration,
            planner_calls: state.usage.planner_calls,
            llm_calls: state.usage.llm_calls,
            tokens_in: state.usage.tokens_in,
            tokens_out: state.usage.tokens_out,
            mcp_calls: state.usage.mcp_calls,
            docs_processed: state.docs_fetched,
            total_docs: coverage.total,
            coverage: coverage.fraction,
            findings_count: state.findings.len(),
            confidence: state.overall_confidence,
            cost: state.cost_usd,
            model: model.to_owned(),
            elapsed_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        };
        Self {
            turn: state.number_of_turn(),
            run_id,
            markdown: state.final_report.unwrap_or_default(),
            language: state.language,
            document: state.final_document,
            key_findings: state.key_findings,
            limitations: state.limitations,
            suggestions: state.suggestions,
            sub_questions: state.sub_questions,
            findings: state.findings,
            aggregations: state.aggregation_results,
            insights: state.insights,
            sources: state.extracted_sources,
            perspectives: state.perspectives,
            validation_status: state.validation_status,
            validation_issues: state.validation_issues,
            question_confidence: state.question_confidence,
            gaps: state.gaps_identified,
            recommendation: state.recommendation,
            coverage,
            completion: state.completion,
            notes: state.notes.iter().map(ToString::to_string).collect(),
            turns: state.turns,
            earlier: state.earlier,
            clarifications: state.clarifications,
            stats,
            bundle,
        }
    }

    /// The run in one file: report, evidence, journal and traffic. None where the run was not [recorded](DatasetRun::record),
    /// or where a synthesizer of the host gave only text.
    pub fn bundle(&self) -> Option<&Bundle> {
        self.bundle.as_deref()
    }

    /// The run was stopped, had used its budget up, or did not read all that matches.
    pub fn is_partial(&self) -> bool {
        let stopped = matches!(self.completion, Some(Completion::Cancelled | Completion::Budget));
        stopped || self.coverage.fraction.is_none_or(|part| part < 1.0)
    }
}

/// What a run that has ended waits for, with the token of the question.
fn waits(finished: &Finished<DatasetState>) -> Option<(Clarification, String)> {
    let question = finished.questions().first()?;
    // Only a host that put nodes of its own into the graph asks anything else.
    let foreign = || Clarification { question: question.to_string(), ..Clarification::default() };
    Some((asked(question).unwrap_or_else(foreign), question.id.clone()))
}

/// The events of a run. The last one is [`RunCompleted`](DatasetEventKind::RunCompleted), an
/// [`Error`](DatasetEventKind::Error) that is fatal, or a
/// [`ClarificationRequired`](DatasetEventKind::ClarificationRequired) with a token; then [`outcome`](DatasetStream::outcome) gives the report or the
/// typed error.
pub struct DatasetStream {
    progress: Progress,
    question: String,
    thread: Option<String>,
    model: String,
    started: Instant,
    expected: Option<Arc<Expected>>,
    run_id: String,
    seq: u64,
    at: SystemTime,
    /// The report was told.
    has_told: bool,
    /// Events that wait to be read.
    due: VecDeque<DatasetEvent>,
}

enum Progress {
    Opening(Opening),
    Running(Box<RunStream<DatasetState>>),
    Ending(Ending),
    Ended(Box<Result<DatasetReport, Error>>),
    Taken,
}

type Opening = Pin<Box<dyn Future<Output = Result<(Box<RunStream<DatasetState>>, String), Error>> + Send>>;
type Ending = Pin<Box<dyn Future<Output = Result<Finished<DatasetState>, Error>> + Send>>;

impl DatasetStream {
    /// Runs to the end, skips the events that were not read, and gives the outcome.
    ///
    /// # Errors
    ///
    /// As awaiting the [`DatasetRun`].
    pub async fn outcome(mut self) -> Result<DatasetReport, Error> {
        loop {
            if let Progress::Ended(result) = self.progress {
                return *result;
            }
            if self.next().await.is_none() && !matches!(self.progress, Progress::Ended(_)) {
                return Err(Error::other("the stream was polled after its end"));
            }
        }
    }

    fn event(&mut self, kind: DatasetEventKind) -> DatasetEvent {
        let seq = self.seq;
        self.seq += 1;
        DatasetEvent { seq, ts: rfc3339(self.at), run_id: self.run_id.clone(), kind }
    }

    /// The event of the engine as one of this agent, when it is one.
    fn translate(&mut self, event: &Event<DatasetState>) -> Option<DatasetEvent> {
        self.at = event.at;
        match &event.kind {
            EventKind::RunStarted { run_id } => {
                self.run_id = run_id.to_string();
                Some(self.announce())
            }
            EventKind::Custom(custom) => {
                let kind = custom.downcast_ref::<DatasetEventKind>()?;
                // The stream itself opens the run, before its first node does.
                let opens = matches!(kind, DatasetEventKind::RunStarted { .. });
                self.has_told |= matches!(kind, DatasetEventKind::ReportEnd { .. });
                (!opens).then(|| self.event(kind.clone()))
            }
            _ => None,
        }
    }

    fn announce(&mut self) -> DatasetEvent {
        let (question, model) = (self.question.clone(), self.model.clone());
        self.event(DatasetEventKind::RunStarted { question, model })
    }

    /// The terminal event, and before it the report of a run that had been finished already.
    fn end(&mut self, result: Result<Finished<DatasetState>, Error>) {
        let waits = result.as_ref().ok().and_then(waits);
        if let (Ok(finished), false, None) = (&result, self.has_told, &waits) {
            let told = told(&finished.state, None).into_iter().map(|kind| self.event(kind)).collect::<Vec<_>>();
            self.due.extend(told);
        }
        let thread = self.thread.as_deref();
        let outcome = result.and_then(|finished| DatasetReport::of(finished, &self.model, self.started, thread));
        let outcome = self.expected.as_ref().map_or(Ok(()), |expected| expected.meets(&outcome)).and(outcome);
        let kind = match (&outcome, waits) {
            (_, Some((clarification, token))) => {
                DatasetEventKind::ClarificationRequired { clarification, resume_token: Some(token) }
            }
            (Ok(report), None) => DatasetEventKind::RunCompleted { stats: report.stats.clone() },
            (Err(error), None) => DatasetEventKind::Error {
                category: error.category(),
                message: error.to_string(),
                retryable: error.is_retryable(),
                fatal: true,
            },
        };
        self.progress = Progress::Ended(Box::new(outcome));
        let last = self.event(kind);
        self.due.push_back(last);
    }
}

impl Stream for DatasetStream {
    type Item = DatasetEvent;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<DatasetEvent>> {
        loop {
            if let Some(event) = self.due.pop_front() {
                return Poll::Ready(Some(event));
            }
            match &mut self.progress {
                Progress::Opening(opening) => match opening.as_mut().poll(cx) {
                    Poll::Pending => return Poll::Pending,
                    Poll::Ready(Ok((run, question))) => {
                        self.question = question;
                        self.progress = Progress::Running(run);
                    }
                    Poll::Ready(Err(error)) => self.end(Err(error)),
                },
                Progress::Running(run) => match run.poll_next_unpin(cx) {
                    Poll::Pending => return Poll::Pending,
                    Poll::Ready(Some(event)) => {
                        if let Some(event) = self.translate(&event) {
                            return Poll::Ready(Some(event));
                        }
                    }
                    Poll::Ready(None) => {
                        let Progress::Running(run) = std::mem::replace(&mut self.progress, Progress::Taken) else {
                            return Poll::Ready(None);
                        };
                        let finish = async move { run.finish().await.map_err(|error: RunError| Error::from(error)) };
                        self.progress = Progress::Ending(Box::pin(finish));
                    }
                },
                Progress::Ending(finish) => match finish.as_mut().poll(cx) {
                    Poll::Pending => return Poll::Pending,
                    Poll::Ready(result) => self.end(result),
                },
                Progress::Ended(_) | Progress::Taken => return Poll::Ready(None),
            }
        }
    }
}

impl fmt::Debug for DatasetStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DatasetStream").field("run_id", &self.run_id).field("seq", &self.seq).finish_non_exhaustive()
    }
}
