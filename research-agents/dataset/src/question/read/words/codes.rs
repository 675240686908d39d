//! Other names of places: codes, such as `CA` of *California*, and the names and adjectives of
//! countries and continents in six languages, for columns that hold the one where a question has
//! the other.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Words of the name of a place at most.
pub(crate) const LONGEST: usize = 4;

/// The places of the data file, by their names and by their codes.
#[derive(Default)]
struct Places {
    codes: HashMap<String, Vec<String>>,
    names: HashMap<String, Vec<String>>,
    /// Beginnings of adjectives, such as `deutsch`, and what they may be called.
    adjectives: Vec<(String, Vec<String>)>,
    /// Names and beginnings of names of continents, and what these may be called.
    continents: Vec<(String, [String; 2])>,
}

/// Letters of the ending of an adjective at most.
const ENDING: usize = 3;

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
    places.read_countries(include_str!("../../../../questions/countries.txt"));
    places.read_continents(include_str!("../../../../questions/continents.txt"));
    places
});

impl Places {
    fn read_countries(&mut self, text: &str) {
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let Some((english, rest)) = line.split_once(':') else {
                continue;
            };
            let (names, adjectives) = rest.split_once('|').unwrap_or((rest, ""));
            let own = english.to_lowercase();
            let mut adjectives = adjectives.split_whitespace();
            let adjective = adjectives.next().map(str::to_owned);

            let known = self.codes.get(&own).cloned().unwrap_or_default();
            let mut called = known;
            called.push(own.clone());
            called.extend(adjective.clone());
            let names = names
                .split(',')
                .map(str::trim)
                .filter(|name| !name.is_empty());
            // *Germans* and *Italians*
            let people = adjective
                .as_deref()
                .filter(|word| word.ends_with(['n', 'i']));
            let people = people.map(|word| format!("{word}s"));
            let names = names.map(str::to_owned).chain(adjective.clone());
            for name in names.chain(people) {
                let list = self.codes.entry(name.clone()).or_default();
                list.extend(called.iter().filter(|other| **other != name).cloned());
            }
            self.codes.entry(own).or_default().extend(adjective);
            for other in adjectives {
                let beginning = other.trim_end_matches('*').to_owned();
                self.adjectives.push((beginning, called.clone()));
            }
        }
    }

    fn read_continents(&mut self, text: &str) {
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let parts = line.split_once(':').zip(line.split_once('|'));
            let Some(((code, rest), (_, others))) = parts else {
                continue;
            };
            let name = rest.split('|').next().unwrap_or_default().trim();
            let called = [code.to_owned(), name.to_owned()];
            for said in others.split(',').chain([name]) {
                let said = said.trim().to_owned();
                self.continents.push((said, called.clone()));
            }
        }
    }
}

/// Returns what the continent may be called, in a column of continents, that words name or are the
/// adjective of: its code and its English name.
pub(crate) fn continent(words: &str) -> &'static [String] {
    let fits = |said: &str| match said.strip_suffix('*') {
        Some(beginning) => words
            .strip_prefix(beginning)
            .is_some_and(|rest| rest.chars().count() <= ENDING),
        None => said == words,
    };
    let found = PLACES.continents.iter().find(|(said, _)| fits(said));
    found.map_or(&[], |(_, called)| called.as_slice())
}

/// Returns what the country may be called whose adjective this is, in a language other than
/// English: `deutschen` is of Germany.
pub(crate) fn adjective(word: &str) -> &'static [String] {
    let fits = |beginning: &str| {
        let rest = word.strip_prefix(beginning);
        rest.is_some_and(|rest| rest.chars().count() <= ENDING)
    };
    let mut all: Vec<&(String, Vec<String>)> = PLACES
        .adjectives
        .iter()
        .filter(|(beginning, _)| fits(beginning))
        .collect();
    all.sort_by_key(|(beginning, _)| std::cmp::Reverse(beginning.len()));
    all.first().map_or(&[], |(_, called)| called.as_slice())
}

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
            ("germany", &["DE", "DEU", "GER", "german"]),
            ("allemagne", &["DE", "DEU", "GER", "germany", "german"]),
            ("atlantis", &[]),
        ] {
            assert_eq!(codes(name), expected, "{name}");
        }
        assert_eq!(names("CA"), ["california", "canada"]);
        assert_eq!(
            adjective("deutschen"),
            ["DE", "DEU", "GER", "germany", "german"]
        );
        assert_eq!(adjective("brasiliane").last().unwrap(), "brazilian");
        assert_eq!(names("ca"), &[] as &[String]);

        assert_eq!(continent("afrikanischen"), ["AF", "africa"]);
        assert_eq!(continent("amerique du nord"), ["NA", "north america"]);
        assert_eq!(continent("atlantis"), &[] as &[String]);
    }
}
