//! What the tools of a connection promise about their structured results.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::output::CallOutput;
use crate::schema::OutputSchema;
use crate::tool::Tool;

/// The output schemas of the newest listing, by the names of the tools.
#[derive(Default)]
pub(super) struct Promises(Mutex<HashMap<String, Arc<OutputSchema>>>);

impl Promises {
    /// Takes in a listing. A schema that has not changed is not compiled again.
    pub(super) fn learn(&self, tools: &[Tool]) {
        let mut known = self.lock();
        let mut before = std::mem::take(&mut *known);
        for tool in tools {
            if let Some(schema) = &tool.output_schema {
                let kept = before.remove(&tool.name).filter(|known| known.is(schema));
                known.insert(tool.name.clone(), kept.unwrap_or_else(|| Arc::new(OutputSchema::new(schema.clone()))));
            }
        }
    }

    /// Where a result does not fit what its tool promises.
    pub(super) fn violation(&self, output: &CallOutput) -> Option<String> {
        let schema = self.lock().get(&output.tool).map(Arc::clone)?;
        schema.violation(output)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<OutputSchema>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
