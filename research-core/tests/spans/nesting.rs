//! The tracing spans of runs, steps and tasks: their names, fields and nesting, which dashboards rely on.

use std::fmt::{self, Write};
use std::sync::{Arc, Mutex};

use research_core::{END, Graph, IdSource, MemoryCheckpointer, Node, NodeError, Retry, State, Subgraph};
use tokio::sync::Mutex as AsyncMutex;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};
use tracing_core::span::Current;

/// A subscriber is of one thread here, but what it is asked about spans counts for all: one test at a time.
static ONE: AsyncMutex<()> = AsyncMutex::const_new(());

#[derive(Clone, Debug, Default, State)]
struct Trail {
    #[reduce(append)]
    seen: Vec<String>,
}

fn mark(name: &str) -> TrailUpdate {
    Trail::update().seen([name.to_string()])
}

fn step(g: &mut Graph<Trail>, name: &str) -> Node {
    g.node(name, |cx| async move { Ok(mark(cx.node())) })
}

/// Keeps a line for each span, indented by its depth, and the names of the spans that were entered.
#[derive(Clone, Default)]
struct Collector(Arc<Mutex<Collected>>);

#[derive(Default)]
struct Collected {
    /// By id: depth, line, and what it is.
    spans: Vec<(usize, String, &'static Metadata<'static>)>,
    stack: Vec<Id>,
    /// Level and fields of each event.
    events: Vec<String>,
}

impl Collector {
    fn lines(&self) -> Vec<String> {
        let collected = self.0.lock().unwrap();
        collected.spans.iter().map(|(depth, line, _)| format!("{}{line}", "  ".repeat(*depth))).collect()
    }

    fn events(&self) -> Vec<String> {
        self.0.lock().unwrap().events.clone()
    }
}

struct Fields<'l>(&'l mut String);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        write!(self.0, " {field}={value:?}").unwrap();
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        write!(self.0, " {field}={value}").unwrap();
    }
}

fn place(id: &Id) -> usize {
    id.into_u64() as usize - 1
}

impl Subscriber for Collector {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "research_core"
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut collected = self.0.lock().unwrap();
        let parent = if span.is_contextual() { collected.stack.last().cloned() } else { span.parent().cloned() };
        let depth = parent.map_or(0, |parent| collected.spans[place(&parent)].0 + 1);
        let mut line = span.metadata().name().to_string();
        span.record(&mut Fields(&mut line));
        collected.spans.push((depth, line, span.metadata()));
        Id::from_u64(collected.spans.len() as u64)
    }

    fn record(&self, _span: &Id, _values: &Record<'_>) {}

    fn record_follows_from(&self, _span: &Id, _follows: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = format!("{}", event.metadata().level());
        event.record(&mut Fields(&mut line));
        self.0.lock().unwrap().events.push(line);
    }

    fn enter(&self, span: &Id) {
        self.0.lock().unwrap().stack.push(span.clone());
    }

    fn exit(&self, span: &Id) {
        assert_eq!(self.0.lock().unwrap().stack.pop().as_ref(), Some(span), "spans are left in the order of entry");
    }

    fn current_span(&self) -> Current {
        let collected = self.0.lock().unwrap();
        match collected.stack.last() {
            Some(id) => Current::new(id.clone(), collected.spans[place(id)].2),
            None => Current::none(),
        }
    }
}

#[derive(Debug)]
struct Fixed;

impl IdSource for Fixed {
    fn run_id(&self) -> String {
        "run-1".to_string()
    }
}

#[tokio::test]
async fn a_run_has_a_span_for_itself_each_step_and_each_task() {
    let _one = ONE.lock().await;
    let mut g = Graph::<Trail>::new("inner");
    let leaf = step(&mut g, "leaf");
    g.entry(leaf).edge(leaf, END);
    let inner = g.compile().unwrap();
    let mut g = Graph::<Trail>::new("outer");
    let [a, b] = ["a", "b"].map(|name| step(&mut g, name));
    let child = g.subgraph("child", &inner, Subgraph::shared().stateless());
    g.entry(a).entry(b).join([a, b], child).edge(child, END);
    let graph = g.compile().unwrap().with_checkpointer(MemoryCheckpointer::default());

    let collector = Collector::default();
    let guard = tracing::subscriber::set_default(collector.clone());
    graph.run(Trail::update()).thread("t").ids(Fixed).await.unwrap();
    drop(guard);
    let mut lines = collector.lines();
    // The tasks of a step begin in any order.
    lines[2..4].sort();
    let expected = [
        "run graph=outer run_id=run-1 thread=t namespace=",
        "  step step=1 tasks=2",
        "    task graph=outer node=a step=1 task=0 attempt=1 run_id=run-1",
        "    task graph=outer node=b step=1 task=1 attempt=1 run_id=run-1",
        "  step step=2 tasks=1",
        "    task graph=outer node=child step=2 task=0 attempt=1 run_id=run-1",
        "      run graph=inner run_id=run-1 namespace=child",
        "        step step=1 tasks=1",
        "          task graph=inner node=leaf step=1 task=0 attempt=1 run_id=run-1",
    ];
    assert_eq!(lines, expected);
}

#[tokio::test(start_paused = true)]
async fn each_attempt_at_a_task_has_a_span_and_a_retry_is_told() {
    let _one = ONE.lock().await;
    let mut g = Graph::<Trail>::new("retried");
    let node =
        g.node("n", |cx| async move { if cx.attempt() == 1 { Err(NodeError::msg("busy")) } else { Ok(mark("n")) } });
    g.entry(node).edge(node, END).retry(node, Retry::attempts(2));
    let graph = g.compile().unwrap();

    let collector = Collector::default();
    let guard = tracing::subscriber::set_default(collector.clone());
    graph.run(Trail::update()).ids(Fixed).await.unwrap();
    drop(guard);
    let expected = [
        "run graph=retried run_id=run-1 namespace=",
        "  step step=1 tasks=1",
        "    task graph=retried node=n step=1 task=0 attempt=1 run_id=run-1",
        "    task graph=retried node=n step=1 task=0 attempt=2 run_id=run-1",
    ];
    assert_eq!(collector.lines(), expected);
    assert_eq!(collector.events().len(), 1, "{:?}", collector.events());
}
