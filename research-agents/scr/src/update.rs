//! Deliveries: what findings change in a memo.

use crate::memo::{Finding, NewStatement, Scr, SectionKind, Structure};
use crate::role::{Role, role};
use crate::update::delivery::{sentences_of, support};
use crate::update::stems::Stems;

pub(crate) mod stems;
pub(crate) mod delivery;
pub(crate) mod contradictions;

pub use delivery::{Change, ChangeKind, Delivery};

/// When the resolution is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Resolution {
    /// With each delivery.
    WithDelivery,
    /// When [`Scr::complete`] is called.
    OnRequest,
}

impl Scr {
    /// Reads the findings that the memo does not know, by rules. Several deliveries write the same
    /// sections as one with all their findings in the same order.
    pub fn update(
        &mut self,
        findings: impl IntoIterator<Item = Finding>,
        resolution: Resolution,
    ) -> Delivery {
        let mut delivery = self.deliver(findings);
        let mut stems = Stems::of(self);
        let all = self.findings.len();
        for at in self.section(self.structure.first()).read..all {
            let finding = self.findings[at].clone();
            self.read(&finding, &mut stems, &mut delivery);
        }
        for kind in self.sections() {
            if *kind != SectionKind::Resolution {
                self.section_mut(*kind).read = all;
            }
        }

        if resolution == Resolution::WithDelivery {
            self.resolve(&mut delivery);
        }
        if !delivery.is_unchanged() {
            self.version += 1;
        }
        delivery
    }

    /// Writes the proposals that wait into the resolution, by rules. The situation and the
    /// complication stay as they are.
    pub fn complete(&mut self) -> Delivery {
        let mut delivery = Delivery::default();
        self.resolve(&mut delivery);

        if !delivery.changes.is_empty() {
            self.version += 1;
        }
        delivery
    }

    fn read(&mut self, finding: &Finding, stems: &mut Stems, delivery: &mut Delivery) {
        for sentence in sentences_of(finding) {
            let role = role(&sentence);
            let new = NewStatement::quoted(&sentence, &finding.id);
            let kind = self.structure.section_of(role);
            if kind == SectionKind::Resolution
                || self.support(&sentence, &finding.id, delivery)
                || self.contradict(&new, stems, delivery)
            {
                continue;
            }
            self.add(kind, new, stems, delivery);
        }
    }

    fn resolve(&mut self, delivery: &mut Delivery) {
        if self.structure == Structure::Summary {
            return;
        }
        for at in self.resolution.read..self.findings.len() {
            let finding = self.findings[at].clone();
            for sentence in sentences_of(&finding) {
                if role(&sentence) != Role::Proposal {
                    continue;
                }

                let statements = &mut self.resolution.statements;
                let mut same = statements.iter_mut();
                if let Some(same) = same.find(|same| *same.text.for_code() == sentence) {
                    support(same, &finding.id, delivery);
                    continue;
                }
                let new = NewStatement::quoted(&sentence, &finding.id);
                let added = self.resolution.push(SectionKind::Resolution, new);
                delivery.add(ChangeKind::Added, added, &finding.id);
            }
        }
        self.resolution.read = self.findings.len();
    }
}

#[cfg(test)]
mod tests;
