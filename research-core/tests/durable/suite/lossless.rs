//! What the user's own code does to the store when it misbehaves: the thread stays as it was, and goes on.

use research_core::{END, Graph, NodeError, State};
use serde::{Deserialize, Serialize, Serializer};

use super::lab::{Lab, Mood, Place, World};

/// A value that panics when it is written, while it is armed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(from = "bool")]
struct Bomb(bool);

impl From<bool> for Bomb {
    fn from(armed: bool) -> Self {
        Self(armed)
    }
}

impl Serialize for Bomb {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        assert!(!self.0, "it went off");
        serializer.serialize_bool(self.0)
    }
}

#[derive(Clone, Debug, Default, PartialEq, State)]
struct Load {
    #[reduce(append)]
    seen: Vec<String>,
    bomb: Bomb,
}

pub(crate) async fn a_value_that_panics_when_it_is_written_is_an_error_that_names_the_field<P: Place>(world: World<P>) {
    for siblings in [&[][..], &["ok", "z"]] {
        let (world, lab) = (world.again(), Lab::new());
        let mut g = Graph::<Load, Lab>::new("load");
        let arm = g.node("arm", |cx| async move {
            let bomb = Bomb(cx.resources.is_broken("write"));
            Ok(Load::update().seen(["arm".to_string()]).bomb(bomb))
        });
        g.entry(arm).edge(arm, END);
        for name in siblings {
            let ok = g.node(*name, |cx| async move {
                cx.resources.work(cx.node()).await?;
                Ok(Load::update().seen([cx.node().to_string()]))
            });
            g.entry(ok).edge(ok, END);
        }
        let graph = g.compile().unwrap();
        lab.set("write", Mood::Fails);
        lab.set("z", Mood::Late(4));
        let error = world.run(&graph, &lab, Load::update()).await.unwrap_err();
        assert!(error.to_string().contains("`bomb`"), "{error}");
        lab.mend("write");
        if world.stores_at_exit() {
            // All that a run would store stands in one checkpoint; what it held is lost with it.
            assert!(world.run(&graph, &lab, Load::update()).await.unwrap().is_complete());
            continue;
        }
        assert!(world.thread(&graph).await.state().await.unwrap().unwrap().state.seen.is_empty());
        let done = world.resume(&graph, &lab).await.unwrap();
        assert_eq!(done.state.seen.len(), siblings.len() + 1);
        siblings.iter().for_each(|name| assert_eq!(lab.runs(name), 1, "{name} finished and is kept"));
    }
}

/// The first run cannot store what it holds when it ends, and has effects that belong to it alone.
pub(crate) async fn effects_of_a_run_that_could_not_be_stored_are_not_taken_for_those_of_the_next<P: Place>(
    world: World<P>,
) {
    let lab = Lab::new();
    let mut g = Graph::<Load, Lab>::new("load");
    let arm = g.node("arm", |cx| async move { Ok(Load::update().bomb(Bomb(cx.resources.is_broken("write")))) });
    let pay = g.node("pay", |cx| async move {
        let effect = async {
            cx.resources.count("effect");
            Ok::<_, NodeError>(cx.resources.runs("effect"))
        };
        let paid: u32 = cx.once("pay", effect).await?;
        cx.resources.work("pay").await?;
        Ok(Load::update().seen([paid.to_string()]))
    });
    g.entry(arm).edge(arm, pay).edge(pay, END);
    let graph = g.compile().unwrap();
    lab.set("write", Mood::Fails);
    lab.set("pay", Mood::Fails);
    assert!(world.run(&graph, &lab, Load::update()).await.is_err());
    lab.mend("write");
    // This one breaks at the same place and can be stored, under the numbers that the first one would have had.
    assert!(world.run(&graph, &lab, Load::update()).await.is_err());
    lab.mend("pay");
    let before = lab.runs("effect");
    let done = world.resume(&graph, &lab).await.unwrap();
    assert_eq!(lab.runs("effect"), before, "the effect of the second run is known");
    assert_eq!(done.state.seen, [before.to_string()]);
    assert_eq!(before, if world.stores_at_exit() { 2 } else { 1 }, "each run that came so far had its own");
}

#[derive(Clone, Debug, Default, PartialEq, State)]
struct Nothings {
    nested: Option<Option<u32>>,
    #[reduce(last)]
    last: Option<Option<Vec<String>>>,
    unit: Option<()>,
    json: Option<serde_json::Value>,
    plain: Option<u32>,
}

pub(crate) async fn some_of_nothing_is_not_taken_for_nothing<P: Place>(world: World<P>) {
    let states = [
        Nothings::default(),
        Nothings {
            nested: Some(None),
            last: Some(None),
            unit: Some(()),
            json: Some(serde_json::Value::Null),
            plain: None,
        },
        Nothings {
            nested: Some(Some(7)),
            last: Some(Some(vec!["some".to_string()])),
            unit: None,
            json: Some(serde_json::json!({ "some": null })),
            plain: Some(1),
        },
    ];
    for state in states {
        // In the checkpoint, and in the recorded result of a task whose sibling fails.
        let mut g = Graph::<Nothings, Lab>::new("nothings");
        let written = state.clone();
        let ok = g.node("ok", move |_cx| {
            let Nothings { nested, last, unit, json, plain } = written.clone();
            let mut update = Nothings::update();
            if let (Some(nested), Some(last)) = (nested, last) {
                update = update.nested(nested).last(last);
            }
            if unit.is_some() {
                update = update.unit(());
            }
            update = json.into_iter().fold(update, NothingsUpdate::json);
            update = plain.into_iter().fold(update, NothingsUpdate::plain);
            async move { Ok(update) }
        });
        let bad = g.node("bad", |cx| async move { cx.resources.work("bad").await });
        g.entry(ok).entry(bad).edge(ok, END).edge(bad, END);
        let (world, lab, graph) = (world.again(), Lab::new(), g.compile().unwrap());
        lab.set("bad", Mood::FailsLate);
        world.run(&graph, &lab, Nothings::update()).await.unwrap_err();
        lab.mend("bad");
        assert_eq!(world.resume(&graph, &lab).await.unwrap().state, state);
        assert_eq!(world.thread(&graph).await.state().await.unwrap().unwrap().state, state);
    }
}
