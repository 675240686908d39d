//! Splits documents into passages of a few sentences.

use std::ops::Range;

use research_agents_report::text::sentences;
use serde::{Deserialize, Serialize};

use crate::read::{Block, BlockKind, ReadDocument};

/// Version of the way in which documents are split. An index of another version is made again.
pub(crate) const SPLIT_VERSION: u32 = 2;

/// Length from which a passage takes no further block, in bytes.
const ENOUGH: usize = 600;
/// Maximum length of a passage in bytes, unless a single sentence is longer.
const MOST: usize = 1_200;
/// Maximum length of a sentence in bytes before it is cut.
const LONGEST: usize = 4_000;

/// A passage of a document: consecutive blocks of one section, or a part of a long block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PassageSpan {
    /// Bytes of the document's text.
    pub range: Range<usize>,
    /// Index of the section that contains it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<usize>,
    /// Number of the page on which it begins, in formats with pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
}

/// Splits a document into passages, in the order of its text. A term is in the passage that begins
/// its definition.
pub fn passages_of(document: &ReadDocument) -> Vec<PassageSpan> {
    let mut found = Vec::new();
    let mut open: Option<PassageSpan> = None;
    // Where the terms at the end of the open passage begin.
    let mut terms: Option<usize> = None;
    for block in &document.blocks {
        let begun = terms.filter(|start| match block.kind {
            BlockKind::Heading => false,
            BlockKind::Term => block.range.end - start <= ENOUGH,
            _ => true,
        });
        terms = (block.kind == BlockKind::Term).then_some(begun.unwrap_or(block.range.start));
        let length = block.range.end - block.range.start;
        if let Some(current) = &mut open {
            let so_far = current.range.end - current.range.start;
            let fits = current.section == block.section
                && block.kind != BlockKind::Heading
                && so_far < ENOUGH
                && so_far + length <= MOST;
            if fits {
                current.range.end = block.range.end;
                continue;
            }
        }

        // A term whose definition does not fit is moved to the passage of that.
        let begin = begun.unwrap_or(block.range.start);
        let before = open.take().and_then(|own| own.up_to(begin, document));
        found.extend(before);
        if block.range.end - begin <= MOST {
            open = Some(passage(block, begin..block.range.end));
        } else {
            let text = document.slice(&block.range);
            let parts = parts_of(text, block.kind).into_iter().enumerate();
            found.extend(parts.map(|(at, part)| {
                let start = block.range.start;
                let first = if at == 0 { begin } else { start + part.start };
                passage(block, first..start + part.end)
            }));
        }
    }
    found.extend(open);
    found
}

impl PassageSpan {
    /// Returns the part before a byte, without white space at its end; `None` if nothing is left.
    fn up_to(mut self, end: usize, document: &ReadDocument) -> Option<Self> {
        if end < self.range.end {
            self.range.end = end.max(self.range.start);
            let left = document.slice(&self.range).trim_end().len();
            self.range.end = self.range.start + left;
        }
        (!self.range.is_empty()).then_some(self)
    }
}

fn passage(block: &Block, range: Range<usize>) -> PassageSpan {
    PassageSpan {
        range,
        section: block.section,
        page: block.page,
    }
}

/// Splits a long block at the ends of sentences, or of lines where lines count.
fn parts_of(text: &str, kind: BlockKind) -> Vec<Range<usize>> {
    let units: Vec<Range<usize>> = if kind == BlockKind::Code {
        let mut at = 0;
        text.split_inclusive('\n')
            .map(|line| {
                at += line.len();
                at - line.len()..at
            })
            .collect()
    } else {
        sentences(text)
    };

    let mut parts: Vec<Range<usize>> = Vec::new();
    for unit in units.into_iter().flat_map(|unit| cut(text, unit)) {
        match parts.last_mut() {
            Some(last) if unit.end - last.start <= ENOUGH.max(MOST * 3 / 4) => last.end = unit.end,
            _ => parts.push(unit),
        }
    }

    // White space at the ends belongs to no passage.
    let trimmed = parts.into_iter().filter_map(|part| {
        let text = &text[part.clone()];
        let start = part.start + (text.len() - text.trim_start().len());
        let end = part.start + text.trim_end().len();
        (start < end).then_some(start..end)
    });
    trimmed.collect()
}

/// Cuts a unit that is too long for a passage.
fn cut(text: &str, unit: Range<usize>) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = unit.start;
    while unit.end - start > LONGEST {
        let mut end = start + LONGEST;
        while !text.is_char_boundary(end) {
            end -= 1;
        }

        // A part ends after a word where there is one.
        if let Some(space) = text[start..end].rfind(char::is_whitespace)
            && space > LONGEST / 2
        {
            end = start + space;
        }
        parts.push(start..end);
        start = end;
    }
    parts.push(start..unit.end);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{Format, ReadLimits, read};

    fn texts(html: &str) -> Vec<String> {
        let document = read(html.as_bytes(), Some(Format::Html), &ReadLimits::default()).unwrap();
        let passages = passages_of(&document).into_iter();
        let texts = passages.map(|passage| document.slice(&passage.range).to_owned());
        texts.collect()
    }

    #[test]
    fn a_term_is_in_the_passage_of_its_definition() {
        let about =
            |word: &str, times: usize| format!("It sets the {word} of a query. ").repeat(times);
        for times in [30, 60] {
            let html = format!(
                "<dl><dt>first_mem</dt><dd><p>{}</p></dd><dt>work_mem</dt><dd><p>{}</p></dd></dl>",
                about("buffer", 15),
                about("sort", times),
            );

            let found = texts(&html);
            let of_term: Vec<&String> = found
                .iter()
                .filter(|one| one.contains("work_mem"))
                .collect();
            assert_eq!(of_term.len(), 1, "{found:?}");
            assert!(
                of_term[0].starts_with("work_mem") && of_term[0].contains("sort"),
                "{found:?}"
            );
            let whole: usize = found
                .iter()
                .map(|one| one.matches(" of a query.").count())
                .sum();
            assert_eq!(whole, 15 + times);
        }
    }

    #[test]
    fn terms_without_definitions_fill_no_passage_beyond_its_size() {
        let terms: String = (0..400).map(|at| format!("<dt>option_{at}</dt>")).collect();
        let found = texts(&format!("<dl>{terms}</dl>"));
        assert!(found.iter().all(|one| one.len() <= MOST), "{found:?}");
        let number: usize = found.iter().map(|one| one.matches("option_").count()).sum();
        assert_eq!(number, 400);
    }
}
