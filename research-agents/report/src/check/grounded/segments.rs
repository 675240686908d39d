//! Sentences whose parts are carried by several sentences of the evidence.

use std::ops::Range;

use crate::check::grounded::align::{Alignment, Link, Unit};
use crate::check::grounded::judge::judge;
use crate::check::grounded::lexicon::ENGLISH;
use crate::check::grounded::mismatch::Mismatch;
use crate::check::grounded::parse::Parsed;
use crate::check::grounded::token::Kind;
use crate::check::grounded::verdict::{Cited, Grounded};

/// Judges each part of a sentence by the unit that carries it. `None` if it has one part only, or
/// if a part is not carried.
pub(crate) fn ground<'u>(
    said: &Parsed,
    units: &'u [Unit],
    alignments: &[Alignment],
    cited: &[Cited<'_>],
) -> Option<(Grounded, Vec<&'u Unit>)> {
    let parts = parts(said);
    if parts.len() < 2 {
        return None;
    }

    // Every part holds in one unit, if possible in that of the part before.
    let mut carriers: Vec<usize> = Vec::new();
    for part in &parts {
        let holds = |at: &usize| {
            let text = cited.get(units[*at].passage).map_or("", |cited| cited.text);
            let judged = judge(said, &units[*at], &alignments[*at], text, |token| {
                part.contains(&token)
            });
            judged.verdict == Grounded::Holds
        };
        let before = carriers.last().copied();
        let carrier = before
            .filter(holds)
            .or_else(|| (0..units.len()).find(holds))?;
        carriers.push(carrier);
    }

    // A part without a subject is said of the subject of the sentence.
    let subject = subject(said, &parts);
    let first = carriers.first().copied()?;
    for (part, carrier) in parts.iter().zip(&carriers) {
        if *carrier == first || has_subject(said, part) {
            continue;
        }
        let is_about = subject.iter().all(|at| {
            !matches!(
                alignments[*carrier].link(*at),
                Some(
                    Link::Missing
                        | Link::Found(_, crate::check::grounded::lexicon::Relation::Opposite)
                )
            )
        });
        if !is_about || subject.is_empty() {
            let words: Vec<&str> = subject.iter().map(|at| said.shown(*at)).collect();
            let source = |unit: usize| cited.get(units[unit].passage).map(|cited| cited.source);
            // Within one source, the earlier sentence may well be about the same.
            let verdict = if source(*carrier) == source(first) {
                Grounded::Unsure {
                    missing: words.iter().map(|word| (*word).to_owned()).collect(),
                }
            } else {
                let subject = words.join(" ");
                Grounded::Fails(Mismatch::Merged { subject })
            };
            let carriers = carriers.iter().map(|at| &units[*at]).collect();
            return Some((verdict, carriers));
        }
    }

    Some((
        Grounded::Holds,
        carriers.iter().map(|at| &units[*at]).collect(),
    ))
}

/// Returns the parts of a sentence, each with a verb, as ranges of tokens.
fn parts(said: &Parsed) -> Vec<Range<usize>> {
    let mut parts: Vec<Range<usize>> = Vec::new();
    for clause in 0..said.clauses {
        let range = said.clause(clause);
        if range.is_empty() {
            continue;
        }
        let whole = range.clone().any(|at| is_verb(said, at))
            && range.clone().any(|at| said.tokens[at].is_content());
        // What has no verb belongs to the part before it, or to the one after it.
        match parts.last_mut() {
            Some(last) if !whole || !last.clone().any(|at| is_verb(said, at)) => {
                last.end = range.end;
            }
            _ => parts.push(range),
        }
    }
    parts
}

fn is_verb(said: &Parsed, at: usize) -> bool {
    const AUXILIARY: &str = "is are was were be has have had can will must may does do did should \
        would could might";
    let token = &said.tokens[at];
    AUXILIARY.split_whitespace().any(|verb| verb == token.lower)
        || token.kind == Kind::Content && ENGLISH.is_verb(&token.stem)
}

/// Returns the content words before the first verb of a part.
fn leading(said: &Parsed, part: &Range<usize>) -> Vec<usize> {
    part.clone()
        .take_while(|at| !is_verb(said, *at))
        .filter(|at| said.tokens[*at].is_content())
        .collect()
}

/// Returns whether a part names what it is about.
fn has_subject(said: &Parsed, part: &Range<usize>) -> bool {
    !leading(said, part).is_empty()
}

/// Returns the words in the first part that names what it is about.
fn subject(said: &Parsed, parts: &[Range<usize>]) -> Vec<usize> {
    parts
        .iter()
        .map(|part| leading(said, part))
        .find(|words| !words.is_empty())
        .unwrap_or_default()
}
