//! How fields fold what nodes write to them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::time::Duration;

use research_core::reduce::{Change, Identified};
use research_core::{END, ErrorKind, Finished, Graph, Log, RunError, State};
use serde_json::json;

/// Runs the updates as nodes `a`, `b`, … of one step.
async fn together<S: State, const N: usize>(input: S::Update, updates: [S::Update; N]) -> Result<S, RunError> {
    let mut g = Graph::<S>::new("together");
    for (name, update) in ('a'..).zip(updates) {
        let node = g.node(name, move |_cx| {
            let update = Some(update.clone());
            async move { Ok(Whole::<S>(update)) }
        });
        g.entry(node).edge(node, END);
    }
    g.compile().unwrap().run(input).await.map(|Finished { state, .. }| state)
}

/// Any update as the result of a node.
struct Whole<S: State>(Option<S::Update>);

impl<S: State> research_core::IntoCommand<S> for Whole<S> {
    fn into_command(self) -> research_core::Command<S> {
        research_core::Command::from_update(self.0.unwrap_or_default())
    }
}

/// Runs the updates as a chain of nodes.
async fn in_turn<S: State, const N: usize>(input: S::Update, updates: [S::Update; N]) -> S {
    let mut g = Graph::<S>::new("in turn");
    let mut last = None;
    for (name, update) in ('a'..).zip(updates) {
        let node = g.node(name, move |_cx| {
            let update = Some(update.clone());
            async move { Ok(Whole::<S>(update)) }
        });
        match last.replace(node) {
            Some(before) => g.edge(before, node),
            None => g.entry(node),
        };
    }
    g.edge(last.unwrap(), END);
    g.compile().unwrap().run(input).await.unwrap().state
}

fn maximum_length(field: &mut usize, text: &'static str) {
    *field = (*field).max(text.len());
}

fn twice(field: &mut u32, by: u32) {
    *field = *field * 2 + by;
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Note {
    id: String,
    text: String,
}

impl Identified for Note {
    fn id(&self) -> &str {
        &self.id
    }
}

fn note(id: &str, text: &str) -> Note {
    Note { id: id.into(), text: text.into() }
}

#[derive(Clone, Debug, Default, PartialEq, State)]
struct Folds {
    plain: u32,
    maybe: Option<String>,
    #[reduce(replace)]
    replaced: u32,
    #[reduce(last)]
    last: u32,
    #[reduce(append)]
    list: Vec<u32>,
    #[reduce(append)]
    deque: VecDeque<u32>,
    #[reduce(append)]
    text: String,
    #[reduce(append)]
    log: Log<u32>,
    #[reduce(append)]
    optional: Option<Vec<u32>>,
    #[reduce(merge)]
    map: BTreeMap<String, u32>,
    #[reduce(merge)]
    table: HashMap<u32, u32>,
    #[reduce(merge)]
    set: BTreeSet<u32>,
    #[reduce(merge)]
    bag: HashSet<u32>,
    #[reduce(merge)]
    json: serde_json::Map<String, serde_json::Value>,
    #[reduce(add)]
    sum: u8,
    #[reduce(add)]
    spent: Duration,
    #[reduce(add)]
    float: f64,
    #[reduce(min)]
    least: Option<i32>,
    #[reduce(max)]
    most: i32,
    #[reduce(any)]
    any: bool,
    #[reduce(all)]
    all: bool,
    #[reduce(by_id)]
    notes: Vec<Note>,
    #[reduce(with = twice)]
    twice: u32,
    #[reduce(with = maximum_length, delta = &'static str)]
    longest: usize,
    #[reduce(append, ephemeral)]
    signal: Vec<u32>,
    #[reduce(ephemeral)]
    flash: Option<u32>,
    #[reduce(untracked)]
    handle: u32,
}

fn update() -> FoldsUpdate {
    Folds::update()
}

#[tokio::test]
async fn a_plain_field_takes_one_write_a_step_and_two_are_an_error_that_names_both_nodes() {
    let one = together::<Folds, 2>(update().plain(1), [update().plain(2), update().replaced(3)]).await.unwrap();
    assert_eq!((one.plain, one.replaced), (2, 3));
    for (twice, field) in [(update().plain(7), "plain"), (update().replaced(7), "replaced")] {
        let error = together::<Folds, 3>(update().plain(1), [twice.clone(), update().sum(9), twice]).await.unwrap_err();
        assert!(error.is_conflict());
        assert!(matches!(
            error.kind(),
            ErrorKind::Conflict { field: known, nodes, overwrite: false, step: 1 } if *known == field && nodes == &["a", "c"]
        ));
        assert_eq!(
            error.to_string(),
            format!(
                "graph `together`: in step 1 both `a` and `c` wrote the field `{field}`; \
                 give it a reducer (for example `#[reduce(append)]` or `#[reduce(last)]`) or order the nodes"
            )
        );
        assert_eq!(error.state::<Folds>().unwrap(), &Folds { plain: 1, ..Folds::default() }, "nothing is folded");
    }
}

#[tokio::test]
async fn a_plain_field_may_be_written_in_every_step() {
    let state = in_turn::<Folds, 3>(update(), [update().plain(1), update(), update().plain(2)]).await;
    assert_eq!(state.plain, 2);
}

#[tokio::test]
async fn an_optional_field_is_set_and_cleared() {
    let state = in_turn::<Folds, 1>(update(), [update().maybe("some")]).await;
    assert_eq!(state.maybe.as_deref(), Some("some"));
    let state = in_turn::<Folds, 2>(update(), [update().maybe("some"), update().clear_maybe()]).await;
    assert_eq!(state.maybe, None);
    let both = together::<Folds, 2>(update(), [update().maybe("x"), update().clear_maybe()]).await;
    assert!(both.unwrap_err().is_conflict(), "to clear is to write");
}

#[tokio::test]
async fn last_keeps_the_write_of_the_last_task_in_path_order() {
    let state = together::<Folds, 3>(update(), [update().last(1), update().last(2), update()]).await.unwrap();
    assert_eq!(state.last, 2);
}

#[tokio::test]
async fn append_pushes_at_the_end() {
    let write =
        |n: u32| update().list([n, n + 1]).deque([n]).text(format!("<{n}>")).log(vec![n, n]).optional(Some(vec![n]));
    let state = together::<Folds, 3>(write(1), [write(5), update(), write(3)]).await.unwrap();
    assert_eq!(state.list, [1, 2, 5, 6, 3, 4]);
    assert_eq!(state.deque, [1, 5, 3]);
    assert_eq!(state.text, "<1><5><3>");
    assert!(state.log.iter().eq(&[1, 1, 5, 5, 3, 3]));
    assert_eq!(state.optional, Some(vec![1, 5, 3]));
    let none = together::<Folds, 2>(update(), [update().optional(None), update()]).await.unwrap();
    assert_eq!(none.optional, None);
}

#[tokio::test]
async fn merge_lets_the_later_key_win_and_unites_sets() {
    let write = |n: u32| {
        let json = json!({ "n": n, n.to_string(): true }).as_object().cloned().unwrap();
        update()
            .map([("n".to_string(), n), (n.to_string(), n)])
            .table([(0, n), (n, n)])
            .set([0, n])
            .bag([0, n])
            .json(json)
    };
    let state = together::<Folds, 2>(write(1), [write(3), write(2)]).await.unwrap();
    assert_eq!(state.map, BTreeMap::from([("1", 1), ("2", 2), ("3", 3), ("n", 2)].map(|(k, v)| (k.to_string(), v))));
    assert_eq!(state.table, HashMap::from([(0, 2), (1, 1), (2, 2), (3, 3)]));
    assert_eq!(state.set, BTreeSet::from([0, 1, 2, 3]));
    assert_eq!(state.bag, HashSet::from([0, 1, 2, 3]));
    assert_eq!(json!(state.json), json!({ "n": 2, "1": true, "2": true, "3": true }));
}

#[tokio::test]
async fn numbers_and_flags_fold() {
    let a = update().sum(200).spent(Duration::from_secs(2)).float(0.5).least(4).most(-5).any(false).all(true);
    let b = update().sum(100).spent(Duration::from_secs(3)).float(0.25).least(-4).most(9).any(true).all(false);
    let input = update().set_all(true);
    let state = together::<Folds, 2>(input.clone(), [a.clone(), b]).await.unwrap();
    assert_eq!((state.sum, state.spent, state.float), (255, Duration::from_secs(5), 0.75));
    assert_eq!((state.least, state.most, state.any, state.all), (Some(-4), 9, true, false));
    let state = together::<Folds, 1>(input, [a]).await.unwrap();
    assert_eq!((state.least, state.any, state.all), (Some(4), false, true));
}

#[tokio::test]
async fn records_with_an_id_are_replaced_in_place_pushed_or_removed() {
    let input = update().notes([note("1", "one"), note("2", "two"), note("3", "three")]);
    let a = update().notes([note("2", "TWO"), note("4", "four")]);
    let b = update().remove_notes("1").notes([note("4", "FOUR"), note("1", "one again")]).remove_notes("none");
    let state = together::<Folds, 2>(input.clone(), [a, b]).await.unwrap();
    assert_eq!(state.notes, [note("2", "TWO"), note("3", "three"), note("4", "FOUR"), note("1", "one again")]);
    let changes = update().notes([Change::Remove("3".to_string()), Change::Put(note("2", "II"))]);
    let state = together::<Folds, 1>(input, [changes]).await.unwrap();
    assert_eq!(state.notes, [note("1", "one"), note("2", "II")]);
}

#[tokio::test]
async fn a_function_of_the_user_folds_each_delta_in_order() {
    let state = together::<Folds, 2>(update().twice(1), [update().twice(2).twice(3), update().twice(4)]).await.unwrap();
    // ((1 · 2 + 2) · 2 + 3) · 2 + 4
    assert_eq!(state.twice, 26);
    let state = together::<Folds, 2>(update(), [update().longest("abc").longest("a"), update().longest("ab")]).await;
    assert_eq!(state.unwrap().longest, 3);
}

#[tokio::test]
async fn an_ephemeral_field_holds_one_step() {
    let mut g = Graph::<Folds>::new("ephemeral");
    let look = |cx: research_core::Cx<Folds>| async move {
        Ok(update().text(format!("{}:{:?}{:?} ", cx.node(), cx.state.signal, cx.state.flash)))
    };
    let a = g.node("a", |_cx| async { Ok(update().signal([1]).flash(1)) });
    let b = g.node("b", look);
    let c = g.node("c", move |cx| async move { Ok(look(cx).await?.signal([3])) });
    let d = g.node("d", look);
    g.entry(a).edge(a, b).edge(b, c).edge(c, d).edge(d, END);
    let state = g.compile().unwrap().run(update().signal([0]).flash(0)).await.unwrap().state;
    assert_eq!(state.text, "b:[1]Some(1) c:[]None d:[3]None ");
    assert_eq!((state.signal, state.flash), (vec![], None), "and the last step clears it too");
}

#[tokio::test]
async fn an_overwrite_wins_over_every_other_write_of_its_step_whatever_the_order() {
    let (fold, overwrite) = (update().list([7]).sum(7).twice(7), update().set_list([1]).set_sum(1).set_twice(1));
    for updates in [[fold.clone(), overwrite.clone()], [overwrite.clone(), fold.clone()]] {
        let state = together::<Folds, 2>(update().list([0]).sum(9), updates).await.unwrap();
        assert_eq!((state.list, state.sum, state.twice), (vec![1], 1, 1));
    }
    let state = in_turn::<Folds, 2>(update(), [overwrite, fold]).await;
    assert_eq!((state.list, state.sum, state.twice), (vec![1, 7], 8, 9), "in the next step it folds again");
}

#[tokio::test]
async fn two_overwrites_in_one_step_are_an_error() {
    let error = together::<Folds, 2>(update(), [update().set_sum(1), update().set_sum(1)]).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "graph `together`: in step 1 both `a` and `b` overwrote the folded field `sum`; \
         let only one of them overwrite it"
    );
    assert!(matches!(error.kind(), ErrorKind::Conflict { overwrite: true, .. }));
}

#[tokio::test]
async fn inside_one_task_writes_apply_in_their_order_also_around_an_overwrite() {
    let state = together::<Folds, 2>(
        update().list([0]).sum(50),
        [update().list([1]).set_list([2]).list([3]).sum(1).set_sum(10).sum(1), update()],
    )
    .await
    .unwrap();
    assert_eq!((state.list, state.sum), (vec![2, 3], 11));
    let notes = update().notes([note("1", "x")]).set_notes([note("2", "y")]).notes([note("2", "z")]);
    let state = together::<Folds, 1>(update(), [notes]).await.unwrap();
    assert_eq!(state.notes, [note("2", "z")]);
}

#[tokio::test]
async fn a_whole_state_is_an_update_that_overwrites() {
    let whole = Folds { plain: 3, list: vec![1], notes: vec![note("1", "one")], ..Folds::default() };
    let state = in_turn::<Folds, 1>(update().list([9]).plain(1), [whole.clone().into()]).await;
    assert_eq!(state, whole);
}

#[test]
fn the_fields_of_a_state_are_known_by_name_and_reducer() {
    let known = |name: &str| *Folds::FIELDS.iter().find(|field| field.name == name).unwrap();
    assert_eq!(Folds::FIELDS.len(), 27);
    assert!(known("plain").plain && known("replaced").plain && known("flash").plain);
    assert!(!known("last").plain && !known("list").plain);
    assert_eq!(known("longest").reducer, "with");
    assert_eq!(known("least").reducer, "min");
    assert!(known("signal").ephemeral && known("flash").ephemeral && !known("list").ephemeral);
    assert!(known("handle").untracked && !known("plain").untracked);
}

#[test]
fn an_update_prints_the_names_of_what_it_sets() {
    assert_eq!(format!("{:?}", update().plain(1).set_sum(2).list([3])), r#"FoldsUpdate{"plain", "list", "sum"}"#);
    assert_eq!(format!("{:?}", update()), "FoldsUpdate{}");
}

#[tokio::test]
async fn a_field_may_have_the_name_of_a_keyword_or_of_a_method_of_the_engine() {
    #[derive(Clone, Debug, Default, PartialEq, State)]
    struct Odd {
        r#type: String,
        #[reduce(append)]
        r#match: Vec<u8>,
        state: u8,
        #[reduce(add)]
        fold: u8,
        written: Option<u8>,
        clone: u8,
    }
    let mut g = Graph::<Odd>::new("odd");
    let n = g.node("n", |_cx| async {
        Ok(Odd::update().r#type("x").r#match([1]).state(2).fold(3).written(4).clone(5).set_match([9]))
    });
    g.entry(n).edge(n, END).writes(n, ["type", "match"]);
    let state = g.compile().unwrap().run(Odd::update()).await.unwrap().state;
    let expected = Odd { r#type: "x".into(), r#match: vec![9], state: 2, fold: 3, written: Some(4), clone: 5 };
    assert_eq!(state, expected);
    assert_eq!(Odd::FIELDS[0].name, "type");
}

#[test]
fn a_state_may_have_no_fields_and_types_with_the_names_of_type_parameters() {
    #![deny(warnings)]

    #[derive(Clone, Default, State)]
    struct Empty {}
    #[derive(Clone, Default, Debug, PartialEq)]
    struct T;
    #[derive(Clone, Default, State)]
    struct Named {
        #[reduce(append)]
        list: Vec<T>,
        #[reduce(with = keep)]
        one: T,
    }
    fn keep(_: &mut T, _: T) {}

    assert!(Empty::FIELDS.is_empty());
    let _: EmptyUpdate = Empty {}.into();
    let _ = Empty::update();
    let named = Named { list: vec![T], one: T };
    let _ = Named::update().list([named.one]).one(T);
    assert_eq!(named.list.len(), 1);
}
