//! Defaults that comments and documents state.

/// A stated default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stated {
    /// The stated value.
    pub(crate) value: String,
    /// Line of the text, counted from 1.
    pub(crate) line: usize,
}

/// Words before a stated default.
const CUES: &[&str] = &["default", "defaults", "defaulting"];

/// Words between the cue and the value.
const BETWEEN: &[&str] = &[
    "to",
    "is",
    "are",
    "value",
    "of",
    "the",
    "a",
    "an",
    "at",
    "with",
    "=",
    ":",
    "=>",
    "be",
    "currently",
    "set",
];

/// Returns the defaults that lines state, such as `Defaults to 30` or `(default: 30)`. Only values
/// that are written as literals are returned: numbers, quoted strings, true, false, and nothing.
/// `first` is the number of the first line.
pub(crate) fn stated_defaults(text: &str, first: usize) -> Vec<Stated> {
    let mut found = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let lower = line.to_lowercase();
        let mut rest: &str = &lower;
        let mut offset = 0;

        while let Some(cue) = rest.find("default") {
            let start = offset + cue;
            let after = start + "default".len();
            let is_start = !lower[..start].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            if is_start && let Some(value) = value_after(line, &lower, start) {
                found.push(Stated {
                    value,
                    line: first + at,
                });
            }
            offset = after;
            rest = &lower[after..];
        }
    }
    found
}

/// Returns the literal after the cue at a byte of a line.
fn value_after(line: &str, lower: &str, start: usize) -> Option<String> {
    // Some letters change their length in lower case.
    let text = if line.len() == lower.len() {
        line
    } else {
        lower
    };
    let mut words = text.get(start..)?.split_whitespace();
    let cue = words.next()?;
    let (cue, glued) = match cue.find([':', '=']) {
        Some(at) => (&cue[..at], cue[at + 1..].trim()),
        None => (cue, ""),
    };
    let bare = cue
        .trim_end_matches(|c: char| !c.is_alphanumeric())
        .to_lowercase();
    if !CUES.contains(&bare.as_str()) {
        return None;
    }
    if !glued.is_empty() {
        return literal(glued);
    }

    if cue.ends_with(['.', ';']) {
        return None;
    }
    let words: Vec<&str> = words.take(8).collect();
    for word in words.iter().take(4) {
        let bare = word.trim_end_matches([':', ',']).to_lowercase();
        if BETWEEN.contains(&bare.as_str()) || BETWEEN.contains(word) {
            continue;
        }
        if let Some(value) = literal(word) {
            return Some(value);
        }
        break;
    }
    // A number later in the same sentence: `Default length of the field, 8 bytes`.
    for word in words {
        let number = literal(word).filter(|value| value.starts_with(|c: char| c.is_ascii_digit()));
        if number.is_some() {
            return number;
        }
        if word.ends_with(['.', ';', ':', '(']) || word.starts_with('(') {
            break;
        }
    }
    None
}

/// Returns a word as a literal. `None` if it is a plain word.
fn literal(word: &str) -> Option<String> {
    let quotes = ['`', '"', '\'', '*', '\u{201c}', '\u{201d}'];
    let word = word.trim_start_matches(['(', '[', '{']);
    let is_quoted = word.starts_with(quotes);
    let bare = word
        .trim_end_matches(['.', ',', ';', ')', ']', '}', ':'])
        .trim_matches(quotes)
        .trim_end_matches(['.', ',', ';', ')']);
    let is_number = bare
        .trim_start_matches(['-', '+'])
        .starts_with(|c: char| c.is_ascii_digit());
    let is_word = matches!(
        bare.to_lowercase().as_str(),
        "true" | "false" | "none" | "null" | "nil" | "undefined"
    );
    let is_literal = !bare.is_empty() && (is_number || is_word || is_quoted && !bare.contains('('));
    is_literal.then(|| bare.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_after_the_cue_are_stated_defaults() {
        let stated = |line: &str| {
            let found = stated_defaults(line, 1);
            found.into_iter().map(|one| one.value).collect::<Vec<_>>()
        };
        assert_eq!(stated("/// Timeout in seconds. Defaults to 30."), ["30"]);
        assert_eq!(stated("- `timeout` (default: `60`)"), ["60"]);
        assert_eq!(stated("how : {'left'}, default 'inner'"), ["inner"]);
        assert_eq!(stated("The default is true."), ["true"]);
        assert_eq!(stated("default=5"), ["5"]);
        assert!(stated("The default behaviour is to wait.").is_empty());
        assert_eq!(stated("// Default byte length of 8"), ["8"]);
        assert!(stated("Restores the defaults. See 4.").is_empty());
    }
}
