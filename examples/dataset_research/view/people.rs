//! Phases, a bar and findings on standard error; the report on standard output as it is written.

use std::io::{self, Write};

use console::style;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use research_agents::dataset::{DatasetEvent, DatasetEventKind as Kind, Phase, RunStats};
use research_agents::dataset::record::{Bucket, Finding, SubAgentCall, ToolCall};
use serde_json::Value;

use super::View;

/// Groups of an aggregation that are shown while it runs; the report has all of them.
const BUCKETS: usize = 8;
/// Width of the longest bar of a group, in characters.
const BAR: usize = 24;

pub struct People<W> {
    report: W,
    bar: ProgressBar,
    phase: Option<Phase>,
    /// Findings shown, so that one that grows is not shown again.
    shown: Vec<String>,
}

impl<W: Write> People<W> {
    pub fn new(report: W) -> Self {
        let bar = ProgressBar::with_draw_target(Some(100), ProgressDrawTarget::stderr());
        let template = ProgressStyle::with_template("{spinner:.cyan} {bar:30.cyan/dim} {percent:>3} %  {elapsed}  {wide_msg}");
        bar.set_style(template.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("━━─"));
        if !bar.is_hidden() {
            bar.enable_steady_tick(std::time::Duration::from_millis(120));
        }
        Self { report, bar, phase: None, shown: Vec::new() }
    }

    /// A line on standard error, above the bar.
    fn say(&self, line: String) {
        self.bar.suspend(|| eprintln!("{line}"));
    }

    fn plan(&self, iteration: u32, reasoning: &str, agents: &[SubAgentCall], tools: &[ToolCall], notes: &[String]) {
        let calls = agents
            .iter()
            .map(|call| call_text(&call.agent, &call.arguments))
            .chain(tools.iter().map(|call| call_text(&call.tool, &call.arguments)));
        self.say(format!("{} {}", style(format!("plan {iteration}")).bold(), style(reasoning).dim()));
        calls.for_each(|call| self.say(format!("   → {call}")));
        notes.iter().for_each(|note| self.say(format!("   {} {note}", style("!").yellow())));
    }

    fn finding(&mut self, finding: &Finding) {
        if !self.shown.contains(&finding.id) {
            self.shown.push(finding.id.clone());
            let drawn = match finding.evidence_count {
                1 => "drawn from 1 record".to_string(),
                n => format!("drawn from {n} records"),
            };
            self.say(format!("   {} {} {}", style("•").green(), finding.claim, style(drawn).dim()));
        }
    }

    fn buckets(&self, field: &str, buckets: &[Bucket], total: u64) {
        self.say(format!("   {} {}", style(field).bold(), style(format!("{total} records match")).dim()));
        let most = buckets.iter().map(|bucket| bucket.doc_count).max().unwrap_or(1).max(1);
        let width = buckets.iter().take(BUCKETS).map(|bucket| key_text(&bucket.key).chars().count()).max().unwrap_or(0);
        for bucket in buckets.iter().take(BUCKETS) {
            let bar = "█".repeat((bucket.doc_count as usize * BAR).div_ceil(most as usize));
            self.say(format!("     {:width$}  {} {}", key_text(&bucket.key), style(bar).cyan(), bucket.doc_count));
        }
        if buckets.len() > BUCKETS {
            self.say(format!("     {}", style(format!("and {} more groups", buckets.len() - BUCKETS)).dim()));
        }
    }

    fn completed(&self, stats: &RunStats) {
        let total = stats.total_docs.map_or_else(|| "an unknown number of".to_string(), |total| total.to_string());
        self.bar.finish_and_clear();
        eprintln!(
            "{} {} of {total} matching records read · {} findings · {} planner, {} model and {} tool calls · {:.1} s",
            style("done").green().bold(),
            stats.docs_processed,
            stats.findings_count,
            stats.planner_calls,
            stats.llm_calls,
            stats.mcp_calls,
            stats.elapsed_ms as f64 / 1000.0,
        );
    }
}

impl<W: Write> View for People<W> {
    fn show(&mut self, event: &DatasetEvent) -> io::Result<()> {
        match &event.kind {
            Kind::RunStarted { question, model } => {
                self.say(format!("{} {question}", style("question").bold()));
                self.say(style(format!("model {model}")).dim().to_string());
            }
            Kind::Phase { phase } if self.phase != Some(*phase) => {
                self.phase = Some(*phase);
                self.bar.set_message(phase_text(*phase));
                if self.bar.is_hidden() {
                    eprintln!("{}", phase_text(*phase));
                }
            }
            Kind::Progress { percent, message } => {
                self.bar.set_position(u64::from(*percent));
                self.bar.set_message(message.clone());
            }
            Kind::Plan { iteration, reasoning, sub_agent_calls, tool_calls, notes } => {
                self.plan(*iteration, reasoning, sub_agent_calls, tool_calls, notes);
            }
            Kind::ToolResult { tool, ok, ms, summary } => {
                let mark = if *ok { style("✓").green() } else { style("✗").red() };
                self.say(format!("   {mark} {tool}: {summary} {}", style(format!("{ms} ms")).dim()));
            }
            Kind::Finding { finding } => self.finding(finding),
            Kind::Aggregation { aggregation } => {
                self.buckets(&aggregation.field, &aggregation.buckets, aggregation.total_docs);
            }
            Kind::Insight { text, .. } => self.say(format!("   {} {text}", style("≈").cyan())),
            Kind::ReportDelta { text } => {
                let report = &mut self.report;
                self.bar.suspend(|| {
                    report.write_all(text.as_bytes())?;
                    report.flush()
                })?;
            }
            Kind::RunCompleted { stats } => self.completed(stats),
            Kind::Error { message, fatal, category, .. } => {
                if *fatal {
                    self.bar.finish_and_clear();
                    eprintln!("{} {message}", style("error:").red().bold());
                } else {
                    self.say(format!("   {} {} ({})", style("!").yellow(), message, category.as_str()));
                }
            }
            _ => {}
        }
        Ok(())
    }
}

fn call_text(name: &str, arguments: &serde_json::Map<String, Value>) -> String {
    let arguments: Vec<String> = arguments.iter().map(|(key, value)| format!("{key}={}", key_text(value))).collect();
    format!("{name}({})", arguments.join(", "))
}

/// A value as people write it: texts without quotes, tuples joined.
fn key_text(value: &Value) -> String {
    match value {
        Value::Null => "(none)".to_string(),
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(key_text).collect::<Vec<_>>().join(" · "),
        other => other.to_string(),
    }
}

fn phase_text(phase: Phase) -> &'static str {
    match phase {
        Phase::Planning => "planning",
        Phase::Decomposing => "breaking the question down",
        Phase::Aggregating => "counting",
        Phase::Sampling => "reading samples",
        Phase::Scanning => "reading records",
        Phase::Extracting => "drawing findings",
        Phase::Validating => "reviewing",
        Phase::Synthesizing => "writing the report",
        Phase::Complete => "complete",
    }
}
