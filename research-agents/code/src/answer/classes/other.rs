//! Questions whose answers are not computed: the best lines are quoted.

use crate::answer::claim::Claim;
use crate::answer::draft::{Asked, Draft};
use crate::answer::report::{Answer, Outcome};
use crate::base::Span;
use crate::error::CodeError;

/// Number of spans that are quoted.
const QUOTED: usize = 4;

/// Number of spans of one file.
const PER_FILE: usize = 2;

/// Quotes what ranked search finds, and says that no answer was computed.
pub(crate) fn other(asked: &Asked<'_>) -> Result<Answer, CodeError> {
    let mut draft = Draft::new(asked);
    draft.outcome(Outcome::NotComputed);
    let found = asked
        .files
        .search(asked.question, 5 * QUOTED, asked.scope, asked.is_cancelled);
    let found = match found {
        Ok(found) => found,
        Err(CodeError::Question { .. }) => Vec::new(),
        Err(error) => return Err(error),
    };
    let chosen = diverse(found);
    if chosen.is_empty() {
        draft.note(
            "No answer was computed: the question names nothing of this code, and no line has its \
             words.",
        );
        return Ok(draft.finish(asked));
    }

    draft.note(
        "No answer was computed: the question is not one about definitions, calls, uses, values, \
         changes or lists of named symbols. These lines fit its words best.",
    );
    for span in chosen {
        let Some((line, text)) = telling_line(&span, asked) else {
            continue;
        };
        let what = match &span.symbol {
            Some(symbol) => format!("`{symbol}` in "),
            None => String::new(),
        };
        let path = span.path.encoded();
        let span = draft.cite(span);
        draft.say(
            format!("{what}`{path}`, line {line}: `{}`", text.replace('`', "'")),
            vec![Claim::Quote { text, span }],
            vec![span],
        );
    }
    draft.note("Ask where a name is defined, who calls it, what it returns, or for its default.");
    Ok(draft.finish(asked))
}

/// Returns the best spans, at most two of a file.
fn diverse(found: Vec<Span>) -> Vec<Span> {
    let mut chosen: Vec<Span> = Vec::new();
    for span in found {
        let of_file = chosen
            .iter()
            .filter(|known| known.path == span.path)
            .count();
        if of_file < PER_FILE && chosen.len() < QUOTED {
            chosen.push(span);
        }
    }
    chosen
}

/// Returns the line of a span that has most words of the question, with its number.
fn telling_line(span: &Span, asked: &Asked<'_>) -> Option<(usize, String)> {
    /// Maximum number of characters of a quote.
    const QUOTE: usize = 120;
    let text = std::str::from_utf8(&span.bytes).ok()?;
    let score = |line: &str| {
        let lower = line.to_lowercase();
        let words = asked.reading.words.iter();
        words.filter(|word| lower.contains(word.as_str())).count()
    };
    let (at, line) = text
        .lines()
        .enumerate()
        .filter(|(_, line)| line.trim().len() > 2)
        .max_by_key(|(at, line)| (score(line), usize::MAX - at))?;
    let quote: String = line.trim().chars().take(QUOTE).collect();
    Some((span.first + at, quote.trim_end().to_owned()))
}
