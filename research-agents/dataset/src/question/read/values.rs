//! Reads values, truth values and missing values, with their negations.

pub(crate) mod chance;
pub(crate) mod missing;
pub(crate) mod negated;
pub(crate) mod settled;
pub(crate) mod stated;

use research_agents_report::text::words;
use serde_json::Value;

use crate::question::read::cut::items::{Fit, ValueMatch};
use crate::question::read::cut::spelling::distance;
use crate::question::read::reader::Reader;
use crate::question::read::words::tokens::Token;
use crate::question::read::words::vocabulary::Role;

/// Letters that may be wrong in a word.
const MISTAKES: usize = 2;

/// A value with so many times fewer records than another one is not meant.
const RARE: u64 = 20;

impl Reader<'_, '_, '_> {
    /// Notes a filter that an item gave.
    pub(crate) fn note_filter(&mut self, at: usize, said: &str, field: usize) {
        self.applied(said, field);
        let name = self.name(field).to_owned();
        let gives = crate::data::filters::describe_filters(
            &self
                .out
                .filters
                .iter()
                .filter(|(key, _)| **key == name)
                .map(|(key, value)| (key.clone(), value.clone()))
                .collect(),
        );
        self.derive(said, &gives);
        self.asked.filter_items.push((at, name));
    }

    /// Reads the values of the schema and those that were looked up.
    pub(crate) fn read_values(&mut self) {
        for at in 0..self.len() {
            // `non` of `non-smokers` is not a value, but `no` of `smoker: no` is.
            let denies =
                self.has_any(at, &[Role::Not, Role::Without]) && !self.gap(at).contains([':', '=']);
            if denies {
                continue;
            }
            if !self.items[at].used && !self.items[at].values.is_empty() {
                self.read_value(at);
            }
        }
    }

    /// Returns the place of an item next to a value that names the field of it.
    pub(crate) fn field_beside(&self, at: usize, field: usize) -> Option<usize> {
        let names = |place: usize| {
            self.items[place]
                .fields
                .iter()
                .any(|found| found.field == field)
                && !self.has_any(place, &[Role::Not])
        };
        let after = at + 1;
        if after < self.len() && !self.breaks(after) && names(after) && !self.items[after].used {
            return Some(after);
        }
        let mut before = at;

        for _ in 0..5 {
            let place = before.checked_sub(1)?;
            if self.breaks(before) && !matches!(self.gap(before).trim(), ":" | "(") {
                return None;
            }
            if names(place) {
                return Some(place);
            }
            let item = &self.items[place];
            let is_link = item.has_any(&[
                Role::Of,
                Role::Stop,
                Role::Is,
                Role::Exactly,
                Role::In,
                Role::Named,
                Role::Or,
                Role::And,
                Role::Not,
                Role::Except,
            ]) || item.values.iter().any(|value| value.field == field);
            if !is_link {
                return None;
            }
            before = place;
        }
        None
    }

    /// Returns whether a value is only an example: *the ones like Klingon*, *such as Klingon*.
    fn is_example(&self, at: usize) -> bool {
        let before = |back: usize| at.checked_sub(back).map_or("", |place| self.lower(place));
        let is_name = self.tokens[self.items[at].start].is_capital();
        let follows_noun = at > 1 && matches!(before(2), "ones" | "those" | "things" | "records");
        is_name && (before(1) == "like" && follows_noun || before(1) == "as" && before(2) == "such")
    }

    fn read_value(&mut self, at: usize) {
        if self.is_example(at) && !self.out.filters.is_empty() {
            let said = self.said(at, at + 1).to_owned();
            self.out
                .notes
                .push(format!("“{said}” is read as an example"));
            return self.take(at, at + 1);
        }
        let item = &self.items[at];
        let strong = |value: &ValueMatch| !value.needs_field;
        let mut fitting: Vec<(ValueMatch, Option<usize>)> = item
            .values
            .iter()
            .map(|value| (value.clone(), self.field_beside(at, value.field)))
            .filter(|(value, place)| place.is_some() || strong(value) && !self.is_chance(at, value))
            .collect();

        // A word of the vocabulary, or the name of a field, is a value only where that is said.
        let is_word = item.has_any(&[
            Role::Mean,
            Role::Median,
            Role::Sum,
            Role::Min,
            Role::Max,
            Role::First,
            Role::Last,
            Role::Most,
            Role::Top,
            Role::Bottom,
            Role::Year,
            Role::Month,
            Role::Day,
            Role::Missing,
            Role::Distinct,
            Role::Show,
            Role::Not,
            Role::Without,
            Role::Common,
            Role::Only,
            Role::Same,
            Role::All,
            Role::Generic,
            Role::Light,
        ]);
        let is_whole = item
            .values
            .iter()
            .any(|value| value.fit == Fit::Whole && !value.needs_field);
        let is_field = item
            .fields
            .iter()
            .any(|found| found.is_full && (found.score >= 1000 || !is_whole));
        let is_capital = self.tokens[item.start].is_capital() && !self.tokens[item.start].opens;
        let is_german = self.vocabulary.code == "de";
        // In German all nouns have capitals.
        let is_name = is_capital && !is_german;
        if (is_word || is_field) && !is_name && !self.is_predicate(at) {
            let is_alone = item.degree.is_none() && is_word && item.has(Role::Light);
            if !is_alone {
                fitting.retain(|(value, place)| {
                    place.is_some()
                        || (is_field
                            && !is_word
                            && value.fit == Fit::Whole
                            && self.is_before_noun(at))
                });
            }
        }
        if fitting.is_empty() {
            return;
        }

        // `the counties of Delaware` are in it, although a county is called so in part.
        let is_whole = |(value, place): &(ValueMatch, Option<usize>)| {
            place.is_none() && value.fit == Fit::Whole
        };
        let is_in_part = |(value, place): &(ValueMatch, Option<usize>)| {
            place.is_none() || value.fit == Fit::Words
        };
        let is_in = self
            .before(at)
            .is_some_and(|before| self.has(before, Role::In));
        // `how many counties does Texas have`
        let is_counted = |(_, place): &(ValueMatch, Option<usize>)| {
            let noun = self.asked.opening.map(|opening| opening + 1);
            place.is_none() || self.has_any(0, &[Role::HowMany]) && *place == noun
        };
        let follows = self.follows_plural_of(at)
            || fitting.iter().all(is_in_part) && (is_in || fitting.iter().all(is_counted));
        if is_name && follows && fitting.iter().any(is_whole) {
            fitting.retain(|(value, place)| place.is_none() || value.fit == Fit::Whole);
        }
        // `sightings in California` are those of the state, and not of a place of that name.
        let others = fitting.iter().filter(|(value, place)| {
            let is_place = self.field(value.field).holds_places();
            value.fit == Fit::OtherName && is_place && place.is_none()
        });
        let most = others.filter_map(|(value, _)| value.count).max();
        let is_rare = |(value, place): &(ValueMatch, Option<usize>)| {
            let is_whole = value.fit == Fit::Whole && place.is_none();
            let rare = value.count.zip(most);
            is_whole && rare.is_some_and(|(own, most)| own * RARE < most)
        };
        fitting.retain(|found| !is_rare(found));
        // The adjective of a country is not the misspelt name of a city: *Italian cities*.
        if fitting.iter().any(|(value, _)| value.fit == Fit::OtherName) {
            fitting.retain(|(value, _)| value.fit != Fit::Spelling);
        }
        let best_fit = fitting
            .iter()
            .map(|(value, place)| (place.is_none(), value.fit))
            .min();
        let Some((is_unnamed, fit)) = best_fit else {
            return;
        };
        fitting.retain(|(value, place)| place.is_none() == is_unnamed && value.fit == fit);
        // An address that is made of a name is not asked for by the name.
        if fitting
            .iter()
            .any(|(value, _)| !self.is_address(value.field))
        {
            fitting.retain(|(value, _)| !self.is_address(value.field));
        }
        let prefers = |field: usize| self.preferred.contains(&field);
        // `water cards` are those of the type.
        let qualifies = self.is_before_noun(at);
        // `what type is pikachu` asks of the one that is called so.
        let asks_of_one = self.asks_of_one(at);
        let is_name = |field: usize| {
            let names = [self.schema.record_name(), self.schema.name_field()];
            names.contains(&Some(field))
        };
        let is_kind = |field: usize| {
            let last = self.field(field).words.last();
            last.is_some_and(|word| word.concepts.contains(&"type"))
        };
        fitting.sort_by_key(|(value, _)| {
            let facts = self.field(value.field).facts;
            let values = if facts.values.is_empty() {
                usize::MAX
            } else {
                facts.values.len()
            };
            (
                !prefers(value.field),
                !(qualifies && is_kind(value.field)),
                !(asks_of_one && is_name(value.field)),
                values,
                std::cmp::Reverse(value.count),
                value.field,
            )
        });
        let chosen = fitting[0].clone();
        let of_field: Vec<ValueMatch> = fitting
            .iter()
            .filter(|(value, _)| value.field == chosen.0.field)
            .map(|(value, _)| value.clone())
            .collect();
        let mut fields: Vec<usize> = Vec::new();
        for (value, _) in &fitting {
            if !fields.contains(&value.field) {
                fields.push(value.field);
            }
        }
        self.settle_value(at, chosen, &of_field, &fields);
    }

    /// Returns whether a field holds addresses of pages, or names in letters for machines.
    fn is_address(&self, field: usize) -> bool {
        const ADDRESSES: [&str; 9] = [
            "slug",
            "url",
            "uri",
            "link",
            "href",
            "permalink",
            "normalized",
            "normalised",
            "canonical",
        ];
        let mut words = self.field(field).words.iter();
        words.any(|word| ADDRESSES.contains(&word.lower.as_str()))
    }

    /// Returns the token of an item that has one.
    pub(crate) fn only_token(&self, at: usize) -> Option<&Token<'_>> {
        let item = &self.items[at];
        match &self.tokens[item.start..item.end] {
            [token] => Some(token),
            _ => None,
        }
    }

    /// Returns the word of a longer value that an item is another form of, as *Chihuahua* of
    /// *chihuahuas*.
    pub(crate) fn word_of(&self, at: usize, value: &Value) -> Option<String> {
        let token = self.only_token(at)?;
        let text = Self::plain(value);
        let parts = words(&text);
        let is_said = parts.iter().any(|part| part.lower == token.lower);
        let other = parts.iter().find(|part| part.stem == token.stem);
        other.filter(|_| !is_said).map(|part| part.text.to_owned())
    }

    /// Returns the word of a longer value that an item is in another spelling.
    pub(crate) fn respelt_part(&self, at: usize, value: &Value) -> Option<String> {
        let token = self.only_token(at)?;
        let text = Self::plain(value);
        let parts = words(&text);
        if parts.len() < 2 {
            return None;
        }
        let near = |word: &str| distance(word, &token.lower, MISTAKES);
        let nearest = parts.iter().min_by_key(|word| near(&word.lower))?;
        (near(&nearest.lower) <= MISTAKES).then(|| nearest.lower.clone())
    }

    /// Returns whether an item follows several things and *of* or *in*: `the counties of Delaware`.
    fn follows_plural_of(&self, at: usize) -> bool {
        let Some(link) = at.checked_sub(1) else {
            return false;
        };
        let noun = link.checked_sub(1).map(|noun| self.lower(noun));
        self.has_any(link, &[Role::Of, Role::In]) && noun.is_some_and(|noun| noun.ends_with('s'))
    }

    /// Returns whether an item says what the subject is: `were a democracy`.
    fn is_predicate(&self, at: usize) -> bool {
        let article = at.checked_sub(1).filter(|before| {
            self.has(*before, Role::Stop) && self.items[*before].fields.is_empty()
        });
        let verb = article.and_then(|article| article.checked_sub(1));
        verb.is_some_and(|verb| self.has(verb, Role::Is) && verb > 0)
    }

    /// Returns whether an open word follows, of which the item says more.
    fn is_before_noun(&self, at: usize) -> bool {
        self.items
            .get(at + 1)
            .is_some_and(|next| !self.breaks(at + 1) && (next.is_open() || next.has(Role::Generic)))
    }

    /// Returns whether a value ends a question for something of it: *what type is pikachu*.
    fn asks_of_one(&self, at: usize) -> bool {
        const ASKING: &[Role] = &[Role::What, Role::Which, Role::How];
        let is_last = at + 1 >= self.len() || self.breaks(at + 1);
        let follows_verb = self
            .before(at)
            .is_some_and(|before| self.has(before, Role::Is));
        is_last && follows_verb && (0..at).any(|at| self.has_any(at, ASKING))
    }
}
