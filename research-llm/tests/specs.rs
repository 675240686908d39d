//! Models by their specification: keys, addresses, and what servers say of themselves, over real HTTP on loopback.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use std::net::Ipv4Addr;

use research_llm::testing::{Answer, FakeServer};
use research_llm::{ChatModel as _, ErrorKind, ModelError, Providers, Request, catalog};
use serde_json::json;
use tokio::net::TcpSocket;

/// An environment of these variables alone.
fn environment(variables: &'static [(&'static str, &'static str)]) -> Providers {
    Providers::from_variables(move |name| {
        variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
    })
}

fn refused(providers: &Providers, spec: &str) -> ModelError {
    providers.open(spec).map(|model| model.info().id()).unwrap_err()
}

#[test]
fn every_provider_opens_or_says_which_key_is_missing() {
    let bare = environment(&[]);
    for entry in catalog().filter(|entry| entry.name != "url" && entry.name != "genai") {
        let spec = format!("{}:some-model", entry.name);
        if entry.needs_key {
            let error = refused(&bare, &spec);
            assert_eq!(error.kind(), ErrorKind::Authentication, "{error}");
            let variable = entry.key_variable.unwrap();
            assert!(error.to_string().contains(variable), "{error}");
            let key = Providers::from_variables(move |name| (name == variable).then(|| "k-MARKER".to_owned()));
            let model = key.open(&spec).unwrap();
            assert_eq!(model.info().id(), spec);
            assert!(!format!("{key:?}").contains("MARKER"));
        } else {
            assert_eq!(bare.open(&spec).unwrap().info().id(), spec);
        }
    }
    assert!(refused(&bare, "url:x").to_string().contains("http://HOST"));
}

#[test]
fn the_environment_gives_addresses_and_models() {
    let providers = environment(&[
        ("OPENAI_BASE_URL", "http://127.0.0.1:9/v1"),
        ("RESEARCH_MODEL", "ollama:qwen3"),
        ("RESEARCH_MODEL_PLUS", "openai:gpt-5"),
    ]);
    assert_eq!(providers.open("plus").unwrap().info().id(), "openai:gpt-5");
    assert_eq!(providers.open("default").unwrap().info().id(), "ollama:qwen3");
    let error = refused(&environment(&[]), "default");
    assert!(error.to_string().contains("ANTHROPIC_API_KEY"), "{error}");
}

#[test]
fn what_is_known_of_a_model_comes_with_it() {
    let providers = environment(&[("OPENAI_API_KEY", "key-MARKER")]);
    assert_eq!(providers.open("openai:gpt-4o-mini").unwrap().info().context_tokens, Some(128_000));
    assert_eq!(providers.open("openai:gpt-99").unwrap().info().context_tokens, None);
}

#[tokio::test]
async fn an_address_that_is_typed_gets_no_key_of_a_provider() {
    let server = FakeServer::start().await.unwrap();
    server.otherwise(|_| Answer::json(400, &json!({"error": {"message": "enough seen"}})));
    let keys = environment(&[("OPENAI_API_KEY", "openai-MARKER"), ("ANTHROPIC_API_KEY", "anthropic-MARKER")]);
    let own = environment(&[("OPENAI_API_KEY", "openai-MARKER"), ("RESEARCH_MODEL_KEY", "mine")]);
    for (providers, spec) in [(&keys, ""), (&keys, "openai+"), (&keys, "anthropic+"), (&own, ""), (&own, "anthropic+")]
    {
        let model = providers.open(&format!("{spec}{}/v1#m", server.url())).unwrap();
        assert_eq!(model.complete(&Request::new().user("Hi")).await.unwrap_err().kind(), ErrorKind::InvalidRequest);
    }
    let received = server.received();
    let paths: Vec<&str> = received.iter().map(|request| request.path.as_str()).collect();
    let chat = "/v1/chat/completions";
    assert_eq!(paths, [chat, chat, "/v1/messages", chat, "/v1/messages"]);
    assert!(received.iter().all(|request| !format!("{request:?}").contains("MARKER")));
    assert_eq!(received[3].header("authorization"), Some("Bearer mine"));
    assert_eq!(received[4].header("x-api-key"), Some("mine"));
    assert_eq!(received[0].json().unwrap()["model"], "m");
}

#[tokio::test]
async fn llama_cpp_tells_its_model_and_what_a_slot_holds() {
    let server = FakeServer::start().await.unwrap();
    server.otherwise(|request| match request.path.as_str() {
        "/v1/models" => Answer::json(200, &json!({"data": [{"id": "qwen.gguf", "meta": {"n_ctx_train": 32_768}}]})),
        "/props" => Answer::json(200, &json!({"default_generation_settings": {"n_ctx": 8_192}})),
        _ => Answer::text(404, "text/plain", "no"),
    });
    let providers = environment(&[]);
    for base in [server.url(), format!("{}/v1", server.url()), format!("{}/v1/", server.url())] {
        let model = providers.open_and_probe(&base).await.unwrap();
        assert_eq!((model.info().name.as_str(), model.info().context_tokens), ("qwen.gguf", Some(8_192)), "{base}");
    }
    let model = providers.open_and_probe(&format!("anthropic+{}#mine", server.url())).await.unwrap();
    assert_eq!((model.info().name.as_str(), model.info().context_tokens), ("mine", Some(8_192)));
}

#[tokio::test]
async fn vllm_tells_the_context_of_each_model() {
    let server = FakeServer::start().await.unwrap();
    server.otherwise(|request| match request.path.as_str() {
        "/v1/models" => Answer::json(
            200,
            &json!({"data": [{"id": "small", "max_model_len": 4_096}, {"id": "large", "max_model_len": 131_072}]}),
        ),
        _ => Answer::json(404, &json!({"detail": "Not Found"})),
    });
    let url = format!("{}/v1", server.url());
    let facts = environment(&[]).probe(&url).await.unwrap();
    assert_eq!((facts.models, facts.context_tokens), (vec!["small".to_owned(), "large".to_owned()], Some(4_096)));
    let model = environment(&[]).open_and_probe(&format!("vllm+{url}#large")).await.unwrap();
    assert_eq!((model.info().id().as_str(), model.info().context_tokens), ("vllm:large", Some(131_072)));
}

#[tokio::test]
async fn a_server_that_says_nothing_is_opened_and_one_that_is_not_there_is_an_error() {
    let server = FakeServer::start().await.unwrap();
    server.otherwise(|_| Answer::text(404, "text/html", "<html>no</html>"));
    let model = environment(&[]).open_and_probe(&server.url()).await.unwrap();
    assert_eq!((model.info().name.as_str(), model.info().context_tokens), ("default", None));

    // A port that is taken and not listened at: nobody else can come to answer there.
    let deaf = TcpSocket::new_v4().unwrap();
    deaf.bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
    let gone = format!("http://{}", deaf.local_addr().unwrap());
    let error = environment(&[]).open_and_probe(&gone).await.map(|model| model.info().id()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Connection, "{error}");

    let error = environment(&[]).open_and_probe("openai:gpt-5").await.map(|model| model.info().id()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Authentication, "nothing is asked of a paid provider");
}
