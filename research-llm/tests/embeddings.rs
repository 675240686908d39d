//! Embeddings and reranking over real HTTP on loopback, and on this machine.

#![expect(clippy::unwrap_used, reason = "a helper of a test may panic as the test does")]

use std::time::Duration;

use research_llm::embed::{Encoding, InputKind, OpenAiEmbedder};
use research_llm::rerank::ServerReranker;
use research_llm::testing::{Answer, FakeServer, Received};
use research_llm::{Embedder, ErrorKind, ModelError, Reranker};
use serde_json::{Value, json};

fn texts(all: &[&str]) -> Vec<String> {
    all.iter().map(|&text| text.to_owned()).collect()
}

/// Vectors of the lengths of the texts, in reverse order and told apart by their index alone.
fn lengths(request: &Received) -> Answer {
    let body = request.json().unwrap();
    let inputs = body["input"].as_array().unwrap();
    let row = |(index, text): (usize, &Value)| json!({"index": index, "embedding": [text.as_str().unwrap().len(), 1]});
    let data: Vec<Value> = inputs.iter().enumerate().map(row).rev().collect();
    Answer::json(200, &json!({"data": data, "model": "lengths-1", "usage": {"prompt_tokens": inputs.len()}}))
}

#[tokio::test]
async fn texts_go_in_batches_and_vectors_come_back_in_order() {
    let server = FakeServer::start().await.unwrap();
    server.otherwise(lengths);
    let embedder = OpenAiEmbedder::builder("lengths")
        .base_url(format!("{}/v1", server.url()))
        .prefixes("q:", "p:")
        .kind_field("input_type", "query", "document")
        .encoding(Encoding::Base64)
        .batch(2, 1_000)
        .dimensions(2)
        .build()
        .unwrap();

    let vectors = embedder.embed(&texts(&["a", "bb", "ccc", "dddd", "eeeee"]), InputKind::Passage).await.unwrap();
    let firsts: Vec<f32> = vectors.iter().map(|row| row[0]).collect();
    assert_eq!(firsts, [3.0, 4.0, 5.0, 6.0, 7.0]);
    assert_eq!((vectors.model(), vectors.usage().input_tokens), ("lengths-1", 5));

    let received = server.received();
    assert_eq!(received.len(), 3);
    let mut sizes: Vec<usize> = received.iter().map(|r| r.json().unwrap()["input"].as_array().unwrap().len()).collect();
    sizes.sort_unstable();
    assert_eq!(sizes, [1, 2, 2]);
    for request in &received {
        assert_eq!(request.path, "/v1/embeddings");
        let body = request.json().unwrap();
        assert_eq!((&body["input_type"], &body["encoding_format"]), (&json!("document"), &json!("base64")));
        assert_eq!(request.header("authorization"), None, "an address of one's own is never sent a key unasked");
    }

    embedder.embed_query("x").await.unwrap();
    let body = server.received()[3].json().unwrap();
    assert_eq!((&body["input"], &body["input_type"]), (&json!(["q:x"]), &json!("query")));
}

#[tokio::test]
async fn a_batch_is_bounded_by_tokens_and_a_long_text_goes_alone() {
    let server = FakeServer::start().await.unwrap();
    server.otherwise(lengths);
    let embedder =
        OpenAiEmbedder::builder("lengths").base_url(server.url()).batch(100, 40).concurrency(1).build().unwrap();
    let long = "long ".repeat(200);
    embedder.embed(&texts(&["a", &long, "b", "c"]), InputKind::Passage).await.unwrap();
    let sizes: Vec<usize> =
        server.received().iter().map(|r| r.json().unwrap()["input"].as_array().unwrap().len()).collect();
    assert_eq!(sizes, [1, 1, 2]);
}

#[tokio::test]
async fn trouble_with_embeddings_is_typed() {
    let server = FakeServer::start().await.unwrap();
    let embedder = OpenAiEmbedder::builder("m")
        .base_url(server.url())
        .api_key("sk-MARKER-0123456789")
        .shorten_to(3)
        .build()
        .unwrap();
    let ask = || embedder.embed_query("text");

    server.then(Answer::json(200, &json!({"data": [{"index": 0, "embedding": [1.0, 2.0]}]})));
    let error = ask().await.unwrap_err();
    assert!(matches!(&error, ModelError::InvalidResponse { .. }), "{error:?}");
    assert!(error.to_string().contains("2 dimensions instead of 3"), "{error}");
    let sent = server.received().remove(0);
    assert_eq!(sent.json().unwrap()["dimensions"], 3);
    assert_eq!(sent.header("authorization"), Some("Bearer sk-MARKER-0123456789"));

    let refusal = json!({"error": {"message": "slow down, sk-MARKER-0123456789", "type": "rate_limit_error"}});
    server.then(Answer::json(429, &refusal).header("retry-after", "7"));
    let error = ask().await.unwrap_err();
    assert_eq!((error.kind(), error.retry_after()), (ErrorKind::RateLimit, Some(Duration::from_secs(7))));
    assert!(!format!("{error} {error:?} {embedder:?}").contains("MARKER"), "{error:?}");

    let error = embedder.embed(&texts(&["a", " "]), InputKind::Passage).await.unwrap_err();
    assert!(matches!(&error, ModelError::InvalidRequest { .. }) && error.to_string().contains("text 1"), "{error}");
    assert_eq!(server.received().len(), 2, "a call that cannot succeed is not made");
    assert!(embedder.embed(&[], InputKind::Passage).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_server_ranks_passages() {
    let server = FakeServer::start().await.unwrap();
    let reranker = ServerReranker::builder(server.url(), "judge").build().unwrap();
    let passages = texts(&["a", "b", "c"]);

    // As llama.cpp and Jina answer.
    server.then(Answer::json(
        200,
        &json!({
            "results": [
                {"index": 0, "relevance_score": -3.5},
                {"index": 2, "relevance_score": 2.25},
                {"index": 1, "relevance_score": 2.25},
            ],
            "usage": {"prompt_tokens": 9, "total_tokens": 9},
        }),
    ));
    let ranking = reranker.rerank("q", &passages, 2).await.unwrap();
    assert_eq!(ranking.matches.iter().map(|at| at.index).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(ranking.usage.input_tokens, 9);
    let sent = server.received().remove(0);
    assert_eq!(sent.path, "/rerank");
    assert_eq!(sent.json().unwrap(), json!({"model": "judge", "query": "q", "documents": passages, "top_n": 2}));

    for results in
        [json!([{"index": 3, "relevance_score": 1.0}]), json!([{"index": 0, "score": 1.0}, {"index": 0, "score": 2.0}])]
    {
        server.then(Answer::json(200, &json!({"results": results})));
        let error = reranker.rerank("q", &passages, 2).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidResponse, "{error}");
    }
    assert!(reranker.rerank("q", &[], 2).await.unwrap().matches.is_empty());
    assert_eq!(server.received().len(), 3);
}

#[cfg(feature = "local-embeddings")]
mod local {
    use super::texts;
    use research_llm::embed::{InputKind, LocalEmbedder, cosine};
    use research_llm::rerank::EmbeddingReranker;
    use research_llm::{Embedder, ErrorKind, Reranker};

    const PAIRS: [(&str, &str); 4] = [
        ("The cat is sleeping on the sofa.", "A kitten naps on the couch."),
        ("Inflation rose faster than economists had expected.", "Prices went up more quickly than experts predicted."),
        ("How do I delete my account?", "What is the way to remove my user profile?"),
        (
            "The patient was given a new drug against the infection.",
            "Doctors treated the sick man with a novel antibiotic.",
        ),
    ];

    #[tokio::test]
    async fn paraphrases_are_nearer_than_unrelated_sentences() {
        let embedder = LocalEmbedder::new();
        let left = texts(&PAIRS.map(|(left, _)| left));
        let right = texts(&PAIRS.map(|(_, right)| right));
        let left = embedder.embed(&left, InputKind::Query).await.unwrap();
        let right = embedder.embed(&right, InputKind::Passage).await.unwrap();
        assert_eq!(Some(right.dimensions()), embedder.info().dimensions);
        for (index, row) in left.iter().enumerate() {
            let nearest = right.top_k(row, PAIRS.len()).unwrap();
            assert_eq!(nearest[0].index, index, "{nearest:?}");
            assert!(nearest[0].score > nearest[1].score + 0.1, "{nearest:?}");
            assert!((cosine(row, row).unwrap() - 1.0).abs() < 1e-5);
        }
    }

    #[tokio::test]
    async fn the_same_text_has_the_same_vector_in_any_batch() {
        let embedder = LocalEmbedder::new();
        let all = embedder.embed(&texts(&PAIRS.map(|(left, _)| left)), InputKind::Passage).await.unwrap();
        let alone = embedder.embed_query(PAIRS[2].0).await.unwrap();
        assert_eq!(all.get(2).unwrap(), alone);
        assert!((alone.iter().map(|v| v * v).sum::<f32>() - 1.0).abs() < 1e-4);
    }

    #[tokio::test]
    async fn embeddings_rank_passages() {
        let reranker = EmbeddingReranker::new(LocalEmbedder::new());
        let passages = texts(&PAIRS.map(|(_, right)| right));
        let ranking = reranker.rerank("medicine for an infected person", &passages, 1).await.unwrap();
        assert_eq!(ranking.matches[0].index, 3);
    }

    #[test]
    fn without_a_runtime_there_is_an_error_and_no_panic() {
        let error = futures::executor::block_on(LocalEmbedder::new().embed_query("text")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unknown);
        assert!(error.to_string().contains("Tokio runtime"), "{error}");
    }
}
