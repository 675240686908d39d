//! The purposes of a tool's arguments: those that page, those that group, and those that select the
//! records.
//!
//! A plan uses `filters`, `group_by` and the like. A tool may call them otherwise, take filters as
//! an object, or have an argument for each field instead; a plan is put into the tool's words when
//! the call is made.

mod computing;
mod names;
mod sampling;
mod schema;

use research_agents_runtime::error::Error;
use research_mcp::{PagerOptions, PagingArguments, Tool};
use serde_json::Value;

use crate::data::filters::{SEARCH, filters_of, parse_filters};
use crate::data::record::Object;
use crate::tools::dialect::computing::{COMPUTING, MEASURES};
use crate::tools::dialect::names::{CHANCE, FILTERS, GROUPING, OTHER_WORDS, PRESENTATION, plain};
use crate::tools::dialect::schema::{enumerated, is_scalar, types};

/// The known arguments of one tool.
pub(crate) struct ToolArguments {
    /// The listed arguments with their schemas; empty for a tool that lists none.
    listed: Object,
    /// Those that no call may leave out.
    required: Vec<String>,
    paging: PagingArguments,
}

impl ToolArguments {
    /// Reads the arguments of a tool, as far as its input schema describes them.
    pub(crate) fn of(tool: Option<&Tool>) -> Self {
        let properties = tool
            .and_then(|tool| tool.input_schema.get("properties"))
            .and_then(Value::as_object);
        let required = tool
            .and_then(|tool| tool.input_schema.get("required"))
            .and_then(Value::as_array);
        Self {
            listed: properties.cloned().unwrap_or_default(),
            required: required
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect(),
            paging: tool.map(PagingArguments::of).unwrap_or_default(),
        }
    }

    /// Replaces the arguments that page with those of the settings.
    pub(crate) fn paging_by(mut self, options: &PagerOptions) -> Self {
        self.paging.cursors.push(options.cursor_argument.clone());
        self.paging.sizes.extend(options.size_argument.clone());
        self
    }

    /// Returns the listed arguments, and a plan's names for those that the tool calls otherwise.
    /// Empty for a tool that lists none.
    pub(crate) fn names(&self) -> Vec<String> {
        let words = OTHER_WORDS
            .iter()
            .map(|(word, _)| *word)
            .filter(|word| !self.listed.contains_key(*word));
        let is_taken = |word: &&str| match *word {
            MEASURES => self.measures_argument().is_some(),
            word => self.own(word).is_some(),
        };
        let words = words.filter(is_taken).map(str::to_owned);
        self.listed.keys().cloned().chain(words).collect()
    }

    /// Returns the plan's names of the arguments by which the tool computes, searches and orders in
    /// the way of a plan.
    pub(crate) fn capabilities(&self) -> Vec<String> {
        let means = |(name, mentioned): &&(&str, &str)| {
            let schema = self.listed.get(*name);
            schema.is_some_and(|schema| computing::means(schema, mentioned))
        };
        let known = COMPUTING.iter().filter(means).map(|(name, _)| *name);
        let measures = self.measures_argument().map(|_| MEASURES);
        measures
            .into_iter()
            .chain(known)
            .map(str::to_owned)
            .collect()
    }

    /// Returns the tool's name for the argument that asks for statistics.
    fn measures_argument(&self) -> Option<&str> {
        let own = self.own(MEASURES)?;
        let schema = self.listed.get(own)?;
        let names_fields = computing::has_fields(schema) || computing::names_field(&self.listed);
        (computing::takes_measures(schema) && names_fields).then_some(own)
    }

    /// Returns whether the tool lists arguments.
    pub(crate) fn are_listed(&self) -> bool {
        !self.listed.is_empty()
    }

    /// Returns whether the tool lists an argument that selects records by conditions, or one that
    /// groups them.
    pub(crate) fn select_or_group(&self) -> bool {
        [FILTERS, "group_by", "date_histogram"]
            .iter()
            .any(|word| self.own(word).is_some())
    }

    /// Returns the schema of the argument that takes filters.
    pub(crate) fn filters(&self) -> Option<&Value> {
        self.listed.get(self.own(FILTERS)?)
    }

    /// Returns the fields that the schema of the grouping argument lists.
    pub(crate) fn group_fields(&self) -> Vec<String> {
        let schema = self.own("group_by").and_then(|own| self.listed.get(own));
        schema.map(enumerated).unwrap_or_default()
    }

    /// Returns the arguments that select records each by one field, of a tool that has no filters.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.listed
            .iter()
            .filter(|(name, schema)| self.selects(name) && is_scalar(schema))
    }

    /// Removes the arguments that say where a page begins: that is up to the pager.
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

    /// Returns whether a plan may use the argument in a scan: the tool lists it, or it is a plan's
    /// argument, or it is removed before the call.
    pub(crate) fn is_scan_argument(&self, name: &str) -> bool {
        let taken_away = PagingArguments::default();
        let mut taken_away = [taken_away.cursors, taken_away.offsets, taken_away.sizes]
            .into_iter()
            .flatten();
        self.listed.is_empty()
            || self.listed.contains_key(name)
            || OTHER_WORDS.iter().any(|(word, _)| *word == name)
            || GROUPING.contains(&plain(name).as_str())
            || taken_away.any(|known| known == name)
    }

    /// Returns the conditions by field that the arguments select records by.
    pub(crate) fn selection(&self, arguments: &Object) -> Object {
        let own = self
            .own(FILTERS)
            .and_then(|own| arguments.get(own))
            .or_else(|| arguments.get(FILTERS));
        let filters =
            own.map(|own| filters_of(&Object::from_iter([(FILTERS.to_owned(), own.clone())])));
        let mut selection = filters.unwrap_or_default();
        if self.is_direct() {
            selection = self.fixed_to(&selection);
            let given = arguments
                .iter()
                .filter(|(name, value)| self.selects(name) && !is_empty(value));
            selection.extend(given.map(|(name, value)| (name.clone(), value.clone())));
        }

        // A search in texts selects records too.
        let search = arguments.get(SEARCH).filter(|_| self.searches());
        let search = search.and_then(computing::parsed);
        if let Some(search) = search.filter(|search| search.get("text").is_some()) {
            selection.insert(SEARCH.to_owned(), search);
        }
        selection
    }

    /// Returns whether the tool searches in texts in the way of a plan.
    fn searches(&self) -> bool {
        let schema = self.listed.get(SEARCH);
        schema.is_some_and(|schema| computing::means(schema, "text"))
    }

    /// Returns whether the arguments say themselves which records are meant: by filters under any
    /// word, if only by empty ones, or by fields.
    pub(crate) fn names_selection(&self, arguments: &Object) -> bool {
        arguments.keys().any(|name| self.is_filters(name)) || !self.selection(arguments).is_empty()
    }

    /// Returns whether an argument says which records are meant, and a call can do without it.
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

    /// Returns the arguments that select these records, in the names of a plan.
    pub(crate) fn selecting(&self, selection: &Object) -> Object {
        if self.is_direct() {
            return selection.clone();
        }

        let is_search = |name: &str, value: &Value| {
            name == SEARCH && self.searches() && value.get("text").is_some()
        };
        let (search, filters): (Vec<_>, Vec<_>) = selection
            .iter()
            .map(|(name, value)| (name.clone(), value.clone()))
            .partition(|(name, value)| is_search(name, value));
        let text = |value: Value| Value::String(value.to_string());
        let filters = (!filters.is_empty()).then(|| {
            let filters = Value::Object(Object::from_iter(filters));
            (FILTERS.to_owned(), text(filters))
        });
        let search = search
            .into_iter()
            .map(|(name, search)| (name, text(search)));
        filters.into_iter().chain(search).collect()
    }

    /// Returns the same, written out even if all records are meant, so that the filters of another
    /// call are not inherited.
    pub(crate) fn naming(&self, selection: &Object) -> Object {
        let mut arguments = self.selecting(selection);
        if arguments.is_empty() || (arguments.len() == 1 && arguments.contains_key(SEARCH)) {
            arguments.insert(FILTERS.to_owned(), Value::from("{}"));
        }
        arguments
    }

    /// Returns the arguments that these filters become, for a tool that has one for each field;
    /// none for any other.
    pub(crate) fn fixed_to(&self, filters: &Object) -> Object {
        let taken = |(field, condition): &(&String, &Value)| {
            self.is_direct() && self.takes_field(field, condition)
        };
        filters
            .iter()
            .filter(taken)
            .map(|(field, condition)| (field.clone(), condition.clone()))
            .collect()
    }

    /// Returns the fields of the filters that the tool has no argument for, so that they select
    /// nothing.
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

    /// Checks that filters which must be a JSON object are one. Read as none, they would select
    /// everything.
    ///
    /// # Errors
    ///
    /// [`Error::Filters`] with the position in the text.
    pub(crate) fn check_filters(&self, arguments: &Object) -> Result<(), Error> {
        if self.own(FILTERS) != Some(FILTERS) || !self.wants(FILTERS, "array", "object") {
            check_filters(arguments)?;
        }
        let own = self
            .own(FILTERS)
            .filter(|own| *own != FILTERS && self.wants(own, "object", "string"));
        match own.and_then(|own| arguments.get(own)) {
            Some(Value::String(text)) => parse_filters(text).map(drop),
            _ => Ok(()),
        }
    }

    /// Returns what of a call the tool may open: its arguments without conditions that it compares
    /// records with.
    ///
    /// An argument is a condition only if the tool takes filters by it and they are written as
    /// such; the same name may mean a place to the next tool. The position where a page begins is
    /// the tool's own string, unless it is an address.
    pub(crate) fn opened(&self, arguments: &Object) -> Object {
        let mut opened = self.spoken(arguments.clone());
        if let Some(own) = self
            .own(FILTERS)
            .filter(|own| opened.get(*own).is_some_and(is_conditions))
        {
            opened.remove(own);
        }
        opened.retain(|name, value| {
            !self.paging.cursors.contains(name) || value.to_string().contains("://")
        });
        opened
    }

    /// Turns filters into separate arguments, for a tool that has one for each field. Filters that
    /// cannot be read stay as they are.
    pub(crate) fn with_filters_apart(&self, mut arguments: Object) -> Object {
        if self.is_direct() && arguments.contains_key(FILTERS) && check_filters(&arguments).is_ok()
        {
            let filters = filters_of(&arguments);
            arguments.remove(FILTERS);
            arguments.extend(self.fixed_to(&filters));
        }
        arguments
    }

    /// Returns the arguments in the tool's names and types. What the tool understands stays as it
    /// is.
    pub(crate) fn spoken(&self, mut arguments: Object) -> Object {
        if self.listed.is_empty() {
            return arguments;
        }

        arguments = self.with_filters_apart(arguments);
        if let Some(asked) = arguments.remove(MEASURES) {
            let own = self.measures_argument();
            let spoken = own.and_then(|own| computing::spoken(&asked, own, &self.listed));
            match spoken {
                Some(spoken) => arguments.extend(spoken),
                None => drop(arguments.insert(MEASURES.to_owned(), asked)),
            }
        }
        for name in COMPUTING.iter().map(|(name, _)| *name).chain([MEASURES]) {
            let value = arguments.get_mut(name).filter(|value| !value.is_string());
            if let Some(value) = value
                && self.wants(name, "string", "array")
                && self.wants(name, "string", "object")
            {
                *value = Value::String(value.to_string());
            }
        }
        for (word, _) in OTHER_WORDS.iter().filter(|(word, _)| *word != MEASURES) {
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
            let fields = text
                .split(',')
                .map(str::trim)
                .filter(|field| !field.is_empty())
                .map(Value::from)
                .collect();
            arguments.insert(own.to_owned(), Value::Array(fields));
        }

        arguments
    }

    /// Returns arguments as they were sent, with those that group and select under a plan's names
    /// too.
    pub(crate) fn in_words_of_a_plan(&self, sent: &Object) -> Object {
        let mut arguments = sent.clone();
        for (word, _) in OTHER_WORDS {
            if let Some(value) = self.own(word).and_then(|own| sent.get(own)) {
                arguments
                    .entry((*word).to_owned())
                    .or_insert_with(|| value.clone());
            }
        }
        arguments
    }

    /// Returns whether the tool lists its arguments and none of them takes filters.
    fn is_direct(&self) -> bool {
        !self.listed.is_empty() && self.own(FILTERS).is_none()
    }

    /// Returns the tool's name for an argument of a plan.
    fn own(&self, word: &str) -> Option<&str> {
        if let Some((own, _)) = self.listed.get_key_value(word) {
            return Some(own);
        }
        let (_, others) = OTHER_WORDS.iter().find(|(known, _)| *known == word)?;
        others
            .iter()
            .find_map(|other| self.listed.keys().find(|own| plain(own) == *other))
            .map(String::as_str)
    }

    /// Returns whether the argument neither pages nor groups nor orders.
    fn selects(&self, name: &str) -> bool {
        let pages = [
            &self.paging.cursors,
            &self.paging.pages,
            &self.paging.offsets,
            &self.paging.sizes,
        ];
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

    /// Returns whether an argument takes values of one type and not of the other.
    fn wants(&self, name: &str, this: &str, not: &str) -> bool {
        let types: Vec<&str> = self.listed.get(name).map(types).unwrap_or_default();
        types.contains(&this) && !types.contains(&not)
    }

    /// Returns the common names of arguments that page, except those that the tool uses for
    /// something else.
    fn unlisted(&self) -> PagingArguments {
        let mut common = PagingArguments::default();
        for names in [&mut common.cursors, &mut common.offsets, &mut common.sizes] {
            names.retain(|name| !self.listed.contains_key(name));
        }
        common
    }
}

/// Checks that the filters of a plan's arguments are a JSON object, or a string of one.
///
/// # Errors
///
/// [`Error::Filters`] with the position in the text.
fn check_filters(arguments: &Object) -> Result<(), Error> {
    match arguments.get(FILTERS) {
        None | Some(Value::Null | Value::Object(_)) => Ok(()),
        Some(Value::String(text)) => parse_filters(text).map(drop),
        Some(other) => parse_filters(&other.to_string()).map(drop),
    }
}

/// Returns whether a value is filters as tools take them: an object, or the JSON text of one.
fn is_conditions(value: &Value) -> bool {
    match value {
        Value::Object(_) => true,
        Value::String(text) => parse_filters(text).is_ok(),
        _ => false,
    }
}

/// Returns the note on a filter that a tool has no argument for.
pub(crate) fn left_out(tool: &str, field: &str) -> String {
    format!("the tool {tool} has no argument for such a filter on `{field}`; it was left out")
}

fn is_empty(value: &Value) -> bool {
    value.is_null() || value.as_str() == Some("")
}

#[cfg(test)]
mod tests;
