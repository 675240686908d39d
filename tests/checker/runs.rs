//! Finished reports: real runs of the offline model over servers in child processes.

use std::sync::Arc;
use std::time::Duration;

use research_agents::dataset::record::ReportFormat;
use research_agents::dataset::{DatasetAgent, DatasetReport, describe_filters};
use research_agents::kernel::report::Sentence;
use research_agents::kernel::{Checker, Evidence, Report};
use research_agents::offline::OfflineModel;
use research_mcp::{Hub, Limits, StdioServer};
use serde_json::Value;
use tempfile::TempDir;

use crate::data::Data;

/// Start and handshake of a server: it reads its file first, which takes a slow machine long.
const CONNECT: Duration = Duration::from_secs(300);
/// The three shapes of a report.
pub(crate) const FORMATS: [ReportFormat; 3] =
    [ReportFormat::ComprehensiveReport, ReportFormat::ExecutiveSummary, ReportFormat::BulletPoints];

/// A finished report with what its sentences may name.
pub(crate) struct Finished {
    pub(crate) data: &'static str,
    pub(crate) question: &'static str,
    pub(crate) report: DatasetReport,
    pub(crate) evidence: Evidence,
    pub(crate) context: Vec<String>,
}

impl Finished {
    pub(crate) fn document(&self) -> &Report {
        self.report.document.as_ref().unwrap()
    }

    pub(crate) fn sentences(&self) -> Vec<&Sentence> {
        self.document().sentences()
    }

    pub(crate) fn checker(&self) -> Checker<'_> {
        Checker::new(&self.evidence, self.context.iter().map(String::as_str))
    }
}

/// The first question of a data set in these formats, the others in the first of them, and those that the data source
/// answers in one page.
pub(crate) async fn finished(data: Data, formats: &[ReportFormat]) -> Vec<Finished> {
    let scratch = TempDir::new().unwrap();
    let file = data.file.map(|(name, content)| {
        let path = scratch.path().join(name);
        std::fs::write(&path, content).unwrap();
        path
    });
    let server = StdioServer::new(env!("CARGO_BIN_EXE_dataset_server"));
    let server = server.args(file.iter().map(|file| file.to_str().unwrap()));
    let hub = Hub::builder().stdio("data", server).limits(Limits::default().connect(CONNECT));
    let hub = Arc::new(hub.connect().await.unwrap());
    let mut runs = Vec::new();
    let first = data.questions.iter().take(1).flat_map(|question| formats.iter().map(move |format| (question, format)));
    let others = data.questions.iter().skip(1).map(|question| (question, &formats[0]));
    let computed = data.computed.iter().map(|question| (question, &ReportFormat::ExecutiveSummary));
    for (question, format) in first.chain(others).chain(computed) {
        let agent = DatasetAgent::builder(OfflineModel::new(), Arc::clone(&hub)).build().unwrap();
        let report = agent.run(*question).format(*format).await.unwrap();
        let (evidence, context) = (report.evidence(), context(question, &report));
        runs.push(Finished { data: data.name, question, report, evidence, context });
    }
    hub.close().await;
    runs
}

/// The question, the filters in words and the names of the fields.
fn context(question: &str, report: &DatasetReport) -> Vec<String> {
    let mut context = vec![question.to_owned()];
    context.extend(report.aggregations.iter().map(|aggregation| describe_filters(&aggregation.filters)));
    context.extend(report.aggregations.iter().map(|aggregation| aggregation.field.clone()));
    for source in report.sources.iter() {
        for (name, value) in source.fields.for_code() {
            names(name, value, &mut context);
        }
    }
    context.sort();
    context.dedup();
    context
}

fn names(name: &str, value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => members.iter().for_each(|(own, value)| names(&format!("{name}.{own}"), value, found)),
        _ => found.push(name.to_owned()),
    }
}
