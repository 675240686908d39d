//! Reads what surrounds a superlative: how many are asked for, the verb that says what is counted,
//! and what is asked of the record.

use crate::question::read::cut::field::NameWord;
use crate::question::read::order::superlative::Superlative;
use crate::question::read::reader::Reader;
use crate::question::read::words::concepts::concepts;
use crate::question::read::words::vocabulary::{Grade, Role};
use crate::question::reading::AnswerShape;

impl Reader<'_, '_, '_> {
    /// Reads what else is asked of the record of a superlative: *Who won the most? Give me his
    /// club.*
    pub(crate) fn read_wanted_behind(&mut self) {
        const LINKS: &[Role] = &[
            Role::Stop,
            Role::Of,
            Role::What,
            Role::Which,
            Role::Is,
            Role::And,
            Role::Show,
            Role::There,
            Role::HowMany,
        ];
        let superlative = self.asked.superlative;
        let is_record = self.out.answer == AnswerShape::Record;
        let Some(superlative) = superlative.filter(|_| is_record) else {
            return;
        };

        let parts = (superlative + 1..self.len()).filter(|at| self.breaks(*at));
        let parts: Vec<usize> = parts.collect();
        for (place, start) in parts.iter().enumerate() {
            let end = parts.get(place + 1).copied().unwrap_or(self.len());
            let names = |at: &usize| {
                let best = self.items[*at].fields.first();
                best.is_some_and(|best| best.is_full) && self.items[*at].values.is_empty()
            };
            let named: Vec<usize> = (*start..end).filter(names).collect();
            // `with a price over 20` says more than the name of a field.
            let says_more = (*start..end).any(|at| {
                let item = &self.items[at];
                let is_said = names(&at) || item.used || item.has_any(LINKS);
                !is_said && !item.is_open()
            });
            let [at] = named[..] else {
                continue;
            };
            let field = self.items[at].fields[0].field;
            if says_more || self.items[at].used || self.is_quantity(field) {
                continue;
            }
            if let Some(name) = self.schema.record_name() {
                self.want(name);
            }
            self.want(field);
            self.take(*start, end);
        }
    }

    /// Returns the number of `the three districts with the best scores`, which stands apart from
    /// the superlative at an item.
    pub(crate) fn number_of_things(&self, at: usize) -> Option<usize> {
        /// Things that are asked for at most.
        const MOST: f64 = 100.0;
        /// Items between such a number and the superlative at most.
        const WINDOW: usize = 12;
        const BEFORE: &[Role] = &[Role::Which, Role::What, Role::Show, Role::Top, Role::Stop];

        let is_count = |place: &usize| {
            let item = &self.items[*place];
            let is_small = item
                .number
                .is_some_and(|number| (2.0..=MOST).contains(&number));
            let opens = place
                .checked_sub(1)
                .is_none_or(|before| self.has_any(before, BEFORE));
            let noun = self
                .items
                .get(place + 1)
                .filter(|_| self.gap(place + 1) == " ");
            let is_noun = noun.is_some_and(|noun| {
                let names = noun.is_open() || noun.has(Role::Generic) || !noun.fields.is_empty();
                let best = noun.fields.first();
                let counts = best.is_some_and(|best| self.is_quantity(best.field));
                names && !counts && noun.number.is_none()
            });
            !item.used && is_small && opens && is_noun
        };
        (at.saturating_sub(WINDOW)..at).rev().find(is_count)
    }

    /// Returns the verb that names a number that adds up, as *won* of `won the most games` names
    /// `wins`, and the number.
    pub(crate) fn quantity_of_verb(&self, superlative: usize) -> Option<(usize, usize)> {
        (0..self.len()).find_map(|at| {
            let item = &self.items[at];
            let is_verb = concepts().is_verb(self.lower(at)) && at != superlative && at > 0;
            let field = self.peek(at, |r, f| r.is_quantity(f) && r.adds_up(f))?;
            let is_best = item.fields.first().is_some_and(|best| best.field == field);
            (is_verb && !item.used && is_best && item.values.is_empty()).then_some((at, field))
        })
    }

    /// Returns the quantity of whose name a noun says a part and a verb after it the rest, and the
    /// place of the verb: `Games Missed` of `how many games did he miss`.
    pub(crate) fn quantity_said_apart(&self, noun: usize) -> Option<(usize, usize)> {
        let is_said = |name: &NameWord, at: usize| {
            let item = &self.items[at];
            self.tokens[item.start..item.end].iter().any(|token| {
                let known = concepts().of(&token.lower, &token.stem, &token.own_stem);
                let shares = known.iter().any(|one| name.concepts.contains(one));
                token.stem == name.stem || token.own_stem == name.stem || shares
            })
        };
        self.items.get(noun).filter(|item| !item.used)?;

        (0..self.schema.fields.len()).find_map(|field| {
            let names = self.field(field).words.iter();
            let names: Vec<&NameWord> = names.filter(|name| !name.is_filler).collect();
            let rest: Vec<&&NameWord> = names.iter().filter(|name| !is_said(name, noun)).collect();
            let [rest] = rest[..] else {
                return None;
            };
            let mut verbs = noun + 1..self.len();
            let verb = verbs.find(|at| !self.items[*at].used && is_said(rest, *at))?;
            let is_apart = verb > noun + 1 && !self.has(verb - 1, Role::Of);
            let is_free = self.items[verb].values.is_empty();
            (self.is_quantity(field) && names.len() == 2 && is_apart && is_free)
                .then_some((verb, field))
        })
    }

    /// Ranks by the number that a verb names, unless the noun that is counted names another one:
    /// `which team won the most games`, `where were the most homes sold`. Returns whether it does.
    pub(crate) fn rank_by_verb(&mut self, found: &Superlative, noun: usize, said: &str) -> bool {
        let is_number = self.items.get(noun).is_some_and(|item| {
            let full = item.fields.iter().filter(|found| found.is_full);
            full.into_iter().any(|found| self.is_quantity(found.field))
        });
        let apart = self.quantity_said_apart(noun);
        let verb = apart.or_else(|| self.quantity_of_verb(found.start).filter(|_| !is_number));
        let Some((verb, field)) = verb else {
            return false;
        };

        let is_noun = self.items.get(noun).is_some_and(|item| {
            let is_word = item.is_open() || item.has(Role::Generic);
            !self.breaks(noun) && noun != verb && (is_word || apart.is_some())
        });
        let end = if is_noun { noun + 1 } else { found.end };
        self.ask_where();
        self.take(found.start, end);
        self.take(verb, verb + 1);
        self.rank_by_field(found, field, end, said);
        true
    }

    /// Asks for the place that a question with *where* leaves unnamed.
    fn ask_where(&mut self) {
        let opener = self.opener();
        if self.asked.which.is_some() || !self.has(opener, Role::Where) {
            return;
        }
        let wanted = self.out.wanted.len();
        self.want_concepts(&["place", "city", "country", "region"]);
        let place = self.out.wanted.get(wanted).cloned();
        self.asked.which = place.and_then(|name| self.field_named(&name));
        self.out.wanted.truncate(wanted);
    }

    /// Returns the place of *with* in `student with the best score`, where a superlative tells
    /// which thing is asked for.
    pub(crate) fn thing_with(&self, found: &Superlative) -> Option<usize> {
        let with = self.before(found.start)?;
        let thing = self.before(with)?;
        let item = &self.items[thing];
        let is_thing = item.is_open()
            || item.has(Role::Generic)
            || item.looked_up.is_some()
            || !item.fields.is_empty()
            || !item.values.is_empty();
        (self.has(with, Role::With) && is_thing && !self.breaks(with)).then_some(with)
    }

    /// Returns the category of several records each that a thing with a superlative is.
    pub(crate) fn category_before(&self, with: usize) -> Option<usize> {
        let thing = self.before(with)?;
        let is_category = |r: &Self, field: usize| {
            r.is_groupable(field) && r.field(field).truth.is_none() && !r.schema.is_unique(field)
        };
        let field = self.peek(thing, is_category)?;
        let best = self.items[thing].fields.first()?;
        (best.field == field && best.score >= 300 && !self.items[thing].used).then_some(field)
    }

    /// Wants what is asked of a thing: the title of `job title of the person with …`.
    pub(crate) fn want_attributes(&mut self, with: usize) {
        for at in 0..with {
            let is_of = self.has(at + 1, Role::Of) && at + 1 < with;
            let named = self.items[at].fields.first();
            let is_named = named.is_some_and(|found| found.is_full || found.score >= 300);
            if !is_of || !is_named || self.items[at].used {
                continue;
            }
            if let Some(field) = self.choose(at, |_, _| true) {
                self.want(field);
                self.take(at, at + 1);
            }
        }
    }

    /// Reads `in a single season`, `in one game`, `the single biggest sale`, and returns whether
    /// the question is about single records.
    pub(crate) fn read_single_records(&mut self) -> bool {
        let is_one = |at: &usize| {
            let next = self.items.get(at + 1).and_then(|item| item.degree.as_ref());
            let is_ranked = next.is_some_and(|degree| degree.grade == Grade::Superlative);
            self.lower(*at) == "single" && is_ranked
        };
        let one = (0..self.len()).find(is_one);
        if let Some(at) = one {
            self.take(at, at + 1);
        }
        one.is_some() || (0..self.len()).any(|at| self.has(at, Role::Single))
    }
}
