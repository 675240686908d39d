//! The events of a run as a stream, and its outcome.

use std::collections::VecDeque;
use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Instant, SystemTime};

use futures::{Stream, StreamExt};
use research_core::{
    Event as EngineEvent, EventKind as EngineEventKind, Finished, RunError,
    RunStream as EngineStream,
};

use crate::bundle::expected::Expected;
use crate::clarify::clarification::Clarification;
use crate::clarify::policy::asked;
use crate::error::model::Error;
use crate::event::clock::rfc3339;
use crate::event::vocabulary::{Event, EventKind, RunEvent};
use crate::run::export::bundle;
use crate::run::options::Run;
use crate::run::state::RunState;
use crate::run::system::{Ended, System};

/// The events of a run. The last one is [`RunCompleted`](RunEvent::RunCompleted), an
/// [`Error`](RunEvent::Error) that is fatal, or a
/// [`ClarificationRequired`](RunEvent::ClarificationRequired) with a token; then
/// [`outcome`](Self::outcome) returns the report or the typed error.
pub struct RunStream<S: System> {
    progress: Progress<S>,
    question: String,
    thread: Option<String>,
    model: String,
    started: Instant,
    expected: Option<Arc<Expected>>,
    run_id: String,
    seq: u64,
    at: SystemTime,
    has_reported: bool,
    /// Events that wait to be read.
    due: VecDeque<Event<S::Event>>,
}

// Nothing in a stream is pinned: its futures are boxed.
impl<S: System> Unpin for RunStream<S> {}

enum Progress<S: System> {
    Opening(Opening<S>),
    Running(Box<EngineStream<S::State>>),
    Ending(Ending<S>),
    Ended(Box<Result<S::Outcome, Error>>),
    Taken,
}

type Opening<S> = Pin<
    Box<
        dyn Future<Output = Result<(Box<EngineStream<<S as System>::State>>, String), Error>>
            + Send,
    >,
>;
type Ending<S> =
    Pin<Box<dyn Future<Output = Result<Finished<<S as System>::State>, Error>> + Send>>;

impl<S: System> Run<S> {
    /// Returns the events of the run, in order. The run advances while the stream is read; dropping
    /// it stops the run.
    #[must_use = "a run does nothing until its stream is read"]
    pub fn stream(self) -> RunStream<S> {
        RunStream::new(self)
    }
}

impl<S: System> IntoFuture for Run<S> {
    type Output = Result<S::Outcome, Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        let model = self.system.model().info().id();
        Box::pin(async move {
            let (started, thread) = (Instant::now(), self.thread.clone());
            let expected = self.expected.clone();
            let finished = match self.start().await {
                Ok((run, _)) => run.await.map_err(Error::from),
                Err(error) => Err(error),
            };
            finish::<S>(
                finished,
                &model,
                started,
                thread.as_deref(),
                expected.as_deref(),
            )
        })
    }
}

impl<S: System> RunStream<S> {
    pub(crate) fn new(run: Run<S>) -> Self {
        let model = run.system.model().info().id();
        let (question, thread) = (run.input.question().to_owned(), run.thread.clone());
        let expected = run.expected.clone();
        let opening = async move {
            let (run, question) = run.start().await?;
            Ok((Box::new(run.stream()), question))
        };

        Self {
            expected,
            progress: Progress::Opening(Box::pin(opening)),
            question,
            thread,
            model,
            started: Instant::now(),
            run_id: String::new(),
            seq: 0,
            at: SystemTime::now(),
            has_reported: false,
            due: VecDeque::new(),
        }
    }

    /// Runs to the end, drops the events that were not read, and returns the outcome.
    ///
    /// # Errors
    ///
    /// As awaiting the [`Run`].
    pub async fn outcome(mut self) -> Result<S::Outcome, Error> {
        loop {
            if let Progress::Ended(result) = self.progress {
                return *result;
            }
            if self.next().await.is_none() && !matches!(self.progress, Progress::Ended(_)) {
                return Err(Error::other("the stream was polled after its end"));
            }
        }
    }

    fn event(&mut self, kind: impl Into<EventKind<S::Event>>) -> Event<S::Event> {
        let seq = self.seq;
        self.seq += 1;
        Event {
            seq,
            ts: rfc3339(self.at),
            run_id: self.run_id.clone(),
            kind: kind.into(),
        }
    }

    /// Translates an event of the engine, if it is one of the run.
    fn translate(&mut self, event: &EngineEvent<S::State>) -> Option<Event<S::Event>> {
        self.at = event.at;

        match &event.kind {
            EngineEventKind::RunStarted { run_id } => {
                self.run_id = run_id.to_string();
                let (question, model) = (self.question.clone(), self.model.clone());
                Some(self.event(RunEvent::RunStarted { question, model }))
            }
            EngineEventKind::Custom(custom) => {
                let kind = match custom.downcast_ref::<RunEvent>() {
                    // The stream itself reports the start, before the first node does so for the
                    // journal.
                    Some(RunEvent::RunStarted { .. }) => return None,
                    Some(event) => EventKind::Run(event.clone()),
                    None => EventKind::Own(custom.downcast_ref::<S::Event>()?.clone()),
                };
                self.has_reported |= matches!(kind, EventKind::Run(RunEvent::ReportEnd { .. }));
                Some(self.event(kind))
            }
            _ => None,
        }
    }

    /// Queues the terminal event, and before it the report of a run that had finished before.
    fn end(&mut self, result: Result<Finished<S::State>, Error>) {
        let question = result.as_ref().ok().and_then(open_question);
        if let (Ok(finished), false, None) = (&result, self.has_reported, &question) {
            let report = S::report_events(&finished.state).into_iter();
            let report: Vec<_> = report.map(|kind| self.event(kind)).collect();
            self.due.extend(report);
        }

        let (thread, expected) = (self.thread.as_deref(), self.expected.as_deref());
        let outcome = finish::<S>(result, &self.model, self.started, thread, expected);
        let kind = match (&outcome, question) {
            (_, Some((clarification, token))) => RunEvent::ClarificationRequired {
                clarification,
                resume_token: Some(token),
            },
            (Ok(outcome), None) => RunEvent::RunCompleted {
                stats: S::stats(outcome),
            },
            (Err(error), None) => RunEvent::error(error, true),
        };
        self.progress = Progress::Ended(Box::new(outcome));
        let last = self.event(kind);
        self.due.push_back(last);
    }
}

/// Returns the outcome of a run that has ended: its report, the question that it waits for as an
/// error, or its error.
pub(crate) fn finish<S: System>(
    finished: Result<Finished<S::State>, Error>,
    model: &str,
    started: Instant,
    thread: Option<&str>,
    expected: Option<&Expected>,
) -> Result<S::Outcome, Error> {
    let outcome = finished.and_then(|finished| match open_question(&finished) {
        Some((clarification, _)) => Err(Error::ClarificationRequired {
            thread: thread.unwrap_or_default().to_owned(),
            clarification: Box::new(clarification),
        }),
        None => {
            let bundle = bundle::<S>(&finished.state);
            Ok(S::outcome(Ended::new(
                finished.state,
                finished.run_id,
                model,
                started,
                bundle,
            )))
        }
    });

    if let Some(expected) = expected {
        expected.compare(outcome.as_ref().map(S::markdown))?;
    }

    outcome
}

/// Returns the question that an ended run waits for, with its token.
fn open_question<S>(finished: &Finished<S>) -> Option<(Clarification, String)> {
    let question = finished.questions().first()?;
    // Nodes of a host may ask in another form.
    let foreign = || Clarification {
        question: question.to_string(),
        ..Clarification::default()
    };
    Some((asked(question).unwrap_or_else(foreign), question.id.clone()))
}

impl<S: System> Stream for RunStream<S> {
    type Item = Event<S::Event>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
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
                        let Progress::Running(run) =
                            std::mem::replace(&mut self.progress, Progress::Taken)
                        else {
                            return Poll::Ready(None);
                        };
                        let finish = async move {
                            run.finish()
                                .await
                                .map_err(|error: RunError| Error::from(error))
                        };
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

impl<S: System> fmt::Debug for RunStream<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunStream")
            .field("run_id", &self.run_id)
            .field("seq", &self.seq)
            .finish_non_exhaustive()
    }
}
