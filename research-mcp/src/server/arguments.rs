//! Whether values fit a schema, and where they do not.

use jsonschema::Validator;
use serde_json::Value;

use crate::schema::{compile, shown};

/// Problems that are named; a caller mends them one after the other.
const NAMED: usize = 3;

/// A compiled schema.
pub(super) struct Checker(Validator);

impl Checker {
    /// Compiles a schema. Nothing that it points to is fetched.
    pub(super) fn new(schema: &Value) -> Result<Self, String> {
        compile(schema).map(Self)
    }

    /// What does not fit, each with its place.
    pub(super) fn problems(&self, value: &Value) -> Vec<String> {
        let words = |error: jsonschema::ValidationError<'_>| {
            let path = error.instance_path().to_string();
            let problem = shown(&error.to_string());
            match path.trim_start_matches('/') {
                "" => problem,
                path => format!("`{}`: {problem}", shown(path)),
            }
        };
        self.0.iter_errors(value).take(NAMED).map(words).collect()
    }
}
