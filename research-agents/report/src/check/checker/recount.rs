//! Recounts the claims of a sentence, and collects what it cites.

use serde_json::Value;

use crate::check::checker::{Checker, MAX_SOURCES, Verified};
use crate::check::counts::measured::{self, Measured};
use crate::check::failure::Failure;
use crate::check::quote;
use crate::check::rigour::Rigour;
use crate::claim::{Basis, Claim, Statistic};
use crate::evidence::table::Table;
use crate::evidence::value::plain;

impl Checker<'_> {
    /// Checks a claim, and adds it with its citations.
    pub(super) fn check_claim(
        &self,
        claim: &Claim,
        rigour: Rigour,
        verified: &mut Verified,
    ) -> Result<(), Failure> {
        let mut checked = claim.clone();

        match &mut checked {
            Claim::Count {
                over,
                field,
                value,
                number,
            } => self.check_count(over, field, value, *number, verified)?,
            Claim::Total { over, number } => {
                let actual = self.total(over)?;
                if actual != *number {
                    return Err(Failure::WrongTotal {
                        stated: *number,
                        actual,
                    });
                }
                verified.cite_basis(over);
            }
            Claim::Statistic {
                field,
                statistic,
                number,
                source,
            } => {
                *number =
                    self.check_statistic(field, *statistic, *number, source.as_deref(), rigour)?;
                verified.from_records = true;
                source.iter().for_each(|id| verified.cite(id));
            }
            Claim::GroupStatistic {
                field,
                statistic,
                number,
                by,
                value,
            } => {
                let actual = self.evidence.group_statistic(field, *statistic, by, value);
                match actual.filter(|actual| rigour.agrees(*number, *actual)) {
                    Some(actual) => *number = actual,
                    None => {
                        let (field, statistic, stated) = (field.clone(), *statistic, *number);
                        return Err(Failure::WrongStatistic {
                            field,
                            statistic,
                            stated,
                            actual,
                        });
                    }
                }
                verified.from_records = true;
            }
            Claim::Measure { over, number, .. } | Claim::GroupMeasure { over, number, .. } => {
                if let Some(measured) = Measured::of_claim(claim) {
                    *number = measured::check_number(measured, *number, self.evidence, rigour)?;
                }
                verified.cite_table(over);
            }
            Claim::MeasureText { over, text, .. } => {
                if let Some(measured) = Measured::of_claim(claim) {
                    measured::check_text(measured, text, self.evidence)?;
                }
                verified.cite_table(over);
            }
            Claim::Correlation {
                over,
                fields,
                number,
                count,
            } => {
                let stated = (*number, *count);
                *number = measured::check_correlation(over, fields, stated, self.evidence, rigour)?;
                verified.cite_table(over);
            }
            Claim::Field {
                source,
                field,
                value,
            } => {
                measured::check_field(source, field, value, self.evidence)?;
                verified.cite(source);
            }
            Claim::Ranked {
                over,
                source,
                place,
                field,
                highest,
            } => {
                let order = (field.as_str(), *highest);
                measured::check_place(over, source, *place, order, self.evidence)?;
                verified.cite_table(over);
                verified.cite(source);
            }
            Claim::Absent { over, text } => {
                measured::check_absent(over, text, self.evidence)?;
                verified.cite_table(over);
            }
            Claim::Quote {
                source,
                text,
                start,
            } => {
                let holder = self.evidence.sources.get(source);
                let holder = holder.ok_or_else(|| Failure::UnknownSource { id: source.clone() })?;
                let held = holder.text.for_code();
                let place = quote::find(held, text, *start);
                let place = place.ok_or_else(|| Failure::QuoteNotFound {
                    source_id: source.clone(),
                })?;

                match rigour {
                    Rigour::Finished if start.is_some_and(|at| quote::is_at(held, text, at)) => {}
                    Rigour::Finished => {
                        return Err(Failure::NotAtSpan {
                            source_id: source.clone(),
                            start: *start,
                        });
                    }
                    Rigour::Draft => {
                        *start = Some(place.start);
                        if !quote::is_at(held, text, place.start) {
                            *text = held[place].to_owned();
                        }
                    }
                }

                verified.from_records = true;
                verified.cite(source);
            }
        }

        verified.claims.push(checked);
        Ok(())
    }

    /// Recounts a count, and cites what it counts.
    fn check_count(
        &self,
        over: &Basis,
        field: &str,
        value: &Value,
        stated: u64,
        verified: &mut Verified,
    ) -> Result<(), Failure> {
        let mut examples = Vec::new();
        let actual = match over {
            Basis::Aggregation(id) => self.table(id)?.count(field, value),
            Basis::Records => {
                examples = self.evidence.holders(field, value);
                Some(examples.len() as u64)
            }
        };

        if actual != Some(stated) {
            return Err(Failure::WrongCount {
                field: field.to_owned(),
                value: plain(value),
                stated,
                actual,
            });
        }

        verified.cite_basis(over);
        examples
            .iter()
            .take(MAX_SOURCES)
            .for_each(|source| verified.cite(&source.id));
        Ok(())
    }

    /// Recomputes a statistic, and returns its exact value.
    fn check_statistic(
        &self,
        field: &str,
        statistic: Statistic,
        stated: f64,
        source: Option<&str>,
        rigour: Rigour,
    ) -> Result<f64, Failure> {
        let wrong = |actual| Failure::WrongStatistic {
            field: field.to_owned(),
            statistic,
            stated,
            actual,
        };
        let Some(actual) = self.evidence.statistic(field, statistic) else {
            return Err(wrong(None));
        };

        if !rigour.agrees(stated, actual) {
            return Err(wrong(Some(actual)));
        }

        if let Some(id) = source {
            let holder = self
                .evidence
                .sources
                .get(id)
                .ok_or_else(|| Failure::UnknownSource { id: id.to_owned() })?;
            let held = holder.field(field).and_then(Value::as_f64);
            if held != Some(actual) {
                return Err(wrong(held));
            }
        }

        Ok(actual)
    }

    fn total(&self, over: &Basis) -> Result<u64, Failure> {
        match over {
            Basis::Aggregation(id) => Ok(self.table(id)?.total),
            Basis::Records => Ok(self.evidence.sources.len() as u64),
        }
    }

    fn table(&self, id: &str) -> Result<&Table, Failure> {
        self.evidence
            .table(id)
            .ok_or_else(|| Failure::UnknownAggregation { id: id.to_owned() })
    }
}

impl Verified {
    /// Cites a source, unless the sentence has enough of them.
    fn cite(&mut self, id: &str) {
        if self.sources.len() < MAX_SOURCES && !self.sources.iter().any(|known| known == id) {
            self.sources.push(id.to_owned());
        }
    }

    /// Cites the basis of a claim.
    fn cite_basis(&mut self, over: &Basis) {
        match over {
            Basis::Aggregation(id) => self.cite_table(id),
            Basis::Records => self.from_records = true,
        }
    }

    /// Cites an aggregation.
    fn cite_table(&mut self, id: &str) {
        if !self.tables.iter().any(|known| known == id) {
            self.tables.push(id.to_owned());
        }
    }
}
