//! Schemas and results that are made to cost much, beside good ones of the same kinds.

use serde_json::{Map, Value, json};

/// What becomes of the check of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The result matches.
    Matches,
    /// The result does not match.
    Differs,
    /// The schema, or the check, is larger than allowed.
    Unchecked,
    /// Either of the last two: which one it is depends on the validator.
    Invalid,
}

impl Outcome {
    /// Whether it is told in this way.
    pub(super) fn is(self, invalid: Option<&str>) -> bool {
        match (self, invalid) {
            (Self::Matches, None) | (Self::Invalid, Some(_)) => true,
            (Self::Differs, Some(reason)) => !reason.starts_with("it was not checked"),
            (Self::Unchecked, Some(reason)) => reason.starts_with("it was not checked"),
            _ => false,
        }
    }
}

/// A tool: what it promises, what it returns, and what comes of it.
pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) schema: Value,
    pub(super) result: Value,
    pub(super) outcome: Outcome,
}

/// Definitions `d0` to `dN`, each of which applies the next one in this way, used for the member `a`.
fn chain(levels: usize, link: impl Fn(Value) -> Value) -> Value {
    let next = |level: usize| json!({"$ref": format!("#/$defs/d{level}")});
    let mut definitions: Map<String, Value> =
        (0..levels).map(|level| (format!("d{level}"), link(next(level + 1)))).collect();
    definitions.insert(format!("d{levels}"), json!({"type": "object"}));
    json!({"type": "object", "$defs": definitions, "properties": {"a": next(0)}})
}

/// A schema for itself, in this way.
fn looped(link: impl Fn(Value) -> Value) -> Value {
    let Value::Object(mut schema) = link(json!({"$ref": "#"})) else { panic!("a schema is an object") };
    schema.insert("type".to_owned(), json!("object"));
    Value::Object(schema)
}

/// The same inside itself, so many times and without a copy of it.
fn nested(levels: usize, inner: Value, wrap: impl Fn(Value) -> Value) -> Value {
    (0..levels).fold(inner, |inner, _| wrap(inner))
}

/// An object with so many members.
fn many(count: usize, value: impl Fn(usize) -> Value) -> Value {
    Value::Object((0..count).map(|number| (format!("p{number}"), value(number))).collect())
}

fn deep(levels: usize) -> Value {
    nested(levels, json!({}), |inner| json!({"a": inner}))
}

pub(super) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut case = |name, outcome, schema, result| cases.push(Case { name, schema, result, outcome });
    use Outcome::{Differs, Invalid, Matches, Unchecked};

    // References that branch.
    let one = || json!({"a": {"a": 1}});
    case("all_of_30", Unchecked, chain(30, |d| json!({"allOf": [d, d]})), one());
    case("any_of_30", Unchecked, chain(30, |d| json!({"anyOf": [d, d]})), one());
    case("one_of_30", Unchecked, chain(30, |d| json!({"oneOf": [d, d]})), one());
    case("not_30", Unchecked, chain(30, |d| json!({"not": {"allOf": [d, d]}})), one());
    case("if_30", Unchecked, chain(30, |d| json!({"if": d, "then": d, "else": d})), one());
    case("items_30", Unchecked, chain(30, |d| json!({"items": d, "contains": d})), one());
    case("prefix_30", Unchecked, chain(30, |d| json!({"prefixItems": [d, d]})), one());
    case("members_30", Unchecked, chain(30, |d| json!({"properties": {"a": d, "b": d}})), one());
    case("patterns_30", Unchecked, chain(30, |d| json!({"patternProperties": {"a": d, "b": d}})), one());
    case("dependent_30", Unchecked, chain(30, |d| json!({"dependentSchemas": {"a": d, "b": d}})), one());
    case("names_30", Unchecked, chain(30, |d| json!({"propertyNames": d, "additionalProperties": d})), one());
    case("rest_30", Unchecked, chain(30, |d| json!({"unevaluatedProperties": d, "anyOf": [d]})), one());
    case("wide_8", Unchecked, chain(8, |d| json!({"allOf": vec![d; 20]})), one());
    case("all_of_8", Matches, chain(8, |d| json!({"allOf": [d, d]})), one());

    // Schemas that refer to themselves.
    let items = |d| json!({"properties": {"children": {"type": "array", "items": d}}});
    case("tree", Matches, looped(items), nested(50, json!({}), |inner| json!({"children": [inner]})));
    case("tree_wrong", Differs, looped(items), nested(50, json!(1), |inner| json!({"children": [inner]})));
    case("twice_all", Unchecked, looped(|d| json!({"properties": {"a": {"allOf": [d, d]}}})), deep(100));
    case("twice_any", Unchecked, looped(|d| json!({"properties": {"a": {"anyOf": [d, d]}}})), deep(100));
    case("twice_one", Unchecked, looped(|d| json!({"properties": {"a": {"oneOf": [d, d]}}})), deep(100));
    case("twice_not", Unchecked, looped(|d| json!({"properties": {"a": {"not": {"anyOf": [d, d]}}}})), deep(100));
    case("twice_if", Unchecked, looped(|d| json!({"properties": {"a": {"if": d, "then": d}}})), deep(100));
    case(
        "twice_named",
        Unchecked,
        looped(|d| json!({"properties": {"a": d}, "patternProperties": {"a": d}})),
        deep(100),
    );
    case("twice_rest", Unchecked, looped(|d| json!({"properties": {"a": d}, "unevaluatedProperties": d})), deep(100));
    case("twice_small", Matches, looped(|d| json!({"properties": {"a": {"allOf": [d, d]}}})), deep(5));
    case("at_once", Unchecked, json!({"type": "object", "$ref": "#"}), json!({}));
    case("at_once_not", Unchecked, json!({"type": "object", "not": {"$ref": "#"}}), json!({}));
    case("at_once_all", Unchecked, json!({"type": "object", "allOf": [{"$ref": "#"}]}), json!({}));
    let round = json!({"x": {"$ref": "#/$defs/y"}, "y": {"$ref": "#/$defs/x"}});
    case("round", Unchecked, json!({"type": "object", "$defs": round, "$ref": "#/$defs/x"}), json!({}));
    let dynamic = json!({"type": "object", "$dynamicAnchor": "n", "properties": {"a": {"allOf": [
        {"$dynamicRef": "#n"}, {"$dynamicRef": "#n"}]}}});
    case("dynamic", Unchecked, dynamic, deep(100));

    // Many parts.
    let text = |_| json!({"type": "string"});
    case("members_24000", Unchecked, json!({"type": "object", "properties": many(24_000, text)}), json!({}));
    case(
        "members_3000",
        Matches,
        json!({"type": "object", "properties": many(3_000, text)}),
        many(3_000, |_| json!("x")),
    );
    let required: Vec<String> = (0..15_000).map(|number| format!("p{number}")).collect();
    let required = json!({"type": "object", "properties": {"a": {"items": {"required": required}}}});
    case("required", Unchecked, required, json!({"a": vec![json!({}); 10_000]}));
    let lists = json!({"type": "object", "dependentRequired": many(5_000, |_| json!(["x"]))});
    case("dependent_required", Differs, lists, many(5_000, |_| json!(1)));
    let choices = json!({"type": "object", "properties": {"a": {"items": {"enum": vec![json!([1, 2]); 4_000]}}}});
    case("choices", Unchecked, choices, json!({"a": vec![json!([1, 3]); 10_000]}));
    let branches: Vec<Value> = (0..2_000).map(|number| json!({"required": [format!("p{number}")]})).collect();
    case("any_of_2000", Differs, json!({"type": "object", "anyOf": branches}), json!({}));
    let branches: Vec<Value> = (0..2_000).map(|number| json!({"minProperties": number})).collect();
    let branches = json!({"type": "object", "properties": {"a": {"items": {"oneOf": branches}}}});
    case("one_of_2000", Unchecked, branches, json!({"a": vec![json!({}); 20_000]}));

    // Patterns.
    let pattern = |pattern: &str| json!({"type": "object", "properties": {"a": {"pattern": pattern}}});
    let long = || json!({"a": "a".repeat(900_000)});
    case("backtracking", Differs, pattern("^(a+)+$"), json!({"a": format!("{}!", "a".repeat(50_000))}));
    case("back_reference", Unchecked, pattern("(a+)\\1$"), json!({"a": "aaa"}));
    case("look_around", Unchecked, pattern("(?=(a+))a*b"), json!({"a": "aaa"}));
    case("repeated", Unchecked, pattern("((a{100}){100}){100}"), json!({"a": "a"}));
    case("states", Differs, pattern("(a|b)*c(a|b){200}$"), long());
    case("long_pattern", Unchecked, pattern(&"a".repeat(100_000)), json!({"a": "a"}));
    case("unclosed", Unchecked, pattern("(a"), json!({"a": "a"}));
    let patterns = json!({"type": "object", "patternProperties": many(60, |_| json!(true))});
    case("names_60", Matches, patterns, many(5_000, |_| json!(1)));
    let patterns =
        json!({"type": "object", "properties": many(500, |number| json!({"pattern": format!("a{number}")}))});
    case("patterns_500", Unchecked, patterns, json!({}));

    // Depth, and long texts and lists.
    case("depth_100", Matches, json!({"type": "object"}), deep(100));
    let links = nested(40, json!({"type": "object"}), |inner| json!({"allOf": [inner]}));
    case("links_40", Matches, links, json!({}));
    let ends = json!({"type": "object", "$defs": many(5_000, |number| json!({"$ref": format!("#/$defs/p{}", number + 1)})),
        "$ref": "#/$defs/p0"});
    case("chain_5000", Unchecked, ends, json!({}));
    let text = json!({"type": "object", "properties": {"a": {"type": "string", "maxLength": 10}}});
    case("one_long_line", Differs, text, json!({"a": "x\n".repeat(300_000)}));
    let unique = json!({"type": "object", "properties": {"a": {"uniqueItems": true}}});
    case("unique", Matches, unique, json!({"a": (0..100_000).collect::<Vec<u32>>()}));
    let unique = looped(|d| json!({"properties": {"a": d}, "uniqueItems": true}));
    case("unique_deep", Matches, unique, deep(100));
    let numbers = json!({"type": "object", "properties": {"a": {"items": {"type": "string"}}}});
    case("all_wrong", Differs, numbers, json!({"a": vec![1; 200_000]}));
    let either = json!({"type": "object", "properties": {"a": {"anyOf": [{"items": {"type": "string"}}, {"items": {"type": "null"}}]}}});
    case("all_wrong_twice", Invalid, either, json!({"a": vec![1; 200_000]}));
    let again = nested(
        40,
        json!({"unevaluatedProperties": true}),
        |inner| json!({"allOf": [inner], "unevaluatedProperties": true}),
    );
    case("evaluated_again", Unchecked, json!({"type": "object", "allOf": [again]}), json!({"a": 1}));
    let again =
        nested(40, json!({"unevaluatedItems": true}), |inner| json!({"anyOf": [inner], "unevaluatedItems": true}));
    case("items_again", Unchecked, json!({"type": "object", "properties": {"a": again}}), json!({"a": [1]}));

    // What is not there, or not what it seems.
    case("elsewhere", Unchecked, json!({"type": "object", "$ref": "http://127.0.0.1:1/a.json"}), json!({}));
    case("a_file", Unchecked, json!({"type": "object", "$ref": "file:///etc/passwd"}), json!({}));
    case("no_type", Unchecked, json!({"type": "object", "properties": {"a": {"type": "no such type"}}}), json!({}));
    let named = json!({"type": "object", "properties": {"a": {"$id": "http://a.example/b", "allOf": [{"$ref": "#"}]}}});
    case("named", Unchecked, named, json!({}));
    let dialect = json!({"type": "object", "$schema": "http://json-schema.org/draft-04/schema#", "properties": {"a": {"format": "regex"}}});
    case("format", Matches, dialect, json!({"a": "((a{1000}){1000}){1000}"}));

    cases
}
