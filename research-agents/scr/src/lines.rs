//! Findings from lines of JSON.

use serde_json::Value;

use crate::memo::Finding;

/// What lines of JSON contained.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Lines {
    /// The findings, in the order of their lines.
    pub findings: Vec<Finding>,
    /// The lines that are not findings.
    pub problems: Vec<LineError>,
}

/// A line that is not a finding.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LineError {
    /// It is not a JSON object.
    #[error("line {line} is not a JSON object: write each finding on one line")]
    NotAnObject {
        /// Number of the line; the first is 1.
        line: usize,
    },
    /// A field is missing, is not a string, or is blank.
    #[error("line {line} has no `{field}`: add the field as a string that is not blank")]
    Field {
        /// Number of the line; the first is 1.
        line: usize,
        /// `text` or `source`.
        field: &'static str,
    },
}

/// Reads findings from lines of JSON with the fields `text` and `source`; further fields are
/// ignored. A line that is not a finding is a problem and does not end the reading; blank lines are
/// skipped.
///
/// Lines with the field `event` are those that research systems print: a verified `claim` is a
/// finding of what it quotes first, and a `finding` one of its first record. Of a report about data
/// the sentences and the rows of its tables are findings. Other events are skipped.
///
/// ```
/// use research_agents_scr::lines::read_lines;
///
/// let lines = read_lines("{\"text\": \"Backups fail.\", \"source\": \"b.md\"}\n{}\n");
/// assert_eq!(lines.findings.len(), 1);
/// assert_eq!(
///     lines.problems[0].to_string(),
///     "line 2 has no `text`: add the field as a string that is not blank"
/// );
/// ```
pub fn read_lines(text: &str) -> Lines {
    let mut lines = Lines::default();
    for (index, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        match finding(line, index + 1) {
            Ok(finding) => lines.findings.extend(finding),
            Err(problem) => lines.problems.push(problem),
        }
    }
    lines
}

fn finding(json: &str, line: usize) -> Result<Vec<Finding>, LineError> {
    let Ok(Value::Object(object)) = serde_json::from_str(json) else {
        return Err(LineError::NotAnObject { line });
    };
    if let Some(event) = object.get("event").and_then(Value::as_str) {
        return Ok(of_event(event, &Value::Object(object.clone())));
    }
    let field = |field| {
        let value = object.get(field).and_then(Value::as_str);
        let value = value.filter(|value| !value.trim().is_empty());
        value.ok_or(LineError::Field { line, field })
    };

    Ok(vec![Finding::new(field("text")?, field("source")?)])
}

/// Returns the findings of an event of a research system.
fn of_event(event: &str, object: &Value) -> Vec<Finding> {
    match event {
        "report_end" => of_report(&object["document"]),
        _ => Vec::from_iter(of_statement(event, object)),
    }
}

/// Returns the finding of an event about one statement.
fn of_statement(event: &str, object: &Value) -> Option<Finding> {
    let text = |pointer: &str| {
        let value = object.pointer(pointer).and_then(Value::as_str);
        value.filter(|value| !value.trim().is_empty())
    };
    match event {
        "claim" if text("/status") == Some("verified") => {
            let source = text("/sources/0").or_else(|| text("/quotes/0/source"));
            Some(Finding::new(text("/text")?, source?))
        }
        "finding" => Some(Finding::new(text("/claim")?, text("/doc_ids/0")?)),
        _ => None,
    }
}

/// Returns what a report says about data: its sentences about tables, and the rows of the tables.
/// Claims about texts are events.
fn of_report(document: &Value) -> Vec<Finding> {
    let title = document["title"].as_str().unwrap_or_default();
    let source = document["question"].as_str().unwrap_or(title);
    let items = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut findings = Vec::new();
    for section in items(&document["sections"]) {
        let blocks = items(&section["blocks"]).into_iter();
        let sentences = blocks.flat_map(|block| items(&block["sentences"]));
        let about_tables = sentences.filter(|one| !items(&one["aggregations"]).is_empty());
        let texts = about_tables.filter_map(|one| Some(one["text"].as_str()?.to_owned()));
        findings.extend(texts.map(|text| Finding::new(text, source)));
    }

    for table in items(&document["data"]) {
        let scope = table["scope"].as_str().unwrap_or_default();
        let words = |value: &Value| {
            let words = items(value).into_iter();
            let words = words.map(|word| word.as_str().map_or(word.to_string(), str::to_owned));
            words.collect::<Vec<_>>().join(", ")
        };
        let fields = words(&table["fields"]);
        for row in items(&table["rows"]) {
            let keys = words(&row["keys"]);
            let Some(count) = row["count"].as_u64().filter(|_| !keys.is_empty()) else {
                continue;
            };
            let text = format!("{keys} has {count} of {scope}, by {fields}.");
            findings.push(Finding::new(text, source));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::{LineError, read_lines};

    #[test]
    fn a_bad_line_ends_nothing_and_is_named() {
        let text = "{\"text\":\"A 🚀\",\"source\":\"a\",\"x\":1}\n\n[1]\n{\"text\":\"b\",\"sou\n\
                    {\"text\":7,\"source\":\"a\"}\n{\"text\":\"b\",\"source\":\" \"}\r\n\
                    {\"text\":\"B\",\"source\":\"b\"}";
        let lines = read_lines(text);

        let texts: Vec<&str> = lines
            .findings
            .iter()
            .map(|finding| finding.text.for_code().as_str())
            .collect();
        assert_eq!(texts, ["A 🚀", "B"]);
        assert_eq!(
            lines.problems,
            [
                LineError::NotAnObject { line: 3 },
                LineError::NotAnObject { line: 4 },
                LineError::Field {
                    line: 5,
                    field: "text"
                },
                LineError::Field {
                    line: 6,
                    field: "source"
                },
            ]
        );
    }

    #[test]
    fn events_of_research_systems_are_findings() {
        let claim = |text: &str, status: &str| {
            let quotes = r#"[{"source":"E1","text":"x"}]"#;
            format!(r#"{{"event":"claim","text":"{text}","status":"{status}","quotes":{quotes}}}"#)
        };
        let text = [
            r#"{"event":"phase","phase":"planning"}"#.to_owned(),
            claim("A", "verified"),
            claim("B", "withheld"),
            r#"{"event":"finding","claim":"C","doc_ids":["7"]}"#.to_owned(),
        ];
        let text = text.join("\n");

        let lines = read_lines(&text);
        let texts: Vec<&str> = lines
            .findings
            .iter()
            .map(|finding| finding.text.for_code().as_str())
            .collect();
        assert_eq!((texts, lines.problems.len()), (vec!["A", "C"], 0));
    }

    #[test]
    fn sentences_and_rows_of_a_report_about_data_are_findings() {
        let sentences = r#"[{"text":"Texas has the most records: 2.","aggregations":["A1"]},
            {"text":"A quote."}]"#;
        let rows = r#"[{"keys":["Texas"],"count":2},{"keys":["Utah",1990],"count":1}]"#;
        let report = format!(
            r#"{{"event":"report_end","document":{{"title":"t","question":"Records by state",
            "sections":[{{"blocks":[{{"type":"paragraph","sentences":{sentences}}}]}}],
            "data":[{{"scope":"3 records of strikes","fields":["State","Year"],
            "rows":{rows}}}]}}}}"#
        );

        let lines = read_lines(&report.replace('\n', " "));
        let texts: Vec<&str> = lines
            .findings
            .iter()
            .map(|finding| finding.text.for_code().as_str())
            .collect();
        let expected = [
            "Texas has the most records: 2.",
            "Texas has 2 of 3 records of strikes, by State, Year.",
            "Utah, 1990 has 1 of 3 records of strikes, by State, Year.",
        ];
        assert_eq!(texts, expected);
        assert_eq!(lines.findings[0].source.for_code(), "Records by state");
    }
}
