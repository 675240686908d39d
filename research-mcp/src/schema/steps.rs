//! Counts the steps of a check before it is made.
//!
//! A schema that refers to itself twice is small, and a result that is nested deeply is small too, but to check one against the
//! other takes 2^100 steps, which nothing can stop once it runs. So the check is first rehearsed: the same subschemas are applied
//! to the same parts of the result without looking at what they demand, each time as a step, up to a limit.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::reference::References;

/// Maximum number of steps of a check.
const STEPS: u64 = 2_000_000;

/// Maximum number of subschemas and parts of a result inside each other. The stack of the check is made for it.
const DEPTH: usize = 1_200;

/// Number of bytes of a string, times bytes of a pattern, that are matched in one step.
const MATCHED: u64 = 64;

/// Number of bytes that are compared or counted in one step.
const COMPARED: u64 = 64;

/// How long a check takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    /// Subschemas that are applied, and what they compare.
    pub(super) steps: u64,
    /// The most of them inside each other.
    pub(super) depth: usize,
}

/// A part of a result that a schema is applied to.
#[derive(Clone, Copy)]
enum Part<'v> {
    Value(&'v Value),
    /// The name of a property.
    Name(&'v str),
}

impl<'v> Part<'v> {
    fn text(self) -> Option<&'v str> {
        match self {
            Self::Name(name) => Some(name),
            Self::Value(value) => value.as_str(),
        }
    }

    fn members(self) -> Option<&'v Map<String, Value>> {
        match self {
            Self::Name(_) => None,
            Self::Value(value) => value.as_object(),
        }
    }

    fn items(self) -> Option<&'v [Value]> {
        match self {
            Self::Name(_) => None,
            Self::Value(value) => value.as_array().map(Vec::as_slice),
        }
    }
}

/// The place of a subschema in a plan.
type Place = usize;

/// What a check applies, without what it demands.
pub(super) struct Plan {
    schemas: Vec<Applied>,
    /// The values of the whole schema.
    nodes: u64,
}

/// What a subschema applies, by the place of other subschemas.
#[derive(Default)]
struct Applied {
    /// Its keywords, and the names that they list.
    keywords: u64,
    /// The length of its pattern.
    pattern: Option<u64>,
    /// The values that it compares with.
    choices: u64,
    is_unique: bool,
    /// Whether it looks for what other keywords have not evaluated.
    evaluates: bool,
    here: Vec<Place>,
    /// The same, when there is a member of the name.
    dependent: Vec<(String, Place)>,
    properties: HashMap<String, Place>,
    /// For names that match a pattern of the length.
    patterns: Vec<(u64, Place)>,
    names: Option<Place>,
    additional: Option<Place>,
    other_members: Option<Place>,
    first_items: Vec<Place>,
    items: Vec<Place>,
    other_items: Option<Place>,
}

impl Plan {
    /// Reads a schema whose size is within the limits.
    ///
    /// # Errors
    ///
    /// What it refers to that is not in it.
    pub(super) fn read(schema: &Value) -> Result<Self, String> {
        let mut reader = Reader { references: References::read(schema)?, places: HashMap::new(), schemas: Vec::new() };
        reader.place(schema)?;
        Ok(Self { schemas: reader.schemas, nodes: nodes(schema) })
    }

    /// Counts the steps of the check of a value.
    ///
    /// # Errors
    ///
    /// Which limit the check exceeds.
    pub(super) fn steps(&self, value: &Value) -> Result<Extent, String> {
        let mut rehearsal = Rehearsal { plan: self, extent: Extent { steps: 0, depth: 0 } };
        rehearsal.apply(0, Part::Value(value), 0)?;
        Ok(rehearsal.extent)
    }
}

/// Reads each part of a schema once.
struct Reader<'s> {
    references: References<'s>,
    places: HashMap<*const Value, Place>,
    schemas: Vec<Applied>,
}

impl<'s> Reader<'s> {
    fn place(&mut self, schema: &'s Value) -> Result<Place, String> {
        if let Some(place) = self.places.get(&std::ptr::from_ref(schema)) {
            return Ok(*place);
        }
        let place = self.schemas.len();
        self.places.insert(schema, place);
        self.schemas.push(Applied::default());
        if let Value::Object(keywords) = schema {
            self.schemas[place] = self.applied(keywords)?;
        }
        Ok(place)
    }

    fn all(&mut self, schemas: impl IntoIterator<Item = &'s Value>) -> Result<Vec<Place>, String> {
        schemas.into_iter().map(|schema| self.place(schema)).collect()
    }

    fn applied(&mut self, schema: &'s Map<String, Value>) -> Result<Applied, String> {
        let mut applied = Applied { keywords: schema.len() as u64, ..Applied::default() };
        applied.here = self.all(self.references.of(schema)?)?;

        for (keyword, value) in schema {
            match (keyword.as_str(), value) {
                ("allOf" | "anyOf" | "oneOf", Value::Array(schemas)) => applied.here.extend(self.all(schemas)?),
                ("not" | "if" | "then" | "else", schema) => applied.here.push(self.place(schema)?),
                ("dependentSchemas" | "dependencies", Value::Object(schemas)) => {
                    for (name, schema) in schemas {
                        match schema {
                            Value::Array(names) => applied.keywords += names.len() as u64,
                            schema => applied.dependent.push((name.clone(), self.place(schema)?)),
                        }
                    }
                }
                ("dependentRequired", Value::Object(lists)) => {
                    applied.keywords +=
                        lists.values().map(|list| list.as_array().map_or(1, Vec::len) as u64).sum::<u64>();
                }
                ("required", Value::Array(names)) => applied.keywords += names.len() as u64,

                ("properties", Value::Object(schemas)) => {
                    for (name, schema) in schemas {
                        applied.properties.insert(name.clone(), self.place(schema)?);
                    }
                }
                ("patternProperties", Value::Object(schemas)) => {
                    for (pattern, schema) in schemas {
                        applied.patterns.push((pattern.len() as u64, self.place(schema)?));
                    }
                }
                ("propertyNames", schema) => applied.names = Some(self.place(schema)?),
                ("additionalProperties", schema) => applied.additional = Some(self.place(schema)?),
                ("unevaluatedProperties", schema) => applied.other_members = Some(self.place(schema)?),

                // Before 2020 `items` had the schemas of the first ones.
                ("prefixItems" | "items", Value::Array(schemas)) => applied.first_items = self.all(schemas)?,
                ("items" | "additionalItems" | "contains", schema) => applied.items.push(self.place(schema)?),
                ("unevaluatedItems", schema) => applied.other_items = Some(self.place(schema)?),

                ("pattern", Value::String(pattern)) => applied.pattern = Some(pattern.len() as u64),
                ("enum", Value::Array(choices)) => applied.choices += choices.len() as u64,
                ("const", _) => applied.choices += 1,
                ("uniqueItems", Value::Bool(is_unique)) => applied.is_unique = *is_unique,
                _ => {}
            }
        }
        applied.evaluates = applied.other_members.is_some() || applied.other_items.is_some();
        Ok(applied)
    }
}

struct Rehearsal<'p> {
    plan: &'p Plan,
    extent: Extent,
}

impl<'p> Rehearsal<'p> {
    fn take(&mut self, steps: u64) -> Result<(), String> {
        self.extent.steps = self.extent.steps.saturating_add(steps);
        if self.extent.steps > STEPS {
            return Err(format!("to check the result against it takes more than {STEPS} steps"));
        }
        Ok(())
    }

    fn enter(&mut self, place: Place, depth: usize) -> Result<&'p Applied, String> {
        if depth >= DEPTH {
            return Err(format!("to check the result against it goes more than {DEPTH} levels deep"));
        }
        self.extent.depth = self.extent.depth.max(depth);
        Ok(&self.plan.schemas[place])
    }

    /// Applies a schema to a part of the result.
    fn apply(&mut self, place: Place, part: Part<'_>, depth: usize) -> Result<(), String> {
        let schema = self.enter(place, depth)?;
        self.compare(schema, part)?;

        self.in_place(schema, part, |this, other| this.apply(other, part, depth + 1))?;
        if let Some(members) = part.members() {
            self.members(schema, members, depth + 1)?;
        }
        if let Some(items) = part.items() {
            self.items(schema, items, depth + 1)?;
        }
        // What the other keywords have looked at is found out by applying them again.
        if schema.evaluates { self.evaluated(place, part, depth + 1) } else { Ok(()) }
    }

    /// Looks for what a schema evaluates.
    fn evaluated(&mut self, place: Place, part: Part<'_>, depth: usize) -> Result<(), String> {
        let schema = self.enter(place, depth)?;
        self.take(1 + part.members().map_or(0, |members| members.len() as u64))?;

        self.in_place(schema, part, |this, other| {
            this.apply(other, part, depth + 1)?;
            this.evaluated(other, part, depth + 1)
        })?;
        if let (Some(other), Some(members)) = (schema.other_members, part.members()) {
            for value in members.values() {
                self.apply(other, Part::Value(value), depth + 1)?;
            }
        }
        if let (Some(other), Some(items)) = (schema.other_items, part.items()) {
            for value in items {
                self.apply(other, Part::Value(value), depth + 1)?;
            }
        }
        Ok(())
    }

    /// Takes the steps of the keywords that compare.
    fn compare(&mut self, schema: &Applied, part: Part<'_>) -> Result<(), String> {
        self.take(1 + schema.keywords)?;

        let is_nested = part.members().is_some() || part.items().is_some();
        let compared = if is_nested && schema.choices > 0 { self.plan.nodes } else { schema.choices };
        self.take(compared)?;
        if let Some(text) = part.text() {
            let length = text.len() as u64;
            self.take(length / COMPARED + schema.pattern.map_or(0, |pattern| matched(pattern, length)))?;
        }
        match part {
            Part::Value(value) if schema.is_unique && is_nested => self.take(nodes(value).saturating_mul(4)),
            _ => Ok(()),
        }
    }

    /// Does this with the schemas that a schema applies to the same part.
    fn in_place(
        &mut self,
        schema: &Applied,
        part: Part<'_>,
        mut each: impl FnMut(&mut Self, Place) -> Result<(), String>,
    ) -> Result<(), String> {
        for other in &schema.here {
            each(self, *other)?;
        }
        if let Some(members) = part.members() {
            for (name, other) in &schema.dependent {
                self.take(1)?;
                if members.contains_key(name) {
                    each(self, *other)?;
                }
            }
        }
        Ok(())
    }

    /// Applies the keywords for the members of an object.
    fn members(&mut self, schema: &Applied, members: &Map<String, Value>, depth: usize) -> Result<(), String> {
        let others = [schema.names, schema.additional, schema.other_members];
        if others.iter().all(Option::is_none) && schema.patterns.is_empty() && schema.properties.is_empty() {
            return Ok(());
        }

        // Those that are named and absent are looked for.
        self.take(schema.properties.len() as u64)?;
        for (name, value) in members {
            self.take(1)?;
            let own = schema.properties.get(name).copied();
            let additional = schema.additional.filter(|_| own.is_none());
            for other in [own, additional, schema.other_members].into_iter().flatten() {
                self.apply(other, Part::Value(value), depth)?;
            }
            if let Some(other) = schema.names {
                self.apply(other, Part::Name(name), depth)?;
            }
            for (pattern, other) in &schema.patterns {
                self.take(matched(*pattern, name.len() as u64))?;
                self.apply(*other, Part::Value(value), depth)?;
            }
        }
        Ok(())
    }

    /// Applies the keywords for the items of an array.
    fn items(&mut self, schema: &Applied, items: &[Value], depth: usize) -> Result<(), String> {
        if schema.first_items.is_empty() && schema.items.is_empty() && schema.other_items.is_none() {
            return Ok(());
        }

        for (index, value) in items.iter().enumerate() {
            self.take(1)?;
            let own = schema.first_items.get(index).into_iter();
            for other in own.chain(&schema.items).chain(&schema.other_items) {
                self.apply(*other, Part::Value(value), depth)?;
            }
        }
        Ok(())
    }
}

/// Returns the steps of matching a pattern.
fn matched(pattern: u64, length: u64) -> u64 {
    1 + pattern.saturating_mul(length) / MATCHED
}

/// Counts the values in a value, with its strings as long as they are.
fn nodes(value: &Value) -> u64 {
    let mut count = 0_u64;
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        count += 1;
        match value {
            Value::String(text) => count += text.len() as u64 / COMPARED,
            Value::Array(items) => open.extend(items),
            Value::Object(members) => open.extend(members.values()),
            _ => {}
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn counted(schema: &Value, value: &Value) -> Result<Extent, String> {
        Plan::read(schema)?.steps(value)
    }

    /// Returns a value that is nested so deeply.
    fn nested(levels: usize, wrap: impl Fn(Value) -> Value) -> Value {
        (0..levels).fold(json!(1), |inner, _| wrap(inner))
    }

    #[test]
    fn a_schema_that_refers_to_itself_costs_what_the_result_makes_of_it() {
        let tree = json!({"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#"}}}});
        let deep = nested(60, |inner| json!({"children": [inner]}));
        let wide = json!({"children": vec![json!({"children": []}); 1_000]});

        assert!(counted(&tree, &deep).unwrap().steps < 2_000);
        assert!(counted(&tree, &wide).unwrap().steps < 20_000);
    }

    #[test]
    fn a_schema_that_refers_to_itself_twice_is_refused_for_deep_results_only() {
        let twice = json!({"$ref": "#"});
        for schema in [
            json!({"properties": {"a": {"allOf": [twice, twice]}}}),
            json!({"properties": {"a": twice}, "patternProperties": {"a": twice}}),
            json!({"unevaluatedProperties": twice, "additionalProperties": twice}),
            json!({"anyOf": [{"properties": {"a": twice}}, {"properties": {"a": twice}}]}),
        ] {
            let reason = counted(&schema, &nested(100, |inner| json!({"a": inner}))).unwrap_err();
            assert!(reason.contains("steps"), "{schema}: {reason}");
            assert!(counted(&schema, &nested(5, |inner| json!({"a": inner}))).is_ok(), "{schema}");
        }
    }

    #[test]
    fn a_schema_that_never_gets_on_is_refused() {
        for schema in [json!({"$ref": "#"}), json!({"not": {"$ref": "#"}}), json!({"allOf": [{"$ref": "#"}]})] {
            let reason = counted(&schema, &json!(1)).unwrap_err();
            assert!(reason.contains("levels deep"), "{schema}: {reason}");
        }
    }

    #[test]
    fn what_is_compared_and_matched_counts() {
        let long = json!(vec!["x".repeat(100_000); 100]);
        let pattern = json!({"items": {"pattern": "x".repeat(500)}});
        assert!(counted(&pattern, &long).unwrap_err().contains("steps"));
        assert!(counted(&json!({"items": {"pattern": "x"}}), &long).is_ok());

        let many = json!(vec![json!([1]); 100_000]);
        let choices = json!({"items": {"enum": vec![json!([2]); 1_000]}});
        assert!(counted(&choices, &many).unwrap_err().contains("steps"));
    }

    /// Each level looks again for what the levels in it have evaluated.
    #[test]
    fn what_is_evaluated_again_and_again_counts() {
        let schema = nested(40, |inner| match inner {
            Value::Object(_) => json!({"allOf": [inner], "unevaluatedProperties": true}),
            _ => json!({"unevaluatedProperties": true}),
        });
        assert!(counted(&schema, &json!({"a": 1})).unwrap_err().contains("steps"));
    }
}
