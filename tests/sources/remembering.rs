//! The memory of findings: by thread, with the same order every time.

use std::sync::Arc;

use research_agents_sources::memory::{FindingsMemory, RememberedFinding};
use research_llm::embed::{Embedder, EmbedderInfo, Embeddings, InputKind};
use research_llm::{ModelError, async_trait};

#[tokio::test]
async fn no_finding_of_another_thread_is_found() {
    let mut memory = FindingsMemory::new();
    for thread in 0..20 {
        for n in 0..10 {
            let text = format!("The pump {n} of thread {thread} leaks.");
            assert!(memory.add(&format!("thread-{thread}"), RememberedFinding::new(text, format!("s{thread}"))));
        }
    }
    for thread in 0..20 {
        let found = memory.search(&format!("thread-{thread}"), "leaking pumps", 50).await.unwrap();
        assert_eq!(found.len(), 10);
        assert!(found.iter().all(|one| one.finding.source == format!("s{thread}")));
    }
    assert!(memory.search("thread-99", "pump", 5).await.unwrap().is_empty());
    memory.forget("thread-3");
    assert!(memory.is_empty("thread-3") && memory.len("thread-4") == 10);
}

#[tokio::test]
async fn ties_are_in_the_order_of_hashes_whatever_the_order_of_adding() {
    let findings: Vec<_> =
        (0..12).map(|n| RememberedFinding::new("The seal is worn.", format!("source {n}"))).collect();
    let order = async |findings: Vec<RememberedFinding>| {
        let mut memory = FindingsMemory::new();
        for finding in findings {
            memory.add("t", finding);
        }
        let stored = serde_json::to_string(&memory).unwrap();
        let memory: FindingsMemory = serde_json::from_str(&stored).unwrap();
        let found = memory.search("t", "worn seal", 50).await.unwrap();
        found.into_iter().map(|one| one.finding.hash).collect::<Vec<_>>()
    };
    let forwards = order(findings.clone()).await;
    let backwards = order(findings.into_iter().rev().collect()).await;
    assert_eq!(forwards, backwards);
    assert!(forwards.is_sorted() && forwards.len() == 12);
}

#[tokio::test]
async fn the_number_of_findings_is_bounded() {
    let mut memory = FindingsMemory::new();
    assert!(memory.add("t", RememberedFinding::new("a pump", "x")));
    assert!(!memory.add("t", RememberedFinding::new("a pump", "x")));
    for top_k in [0, 51, usize::MAX] {
        assert!(memory.search("t", "pump", top_k).await.is_err());
    }
    assert_eq!(memory.search("t", "pump", 50).await.unwrap().len(), 1);
    assert!(memory.search("t", "", 5).await.unwrap().is_empty());
}

/// Knows that a broken gasket is a worn seal, unless it fails.
struct Meaning(EmbedderInfo, bool);

#[async_trait]
impl Embedder for Meaning {
    fn info(&self) -> &EmbedderInfo {
        &self.0
    }

    async fn embed(&self, texts: &[String], _: InputKind) -> Result<Embeddings, ModelError> {
        if self.1 {
            return Err(ModelError::invalid_response("broken", None));
        }
        let row = |text: &String| {
            if text.contains("gasket") || text.contains("seal") { vec![1.0, 0.1] } else { vec![0.0, 1.0] }
        };
        Ok(Embeddings::from_rows(&self.0.name, texts.iter().map(row))?)
    }
}

#[tokio::test]
async fn an_embedder_finds_by_meaning_and_its_failure_costs_nothing_else() {
    let memory = |fails: bool| {
        let info = EmbedderInfo::new("test", "meaning").dimensions(2);
        let mut memory = FindingsMemory::new().with_embedder(Arc::new(Meaning(info, fails)));
        memory.add("t", RememberedFinding::new("The seal is worn.", "a"));
        memory.add("t", RememberedFinding::new("Lunch was good.", "b"));
        memory
    };
    let found = memory(false).search("t", "broken gasket", 1).await.unwrap();
    assert_eq!(found[0].finding.source, "a");
    assert!(memory(true).search("t", "broken gasket", 1).await.unwrap().is_empty());
    assert_eq!(memory(true).search("t", "seals", 1).await.unwrap()[0].finding.source, "a");
}

#[tokio::test]
async fn ties_in_meaning_do_not_depend_on_the_order_of_adding_either() {
    let findings: Vec<_> = (0..9).map(|n| RememberedFinding::new("The seal is worn.", format!("source {n}"))).collect();
    let order = async |findings: Vec<RememberedFinding>| {
        let info = EmbedderInfo::new("test", "meaning").dimensions(2);
        let mut memory = FindingsMemory::new().with_embedder(Arc::new(Meaning(info, false)));
        for finding in findings {
            memory.add("t", finding);
        }
        let found = memory.search("t", "broken gasket", 5).await.unwrap();
        found.into_iter().map(|one| one.finding.hash).collect::<Vec<_>>()
    };

    let forwards = order(findings.clone()).await;
    let backwards = order(findings.into_iter().rev().collect()).await;
    assert_eq!(forwards, backwards);
    assert!(forwards.is_sorted() && forwards.len() == 5);
}
