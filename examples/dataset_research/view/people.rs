//! Phases, a bar and findings on standard error; the report on standard output as it is written.

use std::io::{self, Write};
use std::time::Duration;

use console::{Alignment, Style, Term, pad_str, truncate_str};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use research_agents::dataset::record::{Bucket, Finding, SubAgentCall, SubQuestion, ToolCall};
use research_agents::dataset::task::Clarified;
use research_agents::dataset::{DatasetEvent, DatasetEventKind as Own, EventKind, Phase, RunEvent as Kind, RunStats};
use research_agents::kernel::Clarification;
use research_examples::cli::line::Line;
use research_examples::cli::page::Page;
use research_examples::cli::plain;

use super::words;
use super::{View, tell};

/// Groups of an aggregation that are shown while it runs; the report has all of them.
const BUCKETS: usize = 8;
/// Width of the longest bar of a group, in columns.
const BAR: usize = 24;
/// Width of the longest name of a group, in columns.
const NAME: usize = 36;
/// How a plan begins to say what of the question has no effect.
const LOST: [&str; 2] = ["Not applied:", "No field says:"];
/// Time between two frames of the spinner.
const TICK: Duration = Duration::from_millis(120);

pub struct People<W> {
    report: Page<W>,
    terminal: Term,
    bar: ProgressBar,
    phase: Option<Phase>,
    question: String,
    /// Number of sub-questions shown.
    questions: usize,
    /// Findings shown, so that one that grows is not shown again.
    shown: Vec<String>,
    /// The failure of a tool that was shown last: the error that follows from it says it again.
    failure: Option<String>,
    /// Whether every step is shown, and not only the line of progress and what goes wrong.
    steps: bool,
    /// The first groups that were counted, whose bars follow the report where the steps are not shown.
    groups: Option<(String, Vec<Bucket>, u64)>,
}

impl<W: Write> People<W> {
    /// A view whose report goes to `report`, which is standard output. In a log, and with `steps`, every step is shown.
    pub fn new(report: W, steps: bool) -> Self {
        let terminal = Term::stderr();
        let steps = steps || !terminal.is_term();
        let bar = ProgressBar::with_draw_target(Some(100), ProgressDrawTarget::stderr());
        let template =
            ProgressStyle::with_template("{spinner:.cyan} {bar:30.cyan/dim} {percent:>3} %  {elapsed}  {wide_msg}");
        bar.set_style(template.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("━━─"));
        Self {
            report: Page::new(report, &Term::stdout()),
            terminal,
            bar,
            phase: None,
            question: String::new(),
            questions: 0,
            shown: Vec::new(),
            failure: None,
            steps,
            groups: None,
        }
    }

    /// Prints a line on standard error, above the bar.
    fn say(&self, line: &Line) {
        let width = self.terminal.size_checked().map(|(_, columns)| usize::from(columns));
        let lines = line.broken(width);
        // A line is clean of what data says, and holds the codes of its own styles.
        self.bar.suspend(|| lines.iter().for_each(|line| drop(writeln!(io::stderr(), "{line}"))));
    }

    fn enter(&mut self, phase: Phase) {
        if self.phase.replace(phase) != Some(phase) {
            self.bar.set_message(words::phase(phase));
            if self.bar.is_hidden() {
                tell(words::phase(phase));
            }
        }
    }

    /// The sub-questions, once there are some; later plans have the same.
    fn checklist(&mut self, sub_questions: &[SubQuestion]) {
        if self.steps && self.questions != sub_questions.len() {
            self.questions = sub_questions.len();
            self.say(&Line::marked(bold(), "to be answered"));
            sub_questions.iter().for_each(|sub| self.say(&Line::marked(cyan(), "   ? ").text(&sub.question)));
        }
    }

    fn plan(&self, iteration: u32, reasoning: &str, agents: &[SubAgentCall], tools: &[ToolCall], notes: &[String]) {
        // What was not understood is told before the answer, whatever else is shown.
        let is_lost = LOST.iter().any(|words| reasoning.contains(words));
        if !self.steps {
            if is_lost && iteration == 1 {
                self.warn(reasoning);
            }
            return notes.iter().for_each(|note| self.warn(note));
        }
        let style = if is_lost { yellow() } else { dim() };
        self.say(&Line::marked(bold(), &format!("plan {iteration} ")).styled(style, reasoning));
        let agents = agents.iter().map(|call| (&call.agent, &call.arguments));
        let tools = tools.iter().map(|call| (&call.tool, &call.arguments));
        for (name, arguments) in agents.chain(tools) {
            self.say(&Line::marked(cyan(), "   → ").text(words::call(name, arguments, &self.question)));
        }
        notes.iter().for_each(|note| self.warn(note));
    }

    fn warn(&self, text: &str) {
        self.say(&Line::marked(yellow(), "   ! ").text(text));
    }

    fn answer(&mut self, tool: &str, ok: bool, ms: u64, summary: &str) {
        self.failure = (!ok).then(|| summary.to_string());
        if ok && !self.steps {
            return;
        }
        let mark = if ok { Line::marked(green(), "   ✓ ") } else { Line::marked(red(), "   ✗ ") };
        self.say(&mark.text(format!("{tool}: {summary}")).styled(dim(), format!(" · {ms} ms")));
    }

    fn finding(&mut self, finding: &Finding) {
        if self.steps && !self.shown.contains(&finding.id) {
            self.shown.push(finding.id.clone());
            let drawn = format!(" · {} so far", words::number(finding.evidence_count as u64, "record"));
            self.say(&Line::marked(green(), "   • ").text(&finding.claim).styled(dim(), drawn));
        }
    }

    fn buckets(&self, field: &str, buckets: &[Bucket], total: u64) {
        let records = if total == 1 { "1 record matches".to_string() } else { format!("{total} records match") };
        self.say(&Line::indented(3).styled(bold(), field).styled(dim(), format!(" · {records}")));
        // Groups with a statistic are compared by it, others by their numbers of records.
        let measured = |bucket: &Bucket| bucket.measures.first().and_then(|measure| measure.number);
        let is_measured = buckets.iter().all(|bucket| measured(bucket).is_some_and(|number| number >= 0.0));
        let listed: Vec<(String, f64, String)> = buckets
            .iter()
            .take(BUCKETS)
            .map(|bucket| {
                let name = truncate_str(&words::value(&bucket.key), NAME, "…").into_owned();
                match measured(bucket).filter(|_| is_measured) {
                    Some(number) => (name, number, words::amount(number)),
                    None => (name, bucket.doc_count as f64, bucket.doc_count.to_string()),
                }
            })
            .collect();
        let most = listed.iter().map(|(_, number, _)| *number).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
        let width = listed.iter().map(|(name, ..)| console::measure_text_width(name)).max().unwrap_or(0);
        for (name, number, written) in &listed {
            // A share of at most 1 of a small number: neither sign nor size can be lost.
            let columns = (number / most * BAR as f64).ceil() as usize;
            let name = pad_str(name, width, Alignment::Left, None);
            let line = Line::indented(5).text(format!("{name}  ")).styled(cyan(), "█".repeat(columns));
            self.say(&line.text(format!(" {written}")));
        }
        if buckets.len() > BUCKETS {
            let more = words::number((buckets.len() - BUCKETS) as u64, "more group");
            self.say(&Line::indented(5).styled(dim(), format!("and {more}")));
        }
    }

    /// Puts a question to the user. The bar would be drawn over what they type.
    fn ask(&self, asked: &Clarification) {
        if !self.bar.is_hidden() {
            self.bar.disable_steady_tick();
            self.bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        self.say(&Line::marked(yellow().bold(), "? ").text(&asked.question));
        for (at, option) in asked.options.iter().enumerate() {
            self.say(&Line::marked(cyan(), &format!("   {}. ", at + 1)).text(option));
        }
        let none = asked.default.as_deref().unwrap_or("the question as it is");
        self.say(&Line::indented(2).styled(dim(), format!("a number or your own words; nothing means {none}")));
    }

    fn settled(&self, settled: &Clarified) {
        if self.terminal.is_term() && self.bar.is_hidden() {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
            self.bar.enable_steady_tick(TICK);
        }
        let mark = if settled.assumed { "taken as " } else { "understood as " };
        self.say(&Line::marked(bold(), mark).text(settled.settled()).styled(dim(), format!(" · {}", settled.question)));
    }

    fn completed(&self, stats: &RunStats) {
        let read = match stats.total_docs {
            Some(total) => format!("{} of {total} matching records read", stats.docs_processed),
            None => format!("{} records read, how many match is not known", stats.docs_processed),
        };
        let tokens = match stats.tokens_in + stats.tokens_out {
            0 => String::new(),
            _ => format!(" · {} tokens read, {} written", stats.tokens_in, stats.tokens_out),
        };
        let text = format!(
            "{read} · {} · {}, {} of them to plan{tokens} · {} · {:.1} s",
            words::number(stats.findings_count as u64, "finding"),
            words::number(stats.llm_calls, "model call"),
            stats.planner_calls,
            words::number(stats.mcp_calls, "tool call"),
            stats.elapsed_ms as f64 / 1000.0,
        );
        self.say(&Line::marked(green().bold(), "done ").text(text));
    }

    /// An empty line where report and progress meet on a terminal.
    fn gap(&self) {
        if self.terminal.is_term() {
            tell("");
        }
    }

    /// Shows an event that every system has.
    fn show_run(&mut self, event: &Kind) -> io::Result<()> {
        match event {
            Kind::RunStarted { question, model } => {
                self.question.clone_from(question);
                if self.steps {
                    self.say(&Line::marked(bold(), "question ").text(question));
                    self.say(&Line::marked(bold(), "model ").text(model));
                }
                if !self.bar.is_hidden() {
                    self.bar.enable_steady_tick(TICK);
                }
            }
            Kind::FollowUp { turn, earlier } => {
                let before = earlier.last().map(String::as_str).unwrap_or_default();
                self.say(&Line::marked(bold(), &format!("turn {turn} ")).styled(dim(), format!("after “{before}”")));
            }
            Kind::ClarificationRequired { clarification, .. } => self.ask(clarification),
            Kind::Phase { phase } => Phase::from_name(phase).into_iter().for_each(|phase| self.enter(phase)),
            Kind::Progress { percent, message } => {
                self.bar.set_position(u64::from(*percent));
                self.bar.set_message(plain(message).replace('\n', " "));
            }
            Kind::ToolResult { tool, ok, ms, summary } => self.answer(tool, *ok, *ms, summary),
            Kind::Retry { what, category, changed, wait_ms, .. } => {
                self.warn(&words::retry(what, *category, changed, *wait_ms));
            }
            Kind::Refused { audit } => {
                self.warn(&format!("a call of {} was refused by the policy: {}", audit.role, audit.code));
            }
            Kind::ReportStart => {
                // The bar would be drawn over the report.
                self.bar.finish_and_clear();
                self.gap();
            }
            Kind::ReportDelta { text } => self.report.write(text)?,
            Kind::ReportEnd { .. } => {
                self.report.finish()?;
                self.gap();
                if let Some((field, buckets, total)) = self.groups.take() {
                    self.buckets(&field, &buckets, total);
                    self.gap();
                }
            }
            Kind::RunCompleted { stats } => self.completed(stats),
            Kind::Error { message, fatal: true, .. } => {
                self.bar.finish_and_clear();
                self.say(&Line::marked(red().bold(), "error: ").text(message));
            }
            Kind::Error { message, .. } => {
                let is_told = self.failure.as_ref().is_some_and(|told| message.ends_with(told));
                if !is_told {
                    self.warn(message);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Shows an event that only the dataset agent has.
    fn show_own(&mut self, event: &Own) {
        match event {
            Own::Clarified { clarified } => self.settled(clarified),
            Own::Plan { iteration, reasoning, sub_questions, sub_agent_calls, tool_calls, notes, .. } => {
                self.checklist(sub_questions);
                self.plan(*iteration, reasoning, sub_agent_calls, tool_calls, notes);
            }
            Own::Finding { finding } => self.finding(finding),
            Own::Aggregation { aggregation } => {
                if self.steps {
                    self.buckets(&aggregation.field, &aggregation.buckets, aggregation.total_docs);
                } else if self.groups.is_none() && aggregation.buckets.len() > 1 {
                    let groups = aggregation.buckets.clone();
                    self.groups = Some((aggregation.field.clone(), groups, aggregation.total_docs));
                }
            }
            Own::Insight { text, .. } if self.steps => self.say(&Line::marked(cyan(), "   ≈ ").text(text)),
            _ => {}
        }
    }
}

impl<W: Write> View for People<W> {
    fn show(&mut self, event: &DatasetEvent) -> io::Result<()> {
        match &event.kind {
            EventKind::Run(event) => self.show_run(event)?,
            EventKind::Own(event) => self.show_own(event),
        }
        Ok(())
    }

    fn note(&mut self, text: &str) {
        self.say(&Line::marked(yellow(), "! ").text(text));
    }
}

fn bold() -> Style {
    Style::new().for_stderr().bold()
}

fn dim() -> Style {
    Style::new().for_stderr().dim()
}

fn red() -> Style {
    Style::new().for_stderr().red()
}

fn yellow() -> Style {
    Style::new().for_stderr().yellow()
}

fn green() -> Style {
    Style::new().for_stderr().green()
}

fn cyan() -> Style {
    Style::new().for_stderr().cyan()
}
