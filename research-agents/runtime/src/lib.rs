//! The runtime of research systems: everything between the engine and a system, written once.
//!
//! A system is a graph of the [engine](research_core) whose nodes ask models, call tools and write
//! a [verified report](research_agents_report). This crate runs such a graph: within a budget and a
//! policy, with events, on threads that survive the process, and recorded so that a run can be
//! exported, verified and replayed. It does not depend on any particular system.
//!
//! # Which type do I need?
//!
//! | I want to … | use |
//! |---|---|
//! | write a research system | [`run::Workflow`], [`run::System`], [`run_state!`] |
//! | run it, stream its events | [`run::Run`], [`run::RunStream`] |
//! | start, steer, approve, stop, fork and follow up by thread | [`run::Session`] |
//! | verify or replay an exported run | [`run::verify`], [`run::replay`] |
//! | ask the model in a node, with retries and a prompt that fits | [`job::Job::ask`] |
//! | call a tool in a node | [`job::Job::call_tool`], or [`job::Tools`] for a walk through pages |
//! | read a file, search or fetch in a node | [`job::Job::outside`] |
//! | ask the user in a node | [`job::Job::clarify`] |
//! | run a job without the engine | [`job::PlainLoop`] |
//! | limit a run | [`limits::BudgetLimits`], [`limits::Policy`], [`limits::RetryPolicy`] |
//! | give a planner sub-agents to choose from | [`tools::registry::Registry`] |
//! | use the tools of MCP servers | [`tools::hub::HubTools`] |
//! | run an agent that calls tools in a loop | [`tools::agent::ToolAgent`] |
//!
//! # Example
//!
//! A system with one node, which calls a tool and asks the model. It runs on the offline model, so
//! it needs neither a key nor a network. `examples/survey_system` has a larger one whose report
//! makes claims.
//!
//! ```
//! use std::sync::Arc;
//!
//! use research_agents_report::document::{Report, ReportWriter};
//! use research_agents_report::evidence::Evidence;
//! use research_agents_runtime::offline::OfflineModel;
//! use research_agents_runtime::prelude::*;
//! use research_core::{CompiledGraph, END};
//! use research_mcp::{BoxFuture, CallOutput, McpError, Tool, ToolListing, ToolSource};
//! use serde_json::json;
//!
//! /// The state, with the fields that the runtime needs.
//! #[derive(Clone, Debug, Default, State)]
//! struct Shopping {
//!     question: String,
//!     #[reduce(append)]
//!     replies: Vec<String>,
//!     #[reduce(with = add_usage)]
//!     usage: Usage,
//!     #[reduce(max)]
//!     active_ms: u64,
//!     #[reduce(add)]
//!     tasks_done: u64,
//!     beginning: Option<Box<Beginning<QuestionInput>>>,
//!     #[reduce(append)]
//!     recording: Log<TaskRecord>,
//!     report: Option<Report>,
//! }
//! run_state!(Shopping);
//!
//! const PROMPT: Template = Template::new("shopping.pick", 1, "{{question}}\n{{items}}");
//!
//! /// The node: reads the list, lets the model pick an item, and writes the report.
//! async fn pick(cx: Cx<Shopping, Kit>) -> Result<ShoppingUpdate, NodeError> {
//!     let job = cx.job().in_role("reader");
//!     let listed = job.call_tool("list_items", Object::new()).await?;
//!     let items: Vec<String> = serde_json::from_value(listed.into_json()?)?;
//!
//!     let (question, data) = (UserText::new(&*cx.state.question), items.join("\n").into());
//!     let ask = Ask::new(&PROMPT, PROMPT.name, &items, |prompt| {
//!         prompt.set("question", question.clone()).data("items", &data)
//!     });
//!     let picked: String = job.ask(ask.for_report()).await?;
//!
//!     let evidence = Evidence::default();
//!     let mut writer = ReportWriter::new(&evidence, "Shopping");
//!     writer.section("Answer");
//!     writer.note(&picked);
//!     Ok(cx.done(&job, Shopping::update().report(writer.finish())))
//! }
//!
//! /// The system.
//! struct Picker;
//!
//! impl Workflow for Picker {
//!     const NAME: &'static str = "picker";
//!     type State = Shopping;
//!     type Config = BudgetLimits;
//!
//!     fn graph() -> Result<CompiledGraph<Shopping, Kit>, Error> {
//!         let mut graph = Graph::<Shopping, Kit>::new("picker");
//!         let pick = graph.node("pick", pick);
//!         graph.entry(pick).edge(pick, END);
//!         Ok(graph.compile()?)
//!     }
//!
//!     fn limits(budget: &BudgetLimits) -> Settings {
//!         Settings::new(Policy::new().role("reader", ["list_items"])).budget(*budget)
//!     }
//!
//!     fn evidence(_: &Shopping) -> Evidence {
//!         Evidence::default()
//!     }
//!
//!     fn origins(_: &Bundle) -> Origins {
//!         Origins::default()
//!     }
//! }
//!
//! /// The tools: a list of two items.
//! struct List;
//!
//! impl ToolSource for List {
//!     fn list_tools(&self) -> BoxFuture<'_, Result<ToolListing, McpError>> {
//!         let tool = Tool::new("list", "list_items", Object::new());
//!         Box::pin(async { Ok(ToolListing::new(vec![tool])) })
//!     }
//!
//!     fn call_tool<'a>(
//!         &'a self,
//!         name: &'a str,
//!         _: Object,
//!     ) -> BoxFuture<'a, Result<CallOutput, McpError>> {
//!         let items = json!(["milk", "bread"]);
//!         Box::pin(async move { Ok(CallOutput::structured("list", name, items)) })
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Error> {
//! // What the offline model answers to the task of the node.
//! let answers = OfflineAnswers::new().with(PROMPT.name, |items: &Vec<String>| items[0].clone());
//! let model = Arc::new(OfflineModel::new(answers));
//!
//! let system = Hosted::<Picker>::new(model, Arc::new(List), BudgetLimits::default())?;
//! let input = QuestionInput { question: "What to buy first?".into(), ..Default::default() };
//! let ended = system.run(input).await?;
//!
//! assert!(ended.markdown().contains("milk"), "{}", ended.markdown());
//! assert_eq!((ended.stats().mcp_calls, ended.stats().llm_calls), (1, 1));
//! # Ok(()) }
//! ```
//!
//! # Extension points
//!
//! | trait or type | implement or fill it to |
//! |---|---|
//! | [`run::Workflow`] | write a system that is a graph over the [`job::Kit`] |
//! | [`run::System`] | write one with further resources, events or an outcome type |
//! | [`ToolSource`](research_mcp::ToolSource) | provide tools that are not those of an MCP server |
//! | [`job::AskingSource`] | provide tools that may ask the user in the middle of a call |
//! | [`job::ToolDialect`] | describe and adapt the tool calls of a system |
//! | [`offline::OfflineAnswers`] | answer the tasks of a system without a language model |
//! | [`clarify::Clarifier`] | ask the user in the process of the run |
//! | [`tools::registry::SubAgent`] | add an agent that a planner can call |
//! | [`job::TaskContext`] | run jobs in an environment other than the engine |
//!
//! # One gate
//!
//! Every tool call passes [`job::Tools`], whatever the [source](research_mcp::ToolSource) of the
//! tools: the policy judges it, the budget is charged, events report it, failures are retried, and
//! the tape records it. Every request to a model passes [`job::Job::ask`] or [`job::Job::chat`],
//! and every other effect [`job::Job::outside`]. A resumed run does not repeat what its thread has
//! recorded, and a replay takes everything from its bundle, without model and tools.
//!
//! # Modules, from the bottom up
//!
//! Each module uses only those before it.
//!
//! | module | contains |
//! |---|---|
//! | [`error`] | the error of the crate, its categories, and the classification of failures |
//! | [`limits`] | budget, access policy, retry policy and usage |
//! | [`tape`] | the exchanges of a task with the outside world, recorded or replayed |
//! | [`ask`] | prompts with untrusted data, and the context window that they must fit |
//! | [`clarify`] | questions to the user |
//! | [`event`] | the events that all systems share |
//! | [`bundle`] | a run in one file, and its verification |
//! | [`offline`] | a model that computes its answers |
//! | [`job`] | what a node works with: model, tools, user and other effects |
//! | [`run`] | systems, and their runs by stream, thread, session and replay |
//! | [`tools`] | sub-agents, tools of MCP servers, and an agent with tools |
//! | [`prelude`] | the names that the author of a system imports |

pub mod error;
pub mod limits;
pub mod tape;
pub mod ask;
pub mod clarify;
pub mod event;
pub mod bundle;
pub mod offline;
pub mod job;
pub mod run;
pub mod tools;
pub mod prelude;
