//! Reads numbers: how they compare, in which unit, and which field they measure.

pub(crate) mod computed;
pub(crate) mod figure;
pub(crate) mod having;
pub(crate) mod labelled;
pub(crate) mod measured;
pub(crate) mod signs;

use crate::data::task::FieldKind;
use crate::question::lexicon::is_plural;
use crate::question::read::cut::field::NameWord;
use crate::question::read::cut::items::Fit;
use crate::question::read::quantities::figure::{Figure, opposite};
use crate::question::read::reader::{Reader, number};
use crate::question::read::words::units::{Unit, convert};
use crate::question::read::words::vocabulary::Role;
use crate::question::reading::{Candidate, Outcome, Sign};
use serde_json::json;

/// Words that open a question that is not answered by yes or no.
const QUESTION_WORDS: &[Role] = &[
    Role::Which,
    Role::What,
    Role::Who,
    Role::Where,
    Role::When,
    Role::HowMany,
    Role::HowMuch,
    Role::How,
    Role::Show,
];

/// How many times a year is below all values of a field that holds no years.
const FAR: f64 = 1_000.0;

/// The concepts of fields that a unit measures.
pub(crate) fn unit_concepts(unit: Unit) -> &'static [&'static str] {
    match unit.dimension {
        "mass" => &["weight"],
        "length" => &["length", "height", "distance", "depth", "width"],
        "time" => &["duration", "time"],
        "speed" => &["speed", "wind"],
        "money:usd" | "money:eur" | "money:gbp" | "money:other" => &[
            "price", "budget", "revenue", "salary", "income", "amount", "bill", "sales",
        ],
        "celsius" | "fahrenheit" => &["temperature"],
        "years" => &["age"],
        "power" => &["horsepower"],
        "stars" => &["rating"],
        _ => &[],
    }
}

impl Reader<'_, '_, '_> {
    pub(crate) fn read_numbers(&mut self) {
        let mut at = 0;
        while at < self.len() {
            let is_number = self.items[at].number.is_some() && !self.items[at].used;
            at = if is_number {
                self.read_number(at).max(at + 1)
            } else {
                at + 1
            };
        }
    }

    /// Reads a number and returns where reading continues.
    fn read_number(&mut self, at: usize) -> usize {
        let Some(figure) = self.figure(at) else {
            return at + 1;
        };

        // A word such as `one` counts nothing, and a value of a category is read with its field.
        let is_word = !self.tokens[self.items[at].start].is_number();
        let is_bare = figure.sign == Some(Sign::Equal) && figure.high.is_none();
        if is_word && is_bare && figure.low <= 1.0 {
            return figure.end;
        }
        let is_unsigned = figure.sign.is_none() && figure.high.is_none();
        if (is_bare || is_unsigned) && figure.unit.is_none() && self.counts_named_things(at) {
            let said = self.said(at, at + 1).to_owned();
            let note = format!("“{said}” says how many things are named");
            self.out.notes.push(note);
            self.take(at, at + 1);
            return figure.end;
        }
        if !self.items[at].values.is_empty() && self.reads_as_value(at) {
            return at + 1;
        }

        let measured = self.measured(at, &figure);
        // `how many deaths were there 2010`: a bare number is not a condition on a computed one.
        let is_computed = is_bare
            && measured.is_some_and(|(_, from, to)| {
                (from..to).any(|place| self.items[place].used && self.is_measure(place))
            });
        let is_outside = measured.is_some_and(|(field, ..)| {
            let range = self.field(field).facts.range.as_ref();
            let high = range.and_then(|(_, high)| high.as_f64());
            high.is_some_and(|high| figure.low > high) && self.field(field).years.is_none()
        });
        // `created in 2025` of a column of seconds: such a number says no year.
        let is_far_below = is_bare
            && self.items[at].moment.is_some()
            && measured.is_some_and(|(field, ..)| {
                let range = self.field(field).facts.range.as_ref();
                let low = range.and_then(|(low, _)| low.as_f64());
                low.is_some_and(|low| figure.low * FAR < low)
            });
        if is_far_below {
            let said = self.said(figure.start, figure.end).to_owned();
            self.refused(&said, "no value of the field is near it");
            self.take(figure.start, figure.end);
            return figure.end;
        }
        let is_time = self.items[at].moment.is_some()
            && self.time_is_meant(at, measured.is_some() && !is_computed && !is_outside);
        if is_time {
            return at + 1;
        }
        // `bakers over 60` of a table with a number called `star_baker` that is never so high.
        let is_other = is_outside
            && measured.is_some_and(|found| !self.is_meant(&figure, found))
            && self.age_meant(&figure).is_some();
        match measured.filter(|_| !is_other) {
            Some((field, from, to)) => self.apply_number(&figure, field, from, to),
            None => self.read_unmeasured(&figure, at),
        }
    }

    /// Returns whether a field that is never as high as a number is meant by it all the same: it is
    /// named in full, or is in thousands or millions.
    fn is_meant(&self, figure: &Figure, (field, from, to): (usize, usize, usize)) -> bool {
        let mut names = self.items[from..to].iter().flat_map(|item| &item.fields);
        let is_named = names.any(|found| found.field == field && found.is_full);
        is_named
            || figure
                .factor
                .is_some_and(|factor| self.is_in_multiples(field, figure.low, factor))
    }

    /// Reads a number that no field next to it measures: a code, a year within values, an age, the
    /// only number of the data, or a number of records.
    fn read_unmeasured(&mut self, figure: &Figure, at: usize) -> usize {
        let said = self.said(figure.start, figure.end).to_owned();
        let is_count = self.out.measures.is_empty()
            && self.is_yes_no()
            && self
                .items
                .get(figure.end)
                .is_some_and(|item| item.is_open() || item.has(Role::Generic));
        // A code in digits, such as a postcode, is a value of a field of texts.
        let is_code = figure.sign == Some(Sign::Equal) && figure.high.is_none();
        if is_code && self.read_label(figure, at) {
            return at + 1;
        }
        let own = self.said(at, at + 1).to_owned();
        // `de 2011` is in 2011.
        let is_in = is_code || self.has(figure.start, Role::From) && figure.high.is_none();
        if is_in && self.read_year_in_text(figure, at, &own) {
            return figure.end;
        }
        if is_in && self.is_code_of_text(at, &own) {
            return at + 1;
        }

        if !is_count && let Some(field) = self.age_meant(figure) {
            let name = self.name(field).to_owned();
            self.out.notes.push(format!("“{said}” is read as {name}"));
            return self.apply_number(figure, field, figure.start, figure.end);
        }
        // `above 6 in 1990` of a table with a column for each year.
        if let Some((place, field)) = self.year_column_named().filter(|_| !is_code) {
            self.take(place, place + 1);
            return self.apply_number(figure, field, figure.start, figure.end);
        }
        if let Some(field) = self.people_meant(figure).filter(|_| !is_count) {
            let end = figure.end + 1;
            return self.apply_number(figure, field, figure.start, end);
        }
        let is_word = !self.tokens[self.items[at].start].is_number();
        if let Some(field) = self.only_number(figure).filter(|_| !is_word && !is_count) {
            let name = self.name(field).to_owned();
            self.out.notes.push(format!("“{own}” is read as {name}"));
            self.condition(&said, Outcome::Ambiguous { fields: vec![name] });
            return self.apply_number(figure, field, figure.start, figure.end);
        }

        let counts_records = self.out.measures.is_empty()
            && self.items.get(figure.end).is_some_and(|item| {
                let is_name = item
                    .fields
                    .first()
                    .is_some_and(|found| found.is_full && self.schema.is_unique(found.field));
                let is_noun = item.has(Role::Generic) || item.looked_up.is_some();
                item.is_open() || is_noun || is_name
            });
        if let Some(sign) = figure.sign.filter(|sign| *sign != Sign::Equal)
            && figure.high.is_none()
            && counts_records
            && self.read_having_count(figure, sign)
        {
            let field = String::new();
            self.condition(&said, Outcome::Applied { field });
            self.take(figure.start, figure.end);
            return figure.end;
        }
        match figure.sign {
            Some(sign) if is_count && figure.high.is_none() && sign != Sign::Equal => {
                self.asked.threshold = Some((sign, figure.low));
                self.condition(
                    &said,
                    Outcome::Applied {
                        field: String::new(),
                    },
                );
            }
            _ => self.refused(&said, "no field says what this number measures"),
        }
        self.take(figure.start, figure.end);
        figure.end
    }

    /// Returns whether a small number only says how many things a question names: *the two coffee
    /// prices*, but not *the 3 bedroom houses* of a field with such numbers.
    fn counts_named_things(&self, at: usize) -> bool {
        const MOST: f64 = 20.0;
        /// Words for the things at most.
        const WORDS: usize = 3;
        let number = self.items[at].number.unwrap_or_default();
        let is_few = number.fract() == 0.0 && (2.0..=MOST).contains(&number);
        let is_definite = at > 0 && self.has(at - 1, Role::Definite) && !self.breaks(at);

        let names = |place: &usize| {
            let item = &self.items[*place];
            let is_word = item.roles.is_empty() || item.has_any(&[Role::Generic, Role::Light]);
            is_word && item.number.is_none() && !self.breaks(*place)
        };
        let end = self.len().min(at + 1 + WORDS);
        let Some(last) = (at + 1..end).take_while(names).last() else {
            return false;
        };
        let is_things = is_plural(&self.tokens[self.items[last].end - 1].lower);
        let holds = |r: &Self, field: usize| {
            let range = r.field(field).facts.range.as_ref();
            let bounds = range.and_then(|(low, high)| low.as_f64().zip(high.as_f64()));
            r.is_quantity(field) && bounds.is_some_and(|(low, high)| (low..=high).contains(&number))
        };
        // `the two coffee prices` where two fields are called so.
        let are_all = self.items[at + 1].fields.len() as f64 == number;
        is_few && is_definite && is_things && (are_all || self.peek(at + 1, holds).is_none())
    }

    /// Reads a year that begins or ends the texts of a field, such as `2005 Q1`, as the data source
    /// said.
    fn read_year_in_text(&mut self, figure: &Figure, at: usize, said: &str) -> bool {
        /// Letters of such a value at most.
        const LONGEST: usize = 12;
        let is_year = self.items[at]
            .moment
            .is_some_and(|moment| moment.is_bare_year());
        let entry = self.items[at].looked_up.filter(|_| is_year);
        let found = entry.map_or(&[][..], |entry| &self.found.entries[entry].candidates);
        let Some(first) = found.first() else {
            return false;
        };
        let has_year = |one: &Candidate| {
            let text = Self::plain(&one.value);
            let is_at_end = text.starts_with(said) || text.ends_with(said);
            one.field == first.field && is_at_end && text.chars().count() <= LONGEST
        };
        let field = self
            .field_named(&first.field)
            .filter(|_| found.iter().all(has_year));
        let Some(field) = field.filter(|field| self.kind(*field) == FieldKind::Text) else {
            return false;
        };

        self.add_part(field, "contains", json!(said));
        self.note_filter(at, said, field);
        let opens = at
            .checked_sub(1)
            .filter(|before| self.has(*before, Role::In));
        self.take(opens.unwrap_or(figure.start.min(at)), figure.end);
        true
    }

    /// Returns whether a number that measures nothing is a value of a field of texts, as the data
    /// source said; until it was asked, the number is to be looked up.
    fn is_code_of_text(&mut self, at: usize, said: &str) -> bool {
        /// Digits of a code.
        const SHORTEST: usize = 3;
        let digits = said.chars().filter(char::is_ascii_digit).count();
        if digits < SHORTEST || digits != said.chars().count() {
            return false;
        }

        match self.items[at].looked_up {
            Some(_) => self.items[at]
                .values
                .iter()
                .any(|value| value.fit == Fit::Whole),
            None => {
                if !self.out.further.iter().any(|text| text == said) {
                    self.out.further.push(said.to_owned());
                }
                false
            }
        }
    }

    /// Returns whether a number is the value of a category whose field is named next to it.
    fn reads_as_value(&self, at: usize) -> bool {
        self.items[at].values.iter().any(|value| {
            (at.saturating_sub(2)..=at + 1).any(|place| {
                self.items
                    .get(place)
                    .is_some_and(|item| item.fields.iter().any(|found| found.field == value.field))
            })
        })
    }

    pub(crate) fn is_yes_no(&self) -> bool {
        let first = self.opener();
        // `I was wondering how many …`
        let counts = (0..self.len().min(8)).any(|at| {
            self.has_any(at, &[Role::HowMany, Role::HowMuch]) && self.lower(at).starts_with("how")
        });
        if counts {
            return false;
        }
        // The first words may be function words.
        let from = if first < 3 { 0 } else { first };
        let asks = (from..self.len().min(from + 3)).any(|at| self.has_any(at, QUESTION_WORDS));
        // `any smallpox in 1935?`
        let is_any = self.lower(0) == "any" && self.question.trim_end().ends_with('?');
        self.has(first, Role::Is)
            || is_any && !asks
            || (!asks && (0..self.len()).any(|at| self.has(at, Role::Inverted)))
            || (!asks && self.out.test.is_some())
    }

    /// Returns whether a field may hold numbers of years.
    fn holds_ages(&self, field: usize) -> bool {
        const CONCEPTS: [&str; 7] = [
            "age",
            "year",
            "duration",
            "life",
            "expectancy",
            "date",
            "time",
        ];

        let words = &self.field(field).words;
        let says = |word: &NameWord| {
            let own = ["tenure", "experience", "since", "term", "served", "service"];
            word.concepts
                .iter()
                .any(|concept| CONCEPTS.contains(concept))
                || own.contains(&word.lower.as_str())
        };
        words.iter().any(says) || self.field(field).years.is_some()
    }

    /// Takes the words between a field and its number, but for values of other fields: *Finance*
    /// of `the rate in Finance above 6`.
    fn take_around_values(&mut self, from: usize, end: usize, field: usize) {
        for at in from..end {
            let item = &self.items[at];
            let is_value = item.fields.is_empty()
                && item.values.iter().any(|value| {
                    value.field != field
                        && !value.needs_field
                        && matches!(value.fit, Fit::Whole | Fit::OtherName)
                });
            if !is_value {
                self.take(at, at + 1);
            }
        }
    }

    fn apply_number(&mut self, figure: &Figure, field: usize, from: usize, to: usize) -> usize {
        let (from, to) = (from.min(figure.start), to.max(figure.end));
        let said = self.said(from, to).to_owned();
        let end = to;

        let factor = figure
            .factor
            .filter(|factor| self.is_in_multiples(field, figure.low, *factor));
        let [first, last] =
            [Some(figure.low), figure.high].map(|value| Some(value? / factor.unwrap_or(1.0)));
        if let Some(first) = first.filter(|_| factor.is_some()) {
            let note = format!(
                "“{said}” is read as {first}: {} has no such numbers",
                self.name(field)
            );
            self.out.notes.push(note);
        }

        let own = self.field(field).unit;
        let written = |value: f64| match (figure.unit, own) {
            (Some(unit), Some(own)) if unit.dimension == own.dimension => convert(value, unit, own),
            (Some(unit), Some(own)) => convert(value, unit, own),
            (Some(unit), None) if unit.dimension == "percent" && self.is_fraction(field) => {
                Some((value * 1e7).round() / 1e9)
            }
            (Some(unit), None) if unit.dimension == "years" && !self.holds_ages(field) => None,
            (Some(unit), None) => {
                let is_count = matches!(
                    unit.dimension,
                    "years" | "days" | "stars" | "power" | "carat" | "percent"
                ) || unit.dimension.starts_with("money");
                let range = self.field(field).facts.range.as_ref();
                let is_within = range.is_some_and(|(low, high)| {
                    low.as_f64()
                        .zip(high.as_f64())
                        .is_some_and(|(low, high)| (low..=high).contains(&value))
                });
                (is_count || is_within).then_some(value)
            }
            (None, _) => Some(value),
        };
        let (Some(low), high) = (first.and_then(written), last.map(written)) else {
            let why = format!(
                "{} does not say its unit, or one of another kind",
                self.name(field)
            );
            self.refused(&said, &why);
            self.take(from, end);
            return end;
        };
        if figure.unit.is_some_and(|unit| {
            own.is_none() && matches!(unit.dimension, "mass" | "length" | "time" | "speed")
        }) {
            let note = format!(
                "{} does not say its unit; “{said}” is taken as written",
                self.name(field)
            );
            self.out.notes.push(note);
        }
        let Some(mut sign) = figure.sign else {
            self.refused(&said, "it names no bounds");
            self.take(from, end);
            return end;
        };

        // A comparison of a measure is what a yes-no question tests.
        let is_measured = (from..to).any(|at| self.items[at].used && self.is_measure(at));
        if is_measured {
            if self.is_yes_no() && high.is_none() {
                self.asked.threshold = Some((sign, low));
                self.applied(&said, field);
            } else if high.is_none() && self.read_having(field, sign, low) {
                self.applied(&said, field);
            } else {
                self.refused(
                    &said,
                    "a condition on a computed number of each group cannot be applied",
                );
            }
            self.take(figure.start, end);
            return end;
        }

        // Years: `older than` means an earlier year.
        let is_years = self.field(field).years.is_some();
        if is_years && figure.concepts.iter().any(|concept| concept == "age") {
            sign = mirrored(sign);
        }
        let denies = |at: usize| self.has_any(at, &[Role::Not, Role::Without]);
        let is_denied =
            (from..to).any(|at| self.negated[at]) || from.checked_sub(1).is_some_and(denies);
        if let Some(before) = from
            .checked_sub(1)
            .filter(|before| self.has(*before, Role::Without))
        {
            self.take(before, before + 1);
        }
        match high.flatten() {
            Some(high) => {
                self.add_part(field, "gte", number(low.min(high)));
                self.add_part(field, "lte", number(low.max(high)));
            }
            None => self.add_sign(field, if is_denied { opposite(sign) } else { sign }, low),
        }
        self.applied(&said, field);
        let gives = format!("a condition on {}", self.name(field));
        self.derive(&said, &gives);
        let name = self.name(field).to_owned();
        self.asked.filter_items.push((figure.start, name));
        self.take_around_values(from, figure.start, field);
        self.take(figure.start, end);
        end
    }

    /// Returns whether a field is in thousands or millions although its name does not say so: its
    /// numbers are far below a number that is said to be so many, and not below that many of them.
    fn is_in_multiples(&self, field: usize, number: f64, factor: f64) -> bool {
        /// How far a bound may be from the numbers of the field.
        const FAR: f64 = 10.0;
        let range = self.field(field).facts.range.as_ref();
        let highest = range.and_then(|(_, high)| high.as_f64());
        highest.is_some_and(|highest| {
            let is_far = number > highest * FAR && factor > FAR;
            is_far && number / factor <= highest * FAR && highest > 0.0
        })
    }

    pub(crate) fn add_sign(&mut self, field: usize, sign: Sign, value: f64) {
        let value = number(value);
        match sign {
            Sign::Equal => self.add_value(field, value),
            Sign::Different => self.add_part(field, "not", value),
            Sign::Above => self.add_part(field, "gt", value),
            Sign::AtLeast => self.add_part(field, "gte", value),
            Sign::Below => self.add_part(field, "lt", value),
            Sign::AtMost => self.add_part(field, "lte", value),
        }
    }

    /// Reads signs of comparison that no number follows: they are not applied.
    pub(crate) fn refuse_comparisons(&mut self) {
        for at in 0..self.len() {
            let item = &self.items[at];
            if item.used
                || !item.has_any(&[Role::AtLeast, Role::AtMost])
                || item.has_any(&[Role::Light, Role::In])
            {
                continue;
            }
            let said = self.said(at, at + 1).to_owned();
            self.refused(&said, "no number belongs to this comparison");
            self.take(at, at + 1);
        }
    }
}

/// Returns the comparison with less for more.
pub(crate) fn mirrored(sign: Sign) -> Sign {
    match sign {
        Sign::Above => Sign::Below,
        Sign::AtLeast => Sign::AtMost,
        Sign::Below => Sign::Above,
        Sign::AtMost => Sign::AtLeast,
        other => other,
    }
}
