//! The checker: does a sentence say what the evidence says?
//!
//! Every claim of a sentence is recounted, looked up or searched; then every number in the sentence must follow from one of
//! its claims or stand in the context (the user's question, the filters). Only a sentence that passes becomes a
//! [`Verified`], and only a [`Verified`] can be printed with citations.

mod failure;
mod figure;
mod quote;
mod support;

use serde_json::Value;

pub use self::failure::Failure;
use self::figure::{Figure, figures};
use self::support::Support;
use super::claim::{Basis, Claim, Statement, Statistic};
use super::evidence::{Evidence, Table, plain};

/// A sentence whose claims hold. Only [`Checker::check`] makes one.
#[derive(Clone, Debug, PartialEq)]
pub struct Verified {
    text: String,
    claims: Vec<Claim>,
    sources: Vec<String>,
    tables: Vec<String>,
    from_records: bool,
}

impl Verified {
    /// The sentence, without citation markers.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its claims, with the offset of every quote.
    pub fn claims(&self) -> &[Claim] {
        &self.claims
    }

    /// Ids of the sources that it cites, at most [`MAX_SOURCES`].
    pub fn sources(&self) -> &[String] {
        &self.sources
    }

    /// Ids of the aggregations that it cites.
    pub fn tables(&self) -> &[String] {
        &self.tables
    }

    /// Whether some claim was drawn from the records read, rather than from an aggregation over all that match.
    pub fn from_records(&self) -> bool {
        self.from_records
    }
}

/// Sources that one sentence cites at most: examples, when a count rests on more.
pub const MAX_SOURCES: usize = 3;

/// Checks sentences against the evidence of a run.
#[derive(Clone, Debug)]
pub struct Checker<'a> {
    evidence: &'a Evidence,
    context: Vec<Figure>,
}

impl<'a> Checker<'a> {
    /// A checker. Numbers in the context texts, such as the user's question and filters, may be repeated freely.
    pub fn new<'t>(evidence: &'a Evidence, context: impl IntoIterator<Item = &'t str>) -> Self {
        Self { evidence, context: context.into_iter().flat_map(figures).collect() }
    }

    /// Checks a sentence that asserts something: it needs at least one claim.
    ///
    /// # Errors
    ///
    /// The first reason why it does not hold.
    pub fn check(&self, statement: &Statement) -> Result<Verified, Failure> {
        if statement.claims.is_empty() { Err(Failure::NoEvidence) } else { self.check_loose(statement) }
    }

    /// Checks a sentence that may do without a claim as long as it shows no number of its own.
    ///
    /// # Errors
    ///
    /// The first reason why it does not hold.
    pub fn check_loose(&self, statement: &Statement) -> Result<Verified, Failure> {
        let mut verified = Verified {
            text: self.without_markers(statement),
            claims: Vec::new(),
            sources: Vec::new(),
            tables: Vec::new(),
            from_records: false,
        };
        for claim in &statement.claims {
            self.check_claim(claim, &mut verified)?;
        }
        let support = Support::of(&verified.claims, self.evidence);
        let supported =
            |figure: &Figure| self.context.iter().any(|c| c.may_be_repeated_as(figure)) || support.carries(figure);
        match figures(&verified.text).into_iter().find(|figure| !supported(figure)) {
            Some(figure) => Err(Failure::UnsupportedNumber { figure: figure.text }),
            None => Ok(verified),
        }
    }

    /// The text without citation markers that a model wrote in spite of its instructions: the writer of the report sets them.
    /// What stands so in a field's name, a value or a quote of the claims is no marker.
    fn without_markers(&self, statement: &Statement) -> String {
        let text = statement.text.trim();
        let own = |marker: &str| {
            statement.claims.iter().any(|claim| match claim {
                Claim::Count { field, value, .. } => field.contains(marker) || plain(value).contains(marker),
                Claim::Statistic { field, .. } => field.contains(marker),
                Claim::GroupStatistic { field, by, value, .. } => {
                    field.contains(marker) || by.contains(marker) || plain(value).contains(marker)
                }
                Claim::Quote { text, .. } => text.contains(marker),
                Claim::Total { .. } => false,
            })
        };
        let sources = self.evidence.sources.iter().map(|source| format!("[{}]", source.id));
        let tables = self.evidence.tables.iter().map(|table| format!("({})", table.id));
        let markers = text.contains(['[', '(']).then(|| sources.chain(tables)).into_iter().flatten();
        markers
            .filter(|marker| text.contains(marker.as_str()) && !own(marker))
            .fold(text.to_owned(), |text, marker| text.replace(&format!(" {marker}"), "").replace(&marker, ""))
    }

    fn check_claim(&self, claim: &Claim, verified: &mut Verified) -> Result<(), Failure> {
        let mut checked = claim.clone();
        match &mut checked {
            Claim::Count { over, field, value, number } => self.check_count(over, field, value, *number, verified)?,
            Claim::Total { over, number } => {
                let actual = self.total(over)?;
                if actual != *number {
                    return Err(Failure::WrongTotal { stated: *number, actual });
                }
                verified.cite_basis(over);
            }
            Claim::Statistic { field, statistic, number, source } => {
                self.check_statistic(field, *statistic, *number, source.as_deref())?;
                verified.from_records = true;
                source.iter().for_each(|id| verified.cite(id));
            }
            Claim::GroupStatistic { field, statistic, number, by, value } => {
                let actual = self.evidence.group_statistic(field, *statistic, by, value);
                if !agrees(*number, actual) {
                    let (field, statistic, stated) = (field.clone(), *statistic, *number);
                    return Err(Failure::WrongStatistic { field, statistic, stated, actual });
                }
                verified.from_records = true;
            }
            Claim::Quote { source, text, start } => {
                let holder = self.evidence.sources.get(source);
                let holder = holder.ok_or_else(|| Failure::UnknownSource { id: source.clone() })?;
                let place = quote::find(holder.text.for_code(), text, *start);
                *start = Some(place.ok_or_else(|| Failure::QuoteNotFound { source_id: source.clone() })?);
                verified.from_records = true;
                verified.cite(source);
            }
        }
        verified.claims.push(checked);
        Ok(())
    }

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
            return Err(Failure::WrongCount { field: field.to_owned(), value: plain(value), stated, actual });
        }
        verified.cite_basis(over);
        examples.iter().take(MAX_SOURCES).for_each(|source| verified.cite(&source.id));
        Ok(())
    }

    fn check_statistic(
        &self,
        field: &str,
        statistic: Statistic,
        stated: f64,
        source: Option<&str>,
    ) -> Result<(), Failure> {
        let wrong = |actual| Failure::WrongStatistic { field: field.to_owned(), statistic, stated, actual };
        let actual = self.evidence.statistic(field, statistic);
        if !agrees(stated, actual) {
            return Err(wrong(actual));
        }
        if let Some(id) = source {
            let holder = self.evidence.sources.get(id).ok_or_else(|| Failure::UnknownSource { id: id.to_owned() })?;
            let held = holder.field(field).and_then(Value::as_f64);
            if held != actual {
                return Err(wrong(held));
            }
        }
        Ok(())
    }

    fn total(&self, over: &Basis) -> Result<u64, Failure> {
        Ok(match over {
            Basis::Aggregation(id) => self.table(id)?.total,
            Basis::Records => self.evidence.sources.len() as u64,
        })
    }

    fn table(&self, id: &str) -> Result<&'a Table, Failure> {
        self.evidence.table(id).ok_or_else(|| Failure::UnknownAggregation { id: id.to_owned() })
    }
}

impl Verified {
    fn cite(&mut self, id: &str) {
        if self.sources.len() < MAX_SOURCES && !self.sources.iter().any(|known| known == id) {
            self.sources.push(id.to_owned());
        }
    }

    fn cite_basis(&mut self, over: &Basis) {
        match over {
            Basis::Aggregation(id) if !self.tables.contains(id) => self.tables.push(id.clone()),
            Basis::Aggregation(_) => {}
            Basis::Records => self.from_records = true,
        }
    }
}

/// Whether a statistic is stated as it is, to the decimals that are given.
fn agrees(stated: f64, actual: Option<f64>) -> bool {
    let shown = figures(&stated.abs().to_string());
    let sign_fits = actual.is_some_and(|actual| actual == 0.0 || stated == 0.0 || (actual < 0.0) == (stated < 0.0));
    sign_fits && shown.iter().all(|figure| actual.is_some_and(|actual| figure.shows(actual)))
}

/// Whether every number of a text stands in one of the others.
pub(crate) fn numbers_stand_in<'t>(text: &str, others: impl IntoIterator<Item = &'t str>) -> bool {
    let known: Vec<Figure> = others.into_iter().flat_map(figures).collect();
    figures(text).iter().all(|figure| known.iter().any(|other| other.equals(figure)))
}

#[cfg(test)]
mod tests;
