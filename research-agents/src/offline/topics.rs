//! What can be asked of a tool about a question: which tool, its main grouping, and the other fields worth a look.

use super::interpret::{
    Histogram, Interpretation, categories, date_field, default_interval, interpret, is_identifier, is_prose, quantities,
};
use super::lexicon;
use super::text::{stems, words};
use crate::dataset::task::{FieldFacts, FieldKind, QueryOverrides, ToolFacts};

/// A category of at most so many values can be taken in at one look.
const AT_ONE_LOOK: usize = 12;

/// What to ask about.
pub(super) struct Topics<'t> {
    /// The tool to ask.
    pub(super) tool: &'t ToolFacts,
    /// The question in terms of the tool.
    pub(super) meant: Interpretation,
    /// The course of time, asked for or not.
    pub(super) course: Option<Histogram>,
    /// A further category with few values.
    pub(super) category: Option<&'t FieldFacts>,
    /// A further category with many values.
    pub(super) names: Option<&'t FieldFacts>,
    /// A quantity.
    pub(super) quantity: Option<&'t FieldFacts>,
}

impl<'t> Topics<'t> {
    /// Chooses the tool that understands most of the question, and what to ask of it; `None` without tools.
    pub(super) fn of(question: &str, tools: &'t [ToolFacts], overrides: &QueryOverrides) -> Option<Self> {
        let mut best: Option<((usize, usize), &ToolFacts, Interpretation)> = None;
        for tool in tools {
            let meant = interpret(question, &tool.fields);
            let score = (meant.score(), overlap(question, tool));
            if best.as_ref().is_none_or(|(known, ..)| score > *known) {
                best = Some((score, tool, meant));
            }
        }
        let (_, tool, meant) = best?;
        let meant = meant.overridden(overrides).with_default_grouping(&tool.fields);
        let course = meant.histogram.clone().or_else(|| {
            let date = date_field(&tool.fields, &meant)?;
            Some(Histogram { field: date.name.clone(), interval: default_interval(date, &meant.filters) })
        });
        let further = by_affinity(categories(&tool.fields, &meant), &meant);
        let is_long = |field: &&FieldFacts| field.values.len() > AT_ONE_LOOK;
        let category = further.iter().find(|field| !is_long(field)).copied();
        let names = further.iter().find(|field| is_long(field)).copied().or_else(|| unlisted(&tool.fields, &meant));
        let quantity = quantities(&tool.fields, &meant).into_iter().next();
        Some(Self { tool, meant, course, category, names, quantity })
    }

    /// Whether the tool takes an argument.
    pub(super) fn takes(&self, argument: &str) -> bool {
        self.tool.arguments.iter().any(|name| name == argument)
    }

    /// Whether some field may hold texts in which the question's words stand.
    pub(super) fn has_prose(&self) -> bool {
        self.tool.fields.iter().any(is_prose)
    }

    /// What the question is about, as a plural noun; `records` when it does not say.
    pub(super) fn subject(&self) -> String {
        self.meant.noun()
    }
}

/// Content words that a question shares with a tool's name and description.
fn overlap(question: &str, tool: &ToolFacts) -> usize {
    let own = stems(&format!("{} {}", tool.name, tool.description));
    words(question).iter().filter(|word| !lexicon::is_stop(&word.lower) && own.contains(&word.stem)).count()
}

/// Puts the fields first whose names share a word with what was asked for.
fn by_affinity<'f>(mut fields: Vec<&'f FieldFacts>, meant: &Interpretation) -> Vec<&'f FieldFacts> {
    let asked: Vec<String> =
        meant.group_by.iter().chain(&meant.mentioned).chain(&meant.unmatched).flat_map(|text| stems(text)).collect();
    let shares = |field: &FieldFacts| {
        words(&field.name).iter().any(|word| !lexicon::is_generic(&word.lower) && asked.contains(&word.stem))
    };
    fields.sort_by_key(|field| (!meant.mentioned.contains(&field.name), !shares(field)));
    fields
}

/// A text field whose values the schema does not list, unless they are different in nearly every record.
fn unlisted<'f>(fields: &'f [FieldFacts], meant: &Interpretation) -> Option<&'f FieldFacts> {
    let candidates: Vec<&FieldFacts> = fields
        .iter()
        .filter(|field| field.kind == FieldKind::Text && field.values.is_empty())
        .filter(|field| !meant.filters.contains_key(&field.name) && !meant.group_by.contains(&field.name))
        .filter(|field| !is_identifier(field) && !is_prose(field))
        .collect();
    by_affinity(candidates, meant).first().copied()
}
