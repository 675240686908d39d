//! Finds values of which the question contains only a distinctive part, such as `American` for
//! `AMERICAN AIRLINES`.

use std::collections::HashMap;

use research_agents_report::evidence::plain;
use research_agents_report::text::{Word, nearly, stems};

use crate::data::task::FieldKind;
use crate::question::interpret::field::is_prose;
use crate::question::interpret::reader::Reader;
use crate::question::lexicon;

/// The least share of the weight of a value's words that a part must have to mean the value.
const TELLING_SHARE: f64 = 0.6;

/// The weight of a word that all values of a field contain.
const COMMON_WEIGHT: f64 = 0.05;

/// The maximum number of values of a field in which the beginning of a value means the value.
const FEW_VALUES: usize = 12;

/// The maximum number of words of a value whose beginning means the value.
const SHORT_VALUE: usize = 4;

/// The minimum number of letters of a part.
const SHORTEST: usize = 4;

/// The maximum number of values of a field that a common noun such as `gull` may end to mean all of
/// them.
const KINDS: usize = 10;
/// At most one in this many values of the field may end with the common noun.
const SHARE_OF_KINDS: usize = 3;

impl Reader<'_, '_> {
    /// Takes parts that mean values of exactly one field, the longest part first.
    pub(crate) fn read_partial_values(&mut self) {
        let lexica: Vec<Lexicon> = (0..self.fields.len())
            .map(|field| Lexicon::new(self, field))
            .collect();
        for length in (1..=4).rev() {
            for start in 0..(self.words.len() + 1).saturating_sub(length) {
                if self.free(start, start + length) && self.may_be_part(start, start + length) {
                    self.read_part(start, start + length, &lexica);
                }
            }
        }
    }

    /// Reads a part: it sets a filter if it means values of one field.
    fn read_part(&mut self, start: usize, end: usize, lexica: &[Lexicon]) {
        let stems: Vec<String> = self.words[start..end]
            .iter()
            .map(|word| word.stem.clone())
            .collect();
        let part: Vec<&str> = stems.iter().map(String::as_str).collect();

        // The fields of which it means values.
        let common = !self.is_proper(start);
        let certain: Vec<(usize, Vec<usize>)> = lexica
            .iter()
            .enumerate()
            .map(|(field, lexicon)| {
                let named = part.len() > 1 || self.named_near(field, start, end);
                let means = |value: &usize| {
                    (named && lexicon.tells(&part, *value))
                        || (common && lexicon.begins(&part, *value))
                        || self.misspells(start, end, &lexicon.values[*value])
                };
                let found: Vec<usize> = (0..lexicon.values.len()).filter(means).collect();
                let kinds = found.is_empty() && common && part.len() == 1;
                (field, if kinds { lexicon.kinds(part[0]) } else { found })
            })
            .filter(|(_, found)| !found.is_empty())
            .collect();

        match certain.as_slice() {
            [(field, found)] if found.len() == 1 || lexica[*field].kinds(part[0]) == *found => {
                for &value in found {
                    self.taken[start..end].fill(false);
                    let value = self.fields[*field].facts.values[value].clone();
                    self.settle_value(*field, value, start, end, "");
                }
            }
            [] => self.doubt(start, end, &part, lexica),
            _ => {}
        }
    }

    /// Reports which value a part may mean, if the question does not name the field.
    fn doubt(&mut self, start: usize, end: usize, part: &[&str], lexica: &[Lexicon]) {
        let tells = |field: usize| {
            (0..lexica[field].values.len()).filter(move |value| lexica[field].tells(part, *value))
        };
        let likely: Vec<(usize, usize)> = (0..lexica.len())
            .flat_map(|field| tells(field).map(move |value| (field, value)))
            .collect();
        if let [(field, value)] = likely.as_slice() {
            let facts = self.fields[*field].facts;
            let why = format!(
                "it may mean {} = {}; name the field to apply it",
                facts.name,
                plain(&facts.values[*value])
            );
            self.refuse(start, end, &why);
        }
    }

    /// Returns whether words can be a part of a value: they are long enough, and are neither
    /// numbers nor words of a field's name.
    fn may_be_part(&self, start: usize, end: usize) -> bool {
        let said = &self.words[start..end];
        let is_field_word = |stem: &str| {
            self.fields
                .iter()
                .any(|field| field.words.iter().any(|word| word.stem == stem))
        };
        let letters: usize = said.iter().map(|word| word.lower.chars().count()).sum();
        // `off` of `take-off` belongs to a word, `off` alone does not.
        let hyphenated = said.len() > 1 && self.gap(end - 1) == "-";
        letters >= SHORTEST
            && !lexicon::is_stop(&said[0].lower)
            && (hyphenated || !lexicon::is_stop(&said[said.len() - 1].lower))
            && !said.iter().any(Word::is_number)
            && !said.iter().any(|word| is_field_word(&word.stem))
            && (start + 1..end).all(|index| !self.breaks(index))
    }

    /// Returns whether a word is written as a proper noun: its first letter is a capital within a
    /// sentence.
    pub(crate) fn is_proper(&self, index: usize) -> bool {
        index > 0 && !self.breaks(index) && self.words[index].text.starts_with(char::is_uppercase)
    }

    /// Returns whether a word misspells a value of one word.
    fn misspells(&self, start: usize, end: usize, value: &[String]) -> bool {
        end == start + 1
            && value.len() == 1
            && !self.is_known(start)
            && nearly(&self.words[start].stem, &value[0])
    }
}

/// The values of a field as stems, and the number of values that contain each stem.
struct Lexicon {
    values: Vec<Vec<String>>,
    frequency: HashMap<String, usize>,
}

impl Lexicon {
    fn new(reader: &Reader<'_, '_>, field: usize) -> Self {
        let facts = reader.fields[field].facts;
        let values: Vec<Vec<String>> = match facts.kind {
            FieldKind::Text if !is_prose(facts) => facts
                .values
                .iter()
                .map(|value| stems(&plain(value)))
                .collect(),
            _ => Vec::new(),
        };

        let mut frequency: HashMap<String, usize> = HashMap::new();
        for value in &values {
            let mut distinct: Vec<&String> = value.iter().collect();
            distinct.sort_unstable();
            distinct.dedup();
            for stem in distinct {
                *frequency.entry(stem.clone()).or_default() += 1;
            }
        }

        Self { values, frequency }
    }

    /// Returns whether a part begins a value, in a field of few values. Only a common noun may be
    /// read so: `landing` means `Landing Roll`, but `Canada` does not mean `Canada goose`.
    fn begins(&self, part: &[&str], value: usize) -> bool {
        let value = &self.values[value];
        let letters: usize = part.iter().map(|word| word.len()).sum();
        let joined = value.len() > 2 && part.len() == 1 && value[..2].concat() == part[0];
        let begins = value.len() > part.len() && value.iter().zip(part).all(|(a, b)| a == b);
        (begins || joined)
            && value.len() <= SHORT_VALUE
            && self.values.len() <= FEW_VALUES
            && letters >= SHORTEST
    }

    /// Returns whether a part is in a value and contains most of what distinguishes it from others.
    fn tells(&self, part: &[&str], value: usize) -> bool {
        let value = &self.values[value];
        let within =
            value.len() > part.len() && value.windows(part.len()).any(|window| window == part);
        within
            && self.weight(part.iter().copied()) / self.weight(value.iter().map(String::as_str))
                >= TELLING_SHARE
    }

    /// Returns the values that are kinds of what a common noun names, such as `Herring gull` for
    /// `gull`.
    fn kinds(&self, noun: &str) -> Vec<usize> {
        let is_kind = |value: &[String]| match value {
            [modifiers @ .., head] => {
                head == noun
                    && (1..=2).contains(&modifiers.len())
                    && modifiers.iter().all(|word| !lexicon::is_stop(word))
                    && modifiers.iter().any(|word| !lexicon::is_weak_value(word))
            }
            [] => false,
        };
        let found: Vec<usize> = (0..self.values.len())
            .filter(|&value| is_kind(&self.values[value]))
            .collect();
        if found.len() <= KINDS && found.len() * SHARE_OF_KINDS <= self.values.len() {
            found
        } else {
            Vec::new()
        }
    }

    /// Returns the weight of words: the sum of their inverse document frequencies (Spärck Jones,
    /// 1972) over the field's values.
    fn weight<'s>(&self, stems: impl Iterator<Item = &'s str>) -> f64 {
        #[expect(
            clippy::cast_precision_loss,
            reason = "the number of values of a field is small"
        )]
        let all = self.values.len() as f64;
        stems
            .map(|stem| {
                #[expect(
                    clippy::cast_precision_loss,
                    reason = "the number of values of a field is small"
                )]
                let frequency = self.frequency.get(stem).map_or(1.0, |&count| count as f64);
                (all.max(1.0) / frequency).ln() + COMMON_WEIGHT
            })
            .sum()
    }
}
