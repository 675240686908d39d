//! Checks the evidence of a bundle: the hashes and ids of its sources, and their origin in recorded
//! answers.

use std::collections::BTreeSet;

use research_agents_report::evidence::{Source, SourceRegistry, Table};

use crate::bundle::model::{Bundle, BundledSource};
use crate::bundle::verify::origins::{OriginSources, OriginTable, Origins};
use crate::bundle::verify::outcome::{CheckKind, Verification};

/// Checks the recorded answers, the sources, the tables and the context of a bundle.
pub(crate) fn check(bundle: &Bundle, origins: &Origins, found: &mut Verification) {
    for (answer, problem) in &origins.answers {
        found.judge(
            CheckKind::Answer,
            "recorded traffic",
            answer.as_str(),
            problem.clone(),
        );
    }

    let recorded = OriginSources::new(origins);
    let mut ids = SourceRegistry::default();
    for sealed in &bundle.evidence.sources {
        let source = &sealed.source;
        let problem = hash_problem(&sealed.sha256, source)
            .or_else(|| id_problem(&mut ids, source))
            .or_else(|| recorded.problem(source));
        found.judge(
            CheckKind::Source,
            &format!("source [{}]", source.id),
            "its record and text",
            problem,
        );
    }

    check_passages(bundle, origins, found);

    let mut known = BTreeSet::new();
    for table in &bundle.evidence.tables {
        let twice =
            (!known.insert(&table.id)).then(|| format!("the id {} is given twice", table.id));
        let foreign =
            (!is_table_id(&table.id)).then(|| format!("{} is no id that a run gives", table.id));
        let problem = twice
            .or(foreign)
            .or_else(|| match origin_of(table, bundle, origins) {
                Some(_) => None,
                None => origins.table_problem(table),
            });
        let what = format!(
            "its total and {} groups by {}",
            table.rows.len(),
            table.field
        );
        found.judge(
            CheckKind::Table,
            &format!("aggregation ({})", table.id),
            what,
            problem,
        );
    }

    for text in &bundle.context {
        let problem = (!origins.context.contains(text)).then(|| {
            "neither the question, nor recorded filters, nor a field of a listed tool".to_owned()
        });
        found.judge(CheckKind::Context, "context", text.as_str(), problem);
    }
}

/// Checks each document against its hash and the recorded answers, and each passage against its
/// hash and its place.
fn check_passages(bundle: &Bundle, origins: &Origins, found: &mut Verification) {
    let passages = &bundle.evidence.passages;
    let damage = passages.damage();
    let damaged = |id: &str| {
        let own = damage.iter().find(|damage| damage.ids().contains(&id));
        own.map(ToString::to_string)
    };

    for document in passages.documents() {
        let is_recorded = origins.documents.iter().any(|recorded| {
            (&recorded.origin, &recorded.title, &recorded.text)
                == (&document.origin, &document.title, &document.text)
                && (&recorded.file_hash, &recorded.reader, recorded.language)
                    == (&document.file_hash, &document.reader, document.language)
        });
        let foreign = (!is_recorded).then(|| "no recorded answer has this document".to_owned());
        found.judge(
            CheckKind::Source,
            &format!("document [{}]", document.id),
            "its text, its file and its reader",
            damaged(&document.id).or(foreign),
        );
    }
    for passage in passages.iter() {
        found.judge(
            CheckKind::Source,
            &format!("passage [{}]", passage.id),
            "its text at its place",
            damaged(&passage.id),
        );
    }
}

/// Returns the aggregation of a recorded answer that equals a table. An answer may name the records
/// of a ranking as the data source does.
pub(crate) fn origin_of<'o>(
    table: &Table,
    bundle: &Bundle,
    origins: &'o Origins,
) -> Option<&'o OriginTable> {
    let as_recorded = || {
        let mut table = table.clone();
        let ids = table.rows.iter_mut().filter_map(|row| row.source.as_mut());
        for id in ids {
            let mut sources = bundle.evidence.sources.iter();
            let sealed = sources.find(|sealed| sealed.source.id == *id);
            if let Some(sealed) = sealed {
                id.clone_from(&sealed.source.record);
            }
        }
        table
    };

    origins
        .of_table(table)
        .or_else(|| origins.of_table(&as_recorded()))
}

/// Returns `true` for `A` and a number from 1.
fn is_table_id(id: &str) -> bool {
    id.strip_prefix('A').is_some_and(|number| {
        number
            .parse::<u32>()
            .is_ok_and(|n| n > 0 && n.to_string() == number)
    })
}

fn hash_problem(stated: &str, source: &Source) -> Option<String> {
    let actual = BundledSource::hash_of(source);
    (actual != stated).then(|| format!("its hash is stated as {stated}, its content has {actual}"))
}

/// Returns why an id is not the one that a registration in this order gives.
fn id_problem(ids: &mut SourceRegistry, source: &Source) -> Option<String> {
    let registered = ids.register(source.clone());
    if !registered.new {
        return Some(format!(
            "the record {} of {} stands there twice",
            source.record, source.tool
        ));
    }
    (registered.id != source.id)
        .then(|| format!("the record {} has the id {}", source.record, registered.id))
}
