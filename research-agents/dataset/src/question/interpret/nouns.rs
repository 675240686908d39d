//! Finds the remaining words that are used as nouns: what a question asks about, and what it
//! restricts that to.
//!
//! No dictionary tells nouns from verbs here, only the words around them. In doubt a word is not a
//! noun: a missed noun is passed over in silence, a verb taken for a noun would be reported as
//! missing in the data.

use crate::question::interpret::reader::Reader;
use crate::question::lexicon;

/// The position of a word in its clause, determined by the words before it.
#[derive(Clone, Copy, Default)]
struct Place {
    /// Whether a noun may follow.
    is_open: bool,
    /// Whether a preceding word may be the noun.
    has_noun: bool,
    /// Whether that word is a plural or a word of the data: a verb follows rather than another part
    /// of the noun.
    is_complete: bool,
    /// Whether the verb of the clause precedes its subject, so that the rest of the verb follows
    /// the subject.
    is_inverted: bool,
}

impl Place {
    /// Returns the place at the beginning of a noun.
    fn opened(self) -> Self {
        Self {
            is_open: true,
            is_inverted: self.is_inverted,
            ..Self::default()
        }
    }

    /// Returns a place without a noun.
    fn closed(self) -> Self {
        Self {
            is_open: false,
            ..self
        }
    }
}

impl Reader<'_, '_> {
    /// Returns the places of words that fit no field and no value and are used as nouns.
    pub(crate) fn nouns(&self) -> Vec<usize> {
        let mut found = Vec::new();
        let mut place = Place::default().opened();
        let mut has_subject = false;
        for index in 0..self.words.len() {
            let word = self.lower(index);

            // A clause starts over, unless a comma only continues a list.
            if self.breaks(index) {
                let continues = self.gap(index).trim() == "," && !place.is_open;
                place = if continues {
                    Place::default()
                } else {
                    Place::default().opened()
                };
                has_subject = false;
            }

            if self.taken[index] || self.words[index].is_number() {
                place = Place {
                    has_noun: true,
                    is_complete: true,
                    ..place
                };
                has_subject |= place.is_open;
            } else if lexicon::opens_noun(word) {
                place = place.opened();
            } else if lexicon::is_auxiliary(word) {
                place = Place {
                    is_inverted: !has_subject,
                    ..place.closed()
                };
            } else if matches!(word, "and" | "or" | "nor") {
                place = if place.is_open { place.opened() } else { place };
            } else if lexicon::is_stop(word) {
                place = place.closed();
            } else if self.is_proper(index) {
                found.push(index);
                (place.has_noun, place.is_complete, has_subject) = (true, true, true);
            } else if !place.is_open || place.is_complete || (place.is_inverted && place.has_noun) {
                place = place.closed();
            } else if !is_participle(word) {
                if !lexicon::is_light(word) {
                    found.push(index);
                }
                place = Place {
                    has_noun: true,
                    is_complete: lexicon::is_plural(word),
                    ..place
                };
                has_subject = true;
            }
        }

        found
    }
}

/// Returns whether a word has the form of a verb that may precede a noun: `delayed flights`,
/// `leaking valves`.
fn is_participle(word: &str) -> bool {
    word.len() > 4 && (word.ends_with("ed") || word.ends_with("ing"))
}

#[cfg(test)]
mod tests;
