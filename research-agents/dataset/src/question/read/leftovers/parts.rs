//! Sorts out values of which the question has only a part, and parts of names.

use research_agents_report::text::words;

use crate::question::read::cut::items::{Fit, Item, ValueMatch};
use crate::question::read::reader::Reader;
use crate::question::read::words::tokens::folded;
use crate::question::read::words::vocabulary::Role;

impl Reader<'_, '_, '_> {
    /// Keeps the parts of a name that the data does not have as a whole only if each of them is a
    /// whole value, as where first and last names are columns.
    pub(crate) fn settle_split_names(&mut self) {
        for entry in &self.found.entries {
            let is_empty = entry.candidates.is_empty() && entry.mentions.is_empty();
            let parts: Vec<String> = words(&folded(&entry.text))
                .into_iter()
                .map(|word| word.lower)
                .collect();
            if !is_empty || parts.len() < 2 {
                continue;
            }
            let start = (0..self.len()).find(|at| {
                let items = self.items.iter().skip(*at).take(parts.len());
                let said = items.map(|item| self.tokens[item.start].lower.as_str());
                said.eq(parts.iter().map(String::as_str))
            });
            let Some(start) = start else {
                continue;
            };

            let range = start..start + parts.len();
            let is_whole = |item: &Item| item.values.iter().any(|value| value.fit == Fit::Whole);
            let are_whole = self.items[range.clone()].iter().all(is_whole);
            for item in &mut self.items[range] {
                if are_whole {
                    item.values.retain(|value| value.fit == Fit::Whole);
                } else {
                    item.values.clear();
                    item.looked_up = None;
                }
            }
        }
    }

    /// Joins words of one value that were found apart: *Ada* and the misspelt *Lundd*.
    pub(crate) fn join_values(&mut self) {
        for at in 1..self.len() {
            let (before, after) = (&self.items[at - 1], &self.items[at]);
            let is_near = self.gap(at) == " " && !before.is_quoted && !after.is_quoted;
            let is_part = |value: &ValueMatch| value.fit >= Fit::Words;
            if !is_near || !before.values.iter().all(is_part) || !after.values.iter().all(is_part) {
                continue;
            }

            let is_shared = |value: &&ValueMatch| {
                let same =
                    |other: &ValueMatch| other.field == value.field && other.value == value.value;
                before.values.iter().any(same)
            };
            let mut shared: Vec<ValueMatch> =
                after.values.iter().filter(is_shared).cloned().collect();
            if shared.is_empty() {
                continue;
            }
            for value in &mut shared {
                value.fit = Fit::OtherName;
            }
            self.items[at].values = shared;
            self.items[at - 1].values.clear();
            self.take(at - 1, at);
        }
    }

    /// Removes candidates of ordinary words that are only part of a longer value.
    ///
    /// A common noun is in the values of many fields, such as “movie” in “Musical Group Movie”. It
    /// means such a value only if it is a name, or if its field is named directly before it.
    pub(crate) fn drop_weak_candidates(&mut self) {
        for at in 0..self.len() {
            let is_name = self.is_name(at);
            let is_open = self.items[at].roles.is_empty() && self.items[at].fields.is_empty();
            let fields_before: Vec<usize> = at
                .checked_sub(1)
                .map(|before| self.items[before].fields.iter())
                .into_iter()
                .flatten()
                .map(|named| named.field)
                .collect();

            let is_head = self.is_head_noun(at);
            let schema = self.schema;
            let said: Vec<&str> = self.tokens[self.items[at].start..self.items[at].end]
                .iter()
                .map(|token| token.stem.as_str())
                .collect();
            let item = &mut self.items[at];
            item.values.retain(|value| {
                let is_telling = || tells_value(&said, &Self::plain(&value.value));
                let is_meant = is_name || fields_before.contains(&value.field);
                value.fit != Fit::Words || is_meant || (!is_head && is_telling())
            });
            if item.looked_up.is_none() {
                continue;
            }
            item.values.retain(|value| {
                let is_prose = schema.fields[value.field].is_prose;
                // A common word is not a misspelt part of a value.
                let is_whole = words(&Self::plain(&value.value)).len() == said.len();
                let is_meant = match value.fit {
                    Fit::Words => is_name || fields_before.contains(&value.field),
                    _ => is_name || (!is_prose && is_whole),
                };
                value.count.is_none() || value.fit == Fit::Whole || (is_open && is_meant)
            });
        }
    }

    /// Returns whether a word is the noun that the question is about, such as `movie` in *which
    /// movie*: a common noun behind the words that open a question, without another one behind it.
    fn is_head_noun(&self, at: usize) -> bool {
        const OPENINGS: &[Role] = &[
            Role::HowMany,
            Role::HowMuch,
            Role::Which,
            Role::What,
            Role::Show,
            Role::There,
            Role::Top,
            Role::Bottom,
            Role::Most,
            Role::Fewest,
            Role::First,
            Role::Last,
            Role::Share,
        ];
        let is_noun = |at: usize| {
            self.items.get(at).is_some_and(|item| {
                item.roles.is_empty() && item.fields.is_empty() && item.number.is_none()
            })
        };
        let is_followed = is_noun(at + 1) && !self.breaks(at + 1);
        if !is_noun(at) || is_followed || self.is_name(at) || self.items[at].is_quoted {
            return false;
        }

        let before = (0..at)
            .rev()
            .find(|before| !self.has_any(*before, &[Role::Stop, Role::All, Role::Only]));
        match before {
            None => true,
            Some(before) if self.items[before].number.is_some() => before
                .checked_sub(1)
                .is_none_or(|first| self.has_any(first, OPENINGS)),
            Some(before) => self.has_any(before, OPENINGS),
        }
    }
}

/// Returns whether common words tell which value is meant of which they are part: they are at least
/// half of its words, and more than its last one, which only says the kind of thing it is, such as
/// *film* of “Based on Short Film”.
fn tells_value(said: &[&str], value: &str) -> bool {
    let parts = words(value);
    let stems: Vec<&str> = parts.iter().map(|word| word.stem.as_str()).collect();
    let covered = stems.iter().filter(|stem| said.contains(stem)).count();
    let is_last_only = covered == 1 && stems.last().is_some_and(|last| said.contains(last));
    covered * 2 >= stems.len() && !is_last_only
}
