//! Sentences of passages, with what is above them.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

use research_agents_report::language::Language;
use research_agents_report::passage::{Passage, PassageRegistry};
use research_agents_report::text::{content_stems, is_stop, sentences, words};
use research_agents_report::trust::value::{Typed, Value, values};

use crate::answers::extract::lexicon;
use crate::answers::extract::lexicon::is_compound;

/// Characters of the longest sentence that is read.
const LONGEST: usize = 500;

/// Characters of the longest line that is taken for the term above a definition.
const LONGEST_TERM: usize = 160;

/// Number of passages of a site that rules read. They tell sentences by their words alone, and find
/// ever more of them by chance in passages that are further away.
const NEAREST: usize = 8;

/// Maximum number of sentences that say what a sentence is about.
const MOST_BEFORE: usize = 4;

/// Minimum number of values of a list, which says nothing of a single one.
const LISTED: usize = 6;

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
    /// The site of its document.
    pub site: &'p str,
    /// Title, address, site, headings, and the term that it defines.
    pub above: String,
    /// The sentences before it in its passage, up to the term that it defines.
    pub before: String,
    /// The term that it defines; empty without one.
    pub term: &'p str,
    /// The place of the term with what is between it and the sentence; that of the sentence without
    /// one.
    pub with_term: Range<usize>,
    /// Stems of the title and of the address of its document.
    pub named: Rc<BTreeSet<String>>,
    /// Stems of its content words.
    pub stems: BTreeSet<String>,
    /// Stems of the content words above it.
    pub stems_above: BTreeSet<String>,
    /// Stems of the content words of the term, or of the heading that is nearest above it.
    pub stems_named: BTreeSet<String>,
    /// Stems of the content words of each sentence before it, the nearest first. Of a definition,
    /// the last one is what it begins with.
    pub stems_before: Vec<Rc<BTreeSet<String>>>,
    /// Stems of the content words of the sentence after it, up to the next term.
    pub stems_after: BTreeSet<String>,
    values: OnceCell<Vec<Typed>>,
    near: OnceCell<Near>,
}

/// What is near a sentence: above it, before it, and its own words.
pub(super) struct Near {
    /// All of it in lower case.
    pub text: String,
    /// The words in lower case, and their stems.
    pub words: BTreeSet<String>,
}

impl Near {
    /// Returns whether a name is one of the words, or its singular.
    pub(super) fn holds(&self, name: &str) -> bool {
        let plain = name.strip_suffix('s').unwrap_or(name);
        self.words.contains(name) || self.words.contains(plain)
    }

    /// Returns whether an identifier is there by itself, and not only as a part of another one, as
    /// `work_mem` in `autovacuum_work_mem`.
    pub(super) fn tells(&self, identifier: &str) -> bool {
        let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        self.text.match_indices(identifier).any(|(at, own)| {
            let before = self.text[..at].chars().next_back();
            let after = self.text[at + own.len()..].chars().next();
            !is_part(before) && !is_part(after)
        })
    }
}

impl<'p> Sentence<'p> {
    /// Returns the sentences of all passages, those of the [nearest](NEAREST) passages of each site
    /// first, and the number of these. Questions and long sentences are left out.
    pub(super) fn of(passages: &'p PassageRegistry) -> (Vec<Self>, usize) {
        let far: BTreeSet<&str> = far_passages(passages);
        let mut ordered: Vec<&Passage> = passages.iter().map(AsRef::as_ref).collect();
        ordered.sort_by_key(|passage| far.contains(passage.id.as_str()));
        let mut found = Vec::new();
        let mut near = 0;
        for passage in ordered {
            let document = passages.document_of(passage);
            let named = document.map_or(String::new(), |document| {
                let origin = &document.origin;
                format!("{}. {}", document.title.for_code(), origin.address)
            });
            let site = document.map_or("", |document| document.origin.site.as_str());
            let above = format!("{named}. {site}. {}", passage.found.section.join(". "));
            let of_passage = stems_of(&above);
            let named: Rc<BTreeSet<String>> = Rc::new(stems_of(&named));

            let heading = passage.found.section.last().map_or("", String::as_str);
            let whole = passage.text.for_code();
            let spans = sentences(whole);
            let mut term: Option<Range<usize>> = None;
            let mut earlier: Vec<(&str, Rc<BTreeSet<String>>)> = Vec::new();
            for (at, span) in spans.iter().enumerate() {
                let text = &whole[span.clone()];
                if let Some(own) = term_of(whole, span) {
                    term = Some(own);
                    earlier.clear();
                }
                let before: Vec<&str> = earlier.iter().map(|(text, _)| *text).collect();
                let before = before.join(" ");
                let stems_before = earlier.iter().rev().map(|(_, stems)| Rc::clone(stems));
                let stems_before = stems_before.collect();
                earlier.push((text, Rc::new(stems_of(text))));
                if earlier.len() > MOST_BEFORE {
                    // What a definition begins with says most about the term.
                    earlier.remove(usize::from(term.is_some()));
                }
                if text.trim_end().ends_with('?') || text.chars().count() > LONGEST {
                    continue;
                }

                let next = spans.get(at + 1);
                let next = next.filter(|next| term_of(whole, next).is_none());
                let own_term = term.clone().map_or("", |term| &whole[term]);
                let above = format!("{above}. {own_term}");
                let of_term = stems_of(own_term);
                found.push(Self {
                    passage,
                    text,
                    span: span.clone(),
                    site,
                    language: document.map(|own| own.language).unwrap_or_default(),
                    stems: stems_of(about(text)),
                    stems_above: of_passage.union(&of_term).cloned().collect(),
                    stems_named: if own_term.is_empty() {
                        stems_of(heading)
                    } else {
                        of_term
                    },
                    stems_before,
                    stems_after: next
                        .map(|next| stems_of(&whole[next.clone()]))
                        .unwrap_or_default(),
                    before,
                    above,
                    term: own_term,
                    with_term: term.as_ref().map_or(span.start, |term| term.start)..span.end,
                    named: Rc::clone(&named),
                    values: OnceCell::new(),
                    near: OnceCell::new(),
                });
            }
            if !far.contains(passage.id.as_str()) {
                near = found.len();
            }
        }
        (found, near)
    }

    /// Returns its values.
    pub(super) fn values(&self) -> &[Typed] {
        self.values.get_or_init(|| values(self.text, self.language))
    }

    /// Returns what is near it.
    pub(super) fn near(&self) -> &Near {
        self.near.get_or_init(|| {
            let text = [&*self.above, &*self.before, self.text].join(" ");
            let words = words(&text).into_iter();
            let words = words.flat_map(|word| [word.lower, word.stem]).collect();
            Near {
                text: text.to_lowercase(),
                words,
            }
        })
    }

    /// Returns whether a stem, or that of another word for the same event, is in it or above it.
    pub(super) fn holds(&self, stem: &str) -> bool {
        let has = |stem: &str| self.stems.contains(stem) || self.stems_above.contains(stem);
        has(stem) || lexicon::events_as(stem).any(has)
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

/// Returns the stems of the content words of a string.
fn stems_of(text: &str) -> BTreeSet<String> {
    content_stems(text).into_iter().collect()
}

/// Returns the ids of the passages of which more than [`NEAREST`] of the same site are nearer to
/// what was searched for.
fn far_passages(passages: &PassageRegistry) -> BTreeSet<&str> {
    let mut by_site: BTreeMap<&str, Vec<&Passage>> = BTreeMap::new();
    for passage in passages.iter() {
        let document = passages.document_of(passage);
        let site = document.map_or("", |document| document.origin.site.as_str());
        by_site.entry(site).or_default().push(passage);
    }

    let mut far = BTreeSet::new();
    for own in by_site.values_mut() {
        let score = |passage: &Passage| passage.found.score.unwrap_or_default();
        own.sort_by(|a, b| score(b).total_cmp(&score(a)));
        far.extend(own.iter().skip(NEAREST).map(|passage| passage.id.as_str()));
    }
    far
}

/// Returns what a sentence is about: of a row of a table, the first cell, unless that only names a
/// version or a number.
fn about(text: &str) -> &str {
    let first = text.split('\t').next().unwrap_or(text);
    let says_something = words(first)
        .iter()
        .any(|word| !word.text.contains(|c: char| c.is_ascii_digit()));
    if says_something { first } else { text }
}

/// Returns the place of the term that a sentence is, or that it begins with.
fn term_of(text: &str, span: &Range<usize>) -> Option<Range<usize>> {
    let begins = text[..span.start].trim_end_matches(' ');
    if !begins.is_empty() && !begins.ends_with('\n') {
        return None;
    }
    if is_term(text, span) {
        return Some(span.clone());
    }

    // A line above what is indented further, as in manuals that were formatted.
    let own = &text[span.clone()];
    let indent = |line: &str| line.len() - line.trim_start().len();
    if let Some((first, rest)) = own.split_once('\n') {
        let line_start = text[..span.start].rfind('\n').map_or(0, |at| at + 1);
        let next = rest.lines().next().unwrap_or_default();
        let is_short = first.chars().count() <= LONGEST_TERM / 2;
        if is_short && indent(next) > span.start - line_start && !first.contains('\t') {
            return Some(span.start..span.start + first.len());
        }
    }

    // A name before a colon or a type: `headersTimeout: …`.
    let first = own.split_whitespace().next()?;
    let is_named = first.ends_with(':') || own[first.len()..].starts_with(" <");
    let name = first.trim_end_matches(':');
    (is_named && is_compound(name)).then(|| span.start..span.start + name.len())
}

/// Returns whether a sentence is a short paragraph without an end mark, as the terms of a list of
/// definitions are.
fn is_term(text: &str, span: &Range<usize>) -> bool {
    let own = text[span.clone()].trim();
    let is_open = !own.ends_with(['.', '!', '?', ':', ';', ',']);
    let begins = text[..span.start].trim_end_matches(' ');
    let ends = text[span.end..].trim_start_matches(' ');
    let is_alone = (begins.is_empty() || begins.ends_with('\n')) && ends.starts_with("\n\n");
    // *Added in: v1.2* says something about the term before it.
    let is_row = own.contains('\t') || own.contains(": ");
    is_open && is_alone && !is_row && own.chars().count() <= LONGEST_TERM
}

/// Returns whether what follows a number is a word for things, so that the number counts them.
pub(super) fn counts_something(after: &str) -> bool {
    let next = after.trim_start();
    let is_word = next.starts_with(char::is_alphabetic) && next.len() < after.len();
    let first = words(next).into_iter().next();
    is_word && first.is_some_and(|word| !is_stop(&word.lower))
}

/// Returns whether the values of a sentence are those of a list or of an example of output.
pub(super) fn is_list(all: &[Typed]) -> bool {
    let is_plain =
        |typed: &&Typed| matches!(&typed.value, Value::Number(own) if own.unit.is_none());
    all.iter().filter(is_plain).count() >= LISTED
}
