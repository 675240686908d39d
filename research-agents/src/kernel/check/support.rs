//! The numbers that a sentence may show because of its claims.

use serde_json::Value;

use super::figure::{Figure, figures, figures_in};
use crate::kernel::claim::{Basis, Claim, Statistic};
use crate::kernel::evidence::{Evidence, plain, same_value, sum_of};
use crate::kernel::language::Language;

/// The numbers that verified claims allow a sentence to show.
#[derive(Debug, Default)]
pub(super) struct Support {
    plain: Vec<f64>,
    shares: Vec<f64>,
    ratios: Vec<f64>,
    repeated: Vec<Figure>,
    /// The same as the language of the sentence reads them: they may be repeated as they are written.
    verbatim: Vec<Figure>,
}

impl Support {
    /// Counts, totals and statistics; the share of each count in its total; the sum of the counts over one basis, its share and
    /// their number (*the 3 largest groups hold …*); the number of groups of a complete table; ratios of two counts; the
    /// share of a group in one that it lies in; shares of one total in another, and of a part in a sum; figures inside field names, values and quotes.
    pub(super) fn of(claims: &[Claim], evidence: &Evidence, language: Language) -> Self {
        let mut support = Self::default();
        if language != Language::ENGLISH {
            let texts = claims.iter().flat_map(texts);
            support.verbatim = texts.flat_map(|text| figures_in(&text, language)).collect();
        }
        let mut counts: Vec<(&Basis, &str, &Value, f64)> = Vec::new();
        for claim in claims {
            match claim {
                Claim::Count { over, field, value, number } => {
                    support.plain.push(*number as f64);
                    support.repeated.extend(figures(field).into_iter().chain(figures(&plain(value))));
                    // Two spellings are one value, unless the evidence has both.
                    let is_same = |other: &Value| {
                        let both = || [other, value].iter().all(|value| is_spelled(evidence, over, field, value));
                        other == value || (same_value(other, value) && !both())
                    };
                    let known = |c: &&(&Basis, &str, &Value, f64)| c.0 == over && c.1 == field && is_same(c.2);
                    if counts.iter().find(known).is_none() {
                        counts.push((over, field, value, *number as f64));
                    }
                    support.add_basis(over, field, evidence);
                }
                Claim::Total { over, number } => {
                    support.plain.push(*number as f64);
                    let field = match over {
                        Basis::Aggregation(id) => evidence.table(id).map_or("", |table| table.field.as_str()),
                        Basis::Records => "",
                    };
                    support.add_basis(over, field, evidence);
                }
                Claim::Statistic { field, number, .. } => {
                    support.plain.push(*number);
                    support.repeated.extend(figures(field));
                }
                Claim::GroupStatistic { field, number, by, value, .. } => {
                    support.plain.push(*number);
                    let names = [field.as_str(), by.as_str()].into_iter().flat_map(figures);
                    support.repeated.extend(names.chain(figures(&plain(value))));
                }
                Claim::Quote { text, .. } => support.repeated.extend(figures(text)),
            }
        }
        support.add_shares_of_sums(claims, evidence);
        support.add_derived(&counts, evidence);
        support.add_shares_of_totals(claims);
        support
    }

    fn add_basis(&mut self, over: &Basis, field: &str, evidence: &Evidence) {
        self.plain.push(total_of(over, evidence));
        if let Basis::Aggregation(id) = over
            && let Some(table) = evidence.table(id).filter(|table| table.is_complete(field))
        {
            let groups = table.rows.iter().filter(|row| row.field.eq_ignore_ascii_case(field));
            self.plain.push(groups.count() as f64);
        }
    }

    fn add_derived(&mut self, counts: &[(&Basis, &str, &Value, f64)], evidence: &Evidence) {
        for (over, field, value, number) in counts {
            let total = total_of(over, evidence);
            let alike: Vec<f64> = counts.iter().filter(|c| c.0 == *over && c.1 == *field).map(|c| c.3).collect();
            let sum: f64 = alike.iter().sum();
            if sum <= total {
                self.plain.extend([sum, alike.len() as f64]);
            }
            if total > 0.0 {
                self.shares.push(100.0 * number / total);
                if sum <= total {
                    self.shares.push(100.0 * sum / total);
                }
            }
            let wholes = counts.iter().filter(|whole| whole.3 > 0.0 && is_part(field, value, whole.1, whole.2));
            let wholes = wholes.filter(|whole| whole.0 == *over || count_the_same(evidence, (over, field), whole));
            self.shares.extend(wholes.map(|whole| 100.0 * number / whole.3));
            self.ratios.extend(alike.iter().filter(|other| **other > 0.0).map(|other| number / other));
        }
    }

    /// The share of a group's sum, or of the largest number, in the sum of a field without a negative number.
    fn add_shares_of_sums(&mut self, claims: &[Claim], evidence: &Evidence) {
        for claim in claims {
            let (part_of, part) = match claim {
                Claim::GroupStatistic { field, statistic: Statistic::Sum, number, .. }
                | Claim::Statistic { field, statistic: Statistic::Max, number, .. } => (field, *number),
                _ => continue,
            };
            if evidence.statistic(part_of, Statistic::Min).is_none_or(|smallest| smallest < 0.0) {
                continue;
            }
            let whole = claims.iter().find_map(|claim| match claim {
                Claim::Statistic { field, statistic: Statistic::Sum, number, .. } if field == part_of => Some(*number),
                _ => None,
            });
            self.shares.extend(whole.filter(|whole| *whole > 0.0).map(|whole| 100.0 * part / whole));
        }
    }

    /// The share of one total in another: *300 of 10000 matching records were read (3.0 %)*.
    fn add_shares_of_totals(&mut self, claims: &[Claim]) {
        let total = |claim: &Claim| match claim {
            Claim::Total { number, .. } => Some(*number as f64),
            _ => None,
        };
        let totals: Vec<f64> = claims.iter().filter_map(total).collect();
        for part in &totals {
            self.shares.extend(totals.iter().filter(|whole| *whole >= part && **whole > 0.0).map(|w| 100.0 * part / w));
        }
    }

    pub(super) fn carries(&self, figure: &Figure) -> bool {
        let shown = |numbers: &[f64]| numbers.iter().any(|number| figure.shows(*number));
        let own = if figure.percent {
            shown(&self.shares)
        } else if figure.times {
            shown(&self.ratios) || shown(&self.plain)
        } else {
            shown(&self.plain)
        };
        own || self.repeated.iter().any(|known| known.may_be_repeated_as(figure))
            || self.verbatim.iter().any(|known| known.text == figure.text && known.may_be_repeated_as(figure))
    }

    /// Whether a figure is a number of the claims, and not only part of a name or quote.
    pub(super) fn counts(&self, figure: &Figure) -> bool {
        self.carries(figure) && !self.repeated.iter().any(|known| known.equals(figure))
    }
}

/// What a claim says in the words of the data.
fn texts(claim: &Claim) -> Vec<String> {
    match claim {
        Claim::Count { field, value, .. } => vec![field.clone(), plain(value)],
        Claim::Statistic { field, .. } => vec![field.clone()],
        Claim::GroupStatistic { field, by, value, .. } => vec![field.clone(), by.clone(), plain(value)],
        Claim::Quote { text, .. } => vec![text.clone()],
        Claim::Total { .. } => Vec::new(),
    }
}

/// Whether two aggregations counted the same records, as far as the groups inside a whole show: their totals agree, and the
/// groups by several fields that lie in the whole add up to it.
fn count_the_same(evidence: &Evidence, part: (&Basis, &str), whole: &(&Basis, &str, &Value, f64)) -> bool {
    let (Basis::Aggregation(part_id), Basis::Aggregation(whole_id)) = (part.0, whole.0) else { return false };
    let (Some(table), Some(other)) = (evidence.table(part_id), evidence.table(whole_id)) else { return false };
    let rows = table.rows.iter().filter(|row| row.field.eq_ignore_ascii_case(part.1));
    let inside = rows.filter(|row| is_part(&row.field, &row.value, whole.1, whole.2));
    table.total == other.total && sum_of(inside.map(|row| row.count)) as f64 == whole.3
}

/// Whether a group by several fields lies inside the group of one of them: *x and y* inside *y*.
fn is_part(field: &str, value: &Value, whole: &str, whole_value: &Value) -> bool {
    let values = value.as_array().map_or(&[][..], Vec::as_slice);
    field.split(',').map(str::trim).zip(values).any(|(name, value)| name == whole && plain(value) == plain(whole_value))
}

/// Whether the evidence has a value in exactly this spelling.
fn is_spelled(evidence: &Evidence, over: &Basis, field: &str, value: &Value) -> bool {
    evidence.groups(over, field, value.is_array()).iter().any(|(known, _)| known == value)
}

fn total_of(over: &Basis, evidence: &Evidence) -> f64 {
    evidence.total(over).unwrap_or(0) as f64
}
