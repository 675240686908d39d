//! An answer while it is put together.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::answer::claim::{Claim, CountOf, SpanId};
use crate::answer::narrow::Narrow;
use crate::answer::report::{Answer, LedgerSummary, Outcome, Sentence};
use crate::answer::wording::stated_counts;
use crate::base::{Provenance, Snapshot, Span, span_of};
use crate::facts::LineIndex;
use crate::ledger::Ledger;
use crate::question::Reading;
use crate::resolve::{Definition, Use, Uses};
use crate::tree::{ListedFile, Scope};

/// Maximum number of spans that sentences point at. More sites are counted and kept as further
/// spans.
pub(crate) const MAX_CITED: usize = 10;

/// Maximum number of further spans.
const MAX_FURTHER: usize = 2_000;

/// Maximum number of lines of a definition that is cited.
pub(crate) const MAX_LINES: usize = 200;

/// What an answer is computed from.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) files: &'a Snapshot,
    pub(crate) scope: &'a Scope,
    pub(crate) reading: &'a Reading,
    pub(crate) narrow: &'a Narrow,
    pub(crate) question: &'a str,
    pub(crate) is_cancelled: &'a AtomicBool,
}

impl Asked<'_> {
    /// Returns the files of the scope, until the question is cancelled.
    pub(crate) fn files_in_scope(&self) -> impl Iterator<Item = &ListedFile> {
        let files = self.files.tree().files().iter();
        files
            .filter(|file| self.scope.admits(&file.path))
            .take_while(|_| !self.is_cancelled.load(Ordering::Relaxed))
    }
}

/// An answer while it is put together.
pub(crate) struct Draft {
    answer: Answer,
}

impl Draft {
    pub(crate) fn new(asked: &Asked<'_>) -> Self {
        Self {
            answer: Answer {
                question: asked.question.to_owned(),
                scope: asked.scope.as_str().to_owned(),
                class: asked.reading.class,
                outcome: Outcome::Computed,
                subjects: Vec::new(),
                sentences: Vec::new(),
                spans: Vec::new(),
                further: Vec::new(),
                ledgers: Vec::new(),
                nearest: Vec::new(),
                is_cancelled: false,
            },
        }
    }

    /// Adds a span and returns its number. A span that is there already is not added again.
    pub(crate) fn cite(&mut self, span: Span) -> SpanId {
        let is_same = |known: &Span| {
            known.path == span.path && known.first == span.first && known.last == span.last
        };
        if let Some(at) = self.answer.spans.iter().position(is_same) {
            return at;
        }
        self.answer.spans.push(span);
        self.answer.spans.len() - 1
    }

    /// Returns whether another span may be cited.
    pub(crate) fn has_space(&self) -> bool {
        self.answer.spans.len() < MAX_CITED
    }

    /// Returns the number of cited spans.
    pub(crate) fn spans(&self) -> usize {
        self.answer.spans.len()
    }

    /// Keeps the lines of a site that is counted and not in a sentence.
    pub(crate) fn keep(&mut self, span: Span) {
        if self.answer.further.len() < MAX_FURTHER {
            self.answer.further.push(span);
        }
    }

    /// Adds a sentence.
    pub(crate) fn say(&mut self, text: impl Into<String>, claims: Vec<Claim>, spans: Vec<SpanId>) {
        self.answer.sentences.push(Sentence {
            text: text.into(),
            claims,
            spans,
        });
    }

    /// Adds a sentence about lines that contain a quote.
    pub(crate) fn say_quoted(&mut self, sentence: String, quoted: &str, span: Span) {
        let span = self.cite(span);
        let text = quoted.to_owned();
        self.say(sentence, vec![Claim::Quote { text, span }], vec![span]);
    }

    /// Adds a sentence without claims: what the answer is about or does not cover.
    pub(crate) fn note(&mut self, text: impl Into<String>) {
        self.say(text, Vec::new(), Vec::new());
    }

    pub(crate) fn subject(&mut self, name: impl Into<String>) {
        let name = name.into();
        if !self.answer.subjects.contains(&name) {
            self.answer.subjects.push(name);
        }
    }

    pub(crate) fn ledger(&mut self, ledger: &Ledger) {
        let is_known = self
            .answer
            .ledgers
            .iter()
            .any(|known| known.name == ledger.name);
        if !is_known {
            self.answer.ledgers.push(LedgerSummary::new(ledger));
        }
    }

    pub(crate) fn nearest(&mut self, names: Vec<String>) {
        self.answer.nearest = names;
    }

    pub(crate) fn outcome(&mut self, outcome: Outcome) {
        self.answer.outcome = outcome;
    }

    pub(crate) fn finish(mut self, asked: &Asked<'_>) -> Answer {
        self.answer.is_cancelled = asked.is_cancelled.load(Ordering::Relaxed);
        if self.answer.is_cancelled {
            self.note("The search was cancelled, so that something may be missing.");
        }
        self.claim_counts();
        self.answer
    }

    /// Claims the counts that sentences state.
    fn claim_counts(&mut self) {
        for sentence in &mut self.answer.sentences {
            let counts = stated_counts(&sentence.text).into_iter();
            sentence
                .claims
                .extend(counts.map(|(what, count)| Claim::Count {
                    of: CountOf::Stated { what },
                    count,
                }));
        }
    }
}

/// Returns the lines of a definition, at most 200.
pub(crate) fn definition_span(uses: &Uses, definition: &Definition) -> Option<Span> {
    let hit = uses.hit_of(&definition.path)?;
    let (first, last) = definition.lines;
    let last = last.min(first + MAX_LINES - 1).max(definition.name_line);
    let span = span_of(
        &definition.path,
        &hit.bytes,
        (first, last),
        Provenance::SymbolIndex,
    )
    .ok()?;
    Some(span.with_symbol(&definition.qualified, definition.kind.name()))
}

/// Returns the line of a use.
pub(crate) fn use_span(uses: &Uses, site: &Use) -> Option<Span> {
    let hit = uses.hit(site.file)?;
    let lines = (site.line, site.line);
    let span = span_of(&site.path, &hit.bytes, lines, Provenance::Treesitter).ok()?;
    Some(match &site.within {
        Some(within) => span.with_symbol(&within.name, within.kind.name()),
        None => span,
    })
}

/// Returns the symbol of a span as the end of its place: `, in `Store.open``.
pub(crate) fn within(span: &Span) -> String {
    match &span.symbol {
        Some(symbol) => format!(", in `{symbol}`"),
        None => String::new(),
    }
}

/// Returns a count with its noun: `1 call`, `2 calls`.
pub(crate) fn count(number: usize, one: &str, many: &str) -> String {
    match number {
        1 => format!("1 {one}"),
        number => format!("{number} {many}"),
    }
}

/// Returns parts joined by commas and `and`.
pub(crate) fn joined(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Returns a line of code as the end of a sentence, if it is short enough.
pub(crate) fn shown_line(bytes: &[u8], line: usize) -> String {
    const LONGEST: usize = 140;
    let lines = LineIndex::new(bytes);
    let text = lines.bytes(line, line).and_then(|range| bytes.get(range));
    let text = String::from_utf8_lossy(text.unwrap_or_default());
    let text = text.trim();
    match text.chars().count() <= LONGEST && !text.contains('`') {
        true => format!(": `{text}`"),
        false => String::new(),
    }
}
