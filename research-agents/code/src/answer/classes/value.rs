//! The value or default of a constant, field, parameter or key, and texts that state another one.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::answer::candidate::{Candidate, alike, candidates_in, direct, rank};
use crate::answer::claim::Claim;
use crate::answer::classes::absent::absent;
use crate::answer::classes::definition::definition;
use crate::answer::classes::key::config_key;
use crate::answer::classes::other::other;
use crate::answer::classes::uses::uses;
use crate::answer::documented::{Text, documentation, texts_about};
use crate::answer::draft::{Asked, Draft, joined};
use crate::answer::report::{Answer, Outcome};
use crate::answer::subject::{Sought, Subject, names_file, seek, subjects};
use crate::base::{Provenance, span_of};
use crate::error::CodeError;
use crate::facts::LineIndex;
use crate::question::Term;
use crate::resolve::body::ValueKind;
use crate::search::split_identifier;
use crate::tree::RelPath;

/// Number of values that are shown.
const SHOWN: usize = 4;

/// Number of files that are read for a question without a name.
const FILES: usize = 25;

/// Answers what the value or default of something is.
pub(crate) fn value(asked: &Asked<'_>) -> Result<Answer, CodeError> {
    let mut found = Vec::new();
    for sought in subjects(asked)? {
        match sought {
            Sought::Found(subject) => found.push(*subject),
            Sought::Missing(missing) => return Ok(absent(asked, &missing)),
            Sought::Unnamed => {}
        }
    }

    let written: Vec<String> = found.iter().map(|one| one.term.name.clone()).collect();
    let (mut best, named) = parameter(asked, &found);
    let mut at = 0;
    let (containers, keys): (Vec<Subject>, Vec<Subject>) = found.into_iter().partition(|subject| {
        let mut kinds = subject.definitions().map(|found| found.kind);
        let is_key = named == Some(at);
        at += 1;
        !is_key && kinds.any(|kind| kind.is_function() || kind.is_type())
    });
    let names: Vec<&str> = containers
        .iter()
        .map(|one| one.term.name.as_str())
        .collect();
    if best.is_empty() {
        best.extend(keys.iter().flat_map(|key| direct(asked, key, &names)));
    }
    if best.is_empty() {
        best = of_default(asked, &written)?;
    }
    if best.is_empty() {
        // A property sets a variable that is called like it.
        for one in containers.iter().filter(|one| is_function(one)) {
            let name = one.term.name.as_str();
            let values = direct(asked, one, &[name]).into_iter();
            best.extend(values.filter(|value| {
                value.is_within(name) && value.value.site.literal.starts_with(['"', '\''])
            }));
        }
    }
    if best.is_empty() && keys.is_empty() {
        best = by_words(asked, &containers);
    }
    if !best.is_empty() {
        return Ok(say(asked, &mut best, keys.first().or(containers.first())));
    }

    match keys
        .into_iter()
        .next()
        .or(containers.into_iter().next())
        .as_ref()
    {
        // A key in strings has a value where it is read or set.
        Some(subject) if subject.uses.definitions.is_empty() => {
            let of_key = config_key(asked)?.filter(|key| key.outcome == Outcome::Computed);
            Ok(of_key.unwrap_or_else(|| uses(asked, subject)))
        }
        Some(subject) if is_function(subject) => Ok(lines_of(asked, subject)),
        Some(subject) => Ok(definition(asked, subject)),
        None => other(asked),
    }
}

/// Returns the values of the constant that holds the default of a name: `DEFAULT_RETRY_LIMIT` of
/// `retry_limit`.
fn of_default(asked: &Asked<'_>, names: &[String]) -> Result<Vec<Candidate>, CodeError> {
    let index = asked.files.index(asked.is_cancelled);

    for name in names {
        let mut wanted = split_identifier(name);
        wanted.push("default".to_owned());
        wanted.sort_unstable();
        let is_default = |other: &&str| {
            let mut parts = split_identifier(other);
            parts.sort_unstable();
            parts == wanted
        };
        let Some(constant) = index.names(asked.scope).filter(is_default).min() else {
            continue;
        };
        let term = Term::parse(constant, true);
        if let Some(term) = term
            && let Sought::Found(found) = seek(asked, &term)?
        {
            return Ok(direct(asked, &found, &[]));
        }
    }
    Ok(Vec::new())
}

/// Returns the values of a name within a function or type that the question also names, with its
/// number: `how` in `merge`, whatever else is called `how`.
fn parameter(asked: &Asked<'_>, found: &[Subject]) -> (Vec<Candidate>, Option<usize>) {
    for (at, key) in found.iter().enumerate() {
        let others = found.iter().enumerate().filter(|(other, _)| *other != at);
        let names: Vec<&str> = others.map(|(_, one)| one.term.name.as_str()).collect();
        let mut values = direct(asked, key, &names);
        values.retain(|one| names.iter().any(|name| one.is_within(name)));
        if !values.is_empty() {
            return (values, Some(at));
        }
    }
    (Vec::new(), None)
}

fn is_function(subject: &Subject) -> bool {
    let mut kinds = subject.definitions().map(|found| found.kind);
    kinds.any(|kind| kind.is_function())
}

/// Answers a question without a class if all of its words are those of one value.
pub(crate) fn value_by_words(asked: &Asked<'_>) -> Option<Answer> {
    /// Number of words from which a match is not chance.
    const WORDS: usize = 3;
    let mut best = by_words(asked, &[]);
    let first = best.first()?;
    let parts: Vec<String> = crate::search::split_identifier(&first.value.name);
    let words = &asked.reading.words;
    let is_all = words.len() >= WORDS
        && words.iter().all(|word| {
            let word = crate::search::split_identifier(word);
            word.iter()
                .all(|word| parts.iter().any(|part| alike(part, word)))
        });
    is_all.then(|| say(asked, &mut best, None))
}

/// Finds values whose names are words of the question: within the named functions and types, and
/// otherwise in the files that fit the question best.
fn by_words(asked: &Asked<'_>, containers: &[Subject]) -> Vec<Candidate> {
    let mut all = Vec::new();
    for container in containers {
        for definition in container.definitions() {
            let Some(hit) = container.uses.hit_of(&definition.path) else {
                continue;
            };
            let Some(facts) = &hit.facts else { continue };
            let Some(symbol) = facts.symbols.get(definition.symbol) else {
                continue;
            };
            let mut ranges: Vec<Range<usize>> = vec![symbol.span.clone()];
            // The members of a type may be outside of its block.
            let members = facts.symbols.iter().filter(|one| {
                one.kind.is_function() && facts.owner(one) == Some(definition.name.as_str())
            });
            ranges.extend(members.map(|one| one.span.clone()));
            for range in ranges {
                let path = &definition.path;
                all.extend(candidates_in(asked, path, &hit.bytes, facts, Some(&range)));
            }
        }
    }
    let ranked = rank(asked, all.clone(), true);
    if !ranked.is_empty() {
        return ranked;
    }
    let are_functions = containers.iter().all(is_function);
    all.retain(|one| one.value.site.kind == ValueKind::Parameter && are_functions);
    if !all.is_empty() {
        return all;
    }
    let in_files = rank(asked, in_files_of(asked, containers), false);
    if !in_files.is_empty() || !containers.is_empty() {
        return in_files;
    }

    let spans = asked
        .files
        .search(asked.question, 3 * FILES, asked.scope, asked.is_cancelled)
        .unwrap_or_default();
    let mut paths: Vec<RelPath> = Vec::new();
    for span in spans {
        if !paths.contains(&span.path) && paths.len() < FILES {
            paths.push(span.path);
        }
    }
    let files: Vec<&str> = asked
        .reading
        .terms
        .iter()
        .filter(|term| term.is_file)
        .map(|term| term.name.as_str())
        .collect();
    let mut all = Vec::new();
    for path in paths {
        if !files.is_empty() && !files.iter().any(|file| names_file(file, &path)) {
            continue;
        }
        let Ok(content) = asked.files.read(&path) else {
            continue;
        };
        if let Some(facts) = asked.files.facts_of(&path, &content, asked.is_cancelled) {
            all.extend(candidates_in(asked, &path, &content.bytes, &facts, None));
        }
    }
    rank(asked, all, false)
}

/// Quotes the lines of a function and of its documentation that have most words of the question,
/// where no value has its name.
fn lines_of(asked: &Asked<'_>, subject: &Subject) -> Answer {
    const QUOTED: usize = 3;
    let mut draft = Draft::new(asked);
    draft.subject(subject.name());
    draft.outcome(Outcome::NotComputed);
    draft.note(format!(
        "No answer was computed: no value in `{}` has a name of the question. These lines fit its \
         words best.",
        subject.name()
    ));

    for definition in subject
        .definitions()
        .filter(|found| !found.is_declaration)
        .take(2)
    {
        let Some(hit) = subject.uses.hit_of(&definition.path) else {
            continue;
        };
        let Some(facts) = &hit.facts else { continue };
        let lines = LineIndex::new(&hit.bytes);
        let mut all = documentation(facts, &hit.bytes, definition.lines);
        let documented = all.len();
        for line in definition.lines.0..=definition.lines.1 {
            let text = lines
                .bytes(line, line)
                .and_then(|range| hit.bytes.get(range));
            let text = String::from_utf8_lossy(text.unwrap_or_default())
                .trim()
                .to_owned();
            if !all.iter().any(|(known, _)| *known == line) {
                all.push((line, text));
            }
        }
        let score = |text: &str| {
            let words: Vec<String> = text
                .split(|c: char| !c.is_alphanumeric() && c != '_')
                .flat_map(crate::search::split_identifier)
                .collect();
            let asked = asked.reading.words.iter();
            let known = asked.flat_map(|word| crate::search::split_identifier(word));
            known
                .filter(|word| words.iter().any(|other| alike(word, other)))
                .count()
        };
        // One line of the documentation and those of the code.
        let (texts, code) = all.split_at(documented.min(all.len()));
        for (part, most) in [(code, QUOTED - 1), (texts, 1)] {
            let mut ranked: Vec<&(usize, String)> =
                part.iter().filter(|(_, text)| score(text) > 0).collect();
            ranked.sort_by_key(|(line, text)| (usize::MAX - score(text), *line));
            for (line, text) in ranked.into_iter().take(most) {
                let path = &definition.path;
                let provenance = Provenance::Treesitter;
                let Ok(span) = span_of(path, &hit.bytes, (*line, *line), provenance) else {
                    continue;
                };
                let span = draft.cite(span);
                draft.say(
                    format!(
                        "`{}`, line {line}: `{}`",
                        path.encoded(),
                        text.replace('`', "'")
                    ),
                    vec![Claim::Quote {
                        text: text.clone(),
                        span,
                    }],
                    vec![span],
                );
            }
        }
    }
    draft.finish(asked)
}

/// Returns the values outside of functions in the files of the named functions and types.
fn in_files_of(asked: &Asked<'_>, containers: &[Subject]) -> Vec<Candidate> {
    let mut all = Vec::new();
    for container in containers {
        for definition in container.definitions() {
            let Some(hit) = container.uses.hit_of(&definition.path) else {
                continue;
            };
            let Some(facts) = &hit.facts else { continue };
            all.extend(candidates_in(
                asked,
                &definition.path,
                &hit.bytes,
                facts,
                None,
            ));
        }
    }

    all.retain(|one| one.value.site.kind == ValueKind::Constant);
    all
}

/// Says the values, and what texts state about them.
fn say(asked: &Asked<'_>, best: &mut [Candidate], subject: Option<&Subject>) -> Answer {
    let number = best.len();
    let mut draft = Draft::new(asked);
    if let Some(subject) = subject {
        draft.subject(subject.name());
        draft.ledger(&subject.uses.ledger);
    }
    let mut parts = Vec::new();
    let mut claims = Vec::new();
    let mut spans = Vec::new();
    let mut seen = BTreeSet::new();
    let mut shown = Vec::new();
    for one in best.iter_mut() {
        let key = (one.path.clone(), one.value.site.lines);
        if shown.len() >= SHOWN || !seen.insert(key) {
            continue;
        }
        one.look_up(asked);
        let Some(span) = one.span(asked) else {
            continue;
        };
        let span = draft.cite(span);
        parts.push(one.sentence());
        claims.push(one.claim(span));
        spans.push(span);
        if let Some(meaning) = &one.meaning
            && let Some(span) = meaning.span(asked)
        {
            let span = draft.cite(span);
            claims.push(meaning.claim(span));
            spans.push(span);
        }
        shown.push((one, span));
    }

    let head = match parts.as_slice() {
        [only] => format!("{only}."),
        many => format!("{}.", joined(many)),
    };
    draft.say(head, claims, spans);
    let more = number.saturating_sub(shown.len());
    if more > 0 {
        draft.note(format!(
            "{more} more assignments or values of the name are not shown."
        ));
    }

    let mut said = 0;
    for (one, span) in shown {
        for text in texts_about(asked, one) {
            if said < 3 && say_text(&mut draft, asked, one, span, &text) {
                said += 1;
            }
        }
    }
    if let Some(reading) = subject.and_then(|subject| subject.reading.as_ref()) {
        draft.note(reading.clone());
    }
    draft.finish(asked)
}

/// Says what a comment or document states about a value. Returns whether it was said.
fn say_text(
    draft: &mut Draft,
    asked: &Asked<'_>,
    one: &Candidate,
    code: usize,
    text: &Text,
) -> bool {
    let Ok(content) = asked.files.read(&text.path) else {
        return false;
    };
    let lines = (text.line, text.line);
    let Ok(span) = span_of(&text.path, &content.bytes, lines, Provenance::Treesitter) else {
        return false;
    };
    let Some(quote) = text.quote.clone().filter(|_| draft.has_space()) else {
        return false;
    };
    let span = draft.cite(span);
    let place = format!("`{}`, line {}", text.path.encoded(), text.line);
    let literal = one.value.site.literal.clone();

    match &text.stated {
        Some(stated) if text.is_contradiction => draft.say(
            format!(
                "A text contradicts the code: it states `{stated}`, the code has `{}` ({place}: \
                 \"{}\").",
                literal.replace('`', "'"),
                quote.replace('`', "'")
            ),
            vec![Claim::Contradicts {
                key: one.value.name.clone(),
                literal,
                code,
                stated: stated.clone(),
                text: span,
            }],
            vec![code, span],
        ),
        Some(_) => draft.say(
            format!("The documentation states the same ({place})."),
            vec![Claim::Quote { text: quote, span }],
            vec![span],
        ),
        None => draft.say(
            format!(
                "The documentation says ({place}): \"{}\".",
                quote.replace('`', "'")
            ),
            vec![Claim::Quote { text: quote, span }],
            vec![span],
        ),
    }
    true
}
