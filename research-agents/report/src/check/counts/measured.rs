//! Checks claims about what a data source computed: statistics, correlations, rankings and
//! searches; and about the fields of one record.

use serde_json::Value;

use crate::check::failure::Failure;
use crate::check::rigour::Rigour;
use crate::claim::{Claim, Statistic};
use crate::evidence::run::Evidence;
use crate::evidence::table::{Table, TableMeasure};
use crate::evidence::value::{plain, same_value};

/// A statistic of an aggregation, or of one of its groups.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measured<'c> {
    /// Id of the aggregation.
    pub(crate) over: &'c str,
    /// The field and value of the group.
    pub(crate) group: Option<(&'c str, &'c Value)>,
    /// Field.
    pub(crate) field: &'c str,
    /// Which statistic.
    pub(crate) statistic: Statistic,
}

impl<'c> Measured<'c> {
    /// Returns the statistic that a claim is about.
    pub(crate) fn of_claim(claim: &'c Claim) -> Option<Self> {
        let (over, field, statistic, group) = match claim {
            Claim::Measure {
                over,
                field,
                statistic,
                ..
            } => (over, field, statistic, None),
            Claim::GroupMeasure {
                over,
                by,
                value,
                field,
                statistic,
                ..
            } => (over, field, statistic, Some((by.as_str(), value))),
            Claim::MeasureText {
                over,
                field,
                statistic,
                group,
                ..
            } => {
                let group = group.as_ref().map(|(by, value)| (by.as_str(), value));
                (over, field, statistic, group)
            }
            _ => return None,
        };

        Some(Self {
            over,
            group,
            field,
            statistic: *statistic,
        })
    }

    /// Returns the statistic in the evidence.
    pub(crate) fn find<'e>(&self, evidence: &'e Evidence) -> Option<&'e TableMeasure> {
        let table = evidence.table(self.over)?;
        match self.group {
            Some((by, value)) => table.group_measure(by, value, self.field, self.statistic),
            None => table.measure(self.field, self.statistic),
        }
    }
}

/// Compares a statistic with the evidence, and returns its exact value.
pub(crate) fn check_number(
    measured: Measured<'_>,
    stated: f64,
    evidence: &Evidence,
    rigour: Rigour,
) -> Result<f64, Failure> {
    table(measured.over, evidence)?;
    let actual = measured.find(evidence).and_then(|measure| measure.number);
    actual
        .filter(|actual| rigour.agrees(stated, *actual))
        .ok_or_else(|| Failure::WrongStatistic {
            field: measured.field.to_owned(),
            statistic: measured.statistic,
            stated,
            actual,
        })
}

/// Compares a statistic that is a string with the evidence.
pub(crate) fn check_text(
    measured: Measured<'_>,
    stated: &str,
    evidence: &Evidence,
) -> Result<(), Failure> {
    table(measured.over, evidence)?;
    let actual = measured
        .find(evidence)
        .and_then(|measure| measure.text.as_deref());
    if actual == Some(stated) {
        return Ok(());
    }

    Err(Failure::WrongValue {
        of: measured.over.to_owned(),
        field: measured.field.to_owned(),
        stated: stated.to_owned(),
        actual: actual.map(str::to_owned),
    })
}

/// Compares a correlation with the evidence, and returns its exact value.
pub(crate) fn check_correlation(
    over: &str,
    fields: &[String; 2],
    stated: (f64, u64),
    evidence: &Evidence,
    rigour: Rigour,
) -> Result<f64, Failure> {
    let found = table(over, evidence)?.correlation(fields);
    let actual = found.and_then(|found| Some((found.number?, found.count)));
    match actual {
        Some((number, count)) if count == stated.1 && rigour.agrees(stated.0, number) => Ok(number),
        _ => Err(Failure::WrongCorrelation {
            fields: fields.clone(),
            stated,
            actual,
        }),
    }
}

/// Compares the value of a record's field with the evidence.
pub(crate) fn check_field(
    source: &str,
    field: &str,
    stated: &Value,
    evidence: &Evidence,
) -> Result<(), Failure> {
    let holder = evidence.sources.get(source);
    let holder = holder.ok_or_else(|| Failure::UnknownSource {
        id: source.to_owned(),
    })?;
    let actual = holder.field(field);
    if actual.is_some_and(|actual| same_value(actual, stated)) {
        return Ok(());
    }

    Err(Failure::WrongValue {
        of: source.to_owned(),
        field: field.to_owned(),
        stated: plain(stated),
        actual: actual.map(plain),
    })
}

/// Compares the place of a record with a ranking, whose value of the record must be the record's.
pub(crate) fn check_place(
    over: &str,
    source: &str,
    place: u64,
    order: (&str, bool),
    evidence: &Evidence,
) -> Result<(), Failure> {
    let (field, highest) = order;
    let row = table(over, evidence)?.ranked(field, highest, place);
    let holder = evidence.sources.get(source);
    let holder = holder.ok_or_else(|| Failure::UnknownSource {
        id: source.to_owned(),
    })?;

    let is_there = row.is_some_and(|row| {
        let is_own = holder
            .field(field)
            .is_some_and(|value| same_value(value, &row.value));
        is_own && row.source.as_deref() == Some(source)
    });
    if is_there {
        return Ok(());
    }

    Err(Failure::WrongPlace {
        source_id: source.to_owned(),
        field: field.to_owned(),
        place,
    })
}

/// Checks that a search found a string in no record.
pub(crate) fn check_absent(over: &str, text: &str, evidence: &Evidence) -> Result<(), Failure> {
    if table(over, evidence)?.shows_absent(text) {
        return Ok(());
    }
    Err(Failure::NotAbsent {
        text: text.to_owned(),
    })
}

fn table<'e>(id: &str, evidence: &'e Evidence) -> Result<&'e Table, Failure> {
    let table = evidence.table(id);
    table.ok_or_else(|| Failure::UnknownAggregation { id: id.to_owned() })
}
