//! Fifteen idioms of LangGraph and what they are here; the chapter "Coming from LangGraph" of the guide shows both.

use std::error::Error;
use std::time::Duration;

use futures::StreamExt;
use research_core::{
    Ask, CachePolicy, Command, CompiledGraph, Cx, END, Graph, MemoryCache, MemoryCheckpointer, Modes, Node, NodeError,
    Retry, Sends, State, Subgraph,
};

#[derive(Clone, Debug, Default, State)]
struct Chat {
    #[reduce(append)]
    messages: Vec<String>,
    #[reduce(add)]
    calls: u32,
    topic: String,
}

/// What LangGraph calls the context of a run.
struct App {
    model: String,
}

async fn plan(cx: Cx<Chat, App>) -> Result<ChatUpdate, NodeError> {
    Ok(Chat::update().messages([format!("plan {}", cx.state.topic)]).calls(1))
}

async fn answer(cx: Cx<Chat, App>) -> Result<ChatUpdate, NodeError> {
    Ok(Chat::update().messages([format!("answer of {}", cx.resources.model)]).calls(1))
}

async fn read(cx: Cx<Chat, App>, page: u32) -> Result<ChatUpdate, NodeError> {
    cx.emit(format!("page {page}"));
    Ok(Chat::update().messages([format!("page {page}")]))
}

async fn judge(cx: Cx<Chat, App>, again: Node) -> Result<Command<Chat>, NodeError> {
    let judged = Chat::update().messages(["judged".to_string()]);
    Ok(if cx.state.calls < 3 { Command::goto(again).with(judged) } else { Command::goto(END).with(judged) })
}

async fn approve(cx: Cx<Chat, App>) -> Result<ChatUpdate, NodeError> {
    let approved: bool = cx.interrupt(Ask::new("approve", &*cx.state.topic)).await?;
    Ok(Chat::update().messages([format!("approved: {approved}")]))
}

fn chat() -> Result<CompiledGraph<Chat, App>, Box<dyn Error>> {
    let mut g = Graph::<Chat, App>::new("chat");
    let plan = g.node("plan", plan);
    let answer = g.node("answer", answer);
    g.entry(plan).edge(plan, answer).edge(answer, END);
    Ok(g.compile()?)
}

fn routed() -> Result<CompiledGraph<Chat, App>, Box<dyn Error>> {
    let mut g = Graph::<Chat, App>::new("routed");
    let plan = g.node("plan", plan);
    let answer = g.node("answer", answer);
    g.entry(plan).edge(answer, END);
    g.route_to(plan, [answer, END], move |s: &Chat| if s.calls < 5 { answer } else { END });
    Ok(g.compile()?)
}

fn mapped() -> Result<CompiledGraph<Chat, App>, Box<dyn Error>> {
    let mut g = Graph::<Chat, App>::new("mapped");
    let plan = g.node("plan", plan);
    let read = g.task("read", read);
    let answer = g.node("answer", answer);
    g.entry(plan).route(plan, move |_: &Chat| (1..4).map(|page| read.send(page)).collect::<Sends>());
    g.join([read.node()], answer).edge(answer, END);
    Ok(g.compile()?)
}

fn judged() -> Result<CompiledGraph<Chat, App>, Box<dyn Error>> {
    let mut g = Graph::<Chat, App>::new("judged");
    let answer = g.node("answer", answer);
    let judge = g.node("judge", move |cx| judge(cx, answer));
    g.entry(answer).edge(answer, judge);
    Ok(g.compile()?)
}

fn asked() -> Result<CompiledGraph<Chat, App>, Box<dyn Error>> {
    let mut g = Graph::<Chat, App>::new("asked");
    let approve = g.node("approve", approve);
    g.entry(approve).edge(approve, END);
    Ok(g.compile()?)
}

fn careful() -> Result<CompiledGraph<Chat, App>, Box<dyn Error>> {
    let mut g = Graph::<Chat, App>::new("careful");
    let answer = g.node("answer", answer);
    g.entry(answer).edge(answer, END);
    g.retry(answer, Retry::attempts(3).backoff(Duration::from_millis(500), 2.0, Duration::from_secs(60)));
    g.cache(answer, CachePolicy::by(|s: &Chat| s.topic.clone()).ttl(Duration::from_secs(120)));
    Ok(g.compile()?.with_cache(MemoryCache::default()))
}

fn nested() -> Result<CompiledGraph<Chat, App>, Box<dyn Error>> {
    let mut g = Graph::<Chat, App>::new("nested");
    let inner = g.subgraph("inner", &asked()?, Subgraph::shared());
    g.entry(inner).edge(inner, END);
    Ok(g.compile()?)
}

fn app() -> App {
    App { model: "a model".to_string() }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let store = MemoryCheckpointer::new();
    let graph = chat()?.with_checkpointer(store.clone());
    let input = Chat::update().topic("bees");
    let done = graph.run(input).resources(app()).thread("1").await?;
    println!("{}", done.state.messages.join(", "));

    for graph in [routed()?, mapped()?, judged()?, careful()?] {
        let done = graph.run(Chat::update()).resources(app()).await?;
        println!("{}: {} messages", graph.name(), done.state.messages.len());
    }

    let thread = graph.thread("1");
    let now = thread.state().await?.ok_or("a new thread")?;
    for moment in thread.history().await?.moments() {
        println!("{moment}");
    }
    let first = thread.history().await?.moments().last().ok_or("no history")?.checkpoint;
    thread.update(Chat::update().topic("wasps")).as_node("plan").await?;
    let other = graph.resume().from_checkpoint(first).resources(app()).thread("1").await?;
    println!("{} then, {} now", now.state.messages.len(), other.state.messages.len());

    let graph = nested()?.with_checkpointer(store);
    let asked = graph.run(Chat::update().topic("bees")).resources(app()).thread("2").await?;
    println!("{}", asked.questions()[0].payload);
    let done = graph.resume().answer(true).resources(app()).thread("2").await?;
    println!("{}", done.state.messages.join(", "));

    let graph = mapped()?;
    let mut events = graph.run(Chat::update()).resources(app()).stream_modes(Modes::UPDATES | Modes::CUSTOM);
    let mut pages = 0;
    while let Some(event) = events.next().await {
        pages += usize::from(event.custom::<String>().is_some());
    }
    println!("{pages} pages in the stream");
    Ok(())
}
