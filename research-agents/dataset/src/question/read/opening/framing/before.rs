//! What was said before a question, and what of the question points back to it.

use research_agents_report::evidence::plain;
use research_agents_report::text::words;
use serde_json::Value;

use crate::question::read::cut::items::{Fit, Item};
use crate::question::read::words::tokens::{Token, tokens};
use crate::question::read::words::vocabulary::{Role, Vocabulary};
use crate::question::reading::Lookup;

/// Roles of words before a time.
const PREPOSITIONS: &[Role] = &[
    Role::In,
    Role::From,
    Role::Than,
    Role::Before,
    Role::After,
    Role::Since,
    Role::Until,
];

/// What was said before a question, in items.
pub(crate) struct Before<'a, 'q> {
    pub(crate) text: &'q str,
    pub(crate) said: &'a [Token<'q>],
    pub(crate) items: &'a [Item],
    pub(crate) vocabulary: &'a Vocabulary,
    pub(crate) found: &'a Lookup,
}

impl<'q> Before<'_, 'q> {
    /// Returns the question with the names, values and times of what was said before it: where
    /// words point back to one, and otherwise in front. `items` are those of the question; a field
    /// that it restricts itself is not restricted by what was said before.
    pub(crate) fn completes(&self, asked: &str, items: &[Item]) -> String {
        let tokens = tokens(asked);
        let names = self.names(&tokens, items);
        let time = (0..self.items.len()).find(|at| self.is_time(*at));
        let time = time.map(|at| self.text(at, at));
        let within = |time: &str| format!("{} {time}", self.vocabulary.framing.within);

        let back = Backward {
            asked,
            tokens: &tokens,
            vocabulary: self.vocabulary,
        };
        let mut out = String::new();
        let (mut copied, mut at) = (0, 0);
        let mut has_named = false;
        let mut has_timed = items.iter().any(|item| item.moment.is_some());
        while at < tokens.len() {
            let Some(reference) = back.reference(at) else {
                at += 1;
                continue;
            };
            let said = match (reference.is_time, time, names.as_slice()) {
                (true, Some(time), _) if at > 0 && back.has(at - 1, PREPOSITIONS) => {
                    Some(time.to_owned())
                }
                (true, Some(time), _) => Some(within(time)),
                (false, _, [name]) => Some((*name).to_owned()),
                _ => None,
            };
            if let Some(said) = said {
                out.push_str(&asked[copied..tokens[at].start]);
                out.push_str(&said);
                copied = tokens[reference.end - 1].end;
                has_timed |= reference.is_time;
                has_named |= !reference.is_time;
            }
            at = reference.end;
        }
        out.push_str(&asked[copied..]);

        let time = time.filter(|_| !has_timed).map(within);
        let names = names.into_iter().filter(|_| !has_named);
        let said: Vec<String> = names.map(capitalized).chain(time).collect();
        match said.is_empty() {
            true => out,
            false => format!("{}: {out}", said.join(", ")),
        }
    }

    /// Returns whether it states a number, a bound or a denial, which are conditions that only the
    /// readers of questions understand: *I'm looking for a house under 200,000.*
    pub(crate) fn states_conditions(&self) -> bool {
        const STATING: &[Role] = &[
            Role::Not,
            Role::Without,
            Role::Except,
            Role::Missing,
            Role::Above,
            Role::Below,
            Role::AtLeast,
            Role::AtMost,
            Role::Between,
        ];
        (0..self.items.len()).any(|at| {
            let item = &self.items[at];
            let is_number = item.number.is_some() && self.said[item.start].is_number();
            let is_value = self.is_time(at) || self.follows_field(at) || self.is_name(at);
            item.has_any(STATING) || is_number && !is_value
        })
    }

    /// Returns the names of which a completed question has nothing: what the data does not have,
    /// and values of a field that the question restricts itself.
    pub(crate) fn left_out(&self, completed: &str) -> Vec<&'q str> {
        let is_name = |at: &usize| {
            let item = &self.items[*at];
            let token = &self.said[item.start];
            let is_capital = token.is_capital() && !token.opens && self.vocabulary.code != "de";
            let is_word = !item.roles.is_empty() || item.degree.is_some();
            (is_capital || self.is_time(*at)) && !is_word
        };
        let said = (0..self.items.len()).filter(is_name);
        let said = said.map(|at| self.text(at, at));
        let completed = completed.to_lowercase();
        said.filter(|text| !completed.contains(&text.to_lowercase()))
            .collect()
    }

    /// Returns whether an item is a number behind the name of a field: `season 5`.
    fn follows_field(&self, at: usize) -> bool {
        let item = &self.items[at];
        let before = at.checked_sub(1).map(|before| &self.items[before]);
        item.number.is_some()
            && self.said[item.start].gap == " "
            && before.is_some_and(|item| !item.fields.is_empty())
    }

    /// Returns the words that may be values in the data, and are not looked up yet.
    pub(crate) fn unknown(&self) -> Vec<&'q str> {
        /// Letters of a word that is looked up.
        const SHORTEST: usize = 4;
        let is_unknown = |at: &usize| {
            let item = &self.items[*at];
            item.is_open() && item.looked_up.is_none()
        };
        let unknown = (0..self.items.len()).filter(is_unknown);
        unknown
            .map(|at| self.text(at, at))
            .filter(|text| text.chars().count() >= SHORTEST)
            .collect()
    }

    /// Returns the names and values that no field of the question's `items` has, and the numbers
    /// behind the name of a field: `season 5`.
    fn names(&self, asked: &[Token<'_>], items: &[Item]) -> Vec<&'q str> {
        let values = items.iter().flat_map(|item| &item.values);
        let restricted: Vec<usize> = values
            .filter(|value| !value.needs_field && value.fit <= Fit::OtherName)
            .map(|value| value.field)
            .collect();
        let is_free = |item: &Item| {
            let mut values = item.values.iter();
            item.values.is_empty() || values.any(|value| !restricted.contains(&value.field))
        };

        let mut names: Vec<(usize, usize)> = Vec::new();
        for (at, item) in self.items.iter().enumerate() {
            let gap = self.said[item.start].gap;
            if self.follows_field(at) {
                names.push((at - 1, at));
                continue;
            }
            let is_said_again = self.is_said_again(item, asked);
            if self.is_time(at) || !self.is_name(at) || !is_free(item) || is_said_again {
                continue;
            }
            // `Charles Najera`
            match names.last_mut() {
                Some((_, last)) if *last + 1 == at && gap == " " => *last = at,
                _ => names.push((at, at)),
            }
        }
        let texts = names.into_iter().map(|(from, to)| self.text(from, to));
        texts.collect()
    }

    /// Returns whether the question says a name again, or its adjective: *African* of *Africa*.
    fn is_said_again(&self, item: &Item, asked: &[Token<'_>]) -> bool {
        /// Letters that an adjective has of its name.
        const COMMON: usize = 5;
        let name = &self.said[item.start].lower;
        let is_again = |token: &Token<'_>| {
            token.lower == *name
                || name.chars().count() >= COMMON && token.lower.starts_with(name.as_str())
        };
        asked.iter().any(is_again)
    }

    fn is_time(&self, at: usize) -> bool {
        let item = &self.items[at];
        let text = self.said[item.start].text;
        let is_year = text.len() == 4 && text.parse::<u16>().is_ok();
        item.moment.is_some() || is_year && item.values.is_empty()
    }

    /// Returns whether an item is a value, or a name that the data source may know as one.
    fn is_name(&self, at: usize) -> bool {
        let item = &self.items[at];
        let token = &self.said[item.start];
        if !item.roles.is_empty() || item.degree.is_some() {
            return false;
        }

        let is_value = item.values.iter().any(|value| {
            let is_said = token.is_capital() || is_plural_of(&token.lower, &value.value);
            !value.needs_field && (is_said || value.fit == Fit::Whole)
        });
        // *Europe* may be a column of the data; a value is something else.
        let is_unknown = item.fields.is_empty() && item.number.is_none();

        let opens_name = self.items.get(at + 1).is_some_and(|next| {
            let next_token = &self.said[next.start];
            next_token.is_capital() && next_token.gap == " " && next.roles.is_empty()
        });
        let is_capital = token.is_capital() && (!token.opens || opens_name);
        let may_be = (is_capital || token.is_code()) && is_unknown;
        let is_missed = item.looked_up.is_some_and(|entry| {
            let entry = &self.found.entries[entry];
            entry.candidates.is_empty() && entry.mentions.is_empty()
        });
        is_value || may_be && !is_missed
    }

    /// Returns the text of some items.
    fn text(&self, from: usize, to: usize) -> &'q str {
        let (first, last) = (&self.items[from], &self.items[to]);
        &self.text[self.said[first.start].start..self.said[last.end - 1].end]
    }
}

/// Returns whether a word is the plural of the one that a value begins with: *gentoos* of *Gentoo
/// penguin*.
fn is_plural_of(word: &str, value: &Value) -> bool {
    let text = plain(value);
    let first = words(&text).into_iter().next();
    first.is_some_and(|first| word.strip_suffix('s') == Some(first.lower.as_str()))
}

/// Returns a name with a capital, so that it is read as one.
fn capitalized(name: &str) -> String {
    let mut letters = name.chars();
    let first: String = letters
        .next()
        .into_iter()
        .flat_map(char::to_uppercase)
        .collect();
    format!("{first}{}", letters.as_str())
}

/// Words that point back.
struct Reference {
    end: usize,
    is_time: bool,
}

struct Backward<'a, 'q> {
    asked: &'a str,
    tokens: &'a [Token<'q>],
    vocabulary: &'a Vocabulary,
}

impl Backward<'_, '_> {
    /// Returns the reference that begins at a place.
    fn reference(&self, at: usize) -> Option<Reference> {
        /// Roles of words before a demonstrative, which a relative pronoun does not follow.
        const BEFORE: &[Role] = &[
            Role::In,
            Role::Of,
            Role::From,
            Role::With,
            Role::By,
            Role::Than,
            Role::Before,
            Role::After,
            Role::Since,
            Role::Where,
            Role::How,
            Role::Who,
            Role::What,
            Role::Is,
            Role::And,
        ];
        const TIMES: &[Role] = &[Role::Year, Role::Month, Role::Week, Role::Day, Role::Decade];
        let lower = |place: usize| self.tokens.get(place).map(|token| token.lower.as_str());
        let starts = |phrase: &&String| {
            let mut words = phrase.split(' ').enumerate();
            words.all(|(k, word)| lower(at + k) == Some(word))
        };
        let framing = &self.vocabulary.framing;
        let all = framing.backward.iter().chain(&framing.then);
        let phrases = all.filter(starts);
        let phrase = phrases.max_by_key(|phrase| phrase.len())?;
        let end = at + phrase.split(' ').count();
        let truth = &framing.truth;
        if self.asked.starts_with(truth.as_str()) && at < truth.split([' ', '-']).count() {
            return None;
        }

        let follows_time = end < self.tokens.len() && self.has(end, TIMES);
        if follows_time {
            return Some(Reference {
                end: end + 1,
                is_time: true,
            });
        }
        let is_pronoun = framing.pronoun.contains(phrase);
        let is_relative = is_pronoun && at > 0 && !self.has(at - 1, BEFORE);
        let is_existential = self.has(at, &[Role::There])
            && (self.has(end, &[Role::Is]) || at > 0 && self.has(at - 1, &[Role::Is]));
        let is_time = framing.then.contains(phrase);
        let is_replaced = is_time || is_pronoun || framing.place.contains(phrase);
        (is_replaced && !is_relative && !is_existential).then_some(Reference { end, is_time })
    }

    fn has(&self, at: usize, roles: &[Role]) -> bool {
        let word_at = |k: usize| self.tokens.get(at + k).map(|token| token.lower.as_str());
        let found = self.vocabulary.longest_at(word_at);
        found.is_some_and(|(entry, _)| entry.roles.iter().any(|role| roles.contains(role)))
    }
}
