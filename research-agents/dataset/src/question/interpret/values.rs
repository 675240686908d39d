//! Finds values of the schema in the question: whole values, the longest first, regardless of case
//! and ending.

use std::collections::HashMap;

use research_agents_report::evidence::plain;
use research_agents_report::text::{fold, stems};
use serde_json::Value;

use crate::data::task::FieldKind;
use crate::question::interpret::field::is_prose;
use crate::question::interpret::reader::Reader;
use crate::question::lexicon;

/// The maximum number of words of a value that is searched for.
const LONGEST: usize = 8;

/// Values that say that there is nothing of what their field is about.
const ABSENCES: &[&str] = &["nil", "no", "none", "nothing"];

/// A denied value is turned into a filter for all others only when they are so few.
const MOST_ALTERNATIVES: usize = 60;

impl Reader<'_, '_> {
    /// Reads `field = value`, `field: value` and `field "value"`: values that are not in the schema
    /// can be given so.
    pub(crate) fn read_explicit_pairs(&mut self) {
        for index in 0..self.words.len() {
            let Some(phrase) = self.weak_phrase(index) else {
                continue;
            };

            // A sign or a quotation mark must follow the name of the field.
            let gap = self.gap(phrase.end).trim_start();
            let quote = gap
                .trim_start_matches(['=', ':', ' '])
                .starts_with(['"', '“', '\'']);
            let sign = gap.starts_with('=') || (gap.starts_with(':') && phrase.full);
            if phrase.ambiguous
                || !(sign || quote)
                || phrase.end >= self.words.len()
                || self.negated[phrase.end]
            {
                continue;
            }

            // Listed values are found by `read_values`.
            let facts = self.fields[phrase.field].facts;
            if facts.kind != FieldKind::Text || !facts.values.is_empty() {
                continue;
            }

            // The value ends with its quotation mark, or else with its word.
            let from = self.words[phrase.end].start;
            let rest = &self.question[from..];
            let length = if quote {
                rest.find(['"', '”', '\''])
            } else {
                rest.find([' ', ',', ';', '?'])
            };
            let text = rest[..length.unwrap_or(rest.len())].trim_end();
            let end = (phrase.end..self.words.len())
                .find(|&i| self.words[i].start >= from + text.len())
                .unwrap_or(self.words.len());

            let (name, value) = (facts.name.clone(), text.to_owned());
            self.note(phrase.start, end, &format!("{name} = {value}"));
            self.add_value(phrase.field, Value::String(value));
            self.take(phrase.start, end);
        }
    }

    /// Reads `without damage` and `no damage`, where the field of that name has a value such as
    /// `None`.
    pub(crate) fn read_absences(&mut self) {
        for index in 0..self.words.len() {
            if !matches!(self.lower(index), "without" | "no") {
                continue;
            }

            let at = index + 1 + usize::from(matches!(self.lower(index + 1), "any" | "the"));
            let Some(phrase) = self
                .phrase(at)
                .filter(|phrase| phrase.is_strong() && !phrase.ambiguous)
            else {
                continue;
            };

            let facts = self.fields[phrase.field].facts;
            let is_absence = |value: &&Value| ABSENCES.contains(&fold(&plain(value)).as_str());
            if let Some(value) = facts
                .values
                .iter()
                .find(is_absence)
                .filter(|_| facts.kind == FieldKind::Text)
            {
                self.note(
                    index,
                    phrase.end,
                    &format!("{} = {}", facts.name, plain(value)),
                );
                self.add_value(phrase.field, value.clone());
                self.take(index, phrase.end);
            }
        }
    }

    pub(crate) fn read_values(&mut self) {
        let mut index: HashMap<String, Vec<(usize, usize)>> = HashMap::new();
        let mut longest = 0;
        for (f, field) in self.fields.iter().enumerate() {
            if !matches!(field.facts.kind, FieldKind::Text) {
                continue;
            }
            for (v, value) in field.facts.values.iter().enumerate() {
                let stems = stems(&plain(value));
                longest = longest.max(stems.len());
                let key = stems.concat();
                if !key.is_empty() {
                    index.entry(key).or_default().push((f, v));
                }
            }
        }

        // A value of one word may be written as two (`take off`), hence one more.
        for length in (1..=(longest + 1).min(LONGEST)).rev() {
            for start in 0..(self.words.len() + 1).saturating_sub(length) {
                if !self.free(start, start + length) {
                    continue;
                }
                let key: String = self.words[start..start + length]
                    .iter()
                    .map(|word| word.stem.as_str())
                    .collect();
                if let Some(found) = index.get(&key) {
                    self.read_value(start, start + length, &found.clone());
                }
            }
        }
    }

    fn read_value(&mut self, start: usize, end: usize, found: &[(usize, usize)]) {
        let mut fitting: Vec<(usize, usize, bool)> = found
            .iter()
            .map(|&(field, value)| (field, value, self.named_near(field, start, end)))
            .filter(|&(field, value, named)| {
                named || self.stands_alone(start, end, &self.fields[field].facts.values[value])
            })
            .collect();

        // `Which valve leaks?` asks for a valve that the texts name, in any field.
        if self.asks_which(start, end) {
            fitting
                .retain(|&(field, _, named)| named || self.fields[field].says_what_a_record_is());
        }

        let prefers = |field: usize| self.preferred.contains(&field);
        fitting.sort_by_key(|&(field, _, named)| {
            (
                !named,
                !prefers(field),
                self.fields[field].facts.values.len(),
                field,
            )
        });
        let Some(&(field, value, named)) = fitting.first() else {
            return;
        };

        let mut alike: Vec<(usize, Option<Value>)> = Vec::new();
        for &(other, value, _) in fitting.iter().filter(|other| other.2 == named) {
            if alike.iter().all(|(known, _)| *known != other) {
                alike.push((other, Some(self.fields[other].facts.values[value].clone())));
            }
        }

        self.doubt_fields(start, end, &alike);
        let others: Vec<&str> = fitting
            .iter()
            .filter(|other| other.0 != field)
            .map(|other| self.fields[other.0].facts.name.as_str())
            .collect();
        let facts = self.fields[field].facts;
        let alternative = if others.is_empty() {
            String::new()
        } else {
            format!(" (also a value of {})", others.join(", "))
        };

        self.settle_value(field, facts.values[value].clone(), start, end, &alternative);
    }

    /// Adds a value to the filters, or to the denied values where it is negated.
    pub(crate) fn settle_value(
        &mut self,
        field: usize,
        value: Value,
        start: usize,
        end: usize,
        remark: &str,
    ) {
        if self.negated[start] {
            self.denied
                .push((field, value, self.span(start, end).to_owned()));
        } else {
            self.note(
                start,
                end,
                &format!(
                    "{} = {}{remark}",
                    self.fields[field].facts.name,
                    plain(&value)
                ),
            );
            self.add_value(field, value);
        }

        self.take(start, end);
    }

    /// Returns whether a common noun in the singular is what `which` asks for, and there are texts
    /// that may name it.
    fn asks_which(&self, start: usize, end: usize) -> bool {
        let asks = start
            .checked_sub(1)
            .is_some_and(|before| matches!(self.lower(before), "which" | "what"));
        let noun = &self.words[start];
        let is_noun = end == start + 1
            && !noun.lower.ends_with('s')
            && noun.text.starts_with(char::is_lowercase);
        let ends = |index: usize| index >= self.words.len() || self.breaks(index);
        let is_function_word = |index: usize| ends(index) || lexicon::is_stop(self.lower(index));

        // What follows is a verb, and not the noun that the value says more of: `which valve leaks
        // were found?`
        let is_head = if is_function_word(end) {
            true
        } else {
            let is_verb = self.lower(end).ends_with('s') || self.lower(end).ends_with("ed");
            is_verb
                && is_function_word(end + 1)
                && (ends(end + 1) || !lexicon::is_auxiliary(self.lower(end + 1)))
        };

        asks && is_noun && is_head && self.fields.iter().any(|field| is_prose(field.facts))
    }

    /// Returns whether words mean a value even where nothing names its field: ordinary words,
    /// numbers and single letters do not, and short codes such as `IN` only as they are spelt.
    fn stands_alone(&self, start: usize, end: usize, value: &Value) -> bool {
        let said = &self.words[start..end];
        if said
            .iter()
            .all(|word| lexicon::is_weak_value(&word.lower) || word.is_number())
            || self.span(start, end).chars().count() < 2
        {
            // `IT` in capitals is a code, `it` is not; a single letter or a number is neither.
            return said.len() == 1
                && said[0].text.len() >= 2
                && !said[0].is_number()
                && self.spelt_as(start, end, value)
                && is_code(said[0].text);
        }
        let short = said.len() == 1 && said[0].text.chars().count() <= 3 && said[0].text.is_ascii();
        !short || self.spelt_as(start, end, value)
    }

    fn spelt_as(&self, start: usize, end: usize, value: &Value) -> bool {
        let span = self.span(start, end);
        let value = plain(value);
        span == value || (!is_code(&value) && fold(span) == fold(&value))
    }

    /// Turns a denied value into a filter for all other values of its field, if the schema lists
    /// them.
    pub(crate) fn settle_denials(&mut self) {
        let denied = std::mem::take(&mut self.denied);
        let mut fields: Vec<usize> = denied.iter().map(|(field, ..)| *field).collect();
        fields.dedup();

        for field in fields {
            let facts = self.fields[field].facts;
            let of_field: Vec<&(usize, Value, String)> =
                denied.iter().filter(|(f, ..)| *f == field).collect();
            let said = of_field
                .iter()
                .map(|(.., said)| said.as_str())
                .collect::<Vec<_>>()
                .join(", ");
            if self.out.filters.contains_key(&facts.name) {
                continue;
            }

            let others: Vec<Value> = facts
                .values
                .iter()
                .filter(|value| !of_field.iter().any(|(_, denied, _)| denied == *value))
                .cloned()
                .collect();
            if others.is_empty() || facts.values.len() > MOST_ALTERNATIVES {
                self.out.refused.push(format!(
                    "“not {said}” (too many other values of {})",
                    facts.name
                ));
                continue;
            }

            self.out.derived.push(format!(
                "“not {said}” gives all other values of {}",
                facts.name
            ));
            for value in others {
                self.add_value(field, value);
            }
        }
    }
}

/// Returns whether a string is a short code in capitals.
fn is_code(text: &str) -> bool {
    text.len() <= 3
        && text
            .chars()
            .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit())
}
