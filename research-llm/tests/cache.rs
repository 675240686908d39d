//! A cache asks once, keeps only what is complete, and is never in the way.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::StreamExt;
use futures::future::join_all;
use research_llm::layer::{Cache, CacheKey, MemoryCache, ResponseCache};
use research_llm::testing::{Reply, ScriptedModel};
use research_llm::{
    ChatModel, ChatModelExt, ErrorKind, EventStream, FinishReason, ModelError, ModelInfo, ModelKind, Request, Response,
    StreamEvent, ToolCall, Usage, async_trait, collect, replay_lazily,
};

fn ask(text: &str) -> Request {
    Request::new().user(text)
}

fn cache() -> Cache {
    Cache::new(MemoryCache::new(100))
}

#[tokio::test]
async fn a_whole_answer_serves_whole_and_streamed_calls() {
    let mut answer =
        Response::new("m", "word ".repeat(30)).tool_call(ToolCall::new("1", "f", "{}")).usage(Usage::new(9, 4));
    answer.reasoning = Some("because".into());
    let inner = Arc::new(ScriptedModel::new().then(answer.clone()));
    let model = Arc::clone(&inner).with(cache());
    assert_eq!(model.complete(&ask("q")).await.unwrap(), answer);
    let again = model.complete(&ask("q")).await.unwrap();
    let streamed = collect("m", model.stream(ask("q"))).await.unwrap();
    assert_eq!(again, streamed);
    assert_eq!(
        (&again.text, &again.tool_calls, &again.reasoning),
        (&answer.text, &answer.tool_calls, &answer.reasoning)
    );
    assert_eq!(again.usage, Usage::default());
    assert_eq!(again.metadata["cache"], "hit");
    assert_eq!(again.metadata["cache_saved"], serde_json::json!({"input_tokens": 9, "output_tokens": 4}));
    assert_eq!(inner.calls().len(), 1);
}

#[tokio::test]
async fn a_streamed_answer_fills_the_cache_when_it_ends_well() {
    let inner = Arc::new(ScriptedModel::new().then(Reply::text("streamed").usage(Usage::new(1, 1))).then("second"));
    let model = Arc::clone(&inner).with(cache());
    let mut left = model.stream(ask("q"));
    while !matches!(left.next().await, Some(Ok(StreamEvent::Text(_)))) {}
    drop(left);
    assert_eq!(collect("m", model.stream(ask("q"))).await.unwrap().text, "second");
    assert_eq!(model.complete(&ask("q")).await.unwrap().text, "second");
    assert_eq!(inner.calls().len(), 2);
}

#[tokio::test]
async fn only_complete_answers_are_kept() {
    for finish in [FinishReason::Length, FinishReason::ContentFilter, FinishReason::Other] {
        for streamed in [false, true] {
            let inner = Arc::new(ScriptedModel::new().then(Reply::text("cut").finish(finish)).then("whole"));
            let model = Arc::clone(&inner).with(cache());
            let first = match streamed {
                true => collect("m", model.stream(ask("q"))).await.unwrap(),
                false => model.complete(&ask("q")).await.unwrap(),
            };
            assert_eq!((first.text.as_str(), first.finish), ("cut", finish));
            assert_eq!(model.complete(&ask("q")).await.unwrap().text, "whole");
        }
    }
}

#[tokio::test]
async fn every_setting_counts() {
    let inner = Arc::new(ScriptedModel::new().otherwise(|_| Some(Reply::text("a"))));
    let model = Arc::clone(&inner).with(cache());
    let requests =
        [ask("q"), ask("r"), ask("q").temperature(0.5), ask("q").seed(1), ask("q").extra("k", 1), ask("q").keep_raw()];
    for request in requests.iter().chain(&requests) {
        model.complete(request).await.unwrap();
    }
    assert_eq!(inner.calls().len(), requests.len());
}

#[tokio::test]
async fn one_cache_keeps_models_apart() {
    let cache = cache();
    let named = |name| ScriptedModel::named(ModelInfo::new("p", name, ModelKind::Scripted)).then(name);
    for name in ["a", "b"] {
        assert_eq!(named(name).with(cache.clone()).complete(&ask("q")).await.unwrap().text, name);
    }
}

/// Answers after a second; every call that is asked for fails until so many were made.
struct Slow {
    info: ModelInfo,
    calls: AtomicUsize,
    failures: usize,
    finish: FinishReason,
}

impl Slow {
    fn new(failures: usize) -> Self {
        let info = ModelInfo::new("p", "m", ModelKind::Scripted);
        Self { info, calls: AtomicUsize::new(0), failures, finish: FinishReason::Stop }
    }
}

#[async_trait]
impl ChatModel for Slow {
    fn info(&self) -> &ModelInfo {
        &self.info
    }
    async fn complete(&self, _: &Request) -> Result<Response, ModelError> {
        let call = self.calls.fetch_add(1, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_secs(1)).await;
        if call < self.failures {
            return Err(ModelError::server(Some(500), "no", None));
        }
        Ok(Response::new("m", format!("call {call}")).finish(self.finish))
    }
    fn stream(&self, request: Request) -> EventStream<'_> {
        replay_lazily(async move { self.complete(&request).await })
    }
}

#[tokio::test(start_paused = true)]
async fn equal_calls_at_once_ask_once() {
    let inner = Arc::new(Slow::new(0));
    let model = Arc::clone(&inner).with(cache());
    let (whole, streamed) = tokio::join!(
        join_all((0..10).map(|_| async { model.complete(&ask("q")).await.unwrap().text })),
        join_all((0..10).map(|_| async { collect("m", model.stream(ask("q"))).await.unwrap().text })),
    );
    assert!(whole.iter().chain(&streamed).all(|text| text == "call 0"));
    assert_eq!(inner.calls.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn streams_at_once_ask_once_as_well() {
    let inner = Arc::new(Slow::new(0));
    let model = Arc::clone(&inner).with(cache());
    let texts = join_all((0..10).map(|_| async { collect("m", model.stream(ask("q"))).await.unwrap().text })).await;
    assert!(texts.iter().all(|text| text == "call 0"));
    assert_eq!(inner.calls.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn when_the_first_fails_or_goes_away_the_next_asks() {
    let inner = Arc::new(Slow::new(2));
    let model = Arc::clone(&inner).with(cache());
    let answers =
        join_all((0..5).map(|_| async { model.complete(&ask("q")).await.map(|answer| answer.text).ok() })).await;
    assert_eq!(answers.iter().filter(|answer| answer.is_none()).count(), 2);
    assert_eq!(inner.calls.load(Ordering::SeqCst), 3);

    let inner = Arc::new(Slow::new(0));
    let model = Arc::clone(&inner).with(cache());
    let request = ask("q");
    let (gone, answer) =
        tokio::join!(tokio::time::timeout(Duration::from_millis(500), model.complete(&request)), async {
            tokio::time::sleep(Duration::from_millis(100)).await;
            model.complete(&ask("q")).await
        });
    assert!(gone.is_err());
    assert_eq!(answer.unwrap().text, "call 1");
}

#[tokio::test(start_paused = true)]
async fn whoever_waits_keeps_to_his_deadline() {
    let model = Slow::new(0).with(cache());
    let hurried = ask("q").deadline(tokio::time::Instant::now() + Duration::from_millis(200));
    let request = ask("q");
    let (first, second) = tokio::join!(model.complete(&request), model.complete(&hurried));
    assert!(first.is_ok());
    assert_eq!(second.unwrap_err().kind(), ErrorKind::Timeout);
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_is_not_read_on_does_not_block_an_equal_call() {
    let model = Slow::new(0).with(cache());
    let mut held = model.stream(ask("q"));
    held.next().await.unwrap().unwrap();
    assert_eq!(model.complete(&ask("q")).await.unwrap().text, "call 1");
    assert!(held.all(|event| std::future::ready(event.is_ok())).await);
}

#[tokio::test(start_paused = true)]
async fn answers_live_as_long_as_they_are_told() {
    let inner = Arc::new(Slow::new(0));
    let model = Arc::clone(&inner).with(cache().time_to_live(Duration::from_secs(60)));
    model.complete(&ask("q")).await.unwrap();
    tokio::time::advance(Duration::from_secs(59)).await;
    assert_eq!(model.complete(&ask("q")).await.unwrap().text, "call 0");
    tokio::time::advance(Duration::from_secs(2)).await;
    assert_eq!(model.complete(&ask("q")).await.unwrap().text, "call 1");
}

/// A place that is always broken.
struct Broken;

#[async_trait]
impl ResponseCache for Broken {
    async fn get(&self, _: &CacheKey) -> Result<Option<Response>, ModelError> {
        Err(ModelError::other("no disk", None))
    }
    async fn put(&self, _: &CacheKey, _: &Response, _: Option<Duration>) -> Result<(), ModelError> {
        Err(ModelError::other("no disk", None))
    }
}

#[tokio::test]
async fn a_broken_cache_is_a_miss() {
    let model = ScriptedModel::new().then("a").then("b").with(Cache::new(Broken));
    assert_eq!(model.complete(&ask("q")).await.unwrap().text, "a");
    assert_eq!(collect("m", model.stream(ask("q"))).await.unwrap().text, "b");
}

#[cfg(feature = "sqlite")]
#[expect(clippy::unwrap_used, reason = "a test ends at a broken promise of its helpers")]
mod sqlite {
    use super::*;
    use research_llm::layer::SqliteResponseCache;
    use std::path::Path;

    fn key(name: &str) -> CacheKey {
        CacheKey::of(name, &ask("q"))
    }

    async fn open(path: &Path) -> SqliteResponseCache {
        SqliteResponseCache::open(path).await.unwrap()
    }

    fn raw(path: &Path) -> rusqlite::Connection {
        rusqlite::Connection::open(path).unwrap()
    }

    #[tokio::test]
    async fn answers_outlive_the_process_and_expire() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.db");
        let answer = Response::new("m", "äöü").usage(Usage::new(3, 4)).tool_call(ToolCall::new("1", "f", "{}"));
        {
            let cache = open(&path).await;
            cache.put(&key("a"), &answer, None).await.unwrap();
            cache.put(&key("b"), &answer, Some(Duration::from_secs(1_000))).await.unwrap();
            cache.put(&key("gone"), &answer, Some(Duration::ZERO)).await.unwrap();
        }
        let cache = open(&path).await;
        assert_eq!(cache.get(&key("a")).await.unwrap(), Some(answer.clone()));
        assert_eq!(cache.get(&key("b")).await.unwrap(), Some(answer.clone()));
        assert_eq!(cache.get(&key("gone")).await.unwrap(), None);
        assert_eq!(cache.get(&key("c")).await.unwrap(), None);
        cache.put(&key("a"), &Response::new("m", "new"), None).await.unwrap();
        assert_eq!(cache.get(&key("a")).await.unwrap().unwrap().text, "new");
        let rows: i64 = raw(&path).query_row("SELECT count(*) FROM answers", [], |row| row.get(0)).unwrap();
        assert_eq!(rows, 2, "what has expired is removed when something is added");
    }

    #[tokio::test]
    async fn a_damaged_row_is_a_miss() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.db");
        let cache = open(&path).await;
        for damage in [
            "UPDATE answers SET answer = 'no JSON'",
            "UPDATE answers SET answer = replace(answer, 'Graz', 'Wien')",
            "UPDATE answers SET answer = x'ff00', sum = 5",
            "UPDATE answers SET sum = x''",
        ] {
            cache.put(&key("a"), &Response::new("m", "Graz"), None).await.unwrap();
            assert!(cache.get(&key("a")).await.unwrap().is_some());
            assert_eq!(raw(&path).execute(damage, []).unwrap(), 1);
            assert_eq!(cache.get(&key("a")).await.unwrap(), None, "{damage}");
        }
    }

    #[tokio::test]
    async fn files_of_others_and_of_the_future_are_not_touched() {
        let directory = tempfile::tempdir().unwrap();
        let foreign = directory.path().join("foreign.db");
        raw(&foreign).execute_batch("CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1);").unwrap();
        let before = std::fs::read(&foreign).unwrap();
        let error = SqliteResponseCache::open(&foreign).await.unwrap_err();
        assert!(error.to_string().contains("database of something else"), "{error}");
        assert_eq!(std::fs::read(&foreign).unwrap(), before);

        let newer = directory.path().join("newer.db");
        drop(open(&newer).await);
        raw(&newer).execute_batch("PRAGMA user_version = 2").unwrap();
        let error = SqliteResponseCache::open(&newer).await.unwrap_err();
        assert!(error.to_string().contains("newer version"), "{error}");

        let text = directory.path().join("text");
        std::fs::write(&text, "not a database at all, but long enough to be looked at ".repeat(40)).unwrap();
        assert!(SqliteResponseCache::open(&text).await.is_err());
        assert!(SqliteResponseCache::open(directory.path().join("no/such/dir.db")).await.is_err());
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn many_can_open_a_new_file_at_once() {
        for _ in 0..20 {
            let directory = tempfile::tempdir().unwrap();
            let path = Arc::new(directory.path().join("a.db"));
            let opened = (0..8).map(|_| {
                let path = Arc::clone(&path);
                tokio::spawn(async move { SqliteResponseCache::open(&*path).await })
            });
            for cache in join_all(opened).await {
                cache.unwrap().unwrap();
            }
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn many_handles_work_on_one_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = Arc::new(directory.path().join("a.db"));
        let work = (0..8).map(|n| {
            let path = Arc::clone(&path);
            tokio::spawn(async move {
                let cache = open(&path).await;
                for round in 0..10 {
                    let key = key(&format!("{n} {round}"));
                    cache.put(&key, &Response::new("m", format!("{n} {round}")), None).await.unwrap();
                    assert_eq!(cache.get(&key).await.unwrap().unwrap().text, format!("{n} {round}"));
                }
            })
        });
        for done in join_all(work).await {
            done.unwrap();
        }
    }
}
