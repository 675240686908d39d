//! Fan-out: as many tasks as the data asks for, each with an input of its own type.
//!
//! A *task* is a node that takes an input. A route (or a command) sends it one input after the other: all of them run in
//! the same step, and what they write folds in the order in which they were sent. Run it with
//! `cargo run --example 04_fan_out`.

use std::time::Duration;

use research_core::{Command, Cx, END, Graph, NodeError, Sends, State, Task};
use serde::{Deserialize, Serialize};

#[derive(Clone, Default, State)]
struct Library {
    shelves: Vec<Shelf>,
    #[reduce(append)]
    notes: Vec<String>,
    #[reduce(add)]
    pages: u64,
}

/// What a task gets. It can be stored, so that a task that was sent and did not run yet survives a crash.
#[derive(Clone, Serialize, Deserialize)]
struct Shelf {
    name: String,
    books: Vec<u64>,
}

/// Tasks may send tasks: one for each book of the shelf, and none for an empty shelf.
async fn open_shelf(cx: Cx<Library>, shelf: Shelf, count: Task<u64>) -> Result<Command<Library>, NodeError> {
    // The first takes longest, and still comes first in the state.
    tokio::time::sleep(Duration::from_millis(5 * (3 - cx.task().index as u64))).await;
    let note = format!("{}: {} books", shelf.name, shelf.books.len());
    let sends: Sends = shelf.books.into_iter().map(|pages| count.send(pages)).collect();
    Ok(Command::goto(sends).with(Library::update().notes([note])))
}

async fn count_pages(_cx: Cx<Library>, pages: u64) -> Result<LibraryUpdate, NodeError> {
    Ok(Library::update().pages(pages))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut g = Graph::<Library>::new("library");
    let enter = g.node("enter", |_cx| async { Ok(()) });
    // The handle knows the input's type: `count.send("many")` does not compile.
    let count: Task<u64> = g.task("count", count_pages);
    let open = g.task("open", move |cx, shelf: Shelf| open_shelf(cx, shelf, count));
    let sum =
        g.node("sum", |cx| async move { Ok(Library::update().notes([format!("{} pages in all", cx.state.pages)])) });
    g.entry(enter)
        .route(enter, move |s: &Library| s.shelves.iter().map(|shelf| open.send(shelf.clone())).collect::<Sends>())
        .gotos(open, [count.node()])
        .join([count], sum)
        .edge(sum, END);
    let graph = g.compile()?;

    let shelf = |name: &str, books: &[u64]| Shelf { name: name.to_string(), books: books.to_vec() };
    let shelves = [shelf("poems", &[80, 120]), shelf("empty", &[]), shelf("maps", &[16, 16, 32])];
    // However many are due, at most four are in flight; the others wait their turn, and none is dropped.
    let done = graph.run(Library::update().shelves(shelves)).max_concurrency(4).await?;
    done.state.notes.iter().for_each(|note| println!("{note}"));
    println!("{} steps", done.steps);
    Ok(())
}
