//! What is known about the tasks of the step that runs: answers, results of side effects, questions, spending.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use crate::event::TaskTag;
use crate::interrupt::{KeyKind, Question};
use crate::stored::{CallName, Memories, SubgraphMemory};

/// Shared by the tasks of a run. Every lookup is by the task's position in its step. What a task itself looks up or writes counts
/// only in its own step: what it spawned may outlive it.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    /// Nothing was ever written; spares tasks that ask and spend nothing the lock.
    used: AtomicBool,
    /// The step whose tasks the positions mean.
    step: AtomicU64,
    pages: Mutex<Pages>,
    /// What subgraphs remembered when the step began.
    memories: Mutex<Arc<Memories>>,
}

#[derive(Debug, Default)]
struct Pages {
    /// The step that they are of.
    step: u64,
    answers: BTreeMap<(usize, String), Value>,
    once: BTreeMap<(usize, String), Vec<u8>>,
    /// What each task has left so far.
    left: BTreeMap<usize, Box<Left>>,
    failed: BTreeMap<usize, String>,
    calls: BTreeMap<usize, (String, Option<String>)>,
    /// The keys that tasks without a policy have used.
    keys: BTreeSet<(usize, KeyKind, String)>,
}

/// Where the subgraph of a task paused, as paths of nodes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pause {
    pub(crate) before: Vec<String>,
    pub(crate) after: Vec<String>,
}

/// What a task left in the ledger when it ended.
#[derive(Debug, Default)]
pub(crate) struct Left {
    /// Questions that it asked and that have no answer.
    pub(crate) questions: Vec<Question>,
    /// Where its subgraph paused.
    pub(crate) pause: Option<Pause>,
    /// Names of questions whose answers were of the wrong type, with the reason.
    pub(crate) refused: Vec<(String, String)>,
    /// Counters of the budget, with amounts.
    pub(crate) spent: Vec<(String, u64)>,
    /// What its subgraph remembers from now on.
    pub(crate) memory: Option<SubgraphMemory>,
}

impl Pages {
    /// What a task has left so far.
    fn of(&mut self, task: usize) -> &mut Left {
        self.left.entry(task).or_default()
    }
}

impl Ledger {
    pub(crate) fn put_answer(&self, task: usize, name: String, value: Value) {
        self.write().answers.insert((task, name), value);
    }

    pub(crate) fn answer(&self, tag: TaskTag, name: &str) -> Option<Value> {
        self.read_in(tag.step)?.answers.get(&(tag.index, name.to_string())).cloned()
    }

    /// All answers for a task, for subgraphs whose questions they answer.
    pub(crate) fn answers(&self, task: usize) -> Vec<(String, Value)> {
        let Some(pages) = self.read() else { return Vec::new() };
        let of_task = pages.answers.range((task, String::new())..(task + 1, String::new()));
        of_task.map(|((_, name), value)| (name.clone(), value.clone())).collect()
    }

    pub(crate) fn put_once(&self, task: usize, name: String, data: Vec<u8>) {
        self.write().once.insert((task, name), data);
    }

    /// Notes the result of a side effect, unless the step of the task is over; says whether it did.
    pub(crate) fn remember(&self, tag: TaskTag, name: String, data: Vec<u8>) -> bool {
        let page = self.write_in(tag.step);
        page.map(|mut pages| pages.once.insert((tag.index, name), data)).is_some()
    }

    pub(crate) fn once(&self, tag: TaskTag, name: &str) -> Option<Vec<u8>> {
        self.read_in(tag.step)?.once.get(&(tag.index, name.to_string())).cloned()
    }

    /// Uses a key of a task for the first time; says whether it was that, or the step of the task is over.
    pub(crate) fn take_key(&self, tag: TaskTag, kind: KeyKind, key: &str) -> bool {
        let page = self.write_in(tag.step);
        page.is_none_or(|mut pages| pages.keys.insert((tag.index, kind, key.to_string())))
    }

    /// Gives a key back whose effect did not take place.
    pub(crate) fn give_back_key(&self, tag: TaskTag, kind: KeyKind, key: &str) {
        if let Some(mut pages) = self.write_in(tag.step) {
            pages.keys.remove(&(tag.index, kind, key.to_string()));
        }
    }

    pub(crate) fn raise(&self, tag: TaskTag, question: Question) {
        if let Some(mut pages) = self.write_in(tag.step) {
            pages.of(tag.index).questions.push(question);
        }
    }

    /// Notes where the subgraph of a task paused.
    pub(crate) fn pause(&self, tag: TaskTag, pause: Pause) {
        if let Some(mut pages) = self.write_in(tag.step) {
            pages.of(tag.index).pause = Some(pause);
        }
    }

    pub(crate) fn refuse(&self, tag: TaskTag, name: String, reason: String) {
        if let Some(mut pages) = self.write_in(tag.step) {
            pages.of(tag.index).refused.push((name, reason));
        }
    }

    pub(crate) fn spend(&self, tag: TaskTag, counter: String, amount: u64) {
        if let Some(mut pages) = self.write_in(tag.step) {
            pages.of(tag.index).spent.push((counter, amount));
        }
    }

    /// Notes what a task spent in an earlier run.
    pub(crate) fn put_spent(&self, task: usize, counter: String, amount: u64) {
        self.write().of(task).spent.push((counter, amount));
    }

    /// Notes the record of a failure whose error handler is due.
    pub(crate) fn put_failed(&self, task: usize, record: String) {
        self.write().failed.insert(task, record);
    }

    /// The record of a failure whose error handler is due.
    pub(crate) fn failed(&self, task: usize) -> Option<String> {
        self.read()?.failed.get(&task).cloned()
    }

    /// Notes the name of a task's call of a subgraph, where it is not the one that the task would give it.
    pub(crate) fn put_call(&self, CallName { task, call, node }: CallName) {
        self.write().calls.insert(task, (call, node));
    }

    /// The name of a task's call of a subgraph, where one was noted.
    pub(crate) fn call(&self, task: usize) -> Option<String> {
        self.read()?.calls.get(&task).map(|(call, _)| call.clone())
    }

    /// The name that the node of a task had when its call of a subgraph began, where that is another one now.
    pub(crate) fn calling_node(&self, task: usize) -> Option<String> {
        self.read()?.calls.get(&task)?.1.clone()
    }

    /// What subgraphs remembered when the step began.
    pub(crate) fn memories(&self) -> Arc<Memories> {
        Arc::clone(&self.memories.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Notes what subgraphs remember when a step begins.
    pub(crate) fn put_memories(&self, memories: Memories) {
        *self.memories.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(memories);
    }

    /// Notes what the subgraph of a task remembers from now on.
    pub(crate) fn remember_subgraph(&self, tag: TaskTag, memory: SubgraphMemory) {
        if let Some(mut pages) = self.write_in(tag.step) {
            pages.of(tag.index).memory = Some(memory);
        }
    }

    /// Whether a task waits for an answer, or its subgraph has paused.
    pub(crate) fn asks(&self, task: usize) -> bool {
        let waits = |left: &Left| !left.questions.is_empty() || left.pause.is_some();
        self.read().is_some_and(|pages| pages.left.get(&task).is_some_and(|left| waits(left)))
    }

    /// Takes out what a task that ended left. Spending counts also when the task failed: it has happened.
    #[inline]
    pub(crate) fn leave(&self, task: usize) -> Option<Box<Left>> {
        if self.used.load(Ordering::Acquire) { self.take_left(task) } else { None }
    }

    fn take_left(&self, task: usize) -> Option<Box<Left>> {
        self.read()?.left.remove(&task)
    }

    /// Forgets the questions of an attempt that is repeated.
    pub(crate) fn retract(&self, task: usize) {
        if let Some(mut pages) = self.read()
            && let Some(left) = pages.left.get_mut(&task)
        {
            left.questions.clear();
            left.refused.clear();
            left.pause = None;
        }
    }

    /// Forgets everything: positions mean the tasks of `step` now.
    #[inline]
    pub(crate) fn turn_page(&self, step: u64) {
        self.step.store(step, Ordering::Release);
        if self.used.load(Ordering::Acquire) {
            *self.lock() = Pages { step, ..Pages::default() };
        }
    }

    /// Says that positions mean the tasks of `step`, and have meant them.
    pub(crate) fn open(&self, step: u64) {
        self.step.store(step, Ordering::Release);
        self.lock().step = step;
    }

    /// Whether the tasks of a step count still.
    pub(crate) fn is_open(&self, step: u64) -> bool {
        self.step.load(Ordering::Acquire) == step
    }

    fn read(&self) -> Option<MutexGuard<'_, Pages>> {
        if !self.used.load(Ordering::Acquire) {
            return None;
        }
        let pages = self.lock();
        self.is_open(pages.step).then_some(pages)
    }

    fn read_in(&self, step: u64) -> Option<MutexGuard<'_, Pages>> {
        if self.is_open(step) { self.read() } else { None }
    }

    /// The pages of the step. One of its tasks that outlives it may write as it ends; what it wrote is then of a step that
    /// nobody reads.
    fn write_in(&self, step: u64) -> Option<MutexGuard<'_, Pages>> {
        let mut pages = self.lock();
        self.used.store(true, Ordering::Release);
        if !self.is_open(step) || pages.step > step {
            return None;
        }
        if pages.step < step {
            *pages = Pages { step, ..Pages::default() };
        }
        Some(pages)
    }

    fn write(&self) -> MutexGuard<'_, Pages> {
        self.used.store(true, Ordering::Release);
        self.lock()
    }

    fn lock(&self) -> MutexGuard<'_, Pages> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
