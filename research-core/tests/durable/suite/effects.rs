//! Side effects that happen once, and the ids of the tasks that have them.

use std::sync::Arc;
use std::time::Duration;

use research_core::{Cx, END, Graph, NodeError, Retry};
use serde_json::json;

use super::lab::{Lab, Mood, Place, Trail, World, collect, late, mark, step};

pub(crate) async fn an_effect_happens_once_over_questions_retries_and_failures<P: Place>(world: World<P>) {
    let mut g = Graph::<Trail, Lab>::new("once");
    let pay = g.node("pay", |cx| async move {
        cx.resources.count("pay");
        let receipt: String = cx
            .once("pay", async {
                cx.resources.work("effect").await?;
                Ok::<_, NodeError>(format!("receipt {}", cx.resources.runs("effect")))
            })
            .await?;
        let other: u32 = cx.once("other", async { Ok::<_, NodeError>(cx.resources.runs("pay")) }).await?;
        if cx.resources.runs("pay") < 3 {
            return Err(NodeError::msg("not yet"));
        }
        let sure: bool = cx.interrupt(("sure", &*receipt)).await?;
        cx.resources.work("end").await?;
        Ok(mark(format!("{receipt} {other} {sure}")))
    });
    g.entry(pay).edge(pay, END).retry(pay, Retry::attempts(2).backoff(Default::default(), 1.0, Default::default()));
    let sibling = step(&mut g, "sibling");
    g.entry(sibling).edge(sibling, END);
    let (graph, lab) = (g.compile().unwrap(), Lab::new());
    lab.set("end", Mood::Fails);
    world.run(&graph, &lab, Trail::update()).await.unwrap_err();
    assert_eq!((lab.runs("pay"), lab.runs("effect")), (2, 1));
    let stopped = world.resume(&graph, &lab).await.unwrap();
    assert_eq!(stopped.questions()[0].payload, json!("receipt 1"));
    world.answer(&graph, &lab, true).await.unwrap_err();
    lab.mend("end");
    let done = world.resume(&graph, &lab).await.unwrap();
    assert_eq!(done.state.seen, ["receipt 1 1 true", "sibling"]);
    assert_eq!((lab.runs("effect"), lab.runs("sibling")), (1, 1));
}

pub(crate) async fn an_effect_that_fails_is_not_recorded_and_the_next_step_has_its_own<P: Place>(world: World<P>) {
    let mut g = Graph::<Trail, Lab>::new("once");
    let [first, second] = ["first", "second"].map(|name| {
        g.node(name, |cx| async move {
            let n: u32 = cx
                .once("same key", async {
                    cx.resources.work(cx.node()).await?;
                    Ok::<_, NodeError>(cx.resources.runs(cx.node()))
                })
                .await?;
            late(3).await;
            cx.resources.work("later").await?;
            Ok(mark(format!("{} {n}", cx.node())))
        })
    });
    // It keeps the run going while the first effect is recorded.
    let slow = step(&mut g, "slow");
    g.entry(first).entry(slow).edge(first, second).edge(second, END).edge(slow, END);
    let (graph, lab) = (g.compile().unwrap(), Lab::new());
    lab.set("slow", Mood::Late(9));
    lab.set("second", Mood::Fails);
    world.run(&graph, &lab, Trail::update()).await.unwrap_err();
    world.resume(&graph, &lab).await.unwrap_err();
    lab.mend("second");
    assert_eq!(world.resume(&graph, &lab).await.unwrap().state.seen, ["first 1", "slow", "second 3"]);
}

pub(crate) async fn an_effect_is_kept_while_somebody_watches_the_run<P: Place>(world: World<P>) {
    let mut g = Graph::<Trail, Lab>::new("watched");
    let pay = g.node("pay", |cx| async move {
        let n: u32 = cx
            .once("pay", async {
                cx.resources.count("effect");
                Ok::<_, NodeError>(cx.resources.runs("effect"))
            })
            .await?;
        late(8).await;
        cx.resources.work("later").await?;
        Ok(mark(format!("paid {n}")))
    });
    let [first, slow] = ["first", "slow"].map(|name| step(&mut g, name));
    g.entry(first).edge(first, pay).edge(first, slow).edge(pay, END).edge(slow, END);
    let (graph, lab) = (g.compile().unwrap(), Lab::new());
    lab.set("slow", Mood::Late(3));
    lab.set("later", Mood::Fails);
    let kept = world.keep(&graph).await;
    let run = kept.run(Trail::update()).resources(Arc::clone(&lab)).thread("t").durability(world.durability);
    collect(run.stream()).await.1.unwrap_err();
    lab.mend("later");
    assert_eq!(world.resume(&graph, &lab).await.unwrap().state.seen, ["first", "paid 1", "slow"]);
    assert_eq!((lab.runs("effect"), lab.runs("slow")), (1, 1));
}

pub(crate) async fn the_id_of_a_task_is_the_same_in_every_execution<P: Place>(world: World<P>) {
    let mut g = Graph::<Trail, Lab>::new("ids");
    let before = step(&mut g, "before");
    let asks = g.node("ask", |cx| async move {
        cx.resources.count(&cx.task_id());
        let _: bool = cx.interrupt(("it", "?")).await?;
        Ok(mark(cx.task_id()))
    });
    g.entry(before).edge(before, asks).route(asks, move |s: &Trail| if s.sum < 3 { asks } else { END });
    let (graph, lab) = (g.compile().unwrap(), Lab::new());
    world.run(&graph, &lab, Trail::update()).await.unwrap();
    world.answer(&graph, &lab, true).await.unwrap();
    let done = world.answer(&graph, &lab, true).await.unwrap();
    let ids = &done.state.seen[1..];
    assert_eq!(ids.iter().map(|id| lab.runs(id)).collect::<Vec<_>>(), [2, 2]);
    assert!(ids[0] != ids[1] && ids.iter().all(|id| id.starts_with("t/") && id.ends_with("/ask")), "{ids:?}");
}

pub(crate) async fn no_two_tasks_of_a_thread_have_the_same_id<P: Place>(world: World<P>) {
    let mut g = Graph::<Trail, Lab>::new("ids");
    let again = g.node("again", |cx| async move { Ok(mark(cx.task_id())) });
    g.entry(again).route(again, move |s: &Trail| if s.sum.is_multiple_of(3) { END } else { again });
    let (graph, lab) = (g.compile().unwrap(), Lab::new());
    world.run(&graph, &lab, Trail::update()).await.unwrap();
    let done = world.run(&graph, &lab, Trail::update()).await.unwrap();
    let ids: std::collections::BTreeSet<&String> = done.state.seen.iter().collect();
    assert_eq!((ids.len(), done.state.seen.len()), (6, 6), "{:?}", done.state.seen);
}

pub(crate) async fn a_key_that_is_used_twice_in_one_execution_is_an_error<P: Place>(world: World<P>) {
    // With a policy and without one, for effects and for questions.
    for has_policy in [true, false] {
        for asks in [true, false] {
            let mut g = Graph::<Trail, Lab>::new("twice");
            let node = g.node("twice", move |cx: Cx<Trail, Lab>| async move {
                for _ in 0..2 {
                    if asks {
                        let _: bool = cx.interrupt(("same", true)).await?;
                    } else {
                        cx.once("same", async {
                            cx.resources.count("effect");
                            Ok::<_, NodeError>(())
                        })
                        .await?;
                    }
                }
                Ok(mark("twice"))
            });
            g.entry(node).edge(node, END);
            if has_policy {
                g.retry(node, Retry::attempts(2).backoff(Duration::ZERO, 1.0, Duration::ZERO));
            }
            let (world, lab, graph) = (world.again(), Lab::new(), g.compile().unwrap());
            let mut ended = world.run(&graph, &lab, Trail::update()).await;
            if asks {
                assert_eq!(ended.unwrap().questions().len(), 1);
                ended = world.answer(&graph, &lab, true).await;
            }
            let text = ended.unwrap_err().to_string();
            assert!(text.contains("key `same` before; number the keys"), "{text}");
            assert_eq!(lab.runs("effect"), u32::from(!asks), "the effect took place once, and was not repeated");
        }
    }
}

pub(crate) async fn an_effect_that_fails_or_is_dropped_may_be_tried_again_under_its_key<P: Place>(world: World<P>) {
    let mut g = Graph::<Trail, Lab>::new("again");
    let node = g.node("again", move |cx: Cx<Trail, Lab>| async move {
        assert!(cx.once("key", async { Err::<(), _>(NodeError::msg("no")) }).await.is_err());
        let hanging = cx.once("key", std::future::pending::<Result<(), NodeError>>());
        assert!(futures::FutureExt::now_or_never(hanging).is_none());
        cx.once("key", async { Ok::<_, NodeError>(()) }).await?;
        cx.once("other", async { Ok::<_, NodeError>(()) }).await?;
        Ok(mark("again"))
    });
    g.entry(node).edge(node, END);
    let done = world.run(&g.compile().unwrap(), &Lab::new(), Trail::update()).await.unwrap();
    assert_eq!(done.state.seen, ["again"]);
}
