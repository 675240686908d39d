//! Makes text safe to show: no link, no image and no HTML leaves in an answer.

use research_agents_report::text::visible;

/// Returns the text on its lines without anything that Markdown would render as a link, an image or
/// HTML: outside of code, brackets and angle brackets are escaped, and addresses become code.
/// Citations such as `[ev-1a2b3c4d-001]` stay. Invisible characters are removed.
pub fn plain_text(text: &str) -> String {
    let text = visible(text);
    let mut out = String::with_capacity(text.len());

    for (number, line) in text.lines().enumerate() {
        if number > 0 {
            out.push('\n');
        }
        // A backtick without its pair opens no code.
        let parts: Vec<&str> = line.split('`').collect();
        let closed = parts.len() - usize::from(parts.len().is_multiple_of(2));
        for (at, part) in parts.iter().enumerate() {
            match (at % 2 == 1, at < closed) {
                (true, true) => {
                    out.push('`');
                    out.push_str(part);
                    out.push('`');
                }
                _ => out.push_str(&outside_of_code(part)),
            }
        }
    }
    out
}

fn outside_of_code(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, word) in text.split(' ').enumerate() {
        if at > 0 {
            out.push(' ');
        }
        out.push_str(&word_outside_of_code(word));
    }
    out
}

fn word_outside_of_code(word: &str) -> String {
    let lower = word.to_lowercase();
    let is_address = lower.contains("://")
        || lower.contains("www.")
        || lower.contains("mailto:")
        || lower.contains("javascript:")
        || lower.contains("data:");
    if is_address {
        return format!("`{word}`");
    }
    if is_citation(word) {
        return word.to_owned();
    }

    let mut out = String::with_capacity(word.len());
    for c in word.chars() {
        if matches!(c, '[' | ']' | '<' | '>' | '!') && !(c == '!' && word.ends_with('!')) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Returns whether a word is a citation, with punctuation after it.
fn is_citation(word: &str) -> bool {
    let Some(inner) = word.strip_prefix("[ev-") else {
        // The next ids of a list of them.
        return word.starts_with("ev-") && word.ends_with([',', ']']) && is_id(word);
    };
    let end = inner.find(']').unwrap_or(inner.len());
    is_id(&inner[..end])
        && inner[end..]
            .chars()
            .all(|c| matches!(c, ']' | '.' | ',' | ';'))
}

fn is_id(text: &str) -> bool {
    text.chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '…' | '.' | ',' | ']'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_loads_or_links_is_left() {
        for (text, plain) in [
            (
                "see ![x](https://evil.example/a)",
                "see `![x](https://evil.example/a)`",
            ),
            ("[click](/local) now", "\\[click\\](/local) now"),
            ("<img src=x>", "\\<img src=x\\>"),
            ("[x]: y", "\\[x\\]: y"),
            ("go to www.evil.example", "go to `www.evil.example`"),
            ("`a[0]` holds. [ev-1a-001]", "`a[0]` holds. [ev-1a-001]"),
            ("`open", "open"),
            ("a\u{202e}b\u{200b}c", "abc"),
        ] {
            assert_eq!(plain_text(text), plain, "{text}");
        }
    }
}
