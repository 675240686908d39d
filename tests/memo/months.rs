//! Thirty deliveries of ten findings each, from the dataset agent month by month.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use research_agents::offline::OfflineModel;
use research_agents::scr::lines::read_lines;
use research_agents::scr::memo::{Finding, Scr, SectionKind};
use research_agents::scr::synthesizer::{History, ScrConfig, ScrSynthesizer, ScrUpdate};
use research_llm::{
    ChatModel, EventStream, ModelError, ModelInfo, ModelKind, Request, Response, async_trait, replay_lazily,
};

const QUESTION: &str = "Where do strikes happen?";
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Ten findings of each of thirty months.
fn deliveries() -> Vec<Vec<Finding>> {
    let months = (1998..=2000).flat_map(|year| MONTHS.map(|month| format!("{month} {year}")));
    let delivery = |month: String| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_dataset_research"));
        program.args(["--json", &format!("Strikes by origin state in {month}")]);
        let output = program.env_remove("RESEARCH_MODEL").stdin(Stdio::null()).output().unwrap();
        let mut findings = read_lines(&String::from_utf8(output.stdout).unwrap()).findings;
        assert!(findings.len() >= 10, "{month} gives {} findings", findings.len());
        findings.truncate(10);
        findings
    };
    months.take(30).map(delivery).collect()
}

/// A language model with a large window that gives the answers of the rules and counts its calls.
struct Counting {
    info: ModelInfo,
    rules: OfflineModel,
    calls: AtomicUsize,
}

impl Counting {
    fn new() -> Self {
        let info = ModelInfo::new("counting", "counting", ModelKind::Language).context_tokens(1_000_000);
        Self { info, rules: OfflineModel::new(), calls: AtomicUsize::new(0) }
    }

    fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl ChatModel for Counting {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    async fn complete(&self, request: &Request) -> Result<Response, ModelError> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        self.rules.complete(request).await
    }

    fn stream(&self, request: Request) -> EventStream<'_> {
        replay_lazily(async move { self.complete(&request).await })
    }
}

/// The change of the line of best fit from the first number to the last, by the mean.
fn drift(numbers: &[f64]) -> f64 {
    let count = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / count;
    let middle = (count - 1.0) / 2.0;
    let places = (0..numbers.len()).map(|at| at as f64 - middle);
    let slope = places.clone().zip(numbers).map(|(at, number)| at * number).sum::<f64>()
        / places.map(|at| at * at).sum::<f64>();
    slope * (count - 1.0) / mean
}

/// The words with a digit, without punctuation at their ends.
fn numbers(text: &str) -> BTreeSet<&str> {
    let words = text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    words.filter(|word| word.contains(|c: char| c.is_ascii_digit())).collect()
}

/// Gives a memo all deliveries, each twice. Returns it with the new tokens of each delivery and those of regeneration.
async fn kept(deliveries: &[Vec<Finding>], history: History) -> (Scr, Vec<f64>, Vec<f64>) {
    let model = Arc::new(Counting::new());
    let mut config = ScrConfig::default();
    config.early_decision = None;
    config.reflects = false;
    config.history = Some(history);
    let synthesizer = ScrSynthesizer::builder(Arc::clone(&model) as _).config(config).build().unwrap();
    let (mut memo, mut fresh, mut regenerated) = (Scr::new(QUESTION), Vec::new(), Vec::new());

    for delivery in deliveries {
        let before = memo.clone();
        let update = synthesizer.update(&mut memo, delivery.clone()).await.unwrap();
        fresh.push((memo.spent.fresh_tokens - before.spent.fresh_tokens) as f64);
        regenerated.push((memo.spent.regeneration_tokens - before.spent.regeneration_tokens) as f64);

        // What the delivery does not name keeps its bytes.
        let changed: BTreeSet<&str> =
            update.delivery().unwrap().changes.iter().map(|change| change.statement.id.as_str()).collect();
        for kind in SectionKind::SCR {
            let same = |statements: &Scr| {
                let untouched = statements.section(kind).statements.iter().cloned();
                untouched.filter(|one| !changed.contains(one.id.as_str())).collect::<Vec<_>>()
            };
            assert_eq!(serde_json::to_string(&same(&memo)).unwrap(), serde_json::to_string(&same(&before)).unwrap());
        }

        let (asked, bytes) = (model.calls(), serde_json::to_string(&memo).unwrap());
        let again = synthesizer.update(&mut memo, delivery.clone()).await.unwrap();
        assert_eq!(again, ScrUpdate::Unchanged);
        assert_eq!((model.calls(), serde_json::to_string(&memo).unwrap()), (asked, bytes));
    }
    (memo, fresh, regenerated)
}

#[tokio::test]
async fn each_delivery_costs_the_same_and_no_number_is_lost() {
    let deliveries = deliveries();
    let mut ratios = Vec::new();
    let mut whole = Scr::new(QUESTION);
    let rules = ScrSynthesizer::builder(Arc::new(OfflineModel::new())).early_decision(None).build().unwrap();
    rules.update(&mut whole, deliveries.concat()).await.unwrap();
    for history in [History::Append, History::Compact] {
        let (memo, fresh, regenerated) = kept(&deliveries, history).await;
        assert_eq!(memo.findings.len(), 300);
        // The first one also pays for the instructions.
        let drift = drift(&fresh[1..]);
        assert!(drift.abs() <= 0.05, "{history:?}: {drift}, {fresh:?}");
        let rise = regenerated[29] / regenerated[0];
        assert!(rise > 2.0, "{history:?}: {regenerated:?}");

        let (own, all) = (memo.to_markdown(), whole.to_markdown());
        let missing: Vec<&str> = numbers(&all).difference(&numbers(&own)).copied().collect();
        assert!(missing.is_empty(), "{missing:?}");
        ratios.push(100.0 * fresh.iter().sum::<f64>() / regenerated.iter().sum::<f64>());
    }

    // The sentence of README is made of the figures.
    let mut sentence = format!(
        "In 30 deliveries of 10 findings an update sent {:.0} % of the new tokens that prompts with all findings would have \
         had with the history kept, and {:.0} % without.",
        ratios[0], ratios[1]
    );
    let _ = write!(
        sentence,
        " A run of 3 passes asks for a section 7 times in place of 9, and 5 times if it decides after"
    );
    sentence.push_str(" the situation.");
    let readme = fs::read_to_string(format!("{}/../README.md", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let readme = readme.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(readme.contains(&sentence), "README lacks: {sentence}");
}
