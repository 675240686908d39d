//! Reads how a question opens, and what it relates: which, who, share, relation, trend.

pub(crate) mod comparisons;
pub(crate) mod framing;
pub(crate) mod rates;

use research_agents_report::claim::Statistic;

use crate::data::task::FieldKind;
use crate::question::lexicon::is_plural;
use crate::question::read::reader::Reader;
use crate::question::read::words::vocabulary::{Grade, Role};
use crate::question::reading::AnswerShape;

impl Reader<'_, '_, '_> {
    /// Reads `which species`, `what colour`: the field that is asked for.
    pub(crate) fn read_which(&mut self) {
        for at in 0..self.len() {
            if self.has(at, Role::Who) && self.asked.which.is_none() {
                self.read_who(at);
            }
            if !self.has_any(at, &[Role::Which, Role::What]) || self.asked.which.is_some() {
                continue;
            }
            self.asked.opening.get_or_insert(at);
            // `which of them opened` asks for records, whatever follows.
            let pronoun = self.skip_roles(at + 1, &[Role::Of]);
            let is_pronoun = matches!(self.lower(pronoun), "them" | "these" | "those" | "us");
            if pronoun > at + 1 && is_pronoun {
                continue;
            }
            let place = if self.has(at, Role::Which) {
                self.skip_roles(
                    at + 1,
                    &[
                        Role::Of,
                        Role::Stop,
                        Role::Distinct,
                        Role::Generic,
                        Role::HowMany,
                        Role::All,
                    ],
                )
            } else {
                self.skip_roles(at + 1, &[Role::Distinct])
            };
            // `which 3 cities`
            let counts = self
                .items
                .get(place)
                .is_some_and(|item| item.number.is_some())
                && self.gap(place + 1) == " ";
            let place = place + usize::from(counts);
            let item = match self.items.get(place) {
                Some(item) if !self.breaks(place) => item,
                _ => continue,
            };

            let is_direct =
                self.has(at, Role::Which) || self.said(at, at + 1).split(' ').count() == 1;
            let fits = |r: &Self, f: usize| {
                (r.is_groupable(f) || r.kind(f) == FieldKind::Text || r.is_code(f))
                    && r.field(f).truth.is_none()
                    && !r.field(f).is_prose
                    && r.kind(f) != FieldKind::Date
            };
            let is_named = item
                .fields
                .iter()
                .any(|m| fits(self, m.field) && (m.is_full || m.score >= 300));
            // `which beach restaurants`: the noun behind it is what the records are.
            let is_modifier = self.items.get(place + 1).is_some_and(|next| {
                let is_noun = next.is_open() || next.looked_up.is_some() && next.roles.is_empty();
                let is_things = is_noun && next.fields.is_empty() && next.values.is_empty();
                is_things && self.gap(place + 1) == " " && is_plural(self.lower(place + 1))
            }) && !is_plural(self.lower(place));
            if is_direct && is_named && !is_modifier && !item.used {
                self.asked.which = self.choose(place, fits);
                // The word is the field that is asked for, not a condition.
                self.items[place].values.clear();
            }
        }
    }

    /// Returns whether a field holds numbers that are codes, such as those of the post.
    pub(crate) fn is_code(&self, field: usize) -> bool {
        let words = &self.field(field).words;
        let mut concepts = words.iter().flat_map(|word| word.concepts);
        self.is_number(field) && concepts.any(|concept| matches!(*concept, "postcode" | "code"))
    }

    /// Reads `who won`, `who directed`: the field that the verb names.
    fn read_who(&mut self, at: usize) {
        let place = self.skip_roles(at + 1, &[Role::Stop, Role::Is]);
        let is_agent = |r: &Self, field: usize| {
            r.kind(field) == FieldKind::Text
                && r.field(field).truth.is_none()
                && !r.field(field).is_prose
        };
        let is_named = self.items.get(place).is_some_and(|item| {
            let best = item.fields.first();
            !item.used && best.is_some_and(|best| best.score >= 300 && is_agent(self, best.field))
        });
        // `who has the hobby music` has it, and is not it.
        if is_named && !self.breaks(place) && !self.has(at, Role::With) {
            self.asked.opening.get_or_insert(at);
            self.asked.which = self.choose(place, is_agent);
            self.take(place, place + 1);
        }
    }

    /// Reads questions about relations, shares and comparisons, whose fields are not conditions.
    pub(crate) fn read_relations(&mut self) {
        for at in 0..self.len() {
            if self.items[at].used {
                continue;
            }
            if self.has_any(at, &[Role::Relation, Role::Depend]) {
                self.read_relation(at);
            } else if self.has(at, Role::Share) && self.says_field_is_rate(at) {
                self.take(at, at + 1);
            } else if self.has(at, Role::Share)
                && self.asked.share.is_none()
                && !self.names_share(at)
            {
                self.asked.share = Some(at);
                self.take(at, at + 1);
            } else if self.has(at, Role::Range) {
                self.read_range(at);
            }
        }

        self.read_proportion();
    }

    /// Reads `does a bigger budget mean higher gross`, `do heavier diamonds cost more`: two numbers
    /// that grow with each other, or one that falls while the other grows.
    fn read_proportion(&mut self) {
        let is_than = (0..self.len()).any(|at| self.has_any(at, &[Role::Than, Role::Above]));
        if !self.asked.relation.is_empty() || is_than {
            return;
        }
        let mut grown: Vec<(usize, usize, bool)> = Vec::new();
        let mut at = 0;
        while at < self.len() {
            let found = self.growth(at);
            at = found.map_or(at + 1, |(_, end, _)| end);
            grown.extend(found);
        }
        if let [(field, end, _)] = grown[..]
            && let Some(great) = self.greatness(end).filter(|(other, ..)| *other != field)
        {
            grown.insert(0, great);
        }
        if let [(field, end, rises)] = grown[..]
            && let Some((other, end)) = self.grown_with(end).filter(|(other, _)| *other != field)
        {
            grown.push((other, end, rises));
        }
        let [(one, _, rises), (other, end, also)] = grown[..] else {
            return;
        };
        if one == other {
            return;
        }

        let said = self.said(0, end).to_owned();
        let gives = format!(
            "the relation of {} and {}",
            self.name(one),
            self.name(other)
        );
        self.derive(&said, &gives);
        for at in 0..end {
            let is_part = self.growth(at).is_some()
                || self.peek(at, |_, f| f == one || f == other).is_some()
                || self.items[at].degree.is_some();
            if is_part {
                self.take(at, at + 1);
            }
        }
        self.asked.relation = vec![one, other];
        self.asked.together = Some(rises == also);
    }

    /// Returns the number with which something grows, and where it ends: `does the number of bikers
    /// go up with the temperature`.
    fn grown_with(&self, end: usize) -> Option<(usize, usize)> {
        let is_growing = (0..end).any(|at| self.has_any(at, &[Role::Rise, Role::Fall]));
        let with = self
            .has(end, Role::With)
            .then(|| self.skip_roles(end + 1, &[Role::Stop]));
        let at = with.filter(|at| is_growing && !self.breaks(*at))?;
        let field = self.peek(at, |r, field| r.is_quantity(field))?;
        Some((field, at + 1))
    }

    /// Returns what an adjective before something that grows measures, where it ends, and whether
    /// there is much of it: `do expensive films get better ratings`.
    fn greatness(&mut self, before: usize) -> Option<(usize, usize, bool)> {
        let is_open = self.is_yes_no();
        let adjective = |at: &usize| {
            let item = &self.items[*at];
            let degree = item.degree.as_ref().filter(|_| !item.used && is_open);
            degree.is_some_and(|degree| degree.grade == Grade::Positive) && item.values.is_empty()
        };
        let at = (0..before).find(adjective)?;
        let degree = self.items[at].degree.clone()?;
        let mut concepts = degree.concepts;
        concepts.retain(|concept| concept != "any");
        let follows = [Role::How, Role::More, Role::Less, Role::Most];
        if concepts.is_empty() || at > 0 && self.has_any(at - 1, &follows) {
            return None;
        }

        let said = self.said(at, at + 1).to_owned();
        let (field, is_time) = self.measured_by(&concepts, &said)?;
        // What is old has an early year.
        let is_turned = is_time && concepts[0] == "age";
        let is_number = self.is_number(field);
        is_number.then_some((field, at + 1, degree.high != is_turned))
    }

    /// Returns the number that grows or falls at an item, where its words end, and whether it
    /// grows: `heavier`, `more expensive`, `higher gross`, `cost more`, `wind goes up`.
    fn growth(&mut self, at: usize) -> Option<(usize, usize, bool)> {
        let quantity = |r: &Self, f: usize| r.is_quantity(f);
        if self.items[at].used {
            return None;
        }
        if self.has_any(at, &[Role::Rise, Role::Fall]) {
            let rises = self.has(at, Role::Rise);
            let before = (at.saturating_sub(3)..at).rev();
            let place = before
                .chain(at + 1..(at + 3).min(self.len()))
                .find(|place| self.peek(*place, quantity).is_some())?;
            return Some((self.peek(place, quantity)?, at.max(place) + 1, rises));
        }

        // `places with a lot of theft`, `who strike out a lot`
        if matches!(self.lower(at), "lot" | "lots") {
            let after = self.skip_roles(at + 1, &[Role::Of, Role::Stop]);
            if let Some(field) = self.peek(after, quantity).filter(|_| after > at + 1) {
                return Some((field, after + 1, true));
            }
            let before = self.before(at)?;
            let field = self.peek(before, quantity)?;
            return Some((field, at + 1, true));
        }

        let degree = self.items[at].degree.clone();
        let (concepts, end, rises) = match degree {
            Some(degree) if degree.grade == Grade::Comparative => {
                (degree.concepts, at + 1, degree.high)
            }
            _ if self.has_any(at, &[Role::More, Role::Less]) => {
                let next = self.items.get(at + 1).and_then(|item| item.degree.clone());
                let positive = next.filter(|degree| degree.grade == Grade::Positive);
                let rises = self.has(at, Role::More);
                match positive {
                    Some(degree) => (degree.concepts, at + 2, degree.high == rises),
                    None => (Vec::new(), at + 1, rises),
                }
            }
            _ => return None,
        };
        if let Some(field) = self.peek(end, quantity).filter(|_| !self.breaks(end)) {
            return Some((field, end + 1, rises));
        }
        // `higher mountains` are higher ones of no other measure; `rated higher` says its own.
        let is_high = matches!(self.lower(at), "higher" | "hoher" | "hohere");
        let is_last = end >= self.len() || self.breaks(end);
        if is_high
            && is_last
            && let Some(field) = self
                .before(at)
                .and_then(|before| self.peek(before, quantity))
        {
            return Some((field, end, rises));
        }
        let concepts: Vec<String> = match is_high {
            true => vec!["height".to_owned()],
            false => concepts.into_iter().filter(|c| c != "any").collect(),
        };
        if !concepts.is_empty() {
            let said = self.said(at, end).to_owned();
            let measured = self.measured_by(&concepts, &said).map(|(field, is_time)| {
                let is_turned = is_time && concepts[0] == "age";
                (field, end, rises != is_turned)
            });
            if measured.is_some() || !is_high {
                return measured;
            }
        }
        let before = self.before(at)?;
        let field = self.peek(before, quantity)?;
        Some((field, end, rises))
    }

    /// Returns whether a word such as `rate` is the name of a field.
    fn names_share(&self, at: usize) -> bool {
        self.items[at]
            .fields
            .first()
            .is_some_and(|found| found.is_full)
    }

    /// Returns whether a word for a share only says what the field before it holds: *unemployment
    /// rate* of `unemp`. A rate of what a field counts is another number.
    fn says_field_is_rate(&self, at: usize) -> bool {
        let is_word = self.items[at].end == self.items[at].start + 1;
        let before = at.checked_sub(1).filter(|_| is_word && !self.breaks(at));
        before.is_some_and(|before| {
            let is_measure = |r: &Self, field: usize| {
                r.is_quantity(field) && !r.adds_up(field) && !r.counts_things(field)
            };
            let best = self.items[before].fields.first();
            best.is_some_and(|best| best.is_full && is_measure(self, best.field))
        })
    }

    fn read_relation(&mut self, at: usize) {
        let is_numeric = |r: &Self, f: usize| r.is_quantity(f);
        let is_any = |r: &Self, f: usize| is_numeric(r, f) || r.is_groupable(f);
        let mut fields: Vec<(usize, usize)> = Vec::new();
        for place in 0..self.len() {
            let item = &self.items[place];
            if item.used || item.fields.is_empty() || place == at {
                continue;
            }
            let is_value = !item.values.is_empty() && !item.fields[0].is_full;
            let best = self
                .peek(place, is_numeric)
                .filter(|f| {
                    item.fields
                        .iter()
                        .any(|m| m.field == *f && m.score * 10 >= item.fields[0].score * 9)
                })
                .or_else(|| self.peek(place, is_any));
            if let Some(field) = best.filter(|_| !is_value)
                && fields.iter().all(|(known, _)| *known != field)
            {
                fields.push((field, place));
            }
        }
        // Measured fields were read as functions: `does the average fare depend on the class`.
        for measure in self.out.measures.clone() {
            if let Some(field) = self.field_named(&measure.field)
                && fields.iter().all(|(known, _)| *known != field)
            {
                fields.insert(0, (field, usize::MAX));
            }
        }
        // `a connection between how stressed people are and …` wants the field of an adjective.
        for name in self.out.wanted.clone().iter().rev() {
            if let Some(field) = self.field_named(name).filter(|f| self.is_quantity(*f))
                && fields.iter().all(|(known, _)| *known != field)
            {
                fields.insert(0, (field, usize::MAX));
            }
        }
        if fields.len() < 2 {
            return;
        }

        fields.truncate(2);
        let related = fields.iter().map(|(field, _)| self.name(*field).to_owned());
        let related: Vec<String> = related.collect();
        self.out.wanted.retain(|name| !related.contains(name));
        if !self.is_number(fields[0].0) && self.is_number(fields[1].0) {
            fields.swap(0, 1);
        }
        let said = self.said(at, at + 1).to_owned();
        for (_, place) in &fields {
            if *place < self.len() {
                // The choice notes fields that fit equally well.
                let chosen = fields.iter().find(|(_, p)| p == place).map(|(f, _)| *f);
                self.choose(*place, |_, f| Some(f) == chosen);
                self.take(*place, *place + 1);
            }
        }
        self.take(at, at + 1);
        let names = [self.name(fields[0].0), self.name(fields[1].0)];
        let gives = format!("the relation of {} and {}", names[0], names[1]);
        self.derive(&said, &gives);
        self.asked.relation = fields.iter().map(|(field, _)| *field).collect();
    }

    fn read_range(&mut self, at: usize) {
        let fits = |r: &Self, f: usize| matches!(r.kind(f), FieldKind::Number | FieldKind::Date);
        // `the range of prices`, `the price range`
        let before = at.checked_sub(1).filter(|_| !self.breaks(at)).into_iter();
        let places = (at + 1..(at + 5).min(self.len())).chain(before);
        let place = places.into_iter().find(|k| self.peek(*k, fits).is_some());
        let Some(field) = place.and_then(|place| self.choose(place, fits)) else {
            return;
        };
        self.add_measure(Statistic::Min, field);
        self.add_measure(Statistic::Max, field);
        self.out.answer = AnswerShape::Range;
        let place = place.unwrap_or(at);
        let (start, end) = (at.min(place), at.max(place) + 1);
        let said = self.said(start, end).to_owned();
        self.derive(&said, &format!("the range of {}", self.name(field)));
        self.take(start, end);
    }
}
