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
            Ok(finding) => lines.findings.push(finding),
            Err(problem) => lines.problems.push(problem),
        }
    }
    lines
}

fn finding(json: &str, line: usize) -> Result<Finding, LineError> {
    let Ok(Value::Object(object)) = serde_json::from_str(json) else {
        return Err(LineError::NotAnObject { line });
    };
    let field = |field| {
        let value = object.get(field).and_then(Value::as_str);
        let value = value.filter(|value| !value.trim().is_empty());
        value.ok_or(LineError::Field { line, field })
    };

    Ok(Finding::new(field("text")?, field("source")?))
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
}
