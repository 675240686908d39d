//! Promises about finding checkpoints and threads.

use std::sync::Arc;

use serde_json::{Value, json};

use super::scribe::{Scribe, batch, header, ids, noting, ok, read, record, state, state_of};
use crate::checkpoint::{
    CheckpointId, CheckpointRecord, Checkpointer, Header, Metadata, Origin, Query, RecordKind, ThreadKey,
};

async fn found<C: Checkpointer>(store: &C, key: &ThreadKey, query: Query) -> Vec<u64> {
    let headers = ok(store.list(key, &query).await, "a history can be listed");
    headers.into_iter().map(|header| header.id.0).collect()
}

/// The list goes from the newest checkpoint down, from below `before`, as far as the limit.
pub async fn the_list_is_newest_first_with_a_limit<C: Checkpointer>(store: C) {
    let mut scribe = Scribe::root(&store, "t").await;
    scribe.write(10).await;
    let cases = [
        (Query::all(), (1..=10).rev().collect::<Vec<u64>>()),
        (Query::all().limit(3), vec![10, 9, 8]),
        (Query::all().limit(0), vec![]),
        (Query::all().limit(usize::MAX), (1..=10).rev().collect()),
        (Query::all().before(CheckpointId(4)), vec![3, 2, 1]),
        (Query::all().before(CheckpointId(9)).limit(2), vec![8, 7]),
        (Query::all().before(CheckpointId(1)), vec![]),
        (Query::all().before(CheckpointId(0)), vec![]),
        (Query::all().before(CheckpointId(u64::MAX)).limit(1), vec![10]),
    ];
    for (query, expected) in cases {
        let promise = format!("the list is newest first, `before` and `limit` hold: {query:?}");
        assert_eq!(found(&store, &scribe.key, query).await, expected, "broken promise: {promise}");
    }
}

/// Run, origin and metadata select checkpoints; the limit counts those that were selected.
pub async fn filters_select_checkpoints<C: Checkpointer>(store: C) {
    let scribe = Scribe::root(&store, "t").await;
    for id in 1..=12_u64 {
        let mut metadata = Metadata::from([("n".to_owned(), json!(id % 3))]);
        if id > 6 {
            metadata.insert("user".to_owned(), json!({"name": "Zoë", "tags": [1, 2]}));
        }
        let (origin, run) = match id {
            1 | 7 => (Origin::Input, if id == 1 { "run-1" } else { "run-2" }),
            5 => (Origin::Update, "run-1"),
            _ => (Origin::Step, if id < 7 { "run-1" } else { "run-2" }),
        };
        let plain = header(CheckpointId(id), None, CheckpointId(id), run);
        let header = Header { origin, metadata: Arc::new(metadata), ..plain };
        scribe.put(batch([CheckpointRecord::new(header, Vec::new())])).await;
    }
    let user: Value = json!({"name": "Zoë", "tags": [1, 2]});
    let cases = [
        (Query::all().run("run-1"), vec![6, 5, 4, 3, 2, 1]),
        (Query::all().run("run-2").limit(2), vec![12, 11]),
        (Query::all().run("run-3"), vec![]),
        (Query::all().origin(Origin::Input), vec![7, 1]),
        (Query::all().origin(Origin::Fork), vec![]),
        (Query::all().metadata("n", 0), vec![12, 9, 6, 3]),
        (Query::all().metadata("n", 0).limit(3), vec![12, 9, 6]),
        (Query::all().metadata("n", "0"), vec![]),
        (Query::all().metadata("user", user.clone()).metadata("n", 1), vec![10, 7]),
        (Query::all().metadata("user", json!({"name": "Zoë"})), vec![]),
        (Query::all().metadata("absent", Value::Null), vec![]),
        (Query::all().before(CheckpointId(10)).run("run-2").origin(Origin::Step).metadata("n", 2).limit(5), vec![8]),
    ];
    for (query, expected) in cases {
        let promise = format!("filters select checkpoints: {query:?}");
        assert_eq!(found(&store, &scribe.key, query).await, expected, "broken promise: {promise}");
    }
}

/// Threads and namespaces that have a checkpoint are listed by name, each once; threads page by page.
pub async fn threads_and_namespaces_are_listed_in_order<C: Checkpointer>(store: C) {
    let mut names: Vec<String> = (0..25).map(|number| format!("t{number}")).collect();
    names.extend(["T", "ä", "z", "", "漢"].map(str::to_owned));
    for name in &names {
        for namespace in ["", "b", "a", "a/x", "ä"] {
            Scribe::claim(&store, &ThreadKey::new(&**name, namespace)).await.write(1).await;
        }
        Scribe::claim(&store, &ThreadKey::new(&**name, "claimed only")).await;
    }
    Scribe::root(&store, "claimed only").await;
    names.sort_unstable();
    let promise = "threads are listed in the order of their names, each once";
    let mut listed: Vec<String> = Vec::new();
    loop {
        let page = ok(store.threads(listed.last().map(String::as_str), 7).await, promise);
        assert!(page.len() <= 7, "broken promise: a page has at most so many threads");
        if page.is_empty() {
            break;
        }
        listed.extend(page);
        assert!(listed.len() <= names.len(), "broken promise: {promise}");
    }
    assert_eq!(listed, names, "broken promise: {promise}");
    assert!(ok(store.threads(None, 0).await, promise).is_empty(), "broken promise: {promise}");
    assert_eq!(ok(store.threads(Some("t8"), 2).await, promise), ["t9", "z"], "broken promise: {promise}");
    let namespaces = ok(store.namespaces("t3").await, "namespaces can be listed");
    assert_eq!(namespaces, ["", "a", "a/x", "b", "ä"], "broken promise: namespaces are listed in order");
}

/// A name is any text, and texts that differ are different names.
pub async fn names_may_be_any_text<C: Checkpointer>(store: C) {
    let long = "long ".repeat(2_000);
    let names = [
        "",
        " ",
        "a",
        "A",
        "a ",
        "a\u{0}",
        "a\u{0}b",
        "'; DROP TABLE checkpoint; --",
        "\"%_*?\\",
        "%",
        "é",
        "e\u{301}",
    ];
    let names = names.into_iter().chain(["\u{1F41D}漢字", "\u{10FFFF}", "line\nbreak\r\t", "a/b", "NULL", &long]);
    let keys: Vec<ThreadKey> = names
        .flat_map(|name| [ThreadKey::root(name), ThreadKey::new("t", format!("n{name}")), ThreadKey::new("u", name)])
        .collect();
    for (key, count) in keys.iter().zip(1..) {
        let mut scribe = Scribe::claim(&store, key).await;
        scribe.run = Arc::clone(&key.thread);
        scribe.write(1 + count % 3).await;
        scribe.put(noting([record(1, 0, RecordKind::Once, &key.namespace, key.thread.as_bytes())])).await;
    }
    for (key, count) in keys.iter().zip(1_u64..) {
        let promise = format!("a name is any text: {key:?}");
        let expected: Vec<u64> = (1..=1 + count % 3).rev().collect();
        assert_eq!(ids(&store, key).await, expected, "broken promise: {promise}");
        assert_eq!(found(&store, key, Query::all().run(&*key.thread)).await, expected, "broken promise: {promise}");
        let loaded = read(&store, key, expected[0]).await;
        assert_eq!(state(&loaded), state_of(1..=expected[0]), "broken promise: {promise}");
        let note = &read(&store, key, 1).await.records[0];
        assert!(*note.key.name == *key.namespace && note.data == key.thread.as_bytes(), "broken promise: {promise}");
    }
}
