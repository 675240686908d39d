//! The table of units.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::trust::value::model::Unit;

const UNITS: &str = include_str!("../../../rules/units.txt");

/// Units by their spellings.
static KNOWN: LazyLock<HashMap<&'static str, Unit>> = LazyLock::new(|| {
    let mut known = HashMap::new();
    for line in UNITS.lines().filter(|line| !line.starts_with('#')) {
        let mut fields = line.split_whitespace();
        let (Some(dimension), Some(factor), Some(offset)) =
            (fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        let unit = Unit {
            dimension: dimension.to_owned(),
            factor: factor.parse().unwrap_or(1.0),
            offset: offset.parse().unwrap_or(0.0),
        };
        known.extend(fields.map(|spelling| (spelling, unit.clone())));
    }
    known
});

/// Returns a unit by its spelling. Short ones keep their case: `m` is not `M`.
pub(crate) fn unit(spelling: &str) -> Option<&'static Unit> {
    KNOWN.get(spelling).or_else(|| {
        let lower = spelling.to_lowercase();
        (lower.chars().count() > 3 || matches!(lower.as_str(), "usd" | "eur" | "gbp" | "chf"))
            .then(|| KNOWN.get(lower.as_str()))
            .flatten()
    })
}

/// Returns the unit at the beginning of a string and its length in bytes.
pub(crate) fn unit_at(text: &str) -> Option<(&'static Unit, usize)> {
    let stops = |c: char| c.is_whitespace() || ",;:!?()[]{}\"'“”‘’«»–—+=<>*|".contains(c);
    let end = text.find(stops).unwrap_or(text.len());
    let mut word = text[..end].trim_end_matches(['.', '/', '-']);
    if word.is_empty() {
        return None;
    }
    if word.starts_with('°') && word.len() == '°'.len_utf8() {
        // `25 ° C`
        let rest = text[word.len()..].trim_start();
        let skipped = text.len() - rest.len();
        for (letter, spelling) in [("C", "°C"), ("F", "°F")] {
            if let Some(rest) = rest.strip_prefix(letter)
                && !rest.starts_with(char::is_alphanumeric)
            {
                return Some((unit(spelling)?, skipped + letter.len()));
            }
        }
    }

    // Words of two: *per cent*, *degrees Celsius*, *square kilometres*.
    let lower: String = text.chars().take(40).collect::<String>().to_lowercase();
    for (phrase, spelling) in PHRASES {
        if let Some(rest) = lower.strip_prefix(phrase)
            && !rest.starts_with(char::is_alphanumeric)
            && text.is_char_boundary(phrase.len())
        {
            return Some((unit(spelling)?, phrase.len()));
        }
    }

    loop {
        if let Some(found) = unit(word) {
            return Some((found, word.len()));
        }
        // `GB-drive`, `m/s²`: the part before a hyphen.
        let (part, _) = word.rsplit_once('-')?;
        word = part;
    }
}

/// Units that are written with several words.
const PHRASES: &[(&str, &str)] = &[
    ("per cent", "%"),
    ("pour cent", "%"),
    ("por ciento", "%"),
    ("por cento", "%"),
    ("per cento", "%"),
    ("percentage points", "pp"),
    ("degrees celsius", "°C"),
    ("degree celsius", "°C"),
    ("grad celsius", "°C"),
    ("degrees fahrenheit", "°F"),
    ("square kilometres", "km²"),
    ("square kilometers", "km²"),
    ("square metres", "m²"),
    ("square meters", "m²"),
    ("cubic metres", "m³"),
    ("cubic meters", "m³"),
    ("nautical miles", "nmi"),
    ("kilometres per hour", "km/h"),
    ("kilometers per hour", "km/h"),
    ("miles per hour", "mph"),
    ("metres per second", "m/s"),
    ("meters per second", "m/s"),
    ("stundenkilometer", "km/h"),
    ("revolutions per minute", "rpm"),
    ("us dollars", "usd"),
    ("bytes per second", "B/s"),
    ("bits per second", "bit/s"),
];
