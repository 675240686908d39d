//! Captions of aggregations: the tool, the records, and what was computed of them.

use research_agents_report::claim::Statistic;
use research_agents_report::evidence::plain;
use research_agents_report::evidence::sum_of;
use research_agents_report::language::{Language, Phrase as ReportPhrase};

use crate::data::filters::{filters_in_words, joined};
use crate::data::phrase::Phrase;
use crate::data::record::{AggregationKind, AggregationResult, Bucket, MeasureValue};

/// The maximum number of groups that the caption of a table lists.
const LISTED: usize = 10;
/// The maximum number of groups that the caption of a table over time lists: two years by month.
const LISTED_OVER_TIME: usize = 24;
/// The number of further groups that are listed as well, because the note on how many are left out
/// would be about as long.
const FEW_MORE: usize = 2;

/// Returns the caption of an aggregation.
pub(crate) fn caption(aggregation: &AggregationResult, language: Language) -> String {
    let filters = filters_in_words(&aggregation.filters, language);
    let most = match aggregation.kind {
        AggregationKind::DateHistogram => LISTED_OVER_TIME,
        _ => LISTED,
    };
    let count = aggregation.buckets.len();
    let listed = if count <= most + FEW_MORE {
        count
    } else {
        most
    };
    let shown = aggregation.buckets.iter().take(listed);
    let mut groups: Vec<String> = shown
        .map(|bucket| group(aggregation.kind, bucket, language))
        .collect();
    if count > listed {
        // A source that lists its first groups only does not say how many there are.
        let counted = sum_of(aggregation.buckets.iter().map(|bucket| bucket.doc_count));
        groups.push(language.say(if counted < aggregation.total_docs {
            Phrase::FurtherGroups
        } else {
            Phrase::MoreGroups {
                count: (count - listed) as u64,
            }
        }));
    }

    let groups = if groups.is_empty() {
        language.say(Phrase::NoGroup)
    } else {
        groups.join(", ")
    };
    let mut what = language.say(ReportPhrase::Records {
        count: aggregation.total_docs,
    });
    if !filters.is_empty() {
        what = language.say(Phrase::Where {
            what: &what,
            filters: &filters,
        });
    }

    let field = fields_in_words(aggregation, language);
    let (what, field, groups) = (what.as_str(), field.as_str(), groups.as_str());
    let over_all = measured(&aggregation.measures, language);
    let is_highest = aggregation.order.as_ref().is_none_or(|order| order.highest);
    let counted = language.say(match aggregation.kind {
        AggregationKind::GroupBy => Phrase::GroupedBy {
            what,
            field,
            groups,
        },
        AggregationKind::DateHistogram => Phrase::OverTimeBy {
            what,
            field,
            groups,
        },
        AggregationKind::Total if aggregation.measures.is_empty() => {
            return format!("{}: {what}", aggregation.source_tool);
        }
        AggregationKind::Total => Phrase::Computed {
            what,
            groups: &over_all,
        },
        AggregationKind::Ranking if is_highest => Phrase::HighestFirst {
            what,
            field,
            groups,
        },
        AggregationKind::Ranking => Phrase::LowestFirst {
            what,
            field,
            groups,
        },
        AggregationKind::Correlation => Phrase::Correlated {
            what,
            fields: field,
        },
        AggregationKind::Search => {
            let searched = aggregation.searched;
            Phrase::SearchedFor {
                text: aggregation.text.as_deref().unwrap_or_default(),
                fields: searched.map_or(0, |searched| searched.fields),
                records: searched.map_or(0, |searched| searched.records),
                groups,
            }
        }
    });

    format!("{}: {counted}", aggregation.source_tool)
}

/// Returns a group with its number of records, and the value of a ranked record.
fn group(kind: AggregationKind, bucket: &Bucket, language: Language) -> String {
    let key = plain(&bucket.key);
    match (kind, bucket.measures.as_slice()) {
        (AggregationKind::Ranking, _) => key,
        (_, []) => format!("{key} {}", bucket.doc_count),
        (_, measures) => {
            let measures = measured(measures, language);
            format!("{key} {} ({measures})", bucket.doc_count)
        }
    }
}

/// Returns statistics as `mean height 3.5`.
fn measured(measures: &[MeasureValue], language: Language) -> String {
    let one = |measure: &MeasureValue| {
        let number = measure.number.map(|number| rounded(number, language));
        let value = number.or_else(|| measure.text.clone());
        let value = value.unwrap_or_else(|| "–".to_owned());
        format!(
            "{} {value}",
            measure_words(measure.function, &measure.field)
        )
    };
    measures.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn rounded(number: f64, language: Language) -> String {
    let decimals = if number.fract() == 0.0 { 0 } else { 2 };
    language.decimal(number, decimals)
}

/// Returns the name of a statistic of a field, such as `mean height`.
pub(crate) fn measure_words(function: Statistic, field: &str) -> String {
    format!("{} {field}", statistic_word(function))
}

/// Returns the word for a statistic.
pub(crate) fn statistic_word(function: Statistic) -> &'static str {
    match function {
        Statistic::Min => "min",
        Statistic::Max => "max",
        Statistic::Mean => "mean",
        Statistic::Median => "median",
        Statistic::Sum => "sum",
        Statistic::Count => "count",
        Statistic::Distinct => "distinct",
    }
}

/// Returns the fields that an aggregation groups by, in words. A comma may belong to the name of a
/// single field.
pub(crate) fn fields_in_words(aggregation: &AggregationResult, language: Language) -> String {
    let fields: Vec<&str> = aggregation.field.split(',').map(str::trim).collect();
    let depth = depth(&aggregation.buckets);
    if depth > 0 && depth != fields.len() {
        return aggregation.field.clone();
    }
    joined(fields.into_iter().map(str::to_owned), language)
}

/// Returns the number of values that identify a group of the lowest level.
fn depth(buckets: &[Bucket]) -> usize {
    let of = |bucket: &Bucket| bucket.key.as_array().map_or(1, Vec::len) + depth(&bucket.buckets);
    buckets.iter().map(of).max().unwrap_or(0)
}
