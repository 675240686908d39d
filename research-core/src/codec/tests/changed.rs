//! Threads whose state has changed its definition since they were stored.

use serde::{Deserialize, Serialize};

use super::{Record, Small, SmallUpdate, Thread};
use crate::codec::{LoadError, PersistCodec, Restored, load};
use crate::{CodecErrorKind, Persist, State, Update};

#[test]
fn a_field_moves_from_replace_to_append_and_back() {
    #[derive(Clone, Debug, Default, PartialEq, State)]
    #[state(crate = crate)]
    struct Plain {
        n: u64,
        items: Vec<String>,
    }
    let mut plain = Thread::<Plain>::new();
    plain.step([Plain::update().items(["a".to_string(), "b".to_string()])]);
    plain.take();

    let Restored { state, recorder, .. } = load(PersistCodec::of(), &plain.bodies).unwrap();
    let mut grown = Thread::<Small> { state, recorder, bodies: plain.bodies, notes: Vec::new() };
    grown.step([Small::update().n(1).items(["c".to_string()])]);
    assert!(!grown.take().full, "the stored value is built on");
    assert_eq!(grown.load().state, Small { n: 1, items: vec!["a".into(), "b".into(), "c".into()] });

    let Restored { state, recorder, .. } = load(PersistCodec::of(), &grown.bodies).unwrap();
    let mut back = Thread::<Plain> { state, recorder, bodies: grown.bodies, notes: Vec::new() };
    assert_eq!(back.state.items, ["a", "b", "c"]);
    back.step([Plain::update().items(["d".to_string()])]);
    back.take();
    assert_eq!(back.load().state, Plain { n: 1, items: vec!["d".into()] });
}

#[test]
fn fields_that_are_gone_are_named_and_new_ones_keep_their_default() {
    #[derive(Clone, Debug, PartialEq, State)]
    #[state(crate = crate)]
    struct Newer {
        n: u64,
        #[reduce(append)]
        tags: Vec<String>,
    }
    impl Default for Newer {
        fn default() -> Self {
            Self { n: 0, tags: vec!["untagged".into()] }
        }
    }
    let mut old = Thread::<Small>::new();
    old.step([Small::update().n(7).items(["a".to_string()])]);
    old.take();
    let Restored { state, recorder, unknown, .. } = load(PersistCodec::of(), &old.bodies).unwrap();
    assert_eq!(unknown, ["items"]);
    let mut new = Thread::<Newer> { state, recorder, bodies: old.bodies, notes: Vec::new() };
    assert_eq!(new.state, Newer { n: 7, tags: vec!["untagged".into()] });
    new.step([Newer::update().tags(["x".to_string()])]);
    new.take();
    assert_eq!(new.load().state, Newer { n: 7, tags: vec!["untagged".into(), "x".into()] });
}

#[test]
fn changes_by_id_cannot_be_folded_by_another_reducer() {
    #[derive(Clone, Debug, Default, State)]
    #[state(crate = crate)]
    struct Before {
        n: u64,
        #[reduce(by_id)]
        records: Vec<Record>,
    }
    #[derive(Clone, Debug, Default, State)]
    #[state(crate = crate)]
    struct After {
        #[reduce(append)]
        records: Vec<Record>,
    }
    let mut before = Thread::<Before>::new();
    before.take();
    before.step([Before::update().records([Record::default()])]);
    before.take();
    match load::<After>(PersistCodec::of(), &before.bodies) {
        Err(LoadError::Codec(errors)) => {
            let errors: Vec<_> = errors.iter().map(|error| (error.kind(), error.field())).collect();
            assert_eq!(errors, [(CodecErrorKind::OtherReducer, "records")]);
        }
        other => panic!("{:?}", other.map(|restored| restored.state)),
    }
}

#[test]
fn a_value_that_another_shape_was_read_from_is_written_as_a_whole_before_it_grows() {
    /// Reads a text or a list of texts.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    #[serde(from = "OneOrMany")]
    struct Lines(Vec<String>);

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum OneOrMany {
        One(String),
        Many(Vec<String>),
    }

    impl From<OneOrMany> for Lines {
        fn from(lines: OneOrMany) -> Self {
            match lines {
                OneOrMany::One(line) => Self(vec![line]),
                OneOrMany::Many(lines) => Self(lines),
            }
        }
    }

    impl crate::reduce::Append for Lines {
        fn append(&mut self, more: Self) {
            self.0.extend(more.0);
        }
        fn mark(&self) -> usize {
            self.0.len()
        }
        fn take_back(&mut self, mark: usize) -> Self {
            Self(self.0.split_off(mark))
        }
    }

    impl crate::reduce::Tail for Lines {
        fn serialize_tail<Z: serde::Serializer>(&self, mark: usize, serializer: Z) -> Result<Z::Ok, Z::Error> {
            serializer.collect_seq(&self.0[mark..])
        }
    }

    #[derive(Clone, Debug, Default, State)]
    #[state(crate = crate)]
    struct Before {
        lines: String,
    }
    #[derive(Clone, Debug, Default, PartialEq, State)]
    #[state(crate = crate)]
    struct After {
        n: u64,
        #[reduce(append)]
        lines: Lines,
    }
    let mut before = Thread::<Before>::new();
    before.step([Before::update().lines("first")]);
    before.take();
    let Restored { state, recorder, .. } = load(PersistCodec::of(), &before.bodies).unwrap();
    let mut after = Thread::<After> { state, recorder, bodies: before.bodies, notes: Vec::new() };
    for line in ["second", "third"] {
        after.step([After::update().lines(Lines(vec![line.into()]))]);
        after.take();
    }
    assert_eq!(after.load().state.lines, Lines(vec!["first".into(), "second".into(), "third".into()]));
}

#[test]
fn an_update_of_a_field_that_is_gone_or_folds_otherwise_is_refused() {
    #[derive(Clone, Debug, Default, State)]
    #[state(crate = crate)]
    struct Plain {
        items: Vec<String>,
    }
    let written = |update: SmallUpdate| {
        let mut bytes = Vec::new();
        Small::write_update(&update, &mut bytes).unwrap();
        bytes
    };
    let error = Plain::read_update(&written(Small::update().n(1))).unwrap_err();
    assert_eq!((error.kind(), error.field()), (CodecErrorKind::UnknownField, "n"));
    let error = Plain::read_update(&written(Small::update().items(["a".to_string()]))).unwrap_err();
    assert_eq!((error.kind(), error.field()), (CodecErrorKind::OtherReducer, "items"));
    let whole = Plain::read_update(&written(Small::update().set_items(["a".to_string()]))).unwrap();
    assert_eq!(whole.names().collect::<Vec<_>>(), ["items"]);
    let error = Small::read_update(b"no update").unwrap_err();
    assert_eq!(error.kind(), CodecErrorKind::Damaged);
}
