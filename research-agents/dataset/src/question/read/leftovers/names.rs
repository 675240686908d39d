//! Tells the names of a question from its other unknown words.

use crate::question::read::cut::items::{Fit, ValueMatch};
use crate::question::read::reader::Reader;
use crate::question::read::words::concepts::concepts;
use crate::question::read::words::vocabulary::{Grade, Role};
use crate::question::reading::CandidateMatch;

impl Reader<'_, '_, '_> {
    /// Returns whether an item is a name, quotation, number or code.
    pub(crate) fn is_name(&self, at: usize) -> bool {
        let item = &self.items[at];
        let token = &self.tokens[item.start];
        // `the Oscar winners` are what a list of oscars has.
        let mut rest = self.tokens[item.start + 1..item.end].iter();
        let is_title = self.schema.is_title(token) && rest.all(|token| !token.is_capital());
        let is_capital = token.is_capital()
            && !is_title
            && (!token.opens || self.opens_name(at))
            && (self.vocabulary.code != "de" || self.is_beside_capital(at) || self.is_topic(at));

        item.is_quoted
            || is_capital
            || self.is_small_name(at)
            || self.is_called_so(at)
            || (token.is_number()
                && item.number.is_none()
                && item.moment.is_none()
                && item.fields.is_empty())
            || (token.is_code()
                && !token.lower.is_empty()
                && token.text.chars().count() > 1
                && !token.is_number())
    }

    /// Returns whether an unknown word that the data has follows *called*.
    fn is_called_so(&self, at: usize) -> bool {
        let item = &self.items[at];
        let found = item.looked_up.map(|entry| &self.found.entries[entry]);
        let is_found =
            found.is_some_and(|found| !found.candidates.is_empty() || !found.mentions.is_empty());
        at > 0 && self.has(at - 1, Role::Named) && item.roles.is_empty() && is_found
    }

    /// Returns whether a word that is written small is part of the name of one record whose number
    /// is asked for, as in `height of lincoln` and `big mac calories`.
    fn is_small_name(&self, at: usize) -> bool {
        const ASKING: &[Role] = &[
            Role::HowMany,
            Role::Which,
            Role::Most,
            Role::Fewest,
            Role::Show,
            Role::By,
            Role::Share,
            Role::Is,
            Role::Than,
            Role::More,
            Role::Less,
        ];
        /// Score from which on a field is named, though not in full.
        const NAMED: u32 = 400;
        let mut letters = self.question.chars().skip(1);
        let item = &self.items[at];
        let is_whole = |value: &ValueMatch| value.fit <= Fit::OtherName && !value.needs_field;
        let is_known = item.has_any(ASKING)
            || !item.fields.is_empty()
            || item.number.is_some()
            || item.values.iter().any(is_whole);

        let token = &self.tokens[item.start];
        let is_noun = self.schema.is_title(token)
            || !concepts()
                .of(&token.lower, &token.stem, &token.own_stem)
                .is_empty();
        let is_measured = self.items.iter().any(|item| {
            let degree = item.degree.as_ref();
            degree.is_some_and(|degree| degree.grade != Grade::Positive)
        });
        if letters.any(char::is_uppercase) || is_known || is_noun || is_measured {
            return false;
        }

        let asks_more = (0..self.len()).any(|k| self.has_any(k, ASKING));
        let names_field = self.items.iter().any(|item| {
            let best = item.fields.first();
            best.is_some_and(|best| best.is_full || best.score >= NAMED)
        });
        let asks = [Role::Who, Role::When, Role::Where];
        let asks_of_one = names_field || self.has_any(0, &asks);
        let name = self
            .schema
            .record_name()
            .or_else(|| self.schema.name_field());
        let found = item.looked_up.map(|entry| &self.found.entries[entry]);
        let is_in_name = found.zip(name).is_some_and(|(found, name)| {
            let name = self.name(name);
            let mut candidates = found.candidates.iter();
            candidates.any(|candidate| {
                candidate.field == name && candidate.matching <= CandidateMatch::Prefix
            })
        });
        is_in_name && asks_of_one && !asks_more
    }

    /// Returns whether an unknown word that opens the question begins a name of several words, or
    /// is the topic of what follows: `Econometrica: who publishes it?`
    fn opens_name(&self, at: usize) -> bool {
        let next = self.items.get(at + 1).filter(|_| self.gap(at + 1) == " ");
        let is_capital = next.is_some_and(|next| {
            self.tokens[next.start].is_capital() && next.roles.is_empty() && next.fields.is_empty()
        });
        let is_unknown = self.items[at].roles.is_empty() && self.items[at].fields.is_empty();
        (is_capital || self.is_topic(at)) && is_unknown
    }

    /// Returns whether an item is the topic of what follows.
    fn is_topic(&self, at: usize) -> bool {
        at == 0 && self.len() > 1 && self.gap(1).starts_with([':', ','])
    }

    /// Returns whether an unknown word in capitals is next to another one, as in *Woody Allen*: a
    /// name even where all nouns have capitals.
    fn is_beside_capital(&self, at: usize) -> bool {
        let is_unknown = |at: usize| {
            self.items.get(at).is_some_and(|item| {
                let token = &self.tokens[item.start];
                token.is_capital()
                    && !token.opens
                    && item.roles.is_empty()
                    && item.fields.is_empty()
            })
        };
        let after = is_unknown(at + 1) && self.gap(at + 1) == " ";
        let before = at.checked_sub(1).is_some_and(is_unknown) && self.gap(at) == " ";
        is_unknown(at) && (before || after)
    }
}
