//! Finds the field that a number measures.

use crate::data::task::FieldKind;
use crate::question::read::functions::counted::COUNTED;
use crate::question::read::quantities::figure::Figure;
use crate::question::read::quantities::unit_concepts;
use crate::question::read::reader::Reader;
use crate::question::read::words::units::Unit;
use crate::question::read::words::vocabulary::{Grade, Role};
use crate::question::reading::Sign;

/// Words for people, which the inhabitants of a place are called too.
const PEOPLE: [&str; 8] = [
    "people",
    "persons",
    "menschen",
    "leute",
    "personnes",
    "personas",
    "persone",
    "pessoas",
];

/// Verbs of worth, each with the adjective of the same measure.
const VERBS: [(&str, &str); 4] = [
    ("worth", "valuable"),
    ("cost", "expensive"),
    ("costs", "expensive"),
    ("costing", "expensive"),
];

impl Reader<'_, '_, '_> {
    /// Returns the field that a number measures, and the items that say so.
    pub(crate) fn measured(&mut self, at: usize, figure: &Figure) -> Option<(usize, usize, usize)> {
        let numeric = |r: &Self, field: usize| r.is_quantity(field);
        if let Some((place, field)) = self.numbered_before(figure) {
            return Some((field, place, figure.end));
        }

        // `8 cylinders`, `100 horsepower`, `4 kg of body mass`, `five people dead`.
        for next in figure.end..figure.end + 3 {
            if next >= self.len() || self.breaks(next) {
                break;
            }
            let is_other = self.has_any(
                next,
                &[
                    Role::And,
                    Role::Or,
                    Role::By,
                    Role::With,
                    Role::But,
                    Role::Is,
                    Role::In,
                ],
            );
            if self.peek(next, numeric).is_some()
                && !self.items[next].used
                && !(self.has_any(next, &[Role::Year, Role::Day]) && figure.unit.is_some())
            {
                // `population municipale under 10,000 inhabitants`: the name in full wins.
                let mut names = self.items[next].fields.iter();
                let is_full = names.any(|found| found.is_full && self.is_quantity(found.field));
                let named = self.named_before(figure.start).filter(|_| !is_full);
                let start = named.unwrap_or(figure.start);
                let field = self.choose(named.unwrap_or(next), numeric)?;
                return Some((field, start, next + 1));
            }
            let is_between = self.has_any(next, &[Role::Of, Role::Stop, Role::Generic]);
            if is_other || !is_between && !self.items[next].is_open() {
                break;
            }
        }

        // `more than 100,000 people` of a town.
        if figure.unit.is_none() && PEOPLE.contains(&self.lower(figure.end)) {
            let said = self.said(figure.start, figure.end + 1).to_owned();
            let inhabited = self.measured_by(&["population".to_owned()], &said);
            if let Some((field, false)) = inhabited {
                return Some((field, figure.start, figure.end + 1));
            }
        }

        // `5,000 feet high`
        let degree = self
            .items
            .get(figure.end)
            .and_then(|item| item.degree.clone());
        let degree =
            degree.filter(|degree| degree.grade == Grade::Positive && !self.breaks(figure.end));
        if let Some(degree) = degree.filter(|_| figure.unit.is_some()) {
            let is_high = degree.concepts.iter().any(|concept| concept == "any");
            let concepts = match is_high {
                true => vec!["height".to_owned()],
                false => degree.concepts,
            };
            let said = self.said(figure.start, figure.end + 1).to_owned();
            if let Some((field, false)) = self.measured_by(&concepts, &said) {
                return Some((field, figure.start, figure.end + 1));
            }
        }

        // `between magnitude 4 and 5`, `above magnitude 8`
        let inside = (figure.start..at)
            .find(|place| !self.items[*place].used && self.peek(*place, numeric).is_some());
        let is_named = inside.is_some_and(|inside| self.before(at) == Some(inside));
        if let Some(inside) = inside.filter(|_| figure.high.is_some() || is_named) {
            let field = self.choose(inside, numeric)?;
            return Some((field, figure.start, figure.end));
        }

        // `heavier than 4000`: a field of that measure.
        let concepts: Vec<String> = figure
            .concepts
            .iter()
            .filter(|c| *c != "any")
            .cloned()
            .collect();
        let of_concept = |r: &Self, field: usize| {
            let words = &r.field(field).words;
            words.iter().any(|word| {
                word.concepts
                    .iter()
                    .any(|c| concepts.iter().any(|own| own == c))
            })
        };
        if !concepts.is_empty() {
            let near = (figure.start.saturating_sub(6)..figure.start)
                .rev()
                .find(|place| {
                    self.peek(*place, |r, f| numeric(r, f) && of_concept(r, f))
                        .is_some()
                        && !self.items[*place].used
                });
            if let Some(near) = near {
                let field = self.choose(near, |r, f| numeric(r, f) && of_concept(r, f))?;
                return Some((field, near, figure.end));
            }
            let of_unit = self.with_unit(figure.unit);
            if let [only] = of_unit.as_slice() {
                return Some((*only, figure.start, figure.end));
            }
            let said = self.said(figure.start, figure.end).to_owned();
            if let Some((field, _)) = self.measured_by(&concepts, &said) {
                return Some((field, figure.start, figure.end));
            }
        }

        if let Some((verb, field)) = self.measured_by_verb(figure) {
            return Some((field, verb, figure.end));
        }

        // `horsepower over 100`, `a rating of at least 8`, `whose age is 30`.
        let mut before = figure.start;
        let mut steps = 0;
        while let Some(place) = before.checked_sub(1) {
            let item = &self.items[place];
            let is_stop = self.has_any(place, &[Role::By, Role::But, Role::And, Role::Or])
                || item.number.is_some();
            if self.breaks(before) && !matches!(self.gap(before).trim(), ":" | "(" | ",")
                || is_stop
                || steps > 6
            {
                break;
            }
            let is_free = !item.used || self.is_measure(place);
            // `the weight of men over 180 cm` says nothing of the weight.
            let of_unit = |r: &Self, field: usize| r.is_quantity(field) && r.takes(field, figure);
            if self.peek(place, of_unit).is_some() && is_free {
                if let Some(other) = self.measured_of_things(place, figure) {
                    return Some((other, figure.start, figure.end));
                }
                let field = self.choose(place, of_unit)?;
                let is_near = figure.sign != Some(Sign::Equal)
                    || figure.high.is_some()
                    || (place + 1..figure.start).all(|k| {
                        self.has_any(
                            k,
                            &[
                                Role::Is,
                                Role::Of,
                                Role::Stop,
                                Role::Exactly,
                                Role::In,
                                Role::Between,
                            ],
                        )
                    });
                if is_near {
                    return Some((field, place, figure.end));
                }
                break;
            }
            before = place;
            steps += 1;
        }

        // `over 4 kg`.
        let said = self.said(figure.start, figure.end).to_owned();
        let unit = figure.unit?;
        let with_unit = self.with_unit(Some(unit));
        if let [only] = with_unit.as_slice() {
            return Some((*only, figure.start, figure.end));
        }
        let concepts: Vec<String> = unit_concepts(unit)
            .iter()
            .map(|c| (*c).to_owned())
            .collect();
        // Of several measures of such a unit, the one whose numbers are of that size is meant.
        if let Some(field) = self.sized_like(figure, &concepts) {
            return Some((field, figure.start, figure.end));
        }
        let (field, is_time) = self.measured_by(&concepts, &said)?;
        (!is_time).then_some((field, figure.start, figure.end))
    }

    /// Returns the number that is named in full directly before a figure and numbers the records,
    /// as *rank 5* does, which measures nothing.
    fn numbered_before(&self, figure: &Figure) -> Option<(usize, usize)> {
        let is_plain = figure.sign.is_none_or(|sign| sign == Sign::Equal) && figure.unit.is_none();
        let place = figure.start.checked_sub(1)?;
        let item = &self.items[place];
        let best = item.fields.first().filter(|best| best.is_full)?;
        let is_number = self.is_number(best.field) && self.field(best.field).is_identifier;
        let is_free = !item.used && item.roles.is_empty() && !self.breaks(figure.start);
        (is_plain && is_number && is_free).then_some((place, best.field))
    }

    /// Returns what a figure says of things whose number at an item was read as a measure: their
    /// age in *average points of players over 30*, their length in *of films over 2 hours*.
    fn measured_of_things(&mut self, at: usize, figure: &Figure) -> Option<usize> {
        let is_thing = |k: usize| {
            let item = &self.items[k];
            let is_noun = item.is_open() || item.looked_up.is_some() || item.has(Role::Generic);
            let best = item.fields.first();
            let is_name = best.is_some_and(|best| self.kind(best.field) == FieldKind::Text);
            is_noun || is_name || self.schema.is_title(&self.tokens[item.start])
        };
        let is_read = self.items[at].used && self.is_measure(at);
        if !is_read || !(at + 1..figure.start).any(is_thing) {
            return None;
        }

        let Some(unit) = figure.unit else {
            return self.age_meant(figure);
        };
        if let [only] = self.with_unit(Some(unit)).as_slice() {
            return Some(*only);
        }
        let concepts = unit_concepts(unit);
        let concepts: Vec<String> = concepts.iter().map(|known| (*known).to_owned()).collect();
        self.sized_like(figure, &concepts)
    }

    /// Returns the verb before a figure, and the field of what it measures: *worth more than 100
    /// million*.
    fn measured_by_verb(&mut self, figure: &Figure) -> Option<(usize, usize)> {
        let verb = self.before(figure.start)?;
        let is_free = !self.items[verb].used && !self.breaks(figure.start);
        let word = self.lower(verb);
        let (_, adjective) = VERBS.iter().find(|(known, _)| *known == word && is_free)?;

        let entry = self
            .vocabulary
            .longest_at(|k| (k == 0).then_some(*adjective));
        let concepts = entry
            .and_then(|(entry, _)| entry.degree.as_ref())?
            .concepts
            .clone();
        let said = self.said(verb, figure.end).to_owned();
        match self.measured_by(&concepts, &said) {
            Some((field, false)) => Some((verb, field)),
            _ => None,
        }
    }

    /// Returns whether a field may be in the unit of a figure.
    fn takes(&self, field: usize, figure: &Figure) -> bool {
        let own = self.field(field).unit;
        let units = figure.unit.zip(own);
        units.is_none_or(|(said, own)| said.dimension == own.dimension)
    }

    /// Returns the item before a figure that is the whole name of a quantity.
    fn named_before(&self, figure: usize) -> Option<usize> {
        let links = [Role::Of, Role::Stop, Role::Is, Role::With];
        let place = (0..figure).rev().find(|at| !self.has_any(*at, &links))?;
        let is_named = |field: usize| {
            let mut names = self.items[place].fields.iter();
            names.any(|found| found.field == field && found.is_full)
        };
        let is_free = !self.items[place].used && !self.breaks(figure);
        let field = self.peek(place, |r, f| r.is_quantity(f) && is_named(f));
        field.filter(|_| is_free).map(|_| place)
    }

    /// Returns the only field of some concepts whose range has a number.
    fn sized_like(&self, figure: &Figure, concepts: &[String]) -> Option<usize> {
        let is_sized = |field: &usize| {
            let range = self.field(*field).facts.range.as_ref();
            let within = range.and_then(|(low, high)| {
                Some((low.as_f64()?..=high.as_f64()?).contains(&figure.low))
            });
            self.is_quantity(*field) && within == Some(true)
        };
        let fields = concepts
            .iter()
            .flat_map(|concept| self.schema.with_concept(concept));
        let mut sized: Vec<usize> = fields.map(|(field, _)| *field).filter(is_sized).collect();
        sized.sort_unstable();
        sized.dedup();
        match sized[..] {
            [only] => Some(only),
            _ => None,
        }
    }

    /// Returns the fields whose names say a unit of a concept.
    pub(crate) fn with_unit_of(&self, concept: &str) -> Vec<usize> {
        let dimension = match concept {
            "duration" => "time",
            "weight" => "mass",
            "length" | "height" | "distance" | "depth" | "width" => "length",
            "speed" => "speed",
            "price" => "money",
            _ => return Vec::new(),
        };
        let has_unit = |field: &usize| {
            self.field(*field)
                .unit
                .is_some_and(|unit| unit.dimension.starts_with(dimension))
        };

        (0..self.schema.fields.len())
            .filter(|f| self.is_quantity(*f))
            .filter(has_unit)
            .filter(|field| !self.is_rate(*field))
            .collect()
    }

    /// Returns whether a field is called a rate, such as `hourly_rate`, which says no duration.
    pub(crate) fn is_rate(&self, field: usize) -> bool {
        let mut words = self.field(field).words.iter();
        words.any(|word| matches!(word.lower.as_str(), "rate" | "per"))
    }

    /// Returns the quantities whose names say a unit of the same dimension.
    pub(crate) fn with_unit(&self, unit: Option<Unit>) -> Vec<usize> {
        let Some(unit) = unit else {
            return Vec::new();
        };
        let is_alike = |field: &usize| {
            self.field(*field)
                .unit
                .is_some_and(|own| own.dimension == unit.dimension)
        };
        (0..self.schema.fields.len())
            .filter(|field| self.is_quantity(*field))
            .filter(is_alike)
            .collect()
    }

    /// Returns whether a field holds fractions of one.
    pub(crate) fn is_fraction(&self, field: usize) -> bool {
        let range = self.field(field).facts.range.as_ref();
        range.is_some_and(|(low, high)| {
            low.as_f64().is_some_and(|low| low >= -1.0)
                && high.as_f64().is_some_and(|high| high <= 1.0)
        })
    }

    /// Returns the age of people, where a bare `over 65` can mean it.
    pub(crate) fn age_meant(&mut self, figure: &Figure) -> Option<usize> {
        let is_open = matches!(
            figure.sign,
            Some(Sign::Above | Sign::AtLeast | Sign::Below | Sign::AtMost)
        ) || figure.high.is_some();
        let is_sized = figure.unit.is_none() && (1.0..=120.0).contains(&figure.low);
        if !is_open || !is_sized {
            return None;
        }
        let (field, is_time) = self.measured_by(&["age".to_owned()], "age")?;
        let is_named = self
            .field(field)
            .words
            .iter()
            .filter(|word| !word.is_filler)
            .count()
            == 1;
        (!is_time && is_named).then_some(field)
    }

    /// Returns the only number of the data, where it may be what a figure says: the score of *ended
    /// with a perfect 100*. Another number may be meant.
    pub(crate) fn only_number(&self, figure: &Figure) -> Option<usize> {
        let is_number = |field: &usize| {
            let facts = self.field(*field);
            self.is_quantity(*field) && facts.years.is_none()
        };
        // `season 7` is of seasons.
        let before = self.before(figure.start);
        let is_label = before.is_some_and(|before| !self.items[before].fields.is_empty());
        if is_label && figure.sign == Some(Sign::Equal) {
            return None;
        }

        let mut numbers = (0..self.schema.fields.len()).filter(is_number);
        let only = numbers.next().filter(|_| numbers.next().is_none())?;
        let range = self.field(only).facts.range.as_ref()?;
        let (low, high) = (range.0.as_f64()?, range.1.as_f64()?);
        let is_whole = figure.sign.is_some() && figure.unit.is_none() && figure.high.is_none();
        (is_whole && (low..=high).contains(&figure.low)).then_some(only)
    }

    /// Returns the only number of people that a field holds, where people are counted: `more than
    /// a million people`.
    pub(crate) fn people_meant(&self, figure: &Figure) -> Option<usize> {
        let says_people = matches!(self.lower(figure.end), "people" | "persons" | "individuals");
        let counts_people = |field: &usize| {
            let mut words = self.field(*field).words.iter();
            self.is_quantity(*field) && words.any(|word| COUNTED.contains(&word.lower.as_str()))
        };
        let mut fields = (0..self.schema.fields.len()).filter(counts_people);
        let field = fields.next().filter(|_| says_people)?;
        fields.next().is_none().then_some(field)
    }

    /// Returns whether an item names a field that is measured.
    pub(crate) fn is_measure(&self, at: usize) -> bool {
        self.items[at].fields.iter().any(|found| {
            self.out
                .measures
                .iter()
                .any(|measure| measure.field == self.name(found.field))
        })
    }
}
