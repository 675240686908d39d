//! Finds hosts and paths in the arguments of a call.

use serde_json::{Map, Value};

/// A host or path that an argument names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Named<'a> {
    /// An address with its scheme.
    Url(&'a str),
    /// A host alone.
    Host(&'a str),
    /// A path.
    Path(&'a str),
}

impl<'a> Named<'a> {
    pub(super) fn text(self) -> &'a str {
        match self {
            Self::Url(text) | Self::Host(text) | Self::Path(text) => text,
        }
    }
}

/// Arguments that are compared with and never opened.
const COMPARED: &[&str] = &["filters", "filter", "where"];
/// Arguments whose text is a host, or an address without its scheme.
const HOSTS: &[&str] =
    &["host", "hostname", "url", "urls", "uri", "uris", "endpoint", "baseurl", "webhook", "callback", "link"];
/// Arguments whose text is a path.
const PATHS: &[&str] =
    &["path", "paths", "file", "files", "filename", "filepath", "dir", "directory", "folder", "root", "cwd"];
/// Schemes of addresses that need no `//` to be opened.
const BARE_SCHEMES: &[&str] = &["file:", "data:", "javascript:", "mailto:", "ftp:", "jar:", "view-source:", "blob:"];

/// All hosts and paths that the arguments name, however deep they stand.
pub(super) fn named(arguments: &Map<String, Value>) -> Vec<Named<'_>> {
    let mut found = Vec::new();
    for (name, value) in arguments.iter().filter(|(name, _)| !COMPARED.contains(&plain(name).as_str())) {
        walk(&plain(name), value, &mut found);
    }
    found
}

/// A name in lower case and without separators: `baseUrl` and `base_url` are one.
fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn walk<'a>(name: &str, value: &'a Value, found: &mut Vec<Named<'a>>) {
    match value {
        Value::String(text) => found.extend(names(name, text.trim())),
        Value::Array(values) => values.iter().for_each(|value| walk(name, value, found)),
        Value::Object(values) => values.iter().for_each(|(name, value)| walk(&plain(name), value, found)),
        _ => {}
    }
}

fn names<'a>(name: &str, text: &'a str) -> Vec<Named<'a>> {
    let lower = text.to_lowercase();
    let addresses: Vec<Named<'a>> = text
        .split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | '(' | ')' | '`' | ','))
        .filter(|word| word.contains("://") || word.starts_with("//"))
        .map(Named::Url)
        .collect();
    if !addresses.is_empty() {
        return addresses;
    }
    if text.is_empty() {
        return Vec::new();
    }
    if BARE_SCHEMES.iter().any(|scheme| lower.starts_with(scheme)) {
        return vec![Named::Url(text)];
    }
    if HOSTS.contains(&name) {
        return vec![Named::Host(text)];
    }
    if PATHS.contains(&name) || is_path(text) {
        return vec![Named::Path(text)];
    }
    Vec::new()
}

/// Whether a text is a path by its form: absolute, of a home directory, of another system, or one that climbs.
fn is_path(text: &str) -> bool {
    let drive = text.as_bytes();
    let has_drive =
        drive.len() >= 3 && drive[0].is_ascii_alphabetic() && drive[1] == b':' && matches!(drive[2], b'\\' | b'/');
    let climbs = text.split(['/', '\\']).any(|part| part == "..") && text.contains(['/', '\\']);
    // A lone slash is a separator that was left, not a directory.
    let absolute = text.len() > 1 && text.starts_with('/');
    absolute || text.starts_with("~/") || text.starts_with("\\\\") || has_drive || climbs || text == ".."
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
