//! Recognises URLs and hosts by their form, as URL parsers read them.

use std::net::Ipv4Addr;

use url::Url;

/// Schemes that parsers accept with any number of slashes after them, including none.
const WEB_SCHEMES: &[&str] = &["http", "https", "ws", "wss", "ftp", "file"];
/// Schemes whose URLs contain a program.
const PROGRAMS: &[&str] = &["javascript", "vbscript"];
/// Schemes that wrap another URL.
const WRAPPERS: &[&str] = &["jar", "view-source", "blob", "feed"];

/// Returns `true` if a string begins like a URL.
pub(crate) fn begins(text: &str) -> bool {
    let mut chars = text.chars();

    if matches!(
        (chars.next(), chars.next()),
        (Some('/'), Some('/' | '\\')) | (Some('\\'), Some('/'))
    ) {
        return chars
            .next()
            .is_some_and(|c| !matches!(c, '/' | '\\') && !c.is_whitespace());
    }

    let Some((scheme, rest)) = text.split_once(':') else {
        return false;
    };

    // A single letter is the drive of a path.
    let is_scheme = scheme.len() > 1
        && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));

    if !is_scheme {
        return false;
    }

    let scheme = scheme.to_ascii_lowercase();
    let is = |known: &[&str]| known.contains(&scheme.as_str());
    // "https: the protocol" is prose.
    let continues = rest.starts_with(|c: char| !c.is_whitespace());
    rest.starts_with("//")
        || (continues && (is(WEB_SCHEMES) || is(PROGRAMS)))
        || (is(WRAPPERS) && rest.contains(':'))
        || (scheme == "mailto" && rest.contains('@'))
        || (scheme == "data" && is_media(rest))
}

/// Returns `true` if the text after `data:` makes it a URL, such as `text/html,…`, and not a label.
fn is_media(rest: &str) -> bool {
    let is_word = |text: &str| text.starts_with(|c: char| c.is_ascii_alphabetic());
    rest.starts_with(';')
        || rest.split_once('/').is_some_and(|(kind, form)| {
            is_word(kind) && kind.chars().all(|c| c.is_ascii_alphabetic()) && is_word(form)
        })
}

/// Returns `true` if a word is a URL or contains one.
pub(crate) fn is_in(word: &str) -> bool {
    begins(word) || word.contains("://")
}

/// Returns the text as one URL if parsers that read all of it as a URL would reach another host
/// than the one in its first word: they skip tabs and line ends, and read the text before an `@` as
/// a user.
pub(crate) fn whole(text: &str) -> Option<String> {
    let joined: String = text
        .chars()
        .filter(|c| !matches!(c, '\t' | '\n' | '\r'))
        .collect();
    if !begins(&joined) {
        return None;
    }

    let parsed = Url::parse(&joined).ok()?;
    let first = text
        .split_whitespace()
        .next()
        .and_then(|first| Url::parse(first).ok());
    let has_user = !parsed.username().is_empty() || parsed.password().is_some();
    let is_same = first
        .is_some_and(|first| first.host() == parsed.host() && first.scheme() == parsed.scheme());
    (has_user || !is_same).then_some(joined)
}

/// Returns `true` if a string has the form of a host, with or without a port and a path:
/// `data.example`, `10.0.0.1:5432`, `[::1]`, `localhost`.
pub(crate) fn is_host(text: &str) -> bool {
    let (host, _) = split(text);
    is_machine(host) || is_dotted(host)
}

/// Returns `true` if a string is a host with a port, or a user and host as programs for remote
/// copies accept them.
pub(crate) fn has_port(text: &str) -> bool {
    let (host, port) = split(text);
    (port.is_some_and(is_port) && (is_machine(host) || is_dotted(host))) || is_remote_copy(text)
}

/// Returns `true` for the same in a word of prose, where a number after a dotted name may be
/// anything.
pub(crate) fn is_plain_endpoint(word: &str) -> bool {
    let (host, port) = split(word);
    (port.is_some_and(is_port) && is_machine(host)) || is_remote_copy(word)
}

/// Splits off the host and the port.
fn split(text: &str) -> (&str, Option<&str>) {
    let head = text.split(['/', '\\', '?', '#']).next().unwrap_or_default();
    match head.rsplit_once(':') {
        Some((host, port)) if !head.ends_with(']') => (host, Some(port)),
        _ => (head, None),
    }
}

fn is_port(text: &str) -> bool {
    text.parse::<u16>().is_ok()
}

/// Returns `true` for `user@host.example:path`.
fn is_remote_copy(text: &str) -> bool {
    let Some((user, place)) = text.split_once('@') else {
        return false;
    };
    let is_name = |c: char| c.is_alphanumeric() || "._-".contains(c);
    let has_path = place
        .split_once(':')
        .is_some_and(|(host, path)| is_host(host) && !path.is_empty());
    !user.is_empty() && user.chars().all(is_name) && has_path && !text.contains(char::is_whitespace)
}

/// Returns `true` for `localhost` and IP addresses.
fn is_machine(host: &str) -> bool {
    let bracketed = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<Ipv4Addr>().is_ok()
        || bracketed.is_some_and(|address| address.contains(':'))
}

/// Returns `true` for a name of several labels whose last one has letters, unlike a version or
/// date.
fn is_dotted(host: &str) -> bool {
    let host = host.strip_suffix('.').unwrap_or(host);
    let is_label = |label: &str| {
        !label.is_empty()
            && label
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
    };
    let Some((_, last)) = host.rsplit_once('.') else {
        return false;
    };
    let is_top = (last.chars().count() > 1 && last.chars().all(char::is_alphabetic))
        || last.starts_with("xn--");
    is_top && host.split('.').all(is_label)
}
