//! Splits documents into passages of a few sentences.

use std::ops::Range;

use research_agents_report::text::sentences;
use serde::{Deserialize, Serialize};

use crate::read::{Block, BlockKind, ReadDocument};

/// Version of the way in which documents are split. An index of another version is made again.
pub(crate) const SPLIT_VERSION: u32 = 1;

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

/// Splits a document into passages, in the order of its text.
pub fn passages_of(document: &ReadDocument) -> Vec<PassageSpan> {
    let mut found = Vec::new();
    let mut open: Option<PassageSpan> = None;
    for block in &document.blocks {
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

        found.extend(open.take());
        if length <= MOST {
            open = Some(passage(block, block.range.clone()));
        } else {
            let text = document.slice(&block.range);
            let parts = parts_of(text, block.kind);
            found.extend(parts.into_iter().map(|part| {
                let start = block.range.start;
                passage(block, start + part.start..start + part.end)
            }));
        }
    }
    found.extend(open);
    found
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
