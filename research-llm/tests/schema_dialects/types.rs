//! Types with everything that serde and schemars make of a type, and their values.

use std::collections::BTreeMap;

use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Level {
    /// Hardly any.
    Low,
    High,
    VeryHigh,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Contact {
    /// Full name.
    pub(crate) name: String,
    pub(crate) phone: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) tags: Vec<String>,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) visits: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands the field over by reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum Shape {
    Point,
    Circle {
        radius: u8,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        label: Option<String>,
    },
    Of(Contact),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) enum Outer {
    Nothing,
    Text(String),
    Pair(u8, bool),
    Fields { a: Option<i32>, b: BTreeMap<String, Level> },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "t", content = "c")]
pub(crate) enum Adjacent {
    A(u16),
    B { x: String },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Loose {
    Text(String),
    Number(i32),
    Point { x: i8, y: i8 },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Flat {
    pub(crate) id: u64,
    #[serde(flatten)]
    pub(crate) contact: Contact,
    #[serde(flatten)]
    pub(crate) shape: Adjacent,
}

/// All of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Everything {
    pub(crate) level: Option<Level>,
    /// Which one it is.
    pub(crate) shape: Shape,
    pub(crate) outer: Vec<Outer>,
    pub(crate) loose: Loose,
    pub(crate) flat: Flat,
    pub(crate) by_name: BTreeMap<String, Contact>,
    pub(crate) by_number: BTreeMap<u8, bool>,
    pub(crate) by_level: BTreeMap<Level, String>,
    pub(crate) pair: (i32, String),
    pub(crate) fixed: [bool; 2],
    pub(crate) contact: Option<Contact>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) nested: BTreeMap<String, BTreeMap<String, Vec<u8>>>,
}

/// A type that holds itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Expr {
    Number(i32),
    Sum(Vec<Expr>),
    Not { of: Box<Expr>, note: Option<String> },
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![Just("value".to_owned()), Just(String::new()), "[a-zä]{1,4}"]
}

fn level() -> impl Strategy<Value = Level> {
    prop_oneof![Just(Level::Low), Just(Level::High), Just(Level::VeryHigh)]
}

pub(crate) fn contact() -> impl Strategy<Value = Contact> {
    (text(), option::of(text()), vec(text(), 0..3), 0..3_u32).prop_map(|(name, phone, tags, visits)| Contact {
        name,
        phone,
        tags,
        visits,
    })
}

pub(crate) fn shape() -> impl Strategy<Value = Shape> {
    prop_oneof![
        Just(Shape::Point),
        (any::<u8>(), option::of(text())).prop_map(|(radius, label)| Shape::Circle { radius, label }),
        contact().prop_map(Shape::Of),
    ]
}

fn outer() -> impl Strategy<Value = Outer> {
    prop_oneof![
        Just(Outer::Nothing),
        text().prop_map(Outer::Text),
        (any::<u8>(), any::<bool>()).prop_map(|(a, b)| Outer::Pair(a, b)),
        (option::of(any::<i32>()), btree_map(text(), level(), 0..3)).prop_map(|(a, b)| Outer::Fields { a, b }),
    ]
}

fn adjacent() -> impl Strategy<Value = Adjacent> {
    prop_oneof![any::<u16>().prop_map(Adjacent::A), text().prop_map(|x| Adjacent::B { x })]
}

fn loose() -> impl Strategy<Value = Loose> {
    prop_oneof![
        text().prop_map(Loose::Text),
        any::<i32>().prop_map(Loose::Number),
        (any::<i8>(), any::<i8>()).prop_map(|(x, y)| Loose::Point { x, y }),
    ]
}

fn flat() -> impl Strategy<Value = Flat> {
    (any::<u64>(), contact(), adjacent()).prop_map(|(id, contact, shape)| Flat { id, contact, shape })
}

pub(crate) fn everything() -> impl Strategy<Value = Everything> {
    let maps = (
        btree_map(text(), contact(), 0..3),
        btree_map(any::<u8>(), any::<bool>(), 0..3),
        btree_map(level(), text(), 0..3),
        btree_map(text(), btree_map(text(), vec(any::<u8>(), 0..2), 0..2), 0..2),
    );
    let rest = ((any::<i32>(), text()), any::<[bool; 2]>(), option::of(contact()));
    (option::of(level()), shape(), vec(outer(), 0..3), loose(), flat(), maps, rest).prop_map(
        |(level, shape, outer, loose, flat, (by_name, by_number, by_level, nested), (pair, fixed, contact))| {
            Everything { level, shape, outer, loose, flat, by_name, by_number, by_level, pair, fixed, contact, nested }
        },
    )
}

pub(crate) fn expr() -> impl Strategy<Value = Expr> {
    any::<i32>().prop_map(Expr::Number).prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Expr::Sum),
            (inner, option::of(text())).prop_map(|(of, note)| Expr::Not { of: Box::new(of), note }),
        ]
    })
}
