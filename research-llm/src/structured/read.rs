//! From the text of an answer to a value, or to the precise problem.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::extract::candidates;
use super::repair::repaired;
#[cfg(feature = "validate")]
use super::violations::Violations;
use crate::error::ModelError;
use crate::request::OutputSchema;
use crate::schema::restore;

/// Reads answers to one schema.
pub(super) struct Reader {
    schema: Value,
    #[cfg(feature = "validate")]
    violations: Violations,
}

/// What is wrong with a part of an answer.
struct Problem {
    message: String,
    /// Whether it is JSON at all, and so most likely the answer.
    is_json: bool,
}

impl Reader {
    /// A reader for a schema.
    ///
    /// # Errors
    /// With the feature `validate`, [`ModelError::InvalidRequest`] for a schema that is none.
    pub(super) fn new(output: &OutputSchema) -> Result<Self, ModelError> {
        Ok(Self {
            schema: output.schema.clone(),
            #[cfg(feature = "validate")]
            violations: Violations::new(output)?,
        })
    }

    /// The schema that was asked with.
    pub(super) fn schema(&self) -> &Value {
        &self.schema
    }

    /// Reads the first part of a text that is a value of the type, or says what is wrong with the most promising part.
    ///
    /// `is_untyped` says that the type takes any JSON, so that the schema alone decides.
    pub(super) fn read<T: DeserializeOwned>(&self, text: &str, is_untyped: bool) -> Result<T, String> {
        let mut first: Option<Problem> = None;
        for candidate in candidates(text) {
            match self.parse(&candidate.text, candidate.is_cut, is_untyped) {
                Ok(value) => return Ok(value),
                Err(problem) if first.as_ref().is_none_or(|first| problem.is_json && !first.is_json) => {
                    first = Some(problem);
                }
                Err(_) => {}
            }
        }
        Err(first.map_or_else(|| "it holds no JSON value".to_owned(), |problem| problem.message))
    }

    fn parse<T: DeserializeOwned>(&self, text: &str, is_cut: bool, is_untyped: bool) -> Result<T, Problem> {
        let answer: Value = serde_json::from_str(text).map_err(|error| Problem {
            message: if is_cut || error.is_eof() {
                format!("the JSON ends before it is complete: {error}")
            } else {
                format!("it is no valid JSON: {error}")
            },
            is_json: is_cut || error.is_eof(),
        })?;
        let restored = restore(&self.schema, answer.clone());
        let mut problems = self.problems(&restored, is_untyped);
        // The text is read once more if it needed no change: numbers keep their digits.
        let typed = if restored == answer {
            located(serde_path_to_error::deserialize(&mut serde_json::Deserializer::from_str(text)))
        } else {
            located(serde_path_to_error::deserialize(&restored))
        };
        match typed {
            Ok(value) if problems.is_empty() => return Ok(value),
            Ok(_) => {}
            Err(problem) => problems.insert(0, problem),
        }
        Err(Problem { message: problems.join("; "), is_json: true })
    }

    #[cfg(feature = "validate")]
    fn problems(&self, value: &Value, _is_untyped: bool) -> Vec<String> {
        self.violations.of(value)
    }

    #[cfg(not(feature = "validate"))]
    fn problems(&self, value: &Value, is_untyped: bool) -> Vec<String> {
        let found = is_untyped.then(|| crate::schema::mismatch(&self.schema, value)).flatten();
        found.map(|mismatch| mismatch.to_string()).into_iter().collect()
    }
}

/// An error with its place in front.
fn located<T>(result: Result<T, serde_path_to_error::Error<serde_json::Error>>) -> Result<T, String> {
    result.map_err(|error| {
        let path = error.path().to_string();
        let inner = error.into_inner();
        if path == "." { inner.to_string() } else { format!("at `{path}`: {inner}") }
    })
}

/// Reads a text that is an object of JSON, mended where that guesses nothing, or the JSON text of one.
pub(crate) fn read_object(text: &str) -> Result<Value, String> {
    let parsed = serde_json::from_str(text).or_else(|error| {
        let again = repaired(text).and_then(|mended| serde_json::from_str(&mended).ok());
        again.ok_or_else(|| error.to_string())
    })?;
    match parsed {
        Value::Object(_) => Ok(parsed),
        Value::String(inner) => match serde_json::from_str(&inner) {
            Ok(value @ Value::Object(_)) => Ok(value),
            _ => Err("it is a string".to_owned()),
        },
        Value::Null => Err("it is null".to_owned()),
        Value::Bool(_) => Err("it is a truth value".to_owned()),
        Value::Number(_) => Err("it is a number".to_owned()),
        Value::Array(_) => Err("it is an array".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schemars::JsonSchema;
    use serde_json::json;

    fn read<T: DeserializeOwned + JsonSchema>(text: &str) -> Result<T, String> {
        Reader::new(&OutputSchema::of::<T>()).unwrap().read(text, false)
    }

    #[test]
    fn json_is_found_in_all_the_usual_wrappings() {
        let want = json!({"a": [1, 2], "b": "x, ] } y"});
        for text in [
            r#"{"a": [1, 2], "b": "x, ] } y"}"#,
            "\n  {\"a\": [1, 2], \"b\": \"x, ] } y\"}\n",
            "```json\n{\"a\": [1, 2], \"b\": \"x, ] } y\"}\n```",
            "```\n{\"a\": [1, 2], \"b\": \"x, ] } y\"}\n```",
            "```{\"a\": [1, 2], \"b\": \"x, ] } y\"}```",
            "Sure! Here it is: {\"a\": [1, 2], \"b\": \"x, ] } y\"} Enjoy {it}.",
            "{\"a\": [1, 2,], \"b\": \"x, ] } y\",}",
            "```json\n{\"a\": [1, 2 , ],\n \"b\": \"x, ] } y\",\n}\n``` bye",
            "<think>{\"a\": []}?</think>{\"a\": [1, 2], \"b\": \"x, ] } y\"}",
            "{\"a\": [1, 2], // two\n \"b\": \"x, ] } y\" /* text */}",
        ] {
            assert_eq!(read::<Value>(text), Ok(want.clone()), "{text}");
        }
    }

    #[test]
    fn the_part_that_fits_the_type_wins() {
        assert_eq!(read::<Vec<u8>>("Of {\"x\": 1} I take [4, 5]."), Ok(vec![4, 5]));
        assert_eq!(read::<Option<u8>>("null"), Ok(None));
        assert_eq!(read::<u64>("18446744073709551615"), Ok(u64::MAX));
    }

    #[test]
    fn problems_name_the_place() {
        let problem = read::<Vec<(u8, bool)>>("[[1, true], [2, 3]]").unwrap_err();
        assert!(problem.contains("[1][1]"), "{problem}");
        assert!(read::<Vec<u8>>("").unwrap_err().contains("no JSON"));
        let problem = read::<Vec<u8>>("See [1, 2").unwrap_err();
        assert!(problem.contains("before it is complete"), "{problem}");
    }

    #[test]
    fn arguments_are_an_object_however_they_are_wrapped() {
        assert_eq!(read_object(r#"{"a": 1,}"#), Ok(json!({"a": 1})));
        assert_eq!(read_object(r#""{\"a\": 1}""#), Ok(json!({"a": 1})));
        assert!(read_object("[1]").unwrap_err().contains("array"));
        assert!(read_object("{a}").is_err());
    }
}
