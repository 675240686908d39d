//! What the data is called, and the things that its records are by that name.

use crate::data::task::FieldKind;
use crate::question::read::cut::field::{NameWord, stem_of};
use crate::question::read::cut::schema::Schema;
use crate::question::read::cut::spelling::{is_inflected, plural_of};
use crate::question::read::words::concepts::concepts;
use crate::question::read::words::tokens::Token;
use crate::question::read::words::vocabulary::{SHORTEST_SLIP, is_slip};

/// The concepts of things that records may be: a word of one of them means the records of data
/// that is called by another word of it.
const THINGS: [&str; 16] = [
    "university",
    "school",
    "hospital",
    "game",
    "games",
    "movie",
    "book",
    "song",
    "album",
    "airline",
    "airport",
    "country",
    "city",
    "car",
    "animal",
    "plant",
];

/// The concepts of what has a side at home.
const GAMES: [&str; 2] = ["game", "games"];

impl Schema<'_> {
    /// Adds the words that the data is called by, in small letters.
    pub(crate) fn called(mut self, titles: &[String]) -> Self {
        self.titles = titles.to_vec();

        let of_titles = titles
            .iter()
            .flat_map(|title| concepts().of(title, &stem_of(title), title).iter().copied());
        self.things = of_titles
            .filter(|concept| THINGS.contains(concept))
            .collect();
        if self.sides_of_games().is_some() {
            self.things.extend(GAMES);
        }
        // What a field holds is not what the records are.
        let by_concept = &self.by_concept;
        self.things.retain(|thing| !by_concept.contains_key(thing));
        self
    }

    /// Returns the only two quantities whose names differ in home and away, as `home_score` and
    /// `away_score` do.
    pub(crate) fn sides_of_games(&self) -> Option<(usize, usize)> {
        let others = |field: usize, side: &str| -> Option<Vec<&str>> {
            let words = &self.fields[field].words;
            let is_side = |word: &&NameWord| word.concepts.contains(&side);
            let rest = words.iter().filter(|word| !is_side(word));
            words
                .iter()
                .any(|word| is_side(&word))
                .then(|| rest.map(|word| word.lower.as_str()).collect())
        };
        let is_quantity = |at: &usize| {
            let field = &self.fields[*at];
            field.facts.kind == FieldKind::Number && field.truth.is_none() && !field.is_identifier
        };

        let quantities = || (0..self.fields.len()).filter(is_quantity);
        let mut pairs = quantities().filter_map(|home| {
            let rest = others(home, "home")?;
            let away = |at: &usize| *at != home && others(*at, "away").as_ref() == Some(&rest);
            Some((home, quantities().find(away)?))
        });
        pairs.next().filter(|_| pairs.next().is_none())
    }

    /// Returns whether the data is called by a word: *colleges* of a list of colleges are its
    /// records. *Operational* is not one of the operators.
    pub(crate) fn is_title(&self, token: &Token<'_>) -> bool {
        let is_form = |title: &String| {
            stem_of(title) == token.stem && is_inflected(title, token.lower.as_str())
        };
        let meant = || {
            concepts()
                .of(&token.lower, &token.stem, &token.own_stem)
                .iter()
        };
        self.titles.iter().any(is_form)
            || !self.things.is_empty() && meant().any(|concept| self.things.contains(concept))
    }

    /// Returns the word that the data is called by and that a misspelt one is.
    pub(crate) fn title_spelling(&self, lower: &str) -> Option<String> {
        let plural = |title: &String| match title.ends_with('s') {
            true => title.clone(),
            false => plural_of(title),
        };
        let forms = || {
            let titles = self.titles.iter();
            titles.flat_map(|title| [plural(title), title.clone()])
        };
        if forms().any(|title| title == lower) {
            return None;
        }
        forms().find(|title| title.chars().count() >= SHORTEST_SLIP && is_slip(lower, title))
    }

    /// Returns whether the data is called by a word of one of these concepts.
    pub(crate) fn is_called(&self, named: &[&str]) -> bool {
        let is_one = |title: &String| {
            let own = concepts().of(title, &stem_of(title), title);
            own.iter().any(|concept| named.contains(concept))
        };
        self.titles.iter().any(is_one)
    }
}
