//! Who calls a function, and where a name is used.

use std::collections::BTreeMap;

use crate::answer::claim::{Claim, CountOf};
use crate::answer::draft::{Asked, Draft, count, definition_span, joined, use_span};
use crate::answer::report::Answer;
use crate::answer::subject::Subject;
use crate::base::Place;
use crate::ledger::{Class, Ledger};
use crate::resolve::{Level, Use};

/// Number of callers that are shown.
const SHOWN: usize = 8;

/// What is counted: calls, or all uses in code.
struct Counted {
    one: &'static str,
    many: &'static str,
    verb: &'static str,
    is_counted: fn(&Use) -> bool,
}

const CALLS: Counted = Counted {
    one: "call",
    many: "calls",
    verb: "called",
    is_counted: |site| site.class == Class::Call,
};

const USES: Counted = Counted {
    one: "use",
    many: "uses",
    verb: "used",
    is_counted: |_| true,
};

/// Answers who calls a function.
pub(crate) fn callers(asked: &Asked<'_>, subject: &Subject) -> Answer {
    sites(asked, subject, &CALLS)
}

/// Answers where a name is used in code.
pub(crate) fn uses(asked: &Asked<'_>, subject: &Subject) -> Answer {
    sites(asked, subject, &USES)
}

fn sites(asked: &Asked<'_>, subject: &Subject, counted: &Counted) -> Answer {
    let mut draft = Draft::new(asked);
    draft.subject(subject.name());
    let ledger = &subject.uses.ledger;
    draft.ledger(ledger);

    // Uses of definitions that the question excludes are counted apart.
    let all = subject
        .uses
        .uses
        .iter()
        .filter(|site| (counted.is_counted)(site))
        .filter(|site| asked.narrow.admits(&site.path, site.place));
    let is_meant = |site: &&Use| {
        site.definition
            .is_none_or(|definition| subject.chosen.contains(&definition))
    };
    let (meant, others): (Vec<&Use>, Vec<&Use>) = all.partition(is_meant);
    let (resolved, possible): (Vec<&Use>, Vec<&Use>) = meant
        .into_iter()
        .partition(|site| site.level == Level::Resolved);

    let sites = (resolved.as_slice(), possible.as_slice());
    head(asked, &mut draft, subject, counted, sites);
    shown(&mut draft, subject, counted, &resolved, SHOWN);
    if !possible.is_empty() {
        let shown_before = draft.has_space();
        draft.say(
            format!(
                "{} of the name {} on objects or modules that are not resolved, so that only the \
                 name is the same.",
                count(possible.len(), counted.one, counted.many),
                if possible.len() == 1 { "is" } else { "are" },
            ),
            vec![shown_count(counted, possible.len())],
            Vec::new(),
        );
        let most = if resolved.is_empty() { SHOWN } else { 3 };
        if shown_before {
            shown(&mut draft, subject, counted, &possible, most);
        }
    }

    if !others.is_empty() {
        draft.note(format!(
            "{} of the name belong to other definitions of it.",
            count(others.len(), counted.one, counted.many)
        ));
    }
    say_ledger(&mut draft, ledger);
    if let Some(reading) = &subject.reading {
        draft.note(reading.clone());
    }
    draft.finish(asked)
}

/// Adds the account of a name.
pub(crate) fn say_ledger(draft: &mut Draft, ledger: &Ledger) {
    let mut claims = vec![Claim::Count {
        of: CountOf::Occurrences {
            name: ledger.name.clone(),
            class: None,
        },
        count: ledger.total(),
    }];

    for (class, count) in ledger.by_class() {
        claims.push(Claim::Count {
            of: CountOf::Occurrences {
                name: ledger.name.clone(),
                class: Some(class),
            },
            count,
        });
    }
    draft.say(
        format!("`{}`: {}", ledger.name, ledger.sentence()),
        claims,
        Vec::new(),
    );
}

fn shown_count(counted: &Counted, number: usize) -> Claim {
    Claim::Count {
        of: CountOf::Shown {
            what: counted.many.to_owned(),
        },
        count: number,
    }
}

/// Says how often and by how many functions.
fn head(
    asked: &Asked<'_>,
    draft: &mut Draft,
    subject: &Subject,
    counted: &Counted,
    (resolved, possible): (&[&Use], &[&Use]),
) {
    let name = subject.name();
    let limit = asked.narrow.text();
    let mut spans = Vec::new();
    if let Some(definition) = subject.definitions().next()
        && subject.chosen.len() == 1
        && let Some(span) = definition_span(&subject.uses, definition)
        && span.last - span.first < 60
    {
        spans.push(draft.cite(span));
    }

    let of = |place: Place| resolved.iter().filter(|site| site.place == place).count();
    let functions = |place: Place| {
        let within = resolved.iter().filter(|site| site.place == place);
        let mut names: Vec<_> = within
            .map(|site| (&site.path, site.within.as_ref().map(|within| &within.name)))
            .collect();
        names.sort();
        names.dedup();
        names.len()
    };
    let several = match subject.chosen.len() {
        0 => format!("`{name}` is not defined here; it"),
        1 => format!("`{name}`"),
        number => format!("`{name}` has {number} definitions and"),
    };

    let mut parts = Vec::new();
    let (source, tests, copies) = (of(Place::Source), of(Place::Test), of(Place::Generated));
    if source > 0 {
        let by = count(functions(Place::Source), "place", "places");
        let by = match counted.many {
            "calls" => by.replace("place", "function"),
            _ => by,
        };
        parts.push(format!(
            "{} in the code (in {by})",
            count(source, "time", "times")
        ));
    }
    if tests > 0 {
        parts.push(format!("{} in tests", count(tests, "time", "times")));
    }
    if copies > 0 {
        parts.push(format!(
            "{} in generated or copied code",
            count(copies, "time", "times")
        ));
    }
    let text = match (parts.is_empty(), possible.is_empty()) {
        (true, true) if limit.is_empty() => {
            format!("{several} is not {} in the searched files.", counted.verb)
        }
        (true, true) => format!("{several} is not {}{limit}.", counted.verb),
        (true, false) => format!(
            "{several} is possibly {} {}{limit}; none of these is resolved.",
            counted.verb,
            count(possible.len(), "time", "times")
        ),
        _ => format!("{several} is {} {}{limit}.", counted.verb, joined(&parts)),
    };
    let ledger = &subject.uses.ledger;
    let occurrences = Claim::Count {
        of: CountOf::Occurrences {
            name: ledger.name.clone(),
            class: None,
        },
        count: ledger.total(),
    };
    let claims = vec![shown_count(counted, resolved.len()), occurrences];
    draft.say(text, claims, spans);
}

/// Shows sites, one sentence for each function; the others are kept as further spans.
fn shown(draft: &mut Draft, subject: &Subject, counted: &Counted, sites: &[&Use], most: usize) {
    // Sources come before tests, and tests before copies.
    let mut groups: BTreeMap<(Place, &str, &str), Vec<&Use>> = BTreeMap::new();
    for site in sites {
        let within = site
            .within
            .as_ref()
            .map_or("", |within| within.name.as_str());
        let key = (site.place, site.path.as_str(), within);
        groups.entry(key).or_default().push(site);
    }

    let mut hidden: BTreeMap<String, usize> = BTreeMap::new();
    for (at, ((_, _, within), group)) in groups.into_iter().enumerate() {
        let Some(first) = group.first() else { continue };
        if at >= most || !draft.has_space() {
            *hidden.entry(first.path.folder().to_owned()).or_default() += group.len();
            for span in group
                .iter()
                .filter_map(|site| use_span(&subject.uses, site))
            {
                draft.keep(span);
            }
            continue;
        }

        let mut lines: Vec<String> = Vec::new();
        let mut spans = Vec::new();
        let mut claims = Vec::new();
        let mut kept = 0;
        for site in &group {
            let Some(span) = use_span(&subject.uses, site) else {
                continue;
            };
            if !draft.has_space() && !spans.is_empty() {
                draft.keep(span);
                kept += 1;
                continue;
            }
            let span = draft.cite(span);
            claims.push(claim(subject, site, span));
            if !spans.contains(&span) {
                spans.push(span);
                lines.push(site.line.to_string());
            }
        }
        let more = match kept {
            0 => String::new(),
            kept => format!(" and in {kept} more places"),
        };
        let lines = match lines.as_slice() {
            [one] => format!("line {one}{more}"),
            many => format!("lines {}{more}", joined(many)),
        };
        let who = match within {
            "" => "Code outside of functions".to_owned(),
            within => format!("`{within}`"),
        };
        let does = verb(&group, counted);
        let path = first.path.encoded();
        draft.say(
            format!("{who} {does} it in `{path}`, {lines}."),
            claims,
            spans,
        );
    }

    if !hidden.is_empty() {
        let total: usize = hidden.values().sum();
        let mut folders: Vec<(String, usize)> = hidden.into_iter().collect();
        folders.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        let parts: Vec<String> = folders
            .iter()
            .take(4)
            .map(|(folder, number)| match folder.as_str() {
                "" => format!("{number} in the root"),
                folder => format!("{number} in `{folder}`"),
            })
            .collect();
        draft.note(format!(
            "{} more {} not shown: {}.",
            total,
            if total == 1 { "is" } else { "are" },
            joined(&parts)
        ));
    }
}

fn claim(subject: &Subject, site: &Use, span: usize) -> Claim {
    let symbol = subject.term.name.clone();
    match site.class {
        Class::Call => Claim::Calls {
            caller: site.within.as_ref().map(|within| within.name.clone()),
            callee: symbol,
            span,
        },
        _ => Claim::Uses { symbol, span },
    }
}

/// Says what the sites of one function do with a name.
fn verb(group: &[&Use], counted: &Counted) -> &'static str {
    let is_all = |class: Class| group.iter().all(|site| site.class == class);
    match counted.many {
        "calls" => "calls",
        _ if is_all(Class::Call) => "calls",
        _ if is_all(Class::Import) => "imports",
        _ if is_all(Class::TypeUse) => "names",
        _ => "uses",
    }
}
