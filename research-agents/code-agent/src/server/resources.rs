//! The runs as resources.

use research_mcp::ResourceContent;
use research_mcp::server::{Refusal, ServerResource, ServerResourceTemplate};
use serde_json::json;

use crate::artifacts::{Lookup, RunStore, evidence_json, report_md, trace_json};
use crate::run::ResearchRun;

/// Address of the list of runs.
const RUNS: &str = "research://runs";

/// The artifacts of a run: name, media type, what it holds, and what writes it.
type Artifact = (
    &'static str,
    &'static str,
    &'static str,
    fn(&ResearchRun) -> String,
);

const ARTIFACTS: [Artifact; 3] = [
    (
        "report.md",
        "text/markdown",
        "The whole investigation",
        report_md,
    ),
    ("trace.json", "application/json", "The steps", trace_json),
    (
        "evidence.json",
        "application/json",
        "All lines that were read",
        evidence_json,
    ),
];

/// Returns the resource that lists the runs, newest first.
pub(super) fn runs(store: RunStore) -> ServerResource {
    ServerResource::new(RUNS, "runs")
        .description("The runs, newest first.")
        .media_type("application/json")
        .read_by(move |_| {
            let runs: Vec<_> = store
                .list()
                .iter()
                .map(|run| {
                    json!({
                        "run_id": run.run_id,
                        "question": run.question,
                        "status": run.status,
                        "created_at": run.created_at,
                        "steps": run.budget_used,
                    })
                })
                .collect();

            let text = serde_json::to_string_pretty(&json!({ "runs": runs })).unwrap_or_default();
            async move { Ok(ResourceContent::text(RUNS, text)) }
        })
}

/// Returns the patterns of the artifacts.
pub(super) fn templates(store: &RunStore) -> Vec<ServerResourceTemplate> {
    let template = |(name, media_type, description, write): &Artifact| {
        let (store, write) = (store.clone(), *write);
        ServerResourceTemplate::new(
            format!("{RUNS}/{{run_id}}/{name}"),
            *name,
            move |read: research_mcp::server::ResourceRead| {
                let found = find(&store, read.variable("run_id"));
                let uri = read.uri().to_owned();
                async move {
                    let run = found?;
                    Ok(ResourceContent::text(uri, write(&run)))
                }
            },
        )
        .description(*description)
        .media_type(*media_type)
    };

    ARTIFACTS.iter().map(template).collect()
}

fn find(store: &RunStore, id: &str) -> Result<std::sync::Arc<ResearchRun>, Refusal> {
    match store.get(id) {
        Lookup::Found(run) => Ok(run),
        Lookup::None => Err(Refusal::resource_not_found(format!("{RUNS}/{id}"))),
        Lookup::Ambiguous => Err(Refusal::invalid_params(
            "several runs have an id that begins like this; name more of it",
        )),
    }
}

/// Lists the report of each run, newest first. The list of runs and the patterns have the others.
pub(super) fn list(store: &RunStore) -> Vec<ServerResource> {
    let report = |run: &std::sync::Arc<ResearchRun>| {
        let uri = format!("{RUNS}/{}/report.md", run.run_id.short());
        ServerResource::new(uri, format!("report of run {}", run.run_id.short()))
            .media_type("text/markdown")
    };
    store.list().iter().map(report).collect()
}
