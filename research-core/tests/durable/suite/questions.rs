//! Questions to a person: what is asked, how it is answered, and what runs again.

use std::sync::Arc;

use research_core::{
    AnswerError, Ask, CompiledGraph, Cx, END, End, ErrorKind, EventKind, Finished, Graph, NodeError, Question, Retry,
    RunError, Sends,
};
use serde_json::{Value, json};

use super::lab::{Lab, Mood, Place, Trail, TrailUpdate, World, collect, mark, step, until};

/// A node that asks `key` and appends its answer.
async fn asker(cx: Cx<Trail, Lab>, key: String) -> Result<TrailUpdate, NodeError> {
    cx.resources.work(cx.node()).await?;
    let answer: String = cx.interrupt((key.clone(), json!({ "about": key }))).await?;
    Ok(mark(format!("{} {answer}", cx.node())))
}

fn ask(g: &mut Graph<Trail, Lab>, name: &str) -> research_core::Node {
    g.node(name, |cx| {
        let key = format!("{}?", cx.node());
        asker(cx, key)
    })
}

/// `before`, `ask`, `after` in a chain.
fn chain() -> CompiledGraph<Trail, Lab> {
    let mut g = Graph::<Trail, Lab>::new("chain");
    let [before, after] = ["before", "after"].map(|name| step(&mut g, name));
    let asks = ask(&mut g, "ask");
    g.entry(before).edge(before, asks).edge(asks, after).edge(after, END);
    g.compile().unwrap()
}

/// `a`, `b` and `c` in one step, of which all but `c` ask; then `end`.
fn parallel() -> CompiledGraph<Trail, Lab> {
    let mut g = Graph::<Trail, Lab>::new("parallel");
    let [a, b] = ["a", "b"].map(|name| ask(&mut g, name));
    let [c, end] = ["c", "end"].map(|name| step(&mut g, name));
    g.entry(a).entry(b).entry(c).join([a, b, c], end).edge(end, END);
    g.compile().unwrap()
}

fn ids(questions: &[Question]) -> Vec<&str> {
    questions.iter().map(|question| &*question.id).collect()
}

fn wrong(result: Result<Finished<Trail>, RunError>) -> AnswerError {
    match result.unwrap_err().kind() {
        ErrorKind::Answer(error) => error.clone(),
        other => panic!("{other:?}"),
    }
}

pub(crate) async fn a_question_ends_the_run_and_its_answer_goes_on<P: Place>(world: World<P>) {
    let (graph, lab) = (chain(), Lab::new());
    let stopped = world.run(&graph, &lab, Trail::update()).await.unwrap();
    let [question] = stopped.questions() else { panic!("{:?}", stopped.end) };
    assert_eq!((&*question.key, &*question.node, &*question.namespace), ("ask?", "ask", ""));
    assert_eq!(question.payload, json!({ "about": "ask?" }));
    assert_eq!(stopped.state.seen, ["before"]);
    let done = world.answer(&graph, &lab, "yes").await.unwrap();
    assert_eq!(done.state.seen, ["before", "ask yes", "after"]);
    assert_eq!(["before", "ask", "after"].map(|name| lab.runs(name)), [1, 2, 1]);
}

pub(crate) async fn a_run_without_an_answer_asks_again_and_runs_nothing<P: Place>(world: World<P>) {
    let (graph, lab) = (chain(), Lab::new());
    let first = world.run(&graph, &lab, Trail::update()).await.unwrap();
    for _ in 0..2 {
        let again = world.resume(&graph, &lab).await.unwrap();
        assert_eq!(again.end, first.end);
        assert_eq!(lab.runs("ask"), 1);
    }
    assert!(world.answer(&graph, &lab, "yes").await.unwrap().is_complete());
}

pub(crate) async fn several_questions_of_one_node_are_told_apart_by_their_keys<P: Place>(world: World<P>) {
    let mut g = Graph::<Trail, Lab>::new("both");
    let both = g.node("both", |cx| async move {
        cx.resources.count("both");
        let (name, age): (Result<String, _>, Result<u32, _>) =
            futures::future::join(cx.interrupt(("name", "your name")), cx.interrupt(("age", "your age"))).await;
        Ok(mark(name?).value(age?))
    });
    g.entry(both).edge(both, END);
    let graph = g.compile().unwrap();
    for at_once in [false, true] {
        let (world, lab) = (world.again(), Lab::new());
        let stopped = world.run(&graph, &lab, Trail::update()).await.unwrap();
        let keys: Vec<_> = stopped.questions().iter().map(|question| &*question.key).collect();
        assert_eq!(keys, ["name", "age"]);
        let [name, age] = [0, 1].map(|place| stopped.questions()[place].id.clone());
        let done = if at_once {
            let graph = world.keep(&graph).await;
            let run = graph.resume().resources(Arc::clone(&lab)).thread("t").durability(world.durability);
            run.answer_to(age, 36).answer_to(name, "Ada").await.unwrap()
        } else {
            let half = world.answer_to(&graph, &lab, &age, 36).await.unwrap();
            assert_eq!(ids(half.questions()), [&*name]);
            let now = world.thread(&graph).await.state().await.unwrap().unwrap();
            assert_eq!(ids(&now.questions), [&*name], "a bare answer will do now");
            world.answer(&graph, &lab, "Ada").await.unwrap()
        };
        assert_eq!((done.state.seen, done.state.value), (vec!["Ada".to_string()], 36));
        assert_eq!(lab.runs("both"), if at_once { 2 } else { 3 });
    }
}

pub(crate) async fn a_node_asks_in_a_loop_until_the_answer_is_valid<P: Place>(world: World<P>) {
    let mut g = Graph::<Trail, Lab>::new("loop");
    let age = g.node("age", |cx| async move {
        for attempt in 1.. {
            let answer: i64 = cx.interrupt((format!("age {attempt}"), "your age")).await?;
            if let Ok(age) = u32::try_from(answer) {
                return Ok(mark(format!("after {attempt}")).value(age));
            }
        }
        Err(NodeError::msg("the loop ended"))
    });
    g.entry(age).edge(age, END);
    let (graph, lab) = (g.compile().unwrap(), Lab::new());
    let mut run = world.run(&graph, &lab, Trail::update()).await.unwrap();
    for (attempt, answer) in [(1, -5), (2, -1), (3, 36)] {
        assert_eq!(run.questions()[0].key, format!("age {attempt}"));
        run = world.answer(&graph, &lab, answer).await.unwrap();
    }
    assert_eq!((run.state.seen, run.state.value), (vec!["after 3".to_string()], 36));
}

pub(crate) async fn siblings_are_answered_one_by_one_or_at_once_and_finished_ones_run_once<P: Place>(world: World<P>) {
    let graph = parallel();
    for slow in ["a", "b", "c", ""] {
        for order in [vec!["a", "b"], vec!["b", "a"], vec![]] {
            let (world, lab) = (world.again(), Lab::new());
            lab.set(slow, Mood::Late(4));
            let stopped = world.run(&graph, &lab, Trail::update()).await.unwrap();
            let now = world.thread(&graph).await.state().await.unwrap().unwrap();
            assert_eq!(End::Interrupted(now.questions.clone()), stopped.end, "what is told is what is stored");
            assert_eq!((now.questions.len(), now.recorded, now.is_interrupted()), (2, 1, true));
            let id = |name: &str| now.questions.iter().find(|question| question.node == name).unwrap().id.clone();
            let done = match order.as_slice() {
                [first, second] => {
                    let half = world.answer_to(&graph, &lab, &id(first), "yes").await.unwrap();
                    assert_eq!(ids(half.questions()), [id(second)]);
                    assert_eq!([lab.runs(first), lab.runs(second)], [2, 1]);
                    world.answer(&graph, &lab, "yes").await.unwrap()
                }
                _ => {
                    let graph = world.keep(&graph).await;
                    let run = graph.resume().resources(Arc::clone(&lab)).thread("t").durability(world.durability);
                    run.answer_to(id("b"), "yes").answer_to(id("a"), "yes").await.unwrap()
                }
            };
            assert_eq!(done.state.seen, ["a yes", "b yes", "c", "end"]);
            assert_eq!(["a", "b", "c", "end"].map(|name| lab.runs(name)), [2, 2, 1, 1]);
        }
    }
}

pub(crate) async fn one_of_several_sent_tasks_asks_and_the_others_run_once<P: Place>(world: World<P>) {
    let mut g = Graph::<Trail, Lab>::new("sends");
    let plan = step(&mut g, "plan");
    let work = g.task("work", |cx, n: u32| async move {
        let name = format!("work {n}");
        cx.resources.work(&name).await?;
        let answer: bool = if n == 2 { cx.interrupt(("sure", n)).await? } else { true };
        Ok(mark(format!("{name} {answer}")))
    });
    g.entry(plan).route(plan, move |_: &Trail| (0..4).map(|n| work.send(n)).collect::<Sends>()).edge(work, END);
    let (graph, lab) = (g.compile().unwrap(), Lab::new());
    lab.set("work 3", Mood::Late(4));
    let stopped = world.run(&graph, &lab, Trail::update()).await.unwrap();
    assert_eq!(stopped.questions()[0].payload, json!(2));
    let done = world.answer(&graph, &lab, false).await.unwrap();
    assert_eq!(done.state.seen, ["plan", "work 0 true", "work 1 true", "work 2 false", "work 3 true"]);
    assert_eq!((0..4).map(|n| lab.runs(&format!("work {n}"))).collect::<Vec<_>>(), [1, 1, 2, 1]);
}

pub(crate) async fn null_is_an_answer<P: Place>(world: World<P>) {
    let mut g = Graph::<Trail, Lab>::new("null");
    let asks = g.node("ask", |cx| async move {
        let answer: Option<String> = cx.interrupt(("maybe", Value::Null)).await?;
        Ok(mark(format!("{answer:?}")))
    });
    g.entry(asks).edge(asks, END);
    let (graph, lab) = (g.compile().unwrap(), Lab::new());
    world.run(&graph, &lab, Trail::update()).await.unwrap();
    assert_eq!(world.answer(&graph, &lab, Value::Null).await.unwrap().state.seen, ["None"]);
}

pub(crate) async fn an_answer_of_the_wrong_type_is_refused_and_the_question_stays_open<P: Place>(world: World<P>) {
    let (graph, lab) = (parallel(), Lab::new());
    let stopped = world.run(&graph, &lab, Trail::update()).await.unwrap();
    let [a, b] = [0, 1].map(|place| stopped.questions()[place].id.clone());
    world.answer_to(&graph, &lab, &b, "yes").await.unwrap();
    for _ in 0..2 {
        let error = wrong(world.answer(&graph, &lab, 5).await);
        assert!(matches!(&error, AnswerError::WrongType { id, reason } if *id == a && reason.contains("string")));
        let now = world.thread(&graph).await.state().await.unwrap().unwrap();
        assert_eq!((ids(&now.questions), now.recorded), (vec![&*a], 2));
    }
    let done = world.answer(&graph, &lab, "no").await.unwrap();
    assert_eq!(done.state.seen, ["a no", "b yes", "c", "end"]);
    assert_eq!(["b", "c"].map(|name| lab.runs(name)), [2, 1]);
}

pub(crate) async fn answers_that_cannot_be_taken_are_typed_errors_and_change_nothing<P: Place>(world: World<P>) {
    let (graph, lab) = (parallel(), Lab::new());
    let stopped = world.run(&graph, &lab, Trail::update()).await.unwrap();
    let open = ids(stopped.questions()).into_iter().map(String::from).collect::<Vec<_>>();
    let look = async || {
        let now = world.thread(&graph).await.state().await.unwrap().unwrap();
        (now.checkpoint, now.questions, now.recorded, lab.all_runs())
    };
    let before = look().await;
    let unknown = wrong(world.answer_to(&graph, &lab, "nobody", "yes").await);
    assert_eq!(unknown, AnswerError::Unknown { id: "nobody".into(), open: open.clone() });
    let bare = wrong(world.answer(&graph, &lab, "yes").await);
    assert_eq!(bare, AnswerError::Ambiguous { open: open.clone() });
    let kept = world.keep(&graph).await;
    let run = || kept.resume().resources(Arc::clone(&lab)).thread("t").durability(world.durability);
    let mixed = wrong(run().answer_to(&*open[0], "yes").answer_to("nobody", "yes").await);
    assert_eq!(mixed, AnswerError::Unknown { id: "nobody".into(), open: open.clone() });
    let fork = wrong(run().from_checkpoint(before.0).answer_to(&*open[0], "yes").await);
    assert_eq!(fork, AnswerError::NothingPending, "a branch asks anew");
    let input = kept.run(Trail::update()).resources(Arc::clone(&lab)).thread("t").answer_to(&*open[0], "yes");
    assert_eq!(wrong(input.await), AnswerError::NothingPending);
    assert_eq!(look().await, before);
    run().answer_to(&*open[0], "yes").answer_to(&*open[1], "yes").await.unwrap();
    for result in [world.answer(&graph, &lab, "yes").await, world.answer_to(&graph, &lab, &open[0], "yes").await] {
        assert_eq!(wrong(result), AnswerError::NothingPending, "all is answered");
    }
}

pub(crate) async fn a_new_input_abandons_the_question_and_says_so<P: Place>(world: World<P>) {
    let (graph, lab) = (chain(), Lab::new());
    let stopped = world.run(&graph, &lab, Trail::update()).await.unwrap();
    let kept = world.keep(&graph).await;
    let run = kept.run(Trail::update().word("new")).resources(Arc::clone(&lab)).thread("t");
    let (events, done) = collect(run.durability(world.durability).stream()).await;
    let abandoned: Vec<_> = events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Abandoned { questions } => Some(questions.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(abandoned, [[stopped.questions()[0].id.clone()]]);
    let done = done.unwrap();
    assert_eq!(done.questions().len(), 1);
    assert_ne!(done.questions()[0].id, stopped.questions()[0].id);
    let old = wrong(world.answer_to(&graph, &lab, &stopped.questions()[0].id, "yes").await);
    assert!(matches!(old, AnswerError::Unknown { .. }));
    let done = world.answer(&graph, &lab, "yes").await.unwrap();
    assert_eq!((done.state.seen.len(), &*done.state.word), (4, "new"));
}

pub(crate) async fn a_question_is_read_and_answered_by_another_graph_and_handle<P: Place>(world: World<P>) {
    let build = || {
        let mut g = Graph::<Trail, Lab>::new("mail");
        let send = g.node("send", |cx| async move {
            let ask = Ask::new("send", json!({ "to": "all" })).schema(json!({ "type": "boolean" }));
            let yes: bool = cx.interrupt(ask).await?;
            Ok(mark(format!("sent {yes}")))
        });
        g.entry(send).edge(send, END);
        g.compile().unwrap()
    };
    world.run(&build(), &Lab::new(), Trail::update()).await.unwrap();
    let thread = world.thread(&build()).await;
    let now = thread.state().await.unwrap().unwrap();
    let [question] = now.questions.as_slice() else { panic!("{:?}", now.questions) };
    assert_eq!((&*question.key, &question.payload), ("send", &json!({ "to": "all" })));
    assert_eq!(question.schema, Some(json!({ "type": "boolean" })));
    let done = world.answer_to(&build(), &Lab::new(), &question.id, true).await.unwrap();
    assert_eq!(done.state.seen, ["sent true"]);
}

pub(crate) async fn neither_retry_nor_handler_swallows_a_question<P: Place>(world: World<P>) {
    let mut g = Graph::<Trail, Lab>::new("held");
    let asks = ask(&mut g, "ask");
    g.entry(asks).edge(asks, END).retry(asks, Retry::attempts(5)).on_error(asks, |cx, _failure| async move {
        cx.resources.count("handler");
        Ok(mark("handled"))
    });
    let (graph, lab) = (g.compile().unwrap(), Lab::new());
    assert_eq!(world.run(&graph, &lab, Trail::update()).await.unwrap().questions().len(), 1);
    assert!(matches!(wrong(world.answer(&graph, &lab, 7).await), AnswerError::WrongType { .. }));
    assert_eq!(world.answer(&graph, &lab, "yes").await.unwrap().state.seen, ["ask yes"]);
    assert_eq!((lab.runs("ask"), lab.runs("handler")), (3, 0));
}

pub(crate) async fn a_handler_asks_and_goes_on_when_it_is_answered<P: Place>(world: World<P>) {
    let mut g = Graph::<Trail, Lab>::new("handler");
    let work = step(&mut g, "work");
    g.entry(work).edge(work, END).on_error(work, |cx, failure| async move {
        cx.resources.count("handler");
        let instead: String = cx.interrupt(("instead", &*failure.message)).await?;
        Ok(mark(instead))
    });
    let (graph, lab) = (g.compile().unwrap(), Lab::new());
    lab.set("work", Mood::Fails);
    let stopped = world.run(&graph, &lab, Trail::update()).await.unwrap();
    assert_eq!(stopped.questions()[0].payload, json!("work fails"));
    assert_eq!(world.answer(&graph, &lab, "by hand").await.unwrap().state.seen, ["by hand"]);
    assert_eq!((lab.runs("work"), lab.runs("handler")), (1, 2));
}

pub(crate) async fn a_node_that_swallows_the_error_is_interrupted_all_the_same<P: Place>(world: World<P>) {
    let mut g = Graph::<Trail, Lab>::new("swallow");
    let asks = g.node("ask", |cx| async move {
        let answer = cx.interrupt::<String>(("it", "?")).await;
        Ok(mark(answer.unwrap_or_else(|_| "no answer".to_string())))
    });
    let ok = step(&mut g, "ok");
    g.entry(asks).edge(asks, END).entry(ok).edge(ok, END);
    let (graph, lab) = (g.compile().unwrap(), Lab::new());
    let stopped = world.run(&graph, &lab, Trail::update()).await.unwrap();
    assert_eq!((stopped.questions().len(), stopped.state.seen.len()), (1, 0));
    assert_eq!(world.answer(&graph, &lab, "yes").await.unwrap().state.seen, ["yes", "ok"]);
}

pub(crate) async fn a_question_beside_a_failure_is_kept<P: Place>(world: World<P>) {
    let (graph, lab) = (parallel(), Lab::new());
    lab.set("c", Mood::FailsLate);
    lab.set("b", Mood::Fails);
    let error = world.run(&graph, &lab, Trail::update()).await.unwrap_err();
    assert_eq!(error.failures().len(), 2);
    let now = world.thread(&graph).await.state().await.unwrap().unwrap();
    assert_eq!((now.questions.len(), now.recorded), (1, 0));
    lab.mend("b");
    lab.mend("c");
    let half = world.answer(&graph, &lab, "yes").await.unwrap();
    assert_eq!(half.questions()[0].node, "b");
    assert_eq!(world.answer(&graph, &lab, "no").await.unwrap().state.seen, ["a yes", "b no", "c", "end"]);
    assert_eq!(["a", "b", "c"].map(|name| lab.runs(name)), [2, 3, 2]);
}

pub(crate) async fn an_answer_is_kept_when_the_run_that_brought_it_breaks<P: Place>(world: World<P>) {
    let mut g = Graph::<Trail, Lab>::new("kept");
    let asks = g.node("ask", |cx| async move {
        let answer: String = cx.interrupt(("it", "?")).await?;
        cx.resources.work("use").await?;
        Ok(mark(answer))
    });
    g.entry(asks).edge(asks, END);
    let (graph, lab) = (g.compile().unwrap(), Lab::new());
    world.run(&graph, &lab, Trail::update()).await.unwrap();
    lab.set("use", Mood::Fails);
    world.answer(&graph, &lab, "yes").await.unwrap_err();
    lab.mend("use");
    assert_eq!(wrong(world.answer(&graph, &lab, "no").await), AnswerError::NothingPending);
    assert_eq!(world.resume(&graph, &lab).await.unwrap().state.seen, ["yes"]);
}

pub(crate) async fn a_question_without_a_thread_is_an_error_that_says_what_it_needs<P: Place>(world: World<P>) {
    let graph = world.keep(&chain()).await;
    let error = graph.run(Trail::update()).resources(Lab::default()).await.unwrap_err();
    assert!(error.to_string().contains("a question needs a thread"), "{error}");
}

pub(crate) async fn a_question_that_is_not_asked_again_is_closed<P: Place>(world: World<P>) {
    let mut g = Graph::<Trail, Lab>::new("either");
    let either = g.node("either", |cx| async move {
        let (a, b): (Result<String, _>, Result<String, _>) = futures::future::join(cx.interrupt(("a", "?")), async {
            match cx.resources.is_broken("one question") {
                true => Err(NodeError::msg("it is not asked")),
                false => cx.interrupt(("b", "?")).await,
            }
        })
        .await;
        let answer = a.or(b)?;
        let more: String = match cx.resources.is_broken("more") {
            true => cx.interrupt(("more", "?")).await?,
            false => String::new(),
        };
        Ok(mark(format!("{answer} {more}")))
    });
    let bad = step(&mut g, "bad");
    g.entry(either).entry(bad).edge(either, END).edge(bad, END);
    let graph = g.compile().unwrap();
    for more in [false, true] {
        let (world, lab) = (world.again(), Lab::new());
        lab.set("bad", Mood::Fails);
        world.run(&graph, &lab, Trail::update()).await.unwrap_err();
        let open = async || world.thread(&graph).await.state().await.unwrap().unwrap().questions;
        let [a, b] = <[Question; 2]>::try_from(open().await).unwrap();
        assert_eq!((&*a.key, &*b.key), ("a", "b"));
        lab.set("one question", Mood::Fails);
        if more {
            lab.set("more", Mood::Fails);
        }
        if !more && !world.stores_at_exit() {
            // The run crashed before its step was complete, and after the task was.
            lab.set("bad", Mood::Hangs);
            tokio::select! {
                _ = world.answer_to(&graph, &lab, &a.id, "yes") => panic!("it hangs"),
                () = until(async || world.recorded().await == 1) => {}
            }
            assert!(open().await.is_empty());
            lab.mend("bad");
            assert_eq!(world.resume(&graph, &lab).await.unwrap().state.seen, ["bad", "yes "]);
            continue;
        }
        world.answer_to(&graph, &lab, &a.id, "yes").await.unwrap_err();
        let left: Vec<String> = open().await.into_iter().map(|question| question.key).collect();
        assert_eq!(left, if more { vec!["more"] } else { vec![] }, "`b` is asked no more");
        lab.mend("bad");
        let done = match more {
            true => world.answer(&graph, &lab, "and more").await.unwrap(),
            false => world.resume(&graph, &lab).await.unwrap(),
        };
        assert_eq!(done.state.seen, ["bad", if more { "yes and more" } else { "yes " }]);
    }
}

pub(crate) async fn a_question_is_asked_again_in_other_words<P: Place>(world: World<P>) {
    let mut g = Graph::<Trail, Lab>::new("words");
    let asks = g.node("ask", |cx| async move {
        cx.resources.count("ask");
        let answer: String = cx.interrupt(("it", cx.resources.runs("ask"))).await?;
        Ok(mark(answer))
    });
    g.entry(asks).edge(asks, END);
    let (graph, lab) = (g.compile().unwrap(), Lab::new());
    world.run(&graph, &lab, Trail::update()).await.unwrap();
    world.answer(&graph, &lab, 5).await.unwrap_err();
    let now = world.thread(&graph).await.state().await.unwrap().unwrap();
    assert_eq!((now.questions.len(), &now.questions[0].payload), (1, &json!(2)));
    assert_eq!(world.answer(&graph, &lab, "yes").await.unwrap().state.seen, ["yes"]);
}
