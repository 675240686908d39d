//! Sentences of an answer, each with the ids that it cites.

/// A sentence of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sentence {
    /// What is before it in its line, such as the mark of a list.
    pub lead: String,
    /// The sentence without its citations.
    pub text: String,
    /// Ids that it cites, in order.
    pub cited: Vec<String>,
    /// Whether a line ends after it.
    pub ends_line: bool,
}

impl Sentence {
    /// Creates a sentence on a separate line that cites nothing.
    pub fn line(text: String) -> Self {
        Self {
            text,
            ends_line: true,
            ..Self::default()
        }
    }
}

/// Splits an answer into its sentences. Citations are ids in square brackets, one or several, or a
/// range such as `[ev-1a2b3c4d-001…003]`.
pub fn split(answer: &str) -> Vec<Sentence> {
    let mut sentences: Vec<Sentence> = Vec::new();

    for line in answer.lines() {
        let trimmed = line.trim();
        if trimmed.is_empty() {
            continue;
        }
        let body = trimmed
            .strip_prefix("- ")
            .or_else(|| trimmed.strip_prefix("* "));
        let mut lead = if body.is_some() { "- " } else { "" }.to_owned();
        let first_of_line = sentences.len();

        for piece in pieces(body.unwrap_or(trimmed)) {
            let (text, cited) = without_citations(&piece);
            if text.is_empty() {
                if let Some(before) = sentences
                    .get_mut(first_of_line..)
                    .and_then(|line| line.last_mut())
                {
                    before.cited.extend(cited);
                }
                continue;
            }
            sentences.push(Sentence {
                lead: std::mem::take(&mut lead),
                text,
                cited,
                ends_line: false,
            });
        }
        if let Some(last) = sentences.last_mut() {
            last.ends_line = true;
        }
    }

    for sentence in &mut sentences {
        let mut seen = std::collections::BTreeSet::new();
        sentence.cited.retain(|id| seen.insert(id.clone()));
    }
    sentences
}

/// Splits a line after `.`, `!` and `?` outside of code. Citations after the mark belong to the
/// sentence before it.
fn pieces(line: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut piece = String::new();
    let mut is_code = false;
    let characters: Vec<char> = line.chars().collect();
    let mut at = 0;

    while let Some(&c) = characters.get(at) {
        piece.push(c);
        at += 1;
        if c == '`' {
            is_code = !is_code;
        }
        let is_end = !is_code
            && matches!(c, '.' | '!' | '?')
            && characters.get(at).is_none_or(|next| next.is_whitespace());
        if !is_end {
            continue;
        }

        // Take the citations that follow.
        loop {
            let rest: String = characters.get(at..).unwrap_or_default().iter().collect();
            let Some(length) = leading_citation(&rest) else {
                break;
            };
            let taken: String = rest.chars().take(length).collect();
            piece.push_str(&taken);
            at += length;
        }
        let next = characters.get(at..).unwrap_or_default().iter();
        let next = next.copied().find(|c| !c.is_whitespace());
        if next.is_none_or(|next| !next.is_lowercase()) {
            pieces.push(std::mem::take(&mut piece));
        }
    }

    if !piece.trim().is_empty() {
        pieces.push(piece);
    }
    pieces
}

/// Returns the number of characters of a citation at the start, white space before it included.
fn leading_citation(text: &str) -> Option<usize> {
    let trimmed = text.trim_start();
    let inner = trimmed.strip_prefix("[ev-")?;
    let end = inner.find(']')?;
    let spaces = text.chars().count() - trimmed.chars().count();
    Some(spaces + 4 + inner[..end].chars().count() + 1)
}

/// Takes the citations out of a sentence.
fn without_citations(piece: &str) -> (String, Vec<String>) {
    let mut text = String::new();
    let mut cited = Vec::new();
    let mut rest = piece;
    while let Some(start) = rest.find("[ev-") {
        let Some(end) = rest[start..].find(']') else {
            break;
        };
        text.push_str(rest[..start].trim_end());
        cited.extend(ids(&rest[start + 1..start + end]));
        rest = &rest[start + end + 1..];
    }
    text.push_str(rest);
    (text.trim().to_owned(), cited)
}

/// Returns the ids between the brackets of a citation.
fn ids(inner: &str) -> Vec<String> {
    /// Maximum number of ids of a range.
    const MAX_RANGE: u32 = 100;
    let mut found = Vec::new();
    for part in inner.split([',', ';', ' ']).filter(|part| !part.is_empty()) {
        let range = part.split_once('…').or_else(|| part.split_once(".."));
        let expanded = range.and_then(|(first, last)| {
            let (stem, number) = first.rsplit_once('-')?;
            let last = last.trim_start_matches('.');
            let last = last.rsplit_once('-').map_or(last, |(_, number)| number);
            let (first, last): (u32, u32) = (number.parse().ok()?, last.parse().ok()?);
            (first <= last && last - first < MAX_RANGE).then(|| {
                (first..=last)
                    .map(|number| format!("{stem}-{number:03}"))
                    .collect::<Vec<_>>()
            })
        });
        match expanded {
            Some(range) => found.extend(range),
            None => found.push(part.to_owned()),
        }
    }

    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn citations_belong_to_the_sentence_before_them() {
        let found = split(
            "`a.b` is a function. [ev-1-001] It returns 3 [ev-1-002, ev-1-003].\n\
             - One. [ev-1-004…006]",
        );
        let seen: Vec<_> = found
            .iter()
            .map(|one| (one.lead.as_str(), one.text.as_str(), one.cited.len()))
            .collect();
        assert_eq!(
            seen,
            [
                ("", "`a.b` is a function.", 1),
                ("", "It returns 3.", 2),
                ("- ", "One.", 3)
            ]
        );
        assert_eq!(found[2].cited, ["ev-1-004", "ev-1-005", "ev-1-006"]);
    }

    #[test]
    fn ends_of_sentences_in_code_and_versions_split_nothing() {
        let found = split("The default is `a. b` since 1.2.3 of the package e.g. for tests.");
        assert_eq!(found.len(), 1);
    }
}
