//! The schema that a tool promises for its structured results, and whether a result fits.

#[cfg(feature = "validate")]
use std::sync::OnceLock;

use jsonschema::{PatternOptions, Validator};
use serde_json::Value;

#[cfg(feature = "validate")]
use crate::output::CallOutput;
#[cfg(feature = "validate")]
use crate::tool::Object;

/// Characters of what does not fit that an explanation shows.
const SHOWN: usize = 200;

#[cfg(feature = "validate")]
/// An output schema, compiled when it is needed first.
pub(crate) struct OutputSchema {
    schema: Value,
    compiled: OnceLock<Result<Validator, String>>,
}

#[cfg(feature = "validate")]
impl OutputSchema {
    pub(crate) fn new(schema: Object) -> Self {
        Self { schema: Value::Object(schema), compiled: OnceLock::new() }
    }

    /// Whether it is this schema.
    pub(crate) fn is(&self, schema: &Object) -> bool {
        self.schema.as_object() == Some(schema)
    }

    /// Where a result does not fit. A result that reports an error need not fit.
    pub(crate) fn violation(&self, output: &CallOutput) -> Option<String> {
        if output.is_error {
            return None;
        }
        let Some(content) = &output.structured else {
            return Some("structured content is promised, and there is none".to_owned());
        };
        let validator = match self.compiled.get_or_init(|| compile(&self.schema)) {
            Ok(validator) => validator,
            Err(reason) => return Some(format!("its output schema cannot be used: {reason}")),
        };
        let error = validator.iter_errors(content).next()?;
        let path = error.instance_path().to_string();
        let place = if path.is_empty() { "the whole".to_owned() } else { format!("`{}`", shown(&path)) };
        Some(format!("{place}: {}", shown(&error.to_string())))
    }
}

/// A schema is untrusted: what it points to is not fetched, and its patterns are matched in linear time.
pub(crate) fn compile(schema: &Value) -> Result<Validator, String> {
    let options = jsonschema::options().offline().with_pattern_options(PatternOptions::regex());
    options.build(schema).map_err(|error| shown(&error.to_string()))
}

/// The head of a text that may be long.
pub(crate) fn shown(text: &str) -> String {
    let mut chars = text.chars();
    let head: String = chars.by_ref().take(SHOWN).collect();
    if chars.next().is_some() { format!("{head}…") } else { head }
}

#[cfg(test)]
#[cfg(feature = "validate")]
mod tests {
    use serde_json::json;

    use super::*;

    fn violation(schema: Value, output: &CallOutput) -> Option<String> {
        OutputSchema::new(schema.as_object().unwrap().clone()).violation(output)
    }

    fn structured(value: Value) -> CallOutput {
        CallOutput::structured("s", "t", value)
    }

    #[test]
    fn a_result_fits_or_it_is_said_where_not() {
        let schema = json!({"type": "object", "required": ["n"], "properties": {"n": {"$ref": "#/$defs/n"}},
            "$defs": {"n": {"type": "array", "items": {"type": "integer"}}}});
        assert_eq!(violation(schema.clone(), &structured(json!({"n": [1]}))), None);
        let reason = violation(schema.clone(), &structured(json!({"n": [1, "x"]}))).unwrap();
        assert!(reason.starts_with("`/n/1`"), "{reason}");
        let reason = violation(schema.clone(), &structured(json!({"n": "x".repeat(10_000)}))).unwrap();
        assert!(reason.len() < 500, "{}", reason.len());
        assert!(violation(schema.clone(), &CallOutput::text("s", "t", "prose")).unwrap().contains("there is none"));
        assert_eq!(violation(schema, &CallOutput::error("s", "t", "no such index")), None);
    }

    #[test]
    fn nothing_is_fetched_and_a_bad_schema_is_said_to_be_one() {
        for schema in [
            json!({"$ref": "http://127.0.0.1:1/schema.json"}),
            json!({"$ref": "file:///etc/passwd"}),
            json!({"type": "no such type"}),
            json!({"properties": {"a": {"pattern": "(a+)+\\1$"}}}),
        ] {
            let reason = violation(schema.clone(), &structured(json!({"a": "a"}))).unwrap();
            assert!(reason.contains("schema cannot be used"), "{schema}: {reason}");
        }
    }
}
