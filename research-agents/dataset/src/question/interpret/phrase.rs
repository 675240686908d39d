//! Phrases of a question that name fields.

use research_agents_report::text::nearly;

use crate::question::interpret::field::NameWord;
use crate::question::interpret::reader::Reader;

/// Words `start..end` of the question that name a field.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Phrase {
    pub(crate) field: usize,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Whether they contain every specific word of the field's name.
    pub(crate) full: bool,
    /// Whether they contain the whole name except its function words.
    pub(crate) whole: bool,
    /// Whether they name another field as well.
    pub(crate) ambiguous: bool,
    /// Number of words that name the field alone.
    strong: usize,
    /// Number of words that are too general for that.
    weak: usize,
    /// Number of function words.
    fillers: usize,
    /// Number of specific words of the name that they do not contain.
    missing: usize,
}

impl Phrase {
    /// Returns whether a word of it names the field alone.
    pub(crate) fn is_strong(&self) -> bool {
        self.strong > 0
    }

    /// Returns the rank of the phrase: the better of two has the greater rank.
    fn rank(&self) -> (usize, bool, std::cmp::Reverse<usize>, usize, usize) {
        (
            self.strong,
            self.full,
            std::cmp::Reverse(self.missing),
            self.weak,
            self.fillers,
        )
    }
}

impl Reader<'_, '_> {
    /// Returns whether a word of the question is a word of a field's name, correct or misspelt.
    pub(crate) fn is_name_word(&self, index: usize, name: &NameWord) -> bool {
        let word = &self.words[index];
        word.stem == name.stem
            || word.lower == name.lower
            || (!name.weak && !self.known.contains(&word.stem) && nearly(&word.lower, &name.lower))
    }

    pub(crate) fn is_known(&self, index: usize) -> bool {
        self.known.contains(&self.words[index].stem)
    }

    /// Returns the fields that the words from an index on name equally well, the preferred one
    /// first: a single one unless the words are ambiguous.
    pub(crate) fn tied(&self, start: usize) -> Vec<usize> {
        let Some(best) = self.weak_phrase(start) else {
            return Vec::new();
        };
        let others = (0..self.fields.len()).filter(|&field| field != best.field);
        let ties = |phrase: &Phrase| phrase.rank() == best.rank();
        let others = others
            .filter_map(|field| self.phrase_of(field, start))
            .filter(ties)
            .map(|phrase| phrase.field);
        [best.field].into_iter().chain(others).collect()
    }

    /// Returns the field that the words from an index on name best.
    pub(crate) fn phrase(&self, start: usize) -> Option<Phrase> {
        self.best_phrase(start, Phrase::is_strong)
    }

    /// Returns the field that the words from an index on name best, even if they are as general as
    /// `type`.
    pub(crate) fn weak_phrase(&self, start: usize) -> Option<Phrase> {
        self.best_phrase(start, |_| true)
    }

    fn best_phrase(&self, start: usize, accepts: impl Fn(&Phrase) -> bool) -> Option<Phrase> {
        let mut found: Vec<Phrase> = (0..self.fields.len())
            .filter_map(|field| self.phrase_of(field, start))
            .filter(accepts)
            .collect();
        let prefers = |field: usize| self.preferred.contains(&field);
        found.sort_by_key(|p| (std::cmp::Reverse(p.rank()), !prefers(p.field)));
        let mut best = found.first().copied()?;
        best.ambiguous = !prefers(best.field)
            && found.get(1).is_some_and(|second| {
                second.rank() == best.rank() || (!best.full && second.strong == best.strong)
            });
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
        while index < self.words.len()
            && !self.taken[index]
            && (index == start || !self.breaks(index))
        {
            let Some(hit) =
                (0..names.len()).find(|&n| !used[n] && self.is_name_word(index, &names[n]))
            else {
                break;
            };

            used[hit] = true;
            index += 1;
            match (names[hit].filler, names[hit].weak) {
                (true, _) => phrase.fillers += 1,
                (false, true) => phrase.weak += 1,
                (false, false) => phrase.strong += 1,
            }
            // A function word belongs to the phrase only if it is the name's last one or more of
            // the name follows.
            if !names[hit].filler || hit + 1 == names.len() {
                phrase.end = index;
            }
        }

        if phrase.strong + phrase.weak == 0 {
            return None;
        }

        phrase.missing = self.fields[field].strong() - phrase.strong;
        let nouns = names
            .iter()
            .filter(|name| name.weak && !name.filler)
            .count();
        phrase.full = phrase.missing == 0 && (phrase.strong > 0 || phrase.weak == nouns);
        phrase.whole = phrase.missing == 0 && phrase.weak == nouns;

        Some(phrase)
    }

    /// Returns whether a field is named within a few words before or after a part of the question.
    pub(crate) fn named_near(&self, field: usize, start: usize, end: usize) -> bool {
        const NEAR: usize = 4;
        let names = &self.fields[field].words;
        let only_weak = names.iter().all(|name| name.weak);
        (start.saturating_sub(NEAR)..(end + NEAR).min(self.words.len()))
            .filter(|index| !(start..end).contains(index))
            .any(|index| {
                names
                    .iter()
                    .any(|name| (only_weak || !name.weak) && self.is_name_word(index, name))
            })
    }
}
