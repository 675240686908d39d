//! Values of records: as people write them, and when two of them are the same.

use std::collections::HashMap;

use serde_json::Value;

/// Returns whether two values are the same in any spelling: letter case and outer white space do
/// not matter, `120` equals `120.0` and `"120"`, and an empty string equals null. Two strings are
/// not compared as numbers: the codes `"007"` and `"7"` differ, and so do `"1e3"` and `"1000"`.
pub fn same_value(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_value(a, b))
        }
        (Value::Object(_), _) | (_, Value::Object(_)) => a == b,
        (Value::Null, Value::String(text)) | (Value::String(text), Value::Null) => {
            text.trim().is_empty()
        }
        (Value::Null, _) | (_, Value::Null) => a == b,
        (Value::Number(_), _) | (_, Value::Number(_)) => {
            number_in(a).is_some_and(|a| Some(a) == number_in(b))
        }
        _ => plain(a).to_lowercase() == plain(b).to_lowercase(),
    }
}

/// Returns the number that a value is or spells, in one spelling for each number. Integers of any
/// size keep every digit.
fn number_in(value: &Value) -> Option<String> {
    /// Up to this number, a double represents every integer exactly.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let text = plain(value);
    if let Ok(whole) = text.parse::<i128>() {
        return Some(whole.to_string());
    }
    let number: f64 = text
        .parse()
        .ok()
        .filter(|number: &f64| number.is_finite())?;
    let is_whole = number.fract() == 0.0 && number.abs() <= EXACT;
    Some(if is_whole {
        (number as i64).to_string()
    } else {
        number.to_string()
    })
}

/// An index of values, by which the [same value](same_value) is found in constant time.
#[derive(Debug, Default)]
pub struct ValueIndex {
    places: HashMap<Spelling, usize>,
}

/// A key of a value in the index.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Spelling {
    /// Null or an empty string.
    Blank,
    /// A number.
    Number(String),
    /// The number that a string spells.
    Spelled(String),
    /// A string or Boolean, in lower case.
    Text(String),
    /// A list or an object, as JSON.
    Other(String),
}

impl ValueIndex {
    /// Creates an index of values, which are identified by their order.
    pub fn new<'v>(values: impl IntoIterator<Item = &'v Value>) -> Self {
        let mut index = Self::default();
        for (at, value) in values.into_iter().enumerate() {
            for spelling in Spelling::all_of(value) {
                index.places.entry(spelling).or_insert(at);
            }
        }
        index
    }

    /// Returns the index of the first value that is [the same](same_value). Lists and objects must
    /// be equal.
    pub fn find(&self, value: &Value) -> Option<usize> {
        // A string that spells a number is the same value as the number, but not as another string
        // that spells it.
        let wanted = Spelling::all_of(value)
            .into_iter()
            .map(|spelling| match spelling {
                Spelling::Spelled(number) => Spelling::Number(number),
                own => own,
            });
        let spelled = match value {
            Value::Number(_) => number_in(value).map(Spelling::Spelled),
            _ => None,
        };
        wanted
            .chain(spelled)
            .filter_map(|spelling| self.places.get(&spelling).copied())
            .min()
    }
}

impl Spelling {
    /// Returns the keys of a value.
    fn all_of(value: &Value) -> Vec<Self> {
        match value {
            Value::Null => vec![Self::Blank],
            Value::String(text) if text.trim().is_empty() => vec![Self::Blank],
            Value::Number(_) => number_in(value).map(Self::Number).into_iter().collect(),
            Value::String(_) | Value::Bool(_) => {
                let text = Self::Text(plain(value).to_lowercase());
                number_in(value)
                    .map(Self::Spelled)
                    .into_iter()
                    .chain([text])
                    .collect()
            }
            Value::Array(_) | Value::Object(_) => vec![Self::Other(value.to_string())],
        }
    }
}

/// Returns a value as people write it: strings without quotation marks, null as `(none)`, and the
/// items of arrays separated by slashes.
pub fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Null => "(none)".to_owned(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(" / "),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn codes_are_texts_and_numbers_keep_their_digits() {
        let same = |a: Value, b: Value| {
            let index = ValueIndex::new([&a]);
            assert_eq!(index.find(&b), same_value(&a, &b).then_some(0), "{a} {b}");
            assert_eq!(same_value(&a, &b), same_value(&b, &a), "{a} {b}");
            same_value(&a, &b)
        };

        assert!(
            same(json!(120), json!("120"))
                && same(json!(120), json!(120.0))
                && same(json!("7"), json!(7))
        );
        assert!(
            same(json!(0.0), json!(-0.0))
                && same(json!(2.5), json!("2.50"))
                && same(json!(true), json!("True"))
        );
        assert!(
            same(json!("ﬁve "), json!("ﬁve"))
                && same(json!("NaN"), json!("nan"))
                && same(json!(" "), Value::Null)
        );
        assert!(
            !same(json!("1e3"), json!("1000"))
                && !same(json!("007"), json!("7"))
                && !same(json!("inf"), json!(1))
        );

        let large = 1_u64 << 60;
        assert!(
            !same(json!(large), json!(large + 1))
                && !same(json!(large), json!((large + 1).to_string()))
        );
    }

    #[test]
    fn the_first_of_many_values_is_found() {
        let values = [
            json!("a"),
            json!("7"),
            json!(7),
            json!("A"),
            Value::Null,
            json!(["x", 1]),
        ];
        let index = ValueIndex::new(&values);
        let found = |value: Value| index.find(&value);

        assert_eq!(
            (
                found(json!("A ")),
                found(json!(7)),
                found(json!("7")),
                found(json!("b"))
            ),
            (Some(0), Some(1), Some(1), None)
        );

        assert_eq!(
            (
                found(json!("7.0")),
                found(json!("")),
                found(json!(["x", 1]))
            ),
            (Some(2), Some(4), Some(5))
        );
    }
}
