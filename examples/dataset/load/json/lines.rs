//! One JSON object a line.

use std::io::BufRead;

use serde_json::Value;

use super::super::super::data::Object;
use super::super::super::error::LoadError;
use super::super::source::Source;
use super::{big, neither};

/// Reads the lines. Blank ones are passed over, and so is a mark at the beginning of any line, as joined files have it.
pub(super) fn read(
    source: &Source<'_>,
    mut reader: impl BufRead,
    each: &mut dyn FnMut(Result<Object, LoadError>) -> Result<(), LoadError>,
) -> Result<(), LoadError> {
    let mut bytes = Vec::new();
    let mut line = 0;
    loop {
        bytes.clear();
        if reader.read_until(b'\n', &mut bytes).map_err(|error| source.failed(error))? == 0 {
            return Ok(());
        }
        line += 1;
        let text = String::from_utf8_lossy(&bytes);
        let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        if !text.is_empty() {
            each(record(source, line, text))?;
        }
    }
}

fn record(source: &Source<'_>, line: usize, text: &str) -> Result<Object, LoadError> {
    match serde_json::from_str(&big::quoted(text)) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(neither(source, format!("line {line} is no JSON object"))),
        Err(error) => {
            // The parser saw one line and calls it line 1.
            let reason = error.to_string().replace(" at line 1 column", " at column");
            Err(LoadError::Json { name: source.name.clone(), line, reason })
        }
    }
}
