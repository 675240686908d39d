//! Reads JSON objects strictly, and says where one does not fit.

use std::fmt;

use serde_json::{Map, Value};

use crate::testing::server::Received;

/// Why a request cannot be read: the place and the problem.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a real server would refuse the request: {problem}")]
#[non_exhaustive]
pub struct Unreadable {
    /// The place and the problem.
    pub problem: String,
}

impl Unreadable {
    pub(super) fn new(place: &str, problem: impl fmt::Display) -> Self {
        Self { problem: format!("{place}: {problem}") }
    }
}

pub(super) type Read<T> = Result<T, Unreadable>;

/// The fields of an object that nobody has taken yet.
pub(super) struct Fields {
    place: String,
    left: Map<String, Value>,
}

impl Fields {
    pub(super) fn of(place: impl Into<String>, value: Value) -> Read<Self> {
        let place = place.into();
        match value {
            Value::Object(left) => Ok(Self { place, left }),
            other => Err(Unreadable::new(&place, format_args!("not an object but {other}"))),
        }
    }

    /// The body of a JSON request to a path.
    pub(super) fn of_body(request: &Received, path: &str) -> Read<Self> {
        if request.method != "POST" || request.path != path {
            let problem = format!("{} {} instead of POST {path}", request.method, request.path);
            return Err(Unreadable::new("request", problem));
        }
        if !request.header("content-type").is_some_and(|media| media.starts_with("application/json")) {
            return Err(Unreadable::new("request", "its content-type is not application/json"));
        }
        let body = request.json().ok_or_else(|| Unreadable::new("body", "no JSON"))?;
        Self::of("body", body)
    }

    pub(super) fn place(&self) -> &str {
        &self.place
    }

    pub(super) fn wrong(&self, problem: impl fmt::Display) -> Unreadable {
        Unreadable::new(&self.place, problem)
    }

    fn wrong_field(&self, name: &str, wanted: &str, value: &Value) -> Unreadable {
        self.wrong(format_args!("`{name}` is {value}, not {wanted}"))
    }

    /// A field; `null` is as good as none.
    pub(super) fn take(&mut self, name: &str) -> Option<Value> {
        self.left.remove(name).filter(|value| !value.is_null())
    }

    pub(super) fn need(&mut self, name: &str) -> Read<Value> {
        self.take(name).ok_or_else(|| self.wrong(format_args!("`{name}` is missing")))
    }

    pub(super) fn text(&mut self, name: &str) -> Read<String> {
        match self.need(name)? {
            Value::String(text) => Ok(text),
            other => Err(self.wrong_field(name, "a string", &other)),
        }
    }

    pub(super) fn maybe_text(&mut self, name: &str) -> Read<Option<String>> {
        if self.left.get(name).is_none_or(Value::is_null) { Ok(None) } else { self.text(name).map(Some) }
    }

    pub(super) fn flag(&mut self, name: &str) -> Read<Option<bool>> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(flag)),
            Some(other) => Err(self.wrong_field(name, "true or false", &other)),
        }
    }

    pub(super) fn whole(&mut self, name: &str) -> Read<Option<u64>> {
        match self.take(name) {
            None => Ok(None),
            Some(value) => match value.as_u64() {
                Some(number) => Ok(Some(number)),
                None => Err(self.wrong_field(name, "a whole number", &value)),
            },
        }
    }

    pub(super) fn number(&mut self, name: &str) -> Read<Option<f64>> {
        match self.take(name) {
            None => Ok(None),
            Some(value) => match value.as_f64() {
                Some(number) => Ok(Some(number)),
                None => Err(self.wrong_field(name, "a number", &value)),
            },
        }
    }

    pub(super) fn list(&mut self, name: &str) -> Read<Vec<Value>> {
        match self.take(name) {
            None => Ok(Vec::new()),
            Some(Value::Array(list)) => Ok(list),
            Some(other) => Err(self.wrong_field(name, "a list", &other)),
        }
    }

    /// The objects of a list.
    pub(super) fn objects(&mut self, name: &str) -> Read<Vec<Self>> {
        let place = format!("{}.{name}", self.place);
        let list = self.list(name)?;
        list.into_iter().enumerate().map(|(at, value)| Self::of(format!("{place}[{at}]"), value)).collect()
    }

    pub(super) fn object(&mut self, name: &str) -> Read<Self> {
        let place = format!("{}.{name}", self.place);
        Self::of(place, self.need(name)?)
    }

    pub(super) fn maybe_object(&mut self, name: &str) -> Read<Option<Self>> {
        if self.left.get(name).is_none_or(Value::is_null) { Ok(None) } else { self.object(name).map(Some) }
    }

    /// A field that must hold one of these words.
    pub(super) fn word(&mut self, name: &str, words: &[&str]) -> Read<String> {
        let word = self.text(name)?;
        if words.contains(&word.as_str()) {
            Ok(word)
        } else {
            Err(self.wrong(format_args!("`{name}` is `{word}`, not one of {words:?}")))
        }
    }

    /// Everything must have been taken.
    pub(super) fn done(self) -> Read<()> {
        match self.left.keys().next() {
            None => Ok(()),
            Some(name) => Err(self.wrong(format_args!("there is no field `{name}`"))),
        }
    }

    /// What nobody has taken.
    pub(super) fn rest(self) -> Map<String, Value> {
        self.left
    }

    /// Everything as it came, for a piece that is passed on.
    pub(super) fn whole_object(&self) -> Value {
        Value::Object(self.left.clone())
    }
}
