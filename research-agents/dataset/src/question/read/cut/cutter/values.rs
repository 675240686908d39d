//! Finds the values that words of a question are, contain or are misspelt for.

use research_agents_report::evidence::plain;
use research_agents_report::text::words;

use crate::question::lexicon;
use crate::question::read::cut::cutter::{Cutter, STRUCTURE};
use crate::question::read::cut::field::Field;
use crate::question::read::cut::items::{FieldMatch, Fit, Item, ValueMatch};
use crate::question::read::cut::schema::Listed;
use crate::question::read::words::codes;
use crate::question::read::words::concepts::concepts;
use crate::question::read::words::tokens::{Token, folded};
use crate::question::read::words::vocabulary::Role;
use crate::question::reading::{CandidateMatch, LookedUp};

impl Cutter<'_, '_, '_> {
    /// Adds the listed values that contain the words from a place on, as many as possible.
    pub(crate) fn add_parts(&self, item: &mut Item) {
        let mut common: Vec<Listed> = self.schema.parts(&self.tokens[item.start].stem).to_vec();
        if common.is_empty() {
            return;
        }
        while let Some(next) = self.tokens.get(item.end).filter(|next| !next.breaks()) {
            let parts = self.schema.parts(&next.stem);
            let is_in = |listed: &Listed| {
                parts
                    .iter()
                    .any(|p| (p.field, p.value) == (listed.field, listed.value))
            };
            let both: Vec<Listed> = common.iter().copied().filter(is_in).collect();
            if both.is_empty() {
                break;
            }
            common = both;
            item.end += 1;
        }

        let said = &self.tokens[item.start..item.end];
        // What the data is called says nothing of a value that has the word too.
        if matches!(said, [token] if self.schema.is_title(token)) {
            return;
        }
        common.retain(|listed| {
            let value = self.schema.value(*listed);
            !is_doer(said, value) && !is_other_place(said, value)
        });
        for listed in common {
            item.values.push(ValueMatch {
                field: listed.field,
                value: self.schema.value(listed).clone(),
                fit: Fit::Words,
                needs_field: false,
                count: None,
            });
        }
    }

    /// Returns the entry of the lookup for the most words at a place.
    pub(crate) fn longest_lookup_at(&self, at: usize) -> Option<(usize, usize)> {
        let mut key = String::new();
        let mut best = None;

        for length in 1..=self.longest_lookup.min(self.tokens.len() - at) {
            if length > 1 {
                key.push(' ');
            }
            key.push_str(&self.tokens[at + length - 1].lower);
            if let Some(&entry) = self.looked_up.get(&key) {
                let knows =
                    |entry: &LookedUp| !entry.candidates.is_empty() || !entry.mentions.is_empty();
                // A longer phrase that the data does not have leaves its parts to be found, and so
                // does one with words that are not names.
                let is_plain = self.tokens[at..at + length]
                    .iter()
                    .all(|token| !self.vocabulary.knows(&token.lower) && !token.is_number());
                if knows(&self.found.entries[entry]) || best.is_none() && (length == 1 || is_plain)
                {
                    best = Some((entry, length));
                }
            }
        }
        best
    }

    /// Adds what the data source knows about the words.
    pub(crate) fn add_looked_up(&self, item: &mut Item) {
        let lowers: Vec<&str> = self.tokens[item.start..item.end]
            .iter()
            .map(|token| token.lower.as_str())
            .collect();
        let Some(&at) = self.looked_up.get(&lowers.join(" ")) else {
            return;
        };
        item.looked_up = Some(at);

        for candidate in &self.found.entries[at].candidates {
            let fit = match candidate.matching {
                CandidateMatch::Exact | CandidateMatch::Case => Fit::Whole,
                CandidateMatch::Words | CandidateMatch::Prefix => Fit::Words,
                CandidateMatch::Spelling => Fit::Spelling,
            };
            let Some(&field) = self.places.get(candidate.field.as_str()) else {
                continue;
            };
            // `i7-4770` is not `i7-4770HQ`.
            let is_code =
                self.tokens[item.end - 1].is_number() || self.tokens[item.end - 1].is_code();
            // `code` does not mean `COD`.
            let is_short = plain(&candidate.value).chars().count() <= 4;
            let is_near = candidate.matching >= CandidateMatch::Prefix;
            // Words of an address name a place on a server.
            let own = &self.tokens[item.start..item.end];
            let is_part = candidate.matching >= CandidateMatch::Words;
            let is_title = matches!(own, [token] if self.schema.is_title(token));
            let is_elsewhere =
                is_title || is_address(&candidate.value) || is_other_place(own, &candidate.value);
            if is_part && is_elsewhere || is_doer(own, &candidate.value) {
                continue;
            }
            // `league` is a word, and not the misspelt name *Teague*.
            let is_known_word = |token: &Token<'_>| {
                let known = concepts().of(&token.lower, &token.stem, &token.own_stem);
                !token.is_capital() && (!known.is_empty() || self.vocabulary.knows(&token.lower))
            };
            // The first letter of a slip is right: `weather` is not *Heather*. A short word is
            // rather another one: `Asia` is not *Alia*.
            let shown = plain(&candidate.value);
            let first = words(&shown)
                .first()
                .and_then(|word| word.lower.chars().next());
            let begins_alike = match own {
                [token] => {
                    let is_long = token.lower.chars().count() > 4;
                    is_long && (token.is_capital() || token.lower.chars().next() == first)
                }
                _ => true,
            };
            let is_spelling = candidate.matching == CandidateMatch::Spelling;
            if is_spelling && (own.iter().all(is_known_word) || !begins_alike) {
                continue;
            }
            if is_near && (is_short || is_code && candidate.matching >= CandidateMatch::Prefix) {
                continue;
            }
            let is_known = item
                .values
                .iter()
                .any(|known| known.field == field && known.value == candidate.value);
            if !is_known {
                let is_records = is_title && !self.follows_denial(item.start);
                let needs_field = is_records || self.is_no_name(item, field, &candidate.value);
                item.values.push(ValueMatch {
                    field,
                    value: candidate.value.clone(),
                    fit,
                    needs_field,
                    count: Some(candidate.doc_count),
                });
            }
        }
        self.keep_literal(item.start, item.end, &mut item.values);
    }

    /// Returns the most words at a place that are the name of a state or country, and the values of
    /// columns of codes that it has.
    pub(crate) fn coded_place(&self, at: usize) -> (usize, Vec<ValueMatch>) {
        let longest = codes::LONGEST.min(self.tokens.len() - at);

        for length in (1..=longest).rev() {
            let name: Vec<&str> = self.tokens[at..at + length]
                .iter()
                .map(|token| token.lower.as_str())
                .collect();
            let names = codes::names(self.tokens[at].text).iter();
            let others = codes::codes(&name.join(" ")).iter();
            let is_adjective = length == 1 && self.vocabulary.code != "en";
            let adjective = codes::adjective(name[0]).iter().filter(|_| is_adjective);
            let others = others.chain(names.filter(|_| length == 1)).chain(adjective);
            let values =
                others.flat_map(|other| self.values_of_place(other, |field| field.holds_places()));
            let continents = codes::continent(&name.join(" ")).iter();
            let continents = continents
                .flat_map(|other| self.values_of_place(other, |field| field.holds_continents()));
            let values: Vec<ValueMatch> = continents.chain(values).collect();
            if !values.is_empty() {
                return (length, values);
            }
        }
        (0, Vec::new())
    }

    /// Returns the values that are the code or name of a place, in columns of such places.
    fn values_of_place(&self, called: &str, holds: impl Fn(&Field<'_>) -> bool) -> Vec<ValueMatch> {
        let matched = |field: usize, value: &serde_json::Value, count: Option<u64>| ValueMatch {
            field,
            value: value.clone(),
            fit: Fit::OtherName,
            needs_field: false,
            count,
        };
        let lower = called.to_lowercase();
        let key: String = words(&lower).into_iter().map(|word| word.stem).collect();
        let listed = self.schema.values(&key).iter().filter_map(|listed| {
            let value = self.schema.value(*listed);
            let is_called = plain(value).eq_ignore_ascii_case(called);
            let is_place = holds(&self.schema.fields[listed.field]);
            (is_called && is_place).then(|| matched(listed.field, value, None))
        });
        let entry = self
            .looked_up
            .get(&lower)
            .map(|at| &self.found.entries[*at]);
        let found = entry.into_iter().flat_map(|entry| &entry.candidates);

        let found = found.filter_map(|candidate| {
            let field = *self.places.get(candidate.field.as_str())?;
            let is_called = plain(&candidate.value).eq_ignore_ascii_case(called);
            let is_place = holds(&self.schema.fields[field]);
            let count = Some(candidate.doc_count);
            (is_called && is_place).then(|| matched(field, &candidate.value, count))
        });
        let mut all: Vec<ValueMatch> = listed.collect();
        for value in found {
            if all
                .iter()
                .all(|known| known.field != value.field || known.value != value.value)
            {
                all.push(value);
            }
        }
        all
    }

    /// Returns whether a word in small letters is not meant as a name, as *curiosity* where a dog
    /// is called so: the question writes other words with capitals.
    fn is_no_name(&self, item: &Item, field: usize, value: &serde_json::Value) -> bool {
        let names = &self.schema.fields[field].words;
        let is_name = names
            .iter()
            .any(|name| matches!(name.lower.as_str(), "name" | "title"));
        let own = &self.tokens[item.start..item.end];
        let is_small = own.len() == 1 && own.iter().all(|token| !token.is_capital());
        let follows_naming = item.start.checked_sub(1).is_some_and(|before| {
            let word = self.tokens[before].lower.as_str();
            let entry = self.vocabulary.longest_at(|k| (k == 0).then_some(word));
            entry.is_some_and(|(entry, _)| entry.roles.contains(&Role::Named))
        });

        let has_capitals = self.tokens.iter().any(Token::is_capital);
        let is_written_large = plain(value).starts_with(char::is_uppercase);
        is_name
            && is_small
            && !item.is_quoted
            && !follows_naming
            && has_capitals
            && is_written_large
    }

    pub(crate) fn longest_value(&self, at: usize) -> (usize, Vec<ValueMatch>) {
        let most = (self.schema.longest_value + 1).min(self.tokens.len() - at);
        for length in (1..=most).rev() {
            let is_joined = (1..length).all(|k| !self.tokens[at + k].gap.contains(['?', '!', ';']));
            if !is_joined {
                continue;
            }
            let values = self.values(at, at + length, false);
            if !values.is_empty() {
                return (length, values);
            }
        }
        (0, Vec::new())
    }

    /// Returns the values that all words together are.
    pub(crate) fn values(&self, start: usize, end: usize, is_quoted: bool) -> Vec<ValueMatch> {
        let tokens = &self.tokens[start..end];
        if self.is_verb_with_object(start, end) {
            return Vec::new();
        }
        let key: String = tokens.iter().map(|token| token.stem.as_str()).collect();
        let own: String = tokens.iter().map(|token| token.own_stem.as_str()).collect();
        let mut found: Vec<ValueMatch> = Vec::new();

        for &listed in self
            .schema
            .values(&key)
            .iter()
            .chain(self.schema.values(&own))
        {
            let value = self.schema.value(listed);
            let is_known = found
                .iter()
                .any(|known| known.field == listed.field && known.value == *value)
                || is_doer(tokens, value);
            if !is_known && let Some(needs_field) = self.may_be(tokens, listed, is_quoted) {
                // *Stations* of a list of stations are its records, and not those of the type
                // *station*; others than stations are of another type.
                let is_records = tokens.len() == 1
                    && !is_quoted
                    && self.schema.is_title(&tokens[0])
                    && !self.follows_denial(start);
                let needs_field = is_records
                    || needs_field && !(tokens.len() == 1 && self.is_one_of_codes(start, listed));
                let fit = if listed.is_other_name {
                    Fit::OtherName
                } else {
                    Fit::Whole
                };
                let value = value.clone();
                found.push(ValueMatch {
                    field: listed.field,
                    value,
                    fit,
                    needs_field,
                    count: None,
                });
            }
        }
        if let ([token], true) = (tokens, found.is_empty()) {
            found.extend(self.other_form(token));
        }
        self.keep_literal(start, end, &mut found);
        found.sort_by_key(|value| value.fit);
        found
    }

    /// Returns whether one of the words before a place denies.
    fn follows_denial(&self, at: usize) -> bool {
        const DENIALS: &[Role] = &[Role::Not, Role::Without, Role::Except];
        (at.saturating_sub(4)..at).any(|k| {
            let found = self
                .vocabulary
                .longest_at(|next| self.tokens.get(k + next).map(|token| token.lower.as_str()));
            found.is_some_and(|(entry, _)| entry.roles.iter().any(|role| DENIALS.contains(role)))
        })
    }

    /// Returns whether a word that describes things is a verb where it stands: *used a card*, *used
    /// by*.
    fn is_verb_with_object(&self, start: usize, end: usize) -> bool {
        const BEFORE_OBJECT: [&str; 10] = [
            "a", "an", "the", "this", "their", "its", "by", "for", "to", "in",
        ];
        let [token] = &self.tokens[start..end] else {
            return false;
        };
        let next = self.tokens.get(end).filter(|next| !next.breaks());
        lexicon::describes(&token.lower)
            && next.is_some_and(|next| BEFORE_OBJECT.contains(&next.lower.as_str()))
    }

    /// Returns whether words may be a value: ordinary words, numbers and single letters only with
    /// their field, and short codes such as `IN` only as they are spelt.
    fn may_be(&self, tokens: &[Token<'_>], listed: Listed, is_quoted: bool) -> Option<bool> {
        let value = plain(self.schema.value(listed));
        let [token] = tokens else {
            let is_weak = tokens
                .iter()
                .all(|t| lexicon::is_weak_value(&t.lower) || t.is_number());
            return Some(is_weak && !is_quoted);
        };
        if is_quoted {
            return Some(false);
        }

        let is_code = value.chars().count() <= 3
            && value
                .chars()
                .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
        let is_spelt = token.text == value || (!is_code && token.lower == folded(&value));
        let is_structure = self
            .vocabulary
            .longest_at(|k| (k == 0).then_some(token.lower.as_str()))
            .is_some_and(|(entry, _)| entry.roles.iter().any(|role| STRUCTURE.contains(role)));
        let is_weak = token.is_number() && !token.is_clock()
            || lexicon::is_weak_value(&token.lower)
            || is_structure
            || token.text.chars().count() < 2;
        // `in` and `a` are not read as codes, even next to the name of their field.
        if is_structure && value.chars().count() <= 3 && token.text != value {
            return None;
        }
        if is_weak {
            // `L` of sizes, but not `A` and `I`.
            let is_letter = token.text.len() == 1 && !matches!(token.text, "A" | "I");
            let is_plain_code =
                is_code && token.text == value && (token.text.len() >= 2 || is_letter);
            return Some(!is_plain_code || token.is_number());
        }

        // `Al` of a name is not the code `AL`.
        let is_mixed = token.is_capital() && token.text.chars().skip(1).any(char::is_lowercase);
        if is_code && !is_spelt && is_mixed && !listed.is_other_name {
            return Some(true);
        }
        let is_short = token.text.chars().count() <= 3 && token.text.is_ascii();
        // `amd` can only be the code, `all` may be the word.
        let is_word = self.vocabulary.knows(&token.lower);
        Some(is_short && !is_spelt && !listed.is_other_name && is_word)
    }

    /// Reads a misspelt word of a name or a value.
    pub(crate) fn respell(&self, item: &mut Item) {
        let token = &self.tokens[item.start];
        let Some(known) = self.schema.spelling(&token.lower) else {
            return;
        };
        let stem = words(known)
            .pop()
            .map_or_else(|| known.to_owned(), |word| word.stem);
        let is_own = !self.vocabulary.knows(&token.lower);
        if !is_own {
            return;
        }

        for &listed in self.schema.values(&stem) {
            let value = self.schema.value(listed).clone();
            if is_doer(std::slice::from_ref(token), &value) {
                continue;
            }
            item.values.push(ValueMatch {
                field: listed.field,
                value,
                fit: Fit::Spelling,
                needs_field: false,
                count: None,
            });
        }
        // `muton` is the telling word of the value *Mutton, kg*.
        let is_telling = |listed: &Listed| {
            let text = plain(self.schema.value(*listed));
            let rest = words(&text).into_iter().filter(|word| word.stem != stem);
            rest.into_iter().all(|word| word.text.chars().count() <= 3)
        };
        if let [listed] = self.schema.parts(&stem)
            && item.values.is_empty()
            && is_telling(listed)
        {
            item.values.push(ValueMatch {
                field: listed.field,
                value: self.schema.value(*listed).clone(),
                fit: Fit::Spelling,
                needs_field: false,
                count: None,
            });
        }
        let named = self
            .schema
            .with_stem(&stem)
            .iter()
            .filter_map(|&(field, place)| {
                let names = &self.schema.fields[field].words;
                let strong = names.iter().filter(|name| !name.is_filler).count();
                (!names[place].is_weak || strong == 1).then(|| FieldMatch {
                    field,
                    score: 700 / u32::try_from(strong.max(1)).unwrap_or(1),
                    is_full: strong == 1,
                    is_opposite: false,
                })
            });
        item.fields = named.collect();
        item.fields
            .sort_by_key(|found| (std::cmp::Reverse(found.score), found.field));
        if !item.values.is_empty() || !item.fields.is_empty() {
            item.respelt = Some(known.to_owned());
        }
    }
}

/// Returns whether a value is a web address.
fn is_address(value: &serde_json::Value) -> bool {
    let text = plain(value);
    text.contains("://") || text.starts_with("www.")
}

/// Returns whether a value is another place than the one with this name: *South Africa* and *New
/// York* are neither Africa nor York.
fn is_other_place(tokens: &[Token<'_>], value: &serde_json::Value) -> bool {
    const OTHER: [&str; 10] = [
        "new",
        "north",
        "northern",
        "south",
        "southern",
        "east",
        "eastern",
        "west",
        "western",
        "equatorial",
    ];

    let [token] = tokens else {
        return false;
    };
    let value = folded(&plain(value));
    let before = value.strip_suffix(token.lower.as_str());
    token.is_capital() && before.is_some_and(|before| OTHER.contains(&before.trim_end()))
}

/// Returns whether a word is the person or thing that does what a value says, as *customers* of
/// *custom*: another word with the same stem.
fn is_doer(tokens: &[Token<'_>], value: &serde_json::Value) -> bool {
    let [token] = tokens else {
        return false;
    };
    let value = folded(&plain(value));
    // *Athletes* do athletics, and not all of them do; *gymnasts* do gymnastics.
    let is_general = !concepts()
        .of(&token.lower, &token.stem, &token.own_stem)
        .is_empty();
    let is_activity = is_general && value.ends_with("ics") && !token.lower.ends_with("ics");
    let is_stem_only = is_activity && !value.contains(' ') && value.len() > 5;
    if is_stem_only {
        return true;
    }
    let rest = token.lower.strip_prefix(value.as_str());
    rest.is_some_and(|rest| matches!(rest, "er" | "ers" | "or" | "ors"))
}
