//! The numbers in a sentence, and whether they show a given number.

use std::ops::Range;

use crate::language::numerals::Numerals;
use crate::language::tag::Language;

/// A number in a string.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Figure {
    /// As written.
    pub(crate) text: String,
    /// Its value as written, before a multiplier such as *million*.
    value: f64,
    /// Number of digits after the decimal sign.
    decimals: u32,
    /// The multiplier: a million for *1.2 million*.
    scale: f64,
    /// Whether a sign or word for per cent follows.
    pub(crate) percent: bool,
    /// Whether *times* follows.
    pub(crate) times: bool,
    /// Whether it counts records or a part of a whole: *12 records*, *12 of 30*.
    part: bool,
    /// Position of its digits in the text, in bytes.
    pub(crate) at: Range<usize>,
    /// The word that follows, in a language whose number words are not known.
    unknown: Option<String>,
}

impl Figure {
    /// Returns whether this is `actual`, rounded to the decimals that are shown.
    pub(crate) fn shows(&self, actual: f64) -> bool {
        // Only a share may be rounded to zero.
        if self.value == 0.0 && !self.percent {
            return actual == 0.0;
        }
        let unit = 10_f64.powi(-i32::try_from(self.decimals).unwrap_or(i32::MAX));
        let slack = 1e-13 * (1.0 + self.value.abs());
        (actual.abs() / self.scale - self.value).abs() <= unit / 2.0 + slack
    }

    /// Returns whether `shown` may repeat this number of the question: the same number, which does
    /// not become a share, a ratio or a part of a whole.
    pub(crate) fn may_be_repeated_as(&self, shown: &Self) -> bool {
        let states = |figure: &Self| (figure.percent, figure.times, figure.part);
        self.equals(shown) && states(self) == states(shown) && self.unknown == shown.unknown
    }

    /// Returns whether this number is larger.
    pub(crate) fn is_more_than(&self, other: &Self) -> bool {
        self.value * self.scale > other.value * other.scale
    }

    /// Returns the number as it is written, with its multiplier.
    pub(crate) fn number(&self) -> f64 {
        self.value * self.scale
    }

    /// Returns whether it counts records or is a share of them.
    pub(crate) fn counts_records(&self) -> bool {
        self.part || self.percent
    }

    /// Returns whether both are the same number, in any spelling.
    pub(crate) fn equals(&self, other: &Self) -> bool {
        // Signs such as `²` and `½` have no value here, but they may be repeated as they are.
        self.value * self.scale == other.value * other.scale
            || (self.value.is_nan() && self.text == other.text)
    }
}

/// Returns all numbers of an English text, or of data. Understands `1,234`, `1 234` with a narrow
/// or no-break space, `12.5`, `12,5`, `%`, *per cent*, *thousand* to *trillion*, and *times*. A
/// minus sign is not part of the number.
pub(crate) fn figures(text: &str) -> Vec<Figure> {
    figures_in(text, Language::ENGLISH)
}

/// Returns all numbers of a string, read by the rules of its language: in German `1.234` is more
/// than a thousand.
pub(crate) fn figures_in(text: &str, language: Language) -> Vec<Figure> {
    let numerals = language.numerals();
    let (offsets, characters): (Vec<usize>, Vec<char>) =
        text.char_indices().map(|(at, c)| (at, western(c))).unzip();
    let offset = |at: usize| offsets.get(at).copied().unwrap_or(text.len());

    let mut found = Vec::new();
    let mut at = 0;
    while at < characters.len() {
        let end = match characters[at] {
            digit if digit.is_ascii_digit() => number_end(&characters, at, numerals),
            // `km²` is a unit.
            '²' | '³' if at > 0 && characters[at - 1].is_alphabetic() => {
                at += 1;
                continue;
            }
            sign if sign.is_numeric() => at + 1,
            _ => {
                at += 1;
                continue;
            }
        };
        let written: String = characters[at..end].iter().collect();
        found.push(read(
            &written,
            &characters[end..],
            numerals,
            offset(at)..offset(end),
        ));
        at = end;
    }

    found
}

/// Returns the ASCII form of a decimal digit of any script, or of an Arabic decimal or group sign.
fn western(character: char) -> char {
    if let Some(sign) = [('\u{66b}', '.'), ('\u{66c}', ',')]
        .iter()
        .find(|(arabic, _)| *arabic == character)
    {
        return sign.1;
    }

    const ZEROS: [u32; 14] = [
        0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50,
        0xff10,
    ];
    let code = u32::from(character);
    let digit = ZEROS
        .iter()
        .filter_map(|zero| code.checked_sub(*zero))
        .find(|digit| *digit < 10);
    digit
        .and_then(|digit| char::from_digit(digit, 10))
        .unwrap_or(character)
}

/// Returns the end of the number that starts at `start`.
fn number_end(text: &[char], start: usize, numerals: &Numerals) -> usize {
    let digits = |from: usize| {
        text[from.min(text.len())..]
            .iter()
            .take_while(|c| c.is_ascii_digit())
            .count()
    };

    // Groups of three digits.
    let mut end = start + digits(start);
    if end - start <= 3 && numerals.may_group(text[start]) {
        while end < text.len() && numerals.groups.contains(&text[end]) && digits(end + 1) == 3 {
            end += 4;
        }
    }

    // Decimals, unless the number is part of a longer one such as a date.
    if end < text.len() {
        let decimals = digits(end + 1);
        let after = end + 1 + decimals;
        let continues = text.get(after) == Some(&'.') && digits(after + 1) > 0;
        let is_continuation =
            start > 1 && text[start - 1] == '.' && text[start - 2].is_ascii_digit();
        let is_small = end - start == 1 && text[start] == '0';
        if numerals.has_decimals(text[end], decimals, is_small, continues || is_continuation) {
            end = after;
        }
    }

    end
}

/// Reads a number with the words after it.
fn read(written: &str, after: &[char], numerals: &Numerals, at: Range<usize>) -> Figure {
    let decimal_at = numerals.decimal_at(written);
    let mut plain = String::new();
    let mut decimals = 0;
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
    Figure {
        text: written.to_owned(),
        value: plain.parse().unwrap_or(f64::NAN),
        decimals,
        scale: numerals.scale(word),
        percent: numerals.is_share(word),
        times: numerals.is_ratio(word),
        part: numerals.is_part(word),
        unknown: numerals.unknown_word(word).map(str::to_owned),
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
        let texts = |text| {
            figures(text)
                .into_iter()
                .map(|figure| figure.text)
                .collect::<Vec<_>>()
        };
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
        assert!(
            !one("½ of them").shows(0.5),
            "a sign has no value of its own"
        );
    }

    #[test]
    fn a_number_of_the_question_is_no_count_and_no_share() {
        let asked = one("at 120 knots");
        assert!(asked.may_be_repeated_as(&one("at 120 kn")));
        for stated in ["120 records", "120 of 165 are", "120 %"] {
            assert!(!asked.may_be_repeated_as(&figures(stated)[0]), "{stated}");
        }
    }

    #[test]
    fn numbers_are_read_as_the_language_writes_them() {
        for (code, text, value) in [
            ("de", "1.234 Datensätze", 1234.0),
            ("de", "1.234.567,5 km", 1_234_567.5),
            ("de", "60,5 %", 60.5),
            ("de", "60.5 %", 60.5),
            ("de", "0.606 Anteile", 0.606),
            ("de", "1,234 Tonnen", 1.234),
            ("de", "1,2 Mio. Flüge", 1_200_000.0),
            ("fr", "1 234 vols", 1234.0),
            ("fr", "1\u{202f}234,5 km", 1234.5),
            ("es", "1.234 registros", 1234.0),
            ("es", "3 mil millones", 3e9),
            ("it", "12 mila voli", 12_000.0),
            ("pt", "2,5 milhões", 2_500_000.0),
            ("nl", "1.234 vogels", 1234.0),
            ("ja", "1,234 件", 1234.0),
            ("ar", "١٢٫٥", 12.5),
        ] {
            let all = figures_in(text, code.parse().unwrap());
            assert!(
                all.len() == 1 && all[0].shows(value),
                "{code} {text}: {all:?}"
            );
        }

        let wrong = |code: &str, text: &str, value| {
            let all = figures_in(text, code.parse().unwrap());
            assert!(!all[0].shows(value), "{code} {text}: {all:?}");
        };
        wrong("de", "1.234 Datensätze", 1.234);
        wrong("de", "1,234 Datensätze", 1234.0);
        wrong("es", "5 mil", 5.0);
        wrong("ru", "5 миллионов", 5.0);
        wrong("ja", "3万件", 3.0);
    }

    #[test]
    fn dates_of_other_languages_are_several_numbers() {
        let texts = |text| -> Vec<String> {
            figures_in(text, "de".parse().unwrap())
                .into_iter()
                .map(|figure| figure.text)
                .collect()
        };
        assert_eq!(texts("am 12.03.2024"), ["12", "03", "2024"]);
        assert_eq!(texts("2024-03-12, 12. März"), ["2024", "03", "12", "12"]);
        assert_eq!(texts("Ende 2024 165 Fälle"), ["2024", "165"]);
    }

    #[test]
    fn words_of_other_languages_say_what_a_number_is() {
        let one = |code: &str, text: &str| figures_in(text, code.parse().unwrap()).remove(0);

        for (code, text) in [
            ("de", "60 Prozent"),
            ("fr", "60 pour cent"),
            ("es", "60 por ciento"),
            ("it", "60 per cento"),
        ] {
            assert!(one(code, text).percent, "{text}");
        }
        for (code, text) in [
            ("de", "2,5-mal so viele"),
            ("de", "3 Mal"),
            ("fr", "2 fois"),
            ("es", "2 veces"),
        ] {
            assert!(one(code, text).times, "{text}");
        }

        assert!(!one("de", "3 Malariafälle").times);
        for (code, asked, stated) in [
            ("de", "bei 120 Knoten", "120 Datensätze"),
            ("de", "bei 120 Knoten", "120 von 165"),
            ("fr", "à 120 nœuds", "120 enregistrements"),
            ("es", "a 120 nudos", "120 de 165"),
            ("ru", "при 120 узлах", "120 записей"),
        ] {
            assert!(
                !one(code, asked).may_be_repeated_as(&one(code, stated)),
                "{code} {stated}"
            );
            assert!(
                one(code, asked).may_be_repeated_as(&one(code, asked)),
                "{code} {asked}"
            );
        }
    }
}
