//! Keeps account of what was read of what matches: one entry for each tool and set of filters.
//!
//! Totals are kept apart by filters, so that a later narrow query does not shrink the total of a broad one, and records are
//! kept as ids, so that a record that came twice counts once.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::filters::filters_in_words;
use super::record::{Coverage, Object};
use crate::kernel::language::{Language, Phrase};

/// What one query of a tool delivered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct QueryReport {
    /// The tool.
    pub tool: String,
    /// The filters.
    #[serde(default)]
    pub filters: Object,
    /// Records that match, when the tool said so.
    #[serde(default)]
    pub total: Option<u64>,
    /// Ids of the records that came.
    #[serde(default)]
    pub records: Vec<String>,
    /// The tool said that there is no more.
    #[serde(default)]
    pub exhausted: bool,
    /// The records were read for findings.
    #[serde(default)]
    pub scanned: bool,
    /// The limit on documents ended it.
    #[serde(default)]
    pub capped: bool,
    /// Why it ended before its time, in words.
    #[serde(default)]
    pub stopped_early: Option<String>,
}

/// All queries of one tool with the same filters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scope {
    /// The tool.
    pub tool: String,
    /// The filters.
    pub filters: Object,
    /// Records that match, when known.
    pub total: Option<u64>,
    /// Ids of the records that came.
    pub records: BTreeSet<String>,
    /// A scanner has been over it.
    pub scanned: bool,
    /// The limit on documents ended the scan.
    pub capped: bool,
    /// Why the scan ended before its time.
    pub stopped_early: Option<String>,
}

impl Scope {
    /// Records of it that were read.
    pub fn fetched(&self) -> u64 {
        self.records.len() as u64
    }

    /// More records match than came, or nobody knows how many match.
    fn is_open(&self) -> bool {
        self.total.is_none_or(|total| self.fetched() < total)
    }

    /// A scan would bring something: records that did not come yet, or that came and were not read for findings.
    pub fn wants_scan(&self) -> bool {
        let something = self.total.is_none_or(|total| total > 0);
        !self.scanned && something && (self.is_open() || !self.records.is_empty())
    }
}

/// The ledger of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Ledger(Vec<Scope>);

impl Ledger {
    /// Enters a query. One that brought neither a record nor a total, such as a call of a tool that serves no records, leaves
    /// no trace.
    pub fn enter(&mut self, report: &QueryReport) {
        if report.total.is_none() && report.records.is_empty() && !report.scanned {
            return;
        }
        let at = self.0.iter().position(|scope| scope.tool == report.tool && scope.filters == report.filters);
        let at = at.unwrap_or_else(|| {
            let (tool, filters) = (report.tool.clone(), report.filters.clone());
            self.0.push(Scope { tool, filters, ..Scope::default() });
            self.0.len() - 1
        });
        let scope = &mut self.0[at];
        scope.records.extend(report.records.iter().cloned());
        // The newest word of the tool counts. One that never says, or says less than it delivered, is known by where its
        // records end.
        let fetched = scope.fetched();
        let words = [report.total, scope.total, report.exhausted.then_some(fetched)];
        scope.total = words.into_iter().flatten().find(|total| *total >= fetched);
        if report.scanned {
            scope.scanned = true;
            scope.capped = report.capped;
            scope.stopped_early.clone_from(&report.stopped_early);
        }
    }

    /// Notes that a scan was tried, so that it is not tried for ever.
    pub fn close(&mut self, reason: &str) {
        for scope in self.0.iter_mut().filter(|scope| scope.wants_scan()) {
            scope.scanned = true;
            if scope.is_open() {
                scope.stopped_early = Some(reason.to_owned());
            }
        }
    }

    /// All scopes in the order of their first query.
    pub fn scopes(&self) -> &[Scope] {
        &self.0
    }

    /// For each tool the scope with the most matching records: what coverage is measured by.
    pub fn main(&self) -> Vec<&Scope> {
        let mut main: Vec<&Scope> = Vec::new();
        for scope in &self.0 {
            let size = |scope: &Scope| scope.total.unwrap_or_else(|| scope.fetched());
            match main.iter_mut().find(|known| known.tool == scope.tool) {
                Some(known) if size(scope) > size(known) => *known = scope,
                Some(_) => {}
                None => main.push(scope),
            }
        }
        main
    }

    /// The first main scope that a scan should go over.
    pub fn wanting(&self) -> Option<&Scope> {
        self.main().into_iter().find(|scope| scope.wants_scan())
    }

    /// How much of the matching data was read.
    pub fn coverage(&self) -> Coverage {
        let main = self.main();
        let fetched: u64 = main.iter().map(|scope| scope.fetched()).sum();
        let total: Option<u64> =
            if main.is_empty() { None } else { main.iter().map(|scope| scope.total).sum::<Option<u64>>() };
        let fraction = total.map(|total| if total == 0 { 1.0 } else { fetched as f64 / total as f64 });
        let reasons: Vec<&str> =
            main.iter().filter(|scope| scope.is_open()).filter_map(|scope| scope.stopped_early.as_deref()).collect();
        Coverage {
            fetched,
            total,
            fraction,
            capped: main.iter().any(|scope| scope.capped),
            stopped_early: (!reasons.is_empty()).then(|| reasons.join("; ")),
        }
    }

    /// Coverage in English words, one line for each scope when there are several.
    pub fn describe(&self, limit: usize) -> Vec<String> {
        self.describe_in(Language::ENGLISH, limit)
    }

    /// The same in the words of a language, for the report.
    pub fn describe_in(&self, language: Language, limit: usize) -> Vec<String> {
        let several = self.0.len() > 1;
        let line = |scope: &Scope| {
            let of = if several { format!(" ({})", scope_name(scope, language)) } else { String::new() };
            format!("{}{of}", coverage_words(language, scope.fetched(), scope.total, scope.capped, limit))
        };
        self.0.iter().map(line).collect()
    }
}

fn scope_name(scope: &Scope, language: Language) -> String {
    let filters = filters_in_words(&scope.filters, language);
    if filters.is_empty() {
        return scope.tool.clone();
    }
    language.say(Phrase::Where { what: &scope.tool, filters: &filters })
}

/// `165 of 165 records read`, or `300 of 10000 records read (3.0 %), in the tool's order, scan limit 300`.
pub(crate) fn coverage_words(
    language: Language,
    fetched: u64,
    total: Option<u64>,
    capped: bool,
    limit: usize,
) -> String {
    let read = fetched;
    let Some(total) = total else {
        return language.say(Phrase::ReadUnknown { read });
    };
    if fetched >= total {
        return language.say(Phrase::ReadAll { read, total });
    }
    let share = language.decimal(100.0 * fetched as f64 / total as f64, 1);
    let words = language.say(Phrase::ReadPart { read, total, share: &share });
    if capped { language.say(Phrase::ReadLimit { words: &words, limit: limit as u64 }) } else { words }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn report(filters: &str, total: impl Into<Option<u64>>, records: std::ops::Range<u32>) -> QueryReport {
        QueryReport {
            tool: "t".into(),
            filters: Object::from_iter([("country".to_owned(), json!(filters))]),
            total: total.into(),
            records: records.map(|id| id.to_string()).collect(),
            ..QueryReport::default()
        }
    }

    #[test]
    fn records_that_came_twice_count_once() {
        let mut ledger = Ledger::default();
        ledger.enter(&report("India", 165, 0..20));
        assert!(ledger.wanting().is_some());
        ledger.enter(&QueryReport { scanned: true, ..report("India", 165, 0..165) });
        let coverage = ledger.coverage();
        assert_eq!((coverage.fetched, coverage.total, coverage.fraction), (165, Some(165), Some(1.0)));
        assert!(ledger.wanting().is_none());
    }

    #[test]
    fn a_narrow_query_does_not_shrink_the_total() {
        let mut ledger = Ledger::default();
        ledger.enter(&report("", 165, 0..20));
        ledger.enter(&report("India", 12, 0..12));
        assert_eq!(ledger.coverage().total, Some(165));
        assert_eq!(ledger.coverage().fetched, 20);
    }

    #[test]
    fn documents_that_came_but_were_not_read_want_a_scan() {
        let mut ledger = Ledger::default();
        ledger.enter(&report("India", 12, 0..12));
        assert!(ledger.wanting().is_some());
        ledger.enter(&report("Peru", 0, 0..0));
        ledger.close("no more");
        assert!(ledger.wanting().is_none());
        assert_eq!(ledger.coverage().stopped_early, None, "everything had come");
    }

    #[test]
    fn nothing_matches_is_full_coverage_and_wants_no_scan() {
        let mut ledger = Ledger::default();
        ledger.enter(&report("Peru", 0, 0..0));
        assert!(ledger.wanting().is_none());
        assert_eq!(ledger.coverage().fraction, Some(1.0));
        assert_eq!(Ledger::default().coverage().fraction, None);
    }

    #[test]
    fn an_unknown_total_is_known_once_the_tool_has_no_more() {
        let mut ledger = Ledger::default();
        ledger.enter(&report("India", None, 0..20));
        assert!(ledger.wanting().is_some());
        assert_eq!(ledger.coverage().total, None);
        ledger.enter(&QueryReport { exhausted: true, scanned: true, ..report("India", None, 0..33) });
        assert_eq!(ledger.coverage().total, Some(33));
    }

    #[test]
    fn a_tool_that_delivers_more_than_it_says_is_not_believed() {
        let mut ledger = Ledger::default();
        ledger.enter(&report("India", 20, 0..20));
        ledger.enter(&QueryReport { scanned: true, ..report("India", 20, 0..33) });
        assert_eq!((ledger.coverage().total, ledger.coverage().fraction), (None, None));
        ledger.enter(&QueryReport { exhausted: true, scanned: true, ..report("India", 20, 0..40) });
        assert_eq!((ledger.coverage().total, ledger.coverage().fraction), (Some(40), Some(1.0)));
        ledger.enter(&report("India", 20, 0..20));
        assert_eq!(ledger.coverage().total, Some(40));
    }

    #[test]
    fn coverage_is_said_exactly() {
        assert_eq!(coverage_words(Language::ENGLISH, 165, Some(165), false, 300), "165 of 165 records read");
        assert_eq!(
            coverage_words(Language::ENGLISH, 300, Some(10_000), true, 300),
            "300 of 10000 records read (3.0 %), in the tool's order, scan limit 300"
        );
        assert_eq!(
            coverage_words(Language::ENGLISH, 100, Some(165), false, 300),
            "100 of 165 records read (60.6 %), in the tool's order"
        );
        assert_eq!(
            coverage_words(Language::ENGLISH, 7, None, false, 300),
            "7 records read; how many match is not known"
        );
    }

    #[test]
    fn two_tools_are_added_up() {
        let mut ledger = Ledger::default();
        ledger.enter(&report("India", 10, 0..10));
        ledger.enter(&QueryReport { tool: "u".into(), ..report("India", 30, 0..10) });
        let coverage = ledger.coverage();
        assert_eq!((coverage.fetched, coverage.total, coverage.fraction), (20, Some(40), Some(0.5)));
        assert_eq!(ledger.describe(300).len(), 2);
    }
}
