//! Breaks a question into those that counts, groups, courses and ranges of the data can answer.

use research_agents_report::text::list;

use crate::data::record::SubQuestion;
use crate::data::task::{DecomposeTask, DecomposerOutput};
use crate::offline::conditions::conditions;
use crate::question::topics::Topics;

/// Fewest questions of a checklist.
const FEWEST: usize = 3;

/// The maximum number of questions of a checklist.
const MOST: usize = 7;

/// Answers the task.
pub(crate) fn decompose(task: &DecomposeTask) -> DecomposerOutput {
    let topics = Topics::new(
        &task.query,
        &task.conversation,
        &task.tools,
        &task.overrides,
    );
    let mut checklist = Checklist::default();
    if let Some(topics) = &topics {
        ask_about(topics, &mut checklist);
    }

    let mut general = vec![
        "What do most of the records have in common?",
        "Which records stand out?",
    ];
    if checklist.0.is_empty() {
        general.insert(0, "How many records are there?");
    } else {
        general.push("Which values occur most often in the records?");
    }

    for question in general {
        if checklist.0.len() < FEWEST {
            checklist.ask(question.to_owned(), &[]);
        }
    }

    let mut sub_questions = checklist.0;
    sub_questions.truncate(task.max_questions.clamp(FEWEST, MOST));
    let reasoning = match &topics {
        Some(topics) if !topics.tool.fields.is_empty() => {
            format!(
                "The questions are those that the fields of {} can answer. {}",
                topics.tool.name,
                topics.meant.explanation()
            )
        }
        _ => "No tool describes its fields, so the questions are general ones.".to_owned(),
    };

    DecomposerOutput {
        sub_questions,
        reasoning,
    }
}

/// Questions in the order of their weight, each with an id.
#[derive(Default)]
struct Checklist(Vec<SubQuestion>);

impl Checklist {
    fn ask(&mut self, question: String, depends_on: &[String]) -> String {
        let number = self.0.len() + 1;
        let id = format!("sq_{number}");
        let priority = u32::try_from(number).unwrap_or(u32::MAX);
        self.0.push(SubQuestion {
            id: id.clone(),
            question,
            priority,
            depends_on: depends_on.to_vec(),
        });
        id
    }
}

fn ask_about(topics: &Topics<'_>, checklist: &mut Checklist) {
    let meant = &topics.meant;
    let subject = topics.subject();
    let filters = conditions(&meant.filters);
    checklist.ask(
        if filters.is_empty() {
            format!("How many {subject} are there in the data?")
        } else {
            format!("How many {subject} match {filters}?")
        },
        &[],
    );

    // Words that name no field and no value may still occur in the texts of the records.
    let asked = topics.asked_of_texts();
    if topics.has_prose() && !asked.is_empty() {
        checklist.ask(
            format!("What do the records say about {}?", list(&asked)),
            &[],
        );
    }

    if let Some(first) = meant.group_by.first() {
        let fields = list(&meant.group_by);
        let divided = checklist.ask(
            format!("How are the {subject} distributed by {fields}?"),
            &[],
        );
        checklist.ask(format!("What differs by {first}?"), &[divided]);
    }

    if let Some(course) = &topics.course {
        checklist.ask(
            format!(
                "How does the number of {subject} develop over {} by {}?",
                course.field, course.interval
            ),
            &[],
        );
    }

    if let Some(category) = topics.category {
        checklist.ask(
            format!("How are the {subject} distributed by {}?", category.name),
            &[],
        );
    }

    if let Some(quantity) = topics.quantity {
        checklist.ask(amount(&quantity.name), &[]);
    }

    if let Some(names) = topics.names {
        checklist.ask(
            format!("Which values of {} occur most often?", names.name),
            &[],
        );
    }
}

/// Returns the question about a quantity.
pub(crate) fn amount(field: &str) -> String {
    format!("What are the range and the median of {field}?")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::data::task::{FieldFacts, FieldKind, ToolFacts};

    fn ask(query: &str, fields: Vec<FieldFacts>, max_questions: usize) -> Vec<SubQuestion> {
        let tools = vec![ToolFacts {
            name: "t".into(),
            fields,
            ..ToolFacts::default()
        }];
        decompose(&DecomposeTask {
            query: query.into(),
            max_questions,
            tools,
            ..DecomposeTask::default()
        })
        .sub_questions
    }

    fn field(name: &str, kind: FieldKind, values: &[&str]) -> FieldFacts {
        FieldFacts {
            name: name.into(),
            kind,
            values: values.iter().map(|v| json!(v)).collect(),
            range: None,
            ..FieldFacts::default()
        }
    }

    #[test]
    fn questions_speak_of_the_subject_the_filters_and_the_grouping() {
        let fields = vec![
            field("country", FieldKind::Text, &["India", "Brazil"]),
            field("event_theme", FieldKind::Text, &["AI", "Cloud"]),
            field("format", FieldKind::Text, &["Talk", "Workshop"]),
            field("attendees", FieldKind::Number, &[]),
            field("start_date", FieldKind::Date, &[]),
            field("city", FieldKind::Text, &[]),
        ];
        let asked: Vec<String> = ask("India events by theme", fields, 7)
            .into_iter()
            .map(|q| q.question)
            .collect();

        assert_eq!(
            asked,
            [
                "How many events match country India?",
                "How are the events distributed by event_theme?",
                "What differs by event_theme?",
                "How does the number of events develop over start_date by year?",
                "How are the events distributed by format?",
                "What are the range and the median of attendees?",
                "Which values of city occur most often?",
            ]
        );
    }

    #[test]
    fn what_the_data_does_not_know_is_not_counted_by_its_name() {
        let fields = || {
            vec![
                field("state", FieldKind::Text, &["Texas", "Ohio"]),
                field("notes", FieldKind::Text, &[]),
            ]
        };
        let ask = |query: &str, description: &str| {
            let description = description.to_owned();
            let tools = vec![ToolFacts {
                name: "t".into(),
                description,
                fields: fields(),
                ..ToolFacts::default()
            }];
            let task = DecomposeTask {
                query: query.into(),
                max_questions: 7,
                tools,
                ..DecomposeTask::default()
            };
            decompose(&task)
                .sub_questions
                .into_iter()
                .map(|question| question.question)
                .collect::<Vec<_>>()
        };
        let asked = ask(
            "How many passengers were hurt in Texas?",
            "the data set `birdstrikes`",
        );

        assert_eq!(
            asked[..2],
            [
                "How many records match state Texas?",
                "What do the records say about passengers and hurt?"
            ]
        );
        assert!(
            asked[2..]
                .iter()
                .all(|question| !question.contains("passengers")),
            "{asked:?}"
        );

        let asked = ask(
            "How many strikes were there in Texas?",
            "the data set `birdstrikes`",
        );

        assert_eq!(asked[0], "How many strikes match state Texas?");
        assert!(
            !asked.iter().any(|question| question.contains("say about")),
            "{asked:?}"
        );

        let asked = ask("How long is the warranty?", "");

        assert_eq!(asked[1], "What do the records say about warranty?");
    }

    #[test]
    fn there_are_three_to_seven_questions_with_known_dependencies() {
        let cases = [
            (vec![], 7, 3),
            (vec![field("a", FieldKind::Text, &["x", "y"])], 7, 3),
            (
                vec![
                    field("a", FieldKind::Text, &["x", "y"]),
                    field("n", FieldKind::Number, &[]),
                ],
                3,
                3,
            ),
            (
                vec![
                    field("a", FieldKind::Text, &["x", "y"]),
                    field("n", FieldKind::Number, &[]),
                ],
                99,
                4,
            ),
        ];

        for (fields, max, count) in cases {
            let asked = ask("Anything?", fields, max);
            assert_eq!(asked.len(), count);
            for (index, question) in asked.iter().enumerate() {
                assert_eq!(question.id, format!("sq_{}", index + 1));
                assert!(
                    question
                        .depends_on
                        .iter()
                        .all(|id| asked[..index].iter().any(|q| q.id == *id))
                );
            }
        }
    }
}
