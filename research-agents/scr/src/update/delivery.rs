//! What a delivery did to a memo.

use std::collections::HashSet;

use research_agents_report::text::{Untrusted, sentences, visible};
use serde::{Deserialize, Serialize};

use crate::memo::{Finding, NewStatement, Scr, SectionKind, Statement, Withheld};
use crate::update::stems::Stems;

/// What happened to a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChangeKind {
    /// It is new.
    Added,
    /// Another finding contains the same sentence.
    Supported,
    /// A model replaced its text.
    Rewritten,
    /// It left the situation, since a finding contradicts it. The complication keeps it.
    Contradicted,
}

/// A change of a memo.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Change {
    /// What happened.
    pub kind: ChangeKind,
    /// The statement after the change; before it, if it was contradicted.
    pub statement: Statement,
    /// Id of the finding that caused it.
    pub finding: String,
    /// Its text before it was replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Untrusted<String>>,
}

/// What a delivery did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Delivery {
    /// Number of findings that the memo did not know.
    pub new: usize,
    /// Number of findings that it knew.
    pub known: usize,
    /// The changes, in the order in which they happened.
    pub changes: Vec<Change>,
    /// What a model wrote and the memo does not state.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub withheld: Vec<Withheld>,
    /// Why not all sections take account of the findings, if a step failed or was cut off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

impl Delivery {
    /// Returns whether the memo has the same bytes as before: it knew every finding, and no
    /// proposal waited.
    pub fn is_unchanged(&self) -> bool {
        self.new == 0 && self.changes.is_empty()
    }

    pub(crate) fn add(&mut self, kind: ChangeKind, statement: Statement, finding: &str) {
        self.changes.push(Change {
            kind,
            statement,
            finding: finding.to_owned(),
            before: None,
        });
    }
}

impl Scr {
    /// Adds the findings that the memo does not know. No section takes account of them yet.
    pub fn deliver(&mut self, findings: impl IntoIterator<Item = Finding>) -> Delivery {
        let mut delivery = Delivery::default();
        let known = self.findings.iter().map(|finding| finding.id.clone());
        let mut known: HashSet<String> = known.collect();

        for finding in findings {
            if known.insert(finding.id.clone()) {
                delivery.new += 1;
                self.findings.push(finding);
            } else {
                delivery.known += 1;
            }
        }
        delivery
    }

    /// Adds a statement to a section.
    pub(crate) fn add(
        &mut self,
        kind: SectionKind,
        new: NewStatement<'_>,
        stems: &mut Stems,
        delivery: &mut Delivery,
    ) {
        let finding = new.findings.last().cloned().unwrap_or_default();
        let added = self.section_mut(kind).push(kind, new);
        stems.add(&added);
        delivery.add(ChangeKind::Added, added, &finding);
    }

    /// Adds a finding to the statement with the same sentence, or to the side of a contradiction
    /// that has it. Returns whether there is one.
    pub(crate) fn support(
        &mut self,
        sentence: &str,
        finding: &str,
        delivery: &mut Delivery,
    ) -> bool {
        let sections = [
            &mut self.summary,
            &mut self.situation,
            &mut self.complication,
        ];
        let statements = sections
            .into_iter()
            .flat_map(|section| &mut section.statements);
        for statement in statements {
            if statement.text.for_code() == sentence {
                support(statement, finding, delivery);
                return true;
            }

            let against = statement.against.as_mut();
            if let Some(against) = against.filter(|side| side.text.for_code() == sentence) {
                if !against.findings.iter().any(|id| id == finding) {
                    against.findings.push(finding.to_owned());
                    delivery.add(ChangeKind::Supported, statement.clone(), finding);
                }
                return true;
            }
        }
        false
    }
}

/// Adds a finding to a statement unless it has it.
pub(crate) fn support(statement: &mut Statement, finding: &str, delivery: &mut Delivery) {
    if !statement.findings.iter().any(|id| id == finding) {
        statement.findings.push(finding.to_owned());
        delivery.add(ChangeKind::Supported, statement.clone(), finding);
    }
}

/// Returns the sentences of a finding, each with single spaces.
pub(crate) fn sentences_of(finding: &Finding) -> Vec<String> {
    let text = visible(finding.text.for_code());
    let sentences = sentences(&text).into_iter();
    sentences
        .map(|range| text[range].split_whitespace().collect::<Vec<_>>().join(" "))
        .filter(|sentence| sentence.contains(char::is_alphanumeric))
        .collect()
}
