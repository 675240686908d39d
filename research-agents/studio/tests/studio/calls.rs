//! How often a language model is asked, and what its words can do.

use std::sync::Arc;

use research_agents_runtime::ask::tokens;
use research_agents_studio::tasks::{
    ANALYZE, EXTRACT, GAPS, PLAN, TRUST_CLAIMS, TRUST_VERIFY, WRITE,
};
use research_agents_studio::{Studio, StudioState};
use research_llm::testing::ScriptedModel;
use research_llm::{ModelInfo, ModelKind};
use serde_json::{Value, json};

use crate::support::Scripted;

/// Number of pages that a query finds at most.
const PAGES: usize = 40;
/// Number of questions of the plan.
const QUESTIONS: usize = 5;

/// Pages about machines, each long, divided among the queries of the plan.
fn machines(count: usize) -> Scripted {
    let pages = (1..=count).map(|at| {
        let text = format!(
            "Machine {at} is heavy, and machine {at} weighs {} kg. {}",
            10 * at,
            "It was built of iron and oak in the old yard by the river, as the machines before. "
                .repeat(6)
        );
        (format!("https://site{at}.example/{at}"), text)
    });
    let pages: Vec<_> = pages.collect();
    let yards = pages.chunks(PAGES).enumerate();
    Scripted {
        found: yards
            .map(|(at, pages)| (format!("machine {at}"), pages.to_vec()))
            .collect(),
        ..Scripted::default()
    }
}

/// A language model that holds so many tokens, and says little.
fn model(context: u32, claims: Value, draft: Value) -> ScriptedModel {
    let nothing = json!({"answers": [], "queries": []});
    quoting(context, nothing, claims, draft)
}

/// The same with quotes that answer.
fn quoting(context: u32, quotes: Value, claims: Value, draft: Value) -> ScriptedModel {
    let info = ModelInfo::new("test", "test", ModelKind::Language).context_tokens(context);
    let question = |at: usize| {
        json!({
            "id": "", "question": format!("How heavy is machine {}?", at + 1),
            "section": "Weights", "priority": 1.0, "queries": [format!("machine {at}")],
        })
    };
    let plan = json!({
        "topic": "machines", "outline": ["Weights"], "estimated_complexity": "simple",
        "research_questions": (0..QUESTIONS).map(question).collect::<Vec<_>>(),
    });
    ScriptedModel::named(info)
        .always(ANALYZE, json!({"query_class": "number"}))
        .always(PLAN, plan)
        .always(EXTRACT, quotes)
        .always(GAPS, json!({"section_confidence": [], "gaps": []}))
        .always(TRUST_CLAIMS, claims)
        .always(TRUST_VERIFY, json!({"verdicts": []}))
        .always(WRITE, draft)
}

async fn run(model: &Arc<ScriptedModel>, source: Scripted) -> (StudioState, String) {
    let builder = Studio::builder().model(Arc::clone(model) as _);
    let studio = builder.source(Arc::new(source)).build().unwrap();
    let ended = studio.run("How heavy are machines?").await.unwrap();
    let report = ended.markdown().to_owned();
    (ended.state, report)
}

#[tokio::test]
async fn the_trust_engine_asks_twice_for_each_part_that_fits() {
    let nothing = json!({"credibility": [], "claims": []});
    let draft = json!({"answer": [], "sections": []});
    for (context, sources, parts) in [
        (200_000, 1, 1),
        (200_000, 20, 1),
        (1_000_000, 200, 1),
        (8_000, 40, 2),
    ] {
        let model = Arc::new(model(context, nothing.clone(), draft.clone()));
        let (state, _) = run(&model, machines(sources)).await;
        assert_eq!(state.passages().documents().len(), sources);

        let asked = |task: &str| model.calls_of(task).len();
        assert_eq!(
            asked(TRUST_CLAIMS),
            asked(TRUST_VERIFY),
            "{sources} sources"
        );
        if parts == 1 {
            assert_eq!(asked(TRUST_CLAIMS), 1, "{sources} sources");
        } else {
            assert!(asked(TRUST_CLAIMS) >= parts, "{}", asked(TRUST_CLAIMS));
        }
        assert_eq!(
            (asked(ANALYZE), asked(PLAN), asked(GAPS), asked(WRITE)),
            (1, 1, 1, 1)
        );
    }
}

#[tokio::test]
async fn a_model_can_neither_add_to_a_claim_nor_raise_its_mark() {
    let claims = json!({
        "credibility": [{"sid": "S1", "credibility": 1.0}, {"sid": "S2", "credibility": 0.1}],
        "claims": [
            {
                "text": "Machine 1 weighs 10 kg.", "section": "Weights", "question": null,
                "quotes": [{"evidence": "E1", "quote": "machine 1 weighs 10 kg"}],
            },
            {
                "text": "Machine 2 weighs 25 kg.", "section": "Weights", "question": null,
                "quotes": [{"evidence": "E2", "quote": "machine 2 weighs 20 kg"}],
            },
            {
                "text": "Machine 2 weighs 20 kg.", "section": "Weights", "question": null,
                "quotes": [{"evidence": "E2", "quote": "machine 2 weighs 20 kg"}],
            },
        ],
    });
    let draft = json!({
        "answer": [
            {"text": "Machine 1 weighs 10 kg and machine 3 weighs 90 kg [E7] ✓✓.", "claims": ["c1"]},
            {"text": "Nobody knows.", "claims": ["c9"]},
            {"text": "", "claims": ["c2", "c3"]},
        ],
        "sections": [],
    });
    let model = Arc::new(model(200_000, claims, draft));
    let (state, report) = run(&model, machines(3)).await;

    let marks: Vec<String> = state
        .claims()
        .iter()
        .map(|claim| claim.mark.map(|mark| mark.to_string()).unwrap_or_default())
        .collect();
    // The site of the third is one of which the model thinks little.
    assert_eq!(marks, ["✓", "", "⚠"]);
    assert!(
        report.contains("- Machine 1 weighs 10 kg [E1] ✓."),
        "{report}"
    );
    assert!(
        report.contains("- Machine 2 weighs 20 kg [E2] ⚠."),
        "{report}"
    );
    for never in ["90 kg", "Nobody knows", "25 kg", "[E7]"] {
        assert!(!report.contains(never), "{never} in\n{report}");
    }
    assert!(!report.contains("No language model was used"), "{report}");
}

#[tokio::test]
async fn a_quote_that_no_passage_has_gives_way_to_what_code_reads() {
    let quotes = |quote: &str| json!({"answers": [{"passage": "p1", "quote": quote}]});
    let nothing = || json!({"credibility": [], "claims": []});
    let draft = || json!({"answer": [], "sections": []});
    let answers = async |quotes| {
        let model = Arc::new(quoting(200_000, quotes, nothing(), draft()));
        let (state, _) = run(&model, machines(1)).await;
        let asked = model.calls_of(EXTRACT)[0].clone();
        (state.table().answers("q1").count(), asked)
    };

    let (count, asked) = answers(quotes("Mountains are usually higher than valleys.")).await;
    assert_eq!(count, 1, "computed");
    let prompt = serde_json::to_string(&asked.messages).unwrap();
    let (_, nearest) = prompt.split_once("share most with the question").unwrap();
    assert!(nearest.contains("machine 1 weighs 10 kg"), "{nearest}");

    // A model that finds nothing may be right.
    let (count, _) = answers(json!({"answers": []})).await;
    assert_eq!(count, 0);
}

#[tokio::test]
async fn a_quote_with_the_words_of_a_passage_in_place_of_its_id_is_named() {
    let words = "machine 2 weighs 20 kg";
    let claim = |evidence: &str| {
        json!({
            "text": "Machine 2 weighs 20 kg.", "section": "Weights", "question": null,
            "quotes": [{"evidence": evidence, "quote": words}],
        })
    };
    for (evidence, cited) in [(words, Some("E2")), ("E1", None)] {
        let claims = json!({"credibility": [], "claims": [claim(evidence)]});
        let draft = json!({"answer": [], "sections": []});
        let model = Arc::new(model(200_000, claims, draft));
        let (state, _) = run(&model, machines(2)).await;

        // The id of another passage is not repaired: its passage does not say so.
        let claim = &state.claims()[0];
        let own = claim.mark.and(claim.quotes.first());
        assert_eq!(own.map(|says| says.passage.as_str()), cited);
    }
}

#[tokio::test]
async fn no_prompt_about_evidence_is_larger_than_the_window() {
    const WINDOW: u32 = 8_000;
    let claim = |at: usize| {
        let quote = format!("machine {at} weighs {} kg", 10 * at);
        json!({
            "text": format!("Machine {at} weighs {} kg.", 10 * at), "section": "Weights",
            "question": null, "quotes": [{"evidence": format!("E{at}"), "quote": quote}],
        })
    };
    let claims: Vec<Value> = (1..=30).map(claim).collect();
    let claims = json!({"credibility": [], "claims": claims});
    let draft = json!({"answer": [], "sections": []});
    let model = Arc::new(model(WINDOW, claims, draft));
    run(&model, machines(40)).await;

    for task in [EXTRACT, TRUST_CLAIMS, TRUST_VERIFY] {
        let calls = model.calls_of(task);
        assert!(!calls.is_empty(), "{task}");
        for request in calls {
            let text = serde_json::to_string(&request.messages).unwrap();
            let tokens = tokens(&text);
            assert!(tokens <= WINDOW as usize, "{task}: {tokens} tokens");
        }
    }
}
