//! What every cache promises, as a suite that a cache of your own can run.
//!
//! Each function checks one promise on an empty cache, and panics when it is broken. [`run_all`] checks all of them.
//!
//! ```
//! use research_core::MemoryCache;
//! use research_core::testing::caches;
//!
//! # futures::executor::block_on(async {
//! // A closure that makes an empty cache; it is called once for each promise.
//! caches::run_all(async || MemoryCache::default()).await;
//! # });
//! ```

#![expect(clippy::panic, reason = "a test suite reports by panicking")]

use std::time::{Duration, SystemTime};

use crate::cache::Cache;

const TTL: Duration = Duration::from_secs(60);

/// Checks all promises.
///
/// # Panics
///
/// When one is broken.
pub async fn run_all<C: Cache>(make: impl AsyncFn() -> C) {
    an_entry_comes_back_and_replaces_the_earlier_one(&make().await).await;
    keys_and_values_may_be_any_bytes(&make().await).await;
    an_entry_expires_when_its_time_is_over(&make().await).await;
    clearing_a_namespace_leaves_the_others(&make().await).await;
}

/// What was put last under a key is what the key gives.
///
/// # Panics
///
/// When it is not.
pub async fn an_entry_comes_back_and_replaces_the_earlier_one(cache: &impl Cache) {
    expect(cache, "n", b"k", SystemTime::UNIX_EPOCH, None).await;
    for value in [b"first".as_slice(), b"second"] {
        put(cache, "n", b"k", value, None).await;
        expect(cache, "n", b"k", SystemTime::UNIX_EPOCH, Some(value)).await;
    }
    // For ever means for ever.
    expect(cache, "n", b"k", SystemTime::UNIX_EPOCH + Duration::from_secs(1 << 35), Some(b"second")).await;
}

/// Keys, values and namespaces are told apart byte for byte, and may be empty or long.
///
/// # Panics
///
/// When they are not.
pub async fn keys_and_values_may_be_any_bytes(cache: &impl Cache) {
    let (long, all): (Vec<u8>, Vec<u8>) = (vec![7; 1 << 20], (0..=255).collect());
    let keys = [b"".as_slice(), b"\0", b"\0\0", b"'; --", &all, &long];
    for namespace in ["", "n", "N", "\0", "\u{fc}\"'"] {
        for key in keys {
            let value = [namespace.as_bytes(), key].concat();
            put(cache, namespace, key, &value, None).await;
        }
    }
    for namespace in ["", "n", "N", "\0", "\u{fc}\"'"] {
        for key in keys {
            let value = [namespace.as_bytes(), key].concat();
            expect(cache, namespace, key, SystemTime::UNIX_EPOCH, Some(&value)).await;
        }
    }
}

/// An entry is there up to its time to live, to the millisecond, and gone from then on.
///
/// # Panics
///
/// When it is not.
pub async fn an_entry_expires_when_its_time_is_over(cache: &impl Cache) {
    let (end, moment) = (SystemTime::UNIX_EPOCH + TTL, Duration::from_millis(1));
    put(cache, "n", b"k", b"value", Some(TTL)).await;
    put(cache, "n", b"for ever", b"value", Some(Duration::MAX)).await;
    expect(cache, "n", b"k", end - moment, Some(b"value")).await;
    expect(cache, "n", b"k", end, None).await;
    put(cache, "n", b"k", b"again", Some(TTL)).await;
    expect(cache, "n", b"k", end - moment, Some(b"again")).await;
    put(cache, "n", b"k", b"for ever now", None).await;
    expect(cache, "n", b"k", end, Some(b"for ever now")).await;
    expect(cache, "n", b"for ever", end, Some(b"value")).await;
}

/// Clearing removes the entries of one namespace.
///
/// # Panics
///
/// When it removes others, or leaves some.
pub async fn clearing_a_namespace_leaves_the_others(cache: &impl Cache) {
    for key in [b"a", b"b"] {
        put(cache, "m", key, b"value", None).await;
        put(cache, "n", key, b"value", Some(TTL)).await;
    }
    clear(cache, "n").await;
    clear(cache, "nobody").await;
    for key in [b"a", b"b"] {
        expect(cache, "m", key, SystemTime::UNIX_EPOCH, Some(b"value")).await;
        expect(cache, "n", key, SystemTime::UNIX_EPOCH, None).await;
    }
}

async fn put(cache: &impl Cache, namespace: &str, key: &[u8], value: &[u8], ttl: Option<Duration>) {
    if let Err(error) = cache.put(namespace, key, value.to_vec(), SystemTime::UNIX_EPOCH, ttl).await {
        panic!("an entry was refused: {error}");
    }
}

async fn clear(cache: &impl Cache, namespace: &str) {
    if let Err(error) = cache.clear(namespace).await {
        panic!("clearing a namespace was refused: {error}");
    }
}

async fn expect(cache: &impl Cache, namespace: &str, key: &[u8], now: SystemTime, value: Option<&[u8]>) {
    let found = match cache.get(namespace, key, now).await {
        Ok(found) => found,
        Err(error) => panic!("an entry cannot be read: {error}"),
    };
    assert!(found.as_deref() == value, "the key {key:?} of {namespace:?} does not give what was put last under it");
}
