//! Reads what the question still names when conditions and groupings are read: truth values,
//! fields, adjectives of measure.

use serde_json::Value;

use crate::data::task::FieldKind;
use crate::question::interpret::field::{Field, NameWord};
use crate::question::interpret::phrase::Phrase;
use crate::question::interpret::reader::Reader;
use crate::question::lexicon;

impl Reader<'_, '_> {
    /// Reads booleans such as `is_active`: those that the question names must hold, or must not
    /// hold if they are denied.
    pub(crate) fn read_booleans(&mut self) {
        for index in 0..self.words.len() {
            let Some(phrase) = self.phrase(index) else {
                continue;
            };
            if phrase.full
                && !phrase.ambiguous
                && self.fields[phrase.field].facts.kind == FieldKind::Boolean
            {
                let holds = !self.negated[index];
                self.add_value(phrase.field, Value::Bool(holds));
                let gives = format!("{} = {holds}", self.fields[phrase.field].facts.name);
                self.note(phrase.start, phrase.end, &gives);
                self.take(phrase.start, phrase.end);
            }
        }
    }

    /// Reads the fields that the question still names: they become the grouping if none was
    /// requested, otherwise they are just named.
    pub(crate) fn read_mentions(&mut self) {
        let asked = !self.out.group_by.is_empty() || self.out.histogram.is_some();

        let mut index = 0;
        while index < self.words.len() {
            // A word such as `amount` names a field alone only where it is all of the field's name.
            let of_another =
                self.lower(index + 1) == "of" || (index > 0 && self.lower(index - 1) == "middle");
            let names = |phrase: &Phrase| phrase.is_strong() || (phrase.whole && !of_another);
            match self.weak_phrase(index).filter(names) {
                Some(phrase)
                    if !phrase.ambiguous && !self.negated[index] && self.names_head(phrase) =>
                {
                    self.take(phrase.start, phrase.end);
                    self.mention(phrase, asked);
                    index = phrase.end;
                }
                _ => {
                    self.read_degree(index);
                    index += 1;
                }
            }
        }
    }

    /// Returns whether a phrase names what a field is, and not just what it is of: `theme` names
    /// `event_theme`, `event` does not. The head is the last word of the name, or one before its
    /// preposition; of a quantity every word is telling.
    fn names_head(&self, phrase: Phrase) -> bool {
        let field = &self.fields[phrase.field];
        if phrase.full || field.facts.kind == FieldKind::Number {
            return true;
        }

        let preposition = field
            .words
            .iter()
            .position(|name| lexicon::is_preposition(&name.lower))
            .unwrap_or(0);
        let last = field.words.iter().rposition(|name| !name.weak);
        let is_head = |at: usize| at < preposition || Some(at) == last;
        let said = |name: &NameWord| {
            (phrase.start..phrase.end).any(|index| self.is_name_word(index, name))
        };

        field
            .words
            .iter()
            .enumerate()
            .any(|(at, name)| !name.weak && is_head(at) && said(name))
    }

    /// Reads a quantity that an adjective such as `expensive` asks for.
    fn read_degree(&mut self, index: usize) {
        if self.taken[index] || !lexicon::is_degree(self.lower(index)) {
            return;
        }

        let asked = |field: &Field<'_>| {
            field.facts.kind == FieldKind::Number
                && field
                    .words
                    .iter()
                    .any(|name| lexicon::measures(self.lower(index), &name.stem))
        };
        let is_total = |field: &Field<'_>| field.words.iter().any(|name| name.lower == "total");
        let fields = || self.fields.iter().filter(|field| asked(field));
        let Some(name) = fields()
            .find(|f| is_total(f))
            .or_else(|| fields().next())
            .map(|f| f.facts.name.clone())
        else {
            return;
        };
        self.note(index, index + 1, &format!("the field {name}"));
        self.take(index, index + 1);

        if !self.out.mentioned.contains(&name) && !self.out.filters.contains_key(&name) {
            self.out.mentioned.push(name);
        }
    }

    fn mention(&mut self, phrase: Phrase, grouping_asked: bool) {
        let facts = self.fields[phrase.field].facts;
        let known =
            self.out.filters.contains_key(&facts.name) || self.out.group_by.contains(&facts.name);
        if known || self.out.mentioned.contains(&facts.name) {
            return;
        }

        let groupable = matches!(facts.kind, FieldKind::Text | FieldKind::Boolean);

        if groupable && !grouping_asked && self.out.group_by.is_empty() {
            self.out.group_by.push(facts.name.clone());
            self.out.grouping_asked = true;
            self.note(
                phrase.start,
                phrase.end,
                &format!("the grouping {}", facts.name),
            );
        } else {
            self.out.mentioned.push(facts.name.clone());
            self.note(
                phrase.start,
                phrase.end,
                &format!("the field {}", facts.name),
            );
        }
    }
}
