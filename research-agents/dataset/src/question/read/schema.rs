//! The fields of a tool, indexed by the stems of their names and values, so that reading takes time
//! in proportion to the question.

use std::collections::{HashMap, HashSet};

use research_agents_report::evidence::plain;
use research_agents_report::text::{Word, words};
use rust_stemmers::Stemmer;
use serde_json::Value;

use crate::data::task::{FieldFacts, FieldKind};
use crate::question::interpret::field::{is_identifier, is_prose};
use crate::question::lexicon;
use crate::question::read::concepts::concepts;
use crate::question::read::tokens::folded;
use crate::question::read::units::{Unit, unit};

/// At most so many fields are considered for one word.
pub(crate) const MOST_FIELDS: usize = 64;

/// A word of the name of a field.
#[derive(Clone, Debug)]
pub(crate) struct NameWord {
    pub(crate) lower: String,
    pub(crate) stem: String,
    /// Too general to name a field alone.
    pub(crate) is_weak: bool,
    /// A function word or the unit: it need not be said.
    pub(crate) is_filler: bool,
    pub(crate) concepts: &'static [&'static str],
}

/// A field with what its name says.
#[derive(Debug)]
pub(crate) struct Field<'f> {
    pub(crate) facts: &'f FieldFacts,
    pub(crate) words: Vec<NameWord>,
    pub(crate) unit: Option<Unit>,
    /// The values for true and false, where it is a truth value.
    pub(crate) truth: Option<(Value, Value)>,
    /// Whether it holds years as numbers; of two digits, if so many years are added.
    pub(crate) years: Option<i64>,
    pub(crate) is_identifier: bool,
    pub(crate) is_prose: bool,
}

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
    values: HashMap<String, Vec<Listed>>,
    parts: HashMap<String, Vec<Listed>>,
    /// The most words of a value.
    pub(crate) longest_value: usize,
    /// Words of names and values by first letter, for misspelt ones.
    spellings: HashMap<char, Vec<String>>,
    known: HashSet<String>,
}

/// The longest value that is looked for, in words.
const LONGEST_VALUE: usize = 10;

impl<'f> Schema<'f> {
    pub(crate) fn new(facts: &'f [FieldFacts], stemmer: Option<&Stemmer>) -> Self {
        let mut schema = Self {
            fields: facts.iter().map(field).collect(),
            by_stem: HashMap::new(),
            by_concept: HashMap::new(),
            by_joined: HashMap::new(),
            values: HashMap::new(),
            parts: HashMap::new(),
            longest_value: 1,
            spellings: HashMap::new(),
            known: HashSet::new(),
        };
        for at in 0..schema.fields.len() {
            schema.index_name(at, stemmer);
            schema.index_values(at, stemmer);
        }
        schema
    }

    fn index_name(&mut self, at: usize, stemmer: Option<&Stemmer>) {
        let field = &self.fields[at];
        let mut joined = String::new();
        for (place, word) in field.words.iter().enumerate() {
            let own = stemmer.map(|stemmer| stemmer.stem(&word.lower).into_owned());
            self.by_stem.entry(word.stem.clone()).or_default().push((at, place));
            if let Some(own) = own.filter(|own| *own != word.stem) {
                self.by_stem.entry(own).or_default().push((at, place));
            }
            for concept in word.concepts {
                self.by_concept.entry(concept).or_default().push((at, place));
            }
            if !word.is_filler {
                joined.push_str(&word.lower);
            }
            if self.known.insert(word.lower.clone())
                && let Some(first) = word.lower.chars().next()
            {
                self.spellings.entry(first).or_default().push(word.lower.clone());
            }
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

        let is_sex = self.fields[at].words.iter().any(|word| word.concepts.contains(&"sex"));
        for (place, value) in facts.values.iter().enumerate() {
            let text = folded_case(&plain(value));
            let said = words(&text);
            let listed = Listed { field: at, value: place, is_other_name: false };
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
            for name in concepts().other_names(&lower).filter(|name| *name != lower) {
                let is_letter = name.chars().count() < 2 || lower.chars().count() < 2;
                if is_letter && !is_sex {
                    continue;
                }
                let key: String = words(name).iter().map(|word| word.stem.as_str()).collect();
                let other = Listed { is_other_name: true, ..listed };
                self.values.entry(key).or_default().push(other);
            }
        }
    }

    /// Indexes the words of a value of several words.
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
                self.spellings.entry(first).or_default().push(word.lower.clone());
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

    /// Returns the fields whose names are these letters, without separators.
    pub(crate) fn with_joined(&self, joined: &str) -> &[usize] {
        self.by_joined.get(joined).map_or(&[], |found| &found[..found.len().min(MOST_FIELDS)])
    }

    /// Returns the values whose stems, joined, are the key.
    pub(crate) fn values(&self, key: &str) -> &[Listed] {
        self.values.get(key).map_or(&[], |found| &found[..found.len().min(MOST_FIELDS)])
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
        let mut best: Option<(usize, &String)> = None;
        let mut is_single = true;
        for known in self.spellings.get(&first)? {
            if known.len().abs_diff(lower.len()) > allowed || known.chars().count() < 5 {
                continue;
            }
            let distance = distance(known, lower, allowed);
            if distance > allowed {
                continue;
            }
            match best {
                Some((least, _)) if distance > least => {}
                Some((least, _)) if distance == least => is_single = false,
                _ => (best, is_single) = (Some((distance, known)), true),
            }
        }

        best.filter(|_| is_single).map(|(_, known)| known.as_str())
    }

    /// Returns the value that a listed one is.
    pub(crate) fn value(&self, listed: Listed) -> &'f Value {
        &self.fields[listed.field].facts.values[listed.value]
    }

    /// Returns the fields that hold dates.
    pub(crate) fn dates(&self) -> impl Iterator<Item = usize> {
        (0..self.fields.len()).filter(|&at| self.fields[at].facts.kind == FieldKind::Date)
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
                matches!(word.lower.as_str(), "name" | "title" | "titel" | "nom" | "nombre" | "nome")
            };
            words.len() <= 2 && words.last().is_some_and(says)
        };
        let is_unlisted = |at: &usize| {
            let field = &self.fields[*at];
            field.facts.values.is_empty() && !field.is_identifier && !field.is_prose
        };
        texts().find(is_named).or_else(|| texts().find(is_unlisted)).or_else(|| {
            let listed = texts().filter(|at| !self.fields[*at].is_prose);
            listed.max_by_key(|at| (self.fields[*at].facts.values.len(), usize::MAX - at))
        })
    }

    /// Returns whether a field has nearly as many values as there are records.
    pub(crate) fn is_unique(&self, at: usize) -> bool {
        let facts = self.fields[at].facts;
        let most = self.fields.iter().filter_map(|field| {
            Some(field.facts.distinct? + field.facts.missing.unwrap_or_default())
        });
        match (facts.distinct, most.max()) {
            (Some(distinct), Some(most)) => distinct * 10 >= most * 9 && distinct > 1,
            _ => {
                facts.values.is_empty()
                    && (self.fields[at].is_identifier || self.name_field() == Some(at))
            }
        }
    }
}

/// Returns a string with `ss` for `ß`, as questions are read.
fn folded_case(text: &str) -> String {
    text.replace('ß', "ss")
}

fn capped(found: Option<&Vec<(usize, usize)>>) -> &[(usize, usize)] {
    found.map_or(&[], |found| &found[..found.len().min(MOST_FIELDS)])
}

/// Returns the number of edits between two words; more than `most` where it is larger.
fn distance(a: &str, b: &str, most: usize) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let width = b.len() + 1;
    let mut rows = vec![0; (a.len() + 1) * width];
    for (at, cell) in rows.iter_mut().take(width).enumerate() {
        *cell = at;
    }

    for i in 1..=a.len() {
        rows[i * width] = i;
        let mut least = i;
        for j in 1..=b.len() {
            let change = usize::from(a[i - 1] != b[j - 1]);
            let mut edits = (rows[(i - 1) * width + j] + 1)
                .min(rows[i * width + j - 1] + 1)
                .min(rows[(i - 1) * width + j - 1] + change);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                edits = edits.min(rows[(i - 2) * width + j - 2] + 1);
            }
            rows[i * width + j] = edits;
            least = least.min(edits);
        }
        if least > most {
            return most + 1;
        }
    }
    rows[a.len() * width + b.len()]
}

fn field(facts: &FieldFacts) -> Field<'_> {
    let name = folded_case(&facts.name);
    let said = words(&name);
    let at_unit = header_unit(&facts.name, &said);
    let names: Vec<NameWord> = said
        .iter()
        .enumerate()
        .map(|(place, word)| NameWord {
            is_weak: lexicon::is_generic(&word.lower),
            is_filler: at_unit.is_some_and(|(at, _)| at == place && said.len() > 1)
                || (lexicon::is_stop(&word.lower)
                    && !lexicon::is_generic_noun(&word.lower)
                    && said.len() > 1),
            concepts: match concepts().of(&word.lower, &word.stem) {
                [] => concepts().of_compound(&word.lower).map_or(&[][..], |(_, found)| found),
                found => found,
            },
            lower: word.lower.clone(),
            stem: word.stem.clone(),
        })
        .collect();

    Field {
        facts,
        unit: at_unit.map(|(_, unit)| unit),
        truth: truth(facts),
        years: years(facts, &names),
        is_identifier: is_identifier(facts) && facts.name.to_lowercase() != "name",
        is_prose: is_prose(facts),
        words: names,
    }
}

/// Returns the unit that the name of a field ends with, and the place of its word.
fn header_unit(name: &str, said: &[Word<'_>]) -> Option<(usize, Unit)> {
    let lower = name.to_lowercase();
    if lower.contains("km/h") || lower.contains("km per h") {
        return Some((said.len().saturating_sub(2), unit("kmh")?));
    }
    let sign = ['$', '€', '£', '%'].into_iter().find(|sign| lower.contains(*sign));
    if let Some(sign) = sign {
        return Some((usize::MAX, unit(&sign.to_string())?));
    }

    let place = said.len().checked_sub(1)?;
    let word = &said[place].lower;
    let is_short = word.chars().count() == 1;
    // A single letter is a unit in `mass_g` and `mass (g)`, and not in `group g`.
    let is_marked = lower.ends_with(&format!("_{word}")) || lower.ends_with(&format!("({word})"));
    if place == 0 || (is_short && !is_marked) {
        return None;
    }
    let found = unit(word)?;
    let is_count = matches!(found.dimension, "years" | "days" | "stars" | "power" | "carat");
    (!is_count || lower.ends_with(')')).then_some((place, found))
}

/// Returns the values for true and false of a field of truth values.
fn truth(facts: &FieldFacts) -> Option<(Value, Value)> {
    const PAIRS: [(&str, &str); 8] = [
        ("yes", "no"),
        ("y", "n"),
        ("true", "false"),
        ("t", "f"),
        ("1", "0"),
        ("ja", "nein"),
        ("oui", "non"),
        ("si", "no"),
    ];
    match facts.kind {
        FieldKind::Boolean => Some((Value::Bool(true), Value::Bool(false))),
        FieldKind::Text => {
            let values: Vec<(String, &Value)> =
                facts.values.iter().map(|value| (folded(&plain(value)), value)).collect();
            if values.len() != 2 {
                return None;
            }
            let find = |text: &str| values.iter().find(|(v, _)| v == text).map(|(_, v)| (*v).clone());
            PAIRS.iter().find_map(|(yes, no)| find(yes).zip(find(no)))
        }
        FieldKind::Number => {
            let (low, high) = facts.range.as_ref()?;
            let is_pair = low.as_i64() == Some(0) && high.as_i64() == Some(1);
            let is_two = facts.distinct.is_none_or(|distinct| distinct <= 2);
            (is_pair && is_two).then(|| (Value::from(1), Value::from(0)))
        }
        FieldKind::Date => None,
    }
}

/// Returns what is added to a number of a field of years.
fn years(facts: &FieldFacts, names: &[NameWord]) -> Option<i64> {
    const TELLING: &str = " year yr jahr annee ano anno jahrgang baujahr season vintage founded \
        built released established ";
    if facts.kind != FieldKind::Number {
        return None;
    }
    let is_telling =
        |word: &NameWord| !word.is_filler && TELLING.contains(&format!(" {} ", word.lower));
    let is_named = names.iter().any(is_telling);
    let bounds = facts.range.as_ref().and_then(|(low, high)| Some((low.as_f64()?, high.as_f64()?)));
    match bounds {
        Some((low, high)) if low >= 1000.0 && high <= 2200.0 => is_named.then_some(0),
        Some((low, high)) if low >= 30.0 && high <= 99.0 => is_named.then_some(1900),
        Some(_) => None,
        None => is_named.then_some(0),
    }
}
