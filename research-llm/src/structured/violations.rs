//! The whole check of a value against its schema: ranges, lengths, patterns and everything else.

use std::sync::Arc;

use jsonschema::Validator;
use serde_json::Value;

use crate::error::ModelError;
use crate::request::OutputSchema;

/// So many violations are told at once.
const TOLD: usize = 10;

/// A violation is told in so many letters, as it may quote the value.
const LETTERS: usize = 300;

/// A schema, ready to check values.
pub(super) struct Violations(Validator);

impl Violations {
    pub(super) fn new(output: &OutputSchema) -> Result<Self, ModelError> {
        jsonschema::validator_for(&output.schema).map(Self).map_err(|error| {
            let problem = format!("the schema `{}` is no JSON schema: {error}", output.name);
            ModelError::invalid_request(problem, Some(Arc::new(error.to_owned())))
        })
    }

    /// Every violation with its place, up to ten.
    pub(super) fn of(&self, value: &Value) -> Vec<String> {
        let mut errors = self.0.iter_errors(value);
        let mut told: Vec<_> = errors
            .by_ref()
            .take(TOLD)
            .map(|error| {
                let (path, mut problem) = (error.instance_path().to_string(), error.to_string());
                if let Some((end, _)) = problem.char_indices().nth(LETTERS) {
                    problem.truncate(end);
                    problem.push('…');
                }
                if path.is_empty() { problem } else { format!("at `{path}`: {problem}") }
            })
            .collect();
        match errors.count() {
            0 => {}
            more => told.push(format!("and {more} more")),
        }
        told
    }
}
