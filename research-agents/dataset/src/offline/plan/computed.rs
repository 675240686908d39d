//! The calls that compute the answer to a question as code reads it: the data source filters,
//! groups, measures and sorts all matching records.

use research_agents_report::claim::Statistic;
use serde_json::{Value, json};

use crate::data::names::AGGREGATOR;
use crate::data::record::{Object, SubAgentCall};
use crate::data::task::question::conditions::TextMatch;
use crate::data::task::question::meaning::QuestionReading;
use crate::data::task::question::shape::{AnswerShape, Order, OrderBy, YesNoTest};
use crate::data::task::{FieldFacts, FieldKind, PlanTask, ToolFacts};
use crate::offline::answer::words::is_quantity;

/// Groups that are asked for.
const GROUPS: u64 = 20;
/// Groups of a course or of a condition on groups.
const ALL_GROUPS: u64 = 1_000;
/// Records of a list.
const LISTED: u64 = 20;
/// Records of a ranking by one field, so that ties are seen.
const RANKED: u64 = 5;
/// Quantities of an overview.
const QUANTITIES: usize = 3;

/// Returns the calls of the aggregator that compute the answer; none if the question was not read,
/// or if its tool computes no statistics.
pub(crate) fn computed(task: &PlanTask) -> Vec<SubAgentCall> {
    let Some(read) = &task.reading else {
        return Vec::new();
    };
    let tool = task.tools.iter().find(|tool| tool.name == read.tool);
    let has_aggregator = task.agents.iter().any(|agent| agent.name == AGGREGATOR);
    let Some(tool) = tool.filter(|tool| tool.can("measures") && has_aggregator) else {
        return Vec::new();
    };

    let call = Call {
        tool,
        meaning: &read.meaning,
    };
    let calls = call.all().into_iter().enumerate();
    calls
        .map(|(at, arguments)| SubAgentCall {
            id: format!("a_{}", 11 + at),
            agent: AGGREGATOR.to_owned(),
            arguments,
            depends_on: Vec::new(),
        })
        .collect()
}

/// The calls for one reading of a question.
struct Call<'t> {
    tool: &'t ToolFacts,
    meaning: &'t QuestionReading,
}

impl Call<'_> {
    fn all(&self) -> Vec<Object> {
        let meaning = self.meaning;
        let main = match &meaning.answer {
            AnswerShape::Record => self.sorted(RANKED),
            AnswerShape::List => self.sorted(LISTED),
            AnswerShape::Relation { fields } => self.relation(fields),
            AnswerShape::YesNo => self.tested(),
            AnswerShape::Overview => self.overview(),
            _ => self.grouped(&meaning.group_by),
        };
        let mut calls = vec![main];

        // A share has a part and the whole.
        if !meaning.part.is_empty() {
            let mut filters = meaning.filters.clone();
            filters.extend(meaning.part.clone());
            let part = if meaning.answer == AnswerShape::Share {
                self.grouped(&meaning.group_by)
            } else {
                self.base()
            };
            calls.push(self.with_filters(part, &filters));
        }
        calls
    }

    /// Returns the arguments that select the records and compute the measures over them.
    fn base(&self) -> Object {
        let mut arguments = Object::from_iter([("tool_name".to_owned(), json!(self.tool.name))]);
        let measures: Vec<Value> = self
            .meaning
            .measures
            .iter()
            .map(|measure| json!(measure))
            .collect();
        if !measures.is_empty() {
            arguments.insert("measures".to_owned(), Value::from(measures));
        }
        arguments.insert("page_size".to_owned(), json!(1));
        let arguments = self.with_filters(arguments, &self.meaning.filters);
        self.with_search(arguments)
    }

    fn with_filters(&self, mut arguments: Object, filters: &Object) -> Object {
        if filters.is_empty() {
            arguments.remove("filters");
        } else {
            let filters = Value::Object(filters.clone()).to_string();
            arguments.insert("filters".to_owned(), Value::from(filters));
        }
        arguments
    }

    /// Adds the searches in texts. Several become one for all of their words.
    fn with_search(&self, mut arguments: Object) -> Object {
        let searches = self
            .meaning
            .search
            .iter()
            .filter(|_| self.tool.can("search"));
        let searches: Vec<_> = searches.collect();
        let search = match searches.as_slice() {
            [] => return arguments,
            [one] => {
                let mut search =
                    json!({"text": one.text, "fields": one.fields, "match": one.matching});
                if one.exact {
                    search["exact"] = json!(true);
                }
                search
            }
            several => {
                let texts: Vec<&str> = several.iter().map(|one| one.text.as_str()).collect();
                let text = texts.join(" ");
                json!({"text": text, "match": TextMatch::All})
            }
        };

        let mut search = search;
        if let Some(members) = search.as_object_mut() {
            members.retain(|_, value| value.as_array().is_none_or(|fields| !fields.is_empty()));
        }
        arguments.insert("search".to_owned(), search);
        arguments
    }

    /// Returns the call with groups, in the order that was asked for.
    fn grouped(&self, by: &[String]) -> Object {
        let mut arguments = self.base();
        if let Some(course) = &self.meaning.histogram {
            let course = json!({"field": course.field, "interval": course.interval});
            arguments.insert("date_histogram".to_owned(), course);
        }
        if by.is_empty() {
            return arguments;
        }

        arguments.insert("group_by".to_owned(), json!(by.join(",")));
        let limit = self.meaning.order.as_ref().and_then(|order| order.limit);
        // A course and a condition on groups are about all of them.
        let needs_all = self.meaning.answer == AnswerShape::Course
            || self.meaning.having.is_some()
            || self.meaning.answer == AnswerShape::YesNo
            || self.meaning.answer == AnswerShape::Share;
        let least = if needs_all { ALL_GROUPS } else { GROUPS };
        let groups = limit.unwrap_or(least).max(least);
        arguments.insert("top_n".to_owned(), json!(groups));
        let order = self.order(by).filter(|_| self.tool.can("order_by"));
        arguments.extend(order.map(|order| ("order_by".to_owned(), order)));
        arguments
    }

    /// Returns the order of the groups: the one that was asked for, numbers by themselves, else by
    /// the first measure.
    fn order(&self, by: &[String]) -> Option<Value> {
        let direction = |highest: bool| if highest { "desc" } else { "asc" };
        let measure = |at: usize, highest: bool| {
            let measure = self.meaning.measures.get(at)?;
            let order = direction(highest);
            Some(json!({"function": measure.function, "field": measure.field, "order": order}))
        };

        match &self.meaning.order {
            Some(Order { by, highest, .. }) => match by {
                OrderBy::Measure(at) => measure(*at, *highest),
                OrderBy::Key => Some(json!({"by": "key", "order": direction(*highest)})),
                OrderBy::Count => Some(json!({"by": "doc_count", "order": direction(*highest)})),
                OrderBy::Field(_) => measure(0, *highest),
            },
            None => {
                let facts = self
                    .tool
                    .fields
                    .iter()
                    .find(|field| by == [field.name.clone()]);
                let is_number = facts.is_some_and(|facts| facts.kind == FieldKind::Number);
                if is_number {
                    return Some(json!({"by": "key", "order": "asc"}));
                }
                measure(0, true)
            }
        }
    }

    /// Returns the call with a page of records in the order that was asked for.
    fn sorted(&self, records: u64) -> Object {
        let mut arguments = self.base();
        let order = self.meaning.order.as_ref();
        let limit = order.and_then(|order| order.limit).unwrap_or_default();
        arguments.insert("page_size".to_owned(), json!(limit.max(records).min(100)));
        let listed = self
            .meaning
            .wanted
            .first()
            .map(|field| (field.clone(), false));
        let field = order.and_then(|order| match &order.by {
            OrderBy::Field(field) => Some((field.clone(), order.highest)),
            OrderBy::Measure(at) => {
                let measure = self.meaning.measures.get(*at)?;
                Some((measure.field.clone(), order.highest))
            }
            OrderBy::Count | OrderBy::Key => None,
        });
        let field = field.or(listed);
        let Some((field, highest)) = field.filter(|_| self.tool.can("sort")) else {
            return arguments;
        };

        let direction = if highest { "desc" } else { "asc" };
        let sort = json!([{"field": field, "order": direction}]);
        arguments.insert("sort".to_owned(), sort);
        arguments
    }

    /// Returns the call for two fields: their correlation, or the number in each group of the
    /// category.
    fn relation(&self, fields: &[String; 2]) -> Object {
        let [first, second] = fields;
        let mut arguments = self.base();
        if self.is_number(first) && self.is_number(second) && self.tool.can("correlations") {
            arguments.insert("correlations".to_owned(), json!([[first, second]]));
            return arguments;
        }

        let (number, category) = if self.is_number(first) {
            (first, second)
        } else {
            (second, first)
        };
        arguments.insert("group_by".to_owned(), json!(category));
        if self.is_number(number) {
            let measures = [Statistic::Mean, Statistic::Median]
                .map(|function| json!({"function": function, "field": number}));
            arguments.insert("measures".to_owned(), json!(measures));
            let order = json!({"function": Statistic::Mean, "field": number, "order": "desc"});
            arguments.insert("order_by".to_owned(), order);
        } else {
            arguments.insert("group_by".to_owned(), json!(format!("{category},{number}")));
        }
        arguments
    }

    /// Returns the call that tests a yes-no question.
    fn tested(&self) -> Object {
        match &self.meaning.test {
            Some(YesNoTest::Groups { field, .. }) => {
                let course = self.meaning.histogram.as_ref();
                let is_course = course.is_some_and(|course| course.field == *field);
                let by = std::slice::from_ref(field);
                self.grouped(if is_course { &[] } else { by })
            }
            Some(YesNoTest::Related { fields, .. }) => self.relation(fields),
            Some(YesNoTest::Exists) => {
                let mut arguments = self.base();
                arguments.insert("page_size".to_owned(), json!(RANKED));
                arguments
            }
            _ => self.grouped(&self.meaning.group_by),
        }
    }

    /// Returns the call for a description of the records: the handiest category and the first
    /// quantities.
    fn overview(&self) -> Object {
        let meaning = self.meaning;
        let fields = || self.tool.fields.iter();
        let is_named = |field: &&FieldFacts| {
            meaning.mentioned.contains(&field.name) || meaning.wanted.contains(&field.name)
        };
        let mut quantities: Vec<&FieldFacts> =
            fields().filter(|field| is_quantity(field)).collect();
        quantities.sort_by_key(|field| !is_named(field));
        let measures: Vec<Value> = quantities
            .iter()
            .take(QUANTITIES)
            .map(|field| json!({"function": Statistic::Mean, "field": field.name}))
            .collect();

        let is_handy = |field: &&FieldFacts| {
            matches!(field.kind, FieldKind::Text | FieldKind::Boolean)
                && field.values.len() > 1
                && field.values.len() <= 30
                && !meaning.filters.contains_key(&field.name)
        };
        let mut categories: Vec<&FieldFacts> = fields().filter(is_handy).collect();
        categories.sort_by_key(|field| (!is_named(field), field.values.len().abs_diff(6)));

        let by: Vec<String> = match (meaning.group_by.is_empty(), categories.first()) {
            (true, Some(first)) => vec![first.name.clone()],
            _ => meaning.group_by.clone(),
        };
        let mut arguments = self.grouped(&by);
        if meaning.measures.is_empty() && !measures.is_empty() {
            arguments.insert("measures".to_owned(), Value::from(measures));
            arguments.remove("order_by");
        }
        arguments
    }

    fn is_number(&self, field: &str) -> bool {
        let facts = self.tool.fields.iter().find(|facts| facts.name == field);
        facts.is_some_and(|facts| facts.kind == FieldKind::Number)
    }
}
