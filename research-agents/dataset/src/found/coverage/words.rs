//! Coverage in words, for the report, the planner and the model that drafts.

use research_agents_report::language::Language;

use crate::data::filters::filters_in_words;
use crate::data::phrase::Phrase;
use crate::found::coverage::{Ledger, Samples, Scope};

impl Ledger {
    /// Returns the coverage in English words, one line for each scope when there are several.
    pub fn describe(&self, limit: usize) -> Vec<String> {
        self.describe_in(Language::ENGLISH, limit)
    }

    /// Returns the same in a language, for the report.
    pub fn describe_in(&self, language: Language, limit: usize) -> Vec<String> {
        let several = self.0.len() > 1;
        let line = |scope: &Scope| {
            let of = if several {
                format!(" ({})", name(scope, language))
            } else {
                String::new()
            };
            format!("{}{of}", coverage_words(scope, language, limit))
        };
        self.0.iter().map(line).collect()
    }

    /// Returns the same in one line, for the scopes that coverage is measured by.
    pub(crate) fn summary(&self, language: Language, limit: usize) -> String {
        let main = self.main();
        if let [scope] = main.as_slice() {
            return coverage_words(scope, language, limit);
        }
        let line = |scope: &&Scope| {
            format!(
                "{} ({})",
                coverage_words(scope, language, limit),
                name(scope, language)
            )
        };
        main.iter().map(line).collect::<Vec<_>>().join("; ")
    }

    /// Returns the part that was read, to follow *among*: `the first 300 of 3212 records`, or `the
    /// first 300 records` if the total is unknown. `None` if everything was read.
    pub(crate) fn read(&self, language: Language) -> Option<String> {
        let main = self.main();
        let several = main.len() > 1;
        let parts = main
            .iter()
            .filter(|scope| scope.fetched() > 0)
            .map(|scope| {
                let words = read_words(scope, language);
                if several {
                    language.say(Phrase::OfTool {
                        words: &words,
                        tool: &scope.tool,
                    })
                } else {
                    words
                }
            });

        let parts: Vec<String> = parts.collect();
        let is_all = main
            .iter()
            .all(|scope| scope.total == Some(scope.fetched()));

        if is_all {
            None
        } else {
            joined(parts, language)
        }
    }
}

fn name(scope: &Scope, language: Language) -> String {
    let filters = filters_in_words(&scope.filters, language);
    if filters.is_empty() {
        return scope.tool.clone();
    }
    language.say(Phrase::Where {
        what: &scope.tool,
        filters: &filters,
    })
}

/// Joins the parts with *and*.
fn joined(parts: Vec<String>, language: Language) -> Option<String> {
    parts.into_iter().reduce(|first, second| {
        language.say(Phrase::Both {
            first: &first,
            second: &second,
        })
    })
}

/// Describes a scope: `165 of 165 records read`, or `300 of 10000 records read (3.0 %), in the
/// tool's order, scan limit 300`, or `300 records read, in the tool's order; how many match is not
/// known, scan limit 300`.
fn coverage_words(scope: &Scope, language: Language, limit: usize) -> String {
    let read = scope.fetched();
    if let Some(total) = scope.total.filter(|total| read >= *total) {
        return language.say(Phrase::ReadAll { read, total });
    }

    if scope.total.is_none() && read == 0 {
        return language.say(Phrase::NothingRead);
    }

    let order = scope
        .order
        .clone()
        .unwrap_or_else(|| language.say(Phrase::ToolOrder));
    let how = match (samples_words(&scope.samples, language), scope.first) {
        (None, _) => order,
        (Some(samples), 0) => samples,
        (Some(samples), first) => {
            let first = language.say(Phrase::FirstInOrder {
                first,
                order: &order,
            });
            language.say(Phrase::Both {
                first: &first,
                second: &samples,
            })
        }
    };

    let mut words = match scope.total {
        Some(total) => {
            let share = language.decimal(100.0 * read as f64 / total as f64, 1);
            language.say(Phrase::ReadPart {
                read,
                total,
                share: &share,
                how: &how,
            })
        }
        None => language.say(Phrase::ReadUnknown { read, how: &how }),
    };
    if scope.displaced > 0 {
        words = language.say(Phrase::GaveWay {
            words: &words,
            count: scope.displaced,
        });
    }

    if scope.capped {
        language.say(Phrase::ReadLimit {
            words: &words,
            limit: limit as u64,
        })
    } else {
        words
    }
}

/// Returns the part of a scope that was read, to follow *among*.
fn read_words(scope: &Scope, language: Language) -> String {
    let (read, total) = (scope.fetched(), scope.total);
    let order = scope
        .order
        .as_ref()
        .map(|order| format!(" {order}"))
        .unwrap_or_default();
    let first = |read| {
        let words = match total {
            Some(total) => language.say(Phrase::FirstOf { read, total }),
            None => language.say(Phrase::FirstRead { read }),
        };
        format!("{words}{order}")
    };

    match (samples_words(&scope.samples, language), scope.first, total) {
        (_, _, Some(total)) if read >= total => language.say(Phrase::AllOf { total }),
        (_, _, Some(total)) if scope.displaced > 0 => language.say(Phrase::PartOf { read, total }),
        (_, _, None) if scope.displaced > 0 => language.say(Phrase::SomeRead { read }),
        (None, _, _) => first(read),
        (Some(samples), 0, Some(total)) => language.say(Phrase::SamplesOf {
            samples: &samples,
            total,
        }),
        (Some(samples), 0, None) => samples,
        (Some(samples), count, _) => language.say(Phrase::Both {
            first: &first(count),
            second: &samples,
        }),
    }
}

/// Describes samples, such as `up to 20 of each size`.
fn samples_words(samples: &[Samples], language: Language) -> Option<String> {
    let part = |samples: &Samples| {
        let Samples {
            by,
            each,
            groups,
            is_partial,
            ..
        } = samples;
        let fields = by.split(',').map(|field| field.trim().to_owned()).collect();
        let by = &joined(fields, language).unwrap_or_default();
        let (each, groups) = (*each as u64, *groups as u64);
        language.say(if *is_partial {
            Phrase::SamplesOfSome { each, groups, by }
        } else {
            Phrase::SamplesOfEach { each, by }
        })
    };

    let mut parts: Vec<String> = samples
        .iter()
        .filter(|samples| !samples.records.is_empty())
        .map(part)
        .collect();
    parts.dedup();
    joined(parts, language)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::found::coverage::QueryReport;

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
        let samples = Samples {
            by: by.into(),
            each: 20,
            groups: 4,
            records: ids().collect(),
            is_partial: by.contains(','),
        };
        ledger.enter(&QueryReport {
            tool: "t".into(),
            records: ids().collect(),
            samples: Some(samples),
            ..QueryReport::default()
        });
    }

    #[test]
    fn coverage_is_said_exactly() {
        let words =
            |total, read, capped| ledger(total, 0..read, capped).summary(Language::ENGLISH, 300);

        assert_eq!(words(Some(165), 165, false), "165 of 165 records read");
        assert_eq!(
            words(Some(10_000), 300, true),
            "300 of 10,000 records read (3.0 %), in the tool's order, scan limit 300"
        );
        assert_eq!(
            words(Some(165), 100, false),
            "100 of 165 records read (60.6 %), in the tool's order"
        );
        assert_eq!(
            words(None, 7, false),
            "7 records read, in the tool's order; how many match is not known"
        );
        assert_eq!(
            words(None, 300, true),
            "300 records read, in the tool's order; how many match is not known, scan limit 300"
        );
        assert_eq!(words(None, 0, false), "no record was read");
    }

    #[test]
    fn what_was_read_is_named_where_nobody_knows_how_many_match() {
        let mut open = ledger(None, 0..300, true);

        assert_eq!(
            open.read(Language::ENGLISH).unwrap(),
            "the first 300 records"
        );

        sample(&mut open, "size", &["7", "1000"]);

        assert_eq!(
            open.read(Language::ENGLISH).unwrap(),
            "the first 300 records and up to 20 of each size"
        );

        open.displace("t", "3");

        assert_eq!(open.read(Language::ENGLISH).unwrap(), "300 records");

        let mut samples = ledger(None, 0..0, false);
        sample(&mut samples, "size", &["7", "9"]);

        assert_eq!(
            samples.read(Language::ENGLISH).unwrap(),
            "up to 20 of each size"
        );
        assert_eq!(
            samples.summary(Language::ENGLISH, 300),
            "2 records read, up to 20 of each size; how many match is not known"
        );

        let mut ordered = Ledger::default();
        let order = Some("in the order of `cost`".to_owned());
        let records = vec!["1".to_owned()];
        ordered.enter(&QueryReport {
            tool: "t".into(),
            order,
            records,
            scanned: true,
            ..QueryReport::default()
        });

        assert_eq!(
            ordered.read(Language::ENGLISH).unwrap(),
            "the first record in the order of `cost`"
        );
    }

    #[test]
    fn samples_are_told_from_what_came_in_order() {
        let mut mixed = ledger(Some(9_000), 0..200, true);
        sample(&mut mixed, "size", &["7", "1000", "2000"]);
        let order = "the first 200 in the tool's order and up to 20 of each size";

        assert_eq!(
            mixed.summary(Language::ENGLISH, 300),
            format!("202 of 9,000 records read (2.2 %), {order}, scan limit 300")
        );
        assert_eq!(
            mixed.read(Language::ENGLISH).unwrap(),
            "the first 200 of 9,000 records and up to 20 of each size"
        );

        let mut samples = ledger(Some(50), 0..0, false);
        sample(&mut samples, "size,state", &["7", "9"]);

        assert_eq!(
            samples.summary(Language::ENGLISH, 300),
            "2 of 50 records read (4.0 %), up to 20 of each of 4 groups by size and state"
        );
        assert_eq!(
            samples.read(Language::ENGLISH).unwrap(),
            "up to 20 of each of 4 groups by size and state of 50 records"
        );
    }

    #[test]
    fn a_record_that_gave_way_is_not_counted_as_read() {
        let mut ledger = ledger(Some(50), 0..10, false);
        ledger.displace("t", "3");
        ledger.displace("u", "4");
        assert_eq!(ledger.coverage().fetched, 9);
        assert_eq!(
            ledger.summary(Language::ENGLISH, 300),
            "9 of 50 records read (18.0 %), in the tool's order, 1 more gave way to newer ones \
             unread"
        );
        assert_eq!(ledger.read(Language::ENGLISH).unwrap(), "9 of 50 records");
    }

    #[test]
    fn what_was_read_of_each_tool_is_named() {
        let mut both = ledger(Some(50), 0..10, false);
        let records = (0..5).map(|id| id.to_string()).collect();
        both.enter(&QueryReport {
            tool: "u".into(),
            total: Some(5),
            records,
            ..QueryReport::default()
        });

        assert_eq!(
            both.read(Language::ENGLISH).unwrap(),
            "the first 10 of 50 records of t and all 5 records of u"
        );
        assert_eq!(ledger(Some(5), 0..5, false).read(Language::ENGLISH), None);
        assert_eq!(
            ledger(None, 0..5, false).read(Language::ENGLISH).unwrap(),
            "the first 5 records"
        );
        assert_eq!(ledger(None, 0..0, false).read(Language::ENGLISH), None);
    }
}
