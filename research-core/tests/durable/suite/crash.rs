//! Crashes: a run is dropped at every place where it waits, the store is opened anew, and the thread goes on.

use std::collections::BTreeMap;
use std::sync::Arc;

use research_core::checkpoint::{RecordKind, ThreadKey};
use research_core::testing::crash_after;
use research_core::{Checkpointer, CompiledGraph, Cx, END, Graph, NodeError, Sends, Subgraph};

use super::lab::{Lab, Place, Trail, TrailUpdate, World, late, mark, step};

/// A node's work with an await before and after its effect, which happens once.
async fn careful(cx: Cx<Trail, Lab>, name: String) -> Result<TrailUpdate, NodeError> {
    late(1).await;
    let effect = format!("effect of {name}");
    let n: u32 = cx.once("effect", async { Ok::<_, NodeError>(cx.resources.runs(&effect)) }).await?;
    late(1).await;
    cx.resources.count(&name);
    Ok(mark(name).value(n))
}

/// A plan, three careful tasks beside a subgraph of two steps, a join, a failing node with a handler, and an end.
fn graph() -> CompiledGraph<Trail, Lab> {
    let mut g = Graph::<Trail, Lab>::new("inner");
    let [first, second] = ["first", "second"].map(|name| {
        g.node(name, move |cx| async move {
            late(1).await;
            cx.resources.count(name);
            Ok(mark(name))
        })
    });
    g.entry(first).edge(first, second).edge(second, END);
    let inner = g.compile().unwrap();
    let mut g = Graph::<Trail, Lab>::new("outer");
    let plan = step(&mut g, "plan");
    let work = g.task("work", |cx, n: u32| async move {
        let update = careful(cx, format!("work {n}")).await?;
        // Only one of them may write the plain field.
        Ok::<_, NodeError>(if n == 0 { update } else { mark(format!("work {n}")) })
    });
    let child = g.subgraph("child", &inner, Subgraph::shared().per_call());
    let join = step(&mut g, "join");
    let flaky = g.node("flaky", |cx| async move {
        late(1).await;
        cx.resources.count("flaky");
        Err::<(), _>(NodeError::msg("flaky"))
    });
    let end = step(&mut g, "end");
    g.entry(plan)
        .edge(plan, child)
        .route(plan, move |_: &Trail| (0..3).map(|n| work.send(n)).collect::<Sends>())
        .join([child, work.node()], join)
        .edge(join, flaky)
        .on_error(flaky, |cx, failure| async move {
            late(1).await;
            cx.resources.count("handler");
            Ok(mark(format!("handled {}", failure.message)))
        })
        .edge(flaky, end)
        .edge(end, END);
    g.compile().unwrap()
}

/// The names under which the tasks of the step that is due, and that are recorded, are counted.
async fn recorded<P: Place>(world: &World<P>) -> Vec<String> {
    let graph = world.keep(&graph()).await;
    let loaded = world.place.open().await.read(&ThreadKey::root("t"), None).await.unwrap();
    let Some(loaded) = loaded else { return Vec::new() };
    // The state of just this checkpoint: a write of the dropped run may bring another one meanwhile.
    let now = graph.thread("t").state_at(loaded.header.id).await.unwrap();
    let mut names: Vec<String> = now.state.seen.clone();
    for record in loaded.records.iter().filter(|record| record.key.kind == RecordKind::Done) {
        let place = record.key.task as usize;
        let sent_before = now.next[..place].iter().filter(|name| *name == "work").count();
        match &*now.next[place] {
            "work" => names.push(format!("work {sent_before}")),
            "child" => names.extend(["first".to_string(), "second".to_string()]),
            name => names.push(name.to_string()),
        }
    }
    names
}

/// When a run is dropped.
#[derive(Clone, Copy, Debug)]
enum Cut {
    /// After so many polls: between two awaits of the run itself.
    Polls(usize),
    /// After so many turns of the runtime: while its tasks are under way.
    Turns(u32),
    Never,
}

async fn attempt<P: Place>(world: &World<P>, lab: &Arc<Lab>, cut: Cut) -> Option<Trail> {
    let graph = world.keep(&graph()).await;
    let run = graph.run_or_resume(Trail::update()).resources(Arc::clone(lab)).thread("t");
    let run = run.durability(world.durability).into_future();
    let done = match cut {
        Cut::Polls(polls) => crash_after(polls, run).await?,
        Cut::Turns(turns) => tokio::select! {
            biased;
            done = run => done,
            () = late(turns) => return None,
        },
        Cut::Never => run.await,
    };
    Some(done.unwrap().state)
}

/// Drops a run, then the one that goes on with it, and lets a third one end. Says whether the first one had ended.
async fn survives<P: Place>(world: &World<P>, whole: &Trail, first: Cut, second: Cut) -> bool {
    let lab = Lab::new();
    let ended = attempt(world, &lab, first).await.is_some();
    for cut in [second, Cut::Never] {
        let (before, kept): (BTreeMap<String, u32>, _) = (lab.all_runs(), recorded(world).await);
        let done = attempt(world, &lab, cut).await;
        for name in kept {
            assert_eq!(before.get(&name), lab.all_runs().get(&name), "{name} is recorded, and ran again: {first:?}");
        }
        if matches!(cut, Cut::Never) {
            assert_eq!(done.as_ref(), Some(whole), "{first:?}");
        }
    }
    ended
}

pub(crate) async fn a_run_dropped_at_any_await_ends_the_same_and_repeats_nothing_recorded<P: Place>(world: World<P>) {
    let whole = graph().run(Trail::update()).resources(Lab::default()).await.unwrap().state;
    let mut cuts = 0;
    while !survives(&world.again(), &whole, Cut::Polls(cuts + 1), Cut::Polls(1 + cuts * 5 % 7)).await {
        cuts += 1;
    }
    // How often a run waits depends on how fast its store answers.
    assert!(cuts > 0, "there is something to cut off");
    for turns in 0..60 {
        survives(&world.again(), &whole, Cut::Turns(turns), Cut::Turns(turns * 5 % 23)).await;
    }
}
