//! Words of one meaning, in six languages: concepts of fields, and other names of values.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use research_agents_report::text::words;

use crate::question::read::words::tokens::{folded, stemmer};

/// Letters of a word that is looked for misspelt.
const LONG: usize = 7;

/// The words of the concepts.
#[derive(Debug, Default)]
pub(crate) struct Concepts {
    by_word: HashMap<String, Vec<&'static str>>,
    /// By the stems of the words in the languages other than English.
    by_own_stem: HashMap<String, Vec<&'static str>>,
    /// Opposites of boolean concepts: `died` of `survived`.
    opposites: HashMap<String, &'static str>,
    /// Groups of names of one value, folded.
    groups: HashMap<String, Vec<usize>>,
    names: Vec<Vec<String>>,
    /// Letters that are values of fields of a concept, and their other names.
    letters: HashMap<&'static str, HashMap<&'static str, Vec<&'static str>>>,
    additive: HashSet<String>,
    /// Words in the plural for what adds up, such as `votes`.
    plurals: HashSet<String>,
    intensive: HashSet<String>,
    /// Verbs that name what is counted, such as `died`.
    verbs: HashSet<String>,
    /// What abbreviations in the names of columns shorten: `increase` of `incr`.
    shortened: HashMap<&'static str, &'static str>,
}

static CONCEPTS: LazyLock<Concepts> = LazyLock::new(|| {
    let mut concepts = Concepts::default();
    concepts.read_fields(include_str!("../../../../questions/fields.txt"));
    concepts.read_values(include_str!("../../../../questions/values.txt"));
    concepts.read_abbreviations(include_str!("../../../../questions/abbreviations.txt"));
    concepts
});

/// Returns the concepts of the data files.
pub(crate) fn concepts() -> &'static Concepts {
    &CONCEPTS
}

fn stem(word: &str) -> String {
    words(word)
        .pop()
        .map_or_else(|| word.to_owned(), |word| word.stem)
}

/// Lines of a data file that are neither empty nor comments.
fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
}

impl Concepts {
    fn read_fields(&mut self, text: &'static str) {
        let stemmers = ["de", "fr", "es", "it", "pt"].map(stemmer);

        for line in lines(text) {
            let Some((name, said)) = line.split_once(':') else {
                continue;
            };
            for word in said.split_whitespace().map(folded) {
                match name {
                    "additive" => {
                        self.additive.insert(stem(&word));
                        if word.ends_with('s') {
                            self.plurals.insert(word);
                        }
                    }
                    "intensive" => drop(self.intensive.insert(stem(&word))),
                    "verbs" => drop(self.verbs.insert(word)),
                    _ => match name.strip_prefix('!') {
                        Some(name) => drop(self.opposites.insert(word, name)),
                        None => {
                            for own in &stemmers {
                                let key = own.stem(&word).into_owned();
                                let known = self.by_own_stem.entry(key).or_default();
                                if !known.contains(&name) {
                                    known.push(name);
                                }
                            }
                            for key in [stem(&word), word] {
                                let known = self.by_word.entry(key).or_default();
                                if !known.contains(&name) {
                                    known.push(name);
                                }
                            }
                        }
                    },
                }
            }
        }
    }

    fn read_values(&mut self, text: &'static str) {
        for line in lines(text) {
            if let Some((concept, said)) = line.split_once(": ") {
                let mut names = said.split_whitespace();
                if let Some(letter) = names.next() {
                    let of_concept = self.letters.entry(concept).or_default();
                    of_concept.insert(letter, names.collect());
                }
                continue;
            }

            let spaced = line.replace("\\ ", "\u{1}");
            let names: Vec<String> = spaced
                .split_whitespace()
                .map(|name| folded(&name.replace('\u{1}', " ")))
                .collect();
            for name in &names {
                self.groups
                    .entry(name.clone())
                    .or_default()
                    .push(self.names.len());
            }
            self.names.push(names);
        }
    }

    fn read_abbreviations(&mut self, text: &'static str) {
        let pairs = lines(text).filter_map(|line| line.split_once(": "));
        self.shortened.extend(pairs);
    }

    /// Returns the word that an abbreviation in the name of a column shortens.
    pub(crate) fn shortened(&self, lower: &str) -> Option<&'static str> {
        self.shortened.get(lower).copied()
    }

    /// Returns the concepts of a word, given folded and as its stems in English and in the language
    /// of the question.
    pub(crate) fn of(&self, lower: &str, stem: &str, own_stem: &str) -> &[&'static str] {
        let found = self
            .by_word
            .get(lower)
            .or_else(|| self.by_word.get(stem))
            .or_else(|| self.by_own_stem.get(own_stem));
        found.map_or(&[], Vec::as_slice)
    }

    /// Returns the concept of the last part of a compound word, such as `korpergewicht`, and the
    /// part before it.
    pub(crate) fn of_compound<'w>(&self, lower: &'w str) -> Option<(&'w str, &[&'static str])> {
        const SHORTEST: usize = 5;
        let cuts = lower.char_indices().map(|(at, _)| at).skip(3);
        cuts.take_while(|at| lower.len() - at >= SHORTEST)
            .find_map(|at| {
                let found = self.by_word.get(&lower[at..])?;
                Some((lower[..at].trim_end_matches('s'), found.as_slice()))
            })
    }

    /// Returns the longer words for some concepts, and for the opposites of these.
    pub(crate) fn long_words(
        &'static self,
        is_wanted: impl Fn(&str) -> bool,
    ) -> impl Iterator<Item = &'static str> {
        let is_long = |word: &str| word.len() >= LONG;
        let own = self.by_word.iter();
        let own = own.filter(|(_, names)| names.iter().any(|name| is_wanted(name)));
        let own: Vec<&str> = own.map(|(word, _)| word.as_str()).collect();
        let opposites = self.opposites.iter().filter(|(_, name)| is_wanted(name));
        let all = own
            .into_iter()
            .chain(opposites.map(|(word, _)| word.as_str()));
        let words: Vec<&str> = all.filter(|word| is_long(word)).collect();
        words.into_iter()
    }

    /// Returns the boolean concept of which a folded word is the opposite.
    pub(crate) fn opposite(&self, lower: &str) -> Option<&'static str> {
        self.opposites.get(lower).copied()
    }

    /// Returns the other names of a folded value.
    pub(crate) fn other_names(&self, value: &str) -> impl Iterator<Item = &str> {
        let groups = self.groups.get(value).map_or(&[][..], Vec::as_slice);
        groups
            .iter()
            .flat_map(|at| &self.names[*at])
            .map(String::as_str)
    }

    /// Returns the other names of a folded letter, or two, as a value of a field of a concept:
    /// *large* of `l` for a size.
    pub(crate) fn names_of_letter(&self, concept: &str, letter: &str) -> &[&'static str] {
        let found = self.letters.get(concept).and_then(|of| of.get(letter));
        found.map_or(&[], Vec::as_slice)
    }

    /// Returns whether a folded word is another name of a folded value, or the value itself.
    pub(crate) fn is_same_value(&self, word: &str, value: &str) -> bool {
        let groups = |name: &str| self.groups.get(name).map_or(&[][..], Vec::as_slice);
        word.len() > 1 && groups(word).iter().any(|at| groups(value).contains(at))
    }

    /// Returns whether a folded word is a verb that names what is counted.
    pub(crate) fn is_verb(&self, lower: &str) -> bool {
        self.verbs.contains(lower)
    }

    /// Returns whether a field with such a stem adds up.
    pub(crate) fn is_additive(&self, stem: &str) -> bool {
        self.additive.contains(stem)
    }

    /// Returns whether a word of a name ends with one for what adds up, as `candidatevotes` does.
    pub(crate) fn ends_additive(&self, lower: &str) -> bool {
        // `discount` ends with *count* by chance.
        let endings = self.plurals.iter().filter(|plural| plural.len() >= 5);
        endings
            .filter(|plural| lower.len() >= plural.len() + 4)
            .any(|plural| lower.ends_with(plural.as_str()))
    }

    /// Returns whether a field with such a stem does not add up.
    pub(crate) fn is_intensive(&self, stem: &str) -> bool {
        self.intensive.contains(stem)
    }
}
