//! Asking the model: a prompt that fits, tries with pauses, and what an answer took.

use std::time::Duration;

use research_llm::{ChatModelExt, ErrorKind as ModelErrorKind, ModelError, Request, Task};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::DatasetCx;
use crate::dataset::effects::Undone;
use crate::dataset::fit::{self, Room, Shrink};
use crate::dataset::prompts;
use crate::dataset::retry::{self, Changed};
use crate::dataset::stop::Stop;
use crate::kernel::tape::{Exchange, Track};
use crate::kernel::{Marker, Prompt, PromptError, Template, Untrusted, Usage};
use crate::{Error, ErrorCategory};

impl DatasetCx {
    /// Asks the model: the prompt for a language model, the task beside it for a program that computes the answer.
    ///
    /// A prompt of this library is made to fit the model's context before it is sent, and is asked again,
    /// shorter, when the model refuses it all the same. A call that failed for a passing reason is made again after a pause.
    /// Both happen as often as the [policy](crate::dataset::RetryPolicy) says.
    ///
    /// # Errors
    ///
    /// The model's error; [`ModelError::Cancelled`] when the run was asked to end.
    pub async fn ask<T>(&self, ask: Ask<'_, impl Serialize>) -> Result<T, Error>
    where
        T: Serialize + DeserializeOwned + JsonSchema + Send,
    {
        match self.once(ask.task, ask.input, async |track: &Track| self.answer::<T>(&ask, track).await).await {
            Ok(Answer { value, used }) => {
                self.count(used);
                Ok(value)
            }
            Err(Undone::Failed(error)) => Err(error),
            Err(Undone::Unrecorded(error)) => Err(Error::other(error.to_string())),
        }
    }

    async fn answer<T>(&self, ask: &Ask<'_, impl Serialize>, track: &Track) -> Result<Answer<T>, Error>
    where
        T: DeserializeOwned + JsonSchema + Send,
    {
        let mut spent = Usage::default();
        let answer = self.tries::<T>(ask, track, &mut spent).await;
        match answer {
            // What failed tries took belongs to the answer, so that it is known even when the run goes on in another process.
            Ok(Answer { value, mut used }) => {
                used += spent;
                Ok(Answer { value, used })
            }
            Err(error) => {
                self.count(spent);
                Err(error)
            }
        }
    }

    async fn tries<T>(
        &self,
        ask: &Ask<'_, impl Serialize>,
        track: &Track,
        spent: &mut Usage,
    ) -> Result<Answer<T>, Error>
    where
        T: DeserializeOwned + JsonSchema + Send,
    {
        let task = Task::of(ask.task, ask.input)?;
        let mut shrink = Shrink::default();
        let (mut refusals, mut failures) = (0, 0);
        loop {
            let base = self.base_room();
            let room = base.holding(track.context(self.room().tokens(), base.tokens()));
            let (prompt, used) = self.fitting::<T>(ask, shrink, &room)?;
            let mut request = Request::new().user(prompt).task(task.clone());
            request.max_output_tokens = room.answer();
            let error = match self.put(request, ask.despite_cancel, track, spent).await {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            if let Error::Model(refusal) = &error
                && refusal.kind() == ModelErrorKind::TokenLimit
            {
                self.room().learn(refusal);
                refusals += 1;
                let most = self.config().retry.retries;
                match used.next().filter(|next| *next <= ask.most && refusals <= most) {
                    Some(next) => shrink = next,
                    None => return Err(error),
                }
                retry::tell(self, ask.task, refusals, &error, ask.shrunk(used, shrink), Duration::ZERO);
                continue;
            }
            failures += 1;
            // Who can ask for less does so rather than wait for the same answer again.
            let is_for_caller = ask.is_divided && error.category() == ErrorCategory::Timeout;
            if is_for_caller || !self.pause(ask, track, failures, &error).await {
                return Err(error);
            }
        }
    }

    /// Waits before a call of the model is made again. `false` when there is to be none.
    async fn pause(&self, ask: &Ask<'_, impl Serialize>, track: &Track, failures: u32, error: &Error) -> bool {
        let budget = self.budget();
        // The report is written in the time that is kept for it.
        let deadline = if ask.despite_cancel { budget.deadline() } else { budget.gathering_deadline() };
        let pause = retry::again(self, track, ask.task, failures, error, Changed::new(), deadline);
        if ask.despite_cancel || track.is_replaying() {
            return pause.await;
        }
        tokio::select! {
            biased;
            // First, so that a pause that is cut off was told of.
            again = pause => again,
            stop = self.stopped() => {
                track.push(stop.exchange(true));
                false
            }
        }
    }

    /// The longest form of the prompt that fits, from a given one on; the shortest when none does.
    fn fitting<T: JsonSchema>(
        &self,
        ask: &Ask<'_, impl Serialize>,
        from: Shrink,
        room: &Room,
    ) -> Result<(String, Shrink), Error> {
        let room = room.prompt::<T>();
        let mut shrink = from;
        loop {
            let prompt = (ask.fill)(Prompt::new(ask.template, self.marker()), shrink).finish()?;
            let mut prompt = prompts::in_language(prompt, ask.template, self.state());
            if let Some(short) = &ask.short {
                prompt.push_str(&short.words(self.marker())?);
            }
            let fits = room.is_none_or(|room| fit::tokens(&prompt) <= room);
            match shrink.next().filter(|next| !fits && *next <= ask.most) {
                Some(next) => shrink = next,
                None => return Ok((prompt, shrink)),
            }
        }
    }

    async fn put<T>(
        &self,
        request: Request,
        despite_cancel: bool,
        track: &Track,
        spent: &mut Usage,
    ) -> Result<Answer<T>, Error>
    where
        T: DeserializeOwned + JsonSchema + Send,
    {
        let budget = self.budget();
        let model = track.around(&self.services().model);
        if let Some(stop) = self.stop_before(despite_cancel, track) {
            return Err(stop.into_model_error());
        }
        if !budget.charges(model.info()) {
            budget.take_report_call();
        }
        let answer = if track.is_replaying() {
            loop {
                let answer = model.structured::<T>(request.clone()).await;
                // What was cut off, or waited for what others had reserved and was made again.
                let cut =
                    track.take_if(|next| matches!(next, Exchange::Stopped { begun: true, .. }) && answer.is_err());
                if let Some(stop) = cut.as_ref().and_then(Stop::of) {
                    return Err(stop.into_model_error());
                }
                let is_refused = answer.as_ref().err().is_some_and(|error| budget.refused(error).is_some());
                if !(is_refused && track.has_answer()) {
                    break answer;
                }
            }
        } else {
            let stop = async {
                if !despite_cancel {
                    return self.stopped().await;
                }
                tokio::time::sleep_until(budget.deadline()).await;
                Stop::Budget(budget.time_is_up())
            };
            tokio::select! {
                biased;
                stop = stop => {
                    track.push(stop.exchange(true));
                    return Err(stop.into_model_error());
                }
                answer = budget.patiently(|| model.structured::<T>(request.clone())) => answer,
            }
        };
        match answer {
            Ok(answer) => Ok(Answer { value: answer.value, used: used(answer.usage, u64::from(answer.attempts)) }),
            Err(error) => {
                // Gathering ends with the first call that does not fit.
                budget.refused(&error);
                let attempts = match &error {
                    ModelError::InvalidOutput(output) => output.attempts,
                    ModelError::ReaskFailed { before, .. } => before.attempts + 1,
                    _ => 1,
                };
                *spent += used(error.usage(), u64::from(attempts));
                Err(error.into())
            }
        }
    }

    /// Why a call of the model does not take place. A run that is being ended still writes its report, in the time that is
    /// left.
    fn stop_before(&self, despite_cancel: bool, track: &Track) -> Option<Stop> {
        if track.is_replaying() {
            let kept = track.take_if(|next| matches!(next, Exchange::Stopped { begun: false, .. }));
            return kept.as_ref().and_then(Stop::of);
        }
        let stop = if despite_cancel { None } else { self.must_stop() };
        track.push_all(stop.iter().map(|stop| stop.exchange(false)));
        stop
    }
}

/// A value that the model answered, and what it took.
#[derive(Serialize, Deserialize)]
struct Answer<T> {
    value: T,
    used: Usage,
}

fn used(usage: research_llm::Usage, calls: u64) -> Usage {
    Usage { tokens_in: usage.input_tokens, tokens_out: usage.output_tokens, llm_calls: calls, ..Usage::default() }
}

/// An answer that was too little.
pub(crate) struct TooLittle {
    /// What it said, a line for each part.
    pub(crate) said: Untrusted<String>,
    /// Parts that can be used.
    pub(crate) kept: usize,
    /// Parts that are wanted at least.
    pub(crate) wanted: usize,
}

impl TooLittle {
    fn words(&self, marker: &Marker) -> Result<String, PromptError> {
        let prompt = Prompt::new(&prompts::AGAIN, marker).data("before", &self.said);
        prompt.set("kept", self.kept).set("wanted", self.wanted).finish()
    }
}

type Fill<'a> = Box<dyn for<'p> Fn(Prompt<'p>, Shrink) -> Prompt<'p> + Send + Sync + 'a>;

/// A question to the model.
pub struct Ask<'a, I> {
    template: &'a Template,
    task: &'static str,
    input: &'a I,
    fill: Fill<'a>,
    /// How far the prompt can shrink.
    most: Shrink,
    despite_cancel: bool,
    /// Who asks can divide the question.
    is_divided: bool,
    /// The answer that was too little, where this is the second time of asking.
    short: Option<&'a TooLittle>,
    /// What the prompt lists: the name, how many usually, and how many at least.
    lists: &'static [(&'static str, usize, usize)],
}

impl<'a, I: Serialize> Ask<'a, I> {
    /// A question: the template of its prompt and what fills it, and the name and input of the task beside it.
    pub fn new(
        template: &'a Template,
        task: &'static str,
        input: &'a I,
        fill: impl for<'p> Fn(Prompt<'p>) -> Prompt<'p> + Send + Sync + 'a,
    ) -> Self {
        let ask = Self::shrinking(template, task, input, move |prompt, _| fill(prompt));
        Self { most: Shrink::default(), ..ask }
    }

    /// A question whose prompt can list less where the model cannot hold all of it.
    pub(crate) fn shrinking(
        template: &'a Template,
        task: &'static str,
        input: &'a I,
        fill: impl for<'p> Fn(Prompt<'p>, Shrink) -> Prompt<'p> + Send + Sync + 'a,
    ) -> Self {
        Self {
            template,
            task,
            input,
            fill: Box::new(fill),
            most: Shrink::MOST,
            despite_cancel: false,
            is_divided: false,
            short: None,
            lists: &[],
        }
    }

    /// Says that who asks divides the question when no answer comes in time.
    #[must_use]
    pub(crate) fn divided(mut self) -> Self {
        self.is_divided = true;
        self
    }

    /// Asks once more for what an answer gave too little of, and shows that answer: the same prompt would bring the same again.
    #[must_use]
    pub(crate) fn after(mut self, short: Option<&'a TooLittle>) -> Self {
        self.short = short;
        self
    }

    /// Names what the prompt lists, with how many usually and how many at least, for the events of a retry.
    #[must_use]
    pub(crate) fn listing(mut self, lists: &'static [(&'static str, usize, usize)]) -> Self {
        self.lists = lists;
        self
    }

    /// What a shorter prompt lists less of.
    fn shrunk(&self, from: Shrink, to: Shrink) -> Changed {
        let values = |usual, least| [from.of(usual, least) as u64, to.of(usual, least) as u64];
        let lists = self.lists.iter().map(|(name, usual, least)| ((*name).to_owned(), values(*usual, *least)));
        lists.filter(|(_, [old, new])| new < old).collect()
    }

    /// Asks also when the run was asked to end.
    #[must_use]
    pub(crate) fn despite_cancel(mut self) -> Self {
        self.despite_cancel = true;
        self
    }
}
