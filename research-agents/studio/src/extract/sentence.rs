//! Sentences of passages, with what is above them.

use std::collections::BTreeSet;
use std::ops::Range;

use research_agents_report::language::Language;
use research_agents_report::passage::{Passage, PassageRegistry};
use research_agents_report::text::{content_stems, sentences, words};
use research_agents_report::trust::value::Typed;

use crate::extract::events;

/// Characters of the longest sentence that is read.
const LONGEST: usize = 500;

/// Words before which another clause begins.
const CLAUSES: [&str; 8] = [
    "but", "while", "whereas", "although", "though", "and", "or", "which",
];

/// A sentence of a passage.
pub(super) struct Sentence<'p> {
    pub passage: &'p Passage,
    pub text: &'p str,
    /// Its place in the text of the passage, in bytes.
    pub span: Range<usize>,
    pub language: Language,
    /// Title, headings and site.
    pub above: String,
    /// Stems of its content words.
    pub stems: BTreeSet<String>,
    /// Stems of the content words above it.
    pub stems_above: BTreeSet<String>,
}

impl<'p> Sentence<'p> {
    /// Returns the sentences of all passages. Questions and long sentences are left out.
    pub(super) fn of(passages: &'p PassageRegistry) -> Vec<Self> {
        let mut found = Vec::new();
        for passage in passages.iter() {
            let document = passages.document_of(passage);
            let mut above: Vec<&str> = passage.found.section.iter().map(String::as_str).collect();
            if let Some(document) = document {
                above.extend([document.title.for_code().as_str(), &document.origin.site]);
            }
            let above = above.join(". ");
            let stems_above: BTreeSet<String> = content_stems(&above).into_iter().collect();

            let whole = passage.text.for_code();
            for span in sentences(whole) {
                let text = &whole[span.clone()];
                if text.trim_end().ends_with('?') || text.chars().count() > LONGEST {
                    continue;
                }
                found.push(Self {
                    passage,
                    text,
                    span,
                    language: document.map(|own| own.language).unwrap_or_default(),
                    above: above.clone(),
                    stems: content_stems(text).into_iter().collect(),
                    stems_above: stems_above.clone(),
                });
            }
        }
        found
    }

    /// Returns whether a stem, or that of another word for the same event, is in it or above it.
    pub(super) fn holds(&self, stem: &str) -> bool {
        let has = |stem: &str| self.stems.contains(stem) || self.stems_above.contains(stem);
        has(stem) || events::others(stem).any(has)
    }

    /// Returns the clause of a value: up to a semicolon, a bracket or a conjunction, and up to a
    /// comma towards another value.
    pub(super) fn clause(&self, typed: &Typed, all: &[Typed]) -> Range<usize> {
        let has_value = |range: Range<usize>| {
            let within = |one: &Typed| range.start <= one.core.start && one.core.end <= range.end;
            all.iter().any(within)
        };
        let (mut start, mut end) = (0, self.text.len());
        let mut cut = |at: usize, after: usize, is_weak: bool| {
            if after <= typed.core.start && (!is_weak || has_value(0..at)) {
                start = start.max(after);
            } else if at >= typed.core.end && (!is_weak || has_value(after..self.text.len())) {
                end = end.min(at);
            }
        };

        for (at, c) in self.text.char_indices() {
            match c {
                ';' | '(' | ')' | '[' | ']' | '—' => cut(at, at + c.len_utf8(), false),
                ',' if self.text[at + 1..].starts_with(' ') => cut(at, at + 1, true),
                _ => {}
            }
        }
        for word in words(self.text) {
            let is_weak = ["and", "or"].contains(&word.lower.as_str());
            if CLAUSES.contains(&word.lower.as_str()) {
                cut(word.start, word.end, is_weak);
            }
        }
        start..end
    }
}
