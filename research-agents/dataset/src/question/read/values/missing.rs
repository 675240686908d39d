//! Reads missing and known values: `missing X`, `without X`, `no X` and `with a known X`.

use serde_json::{Value, json};

use crate::data::task::FieldKind;
use crate::question::read::reader::Reader;
use crate::question::read::words::vocabulary::{Grade, Role};

/// Words for *no* before a noun.
const NO: &[&str] = &[
    "no", "kein", "keine", "keinen", "pas", "aucun", "aucune", "sin", "ningun", "ninguna",
    "nessun", "nessuna", "sem", "nenhum", "nenhuma",
];

/// Words for *never* and *no one*.
const NEVER: &[&str] = &[
    "never", "nobody", "nothing", "nie", "niemals", "niemand", "jamais", "personne", "nunca",
    "nadie", "jamas", "mai", "nessuno", "ninguem",
];

/// Words for *a single one*, after a denial.
const SINGLE: &[&str] = &[
    "single", "any", "einzige", "einziges", "einzigen", "seul", "seule", "nada", "solo", "sola",
    "unico", "unica",
];

/// Values that say that there is nothing of what their field is about.
const ABSENCES: &[&str] = &[
    "nil", "no", "none", "nothing", "keine", "aucun", "ninguno", "nessuno",
];

/// Values that say that a value is unknown.
const UNKNOWN: [&str; 7] = [
    "unknown",
    "not known",
    "unspecified",
    "unbekannt",
    "inconnu",
    "desconocido",
    "sconosciuto",
];

impl Reader<'_, '_, '_> {
    /// Reads `missing X`, `X is unknown`, `without X`, `no X` and `with a known X`.
    pub(crate) fn read_missing(&mut self) {
        for at in 0..self.len() {
            if self.items[at].used {
                continue;
            }

            if self.has(at, Role::Missing) {
                self.read_missing_word(at);
            } else if self.has(at, Role::Not) && self.read_none_of(at) {
                // None of what a field counts.
            } else if self.has(at, Role::Without) || self.is_no(at) {
                self.read_without(at);
            } else if self.has(at, Role::Not) {
                self.read_not_done(at);
            } else if self.has(at, Role::Present) {
                self.read_present(at);
            } else if self.has(at, Role::With) {
                self.read_with(at);
            }
        }
    }

    /// Returns whether an item is `not` directly before a field, as in `no stops`.
    fn is_no(&self, at: usize) -> bool {
        // `não têm código`, `n'ont pas de nom`: the verb may be between.
        let has = self.skip_roles(at + 1, &[Role::Is, Role::Stop, Role::Of]);
        let is_lacking = |r: &Self, f: usize| {
            r.field(f).truth.is_none() && r.field(f).facts.missing.is_some_and(|n| n > 0)
        };

        let has_between = (at + 1..has).any(|place| self.has(place, Role::Is));
        let is_before = at.checked_sub(1).is_some_and(|is| self.has(is, Role::Is));
        if self.has(at, Role::Not)
            && self.vocabulary.code != "en"
            && (has_between || is_before)
            && self.peek(has, is_lacking).is_some()
            && self.items[has].values.is_empty()
        {
            return true;
        }
        self.has(at, Role::Not)
            && self.items.get(at + 1).is_some_and(|next| {
                let names_field = self.peek(at + 1, |r, f| r.field(f).truth.is_none());
                let is_value = matches!(self.lower(at + 1), "value" | "values" | "data");
                next.values.is_empty() && (names_field.is_some() || is_value)
            })
            && NO.contains(&self.lower(at))
    }

    fn near_field(&self, at: usize) -> Option<usize> {
        // After the word: `missing ages`; before it: `whose age is unknown`.
        let fits = |place: usize| {
            self.items[place]
                .fields
                .first()
                .is_some_and(|_| !self.items[place].used)
        };
        let links = [
            Role::Stop,
            Role::Of,
            Role::In,
            Role::Generic,
            Role::To,
            Role::HowMany,
            Role::HowMuch,
        ];
        let after = self.skip_roles(at + 1, &links);
        if after < self.len() && !self.breaks(after) && fits(after) {
            return Some(after);
        }
        // `is not known, in which year they opened`
        let asking = [Role::In, Role::Which, Role::What, Role::When];
        let asked = self.skip_roles(after, &[&links[..], &asking].concat());
        let is_asked = after < self.len() && self.gap(after).trim() == ",";
        if is_asked && self.has_any(after, &asking) && asked < self.len() && fits(asked) {
            return Some(asked);
        }
        let mut before = at;

        while let Some(place) = before.checked_sub(1) {
            if fits(place) {
                return Some(place);
            }
            let item = &self.items[place];
            if self.breaks(before)
                || !item.has_any(&[
                    Role::Is,
                    Role::Stop,
                    Role::Of,
                    Role::Not,
                    Role::Light,
                    Role::Generic,
                ])
            {
                return None;
            }
            before = place;
        }
        None
    }

    fn read_missing_word(&mut self, at: usize) {
        let column = || self.year_column_named().map(|(place, _)| place);
        let Some(place) = self.near_field(at).or_else(column) else {
            // A value such as `Unknown` of a field may be meant.
            if self.items[at].values.is_empty() && !self.has_any(at, &[Role::Light]) {
                let said = self.said(at, at + 1).to_owned();
                self.refused(&said, "no field is named whose values are missing");
                self.take(at, at + 1);
            }
            return;
        };
        // Of several numbers, one that lacks values is meant.
        let lacks = |r: &Self, field: usize| {
            r.is_quantity(field) && r.field(field).facts.missing.unwrap_or_default() > 0
        };
        let is_whole = |r: &Self, field: usize| {
            r.field(field).truth.is_none() && r.field(field).facts.missing == Some(0)
        };
        let best = self.peek(place, |_, _| true);
        let lacking = best.filter(|field| is_whole(self, *field));
        let lacking = lacking.and_then(|_| self.choose(place, lacks));
        let Some(field) = lacking.or_else(|| self.choose(place, |_, _| true)) else {
            return;
        };

        let (start, end) = (at.min(place), at.max(place) + 1);
        let said = self.said(start, end).to_owned();
        let own = self.items[at]
            .values
            .iter()
            .find(|value| value.field == field)
            .cloned();
        let is_denied = self.negated[at] || self.negated[place];
        // What is missing of a truth value that every record has is not so.
        let facts = self.field(field);
        let truth = facts
            .truth
            .clone()
            .filter(|_| facts.facts.missing.unwrap_or_default() == 0);
        // `is not known` of a field with a value `unknown`.
        let listed = facts.facts.values.iter().find(|value| {
            let value = Self::plain(value).to_lowercase();
            UNKNOWN.contains(&value.as_str()) && facts.facts.missing.unwrap_or_default() == 0
        });
        let listed = listed.cloned();
        match (own, truth) {
            (None, None) if listed.is_some() => {
                let value = listed.unwrap_or_default();
                if is_denied {
                    self.add_part(field, "not", value);
                } else {
                    self.add_value(field, value);
                }
            }
            (Some(value), _) if is_denied => self.add_part(field, "not", value.value),
            (Some(value), _) => self.add_value(field, value.value),
            (None, Some((yes, no))) => self.add_value(field, if is_denied { yes } else { no }),
            _ => self.add_part(field, "missing", json!(!is_denied)),
        }
        self.note_filter(start, &said, field);
        self.take(start, end);
    }

    fn read_without(&mut self, at: usize) {
        // `have no value for wk20`, `without any data on income`
        let links = [Role::Stop, Role::Of, Role::All, Role::Present, Role::Is];
        let mut place = self.skip_roles(at + 1, &links);
        // `do not have a single computer`, `no tienen nada de azúcar`
        if SINGLE.contains(&self.lower(place)) && self.items[place].values.is_empty() {
            place = self.skip_roles(place + 1, &links);
        }
        // `no gas guzzlers`, `without a shirt number`: a word may come between.
        let next = place + 1;
        let is_named = |r: &Self, field: usize| {
            let mut names = r.items[next].fields.iter();
            let is_full = names.any(|found| found.field == field && found.is_full);
            r.field(field).truth.is_some() || is_full
        };
        let is_word = self.items.get(place).is_some_and(|item| {
            item.is_open()
                || item.looked_up.is_some() && item.fields.is_empty() && item.values.is_empty()
        });
        if is_word && next < self.len() && !self.breaks(next) && self.peek(next, is_named).is_some()
        {
            self.take(place, next);
            place = next;
        }
        let is_value = place < self.len()
            && matches!(
                self.lower(place),
                "value" | "values" | "data" | "information" | "info" | "entry" | "record"
            );
        let place = match is_value {
            true => self.skip_roles(place + 1, &[Role::Stop, Role::Of, Role::In, Role::About]),
            false => place,
        };
        let place = self.lacking_behind(place).unwrap_or(place);
        if place >= self.len()
            || !self.items[place].values.is_empty() && self.items[place].fields.is_empty()
        {
            // `without Adelie` denies a value.
            if place < self.len() {
                self.negated[place] = true;
                self.take(at, at + 1);
            }
            return;
        }
        let Some(field) = self.choose(place, |_, _| true) else {
            if place < self.len() && (self.items[place].is_open() || self.items[place].is_quoted) {
                self.negated[place] = true;
                self.take(at, at + 1);
            }
            return;
        };

        self.lack(field, at, place + 1);
        // `no children or babies`
        let other = self.skip_roles(place + 2, &links);
        let joins = self.has_any(place + 1, &[Role::Or]) && other < self.len();
        if joins && let Some(field) = self.peek(other, |r, field| r.lacks_by_zero(field)) {
            self.lack(field, other, other + 1);
            self.take(place + 1, other);
        }
    }

    /// Returns the item that names a field with missing values behind an unknown word: the *title*
    /// of `job title`, for a field `emp_title`.
    fn lacking_behind(&self, place: usize) -> Option<usize> {
        let item = self.items.get(place)?;
        let behind = place + 1;
        let is_lacking = |r: &Self, field: usize| {
            r.field(field).truth.is_none() && r.field(field).facts.missing.is_some_and(|n| n > 0)
        };
        let is_unknown = item.fields.is_empty() && item.roles.is_empty() && !item.is_quoted;
        let is_whole = item.values.iter().any(|value| !value.needs_field);
        let names = behind < self.len()
            && !self.breaks(behind)
            && self.gap(behind) == " "
            && self.items[behind].values.is_empty()
            && self.peek(behind, is_lacking).is_some();
        (is_unknown && !is_whole && names).then_some(behind)
    }

    /// Selects the records that have nothing of what a field is about, as items of the question
    /// say.
    fn lack(&mut self, field: usize, start: usize, end: usize) {
        let said = self.said(start, end).to_owned();
        let facts = self.field(field).facts;
        let absent = self.absence(field);
        let truth = self.field(field).truth.clone();
        let zero = self.lacks_by_zero(field) && facts.missing.is_none_or(|missing| missing == 0);
        match (truth, absent) {
            (Some((_, no)), _) => self.add_value(field, no),
            (None, Some(value)) => self.add_value(field, value),
            (None, None) if zero => self.add_value(field, json!(0)),
            (None, None) => self.add_part(field, "missing", json!(true)),
        }
        self.note_filter(start, &said, field);
        self.take(start, end);
    }

    /// Returns the value of a field that says that there is nothing, such as *None*.
    fn absence(&self, field: usize) -> Option<Value> {
        let mut values = self.field(field).facts.values.iter();
        let says_nothing = |value: &&Value| {
            let called = Self::plain(value).to_lowercase();
            ABSENCES.contains(&called.as_str())
        };
        values.find(says_nothing).cloned()
    }

    /// Selects the records that have something of what a field is about.
    pub(crate) fn require(&mut self, field: usize) {
        match self
            .absence(field)
            .filter(|_| self.field(field).truth.is_none())
        {
            Some(nothing) => self.add_part(field, "not", nothing),
            None => self.add_part(field, "missing", json!(false)),
        }
    }

    /// Returns whether zero is the least number of a field.
    pub(crate) fn lacks_by_zero(&self, field: usize) -> bool {
        let facts = self.field(field).facts;
        let low = facts.range.as_ref().and_then(|(low, _)| low.as_f64());
        facts.kind == FieldKind::Number && low == Some(0.0)
    }

    /// Reads `has never scored`, `no one died`, `did not win a single game`: none of what a field
    /// counts.
    fn read_none_of(&mut self, at: usize) -> bool {
        let counts = |r: &Self, field: usize| {
            r.lacks_by_zero(field) && r.field(field).truth.is_none() && !r.is_intensive(field)
        };
        let verb = self.skip_roles(at + 1, &[Role::Stop, Role::Of, Role::Is]);
        let is_single = |at: usize| SINGLE.contains(&self.lower(at));
        let single = (at + 1..(at + 5).min(self.len())).find(|at| is_single(*at));
        let single = single.filter(|single| (at + 1..=*single).all(|at| !self.breaks(at)));
        let is_phrase = self.items[at].end > self.items[at].start + 1;
        let is_never = NEVER.contains(&self.lower(at)) || is_phrase && self.lower(at) == "no";
        let says_verb = self.has(verb, Role::Light) && !self.breaks(verb);
        if single.is_none() && !is_never && !says_verb {
            return false;
        }

        // The noun after *single*, the verb, or the verb before *no one*.
        let noun = single.map(|single| self.skip_roles(single + 1, &[Role::Stop, Role::Of]));
        let before = self.before(at).filter(|_| is_never && verb >= self.len());
        let named = [noun, Some(verb), before].into_iter().flatten();
        let mut named = named.filter(|place| self.peek(*place, counts).is_some());
        let Some(found) = named.next() else {
            return false;
        };
        let Some(field) = self.choose(found, counts) else {
            return false;
        };

        let last = at.max(found).max(noun.unwrap_or_default());
        let (start, end) = (at.min(found), (last + 1).min(self.len()));
        let said = self.said(start, end).to_owned();
        self.add_value(field, json!(0));
        self.note_filter(start, &said, field);
        self.take(start, end);
        true
    }

    /// Reads `have not been discharged`, where a date says when that happened.
    fn read_not_done(&mut self, at: usize) {
        let place = self.skip_roles(at + 1, &[Role::Stop, Role::Light, Role::Is]);
        let follows = |r: &Self, at: usize| {
            let next = r.skip_roles(
                at + 1,
                &[Role::In, Role::Before, Role::After, Role::Since, Role::Stop],
            );
            r.items.get(next).is_some_and(|item| item.moment.is_some())
        };
        let is_date = |r: &Self, field: usize| {
            r.kind(field) == FieldKind::Date && r.field(field).facts.missing != Some(0)
        };

        if self.peek(place, is_date).is_none()
            || follows(self, place)
            || place == at + 1 && self.breaks(place)
        {
            return;
        }
        if let Some(field) = self.choose(place, is_date) {
            self.filter_missing(field, true, at, place + 1);
        }
    }

    /// Reads `how many have a flag code`, of a field that not all records have.
    fn read_with(&mut self, at: usize) {
        let opening = self.opener();
        let place = self.skip_roles(at + 1, &[Role::Stop]);
        let is_last = place + 1 == self.len() || self.breaks(place + 1);
        let is_lacking = |r: &Self, f: usize| {
            let mut names = r.items[place].fields.iter();
            let is_full = names.any(|found| found.field == f && found.is_full);
            // *With a delay* may be one of more than nothing.
            let may_lack =
                r.field(f).facts.missing.is_some_and(|n| n > 0) || r.absence(f).is_some();
            is_full && !r.is_number(f) && r.field(f).truth.is_none() && may_lack
        };
        if !self.has(opening, Role::HowMany)
            || !is_last
            || place >= self.len()
            || self.peek(place, is_lacking).is_none()
        {
            return;
        }

        if let Some(field) = self.choose(place, is_lacking) {
            self.filter_missing(field, false, at, place + 1);
        }
    }

    /// Selects the records that lack a field, or have it, as items of the question say.
    fn filter_missing(&mut self, field: usize, is_missing: bool, start: usize, end: usize) {
        let said = self.said(start, end).to_owned();
        match is_missing {
            true => self.add_part(field, "missing", json!(true)),
            false => self.require(field),
        }
        self.note_filter(start, &said, field);
        self.take(start, end);
    }

    fn read_present(&mut self, at: usize) {
        let Some(place) = self.near_field(at) else {
            return;
        };
        // `the strongest wind ever recorded`
        let is_ranked = self.before(place).is_some_and(|before| {
            let degree = self.items[before].degree.as_ref();
            degree.is_some_and(|degree| degree.grade == Grade::Superlative)
                || self.has_any(before, &[Role::Most, Role::Fewest, Role::Top])
        });
        // `do we not know how many were given`
        let is_missing = self.items[place].used;
        if is_ranked || is_missing {
            return;
        }

        if let Some(field) = self.choose(place, |_, _| true) {
            let (start, end) = (at.min(place), at.max(place) + 1);
            let is_denied =
                self.negated[at] || start.checked_sub(1).is_some_and(|b| self.has(b, Role::Not));
            self.filter_missing(field, is_denied, start, end);
        }
    }
}
