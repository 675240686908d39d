//! The addresses that a report may show: those of its sources. All other addresses are removed from
//! text, and so is everything that looks like a key.

use std::collections::HashSet;

use crate::evidence::run::Evidence;
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

    /// Allows the addresses of the sources of a run.
    pub(crate) fn of(evidence: &Evidence, language: Language) -> Self {
        let urls = evidence.sources.iter();
        Self::new(urls.filter_map(|source| source.url.clone()), language)
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

    /// Returns a printed line with the addresses that were removed from it, as the texts that it
    /// quotes have them, in their order. An address that none of them has stays removed.
    pub(crate) fn restored<'t>(
        &self,
        line: &str,
        quoted: impl IntoIterator<Item = &'t str>,
    ) -> String {
        let mut restored = line.to_owned();

        for text in quoted {
            let mut from = 0;
            for word in text.split_whitespace() {
                let printed = self.word(word);
                if printed == word {
                    continue;
                }
                if let Some(at) = restored[from..].find(&printed) {
                    let place = from + at..from + at + printed.len();
                    restored.replace_range(place, word);
                    from += at + word.len();
                }
            }
        }

        restored
    }

    /// Returns the text of a line that no claim proves, also without what programs that show it may
    /// take for an address: names of hosts, e-mail addresses and names of users.
    pub(crate) fn free_line(&self, text: &str) -> Line {
        let line = self.line(text);
        let words: Vec<String> = line
            .as_str()
            .split(' ')
            .map(|word| self.free_word(word))
            .collect();
        Line::new(&words.join(" "))
    }

    fn free_word(&self, word: &str) -> String {
        let is_around = |c: char| !c.is_alphanumeric() && !matches!(c, '@' | '/' | '\\' | '$');
        let bare = word.trim_start_matches(is_around);
        let before = &word[..word.len() - bare.len()];
        let core = bare.trim_end_matches(|c: char| is_around(c) && c != '}');
        let after = &bare[core.len()..];
        if self.is_linkable(core) {
            return word.to_owned();
        }

        if is_email(core) || is_host(core) || core.starts_with("//") || core.contains("\\href") {
            return format!("{before}{}{after}", self.removed);
        }
        match core.strip_prefix('@') {
            Some(name) if name.starts_with(char::is_alphanumeric) => {
                format!("{before}{name}{after}")
            }
            _ => word.to_owned(),
        }
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

/// Endings of the names of hosts. Other names with points are mostly those of files and fields.
const TOP_DOMAINS: [&str; 44] = [
    "ai", "app", "at", "biz", "br", "ca", "cc", "ch", "click", "club", "cn", "co", "com", "de",
    "dev", "edu", "es", "eu", "fr", "gov", "info", "io", "it", "jp", "link", "live", "me", "net",
    "nl", "online", "org", "page", "pl", "ru", "shop", "site", "store", "top", "tv", "uk", "us",
    "world", "xyz", "zone",
];

/// Returns whether a word is an e-mail address.
fn is_email(word: &str) -> bool {
    word.split_once('@').is_some_and(|(name, host)| {
        !name.is_empty() && host.contains('.') && host.starts_with(char::is_alphanumeric)
    })
}

/// Returns whether a word is the name of a host, with or without a path.
fn is_host(word: &str) -> bool {
    let host = word.split(['/', '?', '#', ':']).next().unwrap_or_default();
    let mut labels: Vec<&str> = host.split('.').collect();
    let top = labels.pop().unwrap_or_default();
    let is_label =
        |label: &&str| !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-');
    let has_letters = |label: &&str| label.chars().any(char::is_alphabetic);
    TOP_DOMAINS.contains(&top.to_ascii_lowercase().as_str())
        && !labels.is_empty()
        && labels.iter().all(is_label)
        && labels.iter().any(has_letters)
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

    #[test]
    fn lines_without_a_claim_have_no_address_of_any_form() {
        let links = Links::new(["https://example.org/a".to_owned()], Language::ENGLISH);
        let cases = [
            ("see https://example.org/a.", "see https://example.org/a."),
            (
                "see evil.com, or (evil.co.uk/x?y)",
                "see (link removed), or ((link removed))",
            ),
            ("write to a.b@evil.org.", "write to (link removed)."),
            ("//evil.org/x loads", "(link removed) loads"),
            ("ask @somebody, not a @ b", "ask somebody, not a @ b"),
            ("$\\href{https:evil}{x}$ here", "(link removed) here"),
            (
                "orders.csv, 3.5, e.g. U.S. and/or",
                "orders.csv, 3.5, e.g. U.S. and/or",
            ),
        ];

        for (text, shown) in cases {
            assert_eq!(links.free_line(text).as_str(), shown);
        }
    }
}
