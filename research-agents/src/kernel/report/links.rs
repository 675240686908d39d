//! Which addresses a report may show: those of its sources. Every other one is taken out of what others wrote, and so is
//! whatever looks like a key.

use std::collections::HashSet;

use crate::kernel::keys::keys;
use crate::kernel::language::{Language, Phrase};
use crate::kernel::line::{LINE_CAP, Line, squeeze};

/// The addresses that a report may show.
#[derive(Debug)]
pub(super) struct Links {
    urls: HashSet<String>,
    /// Stands where an address was.
    removed: String,
    /// Stands where a key was.
    key: String,
}

impl Links {
    /// Of these addresses, those that are plain `http` or `https` ones without a key. The words for the others are of the language.
    pub(super) fn new(urls: impl IntoIterator<Item = String>, language: Language) -> Self {
        let is_shown = |url: &String| is_plain_web_address(url) && keys(url).is_empty();
        let urls = urls.into_iter().filter(is_shown).collect();
        Self { urls, removed: language.say(Phrase::LinkRemoved), key: language.say(Phrase::KeyRemoved) }
    }

    /// Whether this address was registered and is safe to link.
    pub(super) fn is_linkable(&self, url: &str) -> bool {
        self.urls.contains(url)
    }

    /// The text as one line without addresses that are not registered, and without keys.
    pub(super) fn line(&self, text: &str) -> Line {
        let words: Vec<String> = squeeze(text).split(' ').map(|word| self.word(word)).collect();
        let mut line = words.join(" ");
        for key in keys(&line).into_iter().rev() {
            line.replace_range(key, &self.key);
        }
        Line::new(&line.chars().take(LINE_CAP).collect::<String>())
    }

    /// The word with every address in it that is not registered replaced.
    fn word(&self, word: &str) -> String {
        let lower = word.to_ascii_lowercase();
        let start = ["www.", "data:", "javascript:", "mailto:", "vbscript:"]
            .iter()
            .filter_map(|prefix| lower.find(prefix).filter(|at| *prefix != "data:" || is_data_uri(&lower[*at..])))
            .chain(lower.find("://").map(|at| scheme_start(&lower, at)))
            .min();
        let Some(start) = start else { return word.to_owned() };
        let address = word[start..].trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '>', '"', '\'', '}']);
        let (before, after) = (&word[..start], &word[start + address.len()..]);
        if self.is_linkable(address) {
            let bare = before.trim_end_matches('<');
            let closed = if before.len() > bare.len() { after.strip_prefix('>').unwrap_or(after) } else { after };
            return format!("{bare}{address}{closed}");
        }
        format!("{before}{}{after}", self.removed)
    }
}

fn is_data_uri(text: &str) -> bool {
    let rest = text.trim_start_matches("data:");
    rest.starts_with([',', ';']) || rest.split([',', ';']).next().is_some_and(|kind| kind.contains('/'))
}

fn scheme_start(word: &str, colon: usize) -> usize {
    let scheme = word[..colon].bytes().rev().take_while(|b| b.is_ascii_alphanumeric() || b"+.-".contains(b)).count();
    colon - scheme
}

/// Whether an address is one that a report may link: `http` or `https`, and no character that ends or hides it.
pub(super) fn is_plain_web_address(url: &str) -> bool {
    let web = url.starts_with("https://") || url.starts_with("http://");
    web && url.chars().all(|c| c.is_ascii_graphic() && !"<>[]()\"'`\\*".contains(c))
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
