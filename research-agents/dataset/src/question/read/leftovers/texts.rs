//! Finds the field in whose texts an unknown word is looked for.

use research_agents_report::evidence::plain;
use research_agents_report::text::words;

use crate::data::task::FieldKind;
use crate::question::lexicon::is_plural;
use crate::question::read::leftovers::Place;
use crate::question::read::reader::Reader;
use crate::question::read::words::concepts::concepts;
use crate::question::reading::{Candidate, CandidateMatch};

impl Reader<'_, '_, '_> {
    /// Returns the field of names of kinds that contain a word which restricts the records, as
    /// *graffiti* of offences: the one of which most records have it. Texts in sentences, links
    /// and names of records say too much for a word alone.
    pub(crate) fn field_with(
        &self,
        start: usize,
        end: usize,
        entry: usize,
        place: Place,
    ) -> Option<usize> {
        /// Letters of a word that is searched for at least.
        const SHORTEST: usize = 3;
        let restricts = matches!(
            place,
            Place::Restriction | Place::Modifier | Place::Predicate
        );
        let token = &self.tokens[self.items[start].start];
        let is_word = end == start + 1
            && !self.negated[start]
            && !self.schema.is_title(token)
            && self.lower(start).chars().count() >= SHORTEST
            && self.lower(start).chars().all(char::is_alphabetic);
        if !is_word {
            return None;
        }
        if let Some(field) = self.field_of_kinds(start, entry).filter(|_| restricts) {
            return Some(field);
        }
        if !restricts {
            return self
                .field_with_name(start, entry)
                .filter(|_| place != Place::Subject);
        }

        let found = &self.found.entries[entry];
        let mentions = found
            .mentions
            .iter()
            .map(|mention| (mention.field.as_str(), mention.doc_count));
        let parts = found
            .candidates
            .iter()
            .filter(|candidate| {
                matches!(
                    candidate.matching,
                    CandidateMatch::Words | CandidateMatch::Prefix
                )
            })
            .map(|candidate| (candidate.field.as_str(), candidate.doc_count));
        // On average ten records have the same value.
        let repeats = |field: &usize| {
            let distinct = self.field(*field).facts.distinct;
            distinct.is_some_and(|distinct| distinct * 10 <= found.searched.records)
        };
        // Who writes no capitals may mean a place.
        let is_small = !self.question.contains(char::is_uppercase);
        let is_kind = |field: &usize| {
            let facts = self.field(*field);
            facts.facts.kind == FieldKind::Text
                && (repeats(field) || is_small && facts.holds_places())
                && !facts.is_prose
                && !facts.is_identifier
                && !self.schema.is_unique(*field)
                && !self.is_mostly_empty(*field, found.searched.records)
                && self.schema.record_name() != Some(*field)
                && self.schema.name_field() != Some(*field)
        };
        let places = mentions.chain(parts).filter_map(|(name, count)| {
            let field = self.field_named(name).filter(is_kind)?;
            Some((count, field))
        });
        let best = places.max_by_key(|(count, field)| (*count, usize::MAX - field));
        let is_german = self.vocabulary.code == "de";
        let named = || self.field_with_name(start, entry).filter(|_| is_german);
        best.map(|(_, field)| field).or_else(named)
    }

    /// Returns whether most records have no value of a field, which then tells no kinds of them.
    fn is_mostly_empty(&self, field: usize, records: u64) -> bool {
        let missing = self.field(field).facts.missing;
        missing.is_some_and(|missing| missing * 2 > records)
    }

    /// Returns whether a noun is a word of values that are kinds of the records, and not what all
    /// of them are called.
    pub(crate) fn is_kind_of_records(&self, at: usize, entry: usize) -> bool {
        /// Records of a kind at least.
        const SEVERAL: u64 = 3;
        let token = &self.tokens[self.items[at].start];
        let named = concepts().of(&token.lower, &token.stem, &token.own_stem);
        let found = &self.found.entries[entry];
        let counts = found.candidates.iter().map(|candidate| candidate.doc_count);
        let most = counts.max().unwrap_or_default();
        let is_some = most >= SEVERAL && most * 2 < found.searched.records;
        let are_words = found
            .candidates
            .iter()
            .all(|candidate| candidate.matching == CandidateMatch::Words);

        let is_kind = is_some
            && are_words
            && self
                .field_with(at, at + 1, entry, Place::Restriction)
                .is_some();
        named.is_empty() && (is_kind || self.field_of_kinds(at, entry).is_some())
    }

    /// Returns the field of names that end with a noun in the plural, as *Wreathed Hornbill* and
    /// *Rufous Hornbill* do in a question about hornbills.
    fn field_of_kinds(&self, at: usize, entry: usize) -> Option<usize> {
        /// Names of the kind at least.
        const SEVERAL: usize = 3;
        /// The source names ten values of a field at most.
        const KNOWN: usize = 10;
        let token = &self.tokens[self.items[at].start];
        let known = concepts().of(&token.lower, &token.stem, &token.own_stem);
        if !is_plural(&token.lower) || !known.is_empty() || self.schema.is_title(token) {
            return None;
        }

        let candidates = &self.found.entries[entry].candidates;
        let ends = |candidate: &&Candidate| {
            let text = plain(&candidate.value);
            let last = words(&text).pop();
            last.is_some_and(|last| last.stem == token.stem)
        };
        let named: Vec<&Candidate> = candidates.iter().filter(ends).collect();
        let first = named.first()?;
        let is_one_field = named.iter().all(|other| other.field == first.field);
        let others = candidates.len().min(KNOWN) - named.len().min(KNOWN);
        let field = self.field_named(&first.field)?;
        let is_name = self.kind(field) == FieldKind::Text && !self.field(field).is_prose;
        (named.len() >= SEVERAL && others <= 1 && is_one_field && is_name).then_some(field)
    }

    /// Returns the only field whose texts have a word in a few records, where a question is written
    /// without capitals: *tangshan* of *tangshan earthquake deaths* may be a name.
    fn field_with_name(&self, at: usize, entry: usize) -> Option<usize> {
        /// One in so many records has a name.
        const RARE: u64 = 20;
        /// Letters of a name.
        const SHORTEST: usize = 4;
        let token = &self.tokens[self.items[at].start];
        // All German nouns have capitals, and names with them.
        let is_small = match self.vocabulary.code {
            "de" => token.is_capital(),
            _ => !self.question.chars().skip(1).any(char::is_uppercase),
        };
        let is_things = is_plural(&token.lower) && at > 0;
        // *Films* are what a table of movies has.
        let named = concepts().of(&token.lower, &token.stem, &token.own_stem);
        let is_noun = self.schema.is_called(named)
            || named
                .iter()
                .any(|concept| !self.schema.with_concept(concept).is_empty());
        if !is_small || is_noun || is_things || token.lower.chars().count() < SHORTEST {
            return None;
        }

        let found = &self.found.entries[entry];
        let names = [self.schema.record_name(), self.schema.name_field()];
        let is_name = |field: &str| {
            let mut names = names.into_iter().flatten();
            names.any(|name| self.name(name) == field)
        };
        let mention = match found.mentions.as_slice() {
            [mention] => mention,
            several => several.iter().find(|mention| is_name(&mention.field))?,
        };
        let field = self.field_named(&mention.field)?;
        let facts = self.field(field);
        let is_name = facts.facts.kind == FieldKind::Text && !facts.is_prose;
        (is_name && mention.doc_count * RARE <= found.searched.records).then_some(field)
    }
}
