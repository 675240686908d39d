//! Finds the longest phrases of a question.

pub(crate) mod forms;
pub(crate) mod literal;
pub(crate) mod values;

use std::collections::HashMap;

use research_agents_report::evidence::plain;

use crate::data::task::FieldKind;
use crate::question::read::cut::figures::{factor, number_at};
use crate::question::read::cut::items::{FieldMatch, Fit, Item};
use crate::question::read::cut::moments::Times;
use crate::question::read::cut::schema::Schema;
use crate::question::read::cut::spelling::is_inflected;
use crate::question::read::words::tokens::{Token, tokens as question_tokens};
use crate::question::read::words::units::unit;
use crate::question::read::words::vocabulary::{Grade, Role, Vocabulary};
use crate::question::reading::Lookup;

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

/// Articles that may be the number one.
const ARTICLES: &[&str] = &[
    "a", "an", "ein", "eine", "einen", "einer", "einem", "un", "une", "una", "um", "uma",
];

/// A name has at most so many words on each side of one of them.
const LONGEST_NAME: usize = 6;

/// What the items are found with.
pub(crate) struct Cutter<'a, 'q, 'f> {
    /// The text of the tokens.
    pub(crate) text: &'q str,
    pub(crate) tokens: &'a [Token<'q>],
    pub(crate) vocabulary: &'a Vocabulary,
    pub(crate) schema: &'a Schema<'f>,
    pub(crate) found: &'a Lookup,
    /// Entries of the lookup by their words.
    looked_up: HashMap<String, usize>,
    longest_lookup: usize,
    /// Whether the question is written in capitals like a title, so that they say nothing.
    is_title: bool,
    places: HashMap<&'a str, usize>,
}

impl<'a, 'q, 'f> Cutter<'a, 'q, 'f> {
    pub(crate) fn new(
        text: &'q str,
        tokens: &'a [Token<'q>],
        vocabulary: &'a Vocabulary,
        schema: &'a Schema<'f>,
        found: &'a Lookup,
    ) -> Self {
        let key = |text: &str| {
            let said = question_tokens(text);
            said.into_iter()
                .map(|token| token.lower)
                .collect::<Vec<_>>()
        };
        let keys = found.entries.iter().map(|entry| key(&entry.text));
        let longest_lookup = keys.clone().map(|key| key.len()).max().unwrap_or(0);
        let looked_up = keys
            .enumerate()
            .map(|(at, key)| (key.join(" "), at))
            .collect();

        let names = schema.fields.iter().enumerate();
        let places = names
            .map(|(at, field)| (field.facts.name.as_str(), at))
            .collect();
        let long = tokens
            .iter()
            .filter(|t| !t.opens && t.text.chars().count() > 1);
        let (capitals, others): (Vec<_>, Vec<_>) = long.partition(|token| token.is_capital());
        let is_title = capitals.len() > 2 * others.len() && tokens.len() > 3;
        Self {
            text,
            tokens,
            vocabulary,
            schema,
            found,
            is_title,
            looked_up,
            longest_lookup,
            places,
        }
    }

    /// Returns the items of the question.
    pub(crate) fn items(&self) -> Vec<Item> {
        let mut items: Vec<Item> = Vec::new();
        let mut at = 0;
        while at < self.tokens.len() {
            let item = self.quotation(at).or_else(|| self.computed(at));
            let item = item.unwrap_or_else(|| self.item(at));
            at = item.end.max(at + 1);
            items.push(item);
        }
        items
    }

    /// Returns whether *mean* asks what something means, as in *what does Selene mean*.
    fn is_verb_of_meaning(&self, at: usize) -> bool {
        let asks = |token: &Token<'_>| matches!(token.lower.as_str(), "does" | "do" | "did");
        let ends = self.tokens.get(at + 1).is_none_or(|next| {
            next.breaks() || matches!(next.lower.as_str(), "in" | "by" | "to" | "when")
        });
        self.tokens[at].lower == "mean" && ends && self.tokens[..at].iter().take(2).any(asks)
    }

    /// Returns whether *number of* belongs to the name of a field before it, as in *the phone
    /// number of the hotel*.
    fn is_number_of_name(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1).map(|before| &self.tokens[before]) else {
            return false;
        };
        let named = self.schema.with_stem(&before.stem);
        let is_name = !named.is_empty() && !self.vocabulary.knows(&before.lower);
        self.tokens[at].lower == "number" && !self.tokens[at].breaks() && is_name
    }

    /// Returns the words that name a computed field.
    fn computed(&self, at: usize) -> Option<Item> {
        let (length, field) = self.schema.computed_at(&self.tokens[at..])?;
        Some(Item {
            start: at,
            end: at + length,
            fields: vec![FieldMatch::full(field)],
            ..Item::default()
        })
    }

    fn quotation(&self, at: usize) -> Option<Item> {
        let number = self.tokens[at].quoted?;
        let length = self.tokens[at..]
            .iter()
            .take_while(|t| t.quoted == Some(number))
            .count();
        let end = at + length;
        let mut item = Item {
            start: at,
            end,
            is_quoted: true,
            ..Item::default()
        };
        item.values = self.values(at, end, true);
        self.add_looked_up(&mut item);
        Some(item)
    }

    /// Returns the longest item at a word.
    fn item(&self, at: usize) -> Item {
        let lower = |k: usize| {
            let token = self.tokens.get(at + k)?;
            // `The` of `The Godfather` begins a name.
            let is_capital = |token: &Token<'_>| token.is_capital() && !token.opens;
            let begins_name = self.vocabulary.code != "de"
                && is_capital(token)
                && self.tokens.get(at + k + 1).is_some_and(is_capital);
            let is_joined = k == 0 || (!token.breaks() && token.quoted.is_none() && !begins_name);
            is_joined.then_some(token.lower.as_str())
        };
        let mut phrase = self.vocabulary.longest_at(lower);
        // `4 kg and more` compares; `and more than 4 kg` joins.
        let compares = phrase.is_some_and(|(entry, length)| {
            length > 1
                && entry
                    .roles
                    .iter()
                    .any(|role| matches!(role, Role::AtLeast | Role::AtMost))
                && self.joins(at)
        });
        let end = phrase.map_or(at, |(_, length)| at + length);
        if compares && (!self.follows_number(at) || self.leads_to_number(end)) {
            phrase = self.vocabulary.longest_at(|k| lower(k).filter(|_| k == 0));
        }
        // `kind of ship` names a field that is called `kind`.
        let is_named = phrase.is_some_and(|(entry, length)| {
            length > 1
                && (entry.roles.contains(&Role::Distinct) || entry.roles.contains(&Role::Share))
                && !self.schema.with_joined(&self.tokens[at].lower).is_empty()
        });
        if is_named || self.is_given_name(at) {
            phrase = None;
        }
        // German writes no function word with a capital but `Allen` of a name.
        let is_name = self.vocabulary.code == "de"
            && self.tokens[at].is_capital()
            && !self.tokens[at].opens
            && phrase.is_some_and(|(entry, _)| {
                entry
                    .roles
                    .iter()
                    .all(|role| matches!(role, Role::All | Role::Stop | Role::Of))
                    && !entry.roles.is_empty()
            });
        if is_name
            || self.is_light_part(at)
            || self.is_number_of_name(at)
            || self.is_verb_of_meaning(at)
        {
            phrase = None;
        }
        let phrase_length = phrase.map_or(0, |(_, length)| length);
        let (field_length, fields) = self.fields(at);
        let (value_length, values) = self.longest_value(at);
        let (place_length, places) = self.coded_place(at);
        let (value_length, values) = if place_length > value_length {
            (place_length, places)
        } else {
            (value_length, values)
        };
        // A value in capitals is not another word for part of a field's name.
        let is_value = self.tokens[at].is_capital()
            && !self.tokens[at].opens
            && values
                .iter()
                .any(|value| value.fit == Fit::Whole && !value.needs_field)
            && fields.iter().all(|found| found.score < 1000);
        // A superlative begins no name in other words.
        let is_degree = phrase.is_some_and(|(entry, _)| {
            let degree = entry.degree.as_ref();
            degree.is_some_and(|degree| degree.grade != Grade::Positive)
        }) && fields.iter().all(|found| found.score < 1000);
        let field_length = if is_value || is_degree {
            0
        } else {
            field_length
        };
        let times = Times {
            tokens: self.tokens,
            vocabulary: self.vocabulary,
        };
        let moment = times.at(at);
        let moment_length = moment.map_or(0, |(_, length)| length);
        let number = number_at(self.tokens, at, self.vocabulary)
            .or_else(|| self.one(at))
            .filter(|_| self.tokens[at].is_number() || phrase_length <= 1);
        let number_length = number.map_or(0, |(_, length)| length);
        let looked_up = self.longest_lookup_at(at);

        let length = [
            phrase_length,
            field_length,
            value_length,
            moment_length,
            number_length,
        ]
        .into_iter()
        .chain(looked_up.map(|(_, length)| length))
        .max()
        .unwrap_or(0)
        .max(1);
        let mut item = Item {
            start: at,
            end: at + length,
            ..Item::default()
        };
        if phrase_length == length
            && let Some((entry, _)) = phrase
        {
            item.roles.clone_from(&entry.roles);
            item.degree.clone_from(&entry.degree);
            item.ordinal = entry.ordinal;
        }
        if field_length == length {
            item.fields = fields;
            const LEADING: &[Role] = &[Role::Mean, Role::Median, Role::Sum, Role::Min, Role::Max];
            let function = |k: usize| {
                let word = lower(k)?;
                let (entry, _) = self.vocabulary.longest_at(|k| (k == 0).then_some(word))?;
                entry
                    .roles
                    .iter()
                    .find(|role| LEADING.contains(role))
                    .copied()
            };
            // `temperatura máxima`: the adjective follows.
            let is_romance = matches!(self.vocabulary.code, "fr" | "es" | "it" | "pt");
            let is_extreme = |role: &Role| matches!(role, Role::Min | Role::Max);
            let last = || function(length - 1).filter(|role| is_romance && is_extreme(role));
            item.leading = function(0).or_else(last).filter(|_| length > 1);
        }
        if value_length == length {
            item.values = values;
            self.drop_fields_of_stem(&mut item);
        }
        if moment_length == length {
            item.moment = moment.map(|(moment, _)| moment);
        }
        if number_length == length {
            item.number = number.map(|(value, _)| value);
        }

        // A column that is called `count`, unless the word opens the question.
        let is_count = item.has(Role::HowMany)
            && at > 0
            && item.end == at + 1
            && item
                .fields
                .iter()
                .any(|found| found.is_full && found.score >= 1000);
        if is_count {
            item.roles.clear();
        }
        // `on fourth down`, of a field that is called so.
        let is_particle = matches!(self.tokens[at].lower.as_str(), "down" | "off" | "up")
            && item.end == at + 1
            && item.fields.iter().any(|found| found.score >= 1000);
        if is_particle {
            item.roles.clear();
        }
        // `the text of the items`, of a field that is called so.
        let is_text_of = item.has(Role::Mention)
            && item.end == at + 1
            && self
                .tokens
                .get(at + 1)
                .is_some_and(|next| next.lower == "of")
            && item.fields.iter().any(|found| found.score >= 1000);
        if is_text_of {
            item.roles.clear();
        }
        if item.has_any(STRUCTURE) {
            item.fields.clear();
        }
        // The *president* of a list of presidents is not its `vice_president`.
        let is_title = item.end == at + 1 && self.schema.is_title(&self.tokens[at]);
        if is_title {
            item.fields
                .retain(|found| found.is_full || !self.is_said_in_part(found, at));
        }
        self.name_of_capitals(&mut item);
        self.add_looked_up(&mut item);
        if item.is_open() && item.looked_up.is_none() {
            self.add_parts(&mut item);
        }
        let is_unknown = item.looked_up.is_none_or(|entry| {
            let found = &self.found.entries[entry];
            found.candidates.is_empty() && found.mentions.is_empty()
        });
        if item.is_open() && is_unknown {
            self.respell(&mut item);
        }
        item
    }

    /// Drops the fields whose names only have the stem of a word that is a value as it is written:
    /// *operational* is a status, and not the `operator`.
    fn drop_fields_of_stem(&self, item: &mut Item) {
        let token = &self.tokens[item.start];
        let is_one = item.end == item.start + 1;
        let is_literal = item.values.iter().any(|value| {
            !value.needs_field
                && value.fit == Fit::Whole
                && plain(&value.value).to_lowercase() == token.lower
        });
        if !is_one || !is_literal {
            return;
        }

        let is_said = |found: &FieldMatch| {
            let mut words = self.schema.fields[found.field].words.iter();
            words.all(|word| word.stem != token.stem || is_inflected(&word.lower, &token.lower))
        };
        item.fields.retain(is_said);
    }

    /// Returns whether a word is one of several that a field of texts is called by.
    fn is_said_in_part(&self, found: &FieldMatch, at: usize) -> bool {
        let field = &self.schema.fields[found.field];
        let stem = &self.tokens[at].stem;
        let is_word = field.words.iter().any(|word| word.stem == *stem);
        let strong = field
            .words
            .iter()
            .filter(|word| !word.is_filler && !word.is_weak);
        let strong = strong.count();
        field.facts.kind == FieldKind::Text && is_word && strong > 1
    }

    /// Returns whether a word in capitals is a name because of the word before it, as *Max* of
    /// `dogs named Max`.
    fn is_given_name(&self, at: usize) -> bool {
        let token = &self.tokens[at];
        // `dogs called max`
        let is_name = !token.is_number() && !token.opens && token.gap == " ";
        let before = at.checked_sub(1).filter(|_| is_name);
        before.is_some_and(|before| {
            let word = self.tokens[before].lower.as_str();
            let entry = self.vocabulary.longest_at(|k| (k == 0).then_some(word));
            entry.is_some_and(|(entry, _)| entry.roles.contains(&Role::Named))
        })
    }

    /// Returns the number that begins with an article, and its words: `a million`, and `a` of `less
    /// than a dollar`.
    fn one(&self, at: usize) -> Option<(f64, usize)> {
        let word = self.tokens.get(at + 1).filter(|next| !next.breaks())?;
        if !ARTICLES.contains(&self.tokens[at].lower.as_str()) || word.lower.chars().count() < 3 {
            return None;
        }

        let entry = self
            .vocabulary
            .longest_at(|k| (k == 0).then_some(word.lower.as_str()));
        if let Some(factor) = entry.and_then(|(entry, _)| factor(&entry.roles)) {
            return Some((factor, 2));
        }
        (unit(&word.lower).is_some() && self.follows_comparison(at)).then_some((1.0, 1))
    }

    /// Returns whether a word that compares is before a word.
    fn follows_comparison(&self, at: usize) -> bool {
        const COMPARES: &[Role] = &[
            Role::Than,
            Role::Above,
            Role::Below,
            Role::AtLeast,
            Role::AtMost,
        ];
        let Some(before) = at.checked_sub(1) else {
            return false;
        };

        let word = self.tokens[before].lower.as_str();
        let entry = self.vocabulary.longest_at(|k| (k == 0).then_some(word));
        entry.is_some_and(|(entry, _)| entry.roles.iter().any(|role| COMPARES.contains(role)))
    }

    /// Returns whether a word is `and` or `or`.
    fn joins(&self, at: usize) -> bool {
        let word = self.tokens[at].lower.as_str();
        let entry = self.vocabulary.longest_at(|k| (k == 0).then_some(word));
        entry.is_some_and(|(entry, _)| {
            entry
                .roles
                .iter()
                .any(|role| matches!(role, Role::And | Role::Or))
        })
    }

    /// Returns whether `than` or a number follows.
    fn leads_to_number(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| {
            let word = token.lower.as_str();
            let entry = self.vocabulary.longest_at(|k| (k == 0).then_some(word));
            token.is_number() || entry.is_some_and(|(entry, _)| entry.roles.contains(&Role::Than))
        })
    }

    /// Returns whether a number, or a number with a word such as its unit, is before a word.
    fn follows_number(&self, at: usize) -> bool {
        let is_number = |token: &Token<'_>| {
            let word = token.lower.as_str();
            let entry = self.vocabulary.longest_at(|k| (k == 0).then_some(word));
            token.is_number() || entry.is_some_and(|(entry, _)| entry.number.is_some())
        };
        let near = &self.tokens[at.saturating_sub(2)..at];
        near.iter().any(is_number)
    }

    /// Makes words in capitals next to other capitals, such as `New` of `New York`, and numbers
    /// after them, parts of a name.
    fn name_of_capitals(&self, item: &mut Item) {
        let at = item.start;
        let is_capital = |token: &Token<'_>| token.is_capital() && !token.opens;
        // `States` of `United States` is not another word for a country.
        let token = &self.tokens[at];
        let is_named = item.fields.iter().any(|found| {
            let words = &self.schema.fields[found.field].words;
            words.iter().any(|word| word.stem == token.stem)
        });
        let is_read = item.end != at + 1 || is_named || !item.values.is_empty();
        if is_read || self.vocabulary.code == "de" || self.is_title {
            return;
        }
        let is_number = self.tokens[at].is_number() && item.moment.is_none();
        if !is_capital(&self.tokens[at]) && !is_number {
            return;
        }

        // The capitals around it, one of which at least is not a word of the vocabulary.
        let is_near = |at: usize| self.tokens.get(at).is_some_and(|token| token.gap == " ");
        let mut start = at;
        while start > 0
            && at - start < LONGEST_NAME
            && is_near(start)
            && is_capital(&self.tokens[start - 1])
        {
            start -= 1;
        }
        let mut end = at + 1;
        while end - at < LONGEST_NAME && is_near(end) && is_capital(&self.tokens[end]) {
            end += 1;
        }
        let is_unknown = |token: &Token<'_>| is_capital(token) && self.is_unknown_word(token);
        // `United States companies …` opens with a name.
        let opens = start > 0
            && is_near(start)
            && self.tokens[start - 1].opens
            && self.tokens[start - 1].is_capital()
            && self.is_unknown_word(&self.tokens[start - 1]);
        let is_name = opens || end - start > 1 && self.tokens[start..end].iter().any(is_unknown);
        if is_name && (!is_number || start < at) {
            item.fields.clear();
            item.roles.clear();
            item.degree = None;
            item.number = None;
        }
    }

    /// Returns whether a word is in neither the vocabulary, nor the name of a field, nor a value.
    fn is_unknown_word(&self, token: &Token<'_>) -> bool {
        let word = token.lower.as_str();
        let entry = self.vocabulary.longest_at(|k| (k == 0).then_some(word));
        entry.is_none()
            && self.schema.with_stem(&token.stem).is_empty()
            && self.schema.values(&token.stem).is_empty()
    }
}
