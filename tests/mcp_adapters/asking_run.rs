//! A run whose node calls a tool, and then one that asks the user; it can be killed while it waits, and goes on in another process.
//!
//! `asking_run ask DB SERVER LOG ERA` runs to the question, prints it as JSON and then waits to be killed. `asking_run answer DB SERVER LOG
//! ERA ANSWER` goes on and prints the end. ERA is `old` or `new`.

use std::error::Error;
use std::io::Write;
use std::sync::Arc;

use research_agents::mcp::{Hub, HubTools, Interviewer, Lifecycle, Object, ServerPolicy, StdioServer};
use research_core::{Cx, END, Graph, NodeError, State};
use research_core_sqlite::SqliteCheckpointer;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
struct Trip {
    note: String,
    ticket: String,
}

async fn book(cx: Cx<Trip, HubTools>) -> Result<TripUpdate, NodeError> {
    let tools = &*cx.resources;
    let note = Object::from_iter([("text".to_owned(), json!("a trip"))]);
    let note = tools.call_in(&cx, "note", "note", note).await?;
    let ticket = tools.call_in(&cx, "book", "book", Object::new()).await?;
    Ok(Trip::update().note(&*note.for_code().text).ticket(&*ticket.for_code().text))
}

async fn work(arguments: &[&str]) -> Result<(), Box<dyn Error>> {
    let (command, db, server, log, era, answer) = match *arguments {
        [command @ "ask", db, server, log, era] => (command, db, server, log, era, ""),
        [command @ "answer", db, server, log, era, answer] => (command, db, server, log, era, answer),
        _ => return Err("ask DB SERVER LOG ERA, or answer DB SERVER LOG ERA ANSWER".into()),
    };
    let lifecycle = if era == "old" { Lifecycle::Initialize } else { Lifecycle::Discover };
    let interviewer = Arc::new(Interviewer::new());
    let hub = Hub::builder()
        .stdio("rail", StdioServer::new(server).args(["--log", log]))
        .policy("rail", ServerPolicy::new().lifecycle(lifecycle))
        .answer_later()
        .elicitor(Arc::clone(&interviewer) as _)
        .connect()
        .await?;
    let hub = Arc::new(hub);
    let builder = HubTools::builder(Arc::clone(&hub)).allow("rail", "note").allow("rail", "book");
    let tools = builder.interviewer(interviewer).build().await?;

    let mut g = Graph::<Trip, HubTools>::new("trip");
    let node = g.node("book", book);
    g.entry(node).edge(node, END);
    let graph = g.compile()?.with_checkpointer(SqliteCheckpointer::open(db).await?);
    let run = match command {
        "ask" => graph.run(Trip::update()),
        _ => graph.resume().answer(serde_json::from_str::<serde_json::Value>(answer)?),
    };
    let done = run.thread("trip").resources(tools).await?;
    let mut out = std::io::stdout();
    writeln!(out, "{}", json!({"complete": done.is_complete(), "questions": done.questions(), "state": done.state}))?;
    out.flush()?;
    if command == "ask" {
        return std::future::pending().await;
    }
    hub.close().await;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    work(&arguments.iter().map(String::as_str).collect::<Vec<_>>()).await
}
