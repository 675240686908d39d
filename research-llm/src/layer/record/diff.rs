//! Where an unrecorded request differs from the recorded ones.

use std::fmt;

use serde_json::Value;

use crate::error::ModelError;

/// A request that a [`Replayer`](super::Replayer) has no answer for. It is the source of the error: see [`of`](Self::of).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub struct NotRecorded {
    /// How many interactions of the cassette were left to answer from.
    pub left: usize,
    /// How many of the cassette were the same and are used up.
    pub used: usize,
    /// The first difference from the nearest of those, or of all if none is left; `None` if there is nothing to compare with.
    pub difference: Option<Difference>,
}

/// A place where two requests differ.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// The place, as a JSON pointer into the request; `mode` for how it was asked.
    pub path: String,
    /// What was recorded there, shortened.
    pub recorded: String,
    /// What was asked there, shortened.
    pub asked: String,
}

impl NotRecorded {
    /// What a replayer says of a request that was not recorded, if an error is about that.
    ///
    /// ```
    /// use research_llm::layer::{NotRecorded, Replayer};
    /// use research_llm::{ChatModel, Request};
    ///
    /// # futures::executor::block_on(async {
    /// let error = Replayer::parse("")?.complete(&Request::new().user("Hello")).await.unwrap_err();
    /// assert_eq!(NotRecorded::of(&error).map(|reason| reason.left), Some(0));
    /// # Ok::<(), research_llm::ModelError>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn of(error: &ModelError) -> Option<&Self> {
        match error {
            ModelError::Other { source: Some(cause), .. } => cause.downcast_ref(),
            _ => None,
        }
    }
}

impl fmt::Display for NotRecorded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the request is not in the cassette")?;
        if self.used > 0 {
            write!(f, " any more (it was recorded {} times)", self.used)?;
        }
        match (&self.difference, self.left) {
            (None, _) => f.write_str(", of which nothing is left"),
            (Some(Difference { path, recorded, asked }), left) => {
                match left {
                    0 => f.write_str(", of which nothing is left; the nearest")?,
                    _ => write!(f, "; of the {left} that are left the nearest")?,
                }
                write!(f, " differs at `{path}`: recorded {recorded}, asked {asked}")
            }
        }
    }
}

/// The first place where two values differ, and how much of them does, in bytes of JSON.
pub(super) fn compare(recorded: &Value, asked: &Value) -> Option<(Difference, usize)> {
    let mut first = None;
    let mut size = 0;
    walk(Some(recorded), Some(asked), &mut String::new(), &mut |path, recorded, asked| {
        size += 1 + recorded.map_or(0, weight) + asked.map_or(0, weight);
        first.get_or_insert_with(|| Difference {
            path: if path.is_empty() { "/".to_owned() } else { path.to_owned() },
            recorded: shown(recorded),
            asked: shown(asked),
        });
    });
    first.map(|difference| (difference, size))
}

type Found<'a> = dyn FnMut(&str, Option<&Value>, Option<&Value>) + 'a;

fn walk(recorded: Option<&Value>, asked: Option<&Value>, path: &mut String, found: &mut Found<'_>) {
    let depth = path.len();
    match (recorded, asked) {
        (recorded, asked) if recorded == asked => {}
        (Some(Value::Object(recorded)), Some(Value::Object(asked))) => {
            let added = asked.keys().filter(|name| !recorded.contains_key(*name));
            for name in recorded.keys().chain(added) {
                path.push('/');
                path.push_str(&name.replace('~', "~0").replace('/', "~1"));
                walk(recorded.get(name), asked.get(name), path, found);
                path.truncate(depth);
            }
        }
        (Some(Value::Array(recorded)), Some(Value::Array(asked))) => {
            for at in 0..recorded.len().max(asked.len()) {
                path.push_str(&format!("/{at}"));
                walk(recorded.get(at), asked.get(at), path, found);
                path.truncate(depth);
            }
        }
        (recorded, asked) => found(path, recorded, asked),
    }
}

fn weight(value: &Value) -> usize {
    value.to_string().len()
}

/// How many characters of a value are shown.
const SHOWN: usize = 160;

fn shown(value: Option<&Value>) -> String {
    let Some(value) = value else { return "nothing".to_owned() };
    let text = value.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_first_difference_is_named_with_both_sides() {
        let recorded = json!({"a": [1, {"b/c": "x"}], "d": 1});
        let asked = json!({"a": [1, {"b/c": "y"}, 3], "e": 1});
        let (difference, _) = compare(&recorded, &asked).unwrap();
        assert_eq!((difference.path.as_str(), difference.recorded.as_str()), ("/a/1/b~1c", "\"x\""));
        assert_eq!(difference.asked, "\"y\"");
        assert_eq!(compare(&recorded, &recorded), None);
        assert_eq!(compare(&json!({}), &json!({"n": 1})).unwrap().0.recorded, "nothing");
    }

    #[test]
    fn long_values_are_shortened_between_letters() {
        let (difference, _) = compare(&json!("ä".repeat(500)), &json!(1)).unwrap();
        assert!(difference.recorded.ends_with("ä… (1002 bytes)"), "{}", difference.recorded);
    }
}
