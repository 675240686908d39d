//! The output schema of a tool, and the check of a result against it.

use std::sync::{Arc, Mutex, PoisonError};

use jsonschema::Validator;
use serde_json::Value;

use super::compile::{compile, shown};
use super::size::{Measures, measured};
use super::steps::Plan;
use crate::tool::Object;

/// Number of steps, times levels, up to which the place of a mismatch is looked for. To find it, choices inside choices are tried
/// once more at each level.
const EXPLAINED: u64 = 2_000_000;

/// What one more pattern weighs, in values of a schema.
const PATTERN: usize = 300;

/// An output schema. It is measured and compiled when it is needed for the first time.
pub(crate) struct OutputSchema {
    schema: Value,
    /// Dropped when others need the memory.
    compiled: Mutex<Option<Arc<Compiled>>>,
}

/// A schema that can be used, or why it cannot.
type Compiled = Result<Usable, String>;

struct Usable {
    measures: Measures,
    plan: Plan,
    validator: Validator,
}

impl OutputSchema {
    pub(crate) fn new(schema: Object) -> Self {
        Self { schema: Value::Object(schema), compiled: Mutex::default() }
    }

    /// Whether it is this schema.
    pub(crate) fn is(&self, schema: &Object) -> bool {
        self.schema.as_object() == Some(schema)
    }

    /// Says where structured content does not match, or why that was not checked. Takes long: for a thread of its own, with a stack
    /// of [`STACK`] bytes.
    pub(crate) fn violation(&self, content: &Value) -> Option<String> {
        let unused = |reason: &String| format!("it was not checked, for its output schema cannot be used: {reason}");
        let compiled = self.compiled();
        let Usable { plan, validator, .. } = match &*compiled {
            Ok(usable) => usable,
            Err(reason) => return Some(unused(reason)),
        };
        let extent = match plan.steps(content) {
            Ok(extent) => extent,
            Err(reason) => return Some(unused(&reason)),
        };

        if validator.is_valid(content) {
            return None;
        }
        if extent.steps.saturating_mul(extent.depth as u64) > EXPLAINED {
            return Some("the whole: it does not match, and to find out where takes too long".to_owned());
        }
        let error = validator.validate(content).err()?;
        let path = error.instance_path().to_string();
        let place = if path.is_empty() { "the whole".to_owned() } else { format!("`{}`", shown(&path)) };
        Some(format!("{place}: {}", shown(&error.to_string())))
    }

    fn compiled(&self) -> Arc<Compiled> {
        let mut known = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        let read = || {
            let measures = measured(&self.schema)?;
            Ok(Usable { measures, plan: Plan::read(&self.schema)?, validator: compile(&self.schema)? })
        };
        Arc::clone(known.get_or_insert_with(|| Arc::new(read())))
    }

    /// Returns what the compiled form weighs, in values of a schema. One that is being compiled weighs nothing yet.
    pub(crate) fn weight(&self) -> usize {
        let Ok(known) = self.compiled.try_lock() else { return 0 };
        match known.as_deref() {
            Some(Ok(Usable { measures, .. })) => measures.nodes + measures.patterns * PATTERN,
            _ => 0,
        }
    }

    /// Drops the compiled form until it is needed again, unless it is being compiled.
    pub(crate) fn forget(&self) {
        if let Ok(mut known) = self.compiled.try_lock() {
            known.take();
        }
    }
}

/// Size in bytes of the stack that a check needs at most.
pub(crate) const STACK: usize = 64 << 20;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn violation(schema: Value, content: Value) -> Option<String> {
        let schema = OutputSchema::new(schema.as_object().unwrap().clone());
        let check = std::thread::Builder::new().stack_size(STACK);
        check.spawn(move || schema.violation(&content)).unwrap().join().unwrap()
    }

    #[test]
    fn a_result_matches_or_the_place_is_named() {
        let schema = json!({"type": "object", "required": ["n"], "properties": {"n": {"$ref": "#/$defs/n"}},
            "$defs": {"n": {"type": "array", "items": {"type": "integer"}}}});

        assert_eq!(violation(schema.clone(), json!({"n": [1]})), None);
        let reason = violation(schema.clone(), json!({"n": [1, "x"]})).unwrap();
        assert!(reason.starts_with("`/n/1`"), "{reason}");
        let reason = violation(schema, json!({"n": "x".repeat(10_000)})).unwrap();
        assert!(reason.len() < 500, "{}", reason.len());
    }

    #[test]
    fn nothing_is_fetched_and_a_bad_schema_is_named() {
        for schema in [
            json!({"$ref": "http://127.0.0.1:1/schema.json"}),
            json!({"$ref": "file:///etc/passwd"}),
            json!({"type": "no such type"}),
            json!({"properties": {"a": {"pattern": "(a+)+\\1$"}}}),
            json!({"properties": {"a": {"pattern": "((a{100}){100}){100}"}}}),
        ] {
            let reason = violation(schema.clone(), json!({"a": "a"})).unwrap();
            assert!(reason.contains("schema cannot be used"), "{schema}: {reason}");
        }
    }

    /// The deepest check that is made, through each way in which a check calls itself.
    #[test]
    fn the_stack_holds_the_deepest_check() {
        let levels = 110;
        let chain = |link: &dyn Fn(Value) -> Value| (0..8).fold(json!({"$ref": "#"}), |inner, _| link(inner));
        let links: [&dyn Fn(Value) -> Value; 6] = [
            &|inner| json!({"allOf": [inner]}),
            &|inner| json!({"anyOf": [inner]}),
            &|inner| json!({"oneOf": [inner]}),
            &|inner| json!({"not": {"not": inner}}),
            &|inner| json!({"if": inner, "else": false}),
            &|inner| json!({"dependentSchemas": {"a": inner}}),
        ];
        for link in links {
            let schema = json!({"properties": {"a": chain(link)}});
            let content = (0..levels).fold(json!(1), |inner, _| json!({"a": inner}));
            // Whatever comes of it: the process is still there.
            violation(schema, content);
        }
    }
}
