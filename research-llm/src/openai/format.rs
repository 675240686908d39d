//! How a request asks for JSON of a schema, in each mode.

use std::borrow::Cow;

use serde_json::Value;

use super::quirks::SchemaMode;
use crate::request::{OutputSchema, Request};
use crate::schema::{Dialect, into_prompt};

/// Names of schemas may be so long, of letters, digits, `_` and `-`.
const MAX_NAME: usize = 64;

/// What a request asks for, and the mode that it came to.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Format {
    /// JSON of the schema in the server's own format.
    Schema {
        /// A name that servers take.
        name: String,
        /// The schema, in the dialect.
        schema: Value,
        /// Whether the server holds the answer to it to the letter.
        strict: bool,
    },
    /// Any object, with the schema beside it.
    ObjectWithSchema(Value),
    /// Any object.
    Object,
}

/// A request as it goes out in the strictest mode, from this one on, that can express its schema.
pub(super) struct Formatted<'a> {
    /// The request, its schema in the prompt where the mode wants that.
    pub(super) request: Cow<'a, Request>,
    /// What the server is asked for; nothing without a schema and in prompt mode.
    pub(super) format: Option<Format>,
    /// The mode.
    pub(super) mode: SchemaMode,
}

/// Puts the schema of a request into the form of a mode.
pub(super) fn formatted(request: &Request, mode: SchemaMode) -> Formatted<'_> {
    let Some(schema) = &request.schema else {
        return Formatted { request: Cow::Borrowed(request), format: None, mode };
    };
    let mut steps = std::iter::successors(Some(mode), |mode| mode.below());
    let fitting = steps.find_map(|mode| Some((mode, format(schema, mode)?)));
    match fitting {
        Some((mode, format @ Format::Schema { .. })) => {
            Formatted { request: Cow::Borrowed(request), format: Some(format), mode }
        }
        // A server that leaves the field out must still be told what is wanted.
        Some((mode, format)) => Formatted { request: Cow::Owned(into_prompt(request)), format: Some(format), mode },
        None => Formatted { request: Cow::Owned(into_prompt(request)), format: None, mode: SchemaMode::Prompt },
    }
}

fn format(schema: &OutputSchema, mode: SchemaMode) -> Option<Format> {
    let adapted = |dialect: Dialect| dialect.adapt(schema).ok().map(|adapted| adapted.schema);
    let named = |adapted, strict| Format::Schema { name: name(&schema.name), schema: adapted, strict };
    match mode {
        SchemaMode::Strict => Some(named(adapted(Dialect::OpenAiStrict)?, true)),
        SchemaMode::Schema => Some(named(adapted(Dialect::Plain)?, false)),
        SchemaMode::ObjectWithSchema => Some(Format::ObjectWithSchema(adapted(Dialect::Plain)?)),
        // Any object is no answer where the schema wants a list or a number.
        SchemaMode::Object => (schema.schema["type"] == "object").then_some(Format::Object),
        SchemaMode::Prompt => None,
    }
}

/// The name with the characters and of the length that servers take.
fn name(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let name: String = name.chars().take(MAX_NAME).map(plain).collect();
    if name.is_empty() { "answer".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn asking(schema: Value) -> Request {
        Request::new().user("u").schema(OutputSchema::new("Vec<Point>", schema))
    }

    #[test]
    fn a_schema_that_the_strict_dialect_cannot_express_steps_down_at_once() {
        let anything =
            asking(json!({"type": "object", "additionalProperties": true, "properties": {"a": {"type": "string"}}}));
        let formatted = formatted(&anything, SchemaMode::Strict);
        assert_eq!(formatted.mode, SchemaMode::Schema);
        assert!(
            matches!(formatted.format, Some(Format::Schema { strict: false, ref name, .. }) if name == "Vec_Point_")
        );
    }

    #[test]
    fn a_list_is_not_asked_for_as_an_object() {
        let list = asking(json!({"type": "array", "items": {"type": "string"}}));
        let formatted = formatted(&list, SchemaMode::Object);
        assert_eq!((formatted.mode, formatted.format), (SchemaMode::Prompt, None));
        assert!(formatted.request.messages[0].text().contains("array"));
    }

    #[test]
    fn modes_below_the_schema_tell_the_model_too() {
        let object = asking(json!({"type": "object", "properties": {"marker": {"type": "string"}}}));
        for mode in [SchemaMode::ObjectWithSchema, SchemaMode::Object, SchemaMode::Prompt] {
            assert!(formatted(&object, mode).request.messages[0].text().contains("marker"), "{mode:?}");
        }
        assert_eq!(formatted(&object, SchemaMode::Schema).request.messages[0].text(), "u");
    }
}
