//! Sets that are counted: overloads, files of a folder, exports of a file, classes of errors.

use std::collections::BTreeSet;

use crate::answer::claim::{Claim, CountOf};
use crate::answer::classes::list::members::{Member, NAMES, member, say};
use crate::answer::draft::{Asked, Draft, count};
use crate::answer::report::Answer;
use crate::answer::subject::{Sought, seek};
use crate::base::{Provenance, span_of};
use crate::error::CodeError;
use crate::lang::{FileKind, Language};
use crate::question::Term;
use crate::resolve::body::exports_of;

/// Lists the functions of one name, those of a type if the question names one. `None` if the
/// question names no function after `overloads of`.
pub(crate) fn overloads(asked: &Asked<'_>) -> Result<Option<Answer>, CodeError> {
    let words: Vec<&str> = asked.reading.text.split_whitespace().collect();
    let after = words
        .windows(3)
        .find(|row| row[0].starts_with("overload") && row[1] == "of")
        .map(|row| row[2].trim_matches(|c: char| !c.is_alphanumeric() && c != '_'));
    let Some(after) = after else {
        return Ok(None);
    };

    let names: Vec<&Term> = asked.reading.terms.iter().collect();
    let mut names = names.into_iter().filter(|term| !term.is_file);
    let mut term = match (after, names.next()) {
        ("_", Some(first)) => first.clone(),
        ("_", None) => return Ok(None),
        (word, owner) => Term {
            name: word.to_owned(),
            qualifiers: owner.map(|owner| owner.name.clone()).into_iter().collect(),
            is_file: false,
            is_certain: false,
        },
    };
    if term.qualifiers.is_empty()
        && let Some(owner) = names.next()
    {
        term.qualifiers.push(owner.name.clone());
    }
    let Sought::Found(found) = seek(asked, &term)? else {
        return Ok(None);
    };

    let mut members = Vec::new();
    for definition in found.definitions().filter(|found| found.kind.is_function()) {
        let Some(hit) = found.uses.hit_of(&definition.path) else {
            continue;
        };
        let Some(facts) = &hit.facts else { continue };
        if let Some(symbol) = facts.symbols.get(definition.symbol) {
            members.extend(member(asked, &definition.path, &hit.bytes, facts, symbol));
        }
    }
    let of = format!(" of `{}`", found.term.full());
    let noun = ("overload", "overloads");
    Ok((!members.is_empty()).then(|| say(asked, &members, noun, &of, Some(&found))))
}

/// Lists the files of the folders that a question names, those of one extension if it has one.
/// `None` if the question is not one for files.
pub(crate) fn files(asked: &Asked<'_>) -> Option<Answer> {
    let words: Vec<&str> = asked
        .reading
        .text
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .collect();
    let at = words.iter().position(|word| *word == "files")?;
    let admitted = asked.files.tree().files().iter().filter(|file| {
        let place = asked.files.place(&file.path);
        asked.scope.admits(&file.path) && asked.narrow.admits(&file.path, place)
    });
    let mut paths: Vec<&str> = admitted.map(|file| file.path.as_str()).collect();

    // "rs files" are those with the extension, if the folder has any.
    let extension = at.checked_sub(1).and_then(|before| words.get(before));
    let ending = extension.map(|word| format!(".{word}"));
    let ending = ending.filter(|ending| paths.iter().any(|path| path.ends_with(ending)));
    if let Some(ending) = &ending {
        paths.retain(|path| path.ends_with(ending));
    }
    if paths.is_empty() {
        return None;
    }

    let what = ending.map_or(String::new(), |ending| {
        format!(" with the ending `{ending}`")
    });
    let of = format!("{what}{}", asked.narrow.text());
    let noun = ("file", "files");
    Some(say_names(
        asked,
        Draft::new(asked),
        &paths,
        noun,
        &of,
        Vec::new(),
    ))
}

/// Lists what a file of JavaScript or TypeScript exports. `None` if the question does not ask for
/// exports of one.
pub(crate) fn exports(asked: &Asked<'_>) -> Option<Answer> {
    if !asked.reading.text.contains("export") {
        return None;
    }
    let file = asked.files.tree().files().iter().find(|file| {
        let place = asked.files.place(&file.path);
        asked.scope.admits(&file.path) && asked.narrow.admits(&file.path, place)
    })?;
    let FileKind::Code(language) = FileKind::of_path(&file.path) else {
        return None;
    };
    if !matches!(language, Language::JavaScript | Language::TypeScript) {
        return None;
    }

    let content = asked.files.read(&file.path).ok()?;
    let found = exports_of(language, &content.bytes, asked.is_cancelled)?;
    let mut draft = Draft::new(asked);
    let mut spans = Vec::new();
    for (_, lines) in &found {
        let span = span_of(&file.path, &content.bytes, *lines, Provenance::Treesitter);
        let Ok(span) = span else { continue };
        if draft.has_space() {
            spans.push(draft.cite(span));
        } else {
            draft.keep(span);
        }
    }
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    let of = format!(" of `{}`", file.path.encoded());
    (!names.is_empty()).then(|| say_names(asked, draft, &names, ("export", "exports"), &of, spans))
}

/// Says how many names a set has, and which.
fn say_names(
    asked: &Asked<'_>,
    mut draft: Draft,
    names: &[&str],
    (one, many): (&str, &str),
    of: &str,
    spans: Vec<usize>,
) -> Answer {
    let named = names.iter().take(NAMES);
    let shown: Vec<String> = named.clone().map(|name| format!("`{name}`")).collect();
    named.for_each(|name| draft.subject(*name));
    let rest = match names.len().saturating_sub(NAMES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };

    draft.say(
        format!(
            "{}{of}: {}{rest}.",
            count(names.len(), one, many),
            shown.join(", ")
        ),
        vec![Claim::Count {
            of: CountOf::Shown {
                what: many.to_owned(),
            },
            count: names.len(),
        }],
        spans,
    );
    draft.finish(asked)
}

/// Returns the word with a capital before the noun of a question, if names of the list begin with
/// it: `Test` of `Test functions`.
pub(crate) fn prefix(asked: &Asked<'_>, nouns: &[&str], members: &[Member]) -> Option<String> {
    let words: Vec<&str> = asked.question.split_whitespace().collect();
    words.windows(2).find_map(|pair| {
        let word = pair[0].trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
        let noun = pair[1].trim_end_matches(['?', ',', '.']).to_lowercase();
        let is_prefix = word.starts_with(char::is_uppercase)
            && nouns.contains(&noun.as_str())
            && members.iter().any(|member| member.name.starts_with(word));
        is_prefix.then(|| word.to_owned())
    })
}

/// Returns the types that are errors by their name, or that extend one, directly or not.
pub(crate) fn errors(asked: &Asked<'_>) -> BTreeSet<String> {
    let is_error = |name: &str| name.ends_with("Error") || name.ends_with("Exception");
    let index = asked.files.index(asked.is_cancelled);
    let mut errors: BTreeSet<String> = index
        .names(asked.scope)
        .filter(|name| is_error(name))
        .map(str::to_owned)
        .collect();

    loop {
        let known = errors.len();
        for one in index
            .files
            .iter()
            .flat_map(|file| &file.names.implementations)
        {
            if errors.contains(one.of.as_ref()) || is_error(&one.of) {
                errors.insert(one.by.to_string());
            }
        }
        if errors.len() == known {
            return errors;
        }
    }
}
