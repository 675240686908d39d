//! Codes of places, such as `CA` of *California*, for columns that hold the one where a question
//! has the other.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Words of the name of a place at most.
pub(crate) const LONGEST: usize = 4;

/// The places of the data file, by their names and by their codes.
#[derive(Default)]
struct Places {
    codes: HashMap<String, Vec<String>>,
    names: HashMap<String, Vec<String>>,
}

static PLACES: LazyLock<Places> = LazyLock::new(|| {
    let mut places = Places::default();
    let text = include_str!("../../../../questions/codes.txt");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    for (codes, names) in lines.filter_map(|line| line.split_once(':')) {
        let codes = || codes.split_whitespace().map(str::to_owned);
        let names = || names.split(',').map(|name| name.trim().to_owned());
        for name in names() {
            places.codes.entry(name).or_default().extend(codes());
        }
        for code in codes() {
            places.names.entry(code).or_default().extend(names());
        }
    }
    places
});

/// Returns the codes of the place with this name, in small letters.
pub(crate) fn codes(name: &str) -> &'static [String] {
    PLACES.codes.get(name).map_or(&[], Vec::as_slice)
}

/// Returns the names of the places with this code, in capitals.
pub(crate) fn names(code: &str) -> &'static [String] {
    PLACES.names.get(code).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_their_codes_and_codes_their_places() {
        for (name, expected) in [
            ("california", &["CA"][..]),
            ("georgia", &["GA"]),
            ("germany", &["DE", "DEU", "GER"]),
            ("great britain", &["GB", "GBR", "UK"]),
            ("atlantis", &[]),
        ] {
            assert_eq!(codes(name), expected, "{name}");
        }
        assert_eq!(names("CA"), ["california", "canada"]);
        assert_eq!(names("ca"), &[] as &[String]);
    }
}
