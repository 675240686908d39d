//! The fields of a tool, indexed by the stems of their names and values, so that reading takes time
//! in proportion to the question.

pub(crate) mod called;

use std::collections::{HashMap, HashSet};

use research_agents_report::evidence::plain;
use research_agents_report::text::{Word, words};
use rust_stemmers::Stemmer;
use serde_json::Value;

use crate::data::task::{FieldFacts, FieldKind};
use crate::question::lexicon;
use crate::question::read::cut::field::{
    Field, NameWord, field, folded_case, is_running, numbers_things, stem_of, without_number,
};
use crate::question::read::cut::naming::Naming;
use crate::question::read::cut::shared::mark_shared;
use crate::question::read::cut::spelling::{distance, is_vowelless};
use crate::question::read::words::concepts::concepts;
use crate::question::read::words::tokens::{Token, folded};

/// At most so many fields are considered for one word.
pub(crate) const MOST_FIELDS: usize = 64;

/// A value of the schema by its words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Listed {
    pub(crate) field: usize,
    pub(crate) value: usize,
    /// Whether the words are another name of the value.
    pub(crate) is_other_name: bool,
}

/// The fields of a tool with their indexes.
#[derive(Debug)]
pub(crate) struct Schema<'f> {
    pub(crate) fields: Vec<Field<'f>>,
    by_stem: HashMap<String, Vec<(usize, usize)>>,
    by_concept: HashMap<&'static str, Vec<(usize, usize)>>,
    by_joined: HashMap<String, Vec<usize>>,
    /// Fields with an abbreviation that leaves vowels out, by its first letter.
    abbreviated: HashMap<char, Vec<usize>>,
    /// Fields whose name is written as one word, with it in small letters, by its first letter.
    by_letter: HashMap<char, Vec<(String, usize)>>,
    values: HashMap<String, Vec<Listed>>,
    parts: HashMap<String, Vec<Listed>>,
    /// Fields with a long word in their name, by its beginning.
    by_beginning: HashMap<String, Vec<usize>>,
    /// The most words of a value.
    pub(crate) longest_value: usize,
    /// Words of names and values by first letter, for misspelt ones.
    spellings: HashMap<char, Vec<String>>,
    known: HashSet<String>,
    /// Words that the data is called by.
    titles: Vec<String>,
    /// The concepts of things that its records are.
    things: Vec<&'static str>,
    /// The words that name a field that is computed of others, with the field.
    computed: Option<(Vec<String>, usize)>,
}

/// Letters of a word by which longer ones with the same beginning are found.
const BEGINNING: usize = 6;

/// The longest value that is looked for, in words.
const LONGEST_VALUE: usize = 10;

impl<'f> Schema<'f> {
    /// Indexes the fields. Names that end with one of the long words `said` are divided there.
    pub(crate) fn new(facts: &'f [FieldFacts], stemmer: Option<&Stemmer>, said: &[&str]) -> Self {
        let mut schema = Self {
            fields: facts
                .iter()
                .map(|facts| field(facts).divided_at(said))
                .collect(),
            by_stem: HashMap::new(),
            by_concept: HashMap::new(),
            by_joined: HashMap::new(),
            abbreviated: HashMap::new(),
            by_letter: HashMap::new(),
            by_beginning: HashMap::new(),
            values: HashMap::new(),
            parts: HashMap::new(),
            longest_value: 1,
            spellings: HashMap::new(),
            known: HashSet::new(),
            titles: Vec::new(),
            things: Vec::new(),
            computed: None,
        };

        // A number that counts the records, from 1 on, measures nothing.
        let most = facts.iter().filter_map(FieldFacts::known_records).max();
        for field in &mut schema.fields {
            let is_each = most.is_some() && field.facts.distinct == most;
            field.is_identifier |= is_each && (is_running(field.facts) || numbers_things(field));
        }
        mark_shared(&mut schema.fields);
        for at in 0..schema.fields.len() {
            schema.index_name(at, stemmer);
            schema.index_values(at, stemmer);
        }
        schema
    }

    /// Adds a field that is computed of others. Its name does not find it; what names it in the
    /// question does.
    pub(crate) fn add_computed(&mut self, facts: &'f FieldFacts, naming: Option<&Naming>) {
        let at = self.fields.len();
        let mut computed = field(facts);
        match naming {
            Some(Naming::Concept(concept)) => {
                computed.words = vec![NameWord {
                    lower: (*concept).to_owned(),
                    stem: stem_of(concept),
                    is_weak: false,
                    is_filler: false,
                    is_shared: false,
                    concepts: concepts().of(concept, "", ""),
                }];
                self.by_concept.entry(*concept).or_default().push((at, 0));
            }
            Some(Naming::Phrase(words)) => self.computed = Some((words.clone(), at)),
            None => {}
        }

        self.fields.push(computed);
    }

    /// Returns the number of words, beginning with a word of the question, that name a computed
    /// field, with the field.
    pub(crate) fn computed_at(&self, tokens: &[Token<'_>]) -> Option<(usize, usize)> {
        let (words, field) = self.computed.as_ref()?;
        let said = tokens.get(..words.len())?;
        let is_said = said.iter().map(|token| &token.lower).eq(words);
        is_said.then_some((words.len(), *field))
    }

    fn index_name(&mut self, at: usize, stemmer: Option<&Stemmer>) {
        let field = &self.fields[at];
        let mut joined = String::new();

        for (place, word) in field.words.iter().enumerate() {
            let own = stemmer.map(|stemmer| stemmer.stem(&word.lower).into_owned());
            self.by_stem
                .entry(word.stem.clone())
                .or_default()
                .push((at, place));
            if let Some(own) = own.filter(|own| *own != word.stem) {
                self.by_stem.entry(own).or_default().push((at, place));
            }
            if let Some(long) = concepts().shortened(&word.lower) {
                self.by_stem
                    .entry(stem_of(long))
                    .or_default()
                    .push((at, place));
            }
            // `Pclass` is a class, and `machine_learning` has nothing to do with earning.
            let is_only = field.words.len() == 1;
            let rest = word.lower.get(1..).filter(|rest| rest.len() >= 5);
            if let Some(rest) = rest.filter(|_| is_only) {
                self.by_stem
                    .entry(stem_of(rest))
                    .or_default()
                    .push((at, place));
            }
            if let Some(beginning) = word
                .lower
                .get(..BEGINNING)
                .filter(|b| b.len() < word.lower.len())
            {
                let fields = self.by_beginning.entry(beginning.to_owned()).or_default();
                fields.push(at);
            }
            for concept in word.concepts {
                self.by_concept
                    .entry(concept)
                    .or_default()
                    .push((at, place));
            }
            if !word.is_filler {
                joined.push_str(&word.lower);
            }
            if is_vowelless(&word.lower)
                && let Some(first) = word.lower.chars().next()
            {
                self.abbreviated.entry(first).or_default().push(at);
            }
            if self.known.insert(word.lower.clone())
                && let Some(first) = word.lower.chars().next()
            {
                self.spellings
                    .entry(first)
                    .or_default()
                    .push(word.lower.clone());
            }
        }
        let name = &self.fields[at].facts.name;
        let is_one_word = name.chars().all(|c| c.is_ascii_alphabetic());
        let name = name.to_ascii_lowercase();
        if let Some(first) = name.chars().next().filter(|_| is_one_word) {
            self.by_letter.entry(first).or_default().push((name, at));
        }
        // `mpg` is `Miles per Gallon`.
        let all = words(&self.fields[at].facts.name);
        let initials: String = all
            .iter()
            .filter_map(|word| word.lower.chars().next())
            .collect();
        if all.len() >= 3 {
            self.by_joined.entry(initials).or_default().push(at);
        }
        let whole: String = all.iter().map(|word| word.lower.as_str()).collect();
        if whole != joined {
            self.by_joined.entry(whole).or_default().push(at);
        }
        if !joined.is_empty() {
            self.by_joined.entry(joined).or_default().push(at);
        }
    }

    fn index_values(&mut self, at: usize, stemmer: Option<&Stemmer>) {
        let facts = self.fields[at].facts;
        if facts.kind != FieldKind::Text {
            return;
        }

        let is_sex = self.fields[at]
            .words
            .iter()
            .any(|word| word.concepts.contains(&"sex"));
        let of_field = self.fields[at].words.iter().flat_map(|word| word.concepts);
        let of_field: Vec<&str> = of_field.copied().collect();
        for (place, value) in facts.values.iter().enumerate() {
            let text = folded_case(&plain(value));
            let said = words(&text);
            let listed = Listed {
                field: at,
                value: place,
                is_other_name: false,
            };
            let key: String = said.iter().map(|word| word.stem.as_str()).collect();
            if key.is_empty() || said.len() > LONGEST_VALUE {
                continue;
            }
            self.longest_value = self.longest_value.max(said.len());
            if let Some(stemmer) = stemmer {
                let own: String = said.iter().map(|word| stemmer.stem(&word.lower)).collect();
                if own != key {
                    self.values.entry(own).or_default().push(listed);
                }
            }
            self.values.entry(key).or_default().push(listed);

            self.index_parts(&said, listed);

            let lower = folded(&text);
            let of_word = concepts().other_names(&lower).filter(|name| *name != lower);
            let of_word = of_word.filter(|name| {
                let is_letter = name.chars().count() < 2 || lower.chars().count() < 2;
                !is_letter || is_sex
            });
            let of_letter = of_field
                .iter()
                .flat_map(|concept| concepts().names_of_letter(concept, &lower).iter().copied());
            let of_letter = of_letter.chain(without_number(&text));
            for name in of_word.chain(of_letter) {
                let key: String = words(name).iter().map(|word| word.stem.as_str()).collect();
                let other = Listed {
                    is_other_name: true,
                    ..listed
                };
                self.values.entry(key).or_default().push(other);
            }
        }
    }

    /// Indexes each word of a value that has several.
    fn index_parts(&mut self, said: &[Word<'_>], listed: Listed) {
        for word in said {
            let is_content = word.lower.chars().count() > 2
                && !word.is_number()
                && !lexicon::is_weak_value(&word.lower);
            if said.len() > 1 && is_content {
                let parts = self.parts.entry(word.stem.clone()).or_default();
                if parts.len() < MOST_FIELDS {
                    parts.push(listed);
                }
            }

            if self.known.insert(word.lower.clone())
                && let Some(first) = word.lower.chars().next()
            {
                self.spellings
                    .entry(first)
                    .or_default()
                    .push(word.lower.clone());
            }
        }
    }

    /// Returns the fields, each with the place in its name, that have a word with a stem.
    pub(crate) fn with_stem(&self, stem: &str) -> &[(usize, usize)] {
        capped(self.by_stem.get(stem))
    }

    /// Returns the fields, each with the place in its name, of a concept.
    pub(crate) fn with_concept(&self, concept: &str) -> &[(usize, usize)] {
        capped(self.by_concept.get(concept))
    }

    /// Returns the fields whose names have an abbreviation that begins with the letter of a word.
    pub(crate) fn abbreviated(&self, word: &str) -> &[usize] {
        let found = word
            .chars()
            .next()
            .and_then(|first| self.abbreviated.get(&first));
        found.map_or(&[], |found| &found[..found.len().min(MOST_FIELDS)])
    }

    /// Returns the fields that may be called by the beginnings of a word and of those after it.
    pub(crate) fn clipped_like(&self, word: &str) -> &[(String, usize)] {
        let first = word.chars().next();
        first
            .and_then(|first| self.by_letter.get(&first))
            .map_or(&[], Vec::as_slice)
    }

    /// Returns the fields with a word in their names that may begin with a word.
    pub(crate) fn beginning_like(&self, word: &str) -> &[usize] {
        let found = word
            .get(..BEGINNING)
            .and_then(|word| self.by_beginning.get(word));
        found.map_or(&[], |found| &found[..found.len().min(MOST_FIELDS)])
    }

    /// Returns the fields whose names are these letters, without separators.
    pub(crate) fn with_joined(&self, joined: &str) -> &[usize] {
        self.by_joined
            .get(joined)
            .map_or(&[], |found| &found[..found.len().min(MOST_FIELDS)])
    }

    /// Returns the values whose stems, joined, are the key.
    pub(crate) fn values(&self, key: &str) -> &[Listed] {
        self.values
            .get(key)
            .map_or(&[], |found| &found[..found.len().min(MOST_FIELDS)])
    }

    /// Returns the values of several words that contain a stem.
    pub(crate) fn parts(&self, stem: &str) -> &[Listed] {
        self.parts.get(stem).map_or(&[], Vec::as_slice)
    }

    /// Returns the one word of the schema that a misspelt word is.
    pub(crate) fn spelling(&self, lower: &str) -> Option<&str> {
        let length = lower.chars().count();
        if length < 5 || self.known.contains(lower) || !lower.chars().all(char::is_alphabetic) {
            return None;
        }

        let allowed = if length <= 7 { 1 } else { 2 };
        let first = lower.chars().next()?;
        // `famillies` of *family*
        let singular = lower.strip_suffix("ies").map(|stem| format!("{stem}y"));
        let mut best: Option<(usize, &String)> = None;
        let mut is_single = true;
        for known in self.spellings.get(&first)? {
            let one = singular.as_deref().unwrap_or(lower);
            let is_near = |said: &str| known.len().abs_diff(said.len()) <= allowed;
            if !(is_near(lower) || is_near(one)) || known.chars().count() < 5 {
                continue;
            }
            // A word with another ending is another word: *processor* is not *process*.
            let is_longer = lower.starts_with(known.as_str()) && lower.len() >= known.len() + 2;
            let distance = distance(known, lower, allowed).min(distance(known, one, allowed));
            if distance > allowed || is_longer {
                continue;
            }
            match best {
                Some((least, _)) if distance > least => {}
                Some((least, _)) if distance == least => is_single = false,
                _ => (best, is_single) = (Some((distance, known)), true),
            }
        }

        let known = best.filter(|_| is_single).map(|(_, known)| known.as_str());
        // `rabits` of *rabbit*.
        known.or_else(|| self.spelling(lower.strip_suffix('s')?))
    }

    /// Returns the other word for a field that a misspelt one is: *unemployed* of a field
    /// `employed`.
    pub(crate) fn concept_spelling(&self, lower: &str) -> Option<&'static str> {
        if !lower.chars().all(char::is_alphabetic) {
            return None;
        }
        let first = lower.chars().next()?;
        let words = concepts().long_words(|name| self.by_concept.contains_key(name));
        let alike = words.filter(|word| word.starts_with(first) && distance(word, lower, 1) <= 1);
        // The stem of a word is in it too.
        alike.max_by_key(|word| (word.len(), *word))
    }

    /// Returns the value that a listed one is.
    pub(crate) fn value(&self, listed: Listed) -> &'f Value {
        &self.fields[listed.field].facts.values[listed.value]
    }

    /// Returns the fields that hold dates, of which not all records have the same one.
    pub(crate) fn dates(&self) -> impl Iterator<Item = usize> {
        let differs = |facts: &FieldFacts| {
            let range = facts.range.as_ref();
            range.is_none_or(|(low, high)| low != high) || facts.distinct.is_none_or(|n| n > 1)
        };
        (0..self.fields.len()).filter(move |&at| {
            let facts = self.fields[at].facts;
            facts.kind == FieldKind::Date && differs(facts)
        })
    }

    /// Returns the fields that hold years as numbers.
    pub(crate) fn years(&self) -> impl Iterator<Item = usize> {
        (0..self.fields.len()).filter(|&at| self.fields[at].years.is_some())
    }

    /// Returns the text field that says best what a record is: a name or title, or else the first
    /// text whose values differ most.
    pub(crate) fn name_field(&self) -> Option<usize> {
        let is_text = |at: &usize| {
            let field = &self.fields[*at];
            field.facts.kind == FieldKind::Text && field.truth.is_none()
        };
        let texts = || (0..self.fields.len()).filter(is_text);
        let is_named = |at: &usize| {
            let words = &self.fields[*at].words;
            let says = |word: &NameWord| {
                matches!(
                    word.lower.as_str(),
                    "name" | "title" | "titel" | "nom" | "nombre" | "nome"
                )
            };
            // `name.common` is a name in an object.
            let is_member = self.fields[*at].facts.name.contains('.');
            let says_name =
                words.last().is_some_and(says) || is_member && words.first().is_some_and(says);
            // `Food Name; name` says it twice.
            let twice = words.len().checked_sub(2).is_some_and(|before| {
                words.last().map(|word| &word.lower) == words.get(before).map(|word| &word.lower)
            });
            // `name_fr` is the name in a language.
            let is_of_language = words.len() == 2
                && words.first().is_some_and(says)
                && words.last().is_some_and(|last| last.lower.len() == 2);
            words.len() <= 2 + usize::from(twice) && says_name || is_of_language
        };

        let is_unlisted = |at: &usize| {
            let field = &self.fields[*at];
            field.facts.values.is_empty() && !field.is_identifier && !field.is_prose
        };
        texts()
            .find(is_named)
            .or_else(|| texts().find(is_unlisted))
            .or_else(|| {
                let listed = texts().filter(|at| !self.fields[*at].is_prose);
                listed.max_by_key(|at| (self.fields[*at].facts.values.len(), usize::MAX - at))
            })
    }

    /// Returns the field that tells records apart: a name or title, an identifier, or a date, of
    /// which at least half of the records have different values, or a year of which each record has
    /// another.
    pub(crate) fn record_name(&self) -> Option<usize> {
        let records = |field: &Field<'_>| field.facts.known_records();
        let most = self.fields.iter().filter_map(records).max();
        let tells = |at: &usize| {
            let field = &self.fields[*at];
            const LINKS: [&str; 6] = ["url", "uri", "link", "href", "website", "homepage"];
            let is_link = field
                .words
                .iter()
                .any(|word| LINKS.contains(&word.lower.as_str()));
            if is_link {
                return false;
            }
            let distinct = field.facts.distinct.zip(most);
            distinct.is_none_or(|(own, most)| own * 2 >= most && own > 1)
        };
        let of_kind = |kind: FieldKind| {
            let is_counted = |at: &usize| {
                let facts = self.fields[*at].facts;
                facts.kind == kind && facts.distinct.is_some() && !self.fields[*at].is_prose
            };
            (0..self.fields.len()).filter(is_counted).find(tells)
        };

        let is_name = |at: &usize| {
            let name = self.fields[*at].facts.name.to_lowercase();
            matches!(name.as_str(), "name" | "title" | "full_name" | "full name")
        };
        let name = self.name_field().filter(|at| is_name(at) || tells(at));
        let is_own_year = |at: &usize| {
            let field = &self.fields[*at];
            field.facts.distinct.is_some() && field.facts.distinct == most
        };
        name.or_else(|| of_kind(FieldKind::Text))
            .or_else(|| of_kind(FieldKind::Date))
            .or_else(|| self.years().find(is_own_year))
    }

    /// Returns the number of records, as far as the facts tell it.
    pub(crate) fn records(&self) -> Option<u64> {
        let known = self
            .fields
            .iter()
            .filter_map(|field| field.facts.known_records());
        known.max()
    }

    /// Returns whether a field has nearly as many values as there are records.
    pub(crate) fn is_unique(&self, at: usize) -> bool {
        let facts = self.fields[at].facts;
        let most = self
            .fields
            .iter()
            .filter_map(|field| field.facts.known_records());
        match (facts.distinct, most.max()) {
            (Some(distinct), Some(most)) => distinct * 10 >= most * 9 && distinct > 1,
            _ => {
                facts.values.is_empty()
                    && (self.fields[at].is_identifier || self.name_field() == Some(at))
            }
        }
    }
}

fn capped(found: Option<&Vec<(usize, usize)>>) -> &[(usize, usize)] {
    found.map_or(&[], |found| &found[..found.len().min(MOST_FIELDS)])
}
