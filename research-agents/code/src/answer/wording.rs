//! Checks the text of a sentence against its claims and lines: marks, names and numbers.

use crate::answer::claim::{Claim, CountOf};
use crate::answer::report::{Answer, Sentence};
use crate::base::Span;

/// Returns what a sentence says that neither its claims nor its lines carry.
///
/// * Every span of a claim is one of the marks of the sentence.
/// * The names of its claims are in it, in back-ticks.
/// * What is in back-ticks or quotes is a name or text of a claim, a path, a name that the answer
///   is about, or text of the marked lines.
/// * The number of a line is that of a line in a marked span.
/// * Whole numbers, of lines too, are those of its [`CountOf::Stated`] claims, in their order.
/// * Versions are in a claim or in the marked lines.
pub(crate) fn wording_problems(answer: &Answer, sentence: &Sentence) -> Vec<String> {
    let mut problems = Vec::new();
    let is_marked = |span: &usize| sentence.spans.contains(span);
    if !sentence
        .claims
        .iter()
        .flat_map(claimed_spans)
        .all(|span| is_marked(&span))
    {
        problems.push("it does not mark the lines of its claims".to_owned());
    }

    let unnamed = sentence.claims.iter().filter_map(named);
    for name in unnamed.filter(|name| !names(&sentence.text, name)) {
        problems.push(format!("it does not name `{name}`"));
    }

    let known = Known::new(answer, sentence);
    for part in parts(&sentence.text) {
        let problem = match part {
            Part::Version(version) if !known.is_version(version) => {
                Some(format!("version {version} is not the claimed one"))
            }
            Part::Quoted(text) if !known.has_text(text) => {
                Some(format!("`{text}` is in none of its claims and lines"))
            }
            Part::Line(line) if !known.has_line(line) => {
                Some(format!("line {line} is not one of its lines"))
            }
            Part::Version(version) if !known.has_text(version) => {
                Some(format!("{version} is in none of its claims and lines"))
            }
            _ => None,
        };
        problems.extend(problem);
    }

    let stated = sentence.claims.iter().filter_map(|claim| match claim {
        Claim::Count {
            of: CountOf::Stated { .. },
            count,
        } => Some(*count),
        _ => None,
    });
    let said = stated_counts(&sentence.text)
        .into_iter()
        .map(|(_, count)| count);
    if !said.eq(stated) {
        problems.push("its numbers are not those of its claims".to_owned());
    }
    problems
}

/// What a sentence may say.
struct Known<'a> {
    /// The marked spans.
    marked: Vec<&'a Span>,
    /// The marked lines without white space.
    lines: String,
    /// Names and texts of claims, of the question and of the answer.
    texts: Vec<String>,
    /// Versions that are claimed to have a change.
    versions: Vec<&'a str>,
}

impl<'a> Known<'a> {
    fn new(answer: &'a Answer, sentence: &'a Sentence) -> Self {
        let marked: Vec<&Span> = sentence
            .spans
            .iter()
            .filter_map(|at| answer.spans.get(*at))
            .collect();
        let lines = marked.iter().map(|span| squashed(&span.text())).collect();

        let all_spans = answer.spans.iter().chain(&answer.further);
        let mut texts: Vec<String> = all_spans
            .flat_map(|span| {
                let symbol = span.symbol.iter().cloned();
                symbol.chain([span.path.encoded().to_string()])
            })
            .collect();
        texts.extend(answer.subjects.iter().chain(&answer.nearest).cloned());
        texts.extend(answer.ledgers.iter().map(|ledger| ledger.name.clone()));
        texts.push(answer.question.clone());
        texts.push(answer.scope.clone());
        for claim in &sentence.claims {
            texts.extend(claimed_texts(claim));
        }
        Self {
            marked,
            lines,
            texts: texts.iter().map(|text| squashed(text)).collect(),
            versions: sentence.claims.iter().filter_map(claimed_version).collect(),
        }
    }

    /// Returns whether a version is the claimed one, where one is claimed.
    fn is_version(&self, version: &str) -> bool {
        self.versions.is_empty()
            || self
                .versions
                .iter()
                .any(|claimed| claimed.contains(version))
    }

    fn has_text(&self, text: &str) -> bool {
        let wanted = squashed(text);
        // A text that was cut is compared up to the cut.
        let wanted = wanted.split('…').next().unwrap_or_default();
        // The condition of an `else` is the other one denied.
        let wanted = wanted.strip_prefix("not").unwrap_or(wanted);
        // A name with those around it may be put together from its parts.
        self.has(wanted) || wanted.split('.').all(|part| self.has(part))
    }

    fn has(&self, text: &str) -> bool {
        self.lines.contains(text) || self.texts.iter().any(|known| known.contains(text))
    }

    fn has_line(&self, line: usize) -> bool {
        self.marked
            .iter()
            .any(|span| (span.first..=span.last).contains(&line))
    }
}

/// Returns the whole numbers in text, in order, each with the words after it.
pub(crate) fn stated_counts(text: &str) -> Vec<(String, usize)> {
    let plain = without_names(text);
    let counts = parts(text).into_iter().filter_map(|part| match part {
        Part::Count(count) | Part::Line(count) => Some(count),
        _ => None,
    });
    counts
        .map(|count| (words_after(&plain, &count.to_string()), count))
        .collect()
}

/// Returns the two words that follow a number, to say what it counts.
fn words_after(text: &str, number: &str) -> String {
    let mut words = text
        .split_whitespace()
        .skip_while(|word| *word != number)
        .skip(1);
    let words: Vec<&str> = words.by_ref().take(2).collect();
    words
        .join(" ")
        .trim_end_matches(|c: char| !c.is_alphanumeric())
        .to_owned()
}

/// Returns text without what is in back-ticks and without brackets.
fn without_names(text: &str) -> String {
    let plain = text.split('`').step_by(2).collect::<Vec<_>>().join(" ");
    plain.replace(['(', ')'], " ")
}

/// A part of a sentence that is checked.
#[derive(Debug, PartialEq, Eq)]
enum Part<'t> {
    /// Text in back-ticks or quotes.
    Quoted(&'t str),
    /// The number of a line.
    Line(usize),
    /// Another whole number.
    Count(usize),
    /// A number with points in it.
    Version(&'t str),
}

/// Returns what is in back-ticks, and the numbers outside of back-ticks and quotes.
fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    for (at, piece) in text.split('`').enumerate() {
        if at % 2 == 1 {
            parts.push(Part::Quoted(piece));
            continue;
        }
        for (at, words) in piece.split('"').enumerate() {
            match at % 2 {
                0 => numbers(words, &mut parts),
                _ => parts.push(Part::Quoted(words)),
            }
        }
    }
    parts
}

/// Adds the numbers of words.
fn numbers<'t>(words: &'t str, parts: &mut Vec<Part<'t>>) {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_');
    let mut is_after_line = false;
    for word in words.split(|c: char| !is_word(c)) {
        let word = word.trim_matches('.');
        match word {
            "" => {}
            "line" | "lines" => is_after_line = true,
            // `lines 3, 5 and 9`
            "and" => {}
            _ if !word.starts_with(|c: char| c.is_ascii_digit()) => is_after_line = false,
            _ => parts.push(match word.parse() {
                Ok(line) if is_after_line => Part::Line(line),
                Ok(count) => Part::Count(count),
                Err(_) => Part::Version(word),
            }),
        }
    }
}

fn claimed_spans(claim: &Claim) -> Vec<usize> {
    match claim {
        Claim::Defines { span, .. }
        | Claim::Calls { span, .. }
        | Claim::Uses { span, .. }
        | Claim::Implements { span, .. }
        | Claim::Value { span, .. }
        | Claim::Raises { span, .. }
        | Claim::Returns { span, .. }
        | Claim::Changed { span, .. }
        | Claim::Quote { span, .. } => vec![*span],
        Claim::Path { hops } => hops.iter().map(|hop| hop.span).collect(),
        Claim::Contradicts { code, text, .. } => vec![*code, *text],
        Claim::Count { .. } | Claim::Absent { .. } => Vec::new(),
    }
}

/// Returns the name that a sentence with a claim has to have.
fn named(claim: &Claim) -> Option<&str> {
    match claim {
        Claim::Defines { symbol: name, .. }
        | Claim::Value { key: name, .. }
        | Claim::Raises { function: name, .. }
        | Claim::Returns { function: name, .. }
        | Claim::Implements { by: name, .. }
        | Claim::Count {
            of: CountOf::Occurrences { name, .. },
            ..
        } => Some(name),
        _ => None,
    }
}

fn claimed_version(claim: &Claim) -> Option<&str> {
    match claim {
        Claim::Changed { version, .. } => version.as_deref(),
        _ => None,
    }
}

fn claimed_texts(claim: &Claim) -> Vec<String> {
    let texts: Vec<&String> = match claim {
        // Names.
        Claim::Defines { symbol, kind, .. } => vec![symbol, kind],
        Claim::Calls { caller, callee, .. } => caller.iter().chain([callee]).collect(),
        Claim::Uses { symbol, .. } => vec![symbol],
        Claim::Implements { by, of, .. } => vec![by, of],
        Claim::Value { key, literal, .. } => vec![key, literal],
        Claim::Raises { function, what, .. } | Claim::Returns { function, what, .. } => {
            vec![function, what]
        }
        Claim::Path { hops } => hops
            .iter()
            .flat_map(|hop| [&hop.caller, &hop.callee])
            .collect(),

        // Counts.
        Claim::Count {
            of: CountOf::Occurrences { name, .. },
            ..
        } => vec![name],
        Claim::Count {
            of: CountOf::Shown { what } | CountOf::Stated { what },
            ..
        } => vec![what],
        Claim::Absent { terms, .. } => terms.iter().collect(),

        // Texts.
        Claim::Changed { version, .. } => version.iter().collect(),
        Claim::Quote { text, .. } => vec![text],
        Claim::Contradicts {
            key,
            literal,
            stated,
            ..
        } => vec![key, literal, stated],
    };
    texts.into_iter().cloned().collect()
}

/// Returns whether some text in back-ticks is a name, alone or behind those around it.
fn names(text: &str, name: &str) -> bool {
    let name = squashed(name);
    text.split('`')
        .skip(1)
        .step_by(2)
        .map(squashed)
        .any(|quoted| {
            let around = quoted.strip_suffix(name.as_str());
            around.is_some_and(|around| around.is_empty() || around.ends_with(['.', ':']))
        })
}

/// Returns what is left without white space, quotes, and the marks of Markdown and comments.
pub(crate) fn squashed(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_whitespace() && !matches!(c, '`' | '\'' | '"' | '*' | '/' | '#'))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lines_and_numbers_are_told_apart() {
        let found = parts("`a1` has 10 calls in lines 3, 5 and 9 of 2 files: \"7\".");

        let line = Part::Line;
        assert_eq!(
            found,
            [
                Part::Quoted("a1"),
                Part::Count(10),
                line(3),
                line(5),
                line(9),
                Part::Count(2),
                Part::Quoted("7"),
            ]
        );
    }
}
