//! Makes text of others safe inside Markdown: one line, no markup that loads or links, no square brackets.

use std::collections::HashSet;

use crate::kernel::untrusted::visible;

/// Characters of one inline text that a report shows.
const INLINE_CAP: usize = 1_200;

/// Cleans text; knows which addresses may be linked.
#[derive(Debug, Default)]
pub(super) struct Cleaner {
    urls: HashSet<String>,
}

impl Cleaner {
    /// A cleaner that leaves these addresses as links, where they are plain `http` or `https` ones.
    pub(super) fn new(urls: impl IntoIterator<Item = String>) -> Self {
        Self { urls: urls.into_iter().filter(|url| is_plain_web_address(url)).collect() }
    }

    /// Whether this address was registered and is safe to link.
    pub(super) fn is_linkable(&self, url: &str) -> bool {
        self.urls.contains(url)
    }

    /// The text as one line of inert Markdown.
    pub(super) fn inline(&self, text: &str) -> String {
        let line = visible(text).split_whitespace().collect::<Vec<_>>().join(" ");
        let words: Vec<String> = line.split(' ').map(|word| self.word(word)).collect();
        let mut out = String::new();
        let joined = words.join(" ");
        let mut characters = joined.chars().take(INLINE_CAP).peekable();
        while let Some(character) = characters.next() {
            match character {
                '[' => out.push('('),
                ']' => out.push(')'),
                '`' => out.push('\''),
                '*' => out.push_str("\\*"),
                '<' if characters.peek().is_some_and(|next| next.is_ascii_alphabetic() || "/!?".contains(*next)) => {
                    out.push_str("&lt;");
                }
                other => out.push(other),
            }
        }
        let mut blunt = blunt_markers(&out);
        // `((A1))` loses one pair of brackets at a time.
        while blunt != out {
            out = blunt;
            blunt = blunt_markers(&out);
        }
        escape_start(&blunt)
    }

    /// The word with every address in it that is not registered replaced.
    fn word(&self, word: &str) -> String {
        let lower = word.to_ascii_lowercase();
        let start = ["www.", "data:", "javascript:", "vbscript:"]
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
        format!("{before}(link removed){after}")
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

fn is_plain_web_address(url: &str) -> bool {
    let web = url.starts_with("https://") || url.starts_with("http://");
    web && url.chars().all(|c| c.is_ascii_graphic() && !"<>[]()\"'`\\*".contains(c))
}

/// Writes `(A1)` as `A1`, so that only the report's own markers have that form.
fn blunt_markers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("(A") {
        let digits = rest[at + 2..].bytes().take_while(u8::is_ascii_digit).count();
        let end = at + 2 + digits;
        if digits > 0 && rest[end..].starts_with(')') {
            out.push_str(&rest[..at]);
            out.push_str(&rest[at + 1..end]);
            rest = &rest[end + 1..];
        } else {
            out.push_str(&rest[..at + 2]);
            rest = &rest[at + 2..];
        }
    }
    out.push_str(rest);
    out
}

/// Keeps a text from starting a heading, list, quotation or rule.
fn escape_start(text: &str) -> String {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 && text[digits..].starts_with(['.', ')']) && text[digits + 1..].starts_with(' ') {
        return format!("{}\\{}", &text[..digits], &text[digits..]);
    }
    if text.starts_with(['#', '-', '+', '>', '=', '~', '|']) { format!("\\{text}") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clean(text: &str) -> String {
        Cleaner::new(["https://example.org/a".to_owned()]).inline(text)
    }

    #[test]
    fn only_registered_addresses_stay() {
        assert_eq!(clean("see https://example.org/a."), "see https://example.org/a.");
        assert_eq!(clean("see https://example.org/a?x=1"), "see (link removed)");
        assert_eq!(clean("a (HTTPS://evil.org/x) b"), "a ((link removed)) b");
        assert_eq!(clean("javascript:alert"), "(link removed)");
        assert_eq!(clean("data:text/html;base64,AAAA"), "(link removed)");
        assert_eq!(clean("the data: three rows"), "the data: three rows");
    }

    #[test]
    fn images_links_html_and_code_become_inert() {
        assert_eq!(clean("![x](y) [a](b)"), "!(x)(y) (a)(b)");
        assert_eq!(clean("<img src=x> 5 < 6 `rm`"), "&lt;img src=x> 5 < 6 'rm'");
        assert_eq!(clean("**bold**"), "\\*\\*bold\\*\\*");
    }

    #[test]
    fn no_text_starts_a_block_of_its_own() {
        assert_eq!(clean("# Heading\n- item"), "\\# Heading - item");
        assert_eq!(clean("1. first"), "1\\. first");
        assert_eq!(clean("1.5 percent"), "1.5 percent");
    }

    #[test]
    fn forged_markers_of_aggregations_lose_their_form() {
        assert_eq!(clean("so (A1) and (A12), not (Ab)"), "so A1 and A12, not (Ab)");
    }

    #[test]
    fn nested_brackets_do_not_leave_a_marker_behind() {
        for forged in ["((A9))", "[[A9]]", "(((A9)))"] {
            let text = clean(&format!("so {forged} there"));
            assert!(!text.contains("(A9)") && !text.contains("[A9]") && text.contains("A9"), "{text}");
        }
    }
}
