//! States of every spelling can be stored, and deriving one warns of nothing.
#![deny(warnings)]

use std::collections::HashMap;

use research_core::reduce::Identified;
use research_core::{CodecError, CodecErrorKind, FieldSet, Growth, Persist, State, Update};
use serde::{Deserialize, Serialize};

/// A type that nobody else sees.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Secret {
    id: String,
    depth: Option<u8>,
}

impl Identified for Secret {
    fn id(&self) -> &str {
        &self.id
    }
}

/// A type without serde.
#[derive(Clone, Debug, Default, PartialEq)]
struct Handle;

fn join(field: &mut String, parts: Vec<char>) {
    field.extend(parts);
}

/// Names that need care, and a public state of private parts.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub struct Odd {
    r#type: String,
    mark: u8,
    out: u8,
    value: u8,
    update: u8,
    slot: Option<u8>,
    #[reduce(by_id)]
    changes: Vec<Secret>,
    #[reduce(with = join, delta = Vec<char>)]
    joined: String,
    #[reduce(merge)]
    position: HashMap<(u8, u8), Secret>,
    #[reduce(untracked)]
    handle: Option<Handle>,
}

/// No field at all.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub struct Empty {}

/// No field that is stored.
#[derive(Clone, Debug, Default, PartialEq, State)]
struct Loose {
    #[reduce(untracked, append)]
    handles: Vec<Handle>,
}

macro_rules! state {
    ($name:ident, $item:ty, $list:ty) => {
        #[derive(Clone, Debug, Default, PartialEq, State)]
        struct $name {
            one: Option<$item>,
            #[reduce(append)]
            many: $list,
        }
    };
}

state!(Written, Secret, Vec<Secret>);

/// One that refers to itself, and can only run.
#[derive(Clone, Debug, Default, PartialEq, State)]
struct Unstorable {
    #[reduce(append)]
    handles: Vec<Handle>,
    before: Option<Box<Self>>,
}

fn through_bytes<S: Persist>(update: &S::Update) -> Result<S, CodecError> {
    let mut bytes = Vec::new();
    S::write_update(update, &mut bytes)?;
    let mut state = S::default();
    S::read_update(&bytes)?.fold(&mut state, FieldSet::EMPTY);
    Ok(state)
}

#[test]
fn fields_of_any_name_and_types_of_any_place_are_stored() {
    let secret = Secret { id: "a".into(), depth: Some(3) };
    let update = Odd::update()
        .r#type("x")
        .mark(1)
        .out(2)
        .value(3)
        .update(4)
        .slot(5)
        .changes([secret.clone()])
        .joined(vec!['y', 'z'])
        .position([((1, 2), secret.clone())])
        .handle(Handle);
    let stored: Odd = through_bytes(&update).unwrap();
    let position = HashMap::from([((1, 2), secret.clone())]);
    let expected = Odd {
        r#type: "x".into(),
        mark: 1,
        out: 2,
        value: 3,
        update: 4,
        slot: Some(5),
        changes: vec![secret.clone()],
        joined: "yz".into(),
        position,
        handle: None,
    };
    assert_eq!(stored, expected, "all but the untracked field");
    assert_eq!(through_bytes::<Empty>(&Empty::update()).unwrap(), Empty {});
    assert_eq!(through_bytes::<Loose>(&Loose::update().handles([Handle])).unwrap(), Loose::default());
    let written = Written { one: Some(secret.clone()), many: vec![secret] };
    assert_eq!(through_bytes::<Written>(&written.clone().into()).unwrap(), written);
}

#[test]
fn a_state_whose_types_have_no_serde_still_folds() {
    let mut state = Unstorable::default();
    Unstorable::update().handles([Handle]).before(Box::default()).fold(&mut state, FieldSet::EMPTY);
    assert_eq!(state.handles, [Handle]);
}

#[test]
fn each_field_says_how_its_changes_are_stored() {
    let growths: Vec<_> = Odd::FIELDS.iter().map(|field| (field.name, field.growth)).collect();
    assert!(growths.contains(&("type", Growth::Whole)));
    assert!(growths.contains(&("changes", Growth::Changes)));
    assert!(growths.contains(&("joined", Growth::Whole)));
    assert!(growths.contains(&("position", Growth::Merged)));
    assert_eq!(Written::FIELDS[1].growth, Growth::Tail);
}

#[test]
fn a_field_that_does_not_fit_is_named_with_what_to_do() {
    let mut state = Odd::default();
    let error = state.read(1, b"\xa1x").unwrap_err();
    assert_eq!((error.field(), error.kind()), ("mark", CodecErrorKind::Decode));
    let text = error.to_string();
    assert!(text.contains("`mark`") && text.contains("#[serde(default)]"), "{text}");
    assert!(std::error::Error::source(&error).is_some());
    let error = state.read(0, b"\xa2x").unwrap_err();
    assert_eq!((error.field(), error.kind()), ("type", CodecErrorKind::Damaged));
    assert_eq!(state, Odd::default(), "what cannot be read changes nothing");
}
