//! The numerals of languages: their decimal and group signs, and the words that change the meaning
//! of a number.

use crate::language::tag::Language;

/// The rules by which a language writes numbers.
#[derive(Debug)]
pub(crate) struct Numerals {
    /// The decimal sign.
    pub(crate) decimal: char,
    /// The sign between groups of thousands that this library writes.
    group: char,
    /// The number of digits from which it writes group signs.
    grouped_from: usize,
    /// Signs between groups of thousands that it reads.
    pub(crate) groups: &'static [char],
    /// An example of a number, for the prompt of a model.
    pub example: &'static str,
    /// Beginnings of words that make a number a share in per cent.
    percent: &'static [&'static str],
    /// Words that make a number a ratio.
    times: &'static [&'static str],
    /// Words that multiply a number.
    scales: &'static [(&'static str, f64)],
    /// Beginnings of words for records.
    records: &'static [&'static str],
    /// Words between a part and its whole: *12 of 30*.
    of: &'static [&'static str],
    /// Whether these words are known. If they are not, any word after a number may change its
    /// meaning.
    has_words: bool,
}

/// Group signs: a point, an apostrophe in either form, and no-break, narrow and thin spaces.
const WITH_POINT: &[char] = &['.', '\u{a0}', '\u{202f}', '\u{2009}', '’', '\''];
/// The same with the common space, which people type in some languages.
const WITH_SPACE: &[char] = &['.', '\u{a0}', '\u{202f}', '\u{2009}', '’', '\'', ' '];

/// English, and data whose numerals are not known: `1,234` is more than a thousand, and `12,5` is
/// twelve and a half.
pub(crate) static ENGLISH: Numerals = Numerals {
    decimal: '.',
    group: ',',
    grouped_from: 4,
    groups: &[',', '\u{a0}', '\u{202f}', '\u{2009}', '’'],
    example: "1,234.5",
    percent: &["%", "percent", "per cent", "pct"],
    times: &["times"],
    scales: &[
        ("thousand", 1e3),
        ("million", 1e6),
        ("millions", 1e6),
        ("billion", 1e9),
        ("billions", 1e9),
        ("trillion", 1e12),
        ("trillions", 1e12),
    ],
    records: &["record"],
    of: &["of"],
    has_words: true,
};

static GERMAN: Numerals = Numerals {
    decimal: ',',
    group: '.',
    grouped_from: 4,
    groups: WITH_POINT,
    example: "1.234,5",
    percent: &["%", "prozent", "percent"],
    times: &["mal", "fach", "fache", "fachen"],
    scales: &[
        ("tausend", 1e3),
        ("million", 1e6),
        ("millionen", 1e6),
        ("mio", 1e6),
        ("milliarde", 1e9),
        ("milliarden", 1e9),
        ("mrd", 1e9),
        ("billion", 1e12),
        ("billionen", 1e12),
    ],
    records: &["datens", "record", "eintr"],
    of: &["von", "der", "aller"],
    has_words: true,
};

static FRENCH: Numerals = Numerals {
    decimal: ',',
    group: '\u{202f}',
    grouped_from: 4,
    groups: WITH_SPACE,
    example: "1 234,5",
    percent: &["%", "pour cent", "pourcent", "p. 100"],
    times: &["fois"],
    scales: &[
        ("mille", 1e3),
        ("million", 1e6),
        ("millions", 1e6),
        ("milliard", 1e9),
        ("milliards", 1e9),
        ("billion", 1e12),
        ("billions", 1e12),
    ],
    records: &["enregistrement", "record"],
    of: &["sur", "de", "des", "d"],
    has_words: true,
};

static SPANISH: Numerals = Numerals {
    decimal: ',',
    group: '.',
    grouped_from: 5,
    groups: WITH_SPACE,
    example: "1.234,5",
    percent: &["%", "por ciento", "por cien"],
    times: &["veces", "vez"],
    scales: &[
        ("mil millones", 1e9),
        ("mil", 1e3),
        ("millón", 1e6),
        ("millones", 1e6),
        ("billón", 1e12),
        ("billones", 1e12),
    ],
    records: &["registro", "record"],
    of: &["de", "del"],
    has_words: true,
};

static ITALIAN: Numerals = Numerals {
    decimal: ',',
    group: '.',
    grouped_from: 4,
    groups: WITH_POINT,
    example: "1.234,5",
    percent: &["%", "per cento", "percento"],
    times: &["volte", "volta"],
    scales: &[
        ("mila", 1e3),
        ("mille", 1e3),
        ("milione", 1e6),
        ("milioni", 1e6),
        ("miliardo", 1e9),
        ("miliardi", 1e9),
        ("bilione", 1e12),
        ("bilioni", 1e12),
    ],
    records: &["record", "registr"],
    of: &["su", "di", "dei", "delle"],
    has_words: true,
};

static PORTUGUESE: Numerals = Numerals {
    decimal: ',',
    group: '.',
    grouped_from: 4,
    groups: WITH_SPACE,
    example: "1.234,5",
    percent: &["%", "por cento"],
    times: &["vezes", "vez"],
    scales: &[
        ("mil milhões", 1e9),
        ("mil", 1e3),
        ("milhão", 1e6),
        ("milhões", 1e6),
        ("bilhão", 1e9),
        ("bilhões", 1e9),
        ("bilião", 1e12),
        ("biliões", 1e12),
        ("trilhão", 1e12),
        ("trilhões", 1e12),
    ],
    records: &["registro", "registo", "record"],
    of: &["de", "dos", "das"],
    has_words: true,
};

/// Beginnings of words in other languages that multiply a number. The value of a number before one
/// of them is unknown.
const MULTIPLIERS: &[&str] = &[
    "milj",
    "milio",
    "miljo",
    "milia",
    "milli",
    "milij",
    "milyo",
    "milya",
    "millj",
    "bilj",
    "bilio",
    "billi",
    "trilj",
    "trili",
    "mlrd",
    "thousand",
    "tusen",
    "tusind",
    "duizend",
    "tysi",
    "tisí",
    "tisu",
    "tiso",
    "tuhat",
    "tuhan",
    "tuhann",
    "tūkst",
    "tūkstanč",
    "tūkstoš",
    "ezer",
    "mijë",
    "ribu",
    "juta",
    "nghìn",
    "ngàn",
    "triệu",
    "tỷ",
    "тыс",
    "тис",
    "хил",
    "хиљ",
    "мил",
    "міл",
    "млн",
    "млр",
    "млрд",
    "χιλι",
    "εκατ",
    "δισ",
    "ألف",
    "آلاف",
    "ملي",
    "هزار",
    "میل",
    "אלף",
    "אלפי",
    "מיל",
    "हज",
    "लाख",
    "करोड",
    "พัน",
    "หมื่น",
    "แสน",
    "ล้าน",
    "十",
    "百",
    "千",
    "万",
    "萬",
    "億",
    "亿",
    "백",
    "천",
    "만",
    "억",
];
/// Short words in other languages that multiply a number.
const SHORT_MULTIPLIERS: &[&str] = &["bin", "mil", "mii", "mld", "mln", "mrd", "tys", "tis"];

/// Languages with a decimal comma, whose words are not known here.
static WITH_COMMA: Numerals = Numerals {
    decimal: ',',
    group: '\u{202f}',
    grouped_from: 4,
    groups: WITH_SPACE,
    example: "1 234,5",
    percent: &["%"],
    times: &[],
    scales: &[],
    records: &[],
    of: &[],
    has_words: false,
};

/// Languages with a decimal point, whose words are not known here.
static WITH_DECIMAL_POINT: Numerals = Numerals {
    decimal: '.',
    group: ',',
    grouped_from: 4,
    groups: &[',', '\u{a0}', '\u{202f}', '\u{2009}', '’'],
    example: "1,234.5",
    percent: &["%"],
    times: &[],
    scales: &[],
    records: &[],
    of: &[],
    has_words: false,
};

/// Codes of the languages with a decimal point, according to the Unicode CLDR.
const POINT: &[&str] = &[
    "am", "ar", "bn", "cy", "fa", "ga", "gu", "ha", "he", "hi", "ja", "km", "kn", "ko", "lo", "ml",
    "mn", "mr", "ms", "mt", "my", "ne", "pa", "si", "sw", "ta", "te", "th", "ti", "ur", "yo", "zh",
    "zu",
];

impl Language {
    /// Returns an example of a number in this language, such as `1,234.5`.
    pub fn number_example(self) -> &'static str {
        self.numerals().example
    }

    /// Returns a number in this language, with this many decimals and without group signs.
    ///
    /// ```
    /// use research_agents_report::language::Language;
    ///
    /// let german: Language = "de".parse()?;
    /// assert_eq!(german.decimal(1234.56, 1), "1234,6");
    /// # Ok::<(), research_agents_report::language::UnknownLanguage>(())
    /// ```
    pub fn decimal(self, number: f64, decimals: usize) -> String {
        let text = format!("{number:.decimals$}");
        if self.numerals().decimal == ',' {
            text.replace('.', ",")
        } else {
            text
        }
    }

    /// Returns a whole number in this language, with its group signs.
    ///
    /// ```
    /// use research_agents_report::language::Language;
    ///
    /// let german: Language = "de".parse()?;
    /// assert_eq!(Language::ENGLISH.count(1_234_567), "1,234,567");
    /// assert_eq!(german.count(1_234), "1.234");
    /// # Ok::<(), research_agents_report::language::UnknownLanguage>(())
    /// ```
    pub fn count(self, number: u64) -> String {
        self.with_groups(&number.to_string())
    }

    /// Returns a number in this language with its group signs: with the decimals that a reader
    /// needs, and without zeros at its end.
    ///
    /// ```
    /// use research_agents_report::language::Language;
    ///
    /// let written = |number| Language::ENGLISH.measure(number);
    /// assert_eq!(written(4_201.754), "4,201.8");
    /// assert_eq!(written(17.25), "17.25");
    /// assert_eq!(written(-0.012_345), "-0.0123");
    /// ```
    pub fn measure(self, number: f64) -> String {
        self.with_groups(&rounded(number))
    }

    /// Returns a number of ASCII digits with a decimal point as this language writes it.
    pub(crate) fn with_groups(self, plain: &str) -> String {
        let numerals = self.numerals();
        let (sign, digits) = plain
            .strip_prefix('-')
            .map_or(("", plain), |digits| ("-", digits));
        let (whole, decimals) = digits
            .split_once('.')
            .map_or((digits, None), |(whole, decimals)| (whole, Some(decimals)));
        if !whole.bytes().all(|byte| byte.is_ascii_digit()) {
            return plain.to_owned();
        }

        let mut out = sign.to_owned();
        let is_grouped = whole.len() >= numerals.grouped_from;
        for (at, digit) in whole.chars().enumerate() {
            if is_grouped && at > 0 && (whole.len() - at) % 3 == 0 {
                out.push(numerals.group);
            }
            out.push(digit);
        }
        if let Some(decimals) = decimals {
            out.push(numerals.decimal);
            out.push_str(decimals);
        }
        out
    }

    /// Returns the numerals of this language.
    pub(crate) fn numerals(self) -> &'static Numerals {
        numerals(self.code())
    }
}

/// Returns a number with the decimals that a reader needs, and without zeros at its end.
fn rounded(number: f64) -> String {
    /// Decimals of a number below one: three digits that are not zero.
    const SMALL: i32 = 3;
    let size = number.abs();
    let decimals = match size {
        _ if number.fract() == 0.0 => 0,
        100.0.. => 1,
        1.0.. => 2,
        _ => usize::try_from(SMALL - 1 - size.log10().floor() as i32).unwrap_or(0),
    };
    let text = format!("{number:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// Returns the numerals of the language with this code.
fn numerals(code: &str) -> &'static Numerals {
    match code {
        "en" => &ENGLISH,
        "de" => &GERMAN,
        "fr" => &FRENCH,
        "es" => &SPANISH,
        "it" => &ITALIAN,
        "pt" => &PORTUGUESE,
        code if POINT.contains(&code) => &WITH_DECIMAL_POINT,
        _ => &WITH_COMMA,
    }
}

impl Numerals {
    /// Returns the factor by which the words after a number multiply it. NaN if they multiply it by
    /// an unknown factor.
    pub(crate) fn scale(&self, after: &str) -> f64 {
        let first = first_word(after);
        let is_meant = |words: &str| match after.strip_prefix(words) {
            Some(rest) if words.contains(' ') => !rest.starts_with(char::is_alphabetic),
            _ => first == words,
        };

        if let Some((_, scale)) = self.scales.iter().find(|(words, _)| is_meant(words)) {
            return *scale;
        }

        let may_multiply = !self.has_words
            && (SHORT_MULTIPLIERS.contains(&first)
                || MULTIPLIERS.iter().any(|stem| first.starts_with(stem)));
        if may_multiply { f64::NAN } else { 1.0 }
    }

    /// Returns whether the words after a number make it a share.
    pub(crate) fn is_share(&self, after: &str) -> bool {
        self.percent.iter().any(|sign| after.starts_with(sign))
    }

    /// Returns whether the words after a number make it a ratio.
    pub(crate) fn is_ratio(&self, after: &str) -> bool {
        after.starts_with('×') || self.times.contains(&first_word(after))
    }

    /// Returns whether the words after a number make it a number of records.
    pub(crate) fn is_part(&self, after: &str) -> bool {
        let starts_with_digit = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
        let is_of = |word: &&str| {
            after
                .strip_prefix(*word)
                .and_then(|rest| rest.strip_prefix(' '))
                .is_some_and(starts_with_digit)
        };
        self.records.iter().any(|word| after.starts_with(word)) || self.of.iter().any(is_of)
    }

    /// Returns the word after a number, if the language has no words here.
    pub(crate) fn unknown_word<'t>(&self, after: &'t str) -> Option<&'t str> {
        (!self.has_words).then(|| first_word(after))
    }

    /// Returns whether a number with this first digit can have group signs.
    pub(crate) fn may_group(&self, first: char) -> bool {
        self.decimal == '.' || first != '0'
    }

    /// Returns whether `sign` is the decimal sign of a number with this many digits after it. In
    /// languages with a decimal comma it may also be a point, unless that can be a group sign or a
    /// part of a date.
    pub(crate) fn has_decimals(
        &self,
        sign: char,
        digits: usize,
        is_small: bool,
        is_date: bool,
    ) -> bool {
        match (self.decimal, sign) {
            ('.', '.') | (',', ',') => digits > 0,
            ('.', ',') => (1..=2).contains(&digits),
            (',', '.') => digits > 0 && !is_date && (digits != 3 || is_small),
            _ => false,
        }
    }

    /// Returns the offset of the decimal sign in a number.
    pub(crate) fn decimal_at(&self, written: &str) -> Option<usize> {
        let at = written.rfind(['.', ','])?;
        let sign = if written.as_bytes()[at] == b'.' {
            '.'
        } else {
            ','
        };
        self.has_decimals(
            sign,
            written.len() - at - 1,
            written.starts_with("0."),
            false,
        )
        .then_some(at)
    }
}

/// Returns the letters at the start of a string.
fn first_word(text: &str) -> &str {
    text.split(|c: char| !c.is_alphabetic())
        .next()
        .unwrap_or_default()
}
