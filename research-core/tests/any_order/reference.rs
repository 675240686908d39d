//! A sequential reading of a program, one task after another, with folds of its own.

use std::collections::{BTreeMap, BTreeSet};

use crate::program::{Also, Dest, Entry, Program, View, Write};

/// The state as plain values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Values {
    pub(crate) log: Vec<Entry>,
    pub(crate) sum: u64,
    pub(crate) peak: u64,
    pub(crate) least: Option<u64>,
    pub(crate) latest: u64,
    pub(crate) mix: u64,
    pub(crate) keys: BTreeMap<u8, u64>,
    pub(crate) plain: u64,
    pub(crate) signals: Vec<u8>,
}

impl Values {
    fn view(&self) -> View {
        View {
            entries: self.log.len() as u64,
            sum: self.sum,
            mix: self.mix,
            plain: self.plain,
            latest: self.latest,
            signals: self.signals.len() as u64,
        }
    }
}

/// How a run ended, with the state of its last barrier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Finished { state: Values, steps: u64 },
    Conflict { state: Values, field: &'static str, nodes: [String; 2], step: u64 },
    Limit { state: Values, due: Vec<String> },
    Failed { state: Values, failures: Vec<(String, u64, usize, &'static str)> },
}

impl End {
    pub(crate) fn state(&self) -> &Values {
        match self {
            Self::Finished { state, .. }
            | Self::Conflict { state, .. }
            | Self::Limit { state, .. }
            | Self::Failed { state, .. } => state,
        }
    }
}

/// A field's write by one task: what to do to the old value, and whether it replaces it.
struct Written {
    field: &'static str,
    replaces: bool,
    apply: Box<dyn Fn(&mut Values)>,
}

/// What a node writes, in the order of its calls.
fn writes(program: &Program, node: usize, view: View, input: Option<u8>) -> Vec<Written> {
    let spec = &program.nodes[node];
    let saw = view.hash();
    let entry = Entry { node: spec.name.clone(), saw, input };
    let tag = node as u64 * 100 + saw % 100;
    let written = |field, replaces, apply: Box<dyn Fn(&mut Values)>| Written { field, replaces, apply };
    let one = |write: &Write| match write.clone() {
        Write::Log => {
            let entry = entry.clone();
            written("log", false, Box::new(move |values| values.log.push(entry.clone())))
        }
        Write::SetLog(n) => {
            let entry = Entry { input: Some(n), ..entry.clone() };
            written("log", true, Box::new(move |values| values.log = vec![entry.clone()]))
        }
        Write::Sum(n) => written("sum", false, Box::new(move |values| values.sum += n)),
        Write::SetSum(n) => written("sum", true, Box::new(move |values| values.sum = n)),
        Write::Peak(n) => written("peak", false, Box::new(move |values| values.peak = values.peak.max(n))),
        Write::Least(n) => written(
            "least",
            false,
            Box::new(move |values| {
                values.least = Some(values.least.map_or(n, |least| if n < least { n } else { least }))
            }),
        ),
        Write::Latest => written("latest", false, Box::new(move |values| values.latest = tag)),
        Write::Mix(n) => written("mix", false, Box::new(move |values| values.mix = mixed(values.mix, n))),
        Write::SetMix(n) => written("mix", true, Box::new(move |values| values.mix = n)),
        Write::Key(key) => written(
            "keys",
            false,
            Box::new(move |values| {
                values.keys.insert(key, tag);
            }),
        ),
        Write::Plain => written("plain", false, Box::new(move |values| values.plain = tag)),
        Write::Signal(n) => written("signals", false, Box::new(move |values| values.signals.push(n))),
    };
    spec.writes.iter().map(one).collect()
}

/// The fold that depends on the order.
fn mixed(mix: u64, n: u64) -> u64 {
    (mix * 31 + n + 1) % 1_000_003
}

/// Reads the program to its end.
pub(crate) fn run(program: &Program) -> End {
    let mut state = Values::default();
    let mut due: BTreeSet<usize> = program.entries.iter().copied().collect();
    let mut sends: Vec<(usize, u8)> = Vec::new();
    let mut arrived: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); program.joins.len()];
    let mut step = 0;
    loop {
        // The path of the step: nodes by name, then sends as they were emitted.
        let mut tasks: Vec<(usize, Option<u8>)> = due.iter().map(|node| (*node, None)).collect();
        tasks.sort_by_key(|(node, _)| program.nodes[*node].name.clone());
        tasks.extend(sends.iter().map(|(node, input)| (*node, Some(*input))));
        let name = |task: usize| program.nodes[tasks[task].0].name.clone();
        if tasks.is_empty() {
            return End::Finished { state, steps: step };
        }
        if step == program.limit {
            let mut names: Vec<String> = Vec::new();
            for task in 0..tasks.len() {
                if !names.contains(&name(task)) {
                    names.push(name(task));
                }
            }
            return End::Limit { state, due: names };
        }
        step += 1;

        let (mut failures, mut all_writes) = (Vec::new(), Vec::new());
        let (mut next, mut next_sends, mut done) = (BTreeSet::new(), Vec::new(), Vec::new());
        for (place, (node, input)) in tasks.iter().copied().enumerate() {
            let spec = &program.nodes[node];
            let view = state.view();
            if spec.fails_at.is_some_and(|modulus| view.hash() % modulus == 0) {
                failures.push((spec.name.clone(), step, place, "node"));
                continue;
            }
            let own = writes(program, node, view, input);
            let mut decisions = Vec::new();
            let mut stays = true;
            if let Some((also, choice)) = &spec.command {
                // A command that cannot be chosen makes the node itself fail.
                let Some(dests) = choice.decide(view) else {
                    failures.push((spec.name.clone(), step, place, "node"));
                    continue;
                };
                decisions.push(Some(dests));
                stays = *also == Also(true);
            }
            if stays {
                done.push(node);
                next.extend(spec.edges.iter().copied());
                let mut seen = state.clone();
                own.iter().for_each(|written| (written.apply)(&mut seen));
                decisions.extend(spec.routes.iter().map(|route| route.decide(seen.view())));
            }
            for decision in decisions {
                let Some(dests) = decision else {
                    failures.push((spec.name.clone(), step, place, "route"));
                    continue;
                };
                for dest in dests {
                    match dest {
                        Dest::Node(node) | Dest::Named(node) => {
                            next.insert(*node);
                        }
                        Dest::Send(task, input) => next_sends.push((*task, *input)),
                        Dest::Unknown => failures.push((spec.name.clone(), step, place, "unknown")),
                        Dest::End => {}
                    }
                }
            }
            all_writes.push((place, own));
        }
        if !failures.is_empty() {
            return End::Failed { state, failures };
        }

        let mut overwritten: BTreeMap<&'static str, usize> = BTreeMap::new();
        let mut plain: Option<usize> = None;
        for (place, own) in &all_writes {
            // The first field in the order of declaration is the one that is named.
            let clash = ["log", "sum", "mix", "plain"].into_iter().find_map(|field| {
                let first = if field == "plain" {
                    plain.filter(|_| own.iter().any(|written| written.field == "plain"))
                } else {
                    let again = own.iter().any(|written| written.field == field && written.replaces);
                    overwritten.get(field).copied().filter(|_| again)
                };
                first.map(|first| (field, first))
            });
            if let Some((field, first)) = clash {
                return End::Conflict { state, field, nodes: [name(first), name(*place)], step };
            }
            for written in own {
                if written.replaces {
                    overwritten.insert(written.field, *place);
                }
                if written.field == "plain" {
                    plain = Some(*place);
                }
            }
        }
        state.signals.clear();
        for (place, own) in &all_writes {
            for written in own {
                if overwritten.get(written.field).is_none_or(|by| by == place) {
                    (written.apply)(&mut state);
                }
            }
        }
        for (join, (sources, to)) in program.joins.iter().enumerate() {
            arrived[join].extend(done.iter().filter(|node| sources.contains(node)));
            if arrived[join].len() == sources.len() {
                arrived[join].clear();
                next.insert(*to);
            }
        }
        (due, sends) = (next, next_sends);
    }
}
