//! Finds hosts and paths in the arguments of a call, whatever the tool does with them.

mod addresses;
mod argument_names;
mod paths;
mod words;

use serde_json::{Map, Value};

use self::argument_names::Use;

/// A host or path that an argument names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// An address with its scheme.
    Url(String),
    /// A host alone, or with a port.
    Host(String),
    /// A path.
    Path(String),
}

impl Named {
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Url(text) | Self::Host(text) | Self::Path(text) => text,
        }
    }
}

/// JSON that is written inside of texts is looked into so many times.
const NESTING: usize = 8;
/// The number of the address 1.0.0.0.
const LEAST_ADDRESS: u64 = 1 << 24;

/// All hosts and paths that the arguments name, however deep they stand.
pub(super) fn named(arguments: &Map<String, Value>) -> Vec<Named> {
    let mut found = Vec::new();
    object(arguments, NESTING, &mut found);
    found
}

fn object(values: &Map<String, Value>, nesting: usize, found: &mut Vec<Named>) {
    for (name, value) in values {
        text(Use::Text, name, found);
        walk(Use::of(name), value, nesting, found);
    }
}

fn walk(what: Use, value: &Value, nesting: usize, found: &mut Vec<Named>) {
    match value {
        Value::String(words) => match embedded(words).filter(|_| nesting > 0) {
            Some(inner) => {
                walk(what, &inner, nesting - 1, found);
                // Of two fields with one name the parser keeps the last, and the tool perhaps the first.
                text(Use::Text, words, found);
            }
            None => text(what, words, found),
        },
        Value::Array(values) => values.iter().for_each(|value| walk(what, value, nesting, found)),
        Value::Object(values) => object(values, nesting, found),
        // 2130706433 is 127.0.0.1; a small number is one of something.
        Value::Number(number) if what == Use::Host && number.as_u64().is_some_and(|number| number >= LEAST_ADDRESS) => {
            found.push(Named::Host(number.to_string()));
        }
        _ => {}
    }
}

/// What a text holds that is JSON itself.
fn embedded(text: &str) -> Option<Value> {
    text.trim_start().starts_with(['{', '[']).then(|| serde_json::from_str(text).ok())?
}

fn text(what: Use, text: &str, found: &mut Vec<Named>) {
    let text = text.trim_matches(|c: char| c.is_whitespace() || (c.is_control() && c != '\0'));
    found.extend(addresses::whole(text).map(Named::Url));
    for item in words::items(text) {
        let words = words::words(item);
        if words.iter().any(|word| addresses::is_in(word)) {
            beside_addresses(what, &words, found);
        } else {
            alone(what, item, &words, found);
        }
    }
}

/// An item of a list that holds no address.
fn alone(what: Use, item: &str, words: &[&str], found: &mut Vec<Named>) {
    match what {
        Use::Host => found.push(Named::Host(item.to_owned())),
        Use::PerhapsHost if addresses::is_host(item) => found.push(Named::Host(item.to_owned())),
        Use::Path => found.push(Named::Path(item.to_owned())),
        Use::Any if addresses::has_port(item) => found.push(Named::Host(item.to_owned())),
        _ if paths::is_path(item) => found.push(Named::Path(item.to_owned())),
        _ => found.extend(words.iter().filter_map(|word| in_prose(word))),
    }
}

/// The words of an item that holds an address: what stands beside it is judged too.
fn beside_addresses(what: Use, words: &[&str], found: &mut Vec<Named>) {
    for (at, word) in words.iter().enumerate() {
        let owned = || (*word).to_owned();
        match what {
            _ if addresses::is_in(word) => found.push(Named::Url(owned())),
            Use::Host | Use::PerhapsHost if addresses::is_host(word) => found.push(Named::Host(owned())),
            Use::Path => found.push(Named::Path(owned())),
            _ if at == 0 && paths::is_path(word) => found.push(Named::Path(owned())),
            _ => found.extend(in_prose(word)),
        }
    }
}

/// A word of a text that is a location beyond doubt: a text in words may hold `and/or`, `3:1` and `event.year:2020`.
fn in_prose(word: &str) -> Option<Named> {
    if addresses::is_plain_endpoint(word) {
        return Some(Named::Host(word.to_owned()));
    }
    paths::is_path_in_prose(word).then(|| Named::Path(word.to_owned()))
}

/// Whether somebody's words name a host or path in full: a part of a longer name, address or path is none.
pub(super) fn stands_in(words: &str, name: &str) -> bool {
    let name = name.trim_end_matches('/');
    let goes_on = |c: char| c.is_alphanumeric() || "-_@:/\\?#=&%~+*".contains(c);
    let is_whole = |(at, _): (usize, &str)| {
        let before = words[..at].chars().next_back();
        let mut after = words[at + name.len()..].chars().peekable();
        // A slash at the end of an address is no part of its name, and a full stop ends a sentence.
        after.next_if_eq(&'/');
        let next = after.next();
        let ends = match next {
            Some('.') => !after.next().is_some_and(goes_on),
            Some(next) => !goes_on(next),
            None => true,
        };
        ends && before.is_none_or(|before| !goes_on(before) && before != '.')
    };
    !name.is_empty() && words.match_indices(name).any(is_whole)
}

#[cfg(test)]
mod tests;
