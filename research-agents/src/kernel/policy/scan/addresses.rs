//! Addresses and hosts by their form, as the parsers of addresses read them.

use std::net::Ipv4Addr;

use url::Url;

/// Schemes that parsers read with any number of slashes after them, also with none.
const WEB_SCHEMES: &[&str] = &["http", "https", "ws", "wss", "ftp", "file"];
/// Schemes that carry a program.
const PROGRAMS: &[&str] = &["javascript", "vbscript"];
/// Schemes that stand before another address.
const WRAPPERS: &[&str] = &["jar", "view-source", "blob", "feed"];

/// Whether a text begins as an address does.
pub(super) fn begins(text: &str) -> bool {
    let mut chars = text.chars();
    if matches!((chars.next(), chars.next()), (Some('/'), Some('/' | '\\')) | (Some('\\'), Some('/'))) {
        return chars.next().is_some_and(|c| !matches!(c, '/' | '\\') && !c.is_whitespace());
    }
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    // A single letter is a drive.
    let is_scheme = scheme.len() > 1
        && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    if !is_scheme {
        return false;
    }
    let scheme = scheme.to_ascii_lowercase();
    let is = |known: &[&str]| known.contains(&scheme.as_str());
    // "https: the protocol" is none.
    let goes_on = rest.starts_with(|c: char| !c.is_whitespace());
    rest.starts_with("//")
        || (goes_on && (is(WEB_SCHEMES) || is(PROGRAMS)))
        || (is(WRAPPERS) && rest.contains(':'))
        || (scheme == "mailto" && rest.contains('@'))
        || (scheme == "data" && is_media(rest))
}

/// Whether what follows `data:` is of that scheme: `text/html,…`, and not a year.
fn is_media(rest: &str) -> bool {
    let is_word = |text: &str| text.starts_with(|c: char| c.is_ascii_alphabetic());
    rest.starts_with(';')
        || rest
            .split_once('/')
            .is_some_and(|(kind, form)| is_word(kind) && kind.chars().all(|c| c.is_ascii_alphabetic()) && is_word(form))
}

/// Whether a word is an address, or holds one.
pub(super) fn is_in(word: &str) -> bool {
    begins(word) || word.contains("://")
}

/// The text as one address, where parsers that take all of it for one would reach another host than its first word names:
/// they pass over tabs and ends of lines, and take what stands before an `@` for a user.
pub(super) fn whole(text: &str) -> Option<String> {
    let joined: String = text.chars().filter(|c| !matches!(c, '\t' | '\n' | '\r')).collect();
    if !begins(&joined) {
        return None;
    }
    let parsed = Url::parse(&joined).ok()?;
    let first = text.split_whitespace().next().and_then(|first| Url::parse(first).ok());
    let has_user = !parsed.username().is_empty() || parsed.password().is_some();
    let is_same = first.is_some_and(|first| first.host() == parsed.host() && first.scheme() == parsed.scheme());
    (has_user || !is_same).then_some(joined)
}

/// Whether a text is a host by its form, with or without a port and a path: `data.example`, `10.0.0.1:5432`, `[::1]`,
/// `localhost`.
pub(super) fn is_host(text: &str) -> bool {
    let (host, _) = split(text);
    is_machine(host) || is_dotted(host)
}

/// Whether a text is a host with its port, or one with a user before it as programs for remote copies take it.
pub(super) fn has_port(text: &str) -> bool {
    let (host, port) = split(text);
    (port.is_some_and(is_port) && (is_machine(host) || is_dotted(host))) || is_remote_copy(text)
}

/// The same of a word in a text, where a number after a dotted name may be anything.
pub(super) fn is_plain_endpoint(word: &str) -> bool {
    let (host, port) = split(word);
    (port.is_some_and(is_port) && is_machine(host)) || is_remote_copy(word)
}

/// The host and the port, without what follows.
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

/// `user@host.example:path`.
fn is_remote_copy(text: &str) -> bool {
    let Some((user, place)) = text.split_once('@') else { return false };
    let is_name = |c: char| c.is_alphanumeric() || "._-".contains(c);
    let has_path = place.split_once(':').is_some_and(|(host, path)| is_host(host) && !path.is_empty());
    !user.is_empty() && user.chars().all(is_name) && has_path && !text.contains(char::is_whitespace)
}

/// The own machine, or a number of one.
fn is_machine(host: &str) -> bool {
    let bracketed = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<Ipv4Addr>().is_ok()
        || bracketed.is_some_and(|address| address.contains(':'))
}

/// A name of several labels, the last one in letters: a version or a date is none.
fn is_dotted(host: &str) -> bool {
    let host = host.strip_suffix('.').unwrap_or(host);
    let is_label =
        |label: &str| !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
    let Some((_, last)) = host.rsplit_once('.') else { return false };
    let is_top = (last.chars().count() > 1 && last.chars().all(char::is_alphabetic)) || last.starts_with("xn--");
    is_top && host.split('.').all(is_label)
}
