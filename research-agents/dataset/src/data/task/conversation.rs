//! The conversation around a question: earlier questions of the thread, and answers to questions of
//! the run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::data::filters::describe_filters;
use crate::data::record::Object;

/// A question of a thread that was answered before.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Turn {
    /// The user's question.
    pub question: String,
    /// The tool that was asked, when one was.
    #[serde(default)]
    pub tool: Option<String>,
    /// The filters that it was asked with.
    #[serde(default)]
    pub filters: Object,
    /// The fields that its main table is grouped by.
    #[serde(default)]
    pub group_by: Vec<String>,
    /// Records that matched, when known.
    #[serde(default)]
    pub records: Option<u64>,
    /// Title of the report.
    #[serde(default)]
    pub title: String,
    /// The most important findings of the report, at most eight.
    #[serde(default)]
    pub key_findings: Vec<String>,
}

/// What an ambiguous question or word may be taken for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reading {
    /// The word means this field.
    Field(String),
    /// This tool is to be asked.
    Tool(String),
    /// The question goes on with these words.
    Words(String),
    /// The question stands as it is.
    AsAsked,
}

/// A reading and how it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Choice {
    /// What the user sees.
    pub label: String,
    /// What it stands for.
    pub reading: Reading,
}

#[doc = " An ambiguity that was settled: by the user, or, where nobody could be asked, by taking \
         the likeliest reading."]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Clarified {
    /// What was asked, or would have been.
    pub question: String,
    /// The user's words; empty when there are none.
    #[serde(default)]
    pub answer: String,
    /// The reading that holds; none when the answer is in words of the user's own.
    #[serde(default)]
    pub reading: Option<Choice>,
    /// The readings that do not hold.
    #[serde(default)]
    pub others: Vec<String>,
    /// Nobody answered.
    #[serde(default)]
    pub assumed: bool,
}

impl Clarified {
    /// Returns what holds from now on, as people read it.
    pub fn settled(&self) -> &str {
        self.reading
            .as_ref()
            .map_or(self.answer.as_str(), |choice| choice.label.as_str())
    }

    /// Returns the words that complete the question.
    fn words(&self) -> Option<&str> {
        let words = match &self.reading {
            Some(Choice {
                reading: Reading::Words(words),
                ..
            }) => words,
            Some(_) => return None,
            None => &self.answer,
        };
        Some(words.trim()).filter(|words| !words.is_empty())
    }
}

/// What the question of a run follows on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Conversation {
    /// Earlier questions of the thread, the oldest first.
    #[serde(default)]
    pub turns: Vec<Turn>,
    /// What was settled about this question.
    #[serde(default)]
    pub answers: Vec<Clarified>,
}

impl Conversation {
    /// Returns whether nothing was said before.
    pub fn is_empty(&self) -> bool {
        self.turns.is_empty() && self.answers.is_empty()
    }

    /// Returns the question with the words that the user added.
    pub(crate) fn completed(&self, question: &str) -> String {
        let added = self.answers.iter().filter_map(Clarified::words);
        [question]
            .into_iter()
            .chain(added)
            .collect::<Vec<_>>()
            .join("; ")
    }

    /// Returns the fields that the user said are meant.
    pub(crate) fn fields(&self) -> Vec<String> {
        let fields = self
            .answers
            .iter()
            .filter(|settled| !settled.assumed)
            .filter_map(|settled| match &settled.reading {
                Some(Choice {
                    reading: Reading::Field(field),
                    ..
                }) => Some(field.clone()),
                _ => None,
            });
        fields.collect()
    }

    /// Returns the tool that the user means.
    pub(crate) fn tool(&self) -> Option<&str> {
        self.answers
            .iter()
            .rev()
            .find_map(|settled| match &settled.reading {
                Some(Choice {
                    reading: Reading::Tool(tool),
                    ..
                }) => Some(tool.as_str()),
                _ => None,
            })
    }

    /// Returns the question with everything else that the user said, in the user's words alone.
    pub(crate) fn in_context(&self, question: &str) -> String {
        let mut text = question.to_owned();
        if !self.turns.is_empty() {
            let before: Vec<String> = self
                .turns
                .iter()
                .map(|turn| format!("{:?}", turn.question))
                .collect();
            text.push_str(&format!(
                "\n(It follows on these questions, answered before: {}.)",
                before.join(", then ")
            ));
        }

        let said = self
            .answers
            .iter()
            .map(|settled| settled.answer.trim())
            .filter(|answer| !answer.is_empty());
        let said: Vec<String> = said.map(|answer| format!("{answer:?}")).collect();
        if !said.is_empty() {
            text.push_str(&format!(
                "\n(Asked what is meant, the user says: {}.)",
                said.join(", ")
            ));
        }

        text
    }

    /// Returns what was said and found before as a prompt shows it, one line each.
    pub(crate) fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for turn in &self.turns {
            let tool = turn
                .tool
                .as_deref()
                .map(|tool| format!(" asked of {tool}"))
                .unwrap_or_default();
            let filters =
                Some(describe_filters(&turn.filters)).filter(|filters| !filters.is_empty());
            let filters = filters
                .map(|filters| format!(" where {filters}"))
                .unwrap_or_default();
            let by = if turn.group_by.is_empty() {
                String::new()
            } else {
                format!(" by {}", turn.group_by.join(", "))
            };
            let records = turn
                .records
                .map(|count| format!(" ({count} records)"))
                .unwrap_or_default();

            lines.push(format!(
                "earlier question: {}{tool}{filters}{by}{records}",
                turn.question
            ));
            lines.extend(
                turn.key_findings
                    .iter()
                    .map(|finding| format!("  found: {finding}")),
            );
        }

        for settled in &self.answers {
            let who = if settled.assumed {
                "nobody could be asked; take it as"
            } else {
                "the user answers"
            };
            lines.push(format!(
                "unclear: {} {who}: {}",
                settled.question,
                settled.settled()
            ));
        }

        lines
    }
}
