//! The tape of one task, and the recording of a whole run in which its effects are found again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use research_llm::layer::redact_keys;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::Notify;

use super::{Effect, Exchange, Track};
use crate::kernel::bundle::{canonical, sha256};

/// Hexadecimal digits of the hash of what an effect was done with.
pub(crate) const DIGITS: usize = 32;
/// How long something that was cut off waits to be dropped, before the replay is taken for one that went another way.
const CUT: Duration = Duration::from_secs(10);

/// What one task did and told.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TaskRecord {
    /// What it did outside, in the order in which it began.
    pub effects: Vec<Effect>,
    /// What it told.
    pub events: Vec<Value>,
}

/// What is done with the effects of a run.
#[derive(Clone, Debug, Default)]
pub enum Tape {
    /// Nothing.
    #[default]
    Off,
    /// They are kept.
    Recording,
    /// They are taken from a recording, and do not take place.
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
    /// Parts of the task that were cut off, each with the way to say that it has come to where it was.
    cuts: Vec<Arc<Notify>>,
}

/// A part of the task that was cut off, until it has come to where it was or is dropped itself.
struct Cut<'a> {
    tape: &'a TaskTape,
    reached: Arc<Notify>,
}

impl Drop for Cut<'_> {
    fn drop(&mut self) {
        self.tape.lock().cuts.retain(|other| !Arc::ptr_eq(other, &self.reached));
    }
}

/// What an effect is found by.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    at: String,
    what: String,
    with: String,
    number: u32,
}

/// The place of an effect that may leave nothing to keep.
#[derive(Debug)]
pub struct Mark(Option<Key>);

/// The effects of a run, to be found again.
#[derive(Debug, Default)]
pub struct Recording {
    effects: HashMap<Key, Vec<Exchange>>,
    diverged: OnceLock<String>,
}

impl Recording {
    /// The recording of these effects.
    pub fn of(effects: &[Effect]) -> Self {
        let effects = effects.iter().map(|effect| {
            let Effect { at, what, with, number, exchanges } = effect.clone();
            (Key { at, what, with, number }, exchanges)
        });
        Self { effects: effects.collect(), diverged: OnceLock::new() }
    }

    /// Where the replay first took another way, in words, if it did.
    pub fn diverged(&self) -> Option<&str> {
        self.diverged.get().map(String::as_str)
    }

    fn diverge(&self, key: &Key) {
        let Key { at, what, with, number } = key;
        self.diverged.get_or_init(|| format!("`{what}` (number {number}, {with}) at `{at}`"));
    }
}

impl TaskTape {
    /// The tape of a task at this place of its run.
    pub fn new(at: impl Into<Arc<str>>, tape: Tape) -> Self {
        Self { at: at.into(), tape, inner: Arc::default() }
    }

    /// Effects are taken from a recording.
    pub fn is_replaying(&self) -> bool {
        matches!(self.tape, Tape::Replaying(_))
    }

    /// Effects are kept.
    pub fn is_recording(&self) -> bool {
        matches!(self.tape, Tape::Recording)
    }

    /// The place of an effect: how often the task has done the same counts from here.
    pub fn mark(&self, what: &str, with: &impl Serialize) -> Mark {
        if matches!(self.tape, Tape::Off) {
            return Mark(None);
        }
        let with = hash(with);
        let mut inner = self.lock();
        let count = inner.counts.entry((what.to_owned(), with.clone())).or_default();
        let number = *count;
        *count += 1;
        Mark(Some(Key { at: self.at.as_ref().to_owned(), what: what.to_owned(), with, number }))
    }

    /// Begins an effect, and gives the track that keeps it or from which it comes. `None` when the recording has no such
    /// effect.
    pub fn begin(&self, what: &str, with: &impl Serialize) -> Option<Track> {
        let Mark(Some(key)) = self.mark(what, with) else { return Some(Track::default()) };
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

    /// Keeps what came at this place, where effects are kept.
    pub fn keep(&self, mark: Mark, exchange: Exchange) {
        if let (Some(key), true) = (mark.0, self.is_recording()) {
            let track = Track::recording();
            track.push(exchange);
            self.lock().effects.push((key, track));
        }
    }

    /// What came at this place.
    pub fn kept(&self, mark: &Mark) -> Option<Exchange> {
        match (&self.tape, &mark.0) {
            (Tape::Replaying(recording), Some(key)) => recording.effects.get(key)?.first().cloned(),
            _ => None,
        }
    }

    /// Keeps what the task told, if that is to be kept, where effects are; without what is shaped like a key.
    pub fn tell(&self, event: impl FnOnce() -> Option<Value>) {
        if self.is_recording()
            && let Some(mut event) = event()
        {
            redact_keys(&mut event);
            self.lock().events.push(event);
        }
    }

    /// Goes through something up to where it was cut off.
    pub async fn until_cut<T>(&self, doing: impl Future<Output = T>) {
        let cut = Cut { tape: self, reached: Arc::new(Notify::new()) };
        self.lock().cuts.push(Arc::clone(&cut.reached));
        tokio::select! {
            biased;
            _ = doing => {}
            () = cut.reached.notified() => {}
        }
    }

    /// Stands at a place where nothing came any more: who was cut off here is dropped by who cut it off. For who was not, the
    /// replay went another way; then this returns.
    pub async fn cut(&self, what: &str) {
        let cuts: Vec<Arc<Notify>> = self.lock().cuts.clone();
        cuts.iter().for_each(|cut| cut.notify_one());
        if !cuts.is_empty() {
            tokio::time::sleep(CUT).await;
        }
        if let Tape::Replaying(recording) = &self.tape {
            recording.diverged.get_or_init(|| format!("the end of `{what}` at `{}`", self.at));
        }
    }

    /// What the task did and told so far, where effects are kept.
    pub fn record(&self) -> Option<TaskRecord> {
        if !self.is_recording() {
            return None;
        }
        let inner = self.lock();
        let effects = inner.effects.iter().map(|(key, track)| {
            let Key { at, what, with, number } = key.clone();
            Effect { at, what, with, number, exchanges: track.exchanges() }
        });
        Some(TaskRecord { effects: effects.collect(), events: inner.events.clone() })
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A hash of a value, whatever the order of its fields. What cannot be written as JSON is told from nothing.
fn hash(with: &impl Serialize) -> String {
    let mut hash = serde_json::to_value(with).map(|with| sha256(&canonical(with))).unwrap_or_default();
    hash.truncate(DIGITS);
    hash
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn replaying(tape: &TaskTape) -> (TaskTape, Arc<Recording>) {
        let recording = Arc::new(Recording::of(&tape.record().unwrap().effects));
        (TaskTape::new("n 1", Tape::Replaying(Arc::clone(&recording))), recording)
    }

    #[test]
    fn an_effect_is_found_by_what_it_was_done_with_and_how_often() {
        let tape = TaskTape::new("n 1", Tape::Recording);
        for tokens in [1, 2] {
            tape.begin("tool t", &json!({"a": 1, "b": 2})).unwrap().push(Exchange::Context { tokens });
        }
        let (again, recording) = replaying(&tape);
        for tokens in [1, 2] {
            let track = again.begin("tool t", &json!({"b": 2, "a": 1})).unwrap();
            assert_eq!(track.take(), Some(Exchange::Context { tokens }));
        }
        assert_eq!(recording.diverged(), None);
        assert!(again.begin("tool t", &json!({"a": 2})).is_none());
        assert!(recording.diverged().unwrap().starts_with("`tool t` (number 0, "), "{:?}", recording.diverged());
    }

    #[tokio::test]
    async fn what_was_cut_off_is_gone_through_up_to_there_and_dropped() {
        let tape = TaskTape::new("n 1", Tape::Recording);
        tape.begin("tool t", &1).unwrap();
        let (again, recording) = replaying(&tape);
        let went_on = std::sync::atomic::AtomicBool::new(false);
        again
            .until_cut(async {
                let track = again.begin("tool t", &1).unwrap();
                assert_eq!(track.take(), None);
                again.cut("tool t").await;
                went_on.store(true, std::sync::atomic::Ordering::Relaxed);
            })
            .await;
        assert!(!went_on.into_inner());
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
