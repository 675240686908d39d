//! Applies a value that words mean: as one value, as a part of texts, or as what it excludes.

use research_agents_report::text::words;
use serde_json::{Value, json};

use crate::data::task::FieldKind;
use crate::question::read::cut::items::{Fit, ValueMatch};
use crate::question::read::reader::Reader;
use crate::question::read::words::vocabulary::Role;
use crate::question::reading::{Outcome, WordsOfFields};

/// Cells with a value among others from which on they are lists.
const LISTS: usize = 2;

/// At most so many values are listed for a word that several values contain.
const MOST_LISTED: usize = 12;

impl Reader<'_, '_, '_> {
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
        // A comma may be part of a value; other signs divide values.
        let weight = |cell: &Value| match Self::plain(cell).contains([';', '|']) {
            true => LISTS,
            false => 1,
        };
        let cells = listed.chain(found).filter(|cell| holds(cell));
        cells.map(weight).sum::<usize>() >= LISTS
    }

    /// Returns whether words are looked for in a field already.
    pub(crate) fn has_text(&self, field: usize) -> bool {
        let condition = self.out.filters.get(self.name(field));
        condition
            .and_then(|condition| condition.get("contains"))
            .is_some()
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

    /// Returns whether words behind *in* are only a part of what records are called: *in Rio* is
    /// rather a place than a name.
    fn is_place_of_name(&self, at: usize, field: usize) -> bool {
        let before = self.before(at);
        let is_in = before.is_some_and(|before| self.has(before, Role::In));
        let names = [self.schema.record_name(), self.schema.name_field()];
        is_in && names.contains(&Some(field))
    }

    pub(crate) fn settle_value(
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
        } else if value.fit == Fit::Words
            && beside.is_none()
            && (self.is_word_within(at, &value) || self.is_place_of_name(at, field))
        {
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
