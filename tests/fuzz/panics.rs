//! Panics of tasks, which a runtime catches and which no test would see otherwise.

use std::panic;
use std::sync::{Mutex, Once, PoisonError};
use std::thread;

/// A panic: the name of its thread, and where it was.
type Panic = (Option<String>, String);

static SEEN: Mutex<Vec<Panic>> = Mutex::new(Vec::new());
static HOOK: Once = Once::new();

fn all() -> Vec<Panic> {
    SEEN.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Sees the panics from here on.
pub struct Watch {
    before: usize,
}

impl Watch {
    pub fn new() -> Self {
        HOOK.call_once(|| {
            let others = panic::take_hook();
            panic::set_hook(Box::new(move |info| {
                let name = thread::current().name().map(str::to_owned);
                SEEN.lock().unwrap_or_else(PoisonError::into_inner).push((name, info.to_string()));
                others(info);
            }));
        });
        Self { before: all().len() }
    }

    /// The panics of this thread and of the threads of runtimes. Those of other tests are not among them.
    pub fn seen(&self) -> Vec<String> {
        let own = thread::current().name().map(str::to_owned);
        let concerns =
            |name: &Option<String>| *name == own || name.as_ref().is_some_and(|name| name.starts_with("tokio"));
        all().split_off(self.before).into_iter().filter(|(name, _)| concerns(name)).map(|(_, text)| text).collect()
    }
}
