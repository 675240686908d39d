//! Resolves the citations of a report in Markdown: every marker must have an entry, and every entry
//! must be cited.

use crate::language::catalogue::REPORT;
use crate::language::phrase::Phrase;

/// The citations of a report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Citations {
    /// Ids of records, in the order of the list of sources.
    pub records: Vec<String>,
    /// Ids of aggregations, in the order of the list of data.
    pub aggregations: Vec<String>,
}

/// A marker without an entry, or an entry without a marker.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unresolved {
    /// A marker without an entry.
    #[error("`{0}` is cited but not listed")]
    NotListed(String),
    /// An entry without a marker.
    #[error("`{0}` is listed but not cited")]
    NotCited(String),
    /// Two entries with the same id.
    #[error("`{0}` is listed twice")]
    ListedTwice(String),
    /// An opening bracket that is never closed.
    #[error("an opening bracket is not closed: {0}")]
    Open(String),
}

/// Resolves every citation marker of a report in Markdown, whose headings may be in any language
/// with a catalogue.
///
/// ```
/// use research_agents_report::document::resolve_citations;
///
/// let report = "# Sizes\n\n- Small has 99 (A1).\n\n## Data\n\n- (A1) Records by size\n";
/// assert_eq!(resolve_citations(report).unwrap().aggregations, ["A1"]);
///
/// let problems = resolve_citations(&report.replace("- (A1) R", "- R")).unwrap_err();
/// assert_eq!(problems[0].to_string(), "`A1` is cited but not listed");
/// ```
///
/// # Errors
///
/// Returns every marker without an entry, every entry without a marker, and every entry that is
/// listed twice.
pub fn resolve_citations(report: &str) -> Result<Citations, Vec<Unresolved>> {
    let data = REPORT.in_every_language(&Phrase::Data);
    let sources = REPORT.in_every_language(&Phrase::Sources);

    // Collect the entries of the two lists, and the markers in all text.
    let mut problems = Vec::new();
    let mut section = "";
    let mut listed = Citations::default();
    let mut cited = Citations::default();
    for line in report.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            section = heading.trim();
        }

        let is = |headings: &[String]| headings.iter().any(|heading| heading == section);
        let entry = if is(&sources) {
            entry(line, '[', ']').map(|(id, rest)| (&mut listed.records, id, rest))
        } else if is(&data) {
            entry(line, '(', ')').map(|(id, rest)| (&mut listed.aggregations, id, rest))
        } else {
            None
        };
        let text = match entry {
            Some((list, id, rest)) => {
                if list.contains(&id) {
                    problems.push(Unresolved::ListedTwice(id));
                } else {
                    list.push(id);
                }
                rest
            }
            None => line,
        };

        for marker in between(text, '[', ']') {
            match marker {
                Some(id) => remember(&mut cited.records, id),
                None => problems.push(Unresolved::Open(text.to_owned())),
            }
        }
        let tables = between(text, '(', ')').into_iter().flatten();
        tables
            .filter(|id| is_aggregation(id))
            .for_each(|id| remember(&mut cited.aggregations, id));
    }

    // Compare them.
    for (cited, listed) in [
        (&cited.records, &listed.records),
        (&cited.aggregations, &listed.aggregations),
    ] {
        problems.extend(
            cited
                .iter()
                .filter(|id| !listed.contains(id))
                .cloned()
                .map(Unresolved::NotListed),
        );
        problems.extend(
            listed
                .iter()
                .filter(|id| !cited.contains(id))
                .cloned()
                .map(Unresolved::NotCited),
        );
    }

    if problems.is_empty() {
        Ok(listed)
    } else {
        Err(problems)
    }
}

/// Returns the id of an entry, and the rest of its line.
fn entry(line: &str, open: char, close: char) -> Option<(String, &str)> {
    let (id, rest) = line
        .strip_prefix("- ")?
        .strip_prefix(open)?
        .split_once(close)?;
    Some((id.to_owned(), rest))
}

/// Returns the text between innermost brackets. `None` for a bracket that is not closed.
fn between(text: &str, open: char, close: char) -> Vec<Option<&str>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(open) {
        rest = &rest[at + open.len_utf8()..];
        let end = rest.find(close);
        let nested = rest
            .find(open)
            .filter(|inner| end.is_none_or(|end| *inner < end));
        if nested.is_none() {
            found.push(end.map(|end| &rest[..end]));
        }
    }
    found
}

/// Returns whether an id has the form `A1`.
fn is_aggregation(id: &str) -> bool {
    id.strip_prefix('A')
        .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
}

/// Adds an id unless the list contains it.
fn remember(list: &mut Vec<String>, id: &str) {
    if !list.iter().any(|known| known == id) {
        list.push(id.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "# T\n\n- Small has 99 (60.0 %) (A1).\n- A gull was seen [4711] [t:7].\n\n\
                          ## Data\n\n- (A1) by size\n\n\
                          ## Sources\n\n- [4711] A — b\n- [t:7] C\n";

    #[test]
    fn a_sound_report_resolves() {
        let citations = resolve_citations(REPORT).unwrap();
        assert_eq!(citations.records, ["4711", "t:7"]);
        assert_eq!(citations.aggregations, ["A1"]);
    }

    #[test]
    fn lists_are_found_in_every_language_of_the_program() {
        for (data, sources) in [
            ("Daten", "Quellen"),
            ("Données", "Sources"),
            ("Datos", "Fuentes"),
            ("Dati", "Fonti"),
        ] {
            let report = REPORT
                .replace("## Data", &format!("## {data}"))
                .replace("## Sources", &format!("## {sources}"));

            assert_eq!(
                resolve_citations(&report),
                resolve_citations(REPORT),
                "{data}"
            );
            assert!(
                resolve_citations(&report.replace("- [t:7] C\n", "")).is_err(),
                "{data}"
            );
        }
    }

    #[test]
    fn a_marker_without_an_entry_is_found() {
        let problems = resolve_citations(&REPORT.replace("- [t:7] C\n", "")).unwrap_err();
        assert_eq!(problems, [Unresolved::NotListed("t:7".into())]);
        let problems = resolve_citations(&REPORT.replace("(A1).", "(A2).")).unwrap_err();
        assert_eq!(
            problems,
            [
                Unresolved::NotListed("A2".into()),
                Unresolved::NotCited("A1".into())
            ]
        );
    }

    #[test]
    fn an_entry_that_is_listed_twice_is_found() {
        let problems = resolve_citations(&format!("{REPORT}- [4711] again\n")).unwrap_err();
        assert_eq!(problems, [Unresolved::ListedTwice("4711".into())]);
    }
}
