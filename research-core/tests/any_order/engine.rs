//! Runs a program on the engine, under a timing.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use research_core::{
    Cause, Command, CompiledGraph, Cx, END, ErrorKind, Graph, Log, Node, NodeError, RunError, State, Target, Task,
};
use tokio::runtime::{Builder, Runtime};
use tokio::task::yield_now;

use crate::program::{Also, Choice, Dest, Entry, Program, View, Write};
use crate::reference::{End, Values};

/// How a graph is run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timing {
    seed: u64,
    /// 0 for one thread with a paused clock.
    workers: usize,
    max_concurrency: usize,
    streamed: bool,
}

impl Timing {
    /// A few timings that differ in everything.
    pub(crate) fn several(seed: u64) -> [Self; 4] {
        let limits = [1, 2, 3, 1_000];
        let limit = |place: u64| limits[(seed / (place + 1) % 4) as usize];
        [
            Self { seed, workers: 0, max_concurrency: 1_000, streamed: false },
            Self { seed: seed.rotate_left(9), workers: 0, max_concurrency: limit(1), streamed: true },
            Self { seed, workers: 1 + (seed % 3) as usize, max_concurrency: limit(2), streamed: false },
            Self { seed: !seed, workers: 4, max_concurrency: limit(3), streamed: seed.is_multiple_of(2) },
        ]
    }

    /// What the task does before it looks at its snapshot, and before it returns.
    async fn pass(self, node: usize, step: u64, index: usize, half: u64) {
        let mixed = [node as u64, step, index as u64, half]
            .into_iter()
            .fold(self.seed, |hash, part| (hash ^ part).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23));
        match mixed % 4 {
            0 => {}
            1 if self.workers == 0 => tokio::time::sleep(Duration::from_millis(mixed % 100)).await,
            yields => {
                for _ in 0..yields {
                    yield_now().await;
                }
            }
        }
    }
}

/// One runtime for each number of workers.
pub(crate) struct Runtimes(Vec<Runtime>);

impl Runtimes {
    pub(crate) fn new() -> Self {
        let paused = Builder::new_current_thread().enable_time().start_paused(true).build();
        let several = (1..=4).map(|workers| Builder::new_multi_thread().worker_threads(workers).build());
        Self([paused].into_iter().chain(several).collect::<Result<_, _>>().unwrap())
    }

    pub(crate) fn run(&self, program: &Program, timing: Timing) -> End {
        self.0[timing.workers].block_on(async {
            let graph = graph(program, timing);
            let run = graph.run(Board::update()).step_limit(program.limit).max_concurrency(timing.max_concurrency);
            let ended = if timing.streamed { run.stream().finish().await } else { run.await };
            match ended {
                Ok(done) => End::Finished { state: done.state.values(), steps: done.steps },
                Err(error) => failed(&error),
            }
        })
    }
}

/// The state, with a field for every kind of fold.
#[derive(Clone, Default, State)]
struct Board {
    #[reduce(append)]
    log: Log<Entry>,
    #[reduce(add)]
    sum: u64,
    #[reduce(max)]
    peak: u64,
    #[reduce(min)]
    least: Option<u64>,
    #[reduce(last)]
    latest: u64,
    #[reduce(with = mix, delta = u64)]
    mix: u64,
    #[reduce(merge)]
    keys: BTreeMap<u8, u64>,
    plain: u64,
    #[reduce(append, ephemeral)]
    signals: Vec<u8>,
}

fn mix(field: &mut u64, n: u64) {
    *field = (*field * 31 + n + 1) % 1_000_003;
}

impl Board {
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

    fn values(&self) -> Values {
        Values {
            log: self.log.iter().cloned().collect(),
            sum: self.sum,
            peak: self.peak,
            least: self.least,
            latest: self.latest,
            mix: self.mix,
            keys: self.keys.clone(),
            plain: self.plain,
            signals: self.signals.clone(),
        }
    }
}

fn failed(error: &RunError) -> End {
    let state = error.state::<Board>().unwrap().values();
    match error.kind() {
        ErrorKind::Conflict { field, nodes, step, .. } => {
            End::Conflict { state, field, nodes: nodes.clone(), step: *step }
        }
        ErrorKind::StepLimit { due, .. } => End::Limit { state, due: due.clone() },
        ErrorKind::Tasks(failures) => {
            let short = |cause: &Cause| match cause {
                Cause::Error(_) => "node",
                Cause::Route(_) => "route",
                Cause::UnknownTarget { .. } => "unknown",
                _ => "other",
            };
            let failures = failures
                .iter()
                .map(|failure| (failure.node.clone(), failure.step, failure.task, short(&failure.cause)));
            End::Failed { state, failures: failures.collect() }
        }
        kind => panic!("a kind of end that the reference does not know: {kind:?}"),
    }
}

/// Handles by position, to turn destinations into targets.
#[derive(Clone)]
struct Handles {
    nodes: Vec<Node>,
    tasks: Vec<Task<u8>>,
    names: Vec<String>,
}

impl Handles {
    fn targets(&self, dests: &[Dest]) -> Vec<Target> {
        let target = |dest: &Dest| match dest {
            Dest::Node(node) => self.nodes[*node].into(),
            Dest::Named(node) => Target::from(self.names[*node].clone()),
            Dest::Send(task, input) => self.tasks[task - self.nodes.len()].send(*input).into(),
            Dest::Unknown => Target::from("no such node"),
            Dest::End => END.into(),
        };
        dests.iter().map(target).collect()
    }

    fn decide(&self, choice: &Choice, view: View) -> Result<Vec<Target>, NodeError> {
        choice.decide(view).map(|dests| self.targets(dests)).ok_or_else(|| NodeError::msg("undecided"))
    }

    fn node(&self, index: usize) -> Node {
        self.nodes.get(index).copied().unwrap_or_else(|| self.tasks[index - self.nodes.len()].node())
    }
}

fn graph(program: &Program, timing: Timing) -> CompiledGraph<Board> {
    let mut g = Graph::<Board>::new("random");
    let names: Vec<String> = program.nodes.iter().map(|node| node.name.clone()).collect();
    let (plain, tasks) = names.split_at(program.first_task);
    let handles = Arc::new(Handles {
        nodes: plain.iter().map(|name| g.declare(name.clone())).collect(),
        tasks: tasks.iter().map(|name| g.declare_task::<u8>(name.clone())).collect(),
        names: names.clone(),
    });
    let shared = Arc::new(program.clone());
    for index in 0..names.len() {
        let body = {
            let (program, handles) = (Arc::clone(&shared), Arc::clone(&handles));
            move |cx, input| body(Arc::clone(&program), Arc::clone(&handles), timing, index, cx, input)
        };
        match index.checked_sub(program.first_task) {
            None => g.define(handles.nodes[index], move |cx| body(cx, None)),
            Some(task) => g.define_task(handles.tasks[task], move |cx, input| body(cx, Some(input))),
        };
        let spec = &program.nodes[index];
        let from = handles.node(index);
        for to in &spec.edges {
            g.edge(from, handles.nodes[*to]);
        }
        for place in 0..spec.routes.len() {
            let (program, handles) = (Arc::clone(&shared), Arc::clone(&handles));
            g.route(from, move |state: &Board| handles.decide(&program.nodes[index].routes[place], state.view()));
        }
        // Keeps the checks quiet: random graphs have dead ends, which the semantics allow.
        g.route(from, |_: &Board| None::<Node>);
    }
    for entry in &program.entries {
        g.entry(handles.nodes[*entry]);
    }
    for (sources, to) in &program.joins {
        g.join(sources.iter().map(|source| handles.node(*source)), handles.nodes[*to]);
    }
    g.compile().unwrap()
}

async fn body(
    program: Arc<Program>,
    handles: Arc<Handles>,
    timing: Timing,
    index: usize,
    cx: Cx<Board>,
    input: Option<u8>,
) -> Result<Command<Board>, NodeError> {
    let spec = &program.nodes[index];
    timing.pass(index, cx.task().step, cx.task().index, 0).await;
    let view = cx.state.view();
    let saw = view.hash();
    if spec.fails_at.is_some_and(|modulus| saw.is_multiple_of(modulus)) {
        return Err(NodeError::msg("failed"));
    }
    let entry = |input| Entry { node: cx.node().to_string(), saw, input };
    let tag = index as u64 * 100 + saw % 100;
    let update = spec.writes.iter().fold(Board::update(), |update, write| match write {
        Write::Log => update.log([entry(input)]),
        Write::SetLog(n) => update.set_log([entry(Some(*n))]),
        Write::Sum(n) => update.sum(*n),
        Write::SetSum(n) => update.set_sum(*n),
        Write::Peak(n) => update.peak(*n),
        Write::Least(n) => update.least(Some(*n)),
        Write::Latest => update.latest(tag),
        Write::Mix(n) => update.mix(*n),
        Write::SetMix(n) => update.set_mix(*n),
        Write::Key(key) => update.keys([(*key, tag)]),
        Write::Plain => update.plain(tag),
        Write::Signal(n) => update.signals([*n]),
    });
    timing.pass(index, cx.task().step, cx.task().index, 1).await;
    Ok(match &spec.command {
        None => Command::also_goto(Vec::<Target>::new()),
        Some((Also(also), choice)) => {
            let targets = handles.decide(choice, view)?;
            if *also { Command::also_goto(targets) } else { Command::goto(targets) }
        }
    }
    .with(update))
}
