//! What an answer is computed from: the reading of the question, the aggregations that belong to
//! it, and the words for them.

use research_agents_report::claim::{Basis, Claim, Statement, Statistic};
use research_agents_report::language::Language;
use research_agents_report::text::{Word, list, words};
use serde_json::Value;

use crate::data::filters::describe_filters;
use crate::data::record::{AggregationKind, AggregationResult, Bucket, MeasureValue, Object};
use crate::data::task::question::conditions::{Outcome, TextSearch};
use crate::data::task::question::meaning::QuestionReading;
use crate::data::task::question::shape::Measure;
use crate::data::task::{FieldFacts, SynthesizeTask};
use crate::offline::answer::answered::Answer;
use crate::offline::answer::words::quoted;
use crate::question::read::words::concepts::concepts;

/// The material of an answer.
pub(crate) struct Input<'t> {
    pub(crate) task: &'t SynthesizeTask,
    pub(crate) meaning: &'t QuestionReading,
}

impl<'t> Input<'t> {
    /// Returns the material; `None` if the question was not read.
    pub(crate) fn new(task: &'t SynthesizeTask) -> Option<Self> {
        let meaning = task.reading.as_ref()?;
        Some(Self { task, meaning })
    }

    /// Returns whether nothing of the question fits the data.
    pub(crate) fn is_foreign(&self) -> bool {
        self.meaning.score() == 0
            && self.meaning.search.is_empty()
            && !(self.meaning.absent.is_empty() && self.meaning.unknown.is_empty())
    }

    /// Returns the facts on a field.
    pub(crate) fn facts(&self, field: &str) -> Option<&'t FieldFacts> {
        self.task.fields.iter().find(|facts| facts.name == field)
    }

    /// Returns the aggregations over the records of the question.
    pub(crate) fn tables(&self) -> impl Iterator<Item = &'t AggregationResult> {
        self.tables_under(&self.meaning.filters)
    }

    /// Returns the aggregations under these filters and the searches of the question.
    pub(crate) fn tables_under(
        &self,
        filters: &Object,
    ) -> impl Iterator<Item = &'t AggregationResult> {
        let filters = filters.clone();
        self.task.aggregations.iter().filter(move |table| {
            let mut own = table.filters.clone();
            own.remove(crate::data::filters::SEARCH);
            own == filters && table.kind != AggregationKind::Search
        })
    }

    /// Returns the aggregation of a kind with these measures, over the records of the question.
    pub(crate) fn table(&self, kind: AggregationKind) -> Option<&'t AggregationResult> {
        self.tables().find(|table| table.kind == kind)
    }

    /// Returns the grouping by these fields.
    pub(crate) fn grouped(&self, by: &[String]) -> Option<&'t AggregationResult> {
        self.grouped_under(&self.meaning.filters, by)
    }

    /// Returns the grouping by these fields of the records under these filters.
    pub(crate) fn grouped_under(
        &self,
        filters: &Object,
        by: &[String],
    ) -> Option<&'t AggregationResult> {
        let field = by.join(",");
        let mut found: Vec<&AggregationResult> = self
            .tables_under(filters)
            .filter(|table| table.kind == AggregationKind::GroupBy && table.field == field)
            .collect();
        found.sort_by_key(|table| {
            let has = |bucket: &Bucket| !bucket.measures.is_empty();
            !table.buckets.first().is_some_and(has)
        });
        found.first().copied()
    }

    /// Returns an aggregation that tells how many records the question is about, with the claim.
    pub(crate) fn total(&self) -> Option<(u64, Claim)> {
        self.total_under(&self.meaning.filters)
    }

    /// Returns the number of records under these filters, with the claim.
    pub(crate) fn total_under(&self, filters: &Object) -> Option<(u64, Claim)> {
        let table = self.tables_under(filters).next()?;
        let claim = Claim::Total {
            over: Basis::Aggregation(table.id.clone()),
            number: table.total_docs,
        };
        Some((table.total_docs, claim))
    }

    /// Returns a statistic over all records of the question, with the id of its aggregation.
    pub(crate) fn measured(&self, measure: &Measure) -> Option<(&'t MeasureValue, &'t str)> {
        self.measured_under(&self.meaning.filters, measure)
    }

    /// Returns a statistic over all records under these filters, with the id of its aggregation.
    pub(crate) fn measured_under(
        &self,
        filters: &Object,
        measure: &Measure,
    ) -> Option<(&'t MeasureValue, &'t str)> {
        self.tables_under(filters).find_map(|table| {
            let found = measure_in(&table.measures, measure.function, &measure.field)?;
            Some((found, table.id.as_str()))
        })
    }

    /// Returns what the records are called.
    pub(crate) fn noun(&self, count: u64) -> String {
        // A noun that only the question uses may be something else than the records.
        let subject = self.meaning.subject.as_deref().unwrap_or_default().trim();
        let is_plural = subject.ends_with('s') && !subject.contains(char::is_numeric);
        match (is_plural && self.meaning.is_subject_known, count) {
            (_, 1) => "record".to_owned(),
            (true, _) => subject.to_lowercase(),
            (false, _) => "records".to_owned(),
        }
    }

    /// Returns the noun of the question that is taken for the records without the tool calling them
    /// so.
    pub(crate) fn assumed_noun(&self) -> Option<&'t str> {
        let subject = self.meaning.subject.as_deref()?;
        let own = words(subject);
        let meant = |word: &Word<'_>| concepts().of(&word.lower, &word.stem, "");
        let is_person = own
            .last()
            .is_some_and(|word| meant(word).contains(&"person"));
        // `the best paid player` of a table with the names of players.
        let is_name = self.task.fields.iter().any(|facts| {
            let spaced = facts.name.replace(['_', '.'], " ");
            let names = words(&spaced);
            let is_said = |name: &Word<'_>| own.iter().any(|word| word.stem == name.stem);
            names.iter().any(is_said)
        });
        let is_known = self.meaning.is_subject_known || is_name || is_person;
        (!is_known).then_some(subject)
    }

    /// Returns the conditions on the records as ` where …`; empty without conditions.
    pub(crate) fn conditions(&self) -> String {
        self.conditions_of(&self.meaning.filters)
    }

    /// Returns the conditions as ` where …` without those that select the groups of a comparison,
    /// which a sentence names anyway.
    pub(crate) fn conditions_beside(&self, grouped: &[String]) -> String {
        let mut filters = self.meaning.filters.clone();
        let selects_groups =
            |field: &String, condition: &Value| grouped.contains(field) && condition.is_array();
        filters.retain(|field, condition| !selects_groups(field, condition));
        self.conditions_of(&filters)
    }

    /// Returns these conditions, and the searches of the question, as ` where …`.
    pub(crate) fn conditions_of(&self, filters: &Object) -> String {
        let filters = describe_filters(filters);
        let searches = self
            .searched()
            .map(|search| format!("a text mentions {}", quoted(&search.text)));
        let parts: Vec<String> = [filters]
            .into_iter()
            .filter(|part| !part.is_empty())
            .chain(searches)
            .collect();
        if parts.is_empty() {
            return String::new();
        }
        format!(" where {}", parts.join(" and "))
    }

    /// Returns the searches that the tables of the question are restricted to.
    pub(crate) fn searched(&self) -> impl Iterator<Item = &'t TextSearch> {
        let is_applied = self
            .tables()
            .any(|table| table.filters.contains_key(crate::data::filters::SEARCH));
        self.meaning.search.iter().filter(move |_| is_applied)
    }

    /// Returns sentences on the words that the data source was asked for and does not have.
    pub(crate) fn absent(&self) -> Vec<Statement> {
        let mut said = Vec::new();
        for text in &self.meaning.absent {
            let search = self.task.aggregations.iter().find(|table| {
                table.kind == AggregationKind::Search
                    && table
                        .text
                        .as_deref()
                        .is_some_and(|own| own.eq_ignore_ascii_case(text))
            });
            let Some((search, searched)) = search.and_then(|table| Some((table, table.searched?)))
            else {
                continue;
            };
            let (fields, records) = (count(searched.fields), count(searched.records));
            said.push(Statement {
                text: format!(
                    "No record mentions {}: all {fields} text fields of all {records} records were \
                     searched.",
                    quoted(text)
                ),
                claims: vec![Claim::Absent {
                    over: search.id.clone(),
                    text: search.text.clone().unwrap_or_default(),
                }],
            });
        }

        // Words that no source was asked for are not absent.
        let unknown: Vec<String> = self
            .meaning
            .unknown
            .iter()
            .map(|word| quoted(word))
            .collect();
        if said.is_empty() && self.is_foreign() && !unknown.is_empty() {
            let text = format!(
                "The question is not answered: {} fits no field and no value that the tool lists.",
                list(&unknown)
            );
            said.push(Statement {
                text,
                claims: Vec::new(),
            });
        }
        said
    }

    /// Says first that words for what is asked fit nothing, before what the answer says without
    /// them.
    pub(crate) fn tell_unheld(&self, answer: &mut Answer, is_specific: bool) {
        let words = quoted_list(&self.meaning.unheld);
        let is_one = self.meaning.unheld.len() == 1;
        let (is, fits) = if is_one {
            ("is not applied", "it fits no field")
        } else {
            ("are not applied", "they fit no field")
        };
        let why = self.why_unheld().filter(|_| is_one).unwrap_or(fits);
        let ending = if is_specific {
            ""
        } else {
            ", so the question is not answered"
        };
        let without = format!("{words} {is} ({why}){ending}");

        answer.title = if is_specific {
            format!("Without {words}: {}", answer.title)
        } else {
            format!("Not answered: {words} ({why})")
        };
        match answer.statements.first_mut() {
            Some(first) => {
                let text = std::mem::take(&mut first.text);
                let text = match text.strip_prefix("The") {
                    Some(rest) => format!("the{rest}"),
                    None => text,
                };
                first.text = format!("{without}; {text}");
            }
            None => answer.statements.push(Statement {
                text: format!("{without}."),
                claims: Vec::new(),
            }),
        }
    }

    /// Returns why the first word that fits nothing is not applied, if the reading says it.
    fn why_unheld(&self) -> Option<&str> {
        let said = self.meaning.unheld.first()?;
        let mut dropped = self.meaning.dropped();
        let condition = dropped.find(|condition| condition.said == *said)?;
        match &condition.outcome {
            Outcome::NotApplied { why } if !why.is_empty() => Some(why),
            _ => None,
        }
    }

    /// Returns the title of a report on words that the data does not have.
    pub(crate) fn absent_title(&self) -> String {
        let words = self.meaning.absent.iter().chain(&self.meaning.unknown);
        format!(
            "Not answered: the data does not mention {}",
            quoted_list(words)
        )
    }
}

/// Returns a statistic among others.
pub(crate) fn measure_in<'m>(
    measures: &'m [MeasureValue],
    function: Statistic,
    field: &str,
) -> Option<&'m MeasureValue> {
    measures
        .iter()
        .find(|measure| measure.function == function && measure.field == field)
}

/// Returns words in quotation marks as a list.
fn quoted_list<'w>(words: impl IntoIterator<Item = &'w String>) -> String {
    let words: Vec<String> = words.into_iter().map(|word| quoted(word)).collect();
    list(&words)
}

/// Returns a count with thousands separators.
pub(crate) fn count(number: u64) -> String {
    Language::ENGLISH.count(number)
}
