//! Points of view on a question: each is one way in which the fields of the data divide, measure or
//! order the records.

use research_agents_report::evidence::plain;
use research_agents_report::text::list;

use crate::data::review::Perspective;
use crate::data::task::review::{PerspectiveOutput, PerspectivesTask};
use crate::data::task::{FieldFacts, FieldKind};
use crate::offline::decompose::amount;
use crate::question::topics::Topics;

/// Values of a field that are given as keywords.
const KEYWORDS: usize = 5;

/// Answers the task. Where the data has fewer fields than views are asked for, there are fewer
/// views.
pub(crate) fn perspectives(task: &PerspectivesTask) -> PerspectiveOutput {
    let Some(topics) = Topics::new(
        &task.topic,
        &task.conversation,
        &task.tools,
        &task.overrides,
    ) else {
        return PerspectiveOutput {
            reasoning: "There is no data tool to look from.".to_owned(),
            ..Default::default()
        };
    };

    let subject = topics.subject();
    let mut views: Vec<Perspective> = Vec::new();
    let course = topics.course.as_ref().map(|course| &course.field);
    let first = topics.meant.group_by.iter().chain(course);
    let further = [topics.category, topics.quantity, topics.names]
        .into_iter()
        .flatten()
        .map(|field| &field.name);
    let rest = topics.tool.fields.iter().map(|field| &field.name);

    for name in first.chain(further).chain(rest) {
        if views.len() >= task.num_perspectives {
            break;
        }
        let known = |view: &Perspective| view.name == named(name);
        let is_filtered = topics.meant.filters.contains_key(name);
        let field = topics
            .tool
            .fields
            .iter()
            .find(|field| field.name == *name && !is_filtered);
        views.extend(
            field
                .filter(|_| !views.iter().any(known))
                .map(|field| view(field, &subject)),
        );
    }

    let reasoning = format!(
        "The views are those that the fields of {} open.",
        topics.tool.name
    );

    PerspectiveOutput {
        perspectives: views,
        reasoning,
    }
}

fn named(field: &str) -> String {
    format!("View by {field}")
}

fn view(field: &FieldFacts, subject: &str) -> Perspective {
    let name = &field.name;
    let (focus, questions) = match field.kind {
        FieldKind::Date => (
            format!("How the number of {subject} develops over {name}."),
            vec![
                format!("When does the number of {subject} peak over {name}?"),
                format!("How does the number of {subject} develop over {name}?"),
            ],
        ),
        FieldKind::Number => (
            format!("In which range {name} of the {subject} lies."),
            vec![
                amount(name),
                format!("Which {subject} have the largest {name}?"),
            ],
        ),
        FieldKind::Text | FieldKind::Boolean => (
            format!("How the {subject} divide by {name}."),
            vec![
                format!("How are the {subject} distributed by {name}?"),
                format!("Which {name} is the most frequent?"),
            ],
        ),
    };

    let mut keywords: Vec<String> = field.values.iter().take(KEYWORDS).map(plain).collect();
    keywords.extend(
        field
            .range
            .iter()
            .map(|(low, high)| list(&[plain(low), plain(high)])),
    );
    if keywords.is_empty() {
        keywords.push(name.clone());
    }

    Perspective {
        name: named(name),
        focus,
        questions,
        keywords,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::data::task::ToolFacts;

    fn asked(num_perspectives: usize) -> Vec<Perspective> {
        let field = |name: &str, kind, values: &[&str]| FieldFacts {
            name: name.into(),
            kind,
            values: values.iter().map(|value| json!(value)).collect(),
            range: None,
            ..FieldFacts::default()
        };
        let fields = vec![
            field("country", FieldKind::Text, &["India", "Brazil"]),
            field("event_theme", FieldKind::Text, &["AI", "Cloud"]),
            field("attendees", FieldKind::Number, &[]),
            field("start_date", FieldKind::Date, &[]),
        ];

        let tools = vec![ToolFacts {
            name: "events".into(),
            fields,
            ..ToolFacts::default()
        }];

        let topic = "India events by theme".into();
        perspectives(&PerspectivesTask {
            topic,
            num_perspectives,
            tools,
            ..PerspectivesTask::default()
        })
        .perspectives
    }

    #[test]
    fn views_follow_the_question_and_take_their_words_from_the_data() {
        let views = asked(3);
        let names: Vec<&str> = views.iter().map(|view| view.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "View by event_theme",
                "View by start_date",
                "View by attendees"
            ]
        );
        assert_eq!(views[0].keywords, ["AI", "Cloud"]);
        assert_eq!(
            views[1].questions[0],
            "When does the number of events peak over start_date?"
        );
        assert_eq!(asked(1).len(), 1);
    }

    #[test]
    fn there_are_no_more_views_than_fields_and_none_by_what_was_fixed() {
        let views = asked(8);
        assert_eq!(
            views.len(),
            3,
            "the country is fixed by the question: {views:?}"
        );
        assert!(
            perspectives(&PerspectivesTask::default())
                .perspectives
                .is_empty()
        );
    }
}
