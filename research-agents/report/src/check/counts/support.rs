//! The numbers that a sentence may show because of its claims.

use serde_json::Value;

use crate::check::counts::measured::Measured;
use crate::check::figure::{Figure, figures, figures_in};
use crate::claim::{Basis, Claim, Statistic};
use crate::evidence::run::Evidence;
use crate::evidence::table::sum_of;
use crate::evidence::value::{plain, same_value};
use crate::language::tag::Language;

/// The numbers that verified claims allow a sentence to show.
#[derive(Debug, Default)]
pub(crate) struct Support {
    /// Counts, totals, statistics and sums.
    plain: Vec<f64>,
    /// Shares in percent.
    shares: Vec<f64>,
    /// Ratios of two counts.
    ratios: Vec<f64>,
    /// Numbers in field names, values and quotes.
    repeated: Vec<Figure>,
    /// The same numbers, read by the rules of the sentence's language. They may be repeated exactly
    /// as they are written.
    verbatim: Vec<Figure>,
}

impl Support {
    /// Collects the numbers that claims support:
    ///
    /// - counts, totals and statistics, and the number of groups of a complete table;
    /// - the sum of the counts over one basis, and their number (*the 3 largest groups hold …*);
    /// - the share of a count or a sum in its total, of a group in a group that contains it, of a
    ///   group in the same group of another aggregation, of one total in another, and of a part in
    ///   a sum;
    /// - the ratio of two counts;
    /// - numbers in field names, values and quotes.
    pub(crate) fn new(claims: &[Claim], evidence: &Evidence, language: Language) -> Self {
        let mut support = Self::default();

        if language != Language::ENGLISH {
            let texts = claims.iter().flat_map(texts);
            support.verbatim = texts.flat_map(|text| figures_in(&text, language)).collect();
        }

        let mut counts: Vec<(&Basis, &str, &Value, f64)> = Vec::new();
        for claim in claims {
            match claim {
                Claim::Count {
                    over,
                    field,
                    value,
                    number,
                } => {
                    support.plain.push(*number as f64);
                    support
                        .repeated
                        .extend(figures(field).into_iter().chain(figures(&plain(value))));
                    // Two spellings are one value, unless the evidence contains both.
                    let is_same = |other: &Value| {
                        let both = || {
                            [other, value]
                                .iter()
                                .all(|value| is_spelled(evidence, over, field, value))
                        };
                        other == value || (same_value(other, value) && !both())
                    };
                    let known = |c: &&(&Basis, &str, &Value, f64)| {
                        c.0 == over && c.1 == field && is_same(c.2)
                    };
                    if counts.iter().find(known).is_none() {
                        counts.push((over, field, value, *number as f64));
                    }
                    support.add_basis(over, field, evidence);
                }
                Claim::Total { over, number } => {
                    support.plain.push(*number as f64);
                    let field = match over {
                        Basis::Aggregation(id) => {
                            evidence.table(id).map_or("", |table| table.field.as_str())
                        }
                        Basis::Records => "",
                    };
                    support.add_basis(over, field, evidence);
                }
                Claim::Statistic { field, number, .. } => {
                    support.plain.push(*number);
                    support.repeated.extend(figures(field));
                }
                Claim::GroupStatistic {
                    field,
                    number,
                    by,
                    value,
                    ..
                } => {
                    support.plain.push(*number);
                    let names = [field.as_str(), by.as_str()].into_iter().flat_map(figures);
                    support.repeated.extend(names.chain(figures(&plain(value))));
                }
                Claim::Quote { text, .. } | Claim::Says { text, .. } => {
                    support.repeated.extend(figures(text));
                }
                Claim::Measure { .. }
                | Claim::GroupMeasure { .. }
                | Claim::MeasureText { .. }
                | Claim::Correlation { .. }
                | Claim::Field { .. }
                | Claim::Ranked { .. }
                | Claim::Absent { .. } => support.add_computed(claim, evidence),
            }
        }

        support.add_shares_of_sums(claims, evidence);
        support.add_shares_of_measured_sums(claims, evidence);
        support.add_derived(&counts, evidence);
        support.add_shares_of_totals(claims);
        support
    }

    /// Adds the numbers of a claim on what the data source computed, or on a record.
    fn add_computed(&mut self, claim: &Claim, evidence: &Evidence) {
        let names = texts(claim);
        self.repeated
            .extend(names.iter().flat_map(|text| figures(text)));

        match claim {
            Claim::Measure { number, .. } | Claim::GroupMeasure { number, .. } => {
                self.plain.push(*number);
            }
            Claim::Correlation { number, count, .. } => {
                self.plain.extend([*number, *count as f64]);
            }
            Claim::Field { value, .. } => self.plain.extend(value.as_f64()),
            Claim::Ranked { place, .. } => self.plain.push(*place as f64),
            _ => {}
        }

        // The number of values behind a statistic, and the scope of a search.
        let measured = Measured::of_claim(claim).and_then(|measured| measured.find(evidence));
        self.plain
            .extend(measured.map(|measure| measure.count as f64));
        if let Some(table) = claim.aggregation().and_then(|id| evidence.table(id)) {
            let searched = table
                .searched
                .map(|all| [all.fields as f64, all.records as f64]);
            self.plain.push(table.total as f64);
            self.plain.extend(searched.into_iter().flatten());
        }
    }

    /// Adds the total of a basis, and the number of its groups.
    fn add_basis(&mut self, over: &Basis, field: &str, evidence: &Evidence) {
        self.plain.push(total_of(over, evidence));
        if let Basis::Aggregation(id) = over
            && let Some(table) = evidence.table(id).filter(|table| table.is_complete(field))
        {
            let groups = table
                .rows
                .iter()
                .filter(|row| row.field.eq_ignore_ascii_case(field));
            self.plain.push(groups.count() as f64);
        }
    }

    /// Adds sums, shares and ratios of counts.
    fn add_derived(&mut self, counts: &[(&Basis, &str, &Value, f64)], evidence: &Evidence) {
        for (over, field, value, number) in counts {
            let total = total_of(over, evidence);
            let alike: Vec<f64> = counts
                .iter()
                .filter(|c| c.0 == *over && c.1 == *field)
                .map(|c| c.3)
                .collect();
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

            // The share in a group that contains this one.
            let wholes = counts
                .iter()
                .filter(|whole| whole.3 > 0.0 && is_part(field, value, whole.1, whole.2));
            let wholes = wholes
                .filter(|whole| whole.0 == *over || count_the_same(evidence, (over, field), whole));
            self.shares
                .extend(wholes.map(|whole| 100.0 * number / whole.3));

            // The share of a group in the same group of another aggregation, as of totals.
            let same = counts.iter().filter(|whole| {
                whole.0 != *over && whole.1 == *field && whole.2 == *value && whole.3 >= *number
            });
            let same = same.filter(|whole| whole.3 > 0.0);
            self.shares
                .extend(same.map(|whole| 100.0 * number / whole.3));

            self.ratios.extend(
                alike
                    .iter()
                    .filter(|other| **other > 0.0)
                    .map(|other| number / other),
            );
        }
    }

    /// Adds the share of a group's sum, or of the largest number, in the sum of a field without
    /// negative numbers.
    fn add_shares_of_sums(&mut self, claims: &[Claim], evidence: &Evidence) {
        for claim in claims {
            let (part_of, part) = match claim {
                Claim::GroupStatistic {
                    field,
                    statistic: Statistic::Sum,
                    number,
                    ..
                }
                | Claim::Statistic {
                    field,
                    statistic: Statistic::Max,
                    number,
                    ..
                } => (field, *number),
                _ => continue,
            };

            if evidence
                .statistic(part_of, Statistic::Min)
                .is_none_or(|smallest| smallest < 0.0)
            {
                continue;
            }

            let whole = claims.iter().find_map(|claim| match claim {
                Claim::Statistic {
                    field,
                    statistic: Statistic::Sum,
                    number,
                    ..
                } if field == part_of => Some(*number),
                _ => None,
            });
            self.shares.extend(
                whole
                    .filter(|whole| *whole > 0.0)
                    .map(|whole| 100.0 * part / whole),
            );
        }
    }

    /// Adds the share of a sum that the data source computed in a larger sum of the same field,
    /// over at least as many records.
    fn add_shares_of_measured_sums(&mut self, claims: &[Claim], evidence: &Evidence) {
        let sum = |claim: &Claim| match claim {
            Claim::Measure {
                over,
                field,
                statistic: Statistic::Sum,
                number,
            } => Some((over.clone(), field.clone(), *number)),
            _ => None,
        };
        let sums: Vec<(String, String, f64)> = claims.iter().filter_map(sum).collect();
        let is_within = |part: &str, whole: &str| {
            let (Some(part), Some(whole)) = (evidence.table(part), evidence.table(whole)) else {
                return false;
            };
            part.total <= whole.total
        };

        for (part_over, field, part) in &sums {
            let wholes = sums.iter().filter(|(over, own, whole)| {
                own == field && over != part_over && *whole > 0.0 && whole >= part && *part >= 0.0
            });
            let wholes = wholes.filter(|(over, ..)| is_within(part_over, over));
            let shares = wholes.map(|(.., whole)| 100.0 * part / whole);
            self.shares.extend(shares.collect::<Vec<_>>());
        }
    }

    /// Adds the share of one total in another: *300 of 10000 matching records were read (3.0 %)*.
    fn add_shares_of_totals(&mut self, claims: &[Claim]) {
        let total = |claim: &Claim| match claim {
            Claim::Total { number, .. } => Some(*number as f64),
            _ => None,
        };
        let mut totals: Vec<f64> = claims.iter().filter_map(total).collect();
        totals.sort_by(f64::total_cmp);
        totals.dedup();
        for part in &totals {
            self.shares.extend(
                totals
                    .iter()
                    .filter(|whole| *whole >= part && **whole > 0.0)
                    .map(|w| 100.0 * part / w),
            );
        }
    }

    /// Returns the numbers that follow from the claims and that a number of the sentence shows.
    pub(crate) fn shown_by<'s>(&'s self, figure: &'s Figure) -> impl Iterator<Item = f64> + 's {
        let (own, more): (&[f64], &[f64]) = if figure.percent {
            (&self.shares, &[])
        } else if figure.times {
            (&self.ratios, &self.plain)
        } else {
            (&self.plain, &[])
        };
        let numbers = own.iter().chain(more).copied();
        numbers.filter(|number| figure.shows(*number))
    }

    /// Returns whether a sentence may show a number.
    pub(crate) fn carries(&self, figure: &Figure) -> bool {
        let own = self.shown_by(figure).next().is_some();
        own || self
            .repeated
            .iter()
            .any(|known| known.may_be_repeated_as(figure))
            || self
                .verbatim
                .iter()
                .any(|known| known.text == figure.text && known.may_be_repeated_as(figure))
    }

    /// Returns whether a number follows from the claims, and not only from a name or a quote in
    /// them.
    pub(crate) fn counts(&self, figure: &Figure) -> bool {
        self.carries(figure) && !self.repeated.iter().any(|known| known.equals(figure))
    }
}

/// Returns the texts of a claim: field names, values and quotes.
pub(crate) fn texts(claim: &Claim) -> Vec<String> {
    let names = claim.fields().into_iter().chain(claim.text());
    let value = claim.value().map(plain);
    names.map(str::to_owned).chain(value).collect()
}

/// Returns whether two aggregations apparently counted the same records: their totals agree, and
/// the groups by several fields that a group of the other contains add up to that group.
fn count_the_same(
    evidence: &Evidence,
    part: (&Basis, &str),
    whole: &(&Basis, &str, &Value, f64),
) -> bool {
    let (Basis::Aggregation(part_id), Basis::Aggregation(whole_id)) = (part.0, whole.0) else {
        return false;
    };
    let (Some(table), Some(other)) = (evidence.table(part_id), evidence.table(whole_id)) else {
        return false;
    };
    let rows = table
        .rows
        .iter()
        .filter(|row| row.field.eq_ignore_ascii_case(part.1));
    let inside = rows.filter(|row| is_part(&row.field, &row.value, whole.1, whole.2));
    table.total == other.total && sum_of(inside.map(|row| row.count)) as f64 == whole.3
}

/// Returns whether a group by one field contains a group by several: *y* contains *x and y*.
fn is_part(field: &str, value: &Value, whole: &str, whole_value: &Value) -> bool {
    let values = value.as_array().map_or(&[][..], Vec::as_slice);
    field
        .split(',')
        .map(str::trim)
        .zip(values)
        .any(|(name, value)| name == whole && plain(value) == plain(whole_value))
}

/// Returns whether the evidence contains a value in exactly this spelling.
fn is_spelled(evidence: &Evidence, over: &Basis, field: &str, value: &Value) -> bool {
    evidence
        .groups(over, field, value.is_array())
        .iter()
        .any(|(known, _)| known == value)
}

fn total_of(over: &Basis, evidence: &Evidence) -> f64 {
    evidence.total(over).unwrap_or(0) as f64
}
