//! Reads a report as a careful reader does: which citations stand where, and whether each leads somewhere.

use std::collections::BTreeSet;

use crate::events::Events;

/// The lines of the section of this name.
pub(crate) fn section<'a>(report: &'a str, name: &str) -> Vec<&'a str> {
    let heading = format!("## {name}");
    let lines = report.lines().skip_while(|line| *line != heading).skip(1);
    lines.take_while(|line| !line.starts_with("## ")).filter(|line| !line.is_empty()).collect()
}

/// The sub-questions: the headings of the analysis. A line tells how many are answered, and the others say that they are not.
pub(crate) fn sub_questions(report: &str) -> Vec<&str> {
    let analysis = section(report, "Analysis");
    let headings: Vec<&str> = analysis.iter().filter_map(|line| line.strip_prefix("### ")).collect();
    let open = analysis.iter().filter(|line| **line == "Not answered by this data.").count();
    let number = headings.len();
    let expected = match (number, open) {
        (1, 0) => "The question is answered by the data.".to_owned(),
        (_, 0) => format!("All {number} questions are answered by the data."),
        _ => format!(
            "{} of {number} questions {} answered by",
            number - open,
            if number - open == 1 { "is" } else { "are" }
        ),
    };
    assert!(analysis[0].starts_with(&expected), "{report}");
    headings
}

/// The sentence about coverage, without the word before it and what follows.
pub(crate) fn coverage(report: &str) -> &str {
    let line = report.lines().find_map(|line| line.strip_prefix("Coverage: ")).expect("coverage is stated");
    line.split_once(". Confidence").expect("confidence is stated").0
}

/// Checks that every citation of the report of this run resolves, and that nothing is listed that is not cited.
pub(crate) fn citations_resolve(events: &Events) {
    let report = events.report();
    let body = report.split("\n## Data\n").next().unwrap().split("\n## Sources\n").next().unwrap();
    let sources = events.sources();
    let known: BTreeSet<&str> = sources.iter().map(String::as_str).collect();

    let listed: Vec<&str> = section(report, "Sources")
        .into_iter()
        .filter_map(|line| line.strip_prefix("- [")?.split_once(']').map(|(id, _)| id))
        .collect();
    let cited: BTreeSet<&str> = bracketed(body).into_iter().collect();
    assert!(cited.is_subset(&known), "cited but not read: {:?}", cited.difference(&known));
    assert_eq!(cited, listed.iter().copied().collect(), "cited and listed differ:\n{report}");
    assert_eq!(cited.len(), listed.len(), "a source is listed twice");

    let data: Vec<&str> = section(report, "Data")
        .into_iter()
        .filter_map(|line| line.strip_prefix("- (")?.split_once(')').map(|(id, _)| id))
        .collect();
    let cited: BTreeSet<&str> = tables(body).into_iter().collect();
    assert_eq!(cited, data.iter().copied().collect(), "cited and listed statistics differ:\n{report}");
    let sent: BTreeSet<&str> = events.of("aggregation").iter().map(|event| event["id"].as_str().unwrap()).collect();
    assert!(cited.is_subset(&sent), "{cited:?} {sent:?}");

    let resolved = research_agents::kernel::resolve_citations(report);
    assert!(resolved.is_ok(), "{resolved:?}");
}

/// What stands in square brackets; escaped ones are text.
fn bracketed(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find('[') {
        let is_escaped = rest[..open].ends_with('\\');
        rest = &rest[open + 1..];
        if !is_escaped {
            let close = rest.find(']').expect("a bracket is closed");
            found.push(&rest[..close]);
            rest = &rest[close + 1..];
        }
    }
    found
}

/// The ids of statistics: `(A` and a number.
fn tables(text: &str) -> Vec<&str> {
    let candidates = text.split('(').skip(1).filter_map(|part| part.split_once(')').map(|(inside, _)| inside));
    candidates
        .filter(|inside| {
            let number = inside.strip_prefix('A').unwrap_or_default();
            !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
        })
        .collect()
}
