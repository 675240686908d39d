//! The addresses that a report may show: those of its sources. All other addresses are removed from
//! text, and so is everything that looks like a key.

use std::collections::HashSet;

use crate::language::phrase::Phrase;
use crate::language::tag::Language;
use crate::text::keys::keys;
use crate::text::line::{LINE_CAP, Line, squeeze};

/// The addresses that a report may show.
#[derive(Debug)]
pub(crate) struct Links {
    urls: HashSet<String>,
    /// The text in place of an address.
    removed: String,
    /// The text in place of a key.
    key: String,
}

impl Links {
    /// Allows those of the addresses that are plain `http` or `https` addresses without a key. The
    /// text in place of others is in the language.
    pub(crate) fn new(urls: impl IntoIterator<Item = String>, language: Language) -> Self {
        let is_shown = |url: &String| is_plain_web_address(url) && keys(url).is_empty();
        let urls = urls.into_iter().filter(is_shown).collect();
        Self {
            urls,
            removed: language.say(Phrase::LinkRemoved),
            key: language.say(Phrase::KeyRemoved),
        }
    }

    /// Returns whether an address may be shown and linked.
    pub(crate) fn is_linkable(&self, url: &str) -> bool {
        self.urls.contains(url)
    }

    /// Returns the text as one line, without other addresses and without keys.
    pub(crate) fn line(&self, text: &str) -> Line {
        let words: Vec<String> = squeeze(text)
            .split(' ')
            .map(|word| self.word(word))
            .collect();
        let mut line = words.join(" ");
        for key in keys(&line).into_iter().rev() {
            line.replace_range(key, &self.key);
        }
        Line::new(&line.chars().take(LINE_CAP).collect::<String>())
    }

    /// Replaces an address in a word, unless it is allowed.
    fn word(&self, word: &str) -> String {
        let lower = word.to_ascii_lowercase();
        let start = ["www.", "data:", "javascript:", "mailto:", "vbscript:"]
            .iter()
            .filter_map(|prefix| {
                lower
                    .find(prefix)
                    .filter(|at| *prefix != "data:" || is_data_uri(&lower[*at..]))
            })
            .chain(lower.find("://").map(|at| scheme_start(&lower, at)))
            .min();
        let Some(start) = start else {
            return word.to_owned();
        };

        let address = word[start..]
            .trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '>', '"', '\'', '}']);
        let (before, after) = (&word[..start], &word[start + address.len()..]);

        if self.is_linkable(address) {
            let bare = before.trim_end_matches('<');
            let closed = if before.len() > bare.len() {
                after.strip_prefix('>').unwrap_or(after)
            } else {
                after
            };
            return format!("{bare}{address}{closed}");
        }

        format!("{before}{}{after}", self.removed)
    }
}

/// Returns whether a string that begins with `data:` is a data URI.
fn is_data_uri(text: &str) -> bool {
    let rest = text.trim_start_matches("data:");
    rest.starts_with([',', ';'])
        || rest
            .split([',', ';'])
            .next()
            .is_some_and(|kind| kind.contains('/'))
}

/// Returns the start of the URI scheme before a colon.
fn scheme_start(word: &str, colon: usize) -> usize {
    let scheme = word[..colon]
        .bytes()
        .rev()
        .take_while(|b| b.is_ascii_alphanumeric() || b"+.-".contains(b))
        .count();
    colon - scheme
}

/// Returns whether a report may link an address: it is `http` or `https`, and has no character that
/// ends or hides it.
pub(crate) fn is_plain_web_address(url: &str) -> bool {
    let web = url.starts_with("https://") || url.starts_with("http://");
    web && url
        .chars()
        .all(|c| c.is_ascii_graphic() && !"<>[]()\"'`\\*".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_registered_addresses_stay() {
        let links = Links::new(["https://example.org/a".to_owned()], Language::ENGLISH);
        for (text, shown) in [
            ("see https://example.org/a.", "see https://example.org/a."),
            ("see https://example.org/a?x=1", "see (link removed)"),
            ("a (HTTPS://evil.org/x) b", "a ((link removed)) b"),
            ("javascript:alert", "(link removed)"),
            ("write to mailto:a@evil.org.", "write to (link removed)."),
            ("data:text/html;base64,AAAA", "(link removed)"),
            ("the data: three rows", "the data: three rows"),
        ] {
            assert_eq!(links.line(text).as_str(), shown);
        }
    }
}
