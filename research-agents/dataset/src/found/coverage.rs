//! The ledger of coverage: how much of the matching data was read, with one entry for each tool and
//! set of filters.
//!
//! Totals are separate by filters, so that a later narrow query does not shrink the total of a
//! broad one. Records are kept as ids, so that a record that was returned twice counts once.

pub(crate) mod words;

use std::collections::BTreeSet;

use research_agents_report::evidence::known_sum;
use serde::{Deserialize, Serialize};

pub use crate::data::query::{QueryReport, Samples};
use crate::data::record::{Coverage, Object};

/// All queries of one tool with the same filters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scope {
    /// The tool.
    pub tool: String,
    /// The filters.
    pub filters: Object,
    /// Records that match, when known.
    pub total: Option<u64>,
    /// Ids of the records that the tool returned.
    pub records: BTreeSet<String>,
    /// Whether a scanner has read the records.
    pub scanned: bool,
    /// Whether the limit on documents ended the scan.
    pub capped: bool,
    /// The reason why the scan ended early.
    pub stopped_early: Option<String>,
    /// Number of records that were returned in the tool's order, from the first one on without a
    /// gap.
    #[serde(default)]
    pub first: u64,
    /// The order that a scan requested, in words; the tool's own order otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<String>,
    /// Records that were returned as samples of groups, with the fields of the grouping.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<Samples>,
    /// Number of records that were returned, were not read, and were replaced by newer ones.
    #[serde(default)]
    pub displaced: u64,
}

impl Scope {
    /// Returns the number of its records that were fetched.
    pub fn fetched(&self) -> u64 {
        self.records.len() as u64
    }

    /// Returns whether more records match than were returned, or may match because the total is
    /// unknown.
    fn is_open(&self) -> bool {
        self.total.is_none_or(|total| self.fetched() < total)
    }

    /// Returns whether a scan would read further records: records that were not returned yet, or
    /// that were returned and not read for findings.
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
    /// Enters a query. One with neither a record nor a total, such as a call of a tool that serves
    /// no records, leaves no trace.
    pub fn enter(&mut self, report: &QueryReport) {
        if report.total.is_none() && report.records.is_empty() && !report.scanned {
            return;
        }

        let at = self
            .0
            .iter()
            .position(|scope| scope.tool == report.tool && scope.filters == report.filters);
        let at = at.unwrap_or_else(|| {
            let (tool, filters) = (report.tool.clone(), report.filters.clone());
            self.0.push(Scope {
                tool,
                filters,
                ..Scope::default()
            });
            self.0.len() - 1
        });

        let scope = &mut self.0[at];
        scope.records.extend(report.records.iter().cloned());
        let sampled = report
            .samples
            .as_ref()
            .map_or(0, |samples| samples.records.len());
        scope.first = scope
            .first
            .max(report.records.len().saturating_sub(sampled) as u64);
        scope.samples.extend(
            report
                .samples
                .clone()
                .filter(|samples| !samples.records.is_empty()),
        );

        // The newest total of the tool counts. If the tool never states one, or states less than it
        // returned, the end of its records decides.
        let fetched = scope.fetched();
        let words = [
            report.total,
            scope.total,
            report.exhausted.then_some(fetched),
        ];
        scope.total = words.into_iter().flatten().find(|total| *total >= fetched);

        if report.scanned {
            scope.scanned = true;
            scope.capped = report.capped;
            scope.order.clone_from(&report.order);
            scope.stopped_early.clone_from(&report.stopped_early);
        }
    }

    /// Notes that a scan of a tool was tried and failed, so that it is not tried forever: for what
    /// these filters select, or for everything that the tool was asked for.
    pub fn close(&mut self, tool: &str, filters: Option<&Object>, reason: &str) {
        let was_tried = |scope: &&mut Scope| {
            scope.tool == tool && filters.is_none_or(|tried| *tried == scope.filters)
        };
        for scope in self
            .0
            .iter_mut()
            .filter(|scope| scope.wants_scan())
            .filter(was_tried)
        {
            scope.scanned = true;
            if scope.is_open() {
                scope.stopped_early = Some(reason.to_owned());
            }
        }
    }

    /// Removes a record that was replaced by a newer one.
    pub(crate) fn displace(&mut self, tool: &str, record: &str) {
        for scope in self.0.iter_mut().filter(|scope| scope.tool == tool) {
            if scope.records.remove(record) {
                scope.displaced += 1;
                for samples in &mut scope.samples {
                    samples.records.remove(record);
                }
            }
        }
    }

    /// Returns all scopes in the order of their first query.
    pub fn scopes(&self) -> &[Scope] {
        &self.0
    }

    /// Returns for each tool the scope with the most matching records, of several the one with the
    /// most records read. Coverage is measured by these.
    pub fn main(&self) -> Vec<&Scope> {
        let mut main: Vec<&Scope> = Vec::new();
        for scope in &self.0 {
            let size = |scope: &Scope| {
                (
                    scope.total.unwrap_or_else(|| scope.fetched()),
                    scope.fetched(),
                )
            };
            match main.iter_mut().find(|known| known.tool == scope.tool) {
                Some(known) if size(scope) > size(known) => *known = scope,
                Some(_) => {}
                None => main.push(scope),
            }
        }
        main
    }

    /// Returns the first main scope that a scan should go over.
    pub fn wanting(&self) -> Option<&Scope> {
        self.main().into_iter().find(|scope| scope.wants_scan())
    }

    /// Returns whether a scan would bring records that did not come yet.
    pub(crate) fn has_unfetched(&self) -> bool {
        self.main()
            .iter()
            .any(|scope| scope.wants_scan() && scope.is_open())
    }

    /// Returns how much of the matching data was read.
    pub fn coverage(&self) -> Coverage {
        let main = self.main();
        let fetched: u64 = main.iter().map(|scope| scope.fetched()).sum();
        let total: Option<u64> = if main.is_empty() {
            None
        } else {
            known_sum(main.iter().map(|scope| scope.total))
        };
        let fraction = total.map(|total| {
            if total == 0 {
                1.0
            } else {
                fetched as f64 / total as f64
            }
        });
        let reasons: Vec<&str> = main
            .iter()
            .filter(|scope| scope.is_open())
            .filter_map(|scope| scope.stopped_early.as_deref())
            .collect();

        Coverage {
            fetched,
            total,
            fraction,
            capped: main.iter().any(|scope| scope.capped),
            stopped_early: (!reasons.is_empty()).then(|| reasons.join("; ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn report(
        filters: &str,
        total: impl Into<Option<u64>>,
        records: std::ops::Range<u32>,
    ) -> QueryReport {
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
        ledger.enter(&QueryReport {
            scanned: true,
            ..report("India", 165, 0..165)
        });
        let coverage = ledger.coverage();
        assert_eq!(
            (coverage.fetched, coverage.total, coverage.fraction),
            (165, Some(165), Some(1.0))
        );
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
        ledger.close("u", None, "no more");
        assert!(ledger.wanting().is_some(), "that was another tool");
        ledger.close("t", Some(&Object::new()), "no more");
        assert!(ledger.wanting().is_some(), "those were other records");
        ledger.close("t", None, "no more");
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
        ledger.enter(&QueryReport {
            exhausted: true,
            scanned: true,
            ..report("India", None, 0..33)
        });
        assert_eq!(ledger.coverage().total, Some(33));
    }

    #[test]
    fn a_tool_that_delivers_more_than_it_says_is_not_believed() {
        let mut ledger = Ledger::default();
        ledger.enter(&report("India", 20, 0..20));
        ledger.enter(&QueryReport {
            scanned: true,
            ..report("India", 20, 0..33)
        });

        assert_eq!(
            (ledger.coverage().total, ledger.coverage().fraction),
            (None, None)
        );

        ledger.enter(&QueryReport {
            exhausted: true,
            scanned: true,
            ..report("India", 20, 0..40)
        });

        assert_eq!(
            (ledger.coverage().total, ledger.coverage().fraction),
            (Some(40), Some(1.0))
        );

        ledger.enter(&report("India", 20, 0..20));

        assert_eq!(ledger.coverage().total, Some(40));
    }

    #[test]
    fn two_tools_are_added_up() {
        let mut ledger = Ledger::default();
        ledger.enter(&report("India", 10, 0..10));
        ledger.enter(&QueryReport {
            tool: "u".into(),
            ..report("India", 30, 0..10)
        });
        let coverage = ledger.coverage();
        assert_eq!(
            (coverage.fetched, coverage.total, coverage.fraction),
            (20, Some(40), Some(0.5))
        );
        assert_eq!(ledger.describe(300).len(), 2);
    }
}
