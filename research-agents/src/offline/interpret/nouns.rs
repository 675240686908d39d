//! Which of the words left over stand where nouns stand: what a question asks about, and what it restricts that to.
//!
//! No dictionary tells nouns from verbs here, only the words around them. In doubt a word is none: a noun that is missed is
//! passed over in silence, a verb that is taken for one would be said to be missing in the data.

use super::lexicon;
use super::reader::Reader;

/// What the words before one say of its place.
#[derive(Clone, Copy, Default)]
struct Place {
    /// A noun may stand here.
    is_open: bool,
    /// A word that may be the noun came already.
    has_noun: bool,
    /// It was a plural, or a word that the data knows: a verb follows rather than more of the noun.
    is_complete: bool,
    /// The verb of the clause came before its subject: behind the subject stands the rest of the verb.
    is_inverted: bool,
}

impl Place {
    /// Where a noun begins.
    fn opened(self) -> Self {
        Self { is_open: true, is_inverted: self.is_inverted, ..Self::default() }
    }

    /// Where none stands.
    fn closed(self) -> Self {
        Self { is_open: false, ..self }
    }
}

impl Reader<'_, '_> {
    /// The places of words that fit no field and no value, and stand where nouns do.
    pub(super) fn nouns(&self) -> Vec<usize> {
        let mut found = Vec::new();
        let mut place = Place::default().opened();
        let mut has_subject = false;
        for index in 0..self.words.len() {
            let word = self.lower(index);
            if self.breaks(index) {
                let goes_on = self.gap(index).trim() == "," && !place.is_open;
                place = if goes_on { Place::default() } else { Place::default().opened() };
                has_subject = false;
            }
            if self.taken[index] || self.words[index].is_number() {
                place = Place { has_noun: true, is_complete: true, ..place };
                has_subject |= place.is_open;
            } else if lexicon::opens_noun(word) {
                place = place.opened();
            } else if lexicon::is_auxiliary(word) {
                place = Place { is_inverted: !has_subject, ..place.closed() };
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
                place = Place { has_noun: true, is_complete: lexicon::is_plural(word), ..place };
                has_subject = true;
            }
        }
        found
    }
}

/// Whether a word has the form of a verb that may stand before a noun: `delayed flights`, `leaking valves`.
fn is_participle(word: &str) -> bool {
    word.len() > 4 && (word.ends_with("ed") || word.ends_with("ing"))
}

#[cfg(test)]
mod tests;
