//! Rounds: parallel sub-agents, queues, failures, and ids that stay.

use std::sync::Arc;
use std::time::Duration;

use research_agents_report::trust::Mark;
use research_agents_studio::Studio;
use research_agents_studio::records::{ResearchPlan, ResearchQuestion};
use research_agents_studio::table::Standing;
use research_agents_studio::tasks::{
    ClaimsFound, ClaimsTask, PLAN, PlanTask, TRUST_CLAIMS, TRUST_VERIFY, VerifyTask,
};

use crate::support::{Script, Scripted, counted, folder, over};

/// A plan of so many questions.
fn planned(count: usize) -> impl Fn(&PlanTask) -> ResearchPlan + Send + Sync + 'static {
    move |_| {
        let question = |at: usize| ResearchQuestion {
            question: format!("How heavy is machine {at}?"),
            section: "Weights".into(),
            queries: vec![format!("machine {at}")],
            ..ResearchQuestion::default()
        };
        ResearchPlan {
            outline: vec!["Weights".into()],
            research_questions: (1..=count).map(question).collect(),
            ..ResearchPlan::default()
        }
    }
}

fn machines(count: usize) -> Scripted {
    let found = (1..=count).map(|at| {
        let address = format!("https://site{at}.example/{at}");
        let text = format!("Machine {at} is heavy: it weighs {} kg in all.", 10 * at);
        (format!("machine {at}"), vec![(address, text)])
    });
    Scripted {
        found: found.collect(),
        ..Scripted::default()
    }
}

fn studio(script: Script, source: &Scripted) -> Studio {
    let mut config = research_agents_studio::config::StudioConfig::default();
    config.max_questions = 20;
    let builder = Studio::builder().model(script.model()).config(config);
    builder.source(Arc::new(source.clone())).build().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn five_sub_agents_work_at_once_and_the_others_wait() {
    let mut source = machines(12);
    source.takes = Duration::from_millis(40);
    let ended = studio(Script::default().on(PLAN, planned(12)), &source)
        .run("How heavy are the machines?")
        .await
        .unwrap();

    assert_eq!(source.at_once(), 5);
    let first = ended.state.subagent_findings().filter(|one| one.round == 1);
    assert_eq!(first.count(), 12);
}

#[tokio::test]
async fn a_sub_agent_that_fails_costs_its_question_alone() {
    let mut source = machines(4);
    source.fails = vec!["machine 2".into()];
    let ended = studio(Script::default().on(PLAN, planned(4)), &source)
        .run("How heavy are the machines?")
        .await
        .unwrap();

    let failed = ended
        .state
        .subagent_findings()
        .find(|one| one.question == "q2")
        .unwrap();
    assert!(
        failed.dead_ends[0].contains("status 500"),
        "{:?}",
        failed.dead_ends
    );
    let standings = ended.state.standings();
    assert_eq!(standings["q2"], Standing::Unanswered);
    for id in ["q1", "q3", "q4"] {
        assert!(matches!(standings[id], Standing::Answered(_)), "{id}");
    }
    let report = ended.markdown();
    assert!(
        report.contains("No source answers “How heavy is machine 2?”"),
        "{report}"
    );
    assert!(report.contains("answered with status 500"), "{report}");
}

#[tokio::test]
async fn the_trust_engine_asks_twice_for_evidence_that_fits() {
    for count in [1, 20] {
        let script = Script::default()
            .on(PLAN, planned(count))
            .on(TRUST_CLAIMS, |_: &ClaimsTask| ClaimsFound::default())
            .on(TRUST_VERIFY, |_: &VerifyTask| {
                research_agents_studio::tasks::ClaimsVerified::default()
            });
        let calls = Arc::clone(&script.calls);
        let source = machines(count);
        studio(script, &source)
            .run("How heavy are they?")
            .await
            .unwrap();
        assert_eq!(counted(&calls)[4..6], [1, 1], "{count} sources");
    }
}

#[tokio::test]
async fn two_publishers_that_agree_are_marked_and_a_copy_is_not() {
    let first = "# Bridge\n\nThe bridge over the Dee is 120 m long and was built of steel.";
    let other = "# Crossings\n\nIn our survey, the bridge over the Dee is 120 metres long.";
    let (a, b, copy) = (
        folder(&[("a.md", first)]),
        folder(&[("b.md", other)]),
        folder(&[("c.md", first)]),
    );
    let question = "How long is the bridge over the Dee?";

    let agreeing = over(&[("survey", &b), ("county", &a)]).build().unwrap();
    let ended = agreeing.run(question).await.unwrap();
    assert_eq!(ended.state.claims()[0].mark, Some(Mark::CrossValidated));
    assert!(ended.markdown().contains("✓✓"), "{}", ended.markdown());

    let copied = over(&[("county", &a), ("mirror", &copy)]).build().unwrap();
    let ended = copied.run(question).await.unwrap();
    assert_eq!(ended.state.claims()[0].mark, Some(Mark::Verified));
}

#[tokio::test]
async fn a_disagreement_is_shown_from_both_sides() {
    let a = folder(&[("a.md", "# Bridge\n\nThe bridge over the Dee is 120 m long.")]);
    let b = folder(&[(
        "b.md",
        "# Guide\n\nThe bridge over the Dee is 140 m long, they say.",
    )]);
    let studio = over(&[("county", &a), ("guide", &b)]).build().unwrap();
    let ended = studio
        .run("How long is the bridge over the Dee?")
        .await
        .unwrap();

    let report = ended.markdown();
    let disagree = report.find("## Sources disagree").expect(report);
    assert!(report[disagree..].contains("120 m") && report[disagree..].contains("140 m"));
    let answer = &report[..disagree];
    assert!(
        !answer.contains("120 m") && !answer.contains("140 m"),
        "{answer}"
    );
}

#[tokio::test]
async fn ids_stay_over_rounds() {
    let files = [(
        "a.md",
        "# Sizes\n\n## Page\n\nThe default page size is 4096 bytes.",
    )];
    let folder = folder(&files);
    let studio = over(&[("manual", &folder)]).build().unwrap();
    let ended = studio
        .run("What is the default page size? What is the colour of the cover?")
        .await
        .unwrap();

    assert!(ended.state.research_metadata().iterations >= 1);
    let ids: Vec<String> = ended
        .state
        .passages()
        .documents()
        .map(|document| document.id.clone())
        .collect();
    assert_eq!(ids, ["S1"]);
    assert!(
        ended
            .markdown()
            .contains("No source answers “What is the colour of the cover?”")
    );
}
