//! Identifiers in questions and sentences: names of options, functions and settings.

/// Returns the parts of a string between spaces and marks, with the dots, dashes and underscores in
/// them.
pub(super) fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    let is_mark = |c: char| {
        c.is_whitespace() || matches!(c, ',' | ';' | '(' | ')' | '"' | '`' | '“' | '”' | '?')
    };
    text.split(is_mark)
        .map(|part| part.trim_matches(['.', ':', '\'', '*', '=']))
        .filter(|part| !part.is_empty())
}

/// Returns whether a part of a question is an identifier: it has a dot, an underscore or a capital
/// inside, or begins as an option does.
pub(super) fn is_compound(part: &str) -> bool {
    let is_inside = |c: char| c == '_' || c.is_uppercase();
    let has_dot = part.contains('.') && part.contains(char::is_alphabetic);
    let is_number = part.starts_with(|c: char| c.is_ascii_digit());
    let is_acronym = !part.contains(char::is_lowercase) && !part.contains('_');
    part.starts_with("--")
        || !is_number && (has_dot || !is_acronym && part.chars().skip(1).any(is_inside))
}

pub(super) fn lower(part: &str) -> String {
    part.to_lowercase()
}
