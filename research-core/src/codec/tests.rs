//! What a recorder writes is read back, whatever was folded, and costs what it should.

mod changed;

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use proptest::collection::{btree_map, btree_set, vec};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

use super::recorder::Taken;
use super::{PersistCodec, Recorder, Restored, load};
use crate::reduce::{Change, Identified};
use crate::{CodecErrorKind, FieldSet, Log, Persist, State, Update};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Record {
    id: String,
    text: String,
}

impl Identified for Record {
    fn id(&self) -> &str {
        &self.id
    }
}

fn mix(field: &mut u32, delta: u8) {
    *field = field.wrapping_mul(31).wrapping_add(u32::from(delta) + 1);
}

/// A field for every way of storing one.
#[derive(Clone, Debug, Default, PartialEq, State)]
#[state(crate = crate)]
struct All {
    plain: Vec<u8>,
    maybe: Option<u8>,
    #[reduce(last)]
    last: String,
    #[reduce(append)]
    list: Vec<String>,
    #[reduce(append)]
    deque: VecDeque<u8>,
    #[reduce(append)]
    text: String,
    #[reduce(append)]
    log: Log<u16>,
    #[reduce(append)]
    optional: Option<Vec<u8>>,
    #[reduce(append, ephemeral)]
    signals: Vec<u8>,
    #[reduce(ephemeral)]
    signal: Option<u8>,
    #[reduce(merge, ephemeral)]
    flash: BTreeSet<u8>,
    #[reduce(merge)]
    map: BTreeMap<u8, u8>,
    #[reduce(merge)]
    table: HashMap<String, u8>,
    #[reduce(merge)]
    set: BTreeSet<u8>,
    #[reduce(add)]
    sum: u64,
    #[reduce(by_id)]
    records: Vec<Record>,
    #[reduce(with = mix, delta = u8)]
    mixed: u32,
    #[reduce(append, untracked)]
    secret: Vec<u8>,
    #[reduce(untracked)]
    hidden: u8,
}

/// What happens to a thread.
#[derive(Clone, Debug)]
enum Event {
    /// A step of several tasks, each of which writes and overwrites.
    Step(Vec<(Vec<Write>, bool)>),
    Note(Vec<u8>),
    ClearNotes,
    Take,
    /// The process ends after a take, and another one goes on.
    Reopen,
    ForceFull,
}

#[derive(Clone, Debug)]
enum Write {
    Plain(Vec<u8>),
    Maybe(Option<u8>),
    Last(String),
    List(Vec<String>),
    Deque(Vec<u8>),
    Text(String),
    Log(Vec<u16>),
    Optional(Option<Vec<u8>>),
    Signals(Vec<u8>),
    Signal(u8),
    Flash(BTreeSet<u8>),
    Map(BTreeMap<u8, u8>),
    Table(BTreeMap<String, u8>),
    Set(BTreeSet<u8>),
    Sum(u8),
    Put(Vec<Record>),
    Remove(u8),
    Mixed(u8),
    Secret(Vec<u8>),
}

fn apply(update: AllUpdate, write: Write, overwrite: bool) -> AllUpdate {
    match (write, overwrite) {
        (Write::Plain(value), _) => update.plain(value),
        (Write::Maybe(Some(value)), _) => update.maybe(value),
        (Write::Maybe(None), _) => update.clear_maybe(),
        (Write::Last(value), _) => update.last(value),
        (Write::List(value), false) => update.list(value),
        (Write::List(value), true) => update.set_list(value),
        (Write::Deque(value), false) => update.deque(value),
        (Write::Deque(value), true) => update.set_deque(value),
        (Write::Text(value), false) => update.text(value),
        (Write::Text(value), true) => update.set_text(value),
        (Write::Log(value), false) => update.log(value),
        (Write::Log(value), true) => update.set_log(value),
        (Write::Optional(value), false) => update.optional(value),
        (Write::Optional(value), true) => update.set_optional(value),
        (Write::Signals(value), false) => update.signals(value),
        (Write::Signals(value), true) => update.set_signals(value),
        (Write::Signal(value), _) => update.signal(value),
        (Write::Flash(value), false) => update.flash(value),
        (Write::Flash(value), true) => update.set_flash(value),
        (Write::Map(value), false) => update.map(value),
        (Write::Map(value), true) => update.set_map(value),
        (Write::Table(value), false) => update.table(value.into_iter().collect::<HashMap<_, _>>()),
        (Write::Table(value), true) => update.set_table(value.into_iter().collect::<HashMap<_, _>>()),
        (Write::Set(value), false) => update.set(value),
        (Write::Set(value), true) => update.set_set(value),
        (Write::Sum(value), false) => update.sum(u64::from(value)),
        (Write::Sum(value), true) => update.set_sum(u64::from(value)),
        (Write::Put(value), false) => update.records(value),
        (Write::Put(value), true) => update.set_records(value),
        (Write::Remove(value), _) => update.remove_records(value.to_string()),
        (Write::Mixed(value), false) => update.mixed(value),
        (Write::Mixed(value), true) => update.set_mixed(u32::from(value)),
        (Write::Secret(value), _) => update.secret(value.clone()).hidden(value.len() as u8),
    }
}

fn write() -> impl Strategy<Value = Write> {
    let bytes = || vec(any::<u8>(), 0..5);
    let texts = || vec("[a-zé]{0,6}", 0..4);
    let small = || 0..5_u8;
    prop_oneof![
        bytes().prop_map(Write::Plain),
        any::<Option<u8>>().prop_map(Write::Maybe),
        "[a-zé]{0,6}".prop_map(Write::Last),
        texts().prop_map(Write::List),
        bytes().prop_map(Write::Deque),
        "[a-zé]{0,6}".prop_map(Write::Text),
        vec(any::<u16>(), 0..90).prop_map(Write::Log),
        proptest::option::of(bytes()).prop_map(Write::Optional),
        bytes().prop_map(Write::Signals),
        any::<u8>().prop_map(Write::Signal),
        btree_set(small(), 0..3).prop_map(Write::Flash),
        btree_map(small(), any::<u8>(), 0..3).prop_map(Write::Map),
        btree_map("[a-c]", any::<u8>(), 0..3).prop_map(Write::Table),
        btree_set(small(), 0..3).prop_map(Write::Set),
        any::<u8>().prop_map(Write::Sum),
        vec((small(), "[a-z]{0,4}"), 0..3).prop_map(|records| {
            Write::Put(records.into_iter().map(|(id, text)| Record { id: id.to_string(), text }).collect())
        }),
        small().prop_map(Write::Remove),
        any::<u8>().prop_map(Write::Mixed),
        bytes().prop_map(Write::Secret),
    ]
}

fn event() -> impl Strategy<Value = Event> {
    let task = (vec(write(), 0..5), proptest::bool::weighted(0.15));
    prop_oneof![
        6 => vec(task, 0..3).prop_map(Event::Step),
        1 => vec(any::<u8>(), 0..300).prop_map(Event::Note),
        1 => Just(Event::ClearNotes),
        4 => Just(Event::Take),
        1 => Just(Event::Reopen),
        1 => Just(Event::ForceFull),
    ]
}

/// A thread: its state, its recorder, and the bodies since the last full one.
struct Thread<S: State> {
    state: S,
    recorder: Recorder<S>,
    bodies: Vec<Vec<u8>>,
    notes: Vec<Vec<u8>>,
}

impl<S: Persist> Thread<S> {
    fn new() -> Self {
        let recorder = Recorder::new(PersistCodec::of());
        Self { state: S::default(), recorder, bodies: Vec::new(), notes: Vec::new() }
    }

    fn step(&mut self, updates: impl IntoIterator<Item = S::Update>) {
        let updates: Vec<_> = updates.into_iter().collect();
        let overwritten = updates.iter().fold(FieldSet::EMPTY, |all, update| all.or(update.overwritten()));
        self.recorder.before(&self.state, updates.iter(), overwritten).unwrap();
        self.state.reset_ephemeral();
        updates.into_iter().for_each(|update| update.fold(&mut self.state, overwritten));
    }

    fn take(&mut self) -> Taken {
        let taken = self.recorder.take(&self.state).unwrap();
        if taken.full {
            self.bodies.clear();
        }
        self.bodies.push(taken.body.clone());
        taken
    }

    fn load(&self) -> Restored<S> {
        load(PersistCodec::of(), &self.bodies).unwrap()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_read_is_the_state_after_any_history(events in vec(event(), 0..60)) {
        let mut thread = Thread::<All>::new();
        for event in events {
            let reopen = matches!(event, Event::Reopen);
            match event {
                Event::Step(tasks) => thread.step(tasks.into_iter().map(|(writes, overwrite)| {
                    writes.into_iter().fold(All::update(), |update, write| apply(update, write, overwrite))
                })),
                Event::Note(note) => {
                    thread.recorder.note(&note);
                    thread.notes.push(note);
                }
                Event::ClearNotes => {
                    thread.recorder.clear_notes();
                    thread.notes.clear();
                }
                Event::ForceFull => thread.recorder.force_full(),
                Event::Take | Event::Reopen => {
                    thread.take();
                    let restored = thread.load();
                    let expected = All { secret: Vec::new(), hidden: 0, ..thread.state.clone() };
                    prop_assert_eq!(&restored.state, &expected);
                    prop_assert_eq!(&restored.notes, &thread.notes);
                    prop_assert!(restored.unknown.is_empty());
                    if reopen {
                        (thread.state, thread.recorder) = (restored.state, restored.recorder);
                    }
                }
            }
        }
    }

    #[test]
    fn damaged_bodies_are_refused_or_read_but_never_panic(
        events in vec(vec(write(), 1..4), 1..6), place in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<bool>(),
    ) {
        let mut thread = Thread::<All>::new();
        for writes in events {
            thread.step([writes.into_iter().fold(All::update(), |update, write| apply(update, write, false))]);
            thread.take();
        }
        let body = thread.bodies.last_mut().unwrap();
        if !body.is_empty() {
            let place = place.index(body.len());
            body[place] = byte;
            if cut {
                body.truncate(place);
            }
        }
        drop(load::<All>(PersistCodec::of(), &thread.bodies));
    }

    #[test]
    fn an_update_that_is_written_and_read_folds_alike(before in vec(write(), 0..20), own in vec((write(), any::<bool>()), 0..20)) {
        let mut state = All::default();
        before.into_iter().for_each(|write| apply(All::update(), write, false).fold(&mut state, FieldSet::EMPTY));
        let update = own.into_iter().fold(All::update(), |update, (write, overwrite)| apply(update, write, overwrite));
        let mut bytes = b"before".to_vec();
        All::write_update(&update, &mut bytes).unwrap();
        let read = All::read_update(bytes.strip_prefix(b"before").unwrap()).unwrap();
        let names = |update: &AllUpdate| update.names().filter(|name| !["secret", "hidden"].contains(name)).collect::<Vec<_>>();
        prop_assert_eq!(names(&read), names(&update));
        prop_assert_eq!(read.overwritten(), update.overwritten());
        let (mut by_read, mut by_own) = (state.clone(), state);
        read.fold(&mut by_read, FieldSet::EMPTY);
        update.fold(&mut by_own, FieldSet::EMPTY);
        (by_own.secret, by_own.hidden) = (by_read.secret.clone(), by_read.hidden);
        prop_assert_eq!(by_read, by_own);
    }
}

#[derive(Clone, Debug, Default, PartialEq, State)]
#[state(crate = crate)]
struct Small {
    n: u64,
    #[reduce(append)]
    items: Vec<String>,
}

fn item(n: u64) -> String {
    format!("{n:0200}")
}

#[test]
fn appending_one_item_costs_the_same_at_step_10_and_at_step_10_000() {
    let mut thread = Thread::<Small>::new();
    let mut lengths = Vec::new();
    for n in 0..10_000 {
        thread.step([Small::update().n(1_000_000 + n).items([item(n)])]);
        lengths.push(thread.take().body.len());
    }
    assert_eq!(lengths[10], lengths[9_999]);
    assert_eq!(thread.bodies.len(), 10_000, "what was appended is never written again");
    assert_eq!(thread.load().state, thread.state);
}

#[test]
fn a_small_state_is_read_from_few_rows_however_long_its_history() {
    let mut thread = Thread::<Small>::new();
    let mut rows = 0;
    for n in 0..10_000 {
        thread.step([Small::update().n(n)]);
        thread.take();
        rows = rows.max(thread.bodies.len());
    }
    assert!(rows <= 16, "{rows} rows");
}

#[test]
fn the_bodies_of_any_workload_are_a_small_multiple_of_what_changed() {
    #[derive(Clone, Debug, Default, PartialEq, State)]
    #[state(crate = crate)]
    struct Mixed {
        n: u64,
        big: String,
        #[reduce(append)]
        items: Vec<String>,
        #[reduce(merge)]
        map: BTreeMap<u64, String>,
        #[reduce(by_id)]
        records: Vec<Record>,
    }
    let mut thread = Thread::<Mixed>::new();
    thread.step([Mixed::update().big("x".repeat(20_000))]);
    thread.take();
    let (mut stored, mut changed) = (0, 0);
    for n in 0..2_000 {
        let text = item(n);
        let record = Record { id: (n % 7).to_string(), text: text.clone() };
        let update = match n % 4 {
            0 => Mixed::update().n(n),
            1 => Mixed::update().items([text]),
            2 => Mixed::update().map([(n % 11, text)]),
            _ => Mixed::update().records([record]),
        };
        changed += if n % 4 == 0 { 10 } else { 220 };
        thread.step([update]);
        stored += thread.take().body.len();
        let read: usize = thread.bodies.iter().map(Vec::len).sum();
        let (live, rows) = (21_000 + 220 * (n as usize / 4 + 20), thread.bodies.len());
        assert!(read <= 2 * live + 1_000 && 32 * rows <= live + 1_000, "{read} bytes in {rows} rows for {live}");
    }
    assert!(stored <= 3 * changed, "{stored} bytes stored for {changed} that changed");
    assert_eq!(thread.load().state, thread.state);
}

#[test]
fn many_steps_between_two_takes_hold_no_more_than_the_state() {
    let mut thread = Thread::<All>::new();
    thread.take();
    for n in 0..10_000_u32 {
        let n = n.to_be_bytes()[3];
        let change = Change::Put(Record { id: (n % 3).to_string(), text: item(u64::from(n)) });
        thread.step([All::update().map([(n % 5, n)]).records([change])]);
    }
    let taken = thread.take();
    assert!(taken.full && taken.body.len() < 2_000, "{} bytes", taken.body.len());
    assert_eq!(thread.load().state, thread.state);
}

#[test]
fn a_value_that_refuses_to_be_written_is_named_and_the_next_body_is_a_full_one() {
    #[derive(Clone, Debug, Default, PartialEq, Deserialize)]
    struct Picky(u8);

    impl Serialize for Picky {
        fn serialize<Z: serde::Serializer>(&self, serializer: Z) -> Result<Z::Ok, Z::Error> {
            match self.0 {
                13 => Err(serde::ser::Error::custom("not 13")),
                n => serializer.serialize_u8(n),
            }
        }
    }

    #[derive(Clone, Debug, Default, PartialEq, State)]
    #[state(crate = crate)]
    struct Choosy {
        text: String,
        picky: Picky,
        #[reduce(merge)]
        map: BTreeMap<u8, Picky>,
    }
    let mut thread = Thread::<Choosy>::new();
    thread.step([Choosy::update().text("x".repeat(2_000))]);
    thread.take();
    thread.step([Choosy::update().picky(Picky(13)).map([(1, Picky(1))])]);
    let error = thread.recorder.take(&thread.state).unwrap_err();
    assert_eq!((error.kind(), error.field(), error.is_encode()), (CodecErrorKind::Encode, "picky", true));
    assert!(std::error::Error::source(&error).unwrap().to_string().contains("not 13"));
    assert!(error.to_string().starts_with("`picky` cannot be written to a checkpoint"), "{error}");

    thread.step([Choosy::update().picky(Picky(14))]);
    assert!(thread.take().full);
    assert_eq!(thread.load().state, thread.state);

    let update = Choosy::update().map([(2, Picky(13))]);
    let error = thread.recorder.before(&thread.state, [&update].into_iter(), FieldSet::EMPTY).unwrap_err();
    assert_eq!(error.field(), "map");
    thread.step([Choosy::update().map([(2, Picky(2))])]);
    assert!(thread.take().full);
    assert_eq!(thread.load().state, thread.state);
}

#[test]
fn only_what_changed_is_written() {
    let mut thread = Thread::<All>::new();
    thread.step([All::update().plain(vec![1; 500]).list([item(1)]).map([(1, 1)])]);
    thread.take();
    thread.step([All::update()]);
    assert!(thread.take().body.is_empty(), "nothing changed");
    thread.step([All::update().signal(5)]);
    assert!(thread.take().body.len() < 20);
    thread.step([All::update().sum(1)]);
    let names: Vec<_> =
        crate::checkpoint::chunks(&thread.take().body).map(|chunk| chunk.unwrap().field.to_string()).collect();
    assert_eq!(names, ["signal", "sum"], "an ephemeral field is written once more when it goes back to its default");
    thread.step([All::update().list(Vec::<String>::new()).secret([1])]);
    assert!(thread.take().body.is_empty(), "appending nothing and untracked fields change nothing");
    thread.step([All::update().map([(2, 2)])]);
    let whole = thread.state.clone().into();
    thread.step([whole]);
    let taken = thread.take();
    let mut names: Vec<_> = crate::checkpoint::chunks(&taken.body).map(|chunk| chunk.unwrap().field).collect();
    names.dedup();
    assert_eq!((taken.full, names.len()), (true, All::FIELDS.len() - 2), "each tracked field once");
}
