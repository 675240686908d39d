//! The report on standard output: byte for byte into a file or pipe, broken between words on a terminal.

use std::io::{self, Write};

use console::{Style, Term};

use super::line::Line;

/// The report as it comes.
pub struct Page<W> {
    out: W,
    /// Columns of the terminal; `None` when it is none.
    width: Option<usize>,
    /// The part of a line whose end has not come yet; kept on a terminal only.
    rest: String,
}

impl<W: Write> Page<W> {
    /// A page on `out`, which leads where `term` leads.
    pub fn new(out: W, term: &Term) -> Self {
        let width = term.is_term().then(|| usize::from(term.size().1));
        Self { out, width, rest: String::new() }
    }

    /// Writes a part of the report.
    pub fn write(&mut self, text: &str) -> io::Result<()> {
        if self.width.is_none() {
            self.out.write_all(text.as_bytes())?;
            return self.out.flush();
        }
        for part in text.split_inclusive('\n') {
            self.rest.push_str(part);
            if part.ends_with('\n') {
                self.end_line()?;
            }
        }
        self.out.flush()
    }

    /// Writes what is left of the last line.
    pub fn finish(&mut self) -> io::Result<()> {
        if !self.rest.is_empty() {
            self.end_line()?;
        }
        self.out.flush()
    }

    fn end_line(&mut self) -> io::Result<()> {
        let text = std::mem::take(&mut self.rest);
        let text = text.trim_end_matches(['\n', '\r']);
        let line = match text.strip_prefix("- ") {
            Some(item) => Line::marked(Style::new(), "- ").text(item),
            None if text.starts_with('#') => Line::default().styled(Style::new().bold(), text),
            None => Line::default().text(text),
        };
        for line in line.broken(self.width) {
            writeln!(self.out, "{line}")?;
        }
        Ok(())
    }
}
