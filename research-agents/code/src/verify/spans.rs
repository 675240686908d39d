//! Reads the lines of spans again, and finds them where they have moved to.

use crate::base::{Snapshot, Span, hash, span_of};
use crate::facts::LineIndex;

/// What became of a span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reread {
    /// The lines have the same bytes.
    Same,
    /// The bytes are at other lines now: the first of these.
    Moved(usize),
    /// The bytes have left the file, or the file is gone.
    Lost,
}

/// Reads the lines of a span again. A file that changes while it is read is read once more.
pub(crate) fn reread(files: &Snapshot, span: &Span) -> Reread {
    if hash(&span.bytes) != span.hash {
        return Reread::Lost;
    }
    for _ in 0..2 {
        let Ok(bytes) = files.tree().read_bytes(&span.path) else {
            return Reread::Lost;
        };
        let lines = (span.first, span.last);
        let now = span_of(&span.path, &bytes, lines, span.provenance);
        if now.is_ok_and(|now| now.hash == span.hash && now.last == span.last) {
            return Reread::Same;
        }
        if let Some(first) = moved(&bytes, span) {
            return Reread::Moved(first);
        }
    }
    Reread::Lost
}

/// Returns the first line at which the bytes of a span are now: the one nearest to the old.
fn moved(bytes: &[u8], span: &Span) -> Option<usize> {
    if span.bytes.trim_ascii().is_empty() {
        return None;
    }
    let lines = LineIndex::new(bytes);
    let length = span.last.checked_sub(span.first)?;

    if LineIndex::new(&span.bytes).count() != length + 1 {
        return None;
    }
    (1..=lines.count().saturating_sub(length))
        .filter(|first| {
            let range = lines.bytes(*first, first + length);
            let found = range.and_then(|range| bytes.get(range));
            // The last line of a file may have lost or got its end.
            found.is_some_and(|found| {
                found == span.bytes.as_slice()
                    || found.trim_ascii_end() == span.bytes.trim_ascii_end()
            })
        })
        .min_by_key(|first| first.abs_diff(span.first))
}

/// Moves the numbers of lines in a sentence that are within a span, as in `line 3` and `lines 3, 5
/// and 9`.
pub(crate) fn move_lines(text: &str, span: &Span, first: usize) -> String {
    let mut moved = String::with_capacity(text.len());
    let mut is_after_line = false;
    let mut number = String::new();
    let flush = |number: &mut String, moved: &mut String, is_after_line: bool| {
        let line: Option<usize> = number.parse().ok();
        match line.filter(|line| is_after_line && (span.first..=span.last).contains(line)) {
            Some(line) => moved.push_str(&(line - span.first + first).to_string()),
            None => moved.push_str(number),
        }
        number.clear();
    };
    let mut word = String::new();

    for c in text.chars() {
        if c.is_ascii_digit() && word.is_empty() {
            number.push(c);
            continue;
        }
        flush(&mut number, &mut moved, is_after_line);
        if c.is_alphabetic() {
            word.push(c);
        } else {
            match word.as_str() {
                "line" | "lines" => is_after_line = true,
                "" | "and" => {}
                _ => is_after_line = false,
            }
            word.clear();
            is_after_line &= matches!(c, ' ' | ',' | '–');
        }
        moved.push(c);
    }
    flush(&mut number, &mut moved, is_after_line);
    moved
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Provenance;
    use crate::tree::RelPath;

    #[test]
    fn only_numbers_of_lines_within_the_span_are_moved() {
        let path = RelPath::parse("a.rs").unwrap();
        let span = Span::new(path, (10, 12), Vec::new(), Provenance::Manual);
        assert_eq!(
            move_lines(
                "`a10` has 10 calls in lines 10, 12 and 40; line 11.",
                &span,
                20
            ),
            "`a10` has 10 calls in lines 20, 22 and 40; line 21."
        );
    }
}
