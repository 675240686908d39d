//! Words for one event: *added* and *introduced*.

use std::sync::LazyLock;

use research_agents_report::text::{Word, stems};

/// Letters of the shortest verb form that is taken for an event by its ending.
const SHORTEST: usize = 5;

/// Groups of stems.
static EVENTS: LazyLock<Vec<Vec<String>>> = LazyLock::new(|| {
    let lines = include_str!("../../../rules/en/events.txt").lines();
    let lines = lines.filter(|line| !line.starts_with('#'));
    lines.map(stems).collect()
});

/// Returns the stems of the other words for the same event.
pub(super) fn others(stem: &str) -> impl Iterator<Item = &'static str> {
    let is_own = |group: &&Vec<String>| group.iter().any(|own| own == stem);
    let group = EVENTS.iter().find(is_own);
    group.into_iter().flatten().map(String::as_str)
}

/// Returns whether a word of a question says what happened: it is known, or a past participle.
pub(super) fn is_event(word: &Word<'_>) -> bool {
    let is_participle = word.lower.len() >= SHORTEST && word.lower.ends_with("ed");
    is_participle || others(&word.stem).next().is_some()
}
