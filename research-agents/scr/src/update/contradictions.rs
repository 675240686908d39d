//! Contradictions between a new sentence and the statements of a memo.

use research_agents_report::conflict::{Side, between_passages};
use research_agents_report::language::Language;
use research_agents_report::passage::{Document, Passage};
use research_agents_report::text::visible;

use crate::memo::{Against, Finding, NewStatement, Scr, Statement};
use crate::role::Role;
use crate::update::delivery::{ChangeKind, Delivery};
use crate::update::stems::Stems;

impl Scr {
    /// Returns the statements that new sentences are compared with: what is proposed contradicts
    /// nothing.
    pub(crate) fn compared(&self) -> impl Iterator<Item = &Statement> {
        let sections = [&self.summary, &self.situation, &self.complication];
        sections.into_iter().flat_map(|section| &section.statements)
    }

    /// Adds a contradiction for each statement of other findings that contradicts a new one, and
    /// removes the statement that stood for itself. Returns whether there is one.
    pub(crate) fn contradict(
        &mut self,
        new: &NewStatement<'_>,
        stems: &mut Stems,
        delivery: &mut Delivery,
    ) -> bool {
        let near = stems.near(new.text);
        let finding = new.findings.last().cloned().unwrap_or_default();
        let others = self.compared().filter(|statement| {
            let mut own = statement.findings.iter();
            near.contains(&statement.id) && !own.any(|id| new.findings.contains(id))
        });
        let contradicted: Vec<_> = others
            .filter_map(|statement| {
                let text = statement.text.for_code();
                let about = stems.conflict(text, new.text)?;
                Some((statement.clone(), about))
            })
            .collect();

        let disputed = self.structure.section_of(Role::Problem);
        for (statement, about) in &contradicted {
            let facts = self.section_mut(self.structure.section_of(Role::Fact));
            let before = facts.statements.len();
            facts
                .statements
                .retain(|kept| kept.id != statement.id || kept.against.is_some());
            if facts.statements.len() < before {
                delivery.add(ChangeKind::Contradicted, statement.clone(), &finding);
            }
            let against = Some(Against::new(statement, *about));
            let new = NewStatement {
                against,
                ..new.clone()
            };
            self.add(disputed, new, stems, delivery);
        }
        !contradicted.is_empty()
    }

    /// Adds the contradictions between the findings from a place on, with both sides.
    pub(crate) fn contradict_each_other(
        &mut self,
        from: usize,
        stems: &mut Stems,
        delivery: &mut Delivery,
    ) {
        let new = self.findings.get(from..).unwrap_or_default();
        let texts: Vec<(Passage, Document)> = new.iter().map(as_passage).collect();
        let views: Vec<(&Passage, &Document)> = texts.iter().map(|(one, of)| (one, of)).collect();
        let disputed = self.structure.section_of(Role::Problem);
        for conflict in between_passages(&views) {
            let [first, second] = conflict.sides;
            let text = |side: &Side| side.text.split_whitespace().collect::<Vec<_>>().join(" ");

            let (one, other) = (text(&first), text(&second));
            let sides = [&one, &other];
            let is_stated = self.section(disputed).statements.iter().any(|statement| {
                let against = statement.against.as_ref();
                sides.contains(&statement.text.for_code())
                    && against.is_some_and(|against| sides.contains(&against.text.for_code()))
            });
            if is_stated {
                continue;
            }

            let against = Against {
                text: one.into(),
                findings: vec![first.source],
                about: conflict.kind,
            };
            let new = NewStatement {
                against: Some(against),
                ..NewStatement::quoted(&other, &second.source)
            };
            self.add(disputed, new, stems, delivery);
        }
    }
}

/// Returns a finding as a document and its only passage, both with the id of the finding.
fn as_passage(finding: &Finding) -> (Passage, Document) {
    let text = visible(finding.text.for_code());
    let mut document = Document::new(finding.id.as_str(), text.as_str());
    document.id.clone_from(&finding.id);
    document.language = Language::ENGLISH;
    let passage = Passage {
        id: finding.id.clone(),
        source: finding.id.clone(),
        text: text.into(),
        ..Passage::default()
    };
    (passage, document)
}
