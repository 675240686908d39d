//! Finds typed values in a string.

use std::ops::Range;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::language::Language;
use crate::text::words::fold;
use crate::trust::value::model::{Bound, Date, Quantity, Unit, Value, Version};
use crate::trust::value::number::{self, Digits};
use crate::trust::value::number_words::{joins, number_word, scale_word, value_of};
use crate::trust::value::{date, units};

/// A value at its place in a string.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Typed {
    /// The value.
    pub value: Value,
    /// Its place in bytes, with its unit and the words that bound it.
    pub span: Range<usize>,
    /// The place of its digits or number words alone.
    pub core: Range<usize>,
}

/// Bounding phrases, the longest first.
static BOUNDS: LazyLock<Vec<(String, Bound)>> = LazyLock::new(|| {
    let mut bounds = Vec::new();
    for line in include_str!("../../../rules/bounds.txt").lines() {
        let Some((kind, phrases)) = line.split_once(' ') else {
            continue;
        };
        let bound = match kind {
            "least" => Bound::AtLeast,
            "more" => Bound::More,
            "most" => Bound::AtMost,
            "less" => Bound::Less,
            "about" => Bound::About,
            _ => continue,
        };
        bounds.extend(
            phrases
                .split('|')
                .map(|phrase| (fold(phrase.trim()), bound)),
        );
    }
    bounds.sort_by_key(|(phrase, _)| std::cmp::Reverse(phrase.len()));
    bounds
});

/// Words between the two ends of a range.
const RANGES: [&str; 12] = [
    "-", "–", "—", "to", "through", "bis", "à", "a", "al", "até", "..", "and",
];

/// Words before a year.
const BEFORE_YEAR: &str = "in since by from until till during of year before after late early mid \
    around circa spring summer autumn fall winter im seit bis vor nach ab jahr jahre en depuis \
    avant apres annee desde hasta nel dal dopo ano em the";

/// Words before a version.
const BEFORE_VERSION: &str = "version versions release releases ver v rel versión versao versione \
    versión versione";

/// Returns the numbers, dates and versions of a string in order. They do not overlap.
pub fn values(text: &str, language: Language) -> Vec<Typed> {
    let mut found: Vec<Typed> = Vec::new();
    let mut at = 0;

    while let Some(c) = text[at..].chars().next() {
        let next = at + c.len_utf8();
        if !c.is_alphanumeric() {
            at = next;
            continue;
        }

        let reader = Reader { text, language, at };
        match reader.value() {
            // Neither side of a power is the number that is meant.
            Some(typed) if is_in_power(text, &typed.core) => at = typed.core.end.max(next),
            Some(typed) => {
                at = typed.span.end.max(next);
                push(text, typed, &mut found);
            }
            None => at = reader.chunk_end(),
        }
    }

    found
}

/// Returns whether a number has an exponent, or is one: *2^48*.
fn is_in_power(text: &str, core: &Range<usize>) -> bool {
    let before = text[..core.start].trim_end_matches(['-', '−']);
    before.ends_with('^') || text[core.end..].starts_with('^')
}

/// Adds a value. A quantity that follows one of a larger unit of the same dimension is a part of
/// it: *1 h 30 min*.
fn push(text: &str, typed: Typed, found: &mut Vec<Typed>) {
    if let Some(last) = found.last_mut()
        && let (Value::Number(whole), Value::Number(part)) = (&mut last.value, &typed.value)
        && let (Some(large), Some(small)) = (&whole.unit, &part.unit)
        && large.dimension == small.dimension
        && large.offset == 0.0
        && large.factor > small.factor
        && !whole.is_range()
        && !part.is_range()
        && matches!(
            text[last.span.end..typed.span.start].trim(),
            "" | "and" | "und"
        )
        && part.low * small.factor < large.factor
    {
        let ratio = small.factor / large.factor;
        whole.low += part.low * ratio;
        whole.high = whole.low;
        whole.precision = part.precision * ratio;
        last.span.end = typed.span.end;
        return;
    }

    found.push(typed);
}

/// Reads the value at a position.
struct Reader<'t> {
    text: &'t str,
    language: Language,
    at: usize,
}

/// A number with the end of what was read.
struct Read {
    low: f64,
    precision: f64,
    end: usize,
    /// A number that is a plain integer of digits.
    is_plain: bool,
    is_word: bool,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// Returns the end of the chunk of characters that are joined without white space.
    fn chunk_end(&self) -> usize {
        let rest = self.rest();
        let stops = |c: char| !(c.is_alphanumeric() || c == '_');
        self.at + rest.find(stops).unwrap_or(rest.len()).max(1)
    }

    fn value(&self) -> Option<Typed> {
        if self.is_within_code() {
            return None;
        }
        if let Some((date, length)) = date::read(self.rest(), self.language) {
            return Some(self.typed(Value::Date(date), self.at..self.at + length));
        }
        if let Some((version, length)) = self.version() {
            return Some(self.typed(Value::Version(version), self.at..self.at + length));
        }

        let first = self.number(self.at)?;
        let core = self.at..first.end;
        if let Some(typed) = self.year(&first) {
            return Some(typed);
        }
        let (mut end, mut unit) = self.unit(&first)?;
        let (mut high, mut precision, mut low) = (first.low, first.precision, first.low);

        if let Some((second, second_end, second_unit)) = self.range_end(end) {
            // *5 to 10 km*: the unit is that of both.
            let same = unit.is_none() || unit == second_unit;
            if second.low > low && same {
                high = second.low;
                precision = precision.min(second.precision);
                (end, unit) = (second_end, second_unit);
            }
        }

        let negative = self.minus();
        if negative > 0 && high == low {
            low = -low;
            high = low;
        }
        if let Some((currency, sign_length)) = self.currency() {
            unit = Some(currency);
            let quantity = self.quantity(low, high, precision, unit);
            let start = self.at - sign_length;
            return Some(self.bounded(quantity, start..end, core));
        }
        let quantity = self.quantity(low, high, precision, unit);
        Some(self.bounded(quantity, self.at - negative..end, core))
    }

    fn typed(&self, value: Value, span: Range<usize>) -> Typed {
        Typed {
            value,
            core: span.clone(),
            span,
        }
    }

    fn quantity(&self, low: f64, high: f64, precision: f64, unit: Option<Unit>) -> Quantity {
        Quantity {
            low,
            high,
            precision,
            bound: Bound::Exact,
            unit,
        }
    }

    /// Returns whether the position is within a word, a path or a code: *utf-8*, *a/5*, *x_2*.
    fn is_within_code(&self) -> bool {
        let before = &self.text[..self.at];
        let mut chars = before.chars().rev();
        let Some(last) = chars.next() else {
            return false;
        };
        let earlier = chars.next();
        last.is_alphanumeric()
            || matches!(last, '_' | '/' | '\\' | '@' | '#' | '`')
            || matches!(last, '-' | '.' | ':' | '’' | '\'' | '+')
                && earlier.is_some_and(|c| c.is_alphanumeric() || c == last)
    }

    /// Returns the length of the minus sign before the position.
    fn minus(&self) -> usize {
        let before = &self.text[..self.at];
        ['-', '−', '–']
            .into_iter()
            .find(|sign| {
                before.strip_suffix(*sign).is_some_and(|before| {
                    before
                        .chars()
                        .next_back()
                        .is_none_or(|c| c.is_whitespace() || "([:=".contains(c))
                })
            })
            .map_or(0, char::len_utf8)
    }

    /// Returns the currency whose sign is before the position, and the length of the sign.
    fn currency(&self) -> Option<(Unit, usize)> {
        let before = &self.text[..self.at];
        let trimmed = before.trim_end_matches([' ', '\u{a0}']);
        let sign = ["$", "€", "£", "¥", "USD", "EUR", "GBP", "CHF"]
            .into_iter()
            .find(|sign| trimmed.ends_with(sign))?;
        Some((
            units::unit(sign)?.clone(),
            before.len() - trimmed.len() + sign.len(),
        ))
    }

    /// Reads a version: `1.2.3`, `v2`, *version 17.2*, `3.0-rc1`.
    fn version(&self) -> Option<(Version, usize)> {
        let rest = self.rest();
        let signed = rest.strip_prefix(['v', 'V']).unwrap_or(rest);
        let sign = rest.len() - signed.len();
        if !signed.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let end = signed
            .find(|c: char| !(c.is_ascii_digit() || c == '.'))
            .unwrap_or(signed.len());
        let written = signed[..end].trim_end_matches('.');
        let numbers: Vec<u64> = written
            .split('.')
            .map(|part| part.parse().ok())
            .collect::<Option<_>>()?;

        let word = last_word(&self.text[..self.at]);
        let named = among(BEFORE_VERSION, &word);
        let is_dated = numbers.len() == 3 && written.split('.').all(|part| part.len() == 3);
        if numbers.len() < 3 && sign == 0 && !named || is_dated {
            return None;
        }

        let after = &signed[written.len()..];
        let suffix = suffix(after);
        let length = sign + written.len() + suffix;
        let next = rest[length..].chars().next();
        if next.is_some_and(|c| c.is_alphanumeric() || c == '_') {
            return None;
        }
        // A number with a unit is not a version: *release 5 MB*.
        let suffix = after[..suffix]
            .trim_start_matches(['-', '~', '+', '.'])
            .to_lowercase();
        Some((Version { numbers, suffix }, length))
    }

    /// Reads the number at a position: digits or number words, with the words that multiply it.
    fn number(&self, at: usize) -> Option<Read> {
        let rest = self.text.get(at..)?;
        if rest.starts_with(|c: char| c.is_ascii_digit()) {
            let digits = number::read(rest, self.language)?;
            return Some(self.scaled(at, digits));
        }

        // Number words, with hyphens, blanks and joining words between them.
        let mut words: Vec<String> = Vec::new();
        let mut end = at;
        let mut from = at;
        let mut value = None;
        loop {
            let word = word_at(self.text, from);
            let folded = fold(word);
            let is_number = number_word(&folded, self.language).is_some();
            let is_scale = scale_word(&folded, self.language).is_some();
            if is_number || (is_scale && !words.is_empty()) {
                let mut more: Vec<&str> = words.iter().map(String::as_str).collect();
                more.push(&folded);
                let Some(sum) = value_of(&more, self.language) else {
                    break;
                };
                value = Some(sum);
                words.push(folded);
                end = from + word.len();
            } else if words.is_empty() || !joins(&folded, self.language) {
                break;
            }
            let after = &self.text[from + word.len()..];
            let Some(sign) = after
                .chars()
                .next()
                .filter(|c| matches!(c, ' ' | '-' | '\n'))
            else {
                break;
            };
            from += word.len() + sign.len_utf8();
        }

        Some(Read {
            low: value?,
            precision: 0.5,
            end,
            is_plain: false,
            is_word: true,
        })
    }

    /// Multiplies digits with the word after them: *1.5 million*.
    fn scaled(&self, at: usize, digits: Digits) -> Read {
        let mut end = at + digits.length;
        let (mut value, mut precision) = (digits.value, digits.precision);
        let mut is_plain = digits.is_plain;
        let after = &self.text[end..];
        let blank = after.len() - after.trim_start_matches([' ', '\u{a0}', '\u{202f}']).len();
        let word = word_at(self.text, end + blank);
        let folded = fold(word);

        if let Some(scale) = scale_word(&folded, self.language).filter(|scale| *scale >= 12.0) {
            value *= scale;
            precision *= scale;
            end += blank + word.len();
            is_plain = false;
        }
        Read {
            low: value,
            precision,
            end,
            is_plain,
            is_word: false,
        }
    }

    /// Returns the unit after a number with its end. `None` if the number is a part of a code.
    fn unit(&self, number: &Read) -> Option<(usize, Option<Unit>)> {
        let after = &self.text[number.end..];
        let glued = after.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        let blank = after.len()
            - after
                .trim_start_matches([' ', '\u{a0}', '\u{202f}', '\n'])
                .len();
        let hyphen = usize::from(blank == 0 && after.starts_with('-'));
        let skipped = blank + hyphen;

        if let Some((unit, length)) = units::unit_at(&after[skipped..]) {
            let spelling = &after[skipped..skipped + length];
            // *5 a*, *3 in the*: short words after a blank are units only if they look like it.
            let is_word = blank > 0
                && matches!(
                    spelling,
                    "in" | "a"
                        | "A"
                        | "an"
                        | "as"
                        | "d"
                        | "t"
                        | "min"
                        | "K"
                        | "V"
                        | "pie"
                        | "go"
                        | "To"
                );
            // *1 t* at the end of a clause is a mass.
            let rest = after[skipped + length..].trim_start();
            let ends = rest.is_empty() || rest.starts_with([',', ';', '.', ')']);
            let is_tonne = spelling == "t" && ends && !number.is_word;
            let doubtful = is_word && !is_tonne && (spelling != "min" || number.is_word)
                || number.is_word && spelling.chars().count() < 3 && !is_symbol(spelling);
            let follows = after[skipped + length..].chars().next();
            let cut = follows.is_some_and(|c| c.is_alphanumeric() || c == '_');
            if !(doubtful && !matches!(spelling, "K" | "V" | "A") || cut) {
                return Some((number.end + skipped + length, Some(unit.clone())));
            }
        }
        (!glued).then_some((number.end, None))
    }

    /// Reads the upper end of a range after the lower one.
    fn range_end(&self, end: usize) -> Option<(Read, usize, Option<Unit>)> {
        let after = &self.text[end..];
        let trimmed = after.trim_start();
        let sign = RANGES.into_iter().find(|sign| {
            trimmed.strip_prefix(sign).is_some_and(|rest| {
                let is_word = sign.starts_with(char::is_alphabetic);
                !is_word || rest.starts_with(char::is_whitespace)
            })
        })?;

        if sign == "and" && !last_word(&self.text[..self.at]).eq("between") {
            return None;
        }
        let from = end + after.len() - trimmed.len() + sign.len();
        let rest = &self.text[from..];
        let from = from + rest.len() - rest.trim_start().len();
        let second = self.number(from)?;
        let reader = Reader { at: from, ..*self };
        let (second_end, unit) = reader.unit(&second)?;
        Some((second, second_end, unit))
    }

    /// Returns a year, which is a plain number of four digits in the context of a date.
    fn year(&self, number: &Read) -> Option<Typed> {
        let value = number.low;
        if !number.is_plain || !(1000.0..=2100.0).contains(&value) || number.end - self.at != 4 {
            return None;
        }
        let after = &self.text[number.end..];
        let before = &self.text[..self.at];
        let word = last_word(before);
        let is_bracketed = before.ends_with('(') && after.starts_with([')', ',']);
        let is_dated = among(BEFORE_YEAR, &word) && before.ends_with(char::is_whitespace);
        let month = date::month(&word).is_some();

        let has_unit = units::unit_at(after.trim_start()).is_some_and(|(_, length)| length > 2);
        if !(is_bracketed || is_dated || month) || has_unit || word == "the" {
            return None;
        }
        #[expect(clippy::cast_possible_truncation, reason = "the year has four digits")]
        let date = Date {
            year: Some(value as i32),
            month: None,
            day: None,
        };
        Some(self.typed(Value::Date(date), self.at..number.end))
    }

    /// Adds the bound that is stated before a quantity.
    fn bounded(&self, mut quantity: Quantity, mut span: Range<usize>, core: Range<usize>) -> Typed {
        let before = self.text[..span.start].trim_end();
        let tail: String = {
            let count = before.chars().count();
            before.chars().skip(count.saturating_sub(24)).collect()
        };
        let folded = fold(&tail);
        let bound = BOUNDS.iter().find(|(phrase, _)| {
            folded.strip_suffix(phrase.as_str()).is_some_and(|rest| {
                !phrase.starts_with(char::is_alphanumeric) || !rest.ends_with(char::is_alphanumeric)
            })
        });

        if let Some((phrase, bound)) =
            bound.filter(|(phrase, _)| phrase != "from" && phrase != "ab")
        {
            quantity.bound = *bound;
            let length: usize = before
                .chars()
                .rev()
                .take(phrase.chars().count())
                .map(char::len_utf8)
                .sum();
            span.start = before.len() - length;
        }
        Typed {
            value: Value::Number(quantity),
            span,
            core,
        }
    }
}

/// Returns the length of the suffix of a version: `-rc1`, `b2`, `-alpha.1`.
fn suffix(after: &str) -> usize {
    let marked = after.trim_start_matches(['-', '~', '+', '.']);
    let marks = after.len() - marked.len();
    let known = ["alpha", "beta", "rc", "pre", "dev", "post", "a", "b"];
    let lower: String = marked.chars().take(16).collect::<String>().to_lowercase();
    let Some(name) = known.iter().find(|name| lower.starts_with(*name)) else {
        return 0;
    };
    let rest = &marked[name.len()..];

    let digits = rest
        .find(|c: char| !(c.is_ascii_digit() || c == '.'))
        .unwrap_or(rest.len());
    let digits = rest[..digits].trim_end_matches('.').len();
    let next = rest[digits..].chars().next();
    if next.is_some_and(char::is_alphanumeric) || marks > 1 {
        0
    } else {
        marks + name.len() + digits
    }
}

/// Returns whether a short unit cannot be a word: *MB*, *km*.
fn is_symbol(spelling: &str) -> bool {
    spelling.chars().count() == 2 && spelling.contains(char::is_uppercase)
        || matches!(spelling, "km" | "kg" | "cm" | "mm" | "ms")
}

/// Returns the word at a position, without points at its end.
fn word_at(text: &str, at: usize) -> &str {
    let rest = text.get(at..).unwrap_or_default();
    let end = rest
        .find(|c: char| !c.is_alphabetic())
        .unwrap_or(rest.len());
    &rest[..end]
}

/// Returns the last word of a string, folded.
fn last_word(text: &str) -> String {
    let trimmed = text.trim_end_matches(|c: char| !c.is_alphanumeric());
    let start = trimmed
        .char_indices()
        .rev()
        .take_while(|(_, c)| c.is_alphanumeric())
        .last()
        .map_or(trimmed.len(), |(at, _)| at);
    // Only blanks may be between the word and the number.
    if text[trimmed.len()..]
        .chars()
        .all(|c| c.is_whitespace() || c == '.')
    {
        fold(&trimmed[start..])
    } else {
        String::new()
    }
}

fn among(list: &str, word: &str) -> bool {
    !word.is_empty() && list.split_ascii_whitespace().any(|listed| listed == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(code: &str, text: &str, expected: &[&str]) {
        let found: Vec<&str> = values(text, code.parse().unwrap())
            .into_iter()
            .map(|typed| &text[typed.span])
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn values_are_found_with_units_and_bounds() {
        check(
            "en",
            "At least 5MB of the 1,024 files, about 30 % or twenty-five.",
            &["At least 5MB", "1,024", "about 30 %", "twenty-five"],
        );
        check(
            "en",
            "from 5 to 10 km, between 3 and 4",
            &["5 to 10 km", "3 and 4"],
        );

        check("en", "It took 1 h 30 min.", &["1 h 30 min"]);
        check("en", "up to 2^48 bytes, or 10^-6 of 5 km", &["5 km"]);
        check(
            "de",
            "rund 1.234,5 km in fünfundzwanzig Tagen",
            &["rund 1.234,5 km", "fünfundzwanzig Tagen"],
        );
        check("en", "It costs $5 or 20 €", &["$5", "20 €"]);
    }

    #[test]
    fn dates_versions_and_codes_are_told_apart() {
        check(
            "en",
            "Python 3.11.2 of 2023-02-08 replaced version 3.10 in 2022.",
            &["3.11.2", "2023-02-08", "3.10", "2022"],
        );
        check("en", "utf-8, x86_64, B-17, a/5, 3D and sha256", &[]);
        check("en", "5 in the box", &["5"]);
    }
}
