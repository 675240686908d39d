//! Random programs: which nodes there are, what each does, and where each leads.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

/// A graph and what its nodes do.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) nodes: Vec<NodeSpec>,
    /// The nodes from this one on take an input.
    pub(crate) first_task: usize,
    pub(crate) entries: Vec<usize>,
    pub(crate) joins: Vec<(Vec<usize>, usize)>,
    pub(crate) limit: u64,
}

/// A node.
#[derive(Clone, Debug)]
pub(crate) struct NodeSpec {
    pub(crate) name: String,
    pub(crate) writes: Vec<Write>,
    pub(crate) edges: Vec<usize>,
    /// Asked in this order.
    pub(crate) routes: Vec<Choice>,
    pub(crate) command: Option<(Also, Choice)>,
    /// Fails when the view's hash is a multiple.
    pub(crate) fails_at: Option<u64>,
}

/// Whether a command adds to the edges of its node or replaces them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Also(pub(crate) bool);

/// One call of a setter of the update.
#[derive(Clone, Debug)]
pub(crate) enum Write {
    Log,
    SetLog(u8),
    Sum(u64),
    SetSum(u64),
    Peak(u64),
    Least(u64),
    Latest,
    Mix(u64),
    SetMix(u64),
    Key(u8),
    Plain,
    Signal(u8),
}

/// One of two lists of destinations, chosen by data.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    pub(crate) modulus: u64,
    pub(crate) even: Vec<Dest>,
    pub(crate) odd: Vec<Dest>,
    /// Fails when the hash of what it sees is a multiple.
    pub(crate) fails_at: Option<u64>,
}

/// Where a choice leads.
#[derive(Clone, Debug)]
pub(crate) enum Dest {
    Node(usize),
    Send(usize, u8),
    Named(usize),
    Unknown,
    End,
}

/// What a node or a route can see of the state, for its decisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct View {
    pub(crate) entries: u64,
    pub(crate) sum: u64,
    pub(crate) mix: u64,
    pub(crate) plain: u64,
    pub(crate) latest: u64,
    pub(crate) signals: u64,
}

impl View {
    /// A number that any change of the state changes.
    pub(crate) fn hash(self) -> u64 {
        [self.entries, self.sum, self.mix, self.plain, self.latest, self.signals]
            .into_iter()
            .fold(17, |hash: u64, part| hash.wrapping_mul(1_000_003).wrapping_add(part) % 1_000_000_007)
    }
}

/// A line of the log: who wrote it and what it saw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) node: String,
    pub(crate) saw: u64,
    pub(crate) input: Option<u8>,
}

impl Choice {
    /// The destinations for what is seen, or nothing when the choice fails.
    pub(crate) fn decide(&self, view: View) -> Option<&[Dest]> {
        if self.fails_at.is_some_and(|modulus| view.hash().is_multiple_of(modulus)) {
            return None;
        }
        Some(if view.hash() % self.modulus < self.modulus.div_ceil(2) { &self.even } else { &self.odd })
    }
}

const NAMES: &[&str] = &["m", "c", "x", "aa", "t", "b", "zz", "k", "q"];

/// Names that are not in the order of the nodes.
pub(crate) fn program() -> impl Strategy<Value = Program> {
    (2..=6_usize, 1..=2_usize, Just(NAMES.to_vec()).prop_shuffle(), 1..=9_u64).prop_flat_map(
        |(plain, tasks, names, limit)| {
            let nodes: Vec<_> = (0..plain + tasks).map(|index| node(names[index].to_string(), plain, tasks)).collect();
            let all: Vec<usize> = (0..plain + tasks).collect();
            let entries = subsequence((0..plain).collect::<Vec<_>>(), 1..=plain.min(3));
            let join = (subsequence(all, 1..=3), 0..plain);
            (nodes, entries, vec(join, 0..=2)).prop_map(move |(nodes, entries, joins)| Program {
                nodes,
                first_task: plain,
                entries,
                joins,
                limit,
            })
        },
    )
}

fn node(name: String, plain: usize, tasks: usize) -> impl Strategy<Value = NodeSpec> {
    let choice = move || choice(plain, tasks);
    let command = prop_oneof![4 => Just(None), 1 => (any::<bool>().prop_map(Also), choice()).prop_map(Some)];
    let fails_at = prop_oneof![8 => Just(None), 1 => (2..6_u64).prop_map(Some)];
    (vec(write(), 0..=4), vec(0..plain, 0..=2), vec(choice(), 0..=2), command, fails_at).prop_map(
        move |(mut writes, edges, routes, command, fails_at)| {
            // Every task leaves a trace.
            writes.insert(0, Write::Log);
            NodeSpec { name: name.clone(), writes, edges, routes, command, fails_at }
        },
    )
}

fn write() -> impl Strategy<Value = Write> {
    prop_oneof![
        3 => Just(Write::Log),
        3 => (0..9_u64).prop_map(Write::Sum),
        2 => (0..99_u64).prop_map(Write::Peak),
        2 => (0..99_u64).prop_map(Write::Least),
        3 => Just(Write::Latest),
        4 => (0..9_u64).prop_map(Write::Mix),
        3 => (0..4_u8).prop_map(Write::Key),
        2 => (0..9_u8).prop_map(Write::Signal),
        1 => Just(Write::Plain),
        1 => (0..9_u8).prop_map(Write::SetLog),
        1 => (0..9_u64).prop_map(Write::SetSum),
        1 => (0..9_u64).prop_map(Write::SetMix),
    ]
}

fn choice(plain: usize, tasks: usize) -> impl Strategy<Value = Choice> {
    let dest = move || {
        prop_oneof![
            60 => (0..plain).prop_map(Dest::Node),
            30 => (plain..plain + tasks, 0..9_u8).prop_map(|(task, input)| Dest::Send(task, input)),
            10 => (0..plain).prop_map(Dest::Named),
            20 => Just(Dest::End),
            1 => Just(Dest::Unknown),
        ]
    };
    let fails_at = prop_oneof![15 => Just(None), 1 => (2..6_u64).prop_map(Some)];
    (select(vec![1, 2, 3, 5]), vec(dest(), 0..=2), vec(dest(), 0..=3), fails_at)
        .prop_map(|(modulus, even, odd, fails_at)| Choice { modulus, even, odd, fails_at })
}
