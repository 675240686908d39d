//! Patterns of case ids.

/// Whether a pattern fits a text as a whole: `*` stands for any characters, also none.
pub fn matches(pattern: &str, text: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        let Some(at) = text.find(part) else { return false };
        text = &text[at + part.len()..];
    }
    text.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_anything() {
        for (pattern, text) in
            [("a/b", "a/b"), ("a/*", "a/b"), ("*", ""), ("*/b*", "a/bc"), ("a*c", "abc"), ("a**", "a")]
        {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [("a", "ab"), ("a/*", "b/a/"), ("a*a", "a"), ("*b", "bc")] {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
    }
}
