//! The topics of a question that a tool can answer: which tool, its main grouping, and other fields
//! worth a look.

use research_agents_report::evidence::plain;
use research_agents_report::text::{mentioned_words, stems, words};

use crate::data::task::conversation::Conversation;
use crate::data::task::{FieldFacts, FieldKind, QueryOverrides, ToolFacts};
use crate::question::continuation::{continued, continues};
use crate::question::interpret::dates::default_interval;
use crate::question::interpret::{
    Histogram, Interpretation, categories, date_field, interpret_with, is_identifier, is_prose,
    quantities,
};
use crate::question::lexicon;

/// A category of at most so many values can be taken in at one look.
const AT_ONE_LOOK: usize = 12;

/// The topics of a question.
pub(crate) struct Topics<'t> {
    /// The tool to ask.
    pub(crate) tool: &'t ToolFacts,
    /// The question in terms of the tool.
    pub(crate) meant: Interpretation,
    /// The course of time, asked for or not.
    pub(crate) course: Option<Histogram>,
    /// A further category with few values.
    pub(crate) category: Option<&'t FieldFacts>,
    /// A further category with many values.
    pub(crate) names: Option<&'t FieldFacts>,
    /// A quantity.
    pub(crate) quantity: Option<&'t FieldFacts>,
}

impl<'t> Topics<'t> {
    /// Chooses the tool that understands most of the question, and what to ask of it; `None`
    /// without tools.
    pub(crate) fn new(
        question: &str,
        said: &Conversation,
        tools: &'t [ToolFacts],
        overrides: &QueryOverrides,
    ) -> Option<Self> {
        let Reading { tool, meant, .. } = readings(question, said, tools).into_iter().next()?;
        let meant = continued(meant, question, said, tool);
        let meant = meant
            .overridden(overrides)
            .with_default_grouping(&tool.fields);

        // A question that names no course of time gets one if there are dates.
        let course = meant.histogram.clone().or_else(|| {
            let date = date_field(&tool.fields, &meant)?;
            Some(Histogram {
                field: date.name.clone(),
                interval: default_interval(date, &meant.filters),
            })
        });

        let further = by_affinity(categories(&tool.fields, &meant), &meant);
        let is_long = |field: &&FieldFacts| field.values.len() > AT_ONE_LOOK;
        let category = further.iter().find(|field| !is_long(field)).copied();
        let names = further
            .iter()
            .find(|field| is_long(field))
            .copied()
            .or_else(|| unlisted(&tool.fields, &meant));
        let quantity = quantities(&tool.fields, &meant).into_iter().next();

        Some(Self {
            tool,
            meant,
            course,
            category,
            names,
            quantity,
        })
    }

    /// Returns whether the tool takes an argument.
    pub(crate) fn takes(&self, argument: &str) -> bool {
        self.tool.arguments.iter().any(|name| name == argument)
    }

    /// Returns whether some field may hold texts that contain the question's words.
    pub(crate) fn has_prose(&self) -> bool {
        self.tool.fields.iter().any(is_prose)
    }

    /// Returns the name of the records: as the question calls them, if the data knows the word;
    /// else `records`. Passengers are not counted by counting records that know of none.
    pub(crate) fn subject(&self) -> String {
        let noun = self.meant.noun();
        let head = words(&noun).pop().map(|word| word.text.to_owned());
        if head.is_some_and(|head| self.is_known(&head)) {
            noun
        } else {
            "records".to_owned()
        }
    }

    /// Returns what the records may mention: words of the question that name no field and no value.
    /// Words that only phrase the question and what the tool calls its records do not count.
    pub(crate) fn asked_of_texts(&self) -> Vec<String> {
        let is_asked = |word: &&String| {
            let said = word.to_lowercase();
            let of_tool = mentioned_words(
                &said,
                [self.tool.name.clone(), self.tool.description.clone()].into_iter(),
            );
            !lexicon::is_light(&said) && !lexicon::is_degree(&said) && of_tool.is_empty()
        };
        self.meant
            .unmatched
            .iter()
            .filter(is_asked)
            .cloned()
            .collect()
    }

    /// Returns whether the tool knows a word: in what it says of itself, the names of its fields,
    /// or their values.
    fn is_known(&self, word: &str) -> bool {
        let fields = self.tool.fields.iter().flat_map(|field| {
            std::iter::once(field.name.clone()).chain(field.values.iter().map(plain))
        });
        let texts = [self.tool.name.clone(), self.tool.description.clone()]
            .into_iter()
            .chain(fields);
        !mentioned_words(word, texts).is_empty()
    }
}

/// A question in terms of a tool.
pub(crate) struct Reading<'t> {
    pub(crate) tool: &'t ToolFacts,
    pub(crate) meant: Interpretation,
    /// The fit of the tool: what the user says of it, how much of the question it understands, and
    /// the words they share.
    pub(crate) fit: (bool, usize, usize),
}

/// Returns the question in terms of each tool, the one that fits best first; equal ones keep their
/// order. A question that continues an earlier one stays with its tool, unless that understands
/// nothing of it and another does.
pub(crate) fn readings<'t>(
    question: &str,
    said: &Conversation,
    tools: &'t [ToolFacts],
) -> Vec<Reading<'t>> {
    let (words, fields) = (said.completed(question), said.fields());
    let before = said
        .turns
        .last()
        .filter(|_| continues(question))
        .and_then(|turn| turn.tool.as_deref());
    let mut found: Vec<Reading<'t>> = tools
        .iter()
        .map(|tool| {
            let meant = interpret_with(&words, &tool.fields, &fields);
            let is_named = said.tool() == Some(tool.name.as_str());
            let is_before = before == Some(tool.name.as_str()) && meant.score() > 0;
            let fit = (is_named || is_before, meant.score(), overlap(&words, tool));
            Reading { tool, meant, fit }
        })
        .collect();
    if found.iter().all(|reading| reading.fit.1 == 0) {
        found
            .iter_mut()
            .for_each(|reading| reading.fit.0 |= before == Some(reading.tool.name.as_str()));
    }

    found.sort_by_key(|reading| std::cmp::Reverse(reading.fit));

    found
}

/// Returns the number of content words that a question shares with a tool's name and description.
fn overlap(question: &str, tool: &ToolFacts) -> usize {
    let own = stems(&format!("{} {}", tool.name, tool.description));
    words(question)
        .iter()
        .filter(|word| !lexicon::is_stop(&word.lower) && own.contains(&word.stem))
        .count()
}

/// Sorts the fields whose names share a word with the question to the front.
fn by_affinity<'f>(mut fields: Vec<&'f FieldFacts>, meant: &Interpretation) -> Vec<&'f FieldFacts> {
    let asked: Vec<String> = meant
        .group_by
        .iter()
        .chain(&meant.mentioned)
        .chain(&meant.unmatched)
        .flat_map(|text| stems(text))
        .collect();
    let shares = |field: &FieldFacts| {
        words(&field.name)
            .iter()
            .any(|word| !lexicon::is_generic(&word.lower) && asked.contains(&word.stem))
    };
    fields.sort_by_key(|field| (!meant.mentioned.contains(&field.name), !shares(field)));
    fields
}

/// Returns the text field whose values the schema does not list, unless they are different in
/// nearly every record.
fn unlisted<'f>(fields: &'f [FieldFacts], meant: &Interpretation) -> Option<&'f FieldFacts> {
    let candidates: Vec<&FieldFacts> = fields
        .iter()
        .filter(|field| field.kind == FieldKind::Text && field.values.is_empty())
        .filter(|field| {
            !meant.filters.contains_key(&field.name) && !meant.group_by.contains(&field.name)
        })
        .filter(|field| !is_identifier(field) && !is_prose(field))
        .collect();
    by_affinity(candidates, meant).first().copied()
}
