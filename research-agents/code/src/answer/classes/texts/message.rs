//! Where a message comes from: the code or the document that has a quoted text.

use crate::answer::classes::texts::matched::{is_code, matched};
use crate::answer::draft::{Asked, Draft, count, within};
use crate::answer::report::Answer;
use crate::base::{Place, Span};
use crate::search::Pattern;

/// Number of places that are shown.
const SHOWN: usize = 5;

/// Number of words of a message that is looked for in parts.
const MOST: usize = 12;

/// Number of words that are enough to tell one message from others.
const FEWEST: usize = 3;

/// A place where a message is.
struct Found {
    place: Place,
    /// Whether it is in code, and not in a document.
    is_code: bool,
    /// Number of the parts of the text that are near it.
    parts: usize,
    span: Span,
    /// The text as it is written there.
    written: String,
}

/// Answers where several quoted words are. `None` if no file has it, nor several of
/// its words in a row.
pub(crate) fn message(asked: &Asked<'_>) -> Option<Answer> {
    let text = asked
        .reading
        .quotes
        .iter()
        .max_by_key(|quote| quote.len())?;
    let parts = parts(text);
    let longest = parts.iter().max_by_key(|part| part.len())?;
    let mut found = find(asked, &[longest.as_slice()], &parts);

    // Code may put a message together from strings, each of which has a part of it. All rows of a
    // length are looked for in one pass over the files.
    let longest = longest.get(..MOST).unwrap_or(longest);
    let mut length = longest.len().saturating_sub(1);
    while found.is_empty() && length >= FEWEST.max(longest.len() / 2) {
        let rows: Vec<&[String]> = longest.windows(length).collect();
        found = find(asked, &rows, &parts);
        length -= 1;
    }
    said(asked, found)
}

/// Answers where the text of the whole question is. `None` if no file has all of it.
pub(crate) fn text(asked: &Asked<'_>, text: &str) -> Option<Answer> {
    let parts = parts(text);
    let longest = parts.iter().max_by_key(|part| part.len())?;
    said(asked, find(asked, &[longest.as_slice()], &parts))
}

/// Says the places that fit best.
fn said(asked: &Asked<'_>, mut found: Vec<Found>) -> Option<Answer> {
    if found.is_empty() {
        return None;
    }
    found.sort_by_key(|one| (!one.is_code, one.place, usize::MAX - one.parts));
    if found[0].is_code && found[0].place == Place::Source {
        let most = found[0].parts;
        found.retain(|one| !one.is_code || one.parts == most);
    }
    Some(say(asked, &found))
}

/// Splits a message at the places for values, and each part into words.
fn parts(text: &str) -> Vec<Vec<String>> {
    let mut plain = text.replace("...", "\n").replace('…', "\n");
    for (open, close) in [('<', '>'), ('{', '}'), ('[', ']')] {
        while let Some(start) = plain.find(open)
            && let Some(length) = plain[start..].find(close)
        {
            plain.replace_range(start..=start + length, "\n");
        }
    }

    let words = |part: &str| -> Vec<String> {
        let words = part.split_whitespace();
        let words = words.filter(|word| !word.starts_with('%'));
        words
            .map(|word| word.trim_matches(['"', '`']).to_owned())
            .collect()
    };
    plain
        .split('\n')
        .map(words)
        .filter(|part| !part.is_empty())
        .collect()
}

/// Returns the pattern for one of several rows of words, whatever white space is between them and
/// whatever their case.
fn pattern(rows: &[&[String]]) -> Option<Pattern> {
    let row = |row: &&[String]| {
        let words: Vec<String> = row.iter().map(|word| escape(word)).collect();
        words.join(r"\s+")
    };
    let rows: Vec<String> = rows.iter().map(row).collect();
    Pattern::new(&format!("(?i)(?:{})", rows.join("|"))).ok()
}

/// Returns a word as a pattern has it.
fn escape(word: &str) -> String {
    let mut escaped = String::new();
    for letter in word.chars() {
        if !letter.is_alphanumeric() {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}

/// Finds one of several rows of words in all files of the scope.
fn find(asked: &Asked<'_>, rows: &[&[String]], parts: &[Vec<String>]) -> Vec<Found> {
    /// Bytes around a match in which the other parts are looked for.
    const NEAR: usize = 300;
    let Some(pattern) = pattern(rows) else {
        return Vec::new();
    };
    let others: Vec<Pattern> = parts
        .iter()
        .filter_map(|part| self::pattern(&[part.as_slice()]))
        .collect();

    let patterns = [pattern];
    let mut found = Vec::new();
    for file in matched(asked, &patterns, |_| true) {
        let bytes = &file.content.bytes;
        for hit in file.hits.iter().flatten() {
            let at = hit.span.start.saturating_sub(NEAR)..(hit.span.end + NEAR).min(bytes.len());
            let near = bytes.get(at).unwrap_or_default();
            let Ok(span) = file.span(hit, file.rows(hit)) else {
                continue;
            };
            found.push(Found {
                place: file.place,
                is_code: is_code(file.path),
                parts: others
                    .iter()
                    .filter(|other| !other.matches(near).is_empty())
                    .count(),
                written: file.text(hit),
                span,
            });
        }
    }
    found
}

fn say(asked: &Asked<'_>, found: &[Found]) -> Answer {
    let mut draft = Draft::new(asked);

    if found.len() > 1 {
        let places = count(found.len(), "place", "places");
        draft.note(format!("The text is in {places}."));
    }
    for one in found {
        if draft.spans() >= SHOWN {
            draft.keep(one.span.clone());
            continue;
        }
        let path = one.span.path.encoded();
        let line = one.span.first;
        let written = one.written.split_whitespace().collect::<Vec<_>>().join(" ");
        let text = format!(
            "\"{}\" is in `{path}`, line {line}{}.",
            written.replace('"', "'"),
            within(&one.span)
        );
        draft.say_quoted(text, &one.written, one.span.clone());
    }
    draft.finish(asked)
}
