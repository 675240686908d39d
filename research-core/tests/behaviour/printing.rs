//! Types print for debugging without asking anything of the state or the resources.

use research_core::{Command, Cx, END, Graph, Log, Modes, State, Target};

/// Neither it nor its field can be printed.
#[derive(Clone, Default, State)]
struct Mute {
    #[reduce(append)]
    secret: Vec<Unprintable>,
    plain: Option<Unprintable>,
}

#[derive(Clone)]
struct Unprintable;

struct Key;

#[tokio::test]
async fn everything_prints_although_state_and_resources_do_not() {
    let mut g = Graph::<Mute, Key>::new("mute");
    let t = g.task("t", |cx: Cx<Mute, Key>, _n: u8| async move {
        Ok(Command::end().with(Mute::update().secret([Unprintable]).plain(Unprintable)).debugged(format!("{cx:?}")))
    });
    g.entry_route(move |_: &Mute| t.send(1)).edge(t, END);
    assert_eq!(format!("{:?}", t.send(1)), format!("Sent {{ node: {:?}, .. }}", t.node()));
    let graph = g.compile().unwrap();
    assert_eq!(format!("{graph:?}"), r#"CompiledGraph { name: "mute", nodes: ["t"] }"#);
    let run = graph.run(Mute::update());
    assert_eq!(format!("{run:?}"), r#"Run { graph: "mute", .. }"#);
    let run = run.resources(Key);
    let stream = run.stream_modes(Modes::ALL);
    assert!(format!("{stream:?}").starts_with("RunStream { log: EventLog {"));
    let events: Vec<_> = futures::StreamExt::collect(stream).await;
    let text = format!("{events:?}");
    assert!(text.contains("Values(..)"), "{text}");
    assert!(text.contains(r#"Updated(MuteUpdate{"secret", "plain"})"#), "{text}");
}

/// Keeps a check next to the value that it is about.
trait Debugged: Sized {
    fn debugged(self, text: String) -> Self;
}

impl Debugged for Command<Mute> {
    fn debugged(self, text: String) -> Self {
        assert!(text.starts_with("Cx { tag: TaskTag { step: 1, index: 0"), "{text}");
        assert_eq!(
            format!("{self:?}"),
            r#"Command { update: MuteUpdate{"secret", "plain"}, goto: Some(Goto { targets: Targets(One(Node(Node { graph: 0, index: 4294967295 }))), also: false, parent: false }) }"#
        );
        self
    }
}

#[tokio::test]
async fn an_error_of_a_run_prints_its_graph_and_its_kind() {
    let mut g = Graph::<Mute>::new("mute");
    let n = g.node("n", |_cx| async { Err::<(), _>("out".into()) });
    g.entry(n).edge(n, END);
    let error = g.compile().unwrap().run(Mute::update()).await.unwrap_err();
    let text = format!("{error:?}");
    assert!(text.starts_with(r#"RunError { graph: "mute", kind: Tasks([TaskFailure { node: "n""#), "{text}");
}

#[test]
fn a_log_prints_as_a_list() {
    let log: Log<u8> = [1, 2].into();
    assert_eq!(format!("{log:?}"), "[1, 2]");
    assert_eq!(format!("{:?}", Target::from("x")), r#"Name("x")"#);
}
