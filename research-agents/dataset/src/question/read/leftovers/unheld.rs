//! Finds what a question asks that no field holds, so that the report says so instead of answering
//! something else.

pub(crate) mod of_record;

use crate::data::task::FieldKind;
use crate::question::read::cut::field::Field;
use crate::question::read::cut::items::{Fit, Item};
use crate::question::read::functions::QUANTITIES;
use crate::question::read::order::superlative::NOT_MEASURED;
use crate::question::read::reader::Reader;
use crate::question::read::words::concepts::concepts;
use crate::question::read::words::units::unit;
use crate::question::read::words::vocabulary::{Grade, Role};
use crate::question::reading::AnswerShape;

/// Question words that ask for a value of the records.
const ASKING: &[Role] = &[
    Role::What,
    Role::Which,
    Role::HowMuch,
    Role::How,
    Role::When,
    Role::Where,
    Role::Who,
];

impl Reader<'_, '_, '_> {
    /// Notes the words for what is asked that no field holds.
    pub(crate) fn settle_unheld(&mut self) {
        self.settle_one_record();
        if self.counts_an_unknown_unit()
            || self.counts_what_a_record_has()
            || self.counts_a_quantity()
        {
            let opening = self.asked.opening.unwrap_or_default();
            let noun = self.skip_roles(opening + 1, &[Role::Stop, Role::Of]);
            self.asked.unheld.push(self.said(noun, noun + 1).to_owned());
        }
        // Data says what is, and not for which reason.
        if let Some(why) = (0..self.len().min(3)).find(|at| self.has(*at, Role::Why)) {
            self.asked.unheld.push(self.said(why, why + 1).to_owned());
        }
        self.settle_unheld_rate();
        self.settle_unheld_price();
        self.settle_unheld_verb();
        self.settle_unheld_noun();
        self.settle_unheld_time();
        self.settle_unheld_place();
        self.settle_unheld_name();
        self.settle_unheld_of_record();
        self.settle_unheld_person();
        if self.asks_and_gets_nothing() {
            self.settle_unheld_words();
        }

        self.settle_unread_adjectives();
        self.settle_unread_values();
        self.settle_lost_words();
        let unheld = std::mem::take(&mut self.asked.unheld);
        for said in unheld {
            if !said.is_empty() && !self.out.unheld.contains(&said) {
                self.out.unheld.push(said);
            }
        }
    }

    /// Notes *acceptance rate*, a number of each record that no field holds.
    fn settle_unheld_rate(&mut self) {
        let is_rate = |at: &usize| {
            matches!(self.lower(*at), "rate" | "rates") && self.items[*at].fields.is_empty()
        };
        let rate = (1..self.len())
            .filter(is_rate)
            .find(|at| !self.breaks(*at) && self.items[at - 1].is_open() && !self.is_name(at - 1));
        if let Some(rate) = rate {
            let said = self.said(rate - 1, rate + 1).to_owned();
            self.asked.unheld.push(said);
        }
    }

    /// Notes adjectives before a noun that selected nothing, as *small* of a small pizza.
    fn settle_unread_adjectives(&mut self) {
        for at in 0..self.len() {
            let item = &self.items[at];
            let is_positive = item
                .degree
                .as_ref()
                .is_some_and(|degree| degree.grade == Grade::Positive);
            let is_before_noun = self.items.get(at + 1).is_some_and(|next| {
                !self.breaks(at + 1)
                    && (!next.values.is_empty()
                        || !next.fields.is_empty()
                        || next.is_open()
                        || next.has_any(&[Role::Day, Role::Week, Role::Month, Role::Year]))
            });
            let follows_more = at.checked_sub(1).is_some_and(|before| {
                self.has_any(before, &[Role::How, Role::More, Role::Less, Role::Most])
            });

            if is_positive && is_before_noun && !follows_more && !item.used {
                let said = self.said(at, at + 1).to_owned();
                self.out.unread.push(said);
            }
        }
    }

    /// Notes names, values and words for men and women that had no effect, so that none vanishes.
    fn settle_unread_values(&mut self) {
        for at in 0..self.len() {
            let item = &self.items[at];
            let word = self.lower(at);
            let is_value = item.values.iter().any(|value| {
                !value.needs_field && matches!(value.fit, Fit::Whole | Fit::OtherName)
            });
            let is_person =
                concepts().is_same_value(word, "male") || concepts().is_same_value(word, "female");
            let says_value = item.roles.is_empty() && item.fields.is_empty() && is_value;
            if !(says_value && !item.used || is_person) {
                continue;
            }

            let said = self.said(at, at + 1).to_owned();
            let is_filter = self
                .asked
                .filter_items
                .iter()
                .any(|(place, _)| *place == at);
            let is_told =
                is_filter || self.is_told(&said) || !is_person && self.is_explained(&said);
            if !is_told {
                self.out.unread.push(said);
            }
        }
    }

    /// Notes superlatives, comparisons and words that nothing came of, so that none vanishes:
    /// *healthiest* of `the healthiest salad`.
    fn settle_lost_words(&mut self) {
        for at in 0..self.len() {
            let item = &self.items[at];
            let is_superlative = item
                .degree
                .as_ref()
                .is_some_and(|degree| degree.grade == Grade::Superlative);
            let word = self.lower(at);
            let is_word = item.roles.is_empty()
                && item.degree.is_none()
                && item.number.is_none()
                && item.moment.is_none()
                && word.chars().count() > 2
                && word.chars().all(char::is_alphabetic)
                && !self.serves(item);
            // `the most runs`: a noun, although it may be a verb.
            let is_counted = at > 0
                && self.has_any(at - 1, &[Role::Most, Role::Fewest])
                && item.roles == [Role::Light]
                && item.fields.is_empty()
                && word.ends_with('s');
            // `which condition sells for more`: groups alone do not say it.
            let chooses = (0..self.len()).any(|at| self.has(at, Role::Or));
            let is_more = self.out.answer == AnswerShape::Groups
                && !chooses
                && matches!(item.roles.as_slice(), [Role::More | Role::Less]);
            if item.used || !is_superlative && !is_word && !is_counted && !is_more {
                continue;
            }

            let said = self.said(at, at + 1).to_owned();
            if self.is_told(&said) || self.is_explained(&said) {
                continue;
            }
            match is_superlative || is_more {
                true => self.refused(&said, NOT_MEASURED),
                false => self.out.unread.push(said),
            }
        }
    }

    /// Returns whether the answer uses a field that an item names.
    fn serves(&self, item: &Item) -> bool {
        let out = &self.out;
        let measures = out.measures.iter().map(|measure| &measure.field);
        let used: Vec<&String> = measures
            .chain(&out.group_by)
            .chain(&out.wanted)
            .chain(&out.mentioned)
            .chain(out.filters.keys())
            .chain(out.part.keys())
            .collect();
        let mut fields = item.fields.iter();
        fields.any(|found| used.iter().any(|name| *name == self.name(found.field)))
    }

    /// Returns whether what was or was not applied has words.
    fn is_told(&self, said: &str) -> bool {
        let stands = |list: &[String]| list.iter().any(|own| own.contains(said));
        let mut conditions = self.out.conditions.iter();
        conditions.any(|condition| condition.said.contains(said))
            || stands(&self.out.unread)
            || stands(&self.out.absent)
            || stands(&self.out.unknown)
            || stands(&self.asked.unheld)
    }

    /// Returns whether a note, or what the records are called, has words.
    fn is_explained(&self, said: &str) -> bool {
        let stands = |list: &[String]| list.iter().any(|own| own.contains(said));
        let subject = self.out.subject.as_ref();
        stands(&self.out.derived)
            || stands(&self.out.notes)
            || subject.is_some_and(|own| own.contains(said))
    }

    /// Returns whether nothing is known about an item but that it is a word.
    fn is_foreign(&self, item: &Item) -> bool {
        let is_empty = item.looked_up.is_none_or(|entry| {
            let found = &self.found.entries[entry];
            found.candidates.is_empty()
        });
        let word = self.tokens[item.start].lower.as_str();
        let is_unit = word.chars().count() < 4 && unit(word).is_some() || matches!(word, "²" | "³");
        item.roles.is_empty()
            && !is_unit
            && item.degree.is_none()
            && item.fields.is_empty()
            && item.values.is_empty()
            && item.number.is_none()
            && item.moment.is_none()
            && !item.is_quoted
            && is_empty
    }

    /// Returns the item of a word that nothing is known about, behind a question word.
    pub(crate) fn foreign_noun(&self, opening: usize) -> Option<usize> {
        let noun = self.skip_roles(opening + 1, &[Role::Stop, Role::Of]);
        let item = self.items.get(noun).filter(|_| !self.breaks(noun))?;
        // A word that texts contain here and there fits no field either.
        let is_word = item.roles.is_empty()
            && item.fields.is_empty()
            && item.values.is_empty()
            && item.number.is_none()
            && item.degree.is_none()
            && !item.is_quoted
            && !self.is_name(noun)
            && self.has(opening, Role::What);
        // What the records are is not an attribute of theirs.
        let is_record = self.schema.is_title(&self.tokens[item.start]);
        (!is_record && (is_word || self.is_foreign(item))).then_some(noun)
    }

    /// Returns whether the question counts units of measure that no field is in, as *How many miles
    /// did they fly?*
    fn counts_an_unknown_unit(&self) -> bool {
        let is_count = matches!(self.out.answer, AnswerShape::Count | AnswerShape::Overview);
        let Some(opening) = self.asked.opening.filter(|_| is_count) else {
            return false;
        };
        if !self.has_any(opening, &[Role::HowMany, Role::HowMuch]) {
            return false;
        }
        let noun = self.skip_roles(opening + 1, &[Role::Stop, Role::Of]);
        let Some(item) = self.items.get(noun).filter(|item| item.fields.is_empty()) else {
            return false;
        };

        let calendar = [
            Role::Year,
            Role::Quarter,
            Role::Month,
            Role::Week,
            Role::Day,
        ];
        if item.has_any(&calendar) {
            // Where there are dates, a record may be a day; where there are years, a year.
            let is_year = item.has(Role::Year);
            let has_years = self.schema.years().next().is_some();
            return self.schema.dates().next().is_none() && !(is_year && has_years);
        }
        let named = unit(self.lower(noun)).filter(|_| self.lower(noun).len() > 2);
        named.is_some() && self.with_unit(named).is_empty()
    }

    /// Returns whether the question counts a quantity that no field holds, as *How many calories
    /// does it have?*
    fn counts_a_quantity(&self) -> bool {
        let opening = self.asked.opening.filter(|at| self.has(*at, Role::HowMany));
        let Some(opening) = opening.filter(|_| self.out.answer == AnswerShape::Count) else {
            return false;
        };
        let noun = self.skip_roles(opening + 1, &[Role::Stop, Role::Of]);
        let Some(item) = self.items.get(noun) else {
            return false;
        };
        let token = &self.tokens[item.start];
        let named = concepts().of(&token.lower, &token.stem, &token.own_stem);
        item.fields.is_empty()
            && item.values.is_empty()
            && !self.schema.is_title(token)
            && !named.is_empty()
            && named.iter().all(|concept| QUANTITIES.contains(concept))
    }

    /// Notes what a question asks with *where*, *when* or *who* of a record that is named, if no
    /// field says it: *Where was she born?*
    fn settle_unheld_place(&mut self) {
        let first = self.skip_roles(0, &[Role::Stop, Role::And, Role::But, Role::From]);
        let opening =
            Some(first).filter(|at| self.has_any(*at, &[Role::Where, Role::When, Role::Who]));
        let is_list = self.out.answer == AnswerShape::List;
        let Some(opening) = opening.filter(|_| is_list && self.out.unheld.is_empty()) else {
            return;
        };
        const PLACES: [&str; 5] = ["place", "city", "country", "region", "continent"];
        const TIMES: [&str; 4] = ["date", "year", "month", "time"];
        let is_of = |field: usize, meant: &[&str]| {
            let words = &self.field(field).words;
            let mut concepts = words.iter().flat_map(|word| word.concepts);
            concepts.any(|concept| meant.contains(concept))
        };
        let is_place = |field: usize| is_of(field, &PLACES);
        // A day may be written as `10/1`.
        let is_time = |field: usize| {
            let is_told = self.kind(field) == FieldKind::Text && is_of(field, &TIMES);
            is_told || self.kind(field) == FieldKind::Date || self.field(field).years.is_some()
        };
        let wanted = self
            .out
            .wanted
            .iter()
            .filter_map(|name| self.field_named(name));
        let mut wanted = wanted.filter(|field| {
            if self.has(opening, Role::Where) {
                is_place(*field)
            } else {
                is_time(*field)
            }
        });
        let is_held = wanted.next().is_some();

        let foreign = (opening + 1..self.len()).find(|at| {
            self.is_foreign(&self.items[*at]) && !self.is_name(*at) && !self.is_of_people(*at)
        });
        // `who teaches Chemistry`: nothing says who does so.
        let verb = Some(opening + 1).filter(|verb| {
            let item = self.items.get(*verb);
            let is_word = item.is_some_and(|item| {
                item.roles.is_empty() && item.fields.is_empty() && item.values.is_empty()
            });
            let is_verb = self.lower(*verb).ends_with('s') && !self.is_name(*verb);
            is_word && is_verb && self.selects_one_record() && self.vocabulary.code == "en"
        });
        let foreign = verb.or(foreign);
        let said = match (self.has(opening, Role::Who), foreign) {
            (true, Some(word)) if verb == Some(word) => Some(self.said(word, word + 1)),
            (true, Some(noun)) if self.foreign_noun(opening) == Some(noun) => {
                Some(self.said(noun, noun + 1))
            }
            (true, _) => None,
            (false, Some(word)) if !is_held => Some(self.said(word, word + 1)),
            (false, None) if !is_held => Some(self.said(opening, opening + 1)),
            _ => None,
        };
        let said = said.map(str::to_owned);
        self.asked.unheld.extend(said);
    }

    /// Notes the verb of *how many people died*, where no field counts it.
    fn settle_unheld_verb(&mut self) {
        let opening = self.asked.opening.filter(|at| self.has(*at, Role::HowMany));
        let is_count = self.out.answer == AnswerShape::Count;
        let Some(opening) = opening.filter(|_| is_count) else {
            return;
        };
        let noun = self.skip_roles(opening + 1, &[Role::Stop, Role::Of]);
        let is_people = matches!(self.lower(noun), "people" | "persons");
        let verb = (noun + 1..self.len()).find(|at| {
            let item = &self.items[*at];
            let is_verb = item.fields.is_empty() && concepts().is_verb(self.lower(*at));
            is_verb && !self.is_of_people(*at)
        });
        if let Some(verb) = verb.filter(|_| is_people) {
            let said = self.said(verb, verb + 1).to_owned();
            self.asked.unheld.push(said);
        }
    }

    /// Returns whether a verb such as *live* or *born* says nothing that the records do not: each
    /// is a person, or a condition on the birth was applied.
    pub(crate) fn is_of_people(&self, at: usize) -> bool {
        const LIVE: [&str; 10] = [
            "live", "lives", "lived", "living", "leben", "wohnen", "vivent", "viven", "vivono",
            "vivem",
        ];
        const BORN: [&str; 7] = ["born", "geboren", "ne", "nes", "nacido", "nato", "nascido"];

        let has_birth = |field: &Field<'_>| {
            let mut words = field.words.iter();
            words.any(|word| word.lower == "dob" || word.lower.starts_with("birth"))
        };
        let is_person = |concept: &str| !self.schema.with_concept(concept).is_empty();
        let word = self.lower(at);
        let mut filtered = self
            .out
            .filters
            .keys()
            .filter_map(|name| self.field_named(name));
        let is_somewhere = self.has_any(at + 1, &[Role::In, Role::From]);
        let are_people = is_person("sex") || self.schema.fields.iter().any(has_birth);
        LIVE.contains(&word) && is_somewhere && are_people
            || BORN.contains(&word) && filtered.any(|field| has_birth(self.field(field)))
    }

    /// Notes the noun that a question asks for, where nothing is known about it nor about the verb,
    /// or where no field measures the superlative next to it.
    fn settle_unheld_noun(&mut self) {
        let is_open_shape = matches!(
            self.out.answer,
            AnswerShape::Overview | AnswerShape::List | AnswerShape::Count
        );
        let opening = (0..self.len()).find(|at| self.has_any(*at, &[Role::Which, Role::What]));
        // `in which state did most of them die`: groups of another field do not answer it.
        let is_grouped = matches!(self.out.answer, AnswerShape::TopGroup | AnswerShape::Groups);
        let place = opening.filter(|at| *at > 0 && is_grouped && self.has(at - 1, Role::In));
        if let Some(noun) = place.and_then(|at| self.foreign_noun(at)) {
            let said = self.said(noun, noun + 1).to_owned();
            self.asked.unheld.push(said);
            return;
        }
        // `which waiter got the best tip`: records without a name do not tell waiters.
        let is_nameless =
            self.out.answer == AnswerShape::Record && self.schema.record_name().is_none();
        if let Some(noun) = opening
            .and_then(|at| self.foreign_noun(at))
            .filter(|_| is_nameless)
        {
            let said = self.said(noun, noun + 1).to_owned();
            self.asked.unheld.push(said);
            return;
        }
        let Some(noun) = opening
            .and_then(|at| self.foreign_noun(at))
            .filter(|_| is_open_shape)
        else {
            self.settle_unheld_category(opening);
            return;
        };

        let said = self.said(noun, noun + 1).to_owned();
        if !self.asked.unheld.is_empty() {
            self.asked.unheld.insert(0, said);
            return;
        }
        // `which actor plays Lando`: what a record is called does not say it.
        let is_one = self.selects_one_record() || self.selects_a_name();
        if is_one && self.gets_whole_record() {
            self.asked.unheld.push(said);
            return;
        }
        let is_verb = |at: &usize| self.is_foreign(&self.items[*at]) && !self.is_name(*at);
        if let Some(verb) = (noun + 1..self.len()).find(is_verb) {
            let verb = self.said(verb, verb + 1).to_owned();
            self.asked.unheld.extend([said, verb]);
        }
    }

    /// Notes the noun after *which* where nothing is answered and no field is called so, although
    /// names of records may have it: *which industry has the highest average profits*.
    fn settle_unheld_category(&mut self, opening: Option<usize>) {
        let opening = opening.filter(|at| self.has(*at, Role::Which));
        let is_nothing = self.out.answer == AnswerShape::Overview && self.asked.unheld.is_empty();
        let Some(opening) = opening.filter(|_| is_nothing) else {
            return;
        };
        let noun = self.skip_roles(opening + 1, &[Role::Stop, Role::Of]);
        let is_noun = self.items.get(noun).is_some_and(|item| {
            item.fields.is_empty() && item.roles.is_empty() && item.number.is_none() && !item.used
        });
        if is_noun && !self.breaks(noun) {
            let said = self.said(noun, noun + 1).to_owned();
            self.asked.unheld.push(said);
        }
    }

    /// Notes the year or day of *in which year was it built*, where no field is a time.
    fn settle_unheld_time(&mut self) {
        const CALENDAR: &[Role] = &[Role::Year, Role::Month, Role::Week, Role::Day, Role::Decade];
        let has_times =
            self.schema.dates().next().is_some() || self.schema.years().next().is_some();
        let asks = |at: &usize| {
            let next = self.items.get(at + 1);
            self.has_any(*at, &[Role::Which, Role::What])
                && next.is_some_and(|next| next.fields.is_empty() && next.has_any(CALENDAR))
        };
        // The table may hold a date in words, which is read as no time.
        if has_times || !self.gets_whole_record() {
            return;
        }

        if let Some(opening) = (0..self.len().min(4)).find(asks) {
            let said = self.said(opening + 1, opening + 2).to_owned();
            self.asked.unheld.push(said);
        }
    }

    /// Returns whether the question asks for a value, and nothing of it was found.
    fn asks_and_gets_nothing(&self) -> bool {
        let opens = (0..self.len().min(4))
            .any(|at| self.has_any(at, ASKING) && !self.has_any(at, &[Role::Show, Role::Overview]));
        let is_nothing = match self.out.answer {
            AnswerShape::Overview => true,
            AnswerShape::List => {
                self.out.wanted.is_empty() || self.asked.is_fragment || self.wants_name_only()
            }
            AnswerShape::Count => self
                .asked
                .opening
                .is_some_and(|at| self.has(at, Role::HowMuch)),
            _ => false,
        };
        let is_overview = (0..self.len()).any(|at| self.has(at, Role::Overview));
        opens && is_nothing && !is_overview && self.out.mentioned.is_empty()
    }

    /// Returns whether only what records are called was found of a question for a value of one
    /// record, as *What is her job?*
    fn wants_name_only(&self) -> bool {
        let [name] = self.out.wanted.as_slice() else {
            return false;
        };
        let asks = (0..self.len().min(3))
            .any(|at| self.has_any(at, &[Role::What, Role::When, Role::HowMuch, Role::Who]));
        let is_name = self
            .schema
            .record_name()
            .is_some_and(|field| self.name(field) == name);
        asks && is_name && self.asked.which.is_none()
    }

    /// Notes the words for values that no field holds.
    fn settle_unheld_words(&mut self) {
        let is_who = (0..self.len().min(3)).any(|at| self.has(at, Role::Who));

        for at in 0..self.len() {
            let item = &self.items[at];
            let token = &self.tokens[item.start];
            let names_concept = item.has(Role::Light)
                && item.fields.is_empty()
                && !self.is_of_people(at)
                && !concepts()
                    .of(&token.lower, &token.stem, &token.own_stem)
                    .is_empty();
            // Next to conditions that were read, other words say more of them.
            // `what were the wages`: the first noun is what is asked for.
            let is_asked = at > 0 && self.lower(at - 1) == "the" && at <= 3;
            let says_more = !self.out.filters.is_empty() && !self.wants_name_only() && !is_asked;
            let is_other = self.is_foreign(item) && !self.schema.is_title(token);
            let is_word = !says_more && !is_who && is_other && !self.is_name(at);
            if names_concept || is_word {
                let said = self.said(at, at + 1).to_owned();
                self.asked.unheld.push(said);
            }
        }
    }
}
