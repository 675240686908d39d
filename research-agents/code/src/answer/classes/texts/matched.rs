//! Files that have a pattern, with what is known of each match.

use std::sync::Arc;

use crate::answer::draft::Asked;
use crate::base::{Place, Provenance, Span, span_of};
use crate::error::CodeError;
use crate::facts::{FileFacts, LineIndex, RegionKind};
use crate::lang::FileKind;
use crate::search::{Hit, Pattern};
use crate::tree::{FileBytes, RelPath};

/// A file with matches.
pub(super) struct Matched<'a> {
    pub(super) path: &'a RelPath,
    pub(super) content: FileBytes,
    /// `None` for a document.
    pub(super) facts: Option<Arc<FileFacts>>,
    pub(super) place: Place,
    /// Matches of each pattern, in order.
    pub(super) hits: Vec<Vec<Hit>>,
    lines: LineIndex,
}

/// Returns the files of the scope that are admitted and have a match of one of several patterns.
pub(super) fn matched<'a>(
    asked: &'a Asked<'a>,
    patterns: &'a [Pattern],
    is_admitted: impl Fn(&RelPath) -> bool + 'a,
) -> impl Iterator<Item = Matched<'a>> {
    let files = asked.files_in_scope();
    let paths = files
        .map(|file| &file.path)
        .filter(move |path| is_admitted(path));

    paths.filter_map(|path| {
        let content = asked.files.read(path).ok()?;
        let hits: Vec<Vec<Hit>> = patterns
            .iter()
            .map(|pattern| pattern.matches(&content.bytes))
            .collect();
        if hits.iter().all(Vec::is_empty) {
            return None;
        }

        let facts = asked.files.facts_of(path, &content, asked.is_cancelled);
        let is_generated = facts.as_ref().is_some_and(|facts| facts.is_generated);
        Some(Matched {
            path,
            place: asked.files.place_of(path, is_generated),
            lines: LineIndex::new(&content.bytes),
            content,
            facts,
            hits,
        })
    })
}

/// Returns whether a file is code, and not a document.
pub(super) fn is_code(path: &RelPath) -> bool {
    matches!(FileKind::of_path(path), FileKind::Code(_))
}

impl Matched<'_> {
    /// Returns the first and last line of a match, counted from 1.
    pub(super) fn rows(&self, hit: &Hit) -> (usize, usize) {
        let last = hit.span.end.saturating_sub(1);
        (self.lines.line(hit.span.start), self.lines.line(last))
    }

    /// Returns the text of a match. Bytes that are no UTF-8 are replaced.
    pub(super) fn text(&self, hit: &Hit) -> String {
        let text = self.content.bytes.get(hit.span.clone()).unwrap_or_default();
        String::from_utf8_lossy(text).into_owned()
    }

    pub(super) fn is_comment(&self, hit: &Hit) -> bool {
        let facts = self.facts.as_ref();
        let region = facts.and_then(|facts| facts.region(hit.span.start));
        region.is_some_and(|region| region.kind == RegionKind::Comment)
    }

    /// Returns lines of the file as a span within the symbol around a match.
    pub(super) fn span(&self, hit: &Hit, rows: (usize, usize)) -> Result<Span, CodeError> {
        let span = span_of(self.path, &self.content.bytes, rows, Provenance::Treesitter)?;
        let around = self.facts.as_ref().and_then(|facts| {
            let symbol = facts.enclosing(hit.span.start)?;
            Some((facts.qualified_name(symbol), symbol.kind.name()))
        });
        Ok(match around {
            Some((symbol, kind)) => span.with_symbol(symbol, kind),
            None => span,
        })
    }
}
