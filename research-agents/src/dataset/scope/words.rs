//! How much was read of what matches, in words for the report, the planner and whoever drafts.

use super::{Ledger, Samples, Scope};
use crate::dataset::filters::describe_filters;

impl Ledger {
    /// Coverage in words for the report, one line for each scope when there are several.
    pub fn describe(&self, limit: usize) -> Vec<String> {
        let several = self.0.len() > 1;
        let line = |scope: &Scope| {
            let of = if several { format!(" ({})", name(scope)) } else { String::new() };
            format!("{}{of}", coverage_words(scope, limit))
        };
        self.0.iter().map(line).collect()
    }

    /// The same of what coverage is measured by, in one line.
    pub(crate) fn summary(&self, limit: usize) -> String {
        let main = self.main();
        if let [scope] = main.as_slice() {
            return coverage_words(scope, limit);
        }
        let line = |scope: &&Scope| format!("{} ({})", coverage_words(scope, limit), name(scope));
        main.iter().map(line).collect::<Vec<_>>().join("; ")
    }

    /// What was read where not all was, to stand after `among`: `the first 300 of 3212 records`. `None` when all was read, or
    /// when it is not known how many match.
    pub(crate) fn read(&self) -> Option<String> {
        let main = self.main();
        let several = main.len() > 1;
        let parts = main.iter().filter(|scope| scope.fetched() > 0).map(|scope| {
            let of = if several { format!(" of {}", scope.tool) } else { String::new() };
            Some(format!("{}{of}", read_words(scope, scope.total?)))
        });
        let parts: Vec<String> = parts.collect::<Option<_>>()?;
        let is_all = main.iter().all(|scope| scope.total == Some(scope.fetched()));
        (!is_all && !parts.is_empty()).then(|| parts.join(" and "))
    }
}

fn name(scope: &Scope) -> String {
    let filters = describe_filters(&scope.filters);
    if filters.is_empty() { scope.tool.clone() } else { format!("{} where {filters}", scope.tool) }
}

/// `165 of 165 records read`, or `300 of 10000 records read (3.0 %), in the tool's order, scan limit 300`.
fn coverage_words(scope: &Scope, limit: usize) -> String {
    let fetched = scope.fetched();
    let Some(total) = scope.total else {
        return format!("{fetched} records read; how many match is not known");
    };
    if fetched >= total {
        return format!("{fetched} of {total} records read");
    }
    let share = 100.0 * fetched as f64 / total as f64;
    let order = scope.order.as_deref().unwrap_or("in the tool's order");
    let how = match (samples_words(&scope.samples), scope.first) {
        (None, _) => order.to_owned(),
        (Some(samples), 0) => samples,
        (Some(samples), first) => format!("the first {first} {order} and {samples}"),
    };
    let gone = match scope.displaced {
        0 => String::new(),
        displaced => format!(", {displaced} more gave way to newer ones unread"),
    };
    let cap = if scope.capped { format!(", scan limit {limit}") } else { String::new() };
    format!("{fetched} of {total} records read ({share:.1} %), {how}{gone}{cap}")
}

/// What was read of a scope, to stand after `among`.
fn read_words(scope: &Scope, total: u64) -> String {
    let fetched = scope.fetched();
    let order = scope.order.as_ref().map(|order| format!(" {order}")).unwrap_or_default();
    match (samples_words(&scope.samples), scope.first) {
        _ if fetched >= total => format!("all {total} records"),
        _ if scope.displaced > 0 => format!("{fetched} of {total} records"),
        (None, _) => format!("the first {fetched} of {total} records{order}"),
        (Some(samples), 0) => format!("{samples} of {total} records"),
        (Some(samples), first) => format!("the first {first} of {total} records{order} and {samples}"),
    }
}

/// `up to 20 of each size`.
fn samples_words(samples: &[Samples]) -> Option<String> {
    let part = |samples: &Samples| {
        let Samples { by, each, groups, is_partial, .. } = samples;
        let by = by.split(',').map(str::trim).collect::<Vec<_>>().join(" and ");
        if *is_partial {
            format!("up to {each} of each of {groups} groups by {by}")
        } else {
            format!("up to {each} of each {by}")
        }
    };
    let mut parts: Vec<String> = samples.iter().filter(|samples| !samples.records.is_empty()).map(part).collect();
    parts.dedup();
    (!parts.is_empty()).then(|| parts.join(" and "))
}

#[cfg(test)]
mod tests {
    use super::super::QueryReport;
    use super::*;

    fn ledger(total: Option<u64>, records: std::ops::Range<u32>, capped: bool) -> Ledger {
        let mut ledger = Ledger::default();
        let records = records.map(|id| id.to_string()).collect();
        ledger.enter(&QueryReport {
            tool: "t".into(),
            total,
            records,
            scanned: true,
            capped,
            ..QueryReport::default()
        });
        ledger
    }

    fn sample(ledger: &mut Ledger, by: &str, records: &[&str]) {
        let ids = || records.iter().map(|id| (*id).to_owned());
        let samples =
            Samples { by: by.into(), each: 20, groups: 4, records: ids().collect(), is_partial: by.contains(',') };
        ledger.enter(&QueryReport {
            tool: "t".into(),
            records: ids().collect(),
            samples: Some(samples),
            ..QueryReport::default()
        });
    }

    #[test]
    fn coverage_is_said_exactly() {
        let words = |total, read, capped| ledger(total, 0..read, capped).summary(300);
        assert_eq!(words(Some(165), 165, false), "165 of 165 records read");
        assert_eq!(
            words(Some(10_000), 300, true),
            "300 of 10000 records read (3.0 %), in the tool's order, scan limit 300"
        );
        assert_eq!(words(Some(165), 100, false), "100 of 165 records read (60.6 %), in the tool's order");
        assert_eq!(words(None, 7, false), "7 records read; how many match is not known");
    }

    #[test]
    fn samples_are_told_from_what_came_in_order() {
        let mut mixed = ledger(Some(9_000), 0..200, true);
        sample(&mut mixed, "size", &["7", "1000", "2000"]);
        let order = "the first 200 in the tool's order and up to 20 of each size";
        assert_eq!(mixed.summary(300), format!("202 of 9000 records read (2.2 %), {order}, scan limit 300"));
        assert_eq!(mixed.read().unwrap(), "the first 200 of 9000 records and up to 20 of each size");
        let mut samples = ledger(Some(50), 0..0, false);
        sample(&mut samples, "size,state", &["7", "9"]);
        assert_eq!(
            samples.summary(300),
            "2 of 50 records read (4.0 %), up to 20 of each of 4 groups by size and state"
        );
        assert_eq!(samples.read().unwrap(), "up to 20 of each of 4 groups by size and state of 50 records");
    }

    #[test]
    fn a_record_that_gave_way_is_not_counted_as_read() {
        let mut ledger = ledger(Some(50), 0..10, false);
        ledger.displace("t", "3");
        ledger.displace("u", "4");
        assert_eq!(ledger.coverage().fetched, 9);
        assert_eq!(
            ledger.summary(300),
            "9 of 50 records read (18.0 %), in the tool's order, 1 more gave way to newer ones unread"
        );
        assert_eq!(ledger.read().unwrap(), "9 of 50 records");
    }

    #[test]
    fn what_was_read_of_each_tool_is_named() {
        let mut both = ledger(Some(50), 0..10, false);
        let records = (0..5).map(|id| id.to_string()).collect();
        both.enter(&QueryReport { tool: "u".into(), total: Some(5), records, ..QueryReport::default() });
        assert_eq!(both.read().unwrap(), "the first 10 of 50 records of t and all 5 records of u");
        assert_eq!(ledger(Some(5), 0..5, false).read(), None);
        assert_eq!(ledger(None, 0..5, false).read(), None);
    }
}
