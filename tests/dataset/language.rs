//! The answer is in the language of the question: prompts, frame, numbers and citations; English stays as it was.

use std::sync::Arc;

use research_agents::dataset::{DatasetAgent, DatasetConfig, DatasetReport};
use research_agents::kernel::{Language, Report, resolve_citations};
use research_agents::offline::OfflineModel;
use research_llm::testing::ScriptedModel;
use serde_json::{Value, json};

use crate::fixture;
use crate::script::{
    DECOMPOSE, EXTRACT, GAPS, INSIGHTS, PERSPECTIVES, PLAN, SYNTHESIZE, VALIDATE, decomposition, finding, helpful,
    plan, prompt,
};

/// A question, sentences on 1,234 events in its language, and what the program says around them.
struct Case {
    code: &'static str,
    name: &'static str,
    question: &'static str,
    /// Holds.
    right: &'static str,
    /// The same number as another language writes it, and a wrong share.
    wrong: [&'static str; 2],
    frame: &'static [&'static str],
}

const CASES: [Case; 5] = [
    Case {
        code: "de",
        name: "German (Deutsch)",
        question: "Wie verteilen sich die Ereignisse in Indien?",
        right: "In Indien gab es 1.234 Ereignisse.",
        wrong: ["In Indien gab es 1,234 Ereignisse.", "Gelesen wurden 24,4 % der 1.234 Ereignisse."],
        frame: &[
            "## Zusammenfassung\n",
            "## Wichtigste Ergebnisse\n",
            "## Auswertung\n\n1 von 3 Fragen ist mit den Daten beantwortet.\n",
            "\n\nVon diesen Daten nicht beantwortet.\n",
            "## Einschränkungen\n",
            "Abdeckung: 300 von 1.234 Datensätzen gelesen (24,3 %), in der Reihenfolge des Werkzeugs, Lesegrenze 300. \
             Verlässlichkeit: 0,",
            "2 entworfene Sätze wurden mangels Beleg nicht gedruckt: 2 mit einer Zahl, die die Daten nicht ergeben.",
            "## Daten\n",
            "1234 Datensätze mit country = India, gruppiert nach event_theme",
            "unter den ersten 300 von 1.234 Datensätzen",
            "## Quellen\n",
        ],
    },
    Case {
        code: "fr",
        name: "French (français)",
        question: "Comment se répartissent les événements en Inde ?",
        right: "L'Inde a connu 1 234 événements.",
        wrong: ["L'Inde a connu 1,234 événements.", "On a lu 24,4 % des 1 234 événements."],
        frame: &[
            "## Résumé\n",
            "## Principaux constats\n",
            "1 question sur 3 trouve une réponse dans les données.",
            "Couverture : 300 enregistrements lus sur 1234 (24,3 %), dans l'ordre de l'outil, limite de lecture 300.",
            "2 phrases rédigées ont été écartées faute de preuve : 2 avec un nombre que les données n'étayent pas.",
            "## Données\n",
            "parmi les 300 premiers enregistrements sur 1234",
            "## Sources\n",
        ],
    },
    Case {
        code: "es",
        name: "Spanish (español)",
        question: "¿Cómo se distribuyen los eventos en la India?",
        right: "En la India hubo 1.234 eventos.",
        wrong: ["En la India hubo 1,234 eventos.", "Se leyó el 24,4 % de los 1.234 eventos."],
        frame: &[
            "## Resumen\n",
            "## Hallazgos principales\n",
            "1 de 3 preguntas tiene respuesta en los datos.",
            "Cobertura: 300 de 1234 registros leídos (24,3 %), en el orden de la herramienta, límite de lectura 300.",
            "Se descartaron 2 frases redactadas por falta de pruebas: 2 con un número que los datos no dan.",
            "## Datos\n",
            "entre los primeros 300 de 1234 registros",
            "## Fuentes\n",
        ],
    },
    Case {
        code: "it",
        name: "Italian (italiano)",
        question: "Come sono distribuiti gli eventi in India per tema?",
        right: "In India ci sono stati 1.234 eventi.",
        wrong: ["In India ci sono stati 1,234 eventi.", "È stato letto il 24,4 % dei 1.234 eventi."],
        frame: &[
            "## Sintesi\n",
            "## Risultati principali\n",
            "1 domanda su 3 trova risposta nei dati.",
            "## Dati\n",
            "## Fonti\n",
        ],
    },
    Case {
        code: "pt",
        name: "Portuguese (português)",
        question: "Como se distribuem os eventos na Índia por tema?",
        right: "Houve 1.234 eventos na Índia.",
        wrong: ["Houve 1,234 eventos na Índia.", "Foram lidos 24,4 % dos 1.234 eventos."],
        frame: &[
            "## Resumo\n",
            "## Principais resultados\n",
            "1 de 3 perguntas tem resposta nos dados.",
            "## Dados\n",
            "## Fontes\n",
        ],
    },
];

fn total(text: &str) -> Value {
    json!({"text": text, "claims": [{"type": "total", "over": {"aggregation": "A1"}, "number": 1234}]})
}

/// Quotes a record that the fixture has, in the words of the data.
fn quote() -> Value {
    let claim = json!({"type": "quote", "source": "PAG001", "text": "Meeting 1 on Cloud"});
    json!({"text": "„Meeting 1 on Cloud“.", "claims": [claim]})
}

/// A model that plans every agent and drafts these sentences.
fn model(right: &str, wrong: [&str; 2]) -> ScriptedModel {
    let found = finding("AI", &["PAG001"]);
    let shares = json!({"text": wrong[1], "claims": [
        {"type": "total", "over": {"aggregation": "A1"}, "number": 1234}, {"type": "total", "over": "records", "number": 300}
    ]});
    helpful()
        .on_task(
            PLAN,
            plan(
                &[("decomposer", json!({"query": "q"})), ("perspective", json!({"topic": "t", "domain": "d"}))],
                &[json!({"filters": "{\"country\":\"India\"}", "group_by": "event_theme"})],
            ),
        )
        .on_task(
            PLAN,
            plan(
                &[
                    ("aggregator", json!({"group_by": "city", "filters": "{\"country\":\"India\"}"})),
                    ("scanner", json!({"batch_size": 150})),
                ],
                &[],
            ),
        )
        .on_task(PLAN, plan(&[("validator", json!({})), ("gap_analyzer", json!({}))], &[]))
        .always(PLAN, plan(&[("synthesizer", json!({}))], &[]))
        .always(DECOMPOSE, decomposition())
        .always(EXTRACT, json!({"findings": [found], "themes_discovered": []}))
        .always(
            SYNTHESIZE,
            json!({
                "title": "T",
                "summary": [total(right)],
                "key_findings": [total(right), total(wrong[0]), shares, quote()],
                "analysis": [{"question_id": "sq_1", "answered": true, "statements": [total(right)]}],
                "conclusion": [],
                "confidence": 0.8
            }),
        )
}

async fn asked(model: &Arc<ScriptedModel>, config: DatasetConfig, question: &str) -> DatasetReport {
    let hub = fixture(&["--events", "1234"]).await;
    let agent = DatasetAgent::builder(Arc::clone(model), Arc::clone(&hub)).config(config).build().unwrap();
    let report = agent.run(question).await.unwrap();
    hub.close().await;
    report
}

/// Returns a text without the signs between groups of three digits.
fn ungrouped(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let is_digit = |at: usize| letters.get(at).is_some_and(char::is_ascii_digit);
    let groups = |at: usize| at > 0 && is_digit(at - 1) && (1..4).all(|next| is_digit(at + next)) && !is_digit(at + 4);
    let is_sign = |letter: char| matches!(letter, ',' | '.' | ' ' | '\u{a0}' | '\u{202f}');
    let kept = letters.iter().enumerate().filter(|(at, letter)| !(is_sign(**letter) && groups(*at)));
    kept.map(|(_, letter)| *letter).collect()
}

#[tokio::test]
async fn a_question_is_answered_in_its_language() {
    for case in CASES {
        let model = Arc::new(model(case.right, case.wrong));
        let report = asked(&model, DatasetConfig::default(), case.question).await;
        let text = &report.markdown;
        assert_eq!(report.language.code(), case.code);
        for words in case.frame {
            let is_there = ungrouped(text).contains(&ungrouped(words));
            assert!(is_there, "{}: {words:?} is missing in\n{text}", case.code);
        }
        assert!(text.contains(case.right.trim_end_matches('.')), "{text}");
        let kept: Vec<&String> = report.key_findings.iter().collect();
        assert_eq!(
            kept,
            [case.right, "„Meeting 1 on Cloud“."],
            "a number of another spelling or a wrong one is withheld"
        );

        let citations = resolve_citations(text).unwrap();
        assert_eq!((citations.aggregations, citations.records), (vec!["A1".to_owned()], vec!["PAG001".to_owned()]));

        for task in [DECOMPOSE, PERSPECTIVES, INSIGHTS, EXTRACT, VALIDATE, GAPS, SYNTHESIZE] {
            assert!(
                !model.calls_of(task).is_empty(),
                "{task} was not asked: {:?} {:?}",
                report.completion,
                report.notes
            );
            let prompt = prompt(&model, task, 0);
            let instruction = format!("- Write every text for the reader in {}", case.name);
            assert!(prompt.contains(&instruction), "{} {task}:\n{prompt}", case.code);
            assert!(
                prompt.contains("never translate") && !prompt.contains("in the language of the question"),
                "{task}"
            );
        }
        assert!(!prompt(&model, PLAN, 0).contains("# Language"), "a plan is not for the reader");

        let document = report.document.unwrap();
        let html = document.to_html().unwrap();
        assert!(html.contains(&format!("<html lang=\"{}\">", case.code)));
        let again = Report::from_json(&document.to_json().unwrap()).unwrap();
        assert_eq!(again.to_markdown(), *text, "the language is kept in the document");
    }
}

#[tokio::test]
async fn an_english_question_changes_nothing() {
    let case = &CASES[0];
    let model = Arc::new(model("India had 1,234 events.", ["India had 1.234 events.", "24.4 % of 1,234 were read."]));
    let report = asked(&model, DatasetConfig::default(), "India events by theme").await;
    assert_eq!(report.language, Language::ENGLISH);
    assert_eq!(report.key_findings[0], "India had 1,234 events.");
    assert!(
        report.markdown.contains("Coverage: 300 of 1,234 records read (24.3 %), in the tool's order, scan limit 300.")
    );
    assert!(case.frame.iter().all(|words| !report.markdown.contains(words)));
    for request in model.calls() {
        let text: String = request.messages.iter().map(|message| message.text()).collect();
        assert!(!text.contains("# Language"), "{text}");
    }
    let document = report.document.unwrap();
    assert!(!document.to_json().unwrap().contains("\"language\""));
    assert!(document.to_html().unwrap().contains("<html lang=\"en\">"));
}

#[tokio::test]
async fn a_fixed_language_wins_over_that_of_the_question() {
    let french: Language = "fr".parse().unwrap();
    let case = &CASES[1];
    let model = Arc::new(model(case.right, case.wrong));
    let config = DatasetConfig { language: Some(french), ..DatasetConfig::default() };
    let report = asked(&model, config.clone(), "India events by theme").await;
    assert_eq!(report.language, french);
    assert!(report.markdown.contains("## Principaux constats"));

    let hub = fixture(&[]).await;
    let agent = DatasetAgent::builder(Arc::new(helpful_plan()), Arc::clone(&hub)).config(config).build().unwrap();
    let report = agent.run("Ereignisse in Indien nach Thema").language(Language::ENGLISH).await.unwrap();
    hub.close().await;
    assert_eq!(report.language, Language::ENGLISH);
    assert!(report.markdown.contains("## Key Findings"), "{}", report.markdown);
}

/// Plans one call and the report.
fn helpful_plan() -> ScriptedModel {
    let call = json!({"filters": "{\"country\":\"India\"}", "group_by": "event_theme"});
    helpful().on_task(PLAN, plan(&[], &[call])).always(PLAN, plan(&[("synthesizer", json!({}))], &[]))
}

#[tokio::test]
async fn a_fixed_english_is_told_to_the_model_that_reads_a_german_question() {
    let model = Arc::new(helpful_plan());
    let config = DatasetConfig { language: Some(Language::ENGLISH), ..DatasetConfig::default() };
    let hub = fixture(&[]).await;
    let agent = DatasetAgent::builder(Arc::clone(&model), Arc::clone(&hub)).config(config).build().unwrap();
    agent.run("Ereignisse in Indien nach Thema").await.unwrap();
    hub.close().await;
    let prompt = prompt(&model, SYNTHESIZE, 0);
    assert!(prompt.contains("- Write every text for the reader in English, "), "{prompt}");
    assert!(!prompt.contains("in the language of the question"), "{prompt}");
}

#[tokio::test]
async fn a_language_without_a_catalogue_has_the_models_words_in_an_english_frame() {
    let right = "In India waren er 1.234 evenementen.";
    let model = Arc::new(model(right, ["In India waren er 1,234 evenementen.", "24,4 % van 1.234 is gelezen."]));
    let report = asked(&model, DatasetConfig::default(), "Hoeveel botsingen waren er in Texas?").await;
    assert_eq!((report.language.code(), report.key_findings[0].as_str()), ("nl", right));
    assert!(report.markdown.contains("## Key Findings") && report.markdown.contains("(24,3 %)"), "{}", report.markdown);
    assert!(prompt(&model, SYNTHESIZE, 0).contains("in Dutch (Nederlands)"));
    assert!(resolve_citations(&report.markdown).is_ok());
}

#[tokio::test]
async fn the_offline_model_answers_in_english_and_says_so_in_both_languages() {
    let hub = fixture(&[]).await;
    let agent = DatasetAgent::builder(Arc::new(OfflineModel::new()), Arc::clone(&hub)).build().unwrap();
    let german = agent.run("Ereignisse in Indien nach Thema").await.unwrap();
    let english = agent.run("India events by theme").await.unwrap();
    let dutch = agent.run("Hoeveel botsingen waren er in Texas?").await.unwrap();
    hub.close().await;
    let both = "Das Offline-Modell schreibt nur Englisch; ein Sprachmodell würde diesen Bericht auf Deutsch schreiben. The \
                offline model writes English only; a language model would write this report in German.";
    assert!(german.limitations.contains(&both.to_owned()), "{:?}", german.limitations);
    assert!(german.language == Language::ENGLISH && german.markdown.contains("## Key Findings"));
    assert!(!english.limitations.iter().any(|line| line.contains("writes English only")));
    let alone = "The offline model writes English only; a language model would write this report in Dutch.";
    assert!(dutch.limitations.contains(&alone.to_owned()), "{:?}", dutch.limitations);
}
