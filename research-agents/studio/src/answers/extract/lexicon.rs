//! Identifiers in questions and sentences, and words for one event.

use std::sync::LazyLock;

use research_agents_report::text::{Word, stems};

/// Letters of the shortest verb form that is taken for an event by its ending.
const SHORTEST: usize = 5;

/// Groups of stems for one event: *added* and *introduced*.
static EVENTS: LazyLock<Vec<Vec<String>>> = LazyLock::new(|| {
    let lines = include_str!("../../../rules/en/events.txt").lines();
    let lines = lines.filter(|line| !line.starts_with('#'));
    lines.map(stems).collect()
});

/// Returns the stems of the other words for the same event.
pub(super) fn events_as(stem: &str) -> impl Iterator<Item = &'static str> {
    let is_own = |group: &&Vec<String>| group.iter().any(|own| own == stem);
    let group = EVENTS.iter().find(is_own);
    group.into_iter().flatten().map(String::as_str)
}

/// Returns whether a word of a question says what happened: it is known, or a past participle.
pub(super) fn is_event(word: &Word<'_>) -> bool {
    let is_participle = word.lower.len() >= SHORTEST && word.lower.ends_with("ed");
    is_participle || events_as(&word.stem).next().is_some()
}

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
