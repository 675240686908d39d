//! What prompts contain.

use research_agents_scr::memo::{Finding, Quality, Reflection, Scr};
use research_agents_scr::synthesizer::{Feedback, History, SECTION, ScrConfig, SectionTask, Tiers};
use research_llm::testing::assert_stable_prefix;
use research_llm::tokens::estimate_request;
use research_llm::{ModelInfo, ModelKind, Tier};

use crate::support::{QUESTION, counts, delivery, model, prompt, run, scripted, with};

#[tokio::test]
async fn each_section_is_written_from_the_ones_before_it() {
    let model = model(Quality::Good);
    let memo = run(&model, None, History::Compact, 1).await;
    let prompts: Vec<String> = model.calls_of(SECTION).iter().map(prompt).collect();

    let (situation, complication) = (&memo.situation, &memo.complication);
    let says = |at: usize, text: &str| prompts[at].contains(text);
    assert!(says(1, situation.statements[0].text.for_code()));
    assert!(says(2, situation.statements[0].text.for_code()));
    assert!(says(2, complication.statements[0].text.for_code()));
}

#[tokio::test]
async fn an_update_shows_new_findings_only() {
    let model = model(Quality::Good);
    run(&model, None, History::Compact, 3).await;
    let tasks: Vec<SectionTask> = model
        .calls_of(SECTION)
        .into_iter()
        .map(|call| call.task.unwrap().parse().unwrap())
        .collect();

    for (pass, tasks) in tasks.chunks(3).enumerate() {
        for task in tasks {
            let texts: Vec<&str> = task
                .findings
                .iter()
                .map(|view| view.text.as_str())
                .collect();
            let new = delivery(pass);
            let new: Vec<&str> = new.iter().map(|one| one.text.for_code().as_str()).collect();
            assert_eq!(texts, new);
        }
    }
}

#[tokio::test]
async fn a_history_only_grows_and_later_passes_repeat_most_of_it() {
    let model = model(Quality::Good);
    let memo = run(&model, None, History::Append, 4).await;
    let calls = model.calls_of(SECTION);

    assert_eq!(calls.len(), 12);
    assert_stable_prefix(&calls);
    for call in &calls {
        let marked = call.messages.iter().filter(|message| message.cache);
        assert!(
            (1..=2).contains(&marked.count()),
            "the beginning is marked for the cache"
        );
    }
    let spent = memo.spent;
    let share = spent.repeated_tokens as f64 / (spent.fresh_tokens + spent.repeated_tokens) as f64;
    assert!(share > 0.6, "{spent:?}");
}

#[tokio::test]
async fn a_memo_that_was_stored_continues_the_conversation() {
    let model = model(Quality::Good);
    let synthesizer = with(&model).history(History::Append).build().unwrap();
    let mut memo = Scr::new(QUESTION);
    for pass in 0..3 {
        synthesizer.update(&mut memo, delivery(pass)).await.unwrap();
        let stored = serde_json::to_string(&memo).unwrap();
        memo = serde_json::from_str(&stored).unwrap();
    }

    // Two synthesizers of two processes have the same marker only in a run that is kept.
    let texts = |call: &research_llm::Request| -> Vec<String> {
        let turns = call.messages.iter().skip(1);
        turns.map(research_llm::Message::text).collect()
    };
    let calls = model.calls_of(SECTION);
    for pair in calls.windows(2) {
        let (before, after) = (texts(&pair[0]), texts(&pair[1]));
        assert_eq!(after[..before.len() - 1], before[..before.len() - 1]);
    }
}

#[tokio::test]
async fn a_compact_prompt_has_no_history() {
    let model = model(Quality::Good);
    let memo = run(&model, None, History::Compact, 3).await;
    assert!(
        model
            .calls_of(SECTION)
            .iter()
            .all(|call| call.messages.len() == 2)
    );
    assert!(memo.conversation().is_empty());
}

#[tokio::test]
async fn a_decision_to_continue_is_shown_with_its_reasons_and_factors() {
    let model = model(Quality::Good);
    let synthesizer = with(&model).build().unwrap();
    let mut memo = Scr::new(QUESTION);
    synthesizer.update(&mut memo, delivery(0)).await.unwrap();
    let feedback = Feedback {
        reasoning: format!("{}🚀 and what follows is cut", "x".repeat(298)),
        key_factors: vec!["2024 papers".to_owned(), "latest benchmarks".to_owned()],
    };
    let delivered = delivery(1);
    synthesizer
        .update_after(&mut memo, delivered, Some(&feedback))
        .await
        .unwrap();

    let calls = model.calls_of(SECTION);
    assert!(!prompt(&calls[1]).contains("decision_reasoning"));
    for call in &calls[2..] {
        let prompt = prompt(call);
        for part in [
            "<decision_reasoning>",
            "<decision_key_factors>",
            "2024 papers",
            "latest benchmarks",
        ] {
            assert!(prompt.contains(part), "{part} is not in\n{prompt}");
        }
        assert!(!prompt.contains("what follows is cut"));
    }
}

#[tokio::test]
async fn a_refinement_shows_memo_and_reflection() {
    let model = model(Quality::Shallow);
    let memo = run(&model, None, History::Compact, 1).await;
    let refinements = model.calls_of("scr.refine");
    assert_eq!(refinements.len(), 3);
    for call in &refinements {
        let prompt = prompt(call);
        assert!(prompt.contains("shallow"), "{prompt}");
        assert!(prompt.contains(memo.situation.statements[0].text.for_code()));
        assert!(!prompt.contains("decision_reasoning"));
    }
}

/// Pattern 5 of the design: a decision to continue refines the sections with the new findings.
#[tokio::test]
async fn a_decision_refines_in_place_of_updating_if_it_is_asked_for() {
    let model = model(Quality::Good);
    let mut config = ScrConfig::default();
    config.refine_after_decision = true;
    let synthesizer = with(&model).config(config).build().unwrap();
    let mut memo = Scr::new(QUESTION);
    synthesizer.update(&mut memo, delivery(0)).await.unwrap();
    let feedback = Feedback {
        reasoning: "Missing recent developments from 2024".to_owned(),
        key_factors: vec!["Latest benchmarks".to_owned()],
    };
    let new = delivery(1);
    synthesizer
        .update_after(&mut memo, new, Some(&feedback))
        .await
        .unwrap();

    let refinements = model.calls_of("scr.refine");
    assert_eq!(refinements.len(), 2);
    for part in [
        "Node 1 stores 1001 records.",
        "<decision_reasoning>",
        "2024",
        "(none)",
    ] {
        let prompt = prompt(&refinements[0]);
        assert!(prompt.contains(part), "{part} is not in\n{prompt}");
    }
    let text = memo.to_markdown();
    assert!(
        text.contains("Node 1 stores 1001 records.") && text.contains("backup of node 1"),
        "{text}"
    );
}

/// Findings that one prompt cannot hold are read in several.
#[tokio::test]
async fn findings_that_do_not_fit_are_read_in_several_prompts() {
    let model = model(Quality::Good);
    let synthesizer = with(&model).history(History::Compact).build().unwrap();
    let mut memo = Scr::new(QUESTION);
    let padding = "and has a long history of service in the hall ".repeat(40);
    let many: Vec<Finding> = (0..60)
        .map(|number| {
            let text = format!("Node {number} stores {} records {padding}.", 1000 + number);
            Finding::new(text, "facts.md")
        })
        .collect();
    synthesizer.update(&mut memo, many).await.unwrap();

    let calls = model.calls_of(SECTION);
    assert!(calls.len() > 2, "{} calls", calls.len());
    let largest = calls.iter().map(|call| prompt(call).len()).max().unwrap();
    assert!(largest < 80_000, "{largest} bytes");
    assert_eq!(memo.situation.statements.len(), 60);
    assert_eq!(memo.complication.read, 60);
}

#[tokio::test]
async fn no_prompt_is_larger_than_the_window() {
    const WINDOW: u32 = 8_000;
    // Facts, problems, proposals and relations, each of them long, and one far too long.
    let finding = |number: usize, words: usize| {
        let padding = format!("and keeps the long history of rack {number} ").repeat(words / 8);
        let (all, ten) = (1000 + number, 10 + number);
        let text = format!(
            "Node {number} stores {all} records {padding}.\nThe backup of node {number} fails \
             {padding}.\nWe recommend disk {number} {padding}.\nDisk {number} requires driver \
             {ten} of controller {number}."
        );
        Finding::new(text, format!("https://example.org/{number}/{padding}.md"))
    };
    let reflection = Reflection {
        overall_quality: Quality::Shallow,
        depth_assessment: "It is shallow. ".repeat(300),
        missing_core_insights: vec!["The cost of each rack in each year. ".repeat(30); 30],
        improvement_suggestions: vec!["Name the racks.".to_owned(); 300],
        ..Reflection::default()
    };
    let feedback = Feedback {
        reasoning: "The costs are missing. ".repeat(100),
        key_factors: vec!["The cost of each rack".to_owned(); 200],
    };

    for history in [History::Append, History::Compact] {
        for refines in [false, true] {
            let info = ModelInfo::new("small", "small", ModelKind::Language).context_tokens(WINDOW);
            let model = scripted(info, reflection.clone(), |_| None);
            let mut config = ScrConfig::default();
            (config.early_decision, config.refine_after_decision) = (None, refines);
            let builder = with(&model).config(config).history(history);
            let synthesizer = builder.build().unwrap();
            let mut memo = Scr::new("Which racks do we replace? ".repeat(20));
            for pass in 0..2 {
                let numbers = 5 * pass..5 * (pass + 1);
                let mut new: Vec<Finding> = numbers.map(|at| finding(at, 8 + 32 * pass)).collect();
                new.extend((pass == 1).then(|| finding(100, 480)));
                let update = synthesizer.update_after(&mut memo, new, Some(&feedback));
                update.await.unwrap();
            }

            let counts = counts(&model);
            let least = if refines { [3, 1, 6] } else { [6, 1, 3] };
            let is_asked = counts
                .iter()
                .zip(least)
                .all(|(count, least)| *count >= least);
            assert!(is_asked, "{history:?} {refines}: {counts:?}");
            for call in model.calls() {
                let answer = u64::from(call.max_output_tokens.unwrap());
                let size = estimate_request(&call) + answer;
                assert!(
                    size <= u64::from(WINDOW),
                    "{size} of {WINDOW}: {}",
                    prompt(&call)
                );
            }
        }
    }
}

#[tokio::test]
async fn each_step_has_its_tier_and_the_dearest_is_used_when_it_is_allowed() {
    for (allows_max, expected) in [(false, Tier::Plus), (true, Tier::Max)] {
        let model = model(Quality::Good);
        let mut config = ScrConfig::default();
        config.early_decision = None;
        config.allows_max = allows_max;
        config.tiers.situation = Some(Tier::Turbo);
        config.tiers.resolution = Some(Tier::Max);
        let synthesizer = with(&model).config(config).build().unwrap();
        synthesizer
            .update(&mut Scr::new(QUESTION), delivery(0))
            .await
            .unwrap();

        let tiers: Vec<Option<Tier>> = model
            .calls_of(SECTION)
            .iter()
            .map(|call| call.tier)
            .collect();
        assert_eq!(tiers, [Some(Tier::Turbo), None, Some(expected)]);
        assert_eq!(Tiers::all(Tier::Plus).reflection, Some(Tier::Plus));
    }
}

#[tokio::test]
async fn an_earlier_finding_about_the_same_is_recalled() {
    let model = model(Quality::Good);
    let synthesizer = with(&model).history(History::Compact).build().unwrap();
    let mut memo = Scr::new(QUESTION);
    let mut first: Vec<Finding> = (0..20).flat_map(delivery).collect();
    first.push(Finding::new(
        "The licence of the proxy ends in March.",
        "licence.md",
    ));
    synthesizer.update(&mut memo, first).await.unwrap();
    let news = Finding::new("The proxy needs another licence.", "news.md");
    synthesizer.update(&mut memo, [news]).await.unwrap();

    let last = model.calls_of(SECTION).pop().unwrap();
    let task: SectionTask = last.task.unwrap().parse().unwrap();
    let recalled: Vec<&str> = task
        .known
        .recalled
        .iter()
        .map(|one| one.source.as_str())
        .collect();
    assert_eq!(recalled[0], "licence.md", "{recalled:?}");
    assert!(recalled.len() <= 6);
}
