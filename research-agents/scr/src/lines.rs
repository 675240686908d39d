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
/// finding of what it quotes first, a `finding` one of its first record, and other events are
/// skipped.
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

fn finding(json: &str, line: usize) -> Result<Option<Finding>, LineError> {
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

    Ok(Some(Finding::new(field("text")?, field("source")?)))
}

/// Returns the finding of an event of a research system.
fn of_event(event: &str, object: &Value) -> Option<Finding> {
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
}
