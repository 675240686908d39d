//! The checker of sentences.

mod quoted;
mod recount;

use std::collections::HashSet;
use std::sync::OnceLock;

use serde_json::Value;

use crate::check::computed;
use crate::check::computed::scene::Scene;
use crate::check::computed::vocabulary::{Vocabulary, without};
use crate::check::counts::parsed::ParsedSentence;
use crate::check::counts::support::{Support, texts as texts_of};
use crate::check::counts::{bounds, compare, measure, negation, owners, pairs};
use crate::check::failure::Failure;
use crate::check::figure::{Figure, figures, figures_in};
use crate::check::glued::stands_in;
use crate::check::identifier::Material;
use crate::check::rigour::Rigour;
use crate::check::{fields, glued, identifier, words};
use crate::claim::{Claim, Statement};
use crate::evidence::run::Evidence;
use crate::language::tag::Language;
use crate::text::keys::keys;
use crate::text::line::Line;
use crate::trust::Mark;

/// A sentence that a [`Checker`] has verified, with its claims and citations.
#[derive(Clone, Debug, PartialEq)]
pub struct Verified {
    pub(crate) text: String,
    pub(crate) claims: Vec<Claim>,
    sources: Vec<String>,
    tables: Vec<String>,
    from_records: bool,
    mark: Option<Mark>,
}

impl Verified {
    /// Sets the mark that a report prints after the sentence. Defaults to none.
    #[must_use]
    pub fn with_mark(mut self, mark: Mark) -> Self {
        self.mark = Some(mark);
        self
    }

    /// Returns the mark.
    pub fn mark(&self) -> Option<Mark> {
        self.mark
    }

    /// Returns the sentence, without citation markers.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the claims, with the offset of every quote.
    pub fn claims(&self) -> &[Claim] {
        &self.claims
    }

    /// Returns the ids of the cited sources, at most [`MAX_SOURCES`].
    pub fn sources(&self) -> &[String] {
        &self.sources
    }

    /// Returns the ids of the cited aggregations, in the order of their numbers.
    pub fn tables(&self) -> &[String] {
        &self.tables
    }

    /// Returns whether a claim is about the records read, rather than about an aggregation of all
    /// matching records.
    pub fn from_records(&self) -> bool {
        self.from_records
    }
}

/// The maximum number of sources that a sentence cites. Of a count of more records, they are
/// examples.
pub const MAX_SOURCES: usize = 3;

/// The maximum number of claims of a sentence. Their shares and ratios are as many as their pairs.
pub const MAX_CLAIMS: usize = 200;

/// Checks sentences against the evidence of a run.
///
/// ```
/// use research_agents_report::claim::{Basis, Claim, Statement};
/// use research_agents_report::check::{Checker, Failure};
/// use research_agents_report::evidence::{Evidence, Table, TableRow};
/// use serde_json::json;
///
/// let row = |value: &str, count| TableRow::new("size", value, count);
/// let table = Table {
///     id: "A1".into(),
///     field: "size".into(),
///     total: 116,
///     rows: vec![row("Small", 99), row("Large", 17)],
///     ..Table::default()
/// };
/// let evidence = Evidence { tables: vec![table], ..Evidence::default() };
/// let checker = Checker::new(&evidence, []);
///
/// let claim = Claim::Count {
///     over: Basis::Aggregation("A1".into()),
///     field: "size".into(),
///     value: json!("Small"),
///     number: 99,
/// };
/// let check = |text: &str| {
///     checker.check(&Statement { text: text.into(), claims: vec![claim.clone()] })
/// };
/// assert!(check("The largest group is Small with 99 of 116 records.").is_ok());
///
/// let wrong_number = check("Small has 98 records.");
/// assert!(matches!(wrong_number, Err(Failure::UnsupportedNumber { .. })));
/// let wrong_value = check("Large has 99 records.");
/// assert!(matches!(wrong_value, Err(Failure::UnclaimedValue { .. })));
/// let wrong_words = check("The smallest group is Small.");
/// assert!(matches!(wrong_words, Err(Failure::WrongComparison { .. })));
/// ```
#[derive(Clone, Debug)]
pub struct Checker<'a> {
    evidence: &'a Evidence,
    context: Vec<Figure>,
    language: Language,
    /// The texts of the context, joined.
    free: String,
    /// Values of the data that are written as names, collected on first use.
    names: OnceLock<HashSet<String>>,
    /// Names of fields that cannot be taken for ordinary words, collected on first use.
    fields: OnceLock<Vec<String>>,
}

impl<'a> Checker<'a> {
    /// Creates a checker of English sentences. They may repeat the numbers and names of the
    /// context, such as the user's question and filters, without a claim.
    pub fn new<'t>(evidence: &'a Evidence, context: impl IntoIterator<Item = &'t str>) -> Self {
        Self::in_language(Language::ENGLISH, evidence, context)
    }

    /// Creates a checker of sentences in a language, whose rules apply to the numbers of the
    /// sentences. Numbers of the context may be written by these rules too.
    pub fn in_language<'t>(
        language: Language,
        evidence: &'a Evidence,
        context: impl IntoIterator<Item = &'t str>,
    ) -> Self {
        let texts: Vec<&str> = context.into_iter().collect();
        let context = texts
            .iter()
            .flat_map(|text| as_both(text, language))
            .collect();
        Self {
            evidence,
            context,
            language,
            free: texts.join("\n"),
            names: OnceLock::new(),
            fields: OnceLock::new(),
        }
    }

    /// Returns what the sentences are checked against.
    pub(crate) fn evidence(&self) -> &Evidence {
        self.evidence
    }

    /// Returns the language of the sentences.
    pub fn language(&self) -> Language {
        self.language
    }

    /// Checks a drafted sentence, which needs at least one claim.
    ///
    /// # Errors
    ///
    /// Returns the first reason why it does not hold.
    pub fn check(&self, statement: &Statement) -> Result<Verified, Failure> {
        if statement.claims.is_empty() {
            Err(Failure::NoEvidence)
        } else {
            self.check_loose(statement)
        }
    }

    /// Checks a drafted sentence, which needs a claim only if it contains a number that is not in
    /// the context.
    ///
    /// The verified claims are completed: a quote gets the offset of its nearest occurrence,
    /// extended to whole words, and a rounded statistic gets its exact value.
    ///
    /// # Errors
    ///
    /// Returns the first reason why it does not hold.
    pub fn check_loose(&self, statement: &Statement) -> Result<Verified, Failure> {
        // The text is checked as it will be printed: hidden characters could separate the digits of
        // a number.
        let line = Line::new(&statement.text);
        let text = Line::new(&self.without_markers(line.as_str(), &statement.claims))
            .as_str()
            .to_owned();
        let verified = self.check_claims(text, &statement.claims, Rigour::Draft)?;
        self.check_words(&verified)?;
        Ok(verified)
    }

    /// Checks claims against the evidence, and collects the citations of those that hold.
    pub(crate) fn check_claims(
        &self,
        text: String,
        claims: &[Claim],
        rigour: Rigour,
    ) -> Result<Verified, Failure> {
        if claims.len() > MAX_CLAIMS {
            return Err(Failure::TooManyClaims {
                count: claims.len(),
                most: MAX_CLAIMS,
            });
        }

        let mut verified = Verified {
            text,
            claims: Vec::new(),
            sources: Vec::new(),
            tables: Vec::new(),
            from_records: false,
            mark: None,
        };
        for claim in claims {
            self.check_claim(claim, rigour, &mut verified)?;
        }

        // `A2` before `A10`, regardless of the order of the claims.
        verified
            .tables
            .sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
        Ok(verified)
    }

    /// Checks the text of a sentence against its claims, which hold.
    pub(crate) fn check_words(&self, verified: &Verified) -> Result<(), Failure> {
        let Verified { text, claims, .. } = verified;
        if holds_key(text, claims) {
            return Err(Failure::HoldsKey);
        }

        // A sentence that passages carry is held against them, and against nothing else.
        self.check_grounding(text, claims)?;
        let is_said = |claim: &Claim| matches!(claim, Claim::Says { .. });
        if !claims.is_empty() && claims.iter().all(is_said) {
            return Ok(());
        }

        // Words of the question that the sentence says are not applied say nothing about the data.
        let unapplied = Vocabulary::new(self.language).unapplied(text, &self.free);
        let text = &without(text, &unapplied.quoted);

        // Every number follows from the claims, the context, or the id of a cited record.
        let support = Support::new(claims, self.evidence, self.language);
        let sentence = ParsedSentence::new(text, claims, self.evidence, self.language);
        let scene = Scene::new(&sentence, claims, self.evidence, self.language);
        let is_free = |figure: &Figure| self.context.iter().any(|c| c.may_be_repeated_as(figure));
        let unsupported = sentence.figures.iter().find(|figure| {
            !(is_free(figure)
                || support.carries(figure)
                || computed::derived::explains(&scene, figure)
                || names_a_source(&sentence, figure, &verified.sources))
        });
        if let Some(figure) = unsupported {
            return Err(Failure::UnsupportedNumber {
                figure: figure.text.clone(),
            });
        }

        // No number is a part of a negative or larger one.
        let claimed: Vec<String> = claims.iter().flat_map(texts_of).collect();
        let is_repeated = |written: &str| {
            let mut texts = claimed.iter().chain(&verified.sources).map(String::as_str);
            texts.any(|text| stands_in(text, written)) || stands_in(&self.free, written)
        };
        let is_negative = |figure: &Figure| support.shown_by(figure).any(|number| number < 0.0);
        glued::check(
            &sentence,
            self.language.numerals(),
            is_repeated,
            is_negative,
        )?;

        // Numbers, comparisons and negations agree with the claims.
        pairs::check(&sentence, &words::fold(&self.free), self.evidence)?;
        owners::check(&sentence, is_free, self.evidence)?;
        compare::check(&sentence)?;
        bounds::check(&sentence, &support, |figure| {
            is_free(figure) || scene.is_scope(figure)
        })?;
        measure::check(&sentence, claims)?;
        negation::check(&sentence, claims, |figure| {
            !is_free(figure) && support.counts(figure)
        })?;

        computed::check(&scene, &self.free, self.language, is_free)?;

        // A number is said of the field and of the records that its claim is about.
        let counts = |claim: &Claim| !matches!(claim, Claim::Quote { .. } | Claim::Says { .. });
        if claims.iter().any(counts) && !sentence.figures.is_empty() {
            let fields = self
                .fields
                .get_or_init(|| fields::field_names(self.evidence));
            let known = fields::Known::new(claims, self.evidence, &self.free);
            // The reason why words are not applied may name any field, but no number.
            let text = without(text, &unapplied.reasons);
            fields::check(&text, &words::fold(&text), fields, &known)?;
        }

        // Every name occurs in the claims, the context, or what the sentence cites.
        let names = identifier::names(
            text,
            self.names
                .get_or_init(|| identifier::names_in(self.evidence)),
        );
        if names.is_empty() {
            return self.check_quotes(text, claims);
        }
        let quoted = claims.iter().filter_map(|claim| match claim {
            Claim::Quote { source, .. } | Claim::Says { source, .. } => Some(source),
            _ => None,
        });
        let sources = verified
            .sources
            .iter()
            .chain(quoted)
            .filter_map(|id| self.evidence.source(id));
        let sources: Vec<_> = sources.collect();
        let tables = verified
            .tables
            .iter()
            .filter_map(|id| self.evidence.table(id));
        identifier::check(
            &names,
            &Material::new(
                claims,
                &self.free,
                sources.iter().map(AsRef::as_ref),
                tables,
            ),
        )?;
        self.check_quotes(text, claims)
    }

    /// Returns the text without citation markers. A model may write some in spite of its
    /// instructions, but only the writer of the report sets them.
    fn without_markers(&self, text: &str, claims: &[Claim]) -> String {
        let mut text = text.to_owned();
        // Removing one marker may join the text around it to another.
        while let Some(marker) = self.marker_in(&text, claims) {
            text = text.replace(&format!(" {marker}"), "").replace(&marker, "");
        }
        text
    }

    /// Returns a citation marker in a string. One that is also in a field's name, a value or a
    /// quote of the claims is not a marker.
    pub(crate) fn marker_in(&self, text: &str, claims: &[Claim]) -> Option<String> {
        let own = |marker: &str| {
            let mut texts = claims.iter().flat_map(texts_of);
            texts.any(|text| text.contains(marker))
        };
        let sources = self
            .evidence
            .sources
            .iter()
            .map(|source| format!("[{}]", source.id));
        let passages = self.evidence.passages.iter();
        let passages = passages.map(|passage| format!("[{}]", passage.id));
        let tables = self
            .evidence
            .tables
            .iter()
            .map(|table| format!("({})", table.id));
        let mut markers = text
            .contains(['[', '('])
            .then(|| sources.chain(passages).chain(tables))
            .into_iter()
            .flatten();

        markers.find(|marker| text.contains(marker.as_str()) && !own(marker))
    }
}

/// Returns whether a sentence or one of its claims contains what looks like a provider's key. A
/// report shows both.
fn holds_key(text: &str, claims: &[Claim]) -> bool {
    let in_claim = |claim: &Claim| {
        let value = claim.value().map(Value::to_string);
        let texts = [claim.text(), value.as_deref()];
        texts
            .into_iter()
            .flatten()
            .any(|text| !keys(text).is_empty())
    };
    !keys(text).is_empty() || claims.iter().any(in_claim)
}

/// Returns whether a number is in the id of a cited record: *record 4711*, *#4711*, *PAG001*.
fn names_a_source(sentence: &ParsedSentence<'_>, figure: &Figure, cited: &[String]) -> bool {
    let before = sentence.folded[..figure.at.start].trim_end();
    let word = before
        .rsplit(|c: char| !c.is_alphanumeric())
        .next()
        .unwrap_or_default();
    let refers = before.ends_with('#')
        || matches!(
            word,
            "record" | "source" | "row" | "document" | "report" | "entry" | "id"
        );
    let has_letter = |id: &str| id.contains(char::is_alphabetic);

    cited.iter().any(|id| {
        let places = words::occurrences(sentence.text, &sentence.folded, id, false).into_iter();
        (refers || has_letter(id))
            && places
                .into_iter()
                .any(|at| at.start <= figure.at.start && figure.at.end <= at.end)
    })
}

/// Returns the numbers of a string, read by the rules of data and by those of a language.
fn as_both(text: &str, language: Language) -> Vec<Figure> {
    let mut found = figures(text);
    if language != Language::ENGLISH {
        found.extend(figures_in(text, language));
    }
    found
}

/// Returns whether every number of a string in a language occurs in one of the others.
pub fn numbers_stand_in<'t>(
    text: &str,
    language: Language,
    others: impl IntoIterator<Item = &'t str>,
) -> bool {
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
            || verbatim
                .iter()
                .any(|other| other.text == figure.text && other.equals(figure))
    })
}

/// Returns every number of a string, as it is written there.
pub fn written_numbers(text: &str, language: Language) -> Vec<String> {
    figures_in(text, language)
        .into_iter()
        .map(|figure| figure.text)
        .collect()
}

#[cfg(test)]
mod tests;
