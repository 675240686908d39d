//! Reads what a question counts or asks the size of: `how many passengers`, `how many different
//! species`, `how old`.

use research_agents_report::claim::Statistic;

use crate::data::task::FieldKind;
use crate::question::lexicon::is_plural;
use crate::question::read::cut::field::NameWord;
use crate::question::read::cut::items::Item;
use crate::question::read::functions::function_name;
use crate::question::read::reader::Reader;
use crate::question::read::words::concepts::concepts;
use crate::question::read::words::vocabulary::Role;
use crate::question::reading::Outcome;

/// Words in the names of fields that count people.
pub(crate) const COUNTED: [&str; 6] = [
    "affected",
    "individuals",
    "people",
    "persons",
    "victims",
    "participants",
];

/// Words for people, as questions count them.
const PEOPLE: [&str; 12] = [
    "people",
    "persons",
    "individuals",
    "menschen",
    "personen",
    "personnes",
    "gens",
    "personas",
    "gente",
    "persone",
    "pessoas",
    "leute",
];

/// Words that compare with a number.
const COMPARISONS: &[Role] = &[
    Role::More,
    Role::Less,
    Role::Above,
    Role::Below,
    Role::AtLeast,
    Role::AtMost,
    Role::Between,
    Role::Exactly,
];

impl Reader<'_, '_, '_> {
    /// Reads `how old`, `how many passengers`, `how many different species`.
    pub(crate) fn read_how(&mut self) {
        for at in 0..self.len() {
            if self.asks_how_much_that_is(at) {
                // *How strong the link is* still asks for a relation.
                for place in at..self.len() {
                    self.items[place].used |= !self.has(place, Role::Relation);
                }
            } else if self.has(at, Role::How) {
                self.read_how_degree(at);
            } else if self.has_any(at, &[Role::HowMany, Role::HowMuch]) {
                self.asked.opening.get_or_insert(at);
                self.read_how_many(at);
            } else if self.has(at, Role::Distinct) && !self.items[at].used {
                self.read_distinct(at);
            }
        }
    }

    pub(crate) fn want(&mut self, field: usize) {
        let name = self.name(field).to_owned();
        if !self.out.wanted.contains(&name) {
            self.out.wanted.push(name);
        }
    }

    fn read_how_many(&mut self, at: usize) {
        // `depending on how many cylinders they have` names a group, and `do we not know how many`
        // a field.
        let follows = self
            .before(at)
            .is_some_and(|before| self.has_any(before, &[Role::By, Role::Which, Role::Missing]));
        if follows {
            return;
        }
        let is_much = self.has(at, Role::HowMuch);
        let place = self.skip_roles(at + 1, &[Role::Stop, Role::Of, Role::All]);
        let place = self.cases_of(place).unwrap_or(place);
        // `how many CABG cases`: the value before the noun is a condition.
        let is_value = self.items.get(place).is_some_and(|item| {
            item.fields.is_empty() && item.values.iter().any(|value| !value.needs_field)
        });
        let follows = is_value && place + 1 < self.len() && !self.breaks(place + 1);
        let qualified = follows && self.holds_number_of(place + 1);
        let place = place + usize::from(qualified);
        if self.has(place, Role::Distinct)
            || place >= self.len()
            || self.breaks(place) && place > at + 1
        {
            return;
        }
        if self.read_counted_apart(at, place)
            || self.read_counted_by_verb(at, place)
            || self.read_kinds_of_value(place)
        {
            return;
        }
        let item = &self.items[place];
        if item.used
            || item.fields.is_empty()
            || (!item.values.is_empty() && !item.fields[0].is_full)
        {
            return;
        }
        let Some(best) = item.fields.first().cloned() else {
            return;
        };
        let facts = self.field(best.field);
        if facts.truth.is_some() || facts.is_identifier {
            return;
        }
        // `in how many months was it above 6` counts the records of months.
        let is_month = self.items[place].has_any(&[Role::Month, Role::Week, Role::Day]);
        if is_month && !self.adds_up(best.field) {
            self.take(place, place + 1);
            return;
        }

        // `how many rates are above 200` counts the records with such a rate.
        if facts.facts.kind == FieldKind::Number && self.is_compared_with_number(place + 1) {
            return;
        }

        // `how many loans` does not ask for the `loan_amount`.
        let is_amount = |word: &NameWord| {
            let tokens = &self.tokens[item.start..item.end];
            let is_said = tokens.iter().any(|token| token.stem == word.stem);
            !is_said && word.concepts.contains(&"amount")
        };
        let is_named = best.is_full || best.score >= 700 && !facts.words.iter().any(is_amount);
        let is_long = item.end - item.start > 1;
        let said = self.said(at, place + 1).to_owned();
        match facts.facts.kind {
            FieldKind::Number if facts.years.is_some() && !is_much && best.is_full => {
                self.asked.distinct = Some(best.field);
                self.take(at, place + 1);
            }
            FieldKind::Number
                if is_named && self.adds_up(best.field)
                    || self.counts_what_is_said(place, best.field) =>
            {
                let adds_up = |r: &Self, f: usize| {
                    r.is_number(f) && (r.adds_up(f) || r.counts_what_is_said(place, f))
                };
                let Some(field) = self.choose(place, adds_up) else {
                    return;
                };
                self.measure_counted(&said, field);
                self.take(at, at + 1);
                self.take(if qualified { place } else { at }, self.counted_end(place));
            }
            FieldKind::Number if is_named && best.is_full => {
                self.want(best.field);
                self.take(at, place + 1);
            }
            FieldKind::Text if best.is_full && !is_much && self.schema.is_unique(best.field) => {
                self.take(at, place + 1);
            }
            FieldKind::Text
                if (best.is_full || is_long && best.score >= 600)
                    && !is_much
                    && !facts.is_prose
                    && facts.truth.is_none() =>
            {
                let is_modifier = self.items.get(place + 1).is_some_and(|next| {
                    !self.breaks(place + 1)
                        && !next.used
                        && !next.has(Role::Is)
                        && (next.is_open() || next.has(Role::Generic) || !next.fields.is_empty())
                });
                // `courts per area` of a list of courts counts records.
                let token = &self.tokens[self.items[place].start];
                let is_records = !is_long && self.schema.is_title(token) && is_plural(&token.lower);
                // `how many cargos mention iron` counts records.
                let mentions = self.has(place + 1, Role::Mention);
                if !is_modifier && !mentions && !is_records {
                    self.asked.distinct = Some(best.field);
                    self.take(at, place + 1);
                }
            }
            _ => {}
        }
    }

    /// Returns the number whose cases are counted: *cases of larceny theft*.
    fn cases_of(&self, noun: usize) -> Option<usize> {
        let is_case = self.has(noun, Role::Generic) && self.has(noun + 1, Role::Of);
        let counted = self.skip_roles(noun + 2, &[Role::Stop, Role::Of]);
        let is_number = is_case && counted < self.len() && !self.breaks(counted);
        (is_number && self.holds_number_of(counted)).then_some(counted)
    }

    /// Returns whether words say how something compares with a number: *are above 200*.
    fn is_compared_with_number(&self, at: usize) -> bool {
        let sign = self.skip_roles(at, &[Role::Is, Role::Stop]);
        let number = self.skip_roles(sign + 1, &[Role::Stop, Role::Than]);
        let is_number = |item: &Item| item.number.is_some() && item.moment.is_none();
        self.has(at, Role::Is)
            && self.has_any(sign, COMPARISONS)
            && self.items.get(number).is_some_and(is_number)
    }

    /// Measures the sum of what words count, or the mean or median where a question says so: *how
    /// many seats on average*.
    fn measure_counted(&mut self, said: &str, field: usize) {
        let average = (0..self.len())
            .find(|at| !self.items[*at].used && self.has_any(*at, &[Role::Mean, Role::Median]));
        let function = match average {
            Some(at) if self.has(at, Role::Median) => Statistic::Median,
            Some(_) => Statistic::Mean,
            None => Statistic::Sum,
        };
        if let Some(at) = average {
            self.take(at, at + 1);
        }

        self.add_measure(function, field);
        let called = function_name(function);
        let gives = format!("the {called} of {}", self.name(field));
        self.derive(said, &gives);
        self.asked.is_measure_assumed = true;
    }

    /// Reads `how many games did he miss`: the sum, or the mean, of a field of which the noun and
    /// the verb say a word each.
    fn read_counted_apart(&mut self, at: usize, noun: usize) -> bool {
        let Some((verb, field)) = self.quantity_said_apart(noun) else {
            return false;
        };
        let said = format!(
            "{} … {}",
            self.said(at, noun + 1),
            self.said(verb, verb + 1)
        );
        self.measure_counted(&said, field);
        self.take(at, noun + 1);
        self.take(verb, verb + 1);
        true
    }

    /// Reads `how many bird species`: the different values of a field where another has a value.
    fn read_kinds_of_value(&mut self, place: usize) -> bool {
        let is_value = self.items.get(place).is_some_and(|item| {
            item.fields.is_empty() && item.values.iter().any(|value| !value.needs_field)
        });
        let field = self
            .items
            .get(place + 1)
            .filter(|next| !next.used)
            .and_then(|next| {
                let named = next.fields.first().filter(|found| found.is_full)?;
                (!self.breaks(place + 1)).then_some(named.field)
            });
        let is_followed = self.items.get(place + 2).is_some_and(|next| {
            !self.breaks(place + 2) && (next.is_open() || !next.fields.is_empty())
        });
        let is_category = |field: &usize| {
            self.kind(*field) == FieldKind::Text
                && !self.schema.is_unique(*field)
                && !self.field(*field).is_prose
                && self.field(*field).truth.is_none()
                && self.items[place]
                    .values
                    .iter()
                    .all(|value| value.field != *field)
        };
        let Some(field) = field
            .filter(is_category)
            .filter(|_| is_value && !is_followed)
        else {
            return false;
        };

        self.asked.distinct = Some(field);
        self.take(place + 1, place + 2);
        true
    }

    /// Reads `how many people died`: the sum of the field that the verb names in other words.
    fn read_counted_by_verb(&mut self, at: usize, noun: usize) -> bool {
        let names_nothing = |item: &Item| item.values.is_empty() && item.number.is_none();
        let is_people = PEOPLE.contains(&self.lower(noun));
        // `how many games did they win`: the verb says more than part of the name of a field.
        let is_part = |item: &Item| !item.fields.is_empty() && !item.fields[0].is_full;
        let is_noun = self.items.get(noun).is_some_and(|item| {
            let is_unread = item.fields.is_empty() || is_people || is_part(item);
            item.has(Role::Generic) || is_unread && names_nothing(item)
        });
        if !is_noun {
            return false;
        }
        let counted = self.items[noun].fields.first().map(|best| best.field);
        let adds_up_or_counts = |r: &Self, field: usize| {
            let words = &r.field(field).words;
            let is_affected = words
                .iter()
                .any(|word| COUNTED.contains(&word.lower.as_str()));
            r.is_quantity(field) && is_affected
        };
        let adds_up = |r: &Self, field: usize| {
            r.is_quantity(field) && (r.adds_up(field) || adds_up_or_counts(r, field))
        };
        let is_verb = |r: &Self, at: usize| {
            // `how many people were affected`, where the field is called so.
            let is_named = is_people && r.peek(at, adds_up_or_counts).is_some();
            if is_named {
                return true;
            }
            let field = r
                .peek(at, adds_up)
                .filter(|_| concepts().is_verb(r.lower(at)));
            field.is_some_and(|field| {
                let is_best = r.items[at].fields[0].field == field;
                is_best && (r.items[noun].has(Role::Generic) || counted != Some(field))
            })
        };

        let mut verb = noun;
        loop {
            let is_end = verb >= self.len() || verb > noun + 6 || self.breaks(verb) && verb > noun;
            if is_end || self.has_any(verb, &[Role::By, Role::With, Role::Than]) {
                return false;
            }
            let item = &self.items[verb];
            let is_free = !item.used
                && item.number.is_none()
                && item.values.is_empty()
                && !self.negated[verb];
            // `cost more than 100` is a condition.
            let is_compared = (verb + 1..verb + 3).any(|next| {
                self.has_any(next, COMPARISONS)
                    || self
                        .items
                        .get(next)
                        .is_some_and(|item| item.number.is_some() && item.moment.is_none())
            });
            if is_free && !is_compared && is_verb(self, verb) {
                break;
            }
            verb += 1;
        }
        let Some(field) = self.choose(verb, adds_up) else {
            return false;
        };
        self.add_measure(Statistic::Sum, field);
        // `how many tickets were sold` may be other sales than those of the field.
        let token = &self.tokens[self.items[noun].start];
        if self.items[noun].is_open() && !self.schema.is_title(token) && !is_people {
            let noun = self.said(noun, noun + 1).to_owned();
            self.out.unread.push(noun);
        }
        let said = format!("{} {}", self.said(at, noun + 1), self.said(verb, verb + 1));
        let gives = format!("the sum of {}", self.name(field));
        self.derive(&said, &gives);
        self.asked.is_measure_assumed = true;
        self.take(at, noun + 1);
        self.take(verb, verb + 1);
        true
    }

    /// Returns whether a field is called a name or a title.
    pub(crate) fn is_called_name(&self, field: usize) -> bool {
        let name = self.name(field).to_lowercase();
        name == "title" || name == "name" || name.ends_with("_name") || name.ends_with(" name")
    }

    fn read_distinct(&mut self, at: usize) {
        // `quanti nomi di squadra diversi`: the adjective follows.
        let how_many = (0..at).any(|before| self.has(before, Role::HowMany));
        let is_romance = matches!(self.vocabulary.code, "fr" | "es" | "it" | "pt");
        if is_romance && how_many && self.read_distinct_before(at) {
            return;
        }
        let place = self.skip_roles(
            at + 1,
            &[Role::Stop, Role::Of, Role::Distinct, Role::Generic],
        );
        let is_asked = (0..at).any(|before| self.has_any(before, &[Role::HowMany]))
            || (0..at).all(|before| self.has_any(before, &[Role::Stop, Role::Show]));
        if place >= self.len() || !is_asked {
            return;
        }

        // `how many different days`: dates without times are days.
        let groupable = |r: &Self, field: usize| {
            r.kind(field) != FieldKind::Date || r.has(place, Role::Day) && how_many
        };
        // `how many different party sizes`
        let behind = place + 1;
        let is_behind = self.items[place].is_open()
            && !self.breaks(behind)
            && self.peek(behind, groupable).is_some();
        let place = if is_behind { behind } else { place };
        let people = (at + 1..place)
            .find(|between| matches!(self.lower(*between), "people" | "persons" | "person"));
        if let Some(people) = people.filter(|_| how_many)
            && self.tell_apart(at, people)
        {
            return;
        }
        // `how many different women have won`: the value restricts the names.
        let is_value = self.items[place].fields.is_empty() && !self.items[place].values.is_empty();
        if how_many && is_value && self.tell_apart(at, at) {
            return;
        }
        if let Some(field) = self.choose(place, groupable) {
            if how_many {
                self.asked.distinct = Some(field);
            } else {
                self.asked.which = Some(field);
            }
            self.take(at, place + 1);
            return;
        }
        let is_noun = self.items[place].is_open() || self.items[place].looked_up.is_some();
        if how_many && is_noun {
            self.tell_apart(at, place);
        }
    }

    /// Counts the different values of the field that is named before an adjective.
    fn read_distinct_before(&mut self, at: usize) -> bool {
        let groupable = |r: &Self, field: usize| r.kind(field) != FieldKind::Date;
        let Some(before) = self.before(at).filter(|_| !self.breaks(at)) else {
            return false;
        };
        let Some(field) = self.peek(before, groupable) else {
            return false;
        };

        self.asked.distinct = Some(field);
        self.take(before, at + 1);
        true
    }

    /// Reads `how many different storms`: their names, of which one has several records.
    fn tell_apart(&mut self, at: usize, place: usize) -> bool {
        let name = self.schema.name_field();
        let name = name.filter(|name| !self.schema.is_unique(*name) && self.is_called_name(*name));
        let Some(name) = name else {
            return false;
        };
        self.asked.distinct = Some(name);
        let said = self.said(place, place + 1).to_owned();
        let note = format!("“{said}” are told apart by {}", self.name(name));
        self.out.notes.push(note);
        if !self.has(place, Role::Generic) {
            let fields = vec![self.name(name).to_owned()];
            self.condition(&said, Outcome::Ambiguous { fields });
        }
        self.take(at, place + 1);
        true
    }

    /// Returns the quantity whose whole name is the last word of an item.
    pub(crate) fn field_called(&self, at: usize) -> Option<usize> {
        let last = &self.tokens[self.items[at].end - 1].lower;
        (0..self.schema.fields.len())
            .find(|field| self.is_quantity(*field) && self.name(*field).to_lowercase() == *last)
    }
}
