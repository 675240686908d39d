//! What the tools of a connection promise about their structured results, and the check of a result.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use serde_json::Value;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use crate::output::CallOutput;
use crate::schema::{OutputSchema, STACK};
use crate::tool::Tool;

/// Number of checks that run at a time for one server. One that was given up counts until it has ended.
const PARALLEL: usize = 2;

/// Total weight of the compiled schemas that are kept, in values of a schema.
const KEPT: usize = 40_000;

/// The output schemas of the newest listing, by the names of the tools.
pub(super) struct Promises {
    known: Mutex<Known>,
    permits: Arc<Semaphore>,
}

#[derive(Default)]
struct Known {
    schemas: HashMap<String, Arc<OutputSchema>>,
    /// Those that were compiled, the newest last.
    compiled: Vec<Arc<OutputSchema>>,
}

impl Default for Promises {
    fn default() -> Self {
        Self { known: Mutex::default(), permits: Arc::new(Semaphore::new(PARALLEL)) }
    }
}

impl Promises {
    /// Takes in a listing. A schema that has not changed is not compiled again.
    pub(super) fn learn(&self, tools: &[Tool]) {
        let mut known = self.lock();
        let mut before = std::mem::take(&mut known.schemas);
        for tool in tools {
            if let Some(schema) = &tool.output_schema {
                let kept = before.remove(&tool.name).filter(|known| known.is(schema));
                let kept = kept.unwrap_or_else(|| Arc::new(OutputSchema::new(schema.clone())));
                known.schemas.insert(tool.name.clone(), kept);
            }
        }

        let gone: Vec<_> = before.into_values().collect();
        known.compiled.retain(|one| !gone.iter().any(|gone| Arc::ptr_eq(one, gone)));
    }

    /// Says where a result does not match what its tool promises, or why that was not checked. A result that reports an error need
    /// not match.
    ///
    /// The check computes on a thread of its own: the tasks of the runtime are served meanwhile, and a runtime that ends does not
    /// wait for it. Dropped, this gives the check up, which ends by itself because its steps are limited.
    pub(super) async fn violation(&self, output: &mut CallOutput) -> Option<String> {
        let schema = self.lock().schemas.get(&output.tool).map(Arc::clone)?;
        if output.is_error {
            return None;
        }
        let Some(content) = output.structured.take() else {
            return Some("structured content is promised, and there is none".to_owned());
        };

        // The semaphore is never closed.
        let permit = Arc::clone(&self.permits).acquire_owned().await.ok();
        let content = Arc::new(content);
        let verdict = checked(Arc::clone(&schema), Arc::clone(&content), permit).await;
        output.structured = Some(Arc::try_unwrap(content).unwrap_or_else(|content| (*content).clone()));
        self.keep(schema);
        verdict
    }

    /// Remembers that a schema was used last, and drops what was compiled of others when there is too much.
    fn keep(&self, used: Arc<OutputSchema>) {
        let mut known = self.lock();
        known.compiled.retain(|one| !Arc::ptr_eq(one, &used));
        known.compiled.push(used);

        let mut weight = 0;
        known.compiled.reverse();
        known.compiled.retain(|one| {
            weight += one.weight();
            let is_kept = weight <= KEPT;
            if !is_kept {
                one.forget();
            }
            is_kept
        });
        known.compiled.reverse();
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Checks on a thread, which keeps the permit until it has ended.
async fn checked(
    schema: Arc<OutputSchema>,
    content: Arc<Value>,
    permit: Option<OwnedSemaphorePermit>,
) -> Option<String> {
    let (verdict, waiting) = oneshot::channel();
    let check = move || {
        let found = schema.violation(&content);
        drop((content, permit));
        // Nobody may be waiting any more.
        let _ = verdict.send(found);
    };

    let started = thread::Builder::new().name("mcp-check".to_owned()).stack_size(STACK).spawn(check);
    match started {
        Ok(_) => waiting.await.unwrap_or_else(|_| Some("it was not checked, for the check panicked".to_owned())),
        Err(error) => Some(format!("it was not checked, for there is no thread for it: {error}")),
    }
}
