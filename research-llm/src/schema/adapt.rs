//! A schema in the dialect of a provider.

mod limits;
mod object;
mod plain;
mod scalar;

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::dialect::{Adapted, Dialect};
use super::merge::{alternatives, is_annotation, is_composition, is_object_root, members, target, types};
use super::note::Notes;
use crate::error::ModelError;
use crate::request::OutputSchema;

use limits::Limits;

/// A schema that grows beyond so many parts is not adapted: it repeats itself.
const PARTS: usize = 20_000;

/// A schema is followed so many levels down, definitions not counted.
const DEPTH: usize = 64;

impl Dialect {
    /// The schema in this dialect.
    ///
    /// # Errors
    /// [`ModelError::InvalidRequest`] with the place when the dialect cannot express the schema: any JSON at all, fields
    /// beside other fields whose names are not known, recursion where it is refused, or a schema beyond the limits. The
    /// schema can then still go [into the prompt](super::into_prompt).
    pub fn adapt(self, schema: &OutputSchema) -> Result<Adapted, ModelError> {
        adapt(self, &schema.schema).map_err(|problem| {
            ModelError::invalid_request(
                format!("the schema `{}` does not fit the provider: {problem}", schema.name),
                None,
            )
        })
    }
}

fn adapt(dialect: Dialect, schema: &Value) -> Result<Adapted, String> {
    if dialect == Dialect::Plain {
        return Ok(Adapted { schema: plain::adapt(schema), wrapped: false });
    }
    let mut walk = Walk {
        root: schema,
        dialect,
        definitions: BTreeMap::new(),
        open: vec!["#".to_owned()],
        limits: Limits::default(),
        parts: 0,
    };
    let adapted = walk.schema(schema, &Place::root())?;
    let wrapped = !is_object_root(schema);
    let mut adapted = if wrapped {
        walk.limits.property("value", false);
        json!({"type": "object", "properties": {"value": adapted}, "required": ["value"], "additionalProperties": false})
    } else {
        adapted
    };
    let definitions = walk.definitions.into_values().filter_map(|(name, schema)| Some((name, schema?)));
    let definitions: Map<String, Value> = definitions.collect();
    walk.limits.check(dialect, &adapted, &definitions)?;
    if let Some(root) = adapted.as_object_mut().filter(|_| !definitions.is_empty()) {
        root.insert("$defs".to_owned(), Value::Object(definitions));
    }
    Ok(Adapted { schema: adapted, wrapped })
}

/// Where in the schema a part is, for errors.
struct Place<'a> {
    outer: Option<&'a Place<'a>>,
    step: &'a str,
    depth: usize,
}

impl<'a> Place<'a> {
    fn root() -> Self {
        Self { outer: None, step: "", depth: 0 }
    }

    fn then(&'a self, step: &'a str) -> Self {
        Self { outer: Some(self), step, depth: self.depth + 1 }
    }

    fn problem(&self, problem: impl AsRef<str>) -> String {
        let mut steps = vec![self.step];
        let mut place = self;
        while let Some(outer) = place.outer {
            steps.push(outer.step);
            place = outer;
        }
        steps.retain(|step| !step.is_empty());
        steps.reverse();
        if steps.is_empty() {
            return format!("at its root, {}", problem.as_ref());
        }
        format!("at `{}`, {}", steps.join("."), problem.as_ref())
    }
}

struct Walk<'a> {
    root: &'a Value,
    dialect: Dialect,
    /// By reference: the new name, and the adapted schema once it is there.
    definitions: BTreeMap<String, (String, Option<Value>)>,
    /// References that are being adapted, outermost first.
    open: Vec<String>,
    limits: Limits,
    parts: usize,
}

impl Walk<'_> {
    fn schema(&mut self, schema: &Value, place: &Place<'_>) -> Result<Value, String> {
        self.parts += 1;
        if self.parts > PARTS || place.depth > DEPTH {
            return Err(place.problem("it goes on without an end"));
        }
        let Value::Object(schema) = schema else {
            return Err(place.problem("any JSON at all is allowed or none"));
        };
        let structure: Vec<_> = schema.keys().map(String::as_str).filter(|key| !is_annotation(key)).collect();
        match structure.as_slice() {
            [] => Err(place.problem("any JSON at all is allowed")),
            ["$ref"] => self.reference(schema, place),
            [keyword @ ("anyOf" | "oneOf")] => self.choice(schema, members(schema, keyword), place),
            keys if keys.iter().any(|key| is_composition(key)) => {
                let mut all = alternatives(self.root, &Value::Object(schema.clone())).map_err(|p| place.problem(p))?;
                if all.len() == 1 {
                    return self.plain(&all.remove(0), place);
                }
                let all: Vec<_> = all.into_iter().map(Value::Object).collect();
                self.choice(schema, &all, place)
            }
            _ => self.plain(schema, place),
        }
    }

    fn reference(&mut self, schema: &Map<String, Value>, place: &Place<'_>) -> Result<Value, String> {
        let reference = schema["$ref"].as_str().unwrap_or_default().to_owned();
        let meant = target(self.root, &schema["$ref"]).map_err(|problem| place.problem(problem))?;
        let is_open = self.open.contains(&reference);
        if is_open && self.dialect == Dialect::Anthropic {
            return Err(place.problem("it holds itself, which the provider refuses"));
        }
        // Providers refuse words beside a reference, so a described one is written out. One that is being written out
        // already goes without them.
        let described = schema.contains_key("description") || place.depth == 0;
        if described && !is_open {
            let mut meant = meant.clone();
            if let (Some(meant), Some(text)) = (meant.as_object_mut(), schema.get("description")) {
                meant.insert("description".to_owned(), text.clone());
            }
            self.open.push(reference);
            let adapted = self.schema(&meant, place);
            self.open.pop();
            return adapted;
        }
        let name = match self.definitions.get(&reference) {
            Some((name, _)) => name.clone(),
            None => {
                let name = self.definition_name(&reference);
                self.definitions.insert(reference.clone(), (name.clone(), None));
                self.open.push(reference.clone());
                let adapted = self.schema(meant, &place.then(&name));
                self.open.pop();
                self.definitions.insert(reference, (name.clone(), Some(adapted?)));
                name
            }
        };
        Ok(json!({"$ref": format!("#/$defs/{name}")}))
    }

    /// A name of letters, digits, `_` and `-` that no other definition has.
    fn definition_name(&self, reference: &str) -> String {
        let last = reference.rsplit('/').next().unwrap_or_default();
        let mut name: String =
            last.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' }).collect();
        if last == "#" {
            name = "root".to_owned();
        }
        while self.definitions.values().any(|(taken, _)| *taken == name) {
            name.push('_');
        }
        name
    }

    fn choice(&mut self, schema: &Map<String, Value>, choices: &[Value], place: &Place<'_>) -> Result<Value, String> {
        let mut all = Vec::with_capacity(choices.len());
        for (index, choice) in choices.iter().enumerate() {
            let step = format!("{{{index}}}");
            match self.schema(choice, &place.then(&step))? {
                Value::Object(mut nested) if nested.len() == 1 && nested.contains_key("anyOf") => {
                    all.extend(
                        nested.remove("anyOf").and_then(|nested| nested.as_array().cloned()).unwrap_or_default(),
                    );
                }
                adapted if !all.contains(&adapted) => all.push(adapted),
                _ => {}
            }
        }
        let mut adapted = match (all.len(), joined_names(&all)) {
            (0, _) => return Err(place.problem("nothing is allowed")),
            (1, _) => all.remove(0).as_object().cloned().unwrap_or_default(),
            (_, Some(names)) => names,
            _ => {
                self.limits.unions += 1;
                Map::from_iter([("anyOf".to_owned(), Value::Array(all))])
            }
        };
        if let Some(text) = schema.get("description").filter(|_| !adapted.contains_key("$ref")) {
            let own = adapted.insert("description".to_owned(), text.clone());
            let mut notes = Notes::default();
            if let Some(Value::String(own)) = own.filter(|own| own != text) {
                notes.say(own);
            }
            notes.write(&mut adapted);
        }
        self.annotate(schema, Notes::default()).write(&mut adapted);
        Ok(Value::Object(adapted))
    }

    fn plain(&mut self, schema: &Map<String, Value>, place: &Place<'_>) -> Result<Value, String> {
        let names = types(schema);
        if let [kind] = names.as_slice() {
            return match *kind {
                "object" => self.object(schema, place),
                "array" => self.array(schema, place),
                kind => self.scalar(schema, json!(kind), place),
            };
        }
        match names.as_slice() {
            [] => Err(place.problem("any JSON at all is allowed")),
            [kind, "null"] | ["null", kind] if !matches!(*kind, "object" | "array") => {
                self.scalar(schema, json!([kind, "null"]), place)
            }
            names => {
                let mut choices = Vec::with_capacity(names.len());
                for name in names {
                    let mut choice = schema.clone();
                    choice.retain(|key, _| !is_annotation(key));
                    choice.insert("type".to_owned(), json!(name));
                    if let Some(Value::Array(values)) = choice.get_mut("enum") {
                        values.retain(|value| super::check::fits(self.root, &json!({"type": name}), value));
                    }
                    if *name == "null" {
                        choice.retain(|key, _| key == "type");
                    }
                    choices.push(Value::Object(choice));
                }
                self.choice(schema, &choices, place)
            }
        }
    }

    /// The words that go over into a description, whatever the schema is of.
    fn annotate(&self, schema: &Map<String, Value>, mut notes: Notes) -> Notes {
        for keyword in ["default", "examples"] {
            if let Some(value) = schema.get(keyword).filter(|value| !value.is_null()) {
                notes.add(keyword, value);
            }
        }
        notes
    }
}

/// Several lists of names as one, their descriptions kept.
fn joined_names(choices: &[Value]) -> Option<Map<String, Value>> {
    let mut names = Vec::new();
    let mut notes = Notes::default();
    for choice in choices {
        let choice = choice.as_object().filter(|choice| choice.get("type").is_some_and(|kind| kind == "string"))?;
        if choice.keys().any(|key| !matches!(key.as_str(), "type" | "const" | "enum" | "description")) {
            return None;
        }
        let own: Vec<_> = choice.get("const").into_iter().chain(members(choice, "enum")).cloned().collect();
        if own.is_empty() {
            return None;
        }
        if let Some(text) = choice.get("description").and_then(Value::as_str) {
            let labels: Vec<_> = own.iter().filter_map(Value::as_str).collect();
            notes.say(format!("{}: {text}", labels.join(", ")));
        }
        names.extend(own);
    }
    let mut joined = Map::from_iter([("type".to_owned(), json!("string")), ("enum".to_owned(), Value::Array(names))]);
    notes.write(&mut joined);
    Some(joined)
}
