//! Phrases that tell what a question asks for, and what a sentence says.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// By name, the phrases with a space before and after each.
static CUES: LazyLock<BTreeMap<&str, Vec<String>>> = LazyLock::new(|| {
    let lines = include_str!("../../../../rules/en/cues.txt").lines();
    let lines = lines.filter(|line| !line.starts_with('#'));
    let named = lines.filter_map(|line| line.split_once(':'));
    let phrases = |list: &str| {
        let phrases = list.split('|').map(|phrase| format!(" {} ", phrase.trim()));
        phrases.collect()
    };
    named.map(|(name, list)| (name, phrases(list))).collect()
});

/// A string in which cues are sought: its words in lower case, with one space around each.
pub(super) struct Cued(String);

impl Cued {
    pub(super) fn new(text: &str) -> Self {
        let is_mark = |c: char| !c.is_alphanumeric() && c != '\'';
        let lower = text.to_lowercase().replace('’', "'");
        let words = lower.split(is_mark).filter(|word| !word.is_empty());
        Self(format!(" {} ", words.collect::<Vec<_>>().join(" ")))
    }

    /// Returns whether it has a phrase of a list, such as `asks time`.
    pub(super) fn has(&self, list: &str) -> bool {
        let phrases = CUES.get(list).into_iter().flatten();
        phrases
            .into_iter()
            .any(|phrase| self.0.contains(phrase.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cue_is_found_as_whole_words() {
        let question = Cued::new("Up to what age does it keep a file?");
        assert!(question.has("asks quantity"));
        assert!(!Cued::new("Which page is it?").has("asks quantity"));
        assert!(!question.has("asks version"));
    }
}
