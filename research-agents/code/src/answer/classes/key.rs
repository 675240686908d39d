//! Where a key of a configuration is read and set.

use std::ops::Range;

use crate::answer::candidate::constant;
use crate::answer::claim::{Claim, SpanId};
use crate::answer::classes::absent::absent;
use crate::answer::classes::other::other;
use crate::answer::classes::texts::{is_textual, textual};
use crate::answer::classes::uses::say_ledger;
use crate::answer::draft::{Asked, Draft, count, joined, shown_line, within};
use crate::answer::report::Answer;
use crate::answer::subject::{Sought, seek};
use crate::base::{Place, Provenance, Span, span_of};
use crate::error::CodeError;
use crate::facts::LineIndex;
use crate::lang::FileKind;
use crate::ledger::Class;
use crate::question::Term;
use crate::resolve::Uses;
use crate::resolve::body::{KeySite, KeyUse, document_values, key_sites};
use crate::tree::RelPath;

/// Number of sites that are shown.
const SHOWN: usize = 8;

/// A use of a key with its file.
struct Site {
    path: RelPath,
    place: Place,
    site: KeySite,
}

/// Answers where a key is read and set. `None` if the question has no name: it may be one for the
/// constant that holds the key.
pub(crate) fn config_key(asked: &Asked<'_>) -> Result<Option<Answer>, CodeError> {
    let Some(term) = asked.reading.terms.iter().find(|term| !term.is_file) else {
        return by_hint(asked);
    };
    // A key may have dots and dashes, which are not parts of a qualified name.
    let key = term.full();
    let whole = Uses::find(asked.files, asked.scope, &key, asked.is_cancelled)?;
    let mut sites = key_uses(asked, &whole);
    if sites.is_empty() && !term.qualifiers.is_empty() {
        // A nested key is read part by part.
        sites = nested(asked, term)?;
    }
    if !sites.is_empty() {
        return Ok(Some(say(asked, &key, &sites, &whole)));
    }

    Ok(Some(match seek(asked, term)? {
        Sought::Found(found) if is_textual(&found) => textual(asked, &found),
        Sought::Found(found) => super::uses::uses(asked, &found),
        Sought::Missing(missing) => absent(asked, &missing),
        Sought::Unnamed => other(asked)?,
    }))
}

/// Answers where a function that reads keys is used, if the question hints at one.
fn by_hint(asked: &Asked<'_>) -> Result<Option<Answer>, CodeError> {
    for hint in &asked.reading.hints {
        let Some(term) = Term::parse(hint, false) else {
            continue;
        };
        if let Sought::Found(found) = seek(asked, &term)?
            && !found.uses.uses.is_empty()
        {
            return Ok(Some(super::uses::uses(asked, &found)));
        }
    }
    Ok(None)
}

/// Returns what is done with a key, over all files.
fn key_uses(asked: &Asked<'_>, uses: &Uses) -> Vec<Site> {
    let mut found = Vec::new();
    for (tally, hit) in uses.ledger.files.iter().zip(&uses.hits) {
        let strings: Vec<Range<usize>> = tally
            .occurrences
            .iter()
            .filter(|one| matches!(one.class, Class::String | Class::Document))
            .map(|one| one.span.clone())
            .collect();
        let sites = match FileKind::of_path(&tally.path) {
            FileKind::Code(language) => {
                key_sites(language, &hit.bytes, &strings, asked.is_cancelled)
            }
            FileKind::Document if is_configuration(&tally.path) => {
                let values = document_values(&hit.bytes, &strings).into_iter();
                values
                    .map(|value| KeySite {
                        does: KeyUse::Set,
                        accessor: None,
                        value: Some(value.literal),
                        lines: value.lines,
                    })
                    .collect()
            }
            _ => Vec::new(),
        };
        let is_generated = hit.facts.as_ref().is_some_and(|facts| facts.is_generated);
        let place = asked.files.place_of(&tally.path, is_generated);
        found.extend(sites.into_iter().map(|site| Site {
            path: tally.path.clone(),
            place,
            site,
        }));
    }

    found.sort_by(|a, b| {
        (a.place, a.site.does, &a.path, a.site.lines).cmp(&(
            b.place,
            b.site.does,
            &b.path,
            b.site.lines,
        ))
    });
    found
}

/// Returns the uses of the last part of a key in files that also have the parts before it.
fn nested(asked: &Asked<'_>, term: &Term) -> Result<Vec<Site>, CodeError> {
    let find = |name: &str| Uses::find(asked.files, asked.scope, name, asked.is_cancelled);
    let mut found = key_uses(asked, &find(&term.name)?);
    for part in &term.qualifiers {
        let with = key_uses(asked, &find(part)?);
        found.retain(|site| with.iter().any(|other| other.path == site.path));
    }
    Ok(found)
}

fn is_configuration(path: &RelPath) -> bool {
    matches!(
        path.extension().as_str(),
        "toml" | "yaml" | "yml" | "json" | "ini" | "cfg" | "conf" | "properties"
    )
}

fn say(asked: &Asked<'_>, key: &str, sites: &[Site], whole: &Uses) -> Answer {
    let mut draft = Draft::new(asked);
    draft.subject(key);
    let number = |does: KeyUse| sites.iter().filter(|site| site.site.does == does).count();
    let mut parts = Vec::new();
    for (does, verb) in [
        (KeyUse::Read, "read"),
        (KeyUse::Set, "set"),
        (KeyUse::Named, "named"),
    ] {
        if number(does) > 0 {
            parts.push(format!("{verb} {}", count(number(does), "time", "times")));
        }
    }
    let (value, claims, spans) = value_of(asked, &mut draft, key, sites);
    let text = format!("The key `{key}` is {}{value}.", joined(&parts));
    draft.say(text, claims, spans);

    for (at, one) in sites.iter().enumerate() {
        let Some(span) = span_of_site(asked, one) else {
            continue;
        };
        if at >= SHOWN || !draft.has_space() {
            draft.keep(span);
            continue;
        }
        say_site(&mut draft, key, one, span);
    }
    draft.ledger(&whole.ledger);
    say_ledger(&mut draft, &whole.ledger);
    draft.finish(asked)
}

/// Returns the value of a key for the first sentence, with its claims and spans: the default where
/// it is read, or else what it is first set to.
fn value_of(
    asked: &Asked<'_>,
    draft: &mut Draft,
    key: &str,
    sites: &[Site],
) -> (String, Vec<Claim>, Vec<SpanId>) {
    let is_default = |site: &&Site| {
        site.site.does == KeyUse::Read && site.site.accessor.is_some() && site.site.value.is_some()
    };
    let is_set = |site: &&Site| {
        site.site.does == KeyUse::Set && site.place == Place::Source && site.site.value.is_some()
    };
    let default = sites.iter().find(is_default);
    let Some((site, literal)) = default
        .or_else(|| sites.iter().find(is_set))
        .and_then(|site| Some((site, site.site.value.clone()?)))
    else {
        return (String::new(), Vec::new(), Vec::new());
    };

    let shown = literal.replace('`', "'");
    let mut claims = Vec::new();
    let mut spans = Vec::new();
    if let Some(span) = span_of_site(asked, site) {
        let (key, span) = (key.to_owned(), draft.cite(span));
        claims.push(Claim::Value {
            key,
            literal: literal.clone(),
            span,
        });
        spans.push(span);
    }
    if default.is_none() {
        return (format!(", first to `{shown}`"), claims, spans);
    }
    let meaning = match constant(asked, &literal) {
        Some(meaning) => {
            spans.extend(meaning.span(asked).map(|span| draft.cite(span)));
            let literal = meaning.value.site.literal.replace('`', "'");
            format!(", which is `{literal}`")
        }
        None => String::new(),
    };
    let text = format!("; where it is read, its default is `{shown}`{meaning}");
    (text, claims, spans)
}

/// Returns the lines of a site, at most ten, within the symbol around them.
fn span_of_site(asked: &Asked<'_>, one: &Site) -> Option<Span> {
    let content = asked.files.read(&one.path).ok()?;
    let (first, last) = one.site.lines;
    let lines = (first, last.min(first + 9));
    let span = span_of(&one.path, &content.bytes, lines, Provenance::Treesitter).ok()?;

    let facts = asked
        .files
        .facts_of(&one.path, &content, asked.is_cancelled);
    let around = facts.as_ref().and_then(|facts| {
        let start = LineIndex::new(&content.bytes).bytes(first, first)?.start;
        let symbol = facts.enclosing(start)?;
        Some((facts.qualified_name(symbol), symbol.kind.name()))
    });
    Some(match around {
        Some((symbol, kind)) => span.with_symbol(symbol, kind),
        None => span,
    })
}

/// Says what a site does with a key.
fn say_site(draft: &mut Draft, key: &str, one: &Site, span: Span) {
    let verb = match one.site.does {
        KeyUse::Read => "read",
        KeyUse::Set => "set",
        KeyUse::Named => "named",
    };
    let by = match &one.site.accessor {
        Some(accessor) => format!(" by `{}`", accessor.replace('`', "'")),
        None => String::new(),
    };
    let value = match (&one.site.value, one.site.does) {
        (Some(value), KeyUse::Read) => format!(", default `{}`", value.replace('`', "'")),
        (Some(value), _) => format!(" to `{}`", value.replace('`', "'")),
        (None, _) => String::new(),
    };
    let place = match one.place {
        Place::Source => "",
        Place::Test => ", in tests",
        Place::Generated => ", in generated or copied code",
    };

    let (within, first) = (within(&span), span.first);
    let at = format!("`{}`, line {first}{within}{place}", one.path.encoded());
    match &one.site.value {
        Some(literal) => {
            let span = draft.cite(span);
            let (key, literal) = (key.to_owned(), literal.clone());
            draft.say(
                format!("`{key}` is {verb}{by}{value} in {at}."),
                vec![Claim::Value { key, literal, span }],
                vec![span],
            );
        }
        None => {
            let line = shown_line(&span.bytes, 1);
            let text = format!("It is {verb}{by} in {at}{line}.");
            draft.say_quoted(text, key, span);
        }
    }
}
