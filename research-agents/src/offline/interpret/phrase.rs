//! How words of a question name fields.

use super::super::text::nearly;
use super::lexicon;
use super::reader::Reader;
use crate::dataset::task::FieldFacts;

/// A word of a field's name.
pub(super) struct NameWord {
    pub(super) lower: String,
    pub(super) stem: String,
    /// It does not name the field alone.
    pub(super) weak: bool,
    /// It is a function word, and counts only beside others.
    pub(super) filler: bool,
}

/// A field with the words of its name.
pub(super) struct Field<'f> {
    pub(super) facts: &'f FieldFacts,
    pub(super) words: Vec<NameWord>,
}

impl Field<'_> {
    /// Whether its values are names for the records themselves, as *laptop* of products, and not for something about them.
    pub(super) fn says_what_a_record_is(&self) -> bool {
        self.words.iter().any(|word| lexicon::names_records(&word.lower))
    }

    fn strong(&self) -> usize {
        self.words.iter().filter(|word| !word.weak).count()
    }
}

/// Words `start..end` of the question that name a field.
#[derive(Clone, Copy, Debug)]
pub(super) struct Phrase {
    pub(super) field: usize,
    pub(super) start: usize,
    pub(super) end: usize,
    /// They hold every word of the field's name that matters.
    pub(super) full: bool,
    /// They hold all of it but its function words.
    pub(super) whole: bool,
    /// They would name another field as well.
    pub(super) ambiguous: bool,
    strong: usize,
    weak: usize,
    fillers: usize,
    missing: usize,
}

impl Phrase {
    /// A word of it names the field alone.
    pub(super) fn is_strong(&self) -> bool {
        self.strong > 0
    }

    /// The better phrase has the greater rank.
    fn rank(&self) -> (usize, bool, std::cmp::Reverse<usize>, usize, usize) {
        (self.strong, self.full, std::cmp::Reverse(self.missing), self.weak, self.fillers)
    }
}

impl Reader<'_, '_> {
    /// Whether a word of the question is a word of a field's name, slips of the pen included.
    pub(super) fn is_name_word(&self, index: usize, name: &NameWord) -> bool {
        let word = &self.words[index];
        word.stem == name.stem
            || word.lower == name.lower
            || (!name.weak && !self.known.contains(&word.stem) && nearly(&word.lower, &name.lower))
    }

    pub(super) fn is_known(&self, index: usize) -> bool {
        self.known.contains(&self.words[index].stem)
    }

    /// The fields that the words from an index on name equally well, the one that is taken first; one where there is no doubt.
    pub(super) fn tied(&self, start: usize) -> Vec<usize> {
        let Some(best) = self.phrase(start, true) else { return Vec::new() };
        let others = (0..self.fields.len()).filter(|&field| field != best.field);
        let ties = |phrase: &Phrase| phrase.rank() == best.rank();
        let others = others.filter_map(|field| self.phrase_of(field, start)).filter(ties).map(|phrase| phrase.field);
        [best.field].into_iter().chain(others).collect()
    }

    /// The field that the words from an index on name best. With `weakly`, one word such as `type` is enough.
    pub(super) fn phrase(&self, start: usize, weakly: bool) -> Option<Phrase> {
        let mut found: Vec<Phrase> = (0..self.fields.len())
            .filter_map(|field| self.phrase_of(field, start))
            .filter(|p| p.strong > 0 || weakly)
            .collect();
        let prefers = |field: usize| self.preferred.contains(&field);
        found.sort_by_key(|p| (std::cmp::Reverse(p.rank()), !prefers(p.field)));
        let mut best = found.first().copied()?;
        best.ambiguous = !prefers(best.field)
            && found
                .get(1)
                .is_some_and(|second| second.rank() == best.rank() || (!best.full && second.strong == best.strong));
        Some(best)
    }

    fn phrase_of(&self, field: usize, start: usize) -> Option<Phrase> {
        let names = &self.fields[field].words;
        let mut used = vec![false; names.len()];
        let mut phrase = Phrase {
            field,
            start,
            end: start,
            full: false,
            whole: false,
            ambiguous: false,
            strong: 0,
            weak: 0,
            fillers: 0,
            missing: 0,
        };
        let mut index = start;
        while index < self.words.len() && !self.taken[index] && (index == start || !self.breaks(index)) {
            let Some(hit) = (0..names.len()).find(|&n| !used[n] && self.is_name_word(index, &names[n])) else { break };
            used[hit] = true;
            index += 1;
            match (names[hit].filler, names[hit].weak) {
                (true, _) => phrase.fillers += 1,
                (false, true) => phrase.weak += 1,
                (false, false) => phrase.strong += 1,
            }
            // A function word belongs to the phrase only if it is the name's last one or more of the name follows.
            if !names[hit].filler || hit + 1 == names.len() {
                phrase.end = index;
            }
        }
        if phrase.strong + phrase.weak == 0 {
            return None;
        }
        phrase.missing = self.fields[field].strong() - phrase.strong;
        let nouns = names.iter().filter(|name| name.weak && !name.filler).count();
        phrase.full = phrase.missing == 0 && (phrase.strong > 0 || phrase.weak == nouns);
        phrase.whole = phrase.missing == 0 && phrase.weak == nouns;
        Some(phrase)
    }

    /// Whether a field is named within a few words of a part of the question, outside of it.
    pub(super) fn named_near(&self, field: usize, start: usize, end: usize) -> bool {
        const NEAR: usize = 4;
        let names = &self.fields[field].words;
        let only_weak = names.iter().all(|name| name.weak);
        (start.saturating_sub(NEAR)..(end + NEAR).min(self.words.len()))
            .filter(|index| !(start..end).contains(index))
            .any(|index| names.iter().any(|name| (only_weak || !name.weak) && self.is_name_word(index, name)))
    }
}
