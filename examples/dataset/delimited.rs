//! Reads delimited text: detects the delimiter, repairs the header, fills up short lines.

use std::collections::HashSet;

use csv::{ReaderBuilder, StringRecord};

use super::error::LoadError;

/// Delimiters that are looked for, the likeliest first.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];
/// Lines that are looked at to detect the delimiter.
const SAMPLE: usize = 50;

/// Column names and cells, line after line. `None` is an empty cell.
pub(super) struct Table {
    pub(super) columns: Vec<String>,
    pub(super) rows: Vec<Vec<Option<String>>>,
    pub(super) warnings: Vec<String>,
}

/// Reads the text. `certain` when the file's name says that it is delimited; then a single column is not doubted.
pub(super) fn read(name: &str, text: &str, certain: bool) -> Result<Table, LoadError> {
    let csv_error = |source| LoadError::Csv { name: name.to_owned(), source };
    let delimiter = match detect(text, certain) {
        Some(delimiter) => delimiter,
        None if certain => b',',
        None => {
            let reason = "no delimiter (comma, semicolon, tab or bar) stands in every line".to_owned();
            return Err(LoadError::Unrecognised { name: name.to_owned(), reason });
        }
    };
    let mut reader = reader(text, delimiter);
    let header = reader.headers().map_err(csv_error)?.clone();
    let columns = columns(&header);
    let mut rows = Vec::new();
    let mut short = 0_usize;
    let mut first_short = 0;
    let mut record = StringRecord::new();
    let mut last = None;
    while reader.read_record(&mut record).map_err(csv_error)? {
        let line = record.position().map_or(0, csv::Position::line);
        last = record.position().cloned();
        if record.iter().skip(columns.len()).any(|cell| !cell.trim().is_empty()) {
            return Err(LoadError::TooManyCells {
                name: name.to_owned(),
                line,
                cells: record.len(),
                columns: columns.len(),
                delimiter: char::from(delimiter),
            });
        }
        if record.len() < columns.len() {
            first_short = if short == 0 { line } else { first_short };
            short += 1;
        }
        let cell = |index| record.get(index).filter(|cell| !cell.trim().is_empty()).map(str::to_owned);
        rows.push((0..columns.len()).map(cell).collect());
    }
    if let Some(last) = last {
        // The reader takes a quote that is never closed to the end of the file, with every line after it.
        let rest = usize::try_from(last.byte()).ok().and_then(|from| text.get(from..)).unwrap_or_default();
        if rest.trim().contains('\n') && rest.bytes().filter(|byte| *byte == b'"').count() % 2 == 1 {
            return Err(LoadError::OpenQuote { name: name.to_owned(), line: last.line() });
        }
    }
    let mut warnings = Vec::new();
    if short > 0 {
        warnings.push(format!(
            "{short} lines have fewer cells than there are columns (the first is line {first_short}); the rest is empty"
        ));
    }
    Ok(Table { columns, rows, warnings })
}

fn reader(text: &str, delimiter: u8) -> csv::Reader<&[u8]> {
    ReaderBuilder::new().delimiter(delimiter).flexible(true).trim(csv::Trim::All).from_reader(text.as_bytes())
}

/// The delimiter under which the most lines have as many cells as the header, and at least two; `None` when there is none. Unless
/// it is certain that the text is delimited, half of the lines must agree.
fn detect(text: &str, certain: bool) -> Option<u8> {
    // Of equal ones `max_by_key` takes the last.
    DELIMITERS
        .iter()
        .rev()
        .filter_map(|delimiter| {
            let mut reader = reader(text, *delimiter);
            let columns = reader.headers().ok()?.len();
            if columns < 2 {
                return None;
            }
            let lines: Vec<usize> =
                reader.records().take(SAMPLE).filter_map(Result::ok).map(|record| record.len()).collect();
            let same = lines.iter().filter(|cells| **cells == columns).count();
            // Prose has commas too, but not the same number of them in every line.
            if !certain && same * 2 < lines.len() {
                return None;
            }
            Some((same * 1_000 / lines.len().max(1), columns, *delimiter))
        })
        .max_by_key(|(share, columns, _)| (*share, *columns))
        .map(|(_, _, delimiter)| delimiter)
}

/// Column names that are not empty and not used twice: `column_3` for the third when it has none, `name_2` for a second `name`.
fn columns(header: &StringRecord) -> Vec<String> {
    let given: HashSet<String> = header.iter().map(|name| name.trim().to_owned()).collect();
    let mut used = HashSet::new();
    header
        .iter()
        .enumerate()
        .map(|(index, name)| {
            let base = match name.trim() {
                "" => format!("column_{}", index + 1),
                name => name.to_owned(),
            };
            let mut name = base.clone();
            let mut number = 1;
            while used.contains(&name) || (number > 1 && given.contains(&name)) {
                number += 1;
                name = format!("{base}_{number}");
            }
            used.insert(name.clone());
            name
        })
        .collect()
}
