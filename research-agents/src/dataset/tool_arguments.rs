//! What the arguments of a tool are for: those that page, those that group, and those that select the records.
//!
//! A plan speaks of `filters`, `group_by` and the like. A tool may call them otherwise, take filters as an object, or have an
//! argument for each field instead; a plan is put into the tool's words when the call is made.

use research_mcp::{PagerOptions, PagingArguments, Tool};
use serde_json::Value;

use super::filters::{filters_of, parse_filters};
use super::record::Object;
use crate::Error;

/// The argument that selects records, in the words of a plan.
const FILTERS: &str = "filters";
/// What tools call the arguments that a plan names, without regard to case and separators.
const OTHER_WORDS: &[(&str, &[&str])] = &[
    (FILTERS, &["filters", "filter", "where", "conditions"]),
    ("group_by", &["groupby", "groupfields", "groupfield", "facet", "facets", "facetby", "countby"]),
    ("date_histogram", &["datehistogram"]),
    ("top_n", &["topn", "top", "maxgroups", "maxbuckets"]),
    (SAMPLES, &["samplesperbucket", "samplespergroup"]),
];
/// The argument that says how many sample records of each group are wanted, in the words of a plan.
const SAMPLES: &str = "samples_per_bucket";
/// Sample records of each group unless a plan says how many.
const SAMPLES_OF_A_GROUP: u64 = 20;
/// What tools call the arguments by which they give records by chance or in another order, as [`plain`] writes them.
const CHANCE: &[&str] =
    &["sample", "samplesize", "seed", "randomseed", "randomstate", "shuffle", "random", "randomize"];
const ORDER: &[&str] = &["sort", "sortby", "sortorder", "orderby", "order"];
/// Arguments that ask for groups, as [`plain`] writes them.
const GROUPING: &[&str] = &[
    "aggregations",
    "aggs",
    "countby",
    "datehistogram",
    "facet",
    "facetby",
    "facets",
    "groupby",
    "groupfield",
    "groupfields",
    "maxbuckets",
    "maxgroups",
    "samplesperbucket",
    "samplespergroup",
    "top",
    "topn",
    "topnpergroup",
];
/// Arguments that change what records look like or how they are ordered, but not which they are.
const PRESENTATION: &[&str] =
    &["fields", "format", "include", "locale", "order", "orderby", "pitid", "sort", "sortby", "sortorder", "verbose"];

/// What is known of the arguments of one tool.
pub(crate) struct ToolArguments {
    /// The listed arguments with their schemas; empty for a tool that lists none.
    listed: Object,
    /// Those that no call may leave out.
    required: Vec<String>,
    paging: PagingArguments,
}

impl ToolArguments {
    /// Those of a tool, as far as its input schema says.
    pub(crate) fn of(tool: Option<&Tool>) -> Self {
        let properties = tool.and_then(|tool| tool.input_schema.get("properties")).and_then(Value::as_object);
        let required = tool.and_then(|tool| tool.input_schema.get("required")).and_then(Value::as_array);
        Self {
            listed: properties.cloned().unwrap_or_default(),
            required: required.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect(),
            paging: tool.map(PagingArguments::of).unwrap_or_default(),
        }
    }

    /// The same, with arguments that page by the settings.
    pub(crate) fn paging_by(mut self, options: &PagerOptions) -> Self {
        self.paging.cursors.push(options.cursor_argument.clone());
        self.paging.sizes.extend(options.size_argument.clone());
        self
    }

    /// The listed arguments, and the words of a plan that the tool has others for. Empty for a tool that lists none.
    pub(crate) fn names(&self) -> Vec<String> {
        let words = OTHER_WORDS.iter().map(|(word, _)| *word).filter(|word| !self.listed.contains_key(*word));
        let words = words.filter(|word| self.own(word).is_some()).map(str::to_owned);
        self.listed.keys().cloned().chain(words).collect()
    }

    /// The tool lists arguments.
    pub(crate) fn are_listed(&self) -> bool {
        !self.listed.is_empty()
    }

    /// The tool lists an argument that selects records by conditions, or one that groups them.
    pub(crate) fn select_or_group(&self) -> bool {
        [FILTERS, "group_by", "date_histogram"].iter().any(|word| self.own(word).is_some())
    }

    /// The schema of the argument that takes filters.
    pub(crate) fn filters(&self) -> Option<&Value> {
        self.listed.get(self.own(FILTERS)?)
    }

    /// The fields that the schema of the grouping argument lists.
    pub(crate) fn group_fields(&self) -> Vec<String> {
        let schema = self.own("group_by").and_then(|own| self.listed.get(own));
        schema.map(enumerated).unwrap_or_default()
    }

    /// The arguments that select records each by one field, of a tool that has no filters.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.listed.iter().filter(|(name, schema)| self.selects(name) && is_scalar(schema))
    }

    /// Leaves out what says where a page begins: that is for whoever walks the pages.
    pub(crate) fn remove_places(&self, arguments: &mut Object) {
        self.paging.remove_places(arguments);
        self.unlisted().remove_places(arguments);
    }

    /// Leaves out everything that sizes, pages or groups.
    pub(crate) fn keep_selection(&self, arguments: &mut Object) {
        self.remove_places(arguments);
        self.paging.remove_sizes(arguments);
        self.unlisted().remove_sizes(arguments);
        arguments.retain(|name, _| !GROUPING.contains(&plain(name).as_str()));
    }

    /// A plan may say this of a scan: the tool lists it, or it is a word of plans, or one that is taken away before the call.
    pub(crate) fn may_stand_in_a_scan(&self, name: &str) -> bool {
        let taken_away = PagingArguments::default();
        let mut taken_away = [taken_away.cursors, taken_away.offsets, taken_away.sizes].into_iter().flatten();
        self.listed.is_empty()
            || self.listed.contains_key(name)
            || OTHER_WORDS.iter().any(|(word, _)| *word == name)
            || GROUPING.contains(&plain(name).as_str())
            || taken_away.any(|known| known == name)
    }

    /// The tool gives samples of groups, as far as it says what it takes.
    pub(crate) fn gives_samples(&self) -> bool {
        self.listed.is_empty() || (self.own("group_by").is_some() && self.own(SAMPLES).is_some())
    }

    /// How samples of groups are asked for, when a plan's own arguments name a grouping and the tool may give them.
    pub(crate) fn sampling(&self, given: &Object) -> Option<Sampling> {
        let value = |word: &str| {
            let own = self.own(word).and_then(|own| given.get(own)).or_else(|| given.get(word));
            own.filter(|value| !is_empty(value)).map(|value| (word.to_owned(), value.clone()))
        };
        let grouping = value("group_by").filter(|_| self.gives_samples())?;
        let samples = value(SAMPLES).filter(|(_, number)| number.as_u64().is_some_and(|number| number > 0));
        let samples = samples.unwrap_or_else(|| (SAMPLES.to_owned(), SAMPLES_OF_A_GROUP.into()));
        Some(Sampling(Object::from_iter([grouping, samples].into_iter().chain(value("top_n")))))
    }

    /// What a plan can do about records that are more than a run reads, in words: samples of groups, chance, or another order,
    /// as far as the tool says that it takes the arguments for it.
    pub(crate) fn ways_to_sample(&self, tool: &str) -> Vec<String> {
        let mut ways = Vec::new();
        if !self.listed.is_empty() && self.gives_samples() {
            ways.push(format!(
                "a scanner call with `group_by` in its `tool_args` reads {SAMPLES_OF_A_GROUP} samples of each group of {tool}; plan it \
                 beside the scan without `group_by`, which fills up what room is left"
            ));
        }
        let quoted = |names: Vec<&str>| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        for (names, what) in [(self.named(CHANCE), "at random"), (self.named(ORDER), "in another order")] {
            if !names.is_empty() {
                ways.push(format!(
                    "with {} in the scanner's `tool_args` {tool} gives its records {what}",
                    quoted(names)
                ));
            }
        }
        ways
    }

    /// How a call asks for the order of its records, in words; `None` when it leaves that to the tool.
    pub(crate) fn order_words(&self, arguments: &Object) -> Option<String> {
        let given = |names: Vec<&str>| {
            let given = names.into_iter().filter(|name| arguments.get(*name).is_some_and(|value| !is_empty(value)));
            given.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" and ")
        };
        let (chance, order) = (given(self.named(CHANCE)), given(self.named(ORDER)));
        match (chance.is_empty(), order.is_empty()) {
            (true, true) => None,
            (true, false) => Some(format!("in the order of {order}")),
            (false, _) => Some(format!("as drawn by {chance}")),
        }
    }

    /// The listed arguments of these plain names.
    fn named(&self, words: &[&str]) -> Vec<&str> {
        let own = self.listed.keys().filter(|name| words.contains(&plain(name).as_str()));
        own.map(String::as_str).collect()
    }

    /// What the arguments select records by: conditions by field.
    pub(crate) fn selection(&self, arguments: &Object) -> Object {
        let own = self.own(FILTERS).and_then(|own| arguments.get(own)).or_else(|| arguments.get(FILTERS));
        let filters = own.map(|own| filters_of(&Object::from_iter([(FILTERS.to_owned(), own.clone())])));
        let mut selection = filters.unwrap_or_default();
        if self.is_direct() {
            selection = self.fixed_to(&selection);
            let given = arguments.iter().filter(|(name, value)| self.selects(name) && !is_empty(value));
            selection.extend(given.map(|(name, value)| (name.clone(), value.clone())));
        }
        selection
    }

    /// Whether the arguments say themselves which records are meant: by filters under any word, if only by empty ones, or by
    /// fields.
    pub(crate) fn names_selection(&self, arguments: &Object) -> bool {
        arguments.keys().any(|name| self.is_filters(name)) || !self.selection(arguments).is_empty()
    }

    /// Whether an argument says which records are meant, and a call can do without it.
    pub(crate) fn selects_by(&self, name: &str) -> bool {
        self.is_filters(name) || (self.is_direct() && self.selects(name) && !self.is_required(name))
    }

    /// Leaves out filters that select nothing, where a call can do without them.
    pub(crate) fn drop_empty_filters(&self, arguments: &mut Object) {
        let is_empty = |value: &Value| match value {
            Value::Object(filters) => filters.is_empty(),
            Value::String(text) => parse_filters(text).is_ok_and(|filters| filters.is_empty()),
            _ => false,
        };
        if !self.own(FILTERS).is_some_and(|own| self.is_required(own)) {
            arguments.retain(|name, value| !(self.is_filters(name) && is_empty(value)));
        }
    }

    fn is_filters(&self, name: &str) -> bool {
        name == FILTERS || self.own(FILTERS) == Some(name)
    }

    fn is_required(&self, name: &str) -> bool {
        self.required.iter().any(|required| required == name)
    }

    /// The arguments that select these records, in the words of a plan.
    pub(crate) fn selecting(&self, selection: &Object) -> Object {
        if self.is_direct() {
            return selection.clone();
        }
        let text = || Value::String(Value::Object(selection.clone()).to_string());
        (!selection.is_empty()).then(|| (FILTERS.to_owned(), text())).into_iter().collect()
    }

    /// The same, and said even where all records are meant, so that the filters of another call are not taken.
    pub(crate) fn naming(&self, selection: &Object) -> Object {
        let mut arguments = self.selecting(selection);
        if arguments.is_empty() {
            arguments.insert(FILTERS.to_owned(), Value::from("{}"));
        }
        arguments
    }

    /// The arguments that these filters become, of a tool that has one for each field; none of any other.
    pub(crate) fn fixed_to(&self, filters: &Object) -> Object {
        let taken = |(field, condition): &(&String, &Value)| self.is_direct() && self.takes_field(field, condition);
        filters.iter().filter(taken).map(|(field, condition)| (field.clone(), condition.clone())).collect()
    }

    /// Fields of the filters that the tool has no argument for, so that they select nothing.
    pub(crate) fn refused(&self, arguments: &Object) -> Vec<String> {
        if !self.is_direct() {
            return Vec::new();
        }
        let filters = filters_of(arguments);
        filters
            .iter()
            .filter(|(field, condition)| !self.takes_field(field, condition))
            .map(|(field, _)| field.clone())
            .collect()
    }

    /// Checks that filters which are to be a JSON object are one. Read as none, they would select everything.
    ///
    /// # Errors
    ///
    /// [`Error::Filters`] with the position in the text.
    pub(crate) fn check_filters(&self, arguments: &Object) -> Result<(), Error> {
        if self.own(FILTERS) != Some(FILTERS) || !self.wants(FILTERS, "array", "object") {
            check_filters(arguments)?;
        }
        let own = self.own(FILTERS).filter(|own| *own != FILTERS && self.wants(own, "object", "string"));
        match own.and_then(|own| arguments.get(own)) {
            Some(Value::String(text)) if !text.trim().is_empty() => parse_filters(text).map(drop),
            _ => Ok(()),
        }
    }

    /// What of a call the tool may open: the arguments in its own words, without conditions that it compares records with.
    /// An argument is one of conditions only where the tool takes filters by it and they are written as such; the same word may
    /// mean a place to the next tool. The place where a page begins is the tool's own word, as long as it is no address.
    pub(crate) fn opened(&self, arguments: &Object) -> Object {
        let mut opened = self.spoken(arguments.clone());
        if let Some(own) = self.own(FILTERS).filter(|own| opened.get(*own).is_some_and(is_conditions)) {
            opened.remove(own);
        }
        opened.retain(|name, value| !self.paging.cursors.contains(name) || value.to_string().contains("://"));
        opened
    }

    /// Filters as arguments of their own, for a tool that has one for each field. Those that cannot be read stay as they are.
    pub(crate) fn with_filters_apart(&self, mut arguments: Object) -> Object {
        if self.is_direct() && arguments.contains_key(FILTERS) && check_filters(&arguments).is_ok() {
            let filters = filters_of(&arguments);
            arguments.remove(FILTERS);
            arguments.extend(self.fixed_to(&filters));
        }
        arguments
    }

    /// The arguments in the tool's words and types. What the tool understands as it is stays as it is.
    pub(crate) fn spoken(&self, mut arguments: Object) -> Object {
        if self.listed.is_empty() {
            return arguments;
        }
        arguments = self.with_filters_apart(arguments);
        for (word, _) in OTHER_WORDS {
            if let Some(own) = self.own(word).filter(|own| *own != *word)
                && let Some(value) = arguments.remove(*word)
            {
                arguments.entry(own.to_owned()).or_insert(value);
            }
        }
        if let Some(own) = self.own(FILTERS)
            && let Some(Value::String(text)) = arguments.get(own)
            && self.wants(own, "object", "string")
            && let Ok(filters) = parse_filters(text)
        {
            arguments.insert(own.to_owned(), Value::Object(filters));
        }
        if let Some(own) = self.own("group_by")
            && let Some(Value::String(text)) = arguments.get(own)
            && self.wants(own, "array", "string")
        {
            let fields = text.split(',').map(str::trim).filter(|field| !field.is_empty()).map(Value::from).collect();
            arguments.insert(own.to_owned(), Value::Array(fields));
        }
        arguments
    }

    /// Arguments as they were sent, with those that group and select under the words of a plan too.
    pub(crate) fn in_words_of_a_plan(&self, sent: &Object) -> Object {
        let mut arguments = sent.clone();
        for (word, _) in OTHER_WORDS {
            if let Some(value) = self.own(word).and_then(|own| sent.get(own)) {
                arguments.entry((*word).to_owned()).or_insert_with(|| value.clone());
            }
        }
        arguments
    }

    /// The tool lists its arguments, and none of them takes filters.
    fn is_direct(&self) -> bool {
        !self.listed.is_empty() && self.own(FILTERS).is_none()
    }

    /// What the tool calls the argument that a plan calls by this word.
    fn own(&self, word: &str) -> Option<&str> {
        if let Some((own, _)) = self.listed.get_key_value(word) {
            return Some(own);
        }
        let (_, others) = OTHER_WORDS.iter().find(|(known, _)| *known == word)?;
        others.iter().find_map(|other| self.listed.keys().find(|own| plain(own) == *other)).map(String::as_str)
    }

    /// The argument neither pages nor groups nor orders.
    fn selects(&self, name: &str) -> bool {
        let pages = [&self.paging.cursors, &self.paging.pages, &self.paging.offsets, &self.paging.sizes];
        let plain = plain(name);
        self.listed.contains_key(name)
            && !pages.into_iter().flatten().any(|page| page == name)
            && !GROUPING.contains(&plain.as_str())
            && !PRESENTATION.contains(&plain.as_str())
            && !CHANCE.contains(&plain.as_str())
    }

    fn takes_field(&self, field: &str, condition: &Value) -> bool {
        self.selects(field) && !condition.is_array() && !condition.is_object()
    }

    /// Whether an argument takes values of one type and not of the other.
    fn wants(&self, name: &str, this: &str, not: &str) -> bool {
        let types: Vec<&str> = self.listed.get(name).map(types).unwrap_or_default();
        types.contains(&this) && !types.contains(&not)
    }

    /// The common names of arguments that page, as far as the tool has no argument of its own by that name.
    fn unlisted(&self) -> PagingArguments {
        let mut common = PagingArguments::default();
        for names in [&mut common.cursors, &mut common.offsets, &mut common.sizes] {
            names.retain(|name| !self.listed.contains_key(name));
        }
        common
    }
}

/// The arguments that ask for samples of groups, in the words of a plan.
pub(crate) struct Sampling(Object);

impl Sampling {
    /// The same over the records that these arguments select.
    pub(crate) fn over(self, selection: &Object) -> Object {
        let mut arguments = selection.clone();
        arguments.extend(self.0);
        arguments
    }
}

/// Checks that the filters of arguments in the words of a plan are a JSON object, or the text of one.
///
/// # Errors
///
/// [`Error::Filters`] with the position in the text.
fn check_filters(arguments: &Object) -> Result<(), Error> {
    match arguments.get(FILTERS) {
        None | Some(Value::Null | Value::Object(_)) => Ok(()),
        Some(Value::String(text)) if text.trim().is_empty() => Ok(()),
        Some(Value::String(text)) => parse_filters(text).map(drop),
        Some(other) => parse_filters(&other.to_string()).map(drop),
    }
}

/// Whether a value is filters as tools take them: an object, or the JSON text of one.
fn is_conditions(value: &Value) -> bool {
    match value {
        Value::Object(_) => true,
        Value::String(text) => parse_filters(text).is_ok(),
        _ => false,
    }
}

/// Says that a filter could not be put to a tool.
pub(crate) fn left_out(tool: &str, field: &str) -> String {
    format!("the tool {tool} has no argument for such a filter on `{field}`; it was left out")
}

/// A name in lower case and without separators.
fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn is_empty(value: &Value) -> bool {
    value.is_null() || value.as_str() == Some("")
}

fn is_scalar(schema: &Value) -> bool {
    let types = types(schema);
    types.is_empty() || types.iter().any(|name| matches!(*name, "string" | "number" | "integer" | "boolean"))
}

/// The texts that a schema allows, itself, in its items or in an alternative.
fn enumerated(schema: &Value) -> Vec<String> {
    let own = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
    let own = own.filter_map(Value::as_str).map(str::to_owned);
    let alternatives = ["anyOf", "oneOf"].into_iter().filter_map(|word| schema.get(word)?.as_array()).flatten();
    own.chain(schema.get("items").into_iter().chain(alternatives).flat_map(enumerated)).collect()
}

/// The types that a schema and its alternatives name.
fn types(schema: &Value) -> Vec<&str> {
    let alternatives =
        ["anyOf", "oneOf", "allOf"].into_iter().filter_map(|word| schema.get(word)?.as_array()).flatten();
    let own = match schema.get("type") {
        Some(Value::String(name)) => vec![name.as_str()],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    own.into_iter().chain(alternatives.flat_map(types)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(value: Value) -> Object {
        value.as_object().unwrap().clone()
    }

    fn of(properties: Value) -> ToolArguments {
        ToolArguments::of(Some(&Tool::new("s", "t", object(json!({ "properties": properties })))))
    }

    fn spoken(tool: &ToolArguments, arguments: Value) -> Value {
        Value::Object(tool.spoken(object(arguments)))
    }

    #[test]
    fn a_tool_that_speaks_as_a_plan_does_gets_its_arguments_unchanged() {
        let text = json!({"type": "string"});
        let tool = of(json!({"filters": text, "group_by": text, "page_size": {"type": "integer"}, "search_after": {}}));
        let arguments = json!({"filters": "{\"a\": 1}", "group_by": "a, b", "page_size": 5, "other": true});
        assert_eq!(spoken(&tool, arguments.clone()), arguments);
        assert_eq!(tool.selection(&object(arguments)), object(json!({"a": 1})));
        assert_eq!(tool.names(), ["filters", "group_by", "page_size", "search_after"].map(String::from).to_vec());
    }

    #[test]
    fn other_names_and_types_are_met() {
        let tool = of(json!({
            "where": {"anyOf": [{"type": "object"}, {"type": "null"}]},
            "groupBy": {"type": "array", "items": {"type": "string"}}, "max_groups": {"type": "integer"}
        }));
        let planned = json!({"filters": "{\"a\": 1}", "group_by": "a, b", "top_n": 20});
        assert_eq!(spoken(&tool, planned.clone()), json!({"where": {"a": 1}, "groupBy": ["a", "b"], "max_groups": 20}));
        assert_eq!(tool.selection(&object(planned)), object(json!({"a": 1})));
        assert_eq!(tool.selection(&object(json!({"where": {"a": 1}}))), object(json!({"a": 1})));
        assert!(["filters", "group_by", "top_n"].iter().all(|word| tool.names().contains(&(*word).to_owned())));
    }

    #[test]
    fn a_tool_with_an_argument_for_each_field_is_asked_by_them() {
        let number = json!({"type": "integer"});
        let tool =
            of(json!({"state": {"type": "string"}, "year": number, "limit": number, "offset": number, "sort": {}}));
        let planned =
            object(json!({"filters": "{\"size\": 1, \"state\": \"Ohio\", \"year\": {\"gte\": 1990}}", "limit": 5}));
        assert_eq!(Value::Object(tool.spoken(planned.clone())), json!({"state": "Ohio", "limit": 5}));
        assert_eq!(tool.refused(&planned), ["size", "year"]);
        assert_eq!(tool.selection(&planned), object(json!({"state": "Ohio"})));
        let direct = object(json!({"year": 1990, "state": "", "offset": 20, "sort": "year"}));
        assert_eq!(tool.selection(&direct), object(json!({"year": 1990})));
        assert_eq!(tool.selecting(&object(json!({"year": 1990}))), object(json!({"year": 1990})));
        assert_eq!(tool.fields().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["state", "year"]);
    }

    #[test]
    fn what_a_tool_opens_of_a_call_is_everything_but_its_conditions_and_its_own_cursor() {
        let opened = |properties: Value, arguments: Value| Value::Object(of(properties).opened(&object(arguments)));
        let text = json!({"type": "string"});
        let filters = json!({"filters": "{\"path\": \"/x\"}", "path": "/y"});
        assert_eq!(opened(json!({"filters": text, "path": text}), filters.clone()), json!({"path": "/y"}));
        assert_eq!(opened(json!({"where": text, "path": text}), filters.clone()), json!({"path": "/y"}));
        assert_eq!(opened(json!({"path": text}), filters.clone()), json!({"path": "/x"}));
        assert_eq!(opened(json!({}), filters.clone()), filters, "nothing is known of the tool");
        for place in [json!({"where": "/root"}), json!({"where": ["/root"]}), json!({"where": "[\"/root\"]"})] {
            assert_eq!(opened(json!({"where": text}), place.clone()), place);
        }
        let both = json!({"filters": {"a": "/x"}, "where": {"b": "/y"}});
        assert_eq!(opened(json!({"filters": {}, "where": {}}), both), json!({"where": {"b": "/y"}}));
        let paged = json!({"cursor": text, "limit": {"type": "integer"}});
        assert_eq!(opened(paged.clone(), json!({"cursor": "/9j+4AA=", "limit": 5})), json!({"limit": 5}));
        let address = json!({"cursor": "https://a.example/?page=2"});
        assert_eq!(opened(paged, address.clone()), address);
    }

    #[test]
    fn filters_must_be_an_object_where_a_tool_takes_json() {
        let text = json!({"type": "string"});
        let problem = |properties: &Value, arguments: Value| {
            of(properties.clone()).check_filters(&object(arguments)).err().map(|error| error.to_string())
        };
        for properties in [json!({"filters": text}), json!({"where": text}), json!({"path": text}), json!({})] {
            for malformed in [json!("{"), json!("[1]"), json!("size > 3"), json!(3), json!([1]), json!(true)] {
                let found = problem(&properties, json!({"filters": malformed})).unwrap_or_default();
                assert!(found.contains("line 1 column"), "{properties} {malformed}: {found}");
            }
            for fine in [json!("{\"a\": 1}"), json!({"a": 1}), json!(" "), Value::Null] {
                assert_eq!(problem(&properties, json!({"filters": fine})), None, "{properties}");
            }
        }
        assert_eq!(problem(&json!({"where": text}), json!({"where": "size > 3"})), None, "the tool's own language");
        assert!(problem(&json!({"where": {"type": "object"}}), json!({"where": "size > 3"})).is_some());
        let list = json!({"filters": {"type": "array"}});
        assert_eq!(problem(&list, json!({"filters": [{"field": "a", "is": 1}]})), None);
    }

    #[test]
    fn samples_are_asked_for_by_a_grouping_that_the_plan_itself_names() {
        let text = json!({"type": "string"});
        let tool = of(json!({"filters": text, "groupBy": text, "samplesPerGroup": {"type": "integer"}, "top_n": {}}));
        let sampling = |given: Value| {
            let selection = object(json!({"filters": "{}"}));
            tool.sampling(&object(given)).map(|sampling| Value::Object(tool.spoken(sampling.over(&selection))))
        };
        assert_eq!(
            sampling(json!({"group_by": "size", "page_size": 5})),
            Some(json!({"filters": "{}", "groupBy": "size", "samplesPerGroup": 20}))
        );
        assert_eq!(
            sampling(json!({"groupBy": "size", "samples_per_bucket": 3, "top_n": 4})),
            Some(json!({"filters": "{}", "groupBy": "size", "samplesPerGroup": 3, "top_n": 4}))
        );
        assert_eq!(sampling(json!({"filters": "{}"})), None);
        let without = of(json!({"filters": text, "group_by": text}));
        assert!(without.sampling(&object(json!({"group_by": "size"}))).is_none());
    }

    #[test]
    fn ways_to_sample_are_offered_by_what_the_tool_takes() {
        let tool = of(json!({"group_by": {}, "samples_per_bucket": {}, "seed": {}, "sort_by": {}, "filters": {}}));
        let ways = tool.ways_to_sample("t").join("\n");
        assert!(["20 samples of each group", "`seed`", "`sort_by`"].iter().all(|word| ways.contains(word)), "{ways}");
        assert!(of(json!({"filters": {}})).ways_to_sample("t").is_empty());
        assert!(of(json!({})).ways_to_sample("t").is_empty());
        let words = |arguments: Value| tool.order_words(&object(arguments));
        assert_eq!(words(json!({"seed": 7, "sort_by": ""})).as_deref(), Some("as drawn by `seed`"));
        assert_eq!(words(json!({"sort_by": "cost"})).as_deref(), Some("in the order of `sort_by`"));
        assert_eq!(words(json!({"filters": "{}"})), None);
    }

    #[test]
    fn everything_that_pages_is_taken_away_under_any_name() {
        let number = json!({"type": "integer"});
        let tool = of(json!({"filters": {}, "skip": number, "rows": number, "pageToken": {}, "group_by": {}}));
        let given =
            json!({"filters": "{}", "skip": 4, "rows": 5, "pageToken": "x", "group_by": "a", "search_after": [1]});
        let mut arguments = object(given);
        tool.remove_places(&mut arguments);
        assert_eq!(Value::Object(arguments.clone()), json!({"filters": "{}", "rows": 5, "group_by": "a"}));
        tool.keep_selection(&mut arguments);
        assert_eq!(Value::Object(arguments), json!({"filters": "{}"}));
    }
}
