//! Compiles a schema without fetching what it refers to.

use jsonschema::{PatternOptions, Validator};
use serde_json::Value;

/// Maximum number of characters of an explanation that are shown.
const SHOWN: usize = 200;

/// Maximum size of a compiled pattern in bytes, and of what matching it caches.
const PATTERN_BYTES: usize = 1 << 20;

/// Compiles a schema. What it refers to is not fetched, patterns match in linear time, and formats are not checked.
pub(crate) fn compile(schema: &Value) -> Result<Validator, String> {
    let patterns = PatternOptions::regex().size_limit(PATTERN_BYTES).dfa_size_limit(PATTERN_BYTES);
    let options = jsonschema::options().offline().with_pattern_options(patterns).should_validate_formats(false);
    options.build(schema).map_err(|error| shown(&error.to_string()))
}

/// Returns the beginning of a string that may be long.
pub(crate) fn shown(text: &str) -> String {
    let mut chars = text.chars();
    let head: String = chars.by_ref().take(SHOWN).collect();
    if chars.next().is_some() { format!("{head}…") } else { head }
}
