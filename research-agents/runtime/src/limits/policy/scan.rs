//! Finds hosts and paths in the arguments of a call.

pub(crate) mod addresses;
pub(crate) mod argument_names;
pub(crate) mod paths;
pub(crate) mod words;

use serde_json::{Map, Value};

use crate::limits::policy::scan::argument_names::Use;

/// A host or path that an argument names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Location {
    /// A URL with its scheme.
    Url(String),
    /// A host alone, or with a port.
    Host(String),
    /// A path.
    Path(String),
}

impl Location {
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Url(text) | Self::Host(text) | Self::Path(text) => text,
        }
    }
}

/// Maximum number of JSON texts within each other that are parsed.
const NESTING: usize = 8;
/// The IP address 1.0.0.0 as a number.
const LEAST_ADDRESS: u64 = 1 << 24;

/// Returns all hosts and paths that the arguments name, at any depth.
pub(crate) fn locations(arguments: &Map<String, Value>) -> Vec<Location> {
    let mut found = Vec::new();
    object(arguments, NESTING, &mut found);
    found
}

fn object(values: &Map<String, Value>, nesting: usize, found: &mut Vec<Location>) {
    for (name, value) in values {
        text(Use::Text, name, found);
        walk(Use::from_name(name), value, nesting, found);
    }
}

fn walk(what: Use, value: &Value, nesting: usize, found: &mut Vec<Location>) {
    match value {
        Value::String(words) => match embedded(words).filter(|_| nesting > 0) {
            Some(inner) => {
                walk(what, &inner, nesting - 1, found);
                // Of two fields with the same name the parser keeps the last one, while the tool
                // may keep the first.
                text(Use::Text, words, found);
            }
            None => text(what, words, found),
        },

        Value::Array(values) => values
            .iter()
            .for_each(|value| walk(what, value, nesting, found)),
        Value::Object(values) => object(values, nesting, found),

        // 2130706433 is 127.0.0.1; a small number is a count.
        Value::Number(number)
            if what == Use::Host
                && number
                    .as_u64()
                    .is_some_and(|number| number >= LEAST_ADDRESS) =>
        {
            found.push(Location::Host(number.to_string()));
        }
        _ => {}
    }
}

/// Returns the JSON that a string contains as a whole.
fn embedded(text: &str) -> Option<Value> {
    text.trim_start()
        .starts_with(['{', '['])
        .then(|| serde_json::from_str(text).ok())?
}

fn text(what: Use, text: &str, found: &mut Vec<Location>) {
    let text = text.trim_matches(|c: char| c.is_whitespace() || (c.is_control() && c != '\0'));
    found.extend(addresses::whole(text).map(Location::Url));
    for item in words::items(text) {
        let words = words::words(item);
        if words.iter().any(|word| addresses::is_in(word)) {
            item_with_url(what, &words, found);
        } else {
            item_without_url(what, item, &words, found);
        }
    }
}

/// Finds the locations of a list item that contains no URL.
fn item_without_url(what: Use, item: &str, words: &[&str], found: &mut Vec<Location>) {
    match what {
        Use::Host => found.push(Location::Host(item.to_owned())),
        Use::PerhapsHost if addresses::is_host(item) => found.push(Location::Host(item.to_owned())),
        Use::Path => found.push(Location::Path(item.to_owned())),
        Use::Any if addresses::has_port(item) => found.push(Location::Host(item.to_owned())),
        _ if paths::is_path(item) => found.push(Location::Path(item.to_owned())),
        _ => found.extend(words.iter().filter_map(|word| in_prose(word))),
    }
}

/// Finds the locations of a list item that contains a URL: the words next to it are judged too.
fn item_with_url(what: Use, words: &[&str], found: &mut Vec<Location>) {
    for (at, word) in words.iter().enumerate() {
        let owned = || (*word).to_owned();
        match what {
            _ if addresses::is_in(word) => found.push(Location::Url(owned())),
            Use::Host | Use::PerhapsHost if addresses::is_host(word) => {
                found.push(Location::Host(owned()))
            }
            Use::Path => found.push(Location::Path(owned())),
            _ if at == 0 && paths::is_path(word) => found.push(Location::Path(owned())),
            _ => found.extend(in_prose(word)),
        }
    }
}

/// Returns the location that a word of prose certainly is. Prose may contain `and/or`, `3:1` and
/// `event.year:2020`, which are not locations.
fn in_prose(word: &str) -> Option<Location> {
    if addresses::is_plain_endpoint(word) {
        return Some(Location::Host(word.to_owned()));
    }
    paths::is_path_in_prose(word).then(|| Location::Path(word.to_owned()))
}

/// Returns `true` if a string names a host or path in full, rather than as a part of a longer name,
/// URL or path.
pub(crate) fn names_in_full(text: &str, name: &str) -> bool {
    let name = name.trim_end_matches('/');
    let continues = |c: char| c.is_alphanumeric() || "-_@:/\\?#=&%~+*".contains(c);
    let is_whole = |(at, _): (usize, &str)| {
        let before = text[..at].chars().next_back();
        let mut after = text[at + name.len()..].chars().peekable();
        // A slash at the end of a URL is not a part of its name, and a full stop ends a sentence.
        after.next_if_eq(&'/');
        let next = after.next();
        let ends = match next {
            Some('.') => !after.next().is_some_and(continues),
            Some(next) => !continues(next),
            None => true,
        };
        ends && before.is_none_or(|before| !continues(before) && before != '.')
    };
    !name.is_empty() && text.match_indices(name).any(is_whole)
}

#[cfg(test)]
mod tests;
