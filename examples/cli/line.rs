//! A line of styled text that is broken between words where the terminal ends.

use std::fmt;

use super::plain;
use console::{Style, measure_text_width};

/// Narrowest column of words; a terminal that leaves less is left to break lines itself.
const NARROWEST: usize = 20;

/// A line of spans. Where it is too long for the terminal it goes on below its text, not below its mark.
#[derive(Default)]
pub struct Line {
    indent: usize,
    spans: Vec<(Style, String)>,
}

impl Line {
    /// A line that begins with a mark, such as a bullet.
    pub fn marked(style: Style, mark: &str) -> Self {
        Self { indent: measure_text_width(mark), spans: vec![(style, mark.to_string())] }
    }

    /// A line without a mark that is indented as a whole.
    pub fn indented(indent: usize) -> Self {
        Self { indent, spans: vec![(Style::new(), " ".repeat(indent))] }
    }

    /// Adds plain text.
    pub fn text(self, text: impl fmt::Display) -> Self {
        self.styled(Style::new(), text)
    }

    /// Adds text in a style. Control characters, which data may hold, would take the terminal over: they become spaces, and what
    /// a reader does not see goes.
    pub fn styled(mut self, style: Style, text: impl fmt::Display) -> Self {
        let text = plain(&text.to_string().replace(char::is_control, " "));
        self.spans.push((style, text));
        self
    }

    /// The lines to print, none wider than `width` unless a single word is.
    pub fn broken(&self, width: Option<usize>) -> Vec<String> {
        let room = width.filter(|width| *width >= self.indent + NARROWEST).unwrap_or(usize::MAX);
        let mut lines = vec![String::new()];
        let (mut column, mut is_start) = (0, true);
        for (style, text) in &self.spans {
            let mut run = String::new();
            for piece in text.split_inclusive(' ') {
                let word = piece.trim_end_matches(' ');
                if !is_start && !word.is_empty() && column + measure_text_width(word) > room {
                    push(&mut lines, style, run.trim_end());
                    run.clear();
                    lines.push(" ".repeat(self.indent));
                    column = self.indent;
                }
                is_start = is_start && word.is_empty();
                run.push_str(piece);
                column += measure_text_width(piece);
            }
            push(&mut lines, style, &run);
        }
        lines.into_iter().map(|line| line.trim_end().to_string()).collect()
    }
}

fn push(lines: &mut [String], style: &Style, text: &str) {
    if let Some(line) = lines.last_mut().filter(|_| !text.is_empty()) {
        line.push_str(&style.apply_to(text).to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_goes_on_below_its_text() {
        let line = Line::marked(Style::new(), "  * ").text("one two three").text(" four five six seven");
        assert_eq!(line.broken(Some(24)), ["  * one two three four", "    five six seven"]);
        assert_eq!(line.broken(None), ["  * one two three four five six seven"]);
    }

    #[test]
    fn a_word_that_is_wider_than_the_terminal_stays_whole() {
        let line = Line::indented(2).text("a 0123456789012345678901234567890123456789 b");
        assert_eq!(line.broken(Some(24)), ["  a", "  0123456789012345678901234567890123456789", "  b"]);
    }

    #[test]
    fn the_data_cannot_command_the_terminal() {
        assert_eq!(Line::default().text("a\u{1b}[2Jb\r\nc\u{202e}d").broken(None), ["a [2Jb  cd"]);
    }
}
