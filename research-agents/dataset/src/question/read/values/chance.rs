//! Tells values that a word means from those that only look like it.

use crate::question::read::cut::items::{Fit, ValueMatch};
use crate::question::read::cut::spelling::is_inflected;
use crate::question::read::reader::Reader;
use crate::question::read::words::tokens::folded;
use crate::question::read::words::vocabulary::Role;
use crate::question::reading::Supposed;

/// One in so many records is a rare one.
const RARE: u64 = 1_000;

/// Roles of words before what the records are called.
const HEADS: &[Role] = &[
    Role::HowMany,
    Role::HowMuch,
    Role::Which,
    Role::What,
    Role::Show,
    Role::Most,
    Role::Fewest,
    Role::Top,
    Role::Bottom,
    Role::Distinct,
];

impl Reader<'_, '_, '_> {
    /// Removes the values that were taken back, and notes that their words are not applied so.
    pub(crate) fn drop_taken_back(&mut self) {
        for supposed in self.found.taken_back() {
            let Some(field) = self.field_named(&supposed.field) else {
                continue;
            };
            for item in &mut self.items {
                item.values
                    .retain(|value| value.field != field || value.value != supposed.value);
            }
            self.out.notes.push(format!(
                "“{}” is not read as the {} {}, which no record has together with the other \
                 conditions",
                supposed.said,
                supposed.field,
                Self::plain(&supposed.value)
            ));
        }
    }

    /// Notes that a word may mean something else than the value that it was read as: part of a
    /// value or another spelling, a small word that is a name with a capital, or what the question
    /// calls the records.
    pub(crate) fn suppose(&mut self, at: usize, value: &ValueMatch, is_named: bool) {
        if self.items[at].is_quoted || is_named {
            return;
        }
        let plain = Self::plain(&value.value);
        let is_near = value.fit >= Fit::Words;
        let is_small = self.only_token(at).is_some_and(|token| !token.is_capital());
        let is_other_case = is_small && plain.starts_with(char::is_uppercase);
        let is_literal = folded(&plain) == folded(self.said(at, at + 1));
        let is_found = value.count.is_some() && (is_other_case || !is_literal);
        let opens = self
            .before(at)
            .is_none_or(|before| self.has_any(before, HEADS));
        let is_head = opens && value.fit == Fit::OtherName;
        if !(is_near || is_found || is_head) {
            return;
        }

        let supposed = Supposed {
            said: self.said(at, at + 1).to_owned(),
            field: self.name(value.field).to_owned(),
            value: value.value.clone(),
        };
        // What is only near a value goes before what is one.
        let place = if is_near { 0 } else { self.out.supposed.len() };
        self.out.supposed.insert(place, supposed);
    }

    /// Returns whether a value that the data source found for a common word is one only by chance:
    /// a rare code or name with the same stem, as `AIRLIN` for *airlines*, or a name that is
    /// written like what the question calls the records.
    pub(crate) fn is_chance(&self, at: usize, value: &ValueMatch) -> bool {
        let item = &self.items[at];
        let Some(token) = self.only_token(at).filter(|_| !item.is_quoted) else {
            return false;
        };
        let searched = item
            .looked_up
            .map(|entry| self.found.entries[entry].searched.records);
        let Some((count, records)) = value.count.zip(searched) else {
            return false;
        };
        let is_noun = !token.is_capital() || self.vocabulary.code == "de" || token.opens;
        // Who writes other names with a capital means no name by a small word.
        let has_capitals = self
            .tokens
            .iter()
            .any(|other| other.is_capital() && !other.opens);
        let is_written_large = Self::plain(&value.value).starts_with(char::is_uppercase);
        let is_small = !token.is_capital() && self.vocabulary.code != "de";
        if value.fit == Fit::Spelling && is_small && has_capitals && is_written_large {
            return true;
        }
        if !is_noun || token.is_number() || count > records / RARE + 2 {
            return false;
        }

        let plain = Self::plain(&value.value);
        let called = folded(&plain);
        // `AIRLIN` is a code, and not *airline*.
        let is_code = !plain.contains(char::is_whitespace)
            && plain.chars().all(|letter| letter.is_uppercase());
        let is_spelt = called == token.lower || format!("{called}s") == token.lower;
        if is_code && !is_spelt {
            return true;
        }
        let words = called.split(|c: char| !c.is_alphanumeric());
        let is_form = |word: &str| is_inflected(word, &token.lower);
        let says = words.filter(|word| !word.is_empty()).any(is_form);
        let before = self.before(at);
        let opens = before.is_none_or(|before| {
            self.has_any(before, HEADS) || self.items[before].number.is_some() && !self.breaks(at)
        });
        // `giraffe brain weight` and `what's mongolia's capital` ask for something of one thing, as
        // `tangshan earthquake deaths` and `timbuktu which country` do.
        const NEAR: usize = 3;
        let names_field = |place: &usize| {
            let is_joined = (at + 1..=*place).all(|between| !self.breaks(between));
            is_joined && !self.items[*place].fields.is_empty()
        };
        let is_genitive = matches!(self.gap(at + 1).trim_end(), "'s" | "’s" | "'" | "’");
        let is_owner = (is_genitive || before.is_none() && !self.breaks(at + 1))
            && self.items.get(at + 1).is_some_and(|next| {
                !next.fields.is_empty()
                    || before.is_none() && (next.has(Role::Which) || next.is_open())
            })
            && (at + 1..self.len().min(at + 1 + NEAR)).any(|place| names_field(&place));
        let is_kind = opens && !is_owner && value.fit == Fit::Whole;
        !says && value.fit != Fit::Spelling || is_kind
    }
}
