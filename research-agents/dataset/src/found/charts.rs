//! Presentation of aggregations: in a few words, and as charts.

use research_agents_report::chart::Chart;
use research_agents_report::claim::Statistic;
use research_agents_report::document::TableView;
use research_agents_report::language::Language;
use research_agents_report::text::capitalised;

use crate::data::filters::filters_in_words;
use crate::data::phrase::Phrase;
use crate::data::record::{AggregationKind, AggregationResult, Bucket};
use crate::found::caption::{fields_in_words, measure_words};
use crate::found::evidence::table;

/// Returns what an aggregation counts and over what, in words in a language.
pub(crate) fn table_view(aggregation: &AggregationResult, language: Language) -> TableView {
    let over_time = aggregation.kind == AggregationKind::DateHistogram;
    let fields = fields_in_words(aggregation, language);
    let fields = fields.as_str();
    let measures = measures(aggregation);
    let measures = measures.as_str();
    let title = match (over_time, measures.is_empty()) {
        (true, true) => Phrase::RecordsOverTime { fields },
        (false, true) => Phrase::RecordsBy { fields },
        (true, false) => Phrase::MeasuresOverTime { measures, fields },
        (false, false) => Phrase::MeasuresBy { measures, fields },
    };
    let title = capitalised(&language.say(title));
    let filters = filters_in_words(&aggregation.filters, language);
    let what = language.say(Phrase::RecordsOf {
        count: aggregation.total_docs,
        tool: &aggregation.source_tool,
    });
    let (what, filters) = (what.as_str(), filters.as_str());
    let scope = if filters.is_empty() {
        what.to_owned()
    } else {
        language.say(Phrase::Where { what, filters })
    };

    TableView {
        id: aggregation.id.clone(),
        title,
        scope,
        over_time,
        measure: charted(aggregation),
    }
}

/// Returns the statistic that a chart of the groups shows: the first one, if all of them are of one
/// field.
fn charted(aggregation: &AggregationResult) -> Option<(String, Statistic)> {
    let (first, more) = aggregation.buckets.first()?.measures.split_first()?;
    let is_number = |bucket: &Bucket| bucket.measures.iter().any(|one| one.number.is_some());
    let is_one_field = more.iter().all(|other| other.field == first.field);
    let has_numbers = aggregation.buckets.iter().any(is_number);
    (is_one_field && has_numbers).then(|| (first.field.clone(), first.function))
}

/// Returns the statistics that the groups of an aggregation have, in words.
fn measures(aggregation: &AggregationResult) -> String {
    let first = aggregation.buckets.first();
    let names = first
        .into_iter()
        .flat_map(|bucket| &bucket.measures)
        .map(|measure| measure_words(measure.function, &measure.field));
    names.collect::<Vec<_>>().join(", ")
}

/// Returns the chart of an aggregation, where there is something to compare.
pub(crate) fn chart(aggregation: &AggregationResult, language: Language) -> Option<Chart> {
    let view = table_view(aggregation, language);
    Chart::in_language(
        language,
        &table(aggregation, language),
        &view.title,
        view.over_time,
    )
}

#[cfg(test)]
mod tests {
    use research_agents_report::chart::ChartKind;
    use serde_json::json;

    use super::*;

    fn aggregation(kind: &str, field: &str, keys: &[&str]) -> AggregationResult {
        let buckets: Vec<_> = keys
            .iter()
            .map(|key| json!({"key": key, "doc_count": 2}))
            .collect();
        serde_json::from_value(json!({
            "id": "A1", "type": kind, "field": field, "total_docs": 5, "source_tool": "t",
            "buckets": buckets,
            "filters": {"theme": "AI"}
        }))
        .unwrap()
    }

    #[test]
    fn the_words_say_what_was_counted_over_what() {
        let view = table_view(
            &aggregation("group_by", "country,year", &[]),
            Language::ENGLISH,
        );
        assert_eq!(
            (view.title.as_str(), view.scope.as_str()),
            (
                "Records by country and year",
                "5 records of t where theme = AI"
            )
        );
    }

    #[test]
    fn a_histogram_becomes_columns_and_a_single_group_no_chart() {
        let kind = |chart: Option<Chart>| chart.map(|chart| chart.kind);

        assert_eq!(
            kind(chart(
                &aggregation("date_histogram", "date", &["2024", "2025"]),
                Language::ENGLISH
            )),
            Some(ChartKind::Dates)
        );
        assert_eq!(
            kind(chart(
                &aggregation("group_by", "size", &["Small", "Large"]),
                Language::ENGLISH
            )),
            Some(ChartKind::Bars)
        );
        assert_eq!(
            kind(chart(
                &aggregation("group_by", "size", &["Small"]),
                Language::ENGLISH
            )),
            None
        );
    }
}
