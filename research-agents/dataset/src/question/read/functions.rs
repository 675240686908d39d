//! Reads functions with the fields they measure, such as `average body mass`, and how many of what.

pub(crate) mod counted;
pub(crate) mod degree;
pub(crate) mod things;
pub(crate) mod totals;

use research_agents_report::claim::Statistic;

use crate::data::task::FieldKind;
use crate::question::read::reader::Reader;
use crate::question::read::words::concepts::concepts;
use crate::question::read::words::vocabulary::{Grade, Role};
use crate::question::reading::Measure;

/// Roles of functions.
pub(crate) const FUNCTIONS: &[Role] = &[Role::Mean, Role::Median, Role::Sum, Role::Min, Role::Max];

/// Words that end the part of a question in which the field of a function is looked for.
const ENDS: &[Role] = &[
    Role::By,
    Role::With,
    Role::Above,
    Role::Below,
    Role::AtLeast,
    Role::AtMost,
    Role::Is,
    Role::Where,
    Role::Which,
    Role::Who,
    Role::Without,
    Role::Than,
    Role::Trend,
];

/// Concepts of quantities, each of which is another one.
pub(crate) const QUANTITIES: [&str; 22] = [
    "weight",
    "length",
    "duration",
    "distance",
    "height",
    "width",
    "depth",
    "area",
    "population",
    "age",
    "price",
    "speed",
    "income",
    "salary",
    "revenue",
    "profit",
    "budget",
    "temperature",
    "calories",
    "sugar",
    "fat",
    "horsepower",
];

fn statistic(role: Role) -> Statistic {
    match role {
        Role::Median => Statistic::Median,
        Role::Sum => Statistic::Sum,
        Role::Min => Statistic::Min,
        Role::Max => Statistic::Max,
        _ => Statistic::Mean,
    }
}

impl Reader<'_, '_, '_> {
    /// Returns whether a function may be computed of a field.
    pub(crate) fn is_measurable(&self, field: usize, function: Statistic) -> bool {
        let facts = self.field(field);
        match facts.facts.kind {
            FieldKind::Number => !facts.is_identifier,
            FieldKind::Date => matches!(function, Statistic::Min | Statistic::Max),
            FieldKind::Text | FieldKind::Boolean => false,
        }
    }

    /// Returns whether a question that names a field in full or in part may compute a function of
    /// it: what is named in part has no sum if it is a price or a rate.
    fn is_measured_by(&self, field: usize, function: Statistic, is_full: bool) -> bool {
        let has_sum = function != Statistic::Sum || !self.is_intensive(field);
        // Years add up to nothing, whatever they are called.
        if function == Statistic::Sum && self.field(field).years.is_some() {
            return false;
        }
        let is_clear = self.field(field).truth.is_none() && has_sum;
        self.is_measurable(field, function) && (is_full || is_clear)
    }

    pub(crate) fn add_measure(&mut self, function: Statistic, field: usize) -> usize {
        let measure = Measure {
            function,
            field: self.name(field).to_owned(),
        };
        if let Some(known) = self.out.measures.iter().position(|known| *known == measure) {
            return known;
        }
        self.out.measures.push(measure);
        self.out.measures.len() - 1
    }

    pub(crate) fn read_functions(&mut self) {
        let mut at = 0;
        while at < self.len() {
            let is_function = !self.items[at].used
                && (self.has_any(at, FUNCTIONS) || self.leads(at).is_some())
                && !self.value_is_meant(at)
                && !self.is_column(at)
                && !self.is_of_bound(at);
            at = if is_function {
                self.read_function(at).max(at + 1)
            } else {
                at + 1
            };
        }
    }

    /// Returns whether *median* or the like is a column that something is ranked by, and no other
    /// number follows that it is the median of.
    fn is_column(&self, at: usize) -> bool {
        let next = self.skip_roles(at + 1, &[Role::Stop, Role::Of]);
        let measured = self.peek(next, |r, field| r.is_quantity(field));
        let before = self.before(at);
        let is_superlative = self.is_superlative_before(at);
        let is_ranked = before.is_some_and(|before| self.has(before, Role::By)) || is_superlative;
        let may_rank = is_superlative || !self.has(at, Role::Sum);
        self.field_called(at).is_some() && may_rank && measured.is_none() && is_ranked
    }

    /// Returns the function that begins the name of a field, as in `total_sales`.
    fn leads(&self, at: usize) -> Option<Statistic> {
        let item = &self.items[at];
        // `Gesamtumsatz` is one word that begins with the function.
        let word = self.lower(at);
        let is_compound = item.end == item.start + 1 && !self.vocabulary.knows(word);
        let own = item
            .roles
            .iter()
            .find(|role| FUNCTIONS.contains(role) && is_compound);
        let role = item.leading.or(own.copied())?;
        let is_named = self.peek(at, |r, f| r.is_number(f)).is_some();
        is_named.then(|| statistic(role))
    }

    /// Returns whether a function word is the value next to the name of its field.
    fn value_is_meant(&self, at: usize) -> bool {
        !self.items[at].values.is_empty() && self.reads_as_listed(at)
    }

    fn reads_as_listed(&self, at: usize) -> bool {
        self.items[at].values.iter().any(|value| {
            [at.wrapping_sub(1), at + 1].iter().any(|place| {
                self.items
                    .get(*place)
                    .is_some_and(|item| item.fields.iter().any(|found| found.field == value.field))
            })
        })
    }

    /// Reads the functions from an item on, with their fields, and returns where reading continues.
    fn read_function(&mut self, at: usize) -> usize {
        if let Some(function) = self.leads(at) {
            // A number that is computed already has no other function than the one that is asked.
            let is_asked = self.is_superlative_before(at);
            if self.has_any(at + 1, FUNCTIONS) && !self.breaks(at + 1) {
                // `el total_bill máximo`: the word behind says the function.
                return at + 1;
            }
            let field = self.choose(at, |r, f| r.is_number(f));
            if let Some(field) = field {
                if !is_asked {
                    self.add_measure(function, field);
                    self.note_measure(at, at + 1, function, field);
                }
                if !is_asked {
                    self.take(at, at + 1);
                }
            }
            return at + 1;
        }

        // `average and median price`
        let mut functions: Vec<Statistic> = Vec::new();
        let mut place = at;
        while place < self.len() && self.has_any(place, FUNCTIONS) {
            // `average total` of a column that is called so
            if place > at && self.field_called(place).is_some() {
                break;
            }
            let role = self.items[place]
                .roles
                .iter()
                .find(|role| FUNCTIONS.contains(role));
            functions.extend(role.map(|role| statistic(*role)));
            place += 1;
            let next = self.skip_roles(place, &[Role::And, Role::Stop, Role::Or]);
            if self.has_any(next, FUNCTIONS) {
                place = next;
            } else {
                break;
            }
        }

        let found = match self.field_meant_before(at, functions[0]) {
            Some(field) => (vec![field], place),
            None => self.fields_after(place, functions[0]),
        };
        let (fields, end) = match found {
            (fields, _) if fields.is_empty() => match self.field_before(at, functions[0]) {
                Some(field) => (vec![field], place),
                None => (Vec::new(), place),
            },
            found => found,
        };
        if fields.is_empty() {
            let is_how_many = (0..at).any(|before| self.has(before, Role::HowMany));
            let is_counted = is_how_many && functions == [Statistic::Sum];
            if !is_counted || self.field_called(at).is_some() {
                self.asked.functions.push(at);
            }
            return place;
        }

        // `sleep in total` is `sleep_total`, of which groups have a mean.
        let last = self.tokens[self.items[at].end - 1].stem.clone();
        let is_of_name = |field: &usize| {
            let words = &self.field(*field).words;
            words.len() > 1 && words.iter().any(|word| word.stem == last)
        };
        if functions == [Statistic::Sum] && fields.iter().all(is_of_name) {
            let compares = (0..self.len()).any(|at| self.has(at, Role::Than));
            if compares || !fields.iter().all(|field| self.adds_up(*field)) {
                functions = vec![Statistic::Mean];
            }
        }
        for &field in &fields {
            for &function in &functions {
                self.add_measure(function, field);
                self.note_measure(at, end.max(place), function, field);
            }
        }
        self.take(at, place);
        end
    }

    /// Returns whether a superlative applies to the field of an item.
    fn is_superlative_before(&self, at: usize) -> bool {
        let place = self.before(at);
        place.is_some_and(|place| {
            let item = &self.items[place];
            item.has_any(&[Role::Most, Role::Fewest, Role::Top, Role::Bottom])
                || item
                    .degree
                    .as_ref()
                    .is_some_and(|degree| degree.grade != Grade::Positive)
        })
    }

    fn note_measure(&mut self, start: usize, end: usize, function: Statistic, field: usize) {
        let said = self.said(start, end).to_owned();
        let gives = format!("the {} of {}", function_name(function), self.name(field));
        self.derive(&said, &gives);
    }

    /// Returns the fields after a function, joined by `and`, and where they end.
    fn fields_after(&mut self, start: usize, function: Statistic) -> (Vec<usize>, usize) {
        let mut fields = Vec::new();
        let mut end = start;
        let mut at = start;

        while at < self.len() && at < end + 6 {
            let item = &self.items[at];
            let is_in_list = self.gap(at).trim() == "," && !fields.is_empty();
            if self.breaks(at) && at > start && !is_in_list {
                break;
            }
            let is_measurable = |r: &Self, f: usize| {
                let names = r.items[at].fields.iter();
                let is_full = names.clone().any(|found| found.field == f && found.is_full);
                r.is_measured_by(f, function, is_full)
            };
            let is_field = !item.used
                && self.peek(at, is_measurable).is_some_and(|field| {
                    item.fields.first().is_some_and(|best| {
                        let chosen = item.fields.iter().find(|found| found.field == field);
                        chosen.is_some_and(|chosen| chosen.score * 2 >= best.score)
                    })
                });
            if is_field {
                if let Some(field) = self.choose(at, is_measurable) {
                    fields.push(field);
                    self.take(at, at + 1);
                }
                end = at + 1;
                let next = self.skip_roles(end, &[Role::And, Role::Stop]);
                let is_list = next > end || self.gap(end).trim() == ",";
                if !is_list || self.has_any(next, FUNCTIONS) || self.has_any(end, &[Role::Of]) {
                    break;
                }
                at = next;
                let goes_on = self.peek(at, |r, f| r.is_measurable(f, function)).is_some();
                if !goes_on {
                    break;
                }
                continue;
            }
            if item.has_any(ENDS)
                || item.has(Role::And)
                || (item.number.is_some() && item.fields.is_empty())
            {
                break;
            }
            at += 1;
        }
        (fields, end)
    }

    /// Returns the field that a function behind it is about, where other words follow: the one that
    /// `how old were they on average` wants, or one that is named in full, as in *l'âge moyen*.
    fn field_meant_before(&mut self, at: usize, function: Statistic) -> Option<usize> {
        let wanted = self.out.wanted.last().cloned();
        let wanted = wanted.and_then(|name| self.field_named(&name));
        let asks_how = (0..self.len().min(3)).any(|at| self.has(at, Role::How));
        if let Some(field) = wanted.filter(|field| asks_how && self.is_measurable(*field, function))
        {
            self.out.wanted.pop();
            return Some(field);
        }

        let before = at
            .checked_sub(1)
            .filter(|before| !self.items[*before].used)?;
        let is_adjective = self.vocabulary.code != "en";
        let is_full = |r: &Self, f: usize| {
            let mut names = r.items[before].fields.iter();
            r.is_measurable(f, function) && names.any(|found| found.field == f && found.is_full)
        };
        if !is_adjective || self.breaks(at) || self.peek(before, is_full).is_none() {
            return None;
        }
        let field = self.choose(before, is_full)?;
        self.take(before, before + 1);
        Some(field)
    }

    /// Returns the field before a function, as in `the rating on average`.
    fn field_before(&mut self, at: usize, function: Statistic) -> Option<usize> {
        for place in (at.saturating_sub(5)..at).rev() {
            if self.breaks(place + 1) && self.gap(place + 1).trim() != "," {
                return None;
            }
            if self.items[place].used || self.has(place, Role::By) {
                continue;
            }
            let before = place.checked_sub(1);
            if before.is_some_and(|before| self.has(before, Role::By)) {
                continue;
            }
            let is_measurable = |r: &Self, f: usize| {
                let names = r.items[place].fields.iter();
                let is_full = names.clone().any(|found| found.field == f && found.is_full);
                r.is_measured_by(f, function, is_full)
            };
            if self.peek(place, is_measurable).is_some() {
                let field = self.choose(place, is_measurable)?;
                self.take(place, place + 1);
                return Some(field);
            }
        }

        None
    }

    /// Returns the function that was said without a field, and marks its words as read.
    pub(crate) fn take_pending_function(&mut self) -> Option<Statistic> {
        let at = *self.asked.functions.first()?;
        self.asked.functions.remove(0);
        self.take(at, at + 1);
        let role = self.items[at]
            .roles
            .iter()
            .find(|role| FUNCTIONS.contains(role))?;
        Some(statistic(*role))
    }

    /// Settles functions without a field: the measured field of the question, or none.
    pub(crate) fn settle_functions(&mut self) {
        for at in std::mem::take(&mut self.asked.functions) {
            if self.items[at].used {
                continue;
            }
            let roles: Vec<Role> = self.items[at]
                .roles
                .iter()
                .copied()
                .filter(|r| FUNCTIONS.contains(r))
                .collect();
            let Some(function) = roles.first().map(|role| statistic(*role)) else {
                continue;
            };
            let wanted = self.out.wanted.iter().position(|name| {
                self.schema
                    .fields
                    .iter()
                    .any(|field| field.facts.name == *name && field.facts.kind == FieldKind::Number)
            });
            if let Some(wanted) = wanted {
                let name = self.out.wanted.remove(wanted);
                self.out.measures.push(Measure {
                    function,
                    field: name,
                });
                self.take(at, at + 1);
                continue;
            }
            // The number that a superlative or a comparison measures has the function already.
            let is_known = self
                .out
                .measures
                .iter()
                .any(|known| known.function == function);
            if is_known && self.asked.is_measure_assumed {
                self.take(at, at + 1);
                continue;
            }
            // A field that is called like the function: `in total`.
            if let Some(field) = self.field_called(at) {
                let function = if function == Statistic::Sum {
                    Statistic::Sum
                } else {
                    Statistic::Mean
                };
                self.add_measure(function, field);
                self.note_measure(at, at + 1, function, field);
                self.take(at, at + 1);
                continue;
            }

            let is_word =
                self.has_any(at, &[Role::Light, Role::Generic]) || self.lower(at).ends_with("ly");
            let said = self.said(at, at + 1).to_owned();
            let numbers: Vec<usize> = (0..self.schema.fields.len())
                .filter(|f| {
                    self.is_number(*f)
                        && self.field(*f).years.is_none()
                        && !self.field(*f).is_identifier
                        && self.field(*f).truth.is_none()
                })
                .take(2)
                .collect();
            match numbers.as_slice() {
                [only] if self.out.measures.is_empty() && !self.measures_another(at, *only) => {
                    self.add_measure(function, *only);
                    let note = format!(
                        "“{said}” is read as that of {}, the only number",
                        self.name(*only)
                    );
                    self.out.notes.push(note);
                }
                _ if is_word => {}
                _ => {
                    self.refused(&said, "no number of the data is named with it");
                    self.settle_unmeasured_noun(at);
                }
            }
            self.take(at, at + 1);
        }
    }

    /// Returns whether a function is of a quantity that no field holds, as *fare* of `the average
    /// fare` where the only number is an age.
    fn measures_another(&self, function: usize, only: usize) -> bool {
        const MONEY: [&str; 6] = ["price", "revenue", "profit", "income", "salary", "budget"];
        let noun = self.skip_roles(function + 1, &[Role::Stop, Role::Of]);
        let Some(item) = self.items.get(noun).filter(|_| !self.breaks(noun)) else {
            return false;
        };
        let token = &self.tokens[item.start];
        let known = concepts().of(&token.lower, &token.stem, &token.own_stem);
        let is_quantity = known.iter().any(|concept| QUANTITIES.contains(concept));
        // A turnover is a sum of prices.
        let mut own = self.field(only).words.iter().flat_map(|word| word.concepts);
        let is_money = known.iter().any(|concept| MONEY.contains(concept))
            && own.any(|concept| MONEY.contains(concept));
        is_quantity && !is_money && item.fields.is_empty() && item.values.is_empty()
    }

    /// Notes the noun of a function as one that no field holds: *rent* of `the average rent`.
    fn settle_unmeasured_noun(&mut self, function: usize) {
        let noun = self.skip_roles(function + 1, &[Role::Stop, Role::Of]);
        let is_unknown = self.items.get(noun).is_some_and(|item| {
            let found = item.looked_up.map(|entry| &self.found.entries[entry]);
            let is_held = found.is_some_and(|found| !found.candidates.is_empty());
            (item.is_open() || item.looked_up.is_some()) && item.values.is_empty() && !is_held
        });
        if is_unknown && !self.breaks(noun) && !self.items[noun].used {
            let said = self.said(noun, noun + 1).to_owned();
            self.asked.unheld.push(said);
        }
    }
}

/// Returns the name of a function in words.
pub(crate) fn function_name(function: Statistic) -> &'static str {
    match function {
        Statistic::Min => "minimum",
        Statistic::Max => "maximum",
        Statistic::Mean => "mean",
        Statistic::Median => "median",
        Statistic::Sum => "sum",
        _ => "number",
    }
}
