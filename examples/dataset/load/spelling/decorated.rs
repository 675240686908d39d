//! Numbers with a unit, separators of thousands, or a decimal comma.

use serde_json::Number;

use super::super::numbers::number;

/// Signs of currencies, and what may stand at them, as in `US$`.
const CURRENCIES: [&str; 20] =
    ["$", "€", "£", "¥", "₹", "₽", "₩", "₺", "₪", "₫", "฿", "₴", "US$", "A$", "C$", "R$", "HK$", "NZ$", "zł", "kr"];
/// Codes of currencies.
const CODES: [&str; 24] = [
    "USD", "EUR", "GBP", "JPY", "CHF", "CAD", "AUD", "NZD", "CNY", "INR", "BRL", "SEK", "NOK", "DKK", "PLN", "CZK",
    "HUF", "RUB", "TRY", "ZAR", "MXN", "KRW", "SGD", "HKD",
];
/// Units that may follow a number without a space.
const UNITS: [&str; 58] = [
    "%", "‰", "°", "°C", "°F", "mm", "cm", "m", "km", "µm", "nm", "in", "ft", "yd", "mi", "mg", "g", "kg", "t", "lb",
    "lbs", "oz", "ml", "mL", "cl", "l", "L", "gal", "m²", "km²", "m2", "km2", "ha", "m³", "m3", "mph", "km/h", "kmh",
    "m/s", "kn", "kt", "kts", "ms", "s", "sec", "min", "h", "hr", "hrs", "hp", "W", "kW", "MW", "kWh", "V", "kB", "MB",
    "GB",
];
/// Longest unit in characters.
const LONGEST_UNIT: usize = 12;

/// How the numbers of a column are written; by default with a decimal point and without a unit.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct NumberStyle {
    /// The decimal mark is a comma, and points separate thousands.
    comma: bool,
    prefix: String,
    suffix: String,
}

impl NumberStyle {
    /// Returns the unit, which is what stands before or behind the numbers.
    pub(crate) fn unit(&self) -> Option<String> {
        [&self.prefix, &self.suffix].into_iter().find(|unit| !unit.is_empty()).cloned()
    }

    /// Reads a number that is written so.
    pub(crate) fn parse(&self, text: &str) -> Option<Number> {
        let parts = Parts::split(text)?;
        if parts.prefix != self.prefix || parts.suffix != self.suffix {
            return None;
        }
        let (decimal, groups) = if self.comma { (',', ". \u{a0}\u{202f}'’") } else { ('.', ", \u{a0}\u{202f}'’") };
        let plain = plain(parts.digits, decimal, groups)?;
        number(&if parts.negative { format!("-{plain}") } else { plain })
    }
}

/// The styles in which all numbers of a column so far can be read.
#[derive(Clone, Debug)]
pub(crate) struct NumberStyles {
    unit: Option<(String, String)>,
    point: bool,
    comma: bool,
    /// All numbers are whole with a decimal point, and with a decimal comma.
    whole: [bool; 2],
    cells: u64,
}

impl Default for NumberStyles {
    fn default() -> Self {
        Self { unit: None, point: true, comma: true, whole: [true; 2], cells: 0 }
    }
}

impl NumberStyles {
    /// Takes a cell into account.
    pub(crate) fn add(&mut self, text: &str) {
        if !self.point && !self.comma {
            return;
        }
        let Some(parts) = Parts::split(text) else {
            (self.point, self.comma) = (false, false);
            return;
        };
        let unit = self.unit.get_or_insert_with(|| (parts.prefix.to_owned(), parts.suffix.to_owned()));
        if unit.0 != parts.prefix || unit.1 != parts.suffix {
            (self.point, self.comma) = (false, false);
            return;
        }

        self.cells += 1;
        let read = |comma: bool| self.style(comma).parse(text);
        let (point, comma) = (self.point.then(|| read(false)).flatten(), self.comma.then(|| read(true)).flatten());
        (self.point, self.comma) = (point.is_some(), comma.is_some());
        for (whole, number) in self.whole.iter_mut().zip([point, comma]) {
            *whole &= number.is_some_and(|number| number.is_i64());
        }
    }

    /// Returns whether a cell of a column of prices is no one price, such as `$5 to $10` or `from $20`: it has the sign of the currency
    /// and digits, and is no number with a unit.
    pub(crate) fn is_spoilt(&self, text: &str) -> bool {
        let has_sign = match &self.unit {
            Some((prefix, suffix)) => [prefix, suffix].iter().any(|unit| is_sign(unit) && text.contains(unit.as_str())),
            None => CURRENCIES.iter().any(|sign| is_sign(sign) && text.contains(sign)),
        };
        has_sign && text.contains(|c: char| c.is_ascii_digit()) && Parts::split(text).is_none()
    }

    /// Returns how many cells are numbers.
    pub(crate) fn cells(&self) -> u64 {
        self.cells
    }

    /// Takes a cell into account that is a whole number in plain notation.
    pub(crate) fn add_plain(&mut self) {
        let unit = self.unit.get_or_insert_with(Default::default);
        let alive = unit.0.is_empty() && unit.1.is_empty();
        self.cells += 1;
        self.point &= alive;
        self.comma &= alive;
    }

    /// Returns the style, and whether all numbers are whole. Where a comma may be either mark it separates thousands, unless the file is
    /// of a country that has decimal commas.
    pub(crate) fn decide(&self, decimal_comma: bool) -> Option<(NumberStyle, bool)> {
        let comma = match (self.point, self.comma) {
            (true, true) => decimal_comma,
            (true, false) => false,
            (false, true) => true,
            (false, false) => return None,
        };
        let style = self.style(comma);
        // One text that ends with a word is no column of numbers.
        let is_word = style.suffix.chars().all(char::is_alphabetic) && !style.suffix.is_empty();
        (self.cells > 1 || !is_word).then_some((style, self.whole[usize::from(comma)]))
    }

    /// Returns whether there was one cell, which may yet turn out to be one of a column with a unit.
    pub(crate) fn is_single(&self) -> bool {
        self.cells == 1 && (self.point || self.comma)
    }

    fn style(&self, comma: bool) -> NumberStyle {
        let (prefix, suffix) = self.unit.clone().unwrap_or_default();
        NumberStyle { comma, prefix, suffix }
    }
}

/// The parts of a written number.
struct Parts<'a> {
    negative: bool,
    prefix: &'a str,
    digits: &'a str,
    suffix: &'a str,
}

impl<'a> Parts<'a> {
    /// Splits a text; nothing when it is no number with a unit.
    fn split(text: &'a str) -> Option<Self> {
        let text = text.trim();
        let (sign, rest) = sign(text);
        let start = rest.find(|c: char| c.is_ascii_digit())?;
        // `.5` and `,5` begin with the mark.
        let start = start - usize::from(start > 0 && matches!(rest.as_bytes()[start - 1], b'.' | b','));
        let (prefix, rest) = rest.split_at(start);
        let (inner, prefix) = sign_behind(prefix);
        let end = end_of_digits(rest);
        let (digits, suffix) = rest.split_at(end);
        let spaced = suffix.starts_with(char::is_whitespace);
        let (prefix, suffix) = (prefix.trim(), suffix.trim());

        let fits = (prefix.is_empty() || is_currency(prefix)) && (suffix.is_empty() || is_unit(suffix, spaced));
        let once = !(sign && inner) && (prefix.is_empty() || suffix.is_empty());
        (fits && once).then_some(Self { negative: sign || inner, prefix, digits, suffix })
    }
}

fn sign(text: &str) -> (bool, &str) {
    match text.strip_prefix(['-', '−']) {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

/// A sign between the currency and the number, as in `$ -5`.
fn sign_behind(prefix: &str) -> (bool, &str) {
    match prefix.trim_end().strip_suffix(['-', '−']) {
        Some(rest) => (true, rest),
        None => (false, prefix),
    }
}

/// Where the digits end: a separator belongs to them when a digit follows.
fn end_of_digits(text: &str) -> usize {
    let mut end = 0;
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let next_is_digit = characters.peek().is_some_and(|(_, next)| next.is_ascii_digit());
        if character.is_ascii_digit() || (".,' ’\u{a0}\u{202f}".contains(character) && next_is_digit) {
            end = at + character.len_utf8();
        } else {
            break;
        }
    }
    end
}

/// Returns whether a unit is the sign of a currency, and not letters that may stand in any text.
fn is_sign(unit: &str) -> bool {
    CURRENCIES.contains(&unit) && !unit.chars().all(char::is_alphabetic)
}

fn is_currency(text: &str) -> bool {
    CURRENCIES.contains(&text) || CODES.contains(&text)
}

fn is_unit(text: &str, spaced: bool) -> bool {
    let of_unit = |c: char| c.is_alphabetic() || "/%‰°²³·".contains(c);
    UNITS.contains(&text)
        || is_currency(text)
        || spaced && text.chars().count() <= LONGEST_UNIT && text.chars().all(of_unit)
}

/// The number in plain notation: groups of three digits joined, and a point as decimal mark.
fn plain(digits: &str, decimal: char, groups: &str) -> Option<String> {
    let (whole, fraction) = match digits.split_once(decimal) {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (digits, None),
    };
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !fraction.is_none_or(is_digits) {
        return None;
    }

    let separator = whole.chars().find(|c| groups.contains(*c));
    let whole = match separator {
        None if whole.is_empty() && fraction.is_some() => "0".to_owned(),
        None if is_digits(whole) => whole.to_owned(),
        None => return None,
        Some(separator) => {
            let mut parts = whole.split(separator);
            let first = parts.next().filter(|first| is_digits(first) && first.len() <= 3)?;
            let mut joined = first.to_owned();
            for part in parts {
                if part.len() != 3 || !is_digits(part) {
                    return None;
                }
                joined.push_str(part);
            }
            joined
        }
    };
    // Leading zeros are those of a code.
    if whole.len() > 1 && whole.starts_with('0') {
        return None;
    }
    Some(fraction.map_or_else(|| whole.clone(), |fraction| format!("{whole}.{fraction}")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(texts: &[&str], decimal_comma: bool) -> Option<(Vec<serde_json::Value>, Option<String>)> {
        let mut styles = NumberStyles::default();
        texts.iter().for_each(|text| styles.add(text));
        let (style, _) = styles.decide(decimal_comma)?;
        let numbers = texts.iter().map(|text| style.parse(text).unwrap().into()).collect();
        Some((numbers, style.unit()))
    }

    #[test]
    fn whole_columns_decide_how_numbers_are_read() {
        for (texts, numbers, unit) in [
            (vec!["1,234", "12", "1,234,567.5"], json!([1234, 12, 1_234_567.5]), None),
            (vec!["1.234,5", "12", "0,25"], json!([1234.5, 12, 0.25]), None),
            (vec!["1 234", "12 345 678"], json!([1234, 12_345_678]), None),
            (vec!["1'234.50", "7"], json!([1234.5, 7]), None),
            (vec!["45%", "-7.5 %"], json!([45, -7.5]), Some("%")),
            (vec!["$1,200", "-$5", "$ -5.50"], json!([1200, -5, -5.5]), Some("$")),
            (vec!["12 km/h", "7 km/h"], json!([12, 7]), Some("km/h")),
            (vec!["12kg", "7.5kg"], json!([12, 7.5]), Some("kg")),
            (vec!["3 pcs", "4 pcs"], json!([3, 4]), Some("pcs")),
            (vec!["5 m2", "6 m2"], json!([5, 6]), Some("m2")),
            (vec!["1,5", "2,75"], json!([1.5, 2.75]), None),
            (vec!["+5", "7"], json!([5, 7]), None),
        ] {
            assert_eq!(
                read(&texts, false),
                Some((numbers.as_array().unwrap().clone(), unit.map(str::to_owned))),
                "{texts:?}"
            );
        }
        assert_eq!(read(&["1,234", "5,678"], true).unwrap().0, [json!(1.234), json!(5.678)]);
    }

    #[test]
    fn what_is_not_of_one_kind_is_no_number() {
        for texts in [
            vec!["12 kg", "7 lb"],
            vec!["$5", "€5"],
            vec!["1,23,456"],
            vec!["1.234,5", "1,234.5"],
            vec!["007", "010"],
            vec!["12 Monkeys"],
            vec!["12A", "14A"],
            vec!["Boeing 737"],
            vec!["10.0.0.1"],
            vec!["5-7"],
            vec!["99999999999999999999"],
            vec!["12:30"],
        ] {
            assert_eq!(read(&texts, false), None, "{texts:?}");
        }
    }
}
