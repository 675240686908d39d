//! Finds what of a question can be read in several ways, by the names and values of the tools'
//! fields.

use research_agents_report::text::{stems, words};

use crate::data::task::conversation::{Choice, Conversation, Reading};
use crate::data::task::{FieldFacts, FieldKind, QueryOverrides, ToolFacts};
use crate::question::continuation::continues;
use crate::question::doubt::Doubt;
use crate::question::interpret::{Doubtful, categories, is_prose};
use crate::question::lexicon;
use crate::question::topics::{Reading as ToolReading, readings};

const WHICH: &str = "Which one is meant?";

/// Categories that are offered to group by where the question names nothing.
const OFFERED: usize = 3;

/// Words that ask for a look at all of the data.
const OVERVIEW: &[&str] = &[
    "summary",
    "summarise",
    "summarize",
    "overview",
    "describe",
    "description",
    "explore",
    "exploration",
    "show",
    "shows",
    "contain",
    "contains",
    "contained",
    "hold",
    "holds",
    "data",
    "dataset",
    "everything",
    "analyse",
    "analyze",
    "analysis",
    "insight",
    "insights",
    "interesting",
    "pattern",
    "patterns",
    "trend",
    "trends",
    "record",
    "records",
    "count",
    "many",
    "report",
    "outliers",
    "anomalies",
];

/// Returns what can be read in several ways, the likeliest reading of each first: it is taken if no
/// one answers. `whole` also asks about the question as a whole, for a reader who has only words to
/// decide by: whether it names anything of the data, and which of several tools is meant.
pub(crate) fn doubts(
    question: &str,
    said: &Conversation,
    tools: &[ToolFacts],
    overrides: &QueryOverrides,
    whole: bool,
) -> Vec<Doubt> {
    let found = readings(question, said, tools);
    let Some(best) = found.first() else {
        return Vec::new();
    };
    let mut doubts = Vec::new();
    if whole {
        doubts.extend(doubt_about_tools(&found));
    }

    for doubtful in &best.meant.doubtful {
        let is_value = doubtful.fits.iter().any(|(_, value)| value.is_some());
        let is_fixed = if is_value {
            overrides.filters.is_some()
        } else {
            overrides.group_by.is_some()
        };
        if !is_fixed {
            doubts.push(doubt_about_words(doubtful, is_value));
        }
    }

    let is_fixed = overrides.filters.is_some() || overrides.group_by.is_some();
    if whole && !is_fixed && names_nothing(question, said, &found) {
        doubts.push(doubt_about_everything(best));
    }

    doubts
}

fn doubt_about_words(doubtful: &Doubtful, is_value: bool) -> Doubt {
    let choice = |(field, value): &(String, Option<String>)| Choice {
        label: value
            .as_ref()
            .map_or_else(|| field.clone(), |value| format!("{field} = {value}")),
        reading: Reading::Field(field.clone()),
    };
    let what = if is_value {
        "is a value of several fields"
    } else {
        "fits several fields"
    };
    Doubt::new(
        format!("“{}” {what}", doubtful.said),
        WHICH,
        doubtful.fits.iter().map(choice),
    )
}

/// Returns the tools that understand something of the question, and none more than another.
fn doubt_about_tools(found: &[ToolReading<'_>]) -> Option<Doubt> {
    let best = found.first().filter(|best| best.fit.1 > 0)?;
    let alike: Vec<&str> = found
        .iter()
        .filter(|other| other.fit == best.fit)
        .map(|other| other.tool.name.as_str())
        .collect();
    let choice = |name: &&str| Choice {
        label: (*name).to_owned(),
        reading: Reading::Tool((*name).to_owned()),
    };
    let unclear = "several data tools fit the question equally well".to_owned();

    (alike.len() > 1).then(|| {
        Doubt::new(
            unclear,
            "Which one is to be asked?",
            alike.iter().map(choice),
        )
    })
}

/// Returns whether no word of the question names a field, a value, a tool or all of the data. Where
/// records hold texts, or a tool takes a question, any word can name something, and a name can be
/// one of more values than the tool lists.
fn names_nothing(question: &str, said: &Conversation, found: &[ToolReading<'_>]) -> bool {
    let goes_on = !said.turns.is_empty() && continues(question);
    let is_answered = !said.answers.is_empty();
    let is_overview = words(question)
        .iter()
        .any(|word| OVERVIEW.contains(&word.lower.as_str()));
    if goes_on || is_answered || is_overview {
        return false;
    }

    let has_words = words(question)
        .iter()
        .any(|word| !lexicon::is_stop(&word.lower));
    let mut later = words(question).into_iter().skip(1);
    let has_name = later.any(|word| word.text.starts_with(char::is_uppercase));

    found.iter().all(|reading| {
        let (meant, tool) = (&reading.meant, reading.tool);
        let is_text = |field: &FieldFacts| {
            let is_unlisted = field.kind == FieldKind::Text && field.values.is_empty();
            is_prose(field) || has_name && is_unlisted
        };
        let holds_texts = tool.fields.is_empty() || tool.fields.iter().any(is_text);
        let understood =
            !meant.derived.is_empty() || !meant.refused.is_empty() || meant.score() > 0;
        let is_named = reading.fit.2 > 0 || is_word_of_a_field(question, tool);
        !(understood || is_named || (has_words && holds_texts))
    })
}

/// Returns whether a content word of the question is part of a field's name or of a value.
fn is_word_of_a_field(question: &str, tool: &ToolFacts) -> bool {
    let asked: Vec<String> = words(question)
        .into_iter()
        .filter(|word| !lexicon::is_stop(&word.lower))
        .map(|word| word.stem)
        .collect();
    let stands = |text: &str| stems(text).iter().any(|stem| asked.contains(stem));
    let value = |value: &serde_json::Value| value.as_str().is_some_and(stands);
    tool.fields
        .iter()
        .any(|field| stands(&field.name) || field.values.iter().any(value))
}

fn doubt_about_everything(best: &ToolReading<'_>) -> Doubt {
    let overview = Choice {
        label: "an overview of all records".to_owned(),
        reading: Reading::AsAsked,
    };
    let by = categories(&best.tool.fields, &best.meant)
        .into_iter()
        .take(OFFERED);
    let by = by.map(|field| format!("all records by {}", field.name));
    let by = by.map(|words| Choice {
        label: words.clone(),
        reading: Reading::Words(words),
    });
    let unclear = "no word of the question names a field or a value of the data".to_owned();

    Doubt::new(
        unclear,
        "What should be found out?",
        [overview].into_iter().chain(by),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::question::answer::settle;
    use crate::question::topics::Topics;

    fn field(name: &str, kind: FieldKind, values: &[&str]) -> FieldFacts {
        FieldFacts {
            name: name.into(),
            kind,
            values: values.iter().map(|value| json!(value)).collect(),
            range: None,
            ..FieldFacts::default()
        }
    }

    fn tool(name: &str) -> ToolFacts {
        let fields = vec![
            field("State", FieldKind::Text, &["Ohio", "Texas", "Washington"]),
            field(
                "Airport",
                FieldKind::Text,
                &["Dulles", "Seattle", "Washington", "Dayton"],
            ),
            field("Size", FieldKind::Text, &["Large", "Small"]),
            field("start_date", FieldKind::Date, &[]),
            field("end_date", FieldKind::Date, &[]),
        ];
        ToolFacts {
            name: name.into(),
            description: "Counts strikes.".into(),
            fields,
            ..ToolFacts::default()
        }
    }

    fn labels(question: &str, tools: &[ToolFacts]) -> Vec<Vec<String>> {
        let found = doubts(
            question,
            &Conversation::default(),
            tools,
            &QueryOverrides::default(),
            true,
        );
        found
            .iter()
            .map(|doubt| {
                doubt
                    .choices
                    .iter()
                    .map(|choice| choice.label.clone())
                    .collect()
            })
            .collect()
    }

    #[test]
    fn a_value_of_several_fields_is_doubtful_unless_its_field_is_named() {
        let tools = [tool("strikes")];
        assert_eq!(
            labels("Strikes in Washington by size", &tools),
            [["State = Washington", "Airport = Washington"]]
        );
        assert!(labels("Strikes in the state of Washington by size", &tools).is_empty());
        assert!(labels("Strikes in Ohio by size", &tools).is_empty());
    }

    #[test]
    fn a_word_that_fits_several_fields_is_doubtful() {
        let tools = [tool("strikes")];
        assert_eq!(
            labels("Strikes by date", &tools),
            [["start_date", "end_date"]]
        );
        assert!(labels("Strikes by start date", &tools).is_empty());
    }

    #[test]
    fn tools_that_fit_equally_are_doubtful() {
        let tools = [tool("strikes"), tool("incidents")];
        assert_eq!(
            labels("Large ones by state", &tools),
            [["strikes", "incidents"]]
        );
        assert!(
            labels("Large incidents by state", &tools).is_empty(),
            "its name is said"
        );
    }

    #[test]
    fn a_question_that_names_nothing_is_doubtful_and_an_overview_is_not() {
        let tools = [tool("strikes")];
        let offered = labels("Who won the cup?", &tools);
        assert_eq!(offered[0][0], "an overview of all records");
        assert!(
            offered[0].contains(&"all records by Size".to_owned()),
            "{offered:?}"
        );
        for question in [
            "What does this data set show?",
            "How many are there?",
            "strikes",
            "Sizes?",
        ] {
            assert!(labels(question, &tools).is_empty(), "{question}");
        }
    }

    #[test]
    fn what_the_user_fixed_is_beyond_doubt() {
        let filters = json!({"State": "Ohio"}).as_object().cloned();
        let fixed = QueryOverrides {
            filters,
            group_by: Some(vec!["Size".into()]),
        };

        for question in [
            "Strikes in Washington",
            "Strikes by date",
            "Who won the cup?",
        ] {
            assert!(
                doubts(
                    question,
                    &Conversation::default(),
                    &[tool("t")],
                    &fixed,
                    true
                )
                .is_empty(),
                "{question}"
            );
        }
    }

    #[test]
    fn an_answer_decides_what_is_asked_of_the_data() {
        let tools = [tool("strikes")];
        let asked = |question: &str, answer: &str| {
            let none = Conversation::default();
            let doubt = doubts(question, &none, &tools, &QueryOverrides::default(), true).remove(0);
            let said = Conversation {
                answers: vec![settle(&doubt, answer)],
                ..none
            };
            assert!(
                doubts(question, &said, &tools, &QueryOverrides::default(), true).is_empty(),
                "{question} {answer}"
            );
            let meant = Topics::new(question, &said, &tools, &QueryOverrides::default())
                .unwrap()
                .meant;
            (
                serde_json::Value::Object(meant.filters),
                meant.group_by,
                meant.histogram.map(|course| course.field),
            )
        };

        let by_size = vec!["Size".to_owned()];
        let (filters, groups, _) = asked("Strikes in Washington by size", "the airport");

        assert_eq!(
            (filters, &groups),
            (json!({"Airport": "Washington"}), &by_size)
        );
        assert_eq!(
            asked("Strikes in Washington by size", "1").0,
            json!({"State": "Washington"})
        );
        assert_eq!(
            asked("Strikes by date", "end_date").2.as_deref(),
            Some("end_date")
        );

        let (filters, groups, _) = asked("Who won the cup?", "large ones by state");

        assert_eq!(
            (filters, groups),
            (json!({"Size": "Large"}), vec!["State".to_owned()])
        );
    }
}
