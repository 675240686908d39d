//! Reads truth values, values that are stated with their field, and searches in texts.

use crate::data::task::FieldKind;
use crate::question::read::cut::items::Fit;
use crate::question::read::reader::{Reader, number};
use crate::question::read::words::concepts::concepts;
use crate::question::read::words::vocabulary::Role;
use crate::question::reading::{Outcome, TextMatch, TextSearch};
use serde_json::{Value, json};

/// Items between a denial and what it denies.
const NEAR: usize = 3;

impl Reader<'_, '_, '_> {
    /// Reads `season 6` of a column with `S06`: the value with a number, next to the name of its
    /// field.
    pub(crate) fn read_numbered_values(&mut self) {
        for at in 1..self.len() {
            let item = &self.items[at];
            let number = item
                .number
                .filter(|number| number.fract() == 0.0 && *number >= 0.0);
            let place = self
                .before(at)
                .filter(|_| !item.used && item.values.is_empty());
            let Some((number, place)) = number.zip(place).filter(|_| !self.breaks(at)) else {
                continue;
            };
            if (place + 1..at).any(|at| self.breaks(at)) {
                continue;
            }

            let is_numbered = |r: &Self, field: usize| r.numbered(field, number as u64).is_some();
            if self.peek(place, is_numbered).is_none() || self.items[place].used {
                continue;
            }
            let Some(field) = self.choose(place, is_numbered) else {
                continue;
            };
            if let Some(value) = self.numbered(field, number as u64) {
                let said = self.said(place, at + 1).to_owned();
                self.add_value(field, value);
                self.note_filter(at, &said, field);
                self.take(place, at + 1);
            }
        }
    }

    /// Returns the one value of a field that has a number between its letters, where the others
    /// have others: `S06`.
    fn numbered(&self, field: usize, number: u64) -> Option<Value> {
        let facts = self.field(field).facts;
        let number_of = |value: &Value| {
            let text = Self::plain(value);
            let mut runs = text.split(|c: char| !c.is_ascii_digit());
            let mut runs = runs.by_ref().filter(|run| !run.is_empty());
            let (first, other) = (runs.next()?, runs.next());
            let is_number = text.chars().all(|c| c.is_ascii_digit());
            (other.is_none() && !is_number).then(|| first.parse::<u64>().ok())?
        };
        let is_text = facts.kind == FieldKind::Text && facts.values.len() > 1;
        let numbers: Option<Vec<u64>> = facts.values.iter().map(number_of).collect();
        let numbers = numbers.filter(|_| is_text)?;

        let mut places = numbers
            .iter()
            .enumerate()
            .filter(|(_, own)| **own == number);
        match (places.next(), places.next()) {
            (Some((place, _)), None) => Some(facts.values[place].clone()),
            _ => None,
        }
    }

    /// Reads a value of signs alone, as `€€` of a price level or `**` of a grade.
    pub(crate) fn read_signs_of_values(&mut self) {
        let ends = ['?', '.', ',', '!', ':', ';', '"', '\''];
        let said = self.question.split_whitespace();
        let said = said.map(|word| word.trim_matches(ends));
        let signs = said.filter(|word| !word.is_empty() && !word.contains(char::is_alphanumeric));
        let signs: Vec<String> = signs.map(str::to_owned).collect();

        for sign in signs {
            let is_value = |at: &usize| self.field(*at).facts.values.contains(&json!(sign));
            let mut fields = (0..self.schema.fields.len()).filter(is_value);
            let Some(field) = fields.next() else {
                continue;
            };
            let names = |at: &usize| self.peek(*at, |_, found| found == field).is_some();
            let place = (0..self.len()).find(names);
            // A dash or a plus stands between words, too.
            if place.is_none() && sign.chars().count() < 2 || fields.next().is_some() {
                continue;
            }
            self.add_value(field, json!(sign));
            self.note_filter(place.unwrap_or_default(), &sign, field);
            if let Some(place) = place {
                self.take(place, place + 1);
            }
        }
    }

    /// Reads fields of truth values that are named: they hold, or do not hold where they are
    /// denied.
    pub(crate) fn read_truths(&mut self) {
        for at in 0..self.len() {
            if self.items[at].used || self.asked.opening == Some(at) {
                continue;
            }
            let is_truth = |r: &Self, field: usize| r.field(field).truth.is_some();
            let Some(found) = self.items[at].fields.first().cloned() else {
                continue;
            };
            // Another field that is named better is meant.
            let best = self.items[at]
                .fields
                .iter()
                .find(|other| is_truth(self, other.field) && other.score >= found.score)
                .cloned();
            // Part of a longer name does not state anything: `subject` of `subject_injury`.
            // `have scheduled flights` states half of `scheduled_service`.
            let is_had = self.before(at).is_some_and(|has| {
                self.has(has, Role::With) || matches!(self.lower(has), "have" | "has" | "had")
            });
            let least = if is_had { 500 } else { 600 };
            let Some(found) = best.filter(|found| found.is_full || found.score >= least) else {
                continue;
            };
            let Some((yes, no)) = self.field(found.field).truth.clone() else {
                continue;
            };

            let by = at.checked_sub(1).filter(|by| self.has(*by, Role::By));
            if by.is_some_and(|by| !self.is_agent(by, at)) {
                continue;
            }
            let (holds, end) = self.stated_truth(at);
            let holds = (holds != self.negated[at]) != found.is_opposite;
            let said_from = (0..at)
                .rev()
                .take(3)
                .find(|b| self.has(*b, Role::Not))
                .filter(|_| self.negated[at])
                .unwrap_or(at);
            let said = self.said(said_from, end).to_owned();
            self.add_value(found.field, if holds { yes } else { no });
            self.note_filter(at, &said, found.field);
            self.take(at, end);
        }
    }

    /// Reads the value after the name of a truth value: `smoker = no`, `survived: 0`.
    fn stated_truth(&self, at: usize) -> (bool, usize) {
        let place = self.skip_roles(at + 1, &[Role::Is, Role::Exactly]);
        let is_near =
            place < self.len() && (place > at + 1 || self.gap(place).contains(['=', ':']));
        if !is_near {
            return (true, at + 1);
        }
        match self.lower(place) {
            "yes" | "true" | "1" | "ja" | "oui" | "si" | "sim" => (true, place + 1),
            "no" | "false" | "0" | "nein" | "non" | "nao" => (false, place + 1),
            _ => (true, at + 1),
        }
    }

    /// Reads `field = value` for values that the schema does not list.
    pub(crate) fn read_pairs(&mut self) {
        for at in 0..self.len() {
            if self.items[at].used || self.items[at].fields.is_empty() {
                continue;
            }
            let place = self.skip_roles(at + 1, &[Role::Exactly, Role::Is, Role::Named]);
            let sign = self.gap(at + 1).trim();
            let is_pair = sign.starts_with('=')
                || sign == ":"
                || (place > at + 1 && self.items.get(place).is_some_and(|item| item.is_quoted));
            if !is_pair || place >= self.len() {
                continue;
            }
            let item = self.items[place].clone();
            let Some(field) = self.choose(at, |_, _| true) else {
                continue;
            };
            if self.field(field).truth.is_some() {
                continue;
            }

            let own = item.values.iter().find(|value| value.field == field);
            let value = match (self.kind(field), item.number, own) {
                (_, _, Some(own)) => own.value.clone(),
                (FieldKind::Number, Some(value), _) => number(value),
                (FieldKind::Text, ..) => {
                    let (from, to) = (self.tokens[item.start].start, self.tokens[item.end - 1].end);
                    json!(&self.question[from..to])
                }
                _ => continue,
            };
            let said = self.said(at, place + 1).to_owned();
            if self.negated[at] || self.negated[place] {
                self.add_part(field, "not", value);
            } else {
                self.add_value(field, value);
            }
            self.note_filter(at, &said, field);
            self.take(at, place + 1);
        }
    }

    /// Reads what records mention: `mention X`, `about X`, `contain X`.
    pub(crate) fn read_mentions(&mut self) {
        for at in 0..self.len() {
            if self.has(at, Role::Affix) {
                let said = self.said(at, at + 2).to_owned();
                self.refused(&said, "the beginning or end of a text cannot be asked for");
                self.take(at, at + 2);
                if let Some(next) = self.items.get_mut(at + 1) {
                    next.values.clear();
                }
                continue;
            }
            if self.items[at].used || !self.has(at, Role::Mention) {
                continue;
            }
            let place = self.skip_roles(at + 1, &[Role::Stop, Role::Mention, Role::Generic]);
            let Some(item) = self.items.get(place) else {
                continue;
            };
            // `the text of the items` says what is asked for.
            if item.has(Role::Of) && item.values.is_empty() && !item.is_quoted {
                continue;
            }
            // `about 500` searches no texts, and a value that was named is a condition of its
            // field.
            if item.number.is_some() && !item.is_quoted || item.used {
                continue;
            }
            // `the word bank` is searched for, whatever else it may be.
            let is_literal = ["word", "words", "phrase", "term", "text"]
                .iter()
                .any(|word| self.said(at, place).to_lowercase().ends_with(word));
            let is_value = !is_literal
                && item.values.iter().any(|value| {
                    !value.needs_field && value.fit <= Fit::OtherName && value.count.is_none()
                });
            // Values that contain the words mention them too.
            let is_part = item.values.iter().any(|value| {
                let own = Self::plain(&value.value).to_lowercase();
                let listed = &self.field(value.field).facts.values;
                listed.iter().any(|other| {
                    *other != value.value && Self::plain(other).to_lowercase().contains(&own)
                })
            });
            let is_value = is_value && !is_part;
            let is_literal = is_literal || is_part;
            // `station names contain Hbf` is about that field.
            let is_of_field = at.checked_sub(1).is_some_and(|before| {
                let is_text = |r: &Self, field: usize| r.kind(field) == FieldKind::Text;
                let is_named = self.peek(before, is_text).is_some();
                is_named && item.roles.is_empty() && !self.has(at, Role::About)
            });
            let is_text = item.is_quoted
                || is_literal
                || is_of_field
                || item.is_open()
                || item.looked_up.is_some()
                || (!item.fields.is_empty() && !self.has_any(at, &[Role::About]));
            if is_value && !item.is_quoted || !is_text {
                continue;
            }

            let mut end = place + 1;
            while !item.is_quoted
                && end < self.len()
                && !self.breaks(end)
                && (self.items[end].is_open() || self.items[end].looked_up.is_some())
                && !self.items[end].is_quoted
            {
                end += 1;
            }
            let text = self.said(place, end).to_owned();
            let said = self.said(at, end).to_owned();
            let is_denied = self.is_denied_text(at);
            // `a medium that does not mention paper`: the denial stands between.
            let reach = if is_denied { 2 * NEAR } else { 2 };
            // `does not have the word "new" in its name`
            let within = self
                .has(end, Role::In)
                .then(|| self.name_said(end + 1))
                .flatten();
            let fields: Vec<String> = at
                .checked_sub(1)
                .and_then(|before| {
                    let place = (before.saturating_sub(reach)..=before)
                        .rev()
                        .find(|p| !self.items[*p].fields.is_empty())?;
                    self.peek(place, |r, f| r.kind(f) == FieldKind::Text)
                })
                .or(within.map(|(field, _)| field))
                .map(|field| self.name(field).to_owned())
                .into_iter()
                .collect();
            if is_denied {
                let field = fields.first().and_then(|name| self.field_named(name));
                match field.filter(|field| self.field(*field).facts.can_lack) {
                    Some(field) => {
                        self.add_part(field, "lacks", json!(text));
                        self.note_filter(at, &said, field);
                    }
                    None => self.refused(
                        &said,
                        "records that do not mention something cannot be searched for",
                    ),
                }
                self.take_denial(at);
                self.take(at, within.map_or(end, |(_, end)| end));
                continue;
            }
            let matching = if item.is_quoted || end == place + 1 {
                TextMatch::Phrase
            } else {
                TextMatch::All
            };
            let is_known = self.items[place]
                .looked_up
                .map(|entry| &self.found.entries[entry]);
            let is_absent = is_known
                .is_some_and(|entry| entry.candidates.is_empty() && entry.mentions.is_empty());
            if is_absent && !self.out.absent.contains(&text) {
                self.out.absent.push(text.clone());
            }
            self.condition(
                &said,
                Outcome::Applied {
                    field: fields.first().cloned().unwrap_or_default(),
                },
            );
            self.derive(&said, &format!("a search for “{text}”"));
            self.out.search.push(TextSearch {
                text,
                fields,
                matching,
                exact: is_literal,
            });
            self.take(at, end);
        }
    }

    /// Reads `with Macdonald in their name`: the text of a field contains a word.
    pub(crate) fn read_texts_in_fields(&mut self) {
        for at in 0..self.len() {
            let item = &self.items[at];
            // A word with a capital is written so in the text, whatever it is like: *Regional*.
            let token = &self.tokens[item.start];
            let is_literal = |field: usize| {
                let mut words = self.field(field).words.iter();
                words.any(|word| word.stem == token.stem)
            };
            let is_written = token.is_capital()
                && !token.opens
                && !item.fields.iter().any(|found| is_literal(found.field));
            let names_nothing = item.fields.is_empty() || is_written;
            // `5G`
            let is_code =
                item.number.is_some() && at + 1 < self.len() && self.gap(at + 1).is_empty();
            let is_word = item.is_quoted
                || item.roles.is_empty() && (item.number.is_none() || is_code) && names_nothing;
            let is_denied = self.is_denied_text(at);
            let is_with = self.before(at).is_some_and(|before| {
                self.has_any(before, &[Role::With, Role::Named, Role::Mention])
                    || matches!(self.lower(before), "have" | "has" | "had" | "having")
            });
            let mut end = at + 1 + usize::from(is_code);
            while self.items.get(end).is_some_and(|next| next.is_open()) && !self.breaks(end) {
                end += 1;
            }
            if item.used || !is_word || !(is_with || is_denied) || !self.has(end, Role::In) {
                continue;
            }
            let place = self.skip_roles(end + 1, &[Role::Stop, Role::Of]);
            let is_text = |r: &Self, field: usize| r.kind(field) == FieldKind::Text;
            let is_full = self.items.get(place).is_some_and(|item| {
                item.fields
                    .first()
                    .is_some_and(|found| found.is_full || found.score >= 500)
            });
            // `in their name` is what the records are called.
            let is_name = matches!(
                self.lower(place),
                "name" | "names" | "title" | "titles" | "namen" | "nom" | "nombre" | "nome"
            );
            // Where several fields are names, all texts are searched.
            let says_name = |field: &usize| {
                let last = self.field(*field).words.last();
                last.is_some_and(|word| matches!(word.lower.as_str(), "name" | "title"))
            };
            let names = (0..self.schema.fields.len()).filter(says_name).count();
            let is_only = |field: &usize| names <= 1 || self.field(*field).words.len() == 1;
            let called = self.schema.name_field().filter(is_only);
            // `cities with Saint in their name`: what they are called is a field.
            let thing = (at.saturating_sub(4)..at).rev().find_map(|thing| {
                let best = self.items[thing].fields.first()?;
                let is_named = best.is_full && self.kind(best.field) == FieldKind::Text;
                (is_named && !self.schema.fields[best.field].is_prose).then_some(best.field)
            });
            let called = thing.or(called).filter(|_| is_name);
            // Another word for a title is not the title that is meant, if the thing is a field.
            let is_literal = self.items.get(place).is_some_and(|item| {
                let token = &self.tokens[item.start];
                item.fields.iter().any(|found| {
                    let words = &self.field(found.field).words;
                    words.iter().any(|word| word.stem == token.stem)
                })
            });
            let is_other = is_name && thing.is_some() && !is_literal;
            let named = if is_full && !is_other {
                self.choose(place, |r, field| {
                    is_text(r, field)
                        && r.items[place]
                            .fields
                            .iter()
                            .any(|found| found.field == field && (found.is_full || !is_name))
                })
            } else {
                None
            };
            let can = |field: &usize| !is_denied || self.field(*field).facts.can_lack;
            let Some(field) = named.or(called).filter(can) else {
                continue;
            };

            let text = self.said(at, end).to_owned();
            let said = self.said(at, place + 1).to_owned();
            let operator = if is_denied { "lacks" } else { "contains" };
            self.add_part(field, operator, json!(text));
            self.note_filter(at, &said, field);
            if is_denied {
                self.take_denial(at);
            }
            self.take(at, place + 1);
        }
    }

    /// Returns the field of what records are called, where an item says *name* or *title*, and
    /// where that ends.
    fn name_said(&self, at: usize) -> Option<(usize, usize)> {
        let place = self.skip_roles(at, &[Role::Stop, Role::Of]);
        let item = self.items.get(place)?;
        let said = self.tokens[item.start..item.end].iter();
        let mut concepts = said.flat_map(|token| {
            concepts()
                .of(&token.lower, &token.stem, &token.own_stem)
                .iter()
        });
        let says_name = concepts.any(|concept| matches!(*concept, "name" | "title"));
        let field = self.schema.name_field().filter(|_| says_name)?;
        Some((field, place + 1))
    }

    /// Returns whether words are not to be there: *without “new”*, *does not have the word “new”*.
    fn is_denied_text(&self, at: usize) -> bool {
        const BETWEEN: &[Role] = &[Role::Stop, Role::Of, Role::Mention, Role::With, Role::Is];
        let denies = |place: &usize| self.has_any(*place, &[Role::Not, Role::Without]);
        let is_between = |place: &usize| {
            self.has_any(*place, BETWEEN) && !self.breaks(place + 1) && !denies(place)
        };
        let before = (0..at).rev().find(|place| !is_between(place));
        before.is_some_and(|before| denies(&before) && !self.breaks(before + 1))
    }

    /// Takes the denial before an item.
    fn take_denial(&mut self, at: usize) {
        let denies = |place: &usize| self.has_any(*place, &[Role::Not, Role::Without]);
        if let Some(denial) = (at.saturating_sub(NEAR)..at).rev().find(denies) {
            self.take(denial, at);
        }
    }

    /// Returns the value of a filter that is one of several, for comparisons.
    pub(crate) fn alternatives(&self) -> Option<(String, Vec<Value>)> {
        self.out.filters.iter().find_map(|(field, condition)| {
            let values = condition.as_array()?;
            (2..=8)
                .contains(&values.len())
                .then(|| (field.clone(), values.clone()))
        })
    }
}
