//! The numbers that a sentence shows, and whether a true number may be written so.

use std::ops::Range;

/// A number in a text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Figure {
    /// As written.
    pub(crate) text: String,
    /// Its value as written, before a multiplier such as *million*.
    value: f64,
    decimals: u32,
    scale: f64,
    /// It is followed by a sign or word for per cent.
    pub(crate) percent: bool,
    /// It is followed by *times*.
    pub(crate) times: bool,
    /// A number of records follows: *12 records*, or *12 of 30*.
    part: bool,
    /// Where its digits stand in the text, in bytes.
    pub(crate) at: Range<usize>,
}

impl Figure {
    /// Whether `actual`, rounded to the decimals that are shown, is this figure.
    pub(crate) fn shows(&self, actual: f64) -> bool {
        // What is written as zero is zero; only a share may round to it.
        if self.value == 0.0 && !self.percent {
            return actual == 0.0;
        }
        let unit = 10_f64.powi(-i32::try_from(self.decimals).unwrap_or(i32::MAX));
        let slack = 1e-13 * (1.0 + self.value.abs());
        (actual.abs() / self.scale - self.value).abs() <= unit / 2.0 + slack
    }

    /// Whether a number of the question may be shown so: not as a share, a ratio or a part of a whole that it was not.
    pub(crate) fn may_be_repeated_as(&self, shown: &Self) -> bool {
        let states = |figure: &Self| (figure.percent, figure.times, figure.part);
        self.equals(shown) && states(self) == states(shown)
    }

    /// Whether this number is larger.
    pub(crate) fn is_more_than(&self, other: &Self) -> bool {
        self.value * self.scale > other.value * other.scale
    }

    /// Whether both are the same number, however written.
    pub(crate) fn equals(&self, other: &Self) -> bool {
        // Signs such as `²` or `½` have no value here; they may be repeated as they are.
        self.value * self.scale == other.value * other.scale || (self.value.is_nan() && self.text == other.text)
    }
}

/// All numbers of a text. Understands `1,234`, `1 234` with a narrow or no-break space, `12.5`, `12,5`, `%`, *per cent*,
/// *thousand* to *trillion*, and *times*. A sign is not part of the figure.
pub(crate) fn figures(text: &str) -> Vec<Figure> {
    let (offsets, characters): (Vec<usize>, Vec<char>) = text.char_indices().map(|(at, c)| (at, western(c))).unzip();
    let offset = |at: usize| offsets.get(at).copied().unwrap_or(text.len());
    let mut found = Vec::new();
    let mut at = 0;
    while at < characters.len() {
        let end = match characters[at] {
            digit if digit.is_ascii_digit() => number_end(&characters, at),
            sign if sign.is_numeric() => at + 1,
            _ => {
                at += 1;
                continue;
            }
        };
        let written: String = characters[at..end].iter().collect();
        found.push(read(&written, &characters[end..], offset(at)..offset(end)));
        at = end;
    }
    found
}

/// A decimal digit of another script as the ASCII one.
fn western(character: char) -> char {
    const ZEROS: [u32; 14] =
        [0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xff10];
    let code = u32::from(character);
    let digit = ZEROS.iter().filter_map(|zero| code.checked_sub(*zero)).find(|digit| *digit < 10);
    digit.and_then(|digit| char::from_digit(digit, 10)).unwrap_or(character)
}

/// Where the number that starts at `start` ends.
fn number_end(text: &[char], start: usize) -> usize {
    let digits = |from: usize| text[from..].iter().take_while(|c| c.is_ascii_digit()).count();
    let mut end = start + digits(start);
    if end - start <= 3 {
        while end < text.len() && is_separator(text[end]) && digits(end + 1) == 3 {
            end += 4;
        }
    }
    if end < text.len() && matches!(text[end], '.' | ',') {
        let decimals = digits(end + 1);
        let is_decimal = if text[end] == '.' { decimals > 0 } else { (1..=2).contains(&decimals) };
        if is_decimal {
            end += 1 + decimals;
        }
    }
    end
}

fn is_separator(character: char) -> bool {
    matches!(character, ',' | '\u{a0}' | '\u{202f}' | '\u{2009}' | '’')
}

fn read(written: &str, after: &[char], at: Range<usize>) -> Figure {
    let mut plain = String::new();
    let mut decimals = 0;
    let decimal_at = written.rfind(['.', ',']).filter(|at| {
        let tail = written.len() - at - 1;
        written.as_bytes()[*at] == b'.' || tail < 3
    });
    for (place, character) in written.char_indices() {
        if character.is_ascii_digit() {
            plain.push(character);
            decimals += u32::from(decimal_at.is_some_and(|point| place > point));
        } else if Some(place) == decimal_at {
            plain.push('.');
        }
    }
    let rest: String = after.iter().take(16).collect::<String>().to_lowercase();
    let word = rest.trim_start_matches([' ', '\u{a0}', '\u{202f}', '-']);
    let scale = match word.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default() {
        "thousand" => 1e3,
        "million" | "millions" => 1e6,
        "billion" | "billions" => 1e9,
        "trillion" | "trillions" => 1e12,
        _ => 1.0,
    };
    Figure {
        text: written.to_owned(),
        value: plain.parse().unwrap_or(f64::NAN),
        decimals,
        scale,
        percent: ["%", "percent", "per cent", "pct"].iter().any(|sign| word.starts_with(sign)),
        times: word.starts_with("times") || word.starts_with('×'),
        part: word.starts_with("record")
            || word.strip_prefix("of ").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit())),
        at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Figure {
        let mut all = figures(text);
        assert_eq!(all.len(), 1, "{text}: {all:?}");
        all.remove(0)
    }

    #[test]
    fn numbers_are_read_in_the_usual_spellings() {
        for (text, value) in [
            ("99 records", 99.0),
            ("1,234 records", 1234.0),
            ("1\u{202f}234\u{202f}567 records", 1_234_567.0),
            ("60.5 %", 60.5),
            ("60,5 %", 60.5),
            ("1,234.5", 1234.5),
            ("the 42.", 42.0),
            ("1.2 million", 1_200_000.0),
        ] {
            let figure = one(text);
            assert!(figure.shows(value), "{text}: {figure:?}");
        }
    }

    #[test]
    fn lists_and_dates_are_several_numbers() {
        let texts = |text| figures(text).into_iter().map(|figure| figure.text).collect::<Vec<_>>();
        assert_eq!(texts("3, 4 and 5"), ["3", "4", "5"]);
        assert_eq!(texts("1995-03-02"), ["1995", "03", "02"]);
        assert_eq!(texts("B-737-300"), ["737", "300"]);
    }

    #[test]
    fn signs_of_share_and_ratio_are_seen() {
        assert!(one("60.0 % of all").percent);
        assert!(one("60 percent").percent);
        assert!(!one("60 persons").percent);
        assert!(one("2.5 times as many").times);
    }

    #[test]
    fn a_rounded_number_shows_the_exact_one_and_no_other() {
        assert!(one("60.6 %").shows(60.606_06));
        assert!(!one("60.7 %").shows(60.606_06));
        assert!(one("1.2 million").shows(1_234_567.0));
        assert!(!one("98").shows(99.0));
    }

    #[test]
    fn what_is_written_as_zero_is_zero() {
        assert!(!one("0").shows(0.004) && one("0").shows(0.0));
        assert!(one("0.0 %").shows(0.004), "a share may round to it");
    }

    #[test]
    fn digits_of_other_scripts_are_numbers_too() {
        assert!(one("٩٩٩ records").shows(999.0) && one("９９ records").shows(99.0));
        assert!(!one("½ of them").shows(0.5), "a sign has no value of its own");
    }

    #[test]
    fn a_number_of_the_question_is_no_count_and_no_share() {
        let asked = one("at 120 knots");
        assert!(asked.may_be_repeated_as(&one("at 120 kn")));
        for stated in ["120 records", "120 of 165 are", "120 %"] {
            assert!(!asked.may_be_repeated_as(&figures(stated)[0]), "{stated}");
        }
    }
}
