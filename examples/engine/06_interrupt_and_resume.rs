//! A person in the loop: a run asks, ends, and goes on when the answer is there, in another process if need be.
//!
//! The question waits in an SQLite file. `cargo run --example 06_interrupt_and_resume` plays both parts; with arguments they
//! are two programs:
//!
//! ```sh
//! cargo run --example 06_interrupt_and_resume -- ask mail.db
//! cargo run --example 06_interrupt_and_resume -- answer mail.db yes
//! ```

use std::path::{Path, PathBuf};

use research_core::{AnswerError, Ask, CompiledGraph, Cx, END, ErrorKind, Graph, NodeError, State};
use research_core_sqlite::SqliteCheckpointer;
use serde::{Deserialize, Serialize};
use serde_json::json;

type Failed = Box<dyn std::error::Error>;

/// What is kept on a thread must be something that serde can write and read.
#[derive(Clone, Default, Serialize, Deserialize, State)]
struct Mail {
    text: String,
    receipt: String,
    #[reduce(append)]
    log: Vec<String>,
}

async fn write(_cx: Cx<Mail>) -> Result<MailUpdate, NodeError> {
    println!("  (writing)");
    Ok(Mail::update().text("We are closed on Monday.").log(["written".to_string()]))
}

/// A node that asks runs again from its first line when the answer is there. What must happen once goes into `once`.
async fn send(cx: Cx<Mail>) -> Result<MailUpdate, NodeError> {
    let receipt: String = cx
        .once("reserve", async {
            println!("  (reserving a slot at the post office)");
            Ok::<_, NodeError>("slot 7".to_string())
        })
        .await?;
    let ask = Ask::new("approve", json!({ "text": cx.state.text })).schema(json!({ "type": "boolean" }));
    // The first time the node ends here, by `?`. The second time this is the answer.
    let approved: bool = cx.interrupt(ask).await?;
    let line = if approved { format!("sent by {receipt}") } else { "not sent".to_string() };
    Ok(Mail::update().receipt(receipt).log([line]))
}

/// What a process does first: the graph, and the file that keeps its threads.
async fn open(file: &Path) -> Result<CompiledGraph<Mail>, Failed> {
    let mut g = Graph::<Mail>::new("mail");
    let (write, send) = (g.node("write", write), g.node("send", send));
    g.entry(write).edge(write, send).edge(send, END);
    Ok(g.compile()?.with_checkpointer(SqliteCheckpointer::open(file).await?))
}

async fn ask(file: &Path) -> Result<(), Failed> {
    let graph = open(file).await?;
    let run = graph.run(Mail::update()).thread("newsletter").await?;
    println!("complete: {}", run.is_complete());
    run.questions().iter().for_each(|question| println!("question: {}", question.payload));
    Ok(())
}

async fn answer(file: &Path, answer: serde_json::Value) -> Result<(), Failed> {
    let graph = open(file).await?;
    // Whoever can read the thread sees what is asked, and what kind of answer is expected.
    let thread = graph.thread("newsletter").state().await?.ok_or("nothing was asked in this file")?;
    for question in &thread.questions {
        println!("`{}` asks for a {}", question.node, question.schema.as_ref().map_or(&json!(null), |s| &s["type"]));
    }
    let done = match graph.resume().thread("newsletter").answer(answer).await {
        Ok(done) => done,
        // An answer of the wrong type is refused, and the question stays open.
        Err(error) => match error.kind() {
            ErrorKind::Answer(AnswerError::WrongType { reason, .. }) => {
                println!("refused: {reason}");
                return Ok(());
            }
            _ => return Err(error.into()),
        },
    };
    println!("complete: {}, {}", done.is_complete(), done.state.log.join(", "));
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Failed> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["ask", file] => ask(Path::new(file)).await,
        ["answer", file, said] => answer(Path::new(file), json!(said == "yes")).await,
        [] => both().await,
        _ => Err("say nothing, or `ask FILE`, or `answer FILE yes|no`".into()),
    }
}

/// Each part opens the file by itself and shares nothing else with the others.
async fn both() -> Result<(), Failed> {
    let folder = std::env::temp_dir().join(format!("interrupt-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let file: PathBuf = folder.join("mail.db");
    ask(&file).await?;
    answer(&file, json!("perhaps")).await?;
    answer(&file, json!(true)).await?;
    Ok(std::fs::remove_dir_all(folder)?)
}
