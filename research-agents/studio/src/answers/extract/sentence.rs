//! Sentences of passages, with what is above them.

use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

use research_agents_report::language::Language;
use research_agents_report::passage::{Passage, PassageRegistry};
use research_agents_report::text::{content_stems, sentences, words};
use research_agents_report::trust::value::Typed;

use crate::answers::extract::events;

/// Characters of the longest sentence that is read.
const LONGEST: usize = 500;

/// Characters of the longest line that is taken for the term above a definition.
const LONGEST_TERM: usize = 160;

/// Maximum number of sentences that say what a sentence is about.
const MOST_BEFORE: usize = 4;

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
    /// Title, address, site, headings, and the term that it defines.
    pub above: String,
    /// The sentences before it in its passage, up to the term that it defines.
    pub before: String,
    /// The term that it defines; empty without one.
    pub term: &'p str,
    /// Stems of the title and of the address of its document.
    pub named: Rc<BTreeSet<String>>,
    /// Stems of its content words.
    pub stems: BTreeSet<String>,
    /// Stems of the content words above it.
    pub stems_above: BTreeSet<String>,
    /// Stems of the content words of each sentence before it, the nearest first.
    pub stems_before: Vec<BTreeSet<String>>,
}

impl<'p> Sentence<'p> {
    /// Returns the sentences of all passages. Questions and long sentences are left out.
    pub(super) fn of(passages: &'p PassageRegistry) -> Vec<Self> {
        let mut found = Vec::new();
        for passage in passages.iter() {
            let document = passages.document_of(passage);
            let named = document.map_or(String::new(), |document| {
                let origin = &document.origin;
                format!("{}. {}", document.title.for_code(), origin.address)
            });
            let site = document.map_or("", |document| &document.origin.site);
            let above = format!("{named}. {site}. {}", passage.found.section.join(". "));
            let named: Rc<BTreeSet<String>> = Rc::new(content_stems(&named).into_iter().collect());

            let (mut term, mut earlier): (&str, Vec<&str>) = ("", Vec::new());
            let whole = passage.text.for_code();
            for span in sentences(whole) {
                let text = &whole[span.clone()];
                if is_term(whole, &span) {
                    term = text;
                    earlier.clear();
                }
                let before = earlier.join(" ");
                let stems_of = |one: &&str| content_stems(one).into_iter().collect();
                let stems_before = earlier.iter().rev().map(stems_of).collect();
                earlier.push(text);
                if earlier.len() > MOST_BEFORE {
                    earlier.remove(0);
                }
                if text.trim_end().ends_with('?') || text.chars().count() > LONGEST {
                    continue;
                }
                // Of a row of a table, the first cell says what it is about.
                let about = text.split('\t').next().unwrap_or(text);
                let above = format!("{above}. {term}");
                found.push(Self {
                    passage,
                    text,
                    span,
                    language: document.map(|own| own.language).unwrap_or_default(),
                    stems: content_stems(about).into_iter().collect(),
                    stems_above: content_stems(&above).into_iter().collect(),
                    stems_before,
                    before,
                    above,
                    term,
                    named: Rc::clone(&named),
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

    /// Returns whether it is more than a heading, a term or a row of a table.
    pub(super) fn says_something(&self, least_words: usize) -> bool {
        let own = self.text.trim();
        let is_sentence = own.ends_with(['.', '!', ';', ':']) && !own.contains('\t');
        is_sentence && words(own).len() >= least_words
    }

    /// Returns how far before it a stem is, in sentences; 0 for the nearest one.
    pub(super) fn distance_of(&self, stem: &str) -> Option<usize> {
        let mut before = self.stems_before.iter();
        before.position(|stems| stems.contains(stem))
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

/// Returns whether a sentence is a short paragraph without an end mark, as the terms of a list of
/// definitions are.
fn is_term(text: &str, span: &Range<usize>) -> bool {
    let own = text[span.clone()].trim();
    let is_open = !own.ends_with(['.', '!', '?', ':', ';', ',']);
    let begins = text[..span.start].trim_end_matches(' ');
    let ends = text[span.end..].trim_start_matches(' ');
    let is_alone = (begins.is_empty() || begins.ends_with('\n')) && ends.starts_with("\n\n");
    let is_row = own.contains('\t');
    is_open && is_alone && !is_row && own.chars().count() <= LONGEST_TERM
}
