//! Whether values fit a schema, and where they do not.

use std::sync::Arc;

use jsonschema::Validator;
use serde_json::Value;

use crate::schema::{compile, shown};

/// Problems that are named; a caller mends them one after the other.
const NAMED: usize = 3;

/// Number of values in arguments of which all problems are looked for. Of larger ones the first problem is named alone, and they
/// are checked on a thread for work that computes.
const MANY: usize = 10_000;

/// A compiled schema.
#[derive(Clone)]
pub(super) struct Checker(Arc<Validator>);

impl Checker {
    /// Compiles a schema. Nothing that it points to is fetched.
    pub(super) fn new(schema: &Value) -> Result<Self, String> {
        compile(schema).map(|validator| Self(Arc::new(validator)))
    }

    /// What does not fit, each with its place.
    pub(super) async fn problems(&self, value: Value) -> Vec<String> {
        if !is_large(&value) {
            return self.found(&value);
        }
        let checker = self.clone();
        let found = tokio::task::spawn_blocking(move || checker.found(&value)).await;
        found.unwrap_or_else(|error| vec![format!("they could not be checked: {error}")])
    }

    /// The same, on this thread.
    pub(super) fn found(&self, value: &Value) -> Vec<String> {
        let words = |error: jsonschema::ValidationError<'_>| {
            let path = error.instance_path().to_string();
            let problem = shown(&error.to_string());
            match path.trim_start_matches('/') {
                "" => problem,
                path => format!("`{}`: {problem}", shown(path)),
            }
        };
        if is_large(value) {
            return self.0.validate(value).err().map(words).into_iter().collect();
        }
        self.0.iter_errors(value).take(NAMED).map(words).collect()
    }
}

/// Whether a value has many values in it.
fn is_large(value: &Value) -> bool {
    let (mut open, mut count) = (vec![value], 0);
    while let Some(value) = open.pop() {
        count += 1;
        match value {
            Value::Array(items) if items.len() > MANY => return true,
            Value::Array(items) => open.extend(items),
            Value::Object(members) => open.extend(members.values()),
            _ => {}
        }
        if count > MANY {
            return true;
        }
    }
    false
}
