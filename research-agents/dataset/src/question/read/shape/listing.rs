//! Settles lists of records: which fields they show, and which fields a question only names.

use research_agents_report::claim::Statistic;
use serde_json::Value;

use crate::data::task::FieldKind;
use crate::question::read::reader::Reader;
use crate::question::read::words::vocabulary::Role;
use crate::question::reading::AnswerShape;

impl Reader<'_, '_, '_> {
    pub(crate) fn settle_list(&mut self, opener: usize) {
        self.settle_listed(opener);
        self.settle_repeated_entity();
    }

    /// Asks for the values of a category where several records are of what is named: *which country
    /// is Grete Waitz from* has one answer, however often she won.
    fn settle_repeated_entity(&mut self) {
        let names = [self.schema.record_name(), self.schema.name_field()];
        let wanted = self
            .out
            .wanted
            .iter()
            .filter_map(|name| self.field_named(name));
        let asked: Vec<usize> = wanted
            .filter(|field| !names.contains(&Some(*field)))
            .collect();
        let [field] = asked[..] else {
            return;
        };
        let is_category = self.kind(field) == FieldKind::Text
            && !self.schema.is_unique(field)
            && !self.field(field).is_prose
            && !self.out.filters.contains_key(self.name(field));
        let is_list = self.out.answer == AnswerShape::List && self.out.order.is_none();
        if !is_list || !is_category || !self.selects_repeated_records() {
            return;
        }

        self.out.wanted = vec![self.name(field).to_owned()];
        self.add_group(field);
        self.out.answer = AnswerShape::Groups;
    }

    /// Returns whether a condition names what several records are of, and no category.
    fn selects_repeated_records(&self) -> bool {
        /// Records of one thing at most.
        const MOST: u64 = 20;
        let candidates = || {
            self.found
                .entries
                .iter()
                .flat_map(|entry| &entry.candidates)
        };
        let repeats = |name: &String, value: &Value| {
            let mut own = candidates().filter(|one| one.field == *name && one.value == *value);
            own.any(|one| (2..=MOST).contains(&one.doc_count))
        };
        let mut filters = self.out.filters.iter();
        filters.any(|(name, value)| Self::is_single(value) && repeats(name, value))
    }

    fn settle_listed(&mut self, opener: usize) {
        let asks = |r: &Self, roles: &[Role]| r.has_any(opener, roles);
        let which = self.asked.which;
        if asks(self, &[Role::Who])
            && self.out.wanted.is_empty()
            && let Some(name) = self.schema.name_field()
        {
            self.want(name);
        }
        let is_of_one = self.out.filters.iter().any(|(name, value)| {
            Self::is_single(value)
                && self
                    .field_named(name)
                    .is_some_and(|field| self.is_of_one_record(field))
        });
        if let Some(field) = which.filter(|_| is_of_one || !self.out.unknown.is_empty()) {
            self.want_name_of_record();
            self.want(field);
            self.out.answer = AnswerShape::List;
            return;
        }
        if let Some(field) = which {
            self.want(field);
            let repeats = !self.schema.is_unique(field)
                && !self.field(field).is_identifier
                && self.kind(field) != FieldKind::Date;
            let is_listed = !self.field(field).facts.values.is_empty()
                || self.field(field).facts.distinct.is_some();
            if repeats && is_listed {
                self.add_group(field);
                self.out.answer = AnswerShape::Groups;
            } else {
                self.out.answer = AnswerShape::List;
                self.want_name();
            }
            return;
        }
        // `which pizzas are supreme`, where a pizza has many records.
        let name = self.schema.name_field();
        let repeats = name.filter(|name| {
            !self.schema.is_unique(*name)
                && self.is_called_name(*name)
                && self.field(*name).facts.distinct.is_some()
        });
        if let Some(name) = repeats
            && asks(self, &[Role::Which])
            && self.out.wanted.is_empty()
            && !self.out.filters.is_empty()
            && !self.out.filters.contains_key(self.name(name))
        {
            self.want(name);
            self.add_group(name);
            self.out.answer = AnswerShape::Groups;
            return;
        }
        if asks(self, &[Role::Where]) {
            self.want_concepts(&["place", "city", "country", "region"]);
        } else if asks(self, &[Role::When]) {
            let time = self
                .schema
                .dates()
                .next()
                .or_else(|| self.schema.years().next());
            time.into_iter().for_each(|field| self.want(field));
        }

        // `price of beef on January 3rd`
        let is_of_number = self.has(opener + 1, Role::Of)
            && !self.out.filters.is_empty()
            && self.peek(opener, |r, f| r.is_quantity(f)).is_some();
        self.want_named(
            is_of_number
                || asks(
                    self,
                    &[
                        Role::What,
                        Role::Show,
                        Role::How,
                        Role::HowMuch,
                        Role::HowMany,
                        Role::Who,
                        Role::When,
                        Role::Where,
                    ],
                ),
        );
        if asks(self, &[Role::What, Role::HowMuch]) && self.out.wanted.is_empty() {
            self.want_by_verb();
        }
        let wants_numbers = !self.out.wanted.is_empty()
            && self.out.wanted.iter().all(|name| {
                self.field_named(name)
                    .is_some_and(|field| self.is_number(field) && self.field(field).years.is_none())
            });
        // A truth value has no mean that anybody asks for.
        let are_truths = self.out.wanted.iter().all(|name| {
            let field = self.field_named(name);
            field.is_some_and(|field| self.field(field).truth.is_some())
        });
        let asks_value = asks(self, &[Role::How, Role::What, Role::HowMuch]);
        if are_truths && asks_value && !self.out.wanted.is_empty() && wants_numbers {
            self.out.wanted.clear();
            self.out.answer = AnswerShape::Overview;
            let first = self.skip(opener + 1).min(self.len());
            self.asked
                .unheld
                .push(self.said(first, self.len()).to_owned());
            return;
        }
        let is_show = asks(self, &[Role::Show]);
        // `boiling point of iron`
        let opens_without_verb = self.items.get(opener).is_some_and(|item| {
            !item.fields.is_empty() || item.is_open() || !item.values.is_empty()
        });
        let names_a_record = !self.out.unknown.is_empty()
            || self.out.filters.iter().any(|(name, value)| {
                let is_part = value.get("contains").is_some();
                (Self::is_single(value) || value.is_array() || is_part)
                    && self
                        .field_named(name)
                        .is_some_and(|field| self.is_of_one_record(field))
            })
            || !self.out.search.is_empty()
            || !self.out.absent.is_empty();
        if wants_numbers && !is_show && !names_a_record && self.out.order.is_none() {
            for name in std::mem::take(&mut self.out.wanted) {
                if let Some(field) = self.field_named(&name) {
                    let function = if self.asked_much() && self.adds_up(field) {
                        Statistic::Sum
                    } else {
                        Statistic::Mean
                    };
                    self.add_measure(function, field);
                    self.note_assumed(function, field);
                }
            }
            self.settle_measures();
            return;
        }

        // `arabica coffee price in March 1977`
        let mentioned = self.out.mentioned.iter();
        let mut numbers = mentioned.filter_map(|name| self.field_named(name));
        let only = numbers.next().filter(|field| self.is_quantity(*field));
        let only = only.filter(|_| numbers.next().is_none());
        let has_conditions = !self.out.filters.is_empty() && !names_a_record;
        if let Some(field) = only
            && has_conditions
            && opens_without_verb
            && !is_show
            && self.out.order.is_none()
        {
            self.out.mentioned.clear();
            self.out.wanted.clear();
            self.add_measure(Statistic::Mean, field);
            self.note_assumed(Statistic::Mean, field);
            self.settle_measures();
            return;
        }

        let names_one = names_a_record && opens_without_verb && !self.out.mentioned.is_empty();
        if names_one {
            for name in std::mem::take(&mut self.out.mentioned) {
                if !self.out.wanted.contains(&name) {
                    self.out.wanted.push(name);
                }
            }
        }
        let lists = is_show
            || asks(self, &[Role::Who, Role::Where, Role::When, Role::Which])
            || !self.out.wanted.is_empty();
        if lists {
            self.out.answer = AnswerShape::List;
            self.want_name();
        } else if asks(self, &[Role::HowMany]) {
            self.out.answer = AnswerShape::Count;
        } else {
            self.group_by_named();
        }
    }

    /// Wants the number that a verb names: `what did a ticket cost`.
    fn want_by_verb(&mut self) {
        let is_quantity = |r: &Self, field: usize| r.is_quantity(field);
        let verb = (1..self.len()).find(|at| {
            let is_free = !self.items[*at].used && self.has(*at, Role::Light);
            is_free && self.peek(*at, is_quantity).is_some()
        });

        let field = verb.and_then(|verb| Some((verb, self.choose(verb, is_quantity)?)));
        if let Some((verb, field)) = field {
            self.want(field);
            self.take(verb, verb + 1);
        }
    }

    /// Wants what tells records apart.
    fn want_name_of_record(&mut self) {
        let name = self
            .schema
            .record_name()
            .or_else(|| self.schema.name_field());
        name.into_iter().for_each(|field| self.want(field));
    }

    /// Returns whether conditions select records that a fragment such as *movies longer than 3
    /// hours* lists.
    fn lists_records(&self) -> bool {
        let is_overview = (0..self.len()).any(|at| self.has(at, Role::Overview));
        let is_selected = !self.out.filters.is_empty() || !self.out.search.is_empty();
        is_selected && !is_overview && self.schema.record_name().is_some()
    }

    /// Wants the name of listed records first, unless another text or date is wanted.
    pub(crate) fn want_name(&mut self) {
        let wanted = self
            .out
            .wanted
            .iter()
            .filter_map(|name| self.field_named(name));
        let is_named = wanted
            .into_iter()
            .any(|field| matches!(self.kind(field), FieldKind::Text | FieldKind::Date));
        let name = self
            .schema
            .record_name()
            .or_else(|| self.schema.name_field());
        if let Some(name) = name.filter(|_| !is_named) {
            let name = self.name(name).to_owned();
            self.out.wanted.retain(|known| *known != name);
            self.out.wanted.insert(0, name);
        }
    }

    fn asked_much(&self) -> bool {
        self.asked
            .opening
            .is_some_and(|at| self.has_any(at, &[Role::HowMuch, Role::HowMany]))
    }

    /// Returns whether one value of a field is that of one record, or of few.
    fn is_of_one_record(&self, field: usize) -> bool {
        self.schema.is_unique(field)
            || (self.field(field).facts.values.is_empty() && self.kind(field) == FieldKind::Text)
    }

    pub(crate) fn want_concepts(&mut self, names: &[&str]) {
        let fields = names.iter().flat_map(|name| self.schema.with_concept(name));
        let texts = fields
            .map(|(field, _)| *field)
            .filter(|f| self.kind(*f) == FieldKind::Text && !self.is_key(*f));
        let texts: Vec<usize> = texts.collect();
        // The field with the most values says most exactly where or what a record is.
        let distinct = |field: &usize| {
            let facts = self.field(*field).facts;
            facts.distinct.unwrap_or(facts.values.len() as u64)
        };
        let most = texts.iter().map(distinct).max();
        let found = texts.iter().find(|field| Some(distinct(field)) == most);
        if let Some(field) = found.copied() {
            self.want(field);
        }
    }

    /// Returns whether a field holds ids or addresses, such as `place_id`, which tell people
    /// nothing.
    fn is_key(&self, field: usize) -> bool {
        const KEYS: [&str; 10] = [
            "id", "ids", "uuid", "url", "slug", "link", "key", "site", "website", "maps",
        ];
        let mut words = self.field(field).words.iter();
        self.field(field).is_identifier || words.any(|word| KEYS.contains(&word.lower.as_str()))
    }

    /// Notes the fields that are named and not used: wanted, or mentioned.
    pub(crate) fn want_named(&mut self, wants: bool) {
        for at in 0..self.len() {
            let item = &self.items[at];
            if item.used || item.fields.is_empty() {
                continue;
            }
            let is_named = item.fields[0].is_full
                || item.fields[0].score >= 500
                || (item.fields[0].score >= 300
                    && item
                        .fields
                        .get(1)
                        .is_none_or(|o| o.score < item.fields[0].score));
            let is_word = !item.fields[0].is_full
                && (item.has_any(&[Role::Light, Role::Generic, Role::Show])
                    || self.field(item.fields[0].field).is_identifier);
            if !is_named || is_word {
                continue;
            }

            if let Some(field) = self.choose(at, |_, _| true) {
                let name = self.name(field).to_owned();
                if self.out.filters.contains_key(&name) {
                    continue;
                }
                self.take(at, at + 1);
                if wants {
                    self.want(field);
                } else if !self.out.mentioned.contains(&name) {
                    self.out.mentioned.push(name);
                }
            }
        }
    }

    /// Groups by the category that a question names without a verb: `sizes of the strikes`.
    fn group_by_named(&mut self) {
        let named = self.out.mentioned.iter().find_map(|name| {
            let field = self.field_named(name)?;
            let facts = self.field(field).facts;
            // `peaks over 5000 feet` are records.
            let is_name = self.schema.record_name() == Some(field) && self.schema.is_unique(field);
            let is_category = facts.kind == FieldKind::Text
                && !facts.values.is_empty()
                && self.is_groupable(field);
            (is_category && !is_name).then_some(field)
        });

        match named {
            Some(field) => {
                let name = self.name(field).to_owned();
                self.out.mentioned.retain(|known| *known != name);
                self.add_group(field);
                self.out.answer = AnswerShape::Groups;
            }
            None => {
                let alternatives = self.alternatives();
                if let Some((field, _)) = alternatives.filter(|(_, values)| values.len() > 1) {
                    self.out.group_by.push(field);
                    self.out.answer = AnswerShape::Compare;
                } else if self.lists_records() {
                    self.out.answer = AnswerShape::List;
                    self.asked.is_fragment = true;
                    self.want_name();
                } else {
                    self.out.answer = AnswerShape::Overview;
                }
            }
        }
    }
}
