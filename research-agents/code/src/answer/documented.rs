//! What comments and documents say about a value.

use crate::answer::candidate::{Candidate, alike};
use crate::answer::draft::Asked;
use crate::facts::{FileFacts, LineIndex, RegionKind};
use crate::lang::FileKind;
use crate::resolve::body::stated_defaults;
use crate::search::{Word, split_identifier};
use crate::tree::RelPath;

/// A text about a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Text {
    pub(crate) path: RelPath,
    /// Line, counted from 1.
    pub(crate) line: usize,
    /// The line without marks of comments. `None` if it is empty or not UTF-8.
    pub(crate) quote: Option<String>,
    /// The value that the line states, if it states one.
    pub(crate) stated: Option<String>,
    /// Whether the stated value is not the one of the code.
    pub(crate) is_contradiction: bool,
}

/// Number of documents that are read.
const DOCUMENTS: usize = 40;

/// Returns the texts that state the value: the comment above it, the documentation of the function
/// around it, and documents that name it. Contradictions are first.
pub(crate) fn texts_about(asked: &Asked<'_>, one: &Candidate) -> Vec<Text> {
    let mut found = Vec::new();
    let Ok(content) = asked.files.read(&one.path) else {
        return found;
    };
    if let Some(facts) = asked
        .files
        .facts_of(&one.path, &content, asked.is_cancelled)
    {
        of_comments(&mut found, one, &content.bytes, &facts);
    }
    of_documents(&mut found, asked, one);
    found.sort_by_key(|text| (!text.is_contradiction, text.stated.is_none()));
    found.dedup_by(|a, b| a.path == b.path && a.line == b.line);

    // Texts that agree are said once.
    let mut agreed = false;
    found.retain(|text| {
        let is_first = text.is_contradiction || !agreed;
        agreed |= !text.is_contradiction;
        is_first
    });
    found
}

/// Reads the comment right above the value, and lines of documentation around it that name it.
fn of_comments(found: &mut Vec<Text>, one: &Candidate, bytes: &[u8], facts: &FileFacts) {
    let lines = LineIndex::new(bytes);
    let line_text = |line: usize| -> Option<&str> {
        let range = lines.bytes(line, line)?;
        std::str::from_utf8(bytes.get(range)?).ok()
    };
    let is_comment = |line: usize| {
        let Some(range) = lines.bytes(line, line) else {
            return false;
        };
        let text = bytes.get(range.clone()).unwrap_or_default();
        let first = text.iter().position(|byte| !byte.is_ascii_whitespace());
        first.is_some_and(|first| {
            let region = facts.region(range.start + first);
            region.is_some_and(|region| region.kind == RegionKind::Comment)
        })
    };

    // The block of comments above, past attributes and a single blank line.
    let at = one.value.site.lines.0;
    let mut above = Vec::new();
    let mut line = at;
    while line > 1 && above.len() < 40 {
        line -= 1;
        let text = line_text(line).unwrap_or_default().trim();
        if is_comment(line) {
            above.push(line);
        } else if !(text.starts_with("#[") || text.starts_with('@')) {
            break;
        }
    }
    // A comment after the value, on the same line.
    above.push(at);

    // The documentation of the symbols around the value.
    let mut around = Vec::new();
    if let Some(byte) = lines.bytes(at, at).map(|range| range.start) {
        for symbol in facts
            .symbols
            .iter()
            .filter(|symbol| symbol.span.contains(&byte))
        {
            let (first, last) = symbol.lines;
            let mut line = first;
            if line > 2 && line_text(line - 1).is_some_and(|text| text.trim().is_empty()) {
                line -= 1;
            }
            while line > 1 && (is_comment(line - 1) || is_mark(line_text(line - 1))) {
                line -= 1;
                around.push(line);
            }
            around.extend((first..last.min(first + 80)).filter(|line| is_comment(*line)));
        }
    }

    for line in above.iter().copied() {
        note(found, one, line_text(line).unwrap_or_default(), line, false);
    }
    for line in around {
        if above.contains(&line) {
            continue;
        }
        let Some(text) = line_text(line) else {
            continue;
        };
        // A sentence may name the value in the line before.
        let before = line_text(line.saturating_sub(1)).unwrap_or_default();
        let name = &one.value.name;
        let is_about = [text, before]
            .iter()
            .any(|text| names(text, name) || mentions(text, name));
        if is_about && text.to_lowercase().contains("default") {
            note(found, one, text, line, false);
        } else if is_about {
            note(found, one, text, line, true);
        }
    }
}

fn is_mark(text: Option<&str>) -> bool {
    text.is_some_and(|text| {
        let text = text.trim_start();
        text.starts_with("#[") || text.starts_with('@')
    })
}

/// Returns the lines of the comments right above a definition and of those within its first lines,
/// with their numbers and without marks.
pub(crate) fn documentation(
    facts: &FileFacts,
    bytes: &[u8],
    (first, last): (usize, usize),
) -> Vec<(usize, String)> {
    /// Number of lines above and below the head of a definition.
    const NEAR: usize = 40;
    let lines = LineIndex::new(bytes);
    let text = |line: usize| {
        let range = lines.bytes(line, line)?;
        std::str::from_utf8(bytes.get(range)?).ok()
    };
    let is_comment = |line: usize| {
        let Some(range) = lines.bytes(line, line) else {
            return false;
        };
        let bytes = bytes.get(range.clone()).unwrap_or_default();
        let start = bytes.iter().position(|byte| !byte.is_ascii_whitespace());
        start.is_some_and(|start| {
            let region = facts.region(range.start + start);
            region.is_some_and(|region| region.kind == RegionKind::Comment)
        })
    };

    let mut wanted: Vec<usize> = Vec::new();
    let mut line = first;
    if line > 2 && text(line - 1).is_some_and(|text| text.trim().is_empty()) {
        line -= 1;
    }
    while line > 1 && first - line < NEAR && (is_comment(line - 1) || is_mark(text(line - 1))) {
        line -= 1;
        wanted.push(line);
    }
    wanted.reverse();
    wanted.extend((first..=last.min(first + NEAR)).filter(|line| is_comment(*line)));
    wanted
        .into_iter()
        .filter_map(|line| Some((line, quote(text(line)?)?)))
        .collect()
}

/// Reads the lines of documents that name the value.
fn of_documents(found: &mut Vec<Text>, asked: &Asked<'_>, one: &Candidate) {
    let Ok(word) = Word::new(&one.value.name) else {
        return;
    };
    let within = one.value.site.within.as_deref().unwrap_or_default();
    let around = Word::new(within.rsplit('.').next().unwrap_or_default()).ok();
    let documents = asked.files.tree().files().iter().filter(|file| {
        let extension = file.path.extension();
        let is_prose = matches!(extension.as_str(), "md" | "rst" | "txt" | "adoc" | "");
        let is_history = file.path.name().to_lowercase().starts_with("change");
        FileKind::of_path(&file.path) == FileKind::Document && is_prose && !is_history
    });

    for file in documents.take(DOCUMENTS) {
        let Ok(content) = asked.files.read(&file.path) else {
            continue;
        };
        let mut hits = word.occurrences(&content.bytes);
        hits.extend(
            around
                .iter()
                .flat_map(|word| word.occurrences(&content.bytes)),
        );
        let lines = LineIndex::new(&content.bytes);
        for hit in hits.into_iter().take(20) {
            let line = lines.line(hit.span.start);
            let Some(range) = lines.bytes(line, line) else {
                continue;
            };
            let text = String::from_utf8_lossy(content.bytes.get(range).unwrap_or_default());
            let mut texts = Vec::new();
            note(&mut texts, one, &text, line, true);
            found.extend(
                texts
                    .into_iter()
                    .filter(|text| text.stated.is_some())
                    .map(|text| Text {
                        path: file.path.clone(),
                        ..text
                    }),
            );
        }
    }
}

/// Notes a line that states a default, or a number where the value is one. `is_far` says that the
/// line is not right at the value, so that it must name it.
fn note(found: &mut Vec<Text>, one: &Candidate, text: &str, line: usize, is_far: bool) {
    let name = &one.value.name;
    if is_far && !names(text, name) && !mentions(text, name) {
        return;
    }
    let literal = normal(&one.value.site.literal);
    let code_line = text.contains(&one.value.site.literal) && !is_far;
    let prose = if code_line { after_code(text) } else { text };
    let mut stated: Vec<String> = stated_defaults(prose, line)
        .into_iter()
        .map(|stated| stated.value)
        .collect();
    stated.extend(by_default(prose));
    stated.extend(named_value(prose, name));
    // A number in the comment at the value is quoted without a judgement.
    let is_number = number(&literal).is_some();
    let has_number = prose.split_whitespace().any(|word| {
        word.trim_matches(|c: char| !c.is_alphanumeric())
            .chars()
            .all(|c| c.is_ascii_digit())
            && word.contains(|c: char| c.is_ascii_digit())
    });

    if stated.is_empty() && is_number && has_number && !is_far {
        found.push(Text {
            path: one.path.clone(),
            line,
            quote: quote(prose),
            stated: None,
            is_contradiction: false,
        });
    }
    for value in stated {
        let is_same = normal(&value) == literal
            || number(&value).is_some() && number(&value) == number(&literal);
        // A comparison needs a literal on both sides.
        let is_comparable = is_literal(&one.value.site.literal);
        found.push(Text {
            path: one.path.clone(),
            line,
            quote: quote(prose),
            stated: Some(value),
            is_contradiction: !is_same && is_comparable,
        });
    }
}

/// Returns the value before the words `by default`: `40 by default`.
fn by_default(text: &str) -> Option<String> {
    let at = text.to_lowercase().find(" by default")?;
    let before = text.get(..at)?.split_whitespace().next_back()?;
    let value = before.trim_matches(['`', '"', '\'', '(', ',', '*']);
    (is_literal(value) || number(value).is_some()).then(|| value.to_owned())
}

/// Returns a number right after the name, as in `(subdomain offset 3, see …)`, or after
/// its last part: `exit with code 64`.
fn named_value(text: &str, name: &str) -> Option<String> {
    let parts = split_identifier(name);
    if parts.len() > 1 && mentions(text, name) {
        let words: Vec<&str> = text.split_whitespace().collect();
        let last = parts.last()?;
        let after = words.windows(2).find_map(|pair| {
            let (before, word) = (pair.first()?, pair.get(1)?);
            let word = word.trim_matches(|c: char| !c.is_alphanumeric());
            let is_last = before.to_lowercase().trim_matches(['`', '*']) == *last;
            let is_number = !word.is_empty() && word.chars().all(|c| c.is_ascii_digit());
            (is_last && is_number).then(|| word.to_owned())
        });
        if after.is_some() {
            return after;
        }
    }

    let at = text.find(name)?;
    let after = text.get(at + name.len()..)?;
    let word = after.split_whitespace().next()?;
    let word = word.trim_end_matches([',', '.', ';', ')']);
    let is_number = after.starts_with(' ') && word.chars().all(|c| c.is_ascii_digit());
    (is_number && !word.is_empty() && text.to_lowercase().contains("default"))
        .then(|| word.to_owned())
}

/// Returns what is after the code of a line: the comment at its end.
fn after_code(text: &str) -> &str {
    ["//", "/*", " # "]
        .iter()
        .find_map(|mark| text.rfind(mark).and_then(|at| text.get(at..)))
        .unwrap_or_default()
}

/// Returns whether a line has a name as a whole word.
fn names(text: &str, name: &str) -> bool {
    Word::new(name).is_ok_and(|word| !word.occurrences(text.as_bytes()).is_empty())
}

/// Returns whether a line has all parts of a name as words.
fn mentions(text: &str, name: &str) -> bool {
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .flat_map(split_identifier)
        .collect();
    let parts = split_identifier(name);
    !parts.is_empty()
        && parts
            .iter()
            .all(|part| words.iter().any(|word| alike(part, word)))
}

/// Returns a value without quotes, separators of digits, suffixes and case.
fn normal(value: &str) -> String {
    let value = value
        .trim()
        .trim_matches(['"', '\'', '`', '(', ')'])
        .to_lowercase();
    let value = value.rsplit("::").next().unwrap_or_default().to_owned();
    match value.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
        true => value.replace('_', ""),
        false => value,
    }
}

/// Returns the number that a value begins with.
fn number(value: &str) -> Option<f64> {
    let value = value.replace('_', "");
    let end = value
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-')))
        .unwrap_or(value.len());
    value.get(..end)?.trim_end_matches('.').parse().ok()
}

/// Returns whether a value is a number, a truth value, nothing, or quoted.
fn is_literal(value: &str) -> bool {
    let bare = value.trim_matches(['"', '\'', '`']);
    number(bare).is_some()
        || matches!(
            bare.to_lowercase().as_str(),
            "true" | "false" | "none" | "null" | "nil"
        )
        || bare.len() < value.len()
}

/// Returns a line without the marks of a comment, at most 160 characters.
fn quote(text: &str) -> Option<String> {
    let text = text
        .trim()
        .trim_start_matches(['/', '*', '#', '!', '-', '<', '>', ' ', ';'])
        .trim_end_matches("*/")
        .trim();
    let quote: String = text.chars().take(160).collect();
    (!quote.is_empty()).then(|| quote.trim_end().to_owned())
}
