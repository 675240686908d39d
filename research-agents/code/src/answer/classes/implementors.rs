//! Which types implement or extend another.

pub(crate) mod standard;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::answer::claim::{Claim, CountOf};
use crate::answer::classes::absent::absent;
use crate::answer::classes::implementors::standard::STANDARD;
use crate::answer::draft::{Asked, Draft, count, joined};
use crate::answer::report::Answer;
use crate::answer::subject::{Missing, Subject};
use crate::base::{Index, IndexedFile, Place, Provenance, span_of};
use crate::facts::SymbolKind;
use crate::lang::Language;

/// Number of implementors that are named without a citation.
const NAMES: usize = 100;

/// Number of lines from a type to a method that is cited with it.
const NEAR: u32 = 16;

/// Number of implementors that are shown.
const SHOWN: usize = 10;

/// A type that implements or extends another.
struct Implementor<'i> {
    file: &'i IndexedFile,
    by: String,
    of: String,
    line: usize,
    /// Lines that the citation ends at.
    last: usize,
    /// Number of steps to the asked type.
    depth: usize,
}

/// Answers which types implement or extend a type, or which traits a type implements.
pub(crate) fn implementors(asked: &Asked<'_>, subject: &Subject) -> Answer {
    let index = asked.files.index(asked.is_cancelled);
    let name = &subject.term.name;
    let mut found = below(&index, name);
    if let Some(wanted) = interface_methods(&index, name, 0) {
        found.extend(by_methods(&index, name, &wanted));
    }
    found.retain(|one| {
        let path = &one.file.path;
        asked.scope.admits(path) && asked.narrow.admits(path, one.file.place)
    });
    found.sort_by(|a, b| {
        (a.depth, a.file.place, &a.file.path, a.line).cmp(&(
            b.depth,
            b.file.place,
            &b.file.path,
            b.line,
        ))
    });
    if found.is_empty() {
        return none(asked, subject, &index);
    }

    let mut draft = Draft::new(asked);
    draft.subject(subject.name());
    head(&mut draft, subject, &found);
    show(asked, &mut draft, &found);
    if let Some(reading) = &subject.reading {
        draft.note(reading.clone());
    }
    draft.finish(asked)
}

/// Cites each type; those for which no space is left are named.
fn show(asked: &Asked<'_>, draft: &mut Draft, found: &[Implementor<'_>]) {
    for (at, one) in found.iter().enumerate() {
        let Ok(file) = asked.files.read(&one.file.path) else {
            continue;
        };
        let lines = (one.line, one.last);
        let provenance = Provenance::SymbolIndex;
        let Ok(span) = span_of(&one.file.path, &file.bytes, lines, provenance) else {
            continue;
        };
        let span = span.with_symbol(&one.by, "type");
        if at >= SHOWN || !draft.has_space() {
            draft.keep(span);
            continue;
        }
        let span = draft.cite(span);
        let through = match one.depth {
            1 => String::new(),
            _ => format!(" through `{}`", one.of),
        };
        let place = match one.file.place {
            Place::Source => "",
            Place::Test => ", in tests",
            Place::Generated => ", in generated or copied code",
        };
        draft.say(
            format!(
                "`{}`{through} in `{}`, line {}{place}.",
                one.by,
                one.file.path.encoded(),
                one.line
            ),
            vec![Claim::Implements {
                by: one.by.clone(),
                of: one.of.clone(),
                span,
            }],
            vec![span],
        );
    }

    if found.len() > SHOWN {
        let names: Vec<String> = found
            .iter()
            .skip(SHOWN)
            .take(NAMES)
            .map(|one| format!("`{}`", one.by))
            .collect();
        let more = found.len() - SHOWN;
        let rest = more.saturating_sub(names.len());
        let rest = match rest {
            0 => String::new(),
            rest => format!(" and {rest} more"),
        };
        draft.note(format!("Further: {}{rest}.", names.join(", ")));
    }
}

/// Says how many types implement or extend the asked one.
fn head(draft: &mut Draft, subject: &Subject, found: &[Implementor<'_>]) {
    let of = |depth: fn(usize) -> bool, place: fn(Place) -> bool| {
        let some = found
            .iter()
            .filter(|one| depth(one.depth) && place(one.file.place));
        let names: BTreeSet<(&str, &str)> = some
            .map(|one| (one.by.as_str(), one.file.path.as_str()))
            .collect();
        names.len()
    };
    let direct = of(|depth| depth == 1, |place| place == Place::Source);
    let indirect = of(|depth| depth > 1, |place| place == Place::Source);
    let apart = of(|_| true, |place| place != Place::Source);

    let kind = subject.definitions().next().map(|found| found.kind);
    let verb = match kind {
        Some(SymbolKind::Class | SymbolKind::Struct) | None => "extend",
        _ => "implement",
    };
    let verb = if direct == 1 {
        format!("{verb}s")
    } else {
        verb.to_owned()
    };
    let mut text = format!(
        "{} {verb} `{}` directly",
        count(direct, "type", "types"),
        subject.name()
    );
    let mut rest = Vec::new();
    if indirect > 0 {
        rest.push(format!("{indirect} through another type"));
    }
    if apart > 0 {
        rest.push(format!("{apart} in tests or copies"));
    }
    if !rest.is_empty() {
        text.push_str(&format!("; {}", joined(&rest)));
    }
    if let [only] = found {
        text.push_str(&format!(": `{}`", only.by));
    }
    text.push('.');
    draft.say(
        text,
        vec![Claim::Count {
            of: CountOf::Shown {
                what: "implementors".to_owned(),
            },
            count: found.len(),
        }],
        Vec::new(),
    );
}

/// Finds the types that say that they implement or extend a type, directly and through others.
fn below<'i>(index: &'i Index, name: &str) -> Vec<Implementor<'i>> {
    let mut by_base: BTreeMap<&str, Vec<(&IndexedFile, &str, u32, u32)>> = BTreeMap::new();
    for file in &index.files {
        for found in &file.names.implementations {
            let known = by_base.entry(found.of.as_ref()).or_default();
            known.push((file, found.by.as_ref(), found.line, found.first));
        }
    }

    let mut seen: HashSet<String> = HashSet::from([name.to_owned()]);
    let mut open = vec![(name.to_owned(), 1)];
    let mut found = Vec::new();
    while let Some((of, depth)) = open.pop() {
        for (file, by, line, first) in by_base.get(of.as_str()).into_iter().flatten() {
            let (line, first) = (*line as usize, *first as usize);
            found.push(Implementor {
                file,
                by: (*by).to_owned(),
                of: of.clone(),
                line: first.min(line),
                last: line.max(first),
                depth,
            });
            if seen.insert((*by).to_owned()) {
                open.push(((*by).to_owned(), depth + 1));
            }
        }
    }
    found
}

/// Answers which types of Go have the methods of an interface of its standard library. `None` if
/// the question names none of these, or the code has no Go.
pub(crate) fn standard_interface(asked: &Asked<'_>) -> Option<Answer> {
    let index = asked.files.index(asked.is_cancelled);
    let has_go = index.files.iter().any(|file| file.language == Language::Go);
    let is_error = asked.reading.text.contains("error interface");
    let is_named = |name: &str| {
        let terms = &asked.reading.terms;
        terms.iter().any(|term| term.full() == name) || name == "error" && is_error
    };
    let (name, methods) = STANDARD.iter().find(|(name, _)| has_go && is_named(name))?;
    let wanted: BTreeSet<String> = methods.iter().map(|&name| name.to_owned()).collect();
    let mut found = by_methods(&index, name, &wanted);
    found.retain(|one| {
        let path = &one.file.path;
        asked.scope.admits(path) && asked.narrow.admits(path, one.file.place)
    });
    found.sort_by_key(|one| (one.file.place, &one.file.path, one.line));
    if found.is_empty() {
        return None;
    }

    let quoted = |names: Vec<&str>| {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        joined(&names)
    };
    let types = found.iter().take(NAMES).map(|one| one.by.as_str());
    let mut draft = Draft::new(asked);
    draft.subject(*name);
    methods.iter().for_each(|method| draft.subject(*method));
    draft.say(
        format!(
            "{} the methods of `{name}` of the standard library of Go ({}): {}.",
            count(found.len(), "type has", "types have"),
            quoted(methods.to_vec()),
            quoted(types.collect()),
        ),
        vec![Claim::Count {
            of: CountOf::Shown {
                what: "implementors".to_owned(),
            },
            count: found.len(),
        }],
        Vec::new(),
    );
    show(asked, &mut draft, &found);
    draft.note("The parameters of the methods are not compared.");
    Some(draft.finish(asked))
}

/// Finds the types of Go that have all methods of an interface.
fn by_methods<'i>(index: &'i Index, name: &str, wanted: &BTreeSet<String>) -> Vec<Implementor<'i>> {
    let mut methods: BTreeMap<(&str, &str), (BTreeSet<&str>, &IndexedFile, u32)> = BTreeMap::new();
    for file in index
        .files
        .iter()
        .filter(|file| file.language == Language::Go)
    {
        for symbol in &file.names.symbols {
            let (Some(owner), SymbolKind::Method, None) =
                (&symbol.owner, symbol.kind, symbol.parent)
            else {
                continue;
            };
            let key = (file.path.folder(), owner.as_ref());
            let known = methods
                .entry(key)
                .or_insert_with(|| (BTreeSet::new(), file, symbol.lines.0));
            known.0.insert(symbol.name.as_ref());
        }
    }

    methods
        .into_iter()
        .filter(|(_, (has, _, _))| wanted.iter().all(|method| has.contains(method.as_str())))
        .map(|((folder, owner), (_, file, line))| {
            // The type itself may be in another file of the package.
            let at = index.symbols(owner).iter().find_map(|at| {
                let (file, symbol) = index.symbol(*at)?;
                let is_type = symbol.kind.is_type() || symbol.kind == SymbolKind::Type;
                (is_type && file.path.folder() == folder).then_some((file, symbol.lines.0))
            });
            let method = (file, line);
            let (file, line) = at.unwrap_or(method);
            // A method that is near is the evidence.
            let is_near = file.path == method.0.path && (line..line + NEAR).contains(&method.1);
            let last = if is_near { method.1 } else { line };
            Implementor {
                file,
                by: owner.to_owned(),
                of: name.to_owned(),
                line: line as usize,
                last: last as usize,
                depth: 1,
            }
        })
        .collect()
}

/// Returns the methods of an interface of Go, with those of interfaces that it embeds. `None` if
/// it does not exist or has no methods.
fn interface_methods(index: &Index, name: &str, depth: usize) -> Option<BTreeSet<String>> {
    let (at, file) = index.symbols(name).iter().find_map(|at| {
        let (file, symbol) = index.symbol(*at)?;
        let is_interface = symbol.kind == SymbolKind::Interface && file.language == Language::Go;
        is_interface.then_some((at.1, file))
    })?;
    let mut methods: BTreeSet<String> = file
        .names
        .symbols
        .iter()
        .filter(|symbol| symbol.parent == Some(at))
        .map(|symbol| symbol.name.to_string())
        .collect();

    let embedded = file
        .names
        .implementations
        .iter()
        .filter(|one| *one.by == *name);
    for one in embedded {
        if depth < 5
            && let Some(more) = interface_methods(index, &one.of, depth + 1)
        {
            methods.extend(more);
        }
    }
    (!methods.is_empty()).then_some(methods)
}

/// Answers for a type that nothing implements; for one that implements others, with these.
fn none(asked: &Asked<'_>, subject: &Subject, index: &Index) -> Answer {
    let name = &subject.term.name;
    if subject.chosen.is_empty() {
        let missing = Missing {
            term: subject.term.clone(),
            uses: subject.uses.clone(),
            nearest: Vec::new(),
            others: Vec::new(),
            is_used: true,
        };
        return absent(asked, &missing);
    }
    let mut draft = Draft::new(asked);
    draft.subject(subject.name());
    draft.say(
        format!(
            "No type in the searched files implements or extends `{}`.",
            subject.name()
        ),
        vec![Claim::Count {
            of: CountOf::Shown {
                what: "implementors".to_owned(),
            },
            count: 0,
        }],
        Vec::new(),
    );

    let above = index.files.iter().flat_map(|file| {
        let found = file.names.implementations.iter();
        found
            .filter(|one| *one.by == **name)
            .map(move |one| (file, one))
    });
    for (file, one) in above.take(SHOWN) {
        let Ok(content) = asked.files.read(&file.path) else {
            continue;
        };
        let lines = (one.first.min(one.line), one.first.max(one.line));
        let (first, last) = (lines.0 as usize, lines.1 as usize);
        let provenance = Provenance::SymbolIndex;
        let Ok(span) = span_of(&file.path, &content.bytes, (first, last), provenance) else {
            continue;
        };
        let span = draft.cite(span);
        draft.say(
            format!(
                "`{name}` itself implements or extends `{}` in `{}`, line {}.",
                one.of,
                file.path.encoded(),
                one.line
            ),
            vec![Claim::Implements {
                by: name.clone(),
                of: one.of.to_string(),
                span,
            }],
            vec![span],
        );
    }
    crate::answer::classes::uses::say_ledger(&mut draft, &subject.uses.ledger);
    draft.finish(asked)
}
