//! Every call of a meter is an event, and the event says nothing of its text.
//!
//! The test stands in a process of its own: while there is one subscriber in a process, `tracing` asks the thread that comes first to an
//! event whether anybody listens, and another test's thread would answer no for all.

#![expect(clippy::unwrap_used, reason = "a test ends at a broken promise of its helpers")]

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use research_llm::layer::Meter;
use research_llm::testing::{Reply, ScriptedModel};
use research_llm::{ChatModel, ChatModelExt, Request, Task, Usage};

/// Writes the fields of every event down.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<String>>);

impl tracing::Subscriber for Log {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }
    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn event(&self, event: &tracing::Event<'_>) {
        struct Fields<'a>(&'a mut String);
        impl tracing::field::Visit for Fields<'_> {
            fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
                write!(self.0, "{field}={value:?} ").unwrap();
            }
        }
        let mut log = self.0.lock().unwrap();
        log.push_str(event.metadata().target());
        log.push(' ');
        event.record(&mut Fields(&mut log));
    }
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
}

#[test]
fn every_call_is_an_event_without_its_text() {
    let log = Log::default();
    let ask = Request::new().user("a private question").task(Task::new("plan", serde_json::json!({})));
    let model = ScriptedModel::new().then(Reply::text("a private answer").usage(Usage::new(10, 2)));
    let model = model.with(Meter::new().layer());
    tracing::subscriber::with_default(log.clone(), || futures::executor::block_on(model.complete(&ask))).unwrap();
    let log = log.0.lock().unwrap();
    for field in [
        "research_llm::meter ",
        "model=\"scripted:scripted\"",
        "task=\"plan\"",
        "input_tokens=10",
        "output_tokens=2",
        "cost=$0.00",
        "outcome=\"answered\"",
        " ms=",
    ] {
        assert!(log.contains(field), "{field} in {log}");
    }
    assert!(!log.contains("private"), "{log}");
}
