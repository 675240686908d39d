//! Laws of states and updates: looking ahead changes nothing, writes combine, and sets of fields are sets.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::fmt;
use std::sync::Arc;

use proptest::collection::{btree_map, btree_set, vec};
use proptest::prelude::*;
use research_core::reduce::{Change, Identified};
use research_core::{FieldSet, Log, State, Update};

#[derive(Clone, Debug, Default, PartialEq)]
struct Note {
    id: String,
    text: u8,
}

impl Identified for Note {
    fn id(&self) -> &str {
        &self.id
    }
}

fn mix(field: &mut u32, delta: u8) {
    *field = field.wrapping_mul(31).wrapping_add(u32::from(delta) + 1);
}

/// A field for every reducer and every type that it folds.
#[derive(Clone, Debug, Default, PartialEq, State)]
struct All {
    plain: u8,
    maybe: Option<u8>,
    #[reduce(last)]
    last: String,
    #[reduce(append)]
    list: Vec<u8>,
    #[reduce(append)]
    deque: VecDeque<u8>,
    #[reduce(append)]
    text: String,
    #[reduce(append)]
    log: Log<u8>,
    #[reduce(append)]
    optional: Option<Vec<u8>>,
    #[reduce(append, ephemeral)]
    signal: Option<String>,
    #[reduce(merge)]
    map: BTreeMap<u8, u8>,
    #[reduce(merge)]
    table: HashMap<u8, u8>,
    #[reduce(merge)]
    set: BTreeSet<u8>,
    #[reduce(merge)]
    bag: HashSet<u8>,
    #[reduce(merge)]
    json: serde_json::Map<String, serde_json::Value>,
    #[reduce(add)]
    sum: u8,
    #[reduce(add)]
    float: f64,
    #[reduce(min)]
    least: Option<i8>,
    #[reduce(max)]
    most: i8,
    #[reduce(any)]
    any: bool,
    #[reduce(all)]
    all: bool,
    #[reduce(by_id)]
    notes: Vec<Note>,
    #[reduce(with = mix, delta = u8)]
    mixed: u32,
}

/// A setter and its argument, with what it prints as.
#[derive(Clone)]
struct Call {
    apply: Arc<dyn Fn(AllUpdate) -> AllUpdate>,
    text: String,
}

impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Calls `setter` with each value of a strategy.
fn call<V: Clone + fmt::Debug + 'static>(
    values: impl Strategy<Value = V> + 'static,
    setter: fn(AllUpdate, V) -> AllUpdate,
) -> BoxedStrategy<Call> {
    let call = move |value: V| {
        let text = format!("{:?} by {value:?}", setter(All::update(), value.clone()));
        Call { apply: Arc::new(move |update| setter(update, value.clone())), text }
    };
    values.prop_map(call).boxed()
}

fn small() -> std::ops::Range<u8> {
    0..4
}

fn json(map: BTreeMap<u8, u8>) -> serde_json::Map<String, serde_json::Value> {
    map.into_iter().map(|(key, value)| (key.to_string(), value.into())).collect()
}

fn note() -> impl Strategy<Value = Note> + 'static {
    (small(), any::<u8>()).prop_map(|(id, text)| Note { id: id.to_string(), text })
}

fn change() -> impl Strategy<Value = Change<Note>> + 'static {
    prop_oneof![note().prop_map(Change::Put), small().prop_map(|id| Change::Remove(id.to_string()))]
}

fn any_call() -> impl Strategy<Value = Call> {
    let list = || vec(any::<u8>(), 0..90);
    let map = || btree_map(small(), any::<u8>(), 0..4);
    let set = || btree_set(small(), 0..4);
    let text = || vec(any::<char>(), 0..3).prop_map(String::from_iter);
    let maybe = || prop_oneof![Just(None), vec(any::<u8>(), 0..3).prop_map(Some)];
    let calls = vec![
        call(any::<u8>(), |update, value| update.plain(value)),
        call(any::<u8>(), |update, value| update.maybe(value)),
        call(Just(()), |update, ()| update.clear_maybe()),
        call(text(), |update, value| update.last(value)),
        call(list(), |update, value| update.list(value)),
        call(list(), |update, value| update.set_list(value)),
        call(list(), |update, value| update.deque(value)),
        call(list(), |update, value| update.set_deque(value)),
        call(text(), |update, value| update.text(value)),
        call(text(), |update, value| update.set_text(value)),
        call(list(), |update, value| update.log(value)),
        call(list(), |update, value| update.set_log(value)),
        call(maybe(), |update, value| update.optional(value)),
        call(maybe(), |update, value| update.set_optional(value)),
        call(prop_oneof![Just(None), text().prop_map(Some)], |update, value| update.signal(value)),
        call(prop_oneof![Just(None), text().prop_map(Some)], |update, value| update.set_signal(value)),
        call(map(), |update, value| update.map(value)),
        call(map(), |update, value| update.set_map(value)),
        call(map(), |update, value| update.table(value.into_iter().collect::<HashMap<_, _>>())),
        call(map(), |update, value| update.set_table(value.into_iter().collect::<HashMap<_, _>>())),
        call(set(), |update, value| update.set(value)),
        call(set(), |update, value| update.set_set(value)),
        call(set(), |update, value| update.bag(value.into_iter().collect::<HashSet<_>>())),
        call(set(), |update, value| update.set_bag(value.into_iter().collect::<HashSet<_>>())),
        call(map(), |update, value| update.json(json(value))),
        call(map(), |update, value| update.set_json(json(value))),
        call(any::<u8>(), |update, value| update.sum(value)),
        call(any::<u8>(), |update, value| update.set_sum(value)),
        call(any::<u8>(), |update, value| update.float(f64::from(value) / 8.0)),
        call(any::<u8>(), |update, value| update.set_float(f64::from(value) / 8.0)),
        call(any::<Option<i8>>(), |update, value| update.least(value)),
        call(any::<Option<i8>>(), |update, value| update.set_least(value)),
        call(any::<i8>(), |update, value| update.most(value)),
        call(any::<i8>(), |update, value| update.set_most(value)),
        call(any::<bool>(), |update, value| update.any(value)),
        call(any::<bool>(), |update, value| update.set_any(value)),
        call(any::<bool>(), |update, value| update.all(value)),
        call(any::<bool>(), |update, value| update.set_all(value)),
        call(vec(change(), 0..5), |update, value| update.notes(value)),
        call(vec(note(), 0..5), |update, value| update.set_notes(value)),
        call(small(), |update, value| update.remove_notes(value.to_string())),
        call(small(), |update, value| update.mixed(value)),
        call(any::<u32>(), |update, value| update.set_mixed(value)),
    ];
    proptest::strategy::Union::new(calls)
}

/// An update that makes the calls in their order.
fn update(calls: &[Call]) -> AllUpdate {
    calls.iter().fold(All::update(), |update, call| (call.apply)(update))
}

fn calls() -> impl Strategy<Value = Vec<Call>> {
    vec(any_call(), 0..12)
}

fn folded(mut state: All, update: AllUpdate) -> All {
    update.fold(&mut state, FieldSet::EMPTY);
    state
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_peek_sees_the_fold_and_leaves_the_state_and_the_update_as_they_were(
        before in calls(), own in calls(), elsewhere in calls(),
    ) {
        let state = folded(All::default(), update(&before));
        let (mut peeked, mut peeking) = (state.clone(), update(&own));
        let seen = peeking.peek(&mut peeked, All::clone);
        prop_assert_eq!(&seen, &folded(state.clone(), update(&own)), "it sees the update folded in");
        prop_assert_eq!(&peeked, &state, "the state is as it was");
        prop_assert_eq!(peeking.written(), update(&own).written());
        prop_assert_eq!(peeking.overwritten(), update(&own).overwritten());
        // The update is as it was, whatever it is folded into.
        for state in [state, All::default(), folded(All::default(), update(&elsewhere))] {
            prop_assert_eq!(folded(state.clone(), peeking.clone()), folded(state, update(&own)));
        }
    }

    #[test]
    fn one_update_of_many_calls_folds_like_many_updates_of_one_call(before in calls(), own in calls()) {
        let state = folded(All::default(), update(&before));
        let in_turn = own.iter().fold(state.clone(), |state, call| folded(state, (call.apply)(All::update())));
        // Floats that are summed in another order may differ in the last place; these are eighths and do not.
        prop_assert_eq!(folded(state, update(&own)), in_turn);
    }

    #[test]
    fn an_update_that_absorbs_others_folds_like_all_of_them_in_turn(
        before in calls(), updates in vec((calls(), proptest::bool::weighted(0.1)), 1..5), forced in 0..All::FIELDS.len(),
    ) {
        // A state as an update overwrites every folded field.
        let updates = updates.iter().map(|(calls, whole)| match whole {
            true => folded(All::default(), update(calls)).into(),
            false => update(calls),
        });
        let updates: Vec<AllUpdate> = updates.collect();
        let overwritten = updates.iter().fold(FieldSet::EMPTY, |all, update| all.or(update.overwritten()));
        // A field may be overwritten by a task that is not among these.
        for overwritten in [FieldSet::EMPTY, overwritten, overwritten.with(forced, !All::FIELDS[forced].plain)] {
            let state = folded(All::default(), update(&before));
            let in_turn = updates.iter().cloned().fold(state.clone(), |mut state, update| {
                update.fold(&mut state, overwritten);
                state
            });
            let from_nothing = [All::update()].into_iter().chain(updates.iter().cloned());
            let from_the_first = updates.iter().cloned().chain([All::update()]);
            for mut all in [from_nothing.collect::<Vec<_>>(), from_the_first.collect()] {
                let mut first = all.remove(0);
                all.into_iter().for_each(|later| first.absorb(later, overwritten));
                // What does not count is gone, so that folding it needs the set no more.
                prop_assert_eq!(&folded(state.clone(), first), &in_turn);
            }
        }
    }

    #[test]
    fn an_update_names_the_fields_it_writes(own in calls()) {
        let written = update(&own).written();
        let names: Vec<_> = update(&own).names().collect();
        let expected = All::FIELDS.iter().enumerate().filter(|(position, _)| written.has(*position));
        prop_assert_eq!(names, expected.map(|(_, field)| field.name).collect::<Vec<_>>());
    }

    #[test]
    fn an_overwritten_field_ignores_deltas_of_others(before in calls(), own in calls()) {
        let state = folded(All::default(), update(&before));
        let every = (0..All::FIELDS.len()).fold(FieldSet::EMPTY, |set, field| set.with(field, true));
        let mut after = state.clone();
        update(&own).fold(&mut after, every);
        let alone = folded(state.clone(), update(&own));
        prop_assert_eq!((after.plain, after.maybe, &after.last), (alone.plain, alone.maybe, &alone.last));
        let overwritten = update(&own).overwritten();
        macro_rules! check {
            ($($field:ident),*) => {$(
                let position = All::FIELDS.iter().position(|field| field.name == stringify!($field)).unwrap();
                let expected = if overwritten.has(position) { &alone.$field } else { &state.$field };
                prop_assert_eq!(&after.$field, expected);
            )*};
        }
        check!(list, deque, text, log, optional, signal, map, table, set, bag, json);
        check!(sum, float, least, most, any, all, notes, mixed);
    }

    #[test]
    fn a_state_as_an_update_is_that_state(before in calls(), own in calls()) {
        let (state, other) = (folded(All::default(), update(&before)), folded(All::default(), update(&own)));
        prop_assert_eq!(folded(other, state.clone().into()), state);
    }

    #[test]
    fn sets_of_fields_are_sets(a in btree_set(0..128_usize, 0..40), b in btree_set(0..128_usize, 0..40)) {
        let set = |fields: &BTreeSet<usize>| fields.iter().fold(FieldSet::EMPTY, |set, field| set.with(*field, true));
        let members = |set: FieldSet| (0..128).filter(|field| set.has(*field)).collect::<BTreeSet<_>>();
        let (x, y) = (set(&a), set(&b));
        prop_assert_eq!(members(x), a.clone());
        prop_assert_eq!(members(x.or(y)), a.union(&b).copied().collect());
        prop_assert_eq!(members(x.and(y)), a.intersection(&b).copied().collect());
        prop_assert_eq!(members(x.without(y)), a.difference(&b).copied().collect());
        prop_assert_eq!(x.iter().collect::<Vec<_>>(), a.iter().copied().collect::<Vec<_>>());
        prop_assert_eq!(x.first(), a.first().copied());
        prop_assert_eq!(x.is_empty(), a.is_empty());
        prop_assert_eq!(x.with(5, false), x, "an absent field is not added");
        prop_assert_eq!(x == y, a == b);
        prop_assert_eq!((x.or(y), x.and(y)), (y.or(x), y.and(x)));
    }
}
