//! The word relations of English: from the files in `rules/en`.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};

use crate::text::words::fold;

/// How two words relate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Relation {
    /// Forms of one word.
    Same,
    /// Words with one meaning.
    Synonym,
    /// Words that deny each other.
    Opposite,
}

/// All word lists and relations. Words are in lower case; stems where it is said.
pub(crate) struct Lexicon {
    stemmer: Stemmer,
    irregular: HashMap<&'static str, &'static str>,
    function: HashSet<&'static str>,
    negations: HashSet<&'static str>,
    breaks: HashSet<&'static str>,
    added: HashSet<String>,
    kinds: HashSet<String>,
    light: HashSet<String>,
    hedges: HashSet<&'static str>,
    /// Stems of words that are mostly verbs.
    verbs: HashSet<String>,
    /// Numbers of the groups of synonyms, by stem.
    synonyms: HashMap<String, Vec<usize>>,
    families: HashMap<String, HashSet<String>>,
    opposites: HashMap<String, HashSet<String>>,
    /// Groups of words that may not be added.
    strong: Vec<Vec<&'static str>>,
    /// Phrases of causes: whether the cause follows.
    causes: Vec<(Vec<&'static str>, bool)>,
    /// Phrases of conditions: whether they are strict.
    conditions: Vec<(Vec<&'static str>, bool)>,
    /// Groups of phrases with one meaning, each phrase as its words: see [`Lexicon::phrase_key`].
    phrases: Vec<Vec<Vec<String>>>,
    attribution_verbs: HashSet<&'static str>,
    attribution_nouns: HashSet<&'static str>,
}

/// The lexicon of English.
pub(crate) static ENGLISH: LazyLock<Lexicon> = LazyLock::new(Lexicon::load);

/// Returns whether two stems of English are of forms of one word or of words with one meaning.
///
/// ```
/// use research_agents_report::check::grounded::have_one_meaning;
///
/// assert!(have_one_meaning("abandon", "desert"));
/// assert!(!have_one_meaning("abandon", "keep"));
/// ```
pub fn have_one_meaning(a: &str, b: &str) -> bool {
    let relation = ENGLISH.relation(a, b);
    matches!(relation, Some(Relation::Same | Relation::Synonym))
}

/// Returns whether a stem is that of a general word of English, rather than of a name or a
/// technical term.
pub fn is_general_word(stem: &str) -> bool {
    ENGLISH.knows(stem) || ENGLISH.irregular.contains_key(stem)
}

/// Returns whether a stem is that of a word of English that is mostly a verb.
pub fn is_general_verb(stem: &str) -> bool {
    ENGLISH.is_verb(stem)
}

/// Returns the lines of a file of rules that are not comments.
fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// Returns the phrases after the first word of a line, each as its words, the longest first.
fn phrases(text: &'static str, kind: &str) -> Vec<(Vec<&'static str>, bool)> {
    let mut found = Vec::new();
    for line in lines(text) {
        let Some((name, rest)) = line.split_once(' ') else {
            continue;
        };
        let is_kind = name == kind;
        let each = rest.split('|');
        found.extend(each.map(|phrase| (phrase.split_whitespace().collect(), is_kind)));
    }
    found.sort_by_key(|(words, _): &(Vec<&str>, bool)| std::cmp::Reverse(words.len()));
    found
}

impl Lexicon {
    fn load() -> Self {
        macro_rules! rules {
            ($name:literal) => {
                include_str!(concat!("../../../rules/en/", $name, ".txt"))
            };
        }
        let words = |text: &'static str| lines(text).flat_map(str::split_whitespace).collect();

        let irregular = lines(rules!("irregular"))
            .filter_map(|line| line.split_once(' '))
            .collect();
        let mut lexicon = Self {
            stemmer: Stemmer::create(Algorithm::English),
            irregular,
            function: words(rules!("function")),
            negations: words(rules!("negations")),
            breaks: words(rules!("breaks")),
            added: HashSet::new(),
            kinds: HashSet::new(),
            light: HashSet::new(),
            hedges: words(rules!("hedges")),
            verbs: HashSet::new(),
            synonyms: HashMap::new(),
            families: HashMap::new(),
            opposites: HashMap::new(),
            strong: lines(rules!("strong"))
                .map(|line| line.split_whitespace().collect())
                .collect(),
            causes: phrases(rules!("causes"), "cause"),
            conditions: phrases(rules!("conditions"), "strict"),
            phrases: Vec::new(),
            attribution_verbs: HashSet::new(),
            attribution_nouns: HashSet::new(),
        };

        for line in lines(rules!("attribution")) {
            let mut fields = line.split_whitespace();
            match fields.next() {
                Some("verbs") => lexicon.attribution_verbs = fields.collect(),
                _ => lexicon.attribution_nouns = fields.collect(),
            }
        }
        let stems = |text: &'static str| -> HashSet<String> {
            let all = lines(text).flat_map(str::split_whitespace);
            all.map(|word| lexicon.stem(word)).collect()
        };
        let (added, verbs) = (stems(rules!("added")), stems(rules!("verbs")));
        let (kinds, light) = (stems(rules!("kinds")), stems(rules!("light")));
        (lexicon.added, lexicon.verbs) = (added, verbs);
        (lexicon.kinds, lexicon.light) = (kinds, light);

        for (group, line) in lines(rules!("synonyms")).enumerate() {
            for word in line.split_whitespace() {
                let stem = lexicon.stem(word);
                lexicon.synonyms.entry(stem).or_default().push(group);
            }
        }
        let keys = |phrase: &str| -> Vec<String> {
            let words = phrase.split_whitespace();
            words.map(|word| lexicon.phrase_key(word)).collect()
        };
        let groups = lines(rules!("phrases"));
        lexicon.phrases = groups
            .map(|line| line.split('|').map(keys).collect())
            .collect();
        for (a, b) in pairs(rules!("families")) {
            join(&mut lexicon.families, &lexicon.stemmer, a, b);
        }
        for (a, b) in pairs(rules!("opposites")).chain(pairs(rules!("direction"))) {
            join(&mut lexicon.opposites, &lexicon.stemmer, a, b);
        }

        lexicon
    }

    /// Returns the stem of a word in lower case: of its base form, if it is irregular.
    pub(crate) fn stem(&self, lower: &str) -> String {
        let lower = lower.strip_suffix("'s").unwrap_or(lower);
        if !lower.is_ascii() {
            return fold(lower);
        }
        let base = self.irregular.get(lower).copied().unwrap_or(lower);
        self.stemmer.stem(base).into_owned()
    }

    /// Returns the form in which words of phrases are compared: forms of *be* are one word,
    /// function words are as they are written, other words are compared by stem.
    pub(crate) fn phrase_key(&self, lower: &str) -> String {
        match lower {
            "am" => "be".to_owned(),
            _ if self.is_be(lower) => "be".to_owned(),
            _ if self.is_function(lower) => lower.to_owned(),
            _ => self.stem(lower),
        }
    }

    /// Returns whether a word is a form of *be*.
    pub(crate) fn is_be(&self, lower: &str) -> bool {
        matches!(
            lower,
            "is" | "are" | "was" | "were" | "be" | "been" | "being"
        )
    }

    /// Returns the groups of phrases with one meaning, each phrase as the keys of its words.
    pub(crate) fn phrases(&self) -> &[Vec<Vec<String>>] {
        &self.phrases
    }

    /// Returns whether a word carries no content.
    pub(crate) fn is_function(&self, lower: &str) -> bool {
        self.function.contains(lower)
    }

    /// Returns whether a word denies what follows it.
    pub(crate) fn negates(&self, lower: &str) -> bool {
        self.negations.contains(lower)
    }

    /// Returns whether a clause begins before a word.
    pub(crate) fn breaks(&self, lower: &str) -> bool {
        self.breaks.contains(lower)
    }

    /// Returns whether a sentence may add a word, by its stem.
    pub(crate) fn may_be_added(&self, stem: &str) -> bool {
        self.added.contains(stem)
    }

    /// Returns whether a word says of what kind a named thing is, by its stem.
    pub(crate) fn is_kind(&self, stem: &str) -> bool {
        self.kinds.contains(stem)
    }

    /// Returns whether a verb has little meaning without its object, by its stem.
    pub(crate) fn is_light(&self, stem: &str) -> bool {
        self.light.contains(stem)
    }

    /// Returns whether a word makes a statement less than certain.
    pub(crate) fn hedges(&self, lower: &str) -> bool {
        self.hedges.contains(lower)
    }

    /// Returns whether a word is mostly a verb, by its stem.
    pub(crate) fn is_verb(&self, stem: &str) -> bool {
        self.verbs.contains(stem)
    }

    /// Returns whether a stem is that of a word in any relation, and so not only of a name.
    pub(crate) fn knows(&self, stem: &str) -> bool {
        self.verbs.contains(stem)
            || self.synonyms.contains_key(stem)
            || self.families.contains_key(stem)
            || self.opposites.contains_key(stem)
    }

    /// Returns how two stems relate.
    pub(crate) fn relation(&self, a: &str, b: &str) -> Option<Relation> {
        if a == b {
            return Some(Relation::Same);
        }
        let among = |map: &HashMap<String, HashSet<String>>| {
            map.get(a).is_some_and(|others| others.contains(b))
        };
        if among(&self.opposites) || is_prefixed(a, b) || is_prefixed(b, a) {
            return Some(Relation::Opposite);
        }
        if among(&self.families) {
            return Some(Relation::Same);
        }
        let (a, b) = (self.synonyms.get(a)?, self.synonyms.get(b)?);
        a.iter()
            .any(|group| b.contains(group))
            .then_some(Relation::Synonym)
    }

    /// Returns whether a stem has an opposite.
    pub(crate) fn has_opposite(&self, stem: &str) -> bool {
        self.opposites.contains_key(stem)
    }

    /// Returns the words that may replace a word that a sentence may not add.
    pub(crate) fn strong(&self, lower: &str) -> Option<&[&'static str]> {
        let group = self
            .strong
            .iter()
            .find(|group| group.first() == Some(&lower));
        group.map(Vec::as_slice)
    }

    /// Returns the phrases of causes, and whether the cause follows.
    pub(crate) fn causes(&self) -> &[(Vec<&'static str>, bool)] {
        &self.causes
    }

    /// Returns the phrases of conditions, and whether they are strict.
    pub(crate) fn conditions(&self) -> &[(Vec<&'static str>, bool)] {
        &self.conditions
    }

    /// Returns whether a word says that somebody says something.
    pub(crate) fn attributes(&self, lower: &str) -> bool {
        self.attribution_verbs.contains(lower)
    }

    /// Returns whether a word names what a sentence is taken from.
    pub(crate) fn is_work(&self, lower: &str) -> bool {
        self.attribution_nouns.contains(lower)
    }
}

fn pairs(text: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    lines(text).filter_map(|line| line.split_once(' '))
}

/// Adds a pair of words in both directions, by their stems. Words with one stem do not form a pair.
fn join(map: &mut HashMap<String, HashSet<String>>, stemmer: &Stemmer, a: &str, b: &str) {
    let (a, b) = (stemmer.stem(a).into_owned(), stemmer.stem(b).into_owned());
    if a != b {
        map.entry(a.clone()).or_default().insert(b.clone());
        map.entry(b).or_default().insert(a);
    }
}

/// Returns whether one stem is the other one with a prefix that denies it: *unsupport*, *support*.
fn is_prefixed(a: &str, b: &str) -> bool {
    const PREFIXES: [&str; 7] = ["un", "in", "im", "ir", "il", "dis", "non"];
    b.len() >= 4
        && PREFIXES
            .iter()
            .any(|prefix| a.strip_prefix(prefix).is_some_and(|rest| rest == b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(a: &str, b: &str, expected: Option<Relation>) {
        let lexicon = &*ENGLISH;
        let found = lexicon.relation(&lexicon.stem(a), &lexicon.stem(b));
        assert_eq!(found, expected, "{a} {b}");
    }

    #[test]
    fn words_relate_in_any_form() {
        check("sent", "sends", Some(Relation::Same));
        check("failure", "failed", Some(Relation::Same));
        check("begin", "started", Some(Relation::Synonym));
        check("increases", "decreased", Some(Relation::Opposite));
        check("unsupported", "supports", Some(Relation::Opposite));
        check("before", "after", Some(Relation::Opposite));
        check("pump", "seal", None);
    }
}
