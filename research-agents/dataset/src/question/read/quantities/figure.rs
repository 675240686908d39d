//! Finds numbers with their comparison, their unit and a second number.

use crate::question::read::cut::figures::factor;
use crate::question::read::reader::Reader;
use crate::question::read::words::units::{Unit, unit};
use crate::question::read::words::vocabulary::{Grade, Role};
use crate::question::reading::Sign;

/// A number of the question with its comparison.
pub(crate) struct Figure {
    /// The first item of the comparison.
    pub(crate) start: usize,
    /// One past the last item, the unit included.
    pub(crate) end: usize,
    /// The comparison; none where words before the number are not understood.
    pub(crate) sign: Option<Sign>,
    pub(crate) low: f64,
    pub(crate) high: Option<f64>,
    pub(crate) unit: Option<Unit>,
    /// What a word such as *million* multiplies it by.
    pub(crate) factor: Option<f64>,
    /// The concepts that an adjective of comparison measures.
    pub(crate) concepts: Vec<String>,
}

impl Reader<'_, '_, '_> {
    /// Returns the comparison written before an item, and where it begins.
    fn sign_before(&self, at: usize) -> (Option<Sign>, usize, Vec<String>) {
        let gap = self
            .gap(at)
            .trim_end_matches(['$', '€', '£', ' ', '(', '-', '−']);
        let signs = [
            (">=", Sign::AtLeast),
            ("≥", Sign::AtLeast),
            ("<=", Sign::AtMost),
            ("≤", Sign::AtMost),
            ("!=", Sign::Different),
            ("≠", Sign::Different),
            (">", Sign::Above),
            ("<", Sign::Below),
            ("=", Sign::Equal),
        ];
        if let Some((_, sign)) = signs.iter().find(|(text, _)| gap.ends_with(text)) {
            return (Some(*sign), at, Vec::new());
        }

        let mut place = at;
        // `above magnitude 8`: the name of the number may come between.
        let names_number = |at: usize| {
            self.items[at].roles.is_empty() && self.peek(at, |r, f| r.is_quantity(f)).is_some()
        };
        let bounds = [Role::Above, Role::Below, Role::AtLeast, Role::AtMost];
        // *The reading one* says no number.
        let is_written = self.tokens[self.items[at].start].is_number();
        let named = self
            .before(at)
            .filter(|named| is_written && names_number(*named));
        let bound = named.and_then(|named| self.before(named));
        if let Some((named, bound)) = named.zip(bound)
            && self.has_any(bound, &bounds)
            && (bound + 1..=at).all(|at| !self.breaks(at))
        {
            place = named;
        }
        while let Some(before) = place.checked_sub(1) {
            let item = &self.items[before];
            if self.breaks(place) {
                break;
            }
            let sign = [
                (Role::AtLeast, Sign::AtLeast),
                (Role::AtMost, Sign::AtMost),
                (Role::Above, Sign::Above),
                (Role::Below, Sign::Below),
                (Role::Exactly, Sign::Equal),
                (Role::Since, Sign::AtLeast),
                (Role::Until, Sign::AtMost),
                (Role::After, Sign::Above),
                (Role::Before, Sign::Below),
            ]
            .into_iter()
            .find(|(role, _)| item.has(*role));
            if let Some((_, sign)) = sign {
                let is_denied = before
                    .checked_sub(1)
                    .is_some_and(|not| self.has(not, Role::Not));
                let start = before - usize::from(is_denied);
                return (
                    Some(if is_denied { opposite(sign) } else { sign }),
                    start,
                    Vec::new(),
                );
            }
            if item.has(Role::From) && at == place {
                return (Some(Sign::AtLeast), before, Vec::new());
            }
            if item.has(Role::About) && !item.has(Role::Mention)
                || item.has(Role::About) && at == place
            {
                return (None, before, Vec::new());
            }
            // `heavier than`, `more than`, `plus cher que`, `more expensive than`.
            if item.has_any(&[Role::Than, Role::Of])
                && let Some(found) = self.comparative(before)
            {
                return found;
            }
            if !item.has_any(&[Role::Stop]) {
                break;
            }
            place = before;
        }

        (Some(Sign::Equal), at, Vec::new())
    }

    /// Returns the comparison before `than`.
    fn comparative(&self, than: usize) -> Option<(Option<Sign>, usize, Vec<String>)> {
        let signed = |high: bool| Some(if high { Sign::Above } else { Sign::Below });

        for back in 1..=4 {
            let at = than.checked_sub(back)?;
            let item = &self.items[at];
            if let Some(degree) = &item.degree {
                let before = at.checked_sub(1);
                let less = before.is_some_and(|b| self.has_any(b, &[Role::Less, Role::Fewest]));
                let more = before.is_some_and(|b| self.has_any(b, &[Role::More, Role::Most]));
                let compares = degree.grade == Grade::Comparative || less || more;
                let is_superlative = degree.grade == Grade::Superlative
                    || before.is_some_and(|b| self.has_any(b, &[Role::Most, Role::Fewest]));
                if !compares || is_superlative {
                    return None;
                }
                let start = if less || more { at - 1 } else { at };
                return Some((signed(degree.high != less), start, degree.concepts.clone()));
            }
            if item.has(Role::More) || item.has(Role::Less) {
                return Some((signed(item.has(Role::More)), at, Vec::new()));
            }
            if item.has_any(&[Role::And, Role::Or, Role::By, Role::Is]) || self.breaks(at + 1) {
                return None;
            }
        }
        None
    }

    /// Returns the number at an item with its comparison, unit and second number.
    pub(crate) fn figure(&self, at: usize) -> Option<Figure> {
        let low = self.items[at].number?;
        let (mut sign, mut start, concepts) = self.sign_before(at);
        let (mut unit, mut end) = self.unit_after(at);
        let mut high = None;

        let mut opener = start.checked_sub(usize::from(
            !self.has_any(start, &[Role::Between, Role::From]),
        ));
        // `between magnitude 4 and 5`
        let named = opener.filter(|at| !self.items[*at].fields.is_empty());
        if let Some(before) = named.and_then(|at| at.checked_sub(1))
            && self.has(before, Role::Between)
        {
            opener = Some(before);
        }
        let opens = opener.is_some_and(|o| self.has_any(o, &[Role::Between, Role::From]));
        let dash = matches!(self.gap(end).trim(), "-" | "–" | "—" | "…" | "..");
        let joins = self.has(end, Role::To) || (opens && self.has(end, Role::And));
        let second = if dash { end } else { end + 1 };
        if (dash || joins)
            && let Some(other) = self.items.get(second).and_then(|item| item.number)
        {
            high = Some(other);
            (unit, end) = self.unit_after(second);
            sign = Some(Sign::Equal);
            if let Some(opener) = opener.filter(|_| opens) {
                start = opener;
            }
        }
        if unit.is_none() {
            unit = self.currency(at);
        }

        // `4 kg or more`, `older than 60 years`.
        for (role, after) in [(Role::AtLeast, Sign::AtLeast), (Role::AtMost, Sign::AtMost)] {
            if self.has(end, role)
                && self
                    .items
                    .get(end + 1)
                    .is_none_or(|item| item.number.is_none())
            {
                (sign, end) = (Some(after), end + 1);
            }
        }
        if self.gap(end).starts_with('+') {
            sign = Some(Sign::AtLeast);
        }
        Some(Figure {
            start,
            end,
            sign,
            low,
            high,
            unit,
            factor: self.factor_said(at),
            concepts,
        })
    }

    /// Returns what the last word of a number multiplies it by.
    fn factor_said(&self, at: usize) -> Option<f64> {
        let last = self.tokens.get(self.items[at].end.checked_sub(1)?)?;
        let word = |k: usize| (k == 0).then_some(last.lower.as_str());
        let (entry, _) = self.vocabulary.longest_at(word)?;
        factor(&entry.roles)
    }

    fn currency(&self, at: usize) -> Option<Unit> {
        let sign = self
            .gap(at)
            .chars()
            .next_back()
            .filter(|c| "$€£".contains(*c))?;
        unit(&sign.to_string())
    }

    /// Returns the unit after a number, and where it ends.
    fn unit_after(&self, at: usize) -> (Option<Unit>, usize) {
        let next = at + 1;
        let sign = self
            .gap(next)
            .trim_start()
            .chars()
            .next()
            .filter(|c| "€$£%".contains(*c));
        if let Some(found) = sign.and_then(|sign| unit(&sign.to_string())) {
            return (Some(found), next);
        }
        if next >= self.len() || self.breaks(next) {
            return (None, next);
        }

        let item = &self.items[next];
        let word = self.lower(next);
        let is_letter = word.chars().count() == 1 && !matches!(word, "g" | "m" | "s" | "h" | "l");
        // `2 carat` of a field that is called so.
        let is_field = item
            .fields
            .iter()
            .any(|found| found.is_full && found.score >= 1000 && self.is_quantity(found.field));
        if is_field {
            return (None, next);
        }
        match unit(word).filter(|_| !is_letter && item.end == item.start + 1) {
            Some(found) => (Some(found), next + 1),
            None => (None, next),
        }
    }
}

/// Returns the comparison that holds where another does not.
pub(crate) fn opposite(sign: Sign) -> Sign {
    match sign {
        Sign::Equal => Sign::Different,
        Sign::Different => Sign::Equal,
        Sign::Above => Sign::AtMost,
        Sign::AtLeast => Sign::Below,
        Sign::Below => Sign::AtLeast,
        Sign::AtMost => Sign::Above,
    }
}
