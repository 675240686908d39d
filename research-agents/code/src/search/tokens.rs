//! Words of code: identifiers whole and in their parts, in lower case, with a light stem.

/// Splits an identifier into its parts: at `_`, `-`, `.` and `$`, before capitals, and between
/// letters and digits. The parts are in lower case and stemmed.
///
/// ```
/// use research_agents_code::search::split_identifier;
///
/// assert_eq!(split_identifier("HTTPServer_maxRetries2"), ["http", "server", "max", "retry", "2"]);
/// ```
pub fn split_identifier(name: &str) -> Vec<String> {
    let characters: Vec<char> = name.chars().collect();
    let mut parts = Vec::new();
    let mut part = String::new();

    for (at, c) in characters.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| characters.get(at));
        let after = characters.get(at + 1);
        let is_start = before.is_some_and(|before| {
            let is_hump = before.is_lowercase() && c.is_uppercase();
            let ends_acronym = before.is_uppercase()
                && c.is_uppercase()
                && after.is_some_and(|after| after.is_lowercase());
            let is_number = before.is_numeric() != c.is_numeric();
            is_hump || ends_acronym || is_number
        });
        if (is_start || !c.is_alphanumeric()) && !part.is_empty() {
            parts.push(stem(&std::mem::take(&mut part)));
        }
        if c.is_alphanumeric() {
            part.extend(c.to_lowercase());
        }
    }
    if !part.is_empty() {
        parts.push(stem(&part));
    }
    parts
}

/// Removes the ends of plurals and verbs, so that `retries` is found by `retry`.
fn stem(word: &str) -> String {
    let cut = |end: &str, rest: usize| {
        word.strip_suffix(end)
            .filter(|stem| stem.len() >= rest && word.is_ascii())
    };
    if let Some(stem) = cut("ies", 2) {
        return format!("{stem}y");
    }
    if let Some(stem) = cut("sses", 1) {
        return format!("{stem}ss");
    }

    for (end, rest) in [("ing", 4), ("ed", 4)] {
        if let Some(stem) = cut(end, rest) {
            return stem.to_owned();
        }
    }
    let is_plural = !word.ends_with("ss") && !word.ends_with("us") && !word.ends_with("is");
    match cut("s", 3).filter(|_| is_plural) {
        Some(stem) => stem.to_owned(),
        None => word.to_owned(),
    }
}
