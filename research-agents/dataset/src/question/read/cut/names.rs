//! Finds the names of fields in a question: whole, in part, in other words, or abbreviated.

use crate::data::task::FieldKind;
use crate::question::lexicon;
use crate::question::read::cut::cutter::Cutter;
use crate::question::read::cut::field::{NameWord, stem_of};
use crate::question::read::cut::items::FieldMatch;
use crate::question::read::cut::spelling::{is_skeleton, plural_of};
use crate::question::read::words::concepts::concepts;
use crate::question::read::words::tokens::Token;
use crate::question::read::words::vocabulary::{Role, SHORTEST_SLIP, is_slip};

impl Cutter<'_, '_, '_> {
    /// Returns the fields that the most words at a place name, the best first.
    pub(crate) fn fields(&self, at: usize) -> (usize, Vec<FieldMatch>) {
        let mut candidates: Vec<usize> = Vec::new();
        let mut add = |field: usize| {
            if !candidates.contains(&field) && candidates.len() < 256 {
                candidates.push(field);
            }
        };
        let token = &self.tokens[at];
        let (stem, own) = (&token.stem, &token.own_stem);
        let tail = self.compound(token);
        let known = concepts().of(&token.lower, stem, own);
        let opposite = concepts().opposite(&token.lower);
        for found in [stem, own].map(|stem| self.schema.with_stem(stem)) {
            found.iter().for_each(|(field, _)| add(*field));
        }
        for concept in known
            .iter()
            .copied()
            .chain(opposite)
            .chain(tail.iter().copied())
        {
            self.schema
                .with_concept(concept)
                .iter()
                .for_each(|(field, _)| add(*field));
        }
        for length in [3, 4] {
            if let Some(beginning) = token
                .lower
                .get(..length)
                .filter(|b| b.len() < token.lower.len())
            {
                self.schema
                    .with_stem(beginning)
                    .iter()
                    .for_each(|(field, _)| add(*field));
            }
        }

        let endings = token.lower.char_indices().map(|(at, _)| at).skip(3);
        for ending in endings.take_while(|at| token.lower.len() - at >= 5) {
            let tail = stem_of(&token.lower[ending..]);
            self.schema
                .with_stem(&tail)
                .iter()
                .for_each(|(field, _)| add(*field));
        }
        if let Some(known) = self.schema.spelling(&token.lower) {
            let known = stem_of(known);
            let named = self.schema.with_stem(&known);
            named.iter().for_each(|(field, _)| add(*field));
        }
        if let Some(ordinal) = self.ordinal(token) {
            let named = self.schema.with_stem(&ordinal.to_string());
            named.iter().for_each(|(field, _)| add(*field));
        }
        self.schema
            .abbreviated(&token.lower)
            .iter()
            .chain(self.schema.beginning_like(&token.lower))
            .for_each(|field| add(*field));

        let mut best: Vec<FieldMatch> = self.only_name(token).into_iter().collect();
        let mut longest = best.len();
        for field in candidates {
            let Some((end, mut found)) = self.named(at, field) else {
                continue;
            };
            if !found.is_full && self.ends_with_own_name(at, end) {
                continue;
            }
            let says = |concept: &&str| {
                let names = &self.schema.fields[field].words;
                names.iter().any(|name| name.concepts.contains(concept))
            };
            found.is_opposite = opposite.as_ref().is_some_and(says) && !known.iter().any(says);
            match (end - at).cmp(&longest) {
                std::cmp::Ordering::Greater => (longest, best) = (end - at, vec![found]),
                std::cmp::Ordering::Equal => best.push(found),
                std::cmp::Ordering::Less => {}
            }
        }

        // `drug spending per head` is one number.
        let is_joined = || self.tokens.get(at + 1).is_some_and(|next| !next.breaks());
        let of_each = || {
            let (length, fields) = self.per_person(at + 1).filter(|_| is_joined())?;
            let is_number = |found: &FieldMatch| {
                self.schema.fields[found.field].facts.kind == FieldKind::Number
            };
            best.iter().any(is_number).then_some((length + 1, fields))
        };
        if let Some((length, fields)) = self
            .per_person(at)
            .or_else(of_each)
            .filter(|_| longest <= 1)
        {
            (longest, best) = (length, fields);
        }
        for sex in ["female", "male"] {
            if longest == 0 && concepts().is_same_value(&token.lower, sex) {
                best = self.truths_of_sex(sex);
                longest = usize::from(!best.is_empty());
            }
        }
        // `HRs` of `HR`
        if let Some(one) = token
            .text
            .strip_suffix('s')
            .filter(|one| longest == 0 && one.len() > 1 && one.chars().all(char::is_uppercase))
        {
            let fields = self.schema.with_joined(&one.to_lowercase());
            longest = usize::from(!fields.is_empty());
            best.extend(fields.iter().copied().map(FieldMatch::full));
        }

        // `body mass` names `bodymass`.
        let mut joined = String::new();
        for length in 1..=4.min(self.tokens.len() - at) {
            joined.push_str(&self.tokens[at + length - 1].lower);
            let fields = self.schema.with_joined(&joined);
            // `postalCode` is the field of that name, and not another one with a code.
            let is_literal = length == 1 && longest <= 1 && self.names_several_words(fields);
            if length < longest || (length == 1 && longest > 0 && !is_literal) {
                continue;
            }
            if !fields.is_empty() && (length > longest || is_literal) {
                (longest, best) = (length, Vec::new());
            }
            for &field in fields {
                if best.iter().all(|known| known.field != field) {
                    best.push(FieldMatch::full(field));
                }
            }
        }

        if let Some((length, fields)) = self.spelt_out(at).filter(|(length, _)| *length > longest) {
            let full = fields.iter().copied().map(FieldMatch::full);
            (longest, best) = (length, full.collect());
        }

        if let Some((length, fields)) = self.clipped(at).filter(|(length, _)| {
            let is_said = best.iter().any(|found| found.is_full);
            *length > longest || *length == longest && !is_said
        }) {
            (longest, best) = (length, fields);
        }

        // What the data is called only qualifies names of fields: `colleges` are not
        // `college_type`.
        if longest == 1 && self.schema.is_title(token) {
            best.retain(|found| self.is_head(found.field, &token.stem));
            longest = usize::from(!best.is_empty());
        }

        // Of equal matches a name, a total and the body itself are meant first.
        let is_general = |field: usize| {
            let names = &self.schema.fields[field].words;
            let general = [
                "name", "nom", "nome", "nombre", "title", "total", "overall", "body",
            ];
            names
                .iter()
                .any(|name| general.contains(&name.lower.as_str()))
        };
        let is_literal = |field: usize| {
            let names = &self.schema.fields[field].words;
            names.iter().any(|name| name.lower == token.lower)
        };
        let has_stem = |field: usize| {
            let names = &self.schema.fields[field].words;
            names
                .iter()
                .any(|name| !name.is_weak && name.stem == token.stem)
        };
        best.sort_by_key(|found| {
            let is_literal = is_literal(found.field);
            let first = (
                found.is_full,
                // `cities` is the city of an address rather than a location, and *salary* rather an
                // income than a `salary_hike`.
                !found.is_full && has_stem(found.field) && self.is_head(found.field, &token.stem),
                // Of names that are said in part the total is meant: *cost* is the total cost.
                !found.is_full && is_general(found.field),
                found.score,
                is_literal,
                is_general(found.field),
            );
            (std::cmp::Reverse(first), found.field)
        });
        best.truncate(12);
        (longest, best)
    }

    /// Returns whether a stem is not a word before others in the name of a field. Where nothing
    /// names the records, `meat_type` says what they are.
    fn is_head(&self, field: usize, stem: &str) -> bool {
        let names = &self.schema.fields[field].words;
        let place = names.iter().rposition(|name| name.stem == stem);
        let has_name = self.schema.record_name().is_some();
        let follows = |name: &NameWord| !name.is_filler && (has_name || !name.is_weak);
        let qualifies = |place: usize| {
            // `Type of Breach` is a type; `Number of Chargers` counts chargers.
            let of = names[..place].iter().rposition(|name| name.lower == "of");
            let counts = |name: &NameWord| {
                matches!(name.lower.as_str(), "number" | "count" | "total" | "amount")
            };
            let is_of = of.is_some_and(|of| !names[..of].iter().any(counts));
            is_of || names[place + 1..].iter().any(follows)
        };
        place.is_some_and(|place| !qualifies(place))
    }

    /// Returns the fields of numbers for each person, such as `usd_cap` of *per person*, and how
    /// many words say it.
    fn per_person(&self, at: usize) -> Option<(usize, Vec<FieldMatch>)> {
        const PER: [&str; 5] = ["per", "pro", "par", "por", "je"];
        const PERSONS: [&str; 14] = [
            "capita",
            "person",
            "head",
            "inhabitant",
            "resident",
            "kopf",
            "einwohner",
            "personne",
            "tete",
            "habitant",
            "persona",
            "habitante",
            "abitante",
            "pessoa",
        ];
        let [per, person] = self.tokens.get(at..at + 2)? else {
            return None;
        };
        if !PER.contains(&per.lower.as_str()) || !PERSONS.contains(&person.lower.as_str()) {
            return None;
        }

        let is_each = |field: &usize| {
            let field = &self.schema.fields[*field];
            let mut words = field.words.iter();
            field.facts.kind == FieldKind::Number
                && words.any(|word| matches!(word.lower.as_str(), "cap" | "capita" | "percapita"))
        };
        let fields = (0..self.schema.fields.len()).filter(is_each);
        let fields: Vec<FieldMatch> = fields
            .map(|field| FieldMatch {
                field,
                score: 800,
                is_full: false,
                is_opposite: false,
            })
            .collect();
        (!fields.is_empty()).then_some((2, fields))
    }

    /// Returns the fields of truth values that say of each record whether it is of a sex, as
    /// `female` does, or whether it is of the other one.
    fn truths_of_sex(&self, sex: &str) -> Vec<FieldMatch> {
        let of_field = |at: usize| {
            let field = &self.schema.fields[at];
            let word = field.words.last().filter(|_| field.truth.is_some())?;
            let says = |sex: &str| concepts().is_same_value(&word.lower, sex);
            (says("female") || says("male")).then(|| FieldMatch {
                is_opposite: !says(sex),
                ..FieldMatch::full(at)
            })
        };
        (0..self.schema.fields.len()).filter_map(of_field).collect()
    }

    /// Returns whether the last of several words is the whole name of another field: `station
    /// names` are rather the names of the stations than part of `stationManagement.name`.
    fn ends_with_own_name(&self, at: usize, end: usize) -> bool {
        let last = &self.tokens[end - 1];
        end > at + 1
            && (self.schema.with_joined(&last.lower).iter())
                .chain(self.schema.with_joined(&last.stem))
                .any(|field| self.schema.fields[*field].words.len() == 1)
    }

    /// Returns whether one of these fields has a name of several words.
    fn names_several_words(&self, fields: &[usize]) -> bool {
        let several = |field: &usize| self.schema.fields[*field].words.len() > 1;
        fields.iter().any(several)
    }

    /// Returns the only field with the word *name* or *title* in its own name, where the word is
    /// one for names.
    fn only_name(&self, token: &Token<'_>) -> Option<FieldMatch> {
        let known = concepts().of(&token.lower, &token.stem, &token.own_stem);
        if !known.contains(&"name") {
            return None;
        }
        let is_named = |field: &usize| {
            let field = &self.schema.fields[*field];
            let words = &field.words;
            let says = |word: &NameWord| matches!(word.lower.as_str(), "name" | "title");
            field.facts.kind == FieldKind::Text && words.len() > 1 && words.iter().any(says)
        };

        let mut fields = (0..self.schema.fields.len()).filter(is_named);
        let field = fields.next().filter(|_| fields.next().is_none())?;
        Some(FieldMatch {
            field,
            score: 600,
            is_full: false,
            is_opposite: false,
        })
    }

    fn compound(&self, token: &Token<'_>) -> &'static [&'static str] {
        if self.vocabulary.code == "de" && !self.vocabulary.knows(&token.lower) {
            concepts()
                .of_compound(&token.lower)
                .map_or(&[], |(_, found)| found)
        } else {
            &[]
        }
    }

    /// Returns how well words from a place on name a field, and where they end.
    fn named(&self, at: usize, field: usize) -> Option<(usize, FieldMatch)> {
        let names = &self.schema.fields[field].words;
        let mut said = vec![0_u32; names.len()];
        let (mut end, mut next, mut skipped) = (at, at, 0);
        let mut order: Vec<usize> = Vec::new();
        while next < self.tokens.len() && next < at + 9 {
            let token = &self.tokens[next];
            if next > at && (token.breaks() && !matches!(token.gap, "." | "/" | " (")) {
                break;
            }
            let best = (0..names.len())
                .filter(|place| said[*place] == 0)
                .map(|place| (self.strength(token, &names[place]), place))
                .max_by_key(|(strength, place)| (*strength, std::cmp::Reverse(*place)))
                .filter(|(strength, _)| *strength > 0);
            if let Some((strength, place)) = best {
                // Another word for a general one, such as `units` for `number`, begins no name.
                let is_only = names.len() == 1 && self.vocabulary.code != "en";
                if next == at && names[place].is_weak && strength < 10 && !is_only {
                    return None;
                }
                said[place] = strength;
                order.push(place);
                (end, skipped) = (next + 1, 0);
            } else if next > at && skipped < 2 && self.is_skipped(token) {
                skipped += 1;
            } else {
                break;
            }
            next += 1;
        }
        if end == at {
            return None;
        }
        // `inhabitants per type` is not `population_per_km2`.
        if let Some(last) = order.last().copied().filter(|_| end > at + 1)
            && lexicon::is_preposition(&names[last].lower)
        {
            said[last] = 0;
            end -= 1;
        }

        let weight = |name: &NameWord| match (name.is_filler, name.is_weak || name.is_shared) {
            (true, _) => 0,
            (_, true) => 4,
            _ => 10,
        };
        let total: u32 = names.iter().map(weight).sum::<u32>().max(1);
        let covered: u32 = names
            .iter()
            .zip(&said)
            .map(|(name, s)| weight(name) * s)
            .sum();
        let is_full = names
            .iter()
            .zip(&said)
            .all(|(name, s)| name.is_filler || name.is_shared && names.len() > 1 || *s > 0);
        let is_strong = names
            .iter()
            .zip(&said)
            .any(|(name, s)| !name.is_weak && !name.is_filler && *s >= 7);
        let says_own = names
            .iter()
            .zip(&said)
            .any(|(name, s)| !name.is_shared && !name.is_filler && *s > 0);
        let is_full = is_full && says_own;
        let is_reversed = order.windows(2).any(|pair| pair[0] > pair[1]);
        let is_counting = self
            .vocabulary
            .longest_at(|k| self.tokens.get(at + k).map(|t| t.lower.as_str()))
            .is_some_and(|(entry, _)| entry.roles.contains(&Role::HowMany));
        if (is_counting && is_reversed) || (!is_full && !is_strong) || covered == 0 {
            return None;
        }
        let score = covered * 100 / total;
        Some((
            end,
            FieldMatch {
                field,
                score,
                is_full,
                is_opposite: false,
            },
        ))
    }

    /// Returns whether a word may stand between words of a name: *tea from Kenya* is `tea_kenya`.
    fn is_skipped(&self, token: &Token<'_>) -> bool {
        let entry = self
            .vocabulary
            .longest_at(|k| (k == 0).then_some(token.lower.as_str()));
        matches!(token.lower.as_str(), "per" | "pro" | "par" | "por")
            || entry.is_some_and(|(entry, _)| {
                entry
                    .roles
                    .iter()
                    .any(|role| matches!(role, Role::Of | Role::Stop | Role::From))
            })
    }

    /// Returns the number that a word such as *first* is.
    fn ordinal(&self, token: &Token<'_>) -> Option<u32> {
        let word = token.lower.as_str();
        let entry = self.vocabulary.longest_at(|k| (k == 0).then_some(word));
        entry.and_then(|(entry, _)| entry.ordinal)
    }

    /// Returns how well a word is a word of a name, 0 to 10.
    fn strength(&self, token: &Token<'_>, name: &NameWord) -> u32 {
        if token.lower == name.lower || token.stem == name.stem || token.own_stem == name.stem {
            return 10;
        }
        // *The first round* is `round_1`.
        let ordinal = self.ordinal(token);
        if ordinal.is_some_and(|ordinal| name.lower.parse() == Ok(ordinal)) {
            return 10;
        }
        let long = concepts().shortened(&name.lower);
        if long.is_some_and(|long| token.lower == long || token.stem == stem_of(long)) {
            return 8;
        }
        let known = concepts().of(&token.lower, &token.stem, &token.own_stem);
        let shares = |concepts: &[&str]| name.concepts.iter().any(|c| concepts.contains(c));
        if shares(known) {
            return 8;
        }
        if concepts()
            .opposite(&token.lower)
            .is_some_and(|c| name.concepts.contains(&c))
        {
            return 8;
        }

        if shares(self.compound(token)) {
            return 7;
        }
        if !token.is_capital()
            && !self.vocabulary.knows(&token.lower)
            && token.lower.len().min(name.lower.len()) >= SHORTEST_SLIP
            && (is_slip(&token.lower, &name.lower)
                || is_slip(&token.lower, &plural_of(&name.lower)))
        {
            return 7;
        }
        let letters = name.lower.chars().count();
        let is_abbreviation = (3..=4).contains(&letters)
            && token.lower.chars().count() > letters + 2
            && token.lower.starts_with(&name.lower);
        // `catchphrase` is the field `phrase`.
        if letters >= 5
            && token.lower.len() > name.lower.len() + 2
            && token.lower.ends_with(&name.lower)
        {
            return 7;
        }
        // `turnout` is the field `turnoutho`.
        let rest = name.lower.strip_prefix(token.lower.as_str());
        if token.lower.len() >= 6 && rest.is_some_and(|rest| (1..=3).contains(&rest.len())) {
            return 7;
        }
        let has_a_letter_more = token.lower.len() >= 5 && name.lower.get(1..) == Some(&token.lower);
        match (
            has_a_letter_more,
            is_abbreviation || is_skeleton(&name.lower, &token.lower),
        ) {
            (true, _) => 8,
            (_, true) => 6,
            _ => 0,
        }
    }
}
