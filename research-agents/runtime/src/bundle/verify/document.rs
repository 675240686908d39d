//! Checks everything in a report but its sentences and its coverage: titles, lists of data and
//! sources, charts, notes, and the Markdown.

use research_agents_report::check::{numbers_stand_in, written_numbers};
use research_agents_report::document::{
    Block, DataRow, DataTable, QuestionStatus, ReportWriter, Section, SourceEntry, TableView,
    Unresolved, resolve_citations,
};
use research_agents_report::evidence::Evidence;
use research_agents_report::text::Line;
use serde_json::Value;

use crate::bundle::model::Bundle;
use crate::bundle::verify::coverage;
use crate::bundle::verify::evidence::origin_of;
use crate::bundle::verify::origins::Origins;
use crate::bundle::verify::outcome::{CheckKind, Verification};
use crate::bundle::verify::sentences::place_of;
use crate::bundle::verify::tables::Tables;
use crate::bundle::verify::words::shortened;
use crate::tape::exchange::Exchange;

/// Checks the report of a bundle, without its sentences.
pub(crate) fn check(
    bundle: &Bundle,
    evidence: &Evidence,
    origins: &Origins,
    found: &mut Verification,
) {
    let views = bundle.evidence.tables.iter().filter_map(|table| {
        let view = origin_of(table, bundle, origins)?.view.clone();
        Some(TableView {
            id: table.id.clone(),
            ..view
        })
    });
    let writer = ReportWriter::in_language(bundle.report.language, evidence, "").with_views(views);

    let is_asked =
        bundle.report.question == writer.line(&bundle.question) || is_planned(bundle, &writer);
    let question = (!is_asked).then(|| {
        format!(
            "`{}` is stated, the run was asked `{}`",
            bundle.report.question.as_str(),
            bundle.question
        )
    });
    found.judge(
        CheckKind::Context,
        "question",
        shortened(&bundle.question),
        question,
    );

    let mut walk = Walk {
        bundle,
        tables: Tables {
            bundle,
            evidence,
            writer: &writer,
        },
        origins,
        found,
    };
    walk.heading(&bundle.report.title, None, "title");
    bundle
        .report
        .sections
        .iter()
        .for_each(|section| walk.section(section, ""));
    coverage::check(bundle, origins, &writer, found);

    entries(bundle, evidence, &writer, found);
    citations(bundle, found);
    markdown(bundle, found);
}

/// Returns `true` if a recorded answer of the model contains the question of the report, which a
/// planner may rephrase.
fn is_planned(bundle: &Bundle, writer: &ReportWriter<'_>) -> bool {
    let question = &bundle.report.question;
    let exchanges = bundle.effects.iter().flat_map(|effect| &effect.exchanges);
    let mut answers = exchanges.filter_map(|exchange| match exchange {
        Exchange::Model { interaction } => interaction.get("outcome"),
        _ => None,
    });
    !question.is_empty()
        && answers.any(|answer| contains(answer, &|text: &str| writer.line(text) == *question))
}

/// Returns `true` if a string in a value, or in JSON within such a string, passes a test. Names of
/// fields do not count.
fn contains(value: &Value, fits: &impl Fn(&str) -> bool) -> bool {
    match value {
        Value::String(text) => {
            fits(text) || json_in(text).is_some_and(|inner| contains(&inner, fits))
        }
        Value::Array(items) => items.iter().any(|item| contains(item, fits)),
        Value::Object(fields) => fields.values().any(|field| contains(field, fits)),
        _ => false,
    }
}

/// Returns the JSON object in a string, which may have other text around it.
fn json_in(text: &str) -> Option<Value> {
    let (start, end) = (text.find('{')?, text.rfind('}')?);
    serde_json::from_str(text.get(start..=end)?).ok()
}

/// Walks through the sections of a report.
struct Walk<'a> {
    bundle: &'a Bundle,
    tables: Tables<'a>,
    origins: &'a Origins,
    found: &'a mut Verification,
}

impl Walk<'_> {
    fn section(&mut self, section: &Section, outer: &str) {
        let place = place_of(outer, section);
        self.heading(
            &section.heading,
            section
                .question
                .as_ref()
                .map(|question| question.id.as_str()),
            &place,
        );
        if let Some(question) = &section.question {
            let status = match question.status {
                QuestionStatus::Answered => "answered",
                QuestionStatus::NotAnswered => "not answered",
            };
            self.found.not_covered_at(
                CheckKind::Words,
                &place,
                format!("{}: {status}", question.id),
                "a judgement of the run",
            );
        }

        for block in &section.blocks {
            match block {
                Block::Paragraph { .. } | Block::Bullets { .. } | Block::Coverage(_) => {}
                Block::Note { text } => self.words(text, &place),
                Block::Notes { items } => items.iter().for_each(|item| self.words(item, &place)),
                // The list of data has their content, which is checked there.
                Block::Chart { .. } | Block::Groups { .. } | Block::Records(_) => {
                    self.tables.block(block, &place, self.found);
                }
                // A block of an unknown kind is reported, never skipped silently.
                _ => self.found.not_covered_at(
                    CheckKind::Words,
                    &place,
                    "",
                    "a block of an unknown kind",
                ),
            }
        }

        section
            .sections
            .iter()
            .for_each(|inner| self.section(inner, &place));
    }

    /// Checks a heading, which may repeat numbers of the question, the filters and the fields. Its
    /// words are not covered.
    fn heading(&mut self, heading: &Line, id: Option<&str>, place: &str) {
        let text = heading.as_str();
        if text.is_empty() {
            return;
        }

        let known = self.bundle.context.iter().map(String::as_str).chain(id);
        let language = self.bundle.report.language;
        let has_numbers = !written_numbers(text, language).is_empty();
        let is_known = numbers_stand_in(text, language, known);
        if has_numbers && is_known {
            self.found
                .holds_at(CheckKind::Context, place, shortened(text));
        }

        let why = if is_known {
            "the words of a heading"
        } else {
            "a heading with a number of its own"
        };
        self.found
            .not_covered_at(CheckKind::Words, place, shortened(text), why);
    }

    /// Reports a line without a claim as not covered.
    fn words(&mut self, text: &Line, place: &str) {
        let known = self
            .bundle
            .context
            .iter()
            .chain(&self.origins.coverage_words)
            .map(String::as_str);
        let is_known = numbers_stand_in(text.as_str(), self.bundle.report.language, known);
        let why = if is_known {
            "a line without a claim"
        } else {
            "a line with a number that nothing here proves"
        };
        self.found
            .not_covered_at(CheckKind::Words, place, shortened(text.as_str()), why);
    }
}

/// Checks the lists of data and sources against the evidence, entry by entry.
fn entries(
    bundle: &Bundle,
    evidence: &Evidence,
    writer: &ReportWriter<'_>,
    found: &mut Verification,
) {
    for data in &bundle.report.data {
        let problem = match evidence.table(&data.id) {
            None => Some("the bundle has no such aggregation".to_owned()),
            Some(table) => data_problem(data, &writer.table(table)),
        };
        let what = format!(
            "{} groups{}",
            data.rows.len(),
            if data.chart.is_some() {
                " and their chart"
            } else {
                ""
            }
        );
        found.judge(
            CheckKind::Entry,
            &format!("data ({})", data.id),
            what,
            problem,
        );
    }

    let sentences = bundle.report.sentences();
    for source in &bundle.report.sources {
        let problem = match writer.source(&source.id, &sentences) {
            None => Some("the bundle has no such source".to_owned()),
            Some(actual) => source_problem(source, &actual),
        };
        let what = shortened(source.title.as_str());
        found.judge(
            CheckKind::Entry,
            &format!("source [{}]", source.id),
            what,
            problem,
        );
    }
}

/// Returns the first difference of a data entry from the evidence.
fn data_problem(stated: &DataTable, actual: &DataTable) -> Option<String> {
    let differs = |what: &str, stated: &str, actual: &str| {
        (stated != actual)
            .then(|| format!("its {what} is `{stated}`, the evidence gives `{actual}`"))
    };
    let row = || {
        let pair = stated
            .rows
            .iter()
            .zip(&actual.rows)
            .find(|(stated, actual)| stated != actual)?;
        let words = |row: &DataRow| {
            let keys: Vec<&str> = row.keys.iter().map(Line::as_str).collect();
            let measures = row.measures.iter().map(|measure| {
                let number = measure.number.map(|number| number.to_string());
                let text = measure.text.as_ref().map(|text| text.as_str().to_owned());
                let value = number.or(text).unwrap_or_default();
                let (field, kind) = (measure.field.as_str(), measure.statistic);
                format!(", {kind:?} of {field} {value} (n = {})", measure.count)
            });
            let measures: String = measures.collect();
            format!("{}: {}{measures}", keys.join(" / "), row.count)
        };
        Some(format!(
            "{} is stated, the evidence has {}",
            words(pair.0),
            words(pair.1)
        ))
    };

    if stated == actual {
        return None;
    }

    differs(
        "total",
        &stated.total.to_string(),
        &actual.total.to_string(),
    )
    .or_else(row)
    .or_else(|| {
        differs(
            "number of groups",
            &stated.rows.len().to_string(),
            &actual.rows.len().to_string(),
        )
    })
    .or_else(|| differs("caption", stated.caption.as_str(), actual.caption.as_str()))
    .or_else(|| differs("title", stated.title.as_str(), actual.title.as_str()))
    .or_else(|| differs("scope", stated.scope.as_str(), actual.scope.as_str()))
    .or_else(|| {
        (stated.fields != actual.fields)
            .then(|| "its fields are not those of the evidence".to_owned())
    })
    .or_else(|| {
        (stated.measures != actual.measures)
            .then(|| "its statistics are not those of the evidence".to_owned())
    })
    .or_else(|| {
        (stated.correlations != actual.correlations)
            .then(|| "its correlations are not those of the evidence".to_owned())
    })
    .or_else(|| {
        (stated.kind != actual.kind).then(|| "its kind is not that of the evidence".to_owned())
    })
    .or_else(|| Some("its chart does not show what the evidence has".to_owned()))
}

/// Returns the first difference of a source entry from the evidence.
fn source_problem(stated: &SourceEntry, actual: &SourceEntry) -> Option<String> {
    let cited = [stated, actual].map(|entry| {
        entry
            .cited
            .iter()
            .map(Line::as_str)
            .collect::<Vec<_>>()
            .join("\n")
    });
    let parts = [
        ("title", stated.title.as_str(), actual.title.as_str()),
        (
            "address",
            stated.url.as_deref().unwrap_or_default(),
            actual.url.as_deref().unwrap_or_default(),
        ),
        (
            "beginning",
            stated.snippet.as_str(),
            actual.snippet.as_str(),
        ),
        ("list of cited values", &cited[0], &cited[1]),
        ("tool", &stated.tool, &actual.tool),
        ("record", &stated.record, &actual.record),
    ];
    let differing = parts
        .into_iter()
        .find(|(_, stated, actual)| stated != actual);

    differing.map(|(what, stated, actual)| {
        format!("its {what} is `{stated}`, the evidence has `{actual}`")
    })
}

/// Checks that every citation leads to an entry and every entry is cited, in the order of the
/// report.
fn citations(bundle: &Bundle, found: &mut Verification) {
    let report = &bundle.report;

    if let Err(problems) = report.resolve() {
        unresolved(&problems, "document", found);
    }

    // Sources are listed in the order of their first citation, data in that of the evidence.
    let mut first: Vec<&str> = Vec::new();
    for id in report
        .sentences()
        .into_iter()
        .flat_map(|sentence| &sentence.sources)
    {
        if !first.contains(&id.as_str()) {
            first.push(id);
        }
    }
    let listed: Vec<&str> = report
        .sources
        .iter()
        .map(|source| source.id.as_str())
        .collect();
    let data: Vec<&str> = report.data.iter().map(|data| data.id.as_str()).collect();
    let numbered: Vec<&str> = bundle
        .evidence
        .tables
        .iter()
        .map(|table| table.id.as_str())
        .filter(|id| data.contains(id))
        .collect();

    for (what, stated, given) in [
        ("order of the sources", listed, first),
        ("order of the data", data, numbered),
    ] {
        let is_set = stated.len() == given.len() && stated.iter().all(|id| given.contains(id));
        let problem = (is_set && stated != given)
            .then(|| format!("it is {}, not {}", stated.join(", "), given.join(", ")));
        if !stated.is_empty() {
            found.judge(CheckKind::Citation, "document", what, problem);
        }
    }
}

fn unresolved(problems: &[Unresolved], place: &str, found: &mut Verification) {
    for problem in problems {
        found.fails_at(
            CheckKind::Citation,
            place,
            "citations lead to entries, and back",
            problem.to_string(),
        );
    }
}

/// Checks the Markdown against the document, and its citations.
fn markdown(bundle: &Bundle, found: &mut Verification) {
    let actual = bundle.report.to_markdown();
    let problem = (actual != bundle.markdown).then(|| {
        let pairs = bundle
            .markdown
            .lines()
            .map(Some)
            .chain([None])
            .zip(actual.lines().map(Some).chain([None]));
        let differing = pairs
            .enumerate()
            .find(|(_, (stated, actual))| stated != actual);
        differing.map_or_else(
            || "its blanks or line ends are not those of the document".to_owned(),
            |(at, (stated, actual))| {
                let shown = |line: Option<&str>| {
                    line.map_or_else(|| "its end".to_owned(), |line| format!("`{line}`"))
                };
                format!(
                    "line {}: {} is stated, the document gives {}",
                    at + 1,
                    shown(stated),
                    shown(actual)
                )
            },
        )
    });
    found.judge(
        CheckKind::Rendering,
        "Markdown",
        format!("{} bytes", bundle.markdown.len()),
        problem,
    );

    match resolve_citations(&bundle.markdown) {
        Ok(_) => found.holds_at(
            CheckKind::Citation,
            "Markdown",
            "citations lead to entries, and back",
        ),
        Err(problems) => unresolved(&problems, "Markdown", found),
    }
}
