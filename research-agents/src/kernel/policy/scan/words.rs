//! Takes a text apart: the items of a list, and the words of an item.

use super::{addresses, paths};

/// What surrounds a word without being part of it.
const BEFORE: &[char] = &['(', '[', '{', '\'', '=', '@', ',', ';', ':', '*', '&', '|'];
const AFTER: &[char] = &[')', ']', '}', '\'', '.', ',', ';', ':', '!', '?', '*', '|'];

/// The items of a list; a text that is no list is one item. A separator inside of an address is part of it, unless another
/// location follows: what stands after the comma of `https://a.example,@b.example` may be its host.
pub(super) fn items(text: &str) -> Vec<&str> {
    let (mut items, mut item, mut word) = (Vec::new(), 0, 0);
    for (at, c) in text.char_indices() {
        let next = at + c.len_utf8();
        let is_separator = match c {
            '\n' | '\r' => true,
            ',' | ';' | '|' => !addresses::is_in(text[word..at].trim_start_matches(BEFORE)) || ends(&text[next..]),
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

/// Whether an address has ended where this follows a separator.
fn ends(rest: &str) -> bool {
    rest.is_empty()
        || rest.starts_with(char::is_whitespace)
        || rest.starts_with(['"', '<', '>', '`'])
        || addresses::begins(rest.split(char::is_whitespace).next().unwrap_or_default())
        || paths::begins(rest)
}

/// The words of an item, without what surrounds them. An address or path is one word; another word ends at a sign that may
/// stand before a location, as in `file=/etc/passwd`.
pub(super) fn words(item: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for word in item.split(|c: char| c.is_whitespace() || matches!(c, '"' | '<' | '>' | '`')) {
        let bare_word = bare(word);
        if addresses::is_plain_endpoint(word) {
            // The brackets of `[::1]:80` are part of it.
            words.push(word);
        } else if addresses::begins(bare_word) || paths::is_path_in_prose(bare_word) {
            words.push(bare_word);
        } else {
            words.extend(bare_word.split(['=', '(', ')', '[', ']', '{', '}', '\'']).map(bare));
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn bare(word: &str) -> &str {
    let word = word.trim_start_matches(BEFORE);
    // The stops of `a/..` end no sentence.
    let climbs = word.ends_with("/..") || word.ends_with("\\..");
    if climbs { word } else { word.trim_end_matches(AFTER) }
}
