//! Sorts out values of which the question has only a part, and parts of names.

use std::ops::Range;

use research_agents_report::text::words;

use crate::data::task::FieldKind;
use crate::question::read::cut::items::{Fit, Item, ValueMatch};
use crate::question::read::reader::Reader;
use crate::question::read::words::tokens::folded;
use crate::question::read::words::vocabulary::Role;

/// Kinds of a noun have at least one in so many records.
const NOTABLE: u64 = 200;

/// The only kind of a noun has at least one in so many records.
const MAIN: u64 = 20;

impl Reader<'_, '_, '_> {
    /// Keeps the parts of a name that the data does not have as a whole only if each of them is a
    /// whole value, as where first and last names are columns.
    pub(crate) fn settle_split_names(&mut self) {
        for entry in &self.found.entries {
            let is_empty = entry.candidates.is_empty() && entry.mentions.is_empty();
            let wanted = folded(&entry.text);
            if !is_empty || !wanted.contains([' ', '-']) {
                continue;
            }
            let Some(range) = self.items_that_say(&wanted) else {
                continue;
            };

            let is_whole = |item: &Item| item.values.iter().any(|value| value.fit == Fit::Whole);
            // A phrase of ordinary words leaves its parts to be found, and so does a name with the
            // year of a column.
            let mut places = range.clone();
            let is_phrase = !places.all(|at| self.is_name(at) || self.is_in_code(at));
            let ends_with_year = self.is_year_of_data(range.end - 1);
            if is_phrase
                || ends_with_year
                || range.clone().any(|at| self.year_column_at(at).is_some())
            {
                continue;
            }
            let is_code = wanted.contains(|c: char| c.is_ascii_digit());
            let are_whole = self.items[range.clone()].iter().all(is_whole);
            for item in &mut self.items[range.clone()] {
                if are_whole {
                    item.values.retain(|value| value.fit == Fit::Whole);
                } else {
                    item.values.clear();
                    item.looked_up = None;
                    // `4770K` does not count anything in an unknown `Core i7-4770K`.
                    if is_code {
                        (item.number, item.moment) = (None, None);
                        item.roles.clear();
                        item.fields.clear();
                    }
                }
            }
            if are_whole {
                self.share_out_fields(range);
            }
        }
    }

    /// Returns whether an item is the number of a year, of data with years or dates.
    fn is_year_of_data(&self, at: usize) -> bool {
        let number = self.items[at].number;
        let is_year = number.is_some_and(|n| n.fract() == 0.0 && (1800.0..2100.0).contains(&n));
        let has_years = self
            .schema
            .dates()
            .chain(self.schema.years())
            .next()
            .is_some();
        is_year && self.lower(at).len() == 4 && has_years
    }

    /// Returns whether an item is a number with letters, such as `4770K`.
    fn is_in_code(&self, at: usize) -> bool {
        let item = &self.items[at];
        let token = &self.tokens[item.start];
        token.is_number() && (item.end > item.start + 1 || self.gap(at) == "-")
            || token.is_number() && at > 0 && self.is_name(at - 1)
    }

    /// Returns the items that say these words together.
    fn items_that_say(&self, text: &str) -> Option<Range<usize>> {
        /// Words of a name.
        const LONGEST: usize = 8;
        (0..self.len()).find_map(|start| {
            let ends = start + 2..=(start + LONGEST).min(self.len());
            let mut ends = ends.filter(|end| folded(self.said(start, *end)) == text);
            ends.next().map(|end| start..end)
        })
    }

    /// Gives each part of a name another field: `James` of `LeBron James` is the last name,
    /// although others have it as their first name.
    fn share_out_fields(&mut self, range: Range<usize>) {
        let mut taken: Vec<usize> = Vec::new();
        let mut order: Vec<usize> = range.collect();
        order.sort_by_key(|at| {
            let mut fields: Vec<usize> = self.items[*at]
                .values
                .iter()
                .map(|value| value.field)
                .collect();
            fields.sort_unstable();
            fields.dedup();
            (fields.len(), *at)
        });

        for at in order {
            let free = |value: &ValueMatch| !taken.contains(&value.field);
            let first = self.items[at].values.iter().filter(|value| free(value));
            let Some(field) = first.map(|value| value.field).min() else {
                continue;
            };
            self.items[at].values.retain(|value| value.field == field);
            taken.push(field);
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
        self.drop_fields_of_kinds();
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
            let restricts = self.restricts_subject(at);
            let schema = self.schema;
            let all = self.items[at].values.clone();
            let stems: Vec<&str> = self.tokens[self.items[at].start..self.items[at].end]
                .iter()
                .map(|token| token.stem.as_str())
                .collect();
            let searched = self.items[at]
                .looked_up
                .map_or(0, |entry| self.found.entries[entry].searched.records);
            // Several values, with a notable part of the records.
            let are_kinds = |field: usize| {
                let own = all.iter().filter(|value| value.field == field);
                let own: Vec<&ValueMatch> = own.filter(|value| value.count.is_some()).collect();
                let counted: u64 = own.iter().filter_map(|value| value.count).sum();
                let begin = own
                    .iter()
                    .filter(|value| begins_with(&Self::plain(&value.value), &stems))
                    .count();
                let is_main = own.len() == 1 && begin == 1 && counted * MAIN >= searched;
                is_main || begin > 1 && begin * 2 > own.len() && counted * NOTABLE >= searched
            };
            let said: Vec<&str> = self.tokens[self.items[at].start..self.items[at].end]
                .iter()
                .map(|token| token.stem.as_str())
                .collect();
            let item = &mut self.items[at];
            item.values.retain(|value| {
                let is_telling = || tells_value(&said, &Self::plain(&value.value));
                let is_meant =
                    is_name || fields_before.contains(&value.field) || value.count.is_some();
                value.fit != Fit::Words || is_meant || (!is_head && is_telling())
            });
            if item.looked_up.is_none() {
                continue;
            }
            item.values.retain(|value| {
                let is_prose = schema.fields[value.field].is_prose;
                // A common word is not a misspelt part of a value.
                let is_whole = words(&Self::plain(&value.value)).len() == said.len();
                // `chihuahuas` of the breed *Chihuahua, Short Coat*.
                let field = &schema.fields[value.field];
                // `Firefighter/EMT` is either, and no kind of firefighter.
                let is_kind = !is_prose
                    && !Self::plain(&value.value).contains('/')
                    && are_kinds(value.field)
                    && field.facts.kind == FieldKind::Text
                    && schema.name_field() != Some(value.field)
                    && !schema.is_unique(value.field)
                    && begins_with(&Self::plain(&value.value), &said);
                // `strikes that involved deer`, where only species have the word.
                let is_only = restricts
                    && !is_prose
                    && field.facts.kind == FieldKind::Text
                    && schema.name_field() != Some(value.field)
                    && all.iter().all(|other| other.field == value.field)
                    && value.count.is_some_and(|count| count > 1);
                let is_meant = match value.fit {
                    Fit::Words => {
                        is_name || fields_before.contains(&value.field) || is_kind || is_only
                    }
                    _ => is_name || (!is_prose && is_whole),
                };
                value.count.is_none() || value.fit == Fit::Whole || (is_open && is_meant)
            });
        }
    }

    /// Drops fields that a word does not name: the kind of a thing where the thing is said by
    /// another word, as *school* next to `collegeType`, and ages for *years of service*.
    fn drop_fields_of_kinds(&mut self) {
        const KINDS: [&str; 9] = [
            "type",
            "category",
            "class",
            "kind",
            "group",
            "classification",
            "code",
            "status",
            "rank",
        ];
        let schema = self.schema;

        for at in 0..self.len() {
            let said: Vec<&str> = self.tokens[self.items[at].start..self.items[at].end]
                .iter()
                .map(|token| token.stem.as_str())
                .collect();
            let is_span = matches!(self.lower(at), "years" | "months" | "days")
                && self.has(at + 1, Role::Of)
                && self
                    .items
                    .get(at + 2)
                    .is_some_and(|next| next.fields.is_empty());
            self.items[at].fields.retain(|found| {
                let names = &schema.fields[found.field].words;
                let is_kind = names.len() > 1
                    && names
                        .last()
                        .is_some_and(|last| KINDS.contains(&last.lower.as_str()));
                let says_word = names.iter().any(|name| said.contains(&name.stem.as_str()));
                (found.is_full || !is_kind || says_word) && (!is_span || says_word)
            });
        }
    }

    /// Returns whether a word says more of the records behind a noun for them: `strikes that
    /// involved deer`, `people shot by officers`.
    fn restricts_subject(&self, at: usize) -> bool {
        const LINKS: &[Role] = &[
            Role::In,
            Role::With,
            Role::From,
            Role::To,
            Role::By,
            Role::Light,
            Role::About,
            Role::Mention,
        ];
        let before = (0..at)
            .rev()
            .find(|before| !self.has_any(*before, &[Role::Stop, Role::All, Role::Only]));
        let Some(before) = before.filter(|_| !self.breaks(at) && at > 0) else {
            return false;
        };

        if at > 0 && self.has(at - 1, Role::All) {
            return false;
        }
        let is_verb =
            self.is_verb_form(before) || self.items[before].is_open() && !self.is_name(before);
        let is_linked = is_verb || self.has_any(before, LINKS);
        let is_subject = |at: usize| self.is_head_noun(at) || self.has(at, Role::Generic);
        // `Were any deer hit?` asks whether the data has them.
        let asks_for_any = self.has(0, Role::Is) && self.has_any(at - 1, &[Role::All, Role::There]);
        if asks_for_any {
            return !self.is_name(at);
        }
        is_linked && !self.is_name(at) && (0..before).any(is_subject)
    }

    /// Returns whether an English word that the data does not have has the ending of a verb, such
    /// as *involved*.
    pub(crate) fn is_verb_form(&self, at: usize) -> bool {
        let item = &self.items[at];
        let is_unknown = item.looked_up.is_none_or(|entry| {
            let found = &self.found.entries[entry];
            found.candidates.is_empty() && found.mentions.is_empty()
        });
        let word = self.lower(at);
        let ends = word.ends_with("ed") || word.ends_with("ing");
        self.vocabulary.code == "en"
            && word.len() > 4
            && ends
            && is_unknown
            && item.roles.is_empty()
            && item.fields.is_empty()
            && item.values.is_empty()
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
            }) && !self.is_verb_form(at)
        };
        let is_followed = is_noun(at + 1) && !self.breaks(at + 1);
        if !is_noun(at) || is_followed || self.is_name(at) || self.items[at].is_quoted {
            return false;
        }

        let before = (0..at)
            .rev()
            .find(|before| !self.has_any(*before, &[Role::Stop, Role::All, Role::Only, Role::Is]));
        match before {
            None => true,
            Some(before) if self.items[before].number.is_some() => before
                .checked_sub(1)
                .is_none_or(|first| self.has_any(first, OPENINGS)),
            Some(before) => self.has_any(before, OPENINGS),
        }
    }
}

/// Returns whether a value of several words begins with these.
fn begins_with(value: &str, said: &[&str]) -> bool {
    let parts = words(value);
    let begins = parts.iter().map(|word| word.stem.as_str()).take(said.len());
    parts.len() > said.len() && begins.eq(said.iter().copied())
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
