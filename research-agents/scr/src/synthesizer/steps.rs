//! The steps of a synthesizer: each asks the model port once and writes what holds into the memo.

use std::ops::Range;

use research_agents_report::text::Marker;
use research_agents_runtime::ask::{PromptError, tokens};
use research_agents_runtime::error::Error;
use research_agents_runtime::job::{Ask, Job};
use research_agents_runtime::limits::Usage;
use research_agents_sources::memory::{FindingsMemory, RememberedFinding};
use research_llm::{Message, ModelKind};

use crate::memo::{NewStatement, Reflection, Scr, SectionKind, Statement, Structure};
use crate::relations::Relations;
use crate::role::{Role, role};
use crate::synthesizer::capacity::{
    Capacity, LINE, fit_known, fit_reflection, fitting, of_finding,
};
use crate::synthesizer::config::{After, History, ScrConfig};
use crate::synthesizer::edits::{apply, keep_numbers};
use crate::synthesizer::error::{ScrError, Step};
use crate::synthesizer::material::{about, known, metadata, nearest, views};
use crate::synthesizer::offline;
use crate::synthesizer::prompts::{self, Rendered};
use crate::synthesizer::tasks::{
    Feedback, FindingView, Known, Purpose, REFINE, REFINE_PROMPT, REFLECT, REFLECT_PROMPT,
    ReflectTask, SECTION, SECTION_PROMPT, SectionEdits, SectionTask,
};
use crate::update::delivery::{Delivery, sentences_of};
use crate::update::stems::Stems;

/// Maximum tokens of the statements of a section that a prompt shows, without a history and with
/// one.
const MOST_SHOWN: usize = 4_000;
const MOST_KEPT: usize = 1_000;
/// Name under which a memo is remembered.
const THREAD: &str = "memo";

/// The steps of a pass within the task of a run, for systems that write memos.
///
/// ```
/// # use research_agents_runtime::job::Job;
/// use research_agents_scr::memo::{Finding, Scr, SectionKind};
/// use research_agents_scr::synthesizer::{ScrConfig, ScrError, Steps};
/// use research_agents_scr::update::Delivery;
///
/// # async fn example(job: &Job, memo: &mut Scr, findings: Vec<Finding>) -> Result<(), ScrError> {
/// let config = ScrConfig::default();
/// let steps = Steps::new(job, &config);
/// let mut delivery: Delivery = memo.deliver(findings);
/// while let Some(step) = memo.next_step(SectionKind::Resolution, &config) {
///     steps.take(memo, step, &mut delivery).await?;
/// }
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Steps<'a> {
    job: &'a Job,
    config: &'a ScrConfig,
    /// How findings from before are recalled.
    memory: Option<&'a FindingsMemory>,
    feedback: Option<&'a Feedback>,
    by_rules: bool,
}

impl<'a> Steps<'a> {
    /// Takes the steps in a task of a run.
    pub fn new(job: &'a Job, config: &'a ScrConfig) -> Self {
        Self {
            job,
            config,
            memory: None,
            feedback: None,
            by_rules: false,
        }
    }

    /// Sets how findings from before are recalled. Defaults to their words.
    #[must_use]
    pub fn memory(mut self, memory: &'a FindingsMemory) -> Self {
        self.memory = Some(memory);
        self
    }

    /// Writes by rules, without asking the model.
    #[must_use]
    pub fn by_rules(mut self) -> Self {
        self.by_rules = true;
        self
    }

    /// Sets why research continued.
    #[must_use]
    pub fn after(mut self, feedback: Option<&'a Feedback>) -> Self {
        self.feedback = feedback;
        self
    }
}

impl Scr {
    /// Returns the next step of a pass that writes the sections up to `until`; `None` after the
    /// last one.
    pub fn next_step(&self, until: SectionKind, config: &ScrConfig) -> Option<Step> {
        if self.findings.is_empty() {
            return None;
        }
        let all = self.findings.len();
        let mut kinds = self.sections().iter().filter(|kind| **kind <= until);
        if let Some(kind) = kinds.find(|kind| self.section(**kind).read < all) {
            return Some(Step::Section(*kind));
        }

        let is_judged = config.reflects && self.structure == Structure::Scr;
        if until == SectionKind::Resolution && is_judged && self.reflection.is_none() {
            return Some(Step::Reflection);
        }
        let refining = self.refining.filter(|kind| *kind <= until);
        refining.map(Step::Refinement)
    }
}

impl Steps<'_> {
    /// Takes one step.
    ///
    /// # Errors
    ///
    /// [`ScrError::Step`] when the model gives nothing that can be used.
    pub async fn take(
        &self,
        memo: &mut Scr,
        step: Step,
        delivery: &mut Delivery,
    ) -> Result<(), ScrError> {
        let taken = match step {
            Step::Section(kind) => self.write(memo, kind, delivery).await,
            Step::Reflection => self.reflect(memo).await,
            Step::Refinement(kind) => self.refine(memo, kind, delivery).await,
        };
        taken.map_err(|error| ScrError::Step {
            step,
            error: Box::new(error),
        })
    }

    /// Writes or updates a section by the findings that it does not take account of, in as many
    /// questions as the model needs to read them.
    async fn write(
        &self,
        memo: &mut Scr,
        kind: SectionKind,
        delivery: &mut Delivery,
    ) -> Result<(), Error> {
        let from = memo.section(kind).read;
        let mut stems = Stems::of(memo);
        if kind == memo.structure.first() {
            state_contradictions(memo, from, &mut stems, delivery);
        }

        while memo.section(kind).read < memo.findings.len() {
            let start = memo.section(kind).read;
            let end = self.fitting(memo, start)?;
            let task = self.section_task(memo, kind, start..end).await?;
            let edits = self.ask(memo, task, start..end).await?;
            apply(memo, kind, &edits, &mut stems, delivery);
            memo.section_mut(kind).read = end;
        }

        let is_last =
            kind != SectionKind::Situation || self.config.early_decision == Some(After::Situation);
        if is_last {
            let is_whole = kind == memo.structure.last();
            keep_numbers(memo, from, is_whole, &mut stems, delivery);
        }
        Ok(())
    }

    /// Refines a section.
    async fn refine(
        &self,
        memo: &mut Scr,
        kind: SectionKind,
        delivery: &mut Delivery,
    ) -> Result<(), Error> {
        let mut task = self.section_task(memo, kind, 0..0).await?;
        task.purpose = Purpose::Refine;
        task.reflection.clone_from(&memo.reflection);
        let capacity = self.capacity(memo)?;
        if let Some(reflection) = &mut task.reflection {
            fit_reflection(reflection, capacity.reflection());
        }
        let others = statements_of(memo, |other| other != kind);
        task.before = nearest(memo, others, &memo.question, capacity.before());

        let edits = self.ask(memo, task, 0..0).await?;
        let mut stems = Stems::of(memo);
        apply(memo, kind, &edits, &mut stems, delivery);
        memo.refining = kind.next();
        Ok(())
    }

    /// Judges the memo, and begins a refinement if it is moderate or shallow.
    async fn reflect(&self, memo: &mut Scr) -> Result<(), Error> {
        let statements = statements_of(memo, |_| true);
        let capacity = self.capacity(memo)?.memo();
        let task = ReflectTask {
            question: memo.question.clone(),
            memo: nearest(memo, statements, &memo.question, capacity),
            metadata: metadata(memo),
            withheld: memo.withheld.len(),
        };
        let fresh = prompts::reflect_tokens(&task)?;

        let mut ask = Ask::new(&REFLECT_PROMPT, REFLECT, &task, |prompt| {
            prompts::reflect(prompt, &task)
        });
        if let Some(tier) = self.config.allowed(self.config.tiers.reflection) {
            ask = ask.tier(tier);
        }
        let reflection: Reflection = if self.by_rules || self.job.is_stopped() {
            Reflection::default()
        } else {
            self.job.without_tools().ask(ask).await?
        };

        memo.spent.reflection_calls += 1;
        memo.spent.fresh_tokens += fresh as u64;
        if reflection.overall_quality.needs_refinement() {
            memo.refining = Some(SectionKind::Situation);
        }
        memo.reflection = Some(reflection);
        Ok(())
    }

    /// Asks for the edits of a section. A run that must stop gets what rules compute.
    async fn ask(
        &self,
        memo: &mut Scr,
        mut task: SectionTask,
        new: Range<usize>,
    ) -> Result<SectionEdits, Error> {
        if self.by_rules || self.job.is_stopped() {
            return Ok(offline::section(&task));
        }
        let capacity = self.capacity(memo)?;
        task.findings = fitting(task.findings, capacity.findings());
        let job = self.conversing(memo);
        let marker = job.kit().marker();
        let keeps = self.keeps();
        let mut is_shown = keeps && memo.shown.start <= new.start && new.end <= memo.shown.end;
        let mut rendered = prompts::rendered(&task, is_shown, marker)?;
        if !fits(memo, &rendered, capacity) {
            // A new conversation begins, and the statements of the memo take the place of the old.
            memo.conversation.clear();
            memo.conversation_tokens = 0;
            memo.shown = new.start..new.start;
            is_shown = false;
            if task.before.is_empty() {
                let above = statements_of(memo, |other| other < task.section);
                let about = about(memo, task.section, &task.findings);
                task.before = nearest(memo, above, &about, self.shown_of(capacity.before()));
            }
            rendered = prompts::rendered(&task, is_shown, marker)?;
        }
        let task = &task;
        let history = history(memo, marker)?;
        let after = prompts::feedback(task.feedback.as_ref(), marker)?;

        let (template, name, tier) = match task.purpose {
            Purpose::Refine => (&REFINE_PROMPT, REFINE, self.config.tiers.refinement),
            _ => (&SECTION_PROMPT, SECTION, self.config.tiers.of(task.section)),
        };
        let mut ask = Ask::new(template, name, task, |prompt| {
            prompts::section(prompt, task, is_shown)
        })
        .history(&history)
        .rewrite(|text| text + &after);
        if let Some(tier) = self.config.allowed(tier) {
            ask = ask.tier(tier);
        }
        let job = job.without_tools();
        if !keeps {
            let edits = job.ask(ask).await?;
            self.count(memo, task, &rendered)?;
            return Ok(edits);
        }

        let reply = job.converse::<SectionEdits>(ask).await?;
        self.count(memo, task, &rendered)?;
        let answers = reply.messages.iter().skip(1);
        let answers: usize = answers.map(|message| tokens(&message.text())).sum();
        let own = rendered.fresh + rendered.repeated + answers;
        memo.conversation_tokens += own as u64;
        memo.conversation.extend(reply.messages);
        memo.shown.end = memo.shown.end.max(new.end);
        marker.word().clone_into(&mut memo.marker);
        Ok(reply.value)
    }

    /// Returns whether the conversation with the model is kept.
    fn keeps(&self) -> bool {
        self.config.history_for(self.job.kit().model()) == History::Append
    }

    /// Returns the job with the marker of the conversation, so that its beginning stays the same.
    fn conversing(&self, memo: &Scr) -> Job {
        if memo.conversation.is_empty() {
            self.job.clone()
        } else {
            self.job.with_marker(Marker::fixed(&memo.marker))
        }
    }

    /// Adds what a question took.
    fn count(
        &self,
        memo: &mut Scr,
        task: &SectionTask,
        rendered: &Rendered,
    ) -> Result<(), PromptError> {
        let is_first = memo.spent.section_calls == 0;
        let marker = Marker::fixed(prompts::MARKER);
        let system = prompts::system(memo.structure, &marker)?;
        let history = usize::try_from(memo.conversation_tokens).unwrap_or(usize::MAX);
        let before = history.saturating_add(tokens(&system));
        let (fresh, repeated) = if is_first {
            (rendered.fresh + before, rendered.repeated)
        } else {
            (rendered.fresh, rendered.repeated + before)
        };
        let again = regenerated(memo, task, rendered);
        self.job.count(Usage {
            tokens_repeated: repeated as u64,
            ..Usage::default()
        });

        memo.by_model |= self.job.kit().model().kind != ModelKind::Extractive;
        let spent = &mut memo.spent;
        spent.section_calls += 1;
        spent.fresh_tokens += fresh as u64;
        spent.repeated_tokens += repeated as u64;
        spent.regeneration_tokens += again as u64;
        Ok(())
    }

    /// Returns how many tokens a prompt about a memo can hold in addition to the question and to
    /// what a decision says, which every prompt contains.
    fn capacity(&self, memo: &Scr) -> Result<Capacity, PromptError> {
        let feedback = prompts::feedback(self.feedback, &Marker::fixed(prompts::MARKER))?;
        let lines = LINE * feedback.lines().count();
        Ok(Capacity::new(
            self.job,
            tokens(&memo.question) + tokens(&feedback) + lines,
        ))
    }

    /// Returns how many tokens the statements of a section take at most.
    fn shown_of(&self, capacity: usize) -> usize {
        capacity.min(if self.keeps() { MOST_KEPT } else { MOST_SHOWN })
    }

    /// Returns the end of the findings from `start` that one prompt can hold, at least one.
    fn fitting(&self, memo: &Scr, start: usize) -> Result<usize, PromptError> {
        let capacity = self.capacity(memo)?.findings();
        let mut used = 0_usize;
        let fits = |at: &usize| {
            let size: usize = views(memo, *at..at + 1).iter().map(of_finding).sum();
            used = used.saturating_add(size);
            used <= capacity
        };
        let count = (start..memo.findings.len()).take_while(fits).count();
        Ok(start + count.max(1))
    }

    async fn section_task(
        &self,
        memo: &Scr,
        kind: SectionKind,
        new: Range<usize>,
    ) -> Result<SectionTask, PromptError> {
        let findings = views(memo, new.clone());
        let relations = Relations::of(&memo.findings);
        let about = about(memo, kind, &findings);
        let own = statements_of(memo, |other| other == kind);
        // A conversation contains what was written in it.
        let is_written = self.keeps() && !memo.conversation.is_empty();
        let above = statements_of(memo, |other| other < kind && !is_written);

        let capacity = self.capacity(memo)?;
        let mut known = Known {
            metadata: metadata(memo),
            recalled: self.recalled(memo, kind, &about, new).await,
            ..known(kind, &relations)
        };
        fit_known(&mut known, capacity.known());
        let has_been_written = memo.spent.section_calls > 0 && memo.section(kind).read > 0;
        let purpose = match (
            has_been_written,
            self.feedback,
            self.config.refine_after_decision,
        ) {
            (true, Some(_), true) => Purpose::Refine,
            (true, ..) => Purpose::Update,
            _ => Purpose::Write,
        };
        Ok(SectionTask {
            question: memo.question.clone(),
            section: kind,
            purpose,
            statements: nearest(memo, own, &about, self.shown_of(capacity.statements())),
            before: nearest(memo, above, &about, self.shown_of(capacity.before())),
            known,
            findings,
            feedback: self.feedback.filter(|one| !one.is_empty()).cloned(),
            reflection: None,
        })
    }

    /// Returns the findings from before that are nearest to a section, best first. Without a memory
    /// that works, all of them are returned.
    async fn recalled(
        &self,
        memo: &Scr,
        kind: SectionKind,
        about: &str,
        new: Range<usize>,
    ) -> Vec<FindingView> {
        let first = memo.structure.first();
        let is_first = kind == first && new.start == 0;
        let is_computed = self.job.kit().model().kind == ModelKind::Extractive;
        if (is_first && !new.is_empty()) || is_computed {
            return Vec::new();
        }
        let mut memory = self.memory.cloned().unwrap_or_default();
        for finding in &memo.findings[..new.start.max(memo.section(first).read)] {
            let (text, source) = (finding.text.for_code(), finding.source.for_code());
            memory.add(THREAD, RememberedFinding::new(&**text, &**source));
        }

        let known = views(memo, 0..memo.findings.len());
        let is_new = |view: &FindingView| {
            let number = view.id.trim_start_matches('F').parse::<usize>();
            number.is_ok_and(|number| new.contains(&(number - 1)))
        };
        match memory.search(THREAD, about, self.config.top_k).await {
            Ok(found) => found
                .iter()
                .filter_map(|one| {
                    let same = |view: &&FindingView| {
                        view.text == **one.finding.text.for_code()
                            && view.source == one.finding.source
                    };
                    known.iter().find(same).cloned()
                })
                .filter(|view| !is_new(view))
                .collect(),
            Err(error) => {
                self.job.warn(&Error::other(format!(
                    "earlier findings cannot be searched, so all of them are read: {error}"
                )));
                known.into_iter().filter(|view| !is_new(view)).collect()
            }
        }
    }
}

/// Returns the statements of some sections.
fn statements_of(memo: &Scr, is_wanted: impl Fn(SectionKind) -> bool) -> Vec<&Statement> {
    let kinds = memo.sections().iter().filter(|kind| is_wanted(**kind));
    kinds
        .flat_map(|kind| &memo.section(*kind).statements)
        .collect()
}

/// Returns whether the model can hold the conversation and a prompt.
fn fits(memo: &Scr, rendered: &Rendered, capacity: Capacity) -> bool {
    let own = rendered.fresh + rendered.repeated;
    let said = memo.conversation.iter().map(Message::text);
    let lines: usize = said.map(|text| text.lines().count()).sum();
    let lines = LINE.saturating_mul(lines + rendered.text.lines().count());
    let history = usize::try_from(memo.conversation_tokens).unwrap_or(usize::MAX);
    memo.conversation.is_empty()
        || history.saturating_add(own).saturating_add(lines) <= capacity.whole()
}

/// Returns the messages before the prompt. What a provider caches ends at the marked ones.
fn history(memo: &Scr, marker: &Marker) -> Result<Vec<Message>, PromptError> {
    let system = prompts::system(memo.structure, marker)?;
    let mut history = vec![Message::system(system).cached()];
    history.extend(memo.conversation.iter().cloned());
    if let Some(last) = history.pop() {
        history.push(last.cached());
    }
    Ok(history)
}

/// Adds the contradictions of the findings from a place on, with each other and with what the memo
/// states.
fn state_contradictions(memo: &mut Scr, from: usize, stems: &mut Stems, delivery: &mut Delivery) {
    for at in from..memo.findings.len() {
        let finding = memo.findings[at].clone();
        for sentence in sentences_of(&finding) {
            let new = NewStatement::quoted(&sentence, &finding.id);
            let is_stated =
                role(&sentence) == Role::Proposal || memo.support(&sentence, &finding.id, delivery);
            if !is_stated {
                memo.contradict(&new, stems, delivery);
            }
        }
    }
    memo.contradict_each_other(from, stems, delivery);
}

/// Returns the new tokens of the prompt that would write a section from all findings: the situation
/// reads the findings, and each section after it what was written before it.
fn regenerated(memo: &Scr, task: &SectionTask, rendered: &Rendered) -> usize {
    let shown = tokens(&prompts::findings(&task.findings));
    let around = rendered.fresh.saturating_sub(shown);
    let texts: Vec<&String> = if task.section == memo.structure.first() {
        let findings = memo.findings.iter();
        findings.map(|finding| finding.text.for_code()).collect()
    } else {
        let above = statements_of(memo, |kind| kind < task.section).into_iter();
        above.map(|one| one.text.for_code()).collect()
    };
    around + texts.into_iter().map(|text| tokens(text)).sum::<usize>()
}
