//! The same workloads on tokio without an engine: boxed async functions, a struct, a loop.

use std::hint::black_box;
use std::sync::Arc;

use futures::future::BoxFuture;
use tokio::task::JoinSet;

use crate::measure::Pass;

#[derive(Clone, Default)]
pub(crate) struct Work {
    pub(crate) n: u64,
    pub(crate) items: Vec<String>,
}

#[derive(Default)]
pub(crate) struct Update {
    pub(crate) n: Option<u64>,
    pub(crate) items: Vec<String>,
}

pub(crate) type Node = Arc<dyn Fn(&Work) -> BoxFuture<'static, Update> + Send + Sync>;

pub(crate) fn apply(work: &mut Work, update: Update) {
    if let Some(n) = update.n {
        work.n = n;
    }
    work.items.extend(update.items);
}

/// An item of `bytes` bytes, made in the way of the rivals' programs.
pub fn item(n: u64, bytes: usize) -> String {
    let mut item = format!("{n:08}-");
    while item.len() < bytes {
        item.push('x');
    }
    item
}

pub fn chain(nodes: u64) -> Pass {
    let nodes: Arc<Vec<Node>> =
        Arc::new((0..nodes).map(|_| -> Node { Arc::new(|_| Box::pin(async { Update::default() })) }).collect());
    Box::new(move || {
        let nodes = Arc::clone(&nodes);
        Box::pin(async move {
            let mut work = Work::default();
            for node in nodes.iter() {
                let update = black_box(node)(&work).await;
                apply(&mut work, update);
            }
            black_box(&work);
        })
    })
}

/// A node that counts and, where `bytes` are given, appends an item of so many.
pub(crate) fn counter(bytes: Option<usize>) -> Node {
    Arc::new(move |work| {
        let n = work.n;
        Box::pin(
            async move { Update { n: Some(n + 1), items: bytes.map(|bytes| item(n, bytes)).into_iter().collect() } },
        )
    })
}

/// The loop; where `bytes` are given each step appends an item of so many.
pub fn counting(limit: u64, bytes: Option<usize>) -> Pass {
    let node = counter(bytes);
    Box::new(move || {
        let node = Arc::clone(&node);
        Box::pin(async move {
            let mut work = Work::default();
            while work.n < limit {
                let update = black_box(&node)(&work).await;
                apply(&mut work, update);
            }
            assert_eq!(work.items.len() as u64, if bytes.is_some() { limit } else { 0 });
        })
    })
}

pub fn fan_out(tasks: u64, wait: bool) -> Pass {
    Box::new(move || {
        Box::pin(async move {
            let mut set = JoinSet::new();
            for i in 0..tasks {
                set.spawn(async move {
                    if wait {
                        tokio::task::yield_now().await;
                    }
                    (i, Update { n: None, items: vec![format!("r{i}")] })
                });
            }
            let mut updates: Vec<Option<Update>> = (0..tasks).map(|_| None).collect();
            while let Some(joined) = set.join_next().await {
                let (i, update) = joined.unwrap();
                updates[i as usize] = Some(update);
            }
            let mut work = Work::default();
            updates.into_iter().flatten().for_each(|update| apply(&mut work, update));
            assert_eq!(work.items.len() as u64, tasks);
        })
    })
}
