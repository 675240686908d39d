//! What makes two requests the same.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::Value;

use crate::request::Request;

/// The exact key of a request to a model: both as JSON with all names sorted, without spaces.
///
/// ```
/// use research_llm::Request;
/// use research_llm::layer::CacheKey;
///
/// let one = Request::new().user("Hello").extra("a", 1).extra("b", 2);
/// let same = Request::new().user("Hello").extra("b", 2).extra("a", 1);
/// assert_eq!(CacheKey::of("openai:gpt-5", &one), CacheKey::of("openai:gpt-5", &same));
/// assert_ne!(CacheKey::of("openai:gpt-5", &one), CacheKey::of("openai:gpt-5", &one.temperature(0.5)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CacheKey(String);

impl CacheKey {
    /// The key of a request to the model of this [id](crate::ModelInfo::id). The deadline does not count.
    #[must_use]
    pub fn of(model: &str, request: &Request) -> Self {
        let mut key = String::new();
        write_sorted(&Value::from(model), &mut key);
        key.push('\n');
        key.push_str(&canonical(request));
        Self(key)
    }

    /// The key as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A value as JSON with the names of every object sorted and without spaces: the same text for the same value.
pub(crate) fn canonical<T: Serialize + ?Sized>(value: &T) -> String {
    let mut text = String::new();
    // Requests and answers are plain data with text for names, which always has a form in JSON.
    write_sorted(&serde_json::to_value(value).unwrap_or_default(), &mut text);
    text
}

fn write_sorted(value: &Value, out: &mut String) {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_unstable_by_key(|(name, _)| *name);
            out.push('{');
            for (at, (name, value)) in fields.into_iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write_sorted(&Value::from(name.as_str()), out);
                out.push(':');
                write_sorted(value, out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write_sorted(item, out);
            }
            out.push(']');
        }
        // Writing to a string does not fail.
        plain => drop(write!(out, "{plain}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_are_sorted_at_every_depth_and_lists_keep_their_order() {
        let value = json!({"b": [{"z": 1, "a": "\"\n"}, null], "a": {"y": true, "x": -1.5}});
        assert_eq!(canonical(&value), r#"{"a":{"x":-1.5,"y":true},"b":[{"a":"\"\n","z":1},null]}"#);
    }

    #[test]
    fn a_model_cannot_pass_for_a_part_of_the_request() {
        let request = Request::new();
        assert_ne!(CacheKey::of("a\n{}", &request), CacheKey::of("a", &request));
        assert_eq!(CacheKey::of("a\n{}", &request).as_str().lines().count(), 2);
    }

    #[tokio::test]
    async fn the_deadline_does_not_count() {
        let request = Request::new().user("u");
        let hurried = request.clone().deadline(tokio::time::Instant::now());
        assert_eq!(CacheKey::of("m", &request), CacheKey::of("m", &hurried));
    }
}
