//! The writer of reports: takes only verified sentences, and lists what they cite.

use serde_json::Value;

use crate::chart::model::Chart;
use crate::check::checker::Verified;
use crate::claim::Statistic;
use crate::confidence::Confidence;
use crate::document::cited;
use crate::document::links::Links;
use crate::document::model::{
    Block, CoverageNote, Question, QuestionStatus, Report, Section, Sentence, SourceEntry, Version,
};
use crate::document::table::{
    DataCorrelation, DataMeasure, DataRow, DataTable, MAX_CELL, RecordRow, RecordTable,
};
use crate::evidence::run::Evidence;
use crate::evidence::source::Source;
use crate::evidence::table::{Table, TableMeasure};
use crate::evidence::value::plain;
use crate::language::tag::Language;
use crate::text::line::Line;
use crate::trust::Mark;

/// Maximum number of characters of a passage in the list of sources.
const MAX_SNIPPET: usize = 320;

/// The presentation of an aggregation in a report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableView {
    /// Id of the aggregation.
    pub id: String,
    /// What it counts, in a few words.
    pub title: String,
    /// Tool and filters.
    pub scope: String,
    /// Whether its groups are intervals of time.
    pub over_time: bool,
    /// The statistic that its chart shows, with its field; none for the numbers of records.
    pub measure: Option<(String, Statistic)>,
}

/// The records that a report lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordList {
    /// What the records are, in a few words.
    pub caption: String,
    /// Id of the aggregation that counts or ranks them.
    pub aggregation: Option<String>,
    /// Names of the fields to show.
    pub columns: Vec<String>,
    /// Ids of the sources, in the order of the data source.
    pub sources: Vec<String>,
    /// Number of further records that are not listed.
    pub more: u64,
}

/// A report that is being written.
///
/// ```
/// use research_agents_report::document::ReportWriter;
/// use research_agents_report::evidence::Evidence;
///
/// let evidence = Evidence::default();
/// let mut writer = ReportWriter::new(&evidence, "Records by size");
/// writer.section("Summary");
/// writer.note("No record was read.");
/// assert_eq!(
///     writer.finish().to_markdown(),
///     "# Records by size\n\n## Summary\n\nNo record was read.\n"
/// );
/// ```
#[derive(Debug)]
pub struct ReportWriter<'a> {
    evidence: &'a Evidence,
    links: Links,
    record_note: Option<Line>,
    views: Vec<TableView>,
    report: Report,
    /// Ids of the cited sources, in the order of their first citation.
    sources: Vec<String>,
    /// Ids of the cited aggregations.
    tables: Vec<String>,
}

impl<'a> ReportWriter<'a> {
    /// Starts a report on this evidence in English.
    pub fn new(evidence: &'a Evidence, title: &str) -> Self {
        Self::in_language(Language::ENGLISH, evidence, title)
    }

    /// Starts a report on this evidence in a language.
    pub fn in_language(language: Language, evidence: &'a Evidence, title: &str) -> Self {
        let links = Links::of(evidence, language);
        let report = Report {
            version: Version::CURRENT,
            language,
            title: links.line(title),
            question: Line::default(),
            sections: Vec::new(),
            data: Vec::new(),
            sources: Vec::new(),
        };

        Self {
            evidence,
            links,
            record_note: None,
            views: Vec::new(),
            report,
            sources: Vec::new(),
            tables: Vec::new(),
        }
    }

    /// Sets the note after every sentence that is drawn from the records read, such as the limit of
    /// a scan. Defaults to none.
    #[must_use]
    pub fn with_record_note(mut self, note: &str) -> Self {
        self.record_note = Some(self.links.line(note));
        self
    }

    /// Sets the question that the report answers. Defaults to an empty one.
    #[must_use]
    pub fn with_question(mut self, question: &str) -> Self {
        self.report.question = self.links.line(question);
        self
    }

    /// Adds presentations of aggregations. An aggregation without one is shown with its caption and
    /// its groups, and without a chart.
    #[must_use]
    pub fn with_views(mut self, views: impl IntoIterator<Item = TableView>) -> Self {
        self.views.extend(views);
        self
    }

    /// Starts a section.
    pub fn section(&mut self, heading: &str) {
        let heading = self.links.line(heading);
        self.report.sections.push(Section {
            heading,
            ..Section::default()
        });
    }

    /// Starts a section with details, which a rendering may fold away.
    pub fn folded_section(&mut self, heading: &str) {
        self.section(heading);
        if let Some(section) = self.report.sections.last_mut() {
            section.folded = true;
        }
    }

    /// Starts a part of the current section, which answers a sub-question.
    pub fn question(&mut self, heading: &str, id: &str, status: QuestionStatus) {
        let question = Some(Question {
            id: id.to_owned(),
            status,
        });
        let part = Section {
            heading: self.links.line(heading),
            question,
            ..Section::default()
        };
        match self.report.sections.last_mut() {
            Some(section) => section.sections.push(part),
            None => self.report.sections.push(part),
        }
    }

    /// Writes a paragraph of verified sentences, unless it is empty.
    pub fn paragraph(&mut self, sentences: &[Verified]) {
        let sentences: Vec<Sentence> = sentences
            .iter()
            .map(|sentence| self.sentence(sentence))
            .collect();
        if !sentences.is_empty() {
            self.push(Block::Paragraph { sentences });
        }
    }

    /// Writes a list of verified sentences, unless it is empty.
    pub fn bullets(&mut self, sentences: &[Verified]) {
        let sentences: Vec<Sentence> = sentences
            .iter()
            .map(|sentence| self.sentence(sentence))
            .collect();
        if !sentences.is_empty() {
            self.push(Block::Bullets { sentences });
        }
    }

    /// Writes a paragraph without citations, unless it is empty.
    pub fn note(&mut self, text: &str) {
        let text = self.links.free_line(text);
        if !text.is_empty() {
            self.push(Block::Note { text });
        }
    }

    /// Writes a list without citations, unless it is empty.
    pub fn notes<T: AsRef<str>>(&mut self, items: &[T]) {
        let items: Vec<Line> = items
            .iter()
            .map(|item| self.links.free_line(item.as_ref()))
            .filter(|item| !item.is_empty())
            .collect();
        if !items.is_empty() {
            self.push(Block::Notes { items });
        }
    }

    /// Writes the chart of an aggregation, and cites it. Nothing is written without a
    /// [view](Self::with_views) of it, or if it has fewer than two groups.
    pub fn chart(&mut self, aggregation: &str) {
        let table = self.evidence.table(aggregation);
        if table.is_some_and(|table| self.table(table).chart.is_some()) {
            remember(&mut self.tables, aggregation);
            self.push(Block::Chart {
                aggregation: aggregation.to_owned(),
            });
        }
    }

    /// Writes the rows of an aggregation as a table of at most this many rows, and cites it.
    /// Nothing is written if the evidence has no such aggregation.
    pub fn groups(&mut self, aggregation: &str, most: u64) {
        if self.evidence.table(aggregation).is_some() {
            remember(&mut self.tables, aggregation);
            self.push(Block::Groups {
                aggregation: aggregation.to_owned(),
                most,
            });
        }
    }

    /// Writes a list of records with their values, and cites its aggregation. Sources that the
    /// evidence does not have are left out; nothing is written without one.
    pub fn records(&mut self, list: &RecordList) {
        let records = self.record_table(list);
        if records.rows.is_empty() {
            return;
        }
        records
            .aggregation
            .iter()
            .for_each(|id| remember(&mut self.tables, id));
        self.push(Block::Records(records));
    }

    /// Returns a list of records with their values as the report contains it.
    pub fn record_table(&self, list: &RecordList) -> RecordTable {
        let sources = list
            .sources
            .iter()
            .filter_map(|id| self.evidence.sources.get(id));
        let rows = sources.map(|source| RecordRow {
            source: source.id.clone(),
            cells: list
                .columns
                .iter()
                .map(|column| self.cell(source, column))
                .collect(),
        });
        let aggregation = list
            .aggregation
            .clone()
            .filter(|id| self.evidence.table(id).is_some());

        RecordTable {
            caption: self.links.line(&list.caption),
            aggregation,
            columns: list.columns.clone(),
            rows: rows.collect(),
            more: list.more,
        }
    }

    /// Returns the value of a record as a cell. Numbers and truth values stay as they are.
    fn cell(&self, source: &Source, column: &str) -> Value {
        match source.field(column) {
            None | Some(Value::Null) => Value::Null,
            Some(value @ (Value::Number(_) | Value::Bool(_))) => value.clone(),
            Some(value) => {
                let line = self.links.line(&plain(value));
                Value::String(cited::shortened(line.as_str(), MAX_CELL))
            }
        }
    }

    /// Writes the coverage: in words, and as the numbers of records read and of records that match.
    pub fn coverage(&mut self, text: &str, read: u64, total: Option<u64>, confidence: Confidence) {
        let text = self.links.line(text);
        self.push(Block::Coverage(CoverageNote {
            text,
            read,
            total,
            confidence,
        }));
    }

    /// Returns a string as the report shows it: on one line, without addresses of other than the
    /// sources, and without keys.
    pub fn line(&self, text: &str) -> Line {
        self.links.line(text)
    }

    /// Returns a string as a [note](Self::note) or a line of [notes](Self::notes) shows it: also
    /// without names of hosts and users.
    pub fn free_line(&self, text: &str) -> Line {
        self.links.free_line(text)
    }

    /// Finishes the report with the lists of cited aggregations and sources.
    pub fn finish(mut self) -> Report {
        let tables = self
            .evidence
            .tables
            .iter()
            .filter(|table| self.tables.contains(&table.id));
        let data = tables.map(|table| self.table(table)).collect();

        let sentences = self.report.sentences();
        let sources = self
            .sources
            .iter()
            .filter_map(|id| self.source(id, &sentences))
            .collect();

        (self.report.data, self.report.sources) = (data, sources);
        self.report
    }

    /// Adds a block to the current part. A block before the first section starts one without a
    /// heading.
    fn push(&mut self, block: Block) {
        if self.report.sections.is_empty() {
            self.report.sections.push(Section::default());
        }
        if let Some(section) = self.report.sections.last_mut() {
            match section.sections.last_mut() {
                Some(part) => part.blocks.push(block),
                None => section.blocks.push(block),
            }
        }
    }

    /// Returns a verified sentence as the report contains it, and notes what it cites.
    fn sentence(&mut self, sentence: &Verified) -> Sentence {
        sentence
            .tables()
            .iter()
            .for_each(|id| remember(&mut self.tables, id));
        sentence
            .sources()
            .iter()
            .for_each(|id| remember(&mut self.sources, id));
        Sentence {
            // A mark in the text would look like one of the report.
            text: self.links.line(&Mark::removed_from(sentence.text())),
            note: self.record_note.clone().filter(|_| sentence.from_records()),
            claims: sentence.claims().to_vec(),
            aggregations: sentence.tables().to_vec(),
            sources: sentence.sources().to_vec(),
            mark: sentence.mark(),
        }
    }

    /// Returns the entry of an aggregation in the list of data.
    pub fn table(&self, table: &Table) -> DataTable {
        let view = self.views.iter().find(|view| view.id == table.id);
        let line = |text: &str| self.links.line(text);
        let keys = |value: &Value| match value.as_array() {
            Some(keys) => keys.iter().map(|key| line(&plain(key))).collect(),
            None => vec![line(&plain(value))],
        };
        let rows: Vec<DataRow> = table
            .rows
            .iter()
            .map(|row| DataRow {
                keys: keys(&row.value),
                count: row.count,
                measures: self.measures(&row.measures),
            })
            .collect();

        // A comma may belong to the name of a single field.
        let depth = rows.iter().map(|row| row.keys.len()).max().unwrap_or(1);
        let parts: Vec<&str> = table.field.split(',').map(str::trim).collect();
        let fields = if parts.len() == depth {
            parts
        } else {
            vec![table.field.as_str()]
        };

        DataTable {
            id: table.id.clone(),
            caption: line(&table.caption),
            title: line(view.map_or("", |view| &view.title)),
            scope: line(view.map_or("", |view| &view.scope)),
            fields: fields.into_iter().map(line).collect(),
            kind: table.kind,
            total: table.total,
            rows,
            measures: self.measures(&table.measures),
            correlations: table
                .correlations
                .iter()
                .map(|correlation| DataCorrelation {
                    fields: correlation.fields.each_ref().map(|field| line(field)),
                    number: correlation.number,
                    count: correlation.count,
                })
                .collect(),
            chart: view
                .and_then(|view| self.chart_of(table, view))
                .map(|chart| self.with_safe_labels(chart)),
        }
    }

    /// Returns statistics as the report shows them.
    fn measures(&self, measures: &[TableMeasure]) -> Vec<DataMeasure> {
        let shown = measures.iter().map(|measure| DataMeasure {
            field: self.links.line(&measure.field),
            statistic: measure.statistic,
            number: measure.number,
            count: measure.count,
            text: measure.text.as_ref().map(|text| self.links.line(text)),
        });
        shown.collect()
    }

    /// Returns the chart of an aggregation. Only groups have one.
    fn chart_of(&self, table: &Table, view: &TableView) -> Option<Chart> {
        let language = self.report.language;
        match &view.measure {
            _ if !table.has_groups() => None,
            None => Chart::in_language(language, table, &view.title, view.over_time),
            Some((field, statistic)) => Chart::of_measure(
                language,
                table,
                &view.title,
                view.over_time,
                (field, *statistic),
            ),
        }
    }

    /// Returns the chart with its labels as the report shows them.
    fn with_safe_labels(&self, mut chart: Chart) -> Chart {
        for label in chart
            .series
            .iter_mut()
            .chain(chart.groups.iter_mut().map(|group| &mut group.label))
        {
            *label = self.links.line(label.as_str());
        }
        chart.title = self.links.line(chart.title.as_str());
        chart
    }

    /// Returns the entry of a source in the list of sources, for a report with these sentences.
    /// `None` if the evidence has no such source.
    pub fn source(&self, id: &str, sentences: &[&Sentence]) -> Option<SourceEntry> {
        let source = &*self.evidence.source(id)?;

        // Next to the values that claims are about, the snippet is shorter.
        let snippet = Mark::removed_from(source.snippet.for_code());
        let mut snippet = self.links.line(&snippet);
        let fields = cited::fields(source, sentences);
        if !fields.is_empty() {
            snippet = Line::new(&cited::shortened(snippet.as_str(), cited::SHORT_SNIPPET));
        } else if snippet.as_str().chars().count() > MAX_SNIPPET {
            snippet = Line::new(&cited::shortened(snippet.as_str(), MAX_SNIPPET));
        }

        let fields = fields.iter().map(|field| self.links.line(field));
        let cited = fields
            .filter(|field| !cited::shows(snippet.as_str(), field.as_str()))
            .collect();

        Some(SourceEntry {
            id: id.to_owned(),
            title: self.links.line(source.title.for_code()),
            url: source.url.clone().filter(|url| self.links.is_linkable(url)),
            snippet,
            cited,
            tool: source.tool.clone(),
            record: source.record.clone(),
        })
    }
}

/// Adds an id unless the list contains it.
fn remember(list: &mut Vec<String>, id: &str) {
    if !list.iter().any(|known| known == id) {
        list.push(id.to_owned());
    }
}
