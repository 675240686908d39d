//! The words for statistics and comparisons by language, in files under `words`.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::OnceLock;

use crate::language::tag::Language;

/// The files, by the code of their language.
const FILES: [(&str, &str); 6] = [
    ("de", include_str!("../../../words/de.txt")),
    ("en", include_str!("../../../words/en.txt")),
    ("es", include_str!("../../../words/es.txt")),
    ("fr", include_str!("../../../words/fr.txt")),
    ("it", include_str!("../../../words/it.txt")),
    ("pt", include_str!("../../../words/pt.txt")),
];

/// The phrases of one language by their meaning.
type Lists = BTreeMap<&'static str, Vec<Vec<&'static str>>>;

static LISTS: OnceLock<BTreeMap<&'static str, Lists>> = OnceLock::new();

/// A word in a sentence.
#[derive(Clone, Debug)]
pub(crate) struct Word {
    pub(crate) text: String,
    pub(crate) at: Range<usize>,
}

/// Parts of a sentence that say which words of the question are not applied, and why.
#[derive(Debug, Default)]
pub(crate) struct Unapplied {
    pub(crate) quoted: Vec<Range<usize>>,
    pub(crate) reasons: Vec<Range<usize>>,
}

/// Returns a string with blanks in place of its parts. Byte offsets stay the same.
pub(crate) fn without(text: &str, parts: &[Range<usize>]) -> String {
    let mut blanked = text.to_owned();
    for part in parts {
        blanked.replace_range(part.clone(), &" ".repeat(part.len()));
    }
    blanked
}

/// A name in a sentence, with what it names.
#[derive(Clone, Debug)]
pub(crate) struct Named<K> {
    pub(crate) key: K,
    pub(crate) at: Range<usize>,
    /// Whether a number before it may belong to it without a preposition between them: *5
    /// different species*.
    pub(crate) follows: bool,
}

/// The words of a language and of English, which other languages borrow from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vocabulary {
    lists: [Option<&'static Lists>; 2],
}

impl Vocabulary {
    /// Creates the vocabulary of a language. A language without a file has English ones.
    pub(crate) fn new(language: Language) -> Self {
        let all = LISTS.get_or_init(|| {
            FILES
                .iter()
                .map(|(code, text)| (*code, read(text)))
                .collect()
        });
        let own = all.get(language.code());
        let english = all.get("en").filter(|_| own.is_none());
        Self {
            lists: [own, english],
        }
    }

    /// Returns the positions of the phrases of a meaning, as ranges of words: of overlapping ones
    /// the longest.
    pub(crate) fn find(&self, meaning: &str, words: &[Word]) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        let phrases = self
            .lists
            .iter()
            .flatten()
            .filter_map(|lists| lists.get(meaning))
            .flatten();
        for phrase in phrases {
            let starts = 0..(words.len() + 1).saturating_sub(phrase.len());
            let matching = starts.filter(|start| {
                let window = &words[*start..*start + phrase.len()];
                window
                    .iter()
                    .zip(phrase)
                    .all(|(word, wanted)| is_form(&word.text, wanted))
            });
            found.extend(matching.map(|start| start..start + phrase.len()));
        }

        found.sort_by_key(|at| (at.start, std::cmp::Reverse(at.end)));
        let mut kept: Vec<Range<usize>> = Vec::new();
        for at in found {
            if kept.last().is_none_or(|last| last.end <= at.start) {
                kept.push(at);
            }
        }
        kept
    }

    /// Returns whether a word is one of a meaning.
    pub(crate) fn is(&self, meaning: &str, word: &Word) -> bool {
        !self.find(meaning, std::slice::from_ref(word)).is_empty()
    }

    /// Returns whether words begin with a phrase of a meaning.
    pub(crate) fn begins(&self, meaning: &str, words: &[Word]) -> bool {
        self.find(meaning, words)
            .first()
            .is_some_and(|at| at.start == 0)
    }

    /// Returns the quoted words of a question that a sentence says are not applied, and the reasons
    /// in parentheses after that: *“the oldest” is not applied (no field says it)* says nothing
    /// about the oldest.
    pub(crate) fn unapplied(&self, text: &str, question: &str) -> Unapplied {
        let question = question.to_lowercase();
        let mut found = Unapplied::default();
        for (start, _) in text.match_indices('“') {
            let from = start + '“'.len_utf8();
            let Some(length) = text[from..].find('”') else {
                continue;
            };
            let quoted = &text[from..from + length];
            let rest = from + length + '”'.len_utf8();
            let after = words(&text[rest..]);
            let is_asked = !quoted.trim().is_empty() && question.contains(&quoted.to_lowercase());
            let phrase = self.find("unapplied", &after).into_iter().next();
            let Some(phrase) = phrase.filter(|phrase| is_asked && phrase.start == 0) else {
                continue;
            };

            found.quoted.push(from..from + length);
            let end = rest + after[phrase.end - 1].at.end;
            if let Some(reason) = text[end..].strip_prefix(" (")
                && let Some(length) = reason.find(')')
            {
                found.reasons.push(end + 2..end + 2 + length);
            }
        }
        found
    }

    /// Returns whether words end with a phrase of a meaning.
    pub(crate) fn ends(&self, meaning: &str, words: &[Word]) -> bool {
        let mut found = self.find(meaning, words).into_iter();
        found.any(|at| at.end == words.len())
    }
}

/// Cuts a string into words in lower case.
pub(crate) fn words(text: &str) -> Vec<Word> {
    let mut found = Vec::new();
    let mut start = None;
    for (at, character) in text.char_indices().chain([(text.len(), ' ')]) {
        match (character.is_alphanumeric(), start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                found.push(Word {
                    text: text[from..at].to_lowercase(),
                    at: from..at,
                });
                start = None;
            }
            _ => {}
        }
    }
    found
}

/// Returns whether a word is a form of another one, which may end with a star.
fn is_form(word: &str, wanted: &str) -> bool {
    match wanted.strip_suffix('*') {
        Some(stem) => word.starts_with(stem),
        None => word == wanted,
    }
}

/// Reads a file: a meaning, a colon, and phrases between commas.
fn read(text: &'static str) -> Lists {
    let mut lists = Lists::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let Some((meaning, phrases)) = line.split_once(": ") else {
            continue;
        };
        let phrases = phrases.split(", ").map(|phrase| {
            let parts = phrase.split([' ', '\'', '-']);
            parts.filter(|part| !part.is_empty()).collect()
        });
        lists.entry(meaning).or_default().extend(phrases);
    }
    lists
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_language_has_every_meaning() {
        let meanings = |text: &'static str| -> BTreeSet<&str> { read(text).into_keys().collect() };
        for (code, text) in FILES {
            assert_eq!(meanings(text), meanings(FILES[1].1), "{code}");
        }
    }

    #[test]
    fn phrases_are_found_in_their_forms() {
        let german = Vocabulary::new("de".parse().unwrap());
        let found = |meaning, text| !german.find(meaning, &words(text)).is_empty();
        assert!(found("mean", "Das Durchschnittsgewicht ist 5"));
        assert!(found("high", "die höchste Masse") && !found("high", "die Höhe"));
        assert!(found("absent", "Kein Datensatz erwähnt das."));
        assert!(!found("mean", "das Gewicht"));
    }

    #[test]
    fn only_words_of_the_question_are_left_out() {
        let english = Vocabulary::new(Language::ENGLISH);
        let question = "Who was the Oldest last week?";
        let left = |text: &str| without(text, &english.unapplied(text, question).quoted);

        let said = "There are 3; “the oldest” is not applied (no field says it).";
        let blank = "There are 3; “          ” is not applied (no field says it).";
        assert_eq!(left(said), blank);
        let reasons = english.unapplied(said, question).reasons;
        assert_eq!(&said[reasons[0].clone()], "no field says it");
        for other in [
            "“The youngest” is not applied.",
            "“The oldest” is Ada.",
            "The oldest is not applied.",
        ] {
            assert_eq!(left(other), other);
        }
    }
}
