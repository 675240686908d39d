//! Splits a file into the documents of ranked search: one for each function or small type, and one
//! for each gap between them, so that every line is in exactly one document.

use crate::facts::{FileFacts, LineIndex, Symbol};
use crate::search::tokens::split_identifier;

/// Maximum number of lines of a gap and of a part of a long function.
const MAX_LINES: usize = 60;

/// Lines of a file that are searched as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// First line, counted from 1.
    pub first: usize,
    /// Last line, inclusive.
    pub last: usize,
    /// Qualified name of the symbol; empty for a gap.
    pub name: String,
    /// Kind of the symbol; empty for a gap.
    pub kind: &'static str,
}

/// Splits a file into documents that cover each of its lines once, in order.
pub fn documents(facts: Option<&FileFacts>, bytes: &[u8]) -> Vec<Document> {
    let lines = LineIndex::new(bytes);
    let mut documents = Vec::new();
    let mut next = 1;
    let symbols = facts.map_or_else(Vec::new, leaves);

    for (facts, symbol) in facts
        .iter()
        .flat_map(|facts| symbols.iter().map(move |s| (facts, s)))
    {
        let (first, last) = symbol.lines;
        let first = with_comments(bytes, &lines, first, next).max(next);
        if last < first {
            continue;
        }
        gap(&mut documents, next, first, bytes, &lines);
        let name = facts.qualified_name(symbol);
        split(&mut documents, (first, last), &name, symbol.kind.name());
        next = last + 1;
    }
    gap(&mut documents, next, lines.count() + 1, bytes, &lines);
    documents
}

/// Returns the functions that are not within another one, and types without functions.
fn leaves(facts: &FileFacts) -> Vec<&Symbol> {
    let mut has_functions = vec![false; facts.symbols.len()];
    for symbol in &facts.symbols {
        let mut outer = symbol.parent.filter(|_| symbol.kind.is_function());
        while let Some(at) = outer {
            if let Some(flag) = has_functions.get_mut(at) {
                *flag = true;
            }
            outer = facts.symbols.get(at).and_then(|symbol| symbol.parent);
        }
    }

    let mut end = 0;
    let mut leaves = Vec::new();
    for (symbol, has_functions) in facts.symbols.iter().zip(has_functions) {
        let is_leaf = symbol.kind.is_function() || symbol.kind.is_type() && !has_functions;
        if is_leaf && symbol.lines.0 > end {
            end = symbol.lines.1;
            leaves.push(symbol);
        }
    }
    leaves
}

/// Returns the first line of the comments and attributes right above a line.
fn with_comments(bytes: &[u8], lines: &LineIndex, mut first: usize, from: usize) -> usize {
    while first > from {
        let above = lines
            .bytes(first - 1, first - 1)
            .and_then(|range| bytes.get(range))
            .unwrap_or_default()
            .trim_ascii();
        let is_attached = [&b"//"[..], b"#", b"*", b"/*", b"@", b"--"]
            .iter()
            .any(|mark| above.starts_with(mark));
        if !is_attached {
            break;
        }
        first -= 1;
    }
    first
}

/// Adds the lines from `next` to the one before `end`, in parts that end at blank lines.
fn gap(
    documents: &mut Vec<Document>,
    mut next: usize,
    end: usize,
    bytes: &[u8],
    lines: &LineIndex,
) {
    while next < end {
        let full = (next + MAX_LINES).min(end);
        let is_blank = |line: usize| {
            let range = lines.bytes(line, line);
            range.is_none_or(|range| bytes[range].trim_ascii().is_empty())
        };
        let cut = match full < end {
            true => (next + MAX_LINES / 2..full)
                .rev()
                .find(|line| is_blank(*line)),
            false => None,
        };

        let after = cut.map_or(full, |line| line + 1);
        documents.push(Document {
            first: next,
            last: after - 1,
            name: String::new(),
            kind: "",
        });
        next = after;
    }
}

/// Adds the lines of a symbol, in parts if there are many.
fn split(
    documents: &mut Vec<Document>,
    (first, last): (usize, usize),
    name: &str,
    kind: &'static str,
) {
    let mut next = first;
    while next <= last {
        let end = match last - next < 2 * MAX_LINES {
            true => last,
            false => next + MAX_LINES - 1,
        };

        documents.push(Document {
            first: next,
            last: end,
            name: name.to_owned(),
            kind,
        });
        next = end + 1;
    }
}

/// Returns what the index has of a body: each identifier whole and in its parts.
pub(crate) fn words(text: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut words = String::with_capacity(text.len() * 2);
    for identifier in text.split(|c| !is_word(c)).filter(|part| !part.is_empty()) {
        let parts = split_identifier(identifier);
        for part in &parts {
            words.push_str(part);
            words.push(' ');
        }
        if parts.len() > 1 {
            words.extend(whole(identifier));
            words.push(' ');
        }
    }
    words
}

/// Returns an identifier as one word, in lower case and without `_`.
fn whole(identifier: &str) -> impl Iterator<Item = char> {
    identifier
        .chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
}

/// Returns what a query searches for, without words that are in most texts.
pub(crate) fn query_words(query: &str) -> Vec<String> {
    const COMMON: &[&str] = &[
        "a", "an", "and", "are", "be", "by", "can", "code", "do", "doe", "does", "for", "from",
        "how", "i", "if", "in", "is", "it", "of", "on", "or", "that", "the", "there", "this",
        "thi", "to", "what", "when", "where", "which", "who", "why", "with", "you", "we",
    ];
    let mut found: Vec<String> = Vec::new();
    for word in words(query).split_whitespace() {
        let is_common = COMMON.contains(&word);
        if !is_common && !found.iter().any(|known| known == word) {
            found.push(word.to_owned());
        }
    }
    found.truncate(40);
    found
}
