//! Counts whole words by a search of bytes, without the engine of the ledger.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::base::Snapshot;
use crate::tree::Scope;

/// Number of bytes that are looked at to tell text from binary data.
const HEAD: usize = 8_192;

/// Counts the occurrences of a name in the files of a scope, and the files that were read.
pub(crate) fn recount(
    files: &Snapshot,
    scope: &Scope,
    name: &str,
    is_cancelled: &AtomicBool,
) -> (usize, usize) {
    let (mut total, mut searched) = (0, 0);
    for file in files.tree().files() {
        if is_cancelled.load(Ordering::Relaxed) {
            break;
        }

        if !scope.admits(&file.path) {
            continue;
        }
        let Ok(bytes) = files.tree().read_bytes(&file.path) else {
            continue;
        };
        if bytes.get(..HEAD).unwrap_or(&bytes).contains(&0) {
            continue;
        }
        searched += 1;
        total += count_words(&bytes, name);
    }
    (total, searched)
}

/// Counts the whole words of a content that equal a name. As in the ledger, a byte that is not
/// UTF-8 is a part of a word.
pub(crate) fn count_words(bytes: &[u8], name: &str) -> usize {
    word_places(bytes, name).len()
}

/// Returns the first bytes of the whole words that equal a name.
pub(crate) fn word_places(bytes: &[u8], name: &str) -> Vec<usize> {
    let mut places = Vec::new();
    let needle = name.as_bytes();
    let Some(first) = needle.first() else {
        return places;
    };
    let mut at = 0;

    while let Some(rest) = bytes.get(at..) {
        let Some(found) = rest.iter().position(|byte| byte == first) else {
            break;
        };
        let start = at + found;
        let is_name = bytes
            .get(start..)
            .is_some_and(|rest| rest.starts_with(needle));
        let end = start + needle.len();
        if is_name && !is_word_before(bytes, start) && !is_word_after(bytes, end) {
            places.push(start);
            at = end;
        } else {
            at = start + 1;
        }
    }
    places
}

fn is_word_before(bytes: &[u8], at: usize) -> bool {
    let from = at.saturating_sub(4);
    let before = bytes.get(from..at).unwrap_or_default();
    let Some(last) = before.last() else {
        return false;
    };
    if last.is_ascii() {
        return last.is_ascii_alphanumeric() || *last == b'_';
    }
    let start = before.iter().rposition(|byte| byte & 0xC0 != 0x80);
    let character = start.and_then(|start| std::str::from_utf8(&before[start..]).ok());
    character
        .and_then(|text| text.chars().next())
        .is_none_or(is_word)
}

fn is_word_after(bytes: &[u8], at: usize) -> bool {
    let after = bytes.get(at..(at + 4).min(bytes.len())).unwrap_or_default();
    let Some(first) = after.first() else {
        return false;
    };
    if first.is_ascii() {
        return first.is_ascii_alphanumeric() || *first == b'_';
    }
    (1..=after.len())
        .find_map(|length| std::str::from_utf8(&after[..length]).ok())
        .and_then(|text| text.chars().next())
        .is_none_or(is_word)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
