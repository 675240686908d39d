//! Reads JSON: an array of objects, an object that wraps one, or one object a line.

mod big;
mod lines;
mod stream;

use std::io::{BufRead, BufReader};

use serde_json::Value;

use super::super::data::Object;
use super::super::error::LoadError;
use super::decode::Text;
use super::nested::{Numbering, flatten, shorten};
use super::row::{Each, Reader, Row, cut_warning, may_be_cut};
use super::source::Source;
use stream::Shape;

/// Records of JSON text.
pub(super) struct Records<'s> {
    source: &'s Source<'s>,
    text: &'s Text,
    form: Form,
    numbering: Numbering,
    /// Lines that are not valid are left out; how many, and the first of them.
    skip: bool,
    skipped: u64,
    first_skipped: Option<String>,
    /// Texts that were cut.
    cut: u64,
}

/// How the records stand in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Form {
    /// An array of objects; the whole text, or the member of this name.
    Array(Option<String>),
    /// One object a line.
    Lines,
    /// One object.
    Single,
}

impl<'s> Records<'s> {
    /// Finds out how the records stand in the text. `lines` when the file's name says that there is one a line.
    pub(super) fn open(source: &'s Source<'s>, text: &'s Text, lines: bool, skip: bool) -> Result<Self, LoadError> {
        let shape = stream::shape(BufReader::new(text.reader(source)?));
        let form = match shape {
            Ok(Shape::Array(_)) => Form::Array(None),
            Ok(Shape::Object(_)) if lines => Form::Single,
            Ok(Shape::Object(mut lists)) => match (lists.len(), lists.pop()) {
                (1, Some(list)) => Form::Array(Some(list)),
                _ => {
                    let reason = "its JSON is one object without exactly one list of records in it".to_owned();
                    return Err(neither(source, reason));
                }
            },
            Ok(Shape::Scalar) => {
                return Err(neither(source, "its JSON is neither an array nor an object".to_owned()));
            }
            // A second value after the first is what JSON lines look like to a parser of one value.
            Err(error) if lines || stream::is_trailing(&error) => Form::Lines,
            Err(_) if skip && is_lines(source, text)? => Form::Lines,
            Err(error) => return Err(json_error(source, &error)),
        };
        Ok(Self { source, text, form, numbering: Numbering::default(), skip, skipped: 0, first_skipped: None, cut: 0 })
    }

    /// Hands a record on with its fields numbered.
    fn hand_on(&mut self, mut record: Object, each: &mut Each<'_>) -> Result<(), LoadError> {
        let mut document = Value::Object(record.clone()).to_string();
        if may_be_cut(document.len()) {
            record.values_mut().for_each(|value| shorten(value, &mut self.cut));
            document = Value::Object(record.clone()).to_string();
        }
        let flat = flatten(&record);
        let cells = self.numbering.cells(&flat);
        each(Row { cells: &cells, document: Some(&document) })
    }
}

/// Returns whether each of the first lines begins and ends as an object does: a broken one among them hides that.
fn is_lines(source: &Source<'_>, text: &Text) -> Result<bool, LoadError> {
    let mut objects = 0;
    for line in BufReader::new(text.reader(source)?).lines().take(10) {
        let line = line.map_err(|error| source.failed(error))?;
        let line = line.trim();
        objects += usize::from(line.starts_with('{') && line.ends_with('}'));
    }
    Ok(objects > 1)
}

impl Reader for Records<'_> {
    fn read(&mut self, each: &mut Each<'_>) -> Result<(), LoadError> {
        let (source, form) = (self.source, self.form.clone());
        (self.skipped, self.cut) = (0, 0);
        let reader = BufReader::with_capacity(64 * 1024, self.text.reader(source)?);
        match form {
            Form::Lines => lines::read(source, reader, &mut |record| match record {
                Err(error) if self.skip => {
                    self.skipped += 1;
                    self.first_skipped.get_or_insert_with(|| error.to_string());
                    Ok(())
                }
                record => self.hand_on(record?, each),
            }),
            Form::Array(_) | Form::Single => {
                let mut refused = None;
                let mut take = |at: usize, text: &str| -> bool {
                    let handed = record(source, at, text).and_then(|record| self.hand_on(record, each));
                    refused = handed.err();
                    refused.is_none()
                };
                let ended = match &form {
                    Form::Array(member) => stream::items(reader, member.as_deref(), &mut take),
                    _ => stream::single(reader, &mut take),
                };
                match (refused, ended) {
                    (Some(refused), _) => Err(refused),
                    (None, Err(error)) => Err(json_error(source, &error)),
                    (None, Ok(())) => Ok(()),
                }
            }
        }
    }

    fn names(&self) -> Vec<String> {
        self.numbering.names.clone()
    }

    fn warnings(&self) -> Vec<String> {
        let first = self.first_skipped.as_deref().unwrap_or_default();
        let skipped = (self.skipped > 0).then(|| format!("{} lines were left out; the first: {first}", self.skipped));
        skipped.into_iter().chain(cut_warning(self.cut)).collect()
    }
}

/// Reads an item as a record.
fn record(source: &Source<'_>, at: usize, text: &str) -> Result<Object, LoadError> {
    match serde_json::from_str(&big::quoted(text)) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(neither(source, format!("item {} of the array is no object", at + 1))),
        Err(error) => {
            let reason = format!("item {}: {error}", at + 1);
            Err(LoadError::Json { name: source.name.clone(), line: error.line(), reason })
        }
    }
}

fn json_error(source: &Source<'_>, error: &serde_json::Error) -> LoadError {
    LoadError::Json { name: source.name.clone(), line: error.line(), reason: error.to_string() }
}

fn neither(source: &Source<'_>, reason: String) -> LoadError {
    LoadError::Unrecognised { name: source.name.clone(), reason }
}

#[cfg(test)]
mod tests {
    use super::super::decode;
    use super::*;

    fn read(text: &str, lines: bool) -> Result<usize, LoadError> {
        let source = Source::bytes("t", text.as_bytes());
        let text = decode::examine(&source)?;
        let mut count = 0;
        Records::open(&source, &text, lines, false)?.read(&mut |_| {
            count += 1;
            Ok(())
        })?;
        Ok(count)
    }

    #[test]
    fn lines_may_be_blank_and_marked() {
        assert_eq!(read("{\"a\": 1}\n\n\u{feff}{\"a\": 2}\r\n", true).unwrap(), 2);
        assert_eq!(read("{\"a\": 1}\n{\"a\": 2}", false).unwrap(), 2);
    }

    #[test]
    fn mistakes_name_their_line() {
        let error = read("{\"a\": 1}\n{\"a\": }\n", true).unwrap_err();
        assert!(matches!(error, LoadError::Json { line: 2, .. }), "{error}");
        let error = read("[{\"a\": 1},\n {\"a\" 2}]", false).unwrap_err();
        assert!(matches!(error, LoadError::Json { line: 2, .. }), "{error}");
        assert!(read("[1, 2]", false).unwrap_err().to_string().contains("item 1"));
        assert!(read("{\"a\": 1}\n[2]\n", true).unwrap_err().to_string().contains("line 2"));
    }

    #[test]
    fn a_wrapped_list_is_found() {
        assert_eq!(read("{\"count\": 2, \"rows\": [{\"a\": 1}, {\"a\": 2}]}", false).unwrap(), 2);
        assert!(read("{\"a\": 1}", false).is_err());
    }
}
