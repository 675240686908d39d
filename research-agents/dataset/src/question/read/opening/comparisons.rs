//! Reads comparisons: the values of a field, of a truth, or an adjective before *than*.

use std::cmp::Reverse;

use research_agents_report::claim::Statistic;
use serde_json::Value;

use crate::question::read::cut::items::{Fit, Item, ValueMatch};
use crate::question::read::functions::QUANTITIES;
use crate::question::read::quantities::mirrored;
use crate::question::read::reader::Reader;
use crate::question::read::words::concepts::concepts;
use crate::question::read::words::vocabulary::{Grade, Role};
use crate::question::reading::{Sign, YesNoTest};

/// Words that stand before the second side of a comparison.
const BEFORE_SECOND: &[Role] = &[
    Role::Stop,
    Role::Of,
    Role::In,
    Role::To,
    Role::From,
    Role::By,
    Role::With,
    Role::All,
    Role::Generic,
    Role::Who,
    Role::When,
    Role::Is,
    Role::HowMany,
];

/// What compares: *heavier than*, *more*.
struct Comparative {
    sign: Sign,
    start: usize,
    /// The item behind it.
    end: usize,
    /// What its adjective measures.
    concepts: Vec<String>,
}

/// The two values that a question compares, each with its item; the second one may be implied.
struct Sides {
    first: (usize, ValueMatch),
    second: (usize, ValueMatch),
}

impl Reader<'_, '_, '_> {
    /// Reads `are A heavier than B`: two values of a field against each other.
    pub(crate) fn read_comparisons(&mut self) {
        for than in 0..self.len() {
            let is_than = self.has_any(
                than,
                &[
                    Role::Than,
                    Role::Of,
                    Role::Above,
                    Role::Below,
                    Role::Before,
                    Role::After,
                ],
            );
            if !is_than || self.items[than].used || self.asked.threshold.is_some() {
                continue;
            }
            let Some((sign, start, concepts)) = self.comparison_at(than) else {
                continue;
            };
            let comparative = Comparative {
                sign,
                start,
                end: than + 1,
                concepts,
            };
            let asks = self.is_yes_no() || !self.asks_for_records() || self.asks_how_much_more();
            if let Some(sides) = self.sides(&comparative).filter(|_| asks) {
                self.compare(&comparative, sides);
            }
        }

        if self.out.test.is_none() && self.is_yes_no() {
            self.read_implied_comparison();
        }
        self.read_versus_others();
    }

    /// Reads *the average price of used cars versus others*: the groups of both.
    fn read_versus_others(&mut self) {
        for at in 0..self.len() {
            let other = self.skip_roles(at + 1, &[Role::Stop, Role::To, Role::With, Role::All]);
            let is_other = matches!(self.lower(other), "other" | "others" | "rest");
            if !self.has_any(at, &[Role::Versus, Role::Compare]) || !is_other {
                continue;
            }
            let comparative = Comparative {
                sign: Sign::Above,
                start: at,
                end: other,
                concepts: Vec::new(),
            };
            if let Some(sides) = self.sides_of_two(&comparative, other, true) {
                self.take_sides([sides.first, sides.second]);
                self.take(at, other + 1);
            }
        }
    }

    /// Reads *do houses with a pool cost more?*: against those without.
    fn read_implied_comparison(&mut self) {
        let compares = |at: usize| {
            self.has_any(at, &[Role::More, Role::Less])
                || self.items[at]
                    .degree
                    .as_ref()
                    .is_some_and(|degree| degree.grade == Grade::Comparative)
        };

        let others = [Role::Than, Role::Above, Role::Below, Role::Or, Role::When];
        let mut places = (0..self.len()).filter(|at| compares(*at) && !self.items[*at].used);
        let (Some(at), None) = (places.next(), places.next()) else {
            return;
        };
        if (0..self.len()).any(|at| self.has_any(at, &others)) {
            return;
        }
        // Numbers and times are not compared with others.
        let has_number = |item: &Item| item.number.is_some() || item.moment.is_some();
        let is_of_two = !self.items[at + 1..].iter().any(has_number);
        let Some((sign, start, concepts)) = self.comparison_at(at + 1).filter(|_| is_of_two) else {
            return;
        };
        let comparative = Comparative {
            sign,
            start,
            end: at + 1,
            concepts,
        };

        // `are long trips tipped more`: the verb is not compared with its denial.
        let is_bare = comparative.concepts.is_empty() && !self.compares_rates(comparative.start);
        let is_verb = |sides: &Sides| is_bare && sides.first.0 + 1 == comparative.start;
        let sides = self.sides_of_two(&comparative, at, false);
        if let Some(sides) = sides.filter(|sides| !is_verb(sides)) {
            self.compare(&comparative, sides);
        }
    }

    /// Returns whether a question asks for records or a number, and not whether something is so.
    fn asks_for_records(&self) -> bool {
        const ASKING: &[Role] = &[
            Role::Which,
            Role::What,
            Role::Who,
            Role::Show,
            Role::HowMany,
        ];
        (0..self.len().min(3)).any(|at| self.has_any(at, ASKING))
    }

    /// Returns the values on both sides of a comparison.
    fn sides(&self, comparative: &Comparative) -> Option<Sides> {
        let &Comparative { start, end, .. } = comparative;
        // The second side: a value right after `than`, of the field of a value before it.
        let after = self.skip_roles(end, BEFORE_SECOND);
        let item = self.items.get(after)?;
        if item.number.is_some() && item.values.is_empty() {
            return None;
        }
        // `party D … than party R`: the field is named with each.
        let is_meant = |place: usize, value: &ValueMatch| {
            !value.needs_field || self.field_beside(place, value.field).is_some()
        };
        let names_field = item.values.is_empty() && !item.fields.is_empty();
        let of_two = after;
        // `than in the district of Matara`
        let after = match names_field {
            true => self.skip_roles(after + 1, &[Role::Of, Role::Stop]),
            false => after,
        };

        let seconds = self.items.get(after).map_or(&[][..], |item| &item.values);
        let pair = seconds
            .iter()
            .filter(|value| is_meant(after, value))
            .find_map(|second| {
                // `are A heavier than B`, `did more A than B survive`
                (0..start)
                    .rev()
                    .chain(start + 1..end - 1)
                    .find_map(|place| {
                        let others = self.items[place].values.iter().filter(|v| {
                            v.field == second.field && is_meant(place, v) && v.value != second.value
                        });
                        // Of several that are called so, most records decide.
                        let first = others.rev().max_by_key(|v| (Reverse(v.fit), v.count))?;
                        Some(Sides {
                            first: (place, first.clone()),
                            second: (after, second.clone()),
                        })
                    })
            });
        // Two columns of numbers are not values of one column.
        let names_number = |place: usize| {
            let mut fields = self.items[place].fields.iter();
            fields.any(|found| found.is_full && self.is_quantity(found.field))
        };
        pair.filter(|sides| !names_number(sides.first.0) && !names_number(after))
            .or_else(|| self.sides_of_two(comparative, of_two, true))
    }

    /// Returns the values of a field that has two, as *smokers* and *non-smokers*: the second side
    /// is named, said to be the others, or implied.
    fn sides_of_two(
        &self,
        comparative: &Comparative,
        after: usize,
        is_said: bool,
    ) -> Option<Sides> {
        let is_denial = |at: usize| self.has_any(at, &[Role::Not, Role::Without]);
        let is_denied = is_said && is_denial(after);
        // `than those who don't`
        let is_bare = is_denied && (after + 1 >= self.len() || self.breaks(after + 1));
        let is_other = matches!(self.lower(after), "other" | "others" | "rest");
        let is_rest = !is_said || is_bare || is_other;

        let second = match is_denied {
            true => self.skip_roles(after + 1, &[Role::Stop, Role::All]),
            false => after,
        };
        // What is compared comes before, or else after: *did more women survive?*
        let before = (0..comparative.start).rev();
        // `do smokers churn less often`: the verb is the part that is compared.
        let is_part = |at: &usize| {
            let start = comparative.start;
            let is_likely = self.lower(start + 1) == "likely";
            let is_verb = at + 1 == start && self.compares_rates(start) && !is_likely;
            !is_verb || self.items[*at].is_open()
        };
        let mut all = before.chain(comparative.end..self.len()).filter(is_part);

        if is_rest
            && let Some((place, first, other)) = all.clone().find_map(|at| self.one_of_two(at))
        {
            return Some(Sides {
                first: (place, first),
                second: (after, other),
            });
        }
        let is_truth = |r: &Self, field: usize| r.field(field).truth.is_some();
        let said = |at: usize| {
            let field = self.peek(at, is_truth)?;
            self.says_field(at, field).then_some(field)
        };
        let field = match is_rest {
            true => all.clone().find_map(said)?,
            false => self.peek(second, is_truth)?,
        };

        let named = |place: usize| {
            let mut fields = self.items[place].fields.iter();
            fields.find(|found| found.field == field)
        };
        let place = all.find(|place| *place != second && named(*place).is_some())?;
        // `died` denies that they survived.
        let denies = |place: usize| named(place).is_some_and(|found| found.is_opposite);
        let is_first_denied = place.checked_sub(1).is_some_and(is_denial) != denies(place);
        let is_denied = match is_rest {
            true => !is_first_denied,
            false => is_denied != denies(second),
        };
        if is_denied == is_first_denied {
            return None;
        }

        let (yes, no) = self.field(field).truth.clone()?;
        let (first, other) = if is_denied { (yes, no) } else { (no, yes) };
        Some(Sides {
            first: (place, whole(field, first)),
            second: (after, whole(field, other)),
        })
    }

    /// Returns whether an item has a word of the name of a field, or says all of it.
    fn says_field(&self, at: usize, field: usize) -> bool {
        let item = &self.items[at];
        let mut found = item.fields.iter().filter(|found| found.field == field);
        let tokens = &self.tokens[item.start..item.end];
        let names = &self.field(field).words;
        let is_in_name = names
            .iter()
            .any(|name| tokens.iter().any(|token| token.stem == name.stem));
        is_in_name || found.any(|found| found.is_full || found.is_opposite)
    }

    /// Returns the two values of a field that has no others.
    fn two_values(&self, field: usize) -> Option<(Value, Value)> {
        let facts = &self.field(field).facts;
        let listed = match facts.values.as_slice() {
            [one, other] if facts.distinct.is_none_or(|distinct| distinct == 2) => {
                Some((one.clone(), other.clone()))
            }
            _ => None,
        };
        self.field(field).truth.clone().or(listed)
    }

    /// Returns the value of a field with two values that an item names, and the other value.
    fn one_of_two(&self, at: usize) -> Option<(usize, ValueMatch, ValueMatch)> {
        let is_denied = at
            .checked_sub(1)
            .is_some_and(|before| self.has_any(before, &[Role::Not, Role::Without]));
        let values = self.items[at].values.iter();
        values.filter(|value| !value.needs_field).find_map(|value| {
            let (one, other) = self.two_values(value.field)?;
            let rest = if one == value.value { other } else { one };
            let rest = whole(value.field, rest);
            Some(match is_denied {
                true => (at, rest, value.clone()),
                false => (at, value.clone(), rest),
            })
        })
    }

    /// Compares two values of a field by what the comparison measures, or by how many records have
    /// them.
    fn compare(&mut self, comparative: &Comparative, sides: Sides) {
        let &Comparative {
            sign, start, end, ..
        } = comparative;
        // `spend more`: what a verb says and nothing measures does not count records.
        let is_counted = self.out.measures.is_empty() && comparative.concepts.is_empty();
        if is_counted && self.compares_verb(start) && self.quantity_of_verb(start).is_none() {
            return;
        }
        // `pay more`: the verb says what is compared.
        let of_verb = match comparative.concepts.is_empty() {
            true => self.concepts_of_verb(start),
            false => Vec::new(),
        };
        let concepts = if of_verb.is_empty() {
            &comparative.concepts
        } else {
            &of_verb
        };
        let said = self.said(start, end).to_owned();

        // `more likely to survive` compares shares.
        let is_rate = self.out.measures.is_empty() && self.compares_rates(start);
        self.asked.rate = is_rate.then_some(start);
        let near = (start..end).find(|k| self.peek(*k, |r, f| r.is_quantity(f)).is_some());
        let counted = self.number_compared(start);
        let near = near.or(counted.filter(|counted| self.holds_number_of(*counted)));
        let is_count = counted.is_some() && near.is_none();
        let measured = match self.out.measures.is_empty() && !is_rate && !is_count {
            true => self.compared_number(near, concepts, &said),
            false => None,
        };
        // Of two records there is one each.
        let is_unmeasured = measured.is_none() && self.out.measures.is_empty();
        let are_records = self.schema.is_unique(sides.first.1.field) && !is_rate;
        if is_unmeasured && (!concepts.is_empty() || are_records) {
            self.refused(&said, "no field of the data measures it");
            self.take(start, end);
            return;
        }

        if let Some(field) = measured {
            let is_counted =
                near.is_some_and(|near| counted == Some(near) || self.counts_more(start, near));
            let adds_up = self.adds_up(field)
                || near.is_some_and(|near| self.counts_what_is_said(near, field));
            let (function, words) = if is_counted && adds_up {
                (Statistic::Sum, "sum")
            } else {
                (Statistic::Mean, "mean")
            };
            self.add_measure(function, field);
            self.asked.is_measure_assumed = true;
            self.out.notes.push(format!(
                "“{said}” compares the {words} of {}",
                self.name(field)
            ));
        }
        let Sides { first, second } = sides;
        let sign = measured.map_or(sign, |field| self.compared_sign(field, concepts, sign));
        self.out.test = Some(YesNoTest::Groups {
            field: self.name(first.1.field).to_owned(),
            values: [first.1.value.clone(), second.1.value.clone()],
            sign,
        });
        self.take_sides([first, second]);

        // `did more men die than women`: the verb is another condition.
        for at in start..end {
            let is_truth = self.peek(at, |r, f| r.field(f).truth.is_some()).is_some();
            if !is_truth && !self.may_restrict(at) {
                self.take(at, at + 1);
            }
        }
    }

    /// Returns whether an item inside a comparison may be another condition:
    /// *in 2015* of *paid more per capita in 2015 than*.
    pub(crate) fn may_restrict(&self, at: usize) -> bool {
        let item = &self.items[at];
        let is_value = item.values.iter().any(|value| !value.needs_field);
        let is_time = item.moment.is_some() || item.number.is_some();
        item.is_open() || item.looked_up.is_some() || is_value || is_time
    }

    /// Returns the noun whose number is compared: *is the number of votes higher for …*
    fn number_compared(&self, start: usize) -> Option<usize> {
        let is_number =
            |at: &usize| self.has(*at, Role::HowMany) && !self.lower(*at).starts_with("how");
        let number = (0..start).find(is_number)?;
        // `the position number of Kryptonite` is a field of one record.
        let is_noun = number
            .checked_sub(1)
            .is_none_or(|before| self.has_any(before, BEFORE_SECOND));
        is_noun.then(|| self.skip_roles(number + 1, &[Role::Stop, Role::Of]))
    }

    /// Returns what the verb before *more* or *less* measures, as *pay* does: nothing, if it names
    /// a field itself.
    fn concepts_of_verb(&self, start: usize) -> Vec<String> {
        let is_for = start > 0 && self.lower(start - 1) == "for";
        let end = start - usize::from(is_for);
        let verb = self.before(end).filter(|_| !self.breaks(start));
        let Some(item) = verb.map(|verb| &self.items[verb]) else {
            return Vec::new();
        };
        let token = &self.tokens[item.start];

        // `sell for more` is of prices, and `sell more` is not.
        if matches!(token.lower.as_str(), "sell" | "sells" | "sold") {
            return is_for.then(|| "price".to_owned()).into_iter().collect();
        }
        let named = concepts().of(&token.lower, &token.stem, &token.own_stem);
        let is_word = item.end == item.start + 1 && !item.has(Role::Is);
        let is_verb = is_word && item.fields.is_empty() && item.values.is_empty();
        let measured = named.iter().filter(|_| is_verb);
        measured
            .filter(|concept| QUANTITIES.contains(concept))
            .map(|concept| (*concept).to_owned())
            .collect()
    }

    /// Returns the number by which two groups are compared: one that is named with the comparison,
    /// one that its adjective measures, or one that is named elsewhere.
    fn compared_number(
        &mut self,
        near: Option<usize>,
        concepts: &[String],
        said: &str,
    ) -> Option<usize> {
        let named = match near {
            Some(near) => {
                let named = self.choose(near, |r, f| r.is_quantity(f));
                self.take(near, near + 1);
                named
            }
            None if !concepts.is_empty() => {
                self.measured_by(concepts, said).map(|(field, _)| field)
            }
            None => None,
        };
        if named.is_some() {
            return named;
        }

        let is_number = |r: &Self, f: usize| r.is_number(f) && r.field(f).truth.is_none();
        let other =
            (0..self.len()).find(|k| !self.items[*k].used && self.peek(*k, is_number).is_some())?;
        let field = self.choose(other, |r, f| r.is_number(f));
        self.take(other, other + 1);
        field
    }

    /// Selects and groups the records of both sides.
    fn take_sides(&mut self, sides: [(usize, ValueMatch); 2]) {
        let field = sides[0].1.field;
        for (at, side) in sides {
            self.add_value(field, side.value);
            let end = at + 1 + usize::from(self.has(at, Role::Not));
            let said = self.said(at, end.min(self.len())).to_owned();
            self.applied(&said, field);
            self.take(at, end);
        }
        self.add_group(field);
    }

    /// Returns how two numbers of a field compare: of two years, the older one is the lower one,
    /// and the faster one takes less time.
    pub(crate) fn compared_sign(&self, field: usize, concepts: &[String], sign: Sign) -> Sign {
        let says = |wanted: &str| concepts.iter().any(|concept| concept == wanted);
        let is_low = says("age") && self.field(field).years.is_some()
            || says("speed") && self.is_low_better(field);
        if is_low { mirrored(sign) } else { sign }
    }

    /// Returns whether a comparison is of how many there are of what a field counts, as *more
    /// people injured*.
    fn counts_more(&self, start: usize, near: usize) -> bool {
        let is_bare = self.has_any(start, &[Role::More, Role::Less]) && start < near;
        let is_mean = (0..self.len()).any(|at| self.has(at, Role::Mean));
        // `less satisfied` says how they are.
        let is_participle = self.lower(near).ends_with("ed") && self.lower(start) == "less";
        is_bare
            && !is_mean
            && !is_participle
            && (start + 1..near).all(|at| self.has_any(at, &[Role::Generic, Role::Stop]))
    }

    /// Returns the comparison that ends with an item: `heavier than`, `more than`.
    pub(crate) fn comparison_at(&self, than: usize) -> Option<(Sign, usize, Vec<String>)> {
        let signed = |high: bool| if high { Sign::Above } else { Sign::Below };
        if self.has_any(than, &[Role::Above, Role::Below]) {
            // `bigger than` is one phrase, whose adjective says what is compared.
            let word = self.lower(than);
            let entry = self.vocabulary.longest_at(|k| (k == 0).then_some(word));
            let concepts = entry.and_then(|(entry, _)| entry.degree.as_ref());
            let concepts = concepts
                .map(|degree| degree.concepts.clone())
                .unwrap_or_default();
            let concepts = concepts
                .into_iter()
                .filter(|concept| concept != "any")
                .collect();
            return Some((signed(self.has(than, Role::Above)), than, concepts));
        }

        for back in 1..=7 {
            let at = than.checked_sub(back)?;
            let item = &self.items[at];
            if let Some(degree) = &item.degree {
                let less = at
                    .checked_sub(1)
                    .is_some_and(|b| self.has_any(b, &[Role::Less, Role::Fewest]));
                let more = at
                    .checked_sub(1)
                    .is_some_and(|b| self.has_any(b, &[Role::More, Role::Most]));
                if degree.grade == Grade::Comparative || less || more {
                    let concepts = degree
                        .concepts
                        .iter()
                        .filter(|c| *c != "any")
                        .cloned()
                        .collect();
                    return Some((
                        signed(degree.high != less),
                        at - usize::from(less || more),
                        concepts,
                    ));
                }
            }
            if item.has_any(&[Role::More, Role::Less]) {
                return Some((signed(item.has(Role::More)), at, Vec::new()));
            }
        }
        None
    }
}

/// Returns a value that a question says whole.
fn whole(field: usize, value: Value) -> ValueMatch {
    ValueMatch {
        field,
        value,
        fit: Fit::Whole,
        needs_field: false,
        count: None,
    }
}
