//! The checker: does a sentence say what the evidence says?
//!
//! Every claim of a sentence is recounted, looked up or searched. Then the words are held against the claims: every number must
//! follow from one of them or stand in the context (the user's question, the filters), every name must stand in what the
//! sentence cites, a value must have its own number, and superlatives, comparisons, directions and negations must agree with
//! the counts. Only a sentence that passes becomes a [`Verified`], and only a [`Verified`] can be printed with citations.
//!
//! [`Checker::check`] takes drafts: it fills in what a model leaves out. [`Checker::verify`] takes finished sentences, and lets
//! nothing pass that differs from what the writer of a report would have written.

mod compare;
mod deny;
mod failure;
mod figure;
mod finished;
mod identifier;
mod measure;
mod pairs;
mod quote;
mod said;
mod support;
mod words;

use std::collections::HashSet;
use std::sync::OnceLock;

use serde_json::Value;

pub use self::failure::Failure;
pub(crate) use self::failure::Flaw;
use self::figure::{Figure, figures, figures_in};
use self::identifier::Material;
use self::said::Said;
use self::support::Support;
use super::claim::{Basis, Claim, Statement, Statistic};
use super::evidence::{Evidence, Table, plain};
use super::keys::keys;
use super::language::Language;
use super::line::Line;

/// A sentence whose claims hold. Only a [`Checker`] makes one.
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

    /// Ids of the aggregations that it cites, in the order of their numbers.
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

/// Two statistics are the same up to the rounding of sums.
const EXACT: f64 = 1e-9;

/// Checks sentences against the evidence of a run.
///
/// ```
/// use research_agents::kernel::{Basis, Checker, Claim, Evidence, Failure, Statement, Table, TableRow};
/// use serde_json::json;
///
/// let row = |value: &str, count| TableRow { field: "size".into(), value: json!(value), count };
/// let rows = vec![row("Small", 99), row("Large", 17)];
/// let table = Table { id: "A1".into(), field: "size".into(), total: 116, rows, ..Table::default() };
/// let evidence = Evidence { tables: vec![table], ..Evidence::default() };
/// let checker = Checker::new(&evidence, []);
///
/// let over = Basis::Aggregation("A1".into());
/// let claims = vec![Claim::Count { over, field: "size".into(), value: json!("Small"), number: 99 }];
/// let said = |text: &str| Statement { text: text.into(), claims: claims.clone() };
/// assert!(checker.check(&said("The largest group is Small with 99 of 116 records.")).is_ok());
/// assert!(matches!(checker.check(&said("Small has 98 records.")), Err(Failure::UnsupportedNumber { .. })));
/// assert!(matches!(checker.check(&said("Large has 99 records.")), Err(Failure::UnclaimedValue { .. })));
/// assert!(matches!(checker.check(&said("The smallest group is Small.")), Err(Failure::WrongComparison { .. })));
/// ```
#[derive(Clone, Debug)]
pub struct Checker<'a> {
    evidence: &'a Evidence,
    context: Vec<Figure>,
    language: Language,
    /// The texts of the context.
    free: String,
    /// Values of the data that are written as names, once a sentence asks for them.
    names: OnceLock<HashSet<String>>,
}

/// How exact claims must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rigour {
    /// A model wrote it: a number may be rounded, and a quote needs no offset.
    Draft,
    /// It stands in a report.
    Finished,
}

impl<'a> Checker<'a> {
    /// A checker. Numbers and names in the context texts, such as the user's question and filters, may be repeated freely.
    pub fn new<'t>(evidence: &'a Evidence, context: impl IntoIterator<Item = &'t str>) -> Self {
        Self::in_language(Language::ENGLISH, evidence, context)
    }

    /// A checker of sentences in a language: it reads their numbers as the language writes them. Those of the context may be
    /// written so too.
    pub fn in_language<'t>(
        language: Language,
        evidence: &'a Evidence,
        context: impl IntoIterator<Item = &'t str>,
    ) -> Self {
        let texts: Vec<&str> = context.into_iter().collect();
        let context = texts.iter().flat_map(|text| as_both(text, language)).collect();
        Self { evidence, context, language, free: texts.join("\n"), names: OnceLock::new() }
    }

    /// The language of the sentences.
    pub(crate) fn language(&self) -> Language {
        self.language
    }

    /// Checks a drafted sentence that asserts something: it needs at least one claim.
    ///
    /// # Errors
    ///
    /// The first reason why it does not hold.
    pub fn check(&self, statement: &Statement) -> Result<Verified, Failure> {
        if statement.claims.is_empty() { Err(Failure::NoEvidence) } else { self.check_loose(statement) }
    }

    /// Checks a drafted sentence that may do without a claim as long as it shows no number of its own.
    ///
    /// A quote without an offset, or with a wrong one, gets the offset of the place nearest to it, and covers whole words; a
    /// rounded statistic gets its exact value.
    ///
    /// # Errors
    ///
    /// The first reason why it does not hold.
    pub fn check_loose(&self, statement: &Statement) -> Result<Verified, Failure> {
        // What is checked is what will be printed: hidden characters could part the digits of a number.
        let line = Line::new(&statement.text);
        let text = Line::new(&self.without_markers(line.as_str(), &statement.claims)).as_str().to_owned();
        let verified = self.check_claims(text, &statement.claims, Rigour::Draft)?;
        self.check_words(&verified)?;
        Ok(verified)
    }

    fn check_claims(&self, text: String, claims: &[Claim], rigour: Rigour) -> Result<Verified, Failure> {
        let (sources, tables) = (Vec::new(), Vec::new());
        let mut verified = Verified { text, claims: Vec::new(), sources, tables, from_records: false };
        for claim in claims {
            self.check_claim(claim, rigour, &mut verified)?;
        }
        // `A2` before `A10`, whatever the order of the claims.
        verified.tables.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
        Ok(verified)
    }

    /// Holds the words of a sentence against its claims, which hold.
    fn check_words(&self, verified: &Verified) -> Result<(), Failure> {
        let Verified { text, claims, .. } = verified;
        if holds_key(text, claims) {
            return Err(Failure::HoldsKey);
        }
        let support = Support::of(claims, self.evidence, self.language);
        let said = Said::of(text, claims, self.evidence, self.language);
        let is_free = |figure: &Figure| self.context.iter().any(|c| c.may_be_repeated_as(figure));
        let unsupported = said.figures.iter().find(|figure| {
            !(is_free(figure) || support.carries(figure) || names_a_source(&said, figure, &verified.sources))
        });
        if let Some(figure) = unsupported {
            return Err(Failure::UnsupportedNumber { figure: figure.text.clone() });
        }
        pairs::check(&said, &words::fold(&self.free), self.evidence)?;
        compare::check(&said)?;
        measure::check(&said, claims)?;
        deny::check(&said, claims, |figure| !is_free(figure) && support.counts(figure))?;
        let names = identifier::names(text, self.names.get_or_init(|| identifier::names_in(self.evidence)));
        if names.is_empty() {
            return Ok(());
        }
        let quoted = claims.iter().filter_map(|claim| match claim {
            Claim::Quote { source, .. } => Some(source),
            _ => None,
        });
        let sources = verified.sources.iter().chain(quoted).filter_map(|id| self.evidence.sources.get(id));
        let tables = verified.tables.iter().filter_map(|id| self.evidence.table(id));
        identifier::check(&names, &Material::of(claims, &self.free, sources.map(AsRef::as_ref), tables))
    }

    /// The text without citation markers that a model wrote in spite of its instructions: the writer of the report sets them.
    fn without_markers(&self, text: &str, claims: &[Claim]) -> String {
        let mut text = text.to_owned();
        // What stood on both sides of one may be another.
        while let Some(marker) = self.marker_in(&text, claims) {
            text = text.replace(&format!(" {marker}"), "").replace(&marker, "");
        }
        text
    }

    /// A citation marker in a text. What stands so in a field's name, a value or a quote of the claims is none.
    fn marker_in(&self, text: &str, claims: &[Claim]) -> Option<String> {
        let own = |marker: &str| {
            claims.iter().any(|claim| match claim {
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
        let mut markers = text.contains(['[', '(']).then(|| sources.chain(tables)).into_iter().flatten();
        markers.find(|marker| text.contains(marker.as_str()) && !own(marker))
    }

    fn check_claim(&self, claim: &Claim, rigour: Rigour, verified: &mut Verified) -> Result<(), Failure> {
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
                *number = self.check_statistic(field, *statistic, *number, source.as_deref(), rigour)?;
                verified.from_records = true;
                source.iter().for_each(|id| verified.cite(id));
            }
            Claim::GroupStatistic { field, statistic, number, by, value } => {
                let actual = self.evidence.group_statistic(field, *statistic, by, value);
                match actual.filter(|actual| agrees(*number, *actual, rigour)) {
                    Some(actual) => *number = actual,
                    None => {
                        let (field, statistic, stated) = (field.clone(), *statistic, *number);
                        return Err(Failure::WrongStatistic { field, statistic, stated, actual });
                    }
                }
                verified.from_records = true;
            }
            Claim::Quote { source, text, start } => {
                let holder = self.evidence.sources.get(source);
                let holder = holder.ok_or_else(|| Failure::UnknownSource { id: source.clone() })?;
                let held = holder.text.for_code();
                let place = quote::find(held, text, *start);
                let place = place.ok_or_else(|| Failure::QuoteNotFound { source_id: source.clone() })?;
                match rigour {
                    Rigour::Finished if start.is_some_and(|at| quote::stands_at(held, text, at)) => {}
                    Rigour::Finished => {
                        return Err(Failure::NotAtSpan { source_id: source.clone(), start: *start });
                    }
                    Rigour::Draft => {
                        *start = Some(place.start);
                        if !quote::stands_at(held, text, place.start) {
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
        rigour: Rigour,
    ) -> Result<f64, Failure> {
        let wrong = |actual| Failure::WrongStatistic { field: field.to_owned(), statistic, stated, actual };
        let Some(actual) = self.evidence.statistic(field, statistic) else { return Err(wrong(None)) };
        if !agrees(stated, actual, rigour) {
            return Err(wrong(Some(actual)));
        }
        if let Some(id) = source {
            let holder = self.evidence.sources.get(id).ok_or_else(|| Failure::UnknownSource { id: id.to_owned() })?;
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

/// Whether a sentence or what it rests on holds what looks like a key: a report shows both.
fn holds_key(text: &str, claims: &[Claim]) -> bool {
    let in_claim = |claim: &Claim| match claim {
        Claim::Count { value, .. } | Claim::GroupStatistic { value, .. } => !keys(&value.to_string()).is_empty(),
        Claim::Quote { text, .. } => !keys(text).is_empty(),
        Claim::Total { .. } | Claim::Statistic { .. } => false,
    };
    !keys(text).is_empty() || claims.iter().any(in_claim)
}

/// Whether a statistic is stated as it is: in a draft to the decimals that are given.
fn agrees(stated: f64, actual: f64, rigour: Rigour) -> bool {
    match rigour {
        _ if !stated.is_finite() => false,
        Rigour::Draft => {
            let sign_fits = actual == 0.0 || stated == 0.0 || (actual < 0.0) == (stated < 0.0);
            sign_fits && figures(&stated.abs().to_string()).iter().all(|figure| figure.shows(actual))
        }
        Rigour::Finished => (actual - stated).abs() <= EXACT * actual.abs(),
    }
}

/// Whether a number is the id of a cited record, or stands in it: *record 4711*, *#4711*, *PAG001*.
fn names_a_source(said: &Said<'_>, figure: &Figure, cited: &[String]) -> bool {
    let before = said.folded[..figure.at.start].trim_end();
    let word = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let refers =
        before.ends_with('#') || matches!(word, "record" | "source" | "row" | "document" | "report" | "entry" | "id");
    let has_letter = |id: &str| id.contains(char::is_alphabetic);
    cited.iter().any(|id| {
        let places = words::occurrences(said.text, &said.folded, id, false).into_iter();
        (refers || has_letter(id))
            && places.into_iter().any(|at| at.start <= figure.at.start && figure.at.end <= at.end)
    })
}

/// The numbers of a text as data and as a language writes them.
fn as_both(text: &str, language: Language) -> Vec<Figure> {
    let mut found = figures(text);
    if language != Language::ENGLISH {
        found.extend(figures_in(text, language));
    }
    found
}

/// Whether every number of a text in a language stands in one of the others.
pub(crate) fn numbers_stand_in<'t>(text: &str, language: Language, others: impl IntoIterator<Item = &'t str>) -> bool {
    let mut known: Vec<Figure> = Vec::new();
    let mut verbatim: Vec<Figure> = Vec::new();
    for other in others {
        known.extend(figures(other));
        if language != Language::ENGLISH {
            verbatim.extend(figures_in(other, language));
        }
    }
    figures_in(text, language).iter().all(|figure| {
        known.iter().any(|other| other.equals(figure))
            || verbatim.iter().any(|other| other.text == figure.text && other.equals(figure))
    })
}

/// Every number of a text, as it is written there.
pub(crate) fn written_numbers(text: &str, language: Language) -> Vec<String> {
    figures_in(text, language).into_iter().map(|figure| figure.text).collect()
}

#[cfg(test)]
mod tests;
