//! Cuts a question into items: the longest phrases that are words of the vocabulary, names of
//! fields, values, numbers or times.

use research_agents_report::text::words;
use serde_json::Value;

use crate::data::task::FieldKind;
use crate::question::interpret::dates::calendar::Moment;
use crate::question::lexicon;
use crate::question::read::concepts::concepts;
use crate::question::read::figures::number_at;
use crate::question::read::moments::Times;
use crate::question::read::schema::{Listed, NameWord, Schema};
use crate::question::read::tokens::{Token, folded};
use crate::question::read::vocabulary::{Degree, Role, Vocabulary};
use crate::question::reading::{CandidateMatch, LookedUp, Lookup};

/// A field that words may name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FieldMatch {
    pub(crate) field: usize,
    /// How much of its name is said, in thousandths.
    pub(crate) score: u32,
    /// Whether all of its name is said.
    pub(crate) is_full: bool,
    /// Whether the words are the opposite of the field, as `died` of `survived`.
    pub(crate) is_opposite: bool,
}

/// How words are a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fit {
    Whole,
    OtherName,
    Words,
    Spelling,
}

/// A value that words may be.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ValueMatch {
    pub(crate) field: usize,
    pub(crate) value: Value,
    pub(crate) fit: Fit,
    /// Whether it counts only next to the name of its field.
    pub(crate) needs_field: bool,
    /// The number of records with the value, as far as the data source said.
    pub(crate) count: Option<u64>,
}

/// Words of a question that belong together, with all that they may be.
#[derive(Clone, Debug, Default)]
pub(crate) struct Item {
    /// The first word.
    pub(crate) start: usize,
    /// One past the last word.
    pub(crate) end: usize,
    pub(crate) roles: Vec<Role>,
    pub(crate) degree: Option<Degree>,
    pub(crate) fields: Vec<FieldMatch>,
    pub(crate) values: Vec<ValueMatch>,
    pub(crate) number: Option<f64>,
    pub(crate) ordinal: Option<u32>,
    pub(crate) moment: Option<Moment>,
    /// The role of the first word of a field's name, such as `total` of `total_sales`.
    pub(crate) leading: Option<Role>,
    pub(crate) is_quoted: bool,
    /// The entry of the lookup for these words.
    pub(crate) looked_up: Option<usize>,
    /// A correct spelling that was read instead.
    pub(crate) respelt: Option<String>,
    pub(crate) used: bool,
}

impl Item {
    pub(crate) fn has(&self, role: Role) -> bool {
        self.roles.contains(&role)
    }

    pub(crate) fn has_any(&self, roles: &[Role]) -> bool {
        self.roles.iter().any(|role| roles.contains(role))
    }

    /// Returns whether nothing is known about the words.
    pub(crate) fn is_open(&self) -> bool {
        self.roles.is_empty()
            && self.degree.is_none()
            && self.fields.is_empty()
            && self.values.is_empty()
            && self.number.is_none()
            && self.moment.is_none()
    }
}

/// Roles of words that are never the name of a field alone.
const STRUCTURE: &[Role] = &[
    Role::Is,
    Role::There,
    Role::And,
    Role::Or,
    Role::But,
    Role::From,
    Role::To,
    Role::In,
    Role::Not,
    Role::Without,
    Role::With,
    Role::By,
    Role::Of,
    Role::Stop,
    Role::Than,
    Role::Between,
    Role::Which,
    Role::What,
    Role::Who,
    Role::Where,
    Role::When,
    Role::Before,
    Role::After,
    Role::HowMany,
    Role::HowMuch,
    Role::How,
    Role::All,
    Role::Mention,
];

/// What the items are found with.
pub(crate) struct Cutter<'a, 'q, 'f> {
    pub(crate) tokens: &'a [Token<'q>],
    pub(crate) vocabulary: &'a Vocabulary,
    pub(crate) schema: &'a Schema<'f>,
    pub(crate) found: &'a Lookup,
    /// Entries of the lookup by their words.
    looked_up: std::collections::HashMap<String, usize>,
    longest_lookup: usize,
    places: std::collections::HashMap<&'a str, usize>,
}

impl<'a, 'q, 'f> Cutter<'a, 'q, 'f> {
    pub(crate) fn new(
        tokens: &'a [Token<'q>],
        vocabulary: &'a Vocabulary,
        schema: &'a Schema<'f>,
        found: &'a Lookup,
    ) -> Self {
        let key = |text: &str| words(&folded(text)).iter().map(|w| w.lower.clone()).collect::<Vec<_>>();
        let keys = found.entries.iter().map(|entry| key(&entry.text));
        let longest_lookup = keys.clone().map(|key| key.len()).max().unwrap_or(0);
        let looked_up = keys.enumerate().map(|(at, key)| (key.join(" "), at)).collect();
        let names = schema.fields.iter().enumerate();
        let places = names.map(|(at, field)| (field.facts.name.as_str(), at)).collect();
        Self { tokens, vocabulary, schema, found, looked_up, longest_lookup, places }
    }

    /// Returns the items of the question.
    pub(crate) fn items(&self) -> Vec<Item> {
        let mut items: Vec<Item> = Vec::new();
        let mut at = 0;
        while at < self.tokens.len() {
            let item = self.quotation(at).unwrap_or_else(|| self.item(at));
            at = item.end.max(at + 1);
            items.push(item);
        }
        items
    }

    fn quotation(&self, at: usize) -> Option<Item> {
        let number = self.tokens[at].quoted?;
        let length = self.tokens[at..].iter().take_while(|t| t.quoted == Some(number)).count();
        let end = at + length;
        let mut item = Item { start: at, end, is_quoted: true, ..Item::default() };
        item.values = self.values(at, end, true);
        self.add_looked_up(&mut item);
        Some(item)
    }

    /// Returns the longest item at a word.
    fn item(&self, at: usize) -> Item {
        let lower = |k: usize| {
            let token = self.tokens.get(at + k)?;
            let is_joined = k == 0 || (!token.breaks() && token.quoted.is_none());
            is_joined.then_some(token.lower.as_str())
        };
        let phrase = self.vocabulary.longest_at(lower);
        let phrase_length = phrase.map_or(0, |(_, length)| length);
        let (field_length, fields) = self.fields(at);
        let (value_length, values) = self.longest_value(at);
        let times = Times { tokens: self.tokens, vocabulary: self.vocabulary };
        let moment = times.at(at);
        let moment_length = moment.map_or(0, |(_, length)| length);
        let number = number_at(self.tokens, at, self.vocabulary)
            .filter(|_| self.tokens[at].is_number() || phrase_length <= 1);
        let number_length = number.map_or(0, |(_, length)| length);
        let looked_up = self.longest_lookup_at(at);

        let length = [phrase_length, field_length, value_length, moment_length, number_length]
            .into_iter()
            .chain(looked_up.map(|(_, length)| length))
            .max()
            .unwrap_or(0)
            .max(1);
        let mut item = Item { start: at, end: at + length, ..Item::default() };
        if phrase_length == length
            && let Some((entry, _)) = phrase
        {
            item.roles.clone_from(&entry.roles);
            item.degree.clone_from(&entry.degree);
            item.ordinal = entry.ordinal;
        }
        if field_length == length {
            item.fields = fields;
            let first = self.vocabulary.longest_at(|k| lower(0).filter(|_| k == 0));
            const LEADING: &[Role] = &[Role::Mean, Role::Median, Role::Sum, Role::Min, Role::Max];
            item.leading = first
                .and_then(|(entry, _)| entry.roles.iter().find(|role| LEADING.contains(role)))
                .copied()
                .filter(|_| length > 1);
        }
        if value_length == length {
            item.values = values;
        }
        if moment_length == length {
            item.moment = moment.map(|(moment, _)| moment);
        }
        if number_length == length {
            item.number = number.map(|(value, _)| value);
        }

        if item.has_any(STRUCTURE) {
            item.fields.clear();
        }
        self.add_looked_up(&mut item);
        if item.is_open() && item.looked_up.is_none() {
            self.add_parts(&mut item);
        }
        if item.is_open() && item.looked_up.is_none() {
            self.respell(&mut item);
        }
        item
    }

    /// Adds the listed values that contain the words from a place on, as many as possible.
    fn add_parts(&self, item: &mut Item) {
        let mut common: Vec<Listed> = self.schema.parts(&self.tokens[item.start].stem).to_vec();
        if common.is_empty() {
            return;
        }
        while let Some(next) = self.tokens.get(item.end).filter(|next| !next.breaks()) {
            let parts = self.schema.parts(&next.stem);
            let is_in = |listed: &Listed| {
                parts.iter().any(|p| (p.field, p.value) == (listed.field, listed.value))
            };
            let both: Vec<Listed> = common.iter().copied().filter(is_in).collect();
            if both.is_empty() {
                break;
            }
            common = both;
            item.end += 1;
        }
        for listed in common {
            item.values.push(ValueMatch {
                field: listed.field,
                value: self.schema.value(listed).clone(),
                fit: Fit::Words,
                needs_field: false,
                count: None,
            });
        }
    }

    /// Returns the entry of the lookup for the most words at a place.
    fn longest_lookup_at(&self, at: usize) -> Option<(usize, usize)> {
        let mut key = String::new();
        let mut best = None;
        for length in 1..=self.longest_lookup.min(self.tokens.len() - at) {
            if length > 1 {
                key.push(' ');
            }
            key.push_str(&self.tokens[at + length - 1].lower);
            if let Some(&entry) = self.looked_up.get(&key) {
                let knows = |entry: &LookedUp| {
                    !entry.candidates.is_empty() || !entry.mentions.is_empty()
                };
                // A longer phrase that the data does not have leaves its parts to be found.
                if best.is_none() || knows(&self.found.entries[entry]) {
                    best = Some((entry, length));
                }
            }
        }
        best
    }

    /// Adds what the data source knows about the words.
    fn add_looked_up(&self, item: &mut Item) {
        let lowers: Vec<&str> =
            self.tokens[item.start..item.end].iter().map(|token| token.lower.as_str()).collect();
        let Some(&at) = self.looked_up.get(&lowers.join(" ")) else {
            return;
        };
        item.looked_up = Some(at);
        for candidate in &self.found.entries[at].candidates {
            let fit = match candidate.matching {
                CandidateMatch::Exact | CandidateMatch::Case => Fit::Whole,
                CandidateMatch::Words | CandidateMatch::Prefix => Fit::Words,
                CandidateMatch::Spelling => Fit::Spelling,
            };
            let Some(&field) = self.places.get(candidate.field.as_str()) else {
                continue;
            };
            let is_known = item.values.iter().any(|known| {
                known.field == field && known.value == candidate.value
            });
            if !is_known {
                item.values.push(ValueMatch {
                    field,
                    value: candidate.value.clone(),
                    fit,
                    needs_field: false,
                    count: Some(candidate.doc_count),
                });
            }
        }
    }

    fn longest_value(&self, at: usize) -> (usize, Vec<ValueMatch>) {
        let most = (self.schema.longest_value + 1).min(self.tokens.len() - at);
        for length in (1..=most).rev() {
            let is_joined = (1..length).all(|k| !self.tokens[at + k].gap.contains(['?', '!', ';']));
            if !is_joined {
                continue;
            }
            let values = self.values(at, at + length, false);
            if !values.is_empty() {
                return (length, values);
            }
        }
        (0, Vec::new())
    }

    /// Returns the values that all words together are.
    fn values(&self, start: usize, end: usize, is_quoted: bool) -> Vec<ValueMatch> {
        let tokens = &self.tokens[start..end];
        let key: String = tokens.iter().map(|token| token.stem.as_str()).collect();
        let own: String = tokens.iter().map(|token| token.own_stem.as_str()).collect();
        let mut found: Vec<ValueMatch> = Vec::new();
        for &listed in self.schema.values(&key).iter().chain(self.schema.values(&own)) {
            let value = self.schema.value(listed);
            let is_known =
                found.iter().any(|known| known.field == listed.field && known.value == *value);
            if !is_known && let Some(needs_field) = self.may_be(tokens, listed, is_quoted) {
                let fit = if listed.is_other_name { Fit::OtherName } else { Fit::Whole };
                let value = value.clone();
                found.push(ValueMatch { field: listed.field, value, fit, needs_field, count: None });
            }
        }
        found.sort_by_key(|value| value.fit);
        found
    }

    /// Returns whether words may be a value: ordinary words, numbers and single letters only with
    /// their field, and short codes such as `IN` only as they are spelt.
    fn may_be(&self, tokens: &[Token<'_>], listed: Listed, is_quoted: bool) -> Option<bool> {
        let value = research_agents_report::evidence::plain(self.schema.value(listed));
        let [token] = tokens else {
            let is_weak = tokens.iter().all(|t| lexicon::is_weak_value(&t.lower) || t.is_number());
            return Some(is_weak && !is_quoted);
        };
        if is_quoted {
            return Some(false);
        }

        let is_code = value.chars().count() <= 3
            && value.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
        let is_spelt = token.text == value || (!is_code && token.lower == folded(&value));
        let is_structure = self
            .vocabulary
            .longest_at(|k| (k == 0).then_some(token.lower.as_str()))
            .is_some_and(|(entry, _)| entry.roles.iter().any(|role| STRUCTURE.contains(role)));
        let is_weak = token.is_number()
            || lexicon::is_weak_value(&token.lower)
            || is_structure
            || token.text.chars().count() < 2;
        if is_weak {
            let is_plain_code = is_code && token.text == value && token.text.len() >= 2;
            return Some(!is_plain_code || token.is_number());
        }
        let is_short = token.text.chars().count() <= 3 && token.text.is_ascii();
        Some(is_short && !is_spelt && !listed.is_other_name)
    }

    /// Returns the fields that the most words at a place name, the best first.
    fn fields(&self, at: usize) -> (usize, Vec<FieldMatch>) {
        let mut candidates: Vec<usize> = Vec::new();
        let mut add = |field: usize| {
            if !candidates.contains(&field) && candidates.len() < 256 {
                candidates.push(field);
            }
        };
        let token = &self.tokens[at];
        let (stem, own) = (&token.stem, &token.own_stem);
        let tail = self.compound(token);
        let known = concepts().of(&token.lower, stem);
        let opposite = concepts().opposite(&token.lower);
        for found in [stem, own].map(|stem| self.schema.with_stem(stem)) {
            found.iter().for_each(|(field, _)| add(*field));
        }
        for concept in known.iter().copied().chain(opposite).chain(tail.iter().copied()) {
            self.schema.with_concept(concept).iter().for_each(|(field, _)| add(*field));
        }
        for length in [3, 4] {
            if let Some(beginning) = token.lower.get(..length).filter(|b| b.len() < token.lower.len())
            {
                self.schema.with_stem(beginning).iter().for_each(|(field, _)| add(*field));
            }
        }

        let mut best: Vec<FieldMatch> = Vec::new();
        let mut longest = 0;
        for field in candidates {
            let Some((end, mut found)) = self.named(at, field) else {
                continue;
            };
            found.is_opposite = opposite.is_some() && known.is_empty();
            match (end - at).cmp(&longest) {
                std::cmp::Ordering::Greater => (longest, best) = (end - at, vec![found]),
                std::cmp::Ordering::Equal => best.push(found),
                std::cmp::Ordering::Less => {}
            }
        }

        // `body mass` names `bodymass`.
        let mut joined = String::new();
        for length in 1..=4.min(self.tokens.len() - at) {
            joined.push_str(&self.tokens[at + length - 1].lower);
            if length < longest || (length == 1 && longest > 0) {
                continue;
            }
            let fields = self.schema.with_joined(&joined);
            if !fields.is_empty() && length > longest {
                (longest, best) = (length, Vec::new());
            }
            for &field in fields {
                if best.iter().all(|known| known.field != field) {
                    best.push(FieldMatch { field, score: 1000, is_full: true, is_opposite: false });
                }
            }
        }

        best.sort_by_key(|found| (std::cmp::Reverse((found.score, found.is_full)), found.field));
        best.truncate(12);
        (longest, best)
    }

    fn compound(&self, token: &Token<'_>) -> &'static [&'static str] {
        if self.vocabulary.code == "de" && !self.vocabulary.knows(&token.lower) {
            concepts().of_compound(&token.lower).map_or(&[], |(_, found)| found)
        } else {
            &[]
        }
    }

    /// Returns how well words from a place on name a field, and where they end.
    fn named(&self, at: usize, field: usize) -> Option<(usize, FieldMatch)> {
        let names = &self.schema.fields[field].words;
        let mut said = vec![0_u32; names.len()];
        let (mut end, mut next, mut skipped) = (at, at, 0);
        let mut order: Vec<usize> = Vec::new();
        while next < self.tokens.len() && next < at + 9 {
            let token = &self.tokens[next];
            if next > at && (token.breaks() && !matches!(token.gap, "." | "/" | " (")) {
                break;
            }
            let best = (0..names.len())
                .filter(|place| said[*place] == 0)
                .map(|place| (self.strength(token, &names[place]), place))
                .max_by_key(|(strength, place)| (*strength, std::cmp::Reverse(*place)))
                .filter(|(strength, _)| *strength > 0);
            if let Some((strength, place)) = best {
                said[place] = strength;
                order.push(place);
                (end, skipped) = (next + 1, 0);
            } else if next > at && skipped < 2 && self.is_skipped(token) {
                skipped += 1;
            } else {
                break;
            }
            next += 1;
        }
        if end == at {
            return None;
        }

        let weight = |name: &NameWord| match (name.is_filler, name.is_weak) {
            (true, _) => 0,
            (_, true) => 4,
            _ => 10,
        };
        let total: u32 = names.iter().map(weight).sum::<u32>().max(1);
        let covered: u32 = names.iter().zip(&said).map(|(name, s)| weight(name) * s).sum();
        let is_full = names.iter().zip(&said).all(|(name, s)| name.is_filler || *s > 0);
        let is_strong = names.iter().zip(&said).any(|(name, s)| !name.is_weak && !name.is_filler && *s >= 7);
        let is_reversed = order.windows(2).any(|pair| pair[0] > pair[1]);
        let is_counting = self.vocabulary.longest_at(|k| self.tokens.get(at + k).map(|t| t.lower.as_str()))
            .is_some_and(|(entry, _)| entry.roles.contains(&Role::HowMany));
        if (is_counting && is_reversed) || (!is_full && !is_strong) || covered == 0 {
            return None;
        }
        let score = covered * 100 / total;
        Some((end, FieldMatch { field, score, is_full, is_opposite: false }))
    }

    /// Returns whether a word may stand between words of a name.
    fn is_skipped(&self, token: &Token<'_>) -> bool {
        let entry = self.vocabulary.longest_at(|k| (k == 0).then_some(token.lower.as_str()));
        token.lower == "per"
            || entry.is_some_and(|(entry, _)| {
                entry.roles.iter().any(|role| matches!(role, Role::Of | Role::Stop))
            })
    }

    /// Returns how well a word is a word of a name, 0 to 10.
    fn strength(&self, token: &Token<'_>, name: &NameWord) -> u32 {
        if token.lower == name.lower || token.stem == name.stem || token.own_stem == name.stem {
            return 10;
        }
        let known = concepts().of(&token.lower, &token.stem);
        let shares = |concepts: &[&str]| name.concepts.iter().any(|c| concepts.contains(c));
        if shares(known) {
            return 8;
        }
        if concepts().opposite(&token.lower).is_some_and(|c| name.concepts.contains(&c)) {
            return 8;
        }
        if shares(self.compound(token)) {
            return 7;
        }
        let letters = name.lower.chars().count();
        let is_abbreviation = (3..=4).contains(&letters)
            && token.lower.chars().count() > letters + 2
            && token.lower.starts_with(&name.lower);
        if is_abbreviation { 6 } else { 0 }
    }

    /// Reads a misspelt word of a name or a value.
    fn respell(&self, item: &mut Item) {
        let token = &self.tokens[item.start];
        let Some(known) = self.schema.spelling(&token.lower) else {
            return;
        };
        let stem = words(known).pop().map_or_else(|| known.to_owned(), |word| word.stem);
        let is_own = !self.vocabulary.knows(&token.lower);
        if !is_own {
            return;
        }

        for &listed in self.schema.values(&stem) {
            let value = self.schema.value(listed).clone();
            item.values.push(ValueMatch {
                field: listed.field,
                value,
                fit: Fit::Spelling,
                needs_field: false,
                count: None,
            });
        }
        let named = self.schema.with_stem(&stem).iter().filter_map(|&(field, place)| {
            let names = &self.schema.fields[field].words;
            let strong = names.iter().filter(|name| !name.is_filler).count();
            (!names[place].is_weak || strong == 1).then(|| FieldMatch {
                field,
                score: 700 / u32::try_from(strong.max(1)).unwrap_or(1),
                is_full: strong == 1,
                is_opposite: false,
            })
        });
        item.fields = named.collect();
        item.fields.sort_by_key(|found| (std::cmp::Reverse(found.score), found.field));
        if !item.values.is_empty() || !item.fields.is_empty() {
            item.respelt = Some(known.to_owned());
        }
    }
}

/// Returns whether a field may be measured.
pub(crate) fn is_measurable(schema: &Schema<'_>, field: usize) -> bool {
    schema.fields[field].facts.kind == FieldKind::Number
}
