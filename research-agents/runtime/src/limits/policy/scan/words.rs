//! Splits a string into the items of a list, and an item into words.

use crate::limits::policy::scan::{addresses, paths};

/// Characters that surround a word without being part of it.
const BEFORE: &[char] = &['(', '[', '{', '\'', '=', '@', ',', ';', ':', '*', '&', '|'];
const AFTER: &[char] = &[')', ']', '}', '\'', '.', ',', ';', ':', '!', '?', '*', '|'];

/// Returns the items of a list; a string that is not a list is one item. A separator within a URL
/// is part of the URL unless another location follows: parsers may read the text after the comma of
/// `https://a.example,@b.example` as its host.
pub(crate) fn items(text: &str) -> Vec<&str> {
    let (mut items, mut item, mut word) = (Vec::new(), 0, 0);

    for (at, c) in text.char_indices() {
        let next = at + c.len_utf8();
        let is_separator = match c {
            '\n' | '\r' => true,
            ',' | ';' | '|' => {
                !addresses::is_in(text[word..at].trim_start_matches(BEFORE)) || ends(&text[next..])
            }
            _ => false,
        };
        if is_separator {
            items.push(text[item..at].trim());
            item = next;
        }
        if is_separator || c.is_whitespace() {
            word = next;
        }
    }

    items.push(text[item..].trim());
    items.retain(|item| !item.is_empty());
    items
}

/// Returns `true` if a URL has ended at a separator that this text follows.
fn ends(rest: &str) -> bool {
    rest.is_empty()
        || rest.starts_with(char::is_whitespace)
        || rest.starts_with(['"', '<', '>', '`'])
        || addresses::begins(rest.split(char::is_whitespace).next().unwrap_or_default())
        || paths::begins(rest)
}

/// Splits an item into words, without the characters around them. A URL or path is one word; other
/// words end at a character that may precede a location, as in `file=/etc/passwd`.
pub(crate) fn words(item: &str) -> Vec<&str> {
    let mut words = Vec::new();

    for word in item.split(|c: char| c.is_whitespace() || matches!(c, '"' | '<' | '>' | '`')) {
        let bare_word = bare(word);
        if addresses::is_plain_endpoint(word) {
            // The brackets of `[::1]:80` are part of it.
            words.push(word);
        } else if addresses::begins(bare_word) || paths::is_path_in_prose(bare_word) {
            words.push(bare_word);
        } else {
            words.extend(
                bare_word
                    .split(['=', '(', ')', '[', ']', '{', '}', '\''])
                    .map(bare),
            );
        }
    }

    words.retain(|word| !word.is_empty());
    words
}

fn bare(word: &str) -> &str {
    let word = word.trim_start_matches(BEFORE);
    // The dots of `a/..` are not the end of a sentence.
    let climbs = word.ends_with("/..") || word.ends_with("\\..");
    if climbs {
        word
    } else {
        word.trim_end_matches(AFTER)
    }
}
