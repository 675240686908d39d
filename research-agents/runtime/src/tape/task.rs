//! The tape of one task, and the recording of a whole run, in which a replay finds its effects.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use research_llm::layer::redact_keys;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::Notify;

use crate::tape::digest::digest_of;
use crate::tape::exchange::{Effect, Exchange};
use crate::tape::track::Track;

/// How long a part of a task that was cut off waits to be dropped, before the replay counts as
/// diverged.
const CUT_TIMEOUT: Duration = Duration::from_secs(10);

/// The effects and events of one task.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TaskRecord {
    /// Its effects outside of the process, in the order in which they began.
    pub effects: Vec<Effect>,
    /// Its events, as JSON.
    pub events: Vec<Value>,
}

/// What a run does with its effects.
#[derive(Clone, Debug, Default)]
pub enum Tape {
    /// Performs them without a record.
    #[default]
    Off,
    /// Performs and records them.
    Recording,
    /// Takes their results from a recording instead of performing them.
    Replaying(Arc<Recording>),
}

/// The tape of one task. Clones belong to the same task.
#[derive(Clone, Debug, Default)]
pub struct TaskTape {
    at: Arc<str>,
    tape: Tape,
    inner: Arc<Mutex<Inner>>,
}

#[derive(Debug, Default)]
struct Inner {
    counts: HashMap<(String, String), u32>,
    effects: Vec<(Key, Track)>,
    events: Vec<Value>,
    /// Parts of the task that were cut off, each with the signal that it has reached that point.
    cuts: Vec<Arc<Notify>>,
}

/// A part of the task that was cut off, until it has reached that point or is dropped.
struct Cut<'a> {
    tape: &'a TaskTape,
    reached: Arc<Notify>,
}

impl Drop for Cut<'_> {
    fn drop(&mut self) {
        self.tape
            .lock()
            .cuts
            .retain(|other| !Arc::ptr_eq(other, &self.reached));
    }
}

/// Identifies an effect within its run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    at: String,
    what: String,
    with: String,
    number: u32,
}

/// Identifies an effect that may have nothing to record.
#[derive(Debug)]
pub struct Mark(Option<Key>);

/// The recorded effects of a run, which a replay finds again.
#[derive(Debug, Default)]
pub struct Recording {
    effects: HashMap<Key, Vec<Exchange>>,
    diverged: OnceLock<String>,
}

impl Recording {
    /// Creates the recording of these effects.
    pub fn from_effects(effects: &[Effect]) -> Self {
        let effects = effects.iter().map(|effect| {
            let Effect {
                at,
                what,
                with,
                number,
                exchanges,
            } = effect.clone();
            (
                Key {
                    at,
                    what,
                    with,
                    number,
                },
                exchanges,
            )
        });

        Self {
            effects: effects.collect(),
            diverged: OnceLock::new(),
        }
    }

    /// Returns where the replay first diverged from the recording, if it did.
    pub fn diverged(&self) -> Option<&str> {
        self.diverged.get().map(String::as_str)
    }

    fn diverge(&self, key: &Key) {
        let Key {
            at,
            what,
            with,
            number,
        } = key;
        self.diverged
            .get_or_init(|| format!("`{what}` (number {number}, {with}) at `{at}`"));
    }
}

impl TaskTape {
    /// Creates the tape of a task at this place of its run.
    pub fn new(at: impl Into<Arc<str>>, tape: Tape) -> Self {
        Self {
            at: at.into(),
            tape,
            inner: Arc::default(),
        }
    }

    /// Returns the place of the task within its run.
    pub fn place(&self) -> &str {
        &self.at
    }

    /// Returns `true` if effects are taken from a recording.
    pub fn is_replaying(&self) -> bool {
        matches!(self.tape, Tape::Replaying(_))
    }

    /// Returns `true` if effects are recorded.
    pub fn is_recording(&self) -> bool {
        matches!(self.tape, Tape::Recording)
    }

    /// Returns the identity of an effect, and counts it: the next effect of the same kind and with
    /// the same arguments is another one.
    pub fn mark(&self, what: &str, with: &impl Serialize) -> Mark {
        if matches!(self.tape, Tape::Off) {
            return Mark(None);
        }

        let with = digest_of(with).unwrap_or_default();
        let mut inner = self.lock();
        let count = inner
            .counts
            .entry((what.to_owned(), with.clone()))
            .or_default();
        let number = *count;
        *count += 1;

        Mark(Some(Key {
            at: self.at.as_ref().to_owned(),
            what: what.to_owned(),
            with,
            number,
        }))
    }

    /// Begins an effect, and returns the track that records or provides its exchanges. Returns
    /// `None` if the recording has no such effect.
    pub fn begin(&self, what: &str, with: &impl Serialize) -> Option<Track> {
        let Mark(Some(key)) = self.mark(what, with) else {
            return Some(Track::default());
        };

        match &self.tape {
            Tape::Replaying(recording) => match recording.effects.get(&key) {
                Some(exchanges) => Some(Track::replaying(exchanges.clone())),
                None => {
                    if self.lock().cuts.is_empty() {
                        recording.diverge(&key);
                    }
                    None
                }
            },
            _ => {
                let track = Track::recording();
                self.lock().effects.push((key, track.clone()));
                Some(track)
            }
        }
    }

    /// Records the one exchange of an effect, if effects are recorded.
    pub fn keep(&self, mark: Mark, exchange: Exchange) {
        if let (Some(key), true) = (mark.0, self.is_recording()) {
            let track = Track::recording();
            track.push(exchange);
            self.lock().effects.push((key, track));
        }
    }

    /// Returns the recorded exchange of an effect, if this is a replay and there is one.
    pub fn kept(&self, mark: &Mark) -> Option<Exchange> {
        match (&self.tape, &mark.0) {
            (Tape::Replaying(recording), Some(key)) => recording.effects.get(key)?.first().cloned(),
            _ => None,
        }
    }

    /// Records an event of the task, if effects are recorded. Strings with the form of a key are
    /// redacted.
    pub fn record_event(&self, event: impl FnOnce() -> Option<Value>) {
        if self.is_recording()
            && let Some(mut event) = event()
        {
            redact_keys(&mut event);
            self.lock().events.push(event);
        }
    }

    /// Runs a part of the task up to the point where it was cut off in the recorded run, and drops
    /// it there.
    pub async fn until_cut<T>(&self, doing: impl Future<Output = T>) {
        let cut = Cut {
            tape: self,
            reached: Arc::new(Notify::new()),
        };
        self.lock().cuts.push(Arc::clone(&cut.reached));
        tokio::select! {
            biased;
            _ = doing => {}
            () = cut.reached.notified() => {}
        }
    }

    /// Marks a point where the recording has nothing more. A part of the task that was cut off here
    /// is dropped by [`until_cut`](Self::until_cut) during this call. If this call returns, the
    /// replay has diverged.
    pub async fn cut(&self, what: &str) {
        let cuts: Vec<Arc<Notify>> = self.lock().cuts.clone();
        cuts.iter().for_each(|cut| cut.notify_one());
        if !cuts.is_empty() {
            tokio::time::sleep(CUT_TIMEOUT).await;
        }
        if let Tape::Replaying(recording) = &self.tape {
            recording
                .diverged
                .get_or_init(|| format!("the end of `{what}` at `{}`", self.at));
        }
    }

    /// Returns the effects and events of the task so far, if they are recorded.
    pub fn record(&self) -> Option<TaskRecord> {
        if !self.is_recording() {
            return None;
        }

        let inner = self.lock();
        let effects = inner.effects.iter().map(|(key, track)| {
            let Key {
                at,
                what,
                with,
                number,
            } = key.clone();
            Effect {
                at,
                what,
                with,
                number,
                exchanges: track.exchanges(),
            }
        });

        Some(TaskRecord {
            effects: effects.collect(),
            events: inner.events.clone(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn replaying(tape: &TaskTape) -> (TaskTape, Arc<Recording>) {
        let recording = Arc::new(Recording::from_effects(&tape.record().unwrap().effects));
        (
            TaskTape::new("n 1", Tape::Replaying(Arc::clone(&recording))),
            recording,
        )
    }

    #[test]
    fn an_effect_is_found_by_its_arguments_and_its_number() {
        let tape = TaskTape::new("n 1", Tape::Recording);

        for tokens in [1, 2] {
            tape.begin("tool t", &json!({"a": 1, "b": 2}))
                .unwrap()
                .push(Exchange::Context { tokens });
        }

        let (again, recording) = replaying(&tape);
        for tokens in [1, 2] {
            let track = again.begin("tool t", &json!({"b": 2, "a": 1})).unwrap();
            assert_eq!(track.take(), Some(Exchange::Context { tokens }));
        }

        assert_eq!(recording.diverged(), None);
        assert!(again.begin("tool t", &json!({"a": 2})).is_none());
        assert!(
            recording
                .diverged()
                .unwrap()
                .starts_with("`tool t` (number 0, "),
            "{:?}",
            recording.diverged()
        );
    }

    #[tokio::test]
    async fn a_part_that_was_cut_off_runs_up_to_there_and_is_dropped() {
        let tape = TaskTape::new("n 1", Tape::Recording);
        tape.begin("tool t", &1).unwrap();
        let (again, recording) = replaying(&tape);

        let has_continued = std::sync::atomic::AtomicBool::new(false);
        again
            .until_cut(async {
                let track = again.begin("tool t", &1).unwrap();
                assert_eq!(track.take(), None);
                again.cut("tool t").await;
                has_continued.store(true, std::sync::atomic::Ordering::Relaxed);
            })
            .await;

        assert!(!has_continued.into_inner());
        assert_eq!(recording.diverged(), None);

        again.cut("tool t").await;
        assert_eq!(recording.diverged(), Some("the end of `tool t` at `n 1`"));
    }

    #[test]
    fn nothing_is_kept_where_nothing_is_recorded() {
        let tape = TaskTape::default();
        tape.begin("tool t", &1).unwrap().push(Exchange::Paused);
        tape.keep(tape.mark("stop", &1), Exchange::Paused);
        assert_eq!(tape.record(), None);
    }
}
