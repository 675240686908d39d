//! Answers with records: the one behind a superlative, and lists.

use research_agents_report::claim::{Claim, Statement};
use research_agents_report::text::{capitalised, list, words};
use serde_json::Value;

use crate::data::record::{AggregationKind, AggregationResult, Bucket};
use crate::data::task::question::shape::OrderBy;
use crate::data::task::{FieldFacts, RankedRecord};
use crate::offline::answer::answered::{Answer, Listed};
use crate::offline::answer::input::{Input, count};
use crate::offline::answer::over_all::counted;
use crate::offline::answer::record_names::{
    asked_by, called_in_full, field_claim, name_field, named, of_row,
};
use crate::offline::answer::words::{label, value_words};

/// Columns of a list.
const COLUMNS: usize = 5;
/// Records that a sentence names.
const NAMED: usize = 5;
/// Records without a name that a sentence cites.
const CITED: usize = 3;
/// Records that a sentence names where these are all.
const FEW: usize = 8;
/// Values of a record that a sentence gives where no field is asked for.
const VALUES: usize = 8;
/// Records of a list.
const LISTED: usize = 20;

/// The end of a sentence on an empty field.
const NO_VALUE: &str = " has no value.";

/// Answers with the record that has the highest or lowest value of a field.
pub(crate) fn record(input: &Input<'_>) -> Option<Answer> {
    let (ranking, highest) = ranking(input)?;
    let field = ranking.field.as_str();
    let end = if highest { "highest" } else { "lowest" };
    let rows: Vec<&Bucket> = ranking.buckets.iter().collect();
    let first = rows.first()?;
    let limit = input.meaning.order.as_ref().and_then(|order| order.limit);
    let limit = usize::try_from(limit.unwrap_or(1)).unwrap_or(1).max(1);
    let ties = rows.iter().take_while(|row| row.key == first.key).count();
    // A sentence cites three records at most, and a citation names what has no name.
    let is_named = of_row(input, first)
        .is_some_and(|record| name_field(input, record, field).is_some())
        || !input.meaning.wanted.iter().all(|wanted| wanted == field);
    let named_at_most = if is_named { NAMED } else { CITED };
    let shown = limit.max(ties.min(named_at_most)).min(rows.len());
    let what = format!("the {end} {}", label(field));
    let conditions = input.conditions();
    let number = value_words(&first.key, field);

    let names: Vec<(String, Vec<Claim>)> = rows[..shown]
        .iter()
        .filter_map(|row| named(input, row, field))
        .collect();
    let mut claims: Vec<Claim> = Vec::new();
    for (at, row) in rows[..shown].iter().enumerate() {
        let source = row.source.clone()?;
        claims.push(Claim::Ranked {
            over: ranking.id.clone(),
            source: source.clone(),
            place: at as u64 + 1,
            field: field.to_owned(),
            highest,
        });
        claims.push(Claim::Field {
            source,
            field: field.to_owned(),
            value: row.key.clone(),
        });
    }
    claims.extend(names.iter().flat_map(|(_, claims)| claims.clone()));

    let called: Vec<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
    let text = if limit > 1 {
        let each = rows[..shown].iter().zip(&called).take(named_at_most);
        let each: Vec<String> = each
            .map(|(row, name)| format!("{name} ({})", value_words(&row.key, field)))
            .collect();
        let more = if shown > each.len() {
            ", and further ones in the table"
        } else {
            ""
        };
        format!("{} have {what}{conditions}{more}.", list(&each))
    } else if ties > 1 && called.iter().any(|name| *name != called[0]) {
        let mut all: Vec<String> = Vec::new();
        for name in &called {
            if !all.iter().any(|known| known == name) {
                all.push((*name).to_owned());
            }
        }
        let others = if ties >= rows.len() && ranking.total_docs > rows.len() as u64 {
            ", perhaps with others"
        } else {
            ""
        };
        format!(
            "{} have {what}{others}: {number} each{conditions}.",
            list(&all)
        )
    } else {
        format!("{} has {what}: {number}{conditions}.", called.first()?)
    };

    let title = match called.first() {
        Some(name) if limit == 1 && ties == 1 && !name.contains(char::is_numeric) => {
            format!("{name} has the {end} {}", label(field))
        }
        _ => capitalised(&format!("the {end} {}", label(field))),
    };
    Some(Answer {
        title,
        statements: vec![Statement {
            text: capitalised(&text),
            claims,
        }],
        records: Some(listed(input, ranking, limit.max(NAMED))),
        ..Answer::default()
    })
}

/// Answers with a list of the matching records, or with the values of the one that matches.
pub(crate) fn list_records(input: &Input<'_>) -> Option<Answer> {
    let (number, claim) = input.total()?;
    let table = input.table(AggregationKind::Ranking).filter(|_| number > 0);
    let rows: Vec<&Bucket> = table.into_iter().flat_map(|table| &table.buckets).collect();
    let one = rows
        .first()
        .filter(|_| number == 1)
        .and_then(|row| values_of(input, row));
    let is_empty = one
        .as_ref()
        .is_some_and(|statement| statement.text.ends_with(NO_VALUE));
    let statement = one
        .or_else(|| listing(input, &rows, number, claim.clone()))
        .unwrap_or_else(|| counted(input, number, claim));

    Some(Answer {
        title: capitalised(&format!("{}{}", input.noun(2), input.conditions())),
        statements: vec![statement],
        records: table.map(|ranking| listed(input, ranking, LISTED)),
        is_empty,
        ..Answer::default()
    })
}

/// Returns the sentence on the values that are asked for of the only record.
fn values_of(input: &Input<'_>, row: &Bucket) -> Option<Statement> {
    let record = of_row(input, row)?;
    let usual = name_field(input, record, "");
    let name = asked_by(input, record).or_else(|| usual.clone());
    let name = name.unwrap_or_default();
    // A list asks for what the records are called, unless it asks for more.
    let is_usual = |field: &String| {
        let is_it = usual.as_ref() == Some(field);
        *field == name || is_it && !says_word_of(&input.task.query, field)
    };
    let only_named = input.meaning.wanted.iter().all(is_usual);
    let asked = input.meaning.wanted.iter();
    let asked = asked.filter(|field| !only_named && **field != name);
    let mentioned = input.meaning.mentioned.iter().filter(|_| only_named);
    let asked = asked.chain(mentioned);
    let known: Vec<(&String, &Value)> = asked
        .filter_map(|field| Some((field, record.field(field)?)))
        .filter(|(_, value)| !value.is_null())
        .collect();
    let (said, own) = match record.field(&name) {
        Some(called) => called_in_full(record, &name).unwrap_or_else(|| {
            let claim = field_claim(record, &name, called);
            (value_words(called, &name), vec![claim])
        }),
        None => (format!("The record {}", record.id), Vec::new()),
    };
    if known.is_empty() {
        return without_value(input, record, &said, &own)
            .or_else(|| whole_record(input, record, &name, &said, own));
    }

    let parts: Vec<String> = known
        .iter()
        .map(|(field, value)| format!("{} is {}", label(field), value_words(value, field)))
        .collect();
    let claims = known
        .iter()
        .map(|(field, value)| field_claim(record, field, value));
    Some(Statement {
        text: format!("{said}: the {}.", list(&parts)),
        claims: claims.chain(own).collect(),
    })
}

/// Returns the sentence on a field that is asked for and empty in the only record.
fn without_value(
    input: &Input<'_>,
    record: &RankedRecord,
    said: &str,
    own: &[Claim],
) -> Option<Statement> {
    let is_empty = |field: &&String| record.field(field).is_some_and(Value::is_null);
    let empty: Vec<&String> = input.meaning.wanted.iter().filter(is_empty).collect();
    let first = empty.first()?;
    let claims = own.iter().cloned();

    let claims = claims
        .chain(input.total().map(|(_, claim)| claim))
        .collect();
    Some(Statement {
        text: format!(
            "The question is not answered: {said} is in the data, and its {}{NO_VALUE}",
            label(first)
        ),
        claims,
    })
}

/// Returns the sentence on the values of the only record, where no field of it is asked for by
/// name.
fn whole_record(
    input: &Input<'_>,
    record: &RankedRecord,
    name: &str,
    said: &str,
    own: Vec<Claim>,
) -> Option<Statement> {
    let is_telling = |field: &&FieldFacts| {
        let is_asked_by = input
            .meaning
            .filters
            .get(&field.name)
            .is_some_and(|value| !value.is_object());
        // A name of two letters is not told from a word of the sentence.
        let is_short = field.name.chars().count() < 3;
        field.name != name && !is_short && !is_asked_by
    };
    // What the question has a word of comes first.
    let is_said = |facts: &&FieldFacts| says_word_of(&input.task.query, &facts.name);
    let mut fields: Vec<&FieldFacts> = input.task.fields.iter().filter(is_telling).collect();
    fields.sort_by_key(|facts| !is_said(facts));
    let known: Vec<(&String, &Value)> = fields
        .into_iter()
        .filter_map(|facts| Some((&facts.name, record.field(&facts.name)?)))
        .filter(|(_, value)| !value.is_null() && !value.is_array() && !value.is_object())
        .filter(|(_, value)| value.as_str().is_none_or(|text| !text.contains("://")))
        .take(VALUES)
        .collect();
    if known.is_empty() {
        return None;
    }

    let parts: Vec<String> = known
        .iter()
        .map(|(field, value)| format!("{} is {}", label(field), value_words(value, field)))
        .collect();
    let claims = known
        .iter()
        .map(|(field, value)| field_claim(record, field, value));
    let total = input.total().map(|(_, claim)| claim);
    Some(Statement {
        text: format!("{said}: the {}.", list(&parts)),
        claims: claims.chain(own).chain(total).collect(),
    })
}

/// Returns whether a question has a word of the name of a field.
fn says_word_of(question: &str, field: &str) -> bool {
    let name = field.replace(['_', '.'], " ");
    let asked = words(question);
    words(&name)
        .iter()
        .any(|word| asked.iter().any(|own| own.stem == word.stem))
}

/// Returns the sentence that counts the records and names them, or the first ones.
fn listing(input: &Input<'_>, rows: &[&Bucket], number: u64, total: Claim) -> Option<Statement> {
    let is_complete = number <= FEW as u64 && rows.len() as u64 == number;
    let shown = if is_complete { FEW } else { NAMED };
    let mut found: Vec<(String, Vec<Claim>)> = Vec::new();
    let mut is_repeated = false;
    for (name, claims) in rows.iter().filter_map(|row| named(input, row, "")) {
        match found.iter().any(|(known, _)| *known == name) {
            true => is_repeated = true,
            false => found.push((name, claims)),
        }
    }
    found.truncate(shown);
    if found.is_empty() {
        return None;
    }

    let names: Vec<String> = found.iter().map(|(name, _)| name.clone()).collect();
    let (noun, conditions) = (input.noun(number), input.conditions());
    let text = match (number, is_complete) {
        (1, _) => format!("There is 1 {noun}{conditions}: {}.", list(&names)),
        (_, true) if is_repeated => format!(
            "There are {number} {noun}{conditions}, of {}.",
            list(&names)
        ),
        (_, true) => format!("There are {number} {noun}{conditions}: {}.", list(&names)),
        _ => format!(
            "There are {} {noun}{conditions}; the first are {}.",
            count(number),
            list(&names)
        ),
    };
    let claims = [total]
        .into_iter()
        .chain(found.into_iter().flat_map(|(_, claims)| claims));
    Some(Statement {
        text,
        claims: claims.collect(),
    })
}

/// Returns the ranking that the question asks for, and whether the highest value comes first.
fn ranking<'t>(input: &Input<'t>) -> Option<(&'t AggregationResult, bool)> {
    let order = input.meaning.order.as_ref();
    let highest = order.is_none_or(|order| order.highest);
    let field = order.and_then(|order| match &order.by {
        OrderBy::Field(field) => Some(field.as_str()),
        OrderBy::Measure(at) => Some(input.meaning.measures.get(*at)?.field.as_str()),
        OrderBy::Count | OrderBy::Key => None,
    });
    let fits = |table: &&AggregationResult| {
        let own = table.order.as_ref();
        table.kind == AggregationKind::Ranking
            && field.is_none_or(|field| table.field == field)
            && own.is_some_and(|own| own.highest == highest)
            && !table.buckets.is_empty()
    };
    let found = input.tables().find(fits)?;
    Some((found, highest))
}

/// Returns a list of the records of a ranking.
fn listed(input: &Input<'_>, ranking: &AggregationResult, most: usize) -> Listed {
    let rows = ranking.buckets.iter().take(most);
    let sources: Vec<String> = rows.filter_map(|row| row.source.clone()).collect();
    let first = ranking.buckets.first().and_then(|row| of_row(input, row));
    let name = first.and_then(|record| name_field(input, record, &ranking.field));

    let mut columns: Vec<String> = Vec::new();
    let meaning = input.meaning;
    let fields = name
        .into_iter()
        .chain(meaning.wanted.iter().cloned())
        .chain(
            [ranking.field.clone()]
                .into_iter()
                .filter(|field| !field.is_empty()),
        )
        .chain(meaning.mentioned.iter().cloned())
        .chain(meaning.filters.keys().cloned())
        .chain(
            first
                .into_iter()
                .flat_map(|record| record.fields.keys().cloned()),
        );
    for field in fields {
        let is_asked = meaning.wanted.contains(&field) || meaning.mentioned.contains(&field);
        if field.eq_ignore_ascii_case("id") && !is_asked {
            continue;
        }
        let is_known = first.is_some_and(|record| record.fields.contains_key(&field));
        if is_known && !columns.contains(&field) && columns.len() < COLUMNS {
            columns.push(field);
        }
    }

    Listed {
        table: ranking.id.clone(),
        columns,
        more: ranking.total_docs.saturating_sub(sources.len() as u64),
        sources,
    }
}
