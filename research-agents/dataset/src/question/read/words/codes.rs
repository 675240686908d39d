//! Codes of places, such as `CA` of *California*, for columns that hold them.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Words of the name of a place at most.
pub(crate) const LONGEST: usize = 4;

static CODES: LazyLock<HashMap<String, Vec<String>>> = LazyLock::new(|| {
    let mut codes: HashMap<String, Vec<String>> = HashMap::new();
    let text = include_str!("../../../../questions/codes.txt");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    for (own, names) in lines.filter_map(|line| line.split_once(':')) {
        for name in names.split(',') {
            let known = codes.entry(name.trim().to_owned()).or_default();
            known.extend(own.split_whitespace().map(str::to_owned));
        }
    }
    codes
});

/// Returns the codes of the place with this name, in small letters.
pub(crate) fn codes(name: &str) -> &'static [String] {
    CODES.get(name).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_their_codes() {
        for (name, expected) in [
            ("california", &["CA"][..]),
            ("georgia", &["GA"]),
            ("germany", &["DE", "DEU", "GER"]),
            ("great britain", &["GB", "GBR", "UK"]),
            ("atlantis", &[]),
        ] {
            assert_eq!(codes(name), expected, "{name}");
        }
    }
}
