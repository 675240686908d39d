//! Answers by group: the statistics or counts of each, the highest, and the course over time.

use research_agents_report::claim::{Basis, Claim, Statement, Statistic};
use research_agents_report::evidence::sum_of;
use research_agents_report::text::{capitalised, is_amount, list};
use serde_json::Value;

use crate::data::record::{AggregationKind, AggregationResult, Bucket};
use crate::data::task::question::shape::{AnswerShape, Having, Measure, OrderBy, Sign};
use crate::offline::answer::answered::Answer;
use crate::offline::answer::input::{Input, count, measure_in};
use crate::offline::answer::words::{
    label, measure_label, measure_number, number_words, value_words,
};

/// Groups that a sentence names after the first.
const NEXT: usize = 2;
/// Values that a sentence names where all of them are asked for.
const VALUES: usize = 16;
/// Groups that a sentence names which fulfil a condition.
const FULFILLING: usize = 8;

/// A group with the number that is compared.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ranked<'t> {
    pub(crate) bucket: &'t Bucket,
    pub(crate) number: f64,
}

/// The groups of an aggregation, compared by their counts or by a statistic.
pub(crate) struct Groups<'t> {
    pub(crate) table: &'t AggregationResult,
    pub(crate) by: Option<&'t Measure>,
    pub(crate) ranked: Vec<Ranked<'t>>,
}

impl<'t> Groups<'t> {
    /// Compares the groups by a statistic, or by their counts without one. Groups without a value,
    /// and the group of records without a key, are left out.
    pub(crate) fn new(table: &'t AggregationResult, by: Option<&'t Measure>) -> Self {
        let number = |bucket: &Bucket| match by {
            Some(by) => measure_in(&bucket.measures, by.function, &by.field)?.number,
            None => Some(bucket.doc_count as f64),
        };
        let ranked = table
            .buckets
            .iter()
            .filter(|bucket| !bucket.key.is_null())
            .filter_map(|bucket| {
                Some(Ranked {
                    bucket,
                    number: number(bucket)?,
                })
            })
            .collect();
        Self { table, by, ranked }
    }

    /// Sorts the groups, the highest or the lowest first.
    pub(crate) fn sort(&mut self, highest: bool) {
        self.ranked.sort_by(|a, b| {
            let order = a.number.total_cmp(&b.number);
            if highest { order.reverse() } else { order }
        });
    }

    /// Returns the number of a group as a sentence writes it.
    pub(crate) fn number(&self, group: &Ranked<'_>) -> String {
        match self.by {
            Some(by) => measure_number(group.number, by.function, &by.field),
            None => count(group.bucket.doc_count),
        }
    }

    /// Returns the claim of a group.
    pub(crate) fn claim(&self, group: &Ranked<'_>) -> Claim {
        let (over, by, value) = (
            self.table.id.clone(),
            self.table.field.clone(),
            group.bucket.key.clone(),
        );

        match self.by {
            Some(measure) => Claim::GroupMeasure {
                over,
                by,
                value,
                field: measure.field.clone(),
                statistic: measure.function,
                number: group.number,
            },
            None => Claim::Count {
                over: Basis::Aggregation(over),
                field: by,
                value,
                number: group.bucket.doc_count,
            },
        }
    }

    /// Returns the name of a group.
    pub(crate) fn name(&self, group: &Ranked<'_>) -> String {
        let (key, field) = (&group.bucket.key, &self.table.field);
        // *Yes* alone does not say of what; `NO` among other countries does.
        let is_truth = self
            .ranked
            .iter()
            .all(|group| says_truth(&group.bucket.key));
        if key.is_number() && is_amount(field) || key.is_boolean() || is_truth {
            return format!("{} {}", label(field), value_words(key, field));
        }
        value_words(key, field)
    }

    /// Returns what is compared in words, such as `mean body mass`.
    pub(crate) fn measured(&self) -> String {
        match self.by {
            Some(by) if by.function == Statistic::Max => format!("maximum {}", label(&by.field)),
            Some(by) if by.function == Statistic::Min => format!("minimum {}", label(&by.field)),
            Some(by) => measure_label(by.function, &by.field),
            None => "number of records".to_owned(),
        }
    }

    /// Returns the groups with the same number as the first.
    pub(crate) fn ties(&self) -> usize {
        let first = self.ranked.first().map(|group| group.number);
        let same = |group: &&Ranked<'_>| Some(group.number) == first;
        self.ranked.iter().take_while(same).count()
    }
}

/// Returns whether the key of a group is a truth value in words.
fn says_truth(key: &Value) -> bool {
    let key = key.as_str().unwrap_or_default().to_lowercase();
    matches!(key.as_str(), "yes" | "no" | "y" | "n" | "true" | "false")
}

/// Answers with the groups of a field: the highest first, and the next ones.
pub(crate) fn groups(input: &Input<'_>) -> Option<Answer> {
    let meaning = input.meaning;
    let table = match meaning.group_by.as_slice() {
        [] if meaning.answer == AnswerShape::TopGroup => {
            input.table(AggregationKind::DateHistogram)?
        }
        [] => return course(input),
        by => input.grouped(by)?,
    };
    let at = match meaning.order.as_ref().map(|order| &order.by) {
        Some(OrderBy::Measure(at)) => *at,
        _ => 0,
    };
    let highest = meaning.order.as_ref().is_none_or(|order| order.highest);
    let mut groups = Groups::new(table, meaning.measures.get(at));
    groups.sort(highest);
    if groups.ranked.is_empty() {
        return None;
    }
    if let Some(having) = &meaning.having {
        return fulfilling(input, table, having);
    }

    let mut statements = vec![leading(input, &groups, highest)];
    statements.extend(further(input, table, at));
    Some(Answer {
        title: title(&groups, highest),
        statements,
        table: Some(table.id.clone()),
        ..Answer::default()
    })
}

/// Answers with the groups whose number fulfils a condition.
fn fulfilling(input: &Input<'_>, table: &AggregationResult, having: &Having) -> Option<Answer> {
    let by = having.measure.and_then(|at| input.meaning.measures.get(at));
    let mut groups = Groups::new(table, by);
    groups
        .ranked
        .retain(|group| having.sign.holds(group.number, having.number));
    groups.sort(!matches!(having.sign, Sign::Below | Sign::AtMost));
    let limit = number_words(having.number);
    let what = format!("a {}", groups.measured());
    let condition = match (having.sign, by.is_some()) {
        (Sign::Above, true) => format!("{what} above {limit}"),
        (Sign::Below, true) => format!("{what} below {limit}"),
        (Sign::AtLeast, true) => format!("{what} of at least {limit}"),
        (Sign::AtMost, true) => format!("{what} of at most {limit}"),
        (Sign::Equal, true) => format!("{what} of exactly {limit}"),
        (Sign::Different, true) => format!("{what} other than {limit}"),
        (_, false) => having.said.clone(),
    };
    let have = if groups.ranked.len() == 1 {
        "has"
    } else {
        "have"
    };
    let conditions = input.conditions();
    let field = names_of(&table.field);

    let shown = groups.ranked.len().min(FULFILLING);
    let named: Vec<String> = groups.ranked[..shown]
        .iter()
        .map(|group| format!("{} ({})", groups.name(group), groups.number(group)))
        .collect();
    let more = if groups.ranked.len() > shown {
        " and others"
    } else {
        ""
    };
    let text = if named.is_empty() {
        format!("No value of {field} is found to have {condition}{conditions}.")
    } else {
        format!("{}{more} {have} {condition}{conditions}.", list(&named))
    };
    let claims = groups.ranked[..shown]
        .iter()
        .map(|group| groups.claim(group))
        .collect();
    Some(Answer {
        title: capitalised(&format!("values of {field} that have {condition}")),
        statements: vec![Statement { text, claims }],
        table: Some(table.id.clone()),
        ..Answer::default()
    })
}

/// Returns the finding in a few words.
fn title(groups: &Groups<'_>, highest: bool) -> String {
    let end = if highest { "highest" } else { "lowest" };
    let field = names_of(&groups.table.field);
    let Some(first) = groups.ranked.first() else {
        return String::new();
    };
    let name = groups.name(first);
    if groups.ties() > 1 || name.contains(char::is_numeric) {
        return capitalised(&format!("{} by {field}", groups.measured()));
    }
    match groups.by {
        Some(by) if by.function == Statistic::Mean || by.function == Statistic::Median => {
            format!("{name} has the {end} {}", groups.measured())
        }
        Some(_) => format!("{}: {name} is {end}", capitalised(&groups.measured())),
        None if highest => format!("{name} is the most frequent {field}"),
        None => format!("{name} is the least frequent {field}"),
    }
}

/// Returns the fields of a grouping in words.
fn names_of(field: &str) -> String {
    let names: Vec<String> = field.split(',').map(|name| label(name.trim())).collect();
    list(&names)
}

/// Returns the sentence on the first groups.
fn leading(input: &Input<'_>, groups: &Groups<'_>, highest: bool) -> Statement {
    let limit = input.meaning.order.as_ref().and_then(|order| order.limit);
    let named = usize::try_from(limit.unwrap_or(1))
        .unwrap_or(1)
        .clamp(1, 10);
    let ties = groups.ties();
    let all = groups.ranked.len();
    let conditions = input.conditions_beside(&input.meaning.group_by);
    let (end, more) = if highest {
        ("highest", "most")
    } else {
        ("lowest", "fewest")
    };
    let of = |group: &Ranked<'_>| format!("{} {}", groups.name(group), groups.number(group));

    // `which codes fit the socket` asks for all of them, and none has more records than another in
    // `teams with more losses than wins`.
    let is_wanted = input.meaning.wanted.contains(&groups.table.field);
    let asks_all = input.meaning.answer == AnswerShape::Groups
        && groups.by.is_none()
        && input.meaning.order.is_none()
        && (is_wanted || ties == all && all > 1);
    let shown = if asks_all {
        all.min(VALUES)
    } else if ties > 1 {
        ties.min(5)
    } else {
        (named + NEXT).min(all)
    };
    let mut claims: Vec<Claim> = groups.ranked[..shown]
        .iter()
        .map(|one| groups.claim(one))
        .collect();
    let total = Claim::Total {
        over: Basis::Aggregation(groups.table.id.clone()),
        number: groups.table.total_docs,
    };
    let first = &groups.ranked[0];
    let (name, number) = (groups.name(first), groups.number(first));
    let what = match groups.by {
        Some(_) => format!("the {end} {}", groups.measured()),
        None => format!("the {more} {}", input.noun(2)),
    };

    let text = if all == 1 {
        claims.push(total);
        match groups.by {
            Some(_) => format!(
                "{}{conditions} of {name} is {number}.",
                capitalised(&groups.measured())
            ),
            None if groups.table.total_docs == 1 => format!(
                "The only record{conditions} has {} {name}: {number} of {number}.",
                names_of(&groups.table.field)
            ),
            None => format!(
                "All {number} {}{conditions} have {} {name}.",
                input.noun(2),
                names_of(&groups.table.field)
            ),
        }
    } else if asks_all {
        let names: Vec<String> = groups.ranked[..shown].iter().map(of).collect();
        let names = if all > shown {
            format!("{} and others", names.join(", "))
        } else {
            list(&names)
        };
        format!(
            "The values of {}{conditions} are {names}.",
            names_of(&groups.table.field),
        )
    } else if ties > 1 {
        let names: Vec<String> = groups.ranked[..shown]
            .iter()
            .map(|one| groups.name(one))
            .collect();
        let others = if ties > shown { " and others" } else { "" };
        format!(
            "{}{others} have {what}{conditions}: {number} each.",
            list(&names)
        )
    } else if named > 1 {
        let names: Vec<String> = groups.ranked[..named.min(all)].iter().map(of).collect();
        claims.truncate(named.min(all));
        format!("{} have {what}{conditions}.", list(&names))
    } else {
        let mut text = match groups.by {
            Some(by) => {
                let values = measure_in(&first.bucket.measures, by.function, &by.field);
                let values = values.map_or(0, |measure| measure.count);
                format!(
                    "{name} has {what}{conditions}: {number} (n = {})",
                    count(values)
                )
            }
            None => {
                claims.push(total);
                format!(
                    "{name} has {what}{conditions}: {number} of {}",
                    count(groups.table.total_docs)
                )
            }
        };
        let next: Vec<String> = groups.ranked[1..shown].iter().map(of).collect();
        if !next.is_empty() {
            text.push_str(&format!(", before {}", list(&next)));
        }
        text.push('.');
        text
    };

    Statement { text, claims }
}

/// Returns the other end of the groups, if there are more than the first sentence names.
fn further(input: &Input<'_>, table: &AggregationResult, at: usize) -> Option<Statement> {
    let by = input.meaning.measures.get(at);
    let highest = input
        .meaning
        .order
        .as_ref()
        .is_none_or(|order| order.highest);
    let mut groups = Groups::new(table, by);
    groups.sort(!highest);
    let counted = sum_of(table.buckets.iter().map(|bucket| bucket.doc_count));
    let is_complete = counted >= table.total_docs;
    if groups.ranked.len() < 4 || !is_complete || groups.ties() > 1 {
        return None;
    }

    let last = groups.ranked.first()?;
    let (end, fewest) = if highest {
        ("lowest", "fewest")
    } else {
        ("highest", "most")
    };
    let what = match by {
        Some(_) => format!("the {end} {}", groups.measured()),
        None => format!("the {fewest} {}", input.noun(2)),
    };
    let text = format!("{} has {what}: {}.", groups.name(last), groups.number(last));
    let claims = vec![groups.claim(last)];
    Some(Statement { text, claims })
}

/// Answers with the course over time, or over the numbers of a field such as a year.
pub(crate) fn course(input: &Input<'_>) -> Option<Answer> {
    let table = match input.meaning.group_by.as_slice() {
        [] => input.table(AggregationKind::DateHistogram)?,
        by => input.grouped(by)?,
    };
    let mut groups = Groups::new(table, input.meaning.measures.first());
    groups
        .ranked
        .sort_by(|a, b| compare(&a.bucket.key, &b.bucket.key));
    let (first, last) = (groups.ranked.first()?, groups.ranked.last()?);
    let peak = groups
        .ranked
        .iter()
        .max_by(|a, b| a.number.total_cmp(&b.number))?;
    let what = capitalised(&match groups.by {
        Some(_) => groups.measured(),
        None => format!("the number of {}", input.noun(2)),
    });
    let conditions = input.conditions();
    let (from, to) = (groups.name(first), groups.name(last));
    let (before, after) = (groups.number(first), groups.number(last));
    let direction = direction(first.number, last.number);
    let text = if groups.ranked.len() == 1 {
        format!("{what}{conditions} is {before}, all in {from}.")
    } else {
        format!("{what}{conditions} {direction} from {before} in {from} to {after} in {to}.")
    };
    let mut statements = vec![Statement {
        text,
        claims: vec![groups.claim(first), groups.claim(last)],
    }];
    if groups.ranked.len() > 2 {
        let text = format!(
            "The highest is {} in {}.",
            groups.number(peak),
            groups.name(peak)
        );
        statements.push(Statement {
            text,
            claims: vec![groups.claim(peak)],
        });
    }

    Some(Answer {
        title: format!("{what} {direction} from {from} to {to}"),
        statements,
        table: Some(table.id.clone()),
        ..Answer::default()
    })
}

/// Returns the verb for a change.
pub(crate) fn direction(before: f64, after: f64) -> &'static str {
    match after.total_cmp(&before) {
        std::cmp::Ordering::Greater => "rose",
        std::cmp::Ordering::Less => "fell",
        std::cmp::Ordering::Equal => "stayed the same",
    }
}

fn compare(a: &Value, b: &Value) -> std::cmp::Ordering {
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        _ => a.to_string().cmp(&b.to_string()),
    }
}
