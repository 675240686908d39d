//! Reads numbers: which field they measure, by unit, by the words around them, and how they
//! compare.

use research_agents_report::evidence::plain;

use crate::data::task::FieldKind;
use crate::question::interpret::reader::{Reader, number};
use crate::question::lexicon;
use crate::question::lexicon::measure::Comparison;

/// The least evidence that ties a number to a field: one word of measure.
const LEAST_EVIDENCE: f64 = 0.9;

/// A field that a number measures, with the words that say so.
struct Measured {
    field: usize,
    /// One past the last word after the number that belongs to it.
    end: usize,
    /// Words before the number that name the field.
    before: Vec<usize>,
    /// A word right after the number names the field or its unit.
    by_unit: bool,
    evidence: f64,
}

/// A number, or a range of two, as the question writes it.
struct Figure {
    /// The first word of the comparison.
    start: usize,
    /// One past the last word of the number.
    end: usize,
    comparison: Comparison,
    low: f64,
    /// The other end of a range.
    high: Option<f64>,
}

impl Reader<'_, '_> {
    pub(crate) fn read_numbers_and_dates(&mut self) {
        let mut index = 0;
        while index < self.words.len() {
            let next = if self.taken[index] {
                index
            } else {
                self.read_quantity(index)
            };
            index = next.max(index + 1);
        }
    }

    /// Reads the number or date at a word, and returns where reading continues.
    fn read_quantity(&mut self, index: usize) -> usize {
        let figure = self.figure(index);
        let measured = figure.as_ref().and_then(|figure| self.measured(figure));
        if let Some(times) = self.times_from(index) {
            let by_unit = measured.as_ref().is_some_and(|m| m.by_unit);
            let is_bare = times.moments[0].is_bare_year();
            if !by_unit
                && (!is_bare || self.year_is_meant(index, measured.is_some()))
                && let Some(end) = self.read_times(index, times)
            {
                return end;
            }
        }
        match (figure, measured) {
            (Some(figure), Some(measured)) => self.apply(&figure, &measured),
            (Some(figure), None) => figure.end,
            (None, _) => index + 1,
        }
    }

    fn apply(&mut self, figure: &Figure, measured: &Measured) -> usize {
        let (comparison, end) = self
            .comparison_after(measured.end)
            .unwrap_or((figure.comparison, measured.end));
        let name = self.fields[measured.field].facts.name.clone();

        if self.negated[figure.end - 1] {
            self.refuse(figure.start, end, "a denied number cannot be filtered by");
        } else if let Some(high) = figure.high {
            self.add_bound(measured.field, "gte", number(figure.low.min(high)));
            self.add_bound(measured.field, "lte", number(figure.low.max(high)));
            let gives = format!(
                "{name} from {} to {}",
                plain(&number(figure.low)),
                plain(&number(high))
            );
            self.note(figure.start, end, &gives);
        } else {
            self.add_number(measured.field, comparison, figure.low);
            let sign = match comparison {
                Comparison::Equal => "=",
                Comparison::Above => ">",
                Comparison::AtLeast => "≥",
                Comparison::Below => "<",
                Comparison::AtMost => "≤",
            };
            let gives = format!("{name} {sign} {}", plain(&number(figure.low)));
            self.note(
                measured
                    .before
                    .iter()
                    .copied()
                    .min()
                    .unwrap_or(figure.start)
                    .min(figure.start),
                end,
                &gives,
            );
        }

        self.take(figure.start, end);
        for &word in &measured.before {
            self.take(word, word + 1);
        }

        end
    }

    /// Returns the number at a word with its comparison, and the second number of a range.
    fn figure(&self, index: usize) -> Option<Figure> {
        let (low, end) = self.number_at(index)?;
        let (comparison, start) = self.comparison_before(index);
        let from = start.checked_sub(1).map(|before| self.lower(before));
        let opens = matches!(from, Some("between" | "from")) || self.lower(start) == "from";
        let dash = matches!(self.gap(end).trim(), "-" | "–" | "…" | "..");
        let joins = matches!(self.lower(end), "to" | "through")
            || (self.lower(end) == "and" && from == Some("between"));
        let second = if dash { end } else { end + 1 };
        if (dash || joins)
            && (opens || dash || self.lower(end) == "to")
            && let Some((high, end)) = self.number_at(second)
        {
            let start = if matches!(from, Some("between" | "from")) {
                start - 1
            } else {
                start
            };
            return Some(Figure {
                start,
                end,
                comparison: Comparison::Equal,
                low,
                high: Some(high),
            });
        }

        Some(Figure {
            start,
            end,
            comparison,
            low,
            high: None,
        })
    }

    /// Returns the value of the number at a word, with `thousand` and the like, and where it ends.
    fn number_at(&self, index: usize) -> Option<(f64, usize)> {
        let word = self.words.get(index).filter(|word| word.is_number())?;
        let value: f64 = word.text.replace([',', '_'], "").parse().ok()?;
        let currency = self.gap(index).ends_with(['$', '€', '£']);
        let factor = match self.lower(index + 1) {
            "thousand" | "k" => 1e3,
            "million" => 1e6,
            "m" if currency => 1e6,
            "billion" | "bn" => 1e9,
            _ => return Some((value, index + 1)),
        };
        Some((value * factor, index + 2))
    }

    /// Returns the comparison written before a number, and where it begins.
    pub(crate) fn comparison_before(&self, index: usize) -> (Comparison, usize) {
        let sign = self.gap(index).trim_end_matches(['$', '€', '£', ' ']);
        for (text, comparison) in [
            (">=", Comparison::AtLeast),
            ("≥", Comparison::AtLeast),
            ("<=", Comparison::AtMost),
            ("≤", Comparison::AtMost),
            (">", Comparison::Above),
            ("<", Comparison::Below),
        ] {
            if sign.ends_with(text) {
                return (comparison, index);
            }
        }

        for (phrase, comparison) in lexicon::BEFORE_NUMBER {
            let Some(start) = index.checked_sub(phrase.len()) else {
                continue;
            };
            if phrase
                .iter()
                .enumerate()
                .all(|(k, word)| self.lower(start + k) == *word)
            {
                return (*comparison, start);
            }
        }

        let preposition = index > 0
            && matches!(
                self.lower(index - 1),
                "at" | "in" | "of" | "with" | "on" | "during"
            );

        (
            Comparison::Equal,
            if preposition && !self.taken[index - 1] {
                index - 1
            } else {
                index
            },
        )
    }

    fn comparison_after(&self, end: usize) -> Option<(Comparison, usize)> {
        if self.gap(end).starts_with('+') {
            return Some((Comparison::AtLeast, end));
        }
        lexicon::AFTER_NUMBER
            .iter()
            .find(|(phrase, _)| {
                phrase
                    .iter()
                    .enumerate()
                    .all(|(k, word)| self.lower(end + k) == *word)
            })
            .map(|(phrase, comparison)| (*comparison, end + phrase.len()))
    }

    /// Returns the numeric field with most evidence around a number: its unit, its name, or an
    /// adjective of its measure.
    fn measured(&self, figure: &Figure) -> Option<Measured> {
        let mut found: Vec<Measured> = (0..self.fields.len())
            .filter(|&field| self.fields[field].facts.kind == FieldKind::Number)
            .map(|field| self.evidence(field, figure))
            .filter(|measured| measured.evidence >= LEAST_EVIDENCE)
            .collect();

        // Of equal evidence a total goes first, then the first field.
        found.sort_by(|a, b| {
            let total = |m: &Measured| {
                self.fields[m.field]
                    .words
                    .iter()
                    .any(|word| word.lower == "total")
            };
            b.evidence
                .total_cmp(&a.evidence)
                .then_with(|| total(b).cmp(&total(a)))
                .then(a.field.cmp(&b.field))
        });
        found.into_iter().next()
    }

    fn evidence(&self, field: usize, figure: &Figure) -> Measured {
        let names = &self.fields[field].words;
        let measures = |unit: &str| names.iter().any(|name| lexicon::measures(unit, &name.stem));
        let mut measured = Measured {
            field,
            end: figure.end,
            before: Vec::new(),
            by_unit: false,
            evidence: 0.0,
        };

        let mut weight = 2.0;
        let mut at = figure.end;
        while at < self.words.len() && at < figure.end + 4 && !self.breaks(at) && !self.taken[at] {
            let by_name = names.iter().find(|name| self.is_name_word(at, name));
            // `heavier` of `heavier than` refers to the number after it.
            let is_unit = measures(self.lower(at)) && self.lower(at + 1) != "than";
            match by_name {
                Some(name) if !lexicon::is_stop(&name.lower) => {
                    measured.evidence += if name.weak { 0.4 } else { weight }
                }
                _ if is_unit => measured.evidence += weight * 0.6,
                _ if self.lower(at) == "of" => {
                    at += 1;
                    continue;
                }
                _ => break,
            }
            measured.by_unit = true;
            weight -= 0.3;
            at += 1;
            measured.end = at;
        }

        let currency = self.gap(figure.end - 1).ends_with(['$', '€', '£'])
            || self.gap(figure.end).starts_with(['€', '$']);
        let percent = self.gap(figure.end).starts_with('%');
        if (currency && measures("$")) || (percent && measures("%")) {
            measured.evidence += 1.2;
            measured.by_unit = true;
        }
        if (figure.start..figure.end).any(|index| measures(self.lower(index))) {
            measured.evidence += 1.0;
        }

        let mut weight = 1.5;
        for index in (figure.start.saturating_sub(6)..figure.start).rev() {
            if self.words[index].is_number()
                || self.breaks(index + 1)
                || matches!(self.lower(index), "by" | "per")
            {
                break;
            }
            if self.taken[index] {
                continue;
            }
            let named = names
                .iter()
                .find(|name| self.is_name_word(index, name) && !lexicon::is_stop(&name.lower));
            if let Some(name) = named {
                measured.evidence += if name.weak { 0.3 } else { weight };
                measured.before.push(index);
            } else if measures(self.lower(index)) {
                measured.evidence += weight * 0.7;
            }
            weight -= 0.1;
        }
        measured
    }
}
