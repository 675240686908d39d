//! Names of fields that are made of the initials or the beginnings of words.

use crate::data::task::FieldKind;
use crate::question::read::cut::cutter::Cutter;
use crate::question::read::cut::items::FieldMatch;
use crate::question::read::cut::spelling::is_clipped;
use crate::question::read::words::tokens::Token;
use crate::question::read::words::vocabulary::Role;

impl Cutter<'_, '_, '_> {
    /// Returns the fields that are called by the initials of words, such as `pci` by *per capita
    /// income*, and how many words these are.
    pub(crate) fn spelt_out(&self, at: usize) -> Option<(usize, &[usize])> {
        const LONGEST: usize = 5;
        let words = self.plain_words(at);

        (2..=words.len().min(LONGEST)).rev().find_map(|length| {
            let initials = words[..length]
                .iter()
                .filter_map(|token| token.lower.chars().next());
            let initials: String = initials.collect();
            let fields = self.schema.with_joined(&initials);
            let is_acronym = |field: &usize| {
                let field = &self.schema.fields[*field];
                let is_number = field.facts.kind == FieldKind::Number && !field.is_identifier;
                // `HR` of *home runs*: of two letters many things are the initials.
                let is_clear = length > 2
                    || is_number
                        && field.facts.name.chars().all(char::is_uppercase)
                        && self.are_plain_words(&words[..2]);
                field.words.len() == 1 && is_clear
            };
            (!fields.is_empty() && fields.iter().all(is_acronym)).then_some((length, fields))
        })
    }

    /// Returns the fields that are called by the beginnings of words, such as `tbilrate` by
    /// *treasury bill rate*, and how many words these are. A letter or two begin too many words to
    /// be those of a question, as *the* and *highest* are.
    pub(crate) fn clipped(&self, at: usize) -> Option<(usize, Vec<FieldMatch>)> {
        const LONGEST: usize = 3;
        const NAME: usize = 5;
        const CLEAR: usize = 3;
        /// Letters of the words behind the first one at least: *island and* is no `island`.
        const WORD: usize = 4;
        let joined = self.plain_words(at).iter().take(LONGEST);
        let joined: Vec<&str> = joined.map(|token| token.lower.as_str()).collect();
        let first = joined.first().filter(|_| joined.len() > 1)?;
        let asks = self.vocabulary.knows(first);

        (2..=joined.len()).rev().find_map(|length| {
            let of_these = |(name, _): &&(String, usize)| {
                let begins = !asks || name.get(..CLEAR) == first.get(..CLEAR);
                let is_shorter = !first.starts_with(name.as_str());
                let are_words = joined[1..length].iter().all(|word| word.len() >= WORD);
                name.len() >= NAME
                    && begins
                    && is_shorter
                    && are_words
                    && is_clipped(name, &joined[..length])
            };
            let fields = self.schema.clipped_like(first).iter().filter(of_these);
            let fields: Vec<FieldMatch> =
                fields.map(|(_, field)| FieldMatch::full(*field)).collect();
            (!fields.is_empty()).then_some((length, fields))
        })
    }

    /// Returns the words from a place on that have letters alone and no punctuation between them.
    fn plain_words(&self, at: usize) -> &[Token<'_>] {
        let words = self.tokens.get(at..).unwrap_or_default();
        let is_joined = |(place, token): &(usize, &Token<'_>)| {
            let is_plain = token.text.chars().all(char::is_alphabetic);
            is_plain && (*place == 0 || !token.breaks())
        };
        let joined = words.iter().enumerate().take_while(is_joined).count();
        &words[..joined]
    }

    /// Returns whether neither of two words is a name, says something else of a question or is in
    /// the name of a field: *home runs*, but not *highest price* of a column `HP`. The first may be
    /// a preposition: *at bats*.
    fn are_plain_words(&self, words: &[Token<'_>]) -> bool {
        let mut words = words.iter().enumerate();
        words.all(|(at, token)| {
            let entry = self
                .vocabulary
                .longest_at(|k| (k == 0).then_some(token.lower.as_str()));
            let says_nothing = entry.is_none_or(|(entry, _)| {
                let mut roles = entry.roles.iter();
                let is_plain = |role: &Role| match role {
                    Role::Light => true,
                    Role::In | Role::Stop => at == 0,
                    _ => false,
                };
                entry.degree.is_none() && roles.all(is_plain)
            });
            !token.is_capital() && says_nothing && self.schema.with_stem(&token.stem).is_empty()
        })
    }
}
