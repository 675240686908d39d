//! Reads delimited text: detects the delimiter, repairs the header, fills up short lines.

use std::io::{BufReader, Read};

use csv::{ReaderBuilder, StringRecord};

use super::super::error::LoadError;
use super::decode::Text;
use super::names;
use super::row::{Cell, Cells, Each, Reader, Row, cut, cut_warning};
use super::source::Source;

/// Delimiters that are looked for, the likeliest first.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];
/// Lines that are looked at to detect the delimiter.
const SAMPLE: usize = 50;
/// Bytes that are looked at to detect the delimiter.
const SAMPLE_BYTES: u64 = 8 << 20;

/// Delimited text.
pub(super) struct Table<'s> {
    source: &'s Source<'s>,
    text: &'s Text,
    delimiter: u8,
    columns: Vec<String>,
    /// Lines with fewer cells than columns, and the first of them.
    short: u64,
    first_short: u64,
    /// Cells that were cut.
    cut: u64,
}

impl<'s> Table<'s> {
    /// Detects the delimiter and reads the header. `certain` when the file's name says that it is delimited; then a single column is
    /// not doubted.
    pub(super) fn open(source: &'s Source<'s>, text: &'s Text, certain: bool) -> Result<Self, LoadError> {
        let delimiter = match detect(source, text, certain)? {
            Some(delimiter) => delimiter,
            None if certain => b',',
            None => {
                let reason = "no delimiter (comma, semicolon, tab or bar) stands in every line".to_owned();
                return Err(LoadError::Unrecognised { name: source.name.clone(), reason });
            }
        };
        let mut reader = reader(text.reader(source)?, delimiter);
        let header = reader.headers().map_err(|error| csv_error(source, error))?;
        Ok(Self { source, text, delimiter, columns: names::unique(header.iter()), short: 0, first_short: 0, cut: 0 })
    }

    /// Finds a quote that is never closed: the reader takes it to the end of the file, with every line after it.
    fn check_quotes(&self, last: &csv::Position) -> Result<(), LoadError> {
        let failed = |error| self.source.failed(error);
        let mut rest = BufReader::new(self.text.reader(self.source)?);
        std::io::copy(&mut rest.by_ref().take(last.byte()), &mut std::io::sink()).map_err(failed)?;

        let (mut quotes, mut begun, mut broken, mut goes_on) = (0_u64, false, false, false);
        for byte in rest.bytes() {
            match byte.map_err(failed)? {
                b'\n' if begun => broken = true,
                byte if !byte.is_ascii_whitespace() => {
                    quotes += u64::from(byte == b'"');
                    begun = true;
                    goes_on |= broken;
                }
                _ => {}
            }
        }
        if goes_on && quotes % 2 == 1 {
            return Err(LoadError::OpenQuote { name: self.source.name.clone(), line: last.line() });
        }
        Ok(())
    }
}

impl Reader for Table<'_> {
    fn read(&mut self, each: &mut Each<'_>) -> Result<(), LoadError> {
        let failed = |error| csv_error(self.source, error);
        let mut reader = reader(self.text.reader(self.source)?, self.delimiter);
        reader.headers().map_err(failed)?;
        (self.short, self.first_short, self.cut) = (0, 0, 0);
        let count = self.columns.len();
        let mut record = StringRecord::new();
        let mut last = None;

        while reader.read_record(&mut record).map_err(failed)? {
            let line = record.position().map_or(0, csv::Position::line);
            last = record.position().cloned();
            if record.iter().skip(count).any(|cell| !cell.trim().is_empty()) {
                return Err(LoadError::TooManyCells {
                    name: self.source.name.clone(),
                    line,
                    cells: record.len(),
                    columns: count,
                    delimiter: char::from(self.delimiter),
                });
            }
            if record.len() < count {
                self.first_short = if self.short == 0 { line } else { self.first_short };
                self.short += 1;
            }

            let cells: Vec<(usize, Cells<'_>)> = record
                .iter()
                .take(count)
                .enumerate()
                .filter(|(_, cell)| !cell.trim().is_empty())
                .map(|(at, cell)| (at, Cells::One(Cell::Untyped(cut(cell, &mut self.cut)))))
                .collect();
            each(Row { cells: &cells, document: None })?;
        }
        last.map_or(Ok(()), |last| self.check_quotes(&last))
    }

    fn names(&self) -> Vec<String> {
        self.columns.clone()
    }

    /// Programs separate cells by semicolons where the comma is the decimal mark.
    fn has_decimal_commas(&self) -> bool {
        self.delimiter == b';'
    }

    fn warnings(&self) -> Vec<String> {
        let (short, first) = (self.short, self.first_short);
        let short = (short > 0).then(|| {
            format!(
                "{short} lines have fewer cells than there are columns (the first is line {first}); the rest is empty"
            )
        });
        short.into_iter().chain(cut_warning(self.cut)).collect()
    }
}

fn csv_error(source: &Source<'_>, error: csv::Error) -> LoadError {
    LoadError::Csv { name: source.name.clone(), source: error }
}

fn reader<R: Read>(text: R, delimiter: u8) -> csv::Reader<R> {
    ReaderBuilder::new().delimiter(delimiter).flexible(true).trim(csv::Trim::All).from_reader(text)
}

/// The delimiter under which the most lines have as many cells as the header, and at least two; `None` when there is none. Unless
/// it is certain that the text is delimited, half of the lines must agree.
fn detect(source: &Source<'_>, text: &Text, certain: bool) -> Result<Option<u8>, LoadError> {
    let mut head = Vec::new();
    text.reader(source)?.take(SAMPLE_BYTES).read_to_end(&mut head).map_err(|error| source.failed(error))?;
    // Of equal ones `max_by_key` takes the last.
    let best = DELIMITERS
        .iter()
        .rev()
        .filter_map(|delimiter| {
            let mut reader = reader(head.as_slice(), *delimiter);
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
        .map(|(_, _, delimiter)| delimiter);
    Ok(best)
}
