//! The golden run: four sub-agents, three refinements, two rounds, fifteen claims.

use std::collections::BTreeMap;
use std::sync::Arc;

use research_agents_report::trust::Mark;
use research_agents_studio::Studio;
use research_agents_studio::config::StudioConfig;
use research_agents_studio::records::{QueryAnalysis, ResearchPlan, ResearchQuestion};
use research_agents_studio::tasks::{
    ANALYZE, AnalyzeTask, ClaimsFound, ClaimsTask, ClaimsVerified, EXTRACT, ExtractTask,
    Extraction, GAPS, GapsFound, GapsTask, PLAN, PlanTask, ProposedAnswer, ProposedClaim,
    ProposedGap, ProposedQuote, SectionConfidence, TRUST_CLAIMS, TRUST_VERIFY, VerifyTask,
};

use crate::support::{Calls, Script, Scripted, counted};

const SECTIONS: [&str; 6] = [
    "Overview",
    "Key Policies",
    "Executive Orders",
    "Legal Analysis",
    "Humanitarian Impact",
    "Expert Opinions",
];

/// What a document says. Two documents each state one fact, in other surroundings.
fn fact(number: usize) -> String {
    const ABOUT: [&str; 14] = [
        "wall",
        "asylum",
        "visa",
        "refugee",
        "court",
        "detention",
        "airport",
        "harbour",
        "farm",
        "school",
        "hospital",
        "tax",
        "army",
        "harvest",
    ];
    let pair = (number - 1) / 2;
    let stated = format!(
        "the {} policy counted {} cases",
        ABOUT[pair],
        11 * (pair + 4)
    );
    if number % 2 == 1 {
        format!("According to officials in the capital, {stated}.")
    } else {
        format!("A survey of local newspapers from last spring says that {stated}.")
    }
}

/// Documents with these numbers, each of another publisher.
fn pages(numbers: &[usize]) -> Vec<(String, String)> {
    let page = |number: &usize| {
        let address = format!("https://site{number}.example/policy");
        (address, fact(*number))
    };
    numbers.iter().map(page).collect()
}

/// Four queries find 24 documents, 18 of them distinct; three more find ten new ones.
fn search() -> Scripted {
    let rows: [(&str, Vec<usize>); 7] = [
        ("policy orders", vec![1, 2, 3, 4, 5, 6]),
        ("policy changes", vec![5, 6, 7, 8, 9, 10]),
        ("policy legal", vec![9, 10, 11, 12, 13, 14]),
        ("policy impact", vec![13, 14, 15, 16, 17, 18]),
        ("policy court challenges", vec![19, 20, 21]),
        ("policy detention conditions", vec![22, 23, 24]),
        ("policy experts", vec![25, 26, 27, 28]),
    ];
    let found = rows
        .iter()
        .map(|(query, numbers)| ((*query).to_owned(), pages(numbers)));
    Scripted {
        found: found.collect(),
        ..Scripted::default()
    }
}

fn analysis(_: &AnalyzeTask) -> QueryAnalysis {
    QueryAnalysis {
        query_class: "current_events".into(),
        ..QueryAnalysis::default()
    }
}

fn plan(_: &PlanTask) -> ResearchPlan {
    let rows = [
        (
            "Which orders were signed under the policy?",
            "Executive Orders",
            "policy orders",
        ),
        (
            "What are the key changes of the policy?",
            "Key Policies",
            "policy changes",
        ),
        (
            "What do legal experts say about the policy?",
            "Legal Analysis",
            "policy legal",
        ),
        (
            "What is the humanitarian impact of the policy?",
            "Humanitarian Impact",
            "policy impact",
        ),
    ];
    let question = |(question, section, query): &(&str, &str, &str)| ResearchQuestion {
        question: (*question).to_owned(),
        section: (*section).to_owned(),
        queries: vec![(*query).to_owned()],
        ..ResearchQuestion::default()
    };
    ResearchPlan {
        outline: SECTIONS.map(str::to_owned).into(),
        research_questions: rows.iter().map(question).collect(),
        ..ResearchPlan::default()
    }
}

/// Every passage answers; the first ones belong to the sections that no question has.
fn extraction(task: &ExtractTask) -> Extraction {
    let answers = task
        .passages
        .iter()
        .enumerate()
        .map(|(at, view)| ProposedAnswer {
            passage: view.id.clone(),
            quote: view.text.clone(),
            value: None,
            section: match at {
                0 => Some("Overview".to_owned()),
                1 => Some("Expert Opinions".to_owned()),
                _ => None,
            },
        });
    Extraction {
        answers: answers.collect(),
        ..Extraction::default()
    }
}

fn gaps(task: &GapsTask) -> GapsFound {
    let (confidence, gaps): ([f64; 6], Vec<(&str, &str)>) = match task.round {
        1 => (
            [0.9, 0.85, 0.8, 0.6, 0.5, 0.4],
            vec![
                ("Legal Analysis", "policy court challenges"),
                ("Humanitarian Impact", "policy detention conditions"),
                ("Expert Opinions", "policy experts"),
            ],
        ),
        _ => (
            [0.95, 0.9, 0.9, 0.8, 0.75, 0.62],
            vec![("Expert Opinions", "opinions of scholars")],
        ),
    };
    let rows = SECTIONS.iter().zip(confidence);
    let rows = rows.map(|(section, confidence)| SectionConfidence {
        section: (*section).to_owned(),
        confidence,
    });
    let gaps = gaps.into_iter().map(|(section, query)| ProposedGap {
        section: section.to_owned(),
        description: format!("{section} section has limited coverage"),
        queries: vec![query.to_owned()],
        ..ProposedGap::default()
    });
    GapsFound {
        section_confidence: rows.collect(),
        gaps: gaps.collect(),
    }
}

/// Fifteen claims: eight that two publishers carry, five that one does, two with a changed number.
fn claims(task: &ClaimsTask) -> ClaimsFound {
    let quote = |at: usize| ProposedQuote {
        evidence: task.evidence[at].id.clone(),
        quote: task.evidence[at].text.clone(),
    };
    let claim = |text: String, quotes: Vec<ProposedQuote>| ProposedClaim {
        text,
        section: "Key Policies".to_owned(),
        question: None,
        quotes,
    };
    let mut claims = Vec::new();
    for at in 0..8 {
        let (a, b) = (quote(2 * at), quote(2 * at + 1));
        let stated = a.quote.split_once(", ").unwrap().1;
        let stated = stated.replacen('t', "T", 1);
        claims.push(claim(stated, vec![a, b]));
    }
    for at in 16..21 {
        let own = quote(at);
        claims.push(claim(own.quote.clone(), vec![own]));
    }
    for at in 21..23 {
        let own = quote(at);
        claims.push(claim(
            own.quote.replace("cases", "thousand cases"),
            vec![own],
        ));
    }
    ClaimsFound {
        claims,
        ..ClaimsFound::default()
    }
}

fn studio(stop_confidence: f64) -> (Studio, Scripted, Calls) {
    let script = Script::default()
        .on(ANALYZE, analysis)
        .on(PLAN, plan)
        .on(EXTRACT, extraction)
        .on(GAPS, gaps)
        .on(TRUST_CLAIMS, claims)
        .on(TRUST_VERIFY, |_: &VerifyTask| ClaimsVerified::default());
    let (calls, source) = (Arc::clone(&script.calls), search());
    let mut config = StudioConfig::default();
    config.stops.stop_confidence = stop_confidence;
    let studio = Studio::builder()
        .model(script.model())
        .config(config)
        .source(Arc::new(source.clone()));
    (studio.build().unwrap(), source, calls)
}

#[tokio::test]
async fn two_rounds_close_two_of_three_gaps() {
    let (studio, _, calls) = studio(0.80);
    let ended = studio
        .run("Deep research about the new policy")
        .await
        .unwrap();
    let state = &ended.state;

    let rounds: BTreeMap<u32, usize> =
        state
            .subagent_findings()
            .fold(BTreeMap::new(), |mut rounds, one| {
                *rounds.entry(one.round).or_default() += 1;
                rounds
            });
    assert_eq!(rounds, BTreeMap::from([(1, 4), (2, 3)]));
    let quality = state.research_metadata();
    assert_eq!(
        (quality.iterations, quality.sources, quality.raw_sources),
        (2, 28, 34)
    );

    let (before, after) = state.confidence();
    assert_eq!((before, after), (0.68, 0.82));
    let gaps: Vec<&str> = state
        .knowledge_gaps()
        .iter()
        .map(|gap| gap.section.as_str())
        .collect();
    assert_eq!(gaps, ["Expert Opinions"]);

    let marked = (quality.claims, quality.verified, quality.cross_validated);
    assert_eq!(marked, (15, 13, 8));
    let score = quality.hallucination_score.unwrap();
    assert!((score - 2.0 / 15.0).abs() < 1e-12);
    let withheld = state.claims().iter().filter(|claim| claim.mark.is_none());
    for claim in withheld {
        assert!(!ended.markdown().contains(&claim.text), "{}", claim.text);
    }
    assert!(
        ended
            .markdown()
            .contains("Expert Opinions section has limited coverage")
    );

    // Analyze, plan, extract, gaps, claims, verify; the report is written by rules here.
    assert_eq!(counted(&calls), [1, 1, 7, 2, 1, 1, 0]);
}

#[tokio::test]
async fn a_higher_confidence_wants_a_third_round() {
    let (studio, source, _) = studio(0.85);
    let before = source.searches();
    let ended = studio
        .run("Deep research about the new policy")
        .await
        .unwrap();

    assert_eq!(ended.state.research_metadata().iterations, 3);
    let third = ended.state.subagent_findings();
    assert_eq!(third.filter(|one| one.round == 3).count(), 1);
    // One look at the sources, four queries, three refinements, and one of the third round.
    assert_eq!(source.searches() - before, 9);
}

#[tokio::test]
async fn a_claim_of_two_publishers_is_marked_by_both() {
    let (studio, ..) = studio(0.80);
    let ended = studio
        .run("Deep research about the new policy")
        .await
        .unwrap();
    let marks = ended.state.claims().iter().map(|claim| claim.mark);
    let marks: Vec<Option<Mark>> = marks.collect();
    let all = |marks: &[Option<Mark>], mark| marks.iter().all(|one| *one == mark);
    assert!(all(&marks[..8], Some(Mark::CrossValidated)), "{marks:?}");
    assert!(all(&marks[8..13], Some(Mark::Verified)) && all(&marks[13..], None));
}
