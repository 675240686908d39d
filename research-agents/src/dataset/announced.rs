//! What the user was told of already, so that records and findings can be told as they come and never twice.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::event::{DatasetEventKind, SourceCard};
use super::record::Finding;
use crate::kernel::Source;

/// Shared by all parts of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Announced(Arc<Mutex<Told>>);

#[derive(Debug, Default)]
struct Told {
    sources: HashSet<String>,
    /// By id, the number of records that the finding had when it was told last.
    findings: HashMap<String, usize>,
}

impl Announced {
    /// The event for those of the sources that were not told yet.
    pub(crate) fn sources<'s>(&self, sources: impl IntoIterator<Item = &'s Source>) -> Option<DatasetEventKind> {
        let mut told = self.lock();
        let new = sources.into_iter().filter(|source| told.sources.insert(source.id.clone()));
        let sources: Vec<SourceCard> = new.map(SourceCard::from).collect();
        (!sources.is_empty()).then_some(DatasetEventKind::Sources { sources })
    }

    /// The event for a finding that is new, or that more records have joined.
    pub(crate) fn finding(&self, finding: &Finding) -> Option<DatasetEventKind> {
        let mut told = self.lock();
        let news = told.findings.get(&finding.id).is_none_or(|count| *count < finding.evidence_count);
        if news {
            told.findings.insert(finding.id.clone(), finding.evidence_count);
        }
        news.then(|| DatasetEventKind::Finding { finding: finding.clone() })
    }

    fn lock(&self) -> MutexGuard<'_, Told> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(records: usize) -> Finding {
        let doc_ids = (0..records).map(|id| id.to_string()).collect();
        let (id, claim) = ("f_1".to_owned(), "gulls lead".to_owned());
        let (evidence, themes, relevant_questions) = (Vec::new(), Vec::new(), Vec::new());
        let (evidence_count, confidence) = (records, crate::dataset::record::Strength::Medium);
        Finding { id, claim, evidence, evidence_count, doc_ids, confidence, relevant_questions, themes }
    }

    #[test]
    fn a_finding_is_told_again_only_when_it_has_grown() {
        let announced = Announced::default();
        let told = [1, 1, 3, 2, 3, 4].map(|records| announced.finding(&finding(records)).is_some());
        assert_eq!(told, [true, false, true, false, false, true]);
    }

    #[test]
    fn a_source_is_told_once() {
        let announced = Announced::default();
        let source = Source { id: "7".into(), ..Source::default() };
        assert!(announced.sources([&source]).is_some());
        assert!(announced.sources([&source]).is_none());
    }
}
