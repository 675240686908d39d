//! Finds the JSON of an answer: as a whole, in a fence, or between words. Reads nothing into a text that is cut.

use std::borrow::Cow;

use super::repair::repaired;

/// A part of an answer that may be its JSON.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Candidate<'a> {
    pub(super) text: Cow<'a, str>,
    /// Whether the JSON ends before its brackets are closed.
    pub(super) is_cut: bool,
}

/// The answer without the reasoning that some servers leave at its beginning, between `<think>` tags.
pub(super) fn without_reasoning(text: &str) -> &str {
    let text = text.trim();
    match text.strip_prefix("<think>") {
        Some(thought) => thought.split_once("</think>").map_or("", |(_, answer)| answer.trim()),
        None => text,
    }
}

/// The parts worth a try, the most promising first.
pub(super) fn candidates(text: &str) -> Vec<Candidate<'_>> {
    let whole = without_reasoning(text);
    let mut parts: Vec<(&str, bool)> = Vec::new();
    if starts_like_json(whole) {
        parts.push((whole, false));
    }
    parts.extend(fenced(whole).map(|part| (part, false)));
    parts.extend(balanced(whole));
    if parts.is_empty() && !whole.is_empty() {
        parts.push((whole, false));
    }
    let mut all: Vec<Candidate<'_>> = Vec::new();
    for (part, is_cut) in parts {
        for version in [Some(Cow::Borrowed(part)), repaired(part).map(Cow::Owned)].into_iter().flatten() {
            if !all.iter().any(|known| known.text == version) {
                all.push(Candidate { text: version, is_cut });
            }
        }
    }
    all
}

fn starts_like_json(text: &str) -> bool {
    text.starts_with(['{', '[', '"'])
}

/// The insides of Markdown code fences.
fn fenced(text: &str) -> impl Iterator<Item = &str> {
    text.split("```").skip(1).step_by(2).map(|block| {
        let inside = block.split_once('\n').map_or(block, |(language, rest)| {
            // The first line of a block is its language, unless the JSON begins there.
            if starts_like_json(language.trim_start()) { block } else { rest }
        });
        inside.trim()
    })
}

/// Objects and arrays between words, from their first bracket to the one that closes it. One that is never closed is the
/// last: what is inside of it is a piece of the answer and not the answer.
fn balanced(text: &str) -> Vec<(&str, bool)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(offset) = text[from..].find(['{', '[']) {
        let start = from + offset;
        match closing(&text[start..]) {
            Some(length) => {
                found.push((&text[start..start + length], false));
                from = start + length;
            }
            None if opens_json(&text[start..]) == Some(true) => {
                found.push((&text[start..], true));
                break;
            }
            None => from = start + 1,
        }
    }
    found
}

/// Whether a bracket opens JSON rather than a remark, by what comes after it; `None` if nothing has come yet.
pub(super) fn opens_json(text: &str) -> Option<bool> {
    let next = text[1..].trim_start();
    let first = next.chars().next()?;
    Some(match text.as_bytes().first() {
        Some(b'{') => matches!(first, '"' | '}'),
        _ => {
            matches!(first, '{' | '[' | ']' | '"' | '-' | '0'..='9')
                || ["true", "false", "null"].iter().any(|literal| next.starts_with(literal))
        }
    })
}

/// Length of the bracketed value that a text starts with.
fn closing(text: &str) -> Option<usize> {
    let mut open = Vec::new();
    let (mut inside, mut escaped) = (false, false);
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if inside => escaped = true,
            b'"' => inside = !inside,
            _ if inside => {}
            b'{' => open.push(b'}'),
            b'[' => open.push(b']'),
            b'}' | b']' => {
                if open.pop() != Some(byte) {
                    return None;
                }
                if open.is_empty() {
                    return Some(index + 1);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_of_a_cut_answer_is_no_candidate() {
        let all = candidates(r#"Here: [{"a": 1}, {"a": 2"#);
        assert_eq!(all, [Candidate { text: r#"[{"a": 1}, {"a": 2"#.into(), is_cut: true }]);
    }

    #[test]
    fn a_bracket_in_prose_hides_nothing() {
        let all = candidates(r#"As said [see above: {"a": 1}"#);
        assert_eq!(all, [Candidate { text: r#"{"a": 1}"#.into(), is_cut: false }]);
    }

    #[test]
    fn reasoning_is_not_searched() {
        assert_eq!(candidates("<think>Maybe [1]? No.</think>\n[2]")[0].text, "[2]");
        assert!(candidates("<think>Maybe [1]?").is_empty());
    }
}
