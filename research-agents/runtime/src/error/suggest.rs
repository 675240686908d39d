//! Suggests a known name for a misspelled one.

/// Returns the known name closest to `name`, if it is close enough to be a typing error: with a
/// Jaro-Winkler similarity of at least 0.75, ignoring case, or if one name contains the other.
pub fn closest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = name.to_lowercase();
    let likeness = |other: &str| {
        let other = other.to_lowercase();
        let contained = lower.len() >= 3
            && (other.contains(&lower) || (other.len() >= 3 && lower.contains(&other)));
        strsim::jaro_winkler(&lower, &other).max(if contained { 0.9 } else { 0.0 })
    };
    known
        .into_iter()
        .map(|other| (likeness(other), other))
        .filter(|(likeness, _)| *likeness >= 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, other)| other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_and_parts_are_recognised_and_other_words_are_not() {
        let known = ["Wildlife Size", "Phase of flight", "Speed IAS in knots"];
        assert_eq!(closest("wildlife sise", known), Some("Wildlife Size"));
        assert_eq!(closest("Phase", known), Some("Phase of flight"));
        assert_eq!(closest("colour", known), None);
    }
}
