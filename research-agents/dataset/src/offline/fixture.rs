//! A small data source for tests: rows, what a tool would count over them, and the evidence that
//! claims are checked against.

use std::collections::BTreeMap;

use research_agents_report::check::Checker;
use research_agents_report::claim::Statement;
use research_agents_report::evidence::{Evidence, Source, SourceRegistry, Table, TableRow, plain};
use research_agents_report::text::Untrusted;
use serde_json::{Value, json};

use crate::data::record::{AggregationKind, AggregationResult, Bucket, Coverage, Finding, Object};
use crate::data::task::{
    DecomposeTask, DocumentText, DraftFinding, ExtractTask, FieldFacts, FieldKind, FieldProfile,
    InsightsTask, NumberProfile, SynthesizeTask, ToolFacts,
};
use crate::found::relations::relations;
use crate::offline::{decompose, extract, insights};

/// A data source and a question to it.
pub(crate) struct Fixture {
    pub(crate) question: &'static str,
    pub(crate) filters: Object,
    pub(crate) rows: Vec<Object>,
    pub(crate) read: usize,
}

impl Fixture {
    /// Returns sightings with missing values, a date, a skewed quantity and text.
    pub(crate) fn sightings(count: usize, read: usize) -> Self {
        let rows = (0..count).map(|i| {
            let size = ["Small", "Small", "Small", "Medium", "Medium", "Large"][i % 6];
            let state = (i % 7 != 0).then(|| ["Texas", "Ohio", "Utah"][i % 3]);
            let row = json!({
                "Size": size,
                "Species": (["Gull", "Hawk", "Crow", "Swift", "Owl"][(i * i) % 5]),
                "State": state,
                "Day": format!("{}-0{}-11", 1990 + i % 4, 1 + i % 9),
                "Cost": if i % 20 == 3 { 100 * i } else { 0 },
                "Height": 10.5 + (i % 13) as f64,
                "Kind": "Sighting",
            });
            row.as_object().cloned().unwrap_or_default()
        });
        let filters = Object::from_iter([("Kind".to_owned(), json!("Sighting"))]);

        Self {
            question: "Sightings by size",
            filters,
            rows: rows.collect(),
            read: read.min(count),
        }
    }

    fn names(&self) -> Vec<String> {
        self.rows
            .first()
            .map(|row| row.keys().cloned().collect())
            .unwrap_or_default()
    }

    fn kind(&self, name: &str) -> FieldKind {
        match name {
            "Day" => FieldKind::Date,
            "Cost" | "Height" => FieldKind::Number,
            _ => FieldKind::Text,
        }
    }

    fn counts(rows: &[Object], key: impl Fn(&Object) -> Value) -> Vec<(Value, u64)> {
        let mut counts: BTreeMap<String, (Value, u64)> = BTreeMap::new();
        for row in rows {
            let key = key(row);
            counts.entry(key.to_string()).or_insert((key, 0)).1 += 1;
        }
        let mut counts: Vec<(Value, u64)> = counts.into_values().collect();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        counts
    }

    pub(crate) fn tool(&self) -> ToolFacts {
        let facts = |name: &String| {
            let listed = self.kind(name) == FieldKind::Text;
            let values = Self::counts(&self.rows, |row| row[name].clone())
                .into_iter()
                .map(|(value, _)| value);
            FieldFacts {
                name: name.clone(),
                kind: self.kind(name),
                values: values.filter(|value| listed && !value.is_null()).collect(),
                range: None,
                ..FieldFacts::default()
            }
        };

        ToolFacts {
            capabilities: Vec::new(),
            name: "sightings".into(),
            description: String::new(),
            arguments: ["filters", "group_by", "date_histogram"]
                .map(str::to_owned)
                .to_vec(),
            fields: self.names().iter().map(facts).collect(),
        }
    }

    pub(crate) fn aggregations(&self) -> Vec<AggregationResult> {
        let total_docs = self.rows.len() as u64;
        let result = |id: &str, kind, field: &str, counts: Vec<(Value, u64)>| AggregationResult {
            id: id.into(),
            kind,
            field: field.into(),
            interval: None,
            buckets: counts
                .into_iter()
                .map(|(key, doc_count)| Bucket {
                    key,
                    doc_count,
                    buckets: vec![],
                    ..Bucket::default()
                })
                .collect(),
            total_docs,
            source_tool: "sightings".into(),
            filters: self.filters.clone(),
            ..AggregationResult::default()
        };

        let by = |field: &'static str| Self::counts(&self.rows, move |row| row[field].clone());
        let year = |row: &Object| json!(format!("{}-01-01", &plain(&row["Day"])[..4]));

        vec![
            result("A1", AggregationKind::GroupBy, "Size", by("Size")),
            result(
                "A2",
                AggregationKind::DateHistogram,
                "Day",
                Self::counts(&self.rows, year),
            ),
            result("A3", AggregationKind::GroupBy, "State", by("State")),
        ]
    }

    pub(crate) fn documents(&self) -> Vec<DocumentText> {
        let text = |row: &Object| {
            let lines = row
                .iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(name, value)| format!("{name}: {}", plain(value)));
            lines.collect::<Vec<_>>().join("\n")
        };
        let rows = self.rows.iter().take(self.read).enumerate();
        rows.map(|(at, row)| DocumentText {
            id: format!("R{at}"),
            fields: row.clone(),
            text: text(row),
        })
        .collect()
    }

    pub(crate) fn evidence(&self) -> Evidence {
        self.evidence_with(self.aggregations())
    }

    fn evidence_with(&self, aggregations: Vec<AggregationResult>) -> Evidence {
        let mut sources = SourceRegistry::default();

        for document in self.documents() {
            sources.register(Source {
                tool: "sightings".into(),
                record: document.id,
                fields: Untrusted::new(document.fields),
                text: Untrusted::new(document.text),
                ..Source::default()
            });
        }

        let row =
            |field: &str, value: Value, count: u64| TableRow::new(field.to_owned(), value, count);
        let rows = |aggregation: &AggregationResult| {
            let outer = aggregation.field.split(',').next().unwrap_or_default();
            let of = |bucket: &Bucket| {
                let name = if bucket.buckets.is_empty() {
                    aggregation.field.as_str()
                } else {
                    outer
                };
                let inner = bucket.buckets.iter().map(|inner| {
                    row(
                        &aggregation.field,
                        json!([bucket.key, inner.key]),
                        inner.doc_count,
                    )
                });
                [row(name, bucket.key.clone(), bucket.doc_count)]
                    .into_iter()
                    .chain(inner)
                    .collect::<Vec<_>>()
            };
            aggregation
                .buckets
                .iter()
                .flat_map(of)
                .collect::<Vec<TableRow>>()
        };
        let table = |aggregation: AggregationResult| Table {
            rows: rows(&aggregation),
            id: aggregation.id,
            caption: String::new(),
            field: aggregation.field,
            total: aggregation.total_docs,
            ..Table::default()
        };

        Evidence {
            sources,
            tables: aggregations.into_iter().map(table).collect(),
            ..Evidence::default()
        }
    }

    /// Asserts that the statements hold.
    ///
    /// # Panics
    ///
    /// Panics if the checker refuses one of them.
    #[track_caller]
    pub(crate) fn check(&self, statements: &[Statement]) {
        self.check_over(&self.aggregations(), statements);
    }

    /// Asserts that the statements hold against other aggregations than those of the fixture.
    ///
    /// # Panics
    ///
    /// Panics if the checker refuses one of them.
    #[track_caller]
    pub(crate) fn check_over(&self, aggregations: &[AggregationResult], statements: &[Statement]) {
        let evidence = self.evidence_with(aggregations.to_vec());
        let filters = Value::Object(self.filters.clone()).to_string();
        let checker = Checker::new(&evidence, [self.question, filters.as_str()]);
        for statement in statements {
            assert!(
                checker.check(statement).is_ok(),
                "{:?}: {statement:?}",
                checker.check(statement).err()
            );
        }
    }

    fn profile(&self) -> Vec<FieldProfile> {
        let rows = &self.rows[..self.read];
        let names = if rows.is_empty() {
            Vec::new()
        } else {
            self.names()
        };
        names
            .iter()
            .map(|name| self.field_profile(name, rows))
            .collect()
    }

    fn field_profile(&self, name: &str, rows: &[Object]) -> FieldProfile {
        let mut top = Self::counts(rows, |row| row[name].clone());
        top.retain(|(value, _)| !value.is_null());
        let present: u64 = top.iter().map(|(_, count)| count).sum();
        let distinct = top.len() as u64;
        top.truncate(10);

        let mut numbers: Vec<(f64, String)> = rows
            .iter()
            .enumerate()
            .filter_map(|(at, row)| Some((row[name].as_f64()?, format!("R{at}"))))
            .collect();
        numbers.sort_by(|a, b| a.0.total_cmp(&b.0));
        let middle = numbers.len() / 2;
        let sum: f64 = numbers.iter().map(|(number, _)| number).sum();
        let numbers = numbers
            .first()
            .zip(numbers.last())
            .map(|(min, max)| NumberProfile {
                min: min.clone(),
                max: max.clone(),
                median: if numbers.len() % 2 == 1 {
                    numbers[middle].0
                } else {
                    (numbers[middle - 1].0 + numbers[middle].0) / 2.0
                },
                mean: sum / numbers.len() as f64,
                sum,
            });

        let missing = rows.len() as u64 - present;

        FieldProfile {
            field: name.to_owned(),
            kind: self.kind(name),
            present,
            missing,
            distinct,
            top,
            numbers,
            dates: None,
        }
    }

    pub(crate) fn decompose(&self) -> DecomposeTask {
        DecomposeTask {
            query: self.question.into(),
            max_questions: 7,
            tools: vec![self.tool()],
            ..DecomposeTask::default()
        }
    }

    pub(crate) fn insights(&self) -> InsightsTask {
        InsightsTask {
            query: self.question.into(),
            aggregations: self.aggregations(),
        }
    }

    pub(crate) fn extract(&self) -> ExtractTask {
        ExtractTask {
            query: self.question.into(),
            focus: self.question.into(),
            sub_questions: decompose::decompose(&self.decompose()).sub_questions,
            filters: self.filters.clone(),
            documents: self.documents(),
            max_findings_per_doc: 3,
        }
    }

    pub(crate) fn synthesize(&self) -> SynthesizeTask {
        let extract = self.extract();
        let found = extract::extract(&extract).findings.into_iter().enumerate();
        let finding = |(at, draft): (usize, DraftFinding)| Finding {
            id: format!("f_{at}"),
            claim: draft.claim,
            evidence: draft.evidence,
            evidence_count: draft.doc_ids.len(),
            doc_ids: draft.doc_ids,
            confidence: draft.confidence,
            relevant_questions: draft.relevant_questions,
            themes: draft.themes,
        };
        let (total, fetched) = (self.rows.len() as u64, self.read as u64);

        SynthesizeTask {
            query: self.question.into(),
            sub_questions: extract.sub_questions,
            findings: found.map(finding).collect(),
            aggregations: self.aggregations(),
            insights: insights::insights(&self.insights()).insights,
            relations: relations(&self.evidence().sources, &self.profile()),
            profile: self.profile(),
            fields: self.tool().fields,
            filters: self.filters.clone(),
            coverage: Coverage {
                fetched,
                total: Some(total),
                fraction: Some(if total == 0 {
                    1.0
                } else {
                    fetched as f64 / total as f64
                }),
                capped: fetched < total,
                stopped_early: None,
            },
            ..SynthesizeTask::default()
        }
    }
}
