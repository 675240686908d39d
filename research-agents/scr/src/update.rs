//! Deliveries: what findings change in a memo.

use std::collections::HashSet;

use research_agents_report::conflict::between_statements;
use research_agents_report::language::Language;
use research_agents_report::text::{sentences, visible};
use serde::Serialize;

use crate::memo::{Against, Finding, Pending, Scr, Statement};
use crate::role::{Role, role};

/// When the resolution is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Resolution {
    /// With each delivery.
    WithDelivery,
    /// When [`Scr::complete`] is called.
    OnRequest,
}

/// What happened to a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChangeKind {
    /// It is new.
    Added,
    /// Another finding contains the same sentence.
    Supported,
    /// It left the situation, since a finding contradicts it. The complication keeps it.
    Contradicted,
}

/// A change of a memo.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Change {
    /// What happened.
    pub kind: ChangeKind,
    /// The statement after the change; before it, if it was contradicted.
    pub statement: Statement,
    /// Id of the finding that caused it.
    pub finding: String,
}

/// What a delivery did.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Delivery {
    /// Number of findings that the memo did not know.
    pub new: usize,
    /// Number of findings that it knew.
    pub known: usize,
    /// The changes, in the order in which they happened.
    pub changes: Vec<Change>,
}

impl Delivery {
    /// Returns whether the memo has the same bytes as before: it knew every finding, and no
    /// proposal waited.
    pub fn is_unchanged(&self) -> bool {
        self.new == 0 && self.changes.is_empty()
    }

    fn add(&mut self, kind: ChangeKind, statement: Statement, finding: &str) {
        self.changes.push(Change {
            kind,
            statement,
            finding: finding.to_owned(),
        });
    }
}

impl Scr {
    /// Reads the findings that the memo does not know. Several deliveries write the same sections
    /// as one with all their findings in the same order.
    ///
    /// Each new sentence is compared with each statement of the situation and the complication, so
    /// the time grows with the product of both numbers.
    pub fn update(
        &mut self,
        findings: impl IntoIterator<Item = Finding>,
        resolution: Resolution,
    ) -> Delivery {
        let mut delivery = Delivery::default();
        let mut known: HashSet<String> = self
            .findings
            .iter()
            .map(|finding| finding.id.clone())
            .collect();

        for finding in findings {
            if !known.insert(finding.id.clone()) {
                delivery.known += 1;
                continue;
            }
            delivery.new += 1;
            self.read(&finding, &mut delivery);
            self.findings.push(finding);
        }

        if resolution == Resolution::WithDelivery {
            self.resolve(&mut delivery);
        }
        if delivery.new > 0 || !delivery.changes.is_empty() {
            self.version += 1;
        }
        delivery
    }

    /// Writes the proposals that wait into the resolution. The situation and the complication stay
    /// as they are.
    pub fn complete(&mut self) -> Delivery {
        let mut delivery = Delivery::default();
        self.resolve(&mut delivery);

        if !delivery.changes.is_empty() {
            self.version += 1;
        }
        delivery
    }

    fn read(&mut self, finding: &Finding, delivery: &mut Delivery) {
        let text = visible(finding.text.for_code());

        for range in sentences(&text) {
            let sentence = text[range].split_whitespace().collect::<Vec<_>>().join(" ");
            if !sentence.contains(char::is_alphanumeric) {
                continue;
            }
            let role = role(&sentence);
            if role == Role::Proposal {
                let text = sentence.into();
                self.pending.push(Pending {
                    text,
                    finding: finding.id.clone(),
                });
                continue;
            }
            if self.support(&sentence, &finding.id, delivery) {
                continue;
            }
            if self.contradict(&sentence, &finding.id, delivery) {
                continue;
            }

            let added = match role {
                Role::Problem => self.complication.push('C', &sentence, &finding.id, None),
                _ => self.situation.push('S', &sentence, &finding.id, None),
            };
            delivery.add(ChangeKind::Added, added, &finding.id);
        }
    }

    /// Adds a finding to the statement with the same sentence. Returns whether there is one.
    fn support(&mut self, sentence: &str, finding: &str, delivery: &mut Delivery) -> bool {
        let sections = [&mut self.situation, &mut self.complication];
        let mut statements = sections
            .into_iter()
            .flat_map(|section| &mut section.statements);
        let Some(same) = statements.find(|statement| statement.text.for_code() == sentence) else {
            return false;
        };

        support(same, finding, delivery);
        true
    }

    /// Adds a contradiction for each statement of another finding that contradicts the sentence,
    /// and removes the statement from the situation. Returns whether there is one.
    fn contradict(&mut self, sentence: &str, finding: &str, delivery: &mut Delivery) -> bool {
        let mut contradicted = Vec::new();
        for statement in self
            .situation
            .statements
            .iter()
            .chain(&self.complication.statements)
        {
            if statement.findings.iter().any(|id| id == finding) {
                continue;
            }
            let text = statement.text.for_code();
            if let Some(about) = between_statements(text, sentence, Language::ENGLISH) {
                contradicted.push((statement.clone(), about));
            }
        }

        for (statement, about) in &contradicted {
            let before = self.situation.statements.len();
            self.situation
                .statements
                .retain(|kept| kept.id != statement.id);
            if self.situation.statements.len() < before {
                delivery.add(ChangeKind::Contradicted, statement.clone(), finding);
            }
            let against = Some(Against::new(statement, *about));
            let added = self.complication.push('C', sentence, finding, against);
            delivery.add(ChangeKind::Added, added, finding);
        }
        !contradicted.is_empty()
    }

    fn resolve(&mut self, delivery: &mut Delivery) {
        for Pending { text, finding } in std::mem::take(&mut self.pending) {
            let statements = &mut self.resolution.statements;
            if let Some(same) = statements.iter_mut().find(|same| same.text == text) {
                support(same, &finding, delivery);
                continue;
            }
            let added = self.resolution.push('R', text.for_code(), &finding, None);
            delivery.add(ChangeKind::Added, added, &finding);
        }
    }
}

/// Adds a finding to a statement unless it has it.
fn support(statement: &mut Statement, finding: &str, delivery: &mut Delivery) {
    if !statement.findings.iter().any(|id| id == finding) {
        statement.findings.push(finding.to_owned());
        delivery.add(ChangeKind::Supported, statement.clone(), finding);
    }
}

#[cfg(test)]
mod tests;
