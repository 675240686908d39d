//! What changed in a version, and since when something is there: changelogs and marks in the code.

use std::cmp::Reverse;

use crate::answer::claim::Claim;
use crate::answer::classes::absent::absent;
use crate::answer::classes::other::other;
use crate::answer::draft::{Asked, Draft, count};
use crate::answer::report::{Answer, Outcome};
use crate::answer::subject::{Sought, subjects};
use crate::base::{Provenance, span_of};
use crate::error::CodeError;
use crate::facts::LineIndex;
use crate::lang::FileKind;
use crate::resolve::Uses;
use crate::tree::RelPath;

/// Number of entries that are shown.
const SHOWN: usize = 8;

/// An entry of a changelog.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    path: RelPath,
    version: Option<String>,
    /// First and last line, counted from 1.
    lines: (usize, usize),
    text: String,
}

/// Answers what changed.
pub(crate) fn change(asked: &Asked<'_>) -> Result<Answer, CodeError> {
    let entries = entries(asked);
    // `since which version is Rust 1.85 needed` asks for a version and names that of another
    // thing.
    let asks = [
        "which version",
        "what version",
        "which release",
        "since when",
    ];
    let asks_version = asks.iter().any(|cue| asked.reading.text.contains(cue));
    let version = asked.reading.version.as_deref().filter(|_| !asks_version);
    let mut names: Vec<String> = asked
        .reading
        .terms
        .iter()
        .filter(|term| !term.is_file)
        .map(|term| term.name.clone())
        .collect();
    names.retain(|name| Some(name.as_str()) != version);
    names.extend(asked.reading.version.clone().filter(|_| asks_version));

    let mut found: Vec<Entry> = entries
        .iter()
        .filter(|entry| match (version, &entry.version) {
            (Some(wanted), Some(known)) => is_version(known, wanted),
            (Some(_), None) => false,
            (None, _) => !names.is_empty(),
        })
        .cloned()
        .collect();
    if !names.is_empty() {
        let has = |entry: &Entry| names.iter().all(|name| entry.text.contains(name.as_str()));
        found.retain(has);
        found.extend(marks(asked, &names)?);
    } else if version.is_none() {
        found = by_words(asked, &entries);
    }
    if found.is_empty() {
        return nothing(asked, &entries, &names);
    }
    Ok(say(asked, &found, &names))
}

fn say(asked: &Asked<'_>, found: &[Entry], names: &[String]) -> Answer {
    let mut draft = Draft::new(asked);
    for name in names {
        draft.subject(name);
    }
    // The newest first; what has no version comes last.
    let mut found: Vec<&Entry> = found.iter().collect();
    found.sort_by_key(|entry| Reverse(entry.version.as_deref().map(version_parts)));
    if found.len() > 1 {
        say_newest(asked, &mut draft, &found);
    }

    for (at, entry) in found.iter().enumerate() {
        let Ok(content) = asked.files.read(&entry.path) else {
            continue;
        };
        let provenance = Provenance::Manual;
        let Ok(span) = span_of(&entry.path, &content.bytes, entry.lines, provenance) else {
            continue;
        };
        if at >= SHOWN || !draft.has_space() {
            draft.keep(span);
            continue;
        }
        let span = draft.cite(span);
        let version = match &entry.version {
            Some(version) => format!("Version {version}: "),
            None => String::new(),
        };
        let quote: String = entry.text.chars().take(200).collect();
        draft.say(
            format!(
                "{version}\"{}\" (`{}`, line {}).",
                quote.replace(['`', '"'], "'"),
                entry.path.encoded(),
                entry.lines.0
            ),
            vec![Claim::Changed {
                version: entry.version.clone(),
                span,
            }],
            vec![span],
        );
    }
    if found.len() > SHOWN {
        draft.note(format!("{} more are not shown.", found.len() - SHOWN));
    }
    draft.finish(asked)
}

/// Says how many entries there are, and of which version the newest is.
fn say_newest(asked: &Asked<'_>, draft: &mut Draft, found: &[&Entry]) {
    let head = count(found.len(), "entry", "entries");
    let newest = found.first().and_then(|entry| {
        let version = entry.version.as_deref()?;
        let content = asked.files.read(&entry.path).ok()?;
        let span = span_of(&entry.path, &content.bytes, entry.lines, Provenance::Manual).ok()?;
        Some((version, span))
    });
    let Some((version, span)) = newest else {
        return draft.note(format!("{head}:"));
    };

    let is_only = found
        .iter()
        .all(|entry| entry.version.as_deref() == Some(version));
    let of = match is_only {
        true => format!(" of version {version}"),
        false => format!(", the newest of version {version}"),
    };
    let span = draft.cite(span);
    let claim = Claim::Changed {
        version: Some(version.to_owned()),
        span,
    };
    draft.say(format!("{head}{of}:"), vec![claim], vec![span]);
}

/// Returns the numbers of a version, for its order among others.
fn version_parts(version: &str) -> Vec<u64> {
    let parts = version.split(|c: char| !c.is_ascii_digit());
    parts.filter_map(|part| part.parse().ok()).collect()
}

/// Answers that no changelog has an entry.
fn nothing(asked: &Asked<'_>, entries: &[Entry], names: &[String]) -> Result<Answer, CodeError> {
    for sought in subjects(asked)? {
        if let Sought::Missing(missing) = sought
            && missing.uses.ledger.total() == 0
        {
            return Ok(absent(asked, &missing));
        }
    }
    if names.is_empty() && asked.reading.version.is_none() {
        return other(asked);
    }
    let mut draft = Draft::new(asked);
    draft.outcome(Outcome::Absent);
    let mut files: Vec<String> = entries
        .iter()
        .map(|entry| format!("`{}`", entry.path.encoded()))
        .collect();
    files.dedup();
    let mut paths: Vec<&RelPath> = entries.iter().map(|entry| &entry.path).collect();
    paths.dedup();
    for path in paths {
        if let Ok(first) = asked.files.span(path, 1, 1) {
            draft.keep(first);
        }
    }

    let about = match names {
        [] => String::new(),
        [first, ..] => format!(" about `{first}`"),
    };
    let version = match &asked.reading.version {
        Some(version) => format!(" of version {version}"),
        None => String::new(),
    };
    draft.note(match files.is_empty() {
        true => "There is no changelog in the searched files, and no mark of a version in the \
                 code."
            .to_owned(),
        false => format!(
            "No entry{version}{about} is found in {} with {}.",
            files.join(", "),
            count(entries.len(), "entry", "entries")
        ),
    });
    Ok(draft.finish(asked))
}

/// Returns the entries that have most words of the question.
fn by_words(asked: &Asked<'_>, entries: &[Entry]) -> Vec<Entry> {
    let skip = [
        "version",
        "release",
        "changed",
        "added",
        "introduced",
        "removed",
        "fixed",
        "new",
    ];
    let words: Vec<&String> = asked
        .reading
        .words
        .iter()
        .filter(|word| !skip.contains(&word.as_str()))
        .collect();

    let score = |entry: &Entry| {
        let lower = entry.text.to_lowercase();
        words
            .iter()
            .filter(|word| lower.contains(word.as_str()))
            .count()
    };
    let best = entries.iter().map(score).max().unwrap_or_default();
    if best == 0 || best * 2 < words.len() {
        return Vec::new();
    }
    entries
        .iter()
        .filter(|entry| score(entry) == best)
        .cloned()
        .collect()
}

/// Reads the entries of all changelogs.
fn entries(asked: &Asked<'_>) -> Vec<Entry> {
    let mut found = Vec::new();
    for file in asked.files.tree().files() {
        if asked.scope.admits(&file.path)
            && is_changelog(&file.path)
            && let Ok(content) = asked.files.read(&file.path)
        {
            found.extend(entries_of(&file.path, &content.bytes));
        }
    }
    found
}

/// Returns whether a file is a changelog by its name.
fn is_changelog(path: &RelPath) -> bool {
    /// First words of the names of changelogs: `CHANGES-3.1.md`, `release_notes.txt`.
    const WORDS: [&str; 8] = [
        "change",
        "changes",
        "changelog",
        "changelogs",
        "history",
        "news",
        "release",
        "releases",
    ];
    /// Extensions of pages and styles that have such names and list no changes.
    const OTHER: [&str; 5] = ["css", "html", "htm", "xml", "svg"];
    if OTHER.contains(&path.extension().as_str()) {
        return false;
    }

    let name = path.name().to_lowercase();
    let word = name.split(|c: char| !c.is_alphabetic()).next();
    let is_named = word.is_some_and(|word| WORDS.contains(&word) || word == "whatsnew");
    let is_listed = path
        .folder()
        .split('/')
        .any(|folder| folder == "whatsnew" || folder == "releases");
    (is_named || is_listed) && FileKind::of_path(path) == FileKind::Document
}

/// Splits a changelog into its entries: list items and paragraphs under the headings of versions.
fn entries_of(path: &RelPath, bytes: &[u8]) -> Vec<Entry> {
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<&str> = text.lines().collect();
    let mut found: Vec<Entry> = Vec::new();
    let mut version = None;
    let mut is_open = false;
    for (at, line) in lines.iter().enumerate() {
        let next = lines.get(at + 1).copied().unwrap_or_default();
        if let Some(heading) = heading(line, next) {
            version = Some(heading);
            is_open = false;
            continue;
        }
        let trimmed = line.trim();
        let is_rule = trimmed.chars().all(|c| matches!(c, '-' | '=' | '~' | '_'));
        if trimmed.is_empty() || trimmed.starts_with('#') || is_rule {
            is_open = false;
            continue;
        }

        let is_item = trimmed.starts_with(['-', '*', '+', '•']);
        match found.last_mut().filter(|_| is_open && !is_item) {
            Some(entry) => {
                entry.lines.1 = at + 1;
                entry.text.push(' ');
                entry.text.push_str(trimmed);
            }
            None => {
                let text = trimmed.trim_start_matches(['-', '*', '+', '•', ' ']);
                found.push(Entry {
                    path: path.clone(),
                    version: version.clone(),
                    lines: (at + 1, at + 1),
                    text: text.to_owned(),
                });
                is_open = true;
            }
        }
    }
    found
}

/// Returns the version of a line that is a heading.
fn heading(line: &str, next: &str) -> Option<String> {
    let trimmed = line.trim();
    let is_underlined = next.len() >= 3
        && next
            .trim()
            .chars()
            .all(|c| matches!(c, '=' | '-' | '~' | '^'))
        && !next.trim().is_empty();
    let is_marked = trimmed.starts_with('#') || is_underlined || trimmed.starts_with("**");
    let is_bare = trimmed.len() < 40 && !line.starts_with([' ', '\t', '-', '*']);
    if !is_marked && !is_bare {
        return None;
    }

    let mut words = trimmed
        .trim_start_matches(['#', '*', ' '])
        .split([' ', '[', ']', '(', ')', ',', '*', ':'])
        .filter(|word| !word.is_empty());
    let position = words.by_ref().take(4).find_map(|word| {
        let word = word.trim_start_matches(['v', 'V']);
        let is_version = word.starts_with(|c: char| c.is_ascii_digit())
            && word.contains('.')
            && word
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '+'));
        is_version.then(|| word.to_owned())
    });
    position.filter(|_| is_marked || trimmed.split_whitespace().count() <= 4)
}

fn is_version(known: &str, wanted: &str) -> bool {
    let is_longer = known
        .strip_prefix(wanted)
        .is_some_and(|rest| rest.starts_with('.') && wanted.matches('.').count() < 2);
    known == wanted || is_longer && known.ends_with(".0")
}

/// Maximum number of bytes of a line with a mark of a version. Longer ones are minified code.
const MARK: usize = 300;

/// Finds the marks of versions near the definitions of names: `deprecated`, `since`,
/// `versionchanged` and the like.
fn marks(asked: &Asked<'_>, names: &[String]) -> Result<Vec<Entry>, CodeError> {
    /// Number of lines above a definition, and below its first line.
    const NEAR: (usize, usize) = (12, 40);
    const MARKS: &[&str] = &[
        "versionadded",
        "versionchanged",
        "versionremoved",
        "deprecated",
        "@since",
        "since =",
        "since=",
        "Added in",
        "New in version",
        "Changed in version",
        "available since",
        "stable(",
    ];
    let mut found = Vec::new();

    for name in names {
        let uses = Uses::find(asked.files, asked.scope, name, asked.is_cancelled)?;
        for definition in &uses.definitions {
            let Some(hit) = uses.hit_of(&definition.path) else {
                continue;
            };
            let index = LineIndex::new(&hit.bytes);
            let (first, last) = definition.lines;
            let from = first.saturating_sub(NEAR.0).max(1);
            let end = last.min(first + NEAR.1).min(index.count());
            for line in from..=end {
                let Some(range) = index.bytes(line, line) else {
                    continue;
                };
                let text = String::from_utf8_lossy(hit.bytes.get(range).unwrap_or_default());
                let trimmed = text.trim().trim_start_matches(['/', '*', '#', ' ', '.']);
                // A mark above the definition belongs to it if nothing else is between.
                let is_feature = trimmed.starts_with("feature =") || trimmed.contains("cfg(");
                let is_mark = text.len() <= MARK
                    && !is_feature
                    && MARKS.iter().any(|mark| text.contains(mark));
                if is_mark && (line >= first || first - line <= 6) {
                    found.push(Entry {
                        path: definition.path.clone(),
                        version: version_in(trimmed),
                        lines: (line, line),
                        text: trimmed.to_owned(),
                    });
                }
            }
        }
    }
    Ok(found)
}

/// Returns the first number with a dot in a line.
fn version_in(text: &str) -> Option<String> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '.'))
        .map(|word| word.trim_matches('.').trim_start_matches('v'))
        .find(|word| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.'))
        .map(str::to_owned)
}
