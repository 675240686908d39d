//! The state of reading a question: its items, which of them are used, and the reading so far.

pub(crate) mod asked;

use research_agents_report::evidence::plain;
use serde_json::Value;

use crate::data::filters::operation::Operation;
use crate::data::task::FieldKind;
use crate::question::lexicon;
use crate::question::read::cut::field::{Field, NameWord};
use crate::question::read::cut::items::{FieldMatch, Item};
use crate::question::read::cut::schema::Schema;
use crate::question::read::reader::asked::Asked;
use crate::question::read::words::concepts::concepts;
use crate::question::read::words::tokens::Token;
use crate::question::read::words::vocabulary::{Role, Vocabulary};
use crate::question::reading::{Condition, Lookup, Outcome, QuestionReading, WordsOfFields};

/// A question that is being read.
pub(crate) struct Reader<'a, 'q, 'f> {
    pub(crate) question: &'q str,
    pub(crate) tokens: &'a [Token<'q>],
    pub(crate) vocabulary: &'a Vocabulary,
    pub(crate) schema: &'a Schema<'f>,
    pub(crate) found: &'a Lookup,
    pub(crate) items: Vec<Item>,
    /// Fields that the user means where words fit several.
    pub(crate) preferred: Vec<usize>,
    /// By item, whether it is negated.
    pub(crate) negated: Vec<bool>,
    pub(crate) out: QuestionReading,
    pub(crate) asked: Asked,
}

impl<'a, 'q, 'f> Reader<'a, 'q, 'f> {
    /// Begins to read the items of a question.
    pub(crate) fn new(
        question: &'q str,
        tokens: &'a [Token<'q>],
        vocabulary: &'a Vocabulary,
        schema: &'a Schema<'f>,
        found: &'a Lookup,
        items: Vec<Item>,
    ) -> Self {
        let out = QuestionReading {
            language: vocabulary.code.to_owned(),
            ..QuestionReading::default()
        };

        Self {
            question,
            tokens,
            vocabulary,
            schema,
            found,
            negated: vec![false; items.len()],
            items,
            preferred: Vec::new(),
            out,
            asked: Asked::default(),
        }
    }
}

impl<'f> Reader<'_, '_, 'f> {
    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    pub(crate) fn has(&self, at: usize, role: Role) -> bool {
        self.items.get(at).is_some_and(|item| item.has(role))
    }

    pub(crate) fn has_any(&self, at: usize, roles: &[Role]) -> bool {
        self.items.get(at).is_some_and(|item| item.has_any(roles))
    }

    pub(crate) fn field(&self, at: usize) -> &Field<'f> {
        &self.schema.fields[at]
    }

    pub(crate) fn name(&self, field: usize) -> &'f str {
        &self.schema.fields[field].facts.name
    }

    pub(crate) fn kind(&self, field: usize) -> FieldKind {
        self.schema.fields[field].facts.kind
    }

    /// Returns whether a field holds numbers that are quantities.
    pub(crate) fn is_number(&self, field: usize) -> bool {
        self.kind(field) == FieldKind::Number
    }

    /// Returns whether a field holds quantities: numbers that are neither truth values nor
    /// identifiers.
    pub(crate) fn is_quantity(&self, field: usize) -> bool {
        let facts = self.field(field);
        self.is_number(field) && facts.truth.is_none() && !facts.is_identifier
    }

    /// Returns the text of items as it is in the question.
    pub(crate) fn said(&self, start: usize, end: usize) -> &str {
        let (Some(first), Some(last)) = (self.items.get(start), self.items.get(end.max(1) - 1))
        else {
            return "";
        };
        let (from, to) = (
            self.tokens[first.start].start,
            self.tokens[last.end - 1].end,
        );
        self.question.get(from..to).unwrap_or_default()
    }

    /// Returns an item in lower case, and an empty text behind the last one.
    pub(crate) fn said_small(&self, at: usize) -> String {
        match at < self.len() {
            true => self.said(at, at + 1).to_lowercase(),
            false => String::new(),
        }
    }

    pub(crate) fn lower(&self, at: usize) -> &str {
        self.items
            .get(at)
            .map_or("", |item| self.tokens[item.start].lower.as_str())
    }

    /// Returns the text before an item.
    pub(crate) fn gap(&self, at: usize) -> &str {
        match self.items.get(at) {
            Some(item) => self.tokens[item.start].gap,
            None => self
                .tokens
                .last()
                .map_or("", |token| &self.question[token.end..]),
        }
    }

    /// Returns whether a clause ends before an item.
    pub(crate) fn breaks(&self, at: usize) -> bool {
        self.items
            .get(at)
            .is_none_or(|item| self.tokens[item.start].breaks())
    }

    pub(crate) fn take(&mut self, start: usize, end: usize) {
        let end = end.min(self.items.len());
        if start < end {
            self.items[start..end]
                .iter_mut()
                .for_each(|item| item.used = true);
        }
    }

    /// Returns the first item from a place on that is not a function word.
    pub(crate) fn skip(&self, at: usize) -> usize {
        self.skip_roles(at, &[Role::Stop, Role::Of, Role::All])
    }

    pub(crate) fn skip_roles(&self, mut at: usize, roles: &[Role]) -> usize {
        while self.items.get(at).is_some_and(|item| {
            item.has_any(roles)
                && item.values.iter().all(|value| value.needs_field)
                && item.fields.is_empty()
        }) {
            at += 1;
        }
        at
    }

    /// Returns where the sentence that asks begins, after its function words: the last one that
    /// begins with a verb or a question word, and else the first.
    pub(crate) fn opener(&self) -> usize {
        const ASKS: &[Role] = &[
            Role::Is,
            Role::Which,
            Role::What,
            Role::Who,
            Role::Where,
            Role::When,
            Role::How,
            Role::HowMany,
            Role::HowMuch,
        ];
        let link = [Role::Stop, Role::And, Role::But];

        let begins = |at: &usize| self.gap(*at).trim_end().ends_with(['.', '!', '?']);
        // `were there` is a verb too, and `who was` asks.
        let skip = |from: usize| {
            let end = self.skip_roles(from, &link);
            (from..end)
                .find(|at| self.has_any(*at, ASKS))
                .unwrap_or(end)
        };
        let later = (1..self.len()).filter(begins);
        let mut openers = later.map(skip);
        let asking = openers.rfind(|at| self.has_any(*at, ASKS));
        asking.unwrap_or_else(|| skip(0))
    }

    /// Returns the item before one that is not a function word.
    pub(crate) fn before(&self, at: usize) -> Option<usize> {
        (0..at).rev().find(|&before| {
            !self.items[before].has_any(&[Role::Stop, Role::Of])
                || !self.items[before].fields.is_empty()
        })
    }

    /// Records what became of a condition.
    pub(crate) fn condition(&mut self, said: &str, outcome: Outcome) {
        let condition = Condition {
            said: said.trim().to_owned(),
            outcome,
        };
        if !self.out.conditions.contains(&condition) {
            self.out.conditions.push(condition);
        }
    }

    pub(crate) fn applied(&mut self, said: &str, field: usize) {
        let field = self.name(field).to_owned();
        self.condition(said, Outcome::Applied { field });
    }

    pub(crate) fn refused(&mut self, said: &str, why: &str) {
        self.condition(
            said,
            Outcome::NotApplied {
                why: why.to_owned(),
            },
        );
    }

    pub(crate) fn derive(&mut self, said: &str, gives: &str) {
        self.out
            .derived
            .push(format!("“{}” gives {gives}", said.trim()));
    }

    /// Returns the field that an item names best among those that fit, and notes that others fit
    /// equally.
    pub(crate) fn choose(
        &mut self,
        at: usize,
        fits: impl Fn(&Self, usize) -> bool,
    ) -> Option<usize> {
        let item = self.items.get(at)?;
        let fitting: Vec<FieldMatch> = item
            .fields
            .iter()
            .filter(|found| fits(self, found.field))
            .cloned()
            .collect();
        let best = fitting.first()?;
        let preferred = fitting
            .iter()
            .find(|found| self.preferred.contains(&found.field));
        if let Some(preferred) = preferred {
            return Some(preferred.field);
        }

        // Fields that the words name in part are alternatives, however long their names are.
        let general = |field: usize| {
            let words = &self.field(field).words;
            words.iter().any(|word| is_general(&word.lower))
        };
        let is_general = general(best.field);
        let is_alike = |found: &&FieldMatch| {
            if is_general && found.field != best.field && !general(found.field) {
                return false;
            }
            if best.is_full && best.score >= 1000 && !found.is_full {
                return false;
            }
            let is_part = !best.is_full && found.score * 3 >= best.score;
            let are_numbers = self.is_number(best.field) && self.is_number(found.field);
            found.score == best.score || (is_part && are_numbers)
        };
        let equal: Vec<&FieldMatch> = fitting.iter().filter(is_alike).collect();
        let said_elsewhere = equal
            .iter()
            .find(|found| self.is_said_elsewhere(at, found.field));
        if let Some(found) = said_elsewhere {
            let names = self.field(found.field).words.iter();
            let names: Vec<String> = names.map(|word| word.lower.clone()).collect();
            let field = found.field;
            // The number that told the fields apart is read.
            let is_read = |condition: &Condition| {
                let last = condition.said.split_whitespace().next_back();
                !condition.is_applied()
                    && last.is_some_and(|last| names.iter().any(|name| name == last))
            };
            self.out.conditions.retain(|condition| !is_read(condition));
            return Some(field);
        }
        let fields: Vec<usize> = equal.iter().map(|found| found.field).collect();
        let best = self.latest(&fields).unwrap_or(best.field);
        if fields.len() > 1 {
            let said = self.said(at, at + 1).to_owned();
            self.doubt(said, best, &fields);
        }
        if let Some(known) = &self.items[at].respelt {
            let note = format!("“{}” is read as “{known}”", self.said(at, at + 1));
            if !self.out.notes.contains(&note) {
                self.out.notes.push(note);
            }
        }
        Some(best)
    }

    /// Notes that words fit several fields, the one that is taken first.
    fn doubt(&mut self, said: String, best: usize, fields: &[usize]) {
        let others = fields.iter().filter(|field| **field != best);
        let fits = std::iter::once(&best).chain(others);
        let fits = fits.map(|field| (self.name(*field).to_owned(), None));
        let doubt = WordsOfFields {
            said,
            fits: fits.collect(),
        };
        if !self.out.doubtful.contains(&doubt) {
            self.out.doubtful.push(doubt);
        }
    }

    /// Returns the latest of the fields whose names differ from the first one's by a year only, as
    /// `population_2011` and `population_2021`.
    fn latest(&self, fields: &[usize]) -> Option<usize> {
        let parts = |field: usize| {
            let words = self.field(field).words.iter();
            let (years, rest): (Vec<&str>, Vec<&str>) = words
                .map(|word| word.lower.as_str())
                .partition(|word| is_year(word));
            match years.as_slice() {
                [year] => Some((rest, year.parse::<i32>().ok()?)),
                _ => None,
            }
        };

        let (first, _) = parts(*fields.first()?)?;
        let same = fields.iter().filter_map(|field| {
            let (rest, year) = parts(*field)?;
            (rest == first).then_some((year, *field))
        });
        let same: Vec<(i32, usize)> = same.collect();
        let last = same.iter().max().filter(|_| same.len() > 1);
        last.map(|(_, field)| *field)
    }

    /// Returns whether an unread word elsewhere in the question is another word of the name of a
    /// field, as *worldwide* in `the highest-grossing film worldwide`.
    fn is_said_elsewhere(&self, at: usize, field: usize) -> bool {
        let own = &self.items[at];
        let is_here = |name: &NameWord| {
            let tokens = &self.tokens[own.start..own.end];
            tokens.iter().any(|token| token.stem == name.stem)
        };
        let words = &self.field(field).words;
        let mut rest = words
            .iter()
            .filter(|name| !name.is_filler && !is_here(name));

        let is_said = |name: &NameWord| {
            let items = self.items.iter().enumerate();
            // A year in a name is said although no field of years took it.
            let is_year = name.lower.chars().all(|c| c.is_ascii_digit());
            let others = items.filter(|(place, item)| *place != at && (!item.used || is_year));
            let mut tokens = others.flat_map(|(_, item)| &self.tokens[item.start..item.end]);
            tokens.any(|token| token.stem == name.stem)
        };
        rest.any(is_said)
    }

    /// Removes the conditions on years that only tell which field is meant: *2018* of
    /// `births_2018`.
    pub(crate) fn drop_years_of_names(&mut self) {
        let out = &self.out;
        let measured = out.measures.iter().map(|measure| measure.field.clone());
        let names: Vec<String> = measured.chain(out.wanted.iter().cloned()).collect();
        let is_of_name = |said: &str| {
            let digits: String = said.chars().filter(char::is_ascii_digit).collect();
            digits.len() == 4 && names.iter().any(|name| name.contains(&digits))
        };
        self.out
            .conditions
            .retain(|condition| condition.is_applied() || !is_of_name(&condition.said));
        self.out.unread.retain(|word| !is_of_name(word));
    }

    /// Returns the field that an item names best among those that fit, without a note.
    pub(crate) fn peek(&self, at: usize, fits: impl Fn(&Self, usize) -> bool) -> Option<usize> {
        let item = self.items.get(at)?;
        let mut fitting = item.fields.iter().filter(|found| fits(self, found.field));
        let best = fitting.next()?;
        let preferred = fitting.find(|found| self.preferred.contains(&found.field));
        Some(preferred.unwrap_or(best).field)
    }

    /// Returns a field of numbers, or one of dates where the concept is time, that an adjective
    /// measures, and whether it holds times.
    pub(crate) fn measured_by(&mut self, names: &[String], said: &str) -> Option<(usize, bool)> {
        for concept in names {
            let with: Vec<usize> = {
                let mut fields: Vec<(u32, usize)> = Vec::new();
                // `founded` holds years too.
                let years: Vec<(usize, usize)> = if concept == "year" {
                    self.schema.years().map(|field| (field, 0)).collect()
                } else {
                    Vec::new()
                };
                for &(field, place) in self.schema.with_concept(concept).iter().chain(&years) {
                    let facts = self.field(field);
                    let is_time = matches!(concept.as_str(), "date" | "year");
                    let fits = match facts.facts.kind {
                        FieldKind::Number => !is_time || facts.years.is_some(),
                        FieldKind::Date => is_time,
                        _ => false,
                    };
                    let is_lasting = matches!(concept.as_str(), "duration" | "time");
                    let is_clock = is_lasting && facts.holds_hours_of_day();
                    let is_rate = is_lasting && self.is_rate(field);
                    if !fits || is_clock || is_rate || facts.is_identifier || facts.truth.is_some()
                    {
                        continue;
                    }
                    // A field whose name is the concept alone comes first.
                    let strong = facts.words.iter().filter(|word| !word.is_filler).count();
                    let is_named = facts.words[place].lower == *concept
                        || facts.words.iter().any(|word| is_general(&word.lower));
                    let weight = u32::try_from(strong * 2).unwrap_or(99) - u32::from(is_named);
                    if fields.iter().all(|(_, known)| *known != field) {
                        fields.push((weight, field));
                    }
                }
                fields.sort_unstable();
                fields.into_iter().map(|(_, field)| field).collect()
            };
            let is_by_unit = with.is_empty();
            let with = if is_by_unit {
                self.with_unit_of(concept)
            } else {
                with
            };
            let Some(&first) = with.first() else {
                continue;
            };
            let first = self.latest(&with).unwrap_or(first);
            let chosen = with.iter().find(|field| self.preferred.contains(field));
            let words = |field: usize| {
                self.field(field)
                    .words
                    .iter()
                    .filter(|word| !word.is_filler)
                    .count()
            };
            let is_unclear = with.len() > 1 && (is_by_unit || words(with[1]) == words(first));
            if chosen.is_none() && is_unclear {
                self.doubt(said.to_owned(), first, &with);
            }
            let field = *chosen.unwrap_or(&first);
            let is_time = self.kind(field) == FieldKind::Date || self.field(field).years.is_some();
            return Some((field, is_time));
        }

        // `the fastest runner` needs the least time.
        if names.first().is_some_and(|first| first == "speed") {
            let timed = (0..self.schema.fields.len()).find(|field| {
                let words = &self.field(*field).words;
                self.is_quantity(*field) && words.iter().any(|word| word.lower == "time")
            });
            if let Some(field) = timed {
                return Some((field, false));
            }
        }
        let sizes = self.with_size(names);
        let preferred = sizes.iter().find(|field| self.preferred.contains(field));
        let field = *preferred.or(sizes.first())?;
        if sizes.len() > 1 && preferred.is_none() {
            self.doubt(said.to_owned(), field, &sizes);
        }
        Some((field, false))
    }

    /// Returns the quantities that `biggest` may mean where no field is called a size; those that
    /// add up first.
    fn with_size(&self, names: &[String]) -> Vec<usize> {
        if names.first().is_none_or(|first| first != "size") {
            return Vec::new();
        }
        let mut quantities: Vec<usize> = (0..self.schema.fields.len())
            .filter(|field| self.is_quantity(*field) && self.field(*field).years.is_none())
            .filter(|field| {
                !self
                    .field(*field)
                    .words
                    .iter()
                    .any(|word| word.lower == "rank")
            })
            .collect();
        quantities.sort_by_key(|field| !self.adds_up(*field));
        quantities
    }

    /// Returns whether a field is named like a price, a rate or another number that does not add
    /// up.
    pub(crate) fn is_intensive(&self, field: usize) -> bool {
        let field = self.field(field);
        let mut words = field.words.iter();
        is_ratio(&field.facts.name) || words.any(|word| concepts().is_intensive(&word.stem))
    }

    /// Returns whether the sum of a field is meaningful.
    pub(crate) fn adds_up(&self, field: usize) -> bool {
        let is_intensive = self.is_intensive(field);
        let field = self.field(field);
        let known = concepts();
        let is_additive = field.words.iter().any(|word| {
            known.is_additive(&word.stem)
                || lexicon::adds_up(&word.stem)
                || known.ends_additive(&word.lower)
        });
        is_additive && !is_intensive && field.years.is_none() && !field.is_identifier
    }

    /// Adds a value to the filter of a field: several are alternatives.
    pub(crate) fn add_value(&mut self, field: usize, value: Value) {
        let name = self.name(field).to_owned();
        match self.out.filters.get_mut(&name) {
            None => drop(self.out.filters.insert(name, value)),
            Some(Value::Array(values)) => {
                if !values.contains(&value) {
                    values.push(value);
                }
            }
            Some(Value::Object(_)) => {}
            Some(known) if *known != value => *known = Value::Array(vec![known.clone(), value]),
            Some(_) => {}
        }
    }

    /// Adds a part of an object condition, such as `gte` or `missing`. A narrower bound wins.
    pub(crate) fn add_part(&mut self, field: usize, key: &str, value: Value) {
        let name = self.name(field).to_owned();
        let condition = self
            .out
            .filters
            .entry(name)
            .or_insert_with(|| Value::Object(Default::default()));

        if let Value::Object(parts) = condition {
            match (key, parts.get_mut(key)) {
                ("not", Some(Value::Array(values))) => {
                    if !values.contains(&value) {
                        values.push(value);
                    }
                }
                ("not", Some(known)) if *known != value => {
                    *known = Value::Array(vec![known.clone(), value]);
                }
                ("not", Some(_)) => {}
                _ => drop(parts.insert(key.to_owned(), value)),
            }
        }
    }

    /// Returns a value in words.
    pub(crate) fn plain(value: &Value) -> String {
        plain(value)
    }
}

/// Returns whether a field of a name is computed as a ratio.
fn is_ratio(name: &str) -> bool {
    Operation::split(name).is_some_and(|(_, operation, _)| operation == Operation::Over)
}

/// Returns whether a word of a name says that the field is the most general of its kind.
fn is_general(word: &str) -> bool {
    matches!(word, "total" | "overall" | "body")
}

/// Returns whether a word of a name is a year.
fn is_year(word: &str) -> bool {
    let is_number = word.len() == 4 && word.chars().all(|c| c.is_ascii_digit());
    is_number && matches!(&word[..2], "18" | "19" | "20")
}

/// Returns a number as JSON, whole where it is.
pub(crate) fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 9e15 {
        Value::from(value as i64)
    } else {
        serde_json::Number::from_f64(value).map_or(Value::Null, Value::Number)
    }
}
