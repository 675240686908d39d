//! Graphs drawn at random, run through failures, crashes and questions in any mixture of durabilities, end as undisturbed ones do.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use research_core::{
    AnswerError, CompiledGraph, Cx, Durability, END, End, ErrorKind, Graph, Node, NodeError, Question, Sends, Subgraph,
    Target,
};

use super::lab::{Place, Trail, TrailUpdate, World, late, mark};

/// Numbers that a seed determines (xorshift64*, <https://en.wikipedia.org/wiki/Xorshift>).
#[derive(Debug)]
struct Dice(AtomicU64);

impl Dice {
    fn new(seed: u64) -> Self {
        Self(AtomicU64::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1))
    }

    /// A number below `sides`.
    fn roll(&self, sides: u64) -> u64 {
        let mut x = self.0.load(Ordering::Relaxed);
        x ^= x >> 12;
        x ^= x << 25;
        x ^= x >> 27;
        self.0.store(x, Ordering::Relaxed);
        (x.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % sides
    }
}

/// The resources: how much goes wrong.
#[derive(Debug)]
struct Weather {
    dice: Dice,
    /// Things that may still go wrong.
    storms: AtomicU64,
}

impl Weather {
    fn fine() -> Arc<Self> {
        Arc::new(Self { dice: Dice::new(1), storms: AtomicU64::new(0) })
    }

    /// Takes one of the things that may go wrong, one time in `sides`.
    fn strikes(&self, sides: u64) -> bool {
        let left = self.storms.load(Ordering::Relaxed);
        let strikes = left > 0 && self.dice.roll(sides) == 0;
        self.storms.store(left - u64::from(strikes), Ordering::Relaxed);
        strikes
    }

    async fn weather(&self) -> Result<(), NodeError> {
        if self.storms.load(Ordering::Relaxed) > 0 {
            late(self.dice.roll(4) as u32).await;
        }
        match self.strikes(6) {
            false => Ok(()),
            true if self.dice.roll(3) == 0 => panic!("a storm"),
            true => Err(NodeError::msg("a storm")),
        }
    }
}

/// Things that go wrong at most in the runs of one graph.
const STORMS: u64 = 30;

type Draft = Graph<Trail, Weather>;

/// What a node writes: something of everything that tells how often and in which order it was folded.
fn write(cx: &Cx<Trail, Weather>, more: &str) -> TrailUpdate {
    let name = format!("{}{more}", cx.node());
    mark(&*name).word(&*name).notes([(name, u32::try_from(cx.state.seen.len()).unwrap())])
}

/// A node of a kind that the dice choose.
fn node(g: &mut Draft, name: String, kind: u64, children: bool) -> Node {
    match kind {
        0 => g.node(name, |cx| async move {
            cx.resources.weather().await?;
            let answer: u32 = cx.interrupt(("first", "?")).await?;
            cx.resources.weather().await?;
            let second: u32 = cx.interrupt(("second", answer)).await?;
            Ok(write(&cx, &format!(" {answer} {second}")))
        }),
        1 => g.node(name, |cx| async move {
            let pay = cx.once("pay", async { cx.resources.weather().await.map(|()| cx.state.seen.len()) });
            let paid = pay.await?;
            cx.resources.weather().await?;
            Ok(write(&cx, &format!(" {paid}")))
        }),
        2 if children => {
            let mut inner = Draft::new("inner");
            let [a, b] = ["a", "b"]
                .map(|part| node(&mut inner, format!("{name}.{part}"), if part == "a" { 9 } else { 0 }, false));
            inner.entry(a).edge(a, b).edge(b, END);
            g.subgraph(name, &inner.compile().unwrap(), Subgraph::shared().per_call())
        }
        3 => {
            let work = g.task(format!("{name}.work"), |cx: Cx<Trail, Weather>, n: u32| async move {
                cx.resources.weather().await?;
                if n == 1 {
                    let _: u32 = cx.interrupt(("sure", n)).await?;
                }
                Ok(write(&cx, &format!(" {n}")))
            });
            let plan = node(g, name, 9, children);
            g.edge(work, END);
            g.route(plan, move |_: &Trail| (0..3).map(|n| work.send(n)).collect::<Sends>());
            plan
        }
        _ => g.node(name, |cx| async move {
            cx.resources.weather().await?;
            Ok(write(&cx, ""))
        }),
    }
}

/// A graph of some layers, run through twice.
fn graph(seed: u64) -> CompiledGraph<Trail, Weather> {
    let dice = Dice::new(seed);
    let mut g = Draft::new(format!("seed {seed}"));
    let start = g.node("start", |cx: Cx<Trail, Weather>| async move {
        cx.resources.weather().await?;
        Ok(write(&cx, "").value(cx.state.value + 1))
    });
    g.entry(start);
    let mut above = vec![start];
    for layer in 0..1 + dice.roll(3) {
        let mut below: Vec<Node> = Vec::new();
        for place in 0..1 + dice.roll(3) {
            below.push(node(&mut g, format!("n{layer}{place}"), dice.roll(7), true));
        }
        if dice.roll(2) == 0 {
            below.iter().for_each(|to| {
                g.join(above.clone(), *to);
            });
        } else {
            for (place, from) in above.iter().enumerate() {
                g.edge(*from, below[place % below.len()]);
            }
            below.iter().for_each(|to| {
                g.edge(above[0], *to);
            });
        }
        above = below;
    }
    let end = g.node("end", |cx: Cx<Trail, Weather>| async move {
        cx.resources.weather().await?;
        Ok(write(&cx, ""))
    });
    above.iter().for_each(|from| {
        g.edge(*from, end);
    });
    g.defer(end).route_to(end, [start, END], move |s: &Trail| Target::from(if s.value < 2 { start } else { END }));
    g.compile().unwrap()
}

/// The answer to a question, whoever asks it and however often: something that depends on its key alone.
fn answer(question: &Question) -> usize {
    question.key.len()
}

async fn undisturbed<P: Place>(graph: &CompiledGraph<Trail, Weather>) -> Trail {
    let world = World::<P>::new(Durability::Sync);
    let graph = world.keep(graph).await;
    let mut done = graph.run(Trail::update()).resources(Weather::fine()).thread("t").await.unwrap();
    while let End::Interrupted(questions) = done.end {
        let run = graph.resume().resources(Weather::fine()).thread("t");
        let run = questions.iter().fold(run, |run, question| run.answer_to(&*question.id, answer(question)));
        done = run.await.unwrap();
    }
    assert!(done.is_complete());
    done.state
}

pub(crate) async fn whatever_goes_wrong_the_end_is_that_of_an_undisturbed_run<P: Place>(world: World<P>) {
    let offset = match world.durability {
        Durability::Sync => 0,
        Durability::Async => 1_000,
        _ => 2_000,
    };
    let mut storms = 0;
    for seed in offset..offset + P::SEEDS {
        let (world, graph) = (world.again(), graph(seed));
        let expected = undisturbed::<P>(&graph).await;
        let weather = Arc::new(Weather { dice: Dice::new(seed + 7), storms: AtomicU64::new(STORMS) });
        let mut dropped = false;
        let done = loop {
            let dice = &weather.dice;
            let kept = world.keep(&graph).await;
            let durability = match dice.roll(4) {
                0 => Durability::Sync,
                1 => Durability::Async,
                2 => Durability::Exit,
                _ => world.durability,
            };
            let questions = kept.thread("t").state().await.unwrap().map(|now| now.questions).unwrap_or_default();
            let run = kept.run_or_resume(Trail::update()).resources(Arc::clone(&weather)).thread("t");
            let answered = questions.iter().filter(|_| dice.roll(2) == 0);
            let run = answered
                .fold(run.durability(durability), |run, question| run.answer_to(&*question.id, answer(question)));
            let turns = if weather.strikes(3) { dice.roll(40) as u32 } else { u32::MAX };
            let after_drop = std::mem::replace(&mut dropped, true);
            let ended = tokio::select! {
                biased;
                ended = run.into_future() => ended,
                () = late(turns) => continue,
            };
            dropped = false;
            match ended {
                Ok(done) if done.is_complete() => break done,
                Ok(done) => assert!(!done.questions().is_empty()),
                Err(error) => match error.kind() {
                    ErrorKind::Tasks(_) => {}
                    // A write of the dropped run came after the questions were read here, and they are open no more.
                    ErrorKind::Answer(AnswerError::Unknown { .. } | AnswerError::NothingPending) if after_drop => {}
                    _ => panic!("seed {seed}: {error}"),
                },
            }
        };
        assert_eq!(done.state, expected, "seed {seed}");
        let stored = world.keep(&graph).await.thread("t").state().await.unwrap().unwrap();
        assert_eq!((stored.is_complete(), stored.state), (true, expected), "seed {seed}");
        storms += STORMS - weather.storms.load(Ordering::Relaxed);
    }
    assert!(storms > P::SEEDS * 5, "it was not too calm: {storms} storms");
}
