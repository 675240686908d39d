//! The two faces of a run: people on a terminal or in a log, and programs that read JSON.

use std::io::{self, Write};

use console::{Style, Term};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use research_agents::runtime::event::{Event, EventKind, RunEvent, RunStats};
use serde::Serialize;

use crate::cli;
use crate::cli::line::Line;
use crate::cli::page::Page;

/// Shows the events of a run as they come. `E` are the events that only its system has.
pub trait View<E> {
    /// Shows an event.
    fn show(&mut self, event: &Event<E>) -> io::Result<()>;

    /// Says something on standard error that is no event.
    fn note(&mut self, text: &str) {
        cli::say(text);
    }
}

/// One JSON object a line.
pub struct Json<W>(pub W);

impl<W: Write, E: Serialize> View<E> for Json<W> {
    fn show(&mut self, event: &Event<E>) -> io::Result<()> {
        writeln!(self.0, "{}", cli::json(event)?)?;
        self.0.flush()
    }
}

/// A bar and steps on standard error; the report on standard output as it is written.
pub struct People<W, E> {
    page: Page<W>,
    /// The lines of an event that only the system has.
    own: fn(&E) -> Vec<Line>,
    terminal: Term,
    bar: ProgressBar,
    /// Whether every step is shown, and not only the line of progress and what goes wrong.
    steps: bool,
}

impl<W: Write, E> People<W, E> {
    /// A view whose report goes to `report`. In a log, and with `steps`, every step is shown; `own` gives the lines of an event
    /// that only the system has.
    pub fn new(report: W, steps: bool, own: fn(&E) -> Vec<Line>) -> Self {
        let terminal = Term::stderr();
        let bar = ProgressBar::with_draw_target(Some(100), ProgressDrawTarget::stderr());
        let style =
            ProgressStyle::with_template("{spinner:.cyan} {bar:30.cyan/dim} {percent:>3} %  {elapsed}  {wide_msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("━━─"));
        Self { page: Page::new(report, &Term::stdout()), own, steps: steps || !terminal.is_term(), terminal, bar }
    }

    /// Prints a line on standard error, above the bar.
    fn say(&self, line: &Line) {
        let width = self.terminal.size_checked().map(|(_, columns)| usize::from(columns));
        let lines = line.broken(width);
        self.bar.suspend(|| lines.iter().for_each(|line| drop(writeln!(io::stderr(), "{line}"))));
    }

    fn step(&self, line: impl FnOnce() -> Line) {
        if self.steps {
            self.say(&line());
        }
    }

    fn warn(&self, text: &str) {
        self.say(&Line::marked(style().yellow(), "   ! ").text(text));
    }

    fn show_run(&mut self, event: &RunEvent) -> io::Result<()> {
        match event {
            RunEvent::Phase { phase } => self.step(|| Line::marked(style().bold(), phase)),
            RunEvent::Progress { percent, message } => {
                self.bar.set_position(u64::from(*percent));
                self.bar.set_message(cli::plain(message).replace('\n', " "));
            }
            RunEvent::ClarificationRequired { clarification, .. } => {
                self.bar.finish_and_clear();
                self.say(&Line::marked(style().yellow().bold(), "? ").text(&clarification.question));
                for (at, option) in clarification.options.iter().enumerate() {
                    self.say(&Line::marked(style().cyan(), &format!("   {}. ", at + 1)).text(option));
                }
            }
            RunEvent::ToolResult { tool, ok, ms, summary } => {
                let mark = if *ok { (style().green(), "   ✓ ") } else { (style().red(), "   ✗ ") };
                let line = || Line::marked(mark.0, mark.1).text(format!("{tool}: {summary} · {ms} ms"));
                if *ok {
                    self.step(line);
                } else {
                    self.say(&line());
                }
            }
            RunEvent::Retry { what, wait_ms, .. } => {
                self.warn(&format!("{what} is tried again in {:.1} s", *wait_ms as f64 / 1000.0));
            }
            RunEvent::Refused { audit } => {
                self.warn(&format!("a call of {} was refused by the policy: {}", audit.role, audit.code));
            }
            RunEvent::Claim { text, mark, .. } => {
                let mark = if mark.is_empty() { "withheld" } else { mark };
                self.step(|| Line::marked(style().cyan(), &format!("   {mark} ")).text(text));
            }
            RunEvent::Conflict { sides } => {
                self.step(|| Line::marked(style().yellow(), "   ≠ ").text(format!("{} sources disagree", sides.len())));
            }
            RunEvent::ReportStart => self.bar.finish_and_clear(),
            RunEvent::ReportDelta { text } => self.page.write(text)?,
            RunEvent::ReportEnd { .. } => self.page.finish()?,
            RunEvent::RunCompleted { stats } => self.completed(stats),
            RunEvent::Error { message, fatal: true, .. } => {
                self.bar.finish_and_clear();
                self.say(&Line::marked(style().red().bold(), "error: ").text(message));
            }
            RunEvent::Error { message, .. } => self.warn(message),
            _ => {}
        }
        Ok(())
    }

    fn completed(&self, stats: &RunStats) {
        let text = format!(
            "{} documents · {} findings · {} rounds · {} model calls · {} searches and fetches · {:.1} s",
            stats.docs_processed,
            stats.findings_count,
            stats.iterations,
            stats.llm_calls,
            stats.mcp_calls,
            stats.elapsed_ms as f64 / 1000.0,
        );
        self.say(&Line::marked(style().green().bold(), "done ").text(text));
    }
}

impl<W: Write, E> View<E> for People<W, E> {
    fn show(&mut self, event: &Event<E>) -> io::Result<()> {
        match &event.kind {
            EventKind::Run(event) => self.show_run(event)?,
            EventKind::Own(event) => (self.own)(event).into_iter().for_each(|line| self.step(|| line)),
        }
        Ok(())
    }

    fn note(&mut self, text: &str) {
        self.say(&Line::marked(style().yellow(), "! ").text(text));
    }
}

/// The style of marks on standard error.
pub fn style() -> Style {
    Style::new().for_stderr()
}
