//! Reads values, truth values and missing values, with their negations.

pub(crate) mod chance;
pub(crate) mod missing;
pub(crate) mod negated;
pub(crate) mod stated;

use research_agents_report::text::words;
use serde_json::{Value, json};

use crate::data::task::FieldKind;
use crate::question::read::cut::items::{Fit, ValueMatch};
use crate::question::read::cut::spelling::distance;
use crate::question::read::reader::Reader;
use crate::question::read::words::tokens::Token;
use crate::question::read::words::vocabulary::Role;
use crate::question::reading::{Outcome, WordsOfFields};

/// Cells with a value among others from which on they are lists.
const LISTS: usize = 2;

/// Letters that may be wrong in a word.
const MISTAKES: usize = 2;

/// At most so many values are listed for a word that several values contain.
const MOST_LISTED: usize = 12;

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

    /// Returns whether other cells of the field hold a value among several, separated by commas or
    /// the like.
    fn is_listed_in_cells(&self, at: usize, value: &ValueMatch) -> bool {
        if self.kind(value.field) != FieldKind::Text || self.field(value.field).is_prose {
            return false;
        }
        let own = Self::plain(&value.value);
        let listed = self.field(value.field).facts.values.iter();
        let found = self.items[at].values.iter();
        let found = found
            .filter(|other| other.field == value.field)
            .map(|other| &other.value);

        let holds = |cell: &Value| {
            let cell = Self::plain(cell);
            let parts: Vec<&str> = cell.split([',', ';', '|']).map(str::trim).collect();
            // A name that is turned round, as `Hirst, Damien`, is one value.
            let are_short = parts
                .iter()
                .all(|part| part.split_whitespace().count() <= 3);
            parts.len() > 1 && are_short && parts.contains(&own.as_str())
        };
        let cells = listed.chain(found).filter(|cell| holds(cell)).count();
        cells >= LISTS
    }

    /// Returns whether words are looked for in a field already.
    fn has_text(&self, field: usize) -> bool {
        let condition = self.out.filters.get(self.name(field));
        condition
            .and_then(|condition| condition.get("contains"))
            .is_some()
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
    fn respelt_part(&self, at: usize, value: &Value) -> Option<String> {
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

    /// Notes other values of a field that contain all words of the one that was taken.
    fn note_longer_values(&mut self, at: usize, field: usize, taken: &ValueMatch) {
        let own = words(&Self::plain(&taken.value)).len();
        let facts = self.field(field).facts;
        let item = &self.items[at];
        let said: String = self.tokens[item.start..item.end]
            .iter()
            .map(|token| token.stem.as_str())
            .collect();
        let contains = |value: &Value| {
            let text = Self::plain(value);
            let stems: Vec<String> = words(&text).into_iter().map(|word| word.stem).collect();
            let mut parts = (1..stems.len()).flat_map(|length| stems.windows(length));
            stems.len() > own && parts.any(|part| part.concat() == said)
        };
        let looked_up = self.items[at].values.iter();
        let looked_up = looked_up
            .filter(|value| value.field == field)
            .map(|value| &value.value);
        let mut longer: Vec<String> = Vec::new();
        for value in facts.values.iter().chain(looked_up) {
            let name = Self::plain(value);
            if *value != taken.value && contains(value) && !longer.contains(&name) {
                longer.push(name);
            }
        }

        if longer.is_empty() || said.is_empty() {
            return;
        }
        let name = self.name(field).to_owned();
        let all = std::iter::once(Self::plain(&taken.value)).chain(longer);
        self.out.doubtful.push(WordsOfFields {
            said: self.said(at, at + 1).to_owned(),
            fits: all.map(|value| (name.clone(), Some(value))).collect(),
        });
    }

    /// Notes that texts of other fields mention a value that was looked up.
    fn note_mentions(&mut self, at: usize, field: usize) {
        let Some(entry) = self.items[at].looked_up else {
            return;
        };
        let name = self.name(field);
        let found = &self.found.entries[entry];
        let others = found
            .mentions
            .iter()
            .filter(|mention| mention.field != name);
        let others: Vec<String> = others
            .map(|mention| format!("{} ({})", mention.field, mention.doc_count))
            .collect();

        if !others.is_empty() {
            let said = self.said(at, at + 1).to_owned();
            let note = format!(
                "Texts of other fields mention “{said}” too: {}",
                others.join(", ")
            );
            self.out.notes.push(note);
        }
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

    /// Returns whether an item is one word inside a long value, which says something else, as
    /// *virginia* of `Colonel of Virginia militia`.
    fn is_word_within(&self, at: usize, value: &ValueMatch) -> bool {
        const LONG: usize = 4;
        let Some(token) = self.only_token(at) else {
            return false;
        };
        let text = Self::plain(&value.value);
        let parts = words(&text);
        let begins = parts.first().is_some_and(|first| first.stem == token.stem);
        parts.len() >= LONG && !begins
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

    fn settle_value(
        &mut self,
        at: usize,
        (value, beside): (ValueMatch, Option<usize>),
        of_field: &[ValueMatch],
        fields: &[usize],
    ) {
        let field = value.field;
        let said = self.said(at, at + 1).to_owned();
        let is_denied = self.negated[at] || beside.is_some_and(|place| self.negated[place]);

        // A word of a longer value, in another spelling, selects all values with that word.
        let respelt = (value.fit == Fit::Spelling && self.kind(field) == FieldKind::Text)
            .then(|| self.respelt_part(at, &value.value))
            .flatten();
        // Several values contain the word: they are alternatives, or the word is searched for.
        let is_text = self.kind(field) == FieldKind::Text;
        // `EAU CLAIRE` and `Eau Claire` are one place.
        let own = Self::plain(&value.value).to_lowercase();
        let is_same =
            |other: &&ValueMatch| is_text && Self::plain(&other.value).to_lowercase() == own;
        let same: Vec<ValueMatch> = of_field.iter().filter(is_same).cloned().collect();
        match (value.fit, is_denied) {
            (Fit::Words, false) if of_field.len() > 1 && is_text => {
                let is_listed = of_field.len() <= MOST_LISTED && value.count.is_none();
                if is_listed {
                    of_field
                        .iter()
                        .for_each(|value| self.add_value(field, value.value.clone()));
                } else if self.has_text(field) {
                    self.refused(&said, "a second text of the same field cannot be asked for");
                    return self.take(at, at + 1);
                } else {
                    let text = self
                        .word_of(at, &value.value)
                        .unwrap_or_else(|| said.clone());
                    self.add_part(field, "contains", json!(text));
                }
            }
            (_, true) => {
                let words = of_field.iter().filter(|_| value.fit == Fit::Words);
                for value in [&value]
                    .into_iter()
                    .chain(words.take(MOST_LISTED))
                    .chain(&same)
                {
                    self.add_part(field, "not", value.value.clone());
                }
            }
            // One of several values in a cell: `TX` of `LA,TX`.
            (Fit::Whole | Fit::OtherName, false) if self.is_listed_in_cells(at, &value) => {
                self.add_part(field, "contains", json!(Self::plain(&value.value)));
            }
            (Fit::Spelling, false) if respelt.is_some() => {
                self.add_part(field, "contains", json!(respelt));
            }
            _ => {
                self.add_value(field, value.value.clone());
                for other in &same {
                    self.add_value(field, other.value.clone());
                }
            }
        }

        if fields.len() > 1 && !fields.iter().any(|field| self.preferred.contains(field)) {
            let fits = fields
                .iter()
                .map(|f| (self.name(*f).to_owned(), Some(Self::plain(&value.value))));
            let fits: Vec<(String, Option<String>)> = fits.collect();
            let names = fits.iter().map(|(name, _)| name.clone()).collect();
            self.out.doubtful.push(WordsOfFields {
                said: said.clone(),
                fits,
            });
            self.condition(&said, Outcome::Ambiguous { fields: names });
            self.asked
                .filter_items
                .push((at, self.name(field).to_owned()));
        } else if value.fit == Fit::Words && beside.is_none() && self.is_word_within(at, &value) {
            let names = vec![self.name(field).to_owned()];
            self.condition(&said, Outcome::Ambiguous { fields: names });
            self.asked
                .filter_items
                .push((at, self.name(field).to_owned()));
        } else {
            self.note_filter(at, &said, field);
        }
        for value in of_field.iter().take(MOST_LISTED).filter(|_| !is_denied) {
            self.suppose(at, value, beside.is_some());
        }
        if value.fit <= Fit::OtherName && !is_denied && fields.len() == 1 {
            self.note_longer_values(at, field, &value);
        }
        self.note_mentions(at, field);
        if value.fit == Fit::Spelling {
            let read = respelt.unwrap_or_else(|| Self::plain(&value.value));
            let note = format!("“{said}” is read as “{read}”");
            self.out.notes.push(note);
        }
        self.take(at, at + 1);
        if let Some(place) = beside {
            let is_asked = self.asked.which == Some(field)
                || self.out.group_by.contains(&self.name(field).to_owned());
            if !is_asked {
                self.take(place, place + 1);
            }
        }
    }
}
