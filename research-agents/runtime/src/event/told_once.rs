//! Remembers which sources and findings of a run were reported, so that each is reported once.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use research_agents_report::evidence::Source;

use crate::event::vocabulary::{RunEvent, SourceCard};

/// The sources and findings that a run has reported. Clones share what they remember.
#[derive(Clone, Debug, Default)]
pub struct ReportedOnce(Arc<Mutex<Reported>>);

#[derive(Debug, Default)]
struct Reported {
    sources: HashSet<String>,
    /// By id of a finding, its number of sources when it was last reported.
    findings: HashMap<String, usize>,
}

impl ReportedOnce {
    /// Returns the event for the sources that were not reported yet, if there are any.
    pub fn sources<'s>(&self, sources: impl IntoIterator<Item = &'s Source>) -> Option<RunEvent> {
        let mut reported = self.lock();
        let new = sources
            .into_iter()
            .filter(|source| reported.sources.insert(source.id.clone()));
        let sources: Vec<SourceCard> = new.map(SourceCard::from).collect();
        (!sources.is_empty()).then_some(RunEvent::Sources { sources })
    }

    /// Returns `true` if a finding is new, or has more sources than when it was last reported.
    pub fn is_news(&self, finding: &str, sources: usize) -> bool {
        let mut reported = self.lock();
        let is_news = reported
            .findings
            .get(finding)
            .is_none_or(|count| *count < sources);
        if is_news {
            reported.findings.insert(finding.to_owned(), sources);
        }
        is_news
    }

    fn lock(&self) -> MutexGuard<'_, Reported> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_is_reported_again_only_when_it_has_grown() {
        let reported = ReportedOnce::default();

        let is_news = [1, 1, 3, 2, 3, 4].map(|sources| reported.is_news("f_1", sources));

        assert_eq!(is_news, [true, false, true, false, false, true]);
    }

    #[test]
    fn a_source_is_reported_once() {
        let reported = ReportedOnce::default();
        let source = Source {
            id: "7".into(),
            ..Source::default()
        };

        assert!(reported.sources([&source]).is_some());
        assert!(reported.sources([&source]).is_none());
    }
}
