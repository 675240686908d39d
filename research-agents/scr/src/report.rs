//! The memo as a report whose sentences have their quotes.

use std::collections::{BTreeMap, BTreeSet};

use research_agents_report::check::{Checker, Verified};
use research_agents_report::claim::{Claim, Statement as Drafted};
use research_agents_report::document::{Report, ReportWriter};
use research_agents_report::evidence::Evidence;
use research_agents_report::passage::extract::Extract;
use research_agents_report::passage::{Document, Found, Origin, OriginKind, PassageRegistry};
use research_agents_report::text::visible;
use research_agents_report::trust::Mark;

use crate::memo::{Basis, Finding, Scr, SectionKind, Statement};
use crate::relations::Relations;
use crate::role::Role;

/// By id of a finding, the passages that carry it.
pub type PassagesOf = BTreeMap<String, Vec<String>>;

/// Returns findings as documents, each with its passage, and the passage of each finding.
pub fn evidence_of(findings: &[Finding]) -> (Evidence, PassagesOf) {
    let mut evidence = Evidence::default();
    let mut passages_of = PassagesOf::new();
    for document in documents_of(findings) {
        let id = evidence.passages.add_document(document.1);
        let length = evidence
            .passages
            .document(&id)
            .map_or(0, |document| document.text.for_code().len());
        let found = Found::by("finding");
        if let Ok(passage) = evidence.passages.add(&id, 0..length, found) {
            passages_of.entry(document.0).or_default().push(passage);
        }
    }
    (evidence, passages_of)
}

/// Returns findings as documents, with their ids. The name of a finding's source is its site, as a
/// finding does not say who publishes it.
pub(crate) fn documents_of(findings: &[Finding]) -> Vec<(String, Document)> {
    let document = |finding: &Finding| {
        let source = finding.source.for_code();
        let origin = Origin {
            kind: OriginKind::File,
            address: source.clone(),
            site: source.clone(),
            date: None,
            version: None,
        };
        let text = visible(finding.text.for_code());
        let document = Document::new(source.as_str(), text)
            .with_origin(origin)
            .with_title(source.as_str());
        (finding.id.clone(), document)
    };
    findings.iter().map(document).collect()
}

/// The report of a memo in writing.
///
/// ```
/// use research_agents_scr::memo::{Finding, Scr};
/// use research_agents_scr::report::{MemoReport, evidence_of};
/// use research_agents_scr::update::Resolution;
///
/// let mut memo = Scr::new("Should we move?");
/// memo.update([Finding::new("Version 16 was released in 2023.", "a.md")], Resolution::OnRequest);
/// let (evidence, passages_of) = evidence_of(&memo.findings);
///
/// let report = MemoReport::new(&memo, &evidence, &passages_of).finish();
/// let markdown = report.to_markdown();
/// assert!(markdown.contains("Version 16 was released in 2023 [E1]."), "{markdown}");
/// assert!(markdown.contains("The resolution is not written yet."));
/// ```
pub struct MemoReport<'a> {
    memo: &'a Scr,
    passages: &'a PassageRegistry,
    passages_of: &'a PassagesOf,
    checker: Checker<'a>,
    writer: ReportWriter<'a>,
    marks: BTreeMap<String, Mark>,
    left_out: BTreeSet<String>,
}

impl<'a> MemoReport<'a> {
    /// Begins a report over the passages of the findings.
    pub fn new(memo: &'a Scr, evidence: &'a Evidence, passages_of: &'a PassagesOf) -> Self {
        let question = memo.question.as_str();
        Self {
            memo,
            passages: &evidence.passages,
            passages_of,
            checker: Checker::new(evidence, [question]),
            writer: ReportWriter::new(evidence, question).with_question(question),
            marks: BTreeMap::new(),
            left_out: BTreeSet::new(),
        }
    }

    /// Adds a note at the head.
    #[must_use]
    pub fn note(mut self, text: &str) -> Self {
        self.writer.note(text);
        self
    }

    /// Sets the marks of statements, by their ids.
    #[must_use]
    pub fn marks(mut self, marks: BTreeMap<String, Mark>) -> Self {
        self.marks = marks;
        self
    }

    /// Leaves statements out, by their ids: they are listed as not carried.
    #[must_use]
    pub fn leaving_out(mut self, ids: BTreeSet<String>) -> Self {
        self.left_out = ids;
        self
    }

    /// Returns the passages of a statement's findings.
    pub fn passages(&self, statement: &Statement) -> Vec<String> {
        passages_of_ids(self.passages_of, &statement.findings)
    }

    /// Writes the sections, and returns the report.
    pub fn finish(self) -> Report {
        self.finish_with(|_| {})
    }

    /// Writes the sections and then what `more` adds, and returns the report.
    pub fn finish_with(mut self, more: impl FnOnce(&mut ReportWriter<'a>)) -> Report {
        if !self.memo.by_model {
            self.writer.note(Extract::NOTICE);
        }
        let mut uncarried = Vec::new();
        for &kind in self.memo.sections() {
            self.section(kind, &mut uncarried);
        }

        if !uncarried.is_empty() {
            self.writer.section("Not carried by the findings");
            self.writer.notes(&uncarried);
        }
        more(&mut self.writer);
        self.writer.finish()
    }

    fn section(&mut self, kind: SectionKind, uncarried: &mut Vec<String>) {
        self.writer.section(kind.heading());
        let memo = self.memo;
        let statements = &memo.section(kind).statements;
        if statements.is_empty() {
            self.writer.note(memo.without(kind));
        }

        let mut plain = Vec::new();
        for statement in statements {
            let Some(verified) = self.verified(statement) else {
                uncarried.push(statement.text.for_code().clone());
                continue;
            };
            match &statement.against {
                None => plain.push(verified),
                Some(against) => {
                    let ids = passages_of_ids(self.passages_of, &against.findings);
                    let other = self.sentence(against.text.for_code(), &ids, true, None);
                    self.writer.note("Findings contradict each other:");
                    let sides: Vec<Verified> = other.into_iter().chain([verified]).collect();
                    self.writer.bullets(&sides);
                }
            }
        }
        self.writer.bullets(&plain);
        if kind == memo.structure.section_of(Role::Problem) {
            self.unmet();
        }
    }

    /// Writes the requirements that nothing meets.
    fn unmet(&mut self) {
        let relations = Relations::of(&self.memo.findings);
        let unmet = relations.unmet(&self.memo.question);
        let sentences = unmet.into_iter().filter_map(|relation| {
            let ids = self.passages_of.get(&relation.finding)?;
            self.sentence(&relation.sentence, ids, true, None)
        });
        let sentences: Vec<Verified> = sentences.collect();
        if !sentences.is_empty() {
            self.writer.note("Required, and not met by any finding:");
            self.writer.bullets(&sentences);
        }
    }

    /// Returns a statement as a sentence with its quotes, if they carry it.
    fn verified(&self, statement: &Statement) -> Option<Verified> {
        if self.left_out.contains(&statement.id) {
            return None;
        }
        let ids = self.passages(statement);
        let is_quoted = statement.basis == Basis::Quoted;
        let mark = self.marks.get(&statement.id).copied();
        self.sentence(statement.text.for_code(), &ids, is_quoted, mark)
    }

    fn sentence(
        &self,
        text: &str,
        passages: &[String],
        is_quoted: bool,
        mark: Option<Mark>,
    ) -> Option<Verified> {
        let says = passages.iter().filter_map(|id| {
            let whole = self.passages.get(id)?.text.for_code();
            let quote = if is_quoted { text } else { whole };
            let is_there = !is_quoted || one_line(whole).contains(text);
            is_there.then(|| Claim::Says {
                source: id.clone(),
                text: quote.to_owned(),
                start: None,
            })
        });

        let drafted = Drafted {
            text: text.to_owned(),
            claims: says.collect(),
        };
        let verified = self.checker.check(&drafted).ok()?;
        Some(match mark {
            Some(mark) => verified.with_mark(mark),
            None => verified,
        })
    }
}

/// Returns the passages of findings, each once.
pub fn passages_of_ids(passages_of: &PassagesOf, findings: &[String]) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    for id in findings
        .iter()
        .filter_map(|id| passages_of.get(id))
        .flatten()
    {
        if !ids.contains(id) {
            ids.push(id.clone());
        }
    }
    ids
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
