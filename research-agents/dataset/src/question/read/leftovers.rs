//! Sorts the words that fit nothing: the subject, words to look up, and words that only phrase the
//! question.

pub(crate) mod names;
pub(crate) mod parts;
pub(crate) mod phrases;
pub(crate) mod refused;
pub(crate) mod texts;
pub(crate) mod unheld;

use research_agents_report::evidence::plain;
use research_agents_report::text::words;
use serde_json::{Value, json};

use crate::question::read::reader::Reader;
use crate::question::read::words::concepts::concepts;
use crate::question::read::words::vocabulary::Role;
use crate::question::reading::{CandidateMatch, Outcome, TextMatch, TextSearch};

/// The place of open words in the question.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// A name, a quotation or a code.
    Name,
    /// After a preposition: it restricts the records.
    Restriction,
    /// Before the subject: `action` of `action movies`.
    Modifier,
    /// After `is` and the like.
    Predicate,
    /// After `of`, before any subject: the subject, unless the data has it as a value.
    Subject,
    /// A verb: not a condition.
    Other,
}

/// Roles before a noun that restricts.
const PREPOSITIONS: &[Role] = &[
    Role::In,
    Role::Of,
    Role::From,
    Role::With,
    Role::Mention,
    Role::Named,
    Role::By,
    Role::To,
    Role::Without,
    Role::Not,
    Role::Except,
    Role::Exactly,
    Role::About,
];

impl Reader<'_, '_, '_> {
    pub(crate) fn read_leftovers(&mut self) {
        let mut at = 0;
        let mut has_subject = false;

        while at < self.len() {
            let item = &self.items[at];
            let is_clause =
                self.breaks(at) && at > 0 && self.gap(at).contains(['?', '!', ';', '.']);
            if is_clause {
                has_subject = false;
            }
            if !self.is_left(at) {
                has_subject |= item.has(Role::Generic)
                    || (!item.fields.is_empty() && item.used)
                    || (!item.values.is_empty() && item.used);
                at += 1;
                continue;
            }
            let mut end = at + 1;
            while end < self.len()
                && self.is_left(end)
                && !self.breaks(end)
                && !self.items[end].is_quoted
                && !self.items[at].is_quoted
            {
                end += 1;
            }
            self.read_run(at, end, &mut has_subject);
            at = end;
        }
    }

    /// Returns whether nothing was made of an item.
    fn is_left(&self, at: usize) -> bool {
        let item = &self.items[at];
        let is_unknown = item.is_open()
            || item.is_quoted
            || (item.looked_up.is_some() && item.roles.is_empty() && item.number.is_none());
        !item.used && is_unknown && item.fields.is_empty()
    }

    fn read_run(&mut self, start: usize, end: usize, has_subject: &mut bool) {
        let before = (0..start).rev().find(|at| {
            !self.has_any(*at, &[Role::Stop, Role::Only, Role::All]) || self.items[*at].is_quoted
        });
        let follows_break = self.breaks(start) && start > 0;
        let is_after =
            |roles: &[Role]| !follows_break && before.is_some_and(|at| self.has_any(at, roles));
        let is_restricted = is_after(PREPOSITIONS);
        let is_predicate = is_after(&[Role::Is]) && *has_subject;

        // Names first; the words between them are read by their place.
        let mut at = start;
        let mut nouns: Vec<usize> = Vec::new();
        while at < end {
            if self.is_name(at) {
                let mut last = at;
                // `Chicago (CHI)` is a name and its code.
                let is_joined = |last: usize| !self.said(at, last + 2).contains('(');
                while last + 1 < end
                    && self.is_name(last + 1)
                    && !self.items[at].is_quoted
                    && is_joined(last)
                {
                    last += 1;
                }
                // `Lord of the Rings` is one name.
                let joined = (last + 1..(last + 4).min(self.len()))
                    .find(|k| !self.has_any(*k, &[Role::Of, Role::Stop]));
                if let Some(next) = joined
                    && next > last + 1
                    && next <= last + 3
                    && !self.items[at].is_quoted
                    && !self.tokens[self.items[at].start].is_code()
                    && self.items[next].is_open()
                    && self.is_name(next)
                    && !(last + 1..=next).any(|k| self.breaks(k))
                    && self.has(last + 1, Role::Of)
                {
                    last = next;
                }
                // `The Godfather`.
                let is_article = at.checked_sub(1).is_some_and(|before| {
                    let token = &self.tokens[self.items[before].start];
                    self.has(before, Role::Stop) && token.is_capital() && !token.opens
                });
                self.place_words(at - usize::from(is_article), last + 1, Place::Name);
                *has_subject = true;
                at = last + 1;
            } else {
                nouns.push(at);
                at += 1;
            }
        }
        let (Some(&first), Some(&last)) = (nouns.first(), nouns.last()) else {
            return;
        };
        if self.asks_how_one_is(start, end) {
            self.place_words(first, last + 1, Place::Restriction);
            *has_subject = true;
            return;
        }

        let follows_name = first > start;
        let is_of = before.is_some_and(|at| self.has(at, Role::Of));
        // `the orlando auditions`: the noun behind it is what the records are.
        let is_modifier = self.items.get(last + 1).is_some_and(|next| {
            self.gap(last + 1) == " " && !next.fields.is_empty() && next.roles.is_empty()
        });
        // `samsung tvs`: what texts of the data say narrows a value down.
        let narrows = self
            .items
            .get(last + 1)
            .is_some_and(|next| self.gap(last + 1) == " " && next.used && !next.values.is_empty());
        let is_in_data = self.items[last].looked_up.is_some_and(|entry| {
            let found = &self.found.entries[entry];
            !found.mentions.is_empty()
        });
        let place = if follows_name {
            Place::Other
        } else if narrows && is_in_data || is_restricted && is_of && is_modifier {
            Place::Restriction
        } else if is_restricted && is_of && self.out.subject.is_none() {
            Place::Subject
        } else if is_restricted && (*has_subject || self.opens_with_subject(start)) {
            Place::Restriction
        } else if is_predicate {
            Place::Predicate
        } else {
            Place::Other
        };
        match place {
            Place::Restriction | Place::Subject => {
                self.place_words(first, last + 1, place);
                *has_subject = true;
            }
            Place::Predicate => {
                for at in nouns {
                    self.place_words(at, at + 1, place);
                }
            }
            Place::Other if *has_subject || follows_name => {
                // `Biles's coach` is nothing that the data has.
                let is_owned = self.gap(first).starts_with(['\'', '’']);
                if is_owned {
                    let said = self.said(first, last + 1).to_owned();
                    self.refused(&said, "no field tells it");
                    self.asked.unheld.push(said);
                    return self.take(first, last + 1);
                }
                // `Airbus planes`: the noun behind a name or a value is what the records are.
                let is_subject = self.out.subject.is_none()
                    && first.checked_sub(1).is_some_and(|before| {
                        let item = &self.items[before];
                        !self.breaks(first) && (!item.values.is_empty() || self.is_name(before))
                    });
                if is_subject {
                    let text = self.said(last, last + 1).to_owned();
                    self.out.subject = Some(text);
                    nouns.pop();
                }
                for at in nouns {
                    self.place_words(at, at + 1, place);
                }
            }
            _ if !*has_subject => {
                let (subject, modifiers) = (last, &nouns[..nouns.len() - 1]);
                // A value or number that says more of the subject may come between.
                let next_is_noun = self
                    .items
                    .get(last + 1)
                    .is_some_and(|item| !self.breaks(last + 1) && item.has(Role::Generic));
                for &at in modifiers {
                    self.place_words(at, at + 1, Place::Modifier);
                }
                if next_is_noun {
                    self.place_words(subject, subject + 1, Place::Modifier);
                } else {
                    // It may be a value, as *beagles* of the breed *Beagle*.
                    let text = self.said(subject, subject + 1).to_owned();
                    let entry = self.entry_for(&text);
                    if entry.is_none() && !self.out.further.contains(&text) {
                        self.out.further.push(text.clone());
                    }
                    // `how many labradors` of the breed *Retriever, Labrador*
                    if entry.is_some_and(|entry| self.is_kind_of_records(subject, entry)) {
                        self.place_words(subject, subject + 1, Place::Restriction);
                        *has_subject = true;
                        return;
                    }
                    self.out.subject.get_or_insert(text);
                }
                *has_subject = true;
            }
            _ => {}
        }
    }

    /// Returns whether a question such as *how heavy is snorlax* ends with the name of one thing.
    fn asks_how_one_is(&self, start: usize, end: usize) -> bool {
        let Some(verb) = (0..start).rev().find(|at| !self.has(*at, Role::Stop)) else {
            return false;
        };
        let is_singular = matches!(self.lower(verb), "is" | "was" | "does" | "did");
        let asks_how = (0..verb).any(|at| self.has(at, Role::How) && self.items[at].used);
        is_singular && asks_how && end == self.len() && !self.breaks(start)
    }

    /// Returns whether words before an item are the subject although they name a field.
    fn opens_with_subject(&self, at: usize) -> bool {
        (0..at).any(|before| {
            let item = &self.items[before];
            item.has_any(&[
                Role::Generic,
                Role::HowMany,
                Role::Show,
                Role::Mean,
                Role::Sum,
            ]) || !item.fields.is_empty()
        })
    }

    fn place_words(&mut self, start: usize, end: usize, place: Place) {
        let text = self.said(start, end).to_owned();
        let is_one_entry = end == start + 1;
        let looked_up = if is_one_entry {
            self.items[start].looked_up
        } else {
            None
        }
        .or_else(|| self.entry_for(&text));
        let is_negated = (start..end).any(|at| self.negated[at]);
        let said = if is_negated {
            format!("not {text}")
        } else {
            text.clone()
        };

        let Some(entry) = looked_up else {
            // A phrase that was looked up as its parts.
            let parts: Vec<usize> = (start..end)
                .filter(|at| self.items[*at].looked_up.is_some())
                .collect();
            if parts.is_empty() {
                if !self.out.unknown.contains(&text) {
                    self.out.unknown.push(text.clone());
                }
                // The parts of a person's name may be in separate columns.
                for at in (start..end).filter(|_| end - start > 1) {
                    let part = self.said(at, at + 1).to_owned();
                    let list = if place == Place::Name {
                        &mut self.out.further
                    } else {
                        &mut self.out.unknown
                    };
                    if !list.contains(&part) {
                        list.push(part);
                    }
                }
            } else {
                for at in parts {
                    self.place_words(at, at + 1, place);
                }
            }
            return;
        };

        let found = &self.found.entries[entry];
        let mentions: Vec<String> = found
            .mentions
            .iter()
            .map(|mention| mention.field.clone())
            .collect();
        let is_empty = found.candidates.is_empty() && mentions.is_empty();
        // *Films* are what a table of movies has, although texts mention them.
        let token = &self.tokens[self.items[start].start];
        let named = concepts().of(&token.lower, &token.stem, &token.own_stem);
        let mut candidates = found.candidates.iter();
        let is_records = candidates.all(|one| one.matching == CandidateMatch::Words)
            && self.schema.is_called(named);
        if is_one_entry && is_records && !is_negated && place != Place::Name {
            self.out.subject.get_or_insert(text);
            return self.take(start, end);
        }
        // What most records say of themselves is what they are: *bird* of bird strikes.
        let most = found.mentions.iter().map(|mention| mention.doc_count).max();
        let is_said_of_most =
            most.is_some_and(|most| most * 2 >= found.searched.records && most > 0);
        if is_said_of_most && place != Place::Name && !is_negated {
            self.out
                .notes
                .push(format!("“{text}” says what most records are."));
            self.take(start, end);
            return;
        }
        if place == Place::Subject && !self.items[start].is_quoted && end > start + 1 {
            // `salary of full professors`: the words before the noun restrict it.
            for at in start..end - 1 {
                self.place_words(at, at + 1, Place::Restriction);
            }
            return self.place_words(end - 1, end, place);
        }
        if place == Place::Subject && !self.items[start].is_quoted {
            if !self.schema.is_title(token) {
                let note = format!("“{text}” is read as the records");
                self.out.notes.push(note);
            }
            self.out.subject.get_or_insert(text);
            self.take(start, end);
            return;
        }
        let is_search = !mentions.is_empty()
            && !is_negated
            && (self.items[start].is_quoted || place == Place::Name);
        if is_search {
            self.out.notes.push(format!(
                "“{text}” is not a value of a field; it is searched for in the texts"
            ));
            self.condition(
                &said,
                Outcome::Applied {
                    field: mentions[0].clone(),
                },
            );
            self.out.search.push(TextSearch {
                text,
                fields: Vec::new(),
                matching: TextMatch::Phrase,
                exact: false,
            });
        } else if let Some(field) = self.field_with(start, end, entry, place) {
            self.out.notes.push(format!(
                "“{text}” is not a whole value; it is searched for in {}",
                self.name(field)
            ));
            // *gulls* of *Herring gull*
            let one = text.strip_suffix('s').filter(|one| one.len() > 3);
            let one =
                one.filter(|one| self.vocabulary.code == "en" && !one.ends_with(['s', 'u', 'i']));
            // *laptop* of `Laptops & Notebooks`
            let of_field = found.candidates.iter();
            let of_field = of_field.filter(|candidate| candidate.field == self.name(field));
            let values: Vec<&Value> = of_field.map(|candidate| &candidate.value).collect();
            let is_said = |word: &str| values.iter().any(|value| says(value, word));
            let other = match is_said(&text) || one.is_some_and(is_said) {
                true => None,
                false => values.iter().find_map(|value| self.word_of(start, value)),
            };
            let text = other.as_deref().or(one).unwrap_or(&text).to_owned();
            let values: Vec<Value> = values.into_iter().cloned().collect();
            if self.add_text(field, &text, &values) {
                self.note_filter(start, &said, field);
            } else {
                self.refused(&said, "the field has another value already");
            }
        } else if place == Place::Other && found.candidates.is_empty() {
            if !self.out.unread.contains(&text) {
                self.out.unread.push(text);
            }
        } else if is_empty {
            // Only a name, a quotation or a code is said to be nowhere in the data.
            let is_noun = place == Place::Name;
            if is_noun && !self.out.absent.contains(&text) {
                self.out.absent.push(text.clone());
            }
            self.refused(&said, "no record has it in any field");
        } else {
            let why = match mentions.first() {
                Some(field) => format!("it is not a value; texts of {field} contain it"),
                None => "no field has it as a value".to_owned(),
            };
            self.refused(&said, &why);
        }
        self.take(start, end);
    }

    /// Restricts a field to texts with a word. Where a value of it was read already, those of its
    /// values that say both are taken: *left corner* and *defenders* are `Defender - Left Corner`.
    /// Returns whether there are any.
    fn add_text(&mut self, field: usize, text: &str, found: &[Value]) -> bool {
        let name = self.name(field).to_owned();
        let known = self.out.filters.get(&name);
        let Some(known) = known.and_then(Value::as_str).map(str::to_lowercase) else {
            self.add_part(field, "contains", json!(text));
            return true;
        };

        let text = text.to_lowercase();
        let says_both = |value: &&Value| {
            let value = plain(value).to_lowercase();
            value.contains(&known) && value.contains(&text)
        };
        let listed = self.field(field).facts.values.iter().chain(found);
        let mut both: Vec<Value> = Vec::new();
        for value in listed.filter(says_both) {
            if !both.contains(value) {
                both.push(value.clone());
            }
        }
        if both.is_empty() {
            return false;
        }
        self.out.filters.remove(&name);
        for value in both {
            self.add_value(field, value);
        }
        true
    }

    fn entry_for(&self, text: &str) -> Option<usize> {
        let wanted = text.to_lowercase();
        self.found
            .entries
            .iter()
            .position(|entry| entry.text.to_lowercase() == wanted)
    }
}

/// Returns whether a value has a word, in any case.
fn says(value: &Value, word: &str) -> bool {
    let text = plain(value);
    words(&text)
        .iter()
        .any(|own| own.text.eq_ignore_ascii_case(word))
}
