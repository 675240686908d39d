//! Questions that continue the one before: "and by size?", "only those at night", "what about
//! Texas?".
//!
//! A question continues the one before if it begins with a continuing word (`and`, `also`, `but`,
//! `only`, `just`, `or`, `instead`, `those`, `these`, `them`, `they`, `same`, `by`, `per`,
//! `without`, `except`, `excluding`) or phrase (`what about`, `how about`, `the same`, `of those`
//! and the like), or says `of those`, `among them` and the like anywhere. Then:
//!
//! 1. It keeps the filters of the one before, but for those on a field that it filters or groups by
//!    itself: its own hold there.
//! 2. It keeps the grouping when it names neither a grouping nor a course of time, but for fields
//!    that it filters by one value.
//! 3. With `overall`, `altogether`, `regardless`, `in total` or `all records` it keeps no filter.
//! 4. Without a subject it is about that of the newest question that continues no other one.
//!
//! Any other question is read alone.

use research_agents_report::text::words;
use serde_json::Value;

use crate::data::filters::describe_filters;
use crate::data::record::Object;
use crate::data::task::ToolFacts;
use crate::data::task::conversation::{Conversation, Turn};
use crate::data::task::question::meaning::QuestionReading;
use crate::data::task::question::shape::AnswerShape;
use crate::question::interpret::{Interpretation, interpret};

/// Words that begin a question that continues another one.
const FIRST: &[&str] = &[
    "and",
    "also",
    "but",
    "only",
    "just",
    "or",
    "instead",
    "those",
    "these",
    "them",
    "they",
    "same",
    "by",
    "per",
    "without",
    "except",
    "excluding",
];
/// Pairs of words that do.
const FIRST_PAIRS: &[(&str, &str)] = &[
    ("what", "about"),
    ("how", "about"),
    ("the", "same"),
    ("what", "if"),
];
/// Words before `those`, `these` and `them` that refer to what was asked before.
const OF: &[&str] = &["of", "among", "amongst", "within", "for", "in"];
/// Words that want all records.
const ALL: &[&str] = &["overall", "altogether", "regardless"];
const ALL_PAIRS: &[(&str, &str)] = &[("in", "total"), ("all", "records")];

/// Returns whether a question continues the one before.
pub(crate) fn continues(question: &str) -> bool {
    let said = lower(question);
    let first = said
        .first()
        .is_some_and(|word| FIRST.contains(&word.as_str()));
    let speaks_of = |pair: &[String]| {
        OF.contains(&&*pair[0]) && matches!(&*pair[1], "those" | "these" | "them")
    };
    first
        || said
            .get(..2)
            .is_some_and(|pair| is_among(FIRST_PAIRS, pair))
        || said.windows(2).any(speaks_of)
}

/// Returns the meaning of a question that may continue the one before.
pub(crate) fn continued(
    mut meant: Interpretation,
    question: &str,
    said: &Conversation,
    tool: &ToolFacts,
) -> Interpretation {
    let Some(before) = said.turns.last().filter(|_| continues(question)) else {
        return meant;
    };
    let has_field = |name: &String| tool.fields.iter().any(|field| field.name == *name);
    let is_same_tool = before.tool.as_deref().is_none_or(|name| name == tool.name);
    let mut kept = Object::new();
    if !wants_all(question) {
        for (field, condition) in &before.filters {
            let is_own = meant.filters.contains_key(field) || meant.group_by.contains(field);
            if !is_own && (is_same_tool || has_field(field)) {
                kept.insert(field.clone(), condition.clone());
            }
        }
    }

    if !kept.is_empty() {
        meant.derived.push(format!(
            "“{}” before gives {}",
            before.question,
            describe_filters(&kept)
        ));
        meant.filters.extend(kept);
    }

    if meant.group_by.is_empty() && meant.histogram.is_none() {
        let is_single = |field: &String| {
            meant
                .filters
                .get(field)
                .is_some_and(|value| !matches!(value, Value::Array(_) | Value::Object(_)))
        };
        let fields = before
            .group_by
            .iter()
            .filter(|field| has_field(field) && !is_single(field));
        meant.group_by = fields.cloned().collect();
        if !meant.group_by.is_empty() {
            meant.grouping_asked = true;
            meant.derived.push(format!(
                "“{}” before gives the grouping {}",
                before.question,
                meant.group_by.join(", ")
            ));
        }
    }

    if meant.subject.is_none() {
        meant.subject =
            root(&said.turns).and_then(|turn| interpret(&turn.question, &tool.fields).subject);
    }

    meant
}

/// Returns the reading of a question that may continue the one before, with its filters and, where
/// it names none, its grouping.
pub(crate) fn carried_over(
    mut meaning: QuestionReading,
    question: &str,
    said: &Conversation,
    tool: &ToolFacts,
) -> QuestionReading {
    let before = Interpretation {
        filters: meaning.filters.clone(),
        group_by: meaning.group_by.clone(),
        ..Interpretation::default()
    };

    let has_course = meaning.histogram.is_some();
    let after = continued(before, question, said, tool);
    meaning.filters = after.filters;
    meaning.derived.extend(after.derived);
    if !has_course && meaning.group_by.is_empty() && !after.group_by.is_empty() {
        meaning.group_by = after.group_by;
        if meaning.answer == AnswerShape::Overview {
            meaning.answer = AnswerShape::Groups;
        }
    }
    meaning
}

/// Returns the newest question that continues no other one.
fn root(turns: &[Turn]) -> Option<&Turn> {
    turns
        .iter()
        .rev()
        .find(|turn| !continues(&turn.question))
        .or(turns.first())
}

fn wants_all(question: &str) -> bool {
    let said = lower(question);
    said.iter().any(|word| ALL.contains(&word.as_str()))
        || said.windows(2).any(|pair| is_among(ALL_PAIRS, pair))
}

fn is_among(pairs: &[(&str, &str)], said: &[String]) -> bool {
    pairs
        .iter()
        .any(|(first, second)| said[0] == *first && said[1] == *second)
}

fn lower(question: &str) -> Vec<String> {
    words(question).into_iter().map(|word| word.lower).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::data::task::{FieldFacts, FieldKind, QueryOverrides};
    use crate::question::topics::Topics;

    fn tool() -> ToolFacts {
        let field = |name: &str, values: &[&str]| FieldFacts {
            name: name.into(),
            kind: FieldKind::Text,
            values: values.iter().map(|value| json!(value)).collect(),
            range: None,
            ..FieldFacts::default()
        };
        let fields = vec![
            field("Time of day", &["Dawn", "Day", "Dusk", "Night"]),
            field("Phase of flight", &["Approach", "Climb", "Taxi"]),
            field("Wildlife Size", &["Large", "Medium", "Small"]),
            FieldFacts {
                name: "FlightDate".into(),
                kind: FieldKind::Date,
                ..FieldFacts::default()
            },
        ];

        let arguments = vec!["filters".into(), "group_by".into(), "date_histogram".into()];
        ToolFacts {
            name: "strikes".into(),
            arguments,
            fields,
            ..ToolFacts::default()
        }
    }

    /// Returns the meaning of a question after "Strikes at night on approach by phase of flight"
    /// and the questions given.
    fn after(asked: &[&str], question: &str) -> (Value, Vec<String>, Option<String>) {
        let tools = [tool()];
        let mut said = Conversation::default();
        for asked in asked {
            let topics = Topics::new(asked, &said, &tools, &QueryOverrides::default()).unwrap();
            said.turns.push(Turn {
                question: (*asked).to_owned(),
                tool: Some("strikes".into()),
                filters: topics.meant.filters,
                group_by: topics.meant.group_by,
                ..Turn::default()
            });
        }

        let topics = Topics::new(question, &said, &tools, &QueryOverrides::default()).unwrap();
        (
            Value::Object(topics.meant.filters),
            topics.meant.group_by,
            topics.meant.subject,
        )
    }

    fn check(asked: &[&str], question: &str, filters: Value, group_by: &[&str]) {
        let (found, groups, _) = after(asked, question);
        assert_eq!(
            (found, groups),
            (
                filters,
                group_by.iter().map(|name| (*name).to_owned()).collect()
            ),
            "{question}"
        );
    }

    const FIRST_QUESTION: &[&str] = &["Strikes at night by phase of flight"];

    #[test]
    fn a_further_grouping_keeps_the_filters() {
        for question in [
            "and by wildlife size?",
            "By wildlife size",
            "what about by wildlife size?",
            "the same by wildlife size",
        ] {
            check(
                FIRST_QUESTION,
                question,
                json!({"Time of day": "Night"}),
                &["Wildlife Size"],
            );
        }
    }

    #[test]
    fn a_further_condition_keeps_the_others_and_the_grouping() {
        check(
            FIRST_QUESTION,
            "only large ones",
            json!({"Wildlife Size": "Large", "Time of day": "Night"}),
            &["Phase of flight"],
        );

        check(
            FIRST_QUESTION,
            "How many of those were large?",
            json!({"Wildlife Size": "Large", "Time of day": "Night"}),
            &["Phase of flight"],
        );

        check(
            FIRST_QUESTION,
            "what about dusk?",
            json!({"Time of day": "Dusk"}),
            &["Phase of flight"],
        );
    }

    #[test]
    fn a_field_that_is_grouped_by_is_not_filtered_and_one_value_is_no_grouping() {
        check(
            FIRST_QUESTION,
            "and by time of day?",
            json!({}),
            &["Time of day"],
        );
        let (filters, groups, _) = after(FIRST_QUESTION, "only on approach");
        assert_eq!(
            filters,
            json!({"Phase of flight": "Approach", "Time of day": "Night"})
        );
        assert!(
            !groups.contains(&"Phase of flight".to_owned()),
            "{groups:?}"
        );
    }

    #[test]
    fn chains_go_on_from_each_other_and_keep_their_subject() {
        let asked = [
            "Strikes at night by phase of flight",
            "only large ones",
            "and on approach?",
        ];
        let (filters, groups, subject) = after(&asked, "and by wildlife size?");
        assert_eq!(
            filters,
            json!({"Phase of flight": "Approach", "Time of day": "Night"})
        );
        assert_eq!(
            (groups, subject.as_deref()),
            (vec!["Wildlife Size".to_owned()], Some("Strikes"))
        );
    }

    #[test]
    fn a_question_of_its_own_and_one_about_all_keep_no_filter() {
        check(
            FIRST_QUESTION,
            "Strikes by wildlife size",
            json!({}),
            &["Wildlife Size"],
        );

        check(
            FIRST_QUESTION,
            "Which wildlife size is the most frequent?",
            json!({}),
            &["Wildlife Size"],
        );

        check(
            FIRST_QUESTION,
            "and overall?",
            json!({}),
            &["Phase of flight"],
        );
    }

    #[test]
    fn a_course_of_time_takes_the_place_of_the_grouping() {
        let tools = [tool()];
        let turn = Turn {
            question: FIRST_QUESTION[0].to_owned(),
            group_by: vec!["Phase of flight".into()],
            ..Turn::default()
        };
        let said = Conversation {
            turns: vec![turn],
            ..Conversation::default()
        };
        let topics =
            Topics::new("and by month?", &said, &tools, &QueryOverrides::default()).unwrap();
        assert_eq!(
            topics.meant.histogram.map(|course| course.interval),
            Some("month")
        );
        assert_ne!(topics.meant.group_by, ["Phase of flight"]);
    }
}
